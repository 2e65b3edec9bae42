//===- BackwardSweep.cpp - Gradients on the CPU against float64 -----------===//
//
// A function that computes attention and hands its output and LSE on to the
// gradients, as a step of training does.
//
//===----------------------------------------------------------------------===//

#include "BackwardSweep.h"
#include "SweepCase.h"
#include "attn-mlir/Runtime/FunctionOracle.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

struct BackwardCase {
  std::string type = "f32";
  HeadDims dims{16, 16};
  HeadCounts heads{2, 1};
  std::string mask, schedule, score = "";
  bool bshd = false;
  /// Options of attn-to-target, for what goes by way of level 3.
  std::optional<std::string> level3 = std::nullopt;
  /// Of the schedule; empty: the default.
  std::string form = "";
  /// A tensor that the score reads, and its gradient.
  std::string read = "", readGradient = "";
  bool lseGradient = false;

  std::string text() const {
    return read.empty() && !lseGradient ? textOfPlain() : textOfMore();
  }

  /// With gradients of LSE and of what is read.
  std::string textOfMore() const {
    auto [q, k, v, o, l] = SweepTypes(type, dims, heads, bshd);
    std::string with = mask + " scale(0.125)" + (bshd ? " layout(bshd)" : "");
    bool reads = !read.empty();
    std::string results = q + ", " + k + ", " + v;
    std::string all = results + (reads ? ", " + readGradient : "");
    std::string schedule =
        form.empty() ? ""
                     : " {attn.schedule = #attn.schedule<form = " + form + ">}";
    return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v +
           ", %do: " + o + (lseGradient ? ", %dl: " + l : "") +
           (reads ? ", %t: " + read : "") + ") -> (" + all +
           ") {\n  %o, %lse = attn.attention %q, %k, %v " + with +
           (reads ? " captures(%t : " + read + ") " : " ") + score + " : (" +
           results + ") -> (" + o + ", " + l +
           ")\n  %r:" + (reads ? "4" : "3") +
           " = attn.attention_backward %q, %k, %v, %o, %do, %lse " +
           (lseGradient ? "lse_gradient(%dl) " : "") + with +
           (reads ? " captures(%t) of([0]) " : " ") + score + schedule +
           " : (" + results + ", " + o + ", " + o + ", " + l +
           (lseGradient ? ", " + l : "") + (reads ? ", " + read : "") +
           ") -> (" + all + ")\n  return %r#0, %r#1, %r#2" +
           (reads ? ", %r#3" : "") + " : " + all + "\n}\n";
  }

  std::string textOfPlain() const {
    auto [q, k, v, o, l] = SweepTypes(type, dims, heads, bshd);
    std::string results = q + ", " + k + ", " + v;
    std::string with = mask + " scale(0.125)" + (bshd ? " layout(bshd)" : "");
    std::string captures = StringRef(score).contains("%c: f32") ? "%cap" : "";
    std::string forward =
        captures.empty() ? "" : " captures(" + captures + " : f32)";
    std::string backward =
        captures.empty() ? "" : " captures(" + captures + ")";
    std::string scalar = captures.empty() ? "" : ", f32";
    return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v +
           ", %do: " + o + (captures.empty() ? "" : ", %cap: f32") + ") -> (" +
           results + ") {\n  %o, %lse = attn.attention %q, %k, %v " + with +
           forward + " " + score + " : (" + q + ", " + k + ", " + v + ") -> (" +
           o + ", " + l +
           ")\n  %r:3 = attn.attention_backward %q, %k, %v, %o, %do, %lse " +
           with + backward + " " + score +
           (form.empty()
                ? ""
                : " {attn.schedule = #attn.schedule<form = " + form + ">}") +
           " : (" + results + ", " + o + ", " + o + ", " + l + scalar +
           ") -> (" + results + ")\n  return %r#0, %r#1, %r#2 : " + results +
           "\n}\n";
  }

  std::string describe() const {
    return describeShape(type, dims, heads, mask, bshd) + schedule + " " +
           score + (form.empty() ? "" : " " + form) +
           (lseGradient ? " dLSE" : "") + " " + readGradient +
           (level3 ? " level 3 " + *level3 : "");
  }
};

struct BackwardSizes {
  int64_t batch, queries, keys;
};

