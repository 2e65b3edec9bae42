// attn-sequentialize-rings: asynchronous products, computed as late as they may be: where
// they are waited for, out of what is in their slots by then.
// RUN: attn-opt %s --split-input-file --attn-sequentialize-rings --cse --canonicalize | FileCheck %s --implicit-check-not="attn.dot." --implicit-check-not="!attn.product"

// What stands between issue and wait comes first, then the slots are read, and K's is
// given back after that.

// CHECK-LABEL: attn.kernel @late
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<64x16xf32>
// CHECK: %[[KSLOTS:[^ ]+]] = memref.alloc() : memref<3x256xf16>
// CHECK-NEXT: %[[KNUMBERS:[^ ]+]] = memref.alloc() : memref<4xindex>
// CHECK: %[[QSLOTS:[^ ]+]] = memref.alloc() : memref<2x1024xf16>
// CHECK: scf.for {{.*}} iter_args(%[[A:[^ ]+]] = %[[ZERO]]) -> (tensor<64x16xf32>) {
// CHECK-NOT: memref.load %[[KSLOTS]][
// CHECK: %[[B:[^ ]+]] = math.exp2 %[[A]] : tensor<64x16xf32>
// CHECK: memref.load %[[QSLOTS]][
// CHECK: %[[Q:[^ ]+]] = bufferization.to_tensor
// CHECK-NEXT: memref.load %[[KNUMBERS]][%[[C3]]]
// CHECK: func.call @attn_ring_error(%[[C1]], %[[C4]])
// CHECK: memref.load %[[KSLOTS]][
// CHECK: %[[K:[^ ]+]] = bufferization.to_tensor
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot %[[Q]], %[[K]], %[[ONE]] transpose_rhs : tensor<64x16xf16>, tensor<16x16xf16> into tensor<64x16xf32>
// CHECK: memref.store %{{[^ ]+}}, %[[KSLOTS]][
// CHECK: memref.store %{{[^ ]+}}, %[[KNUMBERS]][%[[C3]]]
// CHECK-NEXT: %[[C:[^ ]+]] = arith.addf %[[B]], %[[S]] :
// CHECK-NEXT: scf.yield %[[C]] :
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<16x16xf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @late(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %one = arith.constant dense<1.0> : !s
  attn.ctas %w in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %r = scf.for %j = %w to %n step %n iter_args(%a = %zero) -> (!s) {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %one transpose_rhs : !q, !k, !s -> <!s>
      %b = math.exp2 %a : !s
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %c = arith.addf %b, %s : !s
      scf.yield %c : !s
    }
    attn.store %r, %y[%w, %n] : !s -> <?x?xf32>
  }
}

// -----

// A slot that is given back between issue and wait is NaN when it is read, and the read
// goes to the slot that always is: the number of the tile is not that of the oldest slot
// any more, which is reported.

