// attn-stream-partition{split-results}: a kernel for each result, of whose state alone streams carry.
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=32,key=64 split-results' | FileCheck %s
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=32,key=64' | FileCheck %s --check-prefix=BOTH
// By the schedule of the operation.
// RUN: sed 's/scale(0.125)/scale(0.125) {attn.schedule = #attn.schedule<tiles = [query = 32, key = 64], split_results>}/' %s > %t.mlir
// RUN: attn-opt %t.mlir --attn-schedule='target=h200' | FileCheck %s
// One result is not divided.
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200' -o %t.one
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200 split-results' | diff %t.one -

// BOTH: %{{.*}}:2 = attn.launch @f_attention_backward_key ins
// CHECK-LABEL: func.func @f
// CHECK: %[[DK:.*]] = attn.launch @f_attention_backward_key_dk
// CHECK: %[[DV:.*]] = attn.launch @f_attention_backward_key_dv
// CHECK: return %[[DK]], %[[DV]]

// dK takes three products, around which a stream of query heads runs; it carries one sum as
// well. V and delta are not loaded for dV.
// CHECK-LABEL: attn.kernel @f_attention_backward_key_dk
// CHECK: attn.stream {{.*}} carry (%{{[^,]*}} : tensor<64x64xf32>) {
// CHECK: attn.stream {{.*}} carry (%{{[^,]*}} : tensor<64x64xf32>) {
// CHECK-COUNT-3: attn.dot
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{.*}}, %dk[
// CHECK-NOT: attn.store
// CHECK-LABEL: attn.kernel @f_attention_backward_key_dv
// CHECK-NOT: attn.load %v[
// CHECK: attn.stream {{.*}} carry (%{{[^,]*}} : tensor<64x64xf32>) {
// CHECK-NOT: attn.load %delta[
// CHECK-COUNT-2: attn.dot
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{.*}}, %dv[
func.func @f(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>,
             %do: tensor<?x4x?x64xbf16>, %lse: tensor<?x4x?xf32>, %delta: tensor<?x4x?xf32>)
    -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) {
  %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta scale(0.125)
      : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>,
         tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>, tensor<?x4x?xf32>)
      -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
  return %dk, %dv : tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>
}
