//===- WarpChoice.cpp - Warps of a CTA ------------------------------------===//

#include "attn-mlir/Dialect/Attn/Utils/WarpChoice.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;

/// Rows that a warp has by default.
static constexpr int64_t kUsualRows = 32;

static int64_t warpsForRows(int64_t rows, int64_t most) {
  constexpr int64_t kBlockRows = 16, kUsualWarps = 4;
  int64_t blocks = rows / kBlockRows, best = 1;
  for (int64_t warps = 1; warps <= most && warps <= blocks; ++warps)
    if (blocks % warps == 0 &&
        (warps <= kUsualWarps || rows / warps > kUsualRows || best == 1))
      best = warps;
  return best;
}

/// Registers that accumulators and what is computed of them take in all
/// threads: one tile of each shape.
static int64_t countRegisters(KernelOp kernel) {
  llvm::SmallSetVector<Type, 4> tiles;
  kernel.walk([&](DotOp dot) { tiles.insert(dot.getResult().getType()); });
  int64_t registers = 0;
  for (Type type : tiles)
    registers += cast<ShapedType>(type).getNumElements();
  return registers;
}

/// Whether masks at both ends of a stream, as a window's, are computed by a
/// warp that has its scheduler alone: what it waits for, no other covers
/// (docs/notebooks/performance.md, "Tiles of the mma.sync kernels").
static bool masksAlone(KernelOp kernel) {
  TargetAttr target = TargetAttr::of(kernel);
  if (!target.hasCapability("mma.sync") ||
      residentCtas(target, footprintOf(kernel)) != 1)
    return false;
  return kernel
      .walk([](StreamOp stream) {
        return llvm::count(stream.getMasked(), true) > 1
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t attn::defaultWarps(KernelOp kernel, int64_t rows,
                           MatrixUnitInterface unit) {
  int64_t most = mostWarps(TargetAttr::of(kernel)),
          warps = warpsForRows(rows, most), registers = countRegisters(kernel);
  auto canDouble = [&] {
    return 2 * warps <= most && rows % (kUsualRows * warps) == 0;
  };
  while (registers / (unit.getLanes() * warps) > unit.getMostHeld() &&
         canDouble())
    warps *= 2;
  if (rows / warps >= kUsualRows && masksAlone(kernel) && canDouble())
    warps *= 2;
  return warps;
}
