//===- TileOps.cpp - Verification of tile operations ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attn;

/// Types of indices are left out where all are scalars.
static ParseResult
parseGatherTypes(OpAsmParser &parser,
                 ArrayRef<OpAsmParser::UnresolvedOperand> indices, Type &source,
                 SmallVectorImpl<Type> &types, Type &elements) {
  if (parser.parseType(source))
    return failure();
  if (failed(parser.parseOptionalKeyword("at")))
    types.assign(indices.size(), parser.getBuilder().getIndexType());
  else if (parser.parseLParen() || parser.parseTypeList(types) ||
           parser.parseRParen())
    return failure();
  return failure(parser.parseArrow() || parser.parseType(elements));
}

static void printGatherTypes(OpAsmPrinter &p, Operation *, OperandRange,
                             Type source, TypeRange types, Type elements) {
  p << source;
  if (!llvm::all_of(types, [](Type type) { return type.isIndex(); }))
    p << " at(" << types << ")";
  p << " -> " << elements;
}

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.cpp.inc"

void AttnDialect::registerTileOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.cpp.inc"
      >();
}

/// Checks that a tile of `shape` and element type `element` is addressed by one
/// offset for each dimension of the view, whose last dimensions it spans.
static LogicalResult verifyAccess(Operation *op, ViewType view,
                                  unsigned numOffsets,
                                  ArrayRef<int64_t> shape) {
  if (numOffsets != view.getRank())
    return op->emitOpError("expected ")
           << view.getRank() << " offsets, one for each dimension of " << view
           << ", but got " << numOffsets;
  if (shape.empty() || shape.size() > view.getRank())
    return op->emitOpError("expected a tile of rank 1 to ")
           << view.getRank() << ", but got rank " << shape.size();
  for (int64_t size : shape)
    if (size < 1)
      return op->emitOpError("expected tile sizes of at least 1, but got ")
             << size;
  return success();
}

static LogicalResult verifyElement(Operation *op, ViewType view,
                                   ShapedType tile) {
  if (view.getElementType() != tile.getElementType())
    return op->emitOpError("expected a tile of ")
           << view.getElementType() << " as the view has, but got " << tile;
  return success();
}

LogicalResult attn::verifyBlocks(Operation *op, ViewType view, ShapedType tile,
                                 size_t others) {
  if (others == 0)
    return success();
  auto count = static_cast<int64_t>(others) + 1;
  if (tile.getRank() != 2 || view.getRank() < 3)
    return op->emitOpError("expected a tile of rank 2 of a view of rank 3 or "
                           "more to be loaded in blocks, but got ")
           << tile << " of " << view;
  if (tile.getDimSize(0) % count != 0)
    return op->emitOpError("expected rows in ")
           << count << " equal blocks, but got " << tile;
  return success();
}

LogicalResult LoadOp::verify() {
  auto tile = cast<ShapedType>(getTile().getType());
  if (failed(verifyElement(*this, getView().getType(), tile)))
    return failure();
  if (failed(verifyAccess(*this, getView().getType(), getOffsets().size(),
                          tile.getShape())))
    return failure();
  return verifyBlocks(*this, getView().getType(), tile, getBlocks().size());
}

LogicalResult StoreOp::verify() {
  auto tile = cast<ShapedType>(getTile().getType());
  if (failed(verifyElement(*this, getView().getType(), tile)))
    return failure();
  if (getScratch() &&
      !isa_and_nonnull<SharedAttr>(
          cast<RankedTensorType>(getScratch().getType()).getEncoding()))
    return emitOpError("expected scratch in shared memory, but got ")
           << getScratch().getType();
  if (getScratch()) {
    auto bits = [](ShapedType type) {
      return type.getNumElements() * type.getElementTypeBitWidth();
    };
    auto scratch = cast<ShapedType>(getScratch().getType());
    if (bits(scratch) < bits(tile))
      return emitOpError("expected scratch of at least ")
             << bits(tile) / 8 << " bytes, as the tile has, but got "
             << bits(scratch) / 8;
  }
  if (getByTensorMap()) {
    if (getUntil())
      return emitOpError("expected no `until` for `by_tensor_map`, which "
                         "stores whole boxes, but got one");
    if (!getScratch())
      return emitOpError("expected `through` a tile in shared memory for "
                         "`by_tensor_map`, but got none");
    auto scratch = cast<ShapedType>(getScratch().getType());
    if (tile.getRank() != 2 || tile.getElementTypeBitWidth() != 16 ||
        scratch.getShape() != tile.getShape() ||
        scratch.getElementType() != tile.getElementType())
      return emitOpError(
                 "expected a matrix of 16-bit elements and memory of its "
                 "shape for `by_tensor_map`, but got ")
             << tile << " through " << scratch;
  }
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      tile.getShape());
}

