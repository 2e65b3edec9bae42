// attn-optimistic-max of weights of 8 bits: 8 a sum keep the largest at 2^5, 3 binades below what their type begins with, so that scores may grow by as many.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' --remarks-filter='attn-optimistic.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t
// A lead that is asked for is of other types.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=60}))' | diff %t -

// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=softmax | Remark="exponentials take the maximum of the tiles before, while sums stay", below=4.480000e+02
// REMARK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=many | Remark="exponentials are rounded to 8 bits, whose range an old maximum may leave"
// REMARK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=units | Remark="exponentials are rounded to 8 bits, whose range an old maximum may leave"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xf8E4M3FN, #attn.shared<32>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xf8E4M3FN, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// 8 weights of 2^5 are 256 of 448, 8 of 2^6 were more. A miss sets the reference 3 binades above the maximum, in the units of the row; the factor, which stays, needs no
// branch.

// CHECK-LABEL: attn.kernel @softmax
// CHECK: attn.stream {{.*}} carry (%[[K1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK: %[[LESS:[^ ]+]] = arith.subf %[[M1]], %[[EIGHT:[^ ]+]] :
// CHECK-NEXT: arith.negf %[[LESS]] :
// CHECK: %[[SUM:[^ ]+]] = attn.reduce_registers sum
// CHECK-NEXT: %[[MOST:[^ ]+]] = arith.constant dense<4.480000e+02> :
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf uge, %[[SUM]], %[[MOST]] :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] holds_first :
// CHECK: %[[IF:[^ ]+]]:4 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max
// CHECK-NEXT: %[[LEAD:[^ ]+]] = arith.constant dense<3.000000e+00> :
// CHECK-NEXT: %[[SCORES:[^ ]+]] = arith.divf %[[LEAD]], %[[K1]] :
// CHECK-NEXT: %[[UP:[^ ]+]] = arith.addf %[[X]], %[[SCORES]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[UP]] from %[[K1]], %[[M1]] scale(1.000000e+00) steady
// CHECK: scf.yield %[[M]],
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M1]],
// CHECK: attn.yield %[[K1]], %[[IF]]#0,
attn.kernel @softmax(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
  %eight = arith.constant dense<8.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !l, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(1.0) steady : !m
      %kb = attn.broadcast %k1 : !m to !s
      %less = arith.subf %m, %eight : !m
      %nm = arith.negf %less : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce_registers sum %e : !s
      %al = attn.broadcast %a : !m to !l
      %l = math.fma %l1, %al, %sum : !l
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %ao, %o1 : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k1, %m, %l, %o3 : !m, !m, !l, !s
    }
    %t = attn.reduce sum %r#2 : !l
    %log = math.log2 %t : !m
    %of = arith.subf %r#1, %eight : !m
    %y = arith.addf %of, %log : !m
    attn.store %y, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 128:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!s = tensor<64x1024xf32, #acc>
!p = tensor<64x1024xf8E4M3FN, #acc>
!m = tensor<64xf32, #rows>

// A sum of 1024 weights has no room for that.

// CHECK-LABEL: attn.kernel @many
// CHECK-NOT: scf.if
// CHECK: attn.return
attn.kernel @many(%o: !attn.view<?x?xf8E4M3FN>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %eight = arith.constant dense<8.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %none = arith.constant dense<0.0> : !p
    %r:4 = attn.stream %j step 1024 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %p1 = %none : !m, !m, !m, !p) {
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(1.0) steady : !m
      %kb = attn.broadcast %k1 : !m to !s
      %less = arith.subf %m, %eight : !m
      %nm = arith.negf %less : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %p = arith.truncf %e : !s to !p
      attn.yield %k1, %m, %l, %p : !m, !m, !m, !p
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !p -> <?x?xf8E4M3FN>
  }
  attn.return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xf8E4M3FN, #acc>
!m = tensor<64xf32, #rows>

// Rows whose units may change have no binades that are known.

// CHECK-LABEL: attn.kernel @units
// CHECK-NOT: scf.if
// CHECK: attn.return
attn.kernel @units(%o: !attn.view<?x?xf8E4M3FN>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %none = arith.constant dense<0.0> : !p
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %p1 = %none : !m, !m, !m, !p) {
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %p = arith.truncf %e : !s to !p
      attn.yield %k, %m, %l, %p : !m, !m, !m, !p
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !p -> <?x?xf8E4M3FN>
  }
  attn.return
}
