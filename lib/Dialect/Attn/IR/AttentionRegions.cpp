//===- AttentionRegions.cpp - The regions of attn.attention ---------------===//

#include "AttentionRegions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

unsigned AttentionOp::getFirstCaptureView() {
  return getFirstBlockView() + getBlocks().size();
}

unsigned AttentionOp::getFirstBlockView() {
  return llvm::count_if(ValueRange{getQuery(), getKey(), getValue(),
                                   getLengths(), getQueryOffsets(),
                                   getKeyOffsets(), getBlockTable()},
                        [](Value view) { return view != nullptr; });
}

SmallVector<std::optional<unsigned>> attn::captureViews(ValueRange captures,
                                                        unsigned first) {
  SmallVector<std::optional<unsigned>> views;
  for (Value capture : captures)
    views.push_back(isa<RankedTensorType>(capture.getType())
                        ? std::optional<unsigned>(first++)
                        : std::nullopt);
  return views;
}

SmallVector<Value> attn::scalarsAmong(ValueRange captures) {
  return llvm::filter_to_vector(captures, [](Value capture) {
    return !isa<RankedTensorType>(capture.getType());
  });
}

SmallVector<AffineExpr> attn::captureDims(ArrayRef<Region *> regions,
                                          ValueRange captures, unsigned number,
                                          ArrayRef<AffineExpr> axes) {
  auto type = cast<RankedTensorType>(captures[number].getType());
  AffineExpr none = getAffineConstantExpr(0, type.getContext());
  SmallVector<AffineExpr> dims(type.getRank());
  for (Region *region : regions) {
    if (region->empty())
      continue;
    // Indices are the last arguments before the captures.
    unsigned behind = region->getNumArguments() - captures.size(),
             first = behind - axes.size();
    for (Operation *user : region->getArgument(behind + number).getUsers())
      for (auto [dim, index] :
           llvm::zip(dims, cast<GatherOp>(user).getIndices())) {
        auto argument = dyn_cast<BlockArgument>(index);
        bool isAxis = argument && argument.getArgNumber() >= first &&
                      argument.getArgNumber() < behind;
        AffineExpr own = isAxis ? axes[argument.getArgNumber() - first] : none;
        dim = !dim || dim == own ? own : none;
      }
  }
  for (AffineExpr &dim : dims)
    dim = dim ? dim : none;
  return dims;
}

SmallVector<Value> attn::captureValues(ArrayRef<std::optional<unsigned>> views,
                                       const TileContext &tile) {
  SmallVector<Value> captures;
  ArrayRef<Value> scalars = tile.scalars;
  for (std::optional<unsigned> view : views) {
    captures.push_back(view ? tile.views[*view] : scalars.front());
    scalars = view ? scalars : scalars.drop_front();
  }
  return captures;
}

SmallVector<std::optional<unsigned>> AttentionOp::getCaptureViews() {
  return captureViews(getCaptures(), getFirstCaptureView());
}

SmallVector<Value> AttentionOp::getScalarCaptures() {
  return scalarsAmong(getCaptures());
}

SmallVector<unsigned> AttentionOp::getSegmentViews() {
  // Bounds of a mask are numbers that it captures.
  SmallVector<unsigned> views;
  if (!hasMaskRegion())
    return views;
  auto captures =
      getKeep().front().getArguments().take_back(getCaptures().size());
  for (auto [argument, view] : llvm::zip(captures, getCaptureViews())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (view && type && type.getElementTypeBitWidth() >= 32 &&
        isa<IntegerType>(type.getElementType()) && !argument.use_empty())
      views.push_back(*view);
  }
  return views;
}

std::optional<unsigned> AttentionOp::getSinksView() {
  if (!getSinks())
    return std::nullopt;
  unsigned views = getFirstCaptureView();
  for (std::optional<unsigned> view : getCaptureViews())
    views += view.has_value();
  return views;
}

