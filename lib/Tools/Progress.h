//===- Progress.h - How far a long run is -----------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_PROGRESS_H
#define ATTN_MLIR_LIB_TOOLS_PROGRESS_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <mutex>

namespace attn {

/// A line on standard error that says how far work is, where that is a terminal
/// and the work takes a while. Gone when this is.
class ProgressLine {
public:
  explicit ProgressLine(std::string what) : what(std::move(what)) {}
  ~ProgressLine() {
    if (shown)
      llvm::errs() << "\r\x1b[K";
  }
  ProgressLine(const ProgressLine &) = delete;

  /// Valid as long as the line is.
  ProgressFn teller() {
    if (!llvm::sys::Process::StandardErrIsDisplayed())
      return {};
    return [this](double share) { tell(share); };
  }

private:
  using Clock = std::chrono::steady_clock;

  void tell(double share) {
    std::lock_guard<std::mutex> lock(mutex);
    Clock::time_point now = Clock::now();
    if (now < next)
      return;
    next = now + std::chrono::milliseconds(200);
    shown = true;
    llvm::errs() << "\r" << what << ": " << static_cast<int>(100 * share)
                 << " %\x1b[K";
  }

  std::string what;
  std::mutex mutex;
  Clock::time_point next = Clock::now() + std::chrono::milliseconds(500);
  bool shown = false;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_PROGRESS_H
