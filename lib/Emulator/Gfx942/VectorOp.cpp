//===- VectorOp.cpp - Sources and results of vector instructions ----------===//
//
// CDNA3 ISA, sections 6 (vector ALU), 12.13 (SDWA) and 12.14 (DPP).
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Constants and registers
//===----------------------------------------------------------------------===//

/// A constant or scalar as the bits of `format`.
static uint64_t scalarBits(const Wave &w, const Operand &op, Format format) {
  switch (op.kind) {
  case Operand::Float:
    if (isShort(format))
      return Half::nearest(op.fp).bits;
    if (isWide(format))
      return bit_cast<uint64_t>(op.fp);
    return bit_cast<uint32_t>(float(op.fp));
  case Operand::Literal:
    // The literal is the upper half of a double.
    return format == Format::F64 ? op.bits << 32 : op.bits;
  case Operand::Scalar:
    return isWide(format) && op.count >= 2 ? w.s64At(op.reg) : w.s[op.reg];
  default:
    return w.read64(op);
  }
}

static void broadcast(const Wave &w, const Operand &op, Format format,
                      Source &source) {
  uint64_t bits = scalarBits(w, op, format);
  source.loBuffer.fill(uint32_t(bits));
  source.lo = source.loBuffer.data();
  source.hi = source.hiBuffer.data();
  if (isWide(format))
    source.hiBuffer.fill(uint32_t(bits >> 32));
}

/// The lanes of `source` in buffers that may be changed.
static void own(Source &source, bool wide) {
  auto copy = [](const uint32_t *&from, LaneArray &buffer) {
    if (from == buffer.data())
      return;
    std::memcpy(buffer.data(), from, sizeof buffer);
    from = buffer.data();
  };
  copy(source.lo, source.loBuffer);
  if (wide)
    copy(source.hi, source.hiBuffer);
}

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

/// The lane that `lane` reads, or -1: out of range.
static int dppLane(const Modifiers &m, int lane) {
  int row = lane & ~15, inRow = lane & 15, n = m.dppArg[0];
  switch (m.dpp) {
  case DppKind::QuadPerm:
    return (lane & ~3) + m.dppArg[lane & 3];
  case DppKind::RowShl:
    return inRow + n < 16 ? lane + n : -1;
  case DppKind::RowShr:
    return inRow >= n ? lane - n : -1;
  case DppKind::RowRor:
    return row + ((inRow - n) & 15);
  case DppKind::WaveShl:
    return lane < 63 ? lane + 1 : -1;
  case DppKind::WaveRol:
    return (lane + 1) & 63;
  case DppKind::WaveShr:
    return lane - 1;
  case DppKind::WaveRor:
    return (lane - 1) & 63;
  case DppKind::RowMirror:
    return row + 15 - inRow;
  case DppKind::RowHalfMirror:
    return (lane & ~7) + 7 - (lane & 7);
  case DppKind::RowBcast:
    // 15: lane 15 of a row to the next one; 31: lane 31 to the upper two rows.
    return n == 15 ? row - 1 : lane > 31 ? 31 : -1;
  case DppKind::RowNewBcast:
    return row + n;
  case DppKind::None:
    break;
  }
  return lane;
}

/// Permutes the lanes of source 0, and takes lanes out of `w.laneMask`: those
/// that the row and bank masks exclude, and, without bound_ctrl, those whose
/// source is out of range or inactive. With bound_ctrl these read 0.
static void applyDpp(Wave &w, const Modifiers &m, bool wide, Source &source) {
  uint64_t exec = w.exec(), mask = 0;
  LaneArray lo, hi;
  for (int lane = 0; lane < int(kLanes); ++lane) {
    int from = dppLane(m, lane);
    bool valid = from >= 0 && (exec >> from & 1);
    lo[lane] = valid ? source.lo[from] : 0;
    if (wide)
      hi[lane] = valid ? source.hi[from] : 0;
    bool selected =
        (m.rowMask >> (lane / 16) & 1) && (m.bankMask >> (lane / 4 % 4) & 1);
    if (selected && (valid || m.boundCtrl))
      mask |= uint64_t(1) << lane;
  }
  w.laneMask &= mask;
  source.loBuffer = lo;
  source.lo = source.loBuffer.data();
  if (wide) {
    source.hiBuffer = hi;
    source.hi = source.hiBuffer.data();
  }
}

//===----------------------------------------------------------------------===//
// Other source modifiers
//===----------------------------------------------------------------------===//

static void applySdwa(SdwaSel sel, bool sext, Source &source) {
  if (sel == SdwaSel::Dword)
    return;
  own(source, false);
  for (uint32_t &x : source.loBuffer) {
    if (sel >= SdwaSel::Word0) {
      x = x >> (sel == SdwaSel::Word1 ? 16 : 0) & 0xffff;
      x = sext ? int32_t(int16_t(x)) : x;
    } else {
      x = x >> (8 * unsigned(sel)) & 0xff;
      x = sext ? int32_t(int8_t(x)) : x;
    }
  }
}

