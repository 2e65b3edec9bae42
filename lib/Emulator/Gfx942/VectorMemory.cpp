//===- VectorMemory.cpp - MUBUF, GLOBAL, SCRATCH --------------------------===//
//
// CDNA3 ISA, sections 9 (vector memory), 10 (flat memory) and 12.15 to 12.17. A
// wave's vector-memory instructions complete in order; each acts when it
// completes.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Semantics.h"
#include "Wave.h"
#include "llvm/Support/MathExtras.h"

using namespace attn::gfx942;
using namespace llvm;

void attn::gfx942::loadLane(Wave &w, const MemOp &op, unsigned reg,
                            unsigned lane, const uint8_t *from) {
  if (op.size >= 4) {
    for (unsigned d = 0; d < op.size / 4u; ++d)
      std::memcpy(&w.v[reg + d][lane], from + 4 * d, 4);
    return;
  }
  uint32_t value = from[0];
  if (op.size == 2)
    value |= uint32_t(from[1]) << 8;
  if (op.inst->extendsSign)
    value = op.size == 1 ? int32_t(int8_t(value)) : int32_t(int16_t(value));
  uint32_t &to = w.v[reg][lane];
  if (op.inst->toHighHalf)
    to = (to & 0xffff) | value << 16;
  else if (op.inst->toLowHalf)
    to = (to & 0xffff0000) | (value & 0xffff);
  else
    to = value;
}

