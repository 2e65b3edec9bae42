//===- OutlineKernel.cpp - A kernel as a device function ------------------===//

#include "../KernelManifest.h"
#include "Device.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace attn;

ViewParameters::ViewParameters(Value view) {
  auto type = cast<ViewType>(view.getType());
  ValueRange values =
      view.getDefiningOp<UnrealizedConversionCastOp>().getInputs();
  pointer = values[0];
  map = values[1];
  sizes.append(values.begin() + 2, values.begin() + 2 + type.getRank());
  strides.append(values.begin() + 2 + type.getRank(), values.end());
}

namespace {

class Outliner {
public:
  explicit Outliner(KernelOp kernel)
      : kernel(kernel), rewriter(kernel.getContext()), loc(kernel.getLoc()) {}

  LLVM::LLVMFuncOp run() {
    auto ctas = llvm::to_vector(kernel.getBody().getOps<CtasOp>());
    if (ctas.size() != 1) {
      kernel.emitOpError(
          "expected one materialised grid (attn-materialize-grid), "
          "but got ")
          << ctas.size();
      return {};
    }
    if (!kernel->hasAttr(KernelOp::kThreadsAttr)) {
      kernel.emitOpError("expected tiles in registers (attn-assign-fragments)");
      return {};
    }
    if (failed(checkThreads()) || failed(findMaps()))
      return {};
    FailureOr<Attribute> grid = buildSizeExpression(ctas.front().getCount());
    if (failed(grid))
      return {};
    FailureOr<Attribute> cluster =
        ctas.front().getCluster()
            ? buildSizeExpression(ctas.front().getCluster())
            : Attribute();
    if (failed(cluster))
      return {};
    declareParameters();
    LLVM::LLVMFuncOp function = createFunction(*grid);
    if (*cluster)
      addToManifest(function, {{"cluster", *cluster}});
    moveBody(function, ctas.front());
    rewriter.eraseOp(kernel);
    return function;
  }

private:
  /// Warps are whole: what is shared among them divides by their number.
  LogicalResult checkThreads() {
    constexpr int64_t kMostThreads = 1024;
    Attribute given = kernel->getAttr(KernelOp::kThreadsAttr);
    auto threads = dyn_cast<IntegerAttr>(given);
    bool plain = threads && (threads.getType().isSignlessInteger(64) ||
                             threads.getType().isSignlessInteger(32));
    int64_t lanes = lanesOf(TargetAttr::of(kernel));
    if (plain && threads.getInt() > 0 && threads.getInt() <= kMostThreads &&
        threads.getInt() % lanes == 0)
      return success();
    InFlightDiagnostic error =
        kernel.emitOpError("expected whole warps of ")
        << lanes << " threads, up to " << kMostThreads
        << " in all, in its attribute 'threads', but got ";
    return plain ? error << threads.getInt() : error << given;
  }

  bool isArgument(Value view) {
    auto argument = dyn_cast<BlockArgument>(view);
    return argument && argument.getOwner() == &kernel.getBody().front();
  }

