//===- attn-sweep.cpp - Kernels on the CPU against float64 ----------------===//
//
// Walks combinations of mask, grouping, head dimensions, layouts, element
// types, tile sizes, schedules and score modifications, each on several sizes.
//
//===----------------------------------------------------------------------===//

#include "BackwardSweep.h"
#include "SweepCase.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "llvm/ADT/Sequence.h"
#include <random>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

const char *const kTypes[] = {"f32", "bf16", "f16"};
const HeadDims kDims[] = {{64, 64}, {128, 128}, {56, 56},   {72, 72},
                          {80, 80}, {96, 96},   {112, 112}, {192, 128},
                          {8, 16},  {256, 256}};
const HeadCounts kHeads[] = {{2, 2}, {4, 2}, {3, 1}, {6, 2}, {1, 1}};
const char *const kTiles[] = {"query=32,key=32", "query=80,key=80",
                              "query=16,key=64", "query=64,key=16",
                              "query=17,key=23", ""};
const char *const kSchedules[] = {
    "",
    "sawtooth=force",
    "persistent sms=3 resident=1 sawtooth=force",
    "persistent sms=5 resident=1 grid-order=naive-block-first sawtooth=force",
    "grid-order=swizzled-head-first domains=4",
    "grid-order=swizzled-block-first domains=3 longest-first sawtooth=force",
    "splits=3",
    "persistent sawtooth=auto overrides=sms=3,l2_effective_bytes=9000",
    "sawtooth=auto overrides=l2_effective_bytes=1",
    "splits=2 persistent sms=4 resident=1 sawtooth=force longest-first",
    "persistent sms=2 resident=2 grid-order=swizzled-head-first domains=8",
    "persistent sms=3 resident=1 pair-tiles",
    ("persistent sms=3 resident=1 snake grid-order=block-outermost "
     "longest-first"),
    "persistent sms=3 resident=1 dynamic sawtooth=force longest-first",
    ("persistent sms=1 resident=1 dynamic grid-order=two-sets "
     "longest-first"),
    "persistent sms=2 resident=1 pair-tiles longest-first sawtooth=force"};

/// Score modifications: none, softcap, ALiBi, and a mask of one's own.
const char *const kScoreMods[] = {
    "",
    R"( captures(%cap : f32) score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
    %x = arith.divf %s, %c : f32
    %t = math.tanh %x : f32
    %y = arith.mulf %t, %c : f32
    attn.yield %y : f32
  })",
    R"( score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %hi = arith.index_cast %h : index to i32
    %hf = arith.sitofp %hi : i32 to f32
    %e = arith.constant -2.0 : f32
    %hn = arith.mulf %hf, %e : f32
    %m = math.exp2 %hn : f32
    %bias = arith.mulf %m, %df : f32
    %y = arith.addf %s, %bias : f32
    attn.yield %y : f32
  })",
    R"( score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %three = arith.constant 3 : index
    %sum = arith.addi %i, %b : index
    %all = arith.addi %sum, %j : index
    %r = arith.remui %all, %three : index
    %zero = arith.constant 0 : index
    %drop = arith.cmpi eq, %r, %zero : index
    %inf = arith.constant 0xFF800000 : f32
    %y = arith.select %drop, %inf, %s : f32
    attn.yield %y : f32
  })"};

struct Case {
  std::string type;
  HeadDims dims;
  HeadCounts heads;
  std::string mask, tiles, schedule, scoreMod;
  bool bshd, lse;
  /// Options of attn-to-target for a kernel that goes by way of level 3.
  std::optional<std::string> level3 = std::nullopt;
  /// V by columns; scales of Q, K and V.
  bool columns = false, scales = false;
  /// The type of K and V, if it is another.
  std::string cache = {};
  /// Scales of K and V of blocks of keys.
  bool blocks = false;

