//===- AttnTensorOps.td - Level 1: what is computed --------*- tablegen -*-===//

#ifndef ATTN_TENSOR_OPS
#define ATTN_TENSOR_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_InputFloat : AnyTypeOf<[F16, BF16, F32]>;
def Attn_InputTensor : RankedTensorOf<[Attn_InputFloat]>;
/// Q, K and V.
def Attn_AttendedTensor : RankedTensorOf<[Attn_InputFloat, Attn_Float8]>;

def Attn_AttentionOp : Attn_Op<"attention", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getScalarCaptures", "getViewPermutations", "getFoldTemporaries",
       "getLengthsView", "getPackedAxes", "getLookups", "wantsZerosBehind", "readsElements",
       "getTailViews", "getSegmentViews", "buildTraversal", "getContainingView"]>]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    For every batch b, query head h and query i, with kv head g = h / (Hq / Hkv):

        s[j] = mod(scale * sum_d Q[b,h,i,d] K[b,g,j,d], b, h, i, j)
        A    = the keys j in [0, Skv) that the masks let query i attend to
        LSE[b,h,i]  = ln (sum_{j in A} exp(s[j]) + exp(sink[h]))
        O[b,h,i,:]  = sum_{j in A} exp(s[j] - LSE[b,h,i]) V[b,g,j,:]

    The order is scale, then score modification, then mask, then softmax.

    Shapes: Q [B,Hq,Sq,Dqk], K [B,Hkv,Skv,Dqk], V [B,Hkv,Skv,Dv], O
    [B,Hq,Sq,Dv], LSE [B,Hq,Sq] (`layout(bshd)`: Q, K, V and O have the
    sequence before the head; `layout(bhsd, kv = bshd)`: K and V alone do, and the
    other way round). Hq is a multiple of Hkv. Head counts and head dimensions are static; head dimensions are multiples of 8 up to 1024. B, Sq
    and Skv may be dynamic. Element types f16, bf16, f32 or one of FP8 (f8E4M3FN,
    f8E5M2, f8E4M3FNUZ), the same for Q, K and V; O has it too, or f32, and f16, bf16
    or f32 where they are of FP8; scores, softmax and accumulation are f32; LSE is
    f32. O in f32 with its LSE is the whole state of these keys: what
    `attn.merge_states` makes of such parts is rounded once.

    *Edges.* A query that attends to nothing has O = 0 and LSE = -inf. Sq = 0
    or B = 0 is a no-op; Skv = 0 makes every query attend to nothing. Scores
    are right up to the limits of f32 (`attn.advance`). Keys that a query
    does not attend to are multiplied by zero: V wants finite values there.

    *Lengths.* With `lengths(%n : tensor<?xi32>)`, of i32 or i64 and one a batch,
    sequence b has its first n[b] keys alone: Skv is n[b] in all of the above,
    masks included. K and V are caches of Skv keys; what lies behind n[b] is never
    used, and may be NaN. The numbers are read on the device, where nobody can
    report an error: with a number below 0 or above Skv, O and LSE of that
    sequence are NaN.

    *Ragged batches.* With `cu_seqlens_q(%c : tensor<?xi32>)` the queries of all
    sequences lie one behind the other: Q is [1,Hq,T,Dqk], O and LSE likewise, and
    sequence b has the queries from c[b] up to c[b+1] of these T. `cu_seqlens_k` says
    the same of K and V. Either may stand alone; the other tensors then have the
    batch as their first dimension, of B sequences where there are B + 1 numbers.
    All of the above holds for each sequence by itself: indices and masks count from
    its first query and key, and what its neighbours hold, NaN included, has no part
    in it. `lengths` may shorten the keys of each. Queries before c[0] and from c[B]
    on are not computed, and nothing is stored for them. The numbers are read on the
    device: a sequence whose keys are not within K and V (c[b] below 0 or above
    c[b+1], or c[b+1] above the keys that there are) has results of NaN; where those
    of queries fall or exceed Q, results are not defined. Nothing is read or written
    outside of the tensors.

    *Pages.* With `block_table(%t : tensor<?x?xi32>)`, [B, pages of a sequence], K and V
    are caches of pages, [pages, Hkv, P, D] (`layout(bshd)`: [pages, P, Hkv, D]), and
    key j of sequence b is row j mod P of page t[b, j div P]. P is static, a
    multiple of 8 from 16 on, and `lengths` say how many keys there are. What lies in other
    pages, and behind the last key in its page, is never used; a page may be in the
    table several times. Keys of a page that is not in the cache are zeros, as is
    their V: nothing is read outside.

    *Blocks.* With `blocks<128, 64>(%n, %i, %fn, %fi : ...)`, of i32 or i64, query i attends
    to keys of the blocks alone that its row of blocks, i div 128, lists: block j has keys
    64 j to 64 j + 63. The first n[b,h,r] numbers i[b,h,r,:] are those of partial blocks, of
    which the masks (attribute and region) say the keys; the first fn[b,h,r] of fi[b,h,r,:] of
    full ones, which all queries of the row attend to, whatever masks say. The full ones
    may be left out. Counts are [B,Hq,rows], numbers [B,Hq,rows,n] for any n; B and Hq may be 1, of one
    list for all. A block is in one list, once; the last full block of a row alone may
    reach behind the last key, and then counts as partial. Sizes of blocks are multiples of
    16. A count below 0 is 0, one above n is n; a partial block with a number out of
    range has no key; a full one, but for the last, is of keys and values of zero. Not with `lengths`,
    `cu_seqlens_q`, `cu_seqlens_k` or `block_table`.

    *Rounding.* exp(s - m), with m the running maximum, is rounded to the element type
    of V before it multiplies V; the sum of exponentials takes it unrounded. O is
    rounded once, at the end. Of FP8, exp(s - m) is rounded times 2^8 (f8E4M3FN), 2^15
    (f8E5M2) or 2^7 (f8E4M3FNUZ), which uses the range of the type and leaves O as it is;
    what is larger than all numbers becomes the largest one. That is so for scores that
    exceed 2^24 in units of log2(e).

    *Scales.* `q_scale(%s : tensor<?x8xf32>)`, `k_scale` and `v_scale`, f32 [B,Hkv], say
    what the elements of Q, K and V stand for multiples of: Q, K and V in all of the above
    are q_scale[b,g] Q, k_scale[b,g] K and v_scale[b,g] V. Either dimension may be 1, of
    one scale for all. Those of Q and K take no operation a score, that of V one a row.
    They are 0 or more; a scale of NaN makes results of NaN, one of 0 takes its scores
    for 0.

    *Scales of blocks.* With `scale_block(64)` `k_scale` and `v_scale` may have a third
    dimension, [B,Hkv,ceil(Skv / 64)]: number j div 64 of it is that of key j and its value.
    A tile of keys lies in one block, a multiple of 32 keys. Those of K take a product or two a row
    and tile, those of V one an element of O and tile. Not with `cu_seqlens_k`,
    `block_table` or `blocks`.

    *V by columns.* With `values(interleaved)` V is [B,Hkv,Dv,S] in any layout, with S the
    number of keys rounded up to a multiple of 16, and of each 16 keys those at
    2 t, 2 t + 1, 8 + 2 t and 9 + 2 t are neighbours, t from 0 to 3: matrix units that
    sum over neighbours in memory alone (those of FP8 on NVIDIA GPUs) then take the
    weights as scores leave them in registers. What lies behind the last key is finite.
    Not with `lengths`, `cu_seqlens_k` or `block_table`.

    *V in K.* `values(keys)` promises that V is the first Dv columns of K, as in latent
    attention (DeepSeek-V2, absorbed: Dqk 576, Dv 512): V[b,g,j,d] = K[b,g,j,d] for d < Dv.
    K is then loaded once, and V never read; results are undefined where the promise does
    not hold. A slice of K says it by itself (canonicalisation adds the clause). Not of FP8,
    and not with `v_scale`.

    *Score modification.* The optional region `score` maps a scaled score (f32) and its
    batch, head, query and key index (index) to a modified score. It is pure
    and isolated; scalars and tensors from outside are passed as captures, after the
    indices. It may use scalar operations of `arith` and `math` that are defined
    for any index, and read elements of captured tensors (`attn.gather`; what is
    outside of a tensor is zero): it is evaluated for padding too, and the result
    dropped.

    *Mask region.* The optional region `keep` says of a batch, head, query and key index
    (and the same captures) whether the query attends to the key, as an i1. It may
    use what `score` may. A query attends to the keys that both the mask attribute
    and the region let it. Where the region compares the key with what does not
    depend on it, tiles that no query sees are left out (`docs/masks.md`).

    `sorted = array<i64: 0>` promises of captured tensors of integers, by their
    numbers among the captures, that elements never fall along the last dimension,
    as numbers of documents do not; results are undefined where they do. Bounds are
    then found by halving.

    *Sinks.* With `sinks(%s : tensor<32xf32>)`, one more logit a query head, to
    which no value belongs, takes part in the denominator and in LSE; -inf is as
    without it. Of two dimensions, [heads, n], row i of Sq rows takes number
    i / (Sq / n) of its head. A part of the keys that will be merged with others
    (`attn.merge_states`) takes the sink in one part alone.

    *Earlier keys.* With `earlier_o(%p : tensor<?x32x?x128xf32>)` and `earlier_lse(%m : tensor<?x32x?xf32>)`,
    f32 of the shapes of O and LSE, the results are those of the keys of this operation and of the ones that
    %p and %m are results of, as `attn.merge_states` has them: a part that takes up another one, and saves its
    own way through memory. Not with `cu_seqlens_q` or `v_scale`.

    *The algebra that licenses every rewrite.* For a set of keys J define the state

        m(J) = max_{j in J} s[j]
        l(J) = sum_{j in J} exp(s[j] - m(J))
        a(J) = sum_{j in J} exp(s[j] - m(J)) V[j,:]

    and for disjoint J and K

        m = max(m(J), m(K))
        l = l(J) exp(m(J) - m) + l(K) exp(m(K) - m)
        a = a(J) exp(m(J) - m) + a(K) exp(m(K) - m)

    This product is commutative and associative, with the empty state (-inf, 0,
    0) as its unit (in f32 the unit has the lowest score instead, which needs no
    test for infinities). So O = a / l and LSE = m + ln l may be computed from tiles of
    keys in any order (*sawtooth*), from parts of the keys that are merged
    later (*split*), and tiles that the mask excludes can be left out (*loop
    bounds*). Queries, heads and batches do not interact: they may be grouped
    on processors in any way (*group partition, grid order*). A change of order
    changes rounding only: `reassociates` in the streamable-op interface.

    Example:

    ```mlir
    %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>)
        scale(0.0883883461) captures(%cap : f32)
        score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
      %x = arith.divf %s, %c : f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %c : f32
      attn.yield %y : f32
    } : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
    ```
  }];
  let arguments = (ins Attn_AttendedTensor:$query, Attn_AttendedTensor:$key,
    Attn_AttendedTensor:$value,
    Optional<RankedTensorOf<[I32, I64]>>:$lengths,
    Optional<RankedTensorOf<[I32, I64]>>:$queryOffsets,
    Optional<RankedTensorOf<[I32, I64]>>:$keyOffsets,
    Optional<RankedTensorOf<[I32, I64]>>:$blockTable,
    Variadic<RankedTensorOf<[I32, I64]>>:$blocks,
    Variadic<Attn_Capture>:$captures,
    Optional<RankedTensorOf<[F16, BF16, F32]>>:$sinks,
    Optional<Attn_ScaleTensor>:$queryScale, Optional<Attn_ScaleTensor>:$keyScale,
    Optional<Attn_ScaleTensor>:$valueScale,
    Optional<RankedTensorOf<[F32]>>:$earlierOutput, Optional<RankedTensorOf<[F32]>>:$earlierLse,
    OptionalAttr<Attn_MaskInterface>:$mask, F32Attr:$scale,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout,
    OptionalAttr<Attn_TensorLayout>:$kvLayout,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$sorted,
    DefaultValuedAttr<Attn_ValueOrder, "::attn::ValueOrder::Rows">:$valueOrder,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$blockSize,
    OptionalAttr<I64Attr>:$scaleBlock);
  let results = (outs Attn_InputTensor:$output,
                      Optional<RankedTensorOf<[F32]>>:$lse);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$keep);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Dimension of Q and O that holds the head and the sequence.
    unsigned getHeadDim() { return headDimOf(getLayout()); }
    unsigned getSeqDim() { return seqDimOf(getLayout()); }
    /// Dimension of K and V (by rows) that holds the head and the sequence.
    TensorLayout getKeyLayout() { return getKvLayout().value_or(getLayout()); }
    unsigned getKeyHeadDim() { return headDimOf(getKeyLayout()); }
    unsigned getKeySeqDim() { return seqDimOf(getKeyLayout()); }
    int64_t getNumQueryHeads() { return getQuery().getType().getDimSize(getHeadDim()); }
    int64_t getNumKvHeads() { return getKey().getType().getDimSize(getKeyHeadDim()); }
    int64_t getQkDim() { return getQuery().getType().getDimSize(3); }
    int64_t getValueDim() {
      return getValue().getType().getDimSize(hasInterleavedValues() ? 2 : 3);
    }
    bool hasInterleavedValues() { return getValueOrder() == ValueOrder::Interleaved; }
    /// Whether V is the first columns of K.
    bool hasValuesInKeys() { return getValueOrder() == ValueOrder::Keys; }
    /// States so where V is a slice of K; whether that is new.
    bool findValuesInKeys();
    /// Heads of V.
    int64_t getNumValueHeads() {
      return getValue().getType().getDimSize(hasInterleavedValues() ? 1 : getKeyHeadDim());
    }
    /// Whether scores are of scaled Q or K.
    bool scalesScores() { return getQueryScale() || getKeyScale(); }
    /// Whether a scale, of K or V, is of a block of keys (no: of all of them; null: no).
    static bool isOfBlocks(::mlir::Value scale) {
      return scale && ::llvm::cast<::mlir::RankedTensorType>(scale.getType()).getRank() == 3;
    }
    bool hasScoreMod() { return !getScore().empty(); }
    bool hasMaskRegion() { return !getKeep().empty(); }
    /// Arguments of the regions before the captures.
    static constexpr unsigned kScoreArguments = 5, kKeepArguments = 4;
    /// What of an operation of arith or math, on scalars or elementwise, upstream or a
    /// back end makes something else of than it says, in words: regions refuse it.
    /// Empty for most.
    static ::llvm::StringRef whatVaries(::mlir::Operation *op);
    /// How many elements of tensors the score modification reads for each score, at its
    /// query and key.
    unsigned countReadsOfEachScore();
    /// Keys of a page, where K and V are caches of pages.
    int64_t getPageSize() { return getKey().getType().getDimSize(getKeySeqDim()); }
    bool hasBlocks() { return !getBlocks().empty(); }
    /// Of the first view of lists of blocks.
    unsigned getFirstBlockView();
    /// Of the first view behind query, key and value that is neither lengths,
    /// offsets, a table of pages nor a list of blocks.
    unsigned getFirstCaptureView();
    /// The operand views that the captures are; of scalars nothing.
    ::llvm::SmallVector<std::optional<unsigned>> getCaptureViews();
    /// The operand view that the sinks are.
    std::optional<unsigned> getSinksView();
    /// The operand views of the scales of Q, K and V, null of those that it lacks.
    std::array<std::optional<unsigned>, 3> getScaleViews();
    /// The operand view of O of earlier keys, behind which comes that of their LSE.
    std::optional<unsigned> getEarlierView();
  }];
}

