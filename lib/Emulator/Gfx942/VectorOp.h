//===- VectorOp.h - Vector instructions from lanes --------------*- C++ -*-===//
//
// `vectorOp<R, A...>(f)` makes the handler of an instruction that computes
// `R f(A...)` in every active lane, with all that an encoding may add: scalar
// and constant sources, negation, absolute value, op_sel, DPP, SDWA, output
// modifiers. The types say the formats: float, double, Half, and integers of
// 16, 32, 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_VECTOROP_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_VECTOROP_H

#include "Half.h"
#include "Semantics.h"
#include "Wave.h"
#include "llvm/ADT/bit.h"

namespace attn::gfx942 {

/// What the instructions of this header count as.
inline constexpr InstClass kValu = InstClass::Valu;

enum class Format : uint8_t { B16, F16, B32, F32, B64, F64 };

inline bool isFloat(Format f) {
  return f == Format::F16 || f == Format::F32 || f == Format::F64;
}
inline bool isWide(Format f) { return f == Format::B64 || f == Format::F64; }
inline bool isShort(Format f) { return f == Format::B16 || f == Format::F16; }

/// A result of 16 bits that leaves the register's upper half as it was; most
/// clear it.
template <typename T> struct Keep {
  T value;
};

/// 64 lanes of a source: in the register file, or in the buffers where a
/// modifier changed them.
struct Source {
  const uint32_t *lo, *hi;
  LaneArray loBuffer, hiBuffer;
};
struct Result {
  LaneArray lo, hi;
};

/// Format and bits of a lane's type.
template <typename T> struct LaneType;
#define ATTN_LANE_TYPE32(TYPE, FORMAT)                                         \
  template <> struct LaneType<TYPE> {                                          \
    static constexpr Format format = Format::FORMAT;                           \
    static constexpr bool keep = false;                                        \
    static TYPE get(const Source &s, unsigned lane) {                          \
      return llvm::bit_cast<TYPE>(s.lo[lane]);                                 \
    }                                                                          \
    static void set(Result &r, unsigned lane, TYPE value) {                    \
      r.lo[lane] = llvm::bit_cast<uint32_t>(value);                            \
    }                                                                          \
  };
#define ATTN_LANE_TYPE64(TYPE, FORMAT)                                         \
  template <> struct LaneType<TYPE> {                                          \
    static constexpr Format format = Format::FORMAT;                           \
    static constexpr bool keep = false;                                        \
    static TYPE get(const Source &s, unsigned lane) {                          \
      return llvm::bit_cast<TYPE>(s.lo[lane] | uint64_t(s.hi[lane]) << 32);    \
    }                                                                          \
    static void set(Result &r, unsigned lane, TYPE value) {                    \
      auto bits = llvm::bit_cast<uint64_t>(value);                             \
      r.lo[lane] = uint32_t(bits);                                             \
      r.hi[lane] = uint32_t(bits >> 32);                                       \
    }                                                                          \
  };
#define ATTN_LANE_TYPE16(TYPE, FORMAT)                                         \
  template <> struct LaneType<TYPE> {                                          \
    static constexpr Format format = Format::FORMAT;                           \
    static constexpr bool keep = false;                                        \
    static TYPE get(const Source &s, unsigned lane) {                          \
      return llvm::bit_cast<TYPE>(uint16_t(s.lo[lane]));                       \
    }                                                                          \
    static void set(Result &r, unsigned lane, TYPE value) {                    \
      r.lo[lane] = llvm::bit_cast<uint16_t>(value);                            \
    }                                                                          \
  };
ATTN_LANE_TYPE32(uint32_t, B32)
ATTN_LANE_TYPE32(int32_t, B32)
ATTN_LANE_TYPE32(float, F32)
ATTN_LANE_TYPE64(uint64_t, B64)
ATTN_LANE_TYPE64(int64_t, B64)
ATTN_LANE_TYPE64(double, F64)
ATTN_LANE_TYPE16(uint16_t, B16)
ATTN_LANE_TYPE16(int16_t, B16)
ATTN_LANE_TYPE16(Half, F16)
#undef ATTN_LANE_TYPE16
#undef ATTN_LANE_TYPE32
#undef ATTN_LANE_TYPE64
template <typename T> struct LaneType<Keep<T>> {
  static constexpr Format format = LaneType<T>::format;
  static constexpr bool keep = true;
  static void set(Result &r, unsigned lane, Keep<T> v) {
    LaneType<T>::set(r, lane, v.value);
  }
};

/// Reads the `index`-th source, and narrows `w.laneMask` for DPP.
void fetchSource(Wave &w, const Inst &i, const Operand &op, unsigned index,
                 Format format, Source &source);
/// Writes the lanes of `w.laneMask` with output modifiers; `sources` is the
/// number of sources (op_sel's bit for the destination follows theirs).
void storeResult(Wave &w, const Inst &i, const Operand &op, Format format,
                 bool keep, unsigned sources, Result &result);

template <typename R, typename... A, typename F, size_t... I>
void executeVector(Wave &w, const Inst &i,
                   const std::array<uint8_t, sizeof...(A)> &where, const F &f,
                   std::index_sequence<I...>) {
  Source sources[sizeof...(A)];
  Result result;
  w.laneMask = w.exec();
  (fetchSource(w, i, i.ops[where[I]], I, LaneType<A>::format, sources[I]), ...);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    LaneType<R>::set(result, lane, f(LaneType<A>::get(sources[I], lane)...));
  storeResult(w, i, i.ops[0], LaneType<R>::format, LaneType<R>::keep,
              sizeof...(A), result);
}

/// Sources are the operands numbered in `where`.
template <typename R, typename... A, typename F>
Handler vectorOpAt(std::array<uint8_t, sizeof...(A)> where, F f) {
  return [where, f](Wave &w, const Inst &i) {
    if (i.ops.size() <= *std::max_element(where.begin(), where.end()))
      return w.fail("an operand is missing");
    executeVector<R, A...>(w, i, where, f, std::index_sequence_for<A...>());
  };
}

/// Sources follow the destination.
template <typename R, typename... A, typename F> Handler vectorOp(F f) {
  std::array<uint8_t, sizeof...(A)> where;
  for (size_t n = 0; n < where.size(); ++n)
    where[n] = n + 1;
  return vectorOpAt<R, A...>(where, f);
}

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_VECTOROP_H
