//===- attn-random.cpp - Random modules through everything ----------------===//
//
// Makes valid modules from seeds, compiles and runs them, and prints a small
// module for each seed that fails. docs/testing.md says how to use it.
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>
#include <map>

using namespace attn_random;
namespace cl = llvm::cl;

static cl::OptionCategory category("attn-random options");
static cl::list<Mode> modes(
    "mode", cl::CommaSeparated, cl::desc("What is done with modules (all)"),
    cl::values(clEnumValN(Mode::Compile, "compile",
                          "through all pipelines, to code"),
               clEnumValN(Mode::Run, "run", "on the CPU, against float64"),
               clEnumValN(Mode::Sequential, "sequential", "level 3 on the CPU"),
               clEnumValN(Mode::Emulate, "emulate", "gfx942 in the emulator")),
    cl::cat(category));
static cl::opt<uint64_t> firstSeed("seed", cl::desc("The first seed"),
                                   cl::init(1), cl::cat(category));
static cl::opt<uint64_t> count("count", cl::desc("Modules of each mode"),
                               cl::init(100), cl::cat(category));
static cl::opt<unsigned>
    timeOfMode("seconds", cl::desc("Stop each mode after so long (0: never)"),
               cl::init(0), cl::cat(category));
static cl::opt<unsigned>
    limit("limit", cl::desc("Seconds of computing that a module may take"),
          cl::init(60), cl::cat(category));
static cl::opt<unsigned> failures("failures",
                                  cl::desc("Stop a mode after so many"),
                                  cl::init(5), cl::cat(category));
static cl::opt<double>
    magnitude("magnitude",
              cl::desc("Scores and what modifies them are at most so large"),
              cl::init(3.4e38), cl::cat(category));
static cl::opt<bool>
    packed("packed", cl::desc("Sequences are packed wherever that is possible"),
           cl::cat(category));
static cl::opt<bool>
    paged("paged", cl::desc("Keys are in pages wherever that is possible"),
          cl::cat(category));
static cl::list<unsigned>
    path("simplify", cl::CommaSeparated,
         cl::desc("Simplify the module of --seed by these steps first, as a "
                  "report of a failure says"),
         cl::cat(category));
static cl::opt<double>
    bound("bound",
          cl::desc("Largest error of a result that is right (by element type)"),
          cl::init(-1), cl::cat(category));
static cl::opt<bool> keep("keep", cl::desc("Do not simplify what fails"),
                          cl::cat(category));
static cl::opt<bool> show("print", cl::desc("Print modules, do nothing"),
                          cl::cat(category));

static RandomModule makeModule(Mode mode, uint64_t seed) {
  RandomModule module =
      makeRandomModule(mode, seed, {magnitude, packed, paged});
  module.bound = bound;
  for (unsigned step : path) {
    std::vector<RandomModule> simpler = simplify(module);
    if (step >= simpler.size())
      break;
    module = simpler[step];
  }
  return module;
}

static void print(const RandomModule &module, llvm::raw_ostream &os) {
  os << module.text() << "// " << module.command("module.mlir") << "\n// "
     << module.inputsInWords() << "\n";
}

/// Drops what a failure does not need, one thing at a time; the steps taken.
static std::vector<unsigned> minimize(RandomModule &module,
                                      const Outcome &failure) {
  std::vector<unsigned> steps(path.begin(), path.end());
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  for (bool found = true; found;) {
    found = false;
    std::vector<RandomModule> simpler = simplify(module);
    for (unsigned i = 0; i < simpler.size() && !found; ++i) {
      if (std::chrono::steady_clock::now() > end)
        return steps;
      Outcome outcome = executeInChild(simpler[i], limit);
      found = outcome.status == Outcome::Failed && outcome.kind == failure.kind;
      if (!found)
        continue;
      module = simpler[i];
      steps.push_back(i);
    }
  }
  return steps;
}