class BackwardSweep {
public:
  explicit BackwardSweep(MLIRContext &context) : context(context) {}

  void run(const BackwardCase &c, ArrayRef<BackwardSizes> list) {
    auto reference = parseSourceString<ModuleOp>(c.text(), &context);
    auto lower = [&](OpPassManager &pm) { lowerBy(c.level3, pm); };
    OwningOpRef<ModuleOp> module =
        prepare(context, c.text(), c.schedule, lower);
    auto failed = [&]() { return "compiles: " + c.describe(); };
    if (!tally.check(reference && module, failed))
      return;
    // Rings make for much code and little work, as small problems do.
    constexpr int64_t kSmall = 8;
    bool isSmall = c.level3 || c.dims.qk <= kSmall;
    auto compiled = CpuModule::compile(*module, isSmall ? 0 : 2);
    if (!compiled)
      llvm::errs() << llvm::toString(compiled.takeError()) << "\n";
    if (!tally.check(bool(compiled), failed))
      return;
    auto function = *reference->getOps<func::FuncOp>().begin();
    for (const BackwardSizes &sizes : list)
      runSizes(c, function, *module, **compiled, sizes);
  }

  int close() const {
    llvm::outs() << combinations
                 << " combinations with results to compare, on random inputs\n";
    return tally.close();
  }

private:
  void runSizes(const BackwardCase &c, func::FuncOp function, ModuleOp module,
                CpuModule &compiled, const BackwardSizes &sizes) {
    OracleOptions options;
    options.sizes = {
        {"batch", sizes.batch}, {"query", sizes.queries}, {"key", sizes.keys}};
    options.seed = ++seed;
    if (StringRef(c.score).contains("%c: f32"))
      options.scalars = {1.5};
    if (sizes.batch > 0 && sizes.queries > 0 && sizes.keys > 0)
      ++combinations;
    FailureOr<FunctionReport> report = runFunctionOracle(
        function, module, compiled, options, /*argumentSizes=*/{}, 0);
    bool ok = succeeded(report) && report->skipped.empty() &&
              report->output.any && report->isWithin();
    tally.check(ok, [&]() {
      std::string text = c.describe() + " B " + std::to_string(sizes.batch) +
                         " Sq " + std::to_string(sizes.queries) + " Skv " +
                         std::to_string(sizes.keys);
      if (succeeded(report))
        text += ": error " + std::to_string(report->output.row.error) +
                " of a bound of " + std::to_string(report->output.bound) + " " +
                report->skipped;
      return text;
    });
  }

  MLIRContext &context;
  Tally tally;
  uint64_t seed = 0;
  unsigned combinations = 0;
};

const HeadCounts kHeadsOfGradients[] = {{2, 2}, {4, 2}, {3, 1}, {1, 1}, {6, 2}};

/// Softcap, a bias by distance, and a mask region.
const char *const kScoresOfGradients[] = {
    "",
    R"(score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
    %x = arith.divf %s, %c : f32
    %t = math.tanh %x : f32
    %y = arith.mulf %t, %c : f32
    attn.yield %y : f32
  })",
    R"(score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %e = arith.constant 0.0625 : f32
    %bias = arith.mulf %e, %df : f32
    %y = arith.addf %s, %bias : f32
    attn.yield %y : f32
  })",
    R"(keep(%b: index, %h: index, %i: index, %j: index) {
    %three = arith.constant 3 : index
    %sum = arith.addi %i, %h : index
    %all = arith.addi %sum, %j : index
    %r = arith.remui %all, %three : index
    %zero = arith.constant 0 : index
    %k = arith.cmpi ne, %r, %zero : index
    attn.yield %k : i1
  })"};

template <typename List> const auto &pick(const List &list, unsigned i) {
  return list[(i + i / std::size(list)) % std::size(list)];
}

