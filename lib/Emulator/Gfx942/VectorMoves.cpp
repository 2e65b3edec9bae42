//===- VectorMoves.cpp - Moves, selects, lanes ----------------------------===//
//
// CDNA3 ISA, sections 12.7 to 12.11; AGPRs: section 7 (matrix arithmetic).
// Swaps of lanes: LLVM's "User Guide for AMDGPU Backend",
// llvm.amdgcn.permlane16.swap and llvm.amdgcn.permlane32.swap.
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

void selectLanes(Wave &w, const Inst &i) {
  Source a, b;
  Result d;
  w.laneMask = w.exec();
  fetchSource(w, i, i.ops[1], 0, Format::B32, a);
  fetchSource(w, i, i.ops[2], 1, Format::B32, b);
  uint64_t choose = w.read64(i.ops[3]);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    d.lo[lane] = choose >> lane & 1 ? b.lo[lane] : a.lo[lane];
  storeResult(w, i, i.ops[0], Format::B32, false, 2, d);
}

/// The lane that a lane-select operand names, modulo the wave.
unsigned laneOf(const Wave &w, const Operand &op) {
  return w.read32(op) & (kLanes - 1);
}

void readLane(Wave &w, const Inst &i) {
  w.write32(i.ops[0], w.v[i.ops[1].reg][laneOf(w, i.ops[2])]);
}

void readFirstLane(Wave &w, const Inst &i) {
  uint64_t exec = w.exec();
  unsigned lane = exec ? countr_zero(exec) : 0;
  w.write32(i.ops[0],
            i.ops[1].isVector() ? w.v[i.ops[1].reg][lane] : w.read32(i.ops[1]));
}

/// Ignores EXEC.
void writeLane(Wave &w, const Inst &i) {
  w.v[i.ops[0].reg][laneOf(w, i.ops[2])] = w.read32(i.ops[1]);
}

void swapRegisters(Wave &w, const Inst &i) {
  LaneArray &a = w.v[i.ops[0].reg], &b = w.v[i.ops[1].reg];
  uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (exec >> lane & 1)
      std::swap(a[lane], b[lane]);
}

/// Swaps each odd row of `Lanes` lanes of the first operand with the even row
/// before it of the second.
template <unsigned Lanes> void swapRows(Wave &w, const Inst &i) {
  if (w.exec() != ~uint64_t(0))
    return w.fail(
        "the emulator has no swap of lanes some of which are inactive");
  LaneArray &a = w.v[i.ops[0].reg], &b = w.v[i.ops[1].reg];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lane / Lanes % 2 == 0)
      std::swap(a[lane + Lanes], b[lane]);
}

/// b + the number of bits of `mask` below this lane, in one half of the wave.
template <unsigned FirstLane> void maskCount(Wave &w, const Inst &i) {
  Source mask, b;
  Result d;
  w.laneMask = w.exec();
  fetchSource(w, i, i.ops[1], 0, Format::B32, mask);
  fetchSource(w, i, i.ops[2], 1, Format::B32, b);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned below = lane < FirstLane        ? 0
                     : lane - FirstLane < 32 ? lane - FirstLane
                                             : 32;
    uint64_t bits = (uint64_t(1) << below) - 1;
    d.lo[lane] = b.lo[lane] + popcount(mask.lo[lane] & bits);
  }
  storeResult(w, i, i.ops[0], Format::B32, false, 2, d);
}

} // namespace

void attn::gfx942::addVectorMoves(SemanticsTable &t) {
  auto move = vectorOp<uint32_t, uint32_t>([](uint32_t x) { return x; });
  for (StringRef name : {"v_mov_b32", "v_accvgpr_read_b32",
                         "v_accvgpr_write_b32", "v_accvgpr_mov_b32"})
    t.add(name, kValu, move);
  t.add("v_mov_b64", kValu,
        vectorOp<uint64_t, uint64_t>([](uint64_t x) { return x; }));
  t.add("v_cndmask_b32", kValu, selectLanes);
  t.add("v_readlane_b32", kValu, readLane);
  t.add("v_readfirstlane_b32", kValu, readFirstLane);
  t.add("v_writelane_b32", kValu, writeLane);
  t.add("v_swap_b32", kValu, swapRegisters);
  t.add("v_permlane16_swap_b32", kValu, swapRows<16>);
  t.add("v_permlane32_swap_b32", kValu, swapRows<32>);
  t.add("v_mbcnt_lo_u32_b32", kValu, maskCount<0>);
  t.add("v_mbcnt_hi_u32_b32", kValu, maskCount<32>);
  t.add("v_pack_b32_f16", kValu,
        vectorOp<uint32_t, uint16_t, uint16_t>(
            [](uint16_t a, uint16_t b) { return a | uint32_t(b) << 16; }));
  t.add("v_nop", kValu, [](Wave &, const Inst &) {});
}
