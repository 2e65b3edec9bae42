//===- KernelToNVVM.cpp - A function as a kernel for NVIDIA GPUs ----------===//

#include "NVVMLowering.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Tensor maps are parameters in constant memory.
static void annotateMap(LLVM::LLVMFuncOp function, unsigned i) {
  Builder b(function.getContext());
  auto map = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  function.setArgAttr(i, "llvm.byval", TypeAttr::get(map));
  function.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(64));
  function.setArgAttr(i, "nvvm.grid_constant", b.getUnitAttr());
}

Value attn::dynamicSharedAt(OpBuilder &b, Location loc, int64_t place) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kShared);
  Value base = LLVM::AddressOfOp::create(b, loc, type, kSharedMemory);
  return advance(b, loc, base, place);
}

LLVM::InlineAsmOp attn::assembly(OpBuilder &b, Location loc, TypeRange results,
                                 ValueRange operands, StringRef text,
                                 StringRef constraints, bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      b, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

void attn::initializeBarriers(OpBuilder &b, LLVM::LLVMFuncOp function,
                              function_ref<void(OpBuilder &)> body) {
  Location loc = function.getLoc();
  ThreadBuilder t{b, loc};
  scf::IfOp::create(b, loc, t.equals(t.thread(), 0),
                    [&](OpBuilder &n, Location) {
                      body(n);
                      scf::YieldOp::create(n, loc);
                    });
  if (!function.getBody().front().getOps<RingCreateOp>().empty())
    return;
  NVVM::FenceMbarrierInitOp::create(b, loc);
  gpu::BarrierOp::create(b, loc);
}

/// Asks until it is so, where there is no instruction that waits. No operation
/// of NVVM asks by parity for what every architecture with barriers has.
static Operation *pollForPhase(OpBuilder &b, Location loc, Value barrier,
                               Value parity) {
  constexpr StringLiteral kPoll =
      "{\n.reg .pred done;\nASK:\n"
      "mbarrier.test_wait.parity.shared.b64 done, [$0], $1;\n"
      "@!done bra.uni ASK;\n}";
  return assembly(b, loc, {}, {barrier, parity}, kPoll, "r,r,~{memory}");
}

void attn::waitForPhase(OpBuilder &b, Location loc, attn::TargetAttr target,
                        Value barrier, Value parity, StringRef what) {
  if (!target.hasCapability("tma")) {
    pollForPhase(b, loc, barrier, parity)
        ->setAttr("attn.barrier", b.getStringAttr(what));
    return;
  }
  // Nanoseconds that a wait may sleep before it looks again.
  constexpr int64_t kTicks = 10000000;
  ThreadBuilder t{b, loc};
  auto op = NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, parity,
                                                  t.constant(kTicks));
  op->setAttr("attn.barrier", b.getStringAttr(what));
}

/// Dynamic shared memory: an external symbol without a size.
static void declareShared(LLVM::LLVMFuncOp function) {
  OpBuilder b(function);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, function.getLoc(), bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedMemory, Attribute(),
                         /*alignment=*/1024, kShared);
}

/// Where a kernel is about to write what the next one reads: earlier, CTAs of
/// that one would only be in the way.
static Operation *findFirstStore(LLVM::LLVMFuncOp function) {
  Operation *first = nullptr;
  function.walk([&](StoreOp store) {
    first = store;
    return WalkResult::interrupt();
  });
  return first;
}

/// Whether all that a kernel is for is what it writes for the next one: its
/// CTAs are short, and those of that one may have the place that they leave.
static bool isPreparation(StringRef step) {
  return step == KernelOp::kDealStep || step == KernelOp::kOrderStep ||
         step == KernelOp::kClearStep || step == KernelOp::kArrangeStep ||
         step == AppendCacheOp::kStep || step == QuantizeOp::kStep;
}

/// Lets the next step be launched from `b` on.
static void launchNext(OpBuilder b, Location loc) {
  NVVM::GriddepcontrolOp::create(b, loc,
                                 NVVM::GridDepActionKind::launch_dependents);
}

/// Steps of one operation overlap: the kernel that merges states is launched
/// while the one that makes them ends, the one that reads a list or a counter
/// while these are made. It waits at its start until all that was written is
/// visible (PTX ISA, "griddepcontrol"): every thread, so that a step behind it
/// finds done what was before it.
static void overlapSteps(LLVM::LLVMFuncOp function, DictionaryAttr manifest) {
  auto attr = manifest.getAs<StringAttr>(KernelOp::kStepAttr);
  bool follows = manifest.contains(KernelOp::kFollowsAttr);
  if ((!attr && !follows) || !TargetAttr::of(function).hasCapability("tma"))
    return;
  StringRef step = attr ? attr.getValue() : "";
  Location loc = function.getLoc();
  auto start = OpBuilder::atBlockBegin(&function.getBody().front());
  if (step == KernelOp::kMergeStep || follows) {
    NVVM::GriddepcontrolOp::create(start, loc, NVVM::GridDepActionKind::wait);
    addToManifest(function, {{kOverlapsKey, start.getUnitAttr()}});
  }
  Operation *store = findFirstStore(function);
  if (isPreparation(step))
    launchNext(start, loc);
  else if (step == KernelOp::kSplitStep && store)
    launchNext(OpBuilder(store), loc);
}

