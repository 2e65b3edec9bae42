// convert-attn-stream-to-scf: segments, directions, masked and unmasked bodies.
// RUN: attn-opt %s --split-input-file --convert-attn-stream-to-scf --cse | FileCheck %s --implicit-check-not=attn.stream --implicit-check-not=attn.mask

// One segment, forward: one loop, no branch. Unmasked, the mask is its scores.

// CHECK-LABEL: attn.kernel @single
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK: attn.ctas
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[DIFF:[^ ]+]] = arith.subi %[[HI]], %[[LO]] : index
// CHECK-DAG: %[[LENGTH:[^ ]+]] = arith.maxsi %[[DIFF]], %[[C0]] : index
// CHECK-DAG: %[[COUNT:[^ ]+]] = arith.ceildivui %[[LENGTH]], %[[C16]] : index
// CHECK-NOT: scf.if
// CHECK: %[[R:[^ ]+]] = scf.for %[[T:[^ ]+]] = %[[C0]] to %[[COUNT]] step %[[C1]] iter_args(%[[A:[^ ]+]] = %[[ZERO]]) -> (tensor<16x16xf32>) {
// CHECK-NEXT: %[[MUL:[^ ]+]] = arith.muli %[[T]], %[[C16]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.addi %[[LO]], %[[MUL]] : index
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.load %[[X]][%[[C0]], %[[POS]]]
// CHECK-NOT: arith.select
// CHECK: %[[MAX:[^ ]+]] = arith.maximumf %[[A]], %[[TILE]]
// CHECK-NEXT: scf.yield %[[MAX]]
// CHECK-NEXT: }
// CHECK-NOT: scf.for
// CHECK: attn.store %[[R]], %[[X]]
attn.kernel @single(%x: !attn.view<?x?xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.ctas %w in %c1 {
    %m = attn.stream %j step 16 over [%lo to %hi] carry (%a = %zero : tensor<16x16xf32>) {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %end = tensor.splat %hi : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<16x16xindex>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      %n = arith.maximumf %a, %s : tensor<16x16xf32>
      attn.yield %n : tensor<16x16xf32>
    }
    attn.store %m, %x[%c0, %c0] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Two segments in reverse, one of them masked: the loop over segments takes them
// from the last, the loop over tiles starts at the last and steps back. One body of
// each kind, which differ in the mask alone.

// CHECK-LABEL: attn.kernel @reverse
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>, %[[LO:[^ ]+]]: index, %[[MID:[^ ]+]]: index, %[[HI:[^ ]+]]: index, %[[BACK:[^ ]+]]: i1) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00>
// CHECK: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK: %[[R:[^ ]+]] = scf.for %[[I:[^ ]+]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[STATE:[^ ]+]] = %[[ZERO]])
// CHECK-NEXT: %[[FROM:[^ ]+]] = arith.subi %[[C1]], %[[I]] : index
// CHECK-NEXT: %[[S:[^ ]+]] = arith.select %[[BACK]], %[[FROM]], %[[I]] : index
// CHECK-NEXT: %[[SECOND:[^ ]+]] = arith.cmpi eq, %[[S]], %[[C1]] : index
// CHECK-NEXT: %[[LOWER:[^ ]+]] = arith.select %[[SECOND]], %[[MID]], %[[LO]] : index
// CHECK-NEXT: %[[UPPER:[^ ]+]] = arith.select %[[SECOND]], %[[HI]], %[[MID]] : index
// CHECK-DAG: %[[FALSE:[^ ]+]] = arith.constant false
// CHECK-DAG: %[[TRUE:[^ ]+]] = arith.constant true
// CHECK: %[[MASKED:[^ ]+]] = arith.select %[[SECOND]], %[[TRUE]], %[[FALSE]] : i1
// CHECK: scf.if %[[MASKED]] -> (tensor<16x16xf32>) {
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[CM16:[^ ]+]] = arith.constant -16 : index
// CHECK-DAG: %[[DIFF:[^ ]+]] = arith.subi %[[UPPER]], %[[LOWER]] : index
// CHECK-DAG: %[[LENGTH:[^ ]+]] = arith.maxsi %[[DIFF]], %[[C0]] : index
// CHECK-DAG: %[[COUNT:[^ ]+]] = arith.ceildivui %[[LENGTH]], %[[C16]] : index
// CHECK-DAG: %[[LESS:[^ ]+]] = arith.subi %[[COUNT]], %[[C1]] : index
// CHECK-DAG: %[[BEYOND:[^ ]+]] = arith.muli %[[LESS]], %[[C16]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.addi %[[LOWER]], %[[BEYOND]] : index
// CHECK-DAG: %[[START:[^ ]+]] = arith.select %[[BACK]], %[[LAST]], %[[LOWER]] : index
// CHECK-DAG: %[[STEP:[^ ]+]] = arith.select %[[BACK]], %[[CM16]], %[[C16]] : index
// CHECK: scf.for %[[T:[^ ]+]] = %[[C0]] to %[[COUNT]] step %[[C1]] iter_args(%[[A:[^ ]+]] = %[[STATE]])
// CHECK-NEXT: %[[MUL:[^ ]+]] = arith.muli %[[T]], %[[STEP]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.addi %[[START]], %[[MUL]] : index
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.load %[[X]][%[[C0]], %[[POS]]]
// CHECK: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]]
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi slt, %[[COLS]], %{{[^ ]+}}
// CHECK-NEXT: %[[INF:[^ ]+]] = arith.constant dense<0xFF800000> : tensor<16x16xf32>
// CHECK-NEXT: %[[SCORES:[^ ]+]] = arith.select %[[KEEP]], %[[TILE]], %[[INF]]
// CHECK-NEXT: %[[N:[^ ]+]] = arith.maximumf %[[A]], %[[SCORES]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: } else {
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[CM16:[^ ]+]] = arith.constant -16 : index
// CHECK-DAG: %[[START:[^ ]+]] = arith.select %[[BACK]], %{{[^ ]+}}, %[[LOWER]] : index
// CHECK-DAG: %[[STEP:[^ ]+]] = arith.select %[[BACK]], %[[CM16]], %[[C16]] : index
// CHECK: scf.for %[[T:[^ ]+]] = {{.*}} iter_args(%[[A:[^ ]+]] = %[[STATE]])
// CHECK-NEXT: %[[MUL:[^ ]+]] = arith.muli %[[T]], %[[STEP]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.addi %[[START]], %[[MUL]] : index
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.load %[[X]][%[[C0]], %[[POS]]]
// CHECK-NOT: arith.select
// CHECK: %[[N:[^ ]+]] = arith.maximumf %[[A]], %[[TILE]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: attn.store %[[R]], %[[X]]
attn.kernel @reverse(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index, %r: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.ctas %w in %c1 {
    %m = attn.stream %j step 16 traversal #attn.reversed(%r : i1) over [%lo to %mid, masked %mid to %hi] carry (%a = %zero : tensor<16x16xf32>) {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %end = tensor.splat %hi : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<16x16xindex>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      %n = arith.maximumf %a, %s : tensor<16x16xf32>
      attn.yield %n : tensor<16x16xf32>
    }
    attn.store %m, %x[%c0, %c0] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Three segments, forward, masked at the edges: each has its bounds and its flag.

// CHECK-LABEL: attn.kernel @window
// CHECK-SAME: %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[C:[^ ]+]]: index, %[[D:[^ ]+]]: index) {
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK: scf.for %[[S:[^ ]+]] = %{{[^ ]+}} to %[[C3]] step %[[C1]] {
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[IS1:[^ ]+]] = arith.cmpi eq, %[[S]], %[[C1]] : index
// CHECK-DAG: %[[IS2:[^ ]+]] = arith.cmpi eq, %[[S]], %[[C2]] : index
// CHECK-DAG: %[[LO1:[^ ]+]] = arith.select %[[IS1]], %[[B]], %[[A]] : index
// CHECK-DAG: %[[LO:[^ ]+]] = arith.select %[[IS2]], %[[C]], %[[LO1]] : index
// CHECK-DAG: %[[HI1:[^ ]+]] = arith.select %[[IS1]], %[[C]], %[[B]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.select %[[IS2]], %[[D]], %[[HI1]] : index
// CHECK-DAG: %[[TRUE:[^ ]+]] = arith.constant true
// CHECK-DAG: %[[FALSE:[^ ]+]] = arith.constant false
// CHECK-DAG: %[[M1:[^ ]+]] = arith.select %[[IS1]], %[[FALSE]], %[[TRUE]] : i1
// CHECK-DAG: %[[M:[^ ]+]] = arith.select %[[IS2]], %[[TRUE]], %[[M1]] : i1
// CHECK: scf.if %[[M]] {
// CHECK: arith.subi %[[HI]], %[[LO]] : index
// Forward, no direction is chosen.
// CHECK-NOT: arith.select {{.*}} : index
// CHECK: scf.for
// CHECK: attn.store %[[T:[^ ]+]], %{{[^ ]+}}
// CHECK: } else {
// CHECK: scf.for
// CHECK: attn.store
// CHECK: }
attn.kernel @window(%x: !attn.view<?x?xf32>, %a: index, %b: index, %c: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.stream %j step 16 over [masked %a to %b, %b to %c, masked %c to %d] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
  }
}

