//===- Mfma.cpp - Matrix fused multiply-add -------------------------------===//
//
// CDNA3 ISA, section 7 (matrix arithmetic); the products of twice the depth:
// CDNA4 ISA, the same section. D = A * B + C with A of M x K, B of
// K x N, for the dense forms with one block:
//
//   lane l, element j of A:  row l mod M,     k = J * (l / M) + j   (J elements
//   a lane) lane l, element j of B:  column l mod M,  the same k lane l,
//   register r of C and D: column l mod M,
//     row 8 * (r / 4) + 4 * (l / 32) + r mod 4   for 32 x 32
//     row 4 * (l / 16) + r                       for 16 x 16
//
// EXEC is ignored. Products of f16, bf16 and fp8 are exact in f32; sums are
// rounded to f32 one by one in the order of k (the hardware's order is not
// published).
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "Half.h"
#include "Semantics.h"
#include "Wave.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

/// How elements lie in a lane's registers.
struct ElementF16 {
  static constexpr unsigned bits = 16;
  static float get(uint32_t x) { return float(Half{uint16_t(x)}.value()); }
};
struct ElementBf16 {
  static constexpr unsigned bits = 16;
  static float get(uint32_t x) { return bf16Value(x); }
};
struct ElementFp8 {
  static constexpr unsigned bits = 8;
  static float get(uint32_t x) { return Fp8::decode(x & 0xff); }
};
struct ElementBf8 {
  static constexpr unsigned bits = 8;
  static float get(uint32_t x) { return Bf8::decode(x & 0xff); }
};
struct ElementOcpFp8 {
  static constexpr unsigned bits = 8;
  static float get(uint32_t x) { return OcpFp8::decode(x & 0xff); }
};
struct ElementOcpBf8 {
  static constexpr unsigned bits = 8;
  static float get(uint32_t x) { return OcpBf8::decode(x & 0xff); }
};
struct ElementF32 {
  static constexpr unsigned bits = 32;
  static float get(uint32_t x) { return bit_cast<float>(x); }
};

/// The operand's element j of each lane, as matrix[k][row or column].
template <typename E, unsigned M, unsigned K>
void readMatrix(const Wave &w, const Operand &op, float (&matrix)[K][M]) {
  constexpr unsigned each = M * K / kLanes, perDword = 32 / E::bits;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned j = 0; j < each; ++j) {
      uint32_t dword = w.v[op.reg + j / perDword][lane];
      uint32_t bits = dword >> (E::bits * (j % perDword));
      matrix[each * (lane / M) + j][lane % M] = E::get(bits);
    }
}

template <unsigned M> unsigned rowOf(unsigned lane, unsigned r) {
  return M == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
}

template <typename EA, typename EB, unsigned M, unsigned K>
void mfma(Wave &w, const Inst &i) {
  if (i.mods.cbsz || i.mods.abid || i.mods.blgp)
    return w.fail("the emulator has no broadcast of MFMA (cbsz, abid, blgp)");
  constexpr unsigned registers = M * M / kLanes;
  const Operand &d = i.ops[0], &c = i.ops[3];
  float a[K][M], b[K][M], sum[M][M];
  readMatrix<EA, M, K>(w, i.ops[1], a);
  readMatrix<EB, M, K>(w, i.ops[2], b);
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t bits = c.isVector() ? w.v[c.reg + r][lane] : w.read32(c);
      sum[rowOf<M>(lane, r)][lane % M] = bit_cast<float>(bits);
    }
  for (unsigned row = 0; row < M; ++row)
    for (unsigned k = 0; k < K; ++k)
      for (unsigned column = 0; column < M; ++column)
        sum[row][column] += a[k][row] * b[k][column];
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      w.v[d.reg + r][lane] =
          bit_cast<uint32_t>(sum[rowOf<M>(lane, r)][lane % M]);
  w.group.counters.mfmaFlops += uint64_t(2) * M * M * K;
}

template <typename EA, typename EB, unsigned M, unsigned K>
void add(SemanticsTable &t, StringRef types, StringRef prefix = "") {
  std::string shape =
      std::to_string(M) + "x" + std::to_string(M) + "x" + std::to_string(K);
  t.add(prefix.str() + "v_mfma_f32_" + shape + "_" + types.str(),
        InstClass::Mfma, mfma<EA, EB, M, K>);
}

/// The two shapes of 8-bit formats.
template <typename EA, typename EB>
void addFloat8(SemanticsTable &t, StringRef types, StringRef prefix = "") {
  add<EA, EB, 32, 16>(t, types, prefix);
  add<EA, EB, 16, 32>(t, types, prefix);
}

/// All pairs of two formats.
template <typename Fp8, typename Bf8>
void addFormats(SemanticsTable &t, StringRef prefix) {
  addFloat8<Fp8, Fp8>(t, "fp8_fp8", prefix);
  addFloat8<Fp8, Bf8>(t, "fp8_bf8", prefix);
  addFloat8<Bf8, Fp8>(t, "bf8_fp8", prefix);
  addFloat8<Bf8, Bf8>(t, "bf8_bf8", prefix);
}

} // namespace

void attn::gfx942::addMfma(SemanticsTable &t) {
  add<ElementF16, ElementF16, 32, 8>(t, "f16");
  add<ElementF16, ElementF16, 16, 16>(t, "f16");
  add<ElementBf16, ElementBf16, 32, 8>(t, "bf16");
  add<ElementBf16, ElementBf16, 16, 16>(t, "bf16");
  // Of gfx950.
  add<ElementF16, ElementF16, 32, 16>(t, "f16");
  add<ElementF16, ElementF16, 16, 32>(t, "f16");
  add<ElementBf16, ElementBf16, 32, 16>(t, "bf16");
  add<ElementBf16, ElementBf16, 16, 32>(t, "bf16");
  add<ElementF32, ElementF32, 32, 2>(t, "f32");
  add<ElementF32, ElementF32, 16, 4>(t, "f32");
  addFormats<ElementFp8, ElementBf8>(t, "");
  addFormats<ElementOcpFp8, ElementOcpBf8>(t, kOcpPrefix);
}
