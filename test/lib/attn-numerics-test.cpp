//===- attn-numerics-test.cpp - The lines of docs/numerics.md -------------===//
//
// Runs attention on NaN, infinities, denormals, large scores and ties, at the
// level and on the target that it is told, and compares what comes out with
// what docs/numerics.md says. Scores are exact in f32.
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Pipelines/Registration.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using namespace attn;
using attn_random::EmulatedKernel;
using attn_random::EmulatedLaunch;
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
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kDim = 32;
constexpr double kScale = 0.125;
/// The key whose score the kernel of that name modifies.
constexpr int64_t kModifiedKey = 5;
enum class Kind { Full, Causal, Modified };

std::string textOf(Kind kind, StringRef element) {
  std::string tensor = "tensor<1x1x?x32x" + element.str() + ">";
  std::string types = "(" + tensor + ", " + tensor + ", " + tensor + ") -> (" +
                      tensor + ", tensor<1x1x?xf32>)";
  StringRef mask =
      kind == Kind::Causal ? "mask(#attn.causal<bottom_right>)" : "";
  StringRef captures, score;
  if (kind == Kind::Modified) {
    captures = ", %a: f32, %b: f32, %c: f32, %d: f32";
    score = R"( captures(%a, %b, %c, %d : f32, f32, f32, f32)
      score(%s: f32, %n: index, %h: index, %i: index, %j: index,
            %ka: f32, %kb: f32, %kc: f32, %kd: f32) {
        %key = arith.constant 5 : index
        %is = arith.cmpi eq, %j, %key : index
        %product = arith.mulf %ka, %kb : f32
        %difference = arith.subf %product, %kc : f32
        %change = arith.mulf %difference, %kd : f32
        %sum = arith.addf %s, %change : f32
        %y = arith.select %is, %sum, %s : f32
        attn.yield %y : f32
      })";
  }
  return ("func.func @f(%q: " + tensor + ", %k: " + tensor + ", %v: " + tensor +
          captures + ") -> (" + tensor + ", tensor<1x1x?xf32>) {\n" +
          "  %o, %l = attn.attention %q, %k, %v " + mask + " scale(0.125)" +
          score + " : " + types + "\n  return %o, %l : " + tensor +
          ", tensor<1x1x?xf32>\n}\n")
      .str();
}

/// Rows of `kDim` numbers.
struct Matrix {
  std::vector<double> values;
  explicit Matrix(int64_t rows = 0) : values(rows * kDim) {}
  int64_t rows() const { return values.size() / kDim; }
  double &at(int64_t row, int64_t column) {
    return values[row * kDim + column];
  }
  double at(int64_t row, int64_t column) const {
    return values[row * kDim + column];
  }
  void setRow(int64_t row, double value) {
    for (int64_t d = 0; d < kDim; ++d)
      at(row, d) = value;
  }
};

/// Arguments of a kernel, or its results.
struct Inputs {
  Matrix q, k, v;
  /// (a b - c) d is added to the score of kModifiedKey.
  std::vector<double> change = {0, 0, 0, 0};
};
struct Results {
  Matrix o;
  std::vector<double> lse;
};

/// Small integers as queries and keys, the first dimension of queries 1, and
/// ordinary values.
Inputs ordinary(int64_t queries, int64_t keys) {
  std::mt19937_64 random(7);
  auto integer = [&] { return double(random() % 3) - 1; };
  Inputs in{Matrix(queries), Matrix(keys), Matrix(keys)};
  for (double &x : in.q.values)
    x = integer();
  for (double &x : in.k.values)
    x = integer();
  for (double &x : in.v.values)
    x = double(random() % 512) / 256 - 1;
  for (int64_t i = 0; i < queries; ++i)
    in.q.at(i, 0) = 1;
  return in;
}

bool sees(Kind kind, const Inputs &in, int64_t i, int64_t j) {
  return kind != Kind::Causal || j <= i + in.k.rows() - in.q.rows();
}

