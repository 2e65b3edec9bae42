//===- EnumerateSchedules.cpp - Schedules that the model ranks ------------===//

#include "ModuleTraits.h"
#include "Schedules.h"
#include "Workshop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

namespace {

/// Gathers candidates for the operations of a module.
class Enumeration {
public:
  Enumeration(ModuleOp module, const ModuleTraits &traits)
      : module(module), traits(traits) {}

  void addWarpgroups();
  void addPortable();
  void addSplits();

  std::vector<ScheduleCandidate> all;

private:
  /// Schedules by their fields; "" is the one without any.
  Schedules of(ArrayRef<StringRef> fields) {
    Schedules result;
    for (StringRef one : fields)
      result.push_back(scheduleOf(module.getContext(), one));
    return result;
  }

  Schedules tiles(ArrayRef<int64_t> groups, ArrayRef<int64_t> streams);
  Schedules dispatch();
  Schedules portableSchedules();
  Schedules refinements(ScheduleAttr schedule);
  Schedules queries(const Schedules &roles);
  void append(const Schedules &schedules, const Schedules &lowers);

  ModuleOp module;
  const ModuleTraits &traits;
};

} // namespace

Schedules Enumeration::tiles(ArrayRef<int64_t> groups,
                             ArrayRef<int64_t> streams) {
  Schedules result;
  for (int64_t group : groups) {
    // Rows beyond the extent are of no use.
    if (group > 16 && group / 2 >= traits.rows)
      continue;
    for (int64_t stream : streams) {
      std::string text = "tiles = [";
      for (const std::string &axis : traits.groups)
        text += axis + " = " + std::to_string(group) + ", ";
      text += traits.stream + " = " + std::to_string(stream) + "]";
      result.push_back(scheduleOf(module.getContext(), text));
    }
  }
  return result;
}

/// Dispatch: one CTA a tile, longest first where that means something.
Schedules Enumeration::dispatch() {
  if (traits.uneven)
    return of({"grid_order = naive_head_first, longest_first", ""});
  return of({""});
}

