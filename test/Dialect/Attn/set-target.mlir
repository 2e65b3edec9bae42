// attn-set-target: a known target, overrides, and what the module had before.
//
// RUN: attn-opt %s -attn-set-target | FileCheck %s --check-prefix=KEEP
// RUN: attn-opt %s -attn-set-target=target=h100 | FileCheck %s --check-prefix=H100
// RUN: attn-opt %s -attn-set-target='target=mi300x overrides=l2_domains=4,sms=38' \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: attn-opt %s -attn-set-target='overrides=sms=7,l2_bytes=9223372036854775807,sms=8' \
// RUN:   | FileCheck %s --check-prefix=OVER
//
// Each pass starts from what the one before left.
// RUN: attn-opt %s -attn-set-target='target=h200 overrides=sms=66' \
// RUN:   -attn-set-target=overrides=l2_bytes=1048576 | FileCheck %s --check-prefix=TWICE
//
// The other two ways to the same.
// RUN: attn-opt %s -attn-schedule='target=mi300x overrides=l2_domains=4,sms=38' \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: attn-compile %s --target=mi300x --target-fact=l2_domains=4,sms=38 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: attn-compile %s --target=mi300x --target-fact=l2_domains=4 --target-fact=sms=38 \
// RUN:   | FileCheck %s --check-prefix=BOTH

// Nothing asked: the target that the module has.
// KEEP: module attributes {attn.target = #attn.target<"gb10", arch = "sm_121a", capabilities = ["nvvm"], sms = 40, max_resident_ctas = 24, max_cluster_ctas = 8, max_clusters = 5, smem_per_sm = 102400, smem_per_block = 101376, registers_per_sm = 65536, l2_bytes = 25165824, l2_effective_bytes = 20971520, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 32, dispatch_chunk = 1, dram_gbps = 301, tensor_gflops = 125000, clock_mhz = 2418, special_per_clock = 16, fma_per_clock = 128, l2_gbps = 7400>, test.note} {

// A target replaces the old one, with what was overridden there.
// H100: module attributes {attn.target = #attn.target<"h100", arch = "sm_90a", capabilities = ["nvvm", {{.*}}], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 52428800, l2_effective_bytes = 26214400, l2_domains = 1, l2_partitions = 2, l2_sector_bytes = 32, dispatch_chunk = 1, dram_gbps = 3350, tensor_gflops = 989000, clock_mhz = 1830, special_per_clock = 16, fma_per_clock = 128, l2_gbps = 6300>, test.note} {

// BOTH: module attributes {attn.target = #attn.target<"mi300x", arch = "gfx942", capabilities = ["rocdl", {{.*}}], sms = 38, max_resident_ctas = 16, max_cluster_ctas = 1, max_clusters = 304, smem_per_sm = 65536, smem_per_block = 65536, registers_per_sm = 131072, l2_bytes = 4194304, l2_effective_bytes = 4194304, l2_domains = 4, l2_partitions = 1, l2_sector_bytes = 128, dispatch_chunk = 1, dram_gbps = 5300, tensor_gflops = 1307400, clock_mhz = 2100, special_per_clock = 16, fma_per_clock = 128, l2_gbps = 34400>, test.note} {

// Overrides alone keep the name, the architecture and the other facts; the last
// one of a fact counts.
// OVER: module attributes {attn.target = #attn.target<"gb10", arch = "sm_121a", capabilities = ["nvvm"], sms = 8, max_resident_ctas = 24, max_cluster_ctas = 8, max_clusters = 5, smem_per_sm = 102400, smem_per_block = 101376, registers_per_sm = 65536, l2_bytes = 9223372036854775807, l2_effective_bytes = 20971520, l2_domains = 1,

// TWICE: module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", {{.*}}, sms = 66, {{.*}}, l2_bytes = 1048576, l2_effective_bytes = 31457280,
module attributes {
  attn.target = #attn.target<"gb10", sms = 40, capabilities = ["nvvm"]>, test.note} {
  // Nothing but the target changes.
  // KEEP-NEXT: func.func private @f()
  // H100-NEXT: func.func private @f()
  // BOTH-NEXT: func.func private @f()
  func.func private @f()
}
