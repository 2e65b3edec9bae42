//===- MatrixLayouts.cpp - Layouts of matrix instructions -----------------===//

#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

#include <numeric>

using namespace mlir;

namespace attn {

int64_t tileGranule(TargetAttr target) {
  for (StringRef capability : {"mma.sync", "wgmma", "mfma"})
    if (target.hasCapability(capability))
      return 16;
  return 1;
}

/// Lane l of a warp holds row l / 4 and columns 2 (l % 4), of every 8 x 8
/// matrix; warps follow each other along the rows.
static SmallVector<int64_t> mmaThreads(int64_t rows, int64_t warps) {
  return {4, 0, 2, 8, 1, 0, warps, rows / warps, 0};
}

FragmentAttr mmaAccumulator(MLIRContext *context, int64_t rows, int64_t columns,
                            int64_t warps) {
  // c0 c1 | c2 c3 eight rows below; then along the columns; then 16 rows down.
  SmallVector<int64_t> registers{
      2, 0, 1, 2, 8, 0, columns / 8, 0, 8, rows / warps / 16, 16, 0};
  return FragmentAttr::getNormal(context, 2, mmaThreads(rows, warps),
                                 registers);
}

FragmentAttr rowsOfWarps(MLIRContext *context, int64_t rows, int64_t columns,
                         int64_t warps, int64_t lanes, int64_t least) {
  // Warps of the same rows have neighbouring columns of them, or copies.
  int64_t apart = std::gcd(rows, warps), perWarp = rows / apart,
          warpsOfRow = warps / apart;
  bool parted = columns % (least * lanes * warpsOfRow) == 0;
  int64_t width = parted ? columns / warpsOfRow : columns, alongRow = lanes;
  while (alongRow > 1 && width % (least * alongRow) != 0)
    alongRow /= 2;
  // Lanes that are left have the next rows, or copies.
  int64_t rowLanes = std::gcd(perWarp, lanes / alongRow);
  SmallVector<int64_t> threads{alongRow,
                               0,
                               width / alongRow,
                               rowLanes,
                               1,
                               0,
                               lanes / alongRow / rowLanes,
                               0,
                               0,
                               warpsOfRow,
                               0,
                               parted ? width : 0,
                               apart,
                               perWarp,
                               0};
  SmallVector<int64_t> registers{width / alongRow,   0,        1,
                                 perWarp / rowLanes, rowLanes, 0};
  return FragmentAttr::getNormal(context, 2, threads, registers);
}

FragmentAttr mmaLhs(MLIRContext *context, int64_t rows, int64_t columns,
                    int64_t warps) {
  // a0 a1 | a2 a3 eight rows below | a4..a7 eight columns on; then the next 16
  // columns; then 16 rows down.
  SmallVector<int64_t> registers{
      2, 0, 1, 2, 8, 0, 2, 0, 8, columns / 16, 0, 16, rows / warps / 16, 16, 0};
  return FragmentAttr::getNormal(context, 2, mmaThreads(rows, warps),
                                 registers);
}

std::string whyNotWgmma(RankedTensorType lhs, RankedTensorType rhs,
                        RankedTensorType result) {
  constexpr int64_t kMostColumns = 256, kDepth = 16, kColumns = 16;
  int64_t rows = result.getDimSize(0), columns = result.getDimSize(1);
  int64_t warps = rows / kWgmmaRowsPerWarp;
  MLIRContext *context = result.getContext();
  if (!lhs.getElementType().isF16() && !lhs.getElementType().isBF16())
    return "operands are not of f16 or bf16";
  if (rows % (4 * kWgmmaRowsPerWarp) != 0)
    return "rows are no multiple of 64";
  if (columns % kColumns != 0 || columns > kMostColumns)
    return "columns are no multiple of 16 up to 256";
  if (lhs.getDimSize(1) % kDepth != 0)
    return "the summed dimension is no multiple of 16";
  if (result.getEncoding() != mmaAccumulator(context, rows, columns, warps))
    return "warps have other than 16 rows each";
  if (!isa_and_nonnull<SharedAttr>(rhs.getEncoding()))
    return "the right-hand side is not in shared memory";
  if (!isa_and_nonnull<SharedAttr>(lhs.getEncoding()) &&
      lhs.getEncoding() != mmaLhs(context, rows, lhs.getDimSize(1), warps))
    return "the left-hand side is neither in shared memory nor in the "
           "registers of an A operand";
  return "";
}

int64_t lanesOf(TargetAttr target) {
  return target.hasCapability("mfma") ? 64 : 32;
}

int64_t mfmaVector(MfmaBlock block, int64_t columns) {
  int64_t groups = 64 / static_cast<int64_t>(block);
  return columns % (groups * 8) == 0 ? 8 : 4;
}

FragmentAttr mfmaTile(MLIRContext *context, MfmaBlock block, int64_t rows,
                      int64_t columns, int64_t warps) {
  auto size = static_cast<int64_t>(block);
  int64_t groups = 64 / size, vector = mfmaVector(block, columns);
  SmallVector<int64_t> threads{size,         1, 0, groups, 0, vector, warps,
                               rows / warps, 0};
  SmallVector<int64_t> registers{vector,
                                 0,
                                 1,
                                 columns / (groups * vector),
                                 0,
                                 groups * vector,
                                 rows / warps / size,
                                 size,
                                 0};
  return FragmentAttr::getNormal(context, 2, threads, registers);
}

int64_t mfmaOperandRow(MfmaBlock block, int64_t vector, int64_t m, int64_t a) {
  // Row 8 (r / 4) + 4 (lane / 32) + r mod 4 is the column of register r mod 8
  // of eight: bits 2 and 3 change places.
  if (block == MfmaBlock::Large)
    return vector == 8 ? (m & 19) | (m & 4) << 1 | (m & 8) >> 1 : m;
  // Row 4 (lane / 16) + r, of two accumulators that have four columns each.
  return vector == 8 ? 8 * (m / 4) + 4 * a + m % 4 : m;
}

std::optional<MfmaBlock> mfmaBlockOf(RankedTensorType tile, int64_t warps) {
  for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small}) {
    auto size = static_cast<int64_t>(block);
    if (tile.getDimSize(0) % (size * warps) == 0 &&
        tile.getDimSize(1) % 16 == 0 &&
        tile.getEncoding() == mfmaTile(tile.getContext(), block,
                                       tile.getDimSize(0), tile.getDimSize(1),
                                       warps))
      return block;
  }
  return std::nullopt;
}

} // namespace attn