/// Fields of level 3 that rewrite kernels on warpgroups where they find what
/// they look for, which only their passes know: one schedule is tried.
Schedules Enumeration::refinements(ScheduleAttr schedule) {
  ScheduleAttr refined =
      scheduleOf(module.getContext(), "wgmma = all, optimistic_max, "
                                      "store_tensors")
          .over(schedule);
  Schedules result = of({""});
  Workshop workshop(module);
  ScopedDiagnosticHandler quiet(&workshop.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> tried = workshop.scheduled(refined);
  if (!tried || failed(workshop.lower(*tried, refined)))
    return result;
  bool optimistic = false, stored = false;
  tried->walk([&](AnyOp) { optimistic = true; });
  tried->walk([&](StoreOp store) { stored |= store.getByTensorMap(); });
  if (optimistic)
    result = cross(
        result, of({"optimistic_max, lead = 80",
                    "optimistic_max, lead = 80, exact_peaks",
                    "optimistic_max, lead = 80, exact_peaks, exact_last", ""}));
  if (stored)
    result = cross(result, of({"store_tensors", ""}));
  // Where rows are whole panels it changes nothing.
  return cross(result, of({"wide_panels"}));
}

/// All lowerings of one schedule stand together.
void Enumeration::append(const Schedules &schedules, const Schedules &lowers) {
  for (ScheduleAttr schedule : cross(schedules, lowers))
    all.push_back({schedule, "", 0, {}, std::nullopt});
}

/// Of tiles of queries one or two, and one that is given back early, where
/// results would go through it by the accelerator.
Schedules Enumeration::queries(const Schedules &roles) {
  Schedules result = cross(roles, of({"", "resident_stages = 2"}));
  ScheduleAttr early = scheduleOf(module.getContext(), "exchange_columns");
  for (ScheduleAttr role : roles)
    if (role.hasFlag("store_tensors"))
      result.push_back(early.over(role));
  return result;
}

/// Attention on warpgroups, with and without roles.
void Enumeration::addWarpgroups() {
  constexpr int64_t kKeys[] = {64, 80, 96, 112, 128, 144, 160, 176, 192};
  constexpr int64_t kPlainKeys[] = {64, 96, 128};
  Schedules roleTiles = tiles({128, 192, 256}, kKeys);
  Schedules plainTiles = tiles({64, 128}, kPlainKeys);
  Schedules persistence = of({"persistent, resident = 1"});
  if (traits.uneven)
    persistence = of({"persistent, resident = 1, pair_tiles",
                      "grid_order = block_outermost, longest_first, "
                      "persistent, resident = 1, snake"});
  Schedules traversal = of({"", "sawtooth = auto"});
  Schedules refined = refinements(plainTiles.front());
  Schedules roles =
      cross(of({"wgmma = all, specialize, overlap, ping_pong"}), refined);
  Schedules plain = cross(of({"wgmma = all"}), refined);
  Schedules stages = of({"", "stages = 3"});
  append(cross(cross(roleTiles, persistence), traversal),
         cross(queries(roles), stages));
  append(cross(roleTiles, dispatch()), cross(roles, stages));
  append(cross(plainTiles, dispatch()), cross(plain, stages));
}

Schedules Enumeration::portableSchedules() {
  Schedules schedules = tiles({128, 64, 32, 16}, {128, 64, 32});
  // Several L2 domains bound what the model chooses among.
  if (traits.target.get(Fact::L2Domains) > 1 && traits.shares)
    return cross(schedules, traits.ordersFor(of({kSwizzledHeadFirst}).front()));
  return cross(schedules, dispatch());
}

/// Everything that has neither warpgroups nor roles.
void Enumeration::addPortable() {
  Schedules schedules = portableSchedules();
  Schedules traversal = of({"", "sawtooth = auto"});
  Schedules once = cross(schedules, traversal);
  Schedules persistent = cross(cross(schedules, of({"persistent"})), traversal);
  once.insert(once.end(), persistent.begin(), persistent.end());
  if (traits.packs && traits.isDecoding())
    once = cross(of({"pack_group", ""}), once);
  append(once, of({""}));
}

/// Few tiles: parts of each stream have CTAs of their own, and heads of a group
/// are rows of one tile. Each is there without the other as well.
void Enumeration::addSplits() {
  if (!traits.splits)
    return;
  Schedules splits = of({"split_ctas"});
  if (traits.packs)
    splits = of({"pack_group, split_ctas", "split_ctas"});
  if (!traits.hasWarpgroups()) {
    append(cross(splits, portableSchedules()), of({""}));
    return;
  }
  // Where streams are so few that each has a cluster, it merges their states.
  if (traits.target.hasCapability("cluster"))
    llvm::append_range(splits, cross(splits, of({"split_cluster"})));
  if (traits.packs)
    splits.push_back(of({"pack_group"}).front());
  // A tile of one warpgroup, also where its rows are fewer: packed ones are
  // more than the axis has.
  Schedules tiles =
      of({"tiles = [query = 64, key = 64]", "tiles = [query = 64, key = 128]",
          "tiles = [query = 128, key = 128]"});
  append(cross(splits, tiles),
         cross(of({"wgmma = all, specialize", "wgmma = all, specialize, "
                                              "overlap"}),
               of({"", "stages = 3"})));
}

bool attn::isModelCalibrated(ModuleOp module) {
  std::optional<ModuleTraits> traits = ModuleTraits::of(module);
  return traits && !traits->groups.empty() && traits->takesWarpgroups() &&
         !traits->exceedsWarpgroup();
}

std::vector<ScheduleCandidate> attn::enumerateSchedules(ModuleOp module,
                                                        bool keepViews) {
  std::optional<ModuleTraits> traits = ModuleTraits::of(module);
  if (!traits || traits->groups.empty())
    return {};
  traits->packs &= !keepViews;
  Enumeration enumeration(module, *traits);
  if (traits->takesWarpgroups())
    enumeration.addWarpgroups();
  else
    enumeration.addPortable();
  enumeration.addSplits();
  return std::move(enumeration.all);
}
