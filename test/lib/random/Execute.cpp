//===- Execute.cpp - What is done with a random module --------------------===//

#include "Execute.h"
#include "EmulatedKernel.h"
#include "EmulatedProgram.h"
#include "TestDialect.h"
#include "TestReference.h"
#include "WholeFunction.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;
using namespace attn_random;

/// What compilers may refuse, by a part of the message, and where that is said.
static constexpr std::pair<StringLiteral, StringLiteral> kRefusals[] = {
    {" bytes of shared memory; target ", "convert-attn-to-nvvm.md"},
    {" bytes of LDS; target ", "convert-attn-to-rocdl.md"},
    {" bytes of shared memory and ", "attn-stream-partition.md"},
    {" warps of a multiple of 16 rows each", "attn-assign-fragments.md"},
    {"expected rows of a multiple of ", "attn-stage-loads.md"},
    {"expected rows of whole 32-bit words", "convert-attn-to-rocdl.md"},
};

/// The documented class of a message; empty if there is none.
static StringRef refusal(StringRef message) {
  for (auto [part, where] : kRefusals)
    if (message.contains(part))
      return part;
  return "";
}

/// Scales of blocks, which are powers of two so that products of exact numbers
/// are exact, and what earlier keys gave, in numbers that every type of a
/// result has: nothing for every fifth row, whose output is NaN then. Returns
/// whether the input is one of these.
static bool fillExtra(const RandomModule &m, StringRef name, Random &random,
                      MutableArrayRef<double> values) {
  if (name.ends_with("_scale")) {
    // No score is larger, and no result smaller: denormals are inexact.
    int64_t least = name == "v_scale" ? 0 : -2;
    for (double &value : values)
      value = std::exp2(double(random.integer(least, least + 2)));
    return true;
  }
  if (!name.starts_with("earlier_"))
    return false;
  constexpr size_t kWithout = 5;
  bool isLse = name == "earlier_lse";
  size_t columns = isLse ? 1 : m.valueDim;
  for (auto [i, value] : llvm::enumerate(values)) {
    bool without = i / columns % kWithout == 0;
    value = !without ? std::round(64 * random.normal()) / 64 + (isLse ? 4 : 0)
            : isLse  ? -std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
  }
  return true;
}

/// Normal numbers, and those of Values.
static void fillInput(const RandomModule &m, unsigned view, StringRef name,
                      ArrayRef<int64_t> sizes, MutableArrayRef<double> values) {
  Random random(m.seed * 8 + view);
  int64_t columns = std::max<int64_t>(sizes.back(), 1);
  int64_t rows = sizes.size() > 1 ? sizes[sizes.size() - 2] : 1;
  bool isQ = view == 0, isK = view == 1 && m.op == OpKind::Attention;
  if (fillExtra(m, name, random, values))
    return;
  double large = std::sqrt(m.largeProduct);
  for (auto [i, value] : llvm::enumerate(values)) {
    int64_t row = int64_t(i) / columns % std::max<int64_t>(rows, 1);
    bool scores = isQ || isK;
    value = m.values == Values::Ties && scores ? double(random.integer(-2, 2))
                                               : random.normal();
    // Sums near one have a logarithm near zero, whose relative error is none.
    if (m.op == OpKind::LogSumExp)
      value += 4;
    if (m.values == Values::Growing && isK)
      value *= 1 + 0.3 * double(row);
    if (m.values != Values::Large || m.op != OpKind::Attention || !scores)
      continue;
    // Sums of the same powers of two, and of zeros.
    if (isQ)
      value = large;
    else
      value = 3 * row >= rows ? 0 : m.largeNegative ? -large : large;
  }
}

