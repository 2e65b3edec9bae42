//===- attn-numerics-test.cpp - The lines of docs/numerics.md -------------===//
//
// Runs attention on NaN, infinities, denormals, large scores and ties, at the
// level and on the target that it is told, and compares what comes out with
// what docs/numerics.md says. Scores are exact in f32.
//
//===----------------------------------------------------------------------===//

#include "NumericsKernel.h"
#include "attn-mlir/Compiler/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn_numerics;
namespace cl = llvm::cl;

static cl::opt<std::string> target("target", cl::desc("cpu, or a GPU"),
                                   cl::init("cpu"));
static cl::opt<std::string> lower("lower", cl::desc("Options of level 3"));
static cl::opt<bool> emulate("emulate", cl::desc("In the emulator of gfx942"));
static cl::opt<std::string>
    defect("defect", cl::desc("Plant one: finite (no NaN, no infinities), off "
                              "(by 5 %), order (results depend on it)"));
static cl::opt<std::string> only("only", cl::desc("Run one test"));

namespace {
//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// What went wrong in a test, if anything.
class Check {
public:
  Check(Kernel &full, Kernel &causal, Kernel &modified)
      : full(full), causal(causal), modified(modified) {}

  /// A column of values whose NaN or infinity keys without weight may spread.
  static constexpr int64_t kSpoiled = 3;

  /// Everything as defined. `spoiled`: column kSpoiled may be NaN anywhere.
  Results same(Kernel &kernel, const Inputs &in, bool spoiled = false) {
    Results got = kernel.run(in), want = kernel.expected(in);
    for (int64_t i = 0; i < in.q.rows(); ++i) {
      compareRow(kernel, got.o, want.o, i, spoiled);
      compareLse(got.lse[i], want.lse[i], i);
    }
    if (!kernel.guardsIntact)
      fail("writes beside its results");
    return got;
  }

  void fail(const Twine &what) {
    if (problem.empty())
      problem = what.str();
  }
  void expect(bool ok, const Twine &what) {
    if (!ok)
      fail(what);
  }

  Kernel &full, &causal, &modified;
  std::string problem;
  double lseError = 0;

private:
  void compareRow(Kernel &kernel, const Matrix &got, const Matrix &want,
                  int64_t i, bool spoiled) {
    double difference = 0, norm = 0;
    for (int64_t d = 0; d < kDim; ++d) {
      double x = got.at(i, d), y = want.at(i, d);
      if (spoiled && d == kSpoiled && std::isnan(x))
        continue;
      if (std::isnan(x) && std::isnan(y))
        continue;
      if (!std::isfinite(x) || !std::isfinite(y))
        return fail("row " + Twine(i) + ", column " + Twine(d) + ": " +
                    show(x) + " for " + show(y));
      difference += (x - y) * (x - y);
      norm += y * y;
    }
    double error = std::sqrt(difference / (norm > 0 ? norm : 1));
    if (error > (norm > 0 ? usualBound(kernel.type) : 0))
      fail("row " + Twine(i) + ": error " + show(error));
  }

  void compareLse(double x, double y, int64_t i) {
    if (x == y || (std::isnan(x) && std::isnan(y)))
      return;
    double error = std::abs(x - y) / std::max(1.0, std::abs(y));
    lseError = std::max(lseError, error);
    if (!(error <= 1e-6))
      fail("LSE of row " + Twine(i) + ": " + show(x) + " for " + show(y));
  }

  static std::string show(double x) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.9g", x);
    return text;
  }
};

/// The first 30 of 100 rows attend to nothing: row i to keys up to i - 30.
constexpr int64_t kQueries = 100, kKeys = 70;
Inputs some() { return ordinary(kQueries, kKeys); }

void emptyRows(Check &c) {
  Inputs in = some();
  c.same(c.causal, in);
  in.q.at(3, 4) = kNaN;
  in.k.at(kKeys - 1, 2) = kInfinity;
  c.same(c.causal, in);
  c.same(c.full, ordinary(5, 0));
}

void nanInQ(Check &c) {
  Inputs in = some();
  in.q.at(50, 9) = kNaN;
  c.same(c.full, in);
}

void nanInK(Check &c) {
  Inputs in = some();
  in.k.at(40, 9) = kNaN;
  c.same(c.causal, in);
}

void nanInV(Check &c) {
  Inputs in = some();
  in.v.at(40, Check::kSpoiled) = kNaN;
  c.same(c.full, in);
  // Rows that do not attend to the key: right, or NaN in its column.
  c.same(c.causal, in, /*spoiled=*/true);
}

/// Keys from 64 on lie in a tile that the first tile of queries, up to row 63,
/// sees nothing of.
void hiddenTile(Check &c) {
  Inputs in = some();
  in.k.setRow(65, kNaN);
  in.v.setRow(65, kNaN);
  Results got = c.causal.run(in), want = c.causal.expected(some());
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t d = 0; d < kDim; ++d)
      c.expect(std::abs(got.o.at(i, d) - want.o.at(i, d)) < 0.02,
               "row " + Twine(i) + " has seen a tile that is hidden from it");
  c.expect(std::isnan(got.o.at(kQueries - 1, 0)), "the last row sees the key");
}