namespace {

const InstClass kVmem = InstClass::Vmem;

template <typename F> void forEachActive(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(countr_zero(mask)));
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// Bytes that move and cache lines that they touch.
void count(Wave &w, const MemOp &op, bool store) {
  constexpr uint64_t kLine = 128;
  SmallVector<uint64_t, 64> lines;
  unsigned part = std::min<unsigned>(op.size, 4);
  uint64_t bytes = 0;
  forEachActive(op.exec, [&](unsigned lane) {
    for (unsigned d = 0; d * 4 < op.size; ++d) {
      if (!(op.inBounds[d] >> lane & 1))
        continue;
      bytes += part;
      uint64_t line = (op.address[lane] + 4 * d) / kLine;
      if (lines.empty() || lines.back() != line)
        lines.push_back(line);
    }
  });
  llvm::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  Counters &c = w.group.counters;
  (store ? c.globalStoreBytes : c.globalLoadBytes) += bytes;
  (store ? c.globalStoreLines : c.globalLoadLines) += lines.size();
}

/// The bytes at one lane's address, or null after a diagnostic.
uint8_t *memoryBytes(Wave &w, const MemOp &op, unsigned lane, unsigned dword,
                     unsigned size, bool store) {
  uint64_t address = op.address[lane] + 4 * dword;
  if (address % size != 0) {
    w.fail("lane " + Twine(lane) + ": misaligned access of " + Twine(size) +
           " bytes at " + w.group.memory->describe(address));
    return nullptr;
  }
  uint8_t *bytes = w.group.memory->access(address, size, store);
  if (!bytes)
    w.fail("lane " + Twine(lane) + ": " + (store ? "store" : "load") + " of " +
           Twine(size) + " bytes at " + w.group.memory->describe(address));
  return bytes;
}

/// One lane's load, dword by dword: what is out of a V#'s bounds reads 0.
void loadToRegisters(Wave &w, const MemOp &op, unsigned lane) {
  const uint32_t zero = 0;
  unsigned size = std::min<unsigned>(op.size, 4);
  for (unsigned d = 0; d * 4 < op.size; ++d) {
    const uint8_t *from = reinterpret_cast<const uint8_t *>(&zero);
    if (op.inBounds[d] >> lane & 1)
      from = memoryBytes(w, op, lane, d, size, /*store=*/false);
    if (!from)
      return;
    if (op.size >= 4)
      std::memcpy(&w.v[op.dst + d][lane], from, 4);
    else
      loadLane(w, op, op.dst, lane, from);
  }
}

void completeLoad(Wave &w, const MemOp &op) {
  count(w, op, /*store=*/false);
  forEachActive(op.exec, [&](unsigned lane) { loadToRegisters(w, op, lane); });
}

void completeStore(Wave &w, const MemOp &op) {
  count(w, op, /*store=*/true);
  unsigned size = std::min<unsigned>(op.size, 4);
  forEachActive(op.exec, [&](unsigned lane) {
    for (unsigned d = 0; d * 4 < op.size; ++d)
      if (op.inBounds[d] >> lane & 1)
        if (uint8_t *to = memoryBytes(w, op, lane, d, size, /*store=*/true))
          for (unsigned b = 0; b < size; ++b)
            to[b] = uint8_t(op.data[d][lane] >> (8 * b));
  });
}

/// What one lane loads, with zeros for what is out of a V#'s bounds; false
/// after a diagnostic.
bool loadDwords(Wave &w, const MemOp &op, unsigned lane, uint32_t (&value)[4]) {
  unsigned part = std::min<unsigned>(op.size, 4);
  for (unsigned d = 0; d * 4 < op.size; ++d) {
    if (!(op.inBounds[d] >> lane & 1))
      continue;
    const uint8_t *from = memoryBytes(w, op, lane, d, part, /*store=*/false);
    if (!from)
      return false;
    std::memcpy(&value[d], from, part);
  }
  return true;
}

/// A load to LDS: lane l's bytes go to ldsBase + l * width, padded with zeros:
/// to a dword (CDNA3 ISA, section 9.1.9), and three dwords to four (MLIR's
/// AMDGPU dialect, gather_to_lds).
void completeLoadToLds(Wave &w, const MemOp &op) {
  count(w, op, /*store=*/false);
  LdsAccess access{op.inst, w.index, op.issued, w.epoch, /*store=*/true};
  unsigned width = op.size > 8 ? 16 : 4;
  forEachActive(op.exec, [&](unsigned lane) {
    uint32_t value[4] = {0, 0, 0, 0};
    if (!loadDwords(w, op, lane, value))
      return;
    uint64_t offset = op.ldsBase + uint64_t(width) * lane;
    std::string message = w.group.lds.check(access, offset, width);
    if (!message.empty())
      return w.fail("lane " + Twine(lane) + ": " + message);
    std::memcpy(w.group.lds.bytes() + offset, value, width);
  });
  w.group.counters.ldsWriteBytes += uint64_t(width) * popcount(op.exec);
}

void takeData(Wave &w, MemOp &op, const Operand &data, bool high) {
  for (unsigned d = 0; d * 4 < op.size; ++d) {
    op.data[d] = w.v[data.reg + d];
    if (high)
      for (uint32_t &x : op.data[d])
        x >>= 16;
  }
}

/// The manual of CDNA3 has 16 bits of M0; gfx950, whose LDS is larger, takes
/// all (unchecked).
uint32_t ldsDestination(const Wave &w, const Inst &i) {
  uint32_t base = w.group.arch == Arch::Gfx942 ? w.s[kM0] & 0xffff : w.s[kM0];
  return base + uint32_t(i.mods.offset);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// 64-bit vector address and "off", or a scalar base and a 32-bit vector
/// offset.
void globalAddresses(Wave &w, const Inst &i, MemOp &op, const Operand &vaddr,
                     const Operand &saddr) {
  bool scalarBase = saddr.isScalar();
  uint64_t base = (scalarBase ? w.read64(saddr) : 0) + i.mods.offset;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t x = w.v[vaddr.reg][lane];
    if (!scalarBase)
      x |= uint64_t(w.v[vaddr.reg + 1][lane]) << 32;
    op.address[lane] = base + x;
  }
}

Handler globalLoad(unsigned size) {
  return [size](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeLoad;
    globalAddresses(w, i, op, i.ops[1], i.ops[2]);
    w.setPending(op, i.ops[0].reg, i.ops[0].count, /*vmem=*/true);
  };
}

Handler globalStore(unsigned size, bool high) {
  return [=](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeStore;
    globalAddresses(w, i, op, i.ops[0], i.ops[2]);
    takeData(w, op, i.ops[1], high);
  };
}

Handler globalLoadToLds(unsigned size) {
  return [size](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeLoadToLds;
    op.ldsBase = ldsDestination(w, i);
    globalAddresses(w, i, op, i.ops[0], i.ops[1]);
  };
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// A buffer resource (V#).
struct BufferResource {
  uint64_t base;
  uint32_t stride, records;
  bool swizzled, addThreadId;

  BufferResource(const Wave &w, unsigned reg)
      : base(w.s[reg] | uint64_t(w.s[reg + 1] & 0xffff) << 32),
        stride(w.s[reg + 1] >> 16 & 0x3fff), records(w.s[reg + 2]),
        swizzled(w.s[reg + 1] >> 31), addThreadId(w.s[reg + 3] >> 23 & 1) {}
};

/// A dword of a raw buffer is in bounds where it ends within num_records,
/// counting soffset as the manual does; code that depends on that is refused,
/// because public sources disagree.
void checkRaw(Wave &w, MemOp &op, const BufferResource &v, unsigned lane,
              uint64_t offset, uint64_t soffset) {
  unsigned part = std::min<unsigned>(op.size, 4);
  for (unsigned d = 0; d * 4 < op.size; ++d) {
    uint64_t end = offset + 4 * d + part;
    bool inside = end + soffset <= v.records;
    if (!inside)
      op.inBounds[d] &= ~(uint64_t(1) << lane);
    if (inside != (end <= v.records) && (op.exec >> lane & 1))
      return w.fail("lane " + Twine(lane) + ": whether offset " +
                    Twine(offset) + " is in bounds of " + Twine(v.records) +
                    " bytes depends on soffset " + Twine(soffset));
  }
}

/// A structured buffer has num_records records of `stride` bytes.
void checkStructured(MemOp &op, const BufferResource &v, unsigned lane,
                     uint64_t index, uint64_t offset) {
  for (unsigned d = 0; d * 4 < op.size; ++d)
    if (index >= v.records || offset + 4 * d >= v.stride)
      op.inBounds[d] &= ~(uint64_t(1) << lane);
}

/// vaddr (index, offset, both or "off"), V#, soffset.
void bufferAddresses(Wave &w, const Inst &i, MemOp &op, unsigned firstOperand) {
  const Operand &vaddr = i.ops[firstOperand];
  BufferResource v(w, i.ops[firstOperand + 1].reg);
  uint64_t soffset = w.read32(i.ops[firstOperand + 2]);
  if (v.swizzled || v.addThreadId)
    return w.fail("the emulator has no swizzled buffers");
  const Modifiers &m = i.mods;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t index = m.idxen ? w.v[vaddr.reg][lane] : 0;
    uint64_t offset = m.offset;
    if (m.offen)
      offset += w.v[vaddr.reg + (m.idxen ? 1 : 0)][lane];
    op.address[lane] = v.base + soffset + index * v.stride + offset;
    if (v.stride == 0)
      checkRaw(w, op, v, lane, offset, soffset);
    else
      checkStructured(op, v, lane, index, offset);
  }
}

Handler bufferLoad(unsigned size) {
  return [size](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    if (i.mods.lds) {
      // Without a destination; the vector address may be absent from the text.
      op.complete = completeLoadToLds;
      op.ldsBase = ldsDestination(w, i);
      return bufferAddresses(w, i, op, 0);
    }
    op.complete = completeLoad;
    bufferAddresses(w, i, op, 1);
    w.setPending(op, i.ops[0].reg, i.ops[0].count, /*vmem=*/true);
  };
}

Handler bufferStore(unsigned size, bool high) {
  return [=](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeStore;
    bufferAddresses(w, i, op, 1);
    takeData(w, op, i.ops[0], high);
  };
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// The bytes of one lane's private memory, or null after a diagnostic.
uint8_t *scratchBytes(Wave &w, const MemOp &op, unsigned lane) {
  uint64_t offset = op.address[lane], size = w.group.scratchBytes;
  if (offset <= size && op.size <= size - offset)
    return &w.scratch[lane * size + offset];
  w.fail("lane " + Twine(lane) + ": scratch access of " + Twine(op.size) +
         " bytes at " + Twine(offset) + " of " + Twine(size));
  return nullptr;
}

void completeScratchLoad(Wave &w, const MemOp &op) {
  forEachActive(op.exec, [&](unsigned lane) {
    if (const uint8_t *from = scratchBytes(w, op, lane))
      loadLane(w, op, op.dst, lane, from);
  });
}

void completeScratchStore(Wave &w, const MemOp &op) {
  forEachActive(op.exec, [&](unsigned lane) {
    if (uint8_t *to = scratchBytes(w, op, lane))
      for (unsigned b = 0; b < op.size; ++b)
        to[b] = uint8_t(op.data[b / 4][lane] >> (8 * (b % 4)));
  });
}

void scratchAddresses(Wave &w, const Inst &i, MemOp &op, const Operand &vaddr,
                      const Operand &saddr) {
  uint32_t base = (saddr.isScalar() ? w.read32(saddr) : 0) + i.mods.offset;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    op.address[lane] =
        uint32_t(base + (vaddr.isVector() ? w.v[vaddr.reg][lane] : 0));
}

Handler scratchLoad(unsigned size) {
  return [size](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeScratchLoad;
    scratchAddresses(w, i, op, i.ops[1], i.ops[2]);
    w.setPending(op, i.ops[0].reg, i.ops[0].count, /*vmem=*/true);
  };
}

Handler scratchStore(unsigned size, bool high) {
  return [=](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.size = size;
    op.complete = completeScratchStore;
    scratchAddresses(w, i, op, i.ops[0], i.ops[2]);
    takeData(w, op, i.ops[1], high);
  };
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// Old value to the destination where the instruction has one (sc0).
template <typename F> void completeAtomic(Wave &w, const MemOp &op, F f) {
  count(w, op, /*store=*/true);
  forEachActive(op.exec, [&](unsigned lane) {
    uint8_t *at = memoryBytes(w, op, lane, 0, 4, /*store=*/true);
    if (!at)
      return;
    uint32_t old;
    std::memcpy(&old, at, 4);
    uint32_t value = f(old, op.data[0][lane]);
    std::memcpy(at, &value, 4);
    if (op.dstCount)
      w.v[op.dst][lane] = old;
  });
}

/// [d,] vaddr, data, saddr.
Handler globalAtomic(void (*complete)(Wave &, const MemOp &)) {
  return [complete](Wave &w, const Inst &i) {
    MemOp &op = w.issueVmem(i);
    op.complete = complete;
    unsigned first = i.mods.sc0 ? 1 : 0;
    globalAddresses(w, i, op, i.ops[first], i.ops[first + 2]);
    takeData(w, op, i.ops[first + 1], false);
    if (i.mods.sc0)
      w.setPending(op, i.ops[0].reg, 1, /*vmem=*/true);
  };
}

void addAtomics(SemanticsTable &t) {
#define ATOMIC(NAME, EXPR)                                                     \
  t.add("global_atomic_" NAME, kVmem,                                          \
        globalAtomic([](Wave &w, const MemOp &op) {                            \
          completeAtomic(                                                      \
              w, op, [](uint32_t a, uint32_t b) -> uint32_t { return EXPR; }); \
        }));
  ATOMIC("add", a + b)
  ATOMIC("sub", a - b)
  ATOMIC("umax", std::max(a, b))
  ATOMIC("umin", std::min(a, b))
  ATOMIC("smax", std::max(int32_t(a), int32_t(b)))
  ATOMIC("smin", std::min(int32_t(a), int32_t(b)))
  ATOMIC("or", a | b)
  ATOMIC("and", a & b)
  ATOMIC("swap", (void(a), b))
  ATOMIC("add_f32", bit_cast<uint32_t>(bit_cast<float>(a) + bit_cast<float>(b)))
#undef ATOMIC
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void addLoads(SemanticsTable &t, const std::string &suffix, unsigned size) {
  auto add = [&](const std::string &prefix, InstClass c, Handler handler) {
    t.add(prefix + suffix, c, std::move(handler));
    t.entry(prefix + suffix).vmemLoad = true;
  };
  add("global_load_", kVmem, globalLoad(size));
  add("buffer_load_", kVmem, bufferLoad(size));
  add("scratch_load_", InstClass::Scratch, scratchLoad(size));
}

void addStores(SemanticsTable &t, const std::string &suffix, unsigned size) {
  bool high = StringRef(suffix).ends_with("_d16_hi");
  t.add("global_store_" + suffix, kVmem, globalStore(size, high));
  t.add("buffer_store_" + suffix, kVmem, bufferStore(size, high));
  t.add("scratch_store_" + suffix, InstClass::Scratch,
        scratchStore(size, high));
}

} // namespace

void attn::gfx942::addVectorMemory(SemanticsTable &t) {
  for (auto [suffix, size] :
       {std::pair("dword", 4), std::pair("dwordx2", 8),
        std::pair("dwordx3", 12), std::pair("dwordx4", 16)}) {
    addLoads(t, suffix, size);
    addStores(t, suffix, size);
  }
  for (const char *suffix : {"ubyte", "sbyte", "ubyte_d16", "sbyte_d16",
                             "ubyte_d16_hi", "sbyte_d16_hi"})
    addLoads(t, suffix, 1);
  for (const char *suffix : {"ushort", "sshort", "short_d16", "short_d16_hi"})
    addLoads(t, suffix, 2);
  for (const char *suffix : {"byte", "byte_d16_hi"})
    addStores(t, suffix, 1);
  for (const char *suffix : {"short", "short_d16_hi"})
    addStores(t, suffix, 2);
  for (auto [suffix, size] : {std::pair("dword", 4), std::pair("dwordx3", 12),
                              std::pair("dwordx4", 16)})
    t.add(std::string("global_load_lds_") + suffix, kVmem,
          globalLoadToLds(size));
  addAtomics(t);
}
