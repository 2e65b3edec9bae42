//===- AttnGradientOps.td - Level 1: gradients of attention -*- tablegen -*-===//

#ifndef ATTN_GRADIENT_OPS
#define ATTN_GRADIENT_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_GradientFloat : AnyTypeOf<[F16, BF16, F32]>;
def Attn_GradientTensor : RankedTensorOf<[Attn_GradientFloat]>;
def Attn_RowTensor : RankedTensorOf<[F32]>;

/// Where packed sequences lie, which blocks are streamed, and what regions capture.
defvar sequenceOperands = (ins Optional<RankedTensorOf<[I32, I64]>>:$queryOffsets,
  Optional<RankedTensorOf<[I32, I64]>>:$keyOffsets);
defvar blockOperands = (ins Variadic<RankedTensorOf<[I32, I64]>>:$blocks);
defvar captureOperands = (ins Variadic<Attn_Capture>:$captures);
defvar gradientOperands = !con(sequenceOperands, blockOperands, captureOperands);

defvar blockAttributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$blockSize);
defvar gradientAttributes = (ins OptionalAttr<Attn_MaskInterface>:$mask, F32Attr:$scale,
  DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout);

/// What all gradients of attention have.
class Attn_GradientOp<string mnemonic, list<Trait> traits>
    : Attn_Op<mnemonic, !listconcat([Pure, IsolatedFromAbove], traits)> {
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$keep);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Attn_AttentionBackwardOp : Attn_GradientOp<"attention_backward",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Attn_CompositeOpInterface>]> {
  let summary = "Gradients of attention with respect to query, key and value";
  let description = [{
    With the names of `attn.attention`, for a function L of its output O whose gradient is
    dO, and h a query head of KV head g:

        P[i,j]   = exp(s[i,j] - LSE[i]) for the keys j that query i attends to, else 0
        delta[i] = sum_d dO[i,d] O[i,d]
        dP[i,j]  = sum_d dO[i,d] V[j,d]
        dX[i,j]  = P[i,j] (dP[i,j] - delta[i]) mod'(scale * sum_d Q[i,d] K[j,d])
        dQ[i,:]  = scale * sum_j dX[i,j] K[j,:]
        dK[j,:]  = scale * sum_h sum_i dX[i,j] Q[i,:]
        dV[j,:]  = sum_h sum_i P[i,j] dO[i,:]

    mod' is the derivative of the score modification with respect to the score, 1 without
    one. It is made from the region by rules (docs/backward.md); an operation that depends on
    the score and has none is refused.

    Shapes: Q, K, V, O and LSE as those of `attn.attention`, dO as O; dQ, dK and dV as Q, K
    and V. Element types f16, bf16 or f32, the same for Q, K, V and dO; O, dQ, dK and dV have
    it too, or f32; LSE is f32. Captures come after the indices of a region: scalars, and tensors
    of which `attn.gather` reads elements, as in `attn.attention`.

    *Ragged batches.* `cu_seqlens_q` and `cu_seqlens_k` as in `attn.attention`: O, dO, LSE and dQ
    are packed as Q is, dK and dV as K and V. Gradients of what is of no sequence are not written.

    *Blocks.* `blocks<128, 64>(%n, %i, %fn, %fi) by_keys(%qn, %qi, %fqn, %fqi)`: the lists of
    `attn.attention`, by which dQ is computed, and the same blocks listed the other way round, by which dK and dV
    are: of each row of blocks of keys, of 64, the numbers of blocks of queries, of 128. They are [B,Hkv,rows] and
    [B,Hkv,rows,n], B and Hkv may be 1: all query heads of a KV head have the same blocks. Of what is within a full block that reaches behind the
    last query or key, masks say what the list does. Gradients are not defined where the two do not
    list the same blocks. Not with `cu_seqlens_q`, `cu_seqlens_k` or `of`.

    *Gradients of LSE.* Where L depends on LSE, too, `lse_gradient` is dLSE, [B,H,Sq]: dLSE[i] P[i,j] comes to
    dX[i,j] before mod', so that delta[i] becomes delta[i] - dLSE[i].

    *Gradients of captures.* `of([n, ...])` asks for those of captures, by their numbers, as results behind dV. A
    region reads c of a capture for a pair, and yields y:

        dC[b,h,i,j] = P[b,h,i,j] (dP[b,h,i,j] - delta[b,h,i]) dy/dc

    Results are [B,H,Sq,Skv], of f32 or the element type of Q. Where a dimension is 1, dC is summed over it:
    a bias [1,H,Sq,Skv] that is read at [0,h,i,j] has a gradient of its own shape. Sums over keys have no last
    dimension, [B,H,Sq], such as that of a slope of a head, whose sum over queries is left to do. Queries and keys are not summed over both.
    Of packed sequences results lie as what they are along does: [1,H,Sq] as packed queries, [1,H,1,Skv] as packed keys. One of queries and
    keys is summed over then, and batches are not.

    *Edges.* A query that attends to nothing has an LSE of -inf: it adds nothing, and its
    gradient is 0. No keys, or no queries: gradients of 0. With sinks LSE takes part in them,
    and these gradients are right as they are; those of the sinks are not computed.

    *Rounding.* P and dX are rounded to the element type of dO and Q before they are multiplied,
    and sums are f32, rounded once.

    It is a program of three operations, which `attn-expand` makes of it, in the form that the
    field `form` of its schedule says:

    - `two_kernels`, the default: `attn.row_dot`, `attn.attention_backward_query` and
      `attn.attention_backward_key`. Results do not depend on how the work falls on a device:
      nothing is added by several CTAs.
    - `fused`: `attn.row_dot`, `attn.attention_backward_fused` and `attn.sum_parts`. Five products
      a tile of pairs, not seven; CTAs add to dQ in f32, in any order.
    - `ordered`: the same, but CTAs add to dQ one after the other: each launch has the same bits.

    Example:

    ```mlir
    %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse
        mask(#attn.causal<bottom_right>) scale(0.0883883461)
        : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>,
           tensor<?x32x?x128xbf16>, tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
        -> (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
    ```
  }];
  let arguments = !con((ins Attn_GradientTensor:$query, Attn_GradientTensor:$key,
    Attn_GradientTensor:$value, Attn_GradientTensor:$output,
    Attn_GradientTensor:$output_gradient, Attn_RowTensor:$lse,
    Optional<Attn_RowTensor>:$lse_gradient), sequenceOperands, blockOperands,
    (ins Variadic<RankedTensorOf<[I32, I64]>>:$keyBlocks), captureOperands, gradientAttributes,
    (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$of), blockAttributes);
  let results = (outs Attn_GradientTensor:$query_gradient,
    Attn_GradientTensor:$key_gradient, Attn_GradientTensor:$value_gradient,
    Variadic<Attn_GradientTensor>:$capture_gradients);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $output_gradient `,` $lse
    (`lse_gradient` `(` $lse_gradient^ `)`)?
    (`mask` `(` $mask^ `)`)? `scale` `(` $scale `)` (`layout` `(` $layout^ `)`)?
    (`cu_seqlens_q` `(` $queryOffsets^ `)`)? (`cu_seqlens_k` `(` $keyOffsets^ `)`)?
    (`blocks` `` custom<BlockSize>($blockSize) `` `(` $blocks^ `)` `by_keys` `(` $keyBlocks `)`)?
    (`captures` `(` $captures^ `)`)? (`of` `(` $of^ `)`)? custom<GradientRegions>($score, $keep)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Attn_RowDotOp : Attn_Op<"row_dot", [
    Pure, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getViewPermutations", "getFoldTemporaries", "readsElements", "getTailViews"]>]> {
  let summary = "Scalar product of each two rows";
  let description = [{
    R[b,h,i] = sum_d X[b,h,i,d] Y[b,h,i,d] in f32, of X and Y [B,H,S,D] (`layout(bshd)`: the
    sequence before the head). It streams d, in any order.

    Of rows that are `packed`, those of all sequences, B is 1.

    From it is taken `minus` [B,H,S], where there is one.

    A second result [1,B,H,S,E] is zeros, for what follows to add to
    (`attn.attention_backward_fused`).

    Example: `%r = attn.row_dot %o, %do : (tensor<?x32x?x128xbf16>, tensor<?x32x?x128xbf16>) -> tensor<?x32x?xf32>`
  }];
  let arguments = (ins Attn_GradientTensor:$lhs, Attn_GradientTensor:$rhs,
    Optional<Attn_RowTensor>:$minus, DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout,
    UnitAttr:$packed);
  let results = (outs Attn_RowTensor:$result, Optional<Attn_RowTensor>:$zeros);
  let assemblyFormat = [{
    $lhs `,` $rhs (`minus` `(` $minus^ `)`)? (`layout` `(` $layout^ `)`)? (`packed` $packed^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_SumPartsOp : Attn_Op<"sum_parts", [
    Pure, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getViewPermutations"]>]> {
  let summary = "The sum of parts, times a number";
  let description = [{
    R[b,h,i,d] = scale * sum_p X[p,b,h,i,d], of X [parts,B,H,S,D] in f32; R has the order of
    `layout`. It streams parts, in any order. Of rows that are `packed`, those of all sequences,
    B is 1.

    Example: `%dq = attn.sum_parts %sums scale(0.125) : tensor<1x?x32x?x128xf32> -> tensor<?x32x?x128xbf16>`
  }];
  let arguments = (ins Attn_RowTensor:$parts, F32Attr:$scale,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout,
    UnitAttr:$packed);
  let results = (outs Attn_GradientTensor:$result);
  let assemblyFormat = [{
    $parts `scale` `(` $scale `)` (`layout` `(` $layout^ `)`)? (`packed` $packed^)? attr-dict `:`
    type($parts) `->` type($result)
  }];
  let hasVerifier = 1;
}

/// One of the two kernels: from Q, K, V, dO, LSE and delta.
class Attn_GradientPartOp<string mnemonic> : Attn_GradientOp<mnemonic,
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getScalarCaptures", "getViewPermutations", "getFoldTemporaries",
       "isOfColumns", "readsElements", "getPackedAxes", "wantsZerosBehind",
       "buildTraversal"]>]> {
  let arguments = !con((ins Attn_GradientTensor:$query, Attn_GradientTensor:$key,
    Attn_GradientTensor:$value, Attn_GradientTensor:$output_gradient,
    Attn_RowTensor:$lse, Attn_RowTensor:$delta), gradientOperands, gradientAttributes, blockAttributes);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output_gradient `,` $lse `,` $delta
    (`mask` `(` $mask^ `)`)? `scale` `(` $scale `)` (`layout` `(` $layout^ `)`)?
    (`cu_seqlens_q` `(` $queryOffsets^ `)`)? (`cu_seqlens_k` `(` $keyOffsets^ `)`)?
    (`blocks` `` custom<BlockSize>($blockSize) `` `(` $blocks^ `)`)?
    (`captures` `(` $captures^ `)`)? custom<GradientRegions>($score, $keep)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Attn_AttentionBackwardQueryOp : Attn_GradientPartOp<"attention_backward_query"> {
  let summary = "Gradient of attention with respect to the query";
  let description = [{
    dQ of `attn.attention_backward`, from LSE and delta. It groups queries and streams keys.
  }];
  let results = (outs Attn_GradientTensor:$query_gradient);
}

def Attn_AttentionBackwardKeyOp : Attn_GradientPartOp<"attention_backward_key"> {
  let summary = "Gradients of attention with respect to key and value";
  let description = [{
    dK and dV of `attn.attention_backward`, from LSE and delta. It groups keys and streams the query
    heads of their KV head, and of each the queries.
  }];
  let results = (outs Attn_GradientTensor:$key_gradient,
                      Attn_GradientTensor:$value_gradient);
}

def Attn_AttentionBackwardFusedOp : Attn_GradientOp<"attention_backward_fused",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getScalarCaptures", "getViewPermutations", "getFoldTemporaries",
       "isOfColumns", "readsElements", "getPackedAxes", "wantsZerosBehind",
       "getContributions", "buildTraversal"]>]> {
  let summary = "Gradients of attention with respect to key, value and query at once";
  let description = [{
    dK and dV as `attn.attention_backward_key` computes them, and `sum` [1,B,H,S,D] plus dQ
    without the scale, in f32: each tile of pairs contributes the product of its dX with its
    keys. Where `sum` is zeros, `attn.sum_parts` makes dQ of it. `ordered`: contributions to a row are
    added in an order that does not change from launch to launch.
  }];
  let arguments = !con((ins Attn_GradientTensor:$query, Attn_GradientTensor:$key,
    Attn_GradientTensor:$value, Attn_GradientTensor:$output_gradient,
    Attn_RowTensor:$lse, Attn_RowTensor:$delta, Attn_RowTensor:$sum), gradientOperands,
    gradientAttributes, (ins UnitAttr:$ordered), blockAttributes);
  let results = (outs Attn_GradientTensor:$key_gradient,
                      Attn_GradientTensor:$value_gradient, Attn_RowTensor:$query_sum);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output_gradient `,` $lse `,` $delta `,` $sum
    (`mask` `(` $mask^ `)`)? `scale` `(` $scale `)` (`layout` `(` $layout^ `)`)? (`ordered` $ordered^)?
    (`cu_seqlens_q` `(` $queryOffsets^ `)`)? (`cu_seqlens_k` `(` $keyOffsets^ `)`)?
    (`blocks` `` custom<BlockSize>($blockSize) `` `(` $blocks^ `)`)?
    (`captures` `(` $captures^ `)`)? custom<GradientRegions>($score, $keep)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Attn_AttentionBackwardCaptureOp : Attn_GradientOp<"attention_backward_capture",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getScalarCaptures", "getViewPermutations", "getFoldTemporaries",
       "isOfColumns", "readsElements", "getPackedAxes", "wantsZerosBehind",
       "loadsStepsAhead"]>]> {
  let summary = "Gradient of attention with respect to what its regions capture";
  let description = [{
    A gradient of a capture of `attn.attention_backward`, `of` the capture of that number, from
    LSE and delta. Where neither queries nor keys are summed over, it groups both, and streams
    batches and heads that are: one CTA adds all of a tile, in one order. Else it groups one and streams
    the other.
  }];
  let arguments = !con((ins Attn_GradientTensor:$query, Attn_GradientTensor:$key,
    Attn_GradientTensor:$value, Attn_GradientTensor:$output_gradient,
    Attn_RowTensor:$lse, Attn_RowTensor:$delta), sequenceOperands, captureOperands, gradientAttributes,
    (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$of));
  let results = (outs Attn_GradientTensor:$capture_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output_gradient `,` $lse `,` $delta
    (`mask` `(` $mask^ `)`)? `scale` `(` $scale `)` (`layout` `(` $layout^ `)`)?
    (`cu_seqlens_q` `(` $queryOffsets^ `)`)? (`cu_seqlens_k` `(` $keyOffsets^ `)`)?
    `captures` `(` $captures `)` `of` `(` $of `)` custom<GradientRegions>($score, $keep)
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// There are never lists of blocks.
    ::mlir::OperandRange getBlocks() { return getOperation()->getOperands().take_front(0); }
    ::llvm::ArrayRef<int64_t> getBlockSize() { return {}; }
  }];
}

#endif // ATTN_GRADIENT_OPS