  /// The box that each view is copied by through a tensor map.
  LogicalResult findMaps() {
    boxes.resize(kernel.getNumArguments());
    WalkResult result = kernel.walk([&](Operation *op) {
      if (isa<CounterOp>(op)) {
        op->emitOpError("expected to be made an argument by "
                        "attn-place-counters first");
        return WalkResult::interrupt();
      }
      for (Value operand : op->getOperands())
        if (isa<ViewType>(operand.getType()) && !isArgument(operand) &&
            !operand.getDefiningOp<ExchangeOp>()) {
          op->emitOpError("expected a view that is an argument of the kernel");
          return WalkResult::interrupt();
        }
      auto [view, tile] = mappedTile(op);
      if (!view)
        return WalkResult::advance();
      RankedTensorType &box = boxes[cast<BlockArgument>(view).getArgNumber()];
      // A box is a panel of a tile: its columns follow from the layout.
      if (box && (box.getDimSize(0) != tile.getDimSize(0) ||
                  box.getEncoding() != tile.getEncoding())) {
        op->emitOpError("expected tiles of one view to have the same rows and "
                        "layout, but got ")
            << box << " and " << tile;
        return WalkResult::interrupt();
      }
      box = tile;
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// What an operation copies at once through a tensor map, and of which view.
  std::pair<Value, RankedTensorType> mappedTile(Operation *op) {
    if (auto issue = dyn_cast<RingIssueOp>(op);
        issue && issue.getBy() == CopyKind::Tensor) {
      RankedTensorType tile = issue.getSlot().getType().getTile();
      return {issue.getView(),
              tile.clone({issue.getBlockRows(), tile.getDimSize(1)})};
    }
    if (auto add = dyn_cast<AccumulateOp>(op); add && add.isOutOfRing())
      return {add.getView(), cast<RankedTensorType>(add.getTile().getType())};
    auto store = dyn_cast<StoreOp>(op);
    if (!store || !store.getByTensorMap())
      return {};
    // The rows of a warp.
    auto tile = cast<RankedTensorType>(store.getScratch().getType());
    int64_t warps =
        kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr).getInt() /
        32;
    return {store.getView(),
            tile.clone({tile.getDimSize(0) / warps, tile.getDimSize(1)})};
  }

  /// The box in dimensions of the view.
  DictionaryAttr describeMap(BlockArgument argument) {
    RankedTensorType tile = boxes[argument.getArgNumber()];
    int64_t view = viewNumber(argument);
    auto type = cast<ViewType>(argument.getType());
    int64_t span = sharedOf(tile).getSpan();
    SmallVector<Attribute> box(type.getRank() - 2,
                               rewriter.getI64IntegerAttr(1));
    box.push_back(rewriter.getI64IntegerAttr(tile.getDimSize(0)));
    box.push_back(
        rewriter.getI64IntegerAttr(span / (tile.getElementTypeBitWidth() / 8)));
    return rewriter.getDictionaryAttr(
        {rewriter.getNamedAttr("kind", rewriter.getStringAttr("tensor_map")),
         rewriter.getNamedAttr("view", rewriter.getI64IntegerAttr(view)),
         rewriter.getNamedAttr("box", rewriter.getArrayAttr(box)),
         rewriter.getNamedAttr("swizzle", rewriter.getI64IntegerAttr(span))});
  }

  void addParameter(Type type, DictionaryAttr what) {
    types.push_back(type);
    parameters.push_back(what);
  }

  void declareParameters() {
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Type i64 = rewriter.getI64Type();
    int64_t scalars = 0;
    for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
      int64_t number = viewNumber(argument);
      auto view = dyn_cast<ViewType>(argument.getType());
      if (!view) {
        addParameter(
            argument.getType().isIndex() ? i64 : argument.getType(),
            describeParameter(rewriter, "scalar", {{"index", scalars++}}));
        continue;
      }
      addParameter(pointer,
                   describeParameter(rewriter, "pointer", {{"view", number}}));
      if (boxes[i])
        addParameter(pointer, describeMap(argument));
      for (unsigned dim = 0; dim < view.getRank(); ++dim)
        if (ShapedType::isDynamic(view.getShape()[dim]))
          addParameter(i64,
                       describeParameter(rewriter, "size",
                                         {{"view", number}, {"dim", dim}}));
      for (unsigned dim = 0; dim + 1 < view.getRank(); ++dim)
        addParameter(i64, describeParameter(rewriter, "stride",
                                            {{"view", number}, {"dim", dim}}));
    }
  }

  LLVM::LLVMFuncOp createFunction(Attribute grid) {
    rewriter.setInsertionPoint(kernel);
    auto module = gpu::GPUModuleOp::create(
        rewriter, loc, (kernel.getSymName() + kDeviceModuleSuffix).str());
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(rewriter.getContext()), types);
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, loc, kernel.getSymName(), type);
    int64_t threads =
        kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr).getInt();
    kernel.walk([&](SpecializeOp roles) {
      threads *= roles.getNumComputing();
      threads += 32 * static_cast<int64_t>(roles.getProducerWarps());
    });
    setManifest(function, grid, threads);
    return function;
  }

  void setManifest(LLVM::LLVMFuncOp function, Attribute grid, int64_t threads) {
    NamedAttrList entries = describeKernel(kernel, grid, threads, parameters);
    if (ArrayAttr limits = findLimits(kernel); !limits.empty())
      entries.set("limits", limits);
    function->setAttr(kManifestAttr,
                      entries.getDictionary(kernel.getContext()));
  }

  /// The view that parameters from `next` on describe.
  Value castView(ViewType view, bool mapped, Block *entry, unsigned &next) {
    SmallVector<Value> values{entry->getArgument(next++)};
    values.push_back(
        mapped ? entry->getArgument(next++)
               : LLVM::ZeroOp::create(rewriter, loc, values[0].getType())
                     .getResult());
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantIntOp::create(rewriter, loc, v, 64);
    };
    for (int64_t size : view.getShape())
      values.push_back(ShapedType::isDynamic(size) ? entry->getArgument(next++)
                                                   : constant(size));
    for (unsigned dim = 0; dim + 1 < view.getRank(); ++dim)
      values.push_back(entry->getArgument(next++));
    values.push_back(constant(1));
    return UnrealizedConversionCastOp::create(rewriter, loc, view, values)
        .getResult(0);
  }

  void moveBody(LLVM::LLVMFuncOp function, CtasOp ctas) {
    Block *entry = function.addEntryBlock(rewriter);
    rewriter.setInsertionPointToStart(entry);
    SmallVector<Value> arguments;
    unsigned next = 0;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      if (auto view = dyn_cast<ViewType>(type)) {
        arguments.push_back(
            castView(view, static_cast<bool>(boxes[i]), entry, next));
        continue;
      }
      Value scalar = entry->getArgument(next++);
      if (type.isIndex())
        scalar = arith::IndexCastOp::create(rewriter, loc, type, scalar);
      arguments.push_back(scalar);
    }
    Block *old = &kernel.getBody().front();
    rewriter.eraseOp(old->getTerminator());
    rewriter.inlineBlockBefore(old, entry, entry->end(), arguments);
    rewriter.setInsertionPoint(ctas);
    Value cta = gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x);
    Block *body = &ctas.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, entry, Block::iterator(ctas), cta);
    rewriter.eraseOp(ctas);
    rewriter.setInsertionPointToEnd(entry);
    LLVM::ReturnOp::create(rewriter, loc, ValueRange());
    replaceDims(function);
  }

  void replaceDims(LLVM::LLVMFuncOp function) {
    function.walk([&](DimOp dim) {
      rewriter.setInsertionPoint(dim);
      Value size = ViewParameters(dim.getView()).sizes[dim.getDim()];
      rewriter.replaceOpWithNewOp<arith::IndexCastOp>(
          dim, rewriter.getIndexType(), size);
    });
  }

  KernelOp kernel;
  IRRewriter rewriter;
  Location loc;
  /// For each argument the tile that a tensor map copies, or null.
  SmallVector<RankedTensorType> boxes;
  SmallVector<Type> types;
  SmallVector<Attribute> parameters;
};

} // namespace

LLVM::LLVMFuncOp attn::outlineKernel(KernelOp kernel) {
  return Outliner(kernel).run();
}

void attn::dropUnusedParameters(LLVM::LLVMFuncOp function) {
  auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto parameters = cast<ArrayAttr>(manifest.get("parameters"));
  llvm::BitVector unused(function.getNumArguments());
  SmallVector<Attribute> kept;
  SmallVector<Type> types;
  for (auto [argument, what] : llvm::zip(function.getArguments(), parameters)) {
    if (argument.use_empty()) {
      unused.set(argument.getArgNumber());
      continue;
    }
    kept.push_back(what);
    types.push_back(argument.getType());
  }
  function_interface_impl::eraseFunctionArguments(
      function, unused,
      LLVM::LLVMFunctionType::get(
          LLVM::LLVMVoidType::get(function.getContext()), types));
  addToManifest(function,
                {{"parameters", ArrayAttr::get(function.getContext(), kept)}});
}
