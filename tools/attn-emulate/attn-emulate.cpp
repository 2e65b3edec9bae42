//===- attn-emulate.cpp - Runs AMD code objects without the hardware -----===//

#include "Arguments.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn::gfx942;
using namespace attn_emulate;
using namespace llvm;

static cl::OptionCategory category("attn-emulate options");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<code object (hsaco)>"),
                                      cl::cat(category));
static cl::opt<std::string>
    kernelName("kernel",
               cl::desc("Kernel to run; may be left out where there is one"),
               cl::cat(category));
static cl::list<unsigned> gridSize("grid", cl::CommaSeparated,
                                   cl::desc("Workgroups: X[,Y[,Z]]"),
                                   cl::cat(category));
static cl::list<unsigned>
    blockSize("block", cl::CommaSeparated,
              cl::desc("Work-items of a workgroup: X[,Y[,Z]]"),
              cl::cat(category));
static cl::list<std::string> argumentTexts(
    "arg",
    cl::desc("A kernel argument: i32:N, i64:N, f32:X, or a buffer "
             "TYPE[COUNT]:poison|zero|iota|random|@FILE"),
    cl::cat(category));
static cl::opt<unsigned> dynamicLds("dynamic-lds",
                                    cl::desc("Bytes of dynamic LDS"),
                                    cl::cat(category));
static cl::opt<Interleaving> interleaving(
    "interleave", cl::desc("Order in which waves run"),
    cl::values(clEnumValN(Interleaving::Forward, "forward", "lowest first"),
               clEnumValN(Interleaving::Reverse, "reverse", "highest first"),
               clEnumValN(Interleaving::Random, "random", "by --seed")),
    cl::init(Interleaving::Forward), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Of the random order and fills"),
                              cl::init(1), cl::cat(category));
static cl::opt<int>
    dropBarrier("drop-barrier",
                cl::desc("Delete the n-th s_barrier of the code"), cl::init(-1),
                cl::cat(category));
static cl::opt<int> dropWait("drop-wait",
                             cl::desc("Delete the n-th s_waitcnt of the code"),
                             cl::init(-1), cl::cat(category));
static cl::opt<int>
    traceWave("trace-wave",
              cl::desc("Print what this wave of workgroup 0 runs"),
              cl::init(-1), cl::cat(category));
static cl::list<std::string>
    printTexts("print", cl::desc("ARG:COUNT, elements of a buffer to print"),
               cl::cat(category));
static cl::list<std::string>
    dumpTexts("dump", cl::desc("ARG:FILE, a buffer to write as raw bytes"),
              cl::cat(category));
static cl::opt<bool> countersJson("counters",
                                  cl::desc("Print the counters as JSON"),
                                  cl::cat(category));
static cl::opt<bool>
    listKernels("list",
                cl::desc("Print kernels, barriers, waits, and instructions "
                         "without semantics; run nothing"),
                cl::cat(category));
static cl::opt<uint64_t>
    maxInstructions("max-instructions",
                    cl::desc("Stop after so many wave instructions"),
                    cl::init(uint64_t(1) << 36), cl::cat(category));

static Error list(Machine &machine, const CodeObject &object) {
  for (const KernelInfo &kernel : object.kernels()) {
    auto summary = machine.summarize(object, kernel.name);
    if (!summary)
      return summary.takeError();
    outs() << kernel.name << ": " << summary->instructions << " instructions, "
           << summary->barriers << " barriers, " << summary->waits
           << " waits, LDS " << kernel.ldsBytes << ", scratch "
           << kernel.scratchBytes << ", vector registers "
           << kernel.vectorRegisters() << "\n";
    for (const KernelArgument &arg : kernel.arguments)
      if (!arg.hidden())
        outs() << "  argument at " << arg.offset << ": " << arg.size
               << " bytes, " << arg.valueKind << " '" << arg.name << "'\n";
    for (const std::string &line : summary->unsupported)
      outs() << "  no semantics: " << line << "\n";
  }
  return Error::success();
}

static Expected<Dim3> dimensions(const cl::list<unsigned> &numbers) {
  if (numbers.size() > 3)
    return createStringError("--" + numbers.ArgStr +
                             " expects at most three numbers");
  Dim3 d;
  uint32_t *const fields[3] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < numbers.size(); ++i)
    *fields[i] = numbers[i];
  return d;
}