static void applySign(const Operand &op, Format format, Source &source) {
  own(source, isWide(format));
  LaneArray &top = isWide(format) ? source.hiBuffer : source.loBuffer;
  uint32_t sign = isShort(format) ? 0x8000 : 0x80000000;
  for (uint32_t &x : top) {
    x = op.abs ? x & ~sign : x;
    x = op.neg ? x ^ sign : x;
  }
}

static void flushDenormals(LaneArray &lanes) {
  for (uint32_t &x : lanes)
    if ((x & 0x7f800000) == 0)
      x &= 0x80000000;
}

void attn::gfx942::fetchSource(Wave &w, const Inst &i, const Operand &op,
                               unsigned index, Format format, Source &source) {
  const Modifiers &m = i.mods;
  bool wide = isWide(format);
  if (op.isVector()) {
    source.lo = w.v[op.reg].data();
    source.hi = wide ? w.v[op.reg + 1].data() : nullptr;
  } else {
    broadcast(w, op, format, source);
  }
  if (m.dpp != DppKind::None && index == 0)
    applyDpp(w, m, wide, source);
  if (m.sdwa && index < 2)
    applySdwa(m.srcSel[index], op.sext, source);
  if (isShort(format) && (m.opSel >> index & 1)) {
    own(source, false);
    for (uint32_t &x : source.loBuffer)
      x >>= 16;
  }
  if (op.neg || op.abs)
    applySign(op, format, source);
  if (format == Format::F32 && w.flushF32In()) {
    own(source, false);
    flushDenormals(source.loBuffer);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Output multiplier, then clamp to [0, 1]; a NaN clamps to 0 with DX10_CLAMP.
static double outputModifiers(const Wave &w, const Modifiers &m, double x) {
  x *= m.omod;
  if (!m.clamp)
    return x;
  if (std::isnan(x))
    return w.dx10Clamp() ? 0 : x;
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void modifyResult(const Wave &w, const Modifiers &m, Format format,
                         Result &r) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (format == Format::F32) {
      double x = outputModifiers(w, m, bit_cast<float>(r.lo[lane]));
      r.lo[lane] = bit_cast<uint32_t>(float(x));
    } else if (format == Format::F16) {
      double x = outputModifiers(w, m, Half{uint16_t(r.lo[lane])}.value());
      r.lo[lane] = Half::nearest(x).bits;
    } else {
      uint64_t bits = r.lo[lane] | uint64_t(r.hi[lane]) << 32;
      bits = bit_cast<uint64_t>(outputModifiers(w, m, bit_cast<double>(bits)));
      r.lo[lane] = uint32_t(bits);
      r.hi[lane] = uint32_t(bits >> 32);
    }
  }
}

/// Puts the result into the selected part of the destination.
static uint32_t sdwaMerge(const Modifiers &m, uint32_t old, uint32_t value) {
  if (m.dstSel == SdwaSel::Dword)
    return value;
  bool word = m.dstSel >= SdwaSel::Word0;
  unsigned bits = word ? 16 : 8;
  unsigned shift =
      word ? (m.dstSel == SdwaSel::Word1 ? 16 : 0) : 8 * unsigned(m.dstSel);
  uint32_t mask = ((1u << bits) - 1) << shift;
  uint32_t placed = value << shift & mask;
  switch (m.dstUnused) {
  case SdwaUnused::Preserve:
    return (old & ~mask) | placed;
  case SdwaUnused::Sext: {
    // Above the selected part the sign, below it zeros.
    int32_t extended = int32_t(value << (32 - bits)) >> (32 - bits);
    return uint32_t(extended) << shift;
  }
  case SdwaUnused::Pad:
    break;
  }
  return placed;
}

static void mergeShort(const LaneArray &old, bool high, bool keep,
                       LaneArray &value) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t x = value[lane] & 0xffff;
    if (high)
      value[lane] = (old[lane] & 0xffff) | x << 16;
    else
      value[lane] = keep ? (old[lane] & 0xffff0000) | x : x;
  }
}

static void writeLanes(LaneArray &reg, const LaneArray &value, uint64_t mask) {
  if (mask == ~uint64_t(0)) {
    reg = value;
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1)
      reg[lane] = value[lane];
}

void attn::gfx942::storeResult(Wave &w, const Inst &i, const Operand &op,
                               Format format, bool keep, unsigned sources,
                               Result &result) {
  const Modifiers &m = i.mods;
  if (m.clamp && !isFloat(format))
    return w.fail("the emulator has no clamp of integers");
  if (m.clamp || m.omod != 1)
    modifyResult(w, m, format, result);
  if (format == Format::F32 && w.flushF32Out())
    flushDenormals(result.lo);
  LaneArray &reg = w.v[op.reg];
  if (m.sdwa) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      result.lo[lane] = sdwaMerge(m, reg[lane], result.lo[lane]);
  } else if (isShort(format)) {
    mergeShort(reg, m.opSel >> sources & 1, keep, result.lo);
  }
  writeLanes(reg, result.lo, w.laneMask);
  if (isWide(format))
    writeLanes(w.v[op.reg + 1], result.hi, w.laneMask);
}
