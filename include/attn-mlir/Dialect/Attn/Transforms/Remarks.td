//===- Remarks.td - What passes on kernels report ----------*- tablegen -*-===//
//
// In the order in which pipelines run the passes, and of one pass what it did
// before why it did nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TRANSFORMS_REMARKS
#define ATTN_TRANSFORMS_REMARKS

include "attn-mlir/Support/Remark.td"

class Because<string meaning> : RemarkArg<"reason", String, meaning>;
class From<string argument, string meaning> : RemarkArg<argument # "-from", String, meaning>;

/// Of passes that want a grid.
class NoGrid : AttnRemark<"no-grid", Missed, "the grid is materialised already, or there is none"> {
  let description = "The pass comes after `attn-materialize-grid`, or the kernel was written without a grid.";
}

//===- Level 2 ------------------------------------------------------------===//

let category = "attn-expand" in {
let namesFunction = 0 in {
def Expand : AttnRemark<"expand", Passed, "a program in the form that was asked for:", [
    RemarkArg<"form", String, "which kernels the program has">,
    From<"form", "who chose it: an `option`, or the `attribute` of the operation">]> {
  let description = "Once for each operation that says, or is told, which form it takes.";
}
}
}

let category = "attn-pack-group" in {
// Passes on modules name no kernel: there is none yet.
let namesFunction = 0 in {
def PackGroup : AttnRemark<"pack-group", Passed, "query heads of a group are rows of one tile:", [
    RemarkArg<"group", Int, "query heads that share a KV head">]> {
  let description = "The operation computes another one, of as many queries as a group has heads.";
}
def PackGroupNot : AttnRemark<"pack-group", Missed, "{reason}", [
    Because<"what keeps heads of a group from being rows of one tile">]> {
  let description = "The operation stays as it is.";
}
}
}

let category = "attn-stream-partition" in {
def TileSizes : AttnRemark<"tile-sizes", Passed, "tiles:", [
    RemarkArg<"axis", Keyed,
              "the size of a tile along each axis, and as `<axis>-from` who chose it: an `option`, the `attribute` "
              "of the operation, the `table` of measured tiles, or the `target`">]> {
  let description = "Once for each operation.";
}
def NothingToPartition : AttnRemark<"nothing-to-partition", Missed, "no streamable operation"> {
  let description = "The module stays as it is, as one of level 2 does.";
}
}

let category = "attn-grid-order" in {
def GridOrder : AttnRemark<"grid-order", Passed, "dispatches tiles in another order:", [
    RemarkArg<"order", String, "the option">,
    RemarkArg<"domains", Int, "L2 domains among which tiles are dealt, 1 for a naive order">]> {
  let description = "The grid has another order than before.";
}
def GridOrderNoSharing : AttnRemark<"no-sharing", Missed,
    "no axis selects the streamed data: nothing to keep on a domain"> {
  let description = "The grid has no `sharing` axes, so the naive order takes the place of the swizzled one.";
}
def GridOrderOneDomain : AttnRemark<"one-domain", Missed, "one L2 domain: the swizzled order is the naive one"> {
  let description = "A swizzled order was asked for, and the target has one L2.";
}
def GridOrderSame : AttnRemark<"same-order", Missed, "the grid has this order already"> {
  let description = "The pass ran before, or the order is that of the axes.";
}
def GridOrderClusters : AttnRemark<"grid-of-clusters", Missed,
    "clusters are dispatched in the order of the axes"> {
  let description = "The grid has `cluster`: CTAs in a row are one.";
}
def GridOrderNoGrid : NoGrid;
}

