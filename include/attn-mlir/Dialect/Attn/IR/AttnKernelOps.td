//===- AttnKernelOps.td - Level 2: kernels and grids -------*- tablegen -*-===//

#ifndef ATTN_KERNEL_OPS
#define ATTN_KERNEL_OPS

include "attn-mlir/Dialect/Attn/IR/AttnOrder.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// The seam to level 1
//===----------------------------------------------------------------------===//

def Attn_LaunchOp : Attn_Op<"launch", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs a kernel on tensors or buffers";
  let description = [{
    Destination style: the kernel writes every element of `outs`, but for those
    that another launch wrote, which may stay what they are. This is the
    only operation of the dialect that bufferizes; after that its operands are
    memrefs and it has no results. Operands are passed to the kernel as views,
    in order ins, outs; then come the scalars. `views` gives for each the
    permutation from the dimensions of the view to those of the operand.

    `kernel` names a kernel, or a program of a bundle: a function without a body
    that has the attribute `attn.program`, the symbol of the bundle, and whose
    arguments are the program's views and scalars.

    Example: `%o = attn.launch @k ins(%q, %k, %v : ...) outs(%e : ...) -> ...`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inits,
    Variadic<Attn_Scalar>:$scalars,
    AffineMapArrayAttr:$views);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $inits `:` type($inits) `)`
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    `views` $views attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def Attn_KernelOp : Attn_Op<"kernel", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    FunctionOpInterface, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A kernel over views";
  let description = [{
    Takes views and scalars, and holds index arithmetic and one `attn.grid`
    (`attn.ctas` once the grid is materialised). Arguments keep their names
    (`arg_names`), by which launchers and descriptions speak of them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrArrayAttr>:$arg_names);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::TypeRange":$arguments,
                                 "::llvm::ArrayRef<::llvm::StringRef>":$argNames)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The grid, or null once it is materialised.
    ::attn::GridOp getGrid();
    /// Attribute that holds the threads of a CTA, once tiles are assigned to
    /// them (level 3).
    static constexpr ::llvm::StringLiteral kThreadsAttr = "threads";
    /// Attribute that holds the warps beyond these that only copy tiles.
    static constexpr ::llvm::StringLiteral kProducerWarpsAttr = "producer_warps";
    /// Attribute that holds the registers of each of their threads, where a
    /// schedule says so.
    static constexpr ::llvm::StringLiteral kProducerRegistersAttr = "producer_registers";
    /// Attribute that holds how many roles those who compute are to have.
    static constexpr ::llvm::StringLiteral kRolesAttr = "roles";
    /// Attribute of a kernel whose consumers are to compute softmax beside
    /// products.
    static constexpr ::llvm::StringLiteral kOverlapAttr = "overlap";
    /// Attribute of a kernel whose warpgroups are to take turns at products.
    static constexpr ::llvm::StringLiteral kPingPongAttr = "ping_pong";
    /// They pass a turn when its products are done, not when they are issued.
    static constexpr ::llvm::StringLiteral kLateTurnsAttr = "late_turns";
    /// Rings of keys are released when the first rows have their reference.
    static constexpr ::llvm::StringLiteral kFirstRowsAttr = "first_rows";
    /// Attributes for launchers: for each view the names of its dynamic
    /// dimensions and its permutation; the number of views that are written.
    static constexpr ::llvm::StringLiteral kDimNamesAttr = "dim_names";
    static constexpr ::llvm::StringLiteral kPermutationsAttr = "permutations";
    static constexpr ::llvm::StringLiteral kOutputsAttr = "outputs";
    /// Attribute of kernels that compute an operation together, with the step
    /// of it: parts of a stream, whose states the kernel after it merges.
    static constexpr ::llvm::StringLiteral kStepAttr = "step";
    static constexpr ::llvm::StringLiteral kSplitStep = "split";
    static constexpr ::llvm::StringLiteral kMergeStep = "merge";
    /// What makes the list of the parts, where lengths are read on the device.
    static constexpr ::llvm::StringLiteral kDealStep = "deal";
    /// What lists the tiles of packed queries, for the kernel behind it.
    static constexpr ::llvm::StringLiteral kOrderStep = "order";
    /// What makes a counter zero for the kernel behind it.
    static constexpr ::llvm::StringLiteral kClearStep = "clear";
    /// What arranges values for the kernel behind it.
    static constexpr ::llvm::StringLiteral kArrangeStep = "arrange";
    /// Attribute with the number of counters: they are the last of the views
    /// that are written.
    static constexpr ::llvm::StringLiteral kCountersAttr = "counters";
    /// Attribute of a kernel that no function launches: for each of its
    /// counters the name of the kernel that makes it zero, or an empty one.
    static constexpr ::llvm::StringLiteral kClearedByAttr = "cleared_by";
    /// Attribute of a kernel that reads what the step before it writes: at its
    /// start it waits for that one where both may run at the same time.
    static constexpr ::llvm::StringLiteral kFollowsAttr = "follows";
    /// Empty for a kernel that computes an operation alone.
    ::llvm::StringRef getStep() {
      auto step = (*this)->getAttrOfType<::mlir::StringAttr>(kStepAttr);
      return step ? step.getValue() : "";
    }
  }];
}