/// Every list is walked at a pace of its own.
void runLevel2(BackwardSweep &sweep, unsigned first, unsigned step) {
  const char *const types[] = {"bf16", "f32", "f16"};
  const HeadDims dims[] = {{64, 64},   {128, 128}, {56, 56},  {80, 80},
                           {192, 128}, {96, 96},   {256, 256}};
  const char *const tiles[] = {"tiles=query=32,key=32", "tiles=query=16,key=64",
                               "", "tiles=query=64,key=16",
                               "tiles=query=17,key=23"};
  const char *const schedules[] = {
      "",
      "sawtooth=force",
      "persistent sms=3 resident=1 sawtooth=force",
      "grid-order=swizzled-head-first domains=4",
      "splits=3",
      "grid-order=swizzled-block-first domains=3 longest-first sawtooth=force",
      "grid-order=naive-block-first",
      "split-ctas splits=3",
      "grid-order=naive-head-first persistent sms=2 resident=1 pair-tiles",
      "traversal=inside-out",
      "splits=2 persistent sms=4 resident=1 sawtooth=force"};
  const BackwardSizes sizes[] = {{1, 1, 1},   {2, 37, 53}, {1, 97, 31},
                                 {1, 61, 83}, {1, 64, 64}, {1, 5, 0},
                                 {1, 0, 7}};
  constexpr unsigned kCases = 44;
  for (unsigned i = first; i < kCases; i += step) {
    std::string tile = pick(tiles, i), schedule = pick(schedules, i);
    sweep.run({pick(types, i), pick(dims, i), pick(kHeadsOfGradients, 2 * i),
               pick(kMasks, 3 * i), tile + (tile.empty() ? "" : " ") + schedule,
               i % 3 == 2 ? pick(kScoresOfGradients, i) : "", i % 4 == 1},
              sizes);
  }
}

/// The fused form: CTAs add to dQ.
void runFused(BackwardSweep &sweep, unsigned first, unsigned step) {
  const char *const types[] = {"f32", "bf16", "f16"};
  const HeadDims dims[] = {
      {64, 64}, {56, 56}, {128, 128}, {192, 128}, {32, 16}};
  const char *const schedules[] = {
      "tiles=query=32,key=32",
      "tiles=query=16,key=64 sawtooth=force",
      "tiles=query=64,key=16 persistent sms=3 resident=1 sawtooth=force",
      "tiles=query=17,key=23 splits=3",
      "",
      "tiles=query=32,key=16 grid-order=swizzled-head-first domains=4",
      "tiles=query=64,key=32 traversal=inside-out"};
  const BackwardSizes sizes[] = {{1, 1, 1},   {2, 37, 53}, {1, 97, 31},
                                 {1, 64, 64}, {1, 5, 0},   {1, 0, 7}};
  constexpr unsigned kCases = 21;
  for (unsigned i = first; i < kCases; i += step) {
    BackwardCase c{pick(types, i),
                   pick(dims, i),
                   pick(kHeadsOfGradients, 2 * i),
                   pick(kMasks, 3 * i),
                   pick(schedules, i),
                   i % 3 == 2 ? pick(kScoresOfGradients, i) : "",
                   i % 4 == 1};
    c.form = "fused";
    sweep.run(c, sizes);
  }
}

/// CTAs add to dQ one after the other: those that wait for others are behind
/// them, whatever the mask, the order and the tiles, or this does not end.
void runOrdered(BackwardSweep &sweep, unsigned first, unsigned step) {
  const HeadDims dims[] = {{64, 64}, {32, 16}};
  const char *const schedules[] = {
      "tiles=query=32,key=16",
      "tiles=query=17,key=23",
      "tiles=query=16,key=32 grid-order=swizzled-head-first domains=4",
      "tiles=query=32,key=16 longest-first",
      "tiles=query=16,key=16 grid-order=naive-block-first longest-first",
      "target=gb10 tiles=query=32,key=32",
      "target=h200 tiles=query=64,key=64"};
  const std::optional<std::string> lower[] = {
      std::nullopt,
      std::nullopt,
      std::nullopt,
      std::nullopt,
      std::nullopt,
      "stages=1",
      "wgmma=all specialize delay-waits stage-columns"};
  const BackwardSizes sizes[] = {
      {2, 37, 53}, {1, 97, 31}, {1, 5, 0}, {1, 0, 7}};
  constexpr unsigned kCases = 21;
  for (unsigned i = first; i < kCases; i += step) {
    BackwardCase c{"bf16",
                   pick(dims, i / 7),
                   pick(kHeadsOfGradients, i),
                   pick(kMasks, 2 * i),
                   schedules[i % 7],
                   "",
                   i % 4 == 1,
                   lower[i % 7]};
    c.form = "ordered";
    sweep.run(c, sizes);
  }
}