let category = "attn-persistent" in {
def Persistent : AttnRemark<"persistent", Passed, "CTAs take tiles in turn:", [
    RemarkArg<"ctas", Int, "CTAs of the grid">,
    RemarkArg<"resident", Int, "CTAs that an SM runs at once">,
    From<"resident", "whether the `option` or the `footprint` says so">,
    RemarkArg<"shared-bytes", Int, "shared memory that a CTA takes">,
    RemarkArg<"registers", Int, "registers that the tiles of a CTA take">]> {
  let description = "The grid is persistent now.";
}
def PersistentAlready : AttnRemark<"already-persistent", Missed, "the grid is persistent already"> {
  let description = "The pass ran before.";
}
def PersistentDynamic : AttnRemark<"dynamic", Passed, "CTAs take their next tile when they are done with one"> {
  let description = "With `dynamic`: which CTA takes which tile is decided as they run.";
}
def PersistentClusters : AttnRemark<"persistent-clusters", Missed,
    "CTAs of a cluster take one tile together"> {
  let description = "The grid has `cluster`.";
}
def PersistentFewTiles : AttnRemark<"few-tiles", Missed, "each CTA would take one tile at most:", [
    RemarkArg<"tiles", Int, "tiles of the grid, or pairs of them">,
    RemarkArg<"ctas", Int, "CTAs that would take them">]> {
  let description = "Sizes are static, and there are no more tiles than CTAs. Tiles are not paired either.";
}
def PersistentHasRun : AttnRemark<"has-run", Missed, "a CTA takes several tiles at a time already:", [
    RemarkArg<"run", Int, "how many">]> {
  let description = "`pair-tiles` is given, and the grid has a `run`.";
}
def PersistentNoGrid : NoGrid;
}

let category = "attn-keep-in-step" in {
def InStep : AttnRemark<"in-step", Passed, "CTAs start their visits together:", [
    RemarkArg<"ctas", Int, "CTAs of the grid">]> {
  let description = "Each visit that all CTAs make begins with `attn.in_step`.";
}
def InStepNoGrid : AttnRemark<"in-step", Missed, "the grid is materialised already, or there is none"> {
  let description = "The pass comes after `attn-materialize-grid`, or the kernel was written without a grid.";
}
def InStepNotPersistent : AttnRemark<"in-step", Missed, "the grid is not persistent: each CTA has one visit"> {
  let description = "`attn-persistent` did not run, or did nothing.";
}
def InStepRuns : AttnRemark<"in-step", Missed, "CTAs take runs of tiles, which may be cut short"> {
  let description = "The grid has a `run`, as with `pair-tiles`.";
}
def InStepDynamic : AttnRemark<"in-step", Missed, "CTAs take tiles from a counter, and not all make as many visits"> {
  let description = "The grid has `dynamic`.";
}
def InStepAlready : AttnRemark<"in-step", Missed, "CTAs keep in step already"> {
  let description = "The pass ran before.";
}
}

let category = "attn-sawtooth" in {
def Sawtooth : AttnRemark<"sawtooth", Passed, "the direction alternates:", [
    RemarkArg<"variant", String, "by visits of a `persistent` CTA, or in each pair of tiles (`tile`)">,
    RemarkArg<"decided", String,
              "`at compile time`, `at run time` by a guard in the kernel, or `forced` by the option">]> {
  let description = "Once for each stream.";
}
def SawtoothChangesSet : AttnRemark<"changes-set", Missed, "consecutive tiles of a CTA stream different data"> {
  let description = "Turning round would find nothing in L2. Sizes are static, or a guard would decide.";
}
def SawtoothClusters : AttnRemark<"one-visit", Missed, "each CTA of a cluster visits one tile"> {
  let description = "The grid has `cluster`.";
}
def SawtoothFitsCache : AttnRemark<"fits-cache", Missed, "the streamed data in flight fits the effective L2:", [
    RemarkArg<"l2-effective-bytes", Int, "the target's fact">]> {
  let description = "Nothing is evicted that turning round would save. Sizes are static, or a guard would decide.";
}
def SawtoothDrifts : AttnRemark<"drifts", Missed,
    "CTAs go on to other data, and memory takes too little of the time for what it costs that they drift apart"> {
  let description = "Several sharing sets come one after the other. Sizes are static, or a guard would decide.";
}
def SawtoothWindow : AttnRemark<"window", Missed,
    "streams start where the tile does: consecutive tiles share little"> {
  let description = "The stream does not start at 0, as under a sliding window.";
}
def SawtoothSeveralStreams : AttnRemark<"several-streams", Missed,
    "a tile streams several parts, whose order would have to change too"> {
  let description = "`splits` makes several streams of one, each with its own bounds.";
}
def SawtoothFewTiles : AttnRemark<"few-tiles", Missed, "with two tiles a CTA, some SMs would have none:", [
    RemarkArg<"ctas", Int, "CTAs that there would be">,
    RemarkArg<"slots", Int, "CTAs that run at once">]> {
  let description = "The grid is not persistent, so that CTAs would take their tiles in pairs.";
}
def SawtoothOrdered : AttnRemark<"ordered", Missed, "the stream must run in its order"> {
  let description = "The operation fixes it. `force` does not help.";
}
def SawtoothHasDirection : AttnRemark<"has-direction", Missed, "the stream has a direction already"> {
  let description = "Its traversal is not `#attn.forward`: a pass chose one before.";
}
def SawtoothNoStream : AttnRemark<"no-stream", Missed, "nothing is streamed"> {
  let description = "The kernel has no `attn.stream`.";
}
def SawtoothNoGrid : NoGrid;
}

