// RUN: attn-opt %s --attn-outline-programs --split-input-file | FileCheck %s
// RUN: attn-opt %s --attn-outline-programs --attn-outline-programs --split-input-file | FileCheck %s

// The target goes with the programs. Sizes of results are those of axes; constants go along,
// other scalars are passed, and what is an operand twice is passed once.

// CHECK-LABEL: module attributes {attn.target = #attn.target<"cpu"
// CHECK:       func.func @among(%[[Q:.*]]: tensor<?x4x?x64xf16>, %[[K:.*]]: tensor<?x2x?x64xf16>, %[[CAP:.*]]: f32, %[[LENGTHS:.*]]: tensor<?xi32>)
// CHECK:         scf.for
// CHECK-DAG:       %[[BATCH:.*]] = tensor.dim %[[Q]], %c0
// CHECK-DAG:       %[[QUERIES:.*]] = tensor.dim %[[Q]], %c2
// CHECK:           %[[EMPTY:.*]] = tensor.empty(%[[BATCH]], %[[QUERIES]]) : tensor<?x4x?x64xf16>
// CHECK:           %[[LSE:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x4x?xf32>
// CHECK:           %[[O:.*]]:2 = attn.launch @among_attention ins(%[[Q]], %[[K]], %[[LENGTHS]] : {{.*}}) outs(%[[EMPTY]], %[[LSE]] : {{.*}}) scalars(%[[CAP]] : f32) views [#map, #map, #map1, #map, #map2]
// CHECK:           scf.yield %[[O]]#0

// CHECK:       module @attn_programs attributes {attn.target = #attn.target<"cpu"
// CHECK-NEXT:    func.func @among_attention(%[[A:.*]]: tensor<?x4x?x64xf16>, %[[B:.*]]: tensor<?x2x?x64xf16>, %{{.*}}: tensor<?xi32>, %[[S:.*]]: f32) -> (tensor<?x4x?x64xf16>, tensor<?x4x?xf32>)
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2.0
// CHECK-NEXT:      attn.attention %[[A]], %[[B]], %[[B]] {{.*}} captures(%[[S]], %[[TWO]] : f32, f32)
// CHECK:       func.func private @among_attention(!attn.view<?x4x?x64xf16>, !attn.view<?x2x?x64xf16>, !attn.view<?xi32>, !attn.view<?x4x?x64xf16>, !attn.view<?x4x?xf32>, f32) attributes {attn.program = @attn_programs}
module attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 4, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1048576, smem_per_block = 1048576, registers_per_sm = 1048576, l2_bytes = 33554432, l2_effective_bytes = 33554432, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 64, dispatch_chunk = 1, dram_gbps = 50, tensor_gflops = 500, clock_mhz = 3000, special_per_clock = 1, fma_per_clock = 16, l2_gbps = 200>} {
  func.func @among(%q: tensor<?x4x?x64xf16>, %k: tensor<?x2x?x64xf16>, %cap: f32,
                   %lengths: tensor<?xi32>) -> tensor<?x4x?x64xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %two = arith.constant 2.0 : f32
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %q) -> tensor<?x4x?x64xf16> {
      %o, %lse = attn.attention %q, %k, %k scale(0.125) lengths(%lengths : tensor<?xi32>)
          captures(%cap, %two : f32, f32)
          score(%s: f32, %b: index, %h: index, %n: index, %j: index, %c: f32, %d: f32) {
            %y = arith.divf %s, %c : f32
            %z = arith.mulf %y, %d : f32
            attn.yield %z : f32
          } : (tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
          -> (tensor<?x4x?x64xf16>, tensor<?x4x?xf32>)
      scf.yield %o : tensor<?x4x?x64xf16>
    }
    return %r : tensor<?x4x?x64xf16>
  }
}

// -----

// Sizes of a result in the order of its layout; names that are taken get numbers.

// CHECK-LABEL: func.func @layouts
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x8x32xf16>
// CHECK-DAG:     %[[BATCH:.*]] = tensor.dim %[[Q]], %c0
// CHECK-DAG:     %[[QUERIES:.*]] = tensor.dim %[[Q]], %c1
// CHECK:         %[[E:.*]] = tensor.empty(%[[BATCH]], %[[QUERIES]]) : tensor<?x?x8x32xf16>
// CHECK:         attn.launch @layouts_attention ins({{.*}}) outs(%[[E]] :
// CHECK:         attn.launch @layouts_attention_{{[0-9]+}} ins
// CHECK:       module @attn_programs_{{[0-9]+}} {
// CHECK:         func.func @layouts_attention(
// CHECK:         func.func @[[SECOND:layouts_attention_[0-9]+]](
// CHECK:       func.func private @layouts_attention({{.*}}attributes {attn.program = @attn_programs_{{[0-9]+}}}
// CHECK:       func.func private @[[SECOND]](
func.func private @attn_programs()
func.func @layouts(%q: tensor<?x?x8x32xf16>, %k: tensor<?x?x8x32xf16>) -> tensor<?x?x8x32xf16> {
  %o = attn.attention %q, %k, %k scale(0.125) layout(bshd)
      : (tensor<?x?x8x32xf16>, tensor<?x?x8x32xf16>, tensor<?x?x8x32xf16>) -> tensor<?x?x8x32xf16>
  %p = attn.attention %o, %k, %k scale(0.125) layout(bshd)
      : (tensor<?x?x8x32xf16>, tensor<?x?x8x32xf16>, tensor<?x?x8x32xf16>) -> tensor<?x?x8x32xf16>
  return %p : tensor<?x?x8x32xf16>
}

// -----

// Every streamable operation, whatever it is.

// CHECK-LABEL: func.func @product
// CHECK:         attn.launch @product_matmul
func.func @product(%a: tensor<?x256xbf16>, %b: tensor<256x?xbf16>) -> tensor<?x?xbf16> {
  %c = attn.matmul %a, %b : (tensor<?x256xbf16>, tensor<256x?xbf16>) -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

// -----

// CHECK-LABEL: func.func @nothing
// CHECK-NOT:   module @
// CHECK:       arith.addf
func.func @nothing(%a: tensor<?xf32>) -> tensor<?xf32> {
  %b = arith.addf %a, %a : tensor<?xf32>
  return %b : tensor<?xf32>
}
