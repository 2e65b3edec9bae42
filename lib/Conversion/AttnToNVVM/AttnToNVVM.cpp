//===- AttnToNVVM.cpp - Level 3 to device functions for NVIDIA GPUs -------===//

#include "Lowering.h"
#include "attn-mlir/Conversion/Manifest.h"
#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNTONVVM
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

Value attn::advance(OpBuilder &b, Location loc, Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value attn::advance(OpBuilder &b, Location loc, Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(
      b, loc, base.getType(), b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value attn::sharedAt(OpBuilder &b, Location loc, Value base,
                     const SharedTile::Offset &offset) {
  Value address = advance(b, loc, base, offset.perThread);
  if (offset.flip) {
    Value bits = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
    bits = LLVM::XOrOp::create(
        b, loc, bits,
        LLVM::ConstantOp::create(b, loc, b.getI32Type(), offset.flip));
    address = LLVM::IntToPtrOp::create(b, loc, base.getType(), bits);
  }
  return advance(b, loc, address, offset.constant);
}

namespace {

struct NVVMConverter : TypeConverter {
  explicit NVVMConverter(MLIRContext *context) {
    addConversion([](Type type) { return type; });
    addFragmentConversions(*this);
    Type shared = LLVM::LLVMPointerType::get(context, kShared);
    addConversion([shared](RankedTensorType tile) -> std::optional<Type> {
      if (!sharedOf(tile))
        return std::nullopt;
      return shared;
    });
    // The running numbers of a ring; the number of a slot.
    addConversion([context](RingType) -> Type {
      return LLVM::LLVMPointerType::get(context);
    });
    addConversion(
        [context](SlotType) -> Type { return IntegerType::get(context, 32); });
    addConversion([context](PendingType) -> Type {
      return IntegerType::get(context, 32);
    });
  }
};

struct ConvertAttnToNVVMPass
    : attn::impl::ConvertAttnToNVVMBase<ConvertAttnToNVVMPass> {
  /// Barriers are initialised by one thread: the others wait for it.
  static void fenceAfterRings(LLVM::LLVMFuncOp function) {
    RingCreateOp last;
    function.walk([&](RingCreateOp ring) { last = ring; });
    if (!last)
      return;
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    NVVM::FenceMbarrierInitOp::create(b, last.getLoc());
    gpu::BarrierOp::create(b, last.getLoc());
  }

  /// Bytes that `user` moves at once, of which bases and strides are multiples;
  /// 0 if it moves elements.
  static int64_t accessBytes(Operation *user) {
    if (auto issue = dyn_cast<RingIssueOp>(user))
      return issue.getBy() == CopyKind::Async ? issue.getChunk() : 16;
    auto store = dyn_cast<StoreOp>(user);
    return store && storesChunks(store) ? 16 : 0;
  }

  /// More than an element where a view is copied by chunks or by a tensor map.
  static ArrayAttr findAlignments(LLVM::LLVMFuncOp function) {
    auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
    SmallVector<Value> views;
    function.walk([&](UnrealizedConversionCastOp cast) {
      if (cast.getNumResults() == 1 && isa<ViewType>(cast.getType(0)))
        views.push_back(cast.getResult(0));
    });
    Builder b(function.getContext());
    SmallVector<Attribute> result;
    for (auto [i, view] : llvm::enumerate(views)) {
      int64_t bytes = cast<ViewType>(view.getType()).getElementBytes();
      for (Operation *user : view.getUsers())
        bytes = std::max(bytes, accessBytes(user));
      result.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes)),
           b.getNamedAttr("view",
                          b.getI64IntegerAttr(static_cast<int64_t>(i)))}));
    }
    (void)manifest;
    return b.getArrayAttr(result);
  }

  LogicalResult lower(LLVM::LLVMFuncOp function, int64_t sharedBytes) {
    NamedAttrList manifest(
        function->getAttrOfType<DictionaryAttr>(kManifestAttr));
    Builder b(&getContext());
    manifest.set("align", findAlignments(function));
    manifest.set("shared_bytes", b.getI64IntegerAttr(sharedBytes));
    function->setAttr(kManifestAttr, manifest.getDictionary(&getContext()));
    fenceAfterRings(function);

    NVVMConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<AttnDialect>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    // Views stay as they are until nothing uses them.
    target.addLegalOp<UnrealizedConversionCastOp>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateFragmentsToVectors(converter, patterns);
    populateInStepPatterns(converter, patterns);
    populateMmaSyncPatterns(converter, patterns);
    populateWgmmaPatterns(converter, patterns);
    populateTurnPatterns(converter, patterns);
    populateRingPatterns(converter, patterns);
    populateStorePatterns(converter, patterns);
    populateVotePatterns(converter, patterns);
    if (failed(applyFullConversion(function, target, std::move(patterns))))
      return failure();

    // Views, and the index arithmetic that only they needed.
    function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isa<UnrealizedConversionCastOp>(op) ? op->use_empty()
                                              : isOpTriviallyDead(op))
        op->erase();
    });
    RewritePatternSet math(&getContext());
    populateMathPatterns(math);
    walkAndApplyPatterns(function, std::move(math));
    if (hasMath(function)) {
      RewritePatternSet approximations(&getContext());
      populateMathPolynomialApproximationPatterns(approximations);
      if (failed(applyPatternsGreedily(function, std::move(approximations))))
        return failure();
    }
    return checkMath(function);
  }

  /// Math that the back end cannot select.
  static bool isUnselectable(Operation *op) {
    return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
           !isa<math::FmaOp, math::AbsFOp, math::SqrtOp, math::CopySignOp,
                math::FloorOp, math::CeilOp, math::AbsIOp>(op);
  }

  static bool hasMath(LLVM::LLVMFuncOp function) {
    return function
        .walk([](Operation *op) {
          return isUnselectable(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// What no one lowers would kill the back end later.
  static LogicalResult checkMath(LLVM::LLVMFuncOp function) {
    WalkResult result = function.walk([](Operation *op) {
      if (!isUnselectable(op))
        return WalkResult::advance();
      op->emitOpError("has no lowering for NVIDIA GPUs");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Indices are 32 bits wide on the device.
  static LogicalResult checkIndices(KernelOp kernel) {
    WalkResult result = kernel.walk([](arith::ConstantOp constant) {
      Attribute value = constant.getValue();
      if (auto splat = dyn_cast<SplatElementsAttr>(value))
        value = splat.getSplatValue<Attribute>();
      auto integer = dyn_cast<IntegerAttr>(value);
      if (!integer || !integer.getType().isIndex() ||
          llvm::isInt<31>(integer.getInt()))
        return WalkResult::advance();
      constant.emitOpError("wants indices within 2^30 for a GPU, got ")
          << integer.getInt();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkTarget(ModuleOp module) {
    TargetAttr target = TargetAttr::of(module);
    for (StringRef capability : {"nvvm", "mma.sync", "ldmatrix"})
      if (!target.hasCapability(capability))
        return module.emitError()
               << "wants a target with the capability '" << capability
               << "', got " << target.getName();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    if (failed(checkTarget(module)))
      return signalPassFailure();
    int64_t most = TargetAttr::of(module).get(Fact::SmemPerBlock);
    for (KernelOp kernel : kernels) {
      Location loc = kernel.getLoc();
      if (failed(checkIndices(kernel)))
        return signalPassFailure();
      LLVM::LLVMFuncOp function = outlineKernel(kernel);
      if (!function)
        return signalPassFailure();
      int64_t bytes = placeRings(function);
      if (bytes > most) {
        emitError(loc) << "kernel wants " << bytes
                       << " bytes of shared memory; target "
                       << TargetAttr::of(module).getName() << " has " << most
                       << " a CTA; wants smaller tiles or fewer stages";
        return signalPassFailure();
      }
      if (failed(lower(function, bytes)))
        return signalPassFailure();
      dropUnusedParameters(function);
      ++numKernels;
    }
  }
};

} // namespace
