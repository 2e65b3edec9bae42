// Forward attention of 16 and 8 bits on an H200: the fastest of the schedules that were
// measured, by columns of K and V together and by mask. benchmarks/forward.py and
// benchmarks/choice.py measure again; docs/README.md names the record.
// Few queries of many keys, as in rows of at most 256 columns: variants that these
// have in common.
#few16 = #attn.variant<"query<=16 & key>=2048",
  <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>>
#few32 = #attn.variant<"query<=32 & key>=2048",
  <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>
#few512 = #attn.variant<"query<=512 & key>=2048",
  <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>
// One query of a cache of 8 bits, the heads of a group as its rows: small tiles, of which
// many are under way (docs/notebooks/performance.md, measured on an H100).
#one8 = #attn.variant<"query<=4",
  <pack_group, tiles = [query = 16, key = 64], split_ctas, stages = 3>>
module attributes {attn.target = #attn.target<"h200">} {
  // An element of memory for each score takes the registers of a third warpgroup.
  // Tensor copies fetch them ahead, where rows are multiples of 16 bytes; with 256
  // columns their ring takes the memory of a second tile of queries
  // (benchmarks/flex.py). Where their softmax is as long as the products, late
  // turns keep warpgroups apart.
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 reads
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong>>,
              #attn.variant<"key>=1",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, late_turns, optimistic_max, resident_stages = 2, exchange_columns, stream_reads>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal reads
    <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong>>,
              #attn.variant<"key>=1",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, late_turns, optimistic_max, resident_stages = 2, stream_reads>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 reads
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong>>,
              #attn.variant<"key>=1",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, exchange_columns, stream_reads>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal reads
    <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong>>,
              #attn.variant<"key>=1",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, exchange_columns, stream_reads>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 64 reads
    <tiles = [query = 128, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, late_turns, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=12288 & batch*kv_head*group*query>=16897",
               <tiles = [query = 128, key = 80], stream_k, persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, late_turns, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>]
  // A softcap takes the special function unit twice a score: three warpgroups of
  // few columns hide it better (docs/notebooks/performance.md).
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 special
    <tiles = [query = 192, key = 96], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2, store_tensors>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal special
    <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2, store_tensors>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 special
    <tiles = [query = 192, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal special
    <tiles = [query = 192, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2>
    variants [#attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>]
  // Of 256 columns as without, but for exact maxima, which would be too slow here.
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 64 special
    <tiles = [query = 128, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=12288 & batch*kv_head*group*query>=16897",
               <tiles = [query = 128, key = 80], stream_k, persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 64 causal special
    <tiles = [query = 128, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], grid_order = naive_head_first, longest_first,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>,
              #attn.variant<"query<=1024 & batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 64], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"query<=1024",
               <tiles = [query = 128, key = 64], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 80], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>]
  // Lengths of packed sequences differ: CTAs that are done take the next tile of a
  // list, longest sequences first, of all heads before the next
  // (benchmarks/serving.py).
  // Of short ones large tiles are nearly empty: 200 tokens are 10 tiles of 64 by 64,
  // and as many scores as 24 are computed in those of 192 by 128.
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal packed
    <tiles = [query = 192, key = 128], list_tiles, grid_order = naive_block_first,
     persistent, resident = 1, dynamic,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2>
    variants [#attn.variant<"query<=512*batch",
               <tiles = [query = 64, key = 64], list_tiles, grid_order = naive_block_first, wgmma = all, optimistic_max>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal packed
    <tiles = [query = 128, key = 128], list_tiles, grid_order = naive_block_first,
     persistent, resident = 1, dynamic,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, resident_stages = 2>
    variants [#attn.variant<"query<=64*batch",
               <tiles = [query = 64, key = 64], list_tiles, grid_order = naive_block_first, wgmma = all, optimistic_max>>]
  // Causal tiles differ in length. In the order of their length over all heads, each
  // stride from the other end, all CTAs get as much, within a few per cent, also
  // where there are few tiles a CTA. But then as many heads as there are SMs are under
  // way at once: where these are many, and K and V do not stay in L2, CTAs take pairs
  // of a long and a short tile, head by head.
  // Rows that are no multiple of 64 bytes lie in panels of 128: copies take as long.
  // Tiles of 192 queries are faster, those of 128 leave less of the last round of SMs
  // empty where there are one or two rounds.
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64
    <tiles = [query = 192, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>
    variants [#attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>,
              // Short sequences: CTAs of one warpgroup that multiplies, two of which share an SM.
              #attn.variant<"query<=64 & key<=256",
               <tiles = [query = 64, key = 64], persistent, resident = 2,
                wgmma = all, specialize, overlap, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=256 & key<=256",
               <tiles = [query = 64, key = 128], persistent, resident = 2,
                wgmma = all, specialize, overlap, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head*group*query<=16896",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head*group*query>=25345 & batch*kv_head*group*query<=33792",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=256",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // Four warpgroups, where two rounds of 256 rows are three of 192, and four are six.
              #attn.variant<"key<=6143 & query>=1024 & batch*kv_head*group*query>=50689 & batch*kv_head*group*query<=67584",
               <tiles = [query = 256, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key<=6143 & query>=1024 & batch*kv_head*group*query>=126721 & batch*kv_head*group*query<=135168",
               <tiles = [query = 256, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // Long streams: CTAs share the tiles of the last round, where there is more than one.
              #attn.variant<"key>=6144",
               <tiles = [query = 192, key = 128], stream_k, persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, exchange_columns, wide_panels>>]
  // Rows in panels that are in part empty are no gain of small tiles, which copy K
  // and V more often.
  attn.tuned "attn.attention" of [f16, bf16] columns 112 rows 64 causal
    <tiles = [query = 192, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>
    variants [#attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>,
              #attn.variant<"query<=1024 & batch*kv_head>=48",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=160000",
               <tiles = [query = 192, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>]
  // Documents of one sequence differ in length in no order: CTAs that are done take
  // the next tile, of all heads before the next (benchmarks/flex.py).
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal sorted
    <tiles = [query = 192, key = 128], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors>
    variants [#attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>]
  // Without roles four small CTAs of an SM cover each other's waits, and many short
  // ones end together; the maximum of a tile then waits for nothing.
  // Where K and V of all heads are several times what L2 holds, or heads are many, CTAs
  // take tiles of a few heads at a time: of as many as L2 has room for.
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 64 causal
    <tiles = [query = 192, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>
    variants [#attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>,
              #attn.variant<"query<=1024 & batch*kv_head>=48",
               <tiles = [query = 64, key = 64], grid_order = naive_head_first, longest_first,
                wgmma = all, store_tensors, wide_panels>>,
              #attn.variant<"key>=98304 & batch*kv_head*key>=1000000",
               <tiles = [query = 192, key = 128], grid_order = one_set, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=16384 & batch*kv_head*key>=1000000",
               <tiles = [query = 192, key = 128], grid_order = four_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=160000",
               <tiles = [query = 192, key = 128], grid_order = sixteen_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              // Of few tiles the last ones with their exact maximum would be too many.
              #attn.variant<"key<=2047",
               <tiles = [query = 192, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, resident_stages = 2, store_tensors, wide_panels>>]
  // Between 128 and 256 columns three warpgroups have room for O and fewer columns of
  // scores; they copy K and V two thirds as often. Rows that are no multiple of 32
  // bytes (72, 88, 104, 120 columns) begin in the middle of a sector, and their copies
  // are what takes longest.
  attn.tuned "attn.attention" of [f16, bf16] columns 160 rows 64
    <tiles = [query = 192, key = 112], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"batch*kv_head*group*query<=16896",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>,
              #attn.variant<"batch*kv_head*group*query>=25345 & batch*kv_head*group*query<=33792",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>,
              #attn.variant<"query<=256",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 160 rows 64 causal
    <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=128000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=128000",
               <tiles = [query = 192, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 176 rows 64
    <tiles = [query = 192, key = 112], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=256",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 176 rows 64 causal
    <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=116000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=116000",
               <tiles = [query = 192, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 192 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, exchange_columns, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 160], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, exchange_columns, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 192 rows 64 causal
    <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, exchange_columns, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=2048 & batch*kv_head>=24 & batch*kv_head*key>=107000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, exchange_columns, wide_panels>>,
              #attn.variant<"query<=2048",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, exchange_columns, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=107000",
               <tiles = [query = 192, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, exchange_columns, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 208 rows 64
    <tiles = [query = 192, key = 96], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=256",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 208 rows 64 causal
    <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=99000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=99000",
               <tiles = [query = 192, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 224 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 160], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 224 rows 64 causal
    <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=92000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=92000",
               <tiles = [query = 192, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>,
              #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=92000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>,
              #attn.variant<"key>=6144",
               <tiles = [query = 192, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 240 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 160], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 240 rows 64 causal
    <tiles = [query = 192, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#few16, #few32, #few512,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=85000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=85000",
               <tiles = [query = 192, key = 80], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  // The wider tile reads its accumulators less often; short rows would leave more
  // of it empty. Where D is 128, ptxas places loops with store_tensors worse, by 2
  // to 4 %.
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#attn.variant<"query<=16 & key>=2048",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>,
              // Short sequences: CTAs of one warpgroup that multiplies, two of which share an SM.
              #attn.variant<"query<=64 & key<=256",
               <tiles = [query = 64, key = 64], persistent, resident = 2,
                wgmma = all, specialize, overlap, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // Long streams: CTAs share the tiles of the last round, where there is more than one.
              #attn.variant<"key>=12288 & batch*kv_head*group*query>=16897",
               <tiles = [query = 128, key = 160], stream_k, persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, exchange_columns, wide_panels>>,
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 160], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal sorted
    <tiles = [query = 128, key = 128], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2>
    variants [#few16, #few32, #few512]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal
    <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>
    variants [#attn.variant<"query<=16 & key>=2048",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"query<=32 & key>=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"query<=512 & key>=2048",
               <pack_group, tiles = [query = 128, key = 128], split_ctas, wgmma = all, specialize, overlap, ping_pong, optimistic_max>>,
              // Short sequences: CTAs of one warpgroup that multiplies, two of which share an SM.
              #attn.variant<"query<=64 & key<=256",
               <tiles = [query = 64, key = 64], persistent, resident = 2,
                wgmma = all, specialize, overlap, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // One tile of a head has no other one to go with.
              #attn.variant<"query<=128",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512 & batch*kv_head>=24 & batch*kv_head*key>=80000",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"query<=512",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // Of short sequences the end of each few heads would leave SMs idle.
              #attn.variant<"key<=2047 & batch*kv_head>=24",
               <tiles = [query = 128, key = 128], grid_order = sixteen_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>,
              // Long rows: wider tiles, for which one tile of queries leaves room. Where heads are
              // many, few CTAs share the keys of each, and as many go together as L2 holds
              // (by the simulator, and measured since).
              #attn.variant<"key>=98304 & batch*kv_head>=16",
               <tiles = [query = 128, key = 160], grid_order = one_set, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=40960 & batch*kv_head>=16",
               <tiles = [query = 128, key = 160], grid_order = two_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=9216 & batch*kv_head>=16 & batch*kv_head*key>=300000",
               <tiles = [query = 128, key = 160], grid_order = four_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=16384",
               <tiles = [query = 128, key = 160], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=9216 & batch*kv_head*key>=160000",
               <tiles = [query = 128, key = 160], grid_order = four_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=9216",
               <tiles = [query = 128, key = 160], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=7168 & batch*kv_head<=16 & batch*kv_head*key>=100000",
               <tiles = [query = 128, key = 128], grid_order = two_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=3584 & key<=5120 & batch*kv_head*key>=90000",
               <tiles = [query = 128, key = 128], grid_order = four_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=2048 & batch*kv_head*key>=90000",
               <tiles = [query = 128, key = 128], grid_order = eight_sets, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>,
              #attn.variant<"key>=2048",
               <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, resident_stages = 2, store_tensors, wide_panels>>]
  // Up to 304 columns, and 336, three warpgroups have room for few columns of scores,
  // which pays for rows that are no multiple of 32 bytes, and for long ones.
  attn.tuned "attn.attention" of [f16, bf16] columns 272 rows 64
    <tiles = [query = 192, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 272 rows 64 causal
    <tiles = [query = 192, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=75000",
               <tiles = [query = 192, key = 80], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 288 rows 64
    <tiles = [query = 128, key = 112], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"key>=6144",
               <tiles = [query = 192, key = 80], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 288 rows 64 causal
    <tiles = [query = 192, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"query<=2048 & batch*kv_head>=24 & batch*kv_head*key>=71000",
               <tiles = [query = 128, key = 112], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>,
              #attn.variant<"query<=2048",
               <tiles = [query = 128, key = 112], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>,
              #attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=71000",
               <tiles = [query = 192, key = 80], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 304 rows 64
    <tiles = [query = 192, key = 64], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 304 rows 64 causal
    <tiles = [query = 192, key = 64], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"batch*kv_head>=96 & batch*kv_head*key>=67000",
               <tiles = [query = 192, key = 64], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 320 keys 192 rows 64
    <tiles = [query = 128, key = 112], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"key>=2048",
               <tiles = [query = 128, key = 128], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 320 keys 192 rows 64 causal
    <tiles = [query = 128, key = 128], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, wide_panels>
    variants [#attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=64000",
               <tiles = [query = 128, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 336 rows 64
    <tiles = [query = 192, key = 48], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exchange_columns, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 336 rows 64 causal
    <tiles = [query = 192, key = 48], grid_order = naive_block_first, longest_first, persistent, resident = 1, dynamic,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exchange_columns, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 368 rows 64
    <tiles = [query = 128, key = 96], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 368 rows 64 causal
    <tiles = [query = 128, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>
    variants [#attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=52000",
               <tiles = [query = 128, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>]
  // Narrower tiles leave room for two stages of Q.
  attn.tuned "attn.attention" of [f16, bf16] columns 384 rows 64
    <tiles = [query = 128, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 384 rows 64 causal
    <tiles = [query = 128, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>
    variants [#attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=52000",
               <tiles = [query = 128, key = 80], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>>]
  // Up to 432 columns as up to 512: wider tiles have no room for wide panels.
  attn.tuned "attn.attention" of [f16, bf16] columns 432 rows 64
    <tiles = [query = 128, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>]
  // Two stages of Q do not fit: with tiles of different length CTAs that wait for
  // one another's Q are better spread by dispatch.
  attn.tuned "attn.attention" of [f16, bf16] columns 432 rows 64 causal
    <tiles = [query = 128, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], grid_order = naive_head_first, longest_first,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>,
              #attn.variant<"query<=1024 & batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 64], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>,
              #attn.variant<"query<=1024",
               <tiles = [query = 128, key = 64], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>,
              #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 80], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 448 rows 64
    <tiles = [query = 128, key = 96], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
  attn.tuned "attn.attention" of [f16, bf16] columns 448 rows 64 causal
    <tiles = [query = 128, key = 96], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 96], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 64
    <tiles = [query = 128, key = 80], persistent, resident = 1,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=12288 & batch*kv_head*group*query>=16897",
               <tiles = [query = 128, key = 80], stream_k, persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              // Rows of few keys: what asks for them costs short streams 1 to 4 %.
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 80], persistent, resident = 1,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>]
  // Two stages of Q do not fit: with tiles of different length CTAs that wait for
  // one another's Q are better spread by dispatch.
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 64 causal
    <tiles = [query = 128, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>
    variants [#attn.variant<"query<=512",
               <tiles = [query = 128, key = 64], grid_order = naive_head_first, longest_first,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, wide_panels>>,
              #attn.variant<"query<=1024 & batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 64], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"query<=1024",
               <tiles = [query = 128, key = 64], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=4096 & batch*kv_head>=24",
               <tiles = [query = 128, key = 80], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"key>=4096",
               <tiles = [query = 128, key = 80], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, exact_peaks, exact_last, store_tensors, exchange_columns, wide_panels>>,
              #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=40000",
               <tiles = [query = 128, key = 80], persistent, resident = 1, pair_tiles,
                wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, store_tensors, exchange_columns, wide_panels>>]
  // Few queries, decoding first of all, wait for K and V alone: CTAs share a stream
  // where there are fewer of them than SMs, and the query heads of a group are rows
  // of one tile. Short streams are shared by a cluster of as many CTAs as find room
  // together, a stated number: kernels then have no divisions by it, and several
  // clusters may be on the same SMs. Longer ones want all SMs. Two CTAs of an SM
  // cover each other's beginnings and ends; where streams are long, wider tiles
  // cost less, and a stated number of parts saves divisions in front of the first
  // loads. With 128 columns a tile's loads are so short that a producer which
  // reads ahead over tiles gains, where a CTA has several of them.
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 1
    <pack_group, tiles = [query = 64, key = 128], split_ctas, persistent, resident = 2, wgmma = all, specialize, overlap, resident_stages = 2, stages = 3>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097 & key<=12288",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 15, split_last, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=9 & batch*kv_head<=16 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=17 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=34 & batch*kv_head<=66 & key>=16384",
               <pack_group, tiles = [query = 64, key = 128], splits = 4, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=67 & key>=65536",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 15, split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head>=17 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=23 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=264",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 1
    <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=15 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"key>=65536",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 1 causal
    <pack_group, tiles = [query = 64, key = 128], split_ctas, persistent, resident = 2, wgmma = all, specialize, overlap, resident_stages = 2, stages = 3>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097 & key<=12288",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 15, split_last, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=9 & batch*kv_head<=16 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=17 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=34 & batch*kv_head<=66 & key>=16384",
               <pack_group, tiles = [query = 64, key = 128], splits = 4, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=4 & batch*kv_head>=67 & key>=65536",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_last, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 15, split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head>=17 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=23 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=264",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 1 causal
    <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=15 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"key>=65536",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 1
    <pack_group, tiles = [query = 64, key = 32], split_ctas, wgmma = all, specialize, stages = 2>
  attn.tuned "attn.attention" of [f16, bf16] columns 512 rows 1 causal
    <pack_group, tiles = [query = 64, key = 32], split_ctas, wgmma = all, specialize, stages = 2>
  // Of 8 bits (benchmarks/fp8.py): weights by an old maximum are faster and err
  // more (docs/passes/attn-optimistic-max.md), and key tiles are multiples of 32. Two warpgroups have 240 registers a thread
  // where those that copy have 24, which 128 keys of 256 columns want. Streams go backwards,
  // so that a sink is added last, as FlashAttention-3 has it. Which rows the release of keys
  // waits for is what ptxas made the faster code of. Of 128 columns warpgroups pass their turn
  // when their products are done, since exponentials are as many cycles as these.
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 128 rows 64
    <tiles = [query = 192, key = 128], persistent, resident = 1, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2, store_tensors>
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 128 rows 64 causal
    <tiles = [query = 192, key = 160], grid_order = naive_head_first, longest_first, persistent, resident = 1, dynamic, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, resident_stages = 2, store_tensors>
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 256 rows 64
    <tiles = [query = 128, key = 192], persistent, resident = 1, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, late_turns, first_rows, producer_registers = 24, resident_stages = 2, store_tensors>
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 256 rows 64 causal
    <tiles = [query = 128, key = 192], grid_order = naive_head_first, longest_first, persistent, resident = 1, dynamic, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, late_turns, first_rows, producer_registers = 24, resident_stages = 2, store_tensors>
    variants [#attn.variant<"key<=8192",
               <tiles = [query = 128, key = 192], persistent, resident = 1, pair_tiles, traversal = backward,
                wgmma = all, specialize, overlap, ping_pong, late_turns, first_rows, producer_registers = 24, resident_stages = 2, store_tensors>>]
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 512 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, producer_registers = 24, resident_stages = 2>
  attn.tuned "attn.attention" of [f8E4M3FN, f8E5M2] columns 512 rows 64 causal
    <tiles = [query = 128, key = 128], grid_order = naive_head_first, longest_first, persistent, resident = 1, dynamic, traversal = backward,
     wgmma = all, specialize, overlap, ping_pong, producer_registers = 24, resident_stages = 2>
    variants [#attn.variant<"key<=8192",
               <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles, traversal = backward,
                wgmma = all, specialize, overlap, ping_pong, first_rows, producer_registers = 24, resident_stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] cache [f8E4M3FN, f8E5M2] columns 256 rows 1
    <tiles = [query = 64, key = 64], stages = 3> variants [#one8]
  attn.tuned "attn.attention" of [f16, bf16] cache [f8E4M3FN, f8E5M2] columns 256 rows 1 causal
    <tiles = [query = 64, key = 64], stages = 3> variants [#one8]
  // Gradients: benchmarks/backward.py. Sums of 64 rows of 128 columns, two of them, leave
  // a thread of three warpgroups room for 64 queries a tile; a few words spill, which costs
  // less than tiles of 128 keys (docs/notebooks/performance.md, "Gradients").
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 128 rows 64
    <tiles = [key = 192, query = 64], persistent, resident = 1,
     wgmma = all, specialize, ping_pong, delay_waits, resident_stages = 2, stage_columns>
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 128 rows 64 causal
    <tiles = [key = 192, query = 64], grid_order = block_outermost, longest_first, persistent, resident = 1, snake,
     wgmma = all, specialize, ping_pong, delay_waits, resident_stages = 2, stage_columns>
  // Short sequences would leave much of a tile of 192 rows empty.
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 128 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, ping_pong, delay_waits>
    variants [#attn.variant<"query>=1280",
               <tiles = [query = 192, key = 80], persistent, resident = 1,
                wgmma = all, specialize, ping_pong, delay_waits>>]
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 128 rows 64 causal
    <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
     wgmma = all, specialize, ping_pong, delay_waits>
    variants [#attn.variant<"query>=2560",
               <tiles = [query = 192, key = 80], grid_order = naive_head_first, longest_first,
                wgmma = all, specialize, ping_pong, delay_waits>>]
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 256 rows 64
    <tiles = [key = 128, query = 64], persistent, resident = 1,
     wgmma = all, specialize, ping_pong, delay_waits, stage_columns>
  // A head of more tiles than SMs is balanced by itself. Shorter ones follow each other so
  // that the last begins late, and its longest tile ends later still: few tiles go by their
  // length over all heads, more of them by their length in a batch, for L2's sake.
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 256 rows 64 causal
    <tiles = [key = 128, query = 64], grid_order = naive_head_first, longest_first,
     wgmma = all, specialize, ping_pong, delay_waits, stage_columns>
    variants [#attn.variant<"key<=12288 & batch*kv_head*key<=100000",
               <tiles = [key = 128, query = 64], grid_order = block_outermost, longest_first,
                wgmma = all, specialize, ping_pong, delay_waits, stage_columns>>,
              #attn.variant<"key<=6144",
               <tiles = [key = 128, query = 64], grid_order = naive_block_first, longest_first,
                wgmma = all, specialize, ping_pong, delay_waits, stage_columns>>]
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 256 rows 64
    <tiles = [query = 128, key = 128], persistent, resident = 1,
     wgmma = all, specialize, ping_pong, delay_waits>
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 256 rows 64 causal
    <tiles = [query = 128, key = 128], persistent, resident = 1, pair_tiles,
     wgmma = all, specialize, ping_pong, delay_waits>
  // Both sums of so many columns are more than threads have registers: a kernel for each.
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 512 rows 64
    <tiles = [key = 128, query = 32], split_results,
     wgmma = all, specialize, ping_pong, delay_waits, stage_columns>
  attn.tuned "attn.attention_backward_key" of [f16, bf16] columns 512 rows 64 causal
    <tiles = [key = 128, query = 32], split_results, grid_order = naive_head_first, longest_first,
     wgmma = all, specialize, ping_pong, delay_waits, stage_columns>
    variants [#attn.variant<"key<=12288 & batch*kv_head*key<=100000",
               <tiles = [key = 128, query = 32], split_results, grid_order = block_outermost, longest_first,
                wgmma = all, specialize, ping_pong, delay_waits, stage_columns>>,
              #attn.variant<"key<=12288",
               <tiles = [key = 128, query = 32], split_results, grid_order = naive_block_first, longest_first,
                wgmma = all, specialize, ping_pong, delay_waits, stage_columns>>]
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 512 rows 64
    <tiles = [query = 128, key = 48],
     wgmma = all, specialize, ping_pong, delay_waits>
  attn.tuned "attn.attention_backward_query" of [f16, bf16] columns 512 rows 64 causal
    <tiles = [query = 128, key = 48], persistent, resident = 1, pair_tiles,
     wgmma = all, specialize, ping_pong, delay_waits>
}
