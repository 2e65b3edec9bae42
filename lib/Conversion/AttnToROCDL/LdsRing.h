//===- LdsRing.h - Slots of rings in LDS ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_LDSRING_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_LDSRING_H

#include "../Fragments/SharedTile.h"
#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

namespace attn {

/// Accesses to one ring, whose place in LDS is known.
struct RingBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;
  RingCreateOp ring;

  ThreadBuilder t() const { return {b, loc}; }
  RingType type() const {
    return mlir::cast<RingType>(ring->getResult(0).getType());
  }
  int64_t slots() const { return RingCreateOp(ring).getNumSlots(); }

  /// Slots released so far; LLVM makes the counter a register. A ring of one
  /// slot needs none.
  mlir::Value released(mlir::Value counter) const {
    if (slots() == 1)
      return t().constant(0);
    return mlir::LLVM::LoadOp::create(b, loc, b.getI32Type(), counter);
  }
  mlir::Value slotOf(mlir::Value number) const {
    return slots() == 1 ? t().constant(0) : t().rem(number, slots());
  }
  /// Byte offset of a slot's tile in LDS.
  mlir::Value data(mlir::Value slot) const {
    SharedTile layout(type().getTile(), t());
    int64_t place = ring->getAttrOfType<mlir::IntegerAttr>("data").getInt();
    return t().add(t().mul(slot, llvm::alignTo(layout.bytes(), 1024)), place);
  }
};

/// Where a copy begins in its view. Where no slot is taken nothing is read:
/// rows from there on are zero.
mlir::SmallVector<mlir::Value> offsetsOfCopy(RingIssueOp op,
                                             mlir::OpBuilder &b);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_LDSRING_H
