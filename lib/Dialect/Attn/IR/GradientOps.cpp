//===- GradientOps.cpp - Gradients of attention ---------------------------===//

#include "AttentionBlocks.h"
#include "AttentionRegions.h"
#include "Derivatives.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseGradientRegions(OpAsmParser &parser, Region &score,
                                        Region &keep) {
  auto parse = [&](Region &region) -> ParseResult {
    if (!region.empty())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected one region of each kind, but got a "
                              "second one");
    SmallVector<OpAsmParser::Argument> arguments;
    return failure(parser.parseArgumentList(arguments,
                                            OpAsmParser::Delimiter::Paren,
                                            /*allowType=*/true) ||
                   parser.parseRegion(region, arguments,
                                      /*enableNameShadowing=*/true));
  };
  while (true) {
    Region *region = succeeded(parser.parseOptionalKeyword("score"))  ? &score
                     : succeeded(parser.parseOptionalKeyword("keep")) ? &keep
                                                                      : nullptr;
    if (!region)
      return success();
    if (parse(*region))
      return failure();
  }
}

static void printGradientRegions(OpAsmPrinter &p, Operation *, Region &score,
                                 Region &keep) {
  for (auto [name, region] :
       {std::pair<StringRef, Region *>{"score", &score}, {"keep", &keep}}) {
    if (region->empty())
      continue;
    p << name << "(";
    llvm::interleaveComma(
        region->getArguments(), p,
        [&](BlockArgument argument) { p.printRegionArgument(argument); });
    p << ") ";
    p.printRegion(*region, /*printEntryBlockArgs=*/false);
    p << " ";
  }
}

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.cpp.inc"

void AttnDialect::registerGradientOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

/// Shapes of gradients, by those of query, key and value.
struct GradientVerifier {
  Operation *op;
  TensorLayout layout;
  RankedTensorType query, key, value;
  TypedValue<RankedTensorType> queryOffsets, keyOffsets;

  InFlightDiagnostic error() { return op->emitOpError(); }
  unsigned head() const { return headDimOf(layout); }
  unsigned seq() const { return seqDimOf(layout); }

  LogicalResult inputs() {
    for (auto [name, type] :
         {std::pair<StringRef, RankedTensorType>{"query", query},
          {"key", key},
          {"value", value}}) {
      if (type.getRank() != 4)
        return error() << name << " expects rank 4, but got " << type;
      if (type.isDynamicDim(head()) || type.isDynamicDim(3))
        return error() << name
                       << " expects a static number of heads and a static head "
                          "dimension, but got "
                       << type;
      int64_t dim = type.getDimSize(3);
      if (dim < 8 || dim > 256 || dim % 8 != 0)
        return error() << "head dimension of " << name
                       << " expects to be a multiple of 8 from 8 to 256, but "
                          "got "
                       << dim;
      if (type.getElementType() != query.getElementType())
        return error() << name << " expects the element type of query, "
                       << query.getElementType() << ", but got "
                       << type.getElementType();
    }
    int64_t heads = query.getDimSize(head()), shared = key.getDimSize(head());
    if (shared < 1 || heads < 1 || heads % shared != 0)
      return error() << "number of query heads expects to be a multiple of the "
                        "number of KV heads, but got "
                     << heads << " and " << shared;
    if (failed(packed("query", query, "cu_seqlens_q", queryOffsets)) ||
        failed(packed("key", key, "cu_seqlens_k", keyOffsets)) ||
        failed(sequences()))
      return failure();
    SmallVector<int64_t> keys(key.getShape());
    keys[0] = keyOffsets     ? 1
              : queryOffsets ? sequencesOf(queryOffsets.getType())
                             : query.getDimSize(0);
    keys[3] = query.getDimSize(3);
    return failure(failed(shape("key", key, keys)) ||
                   failed(shape("value", value, withLast(key, value))));
  }

  /// Offsets, and the tensor whose sequences they pack.
  LogicalResult packed(StringRef of, RankedTensorType type, StringRef name,
                       TypedValue<RankedTensorType> offsets) {
    if (!offsets)
      return success();
    RankedTensorType numbers = offsets.getType();
    if (numbers.getRank() != 1 || numbers.getDimSize(0) == 0)
      return error() << name << " expects rank 1 and a number more than there "
                     << "are sequences, but got " << numbers;
    if (type.getDimSize(0) != 1)
      return error() << of << " expects 1 as its first dimension, since "
                     << name << " packs its sequences, but got " << type;
    return success();
  }

