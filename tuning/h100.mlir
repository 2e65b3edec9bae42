// Decoding on an H100 SXM5, whose memory has 0.7 of the bandwidth of an H200's: half of the
// SMs nearly fill it, so that clusters, which want no second kernel, take longer streams,
// too. Beyond these a stated number of parts saves divisions in front of the first loads.
// What has no row here takes that of the H200 (docs/notebooks/performance.md).
module attributes {attn.target = #attn.target<"h100">} {
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 1 to 63
    <pack_group, tiles = [query = 64, key = 128], split_ctas, persistent, resident = 2, wgmma = all, specialize, overlap, resident_stages = 2, stages = 3>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4096 & key<=16384",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 16, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 4, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=23 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=264",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=528 & key<=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 1 to 63
    <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key<=32768",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4096 & key<=16384",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=15 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head>=100 & batch*kv_head<=264 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"key>=65536",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 128 rows 1 to 63 causal
    <pack_group, tiles = [query = 64, key = 128], split_ctas, persistent, resident = 2, wgmma = all, specialize, overlap, resident_stages = 2, stages = 3>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4096 & key<=16384",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 3>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key>=4097",
               <pack_group, tiles = [query = 64, key = 128], splits = 16, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 8, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key>=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 4, split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=23 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], splits = 2, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=264",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=528 & key<=2048",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 1 to 63 causal
    <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, stages = 2>
    variants [#attn.variant<"group*query>=65 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=8 & key<=32768",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=16 & key>=4096 & key<=16384",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=15 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 8, split_cluster, wgmma = all, specialize, overlap, stages = 4>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=33 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], splits = 4, split_cluster, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head<=66 & key<=4096",
               <pack_group, tiles = [query = 64, key = 128], wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"group*query<=64 & batch*kv_head>=100 & batch*kv_head<=264 & key<=4096",
               <pack_group, tiles = [query = 64, key = 64], split_ctas, wgmma = all, specialize, overlap, stages = 2>>,
              #attn.variant<"key>=65536",
               <pack_group, tiles = [query = 64, key = 128], split_ctas, wgmma = all, specialize, overlap, stages = 2>>]
}
