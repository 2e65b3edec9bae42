// attn-sequentialize-rings: rings to memory of the CTA, with NaN where nothing may be read.
// RUN: attn-opt %s --split-input-file --attn-sequentialize-rings --cse --canonicalize | FileCheck %s
// A store by the tensor memory accelerator is a store here.
// RUN: sed 's/ through .tile(!tile) :/ through %%tile(!tile) by_tensor_map :/' %s > %t.mapped
// RUN: not diff %s %t.mapped > /dev/null
// RUN: attn-opt %t.mapped --split-input-file --attn-sequentialize-rings --cse --canonicalize | FileCheck %s --implicit-check-not=by_tensor_map

// CHECK: func.func private @attn_ring_error(index, index)
// CHECK-LABEL: attn.kernel @k
// CHECK-NOT: threads
// CHECK-NOT: #attn.
// CHECK-DAG: %[[NAN:[^ ]+]] = arith.constant 0x7E00 : f16
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : index
// CHECK-DAG: %[[C512:[^ ]+]] = arith.constant 512 : index

// The ring: two slots and one that stays NaN, and its numbers: acquired, landed, waited
// for, released.

// CHECK: attn.ctas %[[CTA:[^ ]+]] in
// CHECK: %[[SLOTS:[^ ]+]] = memref.alloc() : memref<3x256xf16>
// CHECK: %[[NUMBERS:[^ ]+]] = memref.alloc() : memref<4xindex>
// CHECK-COUNT-4: memref.store %[[C0]], %[[NUMBERS]]
// CHECK: scf.for %[[S:[^ ]+]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: scf.for %[[E:[^ ]+]] = %[[C0]] to %[[C256]] step %[[C1]] {
// CHECK: memref.store %[[NAN]], %[[SLOTS]][%[[S]], %[[E]]]

// Acquire takes slot released + ahead, which has to be the next one.

// CHECK: %[[NUMBER:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: %[[ACQUIRED:[^ ]+]] = memref.load %[[NUMBERS]][%[[C0]]]
// CHECK: %[[WRONG:[^ ]+]] = arith.cmpi ne, %[[NUMBER]], %[[ACQUIRED]]
// CHECK: scf.if %[[WRONG]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C0]])
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[NUMBER]], %[[C1]]
// CHECK: memref.store %[[NEXT]], %[[NUMBERS]][%[[C0]]]

// Issue copies, with zeros outside of the view as attn.load, to where the layout says.

// CHECK: %[[TILE:[^ ]+]] = attn.load %{{[^ ]+}}[%[[C3]], %[[CTA]], %{{[^ ]+}}] : <?x?x?xf16> -> tensor<16x16xf16>
// CHECK: %[[SLOT:[^ ]+]] = arith.remui %[[NUMBER]], %[[C2]]
// CHECK: scf.for %[[I:[^ ]+]] = %[[C0]] to %[[C16]] step %[[C1]] {
// CHECK: scf.for %[[J:[^ ]+]] = %[[C0]] to %[[C16]] step %[[C1]] {
// CHECK: %[[X:[^ ]+]] = tensor.extract %[[TILE]][%[[I]], %[[J]]]
// CHECK: %[[BYTE:[^ ]+]] = arith.muli %[[J]], %[[C2]]
// CHECK: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C32]]
// CHECK: %[[COLUMN:[^ ]+]] = arith.remui %[[BYTE]], %[[C32]]
// CHECK: %[[OFFSET:[^ ]+]] = arith.addi %[[ROW]], %[[COLUMN]]
// CHECK: %[[HIGH:[^ ]+]] = arith.divui %[[I]], %[[C4]]
// CHECK: %[[BIT:[^ ]+]] = arith.remui %[[HIGH]], %[[C2]]
// CHECK: %[[CHUNK:[^ ]+]] = arith.muli %[[BIT]], %[[C16]]
// CHECK: %[[SWIZZLED:[^ ]+]] = arith.xori %[[OFFSET]], %[[CHUNK]]
// CHECK: %[[PANEL:[^ ]+]] = arith.divui %[[BYTE]], %[[C32]]
// CHECK: %[[FIRST:[^ ]+]] = arith.muli %[[PANEL]], %[[C512]]
// CHECK: %[[ALL:[^ ]+]] = arith.addi %[[FIRST]], %[[SWIZZLED]]
// CHECK: %[[AT:[^ ]+]] = arith.divui %[[ALL]], %[[C2]]
// CHECK: memref.store %[[X]], %[[SLOTS]][%[[SLOT]], %[[AT]]]

// Land is in turn, and wait wants that something landed.

