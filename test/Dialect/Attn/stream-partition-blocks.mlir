// What lists of blocks make of a stream: partial blocks, full ones, and the last of these where it reaches behind the keys.
// RUN: attn-opt %s | attn-opt | FileCheck %s --check-prefix=OP
// RUN: attn-opt %s --attn-stream-partition="tiles=query=64,key=32" --split-input-file | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition="tiles=query=96,key=48" | FileCheck %s --check-prefix=TILES
// RUN: attn-opt %s --attn-schedule="traversal=inside-out sawtooth=force" --remarks-filter='attn-traverse|attn-sawtooth' -o /dev/null 2>&1 | FileCheck %s --check-prefix=STAYS

// OP-LABEL: func.func @both
// OP: attn.attention %{{.*}} scale(1.250000e-01) blocks<128, 64>(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8x?xi32>, tensor<?x8x?x?xi32>, tensor<1x1x?xi64>, tensor<1x1x?x?xi64>) : (

// CHECK-LABEL: attn.kernel @both_attention
// CHECK-SAME: %kv_num_blocks: !attn.view<?x8x?xi32>, %kv_indices: !attn.view<?x8x?x?xi32>, %full_kv_num_blocks: !attn.view<1x1x?xi64>, %full_kv_indices: !attn.view<1x1x?x?xi64>
// CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c128
// CHECK: %[[PARTIAL:.*]] = attn.read %kv_num_blocks[%batch, %[[HEAD:.*]], %[[ROW]]]
// CHECK: arith.maxsi %[[PARTIAL]], %c0
// CHECK: %[[P:.*]] = arith.minsi
// CHECK: %[[FULL:.*]] = attn.read %full_kv_num_blocks[%c0, %c0, %[[ROW]]]
// CHECK: %[[LAST:.*]] = attn.read %full_kv_indices[%c0, %c0, %[[ROW]], %{{.*}}]
// CHECK: arith.cmpi uge, %[[LAST]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK: attn.stream %{{.*}} step 32 traversal #attn.blocks<64>(%[[BLOCKS]], %kv_indices, %batch, %[[HEAD]], %[[ROW]], %c0, %[[P]], %full_kv_indices, %c0, %c0, %[[ROW]], %c0 :
// CHECK-SAME: over [masked %c0 to %[[A:.*]], %[[A]] to %[[B:.*]], masked %[[B]] to %{{.*}}]
// CHECK: attn.mask

// Tiles divide a block.
// TILES: attn.load %q{{.*}} -> tensor<64x64xbf16>
// TILES: attn.stream %{{.*}} step 32

// Lists say which blocks are visited: no pass takes another order.
// STAYS: has-direction
// STAYS: ordered | Category:attn-traverse | Function=both_attention
// STAYS-NOT: remark: [Passed]
func.func @both(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %n: tensor<?x8x?xi32>, %i: tensor<?x8x?x?xi32>, %fn: tensor<1x1x?xi64>, %fi: tensor<1x1x?x?xi64>) -> tensor<?x8x?x64xbf16> {
  %o = attn.attention %q, %k, %k scale(0.125) blocks<128, 64>(%n, %i, %fn, %fi : tensor<?x8x?xi32>, tensor<?x8x?x?xi32>, tensor<1x1x?xi64>, tensor<1x1x?x?xi64>)
    : (tensor<?x8x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x8x?x64xbf16>
  return %o : tensor<?x8x?x64xbf16>
}

// -----

// Keys are whole blocks: the last one is like the others. Without full blocks there is one list.

// CHECK-LABEL: attn.kernel @whole_attention
// CHECK: #attn.blocks<64>(%c4, %kv_indices,
// CHECK-SAME: over [masked %c0 to %[[A:.*]], %[[A]] to %{{[^,]*}}]
// CHECK-LABEL: attn.kernel @partial_attention
// CHECK: #attn.blocks<64>(%c4, %kv_indices, %c0, %c0, %{{.*}}, %c0 : index, !attn.view<1x1x2x?xi32>, index, index, index, index)
// CHECK-SAME: over [masked %c0 to %{{[^,]*}}]
func.func @whole(%q: tensor<1x2x256x64xbf16>, %n: tensor<1x1x2xi32>, %i: tensor<1x1x2x?xi32>) -> tensor<1x2x256x64xbf16> {
  %o = attn.attention %q, %q, %q scale(0.125) blocks<128, 64>(%n, %i, %n, %i : tensor<1x1x2xi32>, tensor<1x1x2x?xi32>, tensor<1x1x2xi32>, tensor<1x1x2x?xi32>)
    : (tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x256x64xbf16>
  return %o : tensor<1x2x256x64xbf16>
}

func.func @partial(%q: tensor<1x2x256x64xbf16>, %n: tensor<1x1x2xi32>, %i: tensor<1x1x2x?xi32>) -> tensor<1x2x256x64xbf16> {
  %o = attn.attention %q, %q, %q scale(0.125) blocks<128, 64>(%n, %i : tensor<1x1x2xi32>, tensor<1x1x2x?xi32>)
    : (tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x256x64xbf16>
  return %o : tensor<1x2x256x64xbf16>
}
