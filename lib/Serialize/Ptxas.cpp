//===- Ptxas.cpp - Machine code through ptxas -----------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attn {

/// What is asked for, by an option or by the environment.
static std::string askedPtxas(StringRef given) {
  if (!given.empty())
    return given.str();
  return sys::Process::GetEnv("ATTN_MLIR_PTXAS").value_or("");
}

std::string findPtxas(StringRef given) {
  if (std::string asked = askedPtxas(given); !asked.empty())
    return asked == kNoPtxas ? "" : asked;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    std::optional<std::string> home = sys::Process::GetEnv(variable);
    if (!home || home->empty())
      continue;
    SmallString<128> path(*home);
    sys::path::append(path, "bin", "ptxas");
    if (sys::fs::can_execute(path))
      return std::string(path);
  }
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return *found;
  if (ErrorOr<std::string> found =
          sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return "";
}

mlir::FailureOr<std::string> choosePtxas(mlir::Operation *op, StringRef given) {
  std::string path = findPtxas(given);
  if (path.empty() || sys::fs::can_execute(path))
    return path;
  op->emitError() << "expected a ptxas that can be executed ("
                  << (given.empty() ? "ATTN_MLIR_PTXAS" : "--ptxas")
                  << "), but got '" << path << "'";
  return mlir::failure();
}

/// The number before `what` in a line, or 0.
static int64_t numberBefore(StringRef line, StringRef what) {
  size_t at = line.find(what);
  if (at == StringRef::npos)
    return 0;
  StringRef head = line.take_front(at).rtrim();
  size_t space = head.find_last_of(" :,");
  int64_t value = 0;
  (void)head.substr(space + 1).getAsInteger(10, value);
  return value;
}

static PtxasReport parseReport(StringRef log) {
  PtxasReport report;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    // ptxas calls it information; it costs half of the speed.
    bool serialized = line.contains("Potential Performance Loss");
    report.serialized |= serialized;
    if (serialized || line.contains("warning")) {
      report.warnings += (line + "\n").str();
      continue;
    }
    report.registers =
        std::max(report.registers, numberBefore(line, "registers"));
    report.spillBytes = std::max(report.spillBytes,
                                 numberBefore(line, "bytes spill stores") +
                                     numberBefore(line, "bytes spill loads"));
    report.stackBytes =
        std::max(report.stackBytes, numberBefore(line, "bytes stack frame"));
  }
  return report;
}

static Expected<std::string> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read " + path);
  return (*buffer)->getBuffer().str();
}

Expected<Cubin> assemble(StringRef ptx, StringRef arch, StringRef ptxas) {
  SmallString<64> input, output, log;
  int descriptor;
  if (std::error_code error =
          sys::fs::createTemporaryFile("attn", "ptx", descriptor, input))
    return createStringError(error, "cannot make a temporary file");
  FileRemover removeInput(input);
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << ptx;
  if (std::error_code error =
          sys::fs::createTemporaryFile("attn", "cubin", output))
    return createStringError(error, "cannot make a temporary file");
  FileRemover removeOutput(output);
  if (std::error_code error = sys::fs::createTemporaryFile("attn", "log", log))
    return createStringError(error, "cannot make a temporary file");
  FileRemover removeLog(log);

  std::string gpu = ("-arch=" + arch).str();
  StringRef arguments[] = {ptxas, "-O3", "-v", gpu, input, "-o", output};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log),
                                          StringRef(log)};
  std::string message;
  // Without a time limit, which would be an alarm of the whole process: other
  // threads may wait for theirs, and a caller may use alarms.
  int status =
      sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  Expected<std::string> text = readFile(log);
  if (!text)
    return text.takeError();
  if (status != 0)
    return createStringError(inconvertibleErrorCode(),
                             ptxas + " failed (status " + Twine(status) +
                                 "): " + message + *text);
  Expected<std::string> code = readFile(output);
  if (!code)
    return code.takeError();
  return Cubin{std::move(*code), parseReport(*text)};
}

} // namespace attn
