//===- AttentionBlocks.cpp - Lists of blocks of attn.attention ------------===//

#include "AttentionBlocks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

/// Matrix units take so many rows at once.
static constexpr int64_t kGranule = 16;

/// Operands: counts and numbers of the partial blocks, then of the full ones.
enum Operand {
  PartialCounts,
  PartialNumbers,
  FullCounts,
  FullNumbers,
  NumLists
};

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult attn::parseBlockSize(OpAsmParser &parser, StringRef name,
                                 OperationState &result) {
  SmallVector<int64_t> sizes;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::LessGreater,
          [&]() { return parser.parseInteger(sizes.emplace_back()); }))
    return failure();
  result.addAttribute(name, parser.getBuilder().getDenseI64ArrayAttr(sizes));
  return success();
}

void attn::printBlocks(OpAsmPrinter &p, AttentionOp op) {
  if (!op.hasBlocks())
    return;
  p << " blocks<";
  llvm::interleaveComma(op.getBlockSize(), p);
  p << ">(" << op.getBlocks() << " : " << op.getBlocks().getTypes() << ")";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

struct BlocksVerifier {
  AttentionOp op;
  int64_t batch;

  InFlightDiagnostic error() { return op.emitOpError("blocks expect "); }

  LogicalResult sizes() {
    ArrayRef<int64_t> sizes = op.getBlockSize();
    auto isValid = [](int64_t size) {
      return size >= kGranule && size % kGranule == 0 &&
             size <= BlocksTraversalAttr::kMostBlock;
    };
    if (sizes.size() == 2 && llvm::all_of(sizes, isValid))
      return success();
    return error() << "the queries and keys of a block, each a multiple of "
                   << kGranule << " up to " << BlocksTraversalAttr::kMostBlock
                   << ", but got <" << sizes << ">";
  }

  LogicalResult operands() {
    if (auto number = op.getBlocks().size();
        number != FullCounts && number != NumLists)
      return error() << "counts and numbers of the blocks that masks are asked "
                        "for, and perhaps of those that they are not, 2 or 4 "
                        "tensors, but got "
                     << number;
    for (auto [name, operand] :
         {std::pair<StringRef, Value>{"lengths", op.getLengths()},
          {"cu_seqlens_q", op.getQueryOffsets()},
          {"cu_seqlens_k", op.getKeyOffsets()},
          {"block_table", op.getBlockTable()}})
      if (operand)
        return error() << "no " << name << ", but got some";
    return success();
  }

  LogicalResult list(unsigned number) {
    auto type = cast<RankedTensorType>(op.getBlocks()[number].getType());
    bool isCount = number == PartialCounts || number == FullCounts;
    StringRef what = isCount ? "counts" : "numbers";
    if (type.getRank() != (isCount ? 3 : 4))
      return error() << what << " of rank "
                     << (isCount ? "3 (batch, head, rows of blocks)"
                                 : "4 (batch, head, rows of blocks, columns)")
                     << ", but got " << type;
    if (type.getDimSize(0) != 1 &&
        failed(verifyCompatibleDims({type.getDimSize(0), batch})))
      return error() << what << " of batch 1 or " << batch << ", but got "
                     << type;
    if (int64_t heads = type.getDimSize(1);
        heads != 1 && heads != op.getNumQueryHeads())
      return error() << what << " of 1 or " << op.getNumQueryHeads()
                     << " query heads, but got " << type;
    int64_t queries = op.getQuery().getType().getDimSize(op.getSeqDim());
    int64_t rows = ShapedType::isDynamic(queries)
                       ? queries
                       : llvm::divideCeil(queries, op.getBlockSize()[0]);
    if (failed(verifyCompatibleDims({type.getDimSize(2), rows})))
      return error() << what << " of " << rows << " rows of blocks, of "
                     << op.getBlockSize()[0] << " queries each, but got "
                     << type;
    return success();
  }
};

} // namespace