/// Lays the arguments out by the metadata, or, without one, naturally aligned.
static Expected<std::vector<uint8_t>> layOut(const KernelInfo &kernel,
                                             ArrayRef<Argument> arguments) {
  std::vector<uint8_t> bytes;
  std::vector<const KernelArgument *> wanted;
  for (const KernelArgument &arg : kernel.arguments)
    if (!arg.hidden())
      wanted.push_back(&arg);
  bool described = !kernel.arguments.empty();
  if (described && wanted.size() != arguments.size())
    return createStringError("kernel '" + kernel.name + "' has " +
                             Twine(wanted.size()) + " arguments, but got " +
                             Twine(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    ArrayRef<uint8_t> value = arguments[i].bytes();
    if (described && wanted[i]->size != value.size())
      return createStringError("argument " + Twine(i) + " of '" + kernel.name +
                               "' has " + Twine(wanted[i]->size) +
                               " bytes, but got " + Twine(value.size()));
    size_t offset =
        described ? wanted[i]->offset : alignTo(bytes.size(), value.size());
    bytes.resize(std::max(bytes.size(), offset + value.size()));
    llvm::copy(value, bytes.begin() + offset);
  }
  return bytes;
}

/// The buffer that "ARG:rest" names.
static Expected<const Argument *> bufferOf(StringRef text, StringRef &rest,
                                           ArrayRef<Argument> arguments) {
  StringRef index;
  std::tie(index, rest) = text.split(':');
  unsigned n;
  if (index.getAsInteger(10, n) || n >= arguments.size() ||
      !arguments[n].isBuffer())
    return createStringError("'" + text + "': expected the number of a buffer");
  return &arguments[n];
}

static Error output(Machine &machine, ArrayRef<Argument> arguments) {
  for (const std::string &text : printTexts) {
    StringRef count;
    auto buffer = bufferOf(text, count, arguments);
    if (!buffer)
      return buffer.takeError();
    uint64_t n;
    if (count.getAsInteger(10, n))
      return createStringError("'" + text + "': expected ARG:COUNT");
    if (Error e = (*buffer)->print(machine.memory(), n, outs()))
      return e;
  }
  for (const std::string &text : dumpTexts) {
    StringRef path;
    auto buffer = bufferOf(text, path, arguments);
    if (!buffer)
      return buffer.takeError();
    auto bytes = (*buffer)->read(machine.memory());
    if (!bytes)
      return bytes.takeError();
    std::error_code code;
    raw_fd_ostream file(path, code);
    if (code)
      return createStringError("'" + path + "': " + code.message());
    file.write(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  }
  return Error::success();
}

static LaunchOptions launchOptions() {
  LaunchOptions options;
  options.interleaving = interleaving;
  options.seed = seed;
  options.maxInstructions = maxInstructions;
  auto optional = [](int n) {
    return n < 0 ? std::nullopt : std::optional<unsigned>(n);
  };
  options.dropBarrier = optional(dropBarrier);
  options.dropWait = optional(dropWait);
  options.traceWave = optional(traceWave);
  return options;
}

static Error run(Machine &machine, const CodeObject &object) {
  std::string name = kernelName;
  if (name.empty() && object.kernels().size() == 1)
    name = object.kernels().front().name;
  auto kernel = object.find(name);
  if (!kernel)
    return kernel.takeError();
  std::vector<Argument> arguments;
  for (const std::string &text : argumentTexts) {
    auto argument =
        Argument::parse(text, arguments.size(), seed, machine.memory());
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  auto kernargs = layOut(**kernel, arguments);
  if (!kernargs)
    return kernargs.takeError();
  auto grid = dimensions(gridSize);
  if (!grid)
    return grid.takeError();
  auto block = dimensions(blockSize);
  if (!block)
    return block.takeError();
  auto counters = machine.launch(object, name, *grid, *block, *kernargs,
                                 dynamicLds, launchOptions());
  if (!counters)
    return counters.takeError();
  if (countersJson)
    outs() << formatv("{0:2}", counters->toJSON()) << "\n";
  return output(machine, arguments);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs a code object of gfx942 or gfx950 in an "
                              "emulator\n");
  auto fail = [](const Twine &message) {
    errs() << "attn-emulate: error: " << message << "\n";
    return 1;
  };
  auto file = MemoryBuffer::getFile(inputFile);
  if (!file)
    return fail("'" + inputFile + "': " + file.getError().message());
  auto object = CodeObject::load((*file)->getBuffer(), inputFile);
  if (!object)
    return fail(toString(object.takeError()));
  Machine machine;
  Error error = listKernels ? list(machine, **object) : run(machine, **object);
  if (error)
    return fail(toString(std::move(error)));
  return 0;
}
