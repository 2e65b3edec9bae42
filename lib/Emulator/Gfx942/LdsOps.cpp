//===- LdsOps.cpp - DS instructions ---------------------------------------===//
//
// CDNA3 ISA, sections 11 (LDS) and 12.12 (DS); transposing reads: CDNA4 ISA,
// section 11.4. A wave's DS instructions are performed in order; each acts when
// it completes.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Semantics.h"
#include "Wave.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

const InstClass kLds = InstClass::Lds;

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// Addresses are 32 bits: a negative one and an offset may give a valid sum.
uint32_t pieceAddress(const MemOp &op, unsigned lane, unsigned piece) {
  return uint32_t(op.address[lane]) + op.pieceOffset[piece];
}

/// The bytes of one lane's piece after its checks, or null.
uint8_t *ldsBytes(Wave &w, const MemOp &op, unsigned lane, uint64_t offset,
                  bool store) {
  LdsAccess access{op.inst, w.index, op.issued, w.epoch, store};
  std::string message = w.group.lds.check(access, offset, op.size);
  if (message.empty())
    return w.group.lds.bytes() + offset;
  w.fail("lane " + Twine(lane) + ": " + message);
  return nullptr;
}

void count(Wave &w, const MemOp &op, unsigned piece, bool store) {
  std::array<uint32_t, kLanes> addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = pieceAddress(op, lane, piece);
  LdsCycles cycles =
      countLdsCycles(w.group.arch, addresses, op.exec, op.size, store);
  Counters &c = w.group.counters;
  c.ldsCycles += cycles.total;
  c.ldsConflictCycles += cycles.conflicts;
  if (store)
    c.ldsWriteConflictCycles += cycles.conflicts;
  (store ? c.ldsWriteBytes : c.ldsReadBytes) +=
      uint64_t(op.size) * popcount(op.exec);
}

template <typename F> void forEachActive(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(countr_zero(mask)));
}

void completeWrite(Wave &w, const MemOp &op) {
  for (unsigned p = 0; p < op.pieces; ++p) {
    count(w, op, p, /*store=*/true);
    unsigned dword = p * divideCeil(op.size, 4);
    forEachActive(op.exec, [&](unsigned lane) {
      uint32_t offset = pieceAddress(op, lane, p);
      if (uint8_t *to = ldsBytes(w, op, lane, offset, /*store=*/true))
        for (unsigned b = 0; b < op.size; ++b)
          to[b] = uint8_t(op.data[dword + b / 4][lane] >> (8 * (b % 4)));
    });
  }
}

void completeRead(Wave &w, const MemOp &op) {
  for (unsigned p = 0; p < op.pieces; ++p) {
    count(w, op, p, /*store=*/false);
    unsigned dword = p * divideCeil(op.size, 4);
    forEachActive(op.exec, [&](unsigned lane) {
      uint32_t offset = pieceAddress(op, lane, p);
      if (const uint8_t *from = ldsBytes(w, op, lane, offset, /*store=*/false))
        loadLane(w, op, op.dst + dword, lane, from);
    });
  }
}

/// Every 16 lanes read, 8 bytes each, rows of 16 elements of B bytes, one row
/// after the other, and column c goes to lane c: its element n is of row n.
template <unsigned B> void completeTransposed(Wave &w, const MemOp &op) {
  constexpr unsigned kGroup = 16, kEach = 8 / B, kLanesOfRow = kGroup / kEach;
  count(w, op, 0, /*store=*/false);
  std::array<std::array<uint8_t, 8>, kLanes> read;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint8_t *from =
        ldsBytes(w, op, lane, pieceAddress(op, lane, 0), /*store=*/false);
    if (!from)
      return;
    std::memcpy(read[lane].data(), from, 8);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned column = lane % kGroup;
    uint8_t bytes[8];
    for (unsigned n = 0; n < kEach; ++n) {
      unsigned source = lane - column + n * kLanesOfRow + column / kEach;
      std::memcpy(&bytes[n * B], &read[source][column % kEach * B], B);
    }
    loadLane(w, op, op.dst, lane, bytes);
  }
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

void setAddresses(Wave &w, MemOp &op, const Operand &address) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    op.address[lane] = w.v[address.reg][lane];
}

/// One or two pieces of `size` bytes; `stride` is the unit of offset0 and
/// offset1.
void setPieces(MemOp &op, const Inst &i, unsigned size, unsigned pieces,
               unsigned stride) {
  op.size = size;
  op.pieces = pieces;
  if (pieces == 1) {
    op.pieceOffset[0] = i.mods.offset;
  } else {
    op.pieceOffset[0] = i.mods.offset0 * stride;
    op.pieceOffset[1] = i.mods.offset1 * stride;
  }
}

Handler dsRead(unsigned size, unsigned pieces, unsigned stride) {
  return [=](Wave &w, const Inst &i) {
    MemOp &op = w.issueLds(i);
    setAddresses(w, op, i.ops[1]);
    setPieces(op, i, size, pieces, stride);
    op.complete = completeRead;
    w.setPending(op, i.ops[0].reg, i.ops[0].count, /*vmem=*/false);
  };
}

/// The manual wants all lanes active (EXEC all ones).
template <unsigned B> void dsReadTransposed(Wave &w, const Inst &i) {
  if (w.exec() != ~uint64_t(0))
    return w.fail("a transposing read needs all lanes, but EXEC is 0x" +
                  utohexstr(w.exec(), /*LowerCase=*/true));
  MemOp &op = w.issueLds(i);
  setAddresses(w, op, i.ops[1]);
  setPieces(op, i, /*size=*/8, /*pieces=*/1, /*stride=*/0);
  op.complete = completeTransposed<B>;
  w.setPending(op, i.ops[0].reg, i.ops[0].count, /*vmem=*/false);
}

