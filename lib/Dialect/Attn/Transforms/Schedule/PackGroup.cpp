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

/// Whether every query sees the same keys as its group's, as one query does
/// that is the last of the sequence.
static bool isMaskMoot(AttentionOp op) {
  auto causal = dyn_cast_or_null<CausalMaskAttr>(op.getMaskAttr());
  return causal && causal.getAlign() == MaskAlign::BottomRight &&
         op.getQuery().getType().getDimSize(op.getSeqDim()) == 1;
}

StringRef attn::whyNotPacked(AttentionOp op) {
  int64_t queries = op.getQuery().getType().getDimSize(op.getSeqDim());
  if (op.getQueryOffsets())
    return "its queries are packed by cu_seqlens_q";
  if (!op.getBlocks().empty())
    return "blocks are listed for the queries of a head";
  if (queries == 0)
    return "it has no queries";
  if (op.getNumQueryHeads() == op.getNumKvHeads())
    return "no query heads share a KV head";
  if (op.getLayout() == TensorLayout::BSHD && queries != 1)
    return "the heads of a group do not follow the queries of a head in layout "
           "bshd, unless there is one";
  if (op.hasScoreMod() && ShapedType::isDynamic(queries))
    return "its scores are modified, and its number of queries is not static";
  if (op.hasMaskRegion() && ShapedType::isDynamic(queries))
    return "its mask is a region, and its number of queries is not static";
  if (op.getSinks() && op.getSinks().getType().getRank() != 1)
    return "its sinks are not one a query head";
  if (op.getEarlierOutput())
    return "it takes up earlier keys";
  for (Value result : op->getResults()) {
    unsigned dim = result == op.getOutput() ? op.getSeqDim() : 2;
    if (cast<ShapedType>(result.getType()).getDimSize(dim) != queries)
      return "a result's number of queries is static where that of Q is not, "
             "or the other way round";
  }
  return "";
}

namespace {

/// Rewrites one op.
class Packer {
public:
  explicit Packer(AttentionOp op)
      : op(op), rewriter(op.getContext()), loc(op.getLoc()),
        kvHeads(op.getNumKvHeads()),
        group(op.getNumQueryHeads() / op.getNumKvHeads()),
        queries(op.getQuery().getType().getDimSize(op.getSeqDim())) {}

  void run() {
    rewriter.setInsertionPoint(op);
    Value query = pack(op.getQuery(), op.getHeadDim());
    SmallVector<Type> types{packedType(op.getOutput().getType())};
    if (op.getLse())
      types.push_back(packedType(op.getLse().getType()));
    SmallVector<Value> operands(op->getOperands());
    operands.front() = query;
    if (op.getSinks())
      operands[op.getSinksMutable().begin()->getOperandNumber()] = packSinks();
    auto packed =
        AttentionOp::create(rewriter, loc, types, operands, op->getAttrs());
    packMask(packed);
    if (op.hasScoreMod())
      moveRegion(op.getScore(), packed.getScore(), /*number=*/2);
    if (op.hasMaskRegion())
      moveRegion(op.getKeep(), packed.getKeep(), /*number=*/1);
    SmallVector<Value> results;
    packLayout(packed);
    for (auto [result, old] : llvm::zip(packed->getResults(), op->getResults()))
      results.push_back(unpack(result, cast<RankedTensorType>(old.getType()),
                               old == op.getOutput() ? op.getHeadDim() : 1));
    rewriter.replaceOp(op, results);
  }

private:
  void packMask(AttentionOp packed) {
    auto mask = op.getMaskAttr();
    if (!mask)
      return;
    if (isMaskMoot(op))
      packed.removeMaskAttr();
    else
      packed.setMaskAttr(PackedMaskAttr::get(op.getContext(), group, mask));
  }

  /// Heads are in front of the rows of Q and O, whatever K and V have.
  void packLayout(AttentionOp packed) {
    TensorLayout ofKeys = op.getKeyLayout();
    packed.setLayout(TensorLayout::BHSD);
    if (ofKeys == TensorLayout::BHSD)
      packed.removeKvLayoutAttr();
    else
      packed.setKvLayout(ofKeys);
  }

  /// B, Hq, Sq, ... as B, Hkv, group, Sq, ..., with the heads at `dim`.
  RankedTensorType splitType(Type type, int64_t dim) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[dim] = group;
    shape.insert(shape.begin() + dim, kvHeads);
    return RankedTensorType::get(shape, tensor.getElementType());
  }

  /// B, Hkv, group * Sq, ...
  RankedTensorType packedType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[1] = kvHeads;
    shape[2] = ShapedType::isDynamic(queries) ? queries : group * queries;
    return RankedTensorType::get(shape, tensor.getElementType());
  }

  /// Of a tensor that is split; two of its dimensions from `first` on are one.
  static SmallVector<ReassociationIndices> joined(int64_t rank, int64_t first) {
    SmallVector<ReassociationIndices> result;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim == first + 1)
        result.back().push_back(dim);
      else
        result.push_back({dim});
    return result;
  }

  Value expand(RankedTensorType type, Value value, int64_t first) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getQuery());
    SmallVector<OpFoldResult> shape;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      shape.push_back(!type.isDynamicDim(dim)
                          ? rewriter.getIndexAttr(type.getDimSize(dim))
                          : sizes[dim == 0 ? 0 : 2]);
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value,
                                         joined(type.getRank(), first), shape);
  }

  /// Of a tensor with the heads at `dim`: behind them, or in front of them, is
  /// the query, which the group takes in, or else the KV heads.
  Value pack(Value value, int64_t dim) {
    RankedTensorType split = splitType(value.getType(), dim);
    return tensor::CollapseShapeOp::create(
        rewriter, loc, packedType(value.getType()), expand(split, value, dim),
        joined(split.getRank(), 3 - dim));
  }

  Value unpack(Value value, RankedTensorType type, int64_t dim) {
    RankedTensorType split = splitType(type, dim);
    return tensor::CollapseShapeOp::create(rewriter, loc, type,
                                           expand(split, value, 3 - dim),
                                           joined(split.getRank(), dim));
  }

  /// Those of the query heads of a group, side by side.
  Value packSinks() {
    RankedTensorType type = op.getSinks().getType();
    auto split = RankedTensorType::get({kvHeads, group}, type.getElementType());
    return tensor::ExpandShapeOp::create(
        rewriter, loc, split, op.getSinks(),
        SmallVector<ReassociationIndices>{{0, 1}});
  }

  /// The region still sees the head and query of the original op; `number` is
  /// that of its argument for the head.
  void moveRegion(Region &from, Region &to, unsigned number) {
    rewriter.inlineRegionBefore(from, to, to.begin());
    Block &body = to.front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    Value head = body.getArgument(number), row = body.getArgument(number + 1);
    Value size = arith::ConstantIndexOp::create(b, loc, group);
    Value count = arith::ConstantIndexOp::create(b, loc, queries);
    Value first = arith::MulIOp::create(b, loc, head, size);
    Value member = arith::DivUIOp::create(b, loc, row, count);
    Value queryHead = arith::AddIOp::create(b, loc, first, member);
    Value query = arith::RemUIOp::create(b, loc, row, count);
    head.replaceAllUsesExcept(queryHead, first.getDefiningOp());
    row.replaceUsesWithIf(query, [&](OpOperand &use) {
      return use.getOwner() != member.getDefiningOp() &&
             use.getOwner() != query.getDefiningOp();
    });
  }

  AttentionOp op;
  IRRewriter rewriter;
  Location loc;
  int64_t kvHeads, group, queries;
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