namespace {

class Execution {
public:
  Execution(MLIRContext &context, const RandomModule &m)
      : context(context), m(m),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += diagnostic.str() + "\n";
        }) {}

  Outcome run() {
    reference = parseSourceString<ModuleOp>(m.text(), &context);
    if (!reference)
      return failed("the module is not valid");
    module = reference->clone();
    if (!schedule())
      return refused();
    switch (m.mode) {
    case Mode::Compile:
      return compile();
    case Mode::Run:
      return runOnCpu(/*sequential=*/false);
    case Mode::Sequential:
      return runOnCpu(/*sequential=*/true);
    case Mode::Emulate:
      return emulate();
    }
    llvm_unreachable("unknown mode");
  }

private:
  Outcome failed(const Twine &kind) {
    return {Outcome::Failed, kind.str(), messages};
  }
  /// A refusal, or a failure where nothing is said or known of it.
  Outcome refused() {
    if (!changed.empty())
      return failed("printed and read back it differs: " + changed);
    if (messages.empty())
      return failed("fails without a message");
    StringRef known = refusal(messages);
    if (known.empty())
      return failed("a refusal that is not documented");
    return {Outcome::Refused, known.str(), messages};
  }

  /// Runs passes; in the mode for that, checks that what they make is read as
  /// it was printed.
  template <typename Build> bool pipeline(const char *level, Build build) {
    PassManager pm(&context);
    build(pm);
    if (mlir::failed(pm.run(*module)))
      return false;
    if (m.mode != Mode::Compile)
      return true;
    std::string first = print(*module);
    auto again = parseSourceString<ModuleOp>(first, &context);
    if (again && print(*again) == first)
      return true;
    changed = level;
    return false;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  bool schedule() {
    auto options = ScheduleOptions::createFromString(m.scheduleText());
    if (!options)
      return false;
    options->target = m.target;
    return pipeline("level 2", [&](OpPassManager &pm) {
      buildSchedulePipeline(pm, *options);
    });
  }

  bool lowerToTarget() {
    auto options = TargetOptions::createFromString(m.lowerText());
    return options && pipeline("level 3", [&](OpPassManager &pm) {
             buildTargetPipeline(pm, *options);
           });
  }

  bool lowerToDevice() {
    return lowerToTarget() && pipeline("device code", [&](OpPassManager &pm) {
             m.target == "mi300x" ? buildLowerToROCDLPipeline(pm)
                                  : buildLowerToNVVMPipeline(pm);
           });
  }

  bool lowerToCpu(bool sequential) {
    if (sequential && !lowerToTarget())
      return false;
    return pipeline("loops",
                    [&](OpPassManager &pm) {
                      sequential ? buildSequentialPipeline(pm)
                                 : buildLowerToLoopsPipeline(pm);
                    }) &&
           pipeline("the LLVM dialect", buildLowerToLLVMPipeline);
  }

  Outcome compile() {
    if (m.target == "cpu")
      return lowerToCpu(/*sequential=*/false) ? Outcome() : refused();
    if (!lowerToDevice())
      return refused();
    if (!m.isProgram() && mlir::failed(findDeviceFunction(*module)))
      return refused();
    bool any = false, done = true;
    module->walk([&](gpu::GPUModuleOp device) {
      any = true;
      done &= compileDevice(device);
    });
    return any && done ? Outcome() : refused();
  }

  bool compileDevice(gpu::GPUModuleOp device) {
    StringRef arch = TargetAttr::of(*module).getArch().getValue();
    return m.target == "mi300x" ? succeeded(compileToHsaco(device, arch))
                                : succeeded(translateToPtx(device, arch));
  }

  Outcome runOnCpu(bool sequential) {
    if (!lowerToCpu(sequential))
      return refused();
    std::vector<LoweredKernel> kernels = findLoweredKernels(*module);
    if (kernels.size() != 1)
      return failed("not one kernel");
    auto compiled = CpuModule::compile(*module, /*level=*/0);
    if (!compiled)
      return failed("no code for the CPU: " +
                    llvm::toString(compiled.takeError()));
    if (m.isProgram())
      return compare(
          [&](ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars) {
            return callWholeFunction(**compiled, "f", op, views, scalars);
          });
    return compare(
        [&](ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars) {
          return (*compiled)->run(kernels.front().name, views, scalars, 1);
        });
  }

  Outcome emulateProgram() {
    std::unique_ptr<EmulatedProgram> program =
        EmulatedProgram::compile(*module);
    if (!program)
      return refused();
    return compare(
        [&](ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars) {
          return program->run(op, views, scalars, m.seed);
        });
  }

  Outcome emulate() {
    if (!lowerToDevice())
      return refused();
    if (m.isProgram())
      return emulateProgram();
    auto kernel = EmulatedKernel::compile(*module);
    if (!kernel)
      return refused();
    const gfx942::Interleaving orders[] = {gfx942::Interleaving::Forward,
                                           gfx942::Interleaving::Reverse,
                                           gfx942::Interleaving::Random};
    EmulatedLaunch how{orders[m.seed % 3], m.seed, m.deviceRowBytes};
    return compare(
        [&](ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars) {
          return kernel->run(views, scalars, how);
        });
  }

  /// A kernel of packed heads computes the packed operation, its function the
  /// one that was packed.
  LogicalResult packReference() {
    if (!m.hasOption("pack-group") || m.isProgram())
      return success();
    PassManager pm(&context);
    pm.addPass(createAttnPackGroup());
    return pm.run(*reference);
  }

  /// Sizes for `op`, whose queries are those of all heads of a group where it
  /// is packed.
  llvm::StringMap<int64_t> referenceSizes() {
    llvm::StringMap<int64_t> sizes = m.dynamicSizes();
    for (const StreamAxis &axis : op.getStreamAxes())
      if (auto queries = sizes.find("query");
          axis.name == "group" && queries != sizes.end())
        queries->second *= m.groupHeads / axis.extent;
    return sizes;
  }

  Outcome compare(const LaunchFn &launch) {
    if (mlir::failed(packReference()))
      return failed("the reference is not packed");
    reference->walk([&](StreamableOpInterface found) { op = found; });
    OracleOptions options;
    options.sizes = referenceSizes();
    options.scalars = m.captures();
    options.threads = 1;
    options.gaps.assign(m.gaps.begin(), m.gaps.end());
    options.reference = attn_test::evaluateLogSumExp;
    options.fill = [&](unsigned view, ArrayRef<int64_t> sizes,
                       MutableArrayRef<double> values) {
      fillInput(m, view, op.getViewNames()[view], sizes, values);
    };
    FailureOr<OracleReport> report = runOracle(op, launch, options);
    if (mlir::failed(report))
      return StringRef(messages).contains(EmulatedKernel::kUnaligned)
                 ? Outcome{Outcome::Refused, EmulatedKernel::kUnaligned.str(),
                           messages}
                 : failed("does not run");
    return judge(*report);
  }

  Outcome judge(const OracleReport &report) {
    double bound = m.op == OpKind::Attention
                       ? usualBound(op)
                       : usualBound(getElementTypeOrSelf(op->getOperand(0)));
    if (m.bound >= 0)
      bound = m.bound;
    llvm::raw_string_ostream(messages) << llvm::format(
        "error %g (slack %g), outside %g, LSE %g (slack %g), "
        "bound %g, largest score %g",
        report.outputError, report.outputSlack, report.outside, report.lseError,
        report.lseSlack, bound, report.largestScore);
    if (!report.guardsIntact)
      return failed("writes outside of the result");
    return report.isWithin(bound, bound)
               ? Outcome{Outcome::Passed, "", messages}
               : failed("wrong");
  }

  MLIRContext &context;
  const RandomModule &m;
  std::string messages, changed;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> reference, module;
  /// What results are compared with; set by `compare`.
  StreamableOpInterface op;
};

} // namespace

Outcome attn_random::execute(MLIRContext &context, const RandomModule &module) {
  return Execution(context, module).run();
}