LogicalResult attn::verifyBlocks(AttentionOp op, int64_t batch) {
  if (!op.hasBlocks()) {
    if (op.getBlockSize().empty())
      return success();
    return op.emitOpError("blockSize expects lists of blocks, but got none");
  }
  BlocksVerifier v{op, batch};
  if (failed(v.operands()) || failed(v.sizes()))
    return failure();
  for (unsigned i = 0; i < op.getBlocks().size(); ++i)
    if (failed(v.list(i)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<AffineExpr>>
attn::blockDims(AttentionOp op, AffineExpr batch, AffineExpr head,
                AffineExpr query, AffineExpr key) {
  SmallVector<SmallVector<AffineExpr>> result;
  AffineExpr one = getAffineConstantExpr(0, op.getContext());
  for (Type type : op.getBlocks().getTypes()) {
    auto list = cast<RankedTensorType>(type);
    SmallVector<AffineExpr> dims{list.getDimSize(0) == 1 ? one : batch,
                                 list.getDimSize(1) == 1 ? one : head,
                                 query.ceilDiv(op.getBlockSize()[0])};
    if (list.getRank() > 3)
      dims.push_back(key.ceilDiv(op.getBlockSize()[1]));
    result.push_back(dims);
  }
  return result;
}

ListedBlocks::ListedBlocks(AttentionOp op, const IndexBuilder &m,
                           const TileContext &tile, Value batch, Value head,
                           Value query, Value keys)
    : op(op), m(m), batch(batch), head(head),
      row(m.div(query, m.constant(op.getBlockSize()[0]))), keys(keys),
      block(op.getBlockSize()[1]),
      staticKeys(op.getKey().getType().getDimSize(op.getKeySeqDim())) {
  ArrayRef<Value> views =
      ArrayRef(tile.views).slice(op.getFirstBlockView(), op.getBlocks().size());
  partial = {views[PartialCounts], views[PartialNumbers]};
  if (views.size() == NumLists)
    full = {views[FullCounts], views[FullNumbers]};
}

SmallVector<Value> ListedBlocks::placeIn(Value counts) {
  auto type = cast<ViewType>(counts.getType());
  Value zero = m.constant(0);
  return {type.getShape()[0] == 1 ? zero : batch,
          type.getShape()[1] == 1 ? zero : head, row};
}

Value ListedBlocks::count(const List &list) {
  Value number = ReadOp::create(m.b, m.loc, list.counts, placeIn(list.counts));
  Value room = m.b.createOrFold<DimOp>(m.loc, list.numbers, int64_t(3));
  return m.minS(m.maxS(number, m.constant(0)), room);
}

Value ListedBlocks::reachesBehind(Value full) {
  SmallVector<Value> place = placeIn(this->full.numbers);
  place.push_back(m.sub(full, m.constant(1)));
  Value last = ReadOp::create(m.b, m.loc, this->full.numbers, place);
  // What is negative is large without its sign.
  Value whole = m.div(keys, m.constant(block));
  Value behind = m.compare(arith::CmpIPredicate::uge, last, whole);
  Value any = m.compare(arith::CmpIPredicate::sgt, full, m.constant(0));
  return m.select(m.logicalAnd(behind, any), m.constant(1), m.constant(0));
}

SmallVector<Segment> ListedBlocks::buildSegments() {
  Value zero = m.constant(0), rows = m.constant(block);
  Value partialCount = count(partial);
  // Bounds show that they rise.
  auto boundAt = [&](Value blocks, Value from) {
    return m.maxS(m.mul(blocks, rows), from);
  };
  Value split = boundAt(partialCount, zero);
  SmallVector<Segment> segments{{zero, split, /*masked=*/true}};
  if (!full.counts)
    return segments;
  Value fullCount = count(full);
  Value all = m.add(partialCount, fullCount), whole = all;
  bool mayReach = ShapedType::isDynamic(staticKeys) || staticKeys % block != 0;
  if (mayReach)
    whole = m.sub(all, reachesBehind(fullCount));
  Value behind = boundAt(whole, split);
  segments.push_back({split, behind, /*masked=*/false});
  if (mayReach)
    segments.push_back({behind, boundAt(all, behind), /*masked=*/true});
  return segments;
}

StreamTraversal ListedBlocks::buildTraversal() {
  SmallVector<Value> operands{m.ceilDiv(keys, m.constant(block))};
  auto append = [&](const List &list) {
    operands.push_back(list.numbers);
    operands.append(placeIn(list.numbers));
    operands.push_back(m.constant(0));
  };
  append(partial);
  if (full.counts) {
    operands.push_back(count(partial));
    append(full);
  }
  return {BlocksTraversalAttr::get(op.getContext(), block), operands};
}