  std::string text() const {
    auto [q, k, v, o, l] = SweepTypes(type, dims, heads, bshd);
    if (!cache.empty())
      for (std::string *tensor : {&k, &v})
        tensor->replace(tensor->rfind('x') + 1, type.size(), cache);
    std::string results = lse ? "(" + o + ", " + l + ")" : o,
                kv = std::to_string(heads.kv);
    if (columns)
      v = "tensor<?x" + kv + "x" + std::to_string(dims.value) + "x?x" + type +
          ">";
    std::string each = "tensor<?x" + kv + "xf32>",
                one = "tensor<1x" + kv + (blocks ? "x?xf32>" : "xf32>"),
                all = blocks ? "tensor<1x1x?xf32>" : "tensor<1x1xf32>";
    return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v +
           ", %cap: f32" +
           (scales ? ", %qs: " + each + ", %ks: " + all + ", %vs: " + one
                   : "") +
           ") -> " + results + " {\n  " + (lse ? "%r:2" : "%r") +
           " = attn.attention %q, %k, %v " + mask + " scale(0.25)" +
           (bshd ? " layout(bshd)" : "") +
           (columns ? " values(interleaved)" : "") +
           (scales ? " q_scale(%qs : " + each + ") k_scale(%ks : " + all +
                         ") v_scale(%vs : " + one + ")" +
                         (blocks ? " scale_block(64)" : "")
                   : "") +
           scoreMod + " : (" + q + ", " + k + ", " + v + ") -> " + results +
           "\n  return " +
           (lse ? "%r#0, %r#1 : " + o + ", " + l : "%r : " + o) + "\n}\n";
  }

  std::string scheduleText() const {
    return (tiles.empty() ? "" : "tiles=" + tiles + " ") + schedule;
  }

  std::string describe() const {
    return describeShape(type, dims, heads, mask, bshd) + scheduleText() +
           (scoreMod.empty() ? "" : " with a score modification") +
           (cache.empty() ? "" : " of " + cache) +
           (columns ? " by columns" : "") + (scales ? " scaled" : "") +
           (blocks ? " by blocks" : "") + (level3 ? " level 3 " + *level3 : "");
  }
};

struct Sizes {
  int64_t batch, queries, keys;
};
const Sizes kSizes[] = {{1, 1, 1},    {2, 37, 53},  {1, 128, 128}, {1, 1, 97},
                        {1, 101, 31}, {3, 16, 64},  {1, 64, 0},    {0, 5, 5},
                        {2, 0, 7},    {1, 61, 160}, {1, 131, 127}};

double tolerance(StringRef type) {
  // Of weights of 8 bits, and of their sums in bf16.
  if (type.starts_with("f8"))
    return type == "f8E5M2" ? 0.13 : 0.07;
  return type == "bf16" ? 1e-2 : type == "f16" ? 2e-3 : 1e-5;
}

class Sweep {
public:
  /// `level`: of LLVM's optimisation, at most.
  Sweep(MLIRContext &context, unsigned level)
      : context(context), level(level) {}

  void run(const Case &c, ArrayRef<Sizes> list = kSizes) {
    withKernel(c, [&](StreamableOpInterface op, CpuModule &module) {
      for (const Sizes &sizes : list)
        runSizes(c, op, module, sizes);
    });
  }

  /// Parts of their own CTAs, 1 to 7: some have nothing to visit.
  void runSplits(const Case &c) {
    withKernel(c, [&](StreamableOpInterface op, CpuModule &module) {
      for (const Sizes &sizes : kSizes)
        runSizes(c, op, module, sizes, /*onlyProbe=*/false,
                 /*splits=*/1 + ++seed % 7);
    });
  }

  /// All small sizes: every way in which bounds, tiles and masks can meet.
  template <typename Lengths>
  void runBounds(const Case &c, const Lengths &lengths) {
    withKernel(c, [&](StreamableOpInterface op, CpuModule &module) {
      for (int64_t queries : lengths)
        for (int64_t keys : lengths)
          runSizes(c, op, module, {1, queries, keys}, /*onlyProbe=*/true);
    });
  }

