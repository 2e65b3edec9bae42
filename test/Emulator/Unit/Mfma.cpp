//===- Mfma.cpp - Lane layouts of the matrix instructions -----------------===//
//
// Each operand is filled through its layout from a matrix of small integers, so
// that the product is exact; a wrong place in any of the four layouts changes
// the result.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include <vector>

using namespace emulator_test;

namespace {

/// A small integer as an element's bits.
uint32_t encodeF16(int x) {
  static const uint32_t magnitudes[4] = {0, 0x3c00, 0x4000, 0x4200};
  return magnitudes[std::abs(x)] | (x < 0 ? 0x8000 : 0);
}
uint32_t encodeBf16(int x) { return asBits(float(x)) >> 16; }
uint32_t encodeF32(int x) { return asBits(float(x)); }
uint32_t encodeFp8(int x) { // E4M3, bias 8
  static const uint32_t magnitudes[4] = {0, 0x40, 0x48, 0x4c};
  return magnitudes[std::abs(x)] | (x < 0 ? 0x80 : 0);
}

uint32_t encodeBf8(int x) { // E5M2, bias 16
  static const uint32_t magnitudes[4] = {0, 0x40, 0x44, 0x46};
  return magnitudes[std::abs(x)] | (x < 0 ? 0x80 : 0);
}

uint32_t encodeOcpFp8(int x) { // E4M3, bias 7
  static const uint32_t magnitudes[4] = {0, 0x38, 0x40, 0x44};
  return magnitudes[std::abs(x)] | (x < 0 ? 0x80 : 0);
}

uint32_t encodeOcpBf8(int x) { // E5M2, bias 15
  static const uint32_t magnitudes[4] = {0, 0x3c, 0x40, 0x42};
  return magnitudes[std::abs(x)] | (x < 0 ? 0x80 : 0);
}

struct Shape {
  const char *name;
  unsigned m, k, bits;
  uint32_t (*encodeA)(int);
  uint32_t (*encodeB)(int);
};
const Shape kShapes[] = {
    {"v_mfma_f32_32x32x8_f16", 32, 8, 16, encodeF16, encodeF16},
    {"v_mfma_f32_16x16x16_f16", 16, 16, 16, encodeF16, encodeF16},
    {"v_mfma_f32_32x32x8_bf16", 32, 8, 16, encodeBf16, encodeBf16},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, encodeBf16, encodeBf16},
    {"v_mfma_f32_32x32x2_f32", 32, 2, 32, encodeF32, encodeF32},
    {"v_mfma_f32_16x16x4_f32", 16, 4, 32, encodeF32, encodeF32},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 8, encodeFp8, encodeFp8},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 8, encodeFp8, encodeFp8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 8, encodeFp8, encodeBf8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 8, encodeBf8, encodeFp8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 8, encodeBf8, encodeBf8},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 8, encodeFp8, encodeBf8},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 8, encodeBf8, encodeFp8},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 8, encodeBf8, encodeBf8},
};

const Shape kShapesOfGfx950[] = {
    {"v_mfma_f32_32x32x16_f16", 32, 16, 16, encodeF16, encodeF16},
    {"v_mfma_f32_16x16x32_f16", 16, 32, 16, encodeF16, encodeF16},
    {"v_mfma_f32_32x32x16_bf16", 32, 16, 16, encodeBf16, encodeBf16},
    {"v_mfma_f32_16x16x32_bf16", 16, 32, 16, encodeBf16, encodeBf16},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 8, encodeOcpFp8, encodeOcpFp8},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 8, encodeOcpFp8, encodeOcpFp8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 8, encodeOcpFp8, encodeOcpBf8},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 8, encodeOcpFp8, encodeOcpBf8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 8, encodeOcpBf8, encodeOcpFp8},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 8, encodeOcpBf8, encodeOcpFp8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 8, encodeOcpBf8, encodeOcpBf8},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 8, encodeOcpBf8, encodeOcpBf8},
};

using Matrix = std::vector<std::vector<int>>;

Matrix randomMatrix(unsigned rows, unsigned columns, std::mt19937 &random) {
  Matrix m(rows, std::vector<int>(columns));
  for (auto &row : m)
    for (int &x : row)
      x = int(random() % 7) - 3;
  return m;
}

/// Registers of A (rows outermost) or B (columns outermost): lane l has row l
/// mod M and consecutive k from its group of lanes on.
void fillFragment(const Shape &s, uint32_t (*encode)(int), const Matrix &byRow,
                  const std::function<uint32_t &(unsigned, unsigned)> &reg) {
  unsigned groups = 64 / s.m, each = s.k / groups, perDword = 32 / s.bits;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned j = 0; j < each; ++j) {
      uint32_t &dword = reg(j / perDword, lane);
      if (j % perDword == 0)
        dword = 0;
      int x = byRow[lane % s.m][lane / s.m * each + j];
      dword |= encode(x) << (s.bits * (j % perDword));
    }
}

