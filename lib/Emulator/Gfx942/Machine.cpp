//===- Machine.cpp - Launches on the emulated device ----------------------===//

#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include "KernelLaunch.h"
#include "Semantics.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn::gfx942;
using namespace llvm;

struct Machine::Impl {
  /// Made where it is asked for.
  Decoder &decoderFor(const CodeObject &object) {
    auto &decoder = decoders[static_cast<unsigned>(object.arch())];
    if (!decoder)
      decoder = std::make_unique<Decoder>(object.arch());
    return *decoder;
  }

  GlobalMemory memory;
  std::unique_ptr<Decoder> decoders[kArchs];
};

Machine::Machine() : impl(std::make_unique<Impl>()) {}
Machine::~Machine() = default;

std::vector<std::string> Machine::instructions() { return instructionNames(); }

GlobalMemory &Machine::memory() { return impl->memory; }

/// Registers that the descriptor did not allocate are another wave's.
static Error checkRegisters(const Program &program, const KernelInfo &kernel) {
  unsigned total = kernel.vectorRegisters();
  unsigned vgprs = std::min(kernel.accumOffset(), total);
  for (const Inst &inst : program.insts)
    for (const Operand &op : inst.ops) {
      if (!op.isVector())
        continue;
      bool acc = op.reg >= kFirstAgpr;
      unsigned end = op.reg + op.count - (acc ? kFirstAgpr : 0);
      unsigned limit = acc ? total - vgprs : vgprs;
      if (end > limit)
        return createStringError("pc 0x" + utohexstr(inst.pc, true) + " '" +
                                 inst.text + "': " + (acc ? "AGPR " : "VGPR ") +
                                 Twine(end - 1) + " is not among the " +
                                 Twine(limit) + " that the descriptor has");
    }
  return Error::success();
}

/// Turns the n-th instruction of the kernel called `name` into nothing.
static Error drop(Program &program, std::optional<unsigned> n, StringRef name) {
  if (!n)
    return Error::success();
  unsigned count = 0;
  for (Inst &inst : program.insts) {
    if (inst.name != name || count++ != *n)
      continue;
    inst.text += " (deleted)";
    inst.handler = [](Wave &w, const Inst &i) {
      if (i.name == "s_barrier")
        ++w.group.counters.barrierExecutions[i.ordinal];
    };
    inst.cls = InstClass::Other;
    return Error::success();
  }
  return createStringError("cannot delete " + name + " " + Twine(*n) +
                           ": the kernel has " + Twine(count));
}

Expected<Counters> Machine::launch(const CodeObject &object,
                                   StringRef kernelName, Dim3 grid, Dim3 block,
                                   ArrayRef<uint8_t> kernargs,
                                   uint32_t dynamicLds,
                                   const LaunchOptions &options) {
  auto kernel = object.find(kernelName);
  if (!kernel)
    return kernel.takeError();
  auto annotate = [&](Error e) {
    return createStringError("kernel '" + kernelName +
                             "': " + toString(std::move(e)));
  };
  Expected<Program> program = impl->decoderFor(object).decode(object, **kernel);
  if (!program)
    return annotate(program.takeError());
  if (Error e = checkRegisters(*program, **kernel))
    return annotate(std::move(e));
  if (Error e = drop(*program, options.dropBarrier, "s_barrier"))
    return annotate(std::move(e));
  if (Error e = drop(*program, options.dropWait, "s_waitcnt"))
    return annotate(std::move(e));
  Launch launch(impl->memory, object, **kernel, *program, options);
  Expected<Counters> counters = launch.run(grid, block, kernargs, dynamicLds);
  if (!counters)
    return annotate(counters.takeError());
  return counters;
}

Expected<CodeSummary> Machine::summarize(const CodeObject &object,
                                         StringRef kernelName) {
  auto kernel = object.find(kernelName);
  if (!kernel)
    return kernel.takeError();
  Expected<Program> program = impl->decoderFor(object).decode(object, **kernel);
  if (!program)
    return createStringError("kernel '" + kernelName +
                             "': " + toString(program.takeError()));
  CodeSummary summary;
  summary.instructions = program->insts.size();
  for (const Inst &inst : program->insts) {
    summary.barriers += inst.name == "s_barrier";
    summary.waits += inst.name == "s_waitcnt";
    std::string line = "0x" + utohexstr(inst.pc, true) + ": " + inst.text;
    if (!inst.handler)
      summary.unsupported.push_back(line);
    summary.text.push_back(std::move(line));
    summary.names.push_back(inst.name);
  }
  return summary;
}
