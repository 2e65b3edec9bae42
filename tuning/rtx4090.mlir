// Attention on an RTX 4090. No such chip was at hand: its code ran as PTX on an H100, beside
// FlashAttention-2 in the same run (docs/notebooks/performance.md, "SMs that hold less"). Old
// maxima take instructions away from each score, which is so on every chip; with 128 columns
// they spill. Where the keys that a set of tiles streams are more than the L2 holds, streams
// alternate, as facts ask for.
#alternating = #attn.variant<"key>=246784", <tiles = [query = 128, key = 64], persistent, sawtooth = auto, optimistic_max>>
#alternating_pairs = #attn.variant<"key>=246784", <tiles = [query = 128, key = 64], persistent, pair_tiles, sawtooth = auto, optimistic_max>>

module attributes {attn.target = #attn.target<"rtx4090">} {
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64
    <tiles = [query = 128, key = 64], optimistic_max> variants [#alternating]
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal
    <tiles = [query = 128, key = 64], optimistic_max> variants [#alternating_pairs]
}