/// A tensor that a score reads, by the sizes of its dimensions ("H": heads),
/// where it is read, and the dimensions of its gradient.
struct Read {
  const char *sizes, *place, *gradient;
};

const Read kReads[] = {{"?xHx?x?", "%b, %h, %i, %j", "?xHx?x?"},
                       {"1xHx?x?", "%zero, %h, %i, %j", "1xHx?x?"},
                       {"?x1x?x?", "%b, %zero, %i, %j", "?x1x?x?"},
                       {"?x?", "%i, %j", "1x1x?x?"},
                       {"?xHx1x?", "%b, %h, %zero, %j", "?xHx1x?"},
                       {"1x1x1x?", "%zero, %zero, %zero, %j", "1x1x1x?"},
                       {"?xHx?x1", "%b, %h, %i, %zero", "?xHx?"},
                       {"H", "%h", "1xHx?"},
                       {"?x1x?x1", "%b, %zero, %i, %zero", "?x1x?"}};

/// What the score is with a number of the tensor: added before and behind a
/// function, or a slope.
const char *const kUses[] = {"%y = arith.addf %s, %x : f32",
                             "%u = arith.addf %s, %x : f32\n"
                             "%y = math.tanh %u : f32",
                             "%d = arith.subi %j, %i : index\n"
                             "%e = arith.index_cast %d : index to i32\n"
                             "%f = arith.sitofp %e : i32 to f32\n"
                             "%c = arith.constant 0.0625 : f32\n"
                             "%g = arith.mulf %f, %c : f32\n"
                             "%y = math.fma %x, %g, %s : f32"};

std::string withHeads(StringRef sizes, int64_t heads) {
  std::string text;
  for (char c : sizes)
    text += c == 'H' ? std::to_string(heads) : std::string(1, c);
  return text;
}

BackwardCase reading(BackwardCase c, const Read &read, StringRef element,
                     StringRef wide, StringRef use) {
  auto tensor = [&](StringRef sizes, StringRef of) {
    return "tensor<" + withHeads(sizes, c.heads.query) + "x" + of.str() + ">";
  };
  c.read = tensor(read.sizes, element);
  c.readGradient = tensor(read.gradient, wide);
  std::string loaded = element == "f32" ? "%x" : "%narrow";
  c.score = "score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: " +
            c.read + ") {\n%zero = arith.constant 0 : index\n" + loaded +
            " = attn.gather %t[" + read.place + "] : " + c.read + " -> " +
            element.str() + "\n" +
            (element == "f32"
                 ? ""
                 : "%x = arith.extf %narrow : " + element.str() + " to f32\n") +
            use.str() + "\nattn.yield %y : f32\n}";
  return c;
}

/// Gradients of LSE, and of what regions read, however it is broadcast.
void runCaptures(BackwardSweep &sweep, unsigned first, unsigned step) {
  const char *const types[] = {"f32", "bf16", "f16"};
  const HeadDims dims[] = {{16, 16}, {64, 64}, {32, 16}};
  const char *const schedules[] = {
      "tiles=query=32,key=32", "",
      "tiles=query=16,key=48 persistent sms=3 resident=1 sawtooth=force",
      "tiles=query=32,key=16 grid-order=swizzled-head-first domains=4"};
  const BackwardSizes sizes[] = {
      {1, 1, 1}, {2, 37, 53}, {3, 40, 31}, {1, 5, 0}, {1, 0, 7}};
  unsigned cases = 2 * std::size(kReads);
  for (unsigned i = first; i < cases; i += step) {
    BackwardCase c{pick(types, i), pick(dims, i),
                   pick(kHeadsOfGradients, 2 * i), pick(kMasks, 3 * i),
                   pick(schedules, i)};
    c.bshd = i % 4 == 1;
    c.form = i % 3 == 1 ? "fused" : "";
    c.lseGradient = i % 2 == 0;
    std::string wide = i % 5 == 0 ? "f32" : c.type;
    sweep.run(reading(c, kReads[i % std::size(kReads)],
                      i % 2 ? "f32" : pick(types, i), wide, pick(kUses, i)),
              sizes);
  }
}

