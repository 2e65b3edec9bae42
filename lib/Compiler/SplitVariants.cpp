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

/// What a module is lowered by to have fewer CTAs for a stream.
struct Without {
  SmallVector<StringRef, 4> fields;
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

} // namespace

LogicalResult attn::addSplitVariants(ModuleOp input, StringRef schedule,
                                     StringRef guard, LowerModule lower,
                                     OwningOpRef<ModuleOp> &module,
                                     Variants &variants) {
  if (!asksForSplits(input, schedule))
    return success();
  auto whole =
      lowerWithout(input, schedule, guard,
                   {{"splits", "split_ctas", "split_cluster", "split_last"},
                    "splits=0 split-ctas=false split-cluster=false "
                    "split-last=false"},
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
  if (cluster) {
    // Only where streams are so few that all have clusters of the largest size
    // at once: smaller ones leave too many SMs without work.
    int64_t most = TargetAttr::of(*module).get(Fact::MaxClusters);
    FailureOr<bool> fewTiles = setGuardOfGrid(*cluster, **whole, most);
    if (failed(fewTiles))
      return failure();
    // What is behind a variant takes the sizes that it does not.
    if (!guard.empty()) {
      module = std::move(cluster);
      return success();
    }
  }
  FailureOr<bool> fewParts = setGuardOfParts(**whole, *module, /*most=*/1);
  if (failed(fewParts))
    return failure();
  if (*fewParts)
    variants.push_back(std::move(*whole));
  if (cluster)
    variants.push_back(std::move(cluster));
  return success();
}