std::array<std::optional<unsigned>, 3> AttentionOp::getScaleViews() {
  unsigned next = getFirstCaptureView() + (getSinks() ? 1 : 0);
  for (std::optional<unsigned> view : getCaptureViews())
    next += view.has_value();
  std::array<std::optional<unsigned>, 3> views;
  Value scales[] = {getQueryScale(), getKeyScale(), getValueScale()};
  for (auto [view, scale] : llvm::zip(views, scales))
    if (scale)
      view = next++;
  return views;
}

unsigned AttentionOp::countReadsOfEachScore() {
  if (!hasScoreMod())
    return 0;
  Block &body = getScore().front();
  Value query = body.getArgument(kScoreArguments - 2),
        key = body.getArgument(kScoreArguments - 1);
  return llvm::count_if(body.getOps<GatherOp>(), [&](GatherOp gather) {
    return llvm::is_contained(gather.getIndices(), query) &&
           llvm::is_contained(gather.getIndices(), key);
  });
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether an integer division may be by zero, or overflow. (Upstream says so
/// of divisions, through their speculatability, but not of remainders.)
static bool dividesByUnknown(Operation *op) {
  if (!isa<arith::RemUIOp, arith::RemSIOp, arith::FloorDivSIOp>(op))
    return false;
  APInt divisor;
  return !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
         divisor.isZero() || (!isa<arith::RemUIOp>(op) && divisor.isAllOnes());
}

/// Whether an integer is below `most`, by what computes it.
static bool isBelow(Value value, unsigned most) {
  auto below = [](Value x, unsigned bound) {
    APInt number;
    return matchPattern(x, m_ConstantInt(&number)) && number.ult(bound);
  };
  while (auto wider = value.getDefiningOp<arith::ExtUIOp>())
    value = wider.getIn();
  if (below(value, most))
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::RemUIOp>(op))
    return below(op->getOperand(1), most + 1);
  return isa_and_nonnull<arith::AndIOp, arith::MinUIOp>(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return below(operand, most); });
}

/// Whether a shift may be by as many bits as there are, or more, which has no
/// value. An index has 32 bits on a GPU.
static bool shiftsOut(Operation *op) {
  if (!isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  return !isBelow(op->getOperand(1),
                  type.isIndex() ? 32 : type.getIntOrFloatBitWidth());
}

/// Whether an index was cast to fewer than 32 bits and is one again, which
/// upstream takes to be the index that it was, widened in between or not.
static bool restoresIndex(Operation *op) {
  if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return false;
  Operation *before = op->getOperand(0).getDefiningOp();
  while (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(before))
    before = before->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(before) &&
         before->getOperand(0).getType().isIndex() &&
         before->getResult(0).getType().getIntOrFloatBitWidth() < 32;
}

StringRef AttentionOp::whatVaries(Operation *op) {
  // With an integer that was cast to a float, canonicalization ends in
  // undefined behaviour.
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    if (cmp.getPredicate() == arith::CmpFPredicate::AlwaysFalse ||
        cmp.getPredicate() == arith::CmpFPredicate::AlwaysTrue)
      return "a predicate that compares nothing";
  // NVIDIA's back end has true for 0, AMD's false for 1.5.
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) &&
      getElementTypeOrSelf(op->getResult(0)).isInteger(1))
    return "i1 as its result";
  // The CPU rounds to nearest, whatever is asked for.
  if (auto narrow = dyn_cast<arith::TruncFOp>(op);
      narrow && narrow.getRoundingmode())
    return "a rounding mode";
  return {};
}

namespace {

/// Checks of one region.
struct RegionVerifier {
  Operation *op;
  ValueRange captures;
  Block &body;
  /// What the region is called, and what it yields.
  StringRef name, resultName;
  Type result;

  LogicalResult arguments(ArrayRef<Type> own) {
    SmallVector<Type> wanted(own);
    llvm::append_range(wanted, captures.getTypes());
    if (body.getArgumentTypes() == TypeRange(wanted))
      return success();
    return op->emitOpError()
           << name << " expects arguments (" << wanted << "), but got ("
           << body.getArgumentTypes() << ")";
  }

  static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