// CHECK: %[[LANDED:[^ ]+]] = memref.load %[[NUMBERS]][%[[C1]]]
// CHECK: %[[OUT:[^ ]+]] = arith.cmpi ne, %[[NUMBER]], %[[LANDED]]
// CHECK: scf.if %[[OUT]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C1]])
// CHECK: memref.store %[[NEXT]], %[[NUMBERS]][%[[C1]]]
// CHECK: %[[CONSUMED:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: %[[THERE:[^ ]+]] = memref.load %[[NUMBERS]][%[[C1]]]
// CHECK: %[[EMPTY:[^ ]+]] = arith.cmpi sge, %[[CONSUMED]], %[[THERE]]
// CHECK: scf.if %[[EMPTY]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C2]])
// CHECK: %[[WAITED:[^ ]+]] = arith.addi %[[CONSUMED]], %[[C1]]
// CHECK: memref.store %[[WAITED]], %[[NUMBERS]][%[[C2]]]

// The tile is read where it is used, each time, from the slot that stays NaN if it was
// released.

// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:[^ ]+]] = %{{[^ ]+}}) -> (tensor<16x16xf32>) {
// CHECK: %[[NOW:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: %[[LOST:[^ ]+]] = arith.cmpi ne, %[[CONSUMED]], %[[NOW]]
// CHECK: scf.if %[[LOST]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C4]])
// CHECK: %[[OF:[^ ]+]] = arith.remui %[[CONSUMED]], %[[C2]]
// CHECK: %[[FROM:[^ ]+]] = arith.select %[[LOST]], %[[C2]], %[[OF]]
// CHECK: %[[COPY:[^ ]+]] = memref.alloc() : memref<16x16xf16>
// CHECK: scf.for %[[I:[^ ]+]] =
// CHECK: scf.for %[[J:[^ ]+]] =
// CHECK: %[[X:[^ ]+]] = memref.load %[[SLOTS]][%[[FROM]], %{{[^ ]+}}]
// CHECK: memref.store %[[X]], %[[COPY]][%[[I]], %[[J]]]
// CHECK: %[[LHS:[^ ]+]] = bufferization.to_tensor %[[COPY]] restrict writable
// CHECK: memref.load %[[SLOTS]]
// CHECK: %[[RHS:[^ ]+]] = bufferization.to_tensor %{{[^ ]+}} restrict writable
// CHECK: attn.dot %[[LHS]], %[[RHS]], %[[CARRIED]] : tensor<16x16xf16>, tensor<16x16xf16> into tensor<16x16xf32>

// A store through the tile overwrites it with NaN, and so does its release, which wants
// a wait before.

// CHECK: %[[OF:[^ ]+]] = arith.remui %[[CONSUMED]], %[[C2]]
// CHECK: %[[LENT:[^ ]+]] = arith.select %{{[^ ]+}}, %[[C2]], %[[OF]]
// CHECK: scf.for %[[S:[^ ]+]] = %[[LENT]] to
// CHECK: memref.store %[[NAN]], %[[SLOTS]][%[[S]], %{{[^ ]+}}]
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%[[CTA]], %{{[^ ]+}}] : tensor<16x16xf16> -> <?x?xf16>
// CHECK: %[[OLD:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: %[[SEEN:[^ ]+]] = memref.load %[[NUMBERS]][%[[C2]]]
// CHECK: %[[UNREAD:[^ ]+]] = arith.cmpi sge, %[[OLD]], %[[SEEN]]
// CHECK: scf.if %[[UNREAD]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C3]])
// CHECK: %[[OLDEST:[^ ]+]] = arith.remui %[[OLD]], %[[C2]]
// CHECK: scf.for %[[S:[^ ]+]] = %[[OLDEST]] to
// CHECK: memref.store %[[NAN]], %[[SLOTS]][%[[S]], %{{[^ ]+}}]
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[OLD]], %[[C1]]
// CHECK: memref.store %[[NEXT]], %[[NUMBERS]][%[[C3]]]
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!tile = tensor<16x16xf16, #attn.shared<32>>

attn.kernel @k(%a: !attn.view<?x?x?xf16>, %c: !attn.view<?x?xf16>, %n: index) attributes {threads = 32 : i64} {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  attn.ctas %cta in %n {
    %slot = attn.ring.acquire %ring : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    %pending = attn.ring.issue %slot, %a[%c3, %cta, %n] : !attn.slot<!tile>, !attn.view<?x?x?xf16> -> !attn.pending<!tile>
    attn.ring.land %pending : !attn.pending<!tile>
    %tile = attn.ring.wait %ring : !attn.ring<2 x !tile> -> !tile
    %sum = scf.for %i = %c3 to %n step %c3 iter_args(%x = %zero) -> (tensor<16x16xf32, #acc>) {
      %d = attn.dot %tile, %tile, %x : !tile, !tile into tensor<16x16xf32, #acc>
      scf.yield %d : tensor<16x16xf32, #acc>
    }
    %half = arith.truncf %sum : tensor<16x16xf32, #acc> to tensor<16x16xf16, #acc>
    attn.store %half, %c[%cta, %n] through %tile(!tile) : tensor<16x16xf16, #acc> -> !attn.view<?x?xf16>
    attn.ring.release %ring : !attn.ring<2 x !tile>
  }
}