double scoreOf(Kind kind, const Inputs &in, int64_t i, int64_t j) {
  double dot = 0;
  for (int64_t d = 0; d < kDim; ++d)
    dot += in.q.at(i, d) * in.k.at(j, d);
  double score = dot * kScale;
  if (kind != Kind::Modified || j != kModifiedKey)
    return score;
  auto single = [](double x) { return double(static_cast<float>(x)); };
  const std::vector<double> &c = in.change;
  double change = single(single(single(c[0] * c[1]) - c[2]) * c[3]);
  return single(score + change);
}

/// By the definition; keys without weight take no part.
Results expected(Kind kind, const Inputs &in) {
  Results r{Matrix(in.q.rows()), {}};
  for (int64_t i = 0; i < in.q.rows(); ++i) {
    std::vector<double> scores(in.k.rows(), -kInfinity);
    double most = -kInfinity, sum = 0;
    bool bad = false;
    for (int64_t j = 0; j < in.k.rows(); ++j)
      if (sees(kind, in, i, j)) {
        scores[j] = scoreOf(kind, in, i, j);
        most = std::max(most, scores[j]);
        bad |= std::isnan(scores[j]) || scores[j] == kInfinity;
      }
    if (bad) {
      r.o.setRow(i, kNaN);
      r.lse.push_back(kNaN);
      continue;
    }
    for (int64_t j = 0; j < in.k.rows(); ++j) {
      double weight = scores[j] == -kInfinity ? 0 : std::exp(scores[j] - most);
      sum += weight;
      for (int64_t d = 0; weight > 0 && d < kDim; ++d)
        r.o.at(i, d) += weight * in.v.at(j, d);
    }
    for (int64_t d = 0; sum > 0 && d < kDim; ++d)
      r.o.at(i, d) /= sum;
    r.lse.push_back(most + std::log(sum));
  }
  return r;
}

/// One kernel, compiled for what the options say.
class Kernel {
public:
  Kernel(MLIRContext &context, Kind kind, StringRef element)
      : kind(kind), type(parseType(element, &context)),
        f32(Float32Type::get(&context)) {
    module = parseSourceString<ModuleOp>(textOf(kind, element), &context);
    if (!module || !compile())
      llvm::report_fatal_error("the kernel does not compile");
  }

  Results run(const Inputs &in, unsigned turn = 0) {
    Matrix o(in.q.rows());
    int64_t queries = in.q.rows(), keys = in.k.rows();
    std::vector<HostView> views;
    for (int64_t rows : {queries, keys, keys, queries})
      views.emplace_back(type, ArrayRef<int64_t>{1, 1, rows, kDim},
                         ArrayRef<int64_t>{0, 1, 2, 3}, ArrayRef<int64_t>{8});
    views.emplace_back(f32, ArrayRef<int64_t>{1, 1, queries},
                       ArrayRef<int64_t>{0, 1, 2}, ArrayRef<int64_t>{8});
    const Matrix *inputs[] = {&in.q, &in.k, &in.v};
    for (auto [view, matrix] : llvm::zip(views, inputs)) {
      std::vector<double> values = matrix->values;
      view.write(values);
    }
    std::vector<StridedBuffer> buffers;
    for (HostView &view : views)
      buffers.push_back(view.buffer());
    std::vector<ScalarBytes> scalars;
    for (double x : in.change)
      if (kind == Kind::Modified)
        scalars.push_back(encodeScalar(f32, x));
    if (llvm::Error error = launch(buffers, scalars, turn))
      llvm::report_fatal_error(std::move(error));
    guardsIntact &= views[3].guardsIntact() && views[4].guardsIntact();
    o.values = views[3].read();
    Results results{o, views[4].read()};
    for (auto *values : {&results.o.values, &results.lse})
      for (double &x : *values)
        x = spoil(x, turn);
    return results;
  }

