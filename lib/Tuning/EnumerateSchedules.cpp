//===- EnumerateSchedules.cpp - Options that the pipelines have -----------===//

#include "ModuleTraits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
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

Options tilesOf(const ModuleTraits &traits, ArrayRef<int64_t> groups,
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
Options dispatchOf(const ModuleTraits &traits) {
  if (traits.uneven)
    return {"grid-order=naive-head-first longest-first", ""};
  return {""};
}

/// Attention on warpgroups, with and without roles.
void enumerateWarpgroups(const ModuleTraits &traits,
                         std::vector<ScheduleCandidate> &all) {
  constexpr int64_t kKeys[] = {64, 80, 96, 112, 128, 144, 160, 176, 192};
  constexpr int64_t kPlainKeys[] = {64, 96, 128};
  const std::string roles = "wgmma=all specialize overlap ping-pong";
  Options roleTiles = tilesOf(traits, {128, 192}, kKeys);
  std::string persistent = "persistent resident=1";
  Options persistence =
      traits.uneven ? Options{persistent + " pair-tiles"} : Options{persistent};
  if (traits.uneven)
    persistence.push_back("grid-order=naive-head-first longest-first " +
                          persistent);
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
void enumeratePortable(const ModuleTraits &traits,
                       std::vector<ScheduleCandidate> &all) {
  Options tiles = tilesOf(traits, {128, 64, 32, 16}, {128, 64, 32});
  // Several L2 domains bound what the model chooses among.
  Options orders = dispatchOf(traits);
  if (traits.target.get(Fact::L2Domains) > 1 && traits.shares)
    orders = traits.ordersFor(kSwizzledHeadFirst);
  Options traversal = {"", "sawtooth=auto"};
  Options schedules = cross(cross(tiles, orders), traversal);
  Options persistent =
      cross(cross(cross(tiles, orders), {"persistent"}), traversal);
  schedules.insert(schedules.end(), persistent.begin(), persistent.end());
  if (traits.packs)
    schedules = cross({"pack-group", ""}, schedules);
  append(all, schedules, {""});
}

} // namespace

bool attn::isModelCalibrated(ModuleOp module) {
  std::optional<ModuleTraits> traits = ModuleTraits::of(module);
  return traits && !traits->groups.empty() && traits->takesWarpgroups();
}

std::vector<ScheduleCandidate> attn::enumerateSchedules(ModuleOp module,
                                                        bool keepViews) {
  std::vector<ScheduleCandidate> all;
  std::optional<ModuleTraits> traits = ModuleTraits::of(module);
  if (!traits || traits->groups.empty())
    return all;
  traits->packs &= !keepViews;
  if (traits->takesWarpgroups())
    enumerateWarpgroups(*traits, all);
  else
    enumeratePortable(*traits, all);
  return all;
}
