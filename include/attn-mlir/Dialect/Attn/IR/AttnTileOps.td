//===- AttnTileOps.td - Level 2: tiles ---------------------*- tablegen -*-===//

#ifndef ATTN_TILE_OPS
#define ATTN_TILE_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "attn-mlir/Dialect/Attn/IR/AttnUnits.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_LoadOp : Attn_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile of a view";
  let description = [{
    The tile spans the last dimensions of the view, starting at `offsets` (one for
    each dimension of the view); leading dimensions that the tile lacks have
    size 1. Elements outside of the view are zero, never a neighbour's.

    `until %n` takes the view for one of n elements along the first dimension that
    the tile has, where that is less: elements from there on are zero whatever the
    memory holds. In a stream it acts in masked segments only, as `attn.mask` does:
    others end before.

    `then [%p, ...]`: the rows of the tile are as many equal blocks as there are
    numbers here, and one. Each is from the same offsets on, but for the first:
    that of the first block is in `offsets`, those of the others are these. `until`
    counts the rows of the tile, from its row in `offsets` on.

    Example: `%t = attn.load %k[%b, %g, %j, %c0] : !attn.view<?x8x?x128xbf16> -> tensor<64x128xbf16>`
  }];
  let arguments = (ins Attn_ViewType:$view, Variadic<Index>:$offsets,
                       Variadic<Index>:$blocks, Optional<Index>:$until);
  let results = (outs Attn_Tile:$tile);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`then` ` ` `[` $blocks^ `]`)? (`until` $until^)? attr-dict
    `:` type($view) `->` type($tile)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$tile, "::mlir::Value":$view,
                                 "::mlir::ValueRange":$offsets), [{
    build($_builder, $_state, tile, view, offsets, ::mlir::ValueRange(), ::mlir::Value());
  }]>];
  let extraClassDeclaration = [{
    /// Rows of each block that `then` makes of the tile; all without.
    int64_t getBlockRows() {
      return ::llvm::cast<::mlir::ShapedType>(getTile().getType()).getDimSize(0) /
             static_cast<int64_t>(getBlocks().size() + 1);
    }
  }];
  let hasVerifier = 1;
}

def Attn_StoreOp : Attn_Op<"store", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile to a view";
  let description = [{
    As `attn.load`; elements outside of the view are not written, and none from
    `until` on along the first dimension that the tile has.

    *Level 3.* `through %t` names a tile in shared memory whose contents are no longer
    wanted: the CTA may rearrange the stored tile there, to write whole rows. With
    `by_tensor_map` the tensor memory accelerator writes them from there (PTX ISA,
    "cp.async.bulk.tensor"); the memory has been read when the operation ends.
  }];
  let arguments = (ins Attn_Tile:$tile, Attn_ViewType:$view,
                       Variadic<Index>:$offsets, Optional<Index>:$until,
                       Optional<Attn_Tile>:$scratch, UnitAttr:$by_tensor_map);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` (`until` $until^)? (`through` $scratch^ `(` type($scratch) `)`)?
    (`by_tensor_map` $by_tensor_map^)? attr-dict `:` type($tile) `->` type($view)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$tile, "::mlir::Value":$view,
                                 "::mlir::ValueRange":$offsets), [{
    build($_builder, $_state, tile, view, offsets, ::mlir::Value(),
          ::mlir::Value(), false);
  }]>];
  let hasVerifier = 1;
}

def Attn_AccumulateOp : Attn_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Adds a tile to a view";
  let description = [{
    Adds the elements of a tile of f32 to those of a view that other CTAs add to at the same
    time: a sum of contributions, of which each tile of a grid has some. Places are those of
    `attn.store`; nothing is added outside of the view.

    `atomic`: each element is added at once, in any order, so that sums of three or more are
    rounded in an order that launches do not repeat. What the view holds when the launch
    begins is part of the sum.

    `ordered`: those who add to an element do so one after the other, in the order of the tiles of
    the grid, since each waits for the tiles in front of it (`attn.await_progress`, which stands before it in
    its block).

    *Level 3.* A tile in shared memory, which lies in a ring (`attn.ring.wait`), is added by a copy
    of one thread (PTX ISA, "cp.reduce.async.bulk.tensor"); the memory has been read when the
    operation ends.

    Example: `attn.accumulate %t, %sum[%b, %h, %i, %c0] atomic : tensor<64x128xf32> -> !attn.view<?x32x?x128xf32>`
  }];
  let arguments = (ins Attn_AccTile:$tile, Attn_ViewType:$view,
                       Variadic<Index>:$offsets, UnitAttr:$ordered);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` (`ordered` $ordered^) : (`atomic`)? attr-dict `:` type($tile) `->` type($view)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the tile lies in shared memory.
    bool isOutOfRing();
  }];
}

