//===- Remarks.td - How options were chosen ----------------*- tablegen -*-===//

#ifndef ATTN_TUNING_REMARKS
#define ATTN_TUNING_REMARKS

include "attn-mlir/Support/Remark.td"

def ChosenSchedule : RemarkArg<"schedule", String, "options of `attn-schedule`">;
def ChosenLowering : RemarkArg<"lower", String, "options of `attn-to-target`">;

// Choices are made for operations before there are kernels.
let namesFunction = 0 in {

let category = "attn-choose-schedule" in {
def ChooseModel : AttnRemark<"model", Passed, "takes the fastest options by the model:", [
    ChosenSchedule, ChosenLowering,
    RemarkArg<"us", String, "predicted microseconds">,
    RemarkArg<"bound", String, "what bounds them">,
    RemarkArg<"runner-up", Optional<String>, "options of `attn-schedule` of the second choice">,
    RemarkArg<"runner-up-lower", Optional<String>, "those of `attn-to-target`">,
    RemarkArg<"runner-up-us", Optional<String>, "its predicted microseconds">,
    RemarkArg<"reason", Optional<String>, "what it loses by">]> {
  let description = "The runner-up is left out where there is no other candidate that fits.";
}
def ChooseHasSchedule : AttnRemark<"has-schedule", Missed, "operations state their schedules"> {
  let description = "An operation has a `schedule` attribute, which comes first.";
}
def ChooseNothing : AttnRemark<"nothing-to-choose", Missed,
    "no streamable operation, or several with different axes"> {
  let description = "One choice is made for the whole module.";
}
def ChooseNothingFits : AttnRemark<"nothing-fits", Missed, "no candidate fits the target:", [
    RemarkArg<"first", String, "why the first does not">]> {
  let description = "Every candidate was rejected.";
}
}

let category = "attn-compile" in {
def OptionsMeasured : AttnRemark<"measured", Passed, "takes the fastest options that were measured:", [
    ChosenSchedule, ChosenLowering]> {
  let description = "A tuning file has a row for the operation and the target.";
}
def OptionsRelated : AttnRemark<"related", Passed, "takes the options of a chip with the same SMs:", [
    RemarkArg<"chip", String, "the one that was measured">, ChosenSchedule, ChosenLowering]> {
  let description = "A tuning file has a row for the operation, and for a target that differs in other facts.";
}
def OptionsPolicy : AttnRemark<"policy", Passed, "takes the schedule that the target's facts ask for:", [
    ChosenSchedule, ChosenLowering,
    RemarkArg<"reason", String, "the facts">,
    RemarkArg<"dram-bytes", Optional<Int>, "what the simulated schedule reads of DRAM">,
    RemarkArg<"first-schedule", Optional<String>, "the schedule that would be taken without simulation">,
    RemarkArg<"first-dram-bytes", Optional<Int>, "what that one reads of DRAM">,
    RemarkArg<"variant", Optional<String>, "sizes for which a bundle takes another schedule">,
    RemarkArg<"variant-schedule", Optional<String>, "that schedule">]> {
  let description = "Nobody measured such a target. Bytes are there where all sizes are known, the variant where they are not.";
}
}

}

#endif // ATTN_TUNING_REMARKS
