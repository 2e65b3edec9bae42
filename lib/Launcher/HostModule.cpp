//===- HostModule.cpp - Bundles in object files ---------------------------===//

#include "HostModule.h"
#include "Failure.h"
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

using namespace attn;

namespace {
struct CloseBundle {
  void operator()(AttnBundle *bundle) const { attnBundleClose(bundle); }
};

/// What AttnHostModule::opened points to: its programs by name.
struct OpenedModule {
  std::unordered_map<std::string, std::unique_ptr<AttnBundle, CloseBundle>>
      programs;
};
} // namespace

/// Guards `opened` of all modules, and what it points to.
static std::mutex mutex;

AttnBundle &attn::openProgram(AttnHostModule &module, const char *program) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!module.opened)
    module.opened = new OpenedModule;
  auto &programs = static_cast<OpenedModule *>(module.opened)->programs;
  auto known = programs.find(program);
  if (known != programs.end())
    return *known->second;
  AttnBundle *bundle = nullptr;
  AttnStatus status =
      attnBundleOpenMemory(module.bundle, module.bytes, program, &bundle);
  if (status != ATTN_SUCCESS)
    fail(status, attnLastError());
  std::unique_ptr<AttnBundle, CloseBundle> owned(bundle);
  return *programs.emplace(program, std::move(owned)).first->second;
}

void attnHostModuleClose(AttnHostModule *module) {
  if (!module)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  delete static_cast<OpenedModule *>(module->opened);
  module->opened = nullptr;
}
