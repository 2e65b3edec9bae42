// convert-attn-to-rocdl: maxima and sums of rows that several lanes share. With blocks of 32 rows two lanes have a row, 32
// apart (ds_bpermute_b32); with blocks of 16 four have, 16 and 32 apart (ds_swizzle_b32: and with 31, exclusive or with 16).
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: llvm.func @large(
// CHECK-NOT: rocdl.ds_swizzle
// The byte address of lane l xor 32.
// CHECK: %[[OTHER:[^ ]+]] = arith.xori %{{[^ ]+}}, %c32{{[^ ]*}} : i32
// CHECK: %[[ADDRESS:[^ ]+]] = arith.{{muli|shli}} %[[OTHER]], %c{{[24]}}{{[^ ]*}} : i32
// CHECK: rocdl.ds_bpermute %[[ADDRESS]], %{{[^ ]+}} : (i32, i32) -> i32
// CHECK-NOT: rocdl.ds_
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#rows = #attn.fragment<threads [32:(1), 2:(0)], registers []>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @large(%a: !attn.view<?x32xf32>, %o: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xf32> -> tensor<32x32xf32, #acc>
    %m = attn.reduce max %x : tensor<32x32xf32, #acc>
    attn.store %m, %o[%c0] : tensor<32xf32, #rows> -> !attn.view<?xf32>
  }
}
}

// -----

// CHECK-LABEL: llvm.func @small(
// CHECK: %[[PATTERN:[^ ]+]] = {{.*}}constant{{.*}}16415
// CHECK: rocdl.ds_swizzle %{{[^ ]+}}, %{{[^ ]+}} : (i32, i32) -> i32
// CHECK: rocdl.ds_bpermute
// CHECK-NOT: rocdl.ds_
// CHECK: llvm.return
#acc = #attn.fragment<threads [16:(1, 0), 4:(0, 8)], registers [8:(0, 1)]>
#rows = #attn.fragment<threads [16:(1), 4:(0)], registers []>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @small(%a: !attn.view<?x32xf32>, %o: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xf32> -> tensor<16x32xf32, #acc>
    %m = attn.reduce sum %x : tensor<16x32xf32, #acc>
    attn.store %m, %o[%c0] : tensor<16xf32, #rows> -> !attn.view<?xf32>
  }
}
}

// -----

// What a lane has of a row is reduced without the others.
// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT: rocdl.ds_
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#parts = #attn.fragment<threads [32:(1, 0), 2:(0, 1)], registers []>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @alone(%a: !attn.view<?x32xf32>, %o: !attn.view<?x2xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xf32> -> tensor<32x32xf32, #acc>
    %m = attn.reduce_registers sum %x : tensor<32x32xf32, #acc>
    attn.store %m, %o[%c0, %c0] : tensor<32x2xf32, #parts> -> !attn.view<?x2xf32>
  }
}
}
