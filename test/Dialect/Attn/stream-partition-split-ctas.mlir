// attn-stream-partition{split-ctas}: one kernel has a `split` axis and stores states, and a
// second one, made of the operation's merge and tail alone, streams over the splits.
// RUN: attn-opt %s --attn-stream-partition='split-ctas tiles=query=32,key=64' | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition='split-ctas splits=3' | FileCheck %s --check-prefix=THREE
// RUN: attn-opt %s --attn-stream-partition=split-length=512 | FileCheck %s --check-prefix=STATED
// The schedule of an operation says the same as options, and is what makes parts, not what
// merges them.
// RUN: attn-opt %s --attn-stream-partition=splits=1 | FileCheck %s --check-prefix=WHOLE

// The workspace: splits, all unit axes as one, and the dimensions of the value.

// CHECK-LABEL: func.func @decode
// CHECK: %[[WORK:[^ ]+]]:4 = attn.launch @decode_attention_split ins(%arg0, %arg1, %arg2 :
// CHECK-SAME: outs(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>)
// CHECK: %[[O:[^ ]+]]:2 = attn.launch @decode_attention_merge ins(%[[WORK]]#0, %[[WORK]]#1, %[[WORK]]#2, %[[WORK]]#3 :
// CHECK: return %[[O]]#0, %[[O]]#1

// CHECK-LABEL: attn.kernel @decode_attention_split
// CHECK-SAME: (%[[Q:[^ ]+]]: {{.*}}, %[[FACTOR:[^ ]+]]: !attn.view<?x?x?xf32>, %[[REFERENCE:[^ ]+]]: !attn.view<?x?x?xf32>, %[[SUM:[^ ]+]]: !attn.view<?x?x?xf32>, %[[ACC:[^ ]+]]: !attn.view<?x?x?x64xf32>)
// CHECK-SAME: outputs = 4 : i64
// CHECK-SAME: step = "split"
// CHECK: %[[SPLITS:[^ ]+]] = attn.dim %[[FACTOR]], 0
// Parts of one KV head stand before the query heads and tiles that stream them.
// CHECK: attn.grid (%[[B:[^ ]+]], %[[G:[^ ]+]], %[[S:[^ ]+]], %[[H:[^ ]+]], %[[T:[^ ]+]]) visit %{{[^ ]+}} in
// CHECK-SAME: (batch = %{{[^ ]+}}, kv_head = %{{[^ ]+}}, split = %[[SPLITS]], group = %{{[^ ]+}}, query = %{{[^ ]+}}) sharing [batch, kv_head, split]
// A part is a share of what the tile visits in all, in whole tiles.
// CHECK: %[[STEP:[^ ]+]] = arith.muli %[[SPLITS]], %[[C64:[^ ]+]] : index
// CHECK: %[[TILES:[^ ]+]] = arith.ceildivui %{{[^ ]+}}, %[[STEP]] : index
// CHECK: %[[LENGTH:[^ ]+]] = arith.muli %[[TILES]], %[[C64]] : index
// CHECK: arith.muli %[[S]], %[[LENGTH]] : index
// CHECK: %[[STATE:[^ ]+]]:4 = attn.stream
// CHECK: attn.store %[[STATE]]#0, %[[FACTOR]][%[[S]], %[[UNIT:[^ ]+]], %[[ROW:[^ ]+]]] : tensor<32xf32>
// CHECK: attn.store %[[STATE]]#1, %[[REFERENCE]][%[[S]], %[[UNIT]], %[[ROW]]]
// CHECK: attn.store %[[STATE]]#2, %[[SUM]][%[[S]], %[[UNIT]], %[[ROW]]]
// CHECK: attn.store %[[STATE]]#3, %[[ACC]][%[[S]], %[[UNIT]], %[[ROW]], %{{[^ ]+}}] : tensor<32x64xf32>

