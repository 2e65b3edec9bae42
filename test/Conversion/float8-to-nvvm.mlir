// attn.interleave moves no element out of its register; four weights make a word of FP8.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' --mlir-print-ir-after=convert-attn-to-nvvm -o /dev/null 2>&1 | FileCheck %s

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#lhs = #attn.fragment<threads [4:(0, 4), 8:(1, 0)], registers [4:(0, 1), 2:(8, 0), 2:(0, 16)]>

// CHECK-LABEL: llvm.func @order
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15] : vector<16xf32>, vector<16xf32>
attn.kernel @order(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    %u = attn.interleave %t : tensor<16x32xf32, #acc> to tensor<16x32xf32, #lhs>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #lhs> -> <?x32xf32>
  }
}

#quarters = #attn.fragment<threads [4:(0, 8), 8:(1, 0)], registers [8:(0, 1), 2:(8, 0)]>

// A lane has a quarter of 32 columns as neighbours, and stores them at once.
// CHECK-LABEL: llvm.func @groups
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15] : vector<16xf32>, vector<16xf32>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
attn.kernel @groups(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf8E4M3FN>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    %u = attn.interleave %t group(32) : tensor<16x32xf32, #acc> to tensor<16x32xf32, #quarters>
    %w = arith.truncf %u : tensor<16x32xf32, #quarters> to tensor<16x32xf8E4M3FN, #quarters>
    attn.store %w, %y[%c0, %c0] : tensor<16x32xf8E4M3FN, #quarters> -> <?x32xf8E4M3FN>
  }
}

#rows = #attn.fragment<threads [8:(0, 4), 4:(1, 0)], registers [4:(0, 1), 4:(4, 0)]>
#pairs = #attn.fragment<threads [16:(0, 2), 2:(1, 0)], registers [2:(0, 1), 8:(2, 0)]>

// Words are stored as they are; where a run is less than one, its bytes.
// CHECK-LABEL: llvm.func @store
// CHECK-COUNT-8: nvvm.convert.f32x2.to.f8x2
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-COUNT-8: nvvm.convert.f32x2.to.f8x2
// CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<16xi8>
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : vector<2xi8>, !llvm.ptr<1>
attn.kernel @store(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf8E4M3FN>, %z: !attn.view<?x32xf8E5M2>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #rows>
    %u = arith.truncf %t : tensor<16x32xf32, #rows> to tensor<16x32xf8E4M3FN, #rows>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf8E4M3FN, #rows> -> <?x32xf8E4M3FN>
    %t2 = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #pairs>
    %u2 = arith.truncf %t2 : tensor<16x32xf32, #pairs> to tensor<16x32xf8E5M2, #pairs>
    attn.store %u2, %z[%c0, %c0] : tensor<16x32xf8E5M2, #pairs> -> <?x32xf8E5M2>
  }
}
