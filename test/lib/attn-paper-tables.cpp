//===- attn-paper-tables.cpp - Tables of "FlashAttention on a Napkin" -----===//
//
// Prints the paper's configuration tables and exponents as the transfer model
// computes them, beside the published figures (docs/notebooks/transfer-model.md
// holds the output; test/Analysis/paper-tables.test compares). The algorithms
// are those of appendix A.5: sizes and quantisations are the paper's, sums are
// ours.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Analysis/ConfigurationTable.h"
#include "attn-mlir/Analysis/TransferModel.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace attn;
using llvm::format;

namespace {

constexpr int64_t kKiB = 1024;

llvm::raw_ostream &os() { return llvm::outs(); }

/// A row: what, what the paper prints, what the model computes.
void row(llvm::StringRef what, llvm::StringRef published, double ours,
         const char *form) {
  std::string value;
  llvm::raw_string_ostream(value) << format(form, ours);
  os() << "| " << what << " | " << published << " | " << value << " |\n";
}

void header(llvm::StringRef title) {
  os() << "\n### " << title
       << "\n\n| | published | computed |\n|---|---|---|\n";
}

/// Tables 2 and 3. A warp takes `w` queries; the stream comes in tiles of `s`
/// keys, of which sub-loops take `u`, and `part` of the head dimension.
void ampere() {
  constexpr int64_t w = 32, s = 16, d = 128, u = 8, part = 16;
  const Variable variables[] = {
      {"queries", w * d, 2, Place::Registers},
      {"keys and values", s * d, 2, Place::Shared, true},
      {"auxiliary", w * 3, 2, Place::Registers},
      {"output", w * d, 2, Place::Registers},
      // Operands and accumulator of a 32 x 16 x 8 product.
      {"tensor core, primary", 32 * 8, 2, Place::Registers},
      {"tensor core, secondary", 8 * 16, 2, Place::Registers},
      {"tensor core, accumulator", 32 * 16, 2, Place::Registers},
      {"transfer cache", w * s, 2, Place::Shared},
      {"processed values", w * u, 2, Place::Registers},
      {"sub-loop cache", w * part, 2, Place::Shared},
  };
  // Table 3 counts the stream and the transposed keys at d = 64, the size that
  // Table 2 prints for both, and the rest at 128.
  std::vector<Variable> table(std::begin(variables), std::end(variables));
  table[1].values = s * 64;
  table.push_back({"transposed keys", s * 64, 2, Place::Shared, true});
  Allocation registers = allocate(table, Place::Registers);
  Allocation shared = allocate(table, Place::Shared);
  header("Ampere attention: Table 3");
  row("registers, values a warp", "9440", registers.groupValues, "%.0f");
  row("registers, bytes a warp", "18880", registers.groupBytes, "%.0f");
  row("shared, values a block", "2048", shared.blockValues, "%.0f");
  row("shared, values a warp", "1024", shared.groupValues, "%.0f");
  row("warps by 163 KiB of shared memory", "79.5", shared.groups(163 * kKiB),
      "%.1f");
  row("warps by 256 KiB of registers", "13.89", registers.groups(256 * kKiB),
      "%.2f");
  row("warps a block (at most 32)", "13",
      std::floor(std::min(
          {shared.groups(163 * kKiB), registers.groups(256 * kKiB), 32.0})),
      "%.0f");
  // The keys and values that are broadcast, at d = 128 throughout.
  table[1].values = s * d;
  table.back().values = s * d;
  row("the same with d = 128 throughout", "-",
      std::floor(std::min({allocate(table, Place::Shared).groups(163 * kKiB),
                           registers.groups(256 * kKiB), 32.0})),
      "%.0f");
}

/// Tables 4 and 5 and section A.5.3. A warpgroup takes `w` queries as `tiles`
/// tensor core tiles of 64.
void hopper() {
  constexpr int64_t w = 128, d = 128, s = 32, u = 8, part = 16, tiles = w / 64;
  const Variable variables[] = {
      {"queries", w * d, 1, Place::Shared},
      {"keys", s * d, 1, Place::Shared, true},
      {"transposed keys", d * s, 1, Place::Shared, true},
      {"values", 16 * d, 2, Place::Shared, true},
      {"auxiliary", w * 3, 2, Place::Registers},
      {"output", w * d, 2, Place::Registers},
      {"FP8 tensor core, secondary", 128 * 32, 1, Place::Shared},
      {"FP16 accumulator", 64 * 32, 2, Place::Registers},
      {"transfer cache", tiles * 64 * s, 2, Place::Shared},
      {"processed values", w * u, 2, Place::Registers},
      {"FP16 tensor core, primary", 64 * 8, 2, Place::Shared},
      {"FP16 tensor core, secondary", 8 * 16, 2, Place::Shared},
      {"FP16 accumulator of P V", 64 * 16, 2, Place::Registers},
      {"sub-loop cache", tiles * 64 * part, 2, Place::Shared},
  };
  Allocation registers = allocate(variables, Place::Registers);
  Allocation shared = allocate(variables, Place::Shared);
  double byShared = shared.groups(228 * kKiB),
         byRegisters = registers.groups(256 * kKiB);
  double groups = std::floor(std::min({byShared, byRegisters, 8.0}));
  header("Hopper FP8 attention: Table 4");
  row("shared, KiB a block", "12", shared.blockBytes / 1024.0, "%.2f");
  row("shared, KiB a warpgroup", "33.25", shared.groupBytes / 1024.0, "%.2f");
  row("registers, KiB a warpgroup", "40.75", registers.groupBytes / 1024.0,
      "%.2f");
  row("warpgroups by shared memory", "6.50", byShared, "%.2f");
  row("warpgroups by registers", "6.28", byRegisters, "%.2f");
  row("consumer warpgroups", "6", groups, "%.0f");

  // Rates a cycle and SM: dense rates over 132 SMs of 1830 MHz, rounded as in
  // Table 5; special functions and FP16 arithmetic by the programming guide.
  constexpr double clock = 1830e6, sms = 132;
  auto perCycle = [&](double teraflops) {
    return std::exp2(std::round(std::log2(teraflops * 1e12 / sms / clock)));
  };
  const double sub = s / u, parts = d / part;
  const Column columns[] = {
      {"FP8 product", Unit::Tensor, 2.0 * d * s, perCycle(1979)},
      {"softmax", Unit::Special, u, 16, sub},
      {"FP16 product", Unit::Tensor, 2.0 * u * part, perCycle(989),
       sub * parts},
      {"FP16 multiply-add", Unit::Fma, 2.0 * part, 512, sub * parts},
  };
  UnitCycles cycles = cyclesOf(columns);
  double threads = groups * 128;
  double total = threads * cycles[cycles.bound()];
  double seconds = total / clock;
  // Both products, of every query with every key of the tile.
  double flops = 2 * (2.0 * d * s) * threads;
  // Keys of one byte, values of two.
  double bytes = 3.0 * s * d;
  header("Hopper FP8 attention: Table 5 and what follows from it");
  row("FP8 product, cycles a thread", "1",
      columns[0].operations / columns[0].perCycle, "%.4g");
  for (unsigned i = 1; i < 4; ++i)
    row(columns[i].name + ", cycles a thread and sub-tile", "0.5",
        columns[i].operations / columns[i].perCycle * columns[i].times / sub,
        "%.4g");
  os() << "| bound | tensor | " << unitName(cycles.bound()) << " |\n";
  row("cycles a tile of the stream", "2304", total, "%.0f");
  row("nanoseconds", "1259", seconds * 1e9, "%.0f");
  row("TFLOP/s an SM", "9.99", flops / seconds * 1e-12, "%.2f");
  row("PFLOP/s of 132 SMs", "1.32", sms * flops / seconds * 1e-15, "%.2f");
  row("loaded, KiB an SM", "12", bytes / 1024, "%.0f");
  row("GB/s an SM", "9.76", bytes / seconds * 1e-9, "%.2f");
  row("TB/s of 132 SMs", "1.29", sms * bytes / seconds * 1e-12, "%.2f");
}

/// Matrix product of n x n x n and attention of n queries and n keys (sections
/// 3 and 4.1): exponents, and the factors that sections 4.2 and 4.3 draw.
void exponents() {
  constexpr double n = 4096, d = 128;
  TransferProblem matmul{{{"m", n, true}, {"n", n, true}, {"k", n, false}},
                         {{"a", {0, 2}}, {"b", {2, 1}}, {"c", {0, 1}}},
                         1};
  TransferProblem attention{
      {{"query", n, true}, {"key", n, false}, {"dim", d, false}},
      {{"q", {0, 2}}, {"k", {1, 2}}, {"v", {1, 2}}, {"o", {0, 2}}},
      d};
  OptimalTransfers m = *optimalTransfers(matmul);
  OptimalTransfers a = *optimalTransfers(attention);
  header("Exponents (sections 3, 4.1 and 4.3)");
  row("matrix product: beta", "0.5", m.terms.back().beta, "%.2f");
  row("attention: beta", "1", a.terms.back().beta, "%.2f");
  // 2 abc M^-1/2 + ac, and 2 q d + 2 q x d^2 / M.
  row("matrix product: alpha / (2 n^3)", "-",
      m.terms.back().alpha / (2 * n * n * n), "%.2f");
  row("attention: alpha / (2 n^2 d^2)", "-",
      a.terms.back().alpha / (2 * n * n * d * d), "%.2f");
  row("FP32 to FP16, attention: faster by", "4",
      quantisationFactor(a.terms.back().beta, 4, 2), "%.2f");
  row("FP32 to FP16, matrix product: faster by", "2.83",
      quantisationFactor(m.terms.back().beta, 4, 2), "%.2f");
  // Groups of sizes that fill M = 2^14 move as much as H* says.
  double memory = 16384, side = std::sqrt(memory);
  row("matrix product: H(g, g, M) / H*(M)", "1",
      matmul.transfers({side, side, 1}) / m(memory), "%.2f");
  row("attention: H(g, M) / H*(M)", "1",
      attention.transfers({memory / d, 1, 1}) / a(memory), "%.2f");
}

/// Sections 4.4 and 4.5: attention on registers below shared memory below L2,
/// and the gain of clusters of two and four with the bandwidths that appendix
/// A.2.3 quotes for H800.
void hierarchies() {
  constexpr double n = 4096, d = 128;
  OptimalTransfers a = *optimalTransfers(TransferProblem{
      {{"query", n, true}, {"key", n, false}, {"dim", d, false}},
      {{"q", {0, 2}}, {"k", {1, 2}}, {"v", {1, 2}}, {"o", {0, 2}}},
      d});
  constexpr double registers = 32 * 1024, global = 2.04e12;
  double alone = weightedSeconds(
      a, weighLevels({{"SM", LevelKind::Memory, registers, global, 1}}), 2);
  header("Several levels (sections 4.2, 4.4 and 4.5)");
  for (auto [children, between] : {std::pair(2.0, 3.27e12), {4.0, 2.65e12}}) {
    auto levels = weighLevels(
        {{"cluster", LevelKind::CrossTransfer, 0, between, children},
         {"SM", LevelKind::Memory, registers, global, 1}});
    double beta = a.terms.back().beta;
    double closed = (1 / global - 1 / between) * 2 * a.terms.back().alpha *
                    std::pow(registers / 2, -beta) *
                    (1 - std::pow(children, -beta));
    std::string name = "clusters of " + std::to_string(int(children));
    row(name + ": time saved / closed form of A.2.3", "1",
        (alone - weightedSeconds(a, levels, 2)) / closed, "%.2f");
    row(name + ": transfers take, of those without", "-",
        weightedSeconds(a, levels, 2) / alone, "%.2f");
  }
  auto cached =
      weighLevels({{"shared", LevelKind::IntermediateCache, 0, global, 8},
                   {"registers", LevelKind::Memory, registers, 8 * global, 1}});
  row("intermediate cache over 8: memory / (8 M)", "1",
      cached.front().bytes / (8 * registers), "%.2f");
}

} // namespace

int main() {
  ampere();
  hopper();
  exponents();
  hierarchies();
  return 0;
}
