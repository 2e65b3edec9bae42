//===- AttnToROCDL.cpp - Level 3 to device functions for AMD GPUs ---------===//

#include "../AttnToGPU/Takes.h"
#include "../Fragments/SharedTile.h"
#include "ROCDLLowering.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNTOROCDL
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// v_exp_f32, v_log_f32 and v_rcp_f32, to about 1 ulp; results that are
/// denormal are zero.
constexpr MathIntrinsics kIntrinsics = {"llvm.amdgcn.exp2", "llvm.amdgcn.log",
                                        "llvm.amdgcn.rcp", ""};

struct ROCDLConverter : TypeConverter {
  ROCDLConverter(MLIRContext *context, int64_t threads) {
    addConversion([](Type type) { return type; });
    addFragmentConversions(*this);
    // Numbers of FP8 are no type of LLVM.
    addConversion([context](RankedTensorType tile) -> std::optional<Type> {
      FragmentAttr layout = fragmentOf(tile);
      if (!layout || !isFloat8(tile.getElementType()))
        return std::nullopt;
      return VectorType::get({layout.getNumRegisters()},
                             IntegerType::get(context, 8));
    });
    // A tile in LDS is its byte offset.
    addConversion([context](RankedTensorType tile) -> std::optional<Type> {
      if (!sharedOf(tile))
        return std::nullopt;
      return IntegerType::get(context, 32);
    });
    addConversion([context](RingType) -> Type {
      return LLVM::LLVMPointerType::get(context, kPrivate);
    });
    addConversion(
        [context](SlotType) -> Type { return IntegerType::get(context, 32); });
    addConversion([context, threads](PendingType copy) -> Type {
      return VectorType::get({wordsOfCopy(copy.getTile(), threads)},
                             IntegerType::get(context, 32));
    });
  }
};

