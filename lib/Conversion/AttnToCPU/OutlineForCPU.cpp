//===- OutlineForCPU.cpp - Kernels as code that a launcher loads ----------===//

#include "../KernelManifest.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOUTLINEFORCPU
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct OutlineForCPUPass
    : attn::impl::AttnOutlineForCPUBase<OutlineForCPUPass> {
  /// What the function over CTAs takes for each argument of the kernel: what is
  /// static of a view is in the code.
  static FailureOr<SmallVector<Attribute>> parametersOf(KernelOp kernel) {
    Builder b(kernel.getContext());
    SmallVector<Attribute> result;
    int64_t scalars = 0;
    for (BlockArgument argument : kernel.getArguments()) {
      auto view = dyn_cast<ViewType>(argument.getType());
      if (!view) {
        result.push_back(
            describeParameter(b, "scalar", {{"index", scalars++}}));
        continue;
      }
      if (scalars > 0)
        return kernel.emitOpError("expected views in front of scalars, but got "
                                  "a view as argument ")
               << argument.getArgNumber();
      int64_t number = viewNumber(argument);
      result.push_back(describeParameter(b, "pointer", {{"view", number}}));
      for (auto [dim, size] : llvm::enumerate(view.getShape()))
        if (ShapedType::isDynamic(size))
          result.push_back(describeParameter(
              b, "size",
              {{"view", number}, {"dim", static_cast<int64_t>(dim)}}));
      for (int64_t dim = 0; dim + 1 < view.getRank(); ++dim)
        result.push_back(
            describeParameter(b, "stride", {{"view", number}, {"dim", dim}}));
    }
    return result;
  }

  /// Whole elements, and rows without gaps: the last stride is no parameter.
  static ArrayAttr alignmentsOf(KernelOp kernel) {
    Builder b(kernel.getContext());
    SmallVector<Attribute> result;
    for (BlockArgument argument : kernel.getArguments())
      if (auto view = dyn_cast<ViewType>(argument.getType()))
        result.push_back(b.getDictionaryAttr(
            {b.getNamedAttr("view", b.getI64IntegerAttr(viewNumber(argument))),
             b.getNamedAttr("bytes",
                            b.getI64IntegerAttr(view.getElementBytes()))}));
    return b.getArrayAttr(result);
  }

  LogicalResult outline(KernelOp kernel) {
    auto ctas = llvm::to_vector(kernel.getBody().getOps<CtasOp>());
    if (ctas.size() != 1)
      return kernel.emitOpError(
                 "expected one materialised grid (attn-materialize-grid), but "
                 "got ")
             << ctas.size();
    FailureOr<Attribute> grid = buildSizeExpression(ctas.front().getCount());
    FailureOr<SmallVector<Attribute>> parameters = parametersOf(kernel);
    if (failed(grid) || failed(parameters))
      return failure();
    NamedAttrList manifest =
        describeKernel(kernel, *grid, /*threads=*/1, *parameters);
    Builder attributes(kernel.getContext());
    manifest.set("shared_bytes", attributes.getI64IntegerAttr(0));
    manifest.set("align", alignmentsOf(kernel));
    kernel->setAttr(kManifestAttr, manifest.getDictionary(kernel.getContext()));
    OpBuilder b(kernel);
    auto code = ModuleOp::create(
        b, kernel.getLoc(), (kernel.getSymName() + kDeviceModuleSuffix).str());
    kernel->moveBefore(code.getBody(), code.getBody()->end());
    ++numKernels;
    return success();
  }

  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (failed(outline(kernel)))
        return signalPassFailure();
  }
};

} // namespace
