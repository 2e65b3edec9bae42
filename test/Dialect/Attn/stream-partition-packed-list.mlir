// Tiles of packed queries from a list, those of the longest sequence first.
// RUN: split-file %s %t
// RUN: attn-opt %t/packed.mlir --attn-stream-partition='tiles=query=16,key=32 list-tiles' | FileCheck %s
// RUN: not attn-opt %t/dense.mlir --attn-stream-partition='list-tiles' 2>&1 | FileCheck %s --check-prefix=DENSE
// A schedule asks for it, too, and what runs in turn takes entries.
// RUN: attn-opt %t/packed.mlir --attn-schedule='target=h200 tiles=query=64,key=64 list-tiles persistent dynamic' | FileCheck %s --check-prefix=DYNAMIC
// RUN: attn-opt %t/asked.mlir --attn-schedule='target=h200' | FileCheck %s --check-prefix=DYNAMIC
// The kernel that makes the list is not what options are for, and the other one may start while it runs.
// RUN: attn-opt %t/asked.mlir --attn-schedule='target=h200' --attn-to-target --attn-lower-to-nvvm | FileCheck %s --check-prefix=NVVM

// CHECK: %[[LIST:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xi32>
// CHECK: %[[MADE:.*]] = attn.launch @f_attention_order ins(%{{.*}}, %{{.*}} :{{.*}}) outs(%[[LIST]] :
// CHECK: attn.launch @f_attention ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[MADE]] :

// CHECK-LABEL: attn.kernel @f_attention_order(%cu_seqlens_q: !attn.view<?xi32>, %q: !attn.view<1x4x?x64xf16>, %list: !attn.view<?x4xi32>)
// CHECK-SAME: step = "order"
// CHECK: attn.grid (%sequence) visit %{{.*}} in (sequence =
// CHECK: %[[FIRST:.*]] = attn.read %cu_seqlens_q[%sequence]
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %{{.*}}, %c0
// CHECK: %[[COUNT:.*]]:2 = scf.for {{.*}} step %c8 iter_args(%{{.*}} = %c0, %{{.*}} = %c0)
// CHECK-COUNT-9: attn.read %cu_seqlens_q[
// CHECK: arith.cmpi ugt, %{{.*}}, %[[OWN]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[OWN]], %c16
// CHECK: scf.for %[[NUMBER:.*]] = %c0 to %[[TILES]]
// CHECK: %[[ENTRY:.*]] = arith.addi %[[COUNT]]#0, %[[NUMBER]]
// CHECK: attn.write %sequence, %list[%[[ENTRY]], %c0]
// CHECK-COUNT-3: attn.write %{{.*}}, %list[%[[ENTRY]],
// What no tile has is empty.
// CHECK: scf.for %[[REST:.*]] = %[[COUNT]]#1 to
// CHECK-COUNT-4: attn.write %c0, %list[%[[REST]],

// CHECK-LABEL: attn.kernel @f_attention(
// CHECK-SAME: %list: !attn.view<?x4xi32>, %o:
// CHECK-SAME: follows
// CHECK: attn.grid (%kv_head, %group, %query)
// CHECK-NOT: scf.for
// CHECK: %[[POINT:.*]] = attn.read %list[%query, %c0]
// CHECK: %[[AT:.*]] = attn.read %list[%query, %c1]
// CHECK: %[[BASE:.*]] = attn.read %list[%query, %c2]
// CHECK: %[[LENGTH:.*]] = attn.read %list[%query, %c3]
// CHECK: arith.cmpi ult, %[[AT]], %[[LENGTH]]
// CHECK: attn.read %cu_seqlens_k[%[[POINT]]]
// CHECK: %[[ROW:.*]] = arith.addi %[[BASE]], %[[AT]]
// CHECK: attn.load %q[%c0, %{{.*}}, %[[ROW]], %c0]

// DENSE: error: 'attn.attention' op expected packed queries for list-tiles, but got none

// DYNAMIC: attn.kernel @f_attention_order
// DYNAMIC: attn.kernel @f_attention_clear
// DYNAMIC: attn.kernel @f_attention(
// DYNAMIC: attn.grid {{.*}} persistent {{[0-9]+}} dynamic %counter

// NVVM-LABEL: llvm.func @f_attention_order
// NVVM: nvvm.griddepcontrol launch_dependents
// NVVM-LABEL: llvm.func @f_attention(
// NVVM: nvvm.griddepcontrol wait

//--- packed.mlir
!q = tensor<1x4x?x64xf16>
!k = tensor<1x2x?x64xf16>
func.func @f(%q: !q, %k: !k, %v: !k, %cq: tensor<?xi32>, %ck: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) cu_seqlens_q(%cq : tensor<?xi32>) cu_seqlens_k(%ck : tensor<?xi32>) : (!q, !k, !k) -> !q
  return %o : !q
}

//--- asked.mlir
!q = tensor<1x4x?x64xf16>
!k = tensor<1x2x?x64xf16>
func.func @f(%q: !q, %k: !k, %v: !k, %cq: tensor<?xi32>, %ck: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) cu_seqlens_q(%cq : tensor<?xi32>) cu_seqlens_k(%ck : tensor<?xi32>)
      {attn.schedule = #attn.schedule<tiles = [query = 64, key = 64], list_tiles, persistent, dynamic>} : (!q, !k, !k) -> !q
  return %o : !q
}

//--- dense.mlir
!q = tensor<1x4x?x64xf16>
func.func @f(%q: !q) -> !q {
  %o = attn.attention %q, %q, %q scale(0.125) : (!q, !q, !q) -> !q
  return %o : !q
}
