//===- SchedulePasses.td - Passes of levels 1 and 2 ---------*- tablegen -*-===//

#ifndef ATTN_TRANSFORMS_SCHEDULEPASSES
#define ATTN_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def AttnSetTarget : Pass<"attn-set-target", "::mlir::ModuleOp"> {
  let summary = "Attach a target to the module";
  let description = [{
    Sets the module attribute `attn.target`. `overrides` changes single facts:
    `attn-set-target{target=gb10 overrides=sms=40,l2_bytes=16777216}`. Without
    `target` the module keeps the one it has (the generic CPU if none), and
    only the overrides are applied.
  }];
  let dependentDialects = ["::attn::AttnDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "Name of a known target (attn-opt --list-targets)">,
    ListOption<"overrides", "overrides", "std::string",
               "Facts to change, as name=value">
  ];
  let statistics = [Statistic<"numOverridden", "overridden", "Facts changed">];
}

def AttnExpand : Pass<"attn-expand", "::mlir::ModuleOp"> {
  let summary = "Put the streamable operations of a program in its operation's place";
  let description = [{
    An operation that several streamable ones compute (`CompositeOpInterface`) becomes these,
    of which each is a kernel later. What is streamable already stays as it is.

    Before: `%dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse ...`

    After:

    ```mlir
    %delta = attn.row_dot %o, %do : ...
    %dq = attn.attention_backward_query %q, %k, %v, %do, %lse, %delta ...
    %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta ...
    ```

    Some can be computed in several forms. `form` chooses for all operations of the module; without
    it, the field `form` of an operation's schedule does.
  }];
  let dependentDialects = ["::attn::AttnDialect"];
  let options = [
    Option<"form", "form", "std::string", /*default=*/"\"\"",
           "Form of gradients of attention: two-kernels, fused or ordered">
  ];
  let statistics = [Statistic<"numExpanded", "expanded", "Operations expanded">];
}

