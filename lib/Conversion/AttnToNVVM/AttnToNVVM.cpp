//===- AttnToNVVM.cpp - Level 3 to device functions for NVIDIA GPUs -------===//

#include "../AttnToGPU/Takes.h"
#include "../PartWords.h"
#include "Cluster.h"
#include "NVVMLowering.h"
#include "attn-mlir/Conversion/Passes.h"
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
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Target/Capabilities.h"
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

namespace {

/// What the special-function unit computes, to about 2 ulp (PTX ISA, "ex2",
/// "lg2", "rcp"), and a maximum that the code generator would make of three
/// instructions.
constexpr MathIntrinsics kIntrinsics = {"llvm.nvvm.ex2.approx.ftz.f",
                                        "llvm.nvvm.lg2.approx.ftz.f",
                                        "llvm.nvvm.rcp.approx.ftz.f",
                                        "llvm.nvvm.fmax.nan.f",
                                        /*hasTanh=*/true,
                                        /*magnitude=*/"llvm.nvvm.fabs"};

struct NVVMConverter : TypeConverter {
  explicit NVVMConverter(MLIRContext *context) {
    addConversion([](Type type) { return type; });
    addFragmentConversions(*this);
    // Four elements of FP8 are one register, and no type of LLVM.
    addConversion([](RankedTensorType tile) -> std::optional<Type> {
      FragmentAttr layout = fragmentOf(tile);
      if (!layout || !isFloat8(tile.getElementType()) ||
          layout.getNumRegisters() % 4 != 0)
        return std::nullopt;
      return VectorType::get({layout.getNumRegisters() / 4},
                             IntegerType::get(tile.getContext(), 32));
    });
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
  static Value buildShuffle(OpBuilder &b, Location loc, Value value,
                            int64_t mask) {
    return gpu::ShuffleOp::create(b, loc, value, mask, 32,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }

  /// Barriers are initialised by one thread: the others wait for it. Where they
  /// do, or null without rings.
  static Operation *fenceAfterRings(LLVM::LLVMFuncOp function) {
    RingCreateOp last;
    function.walk([&](RingCreateOp ring) { last = ring; });
    if (!last)
      return nullptr;
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    // Other CTAs, and the tensor memory accelerator, see them then, too.
    if (TargetAttr::of(function).hasCapability("tma"))
      NVVM::FenceMbarrierInitOp::create(b, last.getLoc());
    return gpu::BarrierOp::create(b, last.getLoc());
  }

  /// Bytes that `user` moves at once, of which bases and strides are multiples;
  /// 0 if it moves elements.
  static int64_t accessBytes(Operation *user) {
    if (auto issue = dyn_cast<RingIssueOp>(user))
      return issue.getBy() == CopyKind::Async ? issue.getChunk() : 16;
    if (auto load = dyn_cast<LoadOp>(user))
      return columnsAtOnce(load) * load.getView().getType().getElementBytes();
    if (auto add = dyn_cast<AccumulateOp>(user); add && add.isOutOfRing())
      return 16;
    if (auto add = dyn_cast<AccumulateOp>(user))
      return columnsAtOnce(add) * add.getView().getType().getElementBytes();
    if (isa<StoreColumnsOp>(user))
      return InterleaveOp::kGroup;
    auto store = dyn_cast<StoreOp>(user);
    if (store && !storesChunks(store))
      return columnsAtOnce(store) * store.getView().getType().getElementBytes();
    return store ? 16 : 0;
  }

  LogicalResult lower(LLVM::LLVMFuncOp function, int64_t sharedBytes) {
    addToManifest(function,
                  {{"align", findAlignments(function, accessBytes)},
                   {"shared_bytes",
                    Builder(&getContext()).getI64IntegerAttr(sharedBytes)}});
    openExchanges(function, fenceAfterRings(function));
    castExchanges(function);

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
    // Without tensor copies threads that compute hold what copies want, too.
    bool copies = !TargetAttr::of(function).hasCapability("tma");
    populateFragmentsToVectors(converter, patterns, {32, buildShuffle},
                               copies ? ReadThread(readThreadAgain)
                                      : ReadThread());
    populateClusterPatterns(converter, patterns);
    populateScatterPatterns(converter, patterns);
    populateElementPatterns(converter, patterns);
    populateGatherPatterns(converter, patterns);
    populateInStepPatterns(converter, patterns);
    populateProgressPatterns(converter, patterns);
    populatePartPatterns(converter, patterns);
    populateTakePatterns(converter, patterns,
                         {dynamicSharedAt, computeBarrier, /*makeUniform=*/{}});
    populateFloat8Patterns(converter, patterns);
    populateMmaSyncPatterns(converter, patterns);
    populateWgmmaPatterns(converter, patterns);
    populateTurnPatterns(converter, patterns);
    populateBarrierPattern(converter, patterns, computeBarrier);
    populateRingPatterns(converter, patterns);
    populateLoadPatterns(converter, patterns);
    populateStoreColumnsPatterns(converter, patterns);
    populateExchangePatterns(converter, patterns);
    populateStorePatterns(converter, patterns);
    populateTensorStorePatterns(converter, patterns);
    populateBulkAdditionPatterns(converter, patterns);
    populateVotePatterns(converter, patterns);
    populatePredicatePatterns(converter, patterns);
    if (failed(applyFullConversion(function, target, std::move(patterns))))
      return failure();

    numberRoleThreads(function);
    if (function->hasAttr(kSharesCountersAttr))
      shareCounters(function);
    eraseViews(function);
    shareDistances(function);
    return lowerMath(function, kIntrinsics, "NVIDIA");
  }

  static bool isFloat8InRegisters(Type type) {
    return fragmentOf(type) && isFloat8(getElementTypeOrSelf(type));
  }

  /// The capability that an operation's instructions stand under; empty where
  /// all have them.
  static StringRef capabilityOf(Operation *op) {
    if (auto issue = dyn_cast<RingIssueOp>(op))
      return issue.getBy() == CopyKind::Async ? "cp.async" : "tma";
    if (isa<DotIssueOp, DotWaitOp>(op))
      return "wgmma";
    if (auto add = dyn_cast<AccumulateOp>(op); add && add.isOutOfRing())
      return "tma";
    if (isa<SpecializeOp>(op))
      return "setmaxnreg";
    if (isa<ExchangeOp>(op))
      return "cluster";
    // What multiplies FP8 converts to it.
    if (isa<arith::TruncFOp>(op) &&
        isFloat8InRegisters(op->getResultTypes()[0]))
      return "mma.sync.f8";
    auto dot = dyn_cast<DotOp>(op);
    if (!dot)
      return "";
    if (isa_and_nonnull<MmaSyncMxAttr>(dot.getUnitAttr()))
      return "mma.sync.mx";
    return isFloat8(getElementTypeOrSelf(dot.getRhs().getType()))
               ? "mma.sync.f8"
               : "mma.sync";
  }

  /// Whatever is left to the code generator without its instructions ends the
  /// process.
  static LogicalResult checkTarget(KernelOp kernel) {
    TargetAttr target = TargetAttr::of(kernel);
    WalkResult result = kernel.walk([&](Operation *op) {
      StringRef capability = capabilityOf(op);
      if (capability.empty())
        return WalkResult::advance();
      if (!target.hasCapability(capability)) {
        op->emitOpError("expected a target with the capability '")
            << capability << "', but got " << target.getName() << " with "
            << target.getCapabilities();
        return WalkResult::interrupt();
      }
      std::string wanted = wantedArch(target.getArch(), capability);
      if (wanted.empty())
        return WalkResult::advance();
      op->emitOpError("expected the architecture ")
          << wanted << " for the capability '" << capability << "', but got "
          << target.getArch();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Whether an operation on FP8 in registers has instructions: it makes or
  /// takes operands of products, hands them on, or stores them.
  static bool knowsFloat8(Operation *op) {
    if (auto narrow = dyn_cast<arith::TruncFOp>(op))
      return isNvidiaFloat8(getElementTypeOrSelf(narrow.getType())) &&
             fragmentOf(narrow.getType()).getNumRegisters() % 4 == 0;
    if (auto fetch = dyn_cast<ConvertLayoutOp>(op)) {
      auto tile = cast<RankedTensorType>(fetch.getType());
      FragmentAttr layout = fragmentOf(tile);
      return sharedOf(fetch.getSource().getType()) && tile.getRank() == 2 &&
             tile.getDimSize(1) % 32 == 0 &&
             layout == mmaLhs8(op->getContext(), tile.getDimSize(0),
                               tile.getDimSize(1),
                               layout.getNumThreads() / kWarpThreads);
    }
    // Whole words are loaded, and bytes of theirs exchanged.
    if (isa<LoadOp>(op))
      return llvm::all_of(op->getUsers(), llvm::IsaPred<StoreColumnsOp>);
    return isa<DotOp, DotIssueOp, StoreOp, StoreColumnsOp, scf::ForOp,
               scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp>(op);
  }

  /// Four elements are a word there, which nothing else takes apart.
  static LogicalResult checkFloat8(KernelOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) {
      bool touches = llvm::any_of(op->getOperandTypes(), isFloat8InRegisters) ||
                     llvm::any_of(op->getResultTypes(), isFloat8InRegisters);
      if (!touches || knowsFloat8(op))
        return WalkResult::advance();
      op->emitOpError("expected tiles of FP8 in registers as operands of "
                      "products and stores alone, of f32 rounded to f8E4M3FN "
                      "or f8E5M2, but got another operation on them");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Each part is a warpgroup's that computes, beside a producer.
  static LogicalResult checkParts(RingCreateOp ring) {
    auto kernel = ring->getParentOfType<KernelOp>();
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    int64_t groups = threads ? threads.getInt() / kGroupThreads : 0;
    bool hasRoles =
        kernel.walk([](SpecializeOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasRoles && ring.getNumParts() == groups)
      return success();
    return ring.emitOpError("expected a part for each warpgroup that computes "
                            "beside a producer, of which there are ")
           << (hasRoles ? groups : 0) << ", but got " << ring.getNumParts();
  }

  /// What tensor maps and cp.async write, and ldmatrix reads.
  static LogicalResult checkRings(KernelOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) {
      auto issue = dyn_cast<RingIssueOp>(op);
      if (issue && issue.getBy() != CopyKind::Tensor &&
          issue.getBy() != CopyKind::Async) {
        issue.emitOpError("expected copies by 'tensor' or 'async' on ")
            << TargetAttr::of(op).getName() << ", but got '"
            << stringifyCopyKind(issue.getBy()) << "'";
        return WalkResult::interrupt();
      }
      auto ring = dyn_cast<RingCreateOp>(op);
      if (ring && ring.hasStagesInRegisters()) {
        ring.emitOpError("expected memory for all ")
            << ring.getRing().getType().getStages() << " stages on "
            << TargetAttr::of(op).getName() << ", but got "
            << ring.getNumSlots();
        return WalkResult::interrupt();
      }
      if (ring && ring.getParts() && failed(checkParts(ring)))
        return WalkResult::interrupt();
      if (isa<SchedulingHintOp>(op)) {
        op->emitOpError("expected a target whose code generator takes hints, "
                        "but got ")
            << TargetAttr::of(op).getName();
        return WalkResult::interrupt();
      }
      if (!ring || sharedOf(ring.getRing().getType().getTile()).isPlain())
        return WalkResult::advance();
      ring.emitOpError(
          "expected a layout that is neither transposed nor folded "
          "on ")
          << TargetAttr::of(op).getName() << ", but got "
          << ring.getRing().getType().getTile();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    if (failed(checkCapabilities(module, {"nvvm", "mma.sync", "ldmatrix"})))
      return signalPassFailure();
    for (KernelOp kernel : kernels) {
      if (failed(checkTarget(kernel)) || failed(checkIndices(kernel)) ||
          failed(checkRings(kernel)) || failed(checkFloat8(kernel)))
        return signalPassFailure();
      LLVM::LLVMFuncOp function = outlineKernel(kernel);
      if (!function)
        return signalPassFailure();
      makeKernel(function);
      lowerLastParts(function);
      int64_t bytes = placeExchanges(function, placeRings(function));
      auto withAdders = lowerAdders(function, lowerAddTurns(function, bytes));
      if (failed(withAdders))
        return signalPassFailure();
      bytes = *withAdders;
      bytes = placeTakes(function, lowerHandedTakes(function, bytes));
      auto withTurns = lowerLateTurns(function, bytes);
      if (failed(withTurns))
        return signalPassFailure();
      bytes = *withTurns;
      bytes = placeParts(function, bytes);
      if (failed(checkSharedBytes(function, bytes, "shared memory")))
        return signalPassFailure();
      if (failed(lower(function, bytes)))
        return signalPassFailure();
      dropUnusedParameters(function);
      ++numKernels;
    }
  }
};

} // namespace