/// The row of register r in a lane, as the manual's tables list it.
unsigned rowOf(const Shape &s, unsigned lane, unsigned r) {
  if (s.m == 32)
    return 8 * (r / 4) + 4 * (lane / 32) + r % 4;
  return 4 * (lane / 16) + r;
}

/// Where A, B and C/D lie: v or a registers.
struct Files {
  bool a, b, c;
};

std::string range(bool acc, unsigned first, unsigned count) {
  std::string name = acc ? "a" : "v";
  if (count == 1)
    return name + std::to_string(first);
  return name + "[" + std::to_string(first) + ":" +
         std::to_string(first + count - 1) + "]";
}

void runShape(const Shape &s, Files files, bool zeroC, uint64_t exec,
              Arch arch) {
  std::mt19937 random(s.m + s.k + s.bits);
  Matrix a = randomMatrix(s.m, s.k, random), b = randomMatrix(s.m, s.k, random);
  Matrix c = randomMatrix(s.m, s.m, random);
  unsigned registers = s.m * s.m / 64, each = s.k * s.m / 64 * s.bits / 32;
  std::string d = range(files.c, 32, registers);
  std::string text = std::string(s.name) + " " + d + ", " +
                     range(files.a, 0, each) + ", " + range(files.b, 8, each) +
                     ", " + (zeroC ? "0" : d);
  auto file = [](WaveRegisters &w, bool acc, unsigned r,
                 unsigned lane) -> uint32_t & {
    return acc ? w.agpr(r, lane) : w.vgpr(r, lane);
  };
  runWave(
      text,
      [&](WaveRegisters &w) {
        fillFragment(s, s.encodeA, a,
                     [&](unsigned r, unsigned lane) -> uint32_t & {
                       return file(w, files.a, r, lane);
                     });
        fillFragment(s, s.encodeB, b,
                     [&](unsigned r, unsigned lane) -> uint32_t & {
                       return file(w, files.b, 8 + r, lane);
                     });
        for (unsigned r = 0; r < registers; ++r)
          for (unsigned lane = 0; lane < 64; ++lane)
            file(w, files.c, 32 + r, lane) =
                asBits(float(c[rowOf(s, lane, r)][lane % s.m]));
        setPair(w, kExecLo, exec);
      },
      [&](WaveRegisters &w) {
        bool ok = true;
        for (unsigned r = 0; r < registers; ++r)
          for (unsigned lane = 0; lane < 64; ++lane) {
            unsigned row = rowOf(s, lane, r), column = lane % s.m;
            int sum = zeroC ? 0 : c[row][column];
            for (unsigned k = 0; k < s.k; ++k)
              sum += a[row][k] * b[column][k];
            ok &= asFloat(file(w, files.c, 32 + r, lane)) == float(sum);
          }
        tally().check(ok, text);
      },
      arch);
}

/// Every row is owned once: the layout of D covers the tile.
void testCoverage(llvm::ArrayRef<Shape> shapes) {
  for (const Shape &s : shapes) {
    Matrix owners(s.m, std::vector<int>(s.m));
    for (unsigned r = 0; r < s.m * s.m / 64; ++r)
      for (unsigned lane = 0; lane < 64; ++lane)
        ++owners[rowOf(s, lane, r)][lane % s.m];
    bool once = true;
    for (auto &row : owners)
      for (int n : row)
        once &= n == 1;
    tally().check(once, std::string(s.name) + " owns each element once");
  }
}

void testShapes(llvm::ArrayRef<Shape> shapes, Arch arch) {
  for (const Shape &s : shapes)
    for (unsigned bits = 0; bits < 8; ++bits)
      for (bool zeroC : {false, true})
        runShape(s, {bool(bits & 1), bool(bits & 2), bool(bits & 4)}, zeroC,
                 ~0ull, arch);
  // EXEC is ignored.
  for (const Shape &s : shapes)
    runShape(s, {false, false, false}, false, 1, arch);
  testCoverage(shapes);
}

} // namespace

void emulator_test::testMfma() { testShapes(kShapes, Arch::Gfx942); }

/// Those of CDNA 3 without fp8, too, which gfx950 executes as well.
void emulator_test::testMfmaOfGfx950() {
  testShapes(kShapesOfGfx950, Arch::Gfx950);
  testShapes(llvm::ArrayRef(kShapes).take_front(6), Arch::Gfx950);
}
