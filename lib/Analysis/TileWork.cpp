//===- TileWork.cpp - What tile operations ask of an SM -------------------===//

#include "TileWork.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

TileWork &TileWork::operator+=(const TileWork &other) {
  tensorOps += other.tensorOps;
  specials += other.specials;
  lanes += other.lanes;
  loadedBytes += other.loadedBytes;
  storedBytes += other.storedBytes;
  exchangedBytes += other.exchangedBytes;
  return *this;
}

TileWork TileWork::operator*(double times) const {
  return {tensorOps * times,   specials * times,    lanes * times,
          loadedBytes * times, storedBytes * times, exchangedBytes * times};
}

int64_t attn::tileBytes(Type type) {
  auto tile = cast<ShapedType>(type);
  return tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
}

bool attn::isOnChip(LoadOp load) {
  return load.getView().getDefiningOp<ExchangeOp>() != nullptr;
}

static double elementsOf(Operation *op) {
  auto tile = op->getNumResults() == 1
                  ? dyn_cast<ShapedType>(op->getResult(0).getType())
                  : ShapedType();
  return tile ? tile.getNumElements() : 0;
}

/// Whether a multiplication by a constant goes into the subtraction or addition
/// behind it (attn-simplify-tiles moves it there past masks and maxima).
static bool isContracted(arith::MulFOp op) {
  if (!matchPattern(op.getRhs(), m_Constant()) &&
      !matchPattern(op.getLhs(), m_Constant()))
    return false;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<arith::AddFOp, arith::SubFOp, MaskOp, ReduceOp>(user);
  });
}

/// What one tile operation asks for; `masked`: where attn.mask acts.
static TileWork workOfOp(Operation *op, bool masked) {
  TileWork work;
  double n = elementsOf(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](DotOp dot) { work.tensorOps = dot.getNumOperations(); })
      .Case([&](LoadOp load) {
        (isOnChip(load) ? work.exchangedBytes : work.loadedBytes) =
            tileBytes(load.getTile().getType());
      })
      .Case([&](StoreOp store) {
        work.storedBytes =
            store.getView().getType().getElementBytes() *
            cast<ShapedType>(store.getTile().getType()).getNumElements();
      })
      .Case([&](ReduceOp reduce) {
        work.lanes =
            cast<ShapedType>(reduce.getTile().getType()).getNumElements();
      })
      // Rows that are plain: a product, a maximum, a difference, its
      // exponential.
      .Case([&](AdvanceOp advance) {
        double rows =
            cast<ShapedType>(advance.getMaximum().getType()).getNumElements();
        work.lanes = 3 * rows;
        work.specials = rows;
      })
      // A comparison and a selection.
      .Case([&](MaskOp) { work.lanes = masked ? 2 * n : 0; })
      .Case([&](arith::MulFOp mul) { work.lanes = isContracted(mul) ? 0 : n; })
      .Case([&](arith::TruncFOp) { work.lanes = n / 2; })
      .Case<arith::AddFOp, arith::SubFOp, arith::DivFOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::SelectOp, arith::CmpFOp, arith::NegFOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp, arith::MaxNumFOp,
            arith::MinNumFOp, math::FmaOp>([&](Operation *) { work.lanes = n; })
      .Default([&](Operation *other) {
        if (isa<math::MathDialect>(other->getDialect()))
          work.specials = n;
      });
  return work;
}

TileWork attn::workOf(Block &block, bool masked) {
  TileWork work;
  for (Operation &op : block) {
    work += workOfOp(&op, masked);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!isa<StreamOp>(op))
          work += workOf(inner, masked);
  }
  return work;
}

StreamWork attn::workOf(StreamOp stream) {
  StreamWork result;
  Block &body = stream.getBody().front();
  result.step = workOf(body, /*masked=*/false);
  result.maskedStep = workOf(body, /*masked=*/true);
  result.stepSize = stream.getStep();
  stream.walk([&](DotOp dot) {
    if (matchPattern(dot.getAcc(), m_Constant()))
      result.scores += ::elementsOf(dot);
  });
  stream.walk([&](LoadOp load) { result.onChip |= isOnChip(load); });
  for (Type type : stream.getResultTypes())
    if (auto tile = dyn_cast<ShapedType>(type))
      result.state += tile.getNumElements();
  return result;
}