// -----

// Registers: what a thread holds of a row is summed by a product, columns 2 t and 2 t + 1
// for thread t; another layout is the same tile.

// CHECK-NOT: @attn_ring_error
// CHECK-LABEL: attn.kernel @registers
// CHECK-DAG: %[[HOLDS:[^ ]+]] = arith.constant dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00,{{.*}} 1.000000e+00]]> : tensor<8x4xf32>
// CHECK-DAG: %[[X:[^ ]+]] = arith.constant dense<1.500000e+00> : tensor<16x8xf32>
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<16x4xf32>
// CHECK: %[[PART:[^ ]+]] = attn.dot %[[X]], %[[HOLDS]], %[[ZERO]]
// CHECK: attn.store %[[PART]],
// CHECK: attn.store %[[X]],
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
#o = #attn.fragment<threads [2:(0, 4), 16:(1, 0)], registers [4:(0, 1)]>

!own = tensor<16x16xf16, #attn.fragment<threads [16:(1, 0), 4:(0, 4)], registers [4:(0, 1)]>>
attn.kernel @registers(%c: !attn.view<?x?xf32>, %n: index) attributes {threads = 32 : i64} {
  %x = arith.constant dense<1.5> : tensor<16x8xf32, #acc>
  attn.ctas %cta in %n {
    %part = attn.reduce_registers sum %x : tensor<16x8xf32, #acc>
    %y = attn.convert_layout %x : tensor<16x8xf32, #acc> to tensor<16x8xf32, #o>
    attn.store %part, %c[%cta, %n] : tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>> -> !attn.view<?x?xf32>
    attn.store %y, %c[%cta, %n] : tensor<16x8xf32, #o> -> !attn.view<?x?xf32>
  }
}

// -----

// The second slot of a second ring, one ahead of what was released.

// CHECK-LABEL: attn.kernel @ahead
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK: func.call @attn_ring_error(%[[C1]], %[[C1]])
// CHECK: %[[RELEASED:[^ ]+]] = memref.load %[[NUMBERS:[^ ]+]][%[[C3]]]
// CHECK: %[[NUMBER:[^ ]+]] = arith.addi %[[RELEASED]], %[[C1]]
// CHECK: %[[ACQUIRED:[^ ]+]] = memref.load %[[NUMBERS]][%[[C0]]]
// CHECK: %[[WRONG:[^ ]+]] = arith.cmpi ne, %[[NUMBER]], %[[ACQUIRED]]
// CHECK: scf.if %[[WRONG]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C1]], %[[C0]])
!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @ahead(%a: !attn.view<?x?xf16>, %n: index) {
  %first = attn.ring.create : !attn.ring<1 x !tile>
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %ring : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    %p = attn.ring.issue %s, %a[%cta, %n] : !attn.slot<!tile>, !attn.view<?x?xf16> -> !attn.pending<!tile>
    attn.ring.land %p : !attn.pending<!tile>
    %t = attn.ring.acquire %ring ahead 1 : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    %q = attn.ring.issue %t, %a[%cta, %n] : !attn.slot<!tile>, !attn.view<?x?xf16> -> !attn.pending<!tile>
    attn.ring.land %q : !attn.pending<!tile>
  }
}

// -----

// What has neither rings nor layouts stays as it is, streams included.

// CHECK: attn.return
// CHECK-NOT: @attn_ring_error
// CHECK-LABEL: attn.kernel @level2
// CHECK: attn.grid
// CHECK: attn.stream
// CHECK: attn.load
attn.kernel @level2(%x: !attn.view<?xf32>, %n: index) {
  attn.grid (%i) visit %v in (i = %n) {
    attn.stream %j step 4 over [%i to %n] {
      %t = attn.load %x[%j] : !attn.view<?xf32> -> tensor<4xf32>
      attn.store %t, %x[%j] : tensor<4xf32> -> !attn.view<?xf32>
    }
  }
}

// -----

// A ring with a stage in registers, filled under a condition: numbers advance, and the copy is made, only where a slot is taken; a
// copy must not land while the one slot in memory is in use, whether one is taken or not.