def Attn_ReturnOp : Attn_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "Ends a kernel";
  let assemblyFormat = "attr-dict";
}

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["StreamOp", "AttentionOp", "AttentionBackwardOp",
                  "AttentionBackwardQueryOp", "AttentionBackwardKeyOp",
                  "AttentionBackwardFusedOp", "AttentionBackwardCaptureOp", "GridOp",
                  "CtasOp", "SpecializeOp", "BesideOp", "LastPartOp"]>]> {
  let summary = "Ends a region, with the values it hands on";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* nothing to yield */ }]>];
}

def Attn_DimOp : Attn_Op<"dim", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Size of a dimension of a view";
  let arguments = (ins Attn_ViewType:$view, I64Attr:$dim);
  let results = (outs Index:$size);
  let assemblyFormat = "$view `,` $dim attr-dict `:` type($view)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Attn_ReadOp : Attn_Op<"read", [MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Reads one element of a view of integers";
  let description = [{
    As an index, the same for all threads of a CTA. Outside of the view it is
    zero. It stands in the grid: what the host computes (a grid's size) does not
    depend on it.

    Example: `%length = attn.read %lengths[%batch] : !attn.view<?xi32>`
  }];
  let arguments = (ins Attn_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs Index:$value);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Attn_CounterOp : Attn_Op<"counter", [MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A number in memory that all CTAs of a launch count with";
  let description = [{
    Zero when a launch begins, and its own: launches that run at the same time
    have one each. `attn-place-counters` makes it an argument of the kernel, and
    workspace of the functions that launch it.

    Example: `%counter = attn.counter : !attn.view<1xi32>`
  }];
  let results = (outs Attn_ViewType:$view);
  let assemblyFormat = "attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Attn_TakeOp : Attn_Op<"take", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Takes the next number from a counter";
  let description = [{
    Adds one to the element, at once for all CTAs (an atomic addition), and gives
    what it was before: the same number to all threads of the CTA. Numbers come
    in order, each once; which CTA gets which is not said.

    Where a producer has loops of its own, it takes the number (`hand_on`), and
    its consumers get what it took (`from_producer`), in the same order.

    Example: `%tile = attn.take %counter[%c0] : !attn.view<1xi32>`
  }];
  let arguments = (ins Attn_ViewType:$counter, Variadic<Index>:$offsets,
                       UnitAttr:$handOn, UnitAttr:$fromProducer);
  let results = (outs Index:$number);
  let assemblyFormat = [{
    $counter `[` $offsets `]` (`hand_on` $handOn^)?
    (`from_producer` $fromProducer^)? attr-dict `:` type($counter)
  }];
  let hasVerifier = 1;
}

def Attn_WriteOp : Attn_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes one element of a view of integers";
  let description = [{
    One thread of the CTA writes the index, which is cut to the element's bits.
    Outside of the view nothing is written.

    Example: `attn.write %from, %list[%entry, %c1] : !attn.view<?x3xi32>`
  }];
  let arguments = (ins Index:$value, Attn_ViewType:$view,
                       Variadic<Index>:$offsets);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` attr-dict `:` type($view)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

def Attn_GridOp : Attn_Op<"grid", [HasParent<"KernelOp">,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Runs its body for every tile of a grid, on CTAs";
  let description = [{
    The body runs once for every point of the box that `sizes` spans; its
    arguments are the coordinates and `visit`, the running number of the tile
    in its CTA (a run that the end of the axis cuts short counts in full).

    - `order` maps dispatch positions to coordinates (`#attn.order`); by default
      the axes as listed, the last fastest.
    - `run` r (default 1): a CTA takes r consecutive tiles along the last axis;
      `order` then orders the groups of r. `folded`: the axis is first folded in
      the middle, so that n - 1, 0, n - 2, 1, ... are consecutive; two of them are
      as long as any other two where length grows along the axis (causal mask).
    - `persistent` G: min(G, tiles) CTAs, each of which takes its next tile a
      stride of that number further (grid-stride loop, round-robin). Without
      it there is one CTA a tile. With `run`, read group for tile.
      `snake`: every other stride is taken from the other end, so that a CTA
      which had the first of one has the last of the next. Of tiles in the order
      of their length all CTAs then get about as much.
    - `dynamic` C, of a persistent grid: each CTA takes its next tile when it is
      done with one, by its number in the order, from the counter C, which is
      zero when the launch begins.
    - `until` V[...]: the body may be left out for points whose first coordinate
      is not below that element of V, which an earlier step has written.

    - `cluster`: CTAs that differ in the last coordinate alone run at the same
      time, as a thread-block cluster (PTX ISA, "Cluster of Cooperative Thread
      Arrays"), and `attn.exchange` what they hold. Such a grid has no order, run
      or persistent CTAs.

    `sharing` lists the axes that select the streamed data: CTAs that agree in
    them stream the same K and V.

    Tiles do not depend on each other and may run at the same time; where they wait for
    tiles in front of them in the order (`attn.await_progress`), not otherwise.
  }];
  let arguments = (ins Variadic<Index>:$sizes, StrArrayAttr:$axes,
    StrArrayAttr:$sharing, OptionalAttr<Attn_OrderAttr>:$order,
    DefaultValuedAttr<I64Attr, "1">:$run, UnitAttr:$folded,
    OptionalAttr<I64Attr>:$persistent, UnitAttr:$snake, UnitAttr:$cluster,
    Optional<Attn_ViewType>:$counter, Optional<Attn_ViewType>:$until,
    Variadic<Index>:$untilOffsets);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ValueRange getCoordinates() { return getBody().getArguments().drop_back(); }
    ::mlir::Value getVisit() { return getBody().getArguments().back(); }
    /// The product of the sizes, with `ofLast` of the last for the last, if all
    /// are static and it fits.
    std::optional<int64_t>
    countStatic(::llvm::function_ref<int64_t(int64_t)> ofLast);
    /// The order, or the one that stands for its absence.
    ::attn::OrderAttr getOrderOrDefault();
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Attn_CtasOp : Attn_Op<"ctas", [HasParent<"KernelOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Runs its body once for each CTA";
  let description = [{
    A materialised grid: `attn.ctas %cta in %count` is what a launch of `count`
    CTAs does; the loop over the tiles of a CTA and the grid order are explicit
    arithmetic in the body. `cluster %n`: n CTAs in a row are a cluster; `count`
    is a multiple of it.
  }];
  let arguments = (ins Index:$count, Optional<Index>:$cluster);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getCta() { return getBody().getArgument(0); }
  }];
}

