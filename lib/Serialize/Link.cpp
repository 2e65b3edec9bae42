//===- Link.cpp - An object file as a shared object, in process -----------===//

#include "Link.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/InterfaceStub/ELFObjHandler.h"
#include "llvm/InterfaceStub/IFSStub.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <deque>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace attn;

namespace {

/// A file that is gone with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix)
      : error(llvm::sys::fs::createTemporaryFile("attn", suffix, path)),
        remover(path) {}
  SmallString<64> path;
  std::error_code error;

private:
  llvm::FileRemover remover;
};

/// The linker takes options of the whole process for its own and resets them:
/// those that were given are hidden from it.
class HiddenOptions {
public:
  HiddenOptions() {
    auto hide = [&](llvm::cl::Option *option) {
      if (option->getNumOccurrences() > 0)
        hidden.insert(option);
    };
    for (auto &entry : llvm::cl::getRegisteredOptions())
      hide(entry.second);
    for (llvm::cl::Option *option :
         llvm::cl::SubCommand::getTopLevel().PositionalOpts)
      hide(option);
    for (llvm::cl::Option *option : hidden)
      option->removeArgument();
  }
  ~HiddenOptions() {
    for (llvm::cl::Option *option : hidden)
      option->addArgument();
  }

private:
  llvm::SetVector<llvm::cl::Option *> hidden;
};

} // namespace

/// Writes a shared library of this name without anything in it.
static std::error_code writeStub(StringRef path, StringRef soname) {
  llvm::ifs::IFSStub stub;
  stub.SoName = soname.str();
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  stub.Target.Arch =
      host.isAArch64() ? llvm::ELF::EM_AARCH64 : llvm::ELF::EM_X86_64;
  stub.Target.Endianness = llvm::ifs::IFSEndiannessType::Little;
  stub.Target.BitWidth = llvm::ifs::IFSBitWidthType::IFS64;
  return llvm::errorToErrorCode(llvm::ifs::writeBinaryStub(path, stub));
}

FailureOr<std::string> attn::linkShared(Operation *op, StringRef object,
                                        ArrayRef<const char *> options,
                                        ArrayRef<StringRef> needed) {
  TemporaryFile input("o"), output("so");
  std::error_code error = input.error ? input.error : output.error;
  if (!error)
    llvm::raw_fd_ostream(input.path, error) << object;
  std::deque<TemporaryFile> stubs;
  for (StringRef soname : needed) {
    TemporaryFile &stub = stubs.emplace_back("so");
    if (!error)
      error = stub.error ? stub.error : writeStub(stub.path, soname);
  }
  if (error) {
    op->emitError() << "cannot write a temporary file: " << error.message();
    return failure();
  }
  std::string log;
  llvm::raw_string_ostream os(log);
  SmallVector<const char *> arguments{"ld.lld", "-shared", "--threads=1"};
  llvm::append_range(arguments, options);
  arguments.append({input.path.c_str(), "-o", output.path.c_str()});
  for (TemporaryFile &stub : stubs)
    arguments.push_back(stub.path.c_str());
  // The linker keeps global state.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  HiddenOptions hiddenOptions;
  lld::Result result =
      lld::lldMain(arguments, os, os, {{lld::Gnu, &lld::elf::link}});
  auto linked = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (result.retCode != 0 || !linked) {
    op->emitError() << "linker failed: " << log;
    return failure();
  }
  return (*linked)->getBuffer().str();
}