def Attn_StoreColumnsOp : Attn_Op<"store_columns", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores the rows of a tile as interleaved columns of a view";
  let description = [{
    Element (i, j) of the tile goes to the last two dimensions of the view at offsets of
    j and of the place of i: in the order of `attn.interleave`, of which each 16 rows are
    a group. Elements outside of the view are not written. The last offset is a multiple
    of 16, and so is the last size of the view: a group lies in it as a whole.

    *Level 3.* A thread has 16 x 16 elements, a group of rows, which it exchanges in its
    registers.

    Example: `attn.store_columns %t, %columns[%b, %h, %c0, %k] : tensor<256x128xf8E4M3FN> -> <?x8x128x?xf8E4M3FN>`
  }];
  let arguments = (ins Attn_Tile2D:$tile, Attn_ViewType:$view, Variadic<Index>:$offsets);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` attr-dict `:` type($tile) `->` type($view)
  }];
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
    f32 accumulation. `transpose_lhs` takes lhs^T in place of lhs. `prioritized`, a hint: warps that are at it go before others
    of their scheduler (attn-prioritize-products). `by` names the matrix unit that
    computes it (attn-assign-units).

    Operands are of one element type; of f16 or bf16 the right-hand side may be of FP8 (`#attn.mma_sync_widening`).

    Example: `%s = attn.dot %q, %k, %zero transpose_rhs : tensor<128x64xbf16>, tensor<32x64xbf16> into tensor<128x32xf32>`
  }];
  let arguments = (ins Attn_Tile2D:$lhs, Attn_Tile2D:$rhs, Attn_AccTile:$acc,
                       UnitAttr:$transpose_rhs, UnitAttr:$prioritized,
                       OptionalAttr<Attn_MatrixUnitInterface>:$unit,
                       UnitAttr:$transpose_lhs);
  let results = (outs Attn_AccTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)?
    (`prioritized` $prioritized^)? (`by` `(` custom<Unit>($unit)^ `)`)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Multiplications and additions.
    int64_t getNumOperations() {
      auto result = ::llvm::cast<::mlir::ShapedType>(getResult().getType());
      return 2 * result.getNumElements() * getDepth();
    }
    /// Elements that each element of the result is a sum of.
    int64_t getDepth() {
      return ::llvm::cast<::mlir::ShapedType>(getLhs().getType())
          .getDimSize(getTransposeLhs() ? 0 : 1);
    }
  }];
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

    `holds_first`: what depends on it is right if it is taken for true, and in the first
    visit of the stream around it, before which nothing is known, it is. Who sets the first
    visit apart needs no branch there.

    Example: `%b = attn.any %c holds_first : tensor<128x4xi1>`
  }];
  let arguments = (ins Attn_TileOf<[I1]>:$tile, UnitAttr:$holdsFirst);
  let results = (outs I1:$result);
  let assemblyFormat =
      "$tile (`holds_first` $holdsFirst^)? attr-dict `:` type($tile)";
}