def Attn_ArrangeValuesOp : Attn_Op<"arrange_values", [Pure]> {
  let summary = "V by columns, from V by rows";
  let description = [{
    From V [B,Hkv,S,Dv] in `layout`, of 8-bit floats, what `values(interleaved)` of
    `attn.attention` takes: [B,Hkv,Dv,S], S rounded up to a multiple of 16, with zeros
    behind the last key. Dv is a multiple of 16, B and S may be dynamic.

    A kernel of its own moves each 16 x 16 elements through the registers of a thread.

    Example:

    ```mlir
    %columns = attn.arrange_values %v : tensor<?x8x?x128xf8E4M3FN> -> tensor<?x8x128x?xf8E4M3FN>
    ```
  }];
  let arguments = (ins RankedTensorOf<[Attn_Float8]>:$values,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout);
  let results = (outs RankedTensorOf<[Attn_Float8]>:$columns);
  let assemblyFormat = [{
    $values (`layout` `(` $layout^ `)`)? attr-dict `:` type($values) `->` type($columns)
  }];
  let hasVerifier = 1;
}

def Attn_MergeStatesOp : Attn_Op<"merge_states", [
    Pure, DeclareOpInterfaceMethods<Attn_StreamableOpInterface,
      ["getViewPermutations", "getFoldTemporaries"]>]> {
  let summary = "Attention to all keys, from that to parts of them";
  let description = [{
    From O_p [parts, batch, heads, queries, D] and LSE_p [parts, batch, heads,
    queries], results of `attn.attention` of the same queries and disjoint sets of
    keys:

        LSE = ln sum_p exp(LSE_p)
        O   = sum_p exp(LSE_p - LSE) O_p

    in f32, rounded once. That is how parts that several devices, or several
    calls, have worked on become one ("Ring Attention with Blockwise
    Transformers", Liu, Zaharia and Abbeel 2023). A part with an LSE of -inf saw no
    key of that row: its O is not used, whatever it holds. Where no part saw one, O
    is 0 and LSE -inf. NaN goes on to the results of its row.

    `layout` says how O_p and O lie in memory behind the parts, as that of
    `attn.attention`; LSE_p and LSE are [parts, batch, heads, queries] and [batch,
    heads, queries] in any.

    It streams the parts, in any order.

    Example:

    ```mlir
    %o, %lse = attn.merge_states %os, %lses : (tensor<4x?x32x?x128xbf16>, tensor<4x?x32x?xf32>)
        -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
    ```
  }];
  let arguments = (ins Attn_InputTensor:$outputs, RankedTensorOf<[F32]>:$lses,
    DefaultValuedAttr<Attn_TensorLayout, "::attn::TensorLayout::BHSD">:$layout);
  let results = (outs Attn_InputTensor:$output,
                      Optional<RankedTensorOf<[F32]>>:$lse);
  let assemblyFormat = [{
    $outputs `,` $lses (`layout` `(` $layout^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_MatmulOp : Attn_Op<"matmul", [
    Pure, DeclareOpInterfaceMethods<Attn_StreamableOpInterface>]> {
  let summary = "Matrix product with f32 accumulation";
  let description = [{
    C[m,n] = sum_k A[m,k] B[k,n], accumulated in f32 and rounded once to the
    element type of the result. Any size may be dynamic.

    It streams k past a tile of C, in any order and in parts that are added up: the
    simplest streamable operation beside attention.

    Example: `%c = attn.matmul %a, %b : (tensor<?x512xbf16>, tensor<512x?xbf16>) -> tensor<?x?xf32>`
  }];
  let arguments = (ins Attn_InputTensor:$lhs, Attn_InputTensor:$rhs);
  let results = (outs Attn_InputTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // ATTN_TENSOR_OPS
