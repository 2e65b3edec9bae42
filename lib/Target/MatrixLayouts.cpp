//===- MatrixLayouts.cpp - Layouts of matrix instructions -----------------===//

#include "attn-mlir/Target/MatrixLayouts.h"

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

FragmentAttr mmaLhs(MLIRContext *context, int64_t rows, int64_t columns,
                    int64_t warps) {
  // a0 a1 | a2 a3 eight rows below | a4..a7 eight columns on; then the next 16
  // columns; then 16 rows down.
  SmallVector<int64_t> registers{
      2, 0, 1, 2, 8, 0, 2, 0, 8, columns / 16, 0, 16, rows / warps / 16, 16, 0};
  return FragmentAttr::getNormal(context, 2, mmaThreads(rows, warps),
                                 registers);
}

} // namespace attn
