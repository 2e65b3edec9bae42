// convert-attn-to-rocdl: attn.load straight into registers: of one value a row, and of f32.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.load

#acc = #attn.fragment<threads [16:(1, 0), 4:(0, 8)], registers [8:(0, 1), 2:(0, 32)]>
#rows = #attn.fragment<threads [16:(1), 4:(0)], registers []>

// A tile of rank 1 is one row of a descriptor, which has the bytes that the view has left, 64 at most,
// or none where the slice is outside; its lanes load a word each, and what lies beyond the descriptor's
// bytes is zero without a comparison. A matrix of f32 comes by 16 bytes. Only rows of the matrix have a limit on their stride.

// CHECK-LABEL: llvm.func @loads
// CHECK-SAME: align = [{bytes = 4 : i64, view = 0 : i64}, {bytes = 4 : i64, view = 1 : i64},
// CHECK-SAME: {{\["(or|ge)".*}}["stride", 1, 1]
// CHECK-NOT: ["stride", 0,
// CHECK: rocdl.kernel
// CHECK-NOT: arith.constant 2147483632 : i32
// CHECK: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK: %[[LEFT:[^ ]+]] = arith.minsi %{{[^ ]+}}, %{{[^ ]+}} : i64
// CHECK: %[[BYTES:[^ ]+]] = arith.select %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : i64
// CHECK: %[[ROWS:[^ ]+]] = rocdl.make.buffer.rsrc %{{[^,]+}}, %{{[^,]+}}, %[[BYTES]],
// CHECK-NOT: arith.cmpi slt
// CHECK: rocdl.raw.ptr.buffer.load %[[ROWS]], {{.*}} : i32
// CHECK: rocdl.make.buffer.rsrc
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.raw.ptr.buffer.load
attn.kernel @loads(%l: !attn.view<?x?xf32>, %x: !attn.view<?x?x64xf32>, %o: !attn.view<?x64xf32>, %i: index) attributes {threads = 64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %r = attn.load %l[%w, %i] : !attn.view<?x?xf32> -> tensor<16xf32, #rows>
    %t = attn.load %x[%w, %i, %c0] : !attn.view<?x?x64xf32> -> tensor<16x64xf32, #acc>
    %b = attn.broadcast %r : tensor<16xf32, #rows> to tensor<16x64xf32, #acc>
    %m = arith.mulf %t, %b : tensor<16x64xf32, #acc>
    attn.store %m, %o[%i, %c0] : tensor<16x64xf32, #acc> -> !attn.view<?x64xf32>
  }
}

// -----

#rows = #attn.fragment<threads [32:(1), 2:(0)], registers []>

// A view of rank 1 has no rows at all.

// CHECK-LABEL: llvm.func @vector
// CHECK-NOT: "stride"
// CHECK: rocdl.kernel
// CHECK: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : i32
// CHECK-NOT: rocdl.raw.ptr.buffer.load
attn.kernel @vector(%l: !attn.view<?xf32>, %o: !attn.view<?xf32>, %i: index) attributes {threads = 64} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %r = attn.load %l[%i] : !attn.view<?xf32> -> tensor<32xf32, #rows>
    attn.store %r, %o[%i] : tensor<32xf32, #rows> -> !attn.view<?xf32>
  }
}
