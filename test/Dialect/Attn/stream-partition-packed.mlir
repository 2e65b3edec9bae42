// Packed sequences: the grid spans the tiles that exist, a tile finds its sequence by halving, and what it loads and
// stores is where that lies.
// RUN: attn-opt %s --attn-stream-partition=tiles=query=16,key=32 | FileCheck %s
// RUN: not attn-opt %s --attn-stream-partition='tiles=query=16,key=32 split-ctas' 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not attn-opt %s --attn-stream-partition='tiles=query=16,key=32 split-length=32' 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not attn-opt %s --attn-schedule='target=h200 tiles=query=16,key=32 split-cluster splits=2' 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: attn-opt %s --attn-pack-group --remarks-filter='attn-pack-group' -o %t 2>&1 | FileCheck %s --check-prefix=GROUP

// SPLIT: packed.mlir:[[@LINE+7]]:{{.*}} error: 'attn.attention' op expected no split over CTAs where sequences are packed (cu_seqlens), but got one
// GROUP: remark: [Missed] {{.*}}its queries are packed by cu_seqlens_q

!q = tensor<1x4x?x64xf16>
!k = tensor<1x2x?x64xf16>

func.func @both(%q: !q, %k: !k, %v: !k, %cq: tensor<?xi32>, %ck: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) cu_seqlens_q(%cq : tensor<?xi32>) cu_seqlens_k(%ck : tensor<?xi32>) : (!q, !k, !k) -> !q
  return %o : !q
}

// CHECK-LABEL: attn.kernel @both_attention
// CHECK-DAG: %[[NUMBERS:.*]] = attn.dim %cu_seqlens_q, 0
// CHECK-DAG: %[[BATCH:.*]] = arith.subi %[[NUMBERS]], %c1
// CHECK-DAG: %[[QUERIES:.*]] = attn.dim %q, 2
// CHECK-DAG: %[[KEYS:.*]] = attn.dim %k, 2
// A tile each for the ends of sequences, and whole ones.
// CHECK: %[[WHOLE:.*]] = arith.divui %[[QUERIES]], %c16
// CHECK: %[[TILES:.*]] = arith.addi %[[WHOLE]], %[[BATCH]]
// CHECK: attn.grid (%kv_head, %group, %query) visit %{{.*}} in (kv_head = %c2, group = %c2, query = %[[TILES]]) sharing [kv_head]
// CHECK: %[[FOUND:.*]]:2 = scf.for {{.*}} iter_args(%[[LOW:.*]] = %c0, %[[HIGH:.*]] = %[[BATCH]])
// CHECK:   attn.read %cu_seqlens_q[%[[MIDDLE:.*]]]
// CHECK:   %[[BEFORE:.*]] = arith.cmpi sle, %{{.*}}, %query
// CHECK:   arith.select %[[BEFORE]], %[[MIDDLE]], %[[LOW]]
// CHECK: %[[FIRST:.*]] = attn.read %cu_seqlens_q[%[[FOUND]]#0]
// CHECK: %[[END:.*]] = attn.read %cu_seqlens_q[
// CHECK: arith.cmpi ule, %[[FIRST]], %[[END]]
// CHECK: arith.cmpi ule, %[[END]], %[[QUERIES]]
// CHECK: %[[BASE:.*]] = arith.select %{{.*}}, %[[FIRST]], %c0
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult,
// CHECK: %[[OFFSET:.*]] = arith.select %[[EXISTS]], %{{.*}}, %c0
// CHECK: %[[ROWS:.*]] = arith.select %[[EXISTS]], %{{.*}}, %c0
// CHECK: %[[KFIRST:.*]] = attn.read %cu_seqlens_k[%[[FOUND]]#0]
// CHECK: %[[KEND:.*]] = attn.read %cu_seqlens_k[
// CHECK-DAG: arith.cmpi ule, %[[KEND]], %[[KEYS]]
// CHECK: %[[KBASE:.*]] = arith.select %[[VALID:.*]], %[[KFIRST]], %c0
// A tile without a row streams nothing.
// CHECK: %[[LENGTH:.*]] = arith.select %[[EXISTS]], %{{.*}}, %c0
// CHECK: %[[KSTOP:.*]] = arith.addi %[[KBASE]], %[[LENGTH]]
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[OFFSET]]
// Rows of the next sequence are zeros: rows of a tile may decide together.
// CHECK: %[[STOP:.*]] = arith.addi %[[BASE]], %[[ROWS]]
// CHECK: attn.load %q[%c0, %{{.*}}, %[[AT]], %c0] until %[[STOP]] :
// CHECK: attn.stream %pos
// CHECK:   %[[KEY:.*]] = arith.addi %[[KBASE]], %pos
// CHECK:   attn.load %k[%c0, %kv_head, %[[KEY]], %c0] :
// CHECK:   attn.load %v[%c0, %kv_head, %[[KEY]], %c0] until %[[KSTOP]] :
// Positions count from the sequence's first key.
// CHECK:   attn.iota 1 from %pos
// CHECK: attn.store %{{.*}}, %o[%c0, %{{.*}}, %[[AT]], %c0] until %[[STOP]]

func.func @keys(%q: tensor<3x4x8x64xf16>, %k: !k, %v: !k, %ck: tensor<4xi64>) -> tensor<3x4x8x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125) cu_seqlens_k(%ck : tensor<4xi64>)
      : (tensor<3x4x8x64xf16>, !k, !k) -> tensor<3x4x8x64xf16>
  return %o : tensor<3x4x8x64xf16>
}

// Queries that are not packed have the grid of any others.
// CHECK-LABEL: attn.kernel @keys_attention
// CHECK: attn.grid (%batch, %kv_head, %group, %query) visit %{{.*}} in (batch = %c3, kv_head = %c2, group = %c2, query = %c1) sharing [batch, kv_head]
// CHECK: attn.read %cu_seqlens_k[%batch]
// CHECK: attn.store
// CHECK-NOT: until
// CHECK: attn.return

func.func @queries(%q: !q, %k: tensor<4x2x64x64xf16>, %cq: tensor<5xi32>) -> !q {
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%cq : tensor<5xi32>)
      : (!q, tensor<4x2x64x64xf16>, tensor<4x2x64x64xf16>) -> !q
  return %o : !q
}

// Four sequences are found in three halvings.
// CHECK-LABEL: attn.kernel @queries_attention
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1
// CHECK: attn.load %k[%{{.*}}#0, %kv_head, %pos, %c0] :
