//===- AttnToCPU.cpp - Kernels to functions over a range of CTAs ----------===//

#include "../PartWords.h"
#include "SeparateExchanges.h"
#include "TileOpsToLinalg.h"
#include "ViewAccess.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include <limits>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNTOCPU
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

std::string ctasName(StringRef kernel) { return (kernel + "_ctas").str(); }

/// A memref of any strides and offset.
MemRefType stridedType(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  return MemRefType::get(shape, element,
                         StridedLayoutAttr::get(element.getContext(),
                                                ShapedType::kDynamic, strides));
}

struct ViewConverter : TypeConverter {
  ViewConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](ViewType view) {
      return stridedType(view.getShape(), view.getElementType());
    });
  }
};

/// CTAs of the CPU run one after the other.
struct InStepPattern : OpConversionPattern<InStepOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(InStepOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Threads take CTAs in their order, so that the first one that is not done is
/// never kept waiting. What an atomic exchange sees, an acquire does.
struct AwaitProgressPattern : OpConversionPattern<AwaitProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AwaitProgressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value place = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getI32Type(), adaptor.getPlace());
    scf::ForOp::create(rewriter, loc, adaptor.getFrom(), adaptor.getTo(), one,
                       ValueRange(),
                       [&](OpBuilder &b, Location, Value tile, ValueRange) {
                         SmallVector<Value> element(adaptor.getOffsets());
                         element.push_back(tile);
                         waitFor(b, loc, adaptor.getProgress(), element, place);
                         scf::YieldOp::create(b, loc);
                       });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void waitFor(OpBuilder &b, Location loc, Value progress,
                      ValueRange element, Value place) {
    scf::WhileOp::create(
        b, loc, TypeRange(), ValueRange(),
        [&](OpBuilder &look, Location, ValueRange) {
          Value zero = arith::ConstantIntOp::create(look, loc, 0, 32);
          Value seen = memref::AtomicRMWOp::create(
              look, loc, arith::AtomicRMWKind::addi, zero, progress, element);
          Value early = arith::CmpIOp::create(
              look, loc, arith::CmpIPredicate::slt, seen, place);
          scf::ConditionOp::create(look, loc, early, ValueRange());
        },
        [&](OpBuilder &again, Location, ValueRange) {
          scf::YieldOp::create(again, loc);
        });
  }
};

struct ReportProgressPattern : OpConversionPattern<ReportProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReportProgressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value place;
    if (Value stated = adaptor.getPlace())
      place = arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(),
                                         stated);
    else
      place = arith::ConstantIntOp::create(
          rewriter, loc, std::numeric_limits<int32_t>::max(), 32);
    memref::AtomicRMWOp::create(rewriter, loc, arith::AtomicRMWKind::assign,
                                place, adaptor.getProgress(),
                                adaptor.getOffsets());
    rewriter.eraseOp(op);
    return success();
  }
};

/// attn.launch on memrefs: views by transposing, then all CTAs in one range.
struct LaunchPattern : OpConversionPattern<LaunchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // The kernel may be a function already: its arguments tell the types.
    auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
        op, op.getKernelAttr());
    ArrayRef<Type> arguments = callee.getArgumentTypes();
    if (!isa<KernelOp>(callee))
      arguments = arguments.drop_front(2);
    SmallVector<Value> views;
    auto buffers = llvm::to_vector(
        llvm::concat<Value>(adaptor.getInputs(), adaptor.getInits()));
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      AffineMap perm = cast<AffineMapAttr>(op.getViews()[i]).getValue();
      Value view = buffer;
      if (!perm.isIdentity())
        view = memref::TransposeOp::create(rewriter, loc, buffer,
                                           AffineMapAttr::get(perm));
      Type type = getTypeConverter()->convertType(arguments[i]);
      if (view.getType() != type)
        view = memref::CastOp::create(rewriter, loc, type, view);
      views.push_back(view);
    }
    llvm::append_range(views, adaptor.getScalars());
    Value ctas = func::CallOp::create(rewriter, loc, ctasName(op.getKernel()),
                                      rewriter.getIndexType(), views)
                     .getResult(0);
    SmallVector<Value> operands{
        arith::ConstantIndexOp::create(rewriter, loc, 0), ctas};
    llvm::append_range(operands, views);
    func::CallOp::create(rewriter, loc, op.getKernel(), TypeRange(), operands);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Makes the two functions of a kernel.
struct KernelPattern : OpConversionPattern<KernelOp> {
  using OpConversionPattern::OpConversionPattern;