// CHECK-LABEL: attn.kernel @registers
// CHECK-SAME: %[[WHEN:[^ ]+]]: i1
// CHECK: %[[NUMBER:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[C1:[^ ]+]] : index
// CHECK: %[[TAKEN:[^ ]+]] = memref.load
// CHECK: %[[OTHER:[^ ]+]] = arith.cmpi ne, %[[NUMBER]], %[[TAKEN]]
// CHECK: %[[WRONG:[^ ]+]] = arith.andi %[[WHEN]], %[[OTHER]]
// CHECK: scf.if %[[WRONG]]
// CHECK: %[[NEXT:[^ ]+]] = arith.addi
// CHECK: %[[AFTER:[^ ]+]] = arith.select %[[WHEN]], %[[NEXT]], %[[TAKEN]]
// CHECK: memref.store %[[AFTER]]
// CHECK: scf.if %[[WHEN]] {
// CHECK: attn.load
// CHECK: }
// CHECK: %[[LANDED:[^ ]+]] = memref.load
// CHECK: %[[RELEASED:[^ ]+]] = memref.load
// CHECK: %[[USED:[^ ]+]] = arith.subi %[[LANDED]], %[[RELEASED]]
// CHECK: %[[FULL:[^ ]+]] = arith.cmpi sge, %[[USED]], %[[C1]]
// CHECK: scf.if %[[FULL]] {
// CHECK-NEXT: func.call @attn_ring_error(%{{[^ ]+}}, %{{[^ ]+}})
// CHECK-NOT: attn.barrier
// CHECK-NOT: attn.scheduling_hint
!tile = tensor<16x16xf16, #attn.shared<32>>
!own = tensor<16x16xf16, #attn.fragment<threads [16:(1, 0), 4:(0, 4)], registers [4:(0, 1)]>>
attn.kernel @registers(%x: !attn.view<?x16xf16>, %n: index, %when: i1) {
  %c0 = arith.constant 0 : index
  %ring = attn.ring.create slots 1 : !attn.ring<2 x !tile>
  attn.ctas %cta in %n {
    attn.scheduling_hint hold_copies
    %slot = attn.ring.acquire %ring ahead 1 when %when : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    %pending = attn.ring.issue %slot, %x[%cta, %c0] by registers : !attn.slot<!tile>, !attn.view<?x16xf16> -> !attn.pending<!tile>
    attn.barrier
    attn.ring.land %pending : !attn.pending<!tile>
    %tile = attn.ring.wait %ring : !attn.ring<2 x !tile> -> !tile
    %own = attn.convert_layout %tile : !tile to !own
    attn.store %own, %x[%cta, %c0] : !own -> !attn.view<?x16xf16>
  }
}

// -----

// A tile that threads put into a slot is written to it there and then, and has landed.

// CHECK-LABEL: attn.kernel @put
// CHECK: %[[SLOTS:[^ ]+]] = memref.alloc() : memref<2x256xf16>
// CHECK: %[[NUMBERS:[^ ]+]] = memref.alloc() : memref<4xindex>
// CHECK: %[[TILE:[^ ]+]] = attn.load
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[X:[^ ]+]] = tensor.extract %[[TILE]]
// CHECK: memref.store %[[X]], %[[SLOTS]]
// CHECK: %[[LANDED:[^ ]+]] = memref.load %[[NUMBERS]][%[[C1:[^ ]+]]]
// CHECK: %[[WRONG:[^ ]+]] = arith.cmpi ne, %{{[^ ]+}}, %[[LANDED]]
// CHECK: scf.if %[[WRONG]] {
// CHECK-NEXT: func.call @attn_ring_error(%{{[^ ]+}}, %[[C1]])
// CHECK: memref.store %{{[^ ]+}}, %[[NUMBERS]][%[[C1]]]
!tile = tensor<16x16xf16, #attn.shared<32>>
!own = tensor<16x16xf16, #attn.fragment<threads [16:(1, 0), 4:(0, 4)], registers [4:(0, 1)]>>
attn.kernel @put(%x: !attn.view<?x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %ring = attn.ring.create : !attn.ring<1 x !tile>
  attn.ctas %cta in %n {
    %own = attn.load %x[%cta, %c0] : !attn.view<?x16xf16> -> !own
    %slot = attn.ring.acquire %ring : !attn.ring<1 x !tile> -> !attn.slot<!tile>
    attn.ring.put %own into %slot : !own into !attn.slot<!tile>
    %tile = attn.ring.wait %ring : !attn.ring<1 x !tile> -> !tile
    %back = attn.convert_layout %tile : !tile to !own
    attn.ring.release %ring : !attn.ring<1 x !tile>
    attn.store %back, %x[%cta, %c0] : !own -> !attn.view<?x16xf16>
  }
}
