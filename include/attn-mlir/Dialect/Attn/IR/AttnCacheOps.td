//===- AttnCacheOps.td - Level 1: caches and FP8 -----------*- tablegen -*-===//

#ifndef ATTN_CACHE_OPS
#define ATTN_CACHE_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_TokenFloat : AnyTypeOf<[F16, BF16, F32]>;
def Attn_TokenTensor : RankedTensorOf<[Attn_TokenFloat]>;
def Attn_CacheTensor : RankedTensorOf<[Attn_TokenFloat, Attn_Float8]>;
def Attn_MeanTensor : RankedTensorOf<[F32]>;
def Attn_NumberTensor : RankedTensorOf<[I32, I64]>;

def Attn_RotateOp : Attn_Op<"rotate", [Pure]> {
  let summary = "Rotary embedding of new tokens";
  let description = [{
    X [B,H,T,D] are new tokens of B sequences, of which sequence b has n[b] already (`lengths`): token i of it is
    at place p = n[b] + i, or all of them at n[b] with `together` (FlashAttention turns the queries of a mask-free
    call so). From tables of cosines and sines [places, R/2]:

        half         Y[c]       = X[c] cos[p,c] - X[c + R/2] sin[p,c]        for c < R/2
                     Y[c + R/2] = X[c + R/2] cos[p,c] + X[c] sin[p,c]
        interleaved  Y[2c]      = X[2c] cos[p,c] - X[2c + 1] sin[p,c]
                     Y[2c + 1]  = X[2c + 1] cos[p,c] + X[2c] sin[p,c]

    in f32, rounded once; columns from R on stay what they are. R is at most D. The tables are zero at places that they do
    not have, negative ones too.

    `cu_seqlens(%c : tensor<?xi32>)` says that the tokens of all sequences lie one behind the other, as that of
    `attn.attention`: X is [1,H,T,D]. Results of tokens that belong to no sequence are not defined.

    A kernel of its own reads numbers and tables on the device: a program can turn its queries in front of attention.

    Example:

    ```mlir
    %r = attn.rotate %q at %lengths by %cos, %sin interleaved layout(bshd)
        : (tensor<?x?x32x128xbf16>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x?x32x128xbf16>
    ```
  }];
  let arguments = (ins Attn_TokenTensor:$tokens, Attn_NumberTensor:$lengths, Attn_TokenTensor:$cos,
    Attn_TokenTensor:$sin, Optional<Attn_NumberTensor>:$offsets, UnitAttr:$interleaved, UnitAttr:$together,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout);
  let results = (outs Attn_TokenTensor:$result);
  let assemblyFormat = [{
    $tokens `at` $lengths `by` $cos `,` $sin (`interleaved` $interleaved^)? (`together` $together^)?
    (`cu_seqlens` `(` $offsets^ `)`)? (`layout` `(` $layout^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_AppendCacheOp : Attn_Op<"append_cache", [Pure, AttrSizedOperandSegments]> {
  let summary = "New keys and values, written behind those that caches have";
  let description = [{
    From new K [B,H,T,Dqk] and V [B,H,T,Dv] of B sequences, of which sequence b has n[b] keys already (`lengths`), the caches
    with token i of it at place n[b] + i: caches [B,H,S,D], or with `block_table(%t : tensor<?x?xi32>)` caches of
    pages [pages,H,P,D], where that place is row (n[b] + i) mod P of page t[b, (n[b] + i) div P]. All else in the caches
    stays. A table of one column says which row of a contiguous cache each sequence has.

    The third result is how many keys each sequence has then: what `attn.attention` takes as `lengths`.

    *Bad numbers.* They are read on the device, where nobody can report an error. What has no place is left out, and
    nothing is written outside of the caches: tokens of a sequence whose n[b] is negative or above what the cache or the table's row holds, places behind
    that, and numbers of no page, wherever they point. The new length of a sequence with such an n[b] is -1, of which attention
    makes NaN.

    *Ragged.* With `cu_seqlens(%c : tensor<?xi32>)` K and V are [1,H,T,D], and sequence b has the tokens from c[b] up to
    c[b+1], of these T. Tokens of no sequence are left out; a sequence whose numbers fall, or leave the tokens, has a new length of -1.

    *Rotary embedding.* `rotary(%cos, %sin)` turns K as `attn.rotate` does, each token by its place.

    *Caches of FP8.* Elements of K and V are f16, bf16 or f32, and of the caches the same, or one type of FP8 that the target converts to. With
    `k_scale(%s)` and `v_scale(%s)`, f32 [B,H] of which either may be 1, caches hold what is to be multiplied by s[b,h]: tokens in f32, turned where they
    are to be, are divided by it and rounded once, to the nearest, ties to even; what is beyond the largest number, an infinity too, becomes that, and NaN stays. They are those of
    `attn.attention`, which reads such caches. (Tokens that are of FP8 already may be taken as rows of four bytes for rows of f32: nothing is computed of them.)

    `layout` is that of K and V, `cache_layout` that of the caches, where it is another; Dqk and Dv are 1 to 256.

    It is a kernel of its own: a program can append in front of attention, which reads what is written.

    Example:

    ```mlir
    %kc, %vc, %n = attn.append_cache %k, %v to %k_pages, %v_pages at %lengths block_table(%t) layout(bshd)
        : (tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x64x8x128xbf16>, tensor<?x64x8x128xbf16>, tensor<?xi32>, tensor<?x?xi32>)
        -> (tensor<?x64x8x128xbf16>, tensor<?x64x8x128xbf16>, tensor<?xi32>)
    ```
  }];
  let arguments = (ins Attn_TokenTensor:$key, Attn_TokenTensor:$value, Attn_CacheTensor:$keyCache,
    Attn_CacheTensor:$valueCache, Attn_NumberTensor:$lengths, Optional<Attn_NumberTensor>:$blockTable,
    Optional<Attn_NumberTensor>:$offsets, Optional<Attn_TokenTensor>:$cos, Optional<Attn_TokenTensor>:$sin,
    Optional<Attn_ScaleTensor>:$keyScale, Optional<Attn_ScaleTensor>:$valueScale,
    UnitAttr:$interleaved,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout,
    OptionalAttr<Attn_TensorLayout>:$cacheLayout);
  let results = (outs Attn_CacheTensor:$newKeyCache, Attn_CacheTensor:$newValueCache, Attn_NumberTensor:$newLengths);
  let assemblyFormat = [{
    $key `,` $value `to` $keyCache `,` $valueCache `at` $lengths (`block_table` `(` $blockTable^ `)`)?
    (`cu_seqlens` `(` $offsets^ `)`)? (`rotary` `(` $cos^ `,` $sin `)`)? (`interleaved` $interleaved^)?
    (`k_scale` `(` $keyScale^ `)`)? (`v_scale` `(` $valueScale^ `)`)?
    (`layout` `(` $layout^ `)`)? (`cache_layout` `(` $cacheLayout^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The step that kernels of the operations of this file are.
    static constexpr ::llvm::StringLiteral kStep = "append";
    ::attn::TensorLayout getLayoutOfCache() { return getCacheLayout().value_or(getLayout()); }
  }];
}

def Attn_QuantizeOp : Attn_Op<"quantize", [Pure]> {
  let summary = "Numbers of FP8 and their scales, from wider numbers";
  let description = [{
    From X [B,H,S,D] in `layout`, numbers of FP8 of the same shape and one scale for each batch and head, as
    `attn.attention` takes them: with y the rows of X,

        scale[b,h] = max |y[b,h,:,:]| / L
        Q[b,h,i,d] = y[b,h,i,d] / scale[b,h]

    where L is the largest finite number of the type. y is computed in f32, multiplied by the reciprocal of the scale and rounded
    once, to the nearest, ties to even; what is then beyond L becomes L. Scales are f32 [B,G]: of G heads, a divisor of H, each is
    for H / G neighbours, so that queries have one for each head of keys. D is a multiple of 16 up to 256; B and S may be dynamic.

    *Scales of blocks.* With `scale_block(64)` scales are [B,G,ceil(S / 64)]: number i div 64 of a head is that of row i. Blocks are
    a power of two of rows, 32 or more, as `attn.attention` takes them.

    *Centered.* With `centered` the rows of each batch and head are less their mean, before all else. It is a third result, f32 [B,H,D]:

        mean[b,h,d] = sum over i of X[b,h,i,d] / S

    Softmax does not change where every key of a head is less one vector: all scores of a row are less one number, and O of attention
    stays. LSE of K itself is that of attention plus scale q . mean. Keys of models have large means of columns, which would make scales
    large. Means are sums in f32 of what is divided by S, of no rows 0. They are in the columns of X where rows are rotated, too.

    *Rotation.* With `rotate(%m : tensor<DxDxT>)`, T the type of X, y is `factor` times X M, summed in f32. Of an orthogonal M, Q and K rotated
    alike have the scores that they had, and an outlier is spread over its row ("incoherent processing", FlashAttention-3). The entries of a Hadamard
    matrix with random signs are 1 and -1, which any T has; its factor is then 1 / sqrt(D).

    *A rotation of blocks.* With `rotate(%m : tensor<NxKxKxT>)`, N K = D, N a power of two from 2 on and K a multiple of 16, M is

        M[n K + i, o K + j] = s(n, o) m[n,i,j],  s(n, o) = 1 where n and o have an even number of bits in common, else -1

    blocks along the diagonal times Sylvester's matrix of order N between them. M is orthogonal but for its factor where all blocks are, and D / N products
    and log2(N) additions for each number of y take the place of D products. Rows of a Hadamard matrix that Sylvester's doubling made have this form, whatever
    their signs.

    *Edges.* Zeros alone, or no rows, have a scale of 1. A scale is at least 2^-126, the smallest normal number: it has a reciprocal. An infinity makes
    the scale infinite, NaN makes it NaN, and Q of that head is not defined: attention makes NaN of it. Of what is centered either is in
    the mean, so that no scale of the head is finite. Rows that all equal their mean are zero but for its rounding; one row without a rotation is
    zero.

    Kernels compute it, in an order that launches repeat: maxima of some rows each, the scales, and the numbers. X is read twice, and
    rotated twice. Of what is centered sums of some rows each are in front, and the means of these: X is read three times.

    Example:

    ```mlir
    %q, %s = attn.quantize %x rotate(%m) factor(0.0883883461) : (tensor<?x32x?x128xbf16>, tensor<128x128xbf16>)
        -> (tensor<?x32x?x128xf8E4M3FN>, tensor<?x8xf32>)
    %b, %u = attn.quantize %x rotate(%blocks) factor(0.0883883461) : (tensor<?x32x?x128xbf16>, tensor<2x64x64xbf16>)
        -> (tensor<?x32x?x128xf8E4M3FN>, tensor<?x8xf32>)
    %n, %t, %mean = attn.quantize %k centered : (tensor<?x8x?x128xbf16>)
        -> (tensor<?x8x?x128xf8E4M3FN>, tensor<?x8xf32>, tensor<?x8x128xf32>)
    ```
  }];
  let arguments = (ins Attn_TokenTensor:$input,
    UnitAttr:$centered,
    Optional<Attn_TokenTensor>:$rotation,
    DefaultValuedAttr<F32Attr, "1.0f">:$factor,
    OptionalAttr<I64Attr>:$scaleBlock,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout);
  let results = (outs RankedTensorOf<[Attn_Float8]>:$numbers, Attn_ScaleTensor:$scales,
    Optional<Attn_MeanTensor>:$means);
  let assemblyFormat = [{
    $input (`centered` $centered^)? (`rotate` `(` $rotation^ `)`)? (`factor` `(` $factor^ `)`)? (`scale_block` `(` $scaleBlock^ `)`)?
    (`layout` `(` $layout^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The step that its kernels are.
    static constexpr ::llvm::StringLiteral kStep = "quantize";
    int64_t getNumHeads() { return getInput().getType().getDimSize(headDimOf(getLayout())); }
    /// Scales of a batch, or where they are of blocks, how many heads have their own.
    int64_t getNumScales() { return getScales().getType().getDimSize(1); }
    int64_t getDim() { return getInput().getType().getDimSize(3); }
    /// The smallest scale.
    static constexpr float kLeastScale = 0x1p-126f;
    /// Columns of a block of the rotation, all of them where it is one matrix, and how many blocks there are.
    int64_t getBlockDim() {
      return getRotation() ? getRotation().getType().getShape().back() : getDim();
    }
    int64_t getNumBlocks() { return getDim() / getBlockDim(); }
  }];
}

#endif // ATTN_CACHE_OPS
