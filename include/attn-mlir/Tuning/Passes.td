//===- Passes.td - Passes that decide on pipelines ----------*- tablegen -*-===//

#ifndef ATTN_TUNING_PASSES
#define ATTN_TUNING_PASSES

include "mlir/Pass/PassBase.td"

def AttnChooseSchedule : Pass<"attn-choose-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose the options of the pipelines by the model";
  let description = [{
    Schedules a copy of the module by every combination of options that the
    pipelines have for its operations and its target, predicts the time of each
    from its level 2 and the target's facts, and leaves the fastest on the
    operations as `#attn.schedule`, which the pipelines read. Nothing else
    changes.

    `sizes` says what dynamic axes are chosen for (`sizes=query=4096,key=4096`);
    others are assumed to be 4096 long, batches 4. `keep-views` leaves out what
    changes the shapes of a kernel's views (`attn-pack-group`). Where
    predicting all candidates takes more work than `max-work`, about a minute by
    default, none is.

    Before: `attn.attention %q, %k, %v scale(0.125) : ...`

    After: `attn.attention %q, %k, %v scale(0.125) {attn.schedule =
    #attn.schedule<tiles = [query = 128, key = 128], persistent, resident = 1,
    wgmma = all, specialize>} : ...`

    [Remarks](remarks.md#attn-choose-schedule) name the choice, its predicted
    time, what bounds it, the runner-up and the reason.
  }];
  let dependentDialects = ["::attn::AttnDialect"];
  let options = [
    ListOption<"sizes", "sizes", "std::string",
               "Sizes of dynamic axes, as axis=size">,
    Option<"keepViews", "keep-views", "bool", "false",
           "Leave out options that change the shapes of a kernel's views">,
    Option<"maxWork", "max-work", "int64_t", "::attn::kDefaultMaxWork",
           "Most accesses of tiles, or as much time, for which to predict">
  ];
  let statistics = [
    Statistic<"numCandidates", "candidates", "Combinations of options">,
    Statistic<"numRejected", "rejected", "Combinations that do not fit">
  ];
}

#endif // ATTN_TUNING_PASSES