  /// Lists of blocks, whether each row is of queries or of keys.
  LogicalResult blocks(const BlockLists &blocks) {
    if (blocks && (queryOffsets || keyOffsets))
      return error() << "blocks expect no "
                     << (queryOffsets ? "cu_seqlens_q" : "cu_seqlens_k")
                     << " in gradients, but got some";
    bool byKeys = blocks.byKeys;
    return verifyBlocks(blocks, query.getDimSize(0),
                        (byKeys ? key : query).getDimSize(head()),
                        byKeys ? "KV heads in lists by keys" : "query heads",
                        (byKeys ? key : query).getDimSize(seq()));
  }

  /// Keys are of as many sequences as queries.
  LogicalResult sequences() {
    if (!keyOffsets)
      return success();
    int64_t ofQueries = queryOffsets ? sequencesOf(queryOffsets.getType())
                                     : query.getDimSize(0),
            ofKeys = sequencesOf(keyOffsets.getType());
    if (succeeded(verifyCompatibleDims({ofQueries, ofKeys})))
      return success();
    return error() << "cu_seqlens_k expects offsets of " << ofQueries
                   << " sequences, as query has, but got "
                   << keyOffsets.getType();
  }

  static SmallVector<int64_t> withLast(RankedTensorType type,
                                       RankedTensorType last) {
    SmallVector<int64_t> result(type.getShape());
    result.back() = last.getDimSize(3);
    return result;
  }

  LogicalResult shape(StringRef name, RankedTensorType type,
                      ArrayRef<int64_t> wanted) {
    if (type.getRank() == int64_t(wanted.size()) &&
        succeeded(verifyCompatibleShape(type.getShape(), wanted)))
      return success();
    return error() << name << " expects "
                   << RankedTensorType::get(wanted, type.getElementType())
                   << ", but got " << type;
  }

  /// What has the shape of another tensor: its element type, or, where it
  /// `mayBeWide`, f32.
  LogicalResult like(StringRef name, Value value, ArrayRef<int64_t> wanted,
                     bool mayBeWide) {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    if (element != query.getElementType() && !(mayBeWide && element.isF32()))
      return error() << name << " expects the element type of query, "
                     << query.getElementType() << (mayBeWide ? ", or f32" : "")
                     << ", but got " << element;
    return shape(name, type, wanted);
  }

  LogicalResult rows(StringRef name, Value value) {
    SmallVector<int64_t> wanted{query.getDimSize(0), query.getDimSize(head()),
                                query.getDimSize(seq())};
    return shape(name, cast<RankedTensorType>(value.getType()), wanted);
  }

  /// The gradient of a capture, of this number.
  LogicalResult ofCapture(Value value, int64_t number, ValueRange captures) {
    if (number < 0 || number >= int64_t(captures.size()) ||
        !isa<FloatType>(getElementTypeOrSelf(captures[number])))
      return error() << "gradients of captures expect the number of a capture "
                        "of floats, but got "
                     << number;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> all{query.getDimSize(0), query.getDimSize(head()),
                             query.getDimSize(seq()), key.getDimSize(seq())},
        wanted = all;
    if (type.getRank() == 4 && (queryOffsets || keyOffsets))
      wanted[0] = key.getDimSize(0);
    wanted.truncate(std::clamp<int64_t>(type.getRank(), 3, 4));
    for (auto [size, own] : llvm::zip(wanted, type.getShape()))
      size = own == 1 ? 1 : size;
    // Sums over keys have no dimension for these.
    bool sumsKeys = wanted.size() == 3, sumsQueries = wanted[2] == 1;
    if ((sumsKeys && sumsQueries && all[2] != 1) ||
        (!sumsKeys && wanted[3] == 1 && all[3] != 1))
      return error() << "capture gradient expects "
                     << RankedTensorType::get(all, type.getElementType())
                     << ", with 1 where it is summed over, or without the last "
                        "dimension where it is summed over keys and not over "
                        "queries, but got "
                     << type;
    if (failed(ofPackedCapture(type)))
      return failure();
    return like("capture gradient", value, wanted, /*mayBeWide=*/true);
  }

