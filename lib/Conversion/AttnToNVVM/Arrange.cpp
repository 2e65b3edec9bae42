//===- Arrange.cpp - Rows of 8-bit elements as interleaved columns --------===//
//
// ldmatrix takes pairs of neighbouring bytes for elements of 16 bits, and
// exchanges rows and columns of 8 x 8 of them: of keys 0 to 7 and 8 to 15 a
// lane then has those of keys 2 t, 2 t + 1, 8 + 2 t and 9 + 2 t in two columns
// of V. These are four neighbours in the order of attn.interleave, so that two
// permutations of bytes make a word of each column, and stmatrix writes them.
// PTX ISA, "ldmatrix", "prmt" and "stmatrix".
//
//===----------------------------------------------------------------------===//

#include "../Fragments/SharedTile.h"
#include "NVVMLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rows and columns of the four matrices that a warp moves at once.
constexpr int64_t kRows = 32, kColumns = 16;

/// Moves four matrices after the other.
class Arranger {
public:
  Arranger(OpBuilder &b, RingArrangeOp op, Value from, Value to)
      : b(b), loc(op.getLoc()), t{b, loc},
        rows(cast<RankedTensorType>(op.getTile().getType()), t),
        columns(op.getSlot().getType().getTile(), t), from(from), to(to) {
    Value lane = laneOf(t);
    upper = t.rem(t.div(lane, kColumns), 2);
    // The word of an even column first, of lanes from 16 on that of an odd one:
    // rows of the result that are written at once then lie in banks of their
    // own.
    auto selector = [&](int64_t low, int64_t high) -> Value {
      return arith::SelectOp::create(b, loc, t.equals(upper, 0),
                                     t.constant(low), t.constant(high));
    };
    first = selector(kEven, kOdd);
    second = selector(kOdd, kEven);
  }

  /// What a warp does at once: rows from `kRows * n` on of a panel.
  int64_t numBlocks() const { return rows.rows() / kRows * rows.numPanels(); }

  void arrange(Value number) const {
    int64_t inPanel = rows.rows() / kRows;
    bool isOne = rows.numPanels() == 1;
    Value panel = isOne ? t.constant(0) : t.div(number, inPanel),
          block = isOne ? number : t.rem(number, inPanel);
    Value lane = laneOf(t), inMatrix = t.rem(lane, kMatrix);
    Value source = rows.perThread(t.add(lane, t.mul(block, kRows)), inMatrix,
                                  /*threadChunk=*/{});
    // Lanes name rows of the result, 8 of each matrix.
    Value odd =
        t.bitXor(t.div(inMatrix, kMatrix / 2), t.rem(t.div(lane, kMatrix), 2));
    Value place = columns.chunk(t.add(t.mul(inMatrix, 2), odd),
                                t.add(t.mul(block, kRows / kColumns), upper));
    if (!isOne) {
      source = t.add(source, t.mul(panel, rows.panelDistance()));
      place = t.add(place,
                    t.mul(panel, rows.panelColumns() * columns.panelBytes()));
    }
    Value target = advance(b, loc, to, place);
    for (int64_t i = 0; i < rows.panelColumns() / kColumns; ++i)
      store(load(rows.at(source, 0, i)),
            advance(b, loc, target, i * kColumns * columns.panelBytes()));
  }

private:
  static constexpr int64_t kEven = 0x6420, kOdd = 0x7531;

  SmallVector<Value> load(const SharedTile::Offset &offset) const {
    SmallVector<Type> types(4, b.getI32Type());
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        sharedAt(b, loc, from, offset), 4, NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrix, kMatrix),
        NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words;
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
    return words;
  }

  Value permute(Value low, Value high, Value selector) const {
    return NVVM::PermuteOp::create(b, loc, b.getI32Type(), low, high, selector,
                                   NVVM::PermuteMode::DEFAULT);
  }

  void store(ValueRange words, Value address) const {
    SmallVector<Value> sources;
    for (int64_t i : {0, 2})
      for (Value selector : {first, second})
        sources.push_back(permute(words[i], words[i + 1], selector));
    NVVM::StMatrixOp::create(
        b, loc, address, sources, NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrix, kMatrix),
        NVVM::LdStMatrixEltType::B16);
  }

  OpBuilder &b;
  Location loc;
  ThreadBuilder t;
  SharedTile rows, columns;
  Value from, to, upper, first, second;
};

} // namespace

void attn::arrangeTile(RingArrangeOp op, Value from, Value to, OpBuilder &b) {
  Location loc = op.getLoc();
  auto warps = op->getAttrOfType<DenseI64ArrayAttr>(kArrangersAttr);
  ThreadBuilder t{b, loc};
  Arranger arranger(b, op, from, to);
  auto loop = scf::ForOp::create(b, loc, t.add(warpOf(t), -warps[0]),
                                 t.constant(arranger.numBlocks()),
                                 t.constant(warps[1]));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  arranger.arrange(loop.getInductionVar());
}