// -----

// Two masked segments have one body; a single masked one has no branch either.

// CHECK-LABEL: attn.kernel @masked
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.select %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: attn.store
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.select %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: attn.store
// CHECK-NOT: scf
// CHECK: attn.return
attn.kernel @masked(%x: !attn.view<?x?xf32>, %a: index, %b: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.stream %j step 16 over [masked %a to %b, masked %b to %c] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %cols : tensor<16x16xindex>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      attn.store %s, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
    attn.stream %j step 16 over [masked %a to %b] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %cols : tensor<16x16xindex>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      attn.store %s, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
  }
}

// -----

// A stream in a stream lowers to loops in loops, each with its own mask, and its
// own end: what the inner one clears, which is masked, the outer one does not drop.

// CHECK-LABEL: attn.kernel @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[TILE:[^ ]+]] = attn.load %{{[^ ]+}}[%{{.*}}] until %{{[^ ]+}} :
// CHECK: %[[IN:[^ ]+]] = arith.select %{{[^ ]+}}, %[[TILE]], %{{[^ ]+}} : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: attn.store %[[IN]], %{{[^ ]+}}
// CHECK: }
// CHECK: %[[TILE:[^ ]+]] = attn.load %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] :
// CHECK: attn.store %[[TILE]], %{{[^ ]+}}
attn.kernel @nested(%x: !attn.view<?x?xf32>, %n: index, %keep: index) {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.stream %i step 16 over [%c1 to %n] {
      %rows = attn.iota 0 from %i : tensor<16x16xindex>
      attn.stream %j step 16 over [masked %c1 to %n] {
        %cols = attn.iota 1 from %j : tensor<16x16xindex>
        %k = arith.cmpi slt, %cols, %rows : tensor<16x16xindex>
        %t = attn.load %x[%i, %j] until %keep : !attn.view<?x?xf32> -> tensor<16x16xf32>
        %s = attn.mask %t keep %k : tensor<16x16xf32>
        attn.store %s, %x[%i, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
      }
      %k = arith.cmpi slt, %rows, %rows : tensor<16x16xindex>
      %t = attn.load %x[%i, %i] until %keep : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      attn.store %s, %x[%i, %i] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
  }
}

// -----

// A mask in a region of the body, as in a user's own branch, and one on top of
// another: selects in the masked loop, nothing in the other.

// CHECK-LABEL: attn.kernel @regions
// CHECK-SAME: %[[C:[^ ]+]]: i1, %{{[^ ]+}}: i1) {
// CHECK: scf.if %{{[^ ]+}} -> (tensor<16x16xf32>) {
// CHECK: scf.for
// CHECK: %[[TILE:[^ ]+]] = attn.load
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi slt
// CHECK: %[[R:[^ ]+]] = scf.if %[[C]] -> (tensor<16x16xf32>) {
// CHECK: %[[ONE:[^ ]+]] = arith.select %[[KEEP]], %[[TILE]], %[[INF:[^ ]+]] : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: %[[TWO:[^ ]+]] = arith.select %[[KEEP]], %[[ONE]], %[[INF]] : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: scf.yield %[[TWO]]
// CHECK: } else {
// CHECK: scf.yield %[[TILE]]
// CHECK: }
// CHECK: %[[LAST:[^ ]+]] = arith.select %[[KEEP]], %[[R]], %{{[^ ]+}} : tensor<16x16xi1>, tensor<16x16xf32>
// CHECK-NEXT: scf.yield %[[LAST]]
// CHECK: } else {
// CHECK: scf.for
// CHECK: %[[TILE:[^ ]+]] = attn.load
// CHECK-NOT: tensor<16x16xi1>, tensor<16x16xf32>
// CHECK: %[[R:[^ ]+]] = scf.if %[[C]] -> (tensor<16x16xf32>) {
// CHECK-NEXT: scf.yield %[[TILE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[TILE]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[R]]
attn.kernel @regions(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index, %c: i1, %back: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.ctas %w in %c1 {
    %m = attn.stream %j step 16 traversal #attn.reversed(%back : i1) over [%lo to %mid, masked %mid to %hi] carry (%a = %zero : tensor<16x16xf32>) {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %end = tensor.splat %hi : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<16x16xindex>
      %r = scf.if %c -> (tensor<16x16xf32>) {
        %s = attn.mask %t keep %k : tensor<16x16xf32>
        %u = attn.mask %s keep %k : tensor<16x16xf32>
        scf.yield %u : tensor<16x16xf32>
      } else {
        scf.yield %t : tensor<16x16xf32>
      }
      %n = attn.mask %r keep %k : tensor<16x16xf32>
      attn.yield %n : tensor<16x16xf32>
    }
    attn.store %m, %x[%c0, %c0] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Forward, a segment of each kind is a loop of its own, in their order: no branch, no
// bounds to choose.

// CHECK-LABEL: attn.kernel @inorder
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>, %[[LO:[^ ]+]]: index, %[[MID:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00>
// CHECK-NOT: scf.if
// CHECK: %[[FIRST:[^ ]+]] = scf.for {{.*}} iter_args(%[[A:[^ ]+]] = %[[ZERO]])
// CHECK-NOT: scf.if
// CHECK: %[[TILE:[^ ]+]] = attn.load
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi slt
// CHECK: %[[S:[^ ]+]] = arith.select %[[KEEP]], %[[TILE]],
// CHECK: %[[N:[^ ]+]] = arith.maximumf %[[A]], %[[S]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: %[[SECOND:[^ ]+]] = scf.for {{.*}} iter_args(%[[A:[^ ]+]] = %[[FIRST]])
// CHECK: %[[POS:[^ ]+]] = arith.addi %[[MID]], %{{[^ ]+}} : index
// CHECK: %[[TILE:[^ ]+]] = attn.load %[[X]][%{{[^ ]+}}, %[[POS]]]
// CHECK-NOT: arith.select
// CHECK: %[[N:[^ ]+]] = arith.maximumf %[[A]], %[[TILE]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: attn.store %[[SECOND]],
attn.kernel @inorder(%x: !attn.view<?x?xf32>, %lo: index, %mid: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.ctas %w in %c1 {
    %m = attn.stream %j step 16 over [masked %lo to %mid, %mid to %hi] carry (%a = %zero : tensor<16x16xf32>) {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      %cols = attn.iota 1 from %j : tensor<16x16xindex>
      %end = tensor.splat %hi : tensor<16x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<16x16xindex>
      %s = attn.mask %t keep %k : tensor<16x16xf32>
      %n = arith.maximumf %a, %s : tensor<16x16xf32>
      attn.yield %n : tensor<16x16xf32>
    }
    attn.store %m, %x[%c0, %c0] : tensor<16x16xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// With a producer of its own a kernel has a loop for each of three segments. Four, and a
// direction, are chosen at run time there, too.

// CHECK-LABEL: attn.kernel @producer
// CHECK-SAME: %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[C:[^ ]+]]: index, %[[D:[^ ]+]]: index, %[[BACK:[^ ]+]]: i1)
// CHECK: attn.ctas
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.addi %[[A]], %{{[^ ]+}} : index
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.addi %[[B]], %{{[^ ]+}} : index
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.addi %[[C]], %{{[^ ]+}} : index
// CHECK-NOT: scf.if
// CHECK: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %[[C4]] step
// CHECK-COUNT-1: scf.if
// CHECK: scf.for
// CHECK: } else {
// CHECK: scf.for
// CHECK: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %[[C3]] step
// CHECK: arith.select %[[BACK]],
// CHECK: scf.if
attn.kernel @producer(%x: !attn.view<?x?xf32>, %a: index, %b: index, %c: index, %d: index, %back: i1) attributes {producer_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.stream %j step 16 over [masked %a to %b, %b to %c, masked %c to %d] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
    attn.stream %j step 16 over [masked %a to %b, %b to %c, masked %c to %d, %a to %d] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
    attn.stream %j step 16 traversal #attn.reversed(%back : i1) over [masked %a to %b, %b to %c, masked %c to %d] {
      %t = attn.load %x[%c0, %j] : !attn.view<?x?xf32> -> tensor<16x16xf32>
      attn.store %t, %x[%c0, %j] : tensor<16x16xf32> -> !attn.view<?x?xf32>
    }
  }
}