  int close() const {
    llvm::outs() << combinations
                 << " combinations with results to compare, on random inputs\n";
    return tally.close();
  }

private:
  /// Compiles a case and hands on its op and its kernel.
  void withKernel(
      const Case &c,
      llvm::function_ref<void(StreamableOpInterface, CpuModule &)> body) {
    auto reference = parseSourceString<ModuleOp>(c.text(), &context);
    auto lower = [&](OpPassManager &pm) { lowerBy(c.level3, pm); };
    // Rings make for much code and little work.
    auto module = compileBy(context, c.text(), c.scheduleText(), lower,
                            c.level3 ? 0 : level, &kernel);
    if (!tally.check(reference && module,
                     [&]() { return "compiles: " + c.describe(); }))
      return;
    reference->walk([&](StreamableOpInterface op) { body(op, *module); });
  }

  void runSizes(const Case &c, StreamableOpInterface op, CpuModule &module,
                const Sizes &sizes, bool onlyProbe = false,
                int64_t splits = 3) {
    OracleOptions options;
    options.splits = splits;
    options.threads = onlyProbe ? 1 : 0;
    options.sizes = {
        {"batch", sizes.batch}, {"query", sizes.queries}, {"key", sizes.keys}};
    options.seed = ++seed;
    if (StringRef(c.scoreMod).contains("captures"))
      options.scalars = {1.5};
    // Without a batch or queries there is nothing to compare.
    if (!onlyProbe && sizes.batch > 0 && sizes.queries > 0)
      ++combinations;
    if (!onlyProbe)
      check(c, sizes, runOracle(op, module, kernel, options), false);
    // Exact answers are for scores that are all alike.
    if (!c.scoreMod.empty())
      return;
    options.probe = true;
    check(c, sizes, runOracle(op, module, kernel, options), true);
  }

  void check(const Case &c, const Sizes &s, FailureOr<OracleReport> report,
             bool probe) {
    double bound = tolerance(c.type);
    bool ok =
        succeeded(report) && report->isWithin(bound, probe ? 2e-6 : bound);
    tally.check(ok, [&]() {
      std::string text = c.describe() + " B " + std::to_string(s.batch) +
                         " Sq " + std::to_string(s.queries) + " Skv " +
                         std::to_string(s.keys) + (probe ? " probe" : "");
      if (succeeded(report))
        text += ": error " + std::to_string(report->outputError) + ", LSE " +
                std::to_string(report->lseError) +
                (report->exact ? "" : ", not exact") +
                (report->guardsIntact ? "" : ", wrote outside");
      return text;
    });
  }

  MLIRContext &context;
  unsigned level;
  Tally tally;
  uint64_t seed = 0;
  /// Pairs of a kernel and sizes, not counting compilation, probes or empty
  /// sizes.
  unsigned combinations = 0;
  /// Of the case at hand.
  LoweredKernel kernel;
};

/// Case number i: every list is walked with a stride of its own, so that the
/// pairs of options meet in the course of the sweep.
Case makeCase(unsigned i) {
  auto pick = [&](const auto &list, unsigned stride) -> const auto & {
    return list[(i * stride + i / std::size(list)) % std::size(list)];
  };
  return {pick(kTypes, 1),
          pick(kDims, 3),
          pick(kHeads, 2),
          pick(kMasks, 5),
          pick(kTiles, 1),
          pick(kSchedules, 2),
          i % 3 == 2 ? pick(kScoreMods, 1) : "",
          i % 4 == 1,
          i % 2 == 0};
}

} // namespace