  /// Where sequences are packed, sums are of one of them: rows of queries or
  /// of keys, wherever these lie.
  LogicalResult ofPackedCapture(RankedTensorType type) {
    if (!queryOffsets && !keyOffsets)
      return success();
    if (type.getRank() == 4 && type.getDimSize(2) != 1)
      return error() << "gradients of captures of packed sequences expect a "
                        "sum over queries or over keys, but got "
                     << type;
    int64_t batches =
        type.getRank() == 3 ? query.getDimSize(0) : key.getDimSize(0);
    if (type.getDimSize(0) == 1 && batches != 1)
      return error() << "gradients of captures of packed sequences expect no "
                        "sum over batches, but got "
                     << type;
    return success();
  }

  /// What contributions to the gradient of the query are added to.
  LogicalResult querySum(StringRef name, Value value) {
    SmallVector<int64_t> wanted{1, query.getDimSize(0),
                                query.getDimSize(head()),
                                query.getDimSize(seq()), query.getDimSize(3)};
    return shape(name, cast<RankedTensorType>(value.getType()), wanted);
  }

  SmallVector<int64_t> outputShape() const { return withLast(query, value); }
};

template <typename Op> GradientVerifier verifierOf(Op op) {
  return {op,
          op.getLayout(),
          op.getQuery().getType(),
          op.getKey().getType(),
          op.getValue().getType(),
          op.getQueryOffsets(),
          op.getKeyOffsets()};
}

/// What all have in common.
template <typename Op> LogicalResult verifyCommon(Op op, GradientVerifier &v) {
  if (failed(v.inputs()) ||
      failed(v.like("output gradient", op.getOutputGradient(), v.outputShape(),
                    /*mayBeWide=*/false)) ||
      failed(v.rows("lse", op.getLse())))
    return failure();
  if (!op.getScale().isFinite())
    return op.emitOpError("scale expects a finite number, but got ")
           << op.getScaleAttr();
  if (op.getScore().empty() && op.getKeep().empty() &&
      !op.getCaptures().empty())
    return op.emitOpError("captures expect a score modification or a mask "
                          "region that takes them");
  return success();
}

/// Whether a score modification has a derivative by one of its arguments.
LogicalResult verifyDerivative(Operation *op, Region &score,
                               unsigned argument) {
  Operation *unknown = findWithoutDerivative(score.front(), argument);
  if (!unknown)
    return success();
  InFlightDiagnostic error = op->emitOpError(
      "score modification expects operations that have a derivative");
  error.attachNote(unknown->getLoc())
      << "but got '" << unknown->getName() << "' of the "
      << (argument == 0 ? "score" : "capture");
  return error;
}

/// Likewise by the captures of these numbers.
template <typename Op>
LogicalResult verifyGradientRegions(Op op, ArrayRef<int64_t> of = {}) {
  if (failed(verifyScoreRegions(op, op.getCaptures(), op.getScore(),
                                op.getKeep())))
    return failure();
  if (op.getScore().empty() && !of.empty())
    return op.emitOpError("gradients of captures expect a score modification");
  if (op.getScore().empty())
    return success();
  SmallVector<unsigned> arguments{0};
  for (int64_t number : of)
    arguments.push_back(scoreArgumentOf(number));
  return success(llvm::all_of(arguments, [&](unsigned argument) {
    return succeeded(verifyDerivative(op, op.getScore(), argument));
  }));
}

LogicalResult verifyCaptureGradients(AttentionBackwardOp op,
                                     GradientVerifier &v) {
  if (op.getOf().size() != op.getCaptureGradients().size())
    return op.emitOpError("expected a result for each capture that gradients "
                          "are of, ")
           << op.getOf().size() << ", but got "
           << op.getCaptureGradients().size();
  return success(llvm::all_of(
      llvm::zip(op.getCaptureGradients(), op.getOf()), [&](auto pair) {
        auto [gradient, number] = pair;
        return succeeded(v.ofCapture(gradient, number, op.getCaptures()));
      }));
}

} // namespace

