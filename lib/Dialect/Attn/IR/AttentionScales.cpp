//===- AttentionScales.cpp - What Q, K and V stand for multiples of -------===//

#include "AttentionScales.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult attn::verifyScaleBlock(AttentionOp op) {
  // What units of FP8 sum over.
  constexpr int64_t kLeast = 32;
  if (!op.getScaleBlock())
    return success();
  auto block = static_cast<int64_t>(*op.getScaleBlock());
  if (block < kLeast || !llvm::isPowerOf2_64(block))
    return op.emitOpError("scale_block expects a power of two from ")
           << kLeast << " on, but got " << block;
  if (!AttentionOp::isOfBlocks(op.getKeyScale()) &&
      !AttentionOp::isOfBlocks(op.getValueScale()))
    return op.emitOpError(
        "scale_block expects k_scale or v_scale of rank 3, but got none");
  for (auto [name, has] : {std::pair<StringRef, bool>{
                               "cu_seqlens_k", op.getKeyOffsets() != nullptr},
                           {"block_table", op.getBlockTable() != nullptr},
                           {"blocks", op.hasBlocks()}})
    if (has)
      return op.emitOpError("scale_block expects no ")
             << name << ", but got some";
  return success();
}

int64_t attn::blocksOfKeys(AttentionOp op) {
  int64_t keys = op.getKey().getType().getDimSize(op.getKeySeqDim());
  return ShapedType::isDynamic(keys) ? keys
                                     : static_cast<int64_t>(llvm::divideCeil(
                                           keys, *op.getScaleBlock()));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Value AttentionScales::number(double value) {
  return arith::ConstantOp::create(t.b, t.loc, t.b.getF32FloatAttr(value));
}

bool AttentionScales::isOfBlocks(Of of) {
  return (of == Keys && AttentionOp::isOfBlocks(op.getKeyScale())) ||
         (of == Values && AttentionOp::isOfBlocks(op.getValueScale()));
}

Value AttentionScales::build(Of of) {
  std::optional<unsigned> view = op.getScaleViews()[of];
  if (!view)
    return {};
  // As the map of the view says.
  AffineMap map = op.getViewMaps()[*view];
  SmallVector<Value> indices;
  for (auto [expr, offset] :
       llvm::zip(map.getResults(), ValueRange{batch, head}))
    indices.push_back(isa<AffineConstantExpr>(expr) ? t.index(0) : offset);
  if (isOfBlocks(of))
    indices.push_back(arith::DivUIOp::create(
        t.b, t.loc, key, t.index(static_cast<int64_t>(*op.getScaleBlock()))));
  return GatherOp::create(t.b, t.loc, t.b.getF32Type(), views[*view], indices);
}

Value AttentionScales::shared(Of of) {
  return isOfBlocks(of) ? Value() : build(of);
}

Value AttentionScales::ofTile(Of of) {
  return isOfBlocks(of) ? build(of) : Value();
}

Value AttentionScales::ofScores() {
  return times(op.getScale().convertToFloat());
}

Value AttentionScales::times(float factor) {
  Value scale = number(factor);
  for (Of of : {Queries, Keys})
    if (Value other = shared(of))
      scale = arith::MulFOp::create(t.b, t.loc, scale, other);
  return scale;
}

Value AttentionScales::ofRows() {
  float magnitude = std::abs(op.getScale().convertToFloat());
  Value factor = arith::MulFOp::create(t.b, t.loc, times(magnitude),
                                       number(llvm::numbers::log2e));
  return arith::MaximumFOp::create(t.b, t.loc, factor, number(kLeastFactor));
}
