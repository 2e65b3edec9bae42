// attn-set-target on a module without a target: the generic CPU.
//
// RUN: attn-opt %s -attn-set-target | FileCheck %s
// RUN: attn-opt %s -attn-set-target=target=cpu | FileCheck %s
// RUN: attn-opt %s -attn-set-target=overrides=sms=2 | FileCheck %s --check-prefix=OVER
// RUN: not attn-opt %s -attn-set-target=overrides=smss=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FACT
// RUN: attn-compile %s --target=cpu | FileCheck %s
// RUN: attn-opt %s -attn-schedule | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 4, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1048576, smem_per_block = 1048576, registers_per_sm = 1048576, l2_bytes = 33554432, l2_effective_bytes = 33554432, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 64, dispatch_chunk = 1, dram_gbps = 50, tensor_gflops = 500, clock_mhz = 3000, special_per_clock = 1, fma_per_clock = 16, l2_gbps = 200>} {
// OVER: module attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 2, max_resident_ctas = 1,
// FACT: error: unknown fact 'smss'; did you mean 'sms'?
// NONE: module {
module {
}