// Smaller tiles, so that more CTAs load; batches are counted by dividing the unit axes.
// CHECK-LABEL: attn.kernel @decode_attention_merge
// CHECK-SAME: step = "merge"
// CHECK: %[[UNITS:[^ ]+]] = attn.dim %{{[^ ]+}}, 1
// CHECK: %[[BATCHES:[^ ]+]] = arith.divui %[[UNITS]], %c8
// CHECK: %[[SPLITS:[^ ]+]] = attn.dim %{{[^ ]+}}, 0
// CHECK: attn.grid {{.*}} (batch = %[[BATCHES]],
// CHECK-NOT: split =
// Eight states are loaded before the first is merged; behind the last they are those of nothing.
// CHECK: %[[UP:[^ ]+]] = arith.addi %[[SPLITS]], %c3
// CHECK: %[[VISITS:[^ ]+]] = arith.divui %[[UP]], %c8
// CHECK: %[[ROUND:[^ ]+]] = arith.muli %[[VISITS]], %c8
// CHECK: %[[MANY:[^ ]+]] = arith.minsi %[[ROUND]], %[[SPLITS]]
// CHECK: %[[ALL:[^ ]+]]:4 = attn.stream %[[P:[^ ]+]] step 8 over [%{{[^ ]+}} to %[[MANY]]]
// CHECK: attn.load %{{[^ ]+}}[%[[P]], {{.*}} -> tensor<4x64xf32>
// CHECK: %[[IS:[^ ]+]] = arith.cmpi ult, %[[P]], %[[SPLITS]]
// CHECK: tensor.splat %[[IS]]
// CHECK: arith.select
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[P]], %c1
// CHECK: attn.load %{{[^ ]+}}[%[[NEXT]], {{.*}} -> tensor<4x64xf32>
// Of what is left, if it is half of that or less, two at a time.
// CHECK: attn.stream %{{[^ ]+}} step 2 over [%[[MANY]] to %[[SPLITS]]] carry (%{{[^ ]+}} = %[[ALL]]#0,
// CHECK-NOT: attn.dot
// CHECK: attn.store {{.*}} : tensor<4x64xbf16>
// CHECK: attn.store {{.*}} : tensor<4xf32>

// THREE-LABEL: func.func @decode
// THREE: outs({{.*}} : tensor<3x?x?xf32>
// THREE-LABEL: attn.kernel @decode_attention_merge
// THREE: attn.stream %{{[^ ]+}} step 3 over [%c0 to %c3]

// What a part is does not depend on the number of them: the last takes what is left.
// STATED-LABEL: func.func @decode
// STATED: %[[KEYS:[^ ]+]] = tensor.dim %arg1, %{{[^ ]+}}
// STATED: arith.ceildivui %[[KEYS]], %{{[^ ]*}}512
// STATED-LABEL: attn.kernel @decode_attention_split
// STATED: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %[[S:[^ ]+]], %{{[^ ]+}}, %{{[^ ]+}}) visit
// STATED: %[[FROM:[^ ]+]] = arith.muli %[[S]], %c512
// STATED: %[[NEXT:[^ ]+]] = arith.addi %[[S]], %c1
// STATED: %[[LAST:[^ ]+]] = arith.cmpi eq, %[[NEXT]]
// STATED: arith.select %[[LAST]]

// WHOLE: attn.kernel @decode_attention(
// WHOLE: attn.kernel @scheduled_attention_split
// WHOLE-SAME: attn.schedule = #attn.schedule<warps = 2>
// WHOLE: attn.kernel @scheduled_attention_merge
// WHOLE-NOT: #attn.schedule
func.func @decode(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125)
      : (tensor<?x8x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>)
  return %o, %lse : tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>
}

// Split-K of a matrix product: the sum of partial products.

// CHECK-LABEL: attn.kernel @matmul_matmul_split
// CHECK: attn.grid (%[[S:[^ ]+]], %{{[^ ]+}}, %{{[^ ]+}}) visit
// CHECK: attn.store {{.*}}[%[[S]], %{{[^ ]+}}, %{{[^ ]+}}]
// CHECK-LABEL: attn.kernel @matmul_matmul_merge
// CHECK: attn.stream %{{[^ ]+}} step 8
// CHECK: arith.addf
// CHECK-NOT: arith.mulf
// CHECK: attn.store
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = attn.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @scheduled
func.func @scheduled(%q: tensor<1x2x16x64xbf16>, %k: tensor<1x2x?x64xbf16>, %v: tensor<1x2x?x64xbf16>) -> tensor<1x2x16x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) {attn.schedule = #attn.schedule<split_ctas, warps = 2>}
      : (tensor<1x2x16x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>) -> tensor<1x2x16x64xbf16>
  return %o : tensor<1x2x16x64xbf16>
}
