//===- Recovery.cpp - Fatal errors of LLVM come back ----------------------===//

#include "Recovery.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>

using namespace attn;

namespace {

/// Where this thread goes on after a fatal error.
struct Return {
  std::jmp_buf place;
  std::string reason;
};
thread_local Return *current = nullptr;

/// LLVM ends the process where this returns.
void comeBack(void *, const char *reason, bool) {
  if (!current)
    return;
  current->reason = reason;
  std::longjmp(current->place, 1);
}

/// One at most can be installed: whoever links the same LLVM may have.
void installHandler() {
  static std::once_flag once;
  std::call_once(once, []() {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(comeBack);
  });
}

} // namespace

std::optional<std::string>
attn::runRecoverably(llvm::function_ref<void()> function) {
  installHandler();
  Return here;
  Return *before = current;
  current = &here;
  bool failed = setjmp(here.place) != 0;
  if (!failed)
    function();
  current = before;
  if (!failed)
    return std::nullopt;
  return std::move(here.reason);
}
