//===- EmbedPrograms.cpp - Modules of programs to bundles in the module ---===//

#include "attn-mlir/Compiler/Passes.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNEMBEDPROGRAMS
#include "attn-mlir/Compiler/Passes.h.inc"
} // namespace attn

using namespace attn;

/// What programs of the module are declared to be of, in order.
static FailureOr<llvm::SetVector<StringAttr>> findBundles(ModuleOp module) {
  llvm::SetVector<StringAttr> bundles;
  for (auto function : module.getOps<func::FuncOp>()) {
    Attribute program = function->getAttr(kProgramAttr);
    if (!program)
      continue;
    auto bundle = dyn_cast<FlatSymbolRefAttr>(program);
    if (!bundle)
      return function.emitError() << "expected the symbol of a bundle as '"
                                  << kProgramAttr << "', but got " << program;
    bundles.insert(bundle.getAttr());
  }
  return bundles;
}

namespace {

struct EmbedProgramsPass
    : attn::impl::AttnEmbedProgramsBase<EmbedProgramsPass> {
  using AttnEmbedProgramsBase::AttnEmbedProgramsBase;
  explicit EmbedProgramsPass(CompileOptions options)
      : given(std::move(options)) {}

  /// Those of all pipelines, which run inside.
  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
    registerAllToLLVMIRTranslations(registry);
  }

  CompileOptions compileOptions() const {
    if (given)
      return *given;
    CompileOptions options;
    options.schedule = schedule;
    options.lower = lower;
    options.asked = !schedule.empty() || !lower.empty();
    options.ptxas = ptxas;
    options.messagePrefix = "attn-embed-programs: ";
    return options;
  }

  FailureOr<std::string> compile(ModuleOp programs) {
    Compilation compilation(compileOptions());
    compilation.options.emit = Emit::Archive;
    compilation.module = cast<ModuleOp>(programs->clone());
    ModuleOp module = *compilation.module;
    module.removeSymNameAttr();
    // The target of the module around, where it has none of its own.
    Attribute target = getOperation()->getAttr(TargetAttr::kModuleAttr);
    if (target && !module->hasAttr(TargetAttr::kModuleAttr))
      module->setAttr(TargetAttr::kModuleAttr, target);
    if (failed(compilation.chooseOptions()))
      return failure();
    FailureOr<Bundle> bundle = compilation.compile();
    if (failed(bundle))
      return failure();
    return packBundle(*bundle);
  }

  LogicalResult embed(StringAttr name) {
    Operation *symbol = getOperation().lookupSymbol(name);
    if (isa_and_nonnull<LLVM::GlobalOp>(symbol))
      return success();
    auto programs = dyn_cast_or_null<ModuleOp>(symbol);
    if (!programs) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "expected a module of programs, or a bundle "
                                   "that is embedded, but got ";
      if (!symbol)
        return diag << "no symbol " << name;
      diag << "'" << symbol->getName() << "'";
      diag.attachNote(symbol->getLoc()) << "this is " << name;
      return diag;
    }
    FailureOr<std::string> bundle = compile(programs);
    if (failed(bundle))
      return failure();
    OpBuilder b(programs);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bundle->size());
    LLVM::GlobalOp::create(b, programs.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           b.getStringAttr(*bundle));
    programs.erase();
    ++numBundles;
    numBytes += bundle->size();
    return success();
  }

  void runOnOperation() override {
    FailureOr<llvm::SetVector<StringAttr>> bundles =
        findBundles(getOperation());
    if (failed(bundles))
      return signalPassFailure();
    for (StringAttr name : *bundles)
      if (failed(embed(name)))
        return signalPassFailure();
  }

private:
  std::optional<CompileOptions> given;
};

} // namespace

std::unique_ptr<Pass> attn::createAttnEmbedPrograms(CompileOptions options) {
  return std::make_unique<EmbedProgramsPass>(std::move(options));
}

void attn::registerEmbeddingPasses() { registerAttnCompilerPasses(); }
