// Keys in pages: each tile lies in one, which a table says, or is several; a part of a stream is like a whole one.
// RUN: attn-opt %s --attn-stream-partition=tiles=query=16,key=32 | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition='tiles=query=16,key=32 split-ctas splits=3' | FileCheck %s --check-prefix=SPLIT
// A tile is a part of a page or several pages, as nearly as may be what is asked.
// RUN: attn-opt %s --attn-stream-partition=tiles=query=16,key=112 | FileCheck %s --check-prefix=PART
// RUN: sed 's/x64x2x64xf16/x24x2x64xf16/' %s | attn-opt --attn-stream-partition=tiles=query=16,key=16 | FileCheck %s --check-prefix=ODD
// RUN: attn-opt %s --attn-stream-partition=tiles=query=16,key=128 | FileCheck %s --check-prefix=WIDE
// A producer reads the table ahead, too.
// RUN: attn-opt %s --attn-schedule='target=gb10 tiles=query=16,key=32' --attn-to-target | FileCheck %s --check-prefix=STAGED
// RUN: attn-opt %s --attn-schedule='target=gb10 tiles=query=16,key=32' --attn-to-target='copy=async' | FileCheck %s --check-prefix=ASYNC
// Of several pages, K and V take what is read once.
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=64,key=128' --attn-to-target | FileCheck %s --check-prefix=SEVERAL

!q = tensor<?x4x?x64xf16>
!k = tensor<?x64x2x64xf16>

func.func @paged(%q: tensor<?x?x4x64xf16>, %k: !k, %v: !k, %n: tensor<?xi32>, %t: tensor<?x?xi32>) -> tensor<?x?x4x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125) layout(bshd) lengths(%n : tensor<?xi32>) block_table(%t : tensor<?x?xi32>)
      : (tensor<?x?x4x64xf16>, !k, !k) -> tensor<?x?x4x64xf16>
  return %o : tensor<?x?x4x64xf16>
}

// CHECK-LABEL: attn.kernel @paged_attention(%q: {{.*}}, %k: !attn.view<?x2x64x64xf16>, %v: !attn.view<?x2x64x64xf16>, %lengths: !attn.view<?xi32>, %block_table: !attn.view<?x?xi32>, %o:
// CHECK: attn.grid (%batch,
// CHECK: %[[READ:.*]] = attn.read %lengths[%batch]
// CHECK: %[[PAGES:.*]] = attn.dim %block_table, 1
// CHECK: %[[MOST:.*]] = arith.muli %[[PAGES]], %c64
// CHECK: arith.cmpi ule, %[[READ]], %[[MOST]]
// CHECK: %[[END:.*]] = arith.minui %[[READ]], %[[MOST]]
// CHECK: attn.stream %pos step 32
// CHECK:   %[[ROW:.*]] = arith.remui %pos, %c64
// CHECK:   %[[NUMBER:.*]] = arith.divui %pos, %c64
// CHECK:   %[[ENTRY:.*]] = attn.read %block_table[%batch, %[[NUMBER]]]
// CHECK:   %[[COUNT:.*]] = attn.dim %k, 0
// What is negative is no page either.
// CHECK:   %[[PAGE:.*]] = arith.minui %[[ENTRY]], %[[COUNT]]
// CHECK:   attn.load %k[%[[PAGE]], %kv_head, %[[ROW]], %c0] : <
// CHECK:   %[[LEFT:.*]] = arith.subi %[[END]], %pos
// CHECK:   %[[STOP:.*]] = arith.addi %[[ROW]], %[[LEFT]]
// CHECK:   attn.load %v[%{{.*}}, %kv_head, %[[ROW]], %c0] until %[[STOP]] : <

// SPLIT-LABEL: attn.kernel @paged_attention_split
// SPLIT: attn.read %block_table[%batch,
// SPLIT-LABEL: attn.kernel @paged_attention_merge
// The table says how long a stream may be.
// SPLIT: attn.dim %block_table, 1

// PART: attn.stream %pos step 64
// ODD: attn.stream %pos step 48
// ODD: attn.load %k[%{{.*}}, %kv_head, %{{.*}}, %c0] then [%{{[0-9]+}}] : {{.*}} -> tensor<48x64xf16>

// WIDE: attn.stream %pos step 128
// WIDE: %[[NUMBER:.*]] = arith.divui %pos, %c64
// WIDE: %[[FIRST:.*]] = arith.minui
// WIDE: %[[NEXT:.*]] = arith.addi %{{.*}}, %c1
// WIDE: attn.read %block_table[%batch, %[[NEXT]]]
// WIDE: %[[SECOND:.*]] = arith.minui
// WIDE: attn.load %k[%[[FIRST]], %kv_head, %{{.*}}, %c0] then [%[[SECOND]]] : {{.*}} -> tensor<128x64xf16>
// WIDE: attn.load %v[%{{.*}}, %kv_head, %{{.*}}, %c0] then [%{{.*}}] until %{{.*}} : {{.*}} -> tensor<128x64xf16>

// STAGED: attn.stream
// STAGED: produce
// STAGED: attn.read %block_table[
// STAGED: %[[PAGE:.*]] = arith.minui
// STAGED: attn.ring.issue %{{.*}}, %k[%[[PAGE]],
// STAGED: attn.ring.issue %{{.*}}, %v[
// STAGED-NOT: until
// STAGED: attn.yield

// Copies by threads leave out what lies behind the end, which is another row for each tile.
// ASYNC: produce
// ASYNC: attn.ring.issue %{{.*}}, %v[{{.*}}] until %{{[0-9]+}} by async

// SEVERAL: produce
// SEVERAL-COUNT-2: attn.read %block_table[
// SEVERAL-NOT: attn.read
// SEVERAL: attn.ring.issue %{{.*}}, %k[{{.*}}] then [%{{.*}}] :
// SEVERAL-NOT: attn.read
// SEVERAL: attn.ring.issue %{{.*}}, %v[{{.*}}] then [%{{.*}}] :
