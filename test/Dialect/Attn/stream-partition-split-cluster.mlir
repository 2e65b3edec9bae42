// attn-stream-partition{split-cluster}: one kernel, whose last axis is the parts of a stream. CTAs of
// a cluster show each other their states, and each merges some rows of them.
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='split-cluster tiles=query=64,key=64' | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='split-cluster splits=3 tiles=query=64,key=64' | FileCheck %s --check-prefix=THREE
// The schedule of an operation says the same as options.
// RUN: sed 's/{none}/{attn.schedule = #attn.schedule<split_cluster, tiles = [query = 64, key = 64]>}/' %s \
// RUN:   | attn-opt --attn-set-target=target=h200 --attn-stream-partition | FileCheck %s --check-prefix=SAID
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='split-cluster tiles=query=64,key=64' --attn-materialize-grid \
// RUN:   | FileCheck %s --check-prefix=CTAS

// There is no workspace.
// CHECK-LABEL: func.func @decode
// CHECK: attn.launch @decode_attention ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%{{[^ ]+}} : tensor<?x8x4x64xbf16>)
// CHECK-NOT: attn.launch

// Not more CTAs than there are clusters for: 15 of 8, or pairs on 132 SMs; and two tiles each.
// CHECK-LABEL: attn.kernel @decode_attention(
// CHECK-NOT: step =
// CHECK: %[[TILES:[^ ]+]] = arith.maxui
// CHECK: %[[SHARING:[^ ]+]] = arith.ceildivui %[[TILES]], %c15
// CHECK: %[[FIT:[^ ]+]] = arith.divui %c8{{[^ ]*}}, %[[SHARING]]
// CHECK: %[[ROOM:[^ ]+]] = arith.divui %c132, %[[TILES]]
// CHECK: %[[PAIRS:[^ ]+]] = arith.minui %[[ROOM]], %c2
// CHECK: %[[MOST:[^ ]+]] = arith.maxsi %[[FIT]], %[[PAIRS]]
// CHECK: %[[WORTH:[^ ]+]] = arith.ceildivui %{{[^ ]+}}, %c128
// CHECK: arith.minui %[[MOST]], %[[WORTH]]
// CHECK: attn.grid (%[[B:[^ ]+]], %[[G:[^ ]+]], %[[H:[^ ]+]], %[[T:[^ ]+]], %[[S:[^ ]+]]) visit %{{[^ ]+}} in
// CHECK-SAME: split = %[[PARTS:[^ )]+]]) sharing [batch, kv_head, split] cluster {
// A part is a share of what the tile visits in all, in whole tiles.
// CHECK: %[[STEP:[^ ]+]] = arith.muli %[[PARTS]], %c64
// CHECK: %[[N:[^ ]+]] = arith.ceildivui %{{[^ ]+}}, %[[STEP]]
// CHECK: %[[LENGTH:[^ ]+]] = arith.muli %[[N]], %c64
// CHECK: arith.muli %[[S]], %[[LENGTH]]
// CHECK: %[[STATE:[^ ]+]]:4 = attn.stream
// As many rows as there can be are shown.
// CHECK: %[[V:[^ ]+]]:4 = attn.exchange %[[S]] gives %[[STATE]]#0, %[[STATE]]#1, %[[STATE]]#2, %[[STATE]]#3 :
// CHECK-SAME: -> !attn.view<?x4xf32>, !attn.view<?x4xf32>, !attn.view<?x4xf32>, !attn.view<?x4x64xf32>
// Rows of the CTA, then those as many CTAs further.
// CHECK: %[[FIRST:[^ ]+]] = arith.muli %[[S]], %c4
// CHECK: %[[NEXT:[^ ]+]] = arith.muli %[[PARTS]], %c4
// CHECK: scf.for %[[ROW:[^ ]+]] = %[[FIRST]] to %{{[^ ]+}} step %[[NEXT]] {
// CHECK: attn.stream %[[P:[^ ]+]] step 8 over [%c0 to %[[MANY:[^ ]+]]]
// CHECK: attn.load %[[V]]#0[%[[P]], %[[ROW]]] : <?x4xf32> -> tensor<4xf32>
// CHECK: attn.load %[[V]]#3[%[[P]], %[[ROW]], %c0] : <?x4x64xf32> -> tensor<4x64xf32>
// CHECK: attn.stream %{{[^ ]+}} step 2 over [%[[MANY]] to %[[PARTS]]]
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%[[B]], {{.*}} : tensor<4x64xbf16>
// CHECK-NOT: attn.kernel

// THREE-LABEL: attn.kernel @decode_attention(
// THREE: split = %c3) sharing
// A stated number of parts are sent to who merges them, each its share of the four rows.
// THREE: attn.exchange {{.*}} scatter 2 : {{.*}} -> !attn.view<3x4xf32>
// THREE: attn.stream %{{[^ ]+}} step 3 over [%c0 to %c3]

// SAID: attn.exchange

// CTAS: attn.ctas %[[CTA:[^ ]+]] in %{{[^ ]+}} cluster %[[N:[^ ]+]] {
// CTAS: arith.remui %[[CTA]], %[[N]]
// CTAS: arith.divui %[[CTA]], %[[N]]

func.func @decode(%q: tensor<?x8x4x64xbf16>, %k: tensor<?x8x?x64xbf16>, %v: tensor<?x8x?x64xbf16>) -> tensor<?x8x4x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) {none}
      : (tensor<?x8x4x64xbf16>, tensor<?x8x?x64xbf16>, tensor<?x8x?x64xbf16>) -> tensor<?x8x4x64xbf16>
  return %o : tensor<?x8x4x64xbf16>
}
