// Every diagnostic of the attributes and types of the dialect: masks, orders,
// targets (with the nearest name), views, and where a target may stand.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// #attn.causal and #attn.window
//===----------------------------------------------------------------------===//

// expected-error @+2 {{expected ::attn::MaskAlign to be one of: top_left, bottom_right}}
// expected-error @below {{failed to parse Attn_CausalMask parameter 'align'}}
module attributes {test.attr = #attn.causal<left>} {}

// -----

// expected-error @below {{expected '<'}}
module attributes {test.attr = #attn.causal} {}

// -----

// expected-error @below {{'left' expects -1 (no bound) or 0 to 2^40, but got -2}}
module attributes {test.attr = #attn.window<left = -2, right = 0, align = top_left>} {}

// -----

// expected-error @below {{'left' expects -1 (no bound) or 0 to 2^40, but got 1099511627777}}
module attributes {test.attr = #attn.window<left = 1099511627777, right = 0, align = top_left>} {}

// -----

// expected-error @below {{'right' expects -1 (no bound) or 0 to 2^40, but got -2}}
module attributes {test.attr = #attn.window<left = 0, right = -2, align = bottom_right>} {}

// -----

// expected-error @below {{'right' expects -1 (no bound) or 0 to 2^40, but got 1099511627777}}
module attributes {test.attr = #attn.window<left = 0, right = 1099511627777, align = top_left>} {}

// -----

// expected-error @+2 {{expected ::attn::MaskAlign to be one of: top_left, bottom_right}}
// expected-error @below {{failed to parse Attn_WindowMask parameter 'align'}}
module attributes {test.attr = #attn.window<left = 0, right = 0, align = centre>} {}

// -----

// Every parameter is stated.
// expected-error @below {{expected ','}}
module attributes {test.attr = #attn.window<left = 0, right = 0>} {}

// -----

// expected-error @below {{unknown attribute `sliding` in dialect `attn`}}
module attributes {test.attr = #attn.sliding<4>} {}

// -----

//===----------------------------------------------------------------------===//
// #attn.order
//===----------------------------------------------------------------------===//

// expected-error @below {{digit 'a' stands twice}}
module attributes {test.attr = #attn.order<[a, b, a]>} {}

// -----

// expected-error @below {{expected 1 to 16777216 sets together, but got 0}}
module attributes {test.attr = #attn.order<[sharing], together = 0>} {}

// -----

// expected-error @below {{groups of 9 sets expect the digit 'sharing' and one domain}}
module attributes {test.attr = #attn.order<[head, query], together = 9>} {}

// -----

// expected-error @below {{groups of 9 sets expect the digit 'sharing' and one domain}}
module attributes {test.attr = #attn.order<[sharing], domains = 8, together = 9>} {}

// -----

// expected-error @below {{expected 1 to 16777216 domains, but got 0}}
module attributes {test.attr = #attn.order<[sharing], domains = 0>} {}

// -----

// expected-error @below {{expected 1 to 16777216 domains, but got -8}}
module attributes {test.attr = #attn.order<[sharing], domains = -8>} {}

// -----

// expected-error @below {{expected a chunk of 1 to 16777216, but got 0}}
module attributes {test.attr = #attn.order<[sharing], domains = 8, chunk = 0>} {}

// -----

// expected-error @below {{expected 1 to 16777216 domains, but got 16777217}}
module attributes {test.attr = #attn.order<[sharing], domains = 16777217>} {}

// -----

// expected-error @below {{expected 1 to 16777216 domains, but got 9223372036854775807}}
module attributes {test.attr = #attn.order<[sharing], domains = 9223372036854775807>} {}

// -----

// expected-error @below {{expected a chunk of 1 to 16777216, but got -1}}
module attributes {test.attr = #attn.order<[sharing], domains = 8, chunk = -1>} {}

// -----

// expected-error @below {{expected a chunk of 1 to 16777216, but got 16777217}}
module attributes {test.attr = #attn.order<[sharing], domains = 8, chunk = 16777217>} {}

// -----

// expected-error @below {{axis 'a' is reversed twice}}
module attributes {test.attr = #attn.order<[a, b], reversed = [a, b, a]>} {}

// -----

// expected-error @below {{re-ranking by 8 domains expects the digit 'sharing'}}
module attributes {test.attr = #attn.order<[head, query], domains = 8>} {}

// -----

// expected-error @below {{expected 'domains', 'chunk', 'together' or 'reversed', but got 'domain'}}
module attributes {test.attr = #attn.order<[sharing], domain = 8>} {}

// -----

// expected-error @below {{expected '='}}
module attributes {test.attr = #attn.order<[sharing], domains 8>} {}

// -----

// expected-error @below {{expected integer value}}
module attributes {test.attr = #attn.order<[sharing], chunk = x>} {}

// -----

// expected-error @below {{integer value too large}}
module attributes {test.attr = #attn.order<[sharing], domains = 9223372036854775808>} {}

// -----

// expected-error @below {{expected '['}}
module attributes {test.attr = #attn.order<query>} {}

// -----

// expected-error @below {{expected valid keyword}}
module attributes {test.attr = #attn.order<[0, 1]>} {}

// -----

// expected-error @below {{expected '['}}
module attributes {test.attr = #attn.order<[a], reversed = a>} {}

// -----

//===----------------------------------------------------------------------===//
// #attn.target
//===----------------------------------------------------------------------===//

// A slip of the pen.
// expected-error @+2 {{unknown target 'gb1'; did you mean 'gb10'? (known: cpu, }}
// expected-error @below {{a target of one's own states every fact; 'sms' is missing}}
module attributes {attn.target = #attn.target<"gb1">} {}

// -----

// The case of letters makes no distance.
// expected-error @+2 {{unknown target 'MI300'; did you mean 'mi300x'? (known: cpu, }}
// expected-error @below {{a target of one's own states every fact; 'sms' is missing}}
module attributes {attn.target = #attn.target<"MI300">} {}

// -----

// Nothing near.
// expected-error @+2 {{unknown target 'tpu-v5p' (known: cpu, }}
// expected-error @below {{a target of one's own states every fact; 'max_resident_ctas' is missing}}
module attributes {attn.target = #attn.target<"tpu-v5p", arch = "v5p", sms = 2>} {}

// -----

// The last fact is missing.
// expected-error @+2 {{unknown target 'mine' (known: cpu, }}
// expected-error @below {{a target of one's own states every fact; 'l2_gbps' is missing}}
module attributes {attn.target = #attn.target<"mine", arch = "a", sms = 1, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1, smem_per_block = 1, registers_per_sm = 1, l2_bytes = 1, l2_effective_bytes = 1, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 1, dispatch_chunk = 1, dram_gbps = 1, tensor_gflops = 1, clock_mhz = 1, special_per_clock = 1, fma_per_clock = 1>} {}

// -----

// expected-error @below {{a target of one's own states its 'arch'}}
module attributes {attn.target = #attn.target<"mine", sms = 1, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1, smem_per_block = 1, registers_per_sm = 1, l2_bytes = 1, l2_effective_bytes = 1, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 1, dispatch_chunk = 1, dram_gbps = 1, tensor_gflops = 1, clock_mhz = 1, special_per_clock = 1, fma_per_clock = 1, l2_gbps = 1>} {}

// -----

// expected-error @below {{unknown fact 'l2_byte'; did you mean 'l2_bytes'?}}
module attributes {attn.target = #attn.target<"gb10", l2_byte = 4>} {}

// -----

// expected-error @below {{unknown fact 'archs'; did you mean 'arch'?}}
module attributes {attn.target = #attn.target<"gb10", archs = "sm_121a">} {}

// -----

// expected-error @below {{unknown fact 'capability'; did you mean 'capabilities'?}}
module attributes {attn.target = #attn.target<"gb10", capability = ["tma"]>} {}

// -----

// expected-error @below {{unknown fact 'frequency'}}
module attributes {attn.target = #attn.target<"gb10", frequency = 4>} {}

// -----

// expected-error @below {{fact 'sms' expects at least 1, but got 0}}
module attributes {attn.target = #attn.target<"gb10", sms = 0>} {}

// -----

// expected-error @below {{expected a fact 'sms' of at most 65536, but got 65537}}
module attributes {attn.target = #attn.target<"gb10", sms = 65537>} {}

// -----

// expected-error @below {{expected a fact 'max_resident_ctas' of at most 65536, but got 4611686018427387904}}
module attributes {attn.target = #attn.target<"gb10", max_resident_ctas = 4611686018427387904>} {}

// -----

// expected-error @below {{expected a fact 'l2_domains' of at most 1024, but got 1025}}
module attributes {attn.target = #attn.target<"h200", l2_domains = 1025>} {}

// -----

// expected-error @below {{expected a fact 'l2_partitions' of at most 64, but got 65}}
module attributes {attn.target = #attn.target<"h200", l2_partitions = 65>} {}

// -----

// expected-error @below {{expected a fact 'dispatch_chunk' of at most 16777216, but got 16777217}}
module attributes {attn.target = #attn.target<"mi300x", dispatch_chunk = 16777217>} {}

// -----

// expected-error @below {{fact 'l2_effective_bytes' expects at least 1, but got -1}}
module attributes {attn.target = #attn.target<"gb10", l2_effective_bytes = -1>} {}

// -----

// expected-error @below {{expected integer value}}
module attributes {attn.target = #attn.target<"gb10", sms = "48">} {}

// -----

// expected-error @below {{integer value too large}}
module attributes {attn.target = #attn.target<"gb10", sms = 9223372036854775808>} {}

// -----

// expected-error @below {{expected string}}
module attributes {attn.target = #attn.target<gb10>} {}

// -----

// expected-error @below {{expected string}}
module attributes {attn.target = #attn.target<"gb10", arch = sm_121a>} {}

// -----

// expected-error @below {{expected string}}
module attributes {attn.target = #attn.target<"gb10", capabilities = [tma]>} {}

// -----

// expected-error @below {{unknown capability 'mma.synk'; did you mean 'mma.sync'? (known: cpu, }}
module attributes {attn.target = #attn.target<"gb10", capabilities = ["nvvm", "mma.synk"]>} {}

// -----

// expected-error @below {{expected '['}}
module attributes {attn.target = #attn.target<"gb10", capabilities = "tma">} {}

// -----

// expected-error @below {{expected '='}}
module attributes {attn.target = #attn.target<"gb10", sms>} {}

// -----

//===----------------------------------------------------------------------===//
// Where a target stands
//===----------------------------------------------------------------------===//

// expected-error @below {{'func.func' op attribute 'attn.target' belongs on a module}}
func.func private @f() attributes {attn.target = #attn.target<"gb10">}

// -----

// expected-error @below {{'attn.kernel' op attribute 'attn.target' belongs on a module}}
attn.kernel @k(%n: index) attributes {attn.target = #attn.target<"gb10">} {
}

// -----

// expected-error @below {{'builtin.module' op attribute 'attn.target' expects an #attn.target, but got "gb10"}}
module attributes {attn.target = "gb10"} {}

// -----

// expected-error @below {{'builtin.module' op attribute 'attn.target' expects an #attn.target, but got #attn.causal<top_left>}}
module attributes {attn.target = #attn.causal<top_left>} {}

// -----

//===----------------------------------------------------------------------===//
// !attn.view
//===----------------------------------------------------------------------===//

// expected-error @below {{a view has at least one dimension}}
func.func private @f(!attn.view<f32>)

// -----

// expected-error @below {{element type of a view must be f16, bf16, f32, f8E4M3FN, f8E5M2, f8E4M3FNUZ, i8, i32 or i64, but got 'f64'}}
func.func private @f(!attn.view<4x?xf64>)

// -----

// expected-error @below {{element type of a view must be f16, bf16, f32, f8E4M3FN, f8E5M2, f8E4M3FNUZ, i8, i32 or i64, but got 'i16'}}
func.func private @f(!attn.view<?xi16>)

// -----

// expected-error @below {{element type of a view must be f16, bf16, f32, f8E4M3FN, f8E5M2, f8E4M3FNUZ, i8, i32 or i64, but got 'vector<4xf32>'}}
func.func private @f(!attn.view<?xvector<4xf32>>)

// -----

// expected-error @below {{expected '<'}}
func.func private @f(!attn.view)

// -----

// expected-error @below {{expected '>'}}
func.func private @f(!attn.view<4xf32, 1>)

// -----

// expected-error @below {{expected non-function type}}
func.func private @f(!attn.view<-4xf32>)

// -----

// expected-error @below {{invalid dimension}}
func.func private @f(!attn.view<9223372036854775808xf32>)

// -----

// expected-error-re @below {{unknown{{ +}}type `views` in dialect `attn`}}
func.func private @f(!attn.views<4xf32>)
