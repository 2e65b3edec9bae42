// convert-attn-stream-to-scf{most-loops=n}: segments in loops one behind the other, also where their
// order is known at run time only.
// RUN: attn-opt %s --convert-attn-stream-to-scf=most-loops=3 --cse | FileCheck %s
// A loop too few, and the order of two segments is chosen in a loop around theirs.
// RUN: attn-opt %s --convert-attn-stream-to-scf=most-loops=2 --cse | FileCheck %s --check-prefix=AROUND
// RUN: not attn-opt %s --convert-attn-stream-to-scf=most-loops=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected 1 to 64 loops, or 0 for the default, but got -1
// RUN: not attn-opt %s --convert-attn-stream-to-scf=most-loops=65 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected 1 to 64 loops, or 0 for the default, but got 65

// The segment in front comes first or last; the loop of the other direction has no tiles.
// CHECK-LABEL: attn.kernel @both
// CHECK-SAME: %[[LO:[^ ]+]]: index, %[[MID:[^ ]+]]: index, %[[HI:[^ ]+]]: index, %[[ODD:[^ ]+]]: i1)
// CHECK: %[[FRONT:[^ ]+]] = arith.select %[[ODD]], %[[LO]], %[[MID]] : index
// CHECK: arith.subi %[[FRONT]], %[[LO]]
// CHECK: %[[A:[^ ]+]] = scf.for
// CHECK-NOT: arith.select {{.*}} tensor
// CHECK: scf.yield
// CHECK: %[[B:[^ ]+]] = scf.for {{.*}} iter_args(%{{[^ ]+}} = %[[A]])
// CHECK: arith.select {{.*}} tensor
// CHECK: scf.yield
// CHECK: %[[BACK:[^ ]+]] = arith.select %[[ODD]], %[[MID]], %[[LO]] : index
// CHECK: arith.subi %[[BACK]], %[[LO]]
// CHECK: %[[C:[^ ]+]] = scf.for {{.*}} iter_args(%{{[^ ]+}} = %[[B]])
// CHECK-NOT: arith.select {{.*}} tensor
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: attn.store %[[C]]

// AROUND-LABEL: attn.kernel @both
// AROUND: scf.for
// AROUND: scf.if
attn.kernel @both(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index, %odd: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.ctas %w in %c1 {
    %r = attn.stream %j step 16 traversal #attn.reversed(%odd : i1) over [%lo to %mid, masked %mid to %hi] carry (%a = %zero : tensor<16x16xf32>) {
      %t = attn.load %x[%c0, %j] : <?x?xf32> -> tensor<16x16xf32>
      %rows = attn.iota 0 from %c0 : tensor<16x16xindex>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %keep = arith.cmpi sle, %cols, %rows : tensor<16x16xindex>
      %m = attn.mask %t keep %keep : tensor<16x16xf32>
      %n = arith.maximumf %a, %m : tensor<16x16xf32>
      attn.yield %n : tensor<16x16xf32>
    }
    attn.store %r, %x[%c0, %c0] : tensor<16x16xf32> -> <?x?xf32>
  }
}
