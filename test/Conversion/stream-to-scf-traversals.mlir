// Traversals within a segment: what they need once stands before the loop, and the
// loop still has one induction variable.
// RUN: attn-opt %s --convert-attn-stream-to-scf --split-input-file | FileCheck %s

// CHECK-LABEL: attn.kernel @inside_out
// CHECK: %[[N:[^ ]+]] = arith.ceildivui
// CHECK: %[[MIDDLE:[^ ]+]] = arith.divui %[[N]], %{{[^ ]+}} : index
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[N]]
// CHECK: %[[BIT:[^ ]+]] = arith.andi %[[T]], %[[ONE:[^ ]+]] : index
// CHECK: %[[ODD:[^ ]+]] = arith.cmpi ne, %[[BIT]]
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[T]], %[[ONE]] : index
// CHECK: %[[AWAY:[^ ]+]] = arith.shrui %[[NEXT]], %[[ONE]] : index
// CHECK-DAG: %[[BELOW:[^ ]+]] = arith.subi %[[MIDDLE]], %[[AWAY]] : index
// CHECK-DAG: %[[ABOVE:[^ ]+]] = arith.addi %[[MIDDLE]], %[[AWAY]] : index
// CHECK: %[[TILE:[^ ]+]] = arith.select %[[ODD]], %[[BELOW]], %[[ABOVE]] : index
// CHECK: %[[SKIP:[^ ]+]] = arith.muli %[[TILE]]
// CHECK: %[[POS:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[SKIP]] : index
// CHECK: attn.load %{{[^ ]+}}[%{{[^ ]+}}, %[[POS]]]
attn.kernel @inside_out(%x: !attn.view<?x?xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  attn.stream %j step 16 traversal #attn.inside_out over [%lo to %hi] {
    %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Two segments: each is rotated by itself. An empty one divides by one.

// CHECK-LABEL: attn.kernel @rotated
// CHECK-SAME: %[[OFFSET:[^ ]+]]: index) {
// CHECK: %[[N:[^ ]+]] = arith.ceildivui
// CHECK: %[[MOST:[^ ]+]] = arith.maxui %[[N]], %{{[^ ]+}} : index
// CHECK: %[[REST:[^ ]+]] = arith.remsi %[[OFFSET]], %[[MOST]] : index
// CHECK: %[[NEGATIVE:[^ ]+]] = arith.cmpi slt, %[[REST]]
// CHECK: %[[UP:[^ ]+]] = arith.addi %[[REST]], %[[N]] : index
// CHECK: %[[FIRST:[^ ]+]] = arith.select %[[NEGATIVE]], %[[UP]], %[[REST]] : index
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[N]]
// CHECK: %[[AT:[^ ]+]] = arith.addi %[[T]], %[[FIRST]] : index
// CHECK: %[[WRAPS:[^ ]+]] = arith.cmpi sge, %[[AT]], %[[N]] : index
// CHECK: %[[AROUND:[^ ]+]] = arith.subi %[[AT]], %[[N]] : index
// CHECK: arith.select %[[WRAPS]], %[[AROUND]], %[[AT]] : index
// CHECK: attn.load
// CHECK: arith.remsi %[[OFFSET]]
// CHECK: scf.for
// CHECK: attn.load
attn.kernel @rotated(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index, %r: index) {
  %c0 = arith.constant 0 : index
  attn.stream %j step 16 traversal #attn.rotated(%r : index) over [%lo to %mid, masked %mid to %hi] {
    %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Backward: visit t takes the tile of visit n - 1 - t.

// CHECK-LABEL: attn.kernel @backward
// CHECK-SAME: %[[BACK:[^ ]+]]: i1) {
// CHECK: %[[N:[^ ]+]] = arith.ceildivui
// CHECK: %[[LAST:[^ ]+]] = arith.subi %[[N]], %{{[^ ]+}} : index
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[N]]
// CHECK: %[[FROM:[^ ]+]] = arith.subi %[[LAST]], %[[T]] : index
// CHECK: %[[VISIT:[^ ]+]] = arith.select %[[BACK]], %[[FROM]], %[[T]] : index
// CHECK: arith.andi %[[VISIT]]
attn.kernel @backward(%x: !attn.view<?x?xf32>, %lo: index, %hi: index, %r: i1) {
  %c0 = arith.constant 0 : index
  attn.stream %j step 16 traversal #attn.inside_out(%r : i1) over [%lo to %hi] {
    %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Segments are ranges of the list: the second goes on where the first ended, and a number of it is that of a tile from
// position 0 on, so that the number of the segment's first tile cancels out.

// CHECK-LABEL: attn.kernel @listed
// CHECK-SAME: (%[[X:[^ ]+]]: {{.*}}, %[[LIST:[^ ]+]]: !attn.view<?xi32>, %[[FROM:[^ ]+]]: index, %[[FULL:[^ ]+]]: index
// CHECK: scf.for %[[T:[^ ]+]] =
// CHECK: %[[AT:[^ ]+]] = arith.addi %[[FROM]], %[[T]] : index
// CHECK: %[[NUMBER:[^ ]+]] = attn.read %[[LIST]][%[[AT]]]
// CHECK: arith.muli %[[NUMBER]], %{{[^ ]+}} : index
// CHECK: attn.load
// CHECK: %[[FIRST:[^ ]+]] = arith.divui %[[FULL]], %{{[^ ]+}} : index
// CHECK: %[[START:[^ ]+]] = arith.addi %[[FROM]], %[[FIRST]] : index
// CHECK: scf.for %[[T:[^ ]+]] =
// CHECK: %[[AT:[^ ]+]] = arith.addi %[[START]], %[[T]] : index
// CHECK: %[[NUMBER:[^ ]+]] = attn.read %[[LIST]][%[[AT]]]
// CHECK: %[[TILE:[^ ]+]] = arith.subi %[[NUMBER]], %[[FIRST]] : index
// CHECK: %[[SKIP:[^ ]+]] = arith.muli %[[TILE]], %{{[^ ]+}} : index
// CHECK: %[[POS:[^ ]+]] = arith.addi %[[FULL]], %[[SKIP]] : index
// CHECK: attn.load %[[X]][%{{[^ ]+}}, %[[POS]]]
attn.kernel @listed(%x: !attn.view<?x?xf32>, %list: !attn.view<?xi32>, %from: index, %full: index, %all: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    attn.stream %j step 16 traversal #attn.listed(%list, %from : !attn.view<?xi32>, index) over [%c0 to %full, masked %full to %all] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
  }
}