def AttnPackGroup : Pass<"attn-pack-group", "::mlir::ModuleOp"> {
  let summary = "Make the query heads of a group rows of one tile";
  let description = [{
    Attention whose query heads share KV heads becomes attention of the queries of
    all heads of a group, one head after the other, with one head for each KV
    head: a reshape of Q, O and LSE, and a mask `#attn.packed` around the mask. A
    group's heads then read K and V once, in one tile, in place of once each,
    which is what decoding is bound by.

    Nothing happens where there are no queries, where no heads share, where scores
    are modified and the number of queries is not static, and in layout bshd.

    Before: `attn.attention %q, ... : (tensor<?x32x1x128xbf16>, tensor<?x8x?x128xbf16>, ...)`

    After: `attn.attention %p, ... : (tensor<?x8x4x128xbf16>, tensor<?x8x?x128xbf16>, ...)`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"scheduled", "scheduled", "bool", /*default=*/"false",
           "Only operations whose #attn.schedule says pack_group">
  ];
  let statistics = [Statistic<"numPacked", "packed", "Operations packed">];
}

def AttnStreamPartition : Pass<"attn-stream-partition", "::mlir::ModuleOp"> {
  let summary = "Turn streamable operations into kernels of streamed tile loops";
  let description = [{
    Every streamable operation (`attn.attention`, `attn.matmul`) becomes an
    `attn.launch` of a new `attn.kernel`: its unit axes and the tiles of its group
    axes span the grid, its stream axis becomes an `attn.stream`. Masks become
    the bounds of the segments of that stream; tiles that no query of a block
    sees are never loaded, and only the segments on the edge evaluate the mask.

    Tile sizes come from `tiles` (`tiles=query=128,key=64`), else from the
    operation's `#attn.schedule`, which its kernel keeps; else they are the
    largest default that fits the target. A tile that cannot fit is an error that
    names the bytes asked, the bytes there are, and the largest legal tile.

    `splits` n > 1 streams n parts of each stream with a state of their own and
    merges the states at the end (refused for operations whose order is fixed).
    With `split-ctas`, CTAs of their own do: a kernel whose grid has a `split`
    axis stores the states to a workspace, one tensor of f32 for each value of
    the state (splits, unit axes, dimensions of the value), and a second kernel
    streams over the splits, merges the states and makes the results. Parts of
    the stream that have nothing to visit store the state of nothing. The number
    of parts is `splits`; or, without it, what the sizes of a call leave CTAs
    free for; or follows from `split-length`, the elements of a part: then what
    a part is does not depend on the other sizes of the call, nor do results.
    With `split-cluster`, the CTAs that stream the parts of one tile are a
    thread-block cluster: they exchange their states and merge them, some rows
    each, so that there is one kernel and no workspace. There are `splits` of them,
    or as many as the sizes of a call leave CTAs free for, up to
    `max_cluster_ctas` of the target.
    With `split-last`, of a stated number of `splits` (2 to 31), the CTA that is done last
    merges the states that the others have stored, so that there is one kernel and a workspace
    (`attn.last_part`).
    With `stream-k`, CTAs share the tiles of the last round, which are fewer than
    they: each takes as many steps of their streams, from the end of one tile into the next if
    need be. Parts of a tile store states, and a second kernel merges them (Stream-K; Osama et al.
    2023). Tiles of whole rounds stay whole, and all do where sharing is worth less than it costs.
    Where lengths of streams are read on the device and no number of parts is
    stated, a kernel that comes first deals them there: a list of parts, over
    which the grid of the second has an axis `work`.

    With `list-tiles`, tiles of packed queries are those of a list that a kernel
    of its own makes: those of the longest sequence first, each sequence's from
    the last on. An entry is {sequence, first row in it, where the sequence
    begins, its length}, so that a CTA reads one and does not look for a sequence.
    Operations without packed queries, and those whose streams other CTAs share, have
    none.

    Before:

    ```mlir
    %c = attn.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xf32>
    ```

    After:

    ```mlir
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %c = attn.launch @f_matmul ins(%a, %b : ...) outs(%e : ...) views [...] -> tensor<?x?xf32>
    // and
    attn.kernel @f_matmul(%a: !attn.view<?x?xbf16>, ...) {
      ...
      attn.grid (%m, %n) visit %v in (m = %tm, n = %tn) sharing [n] {
        %c = attn.stream %k step 64 over [%c0 to %size] carry (%acc = %zero : ...) {
          ...
    ```

    [Remarks](remarks.md#attn-stream-partition) say which tiles were chosen and
    by whom.
  }];
  let dependentDialects = ["::attn::AttnDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    ListOption<"tiles", "tiles", "std::string",
               "Tile sizes by axis, as name=size">,
    Option<"splits", "splits", "int64_t", /*default=*/"0",
           "Parts into which each stream is split, merged at the end (0: as the operation's schedule says, else 1)">,
    Option<"splitCtas", "split-ctas", "bool", /*default=*/"false",
           "CTAs of their own stream the parts, and a second kernel merges them (without splits: as many as CTAs are free)">,
    Option<"splitLength", "split-length", "int64_t", /*default=*/"0",
           "Elements of a part, for split-ctas, in place of a number of parts">,
    Option<"splitCluster", "split-cluster", "bool", /*default=*/"false",
           "CTAs of a cluster stream the parts, and merge them in its shared memory">,
    Option<"listTiles", "list-tiles", "bool", /*default=*/"false",
           "Tiles of packed queries come from a list that a kernel makes first, longest sequences first">,
    Option<"splitResults", "split-results", "bool", /*default=*/"false",
           "A kernel for each result of an operation, whose state alone it carries">,
    Option<"splitLast", "split-last", "bool", /*default=*/"false",
           "CTAs of their own stream the parts, and the one that is done last merges them">,
    Option<"streamK", "stream-k", "bool", /*default=*/"false",
           "CTAs share the tiles of the last round evenly, and a second kernel merges their parts">,
    Option<"sms", "sms", "int64_t", /*default=*/"0",
           "For stream-k: SMs to fill, as of attn-persistent (0: the target's)">,
    Option<"resident", "resident", "int64_t", /*default=*/"0",
           "For stream-k: CTAs resident on an SM (0: one)">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numSegments", "segments", "Segments of streams made">
  ];
}

def AttnPersistent : Pass<"attn-persistent", "::attn::KernelOp"> {
  let summary = "Let a fixed number of CTAs take the tiles in turn";
  let description = [{
    Sets `persistent` of the grid to SMs x resident CTAs; at run time
    min(tiles, that) CTAs run, and each takes its next tile a stride of that
    number further (grid-stride loop, round-robin).

    SMs are the target's unless given by `sms`; the resident CTAs of an SM are
    given by `resident`, or follow from the shared memory and registers of the
    kernel's tiles against the target's, which a remark shows.

    Before: `attn.grid (...) visit %v in (...) { ... }`

    After: `attn.grid (...) visit %v in (...) persistent 132 { ... }`

    Tiles of a causal mask differ in length, and a stride that is a multiple of
    their number gives a CTA tiles of one length. With `pair-tiles` it takes the
    longest and the shortest that are left along the last axis together (`run 2
    folded`): all pairs are equally long.

    With `snake` CTAs take tiles in turn forwards and backwards by turns: of
    tiles in the order of their length (`attn-grid-order`, `block-outermost` and
    `longest-first`) all get about as much, also where few tiles a CTA leave the
    last pairs to few of them.

    With `dynamic` a CTA takes its next tile when it is done with one, from a
    counter that all of them share (`attn.counter`): tiles that differ in length
    are then dealt evenly without pairs.

    Does nothing where the grid is persistent already or static sizes give no
    more tiles than CTAs (`missed` remark).
  }];
  let options = [
    Option<"sms", "sms", "int64_t", /*default=*/"0",
           "SMs to fill (0: the target's)">,
    Option<"resident", "resident", "int64_t", /*default=*/"0",
           "CTAs resident on an SM (0: from the footprint)">,
    Option<"pairTiles", "pair-tiles", "bool", /*default=*/"false",
           "A CTA takes two tiles at a time, from both ends of the last axis">,
    Option<"dynamic", "dynamic", "bool", /*default=*/"false",
           "A CTA takes its next tile from a counter, when it is done with one">,
    Option<"snake", "snake", "bool", /*default=*/"false",
           "Every other turn is taken backwards">
  ];
  let statistics = [Statistic<"numPersistent", "persistent",
                              "Grids made persistent">];
}

def AttnGridOrder : Pass<"attn-grid-order", "::attn::KernelOp"> {
  let summary = "Choose the order in which tiles are dispatched";
  let description = [{
    Sets `order` of the grid. The orders of "Optimizing Attention on GPUs by
    Exploiting GPU Architectural NUMA Effects", section 3, where a *sharing set* is
    the tiles that stream the same data (one KV head of one batch):

    - `naive-head-first`: all tiles of a set, then the next set;
    - `naive-block-first`: batch by batch, block 0 of all heads, then block 1;
    - `block-outermost`: block 0 of all heads of all batches, then block 1;
    - `one-set`: block 0 of all query heads of a KV head, then block 1; then the
      next KV head;
    - `two-sets`, `four-sets`, `eight-sets`, `sixteen-sets`: block 0 of so many
      heads, of all batches, then block 1; then the next heads;
    - `swizzled-head-first`: each L2 domain of the target walks sets of its
      own, one after the other;
    - `swizzled-block-first`: each domain walks block 0 of all sets of its
      own, then block 1.

    Without several domains the swizzled orders are the naive ones, and a
    remark says so.

    `domains` and `chunk` override the target's. `longest-first` reverses the
    last axis, so that under a causal mask the longest tiles start first.

    Why each is a bijection stands in the documentation of `#attn.order`.
  }];
  let options = [
    Option<"order", "order", "std::string", /*default=*/"\"swizzled-head-first\"",
           "naive-block-first, swizzled-block-first, naive-head-first, "
           "swizzled-head-first, block-outermost, one-set, two-sets, four-sets, "
           "eight-sets or sixteen-sets">,
    Option<"domains", "domains", "int64_t", /*default=*/"0",
           "L2 domains (0: the target's)">,
    Option<"chunk", "chunk", "int64_t", /*default=*/"0",
           "Consecutive CTAs of one domain (0: the target's)">,
    Option<"longestFirst", "longest-first", "bool", /*default=*/"false",
           "Reverse the last axis">
  ];
  let statistics = [Statistic<"numOrdered", "ordered", "Grids given an order">];
}

def AttnSawtooth : Pass<"attn-sawtooth", "::attn::KernelOp"> {
  let summary = "Alternate the direction of streams";
  let description = [{
    A CTA streams forward for the first tile that it takes, backward for the
    second, and so on, so that what the L2 cache saw last is read first
    ("Sawtooth Wavefront Reordering", section 4). Two variants:

    - the grid is persistent: by the parity of the CTA's local iteration;
    - it is not: each CTA takes two consecutive tiles (`run 2`), the first
      forward, the second backward.

    This reorders a reduction: results change by rounding, deterministically.
    It is refused for operations whose order is fixed, and, unless `force`,
    where it cannot pay:

    - consecutive tiles of a CTA stream different data (`changes-set`);
    - the streamed bytes of all sharing sets in flight fit the effective L2
      (`fits-cache`);
    - CTAs go on to other data, drift apart, and memory takes too small a share
      of the time for what that costs (`drifts`);
    - the stream starts where the tile does, as under a sliding window, so that
      consecutive tiles share little (`window`);
    - a tile streams several parts, as after `splits` (`several-streams`);
    - without persistence, two tiles a CTA would leave SMs without any
      (`few-tiles`).

    Where static sizes decide, the pass decides, and says so in a remark. Where
    they do not, the first three conditions become a guard in the kernel's index
    arithmetic (for the grid as it is then: choose its order first).

    Before: `attn.stream %j step 64 over [...]`

    After: `attn.stream %j step 64 traversal #attn.reversed(%odd : i1) over [...]`
  }];
  let options = [
    Option<"force", "force", "bool", /*default=*/"false",
           "Alternate even where it is not expected to pay">
  ];
  let statistics = [
    Statistic<"numAlternated", "alternated", "Streams whose direction alternates">,
    Statistic<"numGuarded", "guarded", "Streams that alternate under a guard">
  ];
}

def AttnTraverse : Pass<"attn-traverse", "::attn::KernelOp"> {
  let summary = "Choose in which order streams visit their tiles";
  let description = [{
    Gives each stream the traversal of this name. Where `attn-sawtooth` made the
    direction alternate it goes on to alternate.

    - `forward`: nothing changes;
    - `inside-out`: from the middle of each segment to its ends, in turns;
    - `rotated`: from an offset on, around the end of each segment. Of neighbours
      among the tiles of the grid that share what they stream, the second starts
      `stride` tiles of the stream before the first; each visit of a CTA starts
      `shift` tiles before the visit before it, which ended there;
    - `backward`: from the last tile of the last segment to the first.

    Like sawtooth it reorders a reduction, and is refused for operations whose
    order is fixed.

    Before: `attn.stream %j step 64 over [...]`

    After, with `order=inside-out`:
    `attn.stream %j step 64 traversal #attn.inside_out over [...]`
  }];
  let options = [
    Option<"order", "order", "::attn::TraversalOrder", /*default=*/"::attn::TraversalOrder::Forward",
           "Order of the visits",
           "::llvm::cl::values(clEnumValN(::attn::TraversalOrder::Forward, \"forward\", \"as listed\"), clEnumValN(::attn::TraversalOrder::InsideOut, \"inside-out\", \"from the middle to the ends\"), clEnumValN(::attn::TraversalOrder::Rotated, \"rotated\", \"from an offset on, and around the end\"), clEnumValN(::attn::TraversalOrder::Backward, \"backward\", \"from the last tile to the first\"))">,
    Option<"stride", "stride", "int64_t", /*default=*/"1",
           "Of rotated: tiles between the starts of neighbours in the grid">,
    Option<"shift", "shift", "int64_t", /*default=*/"0",
           "Of rotated: tiles between the starts of visits of a CTA">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numTraversed", "traversed",
                              "Streams that were given a traversal">];
}

def AttnMaterializeGrid : Pass<"attn-materialize-grid", "::attn::KernelOp"> {
  let summary = "Turn the grid and its order into index arithmetic";
  let description = [{
    `attn.grid` becomes `attn.ctas`: the number of CTAs, and in the body the loop
    over the tiles of a CTA and the arithmetic of the grid order. This is where
    `#attn.order` gets its meaning, for every target and for the trace.

    Before: `attn.grid (%h, %i) visit %v in (head = %a, query = %b) persistent 132 { ... }`

    After:

    ```mlir
    %tiles = arith.muli %a, %b : index
    %ctas = arith.minui %tiles, %c132 : index
    attn.ctas %w in %ctas {
      scf.for %t = %w to %tiles step %ctas {
        %i = arith.remui %t, %b : index
        %h = arith.divui %t, %b : index
        ...
    ```

    A `dynamic` grid becomes an `scf.while` that takes tiles by `attn.take` until
    there are no more. `in-turn` makes it one whose CTAs take them in turn, for
    whoever asks which tiles a CTA takes: the trace, and the model.
  }];
  let options = [
    Option<"inTurn", "in-turn", "bool", /*default=*/"false",
           "CTAs of dynamic grids take tiles in turn">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numMaterialized", "materialized",
                              "Grids turned into arithmetic">];
}

def AttnKeepInStep : Pass<"attn-keep-in-step", "::attn::KernelOp"> {
  let summary = "Let persistent CTAs start their visits together";
  let description = [{
    CTAs of a persistent grid drift apart, by the length of a walk in the end.
    Those that walk through the same keys then share them in L2 no longer, and in
    sawtooth order some walk up while others walk down. The pass puts an
    `attn.in_step` at the start of each visit that every CTA makes.

    Nothing happens to grids that are not persistent, and to grids of runs or of
    tiles that CTAs take from a counter.

    Before: `attn.grid (...) visit %v in (...) persistent 264 { ... }`

    After: `%counter = attn.counter; ... { %all = arith.cmpi ult, %v, %rounds;
    attn.in_step %all, %counter[%c0] ... }`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numGrids", "grids", "Grids kept in step">];
}

def AttnPlaceCounters : Pass<"attn-place-counters", "::mlir::ModuleOp"> {
  let summary = "Make counters of kernels workspace of the functions that launch them";
  let description = [{
    Each `attn.counter` becomes an argument of its kernel, behind the views that
    are written, and each launch of the kernel passes memory for it, which a
    kernel of one CTA has made zero just before. A kernel that no function
    launches has an argument more, and names what clears it (`cleared_by`), which
    a bundle runs before it; whoever launches its code by itself makes it zero.

    Before: `attn.kernel @f(%o: ...) { %counter = attn.counter : ... }`

    After: `attn.kernel @f(%o: ..., %counter: !attn.view<1xi32>) { ... }`, and
    where it is launched:

    ```mlir
    %0 = tensor.empty() : tensor<1xi32>
    %1 = attn.launch @f_clear outs(%0 : tensor<1xi32>) ...
    %2:2 = attn.launch @f ins(...) outs(%o, %1 : ...) ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numCounters", "counters",
                              "Counters that became arguments">];
}

#endif // ATTN_TRANSFORMS_SCHEDULEPASSES