  const Kind kind;
  const Type type;
  bool guardsIntact = true;

private:
  static double spoil(double x, unsigned turn) {
    if (defect == "finite")
      return std::isfinite(x) ? x : 0;
    if (defect == "off")
      return x * 1.05 + 0x1p-120;
    return defect == "order" ? x + turn : x;
  }

  bool compile() {
    PassManager pm(module->getContext());
    auto schedule = ScheduleOptions::createFromString("tiles=query=64,key=32");
    if (!schedule)
      return false;
    schedule->target = target;
    buildSchedulePipeline(pm, *schedule);
    auto options = TargetOptions::createFromString(lower);
    if (!options)
      return false;
    if (target != "cpu")
      buildTargetPipeline(pm, *options);
    if (emulate) {
      buildLowerToROCDLPipeline(pm);
      if (failed(pm.run(*module)))
        return false;
      emulated = EmulatedKernel::compile(*module);
      return emulated != nullptr;
    }
    if (target == "cpu")
      buildLowerToLoopsPipeline(pm);
    else
      buildSequentialPipeline(pm);
    buildLowerToLLVMPipeline(pm);
    if (failed(pm.run(*module)))
      return false;
    name = findLoweredKernels(*module).front().name;
    auto made = CpuModule::compile(*module, /*level=*/0);
    if (!made)
      llvm::report_fatal_error(made.takeError());
    compiled = std::move(*made);
    return true;
  }

  /// `turn` chooses what a result must not depend on.
  llvm::Error launch(ArrayRef<StridedBuffer> buffers,
                     ArrayRef<ScalarBytes> scalars, unsigned turn) {
    using attn::gfx942::Interleaving;
    const Interleaving orders[] = {Interleaving::Forward, Interleaving::Reverse,
                                   Interleaving::Random};
    if (emulate)
      return emulated->run(buffers, scalars, {orders[turn % 3], 1 + turn, 0});
    return compiled->run(name, buffers, scalars, 1 + turn);
  }

  Type f32;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<EmulatedKernel> emulated;
  std::unique_ptr<CpuModule> compiled;
  std::string name;
};

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
    Results got = kernel.run(in), want = expected(kernel.kind, in);
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
  double step = half ? 0x1p-24 : 0x1p-133;
  Inputs in = some();
  for (double &x : in.v.values)
    x = std::round(x * 100) * step;
  Results got = c.full.run(in), want = expected(Kind::Full, in);
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

using Test = std::pair<StringLiteral, void (*)(Check &)>;
constexpr Test kTests[] = {{"empty-rows", emptyRows},
                           {"nan-in-q", nanInQ},
                           {"nan-in-k", nanInK},
                           {"nan-in-v", nanInV},
                           {"infinity-in-v", infinityInV},
                           {"score-plus-infinity", scoreOfPlusInfinity},
                           {"score-minus-infinity", scoreOfMinusInfinity},
                           {"score-nan", scoreOfNaN},
                           {"large-scores", largeScores},
                           {"denormal-inputs", denormalInputs},
                           {"denormal-results", denormalResults},
                           {"denormal-weights", denormalWeights},
                           {"rounding", rounding},
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
  unsigned failed = 0, run = 0;
  for (StringRef element : {"bf16", "f16"}) {
    Kernel full(context, Kind::Full, element);
    Kernel causal(context, Kind::Causal, element);
    Kernel modified(context, Kind::Modified, element);
    for (auto [name, test] : kTests) {
      if (!only.empty() && only != name)
        continue;
      Check check(full, causal, modified);
      test(check);
      ++run;
      failed += !check.problem.empty();
      llvm::outs() << name << " " << element << ": "
                   << (check.problem.empty() ? "PASS"
                                             : "FAIL: " + check.problem)
                   << llvm::format(" (LSE %.2g)\n", check.lseError);
    }
  }
  llvm::outs() << run << " tests, " << failed << " failed\n";
  return failed != 0;
}
