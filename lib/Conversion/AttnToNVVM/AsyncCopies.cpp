//===- AsyncCopies.cpp - Tiles into rings by cp.async ---------------------===//
//
// Every thread copies chunks of at most 16 bytes; what lies outside of the view
// is filled with zeros by a shorter source. PTX ISA, "cp.async".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// Rows after which chunks are permuted in shared memory as before.
constexpr int64_t kPermutedRows = 8;

/// What a chunk has of its place in its row, which threads whose chunks all lie
/// in the same columns compute once.
struct Column {
  /// Byte offset in the slot, of row `row` of the tile.
  Value row, offset;
  /// Whether its matrix exists; null where that of the tile says it.
  Value exists;
  /// Bytes of the chunk that exist.
  Value bytes;
  /// Row of the view, and bytes from its base.
  Value viewRow, source;
};

class AsyncCopier {
public:
  AsyncCopier(RingIssueOp op, RankedTensorType type, Value data, OpBuilder &b)
      : op(op), data(data), b(b), loc(op.getLoc()), thread(threadOf(op, b)),
        tile(type, ThreadBuilder{b, op.getLoc(), thread}), view(op.getView()),
        rank(view.sizes.size()), chunkBytes(op.getChunk()),
        perSwizzled(SharedTile::kChunkBytes / chunkBytes),
        chunksOfRow(tile.chunksPerPanel() * tile.numPanels() * perSwizzled),
        threads(op->hasAttr(kByWarpAttr) ? kWarpThreads : computeThreads(op)) {
    findOrigin();
    last = view.sizes[rank - 2];
    // Rows of blocks are counted in the tile.
    if (!op.getBlocks().empty())
      last = constant(std::numeric_limits<int64_t>::max());
    if (op.getUntil())
      last = arith::MinSIOp::create(b, loc, last, wide(op.getUntil()));
  }

  void run() {
    int64_t total = tile.rows() * chunksOfRow;
    // Threads whose next chunks are the same columns some rows below.
    int64_t down = threads / chunksOfRow;
    bool below = threads % chunksOfRow == 0 && down % kPermutedRows == 0 &&
                 op.getBlocks().empty();
    Column column;
    Value step;
    for (int64_t first = 0; first < total; first += threads) {
      Value number = t().add(t().thread(), first);
      if (!below || first == 0)
        column = columnOf(number);
      else
        goDown(column, down, step);
      if (first + threads <= total) {
        copy(b, column);
        continue;
      }
      scf::IfOp::create(b, loc, t().less(number, t().constant(total)),
                        [&](OpBuilder &nested, Location) {
                          copy(nested, column);
                          scf::YieldOp::create(nested, loc);
                        });
    }
  }

private:
  /// The number of the thread among those that copy.
  static Value threadOf(RingIssueOp op, OpBuilder &b) {
    Value thread = readThreadAgain(b, op.getLoc());
    ThreadBuilder t{b, op.getLoc(), thread};
    return op->hasAttr(kByWarpAttr) ? t.rem(thread, kWarpThreads) : thread;
  }