LogicalResult AttentionBackwardOp::verify() {
  GradientVerifier v = verifierOf(*this);
  if (getBlocks().size() != getKeyBlocks().size())
    return emitOpError("expected as many lists of blocks by keys as by "
                       "queries, ")
           << getBlocks().size() << ", but got " << getKeyBlocks().size();
  if (!getBlocks().empty() && !getOf().empty())
    return emitOpError("gradients of captures expect no lists of blocks, but "
                       "got some");
  return failure(
      failed(verifyCommon(*this, v)) ||
      failed(v.blocks({*this, getBlocks(), getBlockSize(), 0})) ||
      failed(v.blocks(
          {*this, getKeyBlocks(), getBlockSize(), 0, /*byKeys=*/true})) ||
      failed(v.like("output", getOutput(), v.outputShape(), true)) ||
      (getLseGradient() && failed(v.rows("lse gradient", getLseGradient()))) ||
      failed(v.like("query gradient", getQueryGradient(), v.query.getShape(),
                    true)) ||
      failed(
          v.like("key gradient", getKeyGradient(), v.key.getShape(), true)) ||
      failed(v.like("value gradient", getValueGradient(), v.value.getShape(),
                    true)) ||
      failed(verifyCaptureGradients(*this, v)));
}

LogicalResult AttentionBackwardOp::verifyRegions() {
  return verifyGradientRegions(*this, getOf());
}

LogicalResult AttentionBackwardCaptureOp::verify() {
  GradientVerifier v = verifierOf(*this);
  return failure(
      failed(verifyCommon(*this, v)) || failed(v.rows("delta", getDelta())) ||
      failed(v.ofCapture(getCaptureGradient(), getOf(), getCaptures())));
}

LogicalResult AttentionBackwardCaptureOp::verifyRegions() {
  int64_t of = getOf();
  return verifyGradientRegions(*this, of);
}

LogicalResult AttentionBackwardQueryOp::verify() {
  GradientVerifier v = verifierOf(*this);
  return failure(failed(verifyCommon(*this, v)) ||
                 failed(v.blocks({*this, getBlocks(), getBlockSize(), 0})) ||
                 failed(v.rows("delta", getDelta())) ||
                 failed(v.like("query gradient", getQueryGradient(),
                               v.query.getShape(), true)));
}

LogicalResult AttentionBackwardQueryOp::verifyRegions() {
  return verifyGradientRegions(*this);
}

LogicalResult AttentionBackwardKeyOp::verify() {
  GradientVerifier v = verifierOf(*this);
  return failure(failed(verifyCommon(*this, v)) ||
                 failed(v.blocks({*this, getBlocks(), getBlockSize(), 0,
                                  /*byKeys=*/true})) ||
                 failed(v.rows("delta", getDelta())) ||
                 failed(v.like("key gradient", getKeyGradient(),
                               v.key.getShape(), true)) ||
                 failed(v.like("value gradient", getValueGradient(),
                               v.value.getShape(), true)));
}

LogicalResult AttentionBackwardKeyOp::verifyRegions() {
  return verifyGradientRegions(*this);
}

LogicalResult AttentionBackwardFusedOp::verify() {
  GradientVerifier v = verifierOf(*this);
  if (getOrdered() && !getBlocks().empty())
    return emitOpError("ordered contributions expect streams that go forwards, "
                       "but got lists of blocks");
  return failure(failed(verifyCommon(*this, v)) ||
                 failed(v.blocks({*this, getBlocks(), getBlockSize(), 0,
                                  /*byKeys=*/true})) ||
                 failed(v.rows("delta", getDelta())) ||
                 failed(v.querySum("sum", getSum())) ||
                 failed(v.querySum("query sum", getQuerySum())) ||
                 failed(v.like("key gradient", getKeyGradient(),
                               v.key.getShape(), true)) ||
                 failed(v.like("value gradient", getValueGradient(),
                               v.value.getShape(), true)));
}

