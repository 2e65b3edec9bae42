//===- SplitVariants.cpp - Variants without a split stream ----------------===//

#include "SplitVariants.h"
#include "ChosenOptions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Target/Facts.h"

using namespace mlir;
using namespace attn;

namespace {

using Variants = SmallVectorImpl<OwningOpRef<ModuleOp>>;

/// Half as many CTAs as two kernels would have still read as fast
/// (docs/notebooks/performance.md, "Decoding"), and need no other kernel.
constexpr int64_t kSharesOfClusters = 2;

/// What a module is lowered by to have fewer CTAs for a stream.
struct Without {
  SmallVector<StringRef, 3> fields;
  StringRef options;
};

FailureOr<OwningOpRef<ModuleOp>>
lowerWithout(ModuleOp input, StringRef schedule, StringRef guard,
             const Without &without, LowerModule lower) {
  auto lowered = lower(*withoutFields(input, without.fields),
                       (schedule + " " + without.options).str());
  if (succeeded(lowered) && !guard.empty() &&
      failed(setGuard(**lowered, guard)))
    return failure();
  return lowered;
}

/// Adds a variant where no more than `most` CTAs share a stream in `split`.
LogicalResult addWhereFew(OwningOpRef<ModuleOp> variant, ModuleOp split,
                          int64_t most, Variants &variants) {
  FailureOr<bool> differs = setGuardOfParts(*variant, split, most);
  if (succeeded(differs) && *differs)
    variants.push_back(std::move(variant));
  return success(succeeded(differs));
}

} // namespace

LogicalResult attn::addSplitVariants(ModuleOp input, StringRef schedule,
                                     StringRef guard, LowerModule lower,
                                     OwningOpRef<ModuleOp> &module,
                                     Variants &variants) {
  if (!asksForSplits(input, schedule))
    return success();
  auto whole = lowerWithout(input, schedule, guard,
                            {{"splits", "split_ctas", "split_cluster"},
                             "splits=0 split-ctas=false split-cluster=false"},
                            lower);
  if (failed(whole))
    return failure();
  OwningOpRef<ModuleOp> cluster;
  if (asksForClusters(input, schedule)) {
    auto kernels =
        lowerWithout(input, schedule, guard,
                     {{"split_cluster"}, "split-cluster=false"}, lower);
    if (failed(kernels))
      return failure();
    cluster = std::exchange(module, std::move(*kernels));
  }
  if (failed(addWhereFew(std::move(*whole), *module, 1, variants)))
    return failure();
  if (!cluster)
    return success();
  int64_t most =
      kSharesOfClusters * TargetAttr::of(*module).get(Fact::MaxClusterCTAs);
  return addWhereFew(std::move(cluster), *module, most, variants);
}