static void report(Mode mode, uint64_t seed, const Outcome &failure) {
  llvm::raw_ostream &os = llvm::outs();
  os << "FAIL: " << nameOf(mode) << " --seed=" << seed << ": " << failure.kind
     << "\n  " << failure.detail << "\n";
  RandomModule module = makeModule(mode, seed);
  std::vector<unsigned> steps(path.begin(), path.end());
  if (!keep)
    steps = minimize(module, failure);
  print(module, os);
  os << "// attn-random --count=1 --mode=" << nameOf(mode)
     << " --seed=" << seed;
  if (magnitude.getNumOccurrences())
    os << llvm::format(" --magnitude=%g", double(magnitude));
  if (packed)
    os << " --packed";
  if (paged)
    os << " --paged";
  if (bound.getNumOccurrences())
    os << llvm::format(" --bound=%g", double(bound));
  for (auto [i, step] : llvm::enumerate(steps))
    os << (i ? "," : " --keep --simplify=") << step;
  os << "\n\n";
  os.flush();
}

namespace {
struct Tally {
  uint64_t passed = 0, failed = 0;
  /// Of those that passed.
  uint64_t overCtas = 0, clusters = 0, lengths = 0, packed = 0, paged = 0,
           reads = 0, byLast = 0, shared = 0, earlier = 0, scales = 0,
           backward = 0, float8 = 0;
  std::map<std::string, uint64_t> refused;
};
} // namespace

static void countPassed(const RandomModule &module, Tally &tally) {
  ++tally.passed;
  tally.overCtas += module.isProgram();
  tally.clusters += module.hasOption("split-cluster");
  tally.lengths += !module.lengths.empty();
  tally.packed += !module.offsets.empty();
  tally.paged += module.pageSize != 0;
  tally.reads += !module.reads.empty();
  tally.byLast += module.hasOption("split-last");
  tally.shared += module.hasOption("stream-k");
  tally.earlier += module.earlier;
  tally.scales += module.scaleBlock != 0;
  tally.float8 += module.isFloat8();
  tally.backward += llvm::is_contained(module.schedule, "traversal=backward");
}

static Tally runMode(Mode mode) {
  Tally tally;
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  executeInChildren([&](uint64_t i) { return makeModule(mode, firstSeed + i); },
                    [&](uint64_t i, const Outcome &outcome) {
                      if (outcome.status == Outcome::Passed)
                        countPassed(makeModule(mode, firstSeed + i), tally);
                      else if (outcome.status == Outcome::Refused)
                        ++tally.refused[outcome.kind];
                      else
                        report(mode, firstSeed + i, outcome), ++tally.failed;
                      return i + 1 < count && tally.failed < failures &&
                             (timeOfMode == 0 || elapsed() < timeOfMode);
                    },
                    limit, /*quiet=*/false);
  uint64_t refused = 0;
  for (const auto &entry : tally.refused)
    refused += entry.second;
  llvm::outs() << nameOf(mode) << ": " << tally.passed << " right, " << refused
               << " refused, " << tally.failed << " failed, "
               << llvm::format("%.0f s\n", elapsed());
  llvm::outs() << "  right, split over CTAs: " << tally.overCtas
               << ", over clusters: " << tally.clusters
               << ", with lengths: " << tally.lengths
               << ", with packed sequences: " << tally.packed
               << ", with pages: " << tally.paged
               << ", with tensors that regions read: " << tally.reads
               << ",\n    merged by the last CTA: " << tally.byLast
               << ", sharing the last round: " << tally.shared
               << ", with earlier keys: " << tally.earlier
               << ", with scales of blocks: " << tally.scales
               << ", backwards: " << tally.backward
               << ", of FP8: " << tally.float8 << "\n";
  for (const auto &[kind, times] : tally.refused)
    llvm::outs() << "  refused: " << kind << " (" << times << ")\n";
  llvm::outs().flush();
  return tally;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Random modules through all pipelines\n");
  std::vector<Mode> chosen(modes.begin(), modes.end());
  if (chosen.empty())
    chosen = {Mode::Compile, Mode::Run, Mode::Sequential, Mode::Emulate};
  if (show) {
    for (Mode mode : chosen)
      for (uint64_t i = 0; i < count; ++i)
        print(makeModule(mode, firstSeed + i), llvm::outs());
    return 0;
  }
  uint64_t passed = 0, failed = 0;
  for (Mode mode : chosen) {
    Tally tally = runMode(mode);
    passed += tally.passed;
    failed += tally.failed;
  }
  llvm::outs() << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
