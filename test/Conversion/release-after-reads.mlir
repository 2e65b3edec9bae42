// convert-attn-to-nvvm: threads that have read a slot themselves arrive when what they read is there.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=unrealized_conversion_cast

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

// The registers of an ldmatrix arrive together: one of each says so. Nobody can know that it is
// masked by zero.

// CHECK-LABEL: llvm.func @matrices
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: %[[M:[^ ]+]] = nvvm.ldmatrix
// CHECK: %[[M0:[^ ]+]] = llvm.extractvalue %[[M]][0]
// CHECK: %[[N:[^ ]+]] = nvvm.ldmatrix
// CHECK: %[[N0:[^ ]+]] = llvm.extractvalue %[[N]][0]
// CHECK-NOT: arith.ori
// CHECK: %[[ANY:[^ ]+]] = arith.ori %[[M0]], %[[N0]] : i32
// CHECK-NOT: arith.ori
// CHECK: gpu.grid_dim z
// CHECK: arith.andi %[[ANY]], %{{[^ ]+}} : i32
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.mulf
attn.kernel @matrices(%o: !attn.view<16x32xbf16>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x32xbf16, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %t = attn.ring.wait %r : <1 x tensor<16x32xbf16, #attn.shared<64>>> -> tensor<16x32xbf16, #attn.shared<64>>
    %f = attn.convert_layout %t : tensor<16x32xbf16, #attn.shared<64>> to tensor<16x32xbf16, #acc>
    attn.ring.release %r : <1 x tensor<16x32xbf16, #attn.shared<64>>>
    %m = arith.mulf %f, %f : tensor<16x32xbf16, #acc>
    attn.store %m, %o[%c0, %c0] : tensor<16x32xbf16, #acc> -> <16x32xbf16>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Elements that are loaded one at a time arrive one at a time.

// CHECK-LABEL: llvm.func @elements
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-8: llvm.load %{{[^ ]+}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-7: arith.ori %{{[^ ]+}}, %{{[^ ]+}} : i32
// CHECK-NOT: arith.ori
// CHECK: gpu.grid_dim z
// CHECK: nvvm.mbarrier.arrive
attn.kernel @elements(%o: !attn.view<16x16xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %t = attn.ring.wait %r : <1 x tensor<16x16xf32, #attn.shared<64>>> -> tensor<16x16xf32, #attn.shared<64>>
    %f = attn.convert_layout %t : tensor<16x16xf32, #attn.shared<64>> to tensor<16x16xf32, #acc>
    attn.ring.release %r : <1 x tensor<16x16xf32, #attn.shared<64>>>
    %m = arith.mulf %f, %f : tensor<16x16xf32, #acc>
    attn.store %m, %o[%c0, %c0] : tensor<16x16xf32, #acc> -> <16x16xf32>
  }
}