def Attn_OftenOp : Attn_Op<"often", [Pure]> {
  let summary = "Whether many elements of a tile are true";
  let description = [{
    *Level 3.* The threads of a warpgroup agree, and answer for the rows that it holds: one
    in four of them, at least, holds an element that is true; with `once` one of them is
    enough. They wait for each other, so that all of them have to come here. In other
    layouts it is one in four elements, or one.

    Examples: `%b = attn.often %c : tensor<128xi1>`, `%b = attn.often %c once : tensor<128xi1>`
  }];
  let arguments = (ins Attn_TileOf<[I1]>:$tile, UnitAttr:$once);
  let results = (outs I1:$result);
  let assemblyFormat = "$tile (`once` $once^)? attr-dict `:` type($tile)";
  let extraClassDeclaration = [{
    /// The share that is many.
    static constexpr int64_t kMany = 1, kOf = 4;
    /// How many of so many make it true.
    int64_t enoughOf(int64_t all) {
      return getOnce() ? 1 : (all * kMany + kOf - 1) / kOf;
    }
  }];
}

def Attn_SettleOp : Attn_Op<"settle", [Pure, AllTypesMatch<["sums", "result"]>]> {
  let summary = "What says in the first visit of a stream how the others go";
  let description = [{
    Gives back `sums`. Where `peaked`, which follows from these, is true of many rows behind
    the first visit of the stream around it (`attn.often`), all later visits do best to take
    each branch that `holds_first` (`attn.any`), which is right in any visit.
    Who sets the first visit apart may go on with other code there (`attn-overlap-softmax`);
    all others pass it by. With `last` the last visits do best to take them, whatever is true.

    Example: `%l = attn.settle %sums if %peaked : tensor<128x4xf32>, tensor<128xi1>`
  }];
  let arguments = (ins Attn_ValueTile:$sums, Attn_TileOf<[I1]>:$peaked, UnitAttr:$last);
  let results = (outs Attn_ValueTile:$result);
  let assemblyFormat =
      "$sums `if` $peaked (`last` $last^)? attr-dict `:` type($sums) `,` type($peaked)";
}

def Attn_BroadcastOp : Attn_Op<"broadcast", [Pure]> {
  let summary = "Repeats one value a row along the row, or one a column down it";
  let description = [{
    From one value a row (rank 1), or from one row of values, one a column.

    Examples:

    ```mlir
    %b = attn.broadcast %m : tensor<128xf32> to tensor<128x64xf32>
    %c = attn.broadcast %n : tensor<1x64xi32> to tensor<128x64xi32>
    ```
  }];
  let arguments = (ins Attn_ValueTile:$rows);
  let results = (outs Attn_ValueTile2D:$tile);
  let assemblyFormat = "$rows attr-dict `:` type($rows) `to` type($tile)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the source has one value a column, and not one a row.
    bool isOfColumns() {
      return ::llvm::cast<::mlir::ShapedType>(getRows().getType()).getRank() == 2;
    }
  }];
}

def Attn_GatherOp : Attn_Op<"gather", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Elements of a tensor or view, wherever they lie";
  let description = [{
    One index for each dimension of the source. Outside of the source there are
    zeros, at whatever index. In a score modification or a mask region of
    `attn.attention` the source is a captured tensor and indices are scalars. In a
    kernel it is a view, which the kernel does not write, and indices may be tiles, all
    of one shape: the result is a tile with an element for each.

    Examples:

    ```mlir
    %x = attn.gather %bias[%b, %h, %i, %j] : tensor<?x32x?x?xbf16> -> bf16
    %t = attn.gather %ids[%b, %rows] : !attn.view<?x?xi32> at(index, tensor<128xindex>) -> tensor<128xi32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Attn_ViewType, Attn_ElementTensor]>:$source,
                       Variadic<AnyTypeOf<[Index, Attn_TileOf<[Index]>]>>:$indices);
  let results = (outs AnyTypeOf<[Attn_ElementType,
                                 Attn_TileOf<[Attn_ElementType]>]>:$elements);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:`
    custom<GatherTypes>(ref($indices), type($source), type($indices), type($elements))
  }];
  let hasVerifier = 1;
}