void infinityInV(Check &c) {
  Inputs in = some();
  in.v.at(40, Check::kSpoiled) = kInfinity;
  Results got = c.full.run(in);
  for (int64_t i = 0; i < kQueries; ++i) {
    double x = got.o.at(i, Check::kSpoiled);
    c.expect(x == kInfinity || std::isnan(x), "a finite mean of an infinity");
  }
  in.v.at(41, Check::kSpoiled) = -kInfinity;
  got = c.full.run(in);
  for (int64_t i = 0; i < kQueries; ++i)
    c.expect(std::isnan(got.o.at(i, Check::kSpoiled)), "a mean of both");
}

void scoreOfPlusInfinity(Check &c) {
  Inputs in = some();
  in.k.at(40, 0) = kInfinity;
  c.same(c.causal, in);
  in.change = {kInfinity, 1, 0, 1};
  in.k.at(40, 0) = 1;
  c.same(c.modified, in);
}

void scoreOfMinusInfinity(Check &c) {
  Inputs in = some();
  for (int64_t j = 0; j < 40; ++j)
    in.k.at(j, 0) = -kInfinity;
  c.same(c.causal, in);
  in = some();
  in.change = {-kInfinity, 1, 0, 1};
  c.same(c.modified, in);
}

void scoreOfNaN(Check &c) {
  Inputs in = some();
  in.change = {kNaN, 1, 0, 1};
  c.same(c.modified, in);
}

void largeScores(Check &c) {
  for (double x : {1e3, 1e6, 1e7, 1.9e8, 1e9, 1e10, 1e20, 1e30, 3.4e38})
    for (double sign : {-1., 1.}) {
      Inputs in = some();
      in.change = {sign * x, 1, 0, 1};
      c.same(c.modified, in);
    }
  // From products: a third of the keys each, and rows that see only the first.
  bool half = c.full.type.isF16();
  double root = half ? 0x1p15 : 0x1p60, most = half ? 0x1p15 : 0x1p60;
  for (double factor : {-1., 1., -0x1p-12, 0x1p-12}) {
    Inputs in = some();
    for (int64_t i = 0; i < kQueries; ++i)
      in.q.at(i, 0) = root;
    for (int64_t j = 0; j < kKeys; ++j) {
      in.k.at(j, 0) = 0;
      if (j < kKeys / 3 || j % 7 == 0) {
        in.k.setRow(j, 0);
        in.k.at(j, 0) = factor * most;
      } else if (j % 5 == 0) {
        in.k.setRow(j, 0);
        in.k.at(j, 0) = factor * most / 1024;
      }
    }
    c.same(c.causal, in);
    c.same(c.full, in);
  }
}

/// Scales that are not multiplied with a maximum: negative ones and those
/// outside of 2^-64 to 2^64. Queries and keys take the scores back to ordinary
/// ones, where their type can.
void scales(Check &c) {
  MLIRContext &context = *c.full.type.getContext();
  std::string element;
  llvm::raw_string_ostream(element) << c.full.type;
  int most = c.full.type.isF16() ? 14 : 60;
  for (double scale : {-0x1p-3, 0x1p-70, -0x1p-70, 0x1p70, -0x1p100}) {
    Kernel kernel(context, c.full.setting, Kind::Causal, element, scale);
    int back = -3 - std::ilogb(scale);
    Inputs in = some();
    for (Matrix *m : {&in.q, &in.k})
      for (double &x : m->values)
        x = std::ldexp(x, std::clamp(back / 2, -most, most));
    c.same(kernel, in);
  }
}

/// Scores that are all made of denormals. Were these taken as 0, all weights
/// were equal.
void denormalInputs(Check &c) {
  bool half = c.full.type.isF16();
  Inputs in = some();
  for (double &x : in.q.values)
    x = std::ldexp(x * 50 + (x == 0 ? 7 : 0), half ? -24 : -133);
  for (double &x : in.k.values)
    x = std::ldexp(x, half ? 15 : 127);
  c.same(c.full, in);
}

/// Results below the least normal number: right but for half a step, or 0.
void denormalResults(Check &c) {
  bool half = c.full.type.isF16();
  double step = half ? 0x1p-24 : c.full.type.isF32() ? 0x1p-149 : 0x1p-133;
  Inputs in = some();
  for (double &x : in.v.values)
    x = std::round(x * 100) * step;
  Results got = c.full.run(in), want = c.full.expected(in);
  double largest = 0;
  for (auto [x, y] : llvm::zip(got.o.values, want.o.values)) {
    largest = std::max(largest, std::abs(x));
    c.expect(x == 0 || std::abs(x - y) <= step, "off by more than a step");
  }
  if (half)
    c.expect(largest > 0, "denormal results of f16 are 0");
}