  static func::FuncOp createFunction(OpBuilder &b, Location loc, StringRef name,
                                     ArrayRef<Type> inputs, TypeRange results) {
    auto function =
        func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, results));
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      b.getUnitAttr());
    return function;
  }

  /// By the rewriter, which deletes it where the conversion fails.
  static Block *createEntryBlock(func::FuncOp function,
                                 ConversionPatternRewriter &rewriter) {
    TypeRange inputs = function.getFunctionType().getInputs();
    SmallVector<Location> locs(inputs.size(), function.getLoc());
    return rewriter.createBlock(&function.getBody(), {}, inputs, locs);
  }

  LogicalResult
  matchAndRewrite(KernelOp kernel, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = kernel.getLoc();
    auto ctasOps = llvm::to_vector(kernel.getBody().getOps<CtasOp>());
    if (ctasOps.size() != 1)
      return rewriter.notifyMatchFailure(kernel, "expected one attn.ctas");
    CtasOp ctas = ctasOps.front();
    SmallVector<Type> arguments;
    if (failed(getTypeConverter()->convertTypes(kernel.getArgumentTypes(),
                                                arguments)))
      return failure();
    createCtasFunction(kernel, ctas, arguments, rewriter);

    // The kernel: index arithmetic as it is, then a loop over a range of CTAs.
    SmallVector<Type> withRange(2, rewriter.getIndexType());
    llvm::append_range(withRange, arguments);
    auto function = createFunction(rewriter, loc, kernel.getSymName(),
                                   withRange, TypeRange());
    SmallVector<Attribute> views;
    for (Type type : kernel.getArgumentTypes())
      if (isa<ViewType>(type))
        views.push_back(TypeAttr::get(type));
    function->setAttr(kKernelViewsAttr, rewriter.getArrayAttr(views));
    for (StringRef name :
         {StringRef(KernelOp::kStepAttr), StringRef(KernelOp::kOutputsAttr),
          StringRef(KernelOp::kCountersAttr), StringRef(kManifestAttr)})
      if (Attribute value = kernel->getAttr(name))
        function->setAttr(name, value);
    Block *old = &kernel.getBody().front();
    Block *entry = createEntryBlock(function, rewriter);
    rewriter.eraseOp(old->getTerminator());
    rewriter.setInsertionPoint(ctas);
    Value end = arith::MinUIOp::create(rewriter, loc, entry->getArgument(1),
                                       ctas.getCount());
    auto loop =
        scf::ForOp::create(rewriter, loc, entry->getArgument(0), end,
                           arith::ConstantIndexOp::create(rewriter, loc, 1));
    Block *body = &ctas.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, loop.getBody()->getTerminator(),
                               loop.getInductionVar());
    rewriter.eraseOp(ctas);
    rewriter.setInsertionPointToEnd(old);
    func::ReturnOp::create(rewriter, loc);
    rewriter.mergeBlocks(old, entry, entry->getArguments().drop_front(2));
    rewriter.eraseOp(kernel);
    return success();
  }

  void createCtasFunction(KernelOp kernel, CtasOp ctas,
                          ArrayRef<Type> arguments,
                          ConversionPatternRewriter &rewriter) const {
    rewriter.setInsertionPoint(kernel);
    auto function =
        createFunction(rewriter, kernel.getLoc(), ctasName(kernel.getSymName()),
                       arguments, rewriter.getIndexType());
    OpBuilder::InsertionGuard guard(rewriter);
    Block *entry = createEntryBlock(function, rewriter);
    rewriter.setInsertionPointToStart(entry);
    IRMapping map;
    for (auto [from, to] :
         llvm::zip(kernel.getArguments(), entry->getArguments()))
      map.map(from, to);
    for (Operation &op : kernel.getBody().front()) {
      if (&op == ctas.getOperation())
        break;
      // Written by hand: a size is all that can be read here.
      if (auto dim = dyn_cast<DimOp>(op))
        map.map(dim.getResult(),
                memref::DimOp::create(rewriter, dim.getLoc(),
                                      map.lookup(dim.getView()),
                                      static_cast<int64_t>(dim.getDim())));
      else
        rewriter.clone(op, map);
    }
    func::ReturnOp::create(rewriter, kernel.getLoc(),
                           map.lookup(ctas.getCount()));
  }
};