  ThreadBuilder t() const { return {b, loc, thread}; }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value wide(Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  }
  Value extend(Value v) {
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), v);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value mul(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }

  /// Elements from the base of the view to the tile's matrix, and whether the
  /// matrix exists.
  void findOrigin() {
    origin = constant(0);
    // The first dimension of blocks is that of each.
    for (unsigned dim = op.getBlocks().empty() ? 0 : 1; dim + 2 < rank; ++dim) {
      Value offset = wide(op.getOffsets()[dim]);
      origin = add(origin, mul(offset, view.strides[dim]));
      exists = t().both(exists,
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                              offset, view.sizes[dim]));
    }
  }

  Column columnOf(Value number) {
    Column result;
    result.row = t().div(number, chunksOfRow);
    Value chunk = t().rem(number, chunksOfRow);
    result.offset = tile.chunk(result.row, t().div(chunk, perSwizzled));
    if (perSwizzled != 1)
      result.offset = t().add(result.offset,
                              t().mul(t().rem(chunk, perSwizzled), chunkBytes));
    int64_t elements = chunkBytes / tile.elementBytes();
    Value j =
        add(wide(op.getOffsets()[rank - 1]), extend(t().mul(chunk, elements)));
    Value left = b.createOrFold<arith::SubIOp>(loc, view.sizes[rank - 1], j);
    left = arith::MaxSIOp::create(b, loc, left, constant(0));
    left = arith::MinSIOp::create(b, loc, left, constant(elements));
    result.bytes = arith::TruncIOp::create(
        b, loc, b.getI32Type(), mul(left, constant(tile.elementBytes())));
    result.viewRow = add(wide(op.getOffsets()[rank - 2]), extend(result.row));
    Value row = result.viewRow, base = origin;
    if (!op.getBlocks().empty())
      findBlock(result, row, base);
    Value element = add(base, add(mul(row, view.strides[rank - 2]), j));
    result.source = mul(element, constant(tile.elementBytes()));
    return result;
  }

  /// Where the block of a chunk begins, its row there, and whether both exist.
  void findBlock(Column &column, Value &row, Value &base) {
    int64_t rows = op.getBlockRows();
    Value number = t().div(column.row, rows);
    Value first = wide(op.getOffsets()[0]);
    for (auto [i, other] : llvm::enumerate(op.getBlocks())) {
      Value own =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                t().constant(static_cast<int64_t>(i) + 1));
      first = arith::SelectOp::create(b, loc, own, wide(other), first);
    }
    row =
        add(wide(op.getOffsets()[rank - 2]), extend(t().rem(column.row, rows)));
    auto below = [&](Value x, Value size) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, size);
    };
    column.exists =
        t().both(below(first, view.sizes[0]), below(row, view.sizes[rank - 2]));
    base = add(base, mul(first, view.strides[0]));
  }

  /// The same columns `rows` rows further down: addresses differ in one step.
  void goDown(Column &column, int64_t rows, Value &step) {
    if (!step)
      step = mul(view.strides[rank - 2], constant(rows * tile.elementBytes()));
    column.row = t().add(column.row, rows);
    column.offset = t().add(column.offset, rows * tile.panelBytes());
    column.viewRow = add(column.viewRow, constant(rows));
    column.source = add(column.source, step);
  }

  void copy(OpBuilder &nested, const Column &column) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    Value inside =
        t().both(t().both(exists, column.exists),
                 arith::CmpIOp::create(b, loc,
                                       op.getBlocks().empty()
                                           ? arith::CmpIPredicate::ult
                                           : arith::CmpIPredicate::slt,
                                       column.viewRow, last));
    Value none = t().constant(0);
    Value bytes = arith::SelectOp::create(b, loc, inside, column.bytes, none);
    // An address outside is never formed.
    Value source = arith::SelectOp::create(
        b, loc,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, bytes, none),
        column.source, constant(0));
    source = LLVM::AddrSpaceCastOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
        advance(b, loc, view.pointer, source));
    NVVM::CpAsyncOp::create(
        b, loc, advance(b, loc, data, column.offset), source, chunkBytes,
        chunkBytes == SharedTile::kChunkBytes ? NVVM::LoadCacheModifierKind::CG
                                              : NVVM::LoadCacheModifierKind::CA,
        bytes);
  }

  RingIssueOp op;
  Value data;
  OpBuilder &b;
  Location loc;
  /// Read for each tile, since what follows from it costs less instructions
  /// than registers that hold it while products are under way.
  Value thread;
  SharedTile tile;
  ViewParameters view;
  unsigned rank;
  int64_t chunkBytes, perSwizzled, chunksOfRow, threads;
  Value origin, exists, last;
};

} // namespace

void attn::copyAsync(RingIssueOp op, RankedTensorType tile, Value data,
                     OpBuilder &b) {
  AsyncCopier(op, tile, data, b).run();
}