  LogicalResult gather(GatherOp read) {
    auto source = dyn_cast<BlockArgument>(read.getSource());
    if (source && source.getOwner() == &body)
      return success();
    return op->emitOpError()
               .append(name, " expects to read captured tensors")
               .attachNote(read.getLoc())
           << "but got this";
  }

  LogicalResult operation(Operation &inner) {
    if (auto read = dyn_cast<GatherOp>(inner))
      return gather(read);
    bool scalar = inner.getNumRegions() == 0 &&
                  isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                      inner.getDialect()) &&
                  llvm::all_of(inner.getOperandTypes(), isScalar) &&
                  llvm::all_of(inner.getResultTypes(), isScalar);
    if (!scalar)
      return op->emitOpError()
                 .append(name, " expects scalar operations of arith and math, "
                               "and attn.gather")
                 .attachNote(inner.getLoc())
             << "but got '" << inner.getName() << "'";
    // It is evaluated for padding too, where a divisor may be zero.
    if (!isPure(&inner) || dividesByUnknown(&inner))
      return undefined(inner, "a divisor that may be zero or -1");
    if (shiftsOut(&inner))
      return undefined(inner, "an amount that may be all bits or more");
    if (StringRef what = AttentionOp::whatVaries(&inner); !what.empty())
      return op->emitOpError()
                 .append(name, " expects operations that mean the same on all "
                               "targets")
                 .attachNote(inner.getLoc())
             << "but got '" << inner.getName() << "' with " << what;
    if (restoresIndex(&inner))
      return op->emitOpError()
                 .append(name,
                         " expects an index that is cast to fewer than 32 "
                         "bits to become no index again")
                 .attachNote(inner.getLoc())
             << "but got '" << inner.getName() << "' of "
             << inner.getOperand(0).getType();
    return success();
  }

  LogicalResult undefined(Operation &inner, StringRef what) {
    return op->emitOpError()
               .append(name,
                       " expects operations that are defined for any index")
               .attachNote(inner.getLoc())
           << "but got '" << inner.getName() << "' with " << what;
  }

  LogicalResult run(ArrayRef<Type> own) {
    if (failed(arguments(own)))
      return failure();
    for (Operation &inner : body.without_terminator())
      if (failed(operation(inner)))
        return failure();
    auto yield = dyn_cast<YieldOp>(body.getTerminator());
    if (yield && yield.getValues().getTypes() == TypeRange(result))
      return success();
    InFlightDiagnostic error = op->emitOpError();
    error << name << " expects to yield one " << resultName;
    error.attachNote(body.getTerminator()->getLoc()) << "but got this";
    return error;
  }
};

} // namespace

LogicalResult AttentionOp::verifyRegions() {
  for (int64_t number : getSorted()) {
    auto known =
        number >= 0 && number < int64_t(getCaptures().size())
            ? dyn_cast<RankedTensorType>(getCaptures()[number].getType())
            : RankedTensorType();
    if (!known || (!known.getElementType().isInteger(32) &&
                   !known.getElementType().isInteger(64)))
      return emitOpError(
                 "'sorted' expects numbers of captures that are tensors "
                 "of i32 or i64, but got ")
             << number;
  }
  return verifyScoreRegions(*this, getCaptures(), getScore(), getKeep());
}

LogicalResult attn::verifyScoreRegions(Operation *op, ValueRange captures,
                                       Region &score, Region &keep) {
  Builder b(op->getContext());
  Type f32 = b.getF32Type(), index = b.getIndexType(), i1 = b.getI1Type();
  for (Type type : captures.getTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getRank() == 0)
      return op->emitOpError(
                 "expects captured tensors of rank 1 or more, and scalars as "
                 "such, but got ")
             << type;
  if (!score.empty() && failed(RegionVerifier{op, captures, score.front(),
                                              "score modification", "f32", f32}
                                   .run({f32, index, index, index, index})))
    return failure();
  if (!keep.empty() &&
      failed(RegionVerifier{op, captures, keep.front(), "mask region", "i1", i1}
                 .run({index, index, index, index})))
    return failure();
  return success();
}