/// The same by way of level 3.
void runCapturesLevel3(BackwardSweep &sweep, unsigned first, unsigned step) {
  const char *const schedules[] = {"target=h200 tiles=query=64,key=64",
                                   "target=gb10", "target=mi300x",
                                   "target=h200"};
  const char *const lower[] = {"wgmma=all specialize delay-waits stage-columns",
                               "stages=2", "stages=1", ""};
  const BackwardSizes sizes[] = {{1, 1, 1}, {2, 37, 101}};
  for (unsigned i = first; i < std::size(kReads); i += step) {
    BackwardCase c{i % 2 ? "f16" : "bf16",
                   {64, 64},
                   pick(kHeadsOfGradients, 2 * i),
                   pick(kMasks, 3 * i),
                   schedules[i % 4],
                   "",
                   i % 3 == 1,
                   lower[i % 4]};
    c.lseGradient = i % 2 == 0;
    sweep.run(reading(c, kReads[i], "bf16", c.type, pick(kUses, i)), sizes);
  }
}

/// Asynchronous products, waited for late, and columns through rings.
void runWarpgroups(BackwardSweep &sweep, unsigned first, unsigned step) {
  const HeadDims dims[] = {{64, 64}, {32, 16}, {128, 64}};
  const char *const schedules[] = {" tiles=query=64,key=64",
                                   " tiles=query=128,key=64 sawtooth=force",
                                   " tiles=query=32,key=64 split-results"};
  const char *const lower[] = {"wgmma=all specialize delay-waits stage-columns",
                               "wgmma=all delay-waits stages=3",
                               "wgmma=all stage-columns stages=1"};
  const BackwardSizes sizes[] = {{1, 1, 1}, {1, 101, 131}};
  constexpr unsigned kCases = 9;
  for (unsigned i = first; i < kCases; i += step)
    sweep.run({"bf16", pick(dims, i), pick(kHeadsOfGradients, 2 * i),
               pick(kMasks, 3 * i),
               std::string("target=h200") + pick(schedules, i),
               i % 4 == 3 ? pick(kScoresOfGradients, i / 4) : "", i % 5 == 1,
               pick(lower, i)},
              sizes);
}

/// The fused form: dX goes through a ring that threads who compute fill, and
/// warps share the columns of what is added to dQ.
void runFusedLevel3(BackwardSweep &sweep, unsigned first, unsigned step) {
  const HeadDims dims[] = {{64, 64}, {128, 128}, {64, 32}};
  const char *const schedules[] = {
      "target=h200 tiles=query=64,key=128", "target=gb10",
      "target=h200 tiles=query=128,key=128 sawtooth=force",
      "target=h200 tiles=query=32,key=64 persistent sms=3 resident=1",
      "target=gb10 tiles=query=64,key=32"};
  const char *const lower[] = {"wgmma=all specialize delay-waits stage-columns",
                               "stages=3", "wgmma=all stage-columns stages=1",
                               "copy=async", "stages=1"};
  const BackwardSizes sizes[] = {{1, 1, 1}, {1, 101, 131}};
  constexpr unsigned kCases = 10;
  for (unsigned i = first; i < kCases; i += step) {
    BackwardCase c{"bf16",
                   pick(dims, i),
                   pick(kHeadsOfGradients, 2 * i),
                   pick(kMasks, 3 * i),
                   schedules[i % 5],
                   i % 4 == 3 ? pick(kScoresOfGradients, i / 4) : "",
                   i % 5 == 1,
                   lower[i % 5]};
    c.form = "fused";
    sweep.run(c, sizes);
  }
}

/// Through rings and fragments, for three machines.
void runLevel3(BackwardSweep &sweep, unsigned first, unsigned step) {
  const char *const targets[] = {"h200", "gb10", "mi300x"};
  const HeadDims dims[] = {
      {64, 64}, {128, 128}, {56, 56}, {192, 128}, {32, 16}};
  const char *const schedules[] = {
      "", " tiles=query=32,key=32 sawtooth=force",
      " persistent sms=3 resident=1 sawtooth=force", " splits=2"};
  const char *const lower[] = {"", "stages=3 copy=async", "stages=1"};
  const BackwardSizes sizes[] = {{1, 1, 1}, {1, 37, 53}, {1, 101, 31}};
  constexpr unsigned kCases = 18;
  for (unsigned i = first; i < kCases; i += step)
    sweep.run({i % 2 ? "f16" : "bf16", pick(dims, i),
               pick(kHeadsOfGradients, 2 * i), pick(kMasks, 3 * i),
               std::string("target=") + targets[i % 3] + pick(schedules, i),
               i % 4 == 3 ? pick(kScoresOfGradients, i / 4) : "", i % 5 == 1,
               pick(lower, i)},
              sizes);
  runWarpgroups(sweep, first, step);
  runFusedLevel3(sweep, first, step);
}