Handler dsWrite(unsigned size, unsigned pieces, unsigned stride, bool high) {
  return [=](Wave &w, const Inst &i) {
    MemOp &op = w.issueLds(i);
    setAddresses(w, op, i.ops[0]);
    setPieces(op, i, size, pieces, stride);
    unsigned dwords = divideCeil(size, 4);
    for (unsigned p = 0; p < pieces; ++p)
      for (unsigned d = 0; d < dwords; ++d) {
        LaneArray &data = op.data[p * dwords + d];
        data = w.v[i.ops[1 + p].reg + d];
        if (high)
          for (uint32_t &x : data)
            x >>= 16;
      }
    op.complete = completeWrite;
  };
}

//===----------------------------------------------------------------------===//
// Cross-lane instructions: they use the LDS's wires, not its memory
//===----------------------------------------------------------------------===//

void completeMove(Wave &w, const MemOp &op) {
  forEachActive(op.exec,
                [&](unsigned lane) { w.v[op.dst][lane] = op.data[0][lane]; });
}

/// The lane that `lane` reads, from ds_swizzle's offset.
unsigned swizzleLane(unsigned offset, unsigned lane) {
  if (offset & 0x8000) // within four lanes
    return (lane & ~3u) + (offset >> (2 * (lane & 3)) & 3);
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31,
           xorMask = offset >> 10 & 31;
  return (lane & 32) | ((((lane & 31) & andMask) | orMask) ^ xorMask);
}

/// A lane whose source is inactive gets 0.
void swizzle(Wave &w, const Inst &i) {
  MemOp &op = w.issueLds(i);
  op.complete = completeMove;
  unsigned offset = i.imms[0];
  const LaneArray &from = w.v[i.ops[1].reg];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned source = swizzleLane(offset, lane);
    op.data[0][lane] = op.exec >> source & 1 ? from[source] : 0;
  }
  w.setPending(op, i.ops[0].reg, 1, /*vmem=*/false);
}

/// The lane of a byte address: a dword each, modulo the wave.
unsigned permuteLane(uint32_t address, const Inst &i) {
  return (address + uint32_t(i.mods.offset)) / 4 % kLanes;
}

/// d[lane] = data[address[lane] / 4]; 0 from inactive lanes.
void bpermute(Wave &w, const Inst &i) {
  MemOp &op = w.issueLds(i);
  op.complete = completeMove;
  const LaneArray &address = w.v[i.ops[1].reg], &from = w.v[i.ops[2].reg];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned source = permuteLane(address[lane], i);
    op.data[0][lane] = op.exec >> source & 1 ? from[source] : 0;
  }
  w.setPending(op, i.ops[0].reg, 1, /*vmem=*/false);
}

/// d[address[lane] / 4] = data[lane]; 0 where no lane writes; of several the
/// highest.
void permute(Wave &w, const Inst &i) {
  MemOp &op = w.issueLds(i);
  op.complete = completeMove;
  const LaneArray &address = w.v[i.ops[1].reg], &from = w.v[i.ops[2].reg];
  op.data[0].fill(0);
  forEachActive(op.exec, [&](unsigned lane) {
    op.data[0][permuteLane(address[lane], i)] = from[lane];
  });
  w.setPending(op, i.ops[0].reg, 1, /*vmem=*/false);
}

void addRead(SemanticsTable &t, const std::string &name, Handler handler) {
  t.add(name, kLds, std::move(handler));
  t.entry(name).ldsRead = true;
}

} // namespace

void attn::gfx942::addLds(SemanticsTable &t) {
  for (const char *type : {"b32", "b64", "b96", "b128"}) {
    unsigned size = std::atoi(type + 1) / 8;
    std::string suffix = type;
    addRead(t, "ds_read_" + suffix, dsRead(size, 1, 0));
    t.add("ds_write_" + suffix, kLds, dsWrite(size, 1, 0, false));
    if (size > 8)
      continue;
    addRead(t, "ds_read2_" + suffix, dsRead(size, 2, size));
    addRead(t, "ds_read2st64_" + suffix, dsRead(size, 2, 64 * size));
    t.add("ds_write2_" + suffix, kLds, dsWrite(size, 2, size, false));
    t.add("ds_write2st64_" + suffix, kLds, dsWrite(size, 2, 64 * size, false));
  }
  for (const char *type : {"u8", "i8", "u16", "i16"}) {
    unsigned size = std::atoi(type + 1) / 8;
    std::string name = std::string("ds_read_") + type;
    // 16 bits of a half are neither signed nor unsigned: they have one name.
    bool hasHalves = name != "ds_read_i16";
    addRead(t, name, dsRead(size, 1, 0));
    for (const char *half : {"_d16", "_d16_hi"})
      if (hasHalves)
        addRead(t, name + half, dsRead(size, 1, 0));
  }
  t.add("ds_write_b8", kLds, dsWrite(1, 1, 0, false));
  t.add("ds_write_b16", kLds, dsWrite(2, 1, 0, false));
  t.add("ds_write_b8_d16_hi", kLds, dsWrite(1, 1, 0, true));
  t.add("ds_write_b16_d16_hi", kLds, dsWrite(2, 1, 0, true));
  addRead(t, "ds_read_b64_tr_b8", dsReadTransposed<1>);
  addRead(t, "ds_read_b64_tr_b16", dsReadTransposed<2>);
  addRead(t, "ds_swizzle_b32", swizzle);
  addRead(t, "ds_bpermute_b32", bpermute);
  addRead(t, "ds_permute_b32", permute);
}