LogicalResult AttentionBackwardFusedOp::verifyRegions() {
  return verifyGradientRegions(*this);
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// One of the parts of `op`, of these results and lists of blocks, from rows of
/// numbers (delta) and what it adds to, if anything.
template <typename Part, typename... Sums>
static Part buildPart(OpBuilder &b, AttentionBackwardOp op, TypeRange results,
                      ValueRange blocks, Sums... sums) {
  Part part = Part::create(b, op.getLoc(), results, op.getQuery(), op.getKey(),
                           op.getValue(), op.getOutputGradient(), op.getLse(),
                           sums..., op.getQueryOffsets(), op.getKeyOffsets(),
                           blocks, op.getCaptures(), op.getMaskAttr(),
                           op.getScaleAttr(), op.getLayoutAttr());
  part.setBlockSize(op.getBlockSize());
  IRMapping map;
  op.getScore().cloneInto(&part.getScore(), map);
  op.getKeep().cloneInto(&part.getKeep(), map);
  return part;
}

/// Whether queries of all sequences lie one behind the other.
static bool isPacked(AttentionBackwardOp op) {
  return static_cast<bool>(op.getQueryOffsets());
}

/// Appends the gradients of captures that are asked for.
static SmallVector<Value> withCaptures(OpBuilder &b, AttentionBackwardOp op,
                                       SmallVector<Value> results,
                                       Value delta) {
  for (auto [type, number] :
       llvm::zip(op.getCaptureGradients().getTypes(), op.getOf())) {
    auto part = AttentionBackwardCaptureOp::create(
        b, op.getLoc(), type, op.getQuery(), op.getKey(), op.getValue(),
        op.getOutputGradient(), op.getLse(), delta, op.getQueryOffsets(),
        op.getKeyOffsets(), op.getCaptures(), op.getMaskAttr(),
        op.getScaleAttr(), op.getLayoutAttr(), b.getI64IntegerAttr(number));
    IRMapping map;
    op.getScore().cloneInto(&part.getScore(), map);
    op.getKeep().cloneInto(&part.getKeep(), map);
    results.push_back(part.getCaptureGradient());
  }
  return results;
}

/// dQ is the sum of what tiles of pairs contribute: five products each.
static SmallVector<Value> buildFused(OpBuilder &b, AttentionBackwardOp op,
                                     bool ordered) {
  RankedTensorType query = op.getQuery().getType();
  SmallVector<int64_t> shape{
      1, query.getDimSize(0), query.getDimSize(headDimOf(op.getLayout())),
      query.getDimSize(seqDimOf(op.getLayout())), query.getDimSize(3)};
  auto sums = RankedTensorType::get(shape, b.getF32Type());
  auto dot =
      RowDotOp::create(b, op.getLoc(), op.getLse().getType(), sums,
                       op.getOutput(), op.getOutputGradient(),
                       op.getLseGradient(), op.getLayout(), isPacked(op));
  auto fused = buildPart<AttentionBackwardFusedOp>(
      b, op,
      {op.getKeyGradient().getType(), op.getValueGradient().getType(), sums},
      op.getKeyBlocks(), dot.getResult(), dot.getZeros());
  fused.setOrdered(ordered);
  Value dq = SumPartsOp::create(b, op.getLoc(), op.getQueryGradient().getType(),
                                fused.getQuerySum(), op.getScale(),
                                op.getLayout(), isPacked(op));
  return withCaptures(b, op,
                      {dq, fused.getKeyGradient(), fused.getValueGradient()},
                      dot.getResult());
}

/// Nothing is added by several CTAs, for two products more.
static SmallVector<Value> buildTwoKernels(OpBuilder &b,
                                          AttentionBackwardOp op) {
  Value delta =
      RowDotOp::create(b, op.getLoc(), op.getLse().getType(),
                       /*zeros=*/Type(), op.getOutput(), op.getOutputGradient(),
                       op.getLseGradient(), op.getLayout(), isPacked(op))
          .getResult();
  auto query = buildPart<AttentionBackwardQueryOp>(
      b, op, op.getQueryGradient().getType(), op.getBlocks(), delta);
  auto key = buildPart<AttentionBackwardKeyOp>(
      b, op, {op.getKeyGradient().getType(), op.getValueGradient().getType()},
      op.getKeyBlocks(), delta);
  return withCaptures(
      b, op,
      {query.getQueryGradient(), key.getKeyGradient(), key.getValueGradient()},
      delta);
}

SmallVector<Value> AttentionBackwardOp::buildExpansion(OpBuilder &b) {
  ScheduleAttr schedule = ScheduleAttr::of(*this);
  StringRef form = schedule ? schedule.getWord("form") : "";
  bool ordered = form == "ordered";
  return ordered || form == "fused" ? buildFused(b, *this, ordered)
                                    : buildTwoKernels(b, *this);
}
