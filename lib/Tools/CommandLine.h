//===- CommandLine.h - Options of attn-compile ------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_COMMANDLINE_H
#define ATTN_MLIR_LIB_TOOLS_COMMANDLINE_H

#include "Simulate.h"
#include "attn-mlir/Compiler/Emit.h"
#include "attn-mlir/Compiler/Explain.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "attn-mlir/Tuning/OptionChoice.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace attn {

namespace cl = llvm::cl;

/// The most that makes sense of CTAs, accesses and the like.
constexpr int64_t kMostCount = int64_t(1) << 24;

} // namespace attn

ATTN_LIST_VALUES(attn::Emit);
ATTN_LIST_VALUES(attn::Choose);
ATTN_LIST_VALUES(attn::ExplainAs);
ATTN_LIST_VALUES(attn::SimulateFormat);

namespace attn {

/// An option that is a number within bounds.
template <int64_t least, int64_t most>
using NumberOption = cl::opt<long, false, NumberParser<least, most>>;

/// The command line. Constructed once, before it is parsed.
struct CommandLine {
  cl::OptionCategory category{"attn-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("Known target to compile for (--list-targets), or "
               "'native': the first GPU of this machine"),
      cl::cat(category)};
  cl::list<std::string> facts{"target-fact", cl::CommaSeparated,
                              cl::desc("Facts of the target to change"),
                              cl::value_desc("name=value"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Options of the attn-schedule pipeline, such as "
               "'tiles=query=128,key=64 persistent sawtooth=auto "
               "grid-order=swizzled-head-first'"),
      cl::cat(category)};
  cl::opt<Emit> emit{
      "emit", cl::desc("What to write"), cl::init(Emit::Stream),
      cl::values(
          clEnumValN(Emit::Attn, "attn", "the input, verified"),
          clEnumValN(Emit::Stream, "stream", "scheduled level 2"),
          clEnumValN(Emit::Trace, "trace", "the accesses of level 2"),
          clEnumValN(Emit::Target, "target",
                     "level 3: rings and fragments (GPU)"),
          clEnumValN(Emit::Loops, "loops", "loops on buffers (CPU)"),
          clEnumValN(Emit::LLVM, "llvm", "the LLVM dialect"),
          clEnumValN(Emit::Ptx, "ptx", "PTX (NVIDIA GPUs)"),
          clEnumValN(Emit::Cubin, "cubin", "machine code (ptxas)"),
          clEnumValN(Emit::Isa, "isa", "assembly (AMD GPUs)"),
          clEnumValN(Emit::Hsaco, "hsaco", "code object (AMD GPUs)"),
          clEnumValN(Emit::Bundle, "bundle",
                     "a directory of code and manifest, named by -o"),
          clEnumValN(Emit::Archive, "archive", "the same as one file (tar)"),
          clEnumValN(Emit::Object, "object",
                     "with --host: an object file for this machine's CPU")),
      cl::cat(category)};
  cl::opt<bool> host{
      "host",
      cl::desc("With --emit=llvm or object: the whole module, attention among "
               "other operations, with the bundle of its kernels inside"),
      cl::cat(category)};
  cl::opt<std::string> lower{
      "lower",
      cl::desc("Options of the attn-to-target pipeline, such as 'warps=4 "
               "stages=2'"),
      cl::cat(category)};
  cl::opt<std::string> alsoSchedule{
      "also-schedule",
      cl::desc("Options that are read after those of --schedule, of variants "
               "and of what was measured, in place of theirs, such as "
               "'dynamic'"),
      cl::value_desc("options"), cl::cat(category)};
  cl::opt<std::string> alsoLower{
      "also-lower",
      cl::desc("Options that are read after those of --lower, of variants and "
               "of what was measured, in place of theirs, such as "
               "'optimistic-max=false'"),
      cl::value_desc("options"), cl::cat(category)};
  cl::list<std::string> variants{
      "variant",
      cl::desc(
          "With --emit=bundle: a variant for the sizes that a guard names, "
          "tried before the others, such as 'query<=16: "
          "tiles=query=16,key=64: warps=1 stages=4' (guard: schedule: "
          "lower)"),
      cl::value_desc("variant"), cl::cat(category)};
  cl::opt<bool> unaligned{
      "unaligned",
      cl::desc("With --emit=bundle: a last variant for bases and strides that "
               "tensor maps cannot have, multiples of 4 bytes"),
      cl::cat(category)};
  cl::list<std::string> forSizes{
      "for-sizes", cl::CommaSeparated,
      cl::desc("With --emit=bundle: of the variants that guards choose among, "
               "the one alone that calls of these sizes take"),
      cl::value_desc("axis=size"), cl::cat(category)};
  cl::opt<std::string> ptxas{
      "ptxas",
      cl::desc("Path of ptxas (default: ATTN_MLIR_PTXAS, CUDA_HOME, PATH), or "
               "'none': bundles hold PTX, which the driver compiles"),
      cl::value_desc("file"), cl::cat(category)};
  NumberOption<0, 1'000'000> benchmark{
      "benchmark",
      cl::desc("Compile this many times in one process, each from text, and "
               "print the median of the seconds that it took"),
      cl::init(0), cl::cat(category)};
  cl::opt<bool> lineInfo{"line-info",
                         cl::desc("PTX names source lines, for profilers"),
                         cl::cat(category)};
  cl::opt<bool> raise{
      "raise",
      cl::desc("First make attn.attention of attention in linalg and "
               "tosa (attn-raise)"),
      cl::cat(category)};
  cl::opt<bool> run{"run",
                    cl::desc("Run on the CPU and print the error against the "
                             "float64 reference"),
                    cl::cat(category)};
  cl::opt<bool> sequential{
      "sequential",
      cl::desc("For the CPU, lower level 3 (--lower): one CTA after the other, "
               "with errors in the use of rings made visible"),
      cl::cat(category)};
  cl::opt<bool> show{"show", cl::desc("Print the IR of every level"),
                     cl::cat(category)};
  cl::opt<bool> describe{"describe", cl::desc("Print the schedule in words"),
                         cl::cat(category)};
  cl::opt<Choose> choose{
      "choose",
      cl::desc("Who chooses options where neither --schedule, --lower nor "
               "--variant nor the module gives any"),
      cl::init(Choose::Measured),
      cl::values(
          clEnumValN(Choose::Measured, "measured",
                     "the table of options that were measured; where it has "
                     "no row, the model if it is calibrated for this, or "
                     "else what the facts of the target ask for"),
          clEnumValN(Choose::Model, "model",
                     "the model, for the sizes that are given"),
          clEnumValN(Choose::Nobody, "nobody", "each pass's default")),
      cl::cat(category)};
  cl::list<std::string> tuning{
      "tuning",
      cl::desc("A file of attn.tuned operations: schedules that were measured, "
               "read before those of the library"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<ExplainAs> explain{
      "explain",
      cl::desc("Write a page about the kernel, in place of IR: resources, "
               "traffic, time, candidates"),
      cl::ValueOptional,
      cl::init(ExplainAs::Nothing),
      cl::values(clEnumValN(ExplainAs::Text, "", "as text"),
                 clEnumValN(ExplainAs::Text, "text", "as text"),
                 clEnumValN(ExplainAs::Json, "json", "as JSON"),
                 clEnumValN(ExplainAs::Svg, "svg",
                            "which L2 domain works on which tile")),
      cl::cat(category)};
  cl::opt<bool> remarks{"remarks", cl::desc("Print what passes decided"),
                        cl::cat(category)};
  cl::opt<std::string> reference{
      "reference",
      cl::desc("With --run: level-1 file that says what a scheduled input "
               "computes"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> sizes{
      "size", cl::CommaSeparated,
      cl::desc("Sizes of dynamic axes, for --run, --simulate, --explain and "
               "--choose=model; for a kernel also of a view ('q.2=64') or an "
               "argument"),
      cl::value_desc("axis=size"), cl::cat(category)};
  cl::list<std::string> contents{
      "contents",
      cl::desc("What a view of integers holds, for --run and --simulate, such "
               "as 'lengths=130,5000': a number for each element, or one for "
               "all"),
      cl::value_desc("view=numbers"), cl::cat(category)};
  cl::list<double> scalars{"scalar", cl::CommaSeparated,
                           cl::desc("With --run: values of scalar captures"),
                           cl::cat(category)};
  cl::opt<double> tolerance{
      "tolerance",
      cl::desc("With --run: largest error (default by element type)"),
      cl::init(0), cl::cat(category)};
  cl::opt<uint64_t> seed{
      "seed", cl::desc("Seed of the inputs (--run) or lags (--simulate)"),
      cl::init(1), cl::cat(category)};
  cl::opt<bool> probe{"probe",
                      cl::desc("With --run: inputs with an exact answer"),
                      cl::cat(category)};
  NumberOption<0, kMostCount> threads{
      "jobs", cl::desc("With --run and --simulate: threads (default: all)"),
      cl::init(0), cl::cat(category)};
  cl::opt<SimulateFormat> simulate{
      "simulate",
      cl::ValueOptional,
      cl::init(SimulateFormat::None),
      cl::desc("Run the kernels' accesses through the target's L2 and print "
               "what hits and misses"),
      cl::values(clEnumValN(SimulateFormat::Text, "", ""),
                 clEnumValN(SimulateFormat::Text, "text", "as a table"),
                 clEnumValN(SimulateFormat::Json, "json", "as JSON")),
      cl::cat(category)};
  NumberOption<0, kMostCount> drift{
      "drift",
      cl::desc("With --simulate: accesses by which a CTA lags behind at most "
               "(0: lock step)"),
      cl::init(kDefaultDrift), cl::cat(category)};
  NumberOption<1, kMostCount> resident{
      "resident",
      cl::desc("With --simulate: CTAs of an SM (default: by the footprint)"),
      cl::cat(category)};
  NumberOption<1, INT64_MAX> maxWork{
      "max-work",
      cl::desc(
          "With --simulate, --explain and --run: work above which they "
          "refuse, in accesses of tiles or multiplications (default: about "
          "a minute)"),
      cl::init(0), cl::cat(category)};
  cl::list<int64_t> curve{
      "l2-curve", cl::CommaSeparated,
      cl::desc("With --simulate: also what misses in an L2 of these bytes"),
      cl::value_desc("bytes"), cl::cat(category)};
};

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_COMMANDLINE_H
