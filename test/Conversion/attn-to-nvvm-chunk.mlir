// Asynchronous copies of 4 bytes: four to a chunk of the swizzle, as far as the view
// goes, and an alignment of 4 bytes in the manifest.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s

// 16 rows of 8 copies: 4 for each of 32 threads.
// CHECK-LABEL: llvm.func @ring_async
// CHECK-SAME: align = [{bytes = 4 : i64, view = 0 : i64}]
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK: %[[CHUNK:[^ ]+]] = arith.remui %{{[^ ]+}}, %[[C8]] : i32
// CHECK: %[[WHOLE:[^ ]+]] = arith.divui %[[CHUNK]], %[[C4]] : i32
// CHECK: %[[PART:[^ ]+]] = arith.remui %[[CHUNK]], %[[C4]] : i32
// CHECK: arith.muli %[[PART]], %[[C4]] : i32
// CHECK-COUNT-4: nvvm.cp.async.shared.global %{{[^ ]+}}, %{{[^ ]+}}, 4, cache = ca, %{{[^ ]+}} :
// CHECK-NOT: nvvm.cp.async.shared
// CHECK: nvvm.cp.async.mbarrier.arrive
attn.kernel @ring_async(%x: !attn.view<?x?x?xf16>, %i: index) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : <2 x tensor<16x16xf16, #attn.shared<32>>> -> <tensor<16x16xf16, #attn.shared<32>>>
    %p = attn.ring.issue %s, %x[%i, %i, %i] by async chunk 4 : <tensor<16x16xf16, #attn.shared<32>>>, <?x?x?xf16> -> <tensor<16x16xf16, #attn.shared<32>>>
    attn.ring.land %p : <tensor<16x16xf16, #attn.shared<32>>>
    %t = attn.ring.wait %r : <2 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    attn.ring.release %r : <2 x tensor<16x16xf16, #attn.shared<32>>>
  }
}
