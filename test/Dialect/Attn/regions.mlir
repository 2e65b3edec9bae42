// Regions that read captured tensors, mask regions, sinks: syntax, and what the
// partition makes of them.
//
// RUN: attn-opt %s --split-input-file | FileCheck %s --check-prefix=SYNTAX
// RUN: attn-opt %s --split-input-file --mlir-print-op-generic | attn-opt --split-input-file | FileCheck %s --check-prefix=SYNTAX
// RUN: attn-opt %s --split-input-file --attn-stream-partition=tiles=query=64,key=32 --canonicalize | FileCheck %s

// What a row reads stands in front of the stream, what a column reads is read once
// a column. Of sorted numbers the first and the last tile of the stream are found by
// halving. The tail adds the sinks.

// SYNTAX-LABEL: func.func @documents
// SYNTAX: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(1.250000e-01) captures(%{{.*}} : tensor<?x?xi32>) sinks(%{{.*}} : tensor<8xf32>) keep(%[[B:.*]]: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[IDS:.*]]: tensor<?x?xi32>) {
// SYNTAX-NEXT: attn.gather %[[IDS]][%[[B]], %[[I]]] : tensor<?x?xi32> -> i32
// SYNTAX: } {sorted = array<i64: 0>} :

// CHECK-LABEL: attn.kernel @documents_attention
// CHECK-SAME: %[[IDS:[^ ]+]]: !attn.view<?x?xi32>, %[[SINKS:[^ ]+]]: !attn.view<8xf32>,
// CHECK-SAME: dim_names = [{{.*}}["batch", ""], [""],
// CHECK: attn.grid (%[[B:[^ ]+]], %{{[^ ]+}}, %{{[^ ]+}}, %[[TILE:[^ ]+]])
// CHECK: %[[FIRST:[^ ]+]] = arith.muli %[[TILE]], %{{[^ ]+}}
// CHECK: attn.read %[[IDS]][%[[B]], %[[FIRST]]]
// CHECK: scf.for
// CHECK: attn.read %[[IDS]]
// CHECK: scf.for
// CHECK: %[[ROWS:[^ ]+]] = attn.iota 0 from %[[FIRST]] : tensor<64xindex>
// CHECK: %[[OWN:[^ ]+]] = attn.gather %[[IDS]][%[[B]], %[[ROWS]]] : !attn.view<?x?xi32> at(index, tensor<64xindex>) -> tensor<64xi32>
// CHECK: attn.stream %[[POS:[^ ]+]] step 32 over [masked %{{[^ ]+}} to %[[A:[^ ]+]], %[[A]] to %[[Z:[^ ]+]], masked %[[Z]] to
// CHECK: attn.dot
// CHECK: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]] : tensor<1x32xindex>
// CHECK: %[[KEYS:[^ ]+]] = attn.gather %[[IDS]][%[[B]], %[[COLS]]] : !attn.view<?x?xi32> at(index, tensor<1x32xindex>) -> tensor<1x32xi32>
// CHECK: %[[L:[^ ]+]] = attn.broadcast %[[OWN]] : tensor<64xi32> to tensor<64x32xi32>
// CHECK: %[[R:[^ ]+]] = attn.broadcast %[[KEYS]] : tensor<1x32xi32> to tensor<64x32xi32>
// CHECK: arith.cmpi eq, %[[L]], %[[R]]
// CHECK: attn.mask
// CHECK: attn.yield
// CHECK: %[[SINK:[^ ]+]] = attn.gather %[[SINKS]][%{{[^ ]+}}] : !attn.view<8xf32> -> f32
// CHECK: attn.advance
// CHECK: attn.store
func.func @documents(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>,
                     %ids: tensor<?x?xi32>, %sinks: tensor<8xf32>) -> tensor<?x8x?x64xbf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.125) captures(%ids : tensor<?x?xi32>)
      sinks(%sinks : tensor<8xf32>)
      keep(%b: index, %h: index, %i: index, %j: index, %d: tensor<?x?xi32>) {
    %x = attn.gather %d[%b, %i] : tensor<?x?xi32> -> i32
    %y = attn.gather %d[%b, %j] : tensor<?x?xi32> -> i32
    %same = arith.cmpi eq, %x, %y : i32
    attn.yield %same : i1
  } {sorted = array<i64: 0>} : (tensor<?x8x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x8x?x64xbf16>
  return %o : tensor<?x8x?x64xbf16>
}

// -----

// Without the promise all tiles are visited, and masked. A captured scalar bounds
// the keys, as long as it is no larger than indices are.

// CHECK-LABEL: attn.kernel @unsorted_attention
// CHECK-NOT: scf.for
// CHECK: arith.cmpi sle, %{{.*}}, %c16777216
// CHECK: attn.stream %{{[^ ]+}} step 32 over [masked %{{[^ ]+}} to %{{[^ ]+}}] carry
func.func @unsorted(%q: tensor<1x1x64x64xbf16>, %ids: tensor<64xi32>, %n: index) -> tensor<1x1x64x64xbf16> {
  %o = attn.attention %q, %q, %q scale(0.125) captures(%ids, %n : tensor<64xi32>, index)
      keep(%b: index, %h: index, %i: index, %j: index, %d: tensor<64xi32>, %l: index) {
    %x = attn.gather %d[%i] : tensor<64xi32> -> i32
    %y = attn.gather %d[%j] : tensor<64xi32> -> i32
    %same = arith.cmpi eq, %x, %y : i32
    %in = arith.cmpi slt, %j, %l : index
    %p = arith.andi %same, %in : i1
    attn.yield %p : i1
  } : (tensor<1x1x64x64xbf16>, tensor<1x1x64x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x1x64x64xbf16>
  return %o : tensor<1x1x64x64xbf16>
}

// -----

// What a score modification reads is read before the product; nothing of it is
// needed to bound keys.

// CHECK-LABEL: attn.kernel @bias_attention
// CHECK-SAME: dim_names = [{{.*}}["", "", "query", "key"]
// CHECK: attn.stream %{{[^ ]+}} step 32 over [%{{[^ ]+}} to %{{[^ ]+}}, masked
// CHECK: attn.gather %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}] : !attn.view<1x8x?x?xbf16> at(index, index, tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xbf16>
// CHECK: attn.dot
// CHECK: arith.extf
func.func @bias(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %bias: tensor<1x8x?x?xbf16>) -> tensor<?x8x?x64xbf16> {
  %o = attn.attention %q, %k, %k scale(0.125) captures(%bias : tensor<1x8x?x?xbf16>)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x8x?x?xbf16>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%zero, %h, %i, %j] : tensor<1x8x?x?xbf16> -> bf16
    %y = arith.extf %x : bf16 to f32
    %r = arith.addf %s, %y : f32
    attn.yield %r : f32
  } : (tensor<?x8x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x8x?x64xbf16>
  return %o : tensor<?x8x?x64xbf16>
}