/// A score modification of these lines, of %s and %i, that ends in %y.
std::string scoreOf(StringRef lines) {
  return ("score(%s: f32, %b: index, %h: index, %i: index, %j: index) {\n"
          "%one = arith.constant 1.0 : f32\n%half = arith.constant 0.5 : f32\n"
          "%square = arith.mulf %s, %s : f32\n"
          "%positive = arith.addf %square, %one : f32\n"
          "%few = arith.constant 0.0625 : f32\n"
          "%near = arith.constant 0.25 : f32\n"
          "%small = arith.mulf %s, %few : f32\n"
          "%inside = arith.addf %small, %near : f32\n" +
          lines + "\nattn.yield %y : f32\n}")
      .str();
}

/// Every operation that has a rule, alone on the way from the score.
void runDerivatives(BackwardSweep &sweep) {
  const char *const lines[] = {
      "%y = arith.addf %s, %square : f32",
      "%y = arith.subf %half, %square : f32",
      "%y = arith.mulf %s, %positive : f32",
      "%y = arith.divf %s, %positive : f32", "%y = arith.negf %square : f32",
      "%y = math.fma %s, %square, %s : f32",
      "%y = arith.maximumf %s, %half : f32",
      "%y = arith.minimumf %half, %s : f32",
      "%y = arith.maxnumf %half, %s : f32",
      "%y = arith.minnumf %s, %half : f32",
      "%c = arith.cmpf ogt, %s, %half : f32\n"
      "%y = arith.select %c, %square, %s : f32",
      "%y = math.absf %s : f32",
      "%w = arith.extf %s : f32 to f64\n%x = arith.mulf %w, %w : f64\n"
      "%y = arith.truncf %x : f64 to f32",
      "%y = math.exp %s : f32", "%y = math.exp2 %s : f32",
      "%y = math.expm1 %s : f32", "%y = math.log %positive : f32",
      "%y = math.log2 %positive : f32", "%y = math.log1p %square : f32",
      "%y = math.sqrt %positive : f32", "%y = math.rsqrt %positive : f32",
      "%y = math.tanh %s : f32", "%y = math.erf %s : f32",
      "%y = math.sin %s : f32", "%y = math.cos %s : f32",
      "%f = math.floor %inside : f32\n%y = arith.subf %s, %f : f32",
      "%f = math.ceil %inside : f32\n%y = arith.subf %s, %f : f32",
      "%f = math.round %inside : f32\n%y = arith.subf %s, %f : f32",
      // What the score does not reach.
      "%n = arith.index_cast %i : index to i32\n%y = arith.sitofp %n : i32 to "
      "f32"};
  for (const char *own : lines) {
    BackwardCase c;
    c.dims = {8, 8};
    c.heads = {1, 1};
    c.schedule = "tiles=query=16,key=16";
    c.score = scoreOf(own);
    sweep.run(c, BackwardSizes{1, 7, 9});
  }
}

} // namespace

int attn_test::runBackward(MLIRContext &context, StringRef what, unsigned first,
                           unsigned step) {
  BackwardSweep sweep(context);
  if (what == "derivatives")
    runDerivatives(sweep);
  else if (what == "backward-captures")
    runCaptures(sweep, first, step);
  else if (what == "backward-captures-sequential")
    runCapturesLevel3(sweep, first, step);
  else if (what == "backward-sequential")
    runLevel3(sweep, first, step);
  else if (what == "backward-fused")
    runFused(sweep, first, step);
  else if (what == "backward-ordered")
    runOrdered(sweep, first, step);
  else
    runLevel2(sweep, first, step);
  return sweep.close();
}