def Attn_InterleaveOp : Attn_Op<"interleave", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Permutes the columns of a tile, group by group";
  let description = [{
    Of each 16 columns, column 4 t + i of the result is column 2 t + i of the tile,
    t from 0 to 3, for i 0 or 1, and column 6 + 2 t + i for i 2 or 3: neighbours in the
    order of `values(interleaved)` (`attn.attention`).

    With `group(g)`, of each g columns, 32 or 64, column g / 4 t + 2 j + i of the result
    is column 8 j + 2 t + i of the tile, i 0 or 1: a quarter of a group is what a lane
    has of it, 8 or 16 neighbours.

    *Level 3.* A tile in the layout of an accumulator of `mma.sync` or `wgmma` becomes one
    in the layout of a left-hand side of 8-bit elements, or one of whose rows a lane has
    a quarter of each group, and no element leaves its register.

    Example: `%y = attn.interleave %x : tensor<128x64xf32> to tensor<128x64xf32>`
  }];
  let arguments = (ins Attn_Tile2D:$tile, DefaultValuedAttr<I64Attr, "16">:$group);
  let results = (outs Attn_Tile2D:$result);
  let assemblyFormat = "$tile (`group` `(` $group^ `)`)? attr-dict `:` type($tile) `to` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kGroup = 16, kMostGroup = 64;
    /// Lanes that share a row of a group, and columns of a block of an
    /// accumulator, of which each has two.
    static constexpr int64_t kLanes = 4, kBlock = 8;
    /// The column of the tile that column `c` of the result is.
    static int64_t sourceOf(int64_t c, int64_t group = kGroup) {
      int64_t own = group / kLanes, t = c / own % kLanes, i = c % own;
      return c / group * group + 2 * t + i % 2 + i / 2 * kBlock;
    }
  }];
}

def Attn_ArrangeOp : Attn_Op<"arrange", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Rows of a tile as interleaved columns";
  let description = [{
    Column j of the result is the row of the tile that `attn.interleave` has for column
    j: what a product takes that sums along rows of its right-hand side, as those of
    8-bit elements do on NVIDIA GPUs, with a left-hand side that is interleaved, too.

    *Level 3.* `attn.ring.arrange`, by those who copy.

    Example: `%c = attn.arrange %v : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>`
  }];
  let arguments = (ins Attn_Tile2D:$tile);
  let results = (outs Attn_Tile2D:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `to` type($result)";
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

    `steady`: the first formula alone, and the factor stays what it is from the
    start, whatever that is: for scores of which |M| s log2(e) is less than 2^24, in
    units that are not known until run time.

    A row that has seen nothing has getInitial(). A maximum of -inf changes nothing, one of
    +inf, or NaN, gives NaN. The logarithm of a sum l of exponentials, of which the weights add
    up to w, is ln(w) + reference s / factor.

    Example: `%k, %r, %a = attn.advance %max from %k0, %r0 scale(0.125) : tensor<128xf32>`
  }];
  let arguments = (ins Attn_RowTile:$maximum, Attn_RowTile:$factorBefore,
                       Attn_RowTile:$referenceBefore, F32Attr:$scale,
                       UnitAttr:$steady);
  let results = (outs Attn_RowTile:$factor, Attn_RowTile:$reference,
                      Attn_RowTile:$rescale);
  let assemblyFormat = [{
    $maximum `from` $factorBefore `,` $referenceBefore `scale` `(` $scale `)`
    (`steady` $steady^)? attr-dict
    `:` type($maximum)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Factor and reference of a row that has seen no score: below every finite one.
    static std::pair<float, float> getInitial(float scale);
    /// The two factors of rows: of scores up to 2^28 in units of base-2
    /// exponents, and of larger ones.
    static std::pair<float, float> getFactors(float scale);
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
