// convert-attn-to-nvvm: attn.load straight into registers. What lies outside of the view comes from
// a constant of zeros: no load stands behind a branch, and none reads an empty view.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.load
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not=unrealized_conversion_cast
// LLVM: llvm.load volatile {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Pairs of columns, of which the manifest says the alignment. A thread has rows l / 4 and eight below
// it, columns 2 (l mod 4) and the eight further. What is before the view is outside of it as what is behind: numbers without a sign.

// CHECK: llvm.mlir.global internal constant @attn_zeros("{{(.00)+}}") {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @pairs
// CHECK-SAME: (%[[X:[^ ]+]]: !llvm.ptr, %[[SIZE:[^ ]+]]: i64,
// CHECK-SAME: align = [{bytes = 8 : i64, view = 0 : i64}, {bytes = 4 : i64, view = 1 : i64}]
// CHECK: %[[ZEROS:[^ ]+]] = llvm.mlir.addressof @attn_zeros : !llvm.ptr<1>
// CHECK-NOT: scf.if
// CHECK: %[[SLICE:[^ ]+]] = arith.cmpi ult, %{{[^ ]+}}, %[[SIZE]] : i64
// CHECK-NOT: scf.if
// CHECK: %[[ROW:[^ ]+]] = arith.divui %{{[^ ]+}}, %{{[^ ]+}} : i32
// CHECK: %[[INDEX:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[ROW]] overflow<nsw> : i32
// CHECK-NEXT: %[[HAS:[^ ]+]] = arith.cmpi ult, %[[INDEX]], %{{[^ ]+}} : i32
// CHECK-NEXT: %[[EXISTS:[^ ]+]] = arith.andi %[[SLICE]], %[[HAS]] : i1
// CHECK: %[[IN:[^ ]+]] = arith.andi %[[EXISTS]], %{{[^ ]+}} : i1
// CHECK: %[[AT:[^ ]+]] = llvm.getelementptr %{{[^ ]+}}[%{{[^ ]+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK-NEXT: %[[FROM:[^ ]+]] = arith.select %[[IN]], %[[AT]], %[[ZEROS]] : !llvm.ptr<1>
// CHECK-NEXT: %[[PAIR:[^ ]+]] = llvm.load volatile %[[FROM]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NEXT: %[[E:[^ ]+]]:2 = vector.to_elements %[[PAIR]]
// CHECK-NOT: scf.if
// CHECK: llvm.load volatile %{{[^ ]+}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: scf.if
// CHECK: llvm.load volatile %{{[^ ]+}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: scf.if
// CHECK: llvm.load volatile %{{[^ ]+}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: {{scf.if|llvm.load}}
// CHECK: vector.from_elements %[[E]]#0, %[[E]]#1, {{.*}} : vector<8xf32>
// CHECK-NOT: llvm.load
attn.kernel @pairs(%x: !attn.view<?x?x64xf32>, %o: !attn.view<?x64xf32>, %i: index) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  attn.ctas %w in %c1 {
    %column = arith.muli %i, %c16 : index
    %t = attn.load %x[%w, %i, %column] : !attn.view<?x?x64xf32> -> tensor<16x16xf32, #acc>
    %u = arith.addf %t, %t : tensor<16x16xf32, #acc>
    attn.store %u, %o[%i, %i] : tensor<16x16xf32, #acc> -> !attn.view<?x64xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Elements where a tile may start at any column, where rows may end anywhere, and where they
// are odd; of 16 bits pairs are words.

// CHECK-LABEL: llvm.func @elements
// CHECK-SAME: align = [{bytes = 4 : i64, view = 0 : i64}, {bytes = 4 : i64, view = 1 : i64}, {bytes = 2 : i64, view = 2 : i64}, {bytes = 4 : i64, view = 3 : i64},
// CHECK-COUNT-8: llvm.load volatile %{{[^ ]+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-COUNT-8: llvm.load volatile %{{[^ ]+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-COUNT-8: llvm.load volatile %{{[^ ]+}} {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xf16>
// CHECK-COUNT-4: llvm.load volatile %{{[^ ]+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
attn.kernel @elements(%a: !attn.view<?x64xf32>, %b: !attn.view<?x?xf32>, %c: !attn.view<?x15xf16>, %d: !attn.view<?x64xbf16>,
                      %o: !attn.view<?x64xf32>, %i: index) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %at = attn.load %a[%i, %i] : !attn.view<?x64xf32> -> tensor<16x16xf32, #acc>
    %bt = attn.load %b[%i, %c0] : !attn.view<?x?xf32> -> tensor<16x16xf32, #acc>
    %ct = attn.load %c[%i, %c0] : !attn.view<?x15xf16> -> tensor<16x16xf16, #acc>
    %dt = attn.load %d[%i, %c0] : !attn.view<?x64xbf16> -> tensor<16x16xbf16, #acc>
    %ce = arith.extf %ct : tensor<16x16xf16, #acc> to tensor<16x16xf32, #acc>
    %de = arith.extf %dt : tensor<16x16xbf16, #acc> to tensor<16x16xf32, #acc>
    %x = arith.addf %at, %bt : tensor<16x16xf32, #acc>
    %y = arith.addf %ce, %de : tensor<16x16xf32, #acc>
    %z = arith.addf %x, %y : tensor<16x16xf32, #acc>
    attn.store %z, %o[%i, %i] : tensor<16x16xf32, #acc> -> !attn.view<?x64xf32>
  }
}

// -----

#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>

// One value a row: all four threads that hold a row load it; whether there is such a row depends on
// the leading dimension, too. (The first of the four stores it.)

// CHECK-LABEL: llvm.func @one_a_row
// CHECK: %[[ZEROS:[^ ]+]] = llvm.mlir.addressof @attn_zeros
// CHECK: %[[SLICE:[^ ]+]] = arith.cmpi ult,
// CHECK: %[[ROW:[^ ]+]] = arith.divui
// CHECK-NEXT: %[[INDEX:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[ROW]] overflow<nsw> : i32
// CHECK-NEXT: %[[HAS:[^ ]+]] = arith.cmpi ult, %[[INDEX]],
// CHECK-NEXT: %[[IN:[^ ]+]] = arith.andi %[[SLICE]], %[[HAS]] : i1
// CHECK: %[[FROM:[^ ]+]] = arith.select %[[IN]], %{{[^ ]+}}, %[[ZEROS]] : !llvm.ptr<1>
// CHECK-NEXT: %[[V:[^ ]+]] = llvm.load volatile %[[FROM]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-NEXT: %[[E:[^ ]+]] = vector.to_elements %[[V]]
// CHECK-NOT: arith.remui
// CHECK: llvm.load volatile %{{[^ ]+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-NOT: llvm.load
// CHECK: arith.remui
// CHECK: scf.if
// CHECK: llvm.store %[[E]],
attn.kernel @one_a_row(%x: !attn.view<?x?xf32>, %i: index) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%w, %i] : !attn.view<?x?xf32> -> tensor<16xf32, #rows>
    attn.store %t, %x[%w, %i] : tensor<16xf32, #rows> -> !attn.view<?x?xf32>
  }
}