def Attn_ExchangeOp : Attn_Op<"exchange", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Shows the tiles of each CTA of a cluster to all of them";
  let description = [{
    CTA number `part` of its cluster gives tiles. When all have given theirs, each
    sees those of all: as one view a tile, whose first dimension counts the CTAs
    and whose others are those of the tile, or as many of its first elements as
    the view has. The views last as long as the body that the operation stands in,
    at whose end the CTAs wait for each other again.

    `scatter` n: the rows of the tiles belong to one CTA each, n in a row to CTA 0,
    the next n to CTA 1, and after the last CTA to CTA 0 again. A CTA sees its own
    rows of all tiles, and what it reads of others is undefined. So tiles are sent
    to whom they are for, and no CTA waits at the end of the body.

    On NVIDIA GPUs they lie in distributed shared memory (PTX ISA, "mapa"), where
    scattered rows are written by "st.async".

    Example: `%v = attn.exchange %part gives %t : tensor<64x128xf32> -> !attn.view<?x4x128xf32>`
  }];
  let arguments = (ins Index:$part, Variadic<AnyRankedTensor>:$tiles,
                       OptionalAttr<I64Attr>:$scatter);
  let results = (outs Variadic<Attn_ViewType>:$views);
  let assemblyFormat = [{
    $part `gives` $tiles (`scatter` $scatter^)? attr-dict `:` type($tiles) `->` type($views)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of a view's tiles that lie in the memory of one CTA, at most: of its
    /// own tile, or of all that are scattered to it.
    int64_t getHeldRows(::attn::ViewType view);
    /// Bytes of a view there.
    int64_t getHeldBytes(::attn::ViewType view);
    /// Bytes of all views there.
    int64_t getBytes();
  }];
}

