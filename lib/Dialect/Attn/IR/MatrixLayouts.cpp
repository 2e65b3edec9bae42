//===- MatrixLayouts.cpp - Layouts of matrix instructions -----------------===//

#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"

#include <numeric>

using namespace mlir;

namespace attn {

/// Rows of an instruction.
static constexpr int64_t kMmaRows = 16;

/// Lane l of a warp holds row l / 4 and columns 2 (l % 4), of every 8 x 8
/// matrix; warps follow each other along the rows.
static SmallVector<int64_t> mmaThreads(int64_t rows, int64_t warps) {
  return {4, 0, 2, 8, 1, 0, warps, rows / warps, 0};
}

WarpGrid warpGrid(int64_t rows, int64_t warps) {
  int64_t down = std::min(warps, std::max<int64_t>(rows / kMmaRows, 1));
  return {down, std::max<int64_t>(warps / down, 1)};
}

FragmentAttr mmaAccumulator(MLIRContext *context, int64_t rows, int64_t columns,
                            int64_t warps) {
  WarpGrid grid = warpGrid(rows, warps);
  if (grid.across > 1) {
    SmallVector<int64_t> threads = mmaThreads(rows, grid.down);
    threads.append({grid.across, 0, columns / grid.across});
    SmallVector<int64_t> registers{2, 0, 1, 2, 8, 0, columns / grid.across / 8,
                                   0, 8};
    return FragmentAttr::getNormal(context, 2, threads, registers);
  }
  // c0 c1 | c2 c3 eight rows below; then along the columns; then 16 rows down.
  SmallVector<int64_t> registers{
      2, 0, 1, 2, 8, 0, columns / 8, 0, 8, rows / warps / 16, 16, 0};
  return FragmentAttr::getNormal(context, 2, mmaThreads(rows, warps),
                                 registers);
}

FragmentAttr exchangedColumns(FragmentAttr accumulator) {
  constexpr int64_t kLanes = 4, kPair = 2, kBlock = 8;
  SmallVector<FragmentAttr::Mode> threads = accumulator.getThreadModes(),
                                  registers = accumulator.getRegisterModes();
  auto is = [](const FragmentAttr::Mode &mode, int64_t size, int64_t stride) {
    return mode.size == size && mode.strides[0] == 0 &&
           mode.strides[1] == stride;
  };
  if (accumulator.getRank() != 2 || threads.empty() || registers.empty() ||
      !is(threads.front(), kLanes, kPair) || !is(registers.front(), kPair, 1))
    return {};
  SmallVector<int64_t> to{kLanes, 0, kBlock}, held{kBlock, 0, 1};
  for (const FragmentAttr::Mode &mode : llvm::drop_begin(threads))
    to.append({mode.size, mode.strides[0], mode.strides[1]});
  bool exchanged = false;
  for (const FragmentAttr::Mode &mode : llvm::drop_begin(registers)) {
    bool blocks = is(mode, mode.size, kBlock);
    if (blocks && mode.size % kLanes != 0)
      return {};
    exchanged |= blocks;
    int64_t share = blocks ? kLanes : 1;
    held.append({mode.size / share, mode.strides[0], mode.strides[1] * share});
  }
  if (!exchanged)
    return {};
  return FragmentAttr::getNormal(accumulator.getContext(), 2, to, held);
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

FragmentAttr linesOfWarps(RankedTensorType tile, int64_t warps, int64_t lanes,
                          int64_t along) {
  int64_t width = 128 / tile.getElementTypeBitWidth(), down = lanes / along,
          perWarp = tile.getDimSize(0) / warps;
  SmallVector<int64_t> threads{along, 0, width, down, 1, 0, warps, perWarp, 0};
  SmallVector<int64_t> registers{width,
                                 0,
                                 1,
                                 tile.getDimSize(1) / (along * width),
                                 0,
                                 along * width,
                                 perWarp / down,
                                 down,
                                 0};
  return FragmentAttr::getNormal(tile.getContext(), 2, threads, registers);
}

FragmentAttr blocksOfThreads(MLIRContext *context, int64_t rows,
                             int64_t columns) {
  constexpr int64_t kBlock = 16, kMostAlongRow = 4;
  int64_t across = columns / kBlock, alongRow = std::gcd(across, kMostAlongRow);
  SmallVector<int64_t> threads{alongRow,          0,      kBlock,
                               rows / kBlock,     kBlock, 0,
                               across / alongRow, 0,      kBlock * alongRow};
  SmallVector<int64_t> registers{kBlock, 0, 1, kBlock, 1, 0};
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

FragmentAttr mmaGroups(MLIRContext *context, int64_t rows, int64_t columns,
                       int64_t warps, int64_t group) {
  int64_t own = group / InterleaveOp::kLanes;
  SmallVector<int64_t> threads{InterleaveOp::kLanes, 0, own, 8, 1, 0, warps,
                               rows / warps,         0};
  SmallVector<int64_t> registers{own,
                                 0,
                                 1,
                                 2,
                                 8,
                                 0,
                                 columns / group,
                                 0,
                                 group,
                                 rows / warps / kMmaRows,
                                 kMmaRows,
                                 0};
  return FragmentAttr::getNormal(context, 2, threads, registers);
}

FragmentAttr mmaLhs8(MLIRContext *context, int64_t rows, int64_t columns,
                     int64_t warps) {
  // a0..a3 | a4..a7 eight rows below | a8..a15 sixteen columns on; then the
  // next 32 columns; then 16 rows down.
  SmallVector<int64_t> threads{4, 0, 4, 8, 1, 0, warps, rows / warps, 0};
  SmallVector<int64_t> registers{
      4,  0, 1, 2, 8, 0, 2, 0, 16, columns / 32, 0, 32, rows / warps / 16,
      16, 0};
  return FragmentAttr::getNormal(context, 2, threads, registers);
}

FragmentAttr mmaWidening(MLIRContext *context, int64_t rows, int64_t columns,
                         int64_t warps) {
  // The even columns of four, eight rows below, then the odd ones; then the
  // next 16 columns; then 16 rows down.
  SmallVector<int64_t> threads{4, 0, 4, 8, 1, 0, warps, rows / warps, 0};
  SmallVector<int64_t> registers{
      2, 0, 2, 2, 8, 0, 2, 0, 1, columns / 16, 0, 16, rows / warps / 16, 16, 0};
  return FragmentAttr::getNormal(context, 2, threads, registers);
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

} // namespace attn
