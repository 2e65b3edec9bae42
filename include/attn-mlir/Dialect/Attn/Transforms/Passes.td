//===- Passes.td - Passes that schedule ---------------------*- tablegen -*-===//

#ifndef ATTN_TRANSFORMS_PASSES
#define ATTN_TRANSFORMS_PASSES

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
    Where lengths of streams are read on the device and no number of parts is
    stated, a kernel that comes first deals them there: a list of parts, over
    which the grid of the second has an axis `work`.

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
           "CTAs of a cluster stream the parts, and merge them in its shared memory">
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
           "A CTA takes its next tile from a counter, when it is done with one">
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
           "naive-block-first, swizzled-block-first, naive-head-first or "
           "swizzled-head-first">,
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

    After: `attn.stream %j step 64 reverse %odd over [...]`
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
    launches has an argument more, which whoever launches it makes zero.

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

//===----------------------------------------------------------------------===//
// Level 2 to level 3
//===----------------------------------------------------------------------===//

def AttnSimplifyTiles : Pass<"attn-simplify-tiles", "::attn::KernelOp"> {
  let summary = "Divide once a row";
  let description = [{
    `x / broadcast(d)` becomes `x * broadcast(1 / d)`, for targets on which a division is many
    instructions. Rounding changes by an ulp or so; infinities and NaN do not.

    Before: `%d = attn.broadcast %l; %o = arith.divf %acc, %d`

    After: `%r = arith.divf %one, %l; %d = attn.broadcast %r; %o = arith.mulf %acc, %d`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AttnStageLoads : Pass<"attn-stage-loads", "::attn::KernelOp"> {
  let summary = "Load tiles through rings in shared memory";
  let description = [{
    An `attn.load` becomes a ring of shared memory: a streamed tile one of
    `stages` stages, filled by the `produce` region of its stream, `stages` - 1
    visits ahead; a tile that stays one of `resident-stages`: with two, a producer of
    its own loads it for the next visit while this one ends. The tile is waited for
    just before its first use and released just after its last (a tile that stays: at
    the end of the visit, after lending its memory to a store). Rings live as long
    as the kernel: a persistent CTA goes on using them.

    Products take tiles in shared memory; other users get an
    `attn.convert_layout`.

    A load that no product takes, as it is or cast, stays a load, straight into
    registers, where its tile has rank 1 (one value a row) or the position of its
    stream only picks which slice of the view it is, as where partial results are
    merged. Kernels with no other loads have no rings.

    `copy` says what copies: `tensor` is the tensor memory accelerator, `async`
    copies of `chunk` bytes a thread. The accelerator wants strides that are
    multiples of 16 bytes: where the rows of a view are not, copies are `async`
    in chunks of 8 or 4 bytes, which divide the row.

    Before: `attn.stream %j ... { %k = attn.load %kv[%b, %h, %j, %c0] ... }`

    After:

    ```mlir
    %r = attn.ring.create : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>
    attn.stream %j ... produce (%a) {
      %s = attn.ring.acquire %r ...
      %p = attn.ring.issue %s, %kv[%b, %h, %a, %c0] ...
      attn.ring.land %p ...
    } {
      %k = attn.ring.wait %r ...
      ...
      attn.ring.release %r ...
    }
    ```

    Sizes of tiles in rings must be multiples of 16, at most 256.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Stages of the rings of streamed tiles (0: default)">,
    Option<"copy", "copy", "::attn::CopyKind", /*default=*/"::attn::CopyKind::Tensor",
           "What copies tiles",
           "::llvm::cl::values(clEnumValN(::attn::CopyKind::Tensor, \"tensor\", \"tensor memory accelerator\"), clEnumValN(::attn::CopyKind::Async, \"async\", \"a chunk a thread\"))">,
    Option<"residentStages", "resident-stages", "int64_t", /*default=*/"1",
           "Stages of the rings of tiles that stay">,
    Option<"chunk", "chunk", "int64_t", /*default=*/"0",
           "Bytes of an asynchronous copy and of what a store aligns to: 4, 8 or 16 (0: by the rows of the view)">
  ];
  let statistics = [Statistic<"numStaged", "staged", "Loads staged">];
}

def AttnAssignFragments : Pass<"attn-assign-fragments", "::attn::KernelOp"> {
  let summary = "Distribute tiles over the registers of warps";
  let description = [{
    Gives every tile of the kernel that has no layout the one of an accumulator of
    `mma.sync.m16n8k16` over `warps` warps (`#attn.fragment`), and one value a row the
    slice of it. Tiles in shared memory stay there. Sets the kernel's `threads`.

    All tiles of a kernel have one number of rows, a multiple of 16 for each warp.

    Before: `%p = math.exp2 %s : tensor<128x64xf32>`

    After: `%p = math.exp2 %s : tensor<128x64xf32, #attn.fragment<threads [...], registers [...]>>`
  }];
  let options = [
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "Warps of a CTA (0: about 32 rows each)">,
    Option<"rowsPerWarp", "rows-per-warp", "int64_t", /*default=*/"0",
           "Rows of a warp where `warps` is 0: a multiple of 16 (0: about 32)">
  ];
  let statistics = [Statistic<"numTiles", "tiles", "Tiles given a layout">];
}

def AttnDeferRowSums : Pass<"attn-defer-row-sums", "::attn::KernelOp"> {
  let summary = "Add up rows across threads once a stream, not once a tile";
  let description = [{
    A stream that carries `l' = l * a + sum(p)`, starting from zero, with a factor a that
    is one value a row, may carry one such sum for each thread that shares a row
    instead, and add those up at the end: the sum is linear. It saves the
    shuffles of a row sum in every tile; the order of the additions changes.

    Nothing happens to streams that carry anything else.

    Before: `%s = attn.reduce sum %p : tensor<64x32xf32, #acc>` in the stream

    After: `%s = attn.reduce_registers sum %p` there, and `attn.reduce sum` of the result behind it
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numSums", "sums", "Sums deferred">];
}

def AttnPrioritizeProducts : Pass<"attn-prioritize-products", "::attn::KernelOp"> {
  let summary = "Let waves with products go before those without";
  let description = [{
    Marks products as `prioritized`, on targets with the capability
    `wave-priority`. Two waves of different workgroups share a SIMD; where both have
    an instruction to issue, the one of the higher priority goes first, so that
    matrix products of one run beside the softmax of the other (`s_setprio`; AMD
    CDNA 3 ISA, "S_SETPRIO"). `products` says which: all, or only the `scores`,
    those with a transposed right-hand side. Whether it pays is on the pass's page.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `%s = attn.dot %q, %k, %zero transpose_rhs prioritized : ...`
  }];
  let options = [
    Option<"products", "products", "::attn::Products", /*default=*/"::attn::Products::All",
           "Which products",
           "::llvm::cl::values(clEnumValN(::attn::Products::All, \"all\", \"every product\"), clEnumValN(::attn::Products::Scores, \"scores\", \"those with a transposed right-hand side\"))">
  ];
  let statistics = [Statistic<"numRaised", "raised", "Products with priority">];
}

def AttnIssueDots : Pass<"attn-issue-dots", "::attn::KernelOp"> {
  let summary = "Make products asynchronous";
  let description = [{
    `attn.dot` becomes `attn.dot.issue` and `attn.dot.wait` right behind it, where
    the target has asynchronous products (the capability `wgmma`) that can compute
    it: 16-bit operands, 16 rows a warp in groups of four warps, the right-hand
    side in shared memory, filled by the tensor memory accelerator as the left-hand
    one is unless it lies in registers. `products` says which: all, or only the
    `scores`, those with a transposed right-hand side. Later passes move waits away
    from where products are issued.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After:

    ```mlir
    %p = attn.dot.issue %q, %k, %zero transpose_rhs : ...
    %s = attn.dot.wait %p : ...
    ```
  }];
  let options = [
    Option<"products", "products", "::attn::Products", /*default=*/"::attn::Products::All",
           "Which products",
           "::llvm::cl::values(clEnumValN(::attn::Products::All, \"all\", \"every product\"), clEnumValN(::attn::Products::Scores, \"scores\", \"those with a transposed right-hand side\"))">
  ];
  let statistics = [Statistic<"numIssued", "issued", "Products made asynchronous">];
}

def AttnStoreTensors : Pass<"attn-store-tensors", "::attn::KernelOp"> {
  let summary = "Store tiles by the tensor memory accelerator";
  let description = [{
    A store of an accumulator that goes through shared memory leaves the writing of global
    memory to the tensor memory accelerator: warps write their rows as a tensor map reads
    them, and one thread of each starts their copy. Addresses and bounds of the view cost no
    registers and no instructions any more.

    Wants the capability `tma`, tiles of 16-bit elements with whole rows in each warp,
    memory of the tile's own shape, and rows of the view of a multiple of 16 bytes.

    Before: `attn.store %t, %o[...] through %q(...) : ...`

    After: `attn.store %t, %o[...] through %q(...) by_tensor_map : ...`
  }];
  let statistics = [Statistic<"numStores", "stores", "Stores by tensor maps">];
}

def AttnOptimisticMax : Pass<"attn-optimistic-max", "::attn::KernelOp"> {
  let summary = "Exponentials by the row maximum of the tiles before";
  let description = [{
    A softmax may subtract any number m from the scores of a row: all that it carries is in
    units of 2^m. In the streams of a kernel that carry a row maximum, a tile's
    exponentials are first computed with the maximum of the tiles before, so that nothing
    waits for this tile's, and nothing carried is scaled. Where a sum of them, needed anyway,
    is above 2^16 (f16: 2^15, so that each is finite), or is NaN, they are computed again
    with the tile's own maximum. The first tile always is.

    Relative errors of exponentials do not depend on m; results differ from those of the
    exact maximum by rounding.

    Before: `%k, %r, %a = attn.advance (reduce max %s) from %k0, %r0; %p = exp2(fma(%s, %k, -%r)); %l1 = %l * %a + sum %p`

    After:

    ```mlir
    %p0 = exp2(fma(%s, %k0, -%r0))
    %missed = attn.any (sum %p0 > 65536)
    %k, %r, %l1, %p ... = scf.if %missed { as before } else { yield %k0, %r0, %l + sum %p0, %p0 ... }
    ```

    Does nothing to a stream whose maximum is used by more than exponentials, or is
    stored; nor, unless asked to, where scores depend on positions (ALiBi): their maximum may
    grow with every tile, and every tile would be computed twice.
  }];
  let options = [
    Option<"positions", "positions", "bool", /*default=*/"false",
           "Also where scores depend on positions">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numStreams", "streams", "Streams rewritten">];
}

def AttnSpecializeWarps : Pass<"attn-specialize-warps", "::attn::KernelOp"> {
  let summary = "Give the copying of tiles to warps of its own";
  let description = [{
    Decides that four warps beyond those that hold tiles fill all rings
    (`producer_warps`). The others wait for tiles only, and have most of the
    registers. `attn-split-roles` makes the roles once streams are loops.

    Wants a target that can move registers between warps (the capability
    `setmaxnreg`), consumers in groups of four warps, and copies by the tensor
    memory accelerator, of which one thread starts all.

    Before: `attn.kernel @k(...) attributes {threads = 256}`

    After: `attn.kernel @k(...) attributes {producer_warps = 4, threads = 256}`
  }];
  let options = [
    Option<"overlap", "overlap", "bool", /*default=*/"false",
           "Consumers compute softmax beside products (attn-overlap-softmax)">,
    Option<"pingPong", "ping-pong", "bool", /*default=*/"false",
           "Groups of consumers take turns (attn-ping-pong)">
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels with a producer">];
}

def AttnSplitRoles : Pass<"attn-split-roles", "::attn::KernelOp"> {
  let summary = "Make loops of a producer and of consumers";
  let description = [{
    In a kernel with `producer_warps` whose streams are loops, the body of a CTA
    becomes `attn.specialize`: once with what fills rings, and what that depends on,
    and once with everything else. The producer runs through the same positions;
    how far ahead it gets the slots say. Registers are shared out among the roles of
    one CTA, or of two, where one group of consumers and the shared memory of the rings
    let an SM hold two: the second computes while the first begins or ends.

    Before: `attn.ctas %cta in %n { ... acquire, issue, land ... wait, dot, release ... }`

    After:

    ```mlir
    attn.ctas %cta in %n {
      attn.specialize producer 4 warps(40) {
        ... acquire, issue, land ...
      } consumers(232) {
        ... wait, dot, release ...
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::ub::UBDialect"];
  let statistics = [Statistic<"numSplit", "split", "Kernels split into roles">];
}

def AttnOverlapSoftmax : Pass<"attn-overlap-softmax", "::attn::KernelOp"> {
  let summary = "Compute the softmax of a tile beside products";
  let description = [{
    In a kernel with the attribute `overlap` whose roles are split, rotates the
    loops of consumers by half a tile: the scores of a tile are issued, then the
    product with the values of the tile before, and both are under way while the
    maximum and the exponentials are computed. The first tile's scores come before
    the loop, the last tile's values behind it. What the sum is scaled by, and the
    left-hand side of the product, whose registers the last product still reads,
    wait for it.

    Before, in the loop: `scores issue, wait; softmax; values issue, wait`

    After: `scores issue; values of the last tile issue; scores wait outstanding 1;
    softmax; values wait; scale the sum`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numLoops", "loops", "Loops rotated">];
}

def AttnPingPong : Pass<"attn-ping-pong", "::attn::KernelOp"> {
  let summary = "Let warpgroups take turns at the tensor cores";
  let description = [{
    In a kernel with the attribute `ping_pong` whose roles are split and which has two
    or more groups of consumers: a group takes its turn before it issues the scores
    of a tile, and passes it when it has issued what it issues before it waits. So
    one group's softmax runs beside the products of another.

    Before: `%s = attn.dot.issue ... transpose_rhs; %o = attn.dot.issue ...; attn.dot.wait %s ...`

    After: `attn.turn take of 2; %s = ...; %o = ...; attn.turn pass of 2; attn.dot.wait %s ...`
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels whose groups take turns">];
}

#endif // ATTN_TRANSFORMS_PASSES
