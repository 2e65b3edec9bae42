// #attn.schedule: printed, parsed; fields in one order, defaults stated where they are given.
//
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt | FileCheck %s

// CHECK: test.a = #attn.schedule<>
// CHECK-SAME: test.one = #attn.schedule<tiles = [query = 128, key = 64], splits = 2, grid_order = swizzled_head_first, domains = 8, chunk = 1, longest_first, persistent, sms = 132, resident = 1, pair_tiles, in_step, sawtooth = force, traversal = inside_out, stride = 2, shift = 3>
// CHECK-SAME: test.three = #attn.schedule<wgmma = all, specialize, overlap, ping_pong = false, late_turns, first_rows, producer_registers = 24, optimistic_max, mx_products, lead = 80, exact_peaks, exact_last, resident_stages = 2, stages = 3, store_tensors, exchange_columns, stream_reads, copy = async, copy_chunk = 4, warps = 8, priority = scores>
module attributes {
  test.a = #attn.schedule<>,
  test.one = #attn.schedule<shift = 3, sawtooth = force, stride = 2, traversal = inside_out, in_step, pair_tiles = true, resident = 1, sms = 132, persistent, longest_first, chunk = 1, domains = 8, grid_order = swizzled_head_first, splits = 2, tiles = [query = 128, key = 64]>,
  test.three = #attn.schedule<priority = scores, warps = 8, copy_chunk = 4, copy = async, exchange_columns, store_tensors, stream_reads, stages = 3, resident_stages = 2, exact_last, exact_peaks, lead = 80, mx_products, optimistic_max, producer_registers = 24, first_rows, late_turns, ping_pong = false, overlap, specialize, wgmma = all>
} {
  // CHECK: attn.attention {{.*}} {attn.schedule = #attn.schedule<pack_group>}
  func.func @f(%q: tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16> {
    %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = #attn.schedule<pack_group>} : (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16>
    return %o : tensor<1x1x16x16xf16>
  }
}