/// Whether it comes behind a wait for those who add before.
static LogicalResult verifyAwaits(AccumulateOp op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (isa<AwaitProgressOp, AddTurnOp>(before))
      return success();
  return op.emitOpError("expected attn.await_progress in front of it in its "
                        "block, as it is ordered, but got none");
}

bool AccumulateOp::isOutOfRing() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  return isa_and_nonnull<SharedAttr>(tile.getEncoding());
}

LogicalResult AccumulateOp::verify() {
  auto tile = cast<ShapedType>(getTile().getType());
  if (failed(verifyElement(*this, getView().getType(), tile)))
    return failure();
  if (getOrdered() && failed(verifyAwaits(*this)))
    return failure();
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      tile.getShape());
}

LogicalResult StoreColumnsOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  ViewType view = getView().getType();
  if (failed(verifyElement(*this, view, tile)) ||
      failed(verifyAccess(*this, view, getOffsets().size(), tile.getShape())))
    return failure();
  constexpr int64_t kGroup = InterleaveOp::kGroup;
  for (int64_t size : tile.getShape())
    if (size % kGroup != 0)
      return emitOpError("expected tile sizes of a multiple of ")
             << kGroup << ", but got " << tile;
  int64_t last = view.getShape().back();
  if (!ShapedType::isDynamic(last) && last % kGroup != 0)
    return emitOpError("expected a view of whole groups of ")
           << kGroup << " columns, but got " << view;
  return success();
}

LogicalResult InterleaveOp::verify() {
  auto from = cast<RankedTensorType>(getTile().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected a result of the shape and element type of the "
                       "tile, ")
           << from << ", but got " << to;
  auto group = static_cast<int64_t>(getGroup());
  if (group < kGroup || group > kMostGroup || !llvm::isPowerOf2_64(group))
    return emitOpError("expected groups of ")
           << kGroup << " to " << kMostGroup
           << " columns, a power of two, but got " << group;
  if (from.getDimSize(1) % group != 0)
    return emitOpError("expected columns of a multiple of ")
           << group << ", but got " << from;
  return success();
}

void InterleaveOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "interleaved");
}

LogicalResult ArrangeOp::verify() {
  auto from = cast<RankedTensorType>(getTile().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (from.getDimSize(0) != to.getDimSize(1) ||
      from.getDimSize(1) != to.getDimSize(0) ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected a result with the rows of the tile, ")
           << from << ", as columns, but got " << to;
  if (from.getDimSize(0) % InterleaveOp::kGroup != 0)
    return emitOpError("expected rows of a multiple of ")
           << InterleaveOp::kGroup << ", but got " << from;
  return success();
}

void ArrangeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "arranged");
}

LogicalResult TouchOp::verify() {
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      getTile());
}