let category = "attn-traverse" in {
def Traverse : AttnRemark<"traversal", Passed, "the stream is traversed", [
    RemarkArg<"order", String, "the option">]> {
  let description = "Once for each stream.";
}
def TraverseOrdered : AttnRemark<"ordered", Missed, "the stream must run in its order"> {
  let description = "The operation fixes it, or lists of blocks do.";
}
def TraverseNoStream : AttnRemark<"no-stream", Missed, "nothing is streamed"> {
  let description = "The kernel has no `attn.stream`.";
}
def TraverseNoGrid : NoGrid;
}

let category = "attn-materialize-grid" in {
def MaterializeGridNoGrid : NoGrid;
}

//===- Level 3 ------------------------------------------------------------===//

let category = "attn-simplify-tiles" in {
def SimplifyTilesNothing : AttnRemark<"nothing-to-do", Missed, "no division to share"> {
  let description = "No tile is divided by a broadcast, or by what `arcp` lets divide once, nor multiplied twice where `reassoc` asks for once.";
}
}

let category = "attn-separate-readers" in {
def SeparateReaders : AttnRemark<"separated", Passed, "loads are made twice, for products by rows and by columns:", [
    RemarkArg<"loads", Int, "how many">,
    RemarkArg<"bytes", Int, "shared memory of all rings">]> {
  let description = "Each product then reads neighbours along what it sums over.";
}
def SeparateReadersRoom : AttnRemark<"separated", Missed, "shared memory has no room for a tile twice:", [
    RemarkArg<"bytes", Int, "what it would take">,
    RemarkArg<"limit", Int, "what a CTA has">]> {
  let description = "Some product reads a tile element by element.";
}
}

let category = "attn-stage-loads" in {
def StageLoads : AttnRemark<"staged", Passed, "loads go through rings:", [
    RemarkArg<"loads", Int, "how many">,
    RemarkArg<"stages", Int, "tiles that a ring of streamed ones holds">,
    From<"stages", "whether the `option` or the `default` says so">]> {
  let description = "Every load of the kernel was staged, but for those that are `direct`.";
}
def StageLoadsDirect : AttnRemark<"direct", Passed, "loads go straight into registers:", [
    RemarkArg<"loads", Int, "how many">]> {
  let description = "No product takes these tiles, and they have rank 1 or are slices that a stream picks.";
}
def StageLoadsNone : AttnRemark<"staged", Missed, "no loads"> {
  let description = "The kernel reads nothing, or the pass ran before.";
}
}

let category = "attn-assign-units" in {
def AssignUnits : AttnRemark<"unit", Passed, "products have a matrix unit:", [
    RemarkArg<"products", Int, "how many">,
    RemarkArg<"unit", String, "which">,
    RemarkArg<"warps", Int, "warps of a CTA">,
    From<"warps", "whether an `option` or the `default` says how many">]> {
  let description = "Once for each unit of a kernel.";
}
def AssignUnitsNot : AttnRemark<"unit", Missed, "{reason}", [
    Because<"what of the product no matrix unit of the target takes">]> {
  let description = "Once for each product, if a kernel has one that no unit takes.";
}
def AssignUnitsNone : AttnRemark<"unit", Missed, "no products"> {
  let description = "The kernel multiplies no tiles.";
}
}

