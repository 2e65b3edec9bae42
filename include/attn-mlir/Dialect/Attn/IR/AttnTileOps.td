//===- AttnTileOps.td - Level 2: how it is scheduled --------*- tablegen -*-===//

#ifndef ATTN_TILE_OPS
#define ATTN_TILE_OPS

include "attn-mlir/Dialect/Attn/IR/AttnAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

def Attn_TileFloat : AnyTypeOf<[F16, BF16, F32]>;
class Attn_TileOf<list<Type> elements>
    : RankedTensorOf<elements, [HasStaticShapePred], "tile">;
class Attn_TileOfRank<list<Type> elements, int rank>
    : RankedTensorOf<elements, [HasStaticShapePred, HasAnyRankOfPred<[rank]>],
                     "tile of rank " # rank>;
def Attn_Tile : Attn_TileOf<[Attn_TileFloat]>;
def Attn_Tile2D : Attn_TileOfRank<[Attn_TileFloat], 2>;
def Attn_AccTile : Attn_TileOfRank<[F32], 2>;
def Attn_RowTile : Attn_TileOfRank<[F32], 1>;

//===----------------------------------------------------------------------===//
// The seam to level 1
//===----------------------------------------------------------------------===//

def Attn_LaunchOp : Attn_Op<"launch", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs a kernel on tensors or buffers";
  let description = [{
    Destination style: the kernel writes every element of `outs`. This is the
    only operation of the dialect that bufferizes; after that its operands are
    memrefs and it has no results. Operands are passed to the kernel as views,
    in order ins, outs; then come the scalars. `views` gives for each the
    permutation from the dimensions of the view to those of the operand.

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
    /// Attribute of a kernel whose consumers are to compute softmax beside
    /// products.
    static constexpr ::llvm::StringLiteral kOverlapAttr = "overlap";
    /// Attribute of a kernel whose warpgroups are to take turns at products.
    static constexpr ::llvm::StringLiteral kPingPongAttr = "ping_pong";
    /// Attributes for launchers: for each view the names of its dynamic
    /// dimensions and its permutation; the number of views that are written.
    static constexpr ::llvm::StringLiteral kDimNamesAttr = "dim_names";
    static constexpr ::llvm::StringLiteral kPermutationsAttr = "permutations";
    static constexpr ::llvm::StringLiteral kOutputsAttr = "outputs";
  }];
}

def Attn_ReturnOp : Attn_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "Ends a kernel";
  let assemblyFormat = "attr-dict";
}

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["StreamOp", "AttentionOp", "GridOp", "CtasOp",
                  "SpecializeOp"]>]> {
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

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

def Attn_GridOp : Attn_Op<"grid", [HasParent<"KernelOp">,
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

    `sharing` lists the axes that select the streamed data: CTAs that agree in
    them stream the same K and V.

    Tiles do not depend on each other and may run at the same time.
  }];
  let arguments = (ins Variadic<Index>:$sizes, StrArrayAttr:$axes,
    StrArrayAttr:$sharing, OptionalAttr<Attn_OrderAttr>:$order,
    DefaultValuedAttr<I64Attr, "1">:$run, UnitAttr:$folded,
    OptionalAttr<I64Attr>:$persistent);
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
    arithmetic in the body.
  }];
  let arguments = (ins Index:$count);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getCta() { return getBody().getArgument(0); }
  }];
}

def Attn_InStepOp : Attn_Op<"in_step", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits, for a while, until other CTAs have got as far";
  let description = [{
    A hint for persistent grids: where `all` holds, which says that every CTA
    makes this visit, the CTA waits until the others have reached theirs, or a
    bounded time has passed. Nothing may depend on it.

    Example: `attn.in_step %all`
  }];
  let arguments = (ins I1:$all);
  let assemblyFormat = "$all attr-dict";
}

//===----------------------------------------------------------------------===//
// The stream
//===----------------------------------------------------------------------===//