LogicalResult attn::verifyProduct(Operation *op, Type lhsType, Type rhsType,
                                  Type accType, bool transposeRhs,
                                  bool transposeLhs) {
  auto lhs = cast<ShapedType>(lhsType), rhs = cast<ShapedType>(rhsType),
       acc = cast<ShapedType>(accType);
  Type element = lhs.getElementType();
  bool isWidened = (element.isF16() || element.isBF16()) &&
                   isFloat8(rhs.getElementType()) && isa<DotOp>(op);
  if (element != rhs.getElementType() && !isWidened)
    return op->emitOpError("expected operands of one element type, but got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  unsigned inner = transposeRhs ? 1 : 0, row = transposeLhs ? 1 : 0;
  if (lhs.getDimSize(1 - row) != rhs.getDimSize(inner))
    return op->emitOpError(
               "expected operands that agree in the summed dimension, but got ")
           << lhs.getDimSize(1 - row) << " and " << rhs.getDimSize(inner);
  if (acc.getDimSize(0) != lhs.getDimSize(row) ||
      acc.getDimSize(1) != rhs.getDimSize(1 - inner))
    return op->emitOpError("expected an accumulator of ")
           << lhs.getDimSize(row) << "x" << rhs.getDimSize(1 - inner)
           << ", but got " << acc;
  return success();
}

LogicalResult DotOp::verify() {
  return verifyProduct(*this, getLhs().getType(), getRhs().getType(),
                       getAcc().getType(), getTransposeRhs(),
                       getTransposeLhs());
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(rowsOf(cast<RankedTensorType>(operands[0].getType())));
  return success();
}

RankedTensorType ReduceOp::rowsOf(RankedTensorType tile) {
  auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
  return RankedTensorType::get({tile.getDimSize(0)}, tile.getElementType(),
                               layout ? layout.getRowSlice() : Attribute());
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getRows().getType()),
       tile = cast<RankedTensorType>(getTile().getType());
  bool columns = isOfColumns();
  if (from.getRank() < 1 || from.getRank() > 2 ||
      (columns && from.getDimSize(0) != 1))
    return emitOpError(
               "expected one value a row (rank 1), or one row of values, "
               "but got ")
           << from;
  if (from.getElementType() != tile.getElementType())
    return emitOpError("expected a tile of ")
           << from.getElementType() << ", but got " << tile;
  if (from.getDimSize(columns) != tile.getDimSize(columns))
    return emitOpError("expected a tile of ")
           << from.getDimSize(columns) << (columns ? " columns" : " rows")
           << ", but got " << tile;
  auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
  Attribute wanted = !layout   ? Attribute()
                     : columns ? layout.getColumnSlice()
                               : layout.getRowSlice();
  StringRef what = columns ? "columns" : "rows";
  if (wanted != from.getEncoding())
    return emitOpError("expected ")
           << what << " in the layout of the tile's " << what << ", "
           << RankedTensorType::get(from.getShape(), from.getElementType(),
                                    wanted)
           << ", but got " << from;
  return success();
}

/// Dimensions and element type of a tensor or a view.
static std::pair<unsigned, Type> describe(Type source) {
  if (auto view = dyn_cast<ViewType>(source))
    return {view.getRank(), view.getElementType()};
  auto tensor = cast<RankedTensorType>(source);
  return {static_cast<unsigned>(tensor.getRank()), tensor.getElementType()};
}

LogicalResult GatherOp::verify() {
  auto [rank, element] = describe(getSource().getType());
  size_t count = getIndices().size();
  if (count != rank)
    return emitOpError("expected ")
           << rank << " indices, one for each dimension of "
           << getSource().getType() << ", but got " << count;
  // What the result is, by the indices so far.
  Type wanted = element;
  for (Type type : getIndices().getTypes()) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      continue;
    auto own =
        RankedTensorType::get(tile.getShape(), element, tile.getEncoding());
    if (isa<RankedTensorType>(wanted) && wanted != own)
      return emitOpError("expected tiles of indices of one shape, but got ")
             << getIndices().getTypes();
    wanted = own;
  }
  if (getElements().getType() != wanted)
    return emitOpError("expected to give ")
           << wanted << ", but got " << getElements().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t dim = getDim();
  int64_t rank = cast<ShapedType>(getTile().getType()).getRank();
  if (rank == 0)
    return emitOpError("expected a tile of rank 1 or more, but got rank 0");
  if (dim < 0 || dim >= rank)
    return emitOpError("expected a dimension from 0 to ")
           << rank - 1 << ", but got " << dim;
  return success();
}

LogicalResult MaskOp::verify() {
  if (!(*this)->getParentOfType<StreamOp>())
    return emitOpError(
        "expected to stand in an attn.stream, whose segments say "
        "where it acts");
  return success();
}

//===----------------------------------------------------------------------===//
// Names of results, so that printed schedules read well
//===----------------------------------------------------------------------===//

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), "tile");
}

void GatherOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getElements(), "element");
}

void DotOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "dot");
}

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), stringifyReduceKind(getKind()));
}

void IotaOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), getDim() == 0 ? "rows" : "cols");
}

void MaskOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "scores");
}