/// Level 3, one CTA after the other: tiles that matrix instructions take, rings
/// of every depth, and what a CTA carries from one tile of the grid to the
/// next.
static void runSequential(Sweep &sweep) {
  const char *const types[] = {"bf16", "f16"};
  const HeadDims dims[] = {{64, 64}, {128, 128}, {56, 56}, {80, 80},
                           {96, 96}, {192, 128}, {16, 32}};
  const char *const tiles[] = {"query=32,key=32", "query=16,key=64",
                               "query=64,key=16", "query=48,key=80", ""};
  const char *const schedules[] = {
      "",
      "persistent sms=3 resident=1 sawtooth=force",
      "splits=2",
      "splits=3 persistent sms=2 resident=1 sawtooth=force longest-first",
      "sawtooth=force grid-order=swizzled-head-first domains=4",
      "persistent sms=1 resident=1",
      "persistent sms=2 resident=1 pair-tiles",
      "persistent sms=3 resident=1 pair-tiles longest-first sawtooth=force"};
  const char *const lower[] = {"", "stages=1 resident-stages=2",
                               "stages=3 copy=async", "stages=2 warps=1",
                               "stages=5 resident-stages=3"};
  const Sizes sizes[] = {
      {1, 1, 1}, {2, 37, 53}, {1, 101, 31}, {1, 64, 0}, {1, 61, 160}};
  for (unsigned i = 0; i < 21; ++i) {
    auto pick = [&](const auto &list) {
      return list[(i + i / std::size(list)) % std::size(list)];
    };
    sweep.run({types[i % 2], pick(dims), pick(kHeads), pick(kMasks),
               pick(tiles), std::string("target=h200 ") + pick(schedules),
               i % 3 == 2 ? pick(kScoreMods) : "", i % 4 == 1, i % 2 == 0,
               pick(lower)},
              sizes);
  }
}