def Attn_StreamOp : Attn_Op<"stream", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Folds the tiles of a streamed axis into carried state";
  let description = [{
    Visits the positions lo, lo + step, ... < hi of every segment, in the order
    listed. `reverse %r` with %r = true reverses both the list of segments and
    each segment. In the segments marked `masked`, `attn.mask` applies; in the
    others it is the identity. The body's arguments are the position and the
    carried values, of which it yields the next ones. `ordered` marks a fold
    whose tiles must not be reordered.

    *Level 3.* `produce (%p) { ... }` fills rings for position p. It runs ahead of the
    body, for a ring of n stages by n - 1 visits (for one stage: just before the
    body waits), and in the same order. What it holds for one ring must not
    depend on what it holds for another.

    Example:

    ```mlir
    %m, %l, %acc = attn.stream %j step 64 reverse %odd
        over [%c0 to %full, masked %full to %end]
        carry (%mi = %m0, %li = %l0, %ai = %a0 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
      ...
      attn.yield %mn, %ln, %an : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$lowers, Variadic<Index>:$uppers,
    Variadic<AnyType>:$inits, Optional<I1>:$reverse, DenseBoolArrayAttr:$masked,
    I64Attr:$step, UnitAttr:$ordered);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$producer);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getPosition() { return getBody().getArgument(0); }
    /// The block that fills rings, or null.
    ::mlir::Block *getProducerBlock() {
      return getProducer().empty() ? nullptr : &getProducer().front();
    }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().drop_front();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Attn_LoadOp : Attn_Op<"load", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile of a view";
  let description = [{
    The tile spans the last dimensions of the view, starting at `offsets` (one for
    each dimension of the view); leading dimensions that the tile lacks have
    size 1. Elements outside of the view are zero, never a neighbour's.

    Example: `%t = attn.load %k[%b, %g, %j, %c0] : !attn.view<?x8x?x128xbf16> -> tensor<64x128xbf16>`
  }];
  let arguments = (ins Attn_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs Attn_Tile:$tile);
  let assemblyFormat = [{
    $view `[` $offsets `]` attr-dict `:` type($view) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def Attn_StoreOp : Attn_Op<"store", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile to a view";
  let description = [{
    As `attn.load`; elements outside of the view are not written.

    *Level 3.* `through %t` names a tile in shared memory whose contents are no longer
    wanted: the CTA may rearrange the stored tile there, to write whole rows. With
    `by_tensor_map` the tensor memory accelerator writes them from there (PTX ISA,
    "cp.async.bulk.tensor"); the memory has been read when the operation ends.
  }];
  let arguments = (ins Attn_Tile:$tile, Attn_ViewType:$view,
                       Variadic<Index>:$offsets, Optional<Attn_Tile>:$scratch,
                       UnitAttr:$by_tensor_map);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` (`through` $scratch^ `(` type($scratch) `)`)?
    (`by_tensor_map` $by_tensor_map^)? attr-dict `:` type($tile) `->` type($view)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$tile, "::mlir::Value":$view,
                                 "::mlir::ValueRange":$offsets), [{
    build($_builder, $_state, tile, view, offsets, ::mlir::Value(), false);
  }]>];
  let hasVerifier = 1;
}

def Attn_TouchOp : Attn_Op<"touch", [MemoryEffects<[MemWrite]>]> {
  let summary = "Reports an access to a tile, instead of doing it";
  let description = [{
    What is left of a load or store in a trace (`attn-trace`): which CTA
    accesses which tile of which view. The bytes reported are those inside of
    the view.
  }];
  let arguments = (ins Attn_AccessKind:$kind, Index:$cta, Attn_ViewType:$view,
    Variadic<Index>:$offsets, DenseI64ArrayAttr:$tile);
  let assemblyFormat = [{
    $kind $view `[` $offsets `]` `tile` $tile `by` $cta attr-dict `:` type($view)
  }];
  let hasVerifier = 1;
}

def Attn_DotOp : Attn_Op<"dot", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product of tiles, added to an accumulator";
  let description = [{
    result = acc + lhs x rhs, or acc + lhs x rhs^T with `transpose_rhs`, with
    f32 accumulation. `prioritized`, a hint: warps that are at it go before others
    of their scheduler (attn-prioritize-products).

    Example: `%s = attn.dot %q, %k, %zero transpose_rhs : tensor<128x64xbf16>, tensor<32x64xbf16> into tensor<128x32xf32>`
  }];
  let arguments = (ins Attn_Tile2D:$lhs, Attn_Tile2D:$rhs, Attn_AccTile:$acc,
                       UnitAttr:$transpose_rhs, UnitAttr:$prioritized);
  let results = (outs Attn_AccTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`transpose_rhs` $transpose_rhs^)?
    (`prioritized` $prioritized^)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($result)
  }];
  let hasVerifier = 1;
}

def Attn_ReduceOp : Attn_Op<"reduce", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Reduces each row of a tile";
  let description = [{
    Example: `%m = attn.reduce max %s : tensor<128x64xf32>` gives a tensor<128xf32>.
  }];
  let arguments = (ins Attn_ReduceKind:$kind, Attn_AccTile:$tile);
  let results = (outs Attn_RowTile:$result);
  let assemblyFormat = "$kind $tile attr-dict `:` type($tile)";
  let extraClassDeclaration = [{
    /// The type of one value a row of `tile`.
    static ::mlir::RankedTensorType rowsOf(::mlir::RankedTensorType tile);
  }];
}