let category = "attn-assign-fragments" in {
def AssignFragments : AttnRemark<"warps", Passed, "tiles lie in the registers of", [
    RemarkArg<"warps", Int, "how many">,
    RemarkArg<"rows", Int, "rows of a tile">]> {
  let description = "Every tile that had no layout has one.";
}
def AssignFragmentsNone : AttnRemark<"warps", Missed, "no tiles without a layout"> {
  let description = "The kernel has no tiles, or the pass ran before.";
}
}

let category = "attn-defer-row-sums" in {
def DeferRowSums : AttnRemark<"deferred", Passed, "rows are summed across threads at the end of their stream:", [
    RemarkArg<"sums", Int, "how many are carried">]> {
  let description = "Each thread sums its own columns in the stream.";
}
def DeferRowSumsNone : AttnRemark<"deferred", Missed, "no stream carries a sum of rows in registers"> {
  let description = "Tiles have no layout yet, sums start at another value than zero, or are used for something else.";
}
}

let category = "attn-arrange-tiles" in {
def ArrangeTiles : AttnRemark<"arranged", Passed,
    "tiles of 8-bit elements are arranged in the kernel", [
    RemarkArg<"tiles", Int, "tiles">]> {
  let description = "Once for each kernel that has such tiles.";
}
}

let category = "attn-two-level-sums" in {
def TwoLevelSums : AttnRemark<"summed-apart", Passed,
    "products of 8-bit elements are summed by themselves, then added", [
    RemarkArg<"products", Int, "products">]> {
  let description = "Once for each kernel.";
}
def TwoLevelSumsNone : AttnRemark<"summed-apart", Missed, "no product of 8-bit elements is added to others"> {
  let description = "Products of wider elements are summed in f32 as it is.";
}
}

let category = "attn-start-products" in {
def StartProducts : AttnRemark<"started", Passed, "products start from the row that is taken from them:", [
    RemarkArg<"products", Int, "how many">]> {
  let description = "The row takes no registers beside the product.";
}
def StartProductsNone : AttnRemark<"started", Missed, "no row is taken from a product alone"> {
  let description = "The product starts from something else, is used elsewhere too, or has elements of 8 bits; or the row is the same in each visit.";
}
}

let category = "attn-round-sums" in {
def RoundSums : AttnRemark<"rounded-sums", Passed, "rows are divided by sums of rounded weights:", [
    RemarkArg<"sums", Int, "how many are carried">,
    RemarkArg<"by", String, "what adds them: `registers` or `products`">]> {
  let description = "O and the sum have the same weights.";
}
def RoundSumsNone : AttnRemark<"rounded-sums", Missed, "{reason}", [
    Because<"what keeps sums as they are">]> {
  let description = "Weights are not rounded, or their sum is used for something else.";
}
}

let category = "attn-integer-maxima" in {
def IntegerMaxima : AttnRemark<"integers", Passed, "scores that are not negative are compared as integers", [
    RemarkArg<"maxima", Int, "of how many tiles">]> {
  let description = "Rows of a warp none of whose references is below zero.";
}
}

let category = "attn-skip-rescaling" in {
def SkipRescaling : AttnRemark<"skipped", Passed, "sums are rescaled where a maximum rises", [
    RemarkArg<"branches", Int, "how many in a branch, which a warp of whose rows none has a larger maximum passes by">,
    RemarkArg<"selections", Int, "how many by a thread, for rows that have a larger maximum">]> {
  let description = "Wide sums in branches, others where they are.";
}
}

