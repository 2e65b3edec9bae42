//===- AttentionBlocks.cpp - Lists of blocks of attention -----------------===//

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

BlockLists attn::blocksOf(AttentionOp op) {
  return {op, op.getBlocks(), op.getBlockSize(), op.getFirstBlockView()};
}

ParseResult attn::parseBlockSize(OpAsmParser &parser,
                                 DenseI64ArrayAttr &attribute) {
  SmallVector<int64_t> sizes;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::LessGreater,
          [&]() { return parser.parseInteger(sizes.emplace_back()); }))
    return failure();
  attribute = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

ParseResult attn::parseBlockSize(OpAsmParser &parser, StringRef name,
                                 OperationState &result) {
  DenseI64ArrayAttr sizes;
  if (parseBlockSize(parser, sizes))
    return failure();
  result.addAttribute(name, sizes);
  return success();
}

void attn::printBlockSize(OpAsmPrinter &p, Operation *,
                          DenseI64ArrayAttr sizes) {
  p << "<";
  llvm::interleaveComma(sizes.asArrayRef(), p);
  p << ">";
}

void attn::printBlocks(OpAsmPrinter &p, AttentionOp op) {
  if (!op.hasBlocks())
    return;
  p << " blocks";
  printBlockSize(p, op, op.getBlockSizeAttr());
  p << "(" << op.getBlocks() << " : " << op.getBlocks().getTypes() << ")";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

struct BlocksVerifier {
  const BlockLists &blocks;
  int64_t batch, heads;
  StringRef ofHeads;
  int64_t grouped;

  InFlightDiagnostic error() {
    return blocks.op->emitOpError("blocks expect ");
  }

  LogicalResult sizes() {
    auto isValid = [](int64_t size) {
      return size >= kGranule && size % kGranule == 0 &&
             size <= BlocksTraversalAttr::kMostBlock;
    };
    if (blocks.size.size() == 2 && llvm::all_of(blocks.size, isValid))
      return success();
    return error() << "the queries and keys of a block, each a multiple of "
                   << kGranule << " up to " << BlocksTraversalAttr::kMostBlock
                   << ", but got <" << blocks.size << ">";
  }

  LogicalResult number() {
    if (auto number = blocks.lists.size();
        number != FullCounts && number != NumLists)
      return error() << "counts and numbers of the blocks that masks are asked "
                        "for, and perhaps of those that they are not, 2 or 4 "
                        "tensors, but got "
                     << number;
    return success();
  }

  LogicalResult list(unsigned number) {
    auto type = cast<RankedTensorType>(blocks.lists[number].getType());
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
    if (int64_t own = type.getDimSize(1); own != 1 && own != heads)
      return error() << what << " of 1 or " << heads << " " << ofHeads
                     << ", but got " << type;
    int64_t rows = ShapedType::isDynamic(grouped)
                       ? grouped
                       : llvm::divideCeil(grouped, blocks.groupedBlock());
    if (failed(verifyCompatibleDims({type.getDimSize(2), rows})))
      return error() << what << " of " << rows << " rows of blocks, of "
                     << blocks.groupedBlock()
                     << (blocks.byKeys ? " keys" : " queries")
                     << " each, but got " << type;
    return success();
  }
};

} // namespace

LogicalResult attn::verifyBlocks(const BlockLists &blocks, int64_t batch,
                                 int64_t heads, StringRef ofHeads,
                                 int64_t grouped) {
  if (!blocks) {
    if (blocks.size.empty())
      return success();
    return blocks.op->emitOpError(
        "blockSize expects lists of blocks, but got none");
  }
  BlocksVerifier v{blocks, batch, heads, ofHeads, grouped};
  if (failed(v.number()) || failed(v.sizes()))
    return failure();
  for (unsigned i = 0; i < blocks.lists.size(); ++i)
    if (failed(v.list(i)))
      return failure();
  return success();
}

LogicalResult attn::verifyBlocks(AttentionOp op, int64_t batch) {
  for (auto [name, operand] :
       {std::pair<StringRef, Value>{"lengths", op.getLengths()},
        {"cu_seqlens_q", op.getQueryOffsets()},
        {"cu_seqlens_k", op.getKeyOffsets()},
        {"block_table", op.getBlockTable()}})
    if (op.hasBlocks() && operand)
      return op.emitOpError("blocks expect no ") << name << ", but got some";
  return verifyBlocks(blocksOf(op), batch, op.getNumQueryHeads(), "query heads",
                      op.getQuery().getType().getDimSize(op.getSeqDim()));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<AffineExpr>>
attn::blockDims(const BlockLists &blocks, AffineExpr batch, AffineExpr head,
                AffineExpr grouped, AffineExpr streamed) {
  SmallVector<SmallVector<AffineExpr>> result;
  AffineExpr one = getAffineConstantExpr(0, blocks.op->getContext());
  for (Type type : blocks.lists.getTypes()) {
    auto list = cast<RankedTensorType>(type);
    SmallVector<AffineExpr> dims{list.getDimSize(0) == 1 ? one : batch,
                                 list.getDimSize(1) == 1 ? one : head,
                                 grouped.ceilDiv(blocks.groupedBlock())};
    if (list.getRank() > 3)
      dims.push_back(streamed.ceilDiv(blocks.streamedBlock()));
    result.push_back(dims);
  }
  return result;
}

ArrayRef<StringRef> attn::blockNames(const BlockLists &blocks) {
  static constexpr StringRef kByQueries[] = {
      "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices"};
  static constexpr StringRef kByKeys[] = {
      "q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices"};
  return ArrayRef<StringRef>(blocks.byKeys ? kByKeys : kByQueries)
      .take_front(blocks.lists.size());
}

ListedBlocks::ListedBlocks(const BlockLists &blocks, const IndexBuilder &m,
                           const TileContext &tile, Value batch, Value head,
                           Value first, Value extent, int64_t staticExtent)
    : m(m), batch(batch), head(head),
      row(m.div(first, m.constant(blocks.groupedBlock()))), extent(extent),
      block(blocks.streamedBlock()), staticExtent(staticExtent) {
  ArrayRef<Value> views =
      ArrayRef(tile.views).slice(blocks.firstView, blocks.lists.size());
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

Value ListedBlocks::countWhole(Value full) {
  SmallVector<Value> place = placeIn(this->full.numbers);
  place.push_back(m.sub(full, m.constant(1)));
  Value last = ReadOp::create(m.b, m.loc, this->full.numbers, place);
  // What is negative is large without its sign.
  Value whole = m.div(extent, m.constant(block));
  Value behind = m.compare(arith::CmpIPredicate::uge, last, whole);
  Value any = m.compare(arith::CmpIPredicate::sgt, full, m.constant(0));
  Value reaching =
      m.select(m.logicalAnd(behind, any), m.constant(1), m.constant(0));
  return m.sub(full, reaching);
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
  bool mayReach =
      ShapedType::isDynamic(staticExtent) || staticExtent % block != 0;
  if (mayReach)
    whole = m.add(partialCount, countWhole(fullCount));
  Value behind = boundAt(whole, split);
  segments.push_back({split, behind, /*masked=*/false});
  if (mayReach)
    segments.push_back({behind, boundAt(all, behind), /*masked=*/true});
  return segments;
}

StreamTraversal ListedBlocks::buildTraversal() {
  SmallVector<Value> operands{m.ceilDiv(extent, m.constant(block))};
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
  return {BlocksTraversalAttr::get(m.b.getContext(), block), operands};
}
