//===- Destination.cpp - Where a tile is loaded or stored -----------------===//

#include "Device.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

Destination::Destination(StoreOp op, OpBuilder &b)
    : Destination(b, op.getLoc(), op.getView(), op.getOffsets(),
                  cast<RankedTensorType>(op.getTile().getType())) {
  if (!op.getUntil())
    return;
  ThreadBuilder t{b, loc};
  Value first = op.getOffsets()[op.getOffsets().size() - tileRank];
  Value left = b.createOrFold<arith::SubIOp>(loc, t.narrow(op.getUntil()),
                                             t.narrow(first));
  limits.front() = arith::MinSIOp::create(b, loc, limits.front(), left);
}

Destination::Destination(AccumulateOp op, OpBuilder &b)
    : Destination(b, op.getLoc(), op.getView(), op.getOffsets(),
                  cast<RankedTensorType>(op.getTile().getType())) {}

Destination::Destination(LoadOp op, OpBuilder &b)
    : Destination(b, op.getLoc(), op.getView(), op.getOffsets(),
                  cast<RankedTensorType>(op.getTile().getType())) {
  checkStarts(op.getOffsets());
  ThreadBuilder t{b, loc};
  if (op.getUntil())
    limits.front() =
        arith::MinSIOp::create(b, loc, limits.front(), t.narrow(op.getUntil()));
}

Destination::Destination(OpBuilder &b, Location loc, Value viewValue,
                         ValueRange offsets, RankedTensorType tile)
    : b(b), loc(loc), view(viewValue), tileRank(tile.getRank()),
      elementBytes(cast<ViewType>(viewValue.getType()).getElementBytes()) {
  ThreadBuilder t{b, loc};
  unsigned rank = view.sizes.size(), leading = rank - tileRank;
  origin = wide(0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value offset =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), offsets[dim]);
    origin = add(origin, mul(offset, view.strides[dim]));
    if (dim < leading) {
      exists = t.both(exists,
                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            offset, view.sizes[dim]));
      continue;
    }
    // What is left of the view from the tile on, at most the tile matters.
    Value left = b.createOrFold<arith::SubIOp>(loc, view.sizes[dim], offset);
    left = arith::MinSIOp::create(b, loc, left, wide(int64_t(1) << 30));
    limits.push_back(arith::TruncIOp::create(b, loc, b.getI32Type(), left));
  }
}

void Destination::checkStarts(ValueRange offsets) {
  ThreadBuilder t{b, loc};
  limits.clear();
  for (unsigned dim = offsets.size() - tileRank; dim < offsets.size(); ++dim) {
    starts.push_back(t.narrow(offsets[dim]));
    limits.push_back(
        b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), view.sizes[dim]));
  }
}

Value Destination::contains(ValueRange coordinates) const {
  ThreadBuilder t{b, loc};
  Value inside = exists;
  for (auto [dim, c] : llvm::enumerate(coordinates)) {
    // Numbers below zero are large without their sign.
    Value below =
        starts.empty()
            ? t.less(c, limits[dim])
            : b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                            t.add(starts[dim], c), limits[dim]);
    inside = t.both(inside, below);
  }
  return inside;
}

Value Destination::address(ValueRange coordinates) const {
  Value element = origin;
  unsigned leading = view.sizes.size() - tileRank;
  for (auto [d, c] : llvm::enumerate(coordinates)) {
    Value extended = arith::ExtSIOp::create(b, loc, b.getI64Type(), c);
    element = add(element, mul(extended, view.strides[leading + d]));
  }
  Value base = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      view.pointer);
  return advance(b, loc, base, mul(element, wide(elementBytes)));
}

void Destination::store(Value value, ValueRange coordinates, Value inside,
                        unsigned alignment) {
  scf::IfOp::create(b, loc, inside, [&](OpBuilder &nested, Location) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    LLVM::StoreOp::create(b, loc, value, address(coordinates), alignment);
    scf::YieldOp::create(b, loc);
  });
}

Value Destination::wide(int64_t v) const {
  return arith::ConstantIntOp::create(b, loc, v, 64);
}
Value Destination::add(Value x, Value y) const {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value Destination::mul(Value x, Value y) const {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