// -----

// Always backward: the last segment has the first loop, none has two, and nothing asks for the direction.

// CHECK-LABEL: attn.kernel @always
// CHECK-SAME: %[[LO:[^ ]+]]: index, %[[MID:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK-NOT: arith.select
// CHECK: arith.subi %[[HI]], %[[MID]] : index
// CHECK: %[[N:[^ ]+]] = arith.ceildivui
// CHECK: %[[LAST:[^ ]+]] = arith.subi %[[N]], %{{[^ ]+}} : index
// CHECK: %[[SKIP:[^ ]+]] = arith.muli %[[LAST]], %{{[^ ]+}} : index
// CHECK: %[[START:[^ ]+]] = arith.addi %[[MID]], %[[SKIP]] : index
// CHECK: %[[DELTA:[^ ]+]] = arith.constant -16 : index
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[N]]
// CHECK: %[[BACK:[^ ]+]] = arith.muli %[[T]], %[[DELTA]] : index
// CHECK: %[[POS:[^ ]+]] = arith.addi %[[START]], %[[BACK]] : index
// CHECK: attn.load %{{[^ ]+}}[%{{[^ ]+}}, %[[POS]]]
// CHECK: arith.subi %[[MID]], %[[LO]] : index
// CHECK: scf.for
// CHECK: attn.load
// CHECK-NOT: scf.for
attn.kernel @always(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  attn.stream %j step 16 traversal #attn.reversed(%true : i1) over [%lo to %mid, masked %mid to %hi] {
    %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Its twin: where only the kernel knows the direction, one body for unmasked tiles and one for masked ones is in a
// loop over the segments.

// CHECK-LABEL: attn.kernel @turns
// CHECK-SAME: %[[BACK:[^ ]+]]: i1) {
// CHECK: arith.select %[[BACK]]
// CHECK: scf.if
attn.kernel @turns(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index, %r: i1) {
  %c0 = arith.constant 0 : index
  attn.stream %j step 16 traversal #attn.reversed(%r : i1) over [%lo to %mid, masked %mid to %hi] {
    %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}