let category = "attn-optimistic-max" in {
def OptimisticMax : AttnRemark<"optimistic", Passed,
    "exponentials take the maximum of the tiles before, while sums stay", [
    RemarkArg<"below", Float, "the bound of a sum, above which the tile takes its own maximum">]> {
  let description = "Once for each stream.";
}
def OptimisticMaxNarrow : AttnRemark<"optimistic", Missed,
    "exponentials are rounded to 8 bits, whose range an old maximum may leave"> {
  let description = "Sums are of so many weights that no range is left for scores which grow, or rows have units that change.";
}
def OptimisticMaxNoStream : AttnRemark<"optimistic", Missed, "the kernel has no stream"> {
  let description = "The kernel has no `attn.stream`.";
}
def OptimisticMaxNoAdvance : AttnRemark<"optimistic", Missed, "no stream carries what a row maximum advances"> {
  let description = "`attn.matmul` has no softmax; a stream that is rewritten already carries something else.";
}
def OptimisticMaxEffects : AttnRemark<"optimistic", Missed,
    "what follows from the maximum has regions or effects"> {
  let description = "The tile's sum is stored, for example.";
}
def OptimisticMaxUsed : AttnRemark<"optimistic", Missed, "the maximum is used by more than exponentials"> {
  let description = "The reference is stored or added to something, for example, or something else than exponentials is summed.";
}
def OptimisticMaxUnscaled : AttnRemark<"optimistic", Missed,
    "what is carried is not scaled when the maximum grows"> {
  let description = "A sum is carried as it is, for example.";
}
def OptimisticMaxPositions : AttnRemark<"optimistic", Missed,
    "scores depend on positions, along which maxima may grow"> {
  let description = "So they do in `examples/alibi.mlir`. The option `positions` takes such streams, too.";
}
def OptimisticMaxNoSum : AttnRemark<"optimistic", Missed,
    "no sum of exponentials shows when a maximum is too small"> {
  let description = "The stream carries a maximum without a sum.";
}
def OptimisticMaxEarly : AttnRemark<"optimistic", Missed, "a product comes before the softmax has ended"> {
  let description = "P V is issued before l is computed, for example.";
}
}

let category = "attn-store-tensors" in {
def StoreTensors : AttnRemark<"stored", Passed, "each warp's rows are stored by the tensor memory accelerator"> {
  let description = "Once for each store.";
}
def StoreTensorsTarget : AttnRemark<"stored", Missed, "the target has no tensor memory accelerator"> {
  let description = "It lacks the capability `tma`.";
}
def StoreTensorsAlready : AttnRemark<"stored", Missed, "it is one already"> {
  let description = "The pass ran before.";
}
def StoreTensorsUntil : AttnRemark<"stored", Missed, "rows behind the end of a sequence are another's"> {
  let description = "The store has an `until`, where boxes are stored whole.";
}
def StoreTensorsNoScratch : AttnRemark<"stored", Missed, "no tile of 16-bit elements goes through shared memory"> {
  let description = "The store has no `through`, or other elements.";
}
def StoreTensorsFragment : AttnRemark<"stored", Missed,
    "its tile is no accumulator with whole rows in each warp"> {
  let description = "A warp has a multiple of 16 rows, all columns of each, in the layout of `mma.sync` or `wgmma`.";
}
def StoreTensorsShape : AttnRemark<"stored", Missed, "the memory that it goes through is of another shape"> {
  let description = "Where K and V have other head dimensions than each other, Q and the result differ.";
}
def StoreTensorsStride : AttnRemark<"stored", Missed, "rows of the view are no multiples of 16 bytes"> {
  let description = "Strides of a tensor map are.";
}
def StoreTensorsView : AttnRemark<"stored", Missed, "the view is accessed by others, too"> {
  let description = "A view has one tensor map, with one box.";
}
}

let category = "attn-exchange-columns" in {
def ExchangeColumns : AttnRemark<"stored", Passed, "lanes exchange columns, and store chunks of 16 bytes from registers"> {
  let description = "Once for each store.";
}
def ExchangeColumnsWide : AttnRemark<"stored", Passed, "lanes store 32-bit elements from registers, and the tile of queries is free before"> {
  let description = "The lanes of a row hold eight columns that follow each other, a sector, as they are.";
}
def ExchangeColumnsTarget : AttnRemark<"stored", Missed, "the target is no NVIDIA GPU"> {
  let description = "It lacks the capability `nvvm`.";
}
def ExchangeColumnsNoScratch : AttnRemark<"stored", Missed, "no tile of 16-bit elements goes through shared memory by threads"> {
  let description = "The store has no `through`, has a tensor map, or has other elements.";
}
def ExchangeColumnsFragment : AttnRemark<"stored", Missed,
    "its tile is no accumulator in multiples of 32 columns, or rows of the view are no multiples of 16 bytes"> {
  let description = "Lanes of a row exchange four blocks of eight columns.";
}
}

