// Lengths that are read on the device: the stream ends there, in one kernel and in parts; without them it ends with its
// views.
// RUN: attn-opt %s --attn-stream-partition=tiles=query=16,key=32 | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition='tiles=query=16,key=32 split-ctas splits=3' | FileCheck %s --check-prefix=SPLIT

!q = tensor<?x4x?x64xf16>
!k = tensor<?x2x?x64xf16>

func.func @lengths(%q: !q, %k: !k, %v: !k, %n: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) lengths(%n : tensor<?xi32>) : (!q, !k, !k) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @lengths
// CHECK: attn.launch @lengths_attention ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
// CHECK: attn.kernel @lengths_attention(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}, %lengths: !attn.view<?xi32>, %o:
// CHECK: attn.grid (%batch,
// CHECK: %[[READ:.*]] = attn.read %lengths[%batch] : <?xi32>
// CHECK: %[[SIZE:.*]] = attn.dim %k, 2
// CHECK-DAG: %[[VALID:.*]] = arith.cmpi ule, %[[READ]], %[[SIZE]]
// CHECK-DAG: %[[END:.*]] = arith.minui %[[READ]], %[[SIZE]]
// The last tile is masked, whatever the length.
// CHECK: %[[LAST:.*]] = arith.ceildivui %[[END]],
// CHECK: %[[HI:.*]] = arith.muli %[[LAST]],
// CHECK: attn.stream %pos step 32 over [%{{.*}} to %{{.*}}, masked %{{.*}} to %[[HI]]]
// Of a key the mask takes the score away; of a value nothing would.
// CHECK: attn.load %k[%batch, %kv_head, %pos, %{{.*}}] : <
// CHECK: attn.load %v[%batch, %kv_head, %pos, %{{.*}}] until %[[END]] : <
// CHECK: %[[BOUND:.*]] = tensor.splat %[[END]]
// CHECK: arith.cmpi slt, %cols, %[[BOUND]]
// What cannot be a length has no result.
// CHECK: %[[HOLDS:.*]] = tensor.splat %[[VALID]] : tensor<16x64xi1>
// CHECK: %[[OUT:.*]] = arith.select %[[HOLDS]], %{{.*}}, %{{.*}} : tensor<16x64xi1>, tensor<16x64xf16>
// CHECK: attn.store %[[OUT]], %o

// Parts of what there is, of which the merge asks whether it can be.
// SPLIT-LABEL: attn.kernel @lengths_attention_split
// SPLIT: %[[END:.*]] = arith.minui
// SPLIT: attn.load %v[{{.*}}] until %[[END]]
// SPLIT-LABEL: attn.kernel @lengths_attention_merge
// SPLIT-SAME: %lengths: !attn.view<?xi32>, %k: !attn.view<?x2x?x64xf16>, %o:
// SPLIT: %[[READ:.*]] = attn.read %lengths[%batch]
// SPLIT: %[[VALID:.*]] = arith.cmpi ule, %[[READ]],
// SPLIT: tensor.splat %[[VALID]]

func.func @plain(%q: !q, %k: !k, %v: !k) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) : (!q, !k, !k) -> !q
  return %o : !q
}

// CHECK-LABEL: attn.kernel @plain_attention
// CHECK-NOT: attn.read
// CHECK-NOT: until
// CHECK: attn.stream
// CHECK-NOT: until
// CHECK: attn.store