void attn::makeKernel(LLVM::LLVMFuncOp function) {
  Builder b(function.getContext());
  auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto threads = cast<IntegerAttr>(manifest.get("block")).getInt();
  declareShared(function);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr("nvvm.reqntid",
                    b.getDenseI32ArrayAttr({static_cast<int32_t>(threads)}));
  auto parameters = cast<ArrayAttr>(manifest.get("parameters"));
  for (auto [i, what] : llvm::enumerate(parameters))
    if (cast<StringAttr>(cast<DictionaryAttr>(what).get("kind")) ==
        "tensor_map")
      annotateMap(function, i);
  lowerRoles(function);
  overlapSteps(function, manifest);
}

/// Whether a product follows from `read`, in its block and before `release`.
static bool feedsProductBefore(Operation *read, Operation *release) {
  Block *block = read->getBlock();
  SmallVector<Operation *> work{read};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (isa<DotIssueOp>(op))
      return true;
    for (Operation *user : op->getUsers()) {
      Operation *own = block->findAncestorOpInBlock(*user);
      if (own && own->isBeforeInBlock(release) && seen.insert(own).second)
        work.push_back(own);
    }
  }
  return false;
}

/// Whether that holds of all reads of a ring that a producer fills by threads.
static bool isReadBeforeProducts(RingCreateOp ring) {
  if (ring.getCopier() != CopyKind::Async)
    return false;
  bool byProducer = false;
  for (Operation *user : ring.getRing().getUsers()) {
    byProducer |= isa<RingAcquireOp>(user) && isByProducer(user);
    auto wait = dyn_cast<RingWaitOp>(user);
    if (!wait)
      continue;
    Operation *release = nullptr;
    for (Operation *other : ring.getRing().getUsers())
      if (isa<RingReleaseOp>(other) && other->getBlock() == wait->getBlock() &&
          wait->isBeforeInBlock(other) &&
          (!release || other->isBeforeInBlock(release)))
        release = other;
    for (Operation *read : wait->getUsers())
      if (!release || read->getBlock() != wait->getBlock() ||
          !isa<ConvertLayoutOp>(read) || !feedsProductBefore(read, release))
        return false;
  }
  return byProducer;
}

/// Says how many roles read a ring, and who fills it for others alone.
static void countReaders(RingCreateOp ring) {
  llvm::SmallDenseSet<int64_t> readers;
  bool beside = false;
  for (Operation *user : ring.getRing().getUsers()) {
    if (isa<RingReleaseOp>(user) && user->hasAttr(kBesideAttr))
      beside = true;
    else if (isa<RingReleaseOp>(user))
      readers.insert(computingRoleOf(user->getBlock()));
  }
  Builder b(ring.getContext());
  if (beside)
    ring->setAttr(kBesideAttr, b.getUnitAttr());
  ring->setAttr(kReadersAttr, b.getI64IntegerAttr(std::max<int64_t>(
                                  static_cast<int64_t>(readers.size()), 1)));
  for (Operation *user : ring.getRing().getUsers())
    for (Operation *use : user->getUsers())
      if (isa<RingWaitOp, RingAcquireOp>(user) && isa<RingArrangeOp>(use))
        if (auto warps = use->getAttrOfType<DenseI64ArrayAttr>(kArrangersAttr))
          ring->setAttr(kArrangersAttr, b.getI64IntegerAttr(warps[1]));
  if (!ring.isPut())
    return;
  for (Operation *user : ring.getRing().getUsers())
    if (isa<RingAcquireOp>(user) && (beside || !readers.empty()) &&
        !readers.contains(computingRoleOf(user->getBlock())))
      user->setAttr(kFillsAloneAttr, b.getUnitAttr());
}

int64_t attn::placeRings(LLVM::LLVMFuncOp function) {
  int64_t bytes = 0;
  SmallVector<RingCreateOp> rings;
  function.walk([&](RingCreateOp ring) { rings.push_back(ring); });
  Builder b(function.getContext());
  for (RingCreateOp ring : rings) {
    ring->setAttr("data", b.getI64IntegerAttr(bytes));
    bytes += slotBytes(ring.getRing().getType());
  }
  for (RingCreateOp ring : rings) {
    ring->setAttr("barriers", b.getI64IntegerAttr(bytes));
    bytes += barrierBytes(ring.getRing().getType()) * ring.getNumParts();
    countReaders(ring);
    if (isReadBeforeProducts(ring))
      ring->setAttr(kReadBeforeProducts, b.getUnitAttr());
  }
  return bytes;
}