let category = "attn-stream-reads" in {
def StreamReads : AttnRemark<"streamed", Passed, "elements of scores are loaded as tiles"> {
  let description = "Once for each gather.";
}
def StreamReadsTarget : AttnRemark<"streamed", Missed, "the target has no tensor memory accelerator"> {
  let description = "It lacks the capability `tma`.";
}
def StreamReadsScattered : AttnRemark<"streamed", Missed, "no part of the view is read with each tile of a stream"> {
  let description = "Indices other than those of a row and of a column are the same for a tile, and known before it.";
}
def StreamReadsShape : AttnRemark<"streamed", Missed, "the tile is none that a tensor map copies for fragments"> {
  let description = "It has elements of 16 bits, rows and columns in multiples of 16 up to 256, and the view five dimensions at most.";
}
def StreamReadsView : AttnRemark<"streamed", Missed, "the view is accessed by others, too"> {
  let description = "A view has one tensor map, with one box.";
}
}

let category = "attn-prioritize-products" in {
def PrioritizeProducts : AttnRemark<"priority", Passed, "waves go first while they have products:", [
    RemarkArg<"products", Int, "how many were raised">]> {
  let description = "Products of the kind that was asked for have a higher priority.";
}
def PrioritizeProductsTarget : AttnRemark<"priority", Missed,
    "the target has no priorities of waves (the capability 'wave-priority'):", [
    RemarkArg<"target", Attr, "its name">]> {
  let description = "Of the known targets, those of AMD have them.";
}
def PrioritizeProductsNone : AttnRemark<"priority", Missed, "no such product without priority"> {
  let description = "The kernel has none of the kind that was asked for, or the pass ran before.";
}
}

let category = "attn-issue-dots" in {
def IssueDot : AttnRemark<"issued", Passed, "product is asynchronous"> {
  let description = "Once for each product.";
}
def IssueDotsTarget : AttnRemark<"issued", Missed, "the target has no asynchronous products"> {
  let description = "None of its matrix units completes asynchronously.";
}
def IssueDotNot : AttnRemark<"issued", Missed, "{reason}", [
    Because<"what of the product's tiles asynchronous products cannot take">]> {
  let description = "Once for each product that stays as it is.";
}
}

let category = "attn-delay-waits" in {
def DelayWaits : AttnRemark<"delayed", Passed, "waits let later products be under way:", [
    RemarkArg<"waits", Int, "how many">]> {
  let description = "Once for each stream whose body was ordered anew.";
}
def DelayWaitsFixed : AttnRemark<"delayed", Missed, "an operation keeps its place:", [
    RemarkArg<"operation", String, "its name">]> {
  let description = "It has effects other than those of rings, products and loads; the stream stays as it is.";
}
def DelayWaitsNone : AttnRemark<"delayed", Missed, "no asynchronous products in streams"> {
  let description = "There is nothing to wait for.";
}
}

let category = "attn-split-columns" in {
def SplitColumns : AttnRemark<"panels", Passed, "wide tiles are panels of columns:", [
    RemarkArg<"tiles", Int, "loads and products that were of wide ones">]> {
  let description = "Once for each kernel.";
}
}

