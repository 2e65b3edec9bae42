//===- Compiler.cpp - The compiler as a library for C ---------------------===//

#include "attn-mlir-c/Compiler.h"
#include "Options.h"
#include "Recovery.h"
#include "attn-mlir/Compiler/CompileHost.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Serialize/HostCode.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "llvm/Support/SourceMgr.h"
#include <mutex>
#include <new>

using namespace mlir;
using namespace attn;

struct AttnCompilation {
  bool succeeded = false;
  std::string diagnostics, output;
};

namespace {

/// One call.
class Call {
public:
  Call(LibraryOptions &options, llvm::raw_ostream &log)
      : options(options), context(registry(), MLIRContext::Threading::DISABLED),
        handler(sources, &context, log), compilation(options.compile) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<AttnDialect>();
    if (options.remarks)
      enableRemarks();
  }

  LogicalResult run(StringRef input, std::string &output) {
    compilation.module = parse(input, "<input>");
    if (!compilation.module)
      return failure();
    Emit emit = options.compile.emit;
    if (emit == Emit::Attn)
      return print(output);
    if (options.host)
      return compileWhole(output);
    if (failed(chooseOptions()))
      return failure();
    if (isBundle(emit))
      return makeBundle(output);
    if (options.explain != ExplainAs::Nothing)
      return explain(output);
    if (failed(compilation.schedule()))
      return failure();
    if (emit == Emit::Stream)
      return print(output);
    return lower(output);
  }

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry all = []() {
      DialectRegistry result;
      registerDialects(result);
      return result;
    }();
    return all;
  }

  void enableRemarks() {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = categories.failed =
        categories.analysis = "attn.*";
    (void)remark::enableOptimizationRemarks(
        context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
        categories, /*printAsEmitRemarks=*/true);
  }

  /// The handler shows lines of what was parsed.
  OwningOpRef<ModuleOp> parse(StringRef text, StringRef name) {
    unsigned id = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, name), SMLoc());
    return parseSourceString<ModuleOp>(sources.getMemoryBuffer(id)->getBuffer(),
                                       &context, name);
  }

  LogicalResult chooseOptions() {
    SmallVector<OwningOpRef<ModuleOp>> tuning;
    for (auto [i, text] : llvm::enumerate(options.tuning)) {
      tuning.push_back(parse(text, ("<tuning " + Twine(i) + ">").str()));
      if (!tuning.back())
        return failure();
    }
    return compilation.chooseOptions(
        llvm::map_to_vector(tuning, [](auto &file) { return *file; }));
  }

  LogicalResult print(std::string &output) {
    llvm::raw_string_ostream os(output);
    compilation.module->print(os);
    os << "\n";
    return success();
  }

  LogicalResult explain(std::string &output) {
    llvm::raw_string_ostream os(output);
    return failure(failed(compilation.rankCandidates()) ||
                   failed(compilation.schedule()) ||
                   failed(compilation.explain(options.explain, os)));
  }

  LogicalResult makeBundle(std::string &output) {
    FailureOr<Bundle> bundle = compilation.compile();
    if (failed(bundle))
      return failure();
    output = packBundle(*bundle);
    return success();
  }

  LogicalResult compileWhole(std::string &output) {
    if (failed(compileHost(compilation)))
      return failure();
    if (options.compile.emit == Emit::LLVM)
      return print(output);
    FailureOr<std::string> object = compileToObject(*compilation.module);
    if (failed(object))
      return failure();
    output = std::move(*object);
    return success();
  }

  LogicalResult lower(std::string &output) {
    Emit emit = options.compile.emit;
    if (failed(checkEmit(*compilation.module, emit)) ||
        failed(compilation.lowerToTarget()))
      return failure();
    if (emit == Emit::Target)
      return print(output);
    if (failed(compilation.lowerToDevice()))
      return failure();
    return emit == Emit::LLVM ? print(output) : translate(output);
  }

  LogicalResult translate(std::string &output) {
    FailureOr<LLVM::LLVMFuncOp> kernel =
        findDeviceFunction(*compilation.module);
    if (failed(kernel))
      return failure();
    auto device = (*kernel)->getParentOfType<gpu::GPUModuleOp>();
    StringRef arch = TargetAttr::of(device).getArch().getValue();
    FailureOr<std::string> text = options.compile.emit == Emit::Ptx
                                      ? translateToPtx(device, arch)
                                      : translateToIsa(device, arch);
    if (failed(text))
      return failure();
    output = std::move(*text);
    return success();
  }

  LibraryOptions &options;
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler;
  Compilation compilation;
};

/// Back ends are set up once, not while another thread generates code.
void initialize() {
  static std::once_flag once;
  std::call_once(once, initializeCodegen);
}

/// What is on this frame outlives a fatal error: the log, and its scope.
void compile(AttnCompilation &result, StringRef input,
             ArrayRef<AttnOption> given) {
  llvm::raw_string_ostream log(result.diagnostics);
  OptionErrorScope scope(log);
  LibraryOptions options;
  if (failed(parseOptions(given, options)))
    return;
  std::string output;
  std::optional<std::string> fatal = runRecoverably([&]() {
    initialize();
    // Not on this stack: after a fatal error, caches of the thread still refer
    // to the context, which is lost.
    auto call = std::make_unique<Call>(options, log);
    result.succeeded = succeeded(call->run(input, output));
  });
  if (fatal) {
    result.succeeded = false;
    log << "error: internal error: " << *fatal << "\n";
  }
  if (result.succeeded)
    result.output = std::move(output);
}

} // namespace

AttnCompilation *attnCompile(const char *input, size_t bytes,
                             const AttnOption *options, size_t optionCount) {
  auto *result = new (std::nothrow) AttnCompilation;
  if (!result)
    return nullptr;
  if (!input || bytes == 0)
    result->diagnostics = "error: expected MLIR, but got no input\n";
  else if (!options && optionCount > 0)
    result->diagnostics = "error: expected options, but got null\n";
  else
    compile(*result, {input, bytes}, {options, optionCount});
  return result;
}

int32_t attnCompilationSucceeded(const AttnCompilation *compilation) {
  return compilation && compilation->succeeded;
}

const char *attnCompilationDiagnostics(const AttnCompilation *compilation) {
  return compilation ? compilation->diagnostics.c_str() : "";
}

const void *attnCompilationOutput(const AttnCompilation *compilation,
                                  size_t *bytes) {
  bool succeeded = compilation && compilation->succeeded;
  if (bytes)
    *bytes = succeeded ? compilation->output.size() : 0;
  return succeeded ? compilation->output.data() : nullptr;
}

void attnCompilationDestroy(AttnCompilation *compilation) {
  delete compilation;
}

const char *attnFindPtxas(const char *given) {
  static thread_local std::string path;
  path = findPtxas(given ? given : "");
  return path.c_str();
}
