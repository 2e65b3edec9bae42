//===- MemoryAccess.h - What loads put into registers -----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_MEMORYACCESS_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_MEMORYACCESS_H

#include "Wave.h"

namespace attn::gfx942 {

/// Writes op.size bytes into a lane's registers from `reg` on: dwords as they
/// are; one or two bytes extended, or into one half (d16), by the instruction's
/// name.
void loadLane(Wave &w, const MemOp &op, unsigned reg, unsigned lane,
              const uint8_t *from);

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_MEMORYACCESS_H
