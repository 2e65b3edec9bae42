// convert-attn-stream-to-scf of streams that fill rings: what is under way before the
// first visit, what each visit starts, and for which position.
// RUN: attn-opt %s --split-input-file --convert-attn-stream-to-scf --canonicalize --cse | FileCheck %s --implicit-check-not=attn.stream --implicit-check-not=attn.mask

// Two stages: the first visit's copy starts before the loop, if there is a visit;
// each visit starts the next one's, if there is a next, just before it waits. The
// slot is the one after those under way.

// CHECK-LABEL: attn.kernel @two
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x16xf32>, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK: %[[R:[^ ]+]] = attn.ring.create
// CHECK: %[[LENGTH:[^ ]+]] = arith.subi %[[HI]], %[[LO]] : index
// CHECK-NEXT: %[[POSITIVE:[^ ]+]] = arith.maxsi %[[LENGTH]], %[[C0]] : index
// CHECK-NEXT: %[[COUNT:[^ ]+]] = arith.ceildivui %[[POSITIVE]], %[[C8]] : index
// CHECK-NEXT: %[[ANY:[^ ]+]] = arith.cmpi sgt, %[[COUNT]], %[[C0]] : index
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: %[[S:[^ ]+]] = attn.ring.acquire %[[R]] : <2 x
// CHECK-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %[[X]][%[[LO]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[T:[^ ]+]] = %[[C0]] to %[[COUNT]] step %[[C1]] {
// CHECK-NEXT: %[[OFF:[^ ]+]] = arith.muli %[[T]], %[[C8]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.addi %[[LO]], %[[OFF]] : index
// CHECK-NEXT: %[[NEXT:[^ ]+]] = arith.addi %[[T]], %[[C1]] : index
// CHECK-NEXT: %[[IS:[^ ]+]] = arith.cmpi slt, %[[NEXT]], %[[COUNT]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: %[[NOFF:[^ ]+]] = arith.muli %[[NEXT]], %[[C8]] : index
// CHECK-NEXT: %[[NPOS:[^ ]+]] = arith.addi %[[LO]], %[[NOFF]] : index
// CHECK-NEXT: %[[S:[^ ]+]] = attn.ring.acquire %[[R]] ahead 1 : <2 x
// CHECK-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %[[X]][%[[NPOS]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.ring.wait %[[R]]
// CHECK-NEXT: attn.store %[[TILE]], %[[X]][%[[POS]], %[[C0]]]
// CHECK-NEXT: attn.ring.release %[[R]]
// CHECK-NEXT: }
// CHECK-NOT: attn.ring
attn.kernel @two(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.store %tq, %x[%j, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// One stage: nothing is under way before; each visit starts its own copy just before
// it waits for it.

// CHECK-LABEL: attn.kernel @one
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x16xf32>, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK: %[[COUNT:[^ ]+]] = arith.ceildivui
// CHECK-NOT: scf.if
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[COUNT]]
// CHECK: %[[POS:[^ ]+]] = arith.addi %[[LO]], %{{[^ ]+}} : index
// CHECK: %[[IS:[^ ]+]] = arith.cmpi slt, %[[T]], %[[COUNT]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK: %[[S:[^ ]+]] = attn.ring.acquire %[[R:[^ ]+]] : <1 x
// CHECK-NEXT: attn.ring.issue %[[S]], %[[X]][%[[POS]],
// CHECK: }
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.ring.wait %[[R]]
// CHECK-NEXT: attn.store %[[TILE]], %[[X]][%[[POS]],
attn.kernel @one(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <1 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <1 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tq = attn.ring.wait %q : <1 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.store %tq, %x[%j, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
      attn.ring.release %q : <1 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// Three stages: two visits ahead, each if there is such a visit.

// CHECK-LABEL: attn.kernel @three
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x16xf32>, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK: %[[COUNT:[^ ]+]] = arith.ceildivui
// CHECK-NEXT: arith.cmpi sgt, %[[COUNT]], %{{[^ ]+}} : index
// CHECK-NEXT: scf.if
// CHECK-NEXT: attn.ring.acquire %[[R:[^ ]+]] : <3 x
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %[[X]][%[[LO]],
// CHECK: }
// CHECK-NEXT: %[[TWO:[^ ]+]] = arith.cmpi sgt, %[[COUNT]], %[[C1]] : index
// CHECK-NEXT: scf.if %[[TWO]] {
// CHECK-NEXT: %[[SECOND:[^ ]+]] = arith.addi %[[LO]], %[[C8]] : index
// CHECK-NEXT: attn.ring.acquire %[[R]] ahead 1 : <3 x
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %[[X]][%[[SECOND]],
// CHECK: }
// CHECK-NEXT: scf.for %[[T:[^ ]+]] =
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[T]], %[[C2]] : index
// CHECK-NEXT: %[[IS:[^ ]+]] = arith.cmpi slt, %[[NEXT]], %[[COUNT]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: %[[NOFF:[^ ]+]] = arith.muli %[[NEXT]], %[[C8]] : index
// CHECK-NEXT: %[[NPOS:[^ ]+]] = arith.addi %[[LO]], %[[NOFF]] : index
// CHECK-NEXT: attn.ring.acquire %[[R]] ahead 2 : <3 x
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %[[X]][%[[NPOS]],
// CHECK: attn.ring.wait
// CHECK-NOT: attn.ring.issue
attn.kernel @three(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <3 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <3 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tq = attn.ring.wait %q : <3 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.ring.release %q : <3 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// Rings of different depth, each filled just before its own wait, whatever the
// producer's order; the arithmetic that they share goes with both. Copies of one
// visit start together, in the producer's order.

// CHECK-LABEL: attn.kernel @rings
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x16xf32>, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index) {
// CHECK: %[[A:[^ ]+]] = attn.ring.create : <3 x
// CHECK: %[[B:[^ ]+]] = attn.ring.create : <2 x
// CHECK: %[[C:[^ ]+]] = attn.ring.create : <1 x
// CHECK: scf.if
// CHECK: attn.ring.acquire %[[A]] : <3 x
// CHECK: }
// CHECK: attn.ring.acquire %[[B]] : <2 x
// CHECK: }
// CHECK: attn.ring.acquire %[[A]] ahead 1 : <3 x
// CHECK-NOT: attn.ring.acquire
// CHECK: scf.for
// The body waits for C, A and B.
// CHECK: attn.ring.acquire %[[C]] : <1 x
// CHECK: attn.ring.issue %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] by async
// CHECK: }
// CHECK-NEXT: attn.ring.wait %[[C]]
// CHECK: attn.ring.acquire %[[A]] ahead 2 : <3 x
// CHECK: }
// CHECK-NEXT: attn.ring.wait %[[A]]
// CHECK: attn.ring.acquire %[[B]] ahead 1 : <2 x
// CHECK: }
// CHECK-NEXT: attn.ring.wait %[[B]]
// CHECK-NOT: attn.ring.acquire
attn.kernel @rings(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : <3 x tensor<8x16xf32, #attn.shared<64>>>
  %b = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  %c = attn.ring.create : <1 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %m = arith.addi %n, %c1 : index
      %sa = attn.ring.acquire %a : <3 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pa = attn.ring.issue %sa, %x[%m, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pa : <tensor<8x16xf32, #attn.shared<64>>>
      %sb = attn.ring.acquire %b : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pb = attn.ring.issue %sb, %x[%m, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pb : <tensor<8x16xf32, #attn.shared<64>>>
      %sc = attn.ring.acquire %c : <1 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pc = attn.ring.issue %sc, %x[%n, %c0] by async : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pc : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tc = attn.ring.wait %c : <1 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %ta = attn.ring.wait %a : <3 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.ring.release %a : <3 x tensor<8x16xf32, #attn.shared<64>>>
      %tb = attn.ring.wait %b : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.ring.release %b : <2 x tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.release %c : <1 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// Two segments, one of them masked, forward: one loop after the other. The second
// goes on counting visits where the first ends, and the visit ahead may fall into
// either: the position is the one of the last segment that it reaches.

// CHECK-LABEL: attn.kernel @segments
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x16xf32>, %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[C:[^ ]+]]: index, %[[D:[^ ]+]]: index) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK: %[[L1:[^ ]+]] = arith.subi %[[B]], %[[A]] : index
// CHECK-NEXT: %[[P1:[^ ]+]] = arith.maxsi %[[L1]], %[[C0]] : index
// CHECK-NEXT: %[[N1:[^ ]+]] = arith.ceildivui %[[P1]], %[[C8]] : index
// CHECK-NEXT: %[[L2:[^ ]+]] = arith.subi %[[D]], %[[C]] : index
// CHECK-NEXT: %[[P2:[^ ]+]] = arith.maxsi %[[L2]], %[[C0]] : index
// CHECK-NEXT: %[[N2:[^ ]+]] = arith.ceildivui %[[P2]], %[[C8]] : index
// CHECK-NEXT: %[[TOTAL:[^ ]+]] = arith.addi %[[N1]], %[[N2]] : index
// CHECK-NEXT: arith.cmpi sgt, %[[TOTAL]], %[[C0]] : index
// CHECK-NEXT: scf.if
// The first visit: of the first segment, unless that is empty.
// CHECK-NEXT: %[[LOCAL:[^ ]+]] = arith.subi %[[C0]], %[[N1]] : index
// CHECK-NEXT: %[[OFF:[^ ]+]] = arith.muli %[[LOCAL]], %[[C8]] : index
// CHECK-NEXT: %[[HERE:[^ ]+]] = arith.addi %[[C]], %[[OFF]] : index
// CHECK-NEXT: %[[IN:[^ ]+]] = arith.cmpi sge, %[[LOCAL]], %[[C0]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.select %[[IN]], %[[HERE]], %[[A]] : index
// CHECK-NEXT: attn.ring.acquire %[[R:[^ ]+]] : <2 x
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %[[X]][%[[POS]], %[[C0]]]
// CHECK: scf.for %[[T:[^ ]+]] = %[[C0]] to %[[N1]] step %[[C1]] {
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[T]], %[[C1]] : index
// CHECK-NEXT: %[[IS:[^ ]+]] = arith.cmpi slt, %[[NEXT]], %[[TOTAL]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: %[[OFFA:[^ ]+]] = arith.muli %[[NEXT]], %[[C8]] : index
// CHECK-NEXT: %[[INA:[^ ]+]] = arith.addi %[[A]], %[[OFFA]] : index
// CHECK-NEXT: %[[LOCAL:[^ ]+]] = arith.subi %[[NEXT]], %[[N1]] : index
// CHECK-NEXT: %[[OFF:[^ ]+]] = arith.muli %[[LOCAL]], %[[C8]] : index
// CHECK-NEXT: %[[INC:[^ ]+]] = arith.addi %[[C]], %[[OFF]] : index
// CHECK-NEXT: %[[REACHED:[^ ]+]] = arith.cmpi sge, %[[LOCAL]], %[[C0]] : index
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.select %[[REACHED]], %[[INC]], %[[INA]] : index
// CHECK-NEXT: attn.ring.acquire %[[R]] ahead 1 : <2 x
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %[[X]][%[[POS]], %[[C0]]]
// CHECK: attn.ring.wait
// CHECK-NOT: arith.select {{.*}}tensor
// CHECK: attn.ring.release
// CHECK: scf.for %[[T:[^ ]+]] = %[[C0]] to %[[N2]] step %[[C1]] {
// CHECK: %[[VISIT:[^ ]+]] = arith.addi %[[N1]], %[[T]] : index
// CHECK-NEXT: %[[NEXT:[^ ]+]] = arith.addi %[[VISIT]], %[[C1]] : index
// CHECK-NEXT: %[[IS:[^ ]+]] = arith.cmpi slt, %[[NEXT]], %[[TOTAL]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK: attn.ring.wait
// CHECK: arith.select {{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK: attn.ring.release
// CHECK-NOT: attn.ring
attn.kernel @segments(%x: !attn.view<?x16xf32>, %a: index, %b: index, %c: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 over [%a to %b, masked %c to %d] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %f = arith.constant dense<1.0> : tensor<8x16xf32>
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %cols = attn.iota 1 from %j : tensor<8x16xindex>
      %end = tensor.splat %w : tensor<8x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<8x16xindex>
      %u = attn.mask %f keep %k : tensor<8x16xf32>
      attn.store %u, %x[%j, %c0] : tensor<8x16xf32> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// Reverse: visits are counted from the end. The loop over segments carries the
// number of visits before the segment, and both bodies look ahead.

// CHECK-LABEL: attn.kernel @reverse
// CHECK-SAME: %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[C:[^ ]+]]: index, %[[D:[^ ]+]]: index, %[[BACK:[^ ]+]]: i1) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK: %[[N1:[^ ]+]] = arith.ceildivui
// CHECK: %[[N2:[^ ]+]] = arith.ceildivui
// CHECK: %[[TOTAL:[^ ]+]] = arith.addi %[[N1]], %[[N2]] : index
// CHECK: scf.if
// CHECK-NEXT: %[[LAST:[^ ]+]] = arith.subi %[[TOTAL]], %[[C1]] : index
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.select %[[BACK]], %[[LAST]], %[[C0]] : index
// CHECK: attn.ring.acquire %[[R:[^ ]+]] : <2 x
// CHECK: %{{[^ ]+}} = scf.for %[[S:[^ ]+]] = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[BEFORE:[^ ]+]] = %[[C0]]) -> (index) {
// CHECK: %[[FROM:[^ ]+]] = arith.subi %[[C1]], %[[S]] : index
// CHECK-NEXT: %[[SEGMENT:[^ ]+]] = arith.select %[[BACK]], %[[FROM]], %[[S]] : index
// CHECK-NEXT: %[[SECOND:[^ ]+]] = arith.cmpi eq, %[[SEGMENT]], %[[C1]] : index
// CHECK: scf.if
// CHECK: scf.for %[[T:[^ ]+]] =
// CHECK: %[[VISIT:[^ ]+]] = arith.addi %[[BEFORE]], %[[T]] : index
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[VISIT]], %[[C1]] : index
// CHECK: %[[IS:[^ ]+]] = arith.cmpi slt, %[[NEXT]], %[[TOTAL]] : index
// CHECK: scf.if %[[IS]] {
// CHECK-NEXT: %[[LAST:[^ ]+]] = arith.subi %[[TOTAL]], %[[C1]] : index
// CHECK-NEXT: %[[MIRRORED:[^ ]+]] = arith.subi %[[LAST]], %[[NEXT]] : index
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.select %[[BACK]], %[[MIRRORED]], %[[NEXT]] : index
// CHECK-NEXT: %[[OFFA:[^ ]+]] = arith.muli %[[AT]], %[[C8]] : index
// CHECK-NEXT: arith.addi %[[A]], %[[OFFA]] : index
// CHECK-NEXT: %[[LOCAL:[^ ]+]] = arith.subi %[[AT]], %[[N1]] : index
// CHECK: attn.ring.acquire %[[R]] ahead 1 : <2 x
// CHECK: } else {
// CHECK: scf.for %[[T:[^ ]+]] =
// CHECK: arith.addi %[[BEFORE]], %[[T]] : index
// CHECK: attn.ring.acquire %[[R]] ahead 1 : <2 x
// CHECK: %[[COUNT:[^ ]+]] = arith.select %[[SECOND]], %[[N2]], %[[N1]] : index
// CHECK-NEXT: %[[AFTER:[^ ]+]] = arith.addi %[[BEFORE]], %[[COUNT]] : index
// CHECK: scf.yield %[[AFTER]] : index
attn.kernel @reverse(%x: !attn.view<?x16xf32>, %a: index, %b: index, %c: index, %d: index, %r: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %j step 8 traversal #attn.reversed(%r : i1) over [%a to %b, masked %c to %d] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %f = arith.constant dense<1.0> : tensor<8x16xf32>
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %cols = attn.iota 1 from %j : tensor<8x16xindex>
      %end = tensor.splat %w : tensor<8x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<8x16xindex>
      %u = attn.mask %f keep %k : tensor<8x16xf32>
      attn.store %u, %x[%j, %c0] : tensor<8x16xf32> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// Segments of which one starts where the other ends, a whole number of steps on: one
// series of positions, with nothing to choose.

// CHECK-LABEL: attn.kernel @contiguous
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK: scf.if
// CHECK-NEXT: attn.ring.acquire
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %{{[^ ]+}}[%{{c0[^ ]*}}, %{{[^ ]+}}]
// CHECK: scf.for
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %{{[^ ]+}}, %c1 : index
// CHECK: scf.if
// CHECK-NEXT: %[[POS:[^ ]+]] = arith.muli %[[NEXT]], %[[C8]] : index
// CHECK-NEXT: attn.ring.acquire
// CHECK-NEXT: attn.ring.issue %{{[^ ]+}}, %{{[^ ]+}}[%[[POS]], %{{[^ ]+}}]
attn.kernel @contiguous(%x: !attn.view<?x16xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %c8 = arith.constant 8 : index
    %e = arith.divui %hi, %c8 : index
    %g = arith.muli %e, %c8 : index
    %mid = arith.maxsi %g, %c0 : index
    attn.stream %j step 8 over [%c0 to %mid, masked %mid to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %f = arith.constant dense<1.0> : tensor<8x16xf32>
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %cols = attn.iota 1 from %j : tensor<8x16xindex>
      %end = tensor.splat %w : tensor<8x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<8x16xindex>
      %u = attn.mask %f keep %k : tensor<8x16xf32>
      attn.store %u, %x[%j, %c0] : tensor<8x16xf32> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// The bound in the middle is no multiple of the step, or may lie before the start:
// then a series it is not.

// CHECK-LABEL: attn.kernel @uneven
// CHECK: scf.if
// CHECK: arith.select
// CHECK: attn.ring.acquire
// CHECK-LABEL: attn.kernel @before
// CHECK: scf.if
// CHECK: arith.select
// CHECK: attn.ring.acquire
attn.kernel @uneven(%x: !attn.view<?x16xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %c8 = arith.constant 8 : index
    %e = arith.divui %hi, %c8 : index
    %g = arith.addi %e, %c8 : index
    %mid = arith.maxsi %g, %c0 : index
    attn.stream %j step 8 over [%c0 to %mid, masked %mid to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %f = arith.constant dense<1.0> : tensor<8x16xf32>
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %cols = attn.iota 1 from %j : tensor<8x16xindex>
      %end = tensor.splat %w : tensor<8x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<8x16xindex>
      %u = attn.mask %f keep %k : tensor<8x16xf32>
      attn.store %u, %x[%j, %c0] : tensor<8x16xf32> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}
attn.kernel @before(%x: !attn.view<?x16xf32>, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %c8 = arith.constant 8 : index
    %e = arith.divui %hi, %c8 : index
    %g = arith.muli %e, %c8 : index
    %mid = arith.addi %g, %c0 : index
    attn.stream %j step 8 over [%c0 to %mid, masked %mid to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %f = arith.constant dense<1.0> : tensor<8x16xf32>
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      %cols = attn.iota 1 from %j : tensor<8x16xindex>
      %end = tensor.splat %w : tensor<8x16xindex>
      %k = arith.cmpi slt, %cols, %end : tensor<8x16xindex>
      %u = attn.mask %f keep %k : tensor<8x16xf32>
      attn.store %u, %x[%j, %c0] : tensor<8x16xf32> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// A tile that stays is waited for after the copies of the stream have started; one
// that is read before the stream is waited for where it is read.

// CHECK-LABEL: attn.kernel @resident
// CHECK: %[[Q:[^ ]+]] = attn.ring.create : <1 x
// CHECK: %[[K:[^ ]+]] = attn.ring.create : <1 x
// CHECK: %[[R:[^ ]+]] = attn.ring.create : <2 x
// CHECK: %[[KT:[^ ]+]] = attn.ring.wait %[[K]]
// CHECK-NEXT: attn.store %[[KT]],
// CHECK-NOT: attn.ring.wait
// CHECK: scf.if
// CHECK: attn.ring.acquire %[[R]]
// CHECK: }
// CHECK-NEXT: %[[QT:[^ ]+]] = attn.ring.wait %[[Q]]
// CHECK-NEXT: scf.for
// CHECK: attn.store %[[QT]],
// CHECK: attn.ring.release %[[Q]]
attn.kernel @resident(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = attn.ring.create : <1 x tensor<8x16xf32, #attn.shared<64>>>
  %k = attn.ring.create : <1 x tensor<8x16xf32, #attn.shared<64>>>
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %to = attn.ring.wait %o : <1 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
    %tk = attn.ring.wait %k : <1 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
    attn.store %tk, %x[%w, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.store %to, %x[%j, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
      attn.store %tk, %x[%j, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
    attn.ring.release %k : <1 x tensor<8x16xf32, #attn.shared<64>>>
    attn.ring.release %o : <1 x tensor<8x16xf32, #attn.shared<64>>>
  }
}

// -----

// A tile that is let go before the stream is waited for before it is let go.

// CHECK-LABEL: attn.kernel @skipped
// CHECK: attn.ring.wait %[[Q:[^ ]+]] : <1 x
// CHECK: attn.ring.release %[[Q]]
// CHECK: scf.for
// CHECK-NOT: attn.ring.wait %[[Q]] :
// CHECK: attn.return
attn.kernel @skipped(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = attn.ring.create : <1 x tensor<8x16xf32, #attn.shared<64>>>
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %to = attn.ring.wait %o : <1 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
    attn.ring.release %o : <1 x tensor<8x16xf32, #attn.shared<64>>>
    attn.stream %j step 8 over [%lo to %hi] produce (%n) {
      %sq = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %pq = attn.ring.issue %sq, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %pq : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %tq = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// A stream in a stream: the inner one starts its copies anew in each visit of the
// outer one, which starts the next outer one before.

// CHECK-LABEL: attn.kernel @nested
// CHECK: %[[O:[^ ]+]] = attn.ring.create : <2 x
// CHECK: %[[I:[^ ]+]] = attn.ring.create : <3 x
// CHECK: attn.ring.acquire %[[O]] : <2 x
// CHECK: scf.for
// CHECK: attn.ring.acquire %[[I]] : <3 x
// CHECK: attn.ring.acquire %[[I]] ahead 1 : <3 x
// CHECK: attn.ring.acquire %[[O]] ahead 1 : <2 x
// CHECK: attn.ring.wait %[[O]]
// CHECK: scf.for
// CHECK: attn.ring.acquire %[[I]] ahead 2 : <3 x
// CHECK: attn.ring.wait %[[I]]
// CHECK: attn.ring.release %[[I]]
// CHECK: }
// CHECK: attn.ring.release %[[O]]
// CHECK-NOT: attn.ring.acquire
// CHECK: attn.return
attn.kernel @nested(%x: !attn.view<?x16xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  %i = attn.ring.create : <3 x tensor<8x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    attn.stream %l step 8 over [%lo to %hi] produce (%n) {
      %so = attn.ring.acquire %o : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
      %po = attn.ring.issue %so, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
      attn.ring.land %po : <tensor<8x16xf32, #attn.shared<64>>>
    } {
      %to = attn.ring.wait %o : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
      attn.stream %j step 8 over [%lo to %hi] produce (%n) {
        %si = attn.ring.acquire %i : <3 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
        %pi = attn.ring.issue %si, %x[%n, %c0] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
        attn.ring.land %pi : <tensor<8x16xf32, #attn.shared<64>>>
      } {
        %ti = attn.ring.wait %i : <3 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
        attn.store %to, %x[%j, %c0] : tensor<8x16xf32, #attn.shared<64>> -> <?x16xf32>
        attn.ring.release %i : <3 x tensor<8x16xf32, #attn.shared<64>>>
      }
      attn.ring.release %o : <2 x tensor<8x16xf32, #attn.shared<64>>>
    }
  }
}

// -----

// A plain product, as attn-stage-loads makes it: state is carried as without a
// producer.

// CHECK-DAG: #[[SHARED128:shared[0-9]*]] = #attn.shared<128>
// CHECK-DAG: #[[SHARED64:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @matmul
// CHECK: %[[A:[^ ]+]] = attn.ring.create : <2 x tensor<32x64xbf16, #[[SHARED128]]>>
// CHECK: %[[B:[^ ]+]] = attn.ring.create : <2 x tensor<64x32xbf16, #[[SHARED64]]>>
// CHECK: scf.if
// CHECK: attn.ring.acquire %[[A]] :
// CHECK: scf.if
// CHECK: attn.ring.acquire %[[B]] :
// CHECK: %[[R:[^ ]+]] = scf.for {{.*}} iter_args(%[[X:[^ ]+]] = %{{[^ ]+}}) -> (tensor<32x32xf32>) {
// CHECK: attn.ring.acquire %[[A]] ahead 1 :
// CHECK: %[[S:[^ ]+]] = attn.ring.wait %[[A]]
// CHECK: attn.ring.acquire %[[B]] ahead 1 :
// CHECK: %[[T:[^ ]+]] = attn.ring.wait %[[B]]
// CHECK-NEXT: %[[D:[^ ]+]] = attn.dot %[[S]], %[[T]], %[[X]]
// CHECK: scf.yield %[[D]] : tensor<32x32xf32>
// CHECK: attn.store %[[R]],
attn.kernel @matmul(%a: !attn.view<?x?xbf16>, %b: !attn.view<?x?xbf16>, %c: !attn.view<?x?xf32>) {
  %ra = attn.ring.create : <2 x tensor<32x64xbf16, #attn.shared<128>>>
  %rb = attn.ring.create : <2 x tensor<64x32xbf16, #attn.shared<64>>>
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %k = attn.dim %a, 1 : <?x?xbf16>
  attn.ctas %w in %k {
    %r = attn.stream %p step 64 over [%c0 to %k] carry (%x = %zero : tensor<32x32xf32>) produce (%n) {
      %s0 = attn.ring.acquire %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>> -> <tensor<32x64xbf16, #attn.shared<128>>>
      %p0 = attn.ring.issue %s0, %a[%w, %n] : <tensor<32x64xbf16, #attn.shared<128>>>, <?x?xbf16> -> <tensor<32x64xbf16, #attn.shared<128>>>
      attn.ring.land %p0 : <tensor<32x64xbf16, #attn.shared<128>>>
      %s1 = attn.ring.acquire %rb : <2 x tensor<64x32xbf16, #attn.shared<64>>> -> <tensor<64x32xbf16, #attn.shared<64>>>
      %p1 = attn.ring.issue %s1, %b[%n, %w] : <tensor<64x32xbf16, #attn.shared<64>>>, <?x?xbf16> -> <tensor<64x32xbf16, #attn.shared<64>>>
      attn.ring.land %p1 : <tensor<64x32xbf16, #attn.shared<64>>>
    } {
      %s = attn.ring.wait %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>> -> tensor<32x64xbf16, #attn.shared<128>>
      %t = attn.ring.wait %rb : <2 x tensor<64x32xbf16, #attn.shared<64>>> -> tensor<64x32xbf16, #attn.shared<64>>
      %d = attn.dot %s, %t, %x : tensor<32x64xbf16, #attn.shared<128>>, tensor<64x32xbf16, #attn.shared<64>> into tensor<32x32xf32>
      attn.ring.release %rb : <2 x tensor<64x32xbf16, #attn.shared<64>>>
      attn.ring.release %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>>
      attn.yield %d : tensor<32x32xf32>
    }
    attn.store %r, %c[%w, %c0] : tensor<32x32xf32> -> <?x?xf32>
  }
}