def Attn_InStepOp : Attn_Op<"in_step", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits, for a while, until other CTAs have got as far";
  let description = [{
    A hint for persistent grids: where `all` holds, which says that every CTA
    makes this visit, the CTA waits until the others have reached theirs, or a
    bounded time has passed. Nothing may depend on it. They count their visits in
    an element of a view, which is zero when the launch begins.

    Example: `attn.in_step %all, %counter[%c0] : !attn.view<1xi32>`
  }];
  let arguments = (ins I1:$all, Attn_ViewType:$counter,
                       Variadic<Index>:$offsets);
  let assemblyFormat = [{
    $all `,` $counter `[` $offsets `]` attr-dict `:` type($counter)
  }];
  let hasVerifier = 1;
}

def Attn_ReportProgressOp : Attn_Op<"report_progress", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Tells other tiles of the grid how far this one has got";
  let description = [{
    Sets an element of a view, which is zero when the launch begins, to a place: all that the
    CTA has added so far lies in front of it, and is seen by those who then see the place
    (`attn.await_progress`). Without a place the tile is done. The element lies in the view.

    Example: `attn.report_progress %progress[%batch, %kv_head, %key] at %place : <?x8x?xi32>`
  }];
  let arguments = (ins Attn_ViewType:$progress, Variadic<Index>:$offsets,
                       Optional<Index>:$place);
  let assemblyFormat = [{
    $progress `[` $offsets `]` (`at` $place^)? attr-dict `:` type($progress)
  }];
  let hasVerifier = 1;
}

def Attn_AwaitProgressOp : Attn_Op<"await_progress", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until other tiles of the grid have got to a place";
  let description = [{
    Waits until the elements `from` to `to` - 1 along the last dimension of the view are at
    least the place. What their tiles did before they reported it has been done. These elements
    lie in the view.

    Such a wait has no end where it is for a tile whose turn comes later. So, as long as the
    grid has its order, those that are waited for must be the tiles in front of this one along
    the last axis: 0 to its coordinate, or, where the order reverses the axis, its coordinate + 1 to
    the size. All orders dispatch these first. CTAs take tiles in the order where each has
    one, or where they take them from a counter (`dynamic`); with a number of CTAs that take
    theirs in turn one of these may wait for tiles of another that has not started. Streams
    around it go forwards, as places do.

    Example: `attn.await_progress %progress[%batch, %kv_head] from %c0 to %key at %place : <?x8x?xi32>`
  }];
  let arguments = (ins Attn_ViewType:$progress, Variadic<Index>:$offsets,
                       Index:$from, Index:$to, Index:$place);
  let assemblyFormat = [{
    $progress `[` $offsets `]` `from` $from `to` $to `at` $place attr-dict `:`
    type($progress)
  }];
  let hasVerifier = 1;
}

#endif // ATTN_KERNEL_OPS