/// A hint, without which results are the same.
struct InStepPattern : OpConversionPattern<InStepOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(InStepOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// In a scalar register: descriptors of buffers follow from it.
Value readFirstLane(OpBuilder &b, Location loc, Value number) {
  return ROCDL::ReadfirstlaneOp::create(b, loc, number.getType(), number);
}

Value ldsPlace(OpBuilder &b, Location loc, int64_t place) {
  ThreadBuilder t{b, loc};
  return ldsAt(b, loc, t.constant(0), place);
}

struct ConvertAttnToROCDLPass
    : attn::impl::ConvertAttnToROCDLBase<ConvertAttnToROCDLPass> {
  /// Tiles of FP8 in registers are loaded, or made of wider ones, and
  /// multiplied or stored.
  static LogicalResult checkFloat8(Operation *op) {
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (!fragmentOf(type) || !isFloat8(element))
        continue;
      TargetAttr target = TargetAttr::of(op);
      auto narrow = dyn_cast<arith::TruncFOp>(op);
      if ((!narrow && !isa<LoadOp>(op)) ||
          !llvm::all_of(op->getUsers(), llvm::IsaPred<StoreOp, DotOp>))
        return op->emitOpError("expected tiles of f16, bf16 or f32 on ")
               << target.getName() << ", but got " << type;
      if (narrow && !convertsToFloat8(target, element))
        return op->emitOpError("expected ")
               << float8TypesOf(target) << " of f32 on " << target.getName()
               << ", but got " << element;
    }
    return success();
  }

  /// Copies straight to LDS, of which lanes have whole chunks.
  static LogicalResult checkToLds(RingIssueOp issue) {
    if (issue.getBy() != CopyKind::Lds)
      return success();
    TargetAttr target = TargetAttr::of(issue);
    if (!target.hasCapability("lds-loads-16"))
      return issue.emitOpError("expected a target whose lanes load 16 bytes to "
                               "LDS (the capability 'lds-loads-16'), but got ")
             << target.getName();
    if (ShapedType::isDynamic(issue.getView().getType().getShape().back()) ||
        issue.getChunk() != SharedTile::kChunkBytes)
      return issue.emitOpError("expected rows of whole chunks of 16 bytes to "
                               "copy by 'lds', but got ")
             << issue.getView().getType() << " by chunks of "
             << issue.getChunk();
    RankedTensorType tile = issue.getSlot().getType().getTile();
    if (!issue.getBlocks().empty() || issue.getInBlocks())
      return issue.emitOpError(
          "expected one block of rows for one ring to copy "
          "by 'lds'");
    if (!SharedAttr::liesByChunks(tile))
      return issue.emitOpError("expected a tile in chunks of 16 bytes, whose "
                               "panels waves fill, to copy by 'lds', but got ")
             << tile;
    return success();
  }

  /// What the target has no instructions for.
  static LogicalResult checkOps(KernelOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) {
      auto take = dyn_cast<TakeOp>(op);
      if (isa<AddTurnOp, DotIssueOp, DotWaitOp, SpecializeOp, TurnOp>(op) ||
          (take && (take.getHandOn() || take.getFromProducer()))) {
        op->emitOpError(
            "expected a target with asynchronous products and roles "
            "of warps (the capability 'wgmma'), but got ")
            << TargetAttr::of(op).getName();
        return WalkResult::interrupt();
      }
      if (isa<AccumulateOp, AwaitProgressOp, BeginPartOp, ReportProgressOp>(
              op)) {
        op->emitOpError(
            "expected a target whose CTAs add to, or wait for, what "
            "others have (the capability 'nvvm'), but got ")
            << TargetAttr::of(op).getName();
        return WalkResult::interrupt();
      }
      if (failed(checkFloat8(op)))
        return WalkResult::interrupt();
      auto issue = dyn_cast<RingIssueOp>(op);
      if (issue && failed(checkToLds(issue)))
        return WalkResult::interrupt();
      if (issue && issue.getBy() != CopyKind::Registers &&
          issue.getBy() != CopyKind::Lds) {
        issue.emitOpError("expected copies by 'registers' on ")
            << TargetAttr::of(op).getName() << ", but got '"
            << stringifyCopyKind(issue.getBy()) << "'";
        return WalkResult::interrupt();
      }
      if (auto ring = dyn_cast<RingCreateOp>(op); ring && ring.getParts()) {
        ring.emitOpError("expected slots without parts on ")
            << TargetAttr::of(op).getName() << ", but got "
            << ring.getNumParts();
        return WalkResult::interrupt();
      }
      if (auto store = dyn_cast<StoreOp>(op); store && store.getScratch()) {
        store.emitOpError("expected no memory to store through on ")
            << TargetAttr::of(op).getName();
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Bytes of which the addresses that `user` accesses are multiples.
  static int64_t accessBytes(Operation *user) {
    auto bytes = [](Type tile, ViewType view) -> int64_t {
      FragmentAttr layout = fragmentOf(tile);
      if (!layout)
        return 0;
      return std::min(kAlignment,
                      accessRun(layout, view) * view.getElementBytes());
    };
    // Whether lanes load 16 bytes to LDS from less is not stated anywhere.
    if (auto issue = dyn_cast<RingIssueOp>(user))
      return issue.getBy() == CopyKind::Lds ? SharedTile::kChunkBytes
                                            : kAlignment;
    if (auto load = dyn_cast<LoadOp>(user))
      return bytes(load.getTile().getType(), load.getView().getType());
    auto store = dyn_cast<StoreOp>(user);
    return store ? bytes(store.getTile().getType(), store.getView().getType())
                 : 0;
  }

  LogicalResult lower(LLVM::LLVMFuncOp function) {
    // LDS is static: nothing is asked for at launch.
    addToManifest(function, {{"align", findAlignments(function, accessBytes)},
                             {"shared_bytes",
                              Builder(&getContext()).getI64IntegerAttr(0)}});
    limitRowStrides(function);
    ROCDLConverter converter(&getContext(), threadsOf(function));
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<AttnDialect>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    // Views stay as they are until nothing uses them.
    target.addLegalOp<UnrealizedConversionCastOp>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateFragmentsToVectors(
        converter, patterns,
        {kLanes, exchangeLanes, /*ignoresNaN=*/true, /*sumsPairs=*/true});
    patterns.add<InStepPattern>(converter, &getContext());
    populateBarrierPattern(converter, patterns, ldsBarrier);
    populateSchedulingHintPatterns(converter, patterns);
    populateAccessPatterns(converter, patterns);
    populateElementPatterns(converter, patterns, readFirstLane);
    populateGatherPatterns(converter, patterns);
    populateTakePatterns(converter, patterns,
                         {ldsPlace, ldsBarrier, readFirstLane});
    populateLdsRingPatterns(converter, patterns);
    populateCopyToLdsPatterns(converter, patterns);
    populateMfmaPatterns(converter, patterns);
    populateBandPatterns(converter, patterns);
    populateNarrowingPatterns(converter, patterns);
    populateBallotPatterns(converter, patterns);
    if (failed(applyFullConversion(function, target, std::move(patterns))))
      return failure();
    separateLoadsToLds(function);
    splitSelects(function);
    eraseViews(function);
    RewritePatternSet truncations(&getContext());
    populateTruncatePatterns(
        truncations, TargetAttr::of(function).hasCapability("bf16-convert"));
    walkAndApplyPatterns(function, std::move(truncations));
    return lowerMath(function, kIntrinsics, "AMD");
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    if (failed(checkCapabilities(module, {"rocdl", "mfma", "buffer"})))
      return signalPassFailure();
    for (KernelOp kernel : kernels) {
      if (failed(checkIndices(kernel)) || failed(checkOps(kernel)))
        return signalPassFailure();
      LLVM::LLVMFuncOp function = outlineKernel(kernel);
      if (!function)
        return signalPassFailure();
      int64_t bytes = placeTakes(function, placeRingsInLds(function));
      if (failed(checkSharedBytes(function, bytes, "LDS")))
        return signalPassFailure();
      makeAmdKernel(function, bytes);
      if (failed(lower(function)))
        return signalPassFailure();
      dropUnusedParameters(function);
      ++numKernels;
    }
  }
};

} // namespace
