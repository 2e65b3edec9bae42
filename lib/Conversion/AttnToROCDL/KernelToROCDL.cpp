//===- KernelToROCDL.cpp - A function as a kernel for AMD GPUs ------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace attn;

int64_t attn::threadsOf(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (!function)
    function = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  return cast<IntegerAttr>(manifest.get("block")).getInt();
}

void attn::makeAmdKernel(LLVM::LLVMFuncOp function, int64_t sharedBytes) {
  OpBuilder b(function);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), sharedBytes);
  // Its size goes to the kernel's descriptor.
  if (sharedBytes > 0) {
    auto global = LLVM::GlobalOp::create(
        b, function.getLoc(), bytes, /*isConstant=*/false,
        LLVM::Linkage::Internal, kSharedMemory, Attribute(),
        /*alignment=*/1024, kShared);
    Block *block = b.createBlock(&global.getInitializerRegion());
    b.setInsertionPointToStart(block);
    LLVM::ReturnOp::create(
        b, function.getLoc(),
        ValueRange{LLVM::PoisonOp::create(b, function.getLoc(), bytes)});
  }
  auto threads = static_cast<int32_t>(threadsOf(function));
  std::string count = std::to_string(threads);
  function->setAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr("rocdl.reqd_work_group_size",
                    b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr("rocdl.flat_work_group_size",
                    b.getStringAttr(count + "," + count));
  // Without IEEE mode a maximum need not quiet its operands first.
  function.setPassthroughAttr(
      b.getArrayAttr({b.getStrArrayAttr({"amdgpu-ieee", "false"})}));
}

/// Where a ring may begin in memory of those that it lies over: with these, all
/// that is behind the first of them. None where others are there.
static std::optional<int64_t> placeOver(RingCreateOp ring) {
  constexpr StringLiteral kPlace = "data";
  auto placeOf = [&](RingCreateOp other) {
    return other->getAttrOfType<IntegerAttr>(kPlace).getInt();
  };
  std::optional<int64_t> first;
  for (Value under : ring.getOver()) {
    int64_t place = placeOf(ringOf(under));
    first = std::min(first.value_or(place), place);
  }
  if (!first)
    return std::nullopt;
  for (Operation *op = ring->getPrevNode(); op; op = op->getPrevNode()) {
    auto other = dyn_cast<RingCreateOp>(op);
    if (other && !other.sharesMemory(ring) &&
        placeOf(other) + slotBytes(other) > *first)
      return std::nullopt;
  }
  return first;
}

int64_t attn::placeRingsInLds(LLVM::LLVMFuncOp function) {
  int64_t bytes = 0;
  Builder b(function.getContext());
  function.walk([&](RingCreateOp ring) {
    int64_t place = placeOver(ring).value_or(bytes);
    ring->setAttr("data", b.getI64IntegerAttr(place));
    bytes = std::max(bytes, place + slotBytes(ring));
  });
  return bytes;
}

void attn::warpFence(OpBuilder &b, Location loc) {
  // No instruction: what a wave asks of LDS is done in order.
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, "wavefront");
}

void attn::ldsBarrier(OpBuilder &b, Location loc) {
  Attribute local =
      LLVM::MMRATagAttr::get(b.getContext(), "amdgpu-synchronize-as", "local");
  auto fence = [&](LLVM::AtomicOrdering ordering) {
    auto op = LLVM::FenceOp::create(b, loc, ordering, "workgroup");
    op->setAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
  };
  fence(LLVM::AtomicOrdering::release);
  ROCDL::SBarrierOp::create(b, loc);
  fence(LLVM::AtomicOrdering::acquire);
}

Value attn::ldsAt(OpBuilder &b, Location loc, Value offset, int64_t constant) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kShared);
  Value base = LLVM::AddressOfOp::create(b, loc, type, kSharedMemory);
  return advance(b, loc, advance(b, loc, base, constant), offset);
}

Value attn::exchangeLanes(OpBuilder &b, Location loc, Value value,
                          int64_t mask) {
  ThreadBuilder t{b, loc};
  Type i32 = b.getI32Type();
  Value bits = LLVM::BitcastOp::create(b, loc, i32, value);
  Value other;
  if (mask < 32) {
    // Within 32 lanes: and with 31, or with 0, xor with the mask (AMD CDNA 3
    // ISA, "ds_swizzle_b32").
    other = ROCDL::DsSwizzleOp::create(b, loc, i32, bits,
                                       t.constant(mask << 10 | 31));
  } else {
    // The byte address of a lane is four times its number.
    Value lane = t.rem(t.thread(), kLanes);
    Value address = t.mul(t.bitXor(lane, t.constant(mask)), 4);
    other = ROCDL::DsBpermuteOp::create(b, loc, i32, address, bits);
  }
  return LLVM::BitcastOp::create(b, loc, value.getType(), other);
}