/// Q, K and V of 8 bits, by rows and by columns, scaled and not: at level 2,
/// and through the rings and layouts of NVIDIA GPUs.
static void runFloat8(Sweep &sweep) {
  const char *const types[] = {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ"};
  const HeadDims dims[] = {{64, 64}, {128, 128}, {96, 32}, {192, 128}};
  const char *const tiles[] = {"query=32,key=32", "query=16,key=64",
                               "query=64,key=96", ""};
  const char *const schedules[] = {
      "", "splits=2", "persistent sms=3 resident=1 sawtooth=force"};
  const char *const lower[] = {"",
                               "stages=1 resident-stages=2",
                               "stages=3 copy=async",
                               "two-level",
                               "two-level optimistic-max",
                               "optimistic-max",
                               "wgmma=all specialize overlap optimistic-max"};
  const Sizes sizes[] = {{1, 1, 1}, {2, 37, 53}, {1, 64, 0}, {1, 61, 160}};
  for (unsigned i = 0; i < 16; ++i) {
    auto pick = [&](const auto &list) {
      return list[(i + i / std::size(list)) % std::size(list)];
    };
    bool level3 = i % 2 == 1;
    Case c{types[level3 ? i / 2 % 2 : i / 2 % 3],
           pick(dims),
           pick(kHeads),
           pick(kMasks),
           pick(tiles),
           std::string(level3 ? "target=h200 " : "") + pick(schedules),
           i % 4 == 2 ? pick(kScoreMods) : "",
           i % 4 == 1,
           i % 3 != 0};
    if (level3)
      c.level3 = pick(lower);
    c.columns = level3 || i % 4 == 0;
    c.scales = i % 3 != 2;
    sweep.run(c, sizes);
    if (!c.scales)
      continue;
    c.blocks = true;
    sweep.run(c, sizes);
  }
}

/// Queries of 16 bits, keys and values of 8.
static void runCaches(Sweep &sweep) {
  const char *const types[] = {"bf16", "f16"}, *const caches[] = {"f8E4M3FN",
                                                                  "f8E5M2"};
  const HeadDims dims[] = {{64, 64}, {128, 128}, {72, 40}, {192, 128}};
  const char *const tiles[] = {"query=16,key=32", "query=32,key=48",
                               "query=64,key=64"};
  const char *const schedules[] = {"", "splits=2",
                                   "persistent sms=2 resident=1 sawtooth=force",
                                   "persistent sms=3 resident=1"};
  const char *const lower[] = {"", "stages=3 copy=async warps=1",
                               "optimistic-max"};
  const Sizes sizes[] = {{1, 1, 1}, {2, 37, 53}, {1, 64, 0}, {1, 61, 160}};
  for (unsigned i = 0; i < 8; ++i) {
    auto pick = [&](const auto &list) {
      return list[(i + i / std::size(list)) % std::size(list)];
    };
    Case c{pick(types),
           pick(dims),
           pick(kHeads),
           pick(kMasks),
           pick(tiles),
           std::string(i % 2 ? "target=h200 " : "") + pick(schedules),
           i % 4 == 2 ? pick(kScoreMods) : "",
           false,
           i % 3 != 0};
    if (i % 2)
      c.level3 = pick(lower);
    c.scales = i % 4 != 0;
    c.cache = pick(caches);
    sweep.run(c, sizes);
  }
}

/// Every traversal of streams under every mask, at level 2 and through the
/// rings of level 3, over sizes that are empty, too.
static void runTraversals(Sweep &sweep) {
  const char *const schedules[] = {
      "traversal=inside-out",
      "traversal=rotated stride=3",
      "traversal=inside-out persistent sms=3 resident=1 sawtooth=force",
      "traversal=rotated stride=0 shift=2 persistent sms=2 resident=1",
      ("traversal=rotated stride=1 shift=5 persistent sms=3 resident=1 "
       "sawtooth=force longest-first"),
      "traversal=rotated stride=2 splits=2",
      "traversal=inside-out splits=3 persistent sms=2 resident=1 pair-tiles",
      "traversal=backward",
      "traversal=backward splits=2 persistent sms=2 resident=1 sawtooth=force"};
  const char *const lower[] = {"stages=2", "stages=1 resident-stages=2",
                               "stages=4 copy=async", "stages=5"};
  const Sizes sizes[] = {
      {1, 1, 1}, {2, 37, 53}, {1, 101, 31}, {1, 64, 0}, {1, 61, 160}};
  for (auto [m, mask] : llvm::enumerate(kMasks))
    for (auto [s, schedule] : llvm::enumerate(schedules)) {
      std::string onTarget = std::string("target=h200 ") + schedule;
      bool sequential = (m + s) % 3 == 0;
      Case c{sequential ? "f16" : "f32",
             {16, 16},
             kHeads[(m + s) % 3],
             mask,
             s % 2 ? "query=16,key=16" : "query=32,key=16",
             onTarget,
             "",
             s % 4 == 1,
             m % 2 == 0};
      if (sequential)
        c.level3 = lower[(m + s) / 3 % std::size(lower)];
      sweep.run(c, sizes);
    }
}

/// A kernel for probes, with tiles so small that all alignments occur.
static Case boundsCase(const std::string &mask, const char *schedule) {
  return {"f32",    {8, 16}, {2, 1}, mask, "query=4,key=8",
          schedule, "",      false,  true};
}

/// Every mask: those without a bound of their own with all lengths, and windows
/// of every small left and right, where each tile can end within, at and beyond
/// the window, with lengths that fill tiles, leave one row or key out, or are
/// short of a tile.
static void runAllBounds(Sweep &sweep) {
  const char *const schedules[] = {"", "persistent sms=3 resident=1 "
                                       "sawtooth=force splits=2"};
  const char *const masks[] = {"", "mask(#attn.causal<top_left>)",
                               "mask(#attn.causal<bottom_right>)"};
  for (const char *mask : masks)
    for (const char *schedule : schedules)
      sweep.runBounds(boundsCase(mask, schedule), llvm::seq<int64_t>(0, 22));
  constexpr int64_t kWidest = 5;
  const int64_t lengths[] = {1, 3, 4, 5, 8, 9, 13, 16, 21};
  for (const char *align : {"top_left", "bottom_right"})
    for (int64_t left = -1; left <= kWidest; ++left)
      for (int64_t right = -1; right <= kWidest; ++right)
        sweep.runBounds(
            boundsCase("mask(#attn.window<left = " + std::to_string(left) +
                           ", right = " + std::to_string(right) +
                           ", align = " + align + ">)",
                       schedules[(left + right) & 1]),
            lengths);
}

/// Parts over CTAs, whose number is that of the views, stated, or follows from
/// their length; with every traversal of the grid and of the stream.
static void runAllSplits(Sweep &sweep) {
  const char *const schedules[] = {
      "split-ctas",
      "split-ctas persistent sms=3 resident=1 sawtooth=force",
      "split-ctas splits=5",
      "split-length=32",
      "split-ctas grid-order=swizzled-head-first domains=4 longest-first",
      "split-length=64 persistent sms=2 resident=1",
      "target=h200 split-cluster",
      "target=h200 split-cluster splits=7 sawtooth=force longest-first",
      "target=h200 split-cluster splits=1"};
  const char *const tiles[] = {"query=16,key=16", "query=7,key=8",
                               "query=32,key=32"};
  for (unsigned i = 0; i < 18; ++i) {
    Case c = makeCase(i);
    c.tiles = tiles[i % std::size(tiles)];
    c.schedule =
        schedules[(i + i / std::size(schedules)) % std::size(schedules)];
    sweep.runSplits(c);
  }
}

/// What is asked of gradients, if anything is: "backward [first [step]]".
static std::optional<int> runGradients(MLIRContext &context, int argc,
                                       char **argv) {
  const StringRef known[] = {
      "backward",          "backward-fused",
      "backward-ordered",  "backward-sequential",
      "backward-captures", "backward-captures-sequential",
      "derivatives"};
  unsigned first = 0, step = 1;
  if (argc < 2 || argc > 4 || !llvm::is_contained(known, argv[1]) ||
      (argc > 2 && StringRef(argv[2]).getAsInteger(10, first)) ||
      (argc > 3 && StringRef(argv[3]).getAsInteger(10, step)) || step == 0)
    return std::nullopt;
  return runBackward(context, argv[1], first, step);
}

int main(int argc, char **argv) {
  // A range of cases, so that the sweep can be shared out.
  unsigned first = 0, count = 64;
  bool bounds = argc == 2 && StringRef(argv[1]) == "bounds";
  bool sequential = argc == 2 && StringRef(argv[1]) == "sequential";
  bool splits = argc == 2 && StringRef(argv[1]) == "splits";
  bool traversals = argc == 2 && StringRef(argv[1]) == "traversals";
  bool float8 = argc == 2 && StringRef(argv[1]) == "float8";
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  if (std::optional<int> status = runGradients(context, argc, argv))
    return *status;
  if (argc > 3 ||
      (argc > 1 && !bounds && !sequential && !splits && !traversals &&
       !float8 && StringRef(argv[1]).getAsInteger(10, first)) ||
      (argc > 2 && StringRef(argv[2]).getAsInteger(10, count))) {
    llvm::errs()
        << "usage: attn-sweep [first case] [number of cases] | bounds "
           "| sequential | splits | traversals | float8 | backward [first "
           "[step]] | backward-fused [first [step]] | backward-ordered [first "
           "[step]] | backward-sequential [first [step]] | "
           "derivatives\n";
    return 2;
  }
  // Drawn cases are optimised; others are many kernels of little work.
  bool named = bounds || sequential || splits || traversals || float8;
  Sweep sweep(context, named ? 0 : 2);
  if (named) {
    bounds       ? runAllBounds(sweep)
    : sequential ? runSequential(sweep)
    : splits     ? runAllSplits(sweep)
    : float8     ? (runFloat8(sweep), runCaches(sweep))
                 : runTraversals(sweep);
    return sweep.close();
  }
  for (unsigned i = first; i < first + count; ++i)
    sweep.run(makeCase(i));
  return sweep.close();
}
