//===- PackGroup.cpp - Query heads of a group as rows of one tile ---------===//

#include "attn-mlir/Dialect/Attn/Transforms/PackGroup.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPACKGROUP
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

StringRef attn::whyNotPacked(AttentionOp op) {
  if (op.getQuery().getType().getDimSize(op.getSeqDim()) != 1)
    return "it has more than one query, or a number of them that is not known";
  if (op.getNumQueryHeads() == op.getNumKvHeads())
    return "no query heads share a KV head";
  if (op.getLayout() != TensorLayout::BHSD)
    return "the heads of a group are no dimension of their own in layout bshd";
  for (Value result : op->getResults())
    if (ShapedType::isDynamic(cast<ShapedType>(result.getType()).getDimSize(2)))
      return "a result's number of queries is not static";
  // One query sees every key under a causal mask from the bottom right.
  auto causal = dyn_cast_or_null<CausalMaskAttr>(op.getMaskAttr());
  if (op.getMaskAttr() &&
      !(causal && causal.getAlign() == MaskAlign::BottomRight))
    return "its mask tells queries apart";
  return "";
}

namespace {

/// Rewrites one op.
class Packer {
public:
  explicit Packer(AttentionOp op)
      : op(op), rewriter(op.getContext()), loc(op.getLoc()),
        kvHeads(op.getNumKvHeads()),
        group(op.getNumQueryHeads() / op.getNumKvHeads()) {}

  void run() {
    rewriter.setInsertionPoint(op);
    Value query = split(op.getQuery());
    SmallVector<Type> types{splitType(op.getOutput().getType())};
    if (op.getLse())
      types.push_back(splitType(op.getLse().getType()));
    auto packed = AttentionOp::create(
        rewriter, loc, types,
        SmallVector<Value>{query, op.getKey(), op.getValue()}, op->getAttrs());
    packed->insertOperands(3, op.getCaptures());
    packed.removeMaskAttr();
    if (op.hasScoreMod())
      moveScoreMod(packed);
    SmallVector<Value> results;
    for (auto [result, old] : llvm::zip(packed->getResults(), op->getResults()))
      results.push_back(join(result, cast<RankedTensorType>(old.getType())));
    rewriter.replaceOp(op, results);
  }

private:
  /// B, Hq, 1, ... as B, Hkv, group, ...
  RankedTensorType splitType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[1] = kvHeads;
    shape[2] = group;
    return RankedTensorType::get(shape, tensor.getElementType());
  }

  /// B, Hq, ...: heads and the one query in one dimension.
  RankedTensorType joinedType(RankedTensorType tensor) {
    SmallVector<int64_t> shape(tensor.getShape());
    shape[1] = kvHeads * group;
    shape.erase(shape.begin() + 2);
    return RankedTensorType::get(shape, tensor.getElementType());
  }

  SmallVector<ReassociationIndices> reassociation(int64_t rank) {
    SmallVector<ReassociationIndices> result{{0}, {1, 2}};
    for (int64_t dim = 3; dim < rank; ++dim)
      result.push_back({dim});
    return result;
  }

  Value split(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto groups = reassociation(type.getRank());
    Value joined = tensor::CollapseShapeOp::create(
        rewriter, loc, joinedType(type), value, groups);
    return tensor::ExpandShapeOp::create(rewriter, loc, splitType(type), joined,
                                         groups);
  }

  Value join(Value value, RankedTensorType type) {
    auto groups = reassociation(type.getRank());
    Value joined = tensor::CollapseShapeOp::create(
        rewriter, loc, joinedType(type), value, groups);
    return tensor::ExpandShapeOp::create(rewriter, loc, type, joined, groups);
  }

  /// The region still sees the head and query of the original op.
  void moveScoreMod(AttentionOp packed) {
    rewriter.inlineRegionBefore(op.getScore(), packed.getScore(),
                                packed.getScore().begin());
    Block &body = packed.getScore().front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    Value head = body.getArgument(2), row = body.getArgument(3);
    Value size = arith::ConstantIndexOp::create(b, loc, group);
    Value first = arith::MulIOp::create(b, loc, head, size);
    Value queryHead = arith::AddIOp::create(b, loc, first, row);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    head.replaceAllUsesExcept(queryHead, first.getDefiningOp());
    row.replaceAllUsesExcept(zero, queryHead.getDefiningOp());
  }

  AttentionOp op;
  IRRewriter rewriter;
  Location loc;
  int64_t kvHeads, group;
};

struct PackGroupPass : attn::impl::AttnPackGroupBase<PackGroupPass> {
  using AttnPackGroupBase::AttnPackGroupBase;

  bool isAsked(AttentionOp op) {
    ScheduleAttr schedule = ScheduleAttr::of(op);
    return !scheduled || (schedule && schedule.hasFlag("pack_group"));
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) {
      if (isAsked(op))
        ops.push_back(op);
    });
    for (AttentionOp op : ops) {
      StringRef reason = whyNotPacked(op);
      if (!reason.empty()) {
        remarks::emitPackGroupNot(op, reason);
        continue;
      }
      remarks::emitPackGroup(op, op.getNumQueryHeads() / op.getNumKvHeads());
      Packer(op).run();
      ++numPacked;
    }
  }
};

} // namespace