struct ConvertAttnToCPUPass
    : attn::impl::ConvertAttnToCPUBase<ConvertAttnToCPUPass> {
  /// What this conversion takes for granted, told in the user's terms.
  LogicalResult checkPreconditions(ModuleOp module) {
    WalkResult result = module.walk([&](Operation *op) {
      if (auto kernel = dyn_cast<KernelOp>(op);
          kernel && !kernel.getGrid() &&
          llvm::range_size(kernel.getBody().getOps<CtasOp>()) != 1)
        return kernel.emitOpError(
                   "expected one grid that accesses memory, but got ")
                   << llvm::range_size(kernel.getBody().getOps<CtasOp>()),
               WalkResult::interrupt();
      if (auto kernel = dyn_cast<KernelOp>(op);
          kernel && module.lookupSymbol(ctasName(kernel.getSymName())))
        return kernel.emitOpError("becomes two functions, but there is a @")
                   << ctasName(kernel.getSymName()) << " already",
               WalkResult::interrupt();
      if (auto kernel = dyn_cast<KernelOp>(op))
        for (Operation &inner : kernel.getBody().front())
          if (!isa<CounterOp, CtasOp, GridOp, ReturnOp>(inner) &&
              !isMemoryEffectFree(&inner))
            return inner.emitOpError("expected to stand in a grid: beside it a "
                                     "kernel holds index arithmetic only"),
                   WalkResult::interrupt();
      if (auto launch = dyn_cast<LaunchOp>(op);
          launch && !SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
                        launch, launch.getKernelAttr()))
        return launch.emitOpError("expected a kernel that is not lowered for a "
                                  "GPU yet, but got ")
                   << launch.getKernelAttr(),
               WalkResult::interrupt();
      StringRef pass;
      if (isa<GridOp>(op))
        pass = "attn-materialize-grid";
      else if (isa<CounterOp>(op))
        pass = "attn-place-counters";
      else if (isa<StreamOp>(op))
        pass = "convert-attn-stream-to-scf";
      else if (isa<StreamableOpInterface>(op))
        pass = "attn-stream-partition";
      else if (isa<RingCreateOp, ConvertLayoutOp, ReduceRegistersOp>(op))
        pass = "attn-sequentialize-rings";
      if (pass.empty())
        return WalkResult::advance();
      op->emitOpError("expected to be lowered by ") << pass << " first";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void declareTouch(ModuleOp module) {
    bool touches = module.walk([](TouchOp) { return WalkResult::interrupt(); })
                       .wasInterrupted();
    if (!touches || module.lookupSymbol(kTouch))
      return;
    auto b = OpBuilder::atBlockBegin(module.getBody());
    SmallVector<Type> types(4 + kTouchOffsets, b.getIndexType());
    func::FuncOp::create(b, module.getLoc(), kTouch,
                         b.getFunctionType(types, {}))
        .setPrivate();
  }

  /// Writes the tiles that a loop carries into the ones that it started from,
  /// so that they bufferize in place.
  void pinCarriedTiles(ModuleOp module) {
    module.walk([](scf::ForOp loop) {
      auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
      OpBuilder b(yield);
      for (auto [next, carried] :
           llvm::zip(yield.getResultsMutable(), loop.getRegionIterArgs())) {
        Operation *producer = next.get().getDefiningOp();
        if (!isa<RankedTensorType>(carried.getType()) || !producer ||
            isa<scf::ForOp, scf::IfOp,
                bufferization::MaterializeInDestinationOp>(producer) ||
            llvm::is_contained(yield.getOperands(), carried))
          continue;
        next.set(bufferization::MaterializeInDestinationOp::create(
                     b, loop.getLoc(), next.get(), carried)
                     .getResult());
      }
    });
  }

  /// LLVM would make products with reciprocals of quotients by rows, too, which
  /// saves a CPU little, and results that are exact would be so no longer.
  void keepQuotientsByRows(ModuleOp module) {
    module.walk([](arith::DivFOp div) {
      if (div.getRhs().getDefiningOp<BroadcastOp>())
        div.setFastmath(div.getFastmath() & ~arith::FastMathFlags::arcp);
    });
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkPreconditions(module)) || failed(separateExchanges(module)))
      return signalPassFailure();
    lowerLastParts(module);
    keepQuotientsByRows(module);
    declareTouch(module);
    numKernels += llvm::range_size(module.getOps<KernelOp>());
    ViewConverter converter;
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<AwaitProgressPattern, InStepPattern, KernelPattern,
                 LaunchPattern, ReportProgressPattern>(converter, context);
    populateViewAccessPatterns(converter, patterns);
    populatePartPatternsForCPU(converter, patterns);
    populateTileOpsToLinalg(patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<AttnDialect>();
    target.addIllegalOp<tensor::SplatOp>();
    // On tensors a launch waits for bufferization, and for the next run.
    target.addDynamicallyLegalOp<LaunchOp>(
        [](LaunchOp launch) { return launch->getNumResults() > 0; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    pinCarriedTiles(module);
  }
};

} // namespace
