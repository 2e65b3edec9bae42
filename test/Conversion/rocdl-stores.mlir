// convert-attn-to-rocdl: tiles are stored by their owners, as many neighbouring columns at once as a lane has and the view allows.
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.store

// Eight columns of 16 bits: two stores of 16 bytes, each where its row and column exist.
// CHECK-LABEL: llvm.func @chunks(
// CHECK-COUNT-2: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 4 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @chunks(%a: !attn.view<?x32xbf16>, %o: !attn.view<?x32xbf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xbf16> -> tensor<32x32xbf16, #acc>
    attn.store %x, %o[%c0, %c0] : tensor<32x32xbf16, #acc> -> !attn.view<?x32xbf16>
  }
}
}

// -----

// Rows of a length that is not known may end anywhere: element by element.
// CHECK-LABEL: llvm.func @elements(
// CHECK-COUNT-16: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 2 : i64} : bf16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @elements(%a: !attn.view<?x32xbf16>, %o: !attn.view<?x?xbf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xbf16> -> tensor<32x32xbf16, #acc>
    attn.store %x, %o[%c0, %c0] : tensor<32x32xbf16, #acc> -> !attn.view<?x?xbf16>
  }
}
}

// -----

// One value a row: of two lanes that have it one stores it.
// CHECK-LABEL: llvm.func @rows(
// CHECK: %[[SECOND:[^ ]+]] = arith.divui %{{[^ ]+}}, %c32{{[^ ]*}} : i32
// CHECK: %[[OWNS:[^ ]+]] = arith.cmpi eq, %{{[^ ]+}}, %c0{{[^ ]*}} : i32
// CHECK: arith.andi %[[OWNS]], %{{[^ ]+}} : i1
// CHECK: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
#rows = #attn.fragment<threads [32:(1), 2:(0)], registers []>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @rows(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0] : !attn.view<?xf32> -> tensor<32xf32, #rows>
    attn.store %x, %o[%c0] : tensor<32xf32, #rows> -> !attn.view<?xf32>
  }
}
}