def Attn_AnyOp : Attn_Op<"any", [Pure]> {
  let summary = "Whether any element of a tile is true";
  let description = [{
    *Level 3.* The threads of a warp agree, and answer for the rows that the warp holds:
    what depends on it must be right for a part of the tile's rows, and must not wait for
    other warps.

    Example: `%b = attn.any %c : tensor<128x4xi1>`
  }];
  let arguments = (ins Attn_TileOf<[I1]>:$tile);
  let results = (outs I1:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

def Attn_BroadcastOp : Attn_Op<"broadcast", [Pure]> {
  let summary = "Repeats one value a row along the row";
  let description = [{
    Example: `%b = attn.broadcast %m : tensor<128xf32> to tensor<128x64xf32>`
  }];
  let arguments = (ins Attn_RowTile:$rows);
  let results = (outs Attn_AccTile:$tile);
  let assemblyFormat = "$rows attr-dict `:` type($rows) `to` type($tile)";
  let hasVerifier = 1;
}

def Attn_AdvanceOp : Attn_Op<"advance", [Pure,
    AllTypesMatch<["maximum", "factorBefore", "referenceBefore", "factor",
                   "reference", "rescale"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Advances what the exponentials of a row are relative to";
  let description = [{
    Weights of a softmax are relative to a number that rises with the largest score of the row.
    Where `scale` (s) brings scores to natural units, that of a score x is

        w(x) = exp2(fma(x, factor, -reference)) = exp((x - M) s) 2^d, |d| <= 8

    with M the largest score so far, and d the same for the whole row. This operation takes the
    largest of more scores, `maximum`, gives the factor and the reference that are right
    from here on, and `rescale`, by which sums of weights relative to those before are
    multiplied. Where no maximum is larger, both stay, and `rescale` is 1.

    - Where |M| s log2(e) < 2^28: factor = s log2(e) = c, reference = fl(M c), of which the rounding
      is d: the plain formula.
    - Elsewhere fl(M c) is off by more than exp2 takes. There the factor is a power of two near c and
      the reference M times that, exactly. Scores that differ lie more than 16 binades apart
      there, so that all but those that equal M have (next to) no weight in either unit.

    A row that has seen nothing has getInitial(). A maximum of -inf changes nothing, one of
    +inf, or NaN, gives NaN. The logarithm of a sum l of exponentials, of which the weights add
    up to w, is ln(w) + reference s / factor.

    Example: `%k, %r, %a = attn.advance %max from %k0, %r0 scale(0.125) : tensor<128xf32>`
  }];
  let arguments = (ins Attn_RowTile:$maximum, Attn_RowTile:$factorBefore,
                       Attn_RowTile:$referenceBefore, F32Attr:$scale);
  let results = (outs Attn_RowTile:$factor, Attn_RowTile:$reference,
                      Attn_RowTile:$rescale);
  let assemblyFormat = [{
    $maximum `from` $factorBefore `,` $referenceBefore `scale` `(` $scale `)` attr-dict
    `:` type($maximum)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Factor and reference of a row that has seen no score: below every finite one.
    static std::pair<float, float> getInitial(float scale);
    /// Whether a scale is one that this operation takes: positive, and far enough
    /// from the limits of f32.
    static bool isValidScale(float scale);
    /// Builds what it computes in `arith` and `math`, without a branch.
    ::llvm::SmallVector<::mlir::Value> decompose(::mlir::OpBuilder &b);
    /// Builds what it computes for rows that are plain before and after: the factor
    /// stays, the reference is the larger of the one before and maximum * factor.
    ::llvm::SmallVector<::mlir::Value> decomposePlain(::mlir::OpBuilder &b);
    /// Which rows are not, for the reference that decomposePlain gives.
    ::mlir::Value buildIsNotPlain(::mlir::OpBuilder &b, ::mlir::Value reference);
  }];
}

def Attn_IotaOp : Attn_Op<"iota", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Index of each element along one dimension of a tile";
  let description = [{
    Element x of the result is `start` plus the coordinate of x in dimension
    `dim`.

    Example: `%rows = attn.iota 0 from %i : tensor<128x64xindex>`
  }];
  let arguments = (ins I64Attr:$dim, Index:$start);
  let results = (outs Attn_TileOf<[Index]>:$tile);
  let assemblyFormat = "$dim `from` $start attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Attn_MaskOp : Attn_Op<"mask", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    AllTypesMatch<["scores", "result"]>,
    TypesMatchWith<"keep is an i1 for each score", "scores", "keep",
      "::llvm::cast<::mlir::RankedTensorType>($_self).clone(::mlir::IntegerType::get($_ctxt, 1))">]> {
  let summary = "Removes scores, in the masked segments of a stream";
  let description = [{
    In a masked segment, scores whose `keep` is false become -inf. In an
    unmasked segment every score stays, and `keep` is not evaluated.

    Example: `%t = attn.mask %s keep %p : tensor<128x64xf32>`
  }];
  let arguments = (ins Attn_AccTile:$scores, Attn_TileOf<[I1]>:$keep);
  let results = (outs Attn_AccTile:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$scores `keep` $keep attr-dict `:` type($scores)";
}

#endif // ATTN_TILE_OPS
