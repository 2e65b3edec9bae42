//===- StatedOptions.cpp - Options that differ from the defaults ----------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;

namespace {

std::string wordOf(bool value) { return value ? "true" : "false"; }
std::string wordOf(int64_t value) { return std::to_string(value); }
std::string wordOf(const std::string &value) { return value; }

/// The words of an enumeration are those of TableGen, with `-` for `_`.
template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
std::string wordOf(Enum value) {
  std::string word = stringifyEnum(value).str();
  llvm::replace(word, '_', '-');
  return word;
}

/// Gathers options that were parsed, or that were set to what is no default.
class Gatherer {
public:
  template <typename Option> void add(const Option &option) {
    auto value = option.getValue();
    if (option.hasValue() || value != option.getDefault().getValue())
      result.push_back({option.ArgStr.str(), wordOf(value)});
  }

  StatedOptions result;
};

} // namespace

/// How streams are divided, which comes before what kernels do.
static StatedOptions statedStreamOptions(const ScheduleOptions &o) {
  Gatherer g;
  g.add(o.form);
  g.add(o.packGroup);
  for (const std::string &tile : o.tiles)
    g.result.push_back({"tiles", tile});
  g.add(o.splits);
  g.add(o.splitCtas);
  g.add(o.splitCluster);
  g.add(o.splitLast);
  g.add(o.streamK);
  g.add(o.splitResults);
  g.add(o.splitLength);
  g.add(o.listTiles);
  return g.result;
}

StatedOptions attn::statedKernelOptions(const ScheduleOptions &o) {
  Gatherer g;
  g.add(o.gridOrder);
  g.add(o.domains);
  g.add(o.chunk);
  g.add(o.longestFirst);
  g.add(o.persistent);
  g.add(o.sms);
  g.add(o.resident);
  g.add(o.pairTiles);
  g.add(o.dynamic);
  g.add(o.snake);
  g.add(o.inStep);
  g.add(o.sawtooth);
  g.add(o.traversal);
  g.add(o.stride);
  g.add(o.shift);
  return g.result;
}

StatedOptions attn::statedOptions(const TargetOptions &o) {
  Gatherer g;
  g.add(o.wgmma);
  g.add(o.specialize);
  g.add(o.overlap);
  g.add(o.pingPong);
  g.add(o.lateTurns);
  g.add(o.firstRows);
  g.add(o.producerRegisters);
  g.add(o.delayWaits);
  g.add(o.optimisticMax);
  g.add(o.twoLevel);
  g.add(o.mxProducts);
  g.add(o.lead);
  g.add(o.exactPeaks);
  g.add(o.exactLast);
  g.add(o.roundedSums);
  g.add(o.residentStages);
  g.add(o.stages);
  g.add(o.holdLhs);
  g.add(o.stageColumns);
  g.add(o.storeTensors);
  g.add(o.exchangeColumns);
  g.add(o.streamReads);
  g.add(o.copy);
  g.add(o.chunk);
  g.add(o.widePanels);
  g.add(o.warps);
  g.add(o.wholeLines);
  g.add(o.priority);
  g.add(o.additions);
  return g.result;
}

std::string attn::asText(const StatedOptions &options) {
  std::string text;
  for (const auto &[name, value] : options)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

FailureOr<ScheduleAttr>
attn::scheduleFromOptions(MLIRContext *context, StringRef schedule,
                          StringRef lower,
                          function_ref<InFlightDiagnostic()> emitError) {
  auto level2 = createOptions<ScheduleOptions>(schedule);
  auto level3 = createOptions<TargetOptions>(lower);
  if (!level2 || !level3)
    return failure();
  StatedOptions before = statedStreamOptions(*level2);
  llvm::append_range(before, statedKernelOptions(*level2));
  auto first = ScheduleAttr::fromOptions(context, 2, before, emitError);
  auto second =
      ScheduleAttr::fromOptions(context, 3, statedOptions(*level3), emitError);
  if (!first || !second)
    return failure();
  return first.over(second);
}