let category = "attn-share-weights" in {
def ShareWeights : AttnRemark<"shared-weights", Passed,
    "accumulators exceed the registers of a warpgroup, so that a second role has some of their columns:", [
    RemarkArg<"wanted", Int, "registers of a thread that one role would want">,
    RemarkArg<"registers", Int, "those that it can have">,
    RemarkArg<"panels", Int, "products of the second role">]> {
  let description = "Once for each kernel.";
}
def ShareWeightsRegisters : AttnRemark<"shared-weights", Missed,
    "accumulators exceed the registers of two roles, too:", [
    RemarkArg<"wanted", Int, "registers of a thread that one role would want">,
    RemarkArg<"registers", Int, "those that it can have">]> {
  let description = "A tile of fewer rows, or values of fewer columns, would fit.";
}
def ShareWeightsOperand : AttnRemark<"shared-weights", Missed,
    "a second role would need what the first one computes:", [
    RemarkArg<"operation", String, "what takes it">]> {
  let description = "Weights, and what rows are scaled by, go through rings; other tiles do not.";
}
def ShareWeightsMemory : AttnRemark<"shared-weights", Missed,
    "shared memory has no room for what a second role would read:", [
    RemarkArg<"bytes", Int, "of tiles and rings">,
    RemarkArg<"available", Int, "bytes of a CTA">]> {
  let description = "A smaller tile, or fewer `stages`, would leave some.";
}
}

let category = "attn-specialize-warps" in {
def SpecializeWarps : AttnRemark<"specialized", Passed, "a producer fills the rings:", [
    RemarkArg<"warps", Int, "warps that only copy">]> {
  let description = "The kernel has a warpgroup more.";
}
def SpecializeWarpsTarget : AttnRemark<"specialized", Missed, "the target cannot move registers between warps"> {
  let description = "It lacks the capability `setmaxnreg`, as `gb10` does.";
}
def SpecializeWarpsAlready : AttnRemark<"specialized", Missed, "there is a producer already"> {
  let description = "The pass ran before.";
}
def SpecializeWarpsGroups : AttnRemark<"specialized", Missed, "consumers are not in groups of 4 warps"> {
  let description = "Registers move between groups of four warps.";
}
def SpecializeWarpsNoCopy : AttnRemark<"specialized", Missed, "nothing is copied"> {
  let description = "No ring is filled.";
}
def SpecializeWarpsThreads : AttnRemark<"specialized", Missed, "tiles are copied by all threads"> {
  let description = "With `copy=async` every thread copies its part.";
}
def SpecializeWarpsInStep : AttnRemark<"specialized", Missed, "CTAs keep in step, all threads of each"> {
  let description = "`attn-keep-in-step` has all threads wait.";
}
}

let category = "attn-overlap-softmax" in {
def OverlapSoftmax : AttnRemark<"overlapped", Passed, "products are under way during the softmax:", [
    RemarkArg<"loops", Int, "loops of the chain">]> {
  let description = "Once for each chain of loops.";
}
def OverlapSoftmaxSettled : AttnRemark<"settled", Passed,
    "loops are there twice, once with the maximum of each tile", [
    RemarkArg<"loops", Int, "loops of the chain">]> {
  let description = "A warpgroup whose rows have peaks in their first tile takes these (`exact-peaks` of `attn-optimistic-max`).";
}
def OverlapSoftmaxNoLoop : AttnRemark<"overlapped", Missed,
    "consumers have no loop with asynchronous products"> {
  let description = "So it is with `wgmma=none`, or where roles are not split.";
}
def OverlapSoftmaxProducts : AttnRemark<"overlapped", Missed, "a loop does not have asynchronous products of two stages"> {
  let description = "So it is with `wgmma=scores`, in `attn.matmul`, and where a third follows from a second.";
}
def OverlapSoftmaxNoWait : AttnRemark<"overlapped", Missed, "a product is not waited for in its loop"> {
  let description = "It is waited for behind the loop, in a region of it, or more than once.";
}
def OverlapSoftmaxNoRing : AttnRemark<"overlapped", Missed,
    "values do not come from a ring that the loop releases"> {
  let description = "They stay for all tiles, for example, or are released behind the loop.";
}
def OverlapSoftmaxValuesUsed : AttnRemark<"overlapped", Missed, "values are read by more than their product"> {
  let description = "Their stage could not be released behind the product.";
}
def OverlapSoftmaxSharedRing : AttnRemark<"overlapped", Missed, "the ring of the values has other tiles, too"> {
  let description = "With keys and values in turn, their order would be another one.";
}
def OverlapSoftmaxNoSum : AttnRemark<"overlapped", Missed,
    "the product with the values is not a sum that the loop carries"> {
  let description = "So it is where the loop is rotated already.";
}
def OverlapSoftmaxUnderWay : AttnRemark<"overlapped", Missed, "products are under way already"> {
  let description = "A wait leaves products outstanding, as where the sum is not scaled.";
}
def OverlapSoftmaxEffects : AttnRemark<"overlapped", Missed, "what follows from the sum has effects"> {
  let description = "It is stored in the loop, for example.";
}
def OverlapSoftmaxCopies : AttnRemark<"overlapped", Missed, "a loop copies or stores"> {
  let description = "Consumers copy no tiles where roles are split.";
}
}

