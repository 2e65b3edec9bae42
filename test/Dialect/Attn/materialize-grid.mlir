// attn-materialize-grid: CTAs, the loop over their tiles, and each order as index
// arithmetic. Coordinates and the visit show in the offsets of a store.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid))' | FileCheck %s --implicit-check-not=attn.grid

// One CTA a tile, the last axis fastest; the only visit is 0.

// CHECK-LABEL: attn.kernel @plain
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?x?xf32>) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[B:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[H:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 2
// CHECK-DAG: %[[BH:[^ ]+]] = arith.muli %[[B]], %[[H]] : index
// CHECK-DAG: %[[TILES:[^ ]+]] = arith.muli %[[BH]], %[[Q]] : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[TILES]] {
// CHECK-NEXT: %[[QI:[^ ]+]] = arith.remui %[[CTA]], %[[Q]] : index
// CHECK-NEXT: %[[R:[^ ]+]] = arith.divui %[[CTA]], %[[Q]] : index
// CHECK-NEXT: %[[HI:[^ ]+]] = arith.remui %[[R]], %[[H]] : index
// CHECK-NEXT: %[[BI:[^ ]+]] = arith.divui %[[R]], %[[H]] : index
// CHECK-NEXT: attn.store %{{[^ ]+}}, %[[X]][%[[BI]], %[[HI]], %[[QI]], %[[C0]]]
// CHECK-NEXT: }
// CHECK-NEXT: attn.return
attn.kernel @plain(%x: !attn.view<?x?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %qi) visit %v in (batch = %b, head = %h, query = %q) sharing [batch, head] {
    attn.store %t, %x[%bi, %hi, %qi, %v] : tensor<1xf32> -> !attn.view<?x?x?x?xf32>
  }
}

// -----

// Permuted digits, and an axis from its end.

// CHECK-LABEL: attn.kernel @permuted
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?x?xf32>) {
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[B:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[H:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 2
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %{{[^ ]+}} {
// CHECK-DAG: %[[HI:[^ ]+]] = arith.remui %[[CTA]], %[[H]] : index
// CHECK-DAG: %[[R:[^ ]+]] = arith.divui %[[CTA]], %[[H]] : index
// CHECK-DAG: %[[FORTH:[^ ]+]] = arith.remui %[[R]], %[[Q]] : index
// CHECK-DAG: %[[BI:[^ ]+]] = arith.divui %[[R]], %[[Q]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[Q]], %[[C1]] : index
// CHECK-DAG: %[[QI:[^ ]+]] = arith.subi %[[LAST]], %[[FORTH]] : index
// CHECK: attn.store %{{[^ ]+}}, %[[X]][%[[BI]], %[[HI]], %[[QI]], %{{[^ ]+}}]
attn.kernel @permuted(%x: !attn.view<?x?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %qi) visit %v in (batch = %b, head = %h, query = %q) sharing [batch, head]
      order #attn.order<[batch, query, head], reversed = [query]> {
    attn.store %t, %x[%bi, %hi, %qi, %v] : tensor<1xf32> -> !attn.view<?x?x?x?xf32>
  }
}

// -----

// Persistent: min(tiles, 96) CTAs, each with a loop of that stride; the visit counts
// its iterations.

// CHECK-LABEL: attn.kernel @persistent
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>) {
// CHECK-DAG: %[[C96:[^ ]+]] = arith.constant 96 : index
// CHECK-DAG: %[[TILES:[^ ]+]] = attn.dim %[[X]], 0
// CHECK: %[[CTAS:[^ ]+]] = arith.minui %[[TILES]], %[[C96]] : index
// CHECK-NEXT: attn.ctas %[[CTA:[^ ]+]] in %[[CTAS]] {
// CHECK-NEXT: scf.for %[[T:[^ ]+]] = %[[CTA]] to %[[TILES]] step %[[CTAS]] {
// CHECK-NEXT: %[[BEYOND:[^ ]+]] = arith.subi %[[T]], %[[CTA]] : index
// CHECK-NEXT: %[[VISIT:[^ ]+]] = arith.divui %[[BEYOND]], %[[CTAS]] : index
// CHECK-NEXT: attn.store %{{[^ ]+}}, %[[X]][%[[T]], %[[VISIT]]]
attn.kernel @persistent(%x: !attn.view<?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %q = attn.dim %x, 0 : !attn.view<?x?xf32>
  attn.grid (%qi) visit %v in (query = %q) persistent 96 {
    attn.store %t, %x[%qi, %v] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// A run: half as many CTAs, each of which takes two tiles that follow each other; an
// odd number leaves the last CTA one.

// CHECK-LABEL: attn.kernel @run
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?xf32>) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[H:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-DAG: %[[PAIRS:[^ ]+]] = arith.ceildivui %[[Q]], %[[C2]] : index
// CHECK-DAG: %[[COUNT:[^ ]+]] = arith.muli %[[H]], %[[PAIRS]] : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[COUNT]] {
// CHECK-DAG: %[[PAIR:[^ ]+]] = arith.remui %[[CTA]], %[[PAIRS]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.divui %[[CTA]], %[[PAIRS]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[PAIR]], %[[C2]] : index
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[Q]], %[[FIRST]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.minui %[[LEFT]], %[[C2]] : index
// CHECK: scf.for %[[I:[^ ]+]] = %[[C0]] to %[[END]] step %[[C1]] {
// CHECK-NEXT: %[[QI:[^ ]+]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-NEXT: attn.store %{{[^ ]+}}, %[[X]][%[[HI]], %[[QI]], %[[I]]]
attn.kernel @run(%x: !attn.view<?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %h = attn.dim %x, 0 : !attn.view<?x?x?xf32>
  %q = attn.dim %x, 1 : !attn.view<?x?x?xf32>
  attn.grid (%hi, %qi) visit %v in (head = %h, query = %q) sharing [head] run 2 {
    attn.store %t, %x[%hi, %qi, %v] : tensor<1xf32> -> !attn.view<?x?x?xf32>
  }
}

// -----

// Both: visits count tiles, two a round; reversal reverses the runs.

// CHECK-LABEL: attn.kernel @both
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>) {
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[RUNS:[^ ]+]] = arith.ceildivui %[[Q]], %[[C3]] : index
// CHECK-DAG: %[[CTAS:[^ ]+]] = arith.minui %[[RUNS]], %{{[^ ]+}} : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[CTAS]] {
// CHECK: scf.for %[[T:[^ ]+]] = %[[CTA]] to %[[RUNS]] step %[[CTAS]] {
// CHECK-DAG: %[[BEYOND:[^ ]+]] = arith.subi %[[T]], %[[CTA]] : index
// CHECK-DAG: %[[ROUND:[^ ]+]] = arith.divui %[[BEYOND]], %[[CTAS]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[RUNS]], %[[C1]] : index
// CHECK-DAG: %[[R:[^ ]+]] = arith.subi %[[LAST]], %[[T]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[R]], %[[C3]] : index
// CHECK-DAG: %[[DONE:[^ ]+]] = arith.muli %[[ROUND]], %[[C3]] : index
// CHECK: scf.for %[[I:[^ ]+]] = %{{[^ ]+}} to %{{[^ ]+}} step
// CHECK-DAG: %[[QI:[^ ]+]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-DAG: %[[VISIT:[^ ]+]] = arith.addi %[[DONE]], %[[I]] : index
// CHECK: attn.store %{{[^ ]+}}, %[[X]][%[[QI]], %[[VISIT]]]
attn.kernel @both(%x: !attn.view<?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %q = attn.dim %x, 0 : !attn.view<?x?xf32>
  attn.grid (%qi) visit %v in (query = %q) order #attn.order<[query], reversed = [query]> run 3 persistent 96 {
    attn.store %t, %x[%qi, %v] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Folded: tile t of the run is t / 2 from the front where t is odd, as far from the end
// where it is even. The length of the run stays.

// CHECK-LABEL: attn.kernel @folded
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?xf32>) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-DAG: %[[PAIRS:[^ ]+]] = arith.ceildivui %[[Q]], %[[C2]] : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %{{[^ ]+}} {
// CHECK-DAG: %[[PAIR:[^ ]+]] = arith.remui %[[CTA]], %[[PAIRS]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.divui %[[CTA]], %[[PAIRS]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[PAIR]], %[[C2]] : index
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[Q]], %[[FIRST]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.minui %[[LEFT]], %[[C2]] : index
// CHECK: scf.for %[[I:[^ ]+]] = %[[C0]] to %[[END]] step %[[C1]] {
// CHECK-NEXT: %[[T:[^ ]+]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.divui %[[T]], %[[C2]] : index
// CHECK-DAG: %[[REST:[^ ]+]] = arith.remui %[[T]], %[[C2]] : index
// CHECK-DAG: %[[ODD:[^ ]+]] = arith.cmpi ne, %[[REST]], %[[C0]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[Q]], %[[C1]] : index
// CHECK-DAG: %[[BACK:[^ ]+]] = arith.subi %[[LAST]], %[[HALF]] : index
// CHECK: %[[QI:[^ ]+]] = arith.select %[[ODD]], %[[HALF]], %[[BACK]] : index
// CHECK-NEXT: attn.store %{{[^ ]+}}, %[[X]][%[[HI]], %[[QI]], %[[I]]]
attn.kernel @folded(%x: !attn.view<?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %h = attn.dim %x, 0 : !attn.view<?x?x?xf32>
  %q = attn.dim %x, 1 : !attn.view<?x?x?xf32>
  attn.grid (%hi, %qi) visit %v in (head = %h, query = %q) sharing [head] run 2 folded {
    attn.store %t, %x[%hi, %qi, %v] : tensor<1xf32> -> !attn.view<?x?x?xf32>
  }
}

// -----

// The order is one of groups, of which the first here is the last; then the tile is folded.
// The visit is not.

// CHECK-LABEL: attn.kernel @folded_persistent
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>) {
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 0
// CHECK: scf.for %[[T:[^ ]+]] = %{{[^ ]+}} to %[[RUNS:[^ ]+]] step
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[RUNS]], %{{[^ ]+}} : index
// CHECK-DAG: %[[R:[^ ]+]] = arith.subi %[[LAST]], %[[T]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[R]], %[[C2]] : index
// CHECK-DAG: %[[DONE:[^ ]+]] = arith.muli %{{[^ ]+}}, %[[C2]] : index
// CHECK: scf.for %[[I:[^ ]+]] = %{{[^ ]+}} to %{{[^ ]+}} step
// CHECK-DAG: %[[TILE:[^ ]+]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-DAG: %[[VISIT:[^ ]+]] = arith.addi %[[DONE]], %[[I]] : index
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.divui %[[TILE]], %[[C2]] : index
// CHECK: %[[QI:[^ ]+]] = arith.select %{{[^ ]+}}, %[[HALF]], %{{[^ ]+}} : index
// CHECK: attn.store %{{[^ ]+}}, %[[X]][%[[QI]], %[[VISIT]]]
attn.kernel @folded_persistent(%x: !attn.view<?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %q = attn.dim %x, 0 : !attn.view<?x?xf32>
  attn.grid (%qi) visit %v in (query = %q) order #attn.order<[query], reversed = [query]> run 2 folded persistent 96 {
    attn.store %t, %x[%qi, %v] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// A snake: strides of 96 tiles, of which CTA c has the tile c, or in every other stride 95 - c. What
// is left behind the last whole stride may pass a CTA by.

// CHECK-LABEL: attn.kernel @snake
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C96:[^ ]+]] = arith.constant 96 : index
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 0
// CHECK: %[[CTAS:[^ ]+]] = arith.minui %[[Q]], %[[C96]] : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[CTAS]] {
// CHECK-DAG: %[[MOST:[^ ]+]] = arith.subi %[[CTAS]], %[[C1]] : index
// CHECK-DAG: %[[BACK:[^ ]+]] = arith.subi %[[MOST]], %[[CTA]] : index
// CHECK-DAG: %[[WHOLE:[^ ]+]] = arith.divui %[[Q]], %[[CTAS]] : index
// CHECK-DAG: %[[BIT:[^ ]+]] = arith.remui %[[WHOLE]], %[[C2]] : index
// CHECK-DAG: %[[ODD:[^ ]+]] = arith.cmpi ne, %[[BIT]], %[[C0]] : index
// CHECK-DAG: %[[LASTPLACE:[^ ]+]] = arith.select %[[ODD]], %[[BACK]], %[[CTA]] : index
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.remui %[[Q]], %[[CTAS]] : index
// CHECK-DAG: %[[MORE:[^ ]+]] = arith.cmpi ult, %[[LASTPLACE]], %[[LEFT]] : index
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.select %[[MORE]], %[[C1]], %[[C0]] : index
// CHECK-DAG: %[[STRIDES:[^ ]+]] = arith.addi %[[WHOLE]], %[[ONE]] : index
// CHECK: scf.for %[[V:[^ ]+]] = %[[C0]] to %[[STRIDES]] step %[[C1]] {
// CHECK-DAG: %[[BASE:[^ ]+]] = arith.muli %[[V]], %[[CTAS]] : index
// CHECK-DAG: %[[VBIT:[^ ]+]] = arith.remui %[[V]], %[[C2]] : index
// CHECK-DAG: %[[VODD:[^ ]+]] = arith.cmpi ne, %[[VBIT]], %[[C0]] : index
// CHECK-DAG: %[[PLACE:[^ ]+]] = arith.select %[[VODD]], %[[BACK]], %[[CTA]] : index
// CHECK-DAG: %[[QI:[^ ]+]] = arith.addi %[[BASE]], %[[PLACE]] : index
// CHECK: attn.store %{{[^ ]+}}, %[[X]][%[[QI]], %[[V]]]
attn.kernel @snake(%x: !attn.view<?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %q = attn.dim %x, 0 : !attn.view<?x?xf32>
  attn.grid (%qi) visit %v in (query = %q) persistent 96 snake {
    attn.store %t, %x[%qi, %v] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// The last axis only, and no loop where the run is one tile.

// CHECK-LABEL: attn.kernel @folded_one
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<6x5xf32>) {
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[C5:[^ ]+]] = arith.constant 5 : index
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %{{[^ ]+}} {
// CHECK-NOT: scf.for
// CHECK-DAG: %[[T:[^ ]+]] = arith.remui %[[CTA]], %[[C5]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.divui %[[CTA]], %[[C5]] : index
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.divui %[[T]], %[[C2]] : index
// CHECK-DAG: %[[BACK:[^ ]+]] = arith.subi %[[C4]], %[[HALF]] : index
// CHECK: %[[QI:[^ ]+]] = arith.select %{{[^ ]+}}, %[[HALF]], %[[BACK]] : index
// CHECK-NEXT: attn.store %{{[^ ]+}}, %[[X]][%[[HI]], %[[QI]]]
attn.kernel @folded_one(%x: !attn.view<6x5xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %h = attn.dim %x, 0 : !attn.view<6x5xf32>
  %q = attn.dim %x, 1 : !attn.view<6x5xf32>
  attn.grid (%hi, %qi) visit %v in (head = %h, query = %q) run 1 folded {
    attn.store %t, %x[%hi, %qi] : tensor<1xf32> -> !attn.view<6x5xf32>
  }
}

// -----

// By domain: CTA w goes to domain w mod 8, which walks floor(C / 8) sets of its
// own; the sets that remain follow in plain order.

// CHECK-LABEL: attn.kernel @domains
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?x?xf32>) {
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK-DAG: %[[B:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[H:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-DAG: %[[G:[^ ]+]] = attn.dim %[[X]], 2
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 3
// CHECK-DAG: %[[SETS:[^ ]+]] = arith.muli %[[B]], %[[H]] : index
// CHECK: attn.ctas %[[W:[^ ]+]] in %{{[^ ]+}} {
// CHECK-DAG: %[[PER:[^ ]+]] = arith.divui %[[SETS]], %[[C8]] : index
// CHECK-DAG: %[[WHOLE:[^ ]+]] = arith.muli %[[PER]], %[[C8]] : index
// CHECK-DAG: %[[UNITS:[^ ]+]] = arith.muli %[[Q]], %[[G]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[WHOLE]], %[[UNITS]] : index
// CHECK-DAG: %[[IN:[^ ]+]] = arith.cmpi ult, %[[W]], %[[FIRST]] : index
// CHECK-DAG: %[[DOMAIN:[^ ]+]] = arith.remui %[[W]], %[[C8]] : index
// CHECK-DAG: %[[RANK:[^ ]+]] = arith.divui %[[W]], %[[C8]] : index
// CHECK-DAG: %[[BEYOND:[^ ]+]] = arith.subi %[[W]], %[[FIRST]] : index
// CHECK-DAG: %[[LOCAL:[^ ]+]] = arith.select %[[IN]], %[[RANK]], %[[BEYOND]] : index
// CHECK-DAG: %[[TAIL:[^ ]+]] = arith.subi %[[SETS]], %[[WHOLE]] : index
// CHECK-DAG: %[[SIZE:[^ ]+]] = arith.select %[[IN]], %[[PER]], %[[TAIL]] : index
// CHECK-DAG: %[[START:[^ ]+]] = arith.muli %[[DOMAIN]], %[[PER]] : index
// CHECK-DAG: %[[BASE:[^ ]+]] = arith.select %[[IN]], %[[START]], %[[WHOLE]] : index
// CHECK-DAG: %[[GI:[^ ]+]] = arith.remui %[[LOCAL]], %[[G]] : index
// CHECK-DAG: %[[REST:[^ ]+]] = arith.divui %[[LOCAL]], %[[G]] : index
// CHECK-DAG: %[[DIGIT:[^ ]+]] = arith.remui %[[REST]], %[[SIZE]] : index
// CHECK-DAG: %[[QI:[^ ]+]] = arith.divui %[[REST]], %[[SIZE]] : index
// CHECK-DAG: %[[SET:[^ ]+]] = arith.addi %[[DIGIT]], %[[BASE]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.remui %[[SET]], %[[H]] : index
// CHECK-DAG: %[[BI:[^ ]+]] = arith.divui %[[SET]], %[[H]] : index
// CHECK: attn.store %{{[^ ]+}}, %[[X]][%[[BI]], %[[HI]], %[[GI]], %[[QI]]]
attn.kernel @domains(%x: !attn.view<?x?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %g = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 3 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %gi, %qi) visit %v in (batch = %b, kv_head = %h, group = %g, query = %q)
      sharing [batch, kv_head] order #attn.order<[query, sharing, group], domains = 8> {
    attn.store %t, %x[%bi, %hi, %gi, %qi] : tensor<1xf32> -> !attn.view<?x?x?x?xf32>
  }
}

// -----

// In chunks of 2: domain (w / 2) mod 3, rank 2 (w / 6) + w mod 2. A domain walks
// floor(C / 3) sets where their tiles are whole chunks, else an even number.

// CHECK-LABEL: attn.kernel @chunks
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?xf32>) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK-DAG: %[[C6:[^ ]+]] = arith.constant 6 : index
// CHECK-DAG: %[[H:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-DAG: %[[Q:[^ ]+]] = attn.dim %[[X]], 1
// CHECK: attn.ctas %[[W:[^ ]+]] in %{{[^ ]+}} {
// CHECK-DAG: %[[SHARE:[^ ]+]] = arith.divui %[[H]], %[[C3]] : index
// CHECK-DAG: %[[TILES:[^ ]+]] = arith.muli %[[SHARE]], %[[Q]] : index
// CHECK-DAG: %[[REST:[^ ]+]] = arith.remui %[[TILES]], %[[C2]] : index
// CHECK-DAG: %[[DIVIDES:[^ ]+]] = arith.cmpi eq, %[[REST]], %[[C0]] : index
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.divui %[[SHARE]], %[[C2]] : index
// CHECK-DAG: %[[EVEN:[^ ]+]] = arith.muli %[[HALF]], %[[C2]] : index
// CHECK-DAG: %[[PER:[^ ]+]] = arith.select %[[DIVIDES]], %[[SHARE]], %[[EVEN]] : index
// CHECK-DAG: %[[CHUNK:[^ ]+]] = arith.divui %[[W]], %[[C2]] : index
// CHECK-DAG: %[[DOMAIN:[^ ]+]] = arith.remui %[[CHUNK]], %[[C3]] : index
// CHECK-DAG: %[[ROUND:[^ ]+]] = arith.divui %[[W]], %[[C6]] : index
// CHECK-DAG: %[[BEFORE:[^ ]+]] = arith.muli %[[ROUND]], %[[C2]] : index
// CHECK-DAG: %[[WITHIN:[^ ]+]] = arith.remui %[[W]], %[[C2]] : index
// CHECK-DAG: %[[RANK:[^ ]+]] = arith.addi %[[BEFORE]], %[[WITHIN]] : index
// CHECK-DAG: arith.select %{{[^ ]+}}, %[[RANK]], %{{[^ ]+}} : index
// CHECK-DAG: arith.muli %[[DOMAIN]], %[[PER]] : index
// CHECK: attn.store
attn.kernel @chunks(%x: !attn.view<?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %h = attn.dim %x, 0 : !attn.view<?x?xf32>
  %q = attn.dim %x, 1 : !attn.view<?x?xf32>
  attn.grid (%hi, %qi) visit %v in (head = %h, query = %q)
      sharing [head] order #attn.order<[sharing, query], domains = 3, chunk = 2> {
    attn.store %t, %x[%hi, %qi] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Static sizes fold: 16 sets of 4 on 8 domains come out even.

// CHECK-LABEL: attn.kernel @static
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK: attn.ctas %{{[^ ]+}} in %[[C64]] {
attn.kernel @static(%x: !attn.view<16x4xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %h = attn.dim %x, 0 : !attn.view<16x4xf32>
  %q = attn.dim %x, 1 : !attn.view<16x4xf32>
  attn.grid (%hi, %qi) visit %v in (head = %h, query = %q)
      sharing [head] order #attn.order<[sharing, query], domains = 8> {
    attn.store %t, %x[%hi, %qi] : tensor<1xf32> -> !attn.view<16x4xf32>
  }
}

// -----

// A grid without tiles, whose coordinates would be remainders of a division by
// zero: no CTA runs, and what one would do is well defined.

// CHECK-LABEL: attn.kernel @no_tiles
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: attn.ctas %{{[^ ]+}} in %[[C0]] {
// CHECK-NOT: divui
// CHECK-NOT: remui
// CHECK-NOT: scf.for
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}]
// CHECK-NEXT: }
attn.kernel @no_tiles(%x: !attn.view<?x0xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x0xf32>
  %q = arith.constant 0 : index
  attn.grid (%bi, %qi) visit %v in (batch = %b, query = %q) sharing [batch] persistent 4 {
    attn.store %t, %x[%bi, %qi] : tensor<1xf32> -> !attn.view<?x0xf32>
  }
}

// -----

// Of the first axis only as many points exist as an element says, and those come first: persistent CTAs stop there. The
// number is one of points, whatever it is.

// CHECK-LABEL: attn.kernel @until
// CHECK-SAME: (%{{[^ ]+}}: !attn.view<?x?xf32>, %[[TABLE:[^ ]+]]: !attn.view<?x2xi32>)
// CHECK: %[[M:[^ ]+]] = attn.dim %{{[^ ]+}}, 0
// CHECK: %[[N:[^ ]+]] = attn.dim %{{[^ ]+}}, 1
// CHECK: %[[ALL:[^ ]+]] = arith.muli %[[M]], %[[N]]
// CHECK: %[[CTAS:[^ ]+]] = arith.minui %[[ALL]], %c4
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[CTAS]] {
// CHECK-NEXT: %[[READ:[^ ]+]] = attn.read %[[TABLE]][%[[M]], %c0] : <?x2xi32>
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.minui %[[READ]], %[[M]]
// CHECK-NEXT: %[[TILES:[^ ]+]] = arith.muli %[[FIRST]], %[[N]]
// CHECK-NEXT: scf.for %{{[^ ]+}} = %[[CTA]] to %[[TILES]] step %[[CTAS]] {
attn.kernel @until(%x: !attn.view<?x?xf32>, %table: !attn.view<?x2xi32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %m = attn.dim %x, 0 : !attn.view<?x?xf32>
  %n = attn.dim %x, 1 : !attn.view<?x?xf32>
  attn.grid (%i, %j) visit %v in (work = %m, query = %n) sharing [work]
      order #attn.order<[sharing, query], reversed = [query]> persistent 4 until %table[%m, %c0] : <?x2xi32> {
    attn.store %t, %x[%i, %j] : tensor<1xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Runs are counted, of one axis alone; numbers are taken below that.

// CHECK-LABEL: attn.kernel @until_runs
// CHECK: %[[READ:[^ ]+]] = attn.read
// CHECK-NEXT: %[[SOME:[^ ]+]] = arith.minui %[[READ]],
// CHECK-NEXT: %[[RUNS:[^ ]+]] = arith.ceildivui %[[SOME]], %c3
// CHECK: scf.while
// CHECK-NEXT: arith.cmpi ult, %{{[^ ]+}}, %[[RUNS]]
attn.kernel @until_runs(%x: !attn.view<?xf32>, %ends: !attn.view<1xi32>, %counter: !attn.view<1xi32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %m = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%i) visit %v in (work = %m) run 3 persistent 4 dynamic %counter : <1xi32> until %ends[%c0] : <1xi32> {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// Where another axis is slower, the first runs from its end, domains take turns or CTAs have one tile each, all points run.

// CHECK-LABEL: attn.kernel @until_slower
// CHECK-NOT: attn.read
// CHECK: scf.for
// CHECK-LABEL: attn.kernel @until_reversed
// CHECK-NOT: attn.read
// CHECK: scf.for
// CHECK-LABEL: attn.kernel @until_domains
// CHECK-NOT: attn.read
// CHECK: scf.for
// CHECK-LABEL: attn.kernel @until_single
// CHECK-NOT: attn.read
// CHECK: attn.return
!v = !attn.view<?x?xf32>
attn.kernel @until_slower(%x: !v, %ends: !attn.view<1xi32>, %m: index, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  attn.grid (%i, %j) visit %v in (work = %m, query = %n) order #attn.order<[query, work]> persistent 4 until %ends[%c0] : <1xi32> {
    attn.store %t, %x[%i, %j] : tensor<1xf32> -> !v
  }
}
attn.kernel @until_reversed(%x: !v, %ends: !attn.view<1xi32>, %m: index, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  attn.grid (%i, %j) visit %v in (work = %m, query = %n) order #attn.order<[work, query], reversed = [work]> persistent 4 until %ends[%c0] : <1xi32> {
    attn.store %t, %x[%i, %j] : tensor<1xf32> -> !v
  }
}
attn.kernel @until_domains(%x: !v, %ends: !attn.view<1xi32>, %m: index, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  attn.grid (%i, %j) visit %v in (work = %m, query = %n) sharing [work] order #attn.order<[sharing, query], domains = 2> persistent 4 until %ends[%c0] : <1xi32> {
    attn.store %t, %x[%i, %j] : tensor<1xf32> -> !v
  }
}
attn.kernel @until_single(%x: !v, %ends: !attn.view<1xi32>, %m: index, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  attn.grid (%i, %j) visit %v in (work = %m, query = %n) until %ends[%c0] : <1xi32> {
    attn.store %t, %x[%i, %j] : tensor<1xf32> -> !v
  }
}