/// A weight below 2^-126 counts as it is, or as 0.
void denormalWeights(Check &c) {
  if (c.full.type.isF16())
    return;
  Inputs in{Matrix(3), Matrix(2), Matrix(2)};
  for (int64_t i = 0; i < 3; ++i)
    in.q.at(i, 0) = 1;
  in.k.at(1, 0) = -720;
  in.v.setRow(1, 0x1p127);
  for (double x : c.full.run(in).o.values)
    c.expect(x >= 0 && x <= std::exp(-90) * 0x1p127 * 1.01,
             "a weight too large");
}

/// Ties of results go to even, and weights are rounded before products.
void rounding(Check &c) {
  bool half = c.full.type.isF16();
  double step = half ? 0x1p-10 : 0x1p-7;
  Inputs in{Matrix(3), Matrix(64), Matrix(64)};
  for (int64_t j = 0; j < 64; ++j)
    for (int64_t d = 0; d < kDim; ++d)
      in.v.at(j, d) = 1 + step * double(d % 2 + j % 2);
  Results got = c.full.run(in);
  for (int64_t d = 0; d < kDim; ++d)
    c.expect(got.o.at(1, d) == 1 + step * double(d % 2 * 2), "a tie");
  // exp(-1.5 * 241/128 / 8) = 0.70256 lies just below the weight that it is
  // rounded to.
  Inputs two{Matrix(3), Matrix(2), Matrix(2)};
  for (int64_t i = 0; i < 3; ++i)
    two.q.at(i, 0) = 1.5;
  two.k.at(1, 0) = -241.0 / 128;
  two.v.setRow(0, half ? -1439.0 / 2048 : -180.0 / 256);
  two.v.setRow(1, 1);
  for (double x : c.full.run(two).o.values)
    c.expect(x == 0, "the weight is not rounded to nearest");
}

/// a b - c is 0 where a b is rounded, 2^-24 in a contracted form; times 2^26.
void contraction(Check &c) {
  Inputs in = some();
  in.change = {1 + 0x1p-12, 1 + 0x1p-12, 1 + 0x1p-11, 0x1p26};
  c.same(c.modified, in);
}

/// The same bits whatever the order of waves, or the number of threads.
void determinism(Check &c) {
  for (Kernel *kernel : {&c.full, &c.causal}) {
    Results first = kernel->run(some());
    for (unsigned turn : {1, 2}) {
      Results next = kernel->run(some(), turn);
      c.expect(next.o.values == first.o.values && next.lse == first.lse,
               "results depend on the order of work");
    }
  }
}

/// Equal weights and small integers: sums are exact in any order.
void sums(Check &c) {
  Inputs in = ordinary(kQueries, 64);
  for (double &x : in.q.values)
    x = 0;
  for (double &x : in.v.values)
    x = std::round(x * 8) * 64;
  Results got = c.full.run(in);
  for (int64_t d = 0; d < kDim; ++d) {
    double sum = 0;
    for (int64_t j = 0; j < 64; ++j)
      sum += in.v.at(j, d);
    c.expect(got.o.at(7, d) == roundTo(c.full.type, sum / 64), "a sum");
  }
}

struct Test {
  StringLiteral name;
  void (*run)(Check &);
  /// Whether the line is about f32, too.
  bool single = true;
};
constexpr Test kTests[] = {{"empty-rows", emptyRows},
                           {"nan-in-q", nanInQ},
                           {"nan-in-k", nanInK},
                           {"nan-in-v", nanInV},
                           {"hidden-tile", hiddenTile},
                           {"infinity-in-v", infinityInV},
                           {"score-plus-infinity", scoreOfPlusInfinity},
                           {"score-minus-infinity", scoreOfMinusInfinity},
                           {"score-nan", scoreOfNaN},
                           {"large-scores", largeScores},
                           {"scales", scales},
                           {"denormal-inputs", denormalInputs, false},
                           {"denormal-results", denormalResults},
                           {"denormal-weights", denormalWeights},
                           {"rounding", rounding, false},
                           {"contraction", contraction},
                           {"determinism", determinism},
                           {"sums", sums}};
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "The lines of docs/numerics.md\n");
  DialectRegistry registry;
  attn::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Setting setting{target, lower, emulate, defect};
  unsigned failed = 0, run = 0;
  // The matrix units of the targets take no f32.
  SmallVector<StringRef> elements = {"bf16", "f16"};
  if (!emulate)
    elements.push_back("f32");
  for (StringRef element : elements) {
    Kernel full(context, setting, Kind::Full, element);
    Kernel causal(context, setting, Kind::Causal, element);
    Kernel modified(context, setting, Kind::Modified, element);
    for (const Test &test : kTests) {
      if ((!only.empty() && only != test.name) ||
          (element == "f32" && !test.single))
        continue;
      Check check(full, causal, modified);
      test.run(check);
      ++run;
      failed += !check.problem.empty();
      llvm::outs() << test.name << " " << element << ": "
                   << (check.problem.empty() ? "PASS"
                                             : "FAIL: " + check.problem)
                   << llvm::format(" (LSE %.2g)\n", check.lseError);
    }
  }
  llvm::outs() << run << " tests, " << failed << " failed\n";
  return failed != 0;
}