let category = "attn-ping-pong" in {
def PingPong : AttnRemark<"ping-pong", Passed, "warpgroups take turns:", [
    RemarkArg<"groups", Int, "how many">]> {
  let description = "Once for each `attn.specialize`.";
}
def PingPongOneGroup : AttnRemark<"ping-pong", Missed, "there is one warpgroup at most"> {
  let description = "Consumers are 128 threads, or fewer.";
}
}

let category = "attn-prefetch-to-registers" in {
def PrefetchToRegisters : AttnRemark<"prefetched", Passed, "copies of the next visit are under way in registers:", [
    RemarkArg<"rings", Int, "rings whose second stage is registers">]> {
  let description = "Rings of two stages then have memory for one.";
}
def PrefetchToRegistersAlready : AttnRemark<"prefetched", Missed, "the ring says already how many slots it has"> {
  let description = "The pass ran before.";
}
def PrefetchToRegistersStages : AttnRemark<"prefetched", Missed, "the ring does not have two stages:", [
    RemarkArg<"stages", Int, "how many it has">]> {
  let description = "With one, nothing runs ahead; with more, the copies of several visits would be in registers.";
}
def PrefetchToRegistersTurn : AttnRemark<"prefetched", Missed,
    "a stream does not wait for one tile of the ring a visit and then release it"> {
  let description = "A copy lands when the slot of its visit is free, which has to be known.";
}
}

let category = "attn-whole-lines" in {
def WholeLines : AttnRemark<"whole-lines", Passed, "goes through shared memory, for whole lines of memory:", [
    RemarkArg<"bytes", Int, "neighbouring bytes of a row that lanes access at once">,
    RemarkArg<"before", Int, "those that they would">]> {
  let description = "Once for each store, or load of what stays.";
}
def WholeLinesTarget : AttnRemark<"whole-lines", Missed, "threads of the target do not copy through registers"> {
  let description = "It lacks the capability `buffer`. Where shared memory holds what stays, stores go through that.";
}
def WholeLinesNot : AttnRemark<"whole-lines", Missed, "{reason}", [
    Because<"what of the tile, of its view or of the rings">]> {
  let description = "Once for each access that stays as it is.";
}
}

let category = "attn-stage-additions" in {
def StageAdditions : AttnRemark<"additions", Passed, "a warp of the producer adds, out of a ring:", [
    RemarkArg<"slots", Int, "slots of the ring">]> {
  let description = "Once for each addition to what several CTAs add to.";
}
def StageAdditionsNot : AttnRemark<"additions", Missed, "those who compute add, from registers: {reason}", [
    Because<"what of the kernel, of the tile, of its view or of shared memory">]> {
  let description = "Once for each addition that stays as it is.";
}
}

let category = "attn-guide-scheduler" in {
def GuideScheduler : AttnRemark<"guided", Passed, "the scheduler is told:", [
    RemarkArg<"hint", String, "what">]> {
  let description = "Once for each stream.";
}
def GuideSchedulerAlready : AttnRemark<"guided", Missed, "the stream has a hint already"> {
  let description = "The pass ran before.";
}
}

let category = "attn-place-barriers" in {
def PlaceBarriers : AttnRemark<"barriers", Passed, "threads wait for each other:", [
    RemarkArg<"barriers", Int, "barriers placed">]> {
  let description = "Only where threads copy through registers.";
}
}

#endif // ATTN_TRANSFORMS_REMARKS
