//===- EnumerateSchedules.cpp - Options that the pipelines have -----------===//

#include "attn-mlir/Dialect/Attn/Transforms/PackGroup.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"

using namespace mlir;
using namespace attn;

namespace {

using Options = std::vector<std::string>;

/// Every text of one list with every one of the other.
Options cross(const Options &left, const Options &right) {
  Options result;
  for (const std::string &l : left)
    for (const std::string &r : right)
      result.push_back(l.empty() || r.empty() ? l + r : l + " " + r);
  return result;
}

/// What decides on the options of a module.
struct Traits {
  TargetAttr target;
  /// Names of the grouped and streamed axes.
  SmallVector<std::string> groups;
  std::string stream;
  /// Whether tiles differ in length, as under a causal mask.
  bool uneven = false;
  bool halfPrecision = true;
  bool attention = true;
  /// The largest extent of a grouped axis, if it is known.
  int64_t rows = std::numeric_limits<int64_t>::max();
  bool hasClusters = false;
  /// Whether heads of a group can be rows of one tile (attn-pack-group).
  bool packs = false;
};

std::optional<Traits> traitsOf(ModuleOp module) {
  std::optional<Traits> traits;
  bool mixed = false;
  module.walk([&](StreamableOpInterface op) {
    Traits own;
    own.target = TargetAttr::of(op);
    auto attention = dyn_cast<AttentionOp>(*op);
    own.attention = attention != nullptr;
    own.uneven = attention && attention.getMaskAttr();
    own.packs = attention && whyNotPacked(attention).empty();
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    own.halfPrecision = element.isF16() || element.isBF16();
    for (const StreamAxis &axis : op.getStreamAxes()) {
      if (axis.kind == AxisKind::Stream)
        own.stream = axis.name.str();
      own.hasClusters |= axis.kind == AxisKind::Unit;
      if (axis.kind != AxisKind::Group)
        continue;
      own.groups.push_back(axis.name.str());
      if (!ShapedType::isDynamic(axis.extent))
        own.rows = std::min(own.rows, axis.extent);
    }
    if (!traits)
      traits = own;
    else
      mixed |= traits->groups != own.groups || traits->stream != own.stream;
    traits->uneven |= own.uneven;
    traits->halfPrecision &= own.halfPrecision;
    traits->rows = std::max(traits->rows, own.rows);
  });
  if (mixed)
    return std::nullopt;
  return traits;
}

Options tilesOf(const Traits &traits, ArrayRef<int64_t> groups,
                ArrayRef<int64_t> streams) {
  Options result;
  for (int64_t group : groups) {
    // Rows beyond the extent are of no use.
    if (group > 16 && group / 2 >= traits.rows)
      continue;
    for (int64_t stream : streams) {
      std::string text = "tiles=";
      for (const std::string &axis : traits.groups)
        text += axis + "=" + std::to_string(group) + ",";
      result.push_back(text + traits.stream + "=" + std::to_string(stream));
    }
  }
  return result;
}

void append(std::vector<ScheduleCandidate> &all, const Options &schedules,
            const Options &lowers) {
  for (const std::string &schedule : schedules)
    for (const std::string &lower : lowers)
      all.push_back({schedule, lower, "", 0, {}});
}

/// Dispatch: one CTA a tile, longest first where that means something.
Options dispatchOf(const Traits &traits) {
  if (traits.uneven)
    return {"grid-order=naive-head-first longest-first", ""};
  return {""};
}

/// Attention on warpgroups, with and without roles.
void enumerateWarpgroups(const Traits &traits,
                         std::vector<ScheduleCandidate> &all) {
  constexpr int64_t kKeys[] = {64, 80, 96, 112, 128, 144, 160, 176, 192};
  constexpr int64_t kPlainKeys[] = {64, 96, 128};
  const std::string roles = "wgmma=all specialize overlap ping-pong";
  Options roleTiles = tilesOf(traits, {128, 192}, kKeys);
  std::string persistent = "persistent resident=1";
  Options persistence =
      traits.uneven ? Options{persistent + " pair-tiles"} : Options{persistent};
  if (traits.uneven)
    persistence.push_back(persistent + " " +
                          "grid-order=naive-head-first longest-first");
  Options traversal = {"", "sawtooth=auto"};
  append(all, cross(cross(roleTiles, persistence), traversal),
         {roles, roles + " resident-stages=2", roles + " stages=3",
          roles + " resident-stages=2 stages=3"});
  append(all, cross(roleTiles, dispatchOf(traits)),
         {roles, roles + " stages=3"});
  append(all, cross(tilesOf(traits, {64, 128}, kPlainKeys), dispatchOf(traits)),
         {"wgmma=all", "wgmma=all stages=3"});
}

/// Everything that has neither warpgroups nor roles.
void enumeratePortable(const Traits &traits,
                       std::vector<ScheduleCandidate> &all) {
  Options tiles = tilesOf(traits, {128, 64, 32, 16}, {128, 64, 32});
  Options orders = dispatchOf(traits);
  if (traits.target.get(Fact::L2Domains) > 1 && traits.hasClusters)
    orders = {"grid-order=naive-head-first", "grid-order=naive-block-first",
              "grid-order=swizzled-head-first",
              "grid-order=swizzled-block-first"};
  Options traversal = {"", "sawtooth=auto"};
  Options schedules = cross(cross(tiles, orders), traversal);
  Options persistent =
      cross(cross(cross(tiles, orders), {"persistent"}), traversal);
  schedules.insert(schedules.end(), persistent.begin(), persistent.end());
  if (traits.packs)
    schedules = cross({"pack-group", ""}, schedules);
  append(all, schedules, {""});
}

bool takesWarpgroups(const Traits &traits) {
  // Products of few rows leave most of a warpgroup's tile empty.
  constexpr int64_t kFewestRows = 64;
  TargetAttr target = traits.target;
  return target.hasCapability("wgmma") && target.hasCapability("setmaxnreg") &&
         target.hasCapability("tma") && traits.attention &&
         traits.halfPrecision && traits.rows >= kFewestRows;
}

} // namespace

bool attn::isModelCalibrated(ModuleOp module) {
  std::optional<Traits> traits = traitsOf(module);
  return traits && !traits->groups.empty() && takesWarpgroups(*traits);
}

std::vector<ScheduleCandidate> attn::enumerateSchedules(ModuleOp module,
                                                        bool keepViews) {
  std::vector<ScheduleCandidate> all;
  std::optional<Traits> traits = traitsOf(module);
  if (!traits || traits->groups.empty())
    return all;
  traits->packs &= !keepViews;
  if (takesWarpgroups(*traits))
    enumerateWarpgroups(*traits, all);
  else
    enumeratePortable(*traits, all);
  return all;
}