// CHECK-LABEL: attn.kernel @released
// CHECK-DAG: %[[NAN:[^ ]+]] = arith.constant 0x7E00 : f16
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[P:[^ ]+]] = arith.constant dense<2.000000e+00> : tensor<64x16xf16>
// CHECK: %[[SLOTS:[^ ]+]] = memref.alloc() : memref<3x256xf16>
// CHECK-NEXT: %[[NUMBERS:[^ ]+]] = memref.alloc() : memref<4xindex>
// CHECK: %[[TILE:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: memref.store %{{[^ ]+}}, %[[NUMBERS]][%[[C2]]]
// CHECK-NOT: memref.load %[[SLOTS]][
// CHECK: %[[OLD:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK: memref.store %[[NAN]], %[[SLOTS]][
// CHECK: %[[NEXT:[^ ]+]] = arith.addi %[[OLD]], %[[C1]]
// CHECK-NEXT: memref.store %[[NEXT]], %[[NUMBERS]][%[[C3]]]
// CHECK-NEXT: %[[NOW:[^ ]+]] = memref.load %[[NUMBERS]][%[[C3]]]
// CHECK-NEXT: %[[LOST:[^ ]+]] = arith.cmpi ne, %[[TILE]], %[[NOW]]
// CHECK-NEXT: scf.if %[[LOST]] {
// CHECK-NEXT: func.call @attn_ring_error(%[[C0]], %[[C4]])
// CHECK: %[[SLOT:[^ ]+]] = arith.remui %[[TILE]], %[[C2]]
// CHECK-NEXT: %[[FROM:[^ ]+]] = arith.select %[[LOST]], %[[C2]], %[[SLOT]]
// CHECK: memref.load %[[SLOTS]][%[[FROM]], %{{[^ ]+}}]
// CHECK: %[[V:[^ ]+]] = bufferization.to_tensor
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot %[[P]], %[[V]], %{{[^ ]+}} : tensor<64x16xf16>, tensor<16x16xf16> into tensor<64x16xf32>
// CHECK-NEXT: attn.store %[[O]],
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!p = tensor<64x16xf16, #acc>
!v = tensor<16x16xf16, #attn.shared<32>>
!o = tensor<64x16xf32, #acc>
attn.kernel @released(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <2 x !v>
  %zero = arith.constant dense<0.0> : !o
  %p = arith.constant dense<2.0> : !p
  attn.ctas %w in %n {
    %v = attn.ring.wait %r : <2 x !v> -> !v
    %pv = attn.dot.issue %p, %v, %zero : !p, !v, !o -> <!o>
    attn.ring.release %r : <2 x !v>
    %o = attn.dot.wait %pv : <!o> -> !o
    attn.store %o, %y[%w, %n] : !o -> <?x?xf32>
  }
}

// -----

// The order is that of the waits. A store through a slot that a product still reads leaves
// NaN for it.

// CHECK-LABEL: attn.kernel @order
// CHECK-DAG: %[[NAN:[^ ]+]] = arith.constant 0x7E00 : f16
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<64x64xf16>
// CHECK-DAG: %[[TWO:[^ ]+]] = arith.constant dense<2.000000e+00> : tensor<64x64xf16>
// CHECK: %[[SLOTS:[^ ]+]] = memref.alloc() : memref<2x1024xf16>
// CHECK: memref.load %[[SLOTS]][
// CHECK: %[[SECOND:[^ ]+]] = attn.dot %[[TWO]],
// CHECK: %[[HALF:[^ ]+]] = arith.truncf %[[SECOND]] :
// CHECK: memref.store %[[NAN]], %[[SLOTS]][
// CHECK: attn.store %[[HALF]],
// CHECK: memref.load %[[SLOTS]][
// CHECK: %[[FIRST:[^ ]+]] = attn.dot %[[ONE]],
// CHECK: arith.truncf %[[FIRST]] :
// CHECK-NOT: attn.dot
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!p = tensor<64x64xf16, #wide>
!v = tensor<64x16xf16, #attn.shared<32>>
!o = tensor<64x16xf32, #acc>
!h = tensor<64x16xf16, #acc>
attn.kernel @order(%y: !attn.view<?x?xf16>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !v>
  %zero = arith.constant dense<0.0> : !o
  %one = arith.constant dense<1.0> : !p
  %two = arith.constant dense<2.0> : !p
  attn.ctas %w in %n {
    %v = attn.ring.wait %r : <1 x !v> -> !v
    %a = attn.dot.issue %one, %v, %zero : !p, !v, !o -> <!o>
    %b = attn.dot.issue %two, %v, %zero : !p, !v, !o -> <!o>
    %c = attn.dot.wait %b : <!o> -> !o
    %ch = arith.truncf %c : !o to !h
    attn.store %ch, %y[%w, %n] through %v(!v) : !h -> <?x?xf16>
    %d = attn.dot.wait %a : <!o> -> !o
    %dh = arith.truncf %d : !o to !h
    attn.store %dh, %y[%n, %w] : !h -> <?x?xf16>
  }
}
