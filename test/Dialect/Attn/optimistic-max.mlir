// attn-optimistic-max: exponentials by the maximum of the tiles before, and again where their
// sums are too large.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' --remarks-filter='attn-optimistic.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once
// What is a branch stays one.
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' | diff %t.once -

// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=softmax | Remark="exponentials take the maximum of the tiles before, while sums stay", below=6.553600e+04
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=masked | Remark="exponentials take the maximum of the tiles before, while sums stay", below=3.276800e+04
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=positions |
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=sums |

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xbf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// Sums of a thread's registers, and scores that are scaled: in front of the branch, all that is
// needed if the maximum stays, with nothing carried scaled. In it, what stood there before.
// Scale and maximum are one operation in both. LSE takes the maximum that the sum is in units of.

// CHECK-LABEL: attn.kernel @softmax
// CHECK: %[[R:[^ ]+]]:3 = attn.stream {{.*}} carry (%[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK-NEXT: %[[S:[^ ]+]] = tensor.splat %{{[^ ]+}} :
// CHECK-NEXT: %[[SC:[^ ]+]] = arith.mulf %[[S]], %{{[^ ]+}} :
// CHECK-NEXT: %[[N:[^ ]+]] = arith.negf %[[M1]] :
// CHECK-NEXT: %[[NB:[^ ]+]] = attn.broadcast %[[N]] :
// CHECK-NEXT: %[[D:[^ ]+]] = math.fma %[[S]], %{{[^ ]+}}, %[[NB]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce_registers sum %[[E]] :
// CHECK-NEXT: %[[MOST:[^ ]+]] = arith.constant dense<6.553600e+04> : tensor<64x4xf32,
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[SUM]], %[[MOST]] :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] : tensor<64x4xi1,
// CHECK-NEXT: %[[LE:[^ ]+]] = arith.addf %[[L1]], %[[SUM]] :
// CHECK-NEXT: %[[PE:[^ ]+]] = arith.truncf %[[E]] : {{.*}} to tensor<64x32xbf16
// CHECK-NEXT: %[[IF:[^ ]+]]:4 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %[[XC:[^ ]+]] = arith.mulf %[[X]], %{{[^ ]+}} :
// CHECK-NEXT: %[[M:[^ ]+]] = arith.maximumf %[[M1]], %[[XC]] :
// CHECK-NEXT: %[[NM:[^ ]+]] = arith.negf %[[M]] :
// CHECK-NEXT: %[[NMB:[^ ]+]] = attn.broadcast %[[NM]] :
// CHECK-NEXT: %[[DM:[^ ]+]] = math.fma %[[S]], %{{[^ ]+}}, %[[NMB]] :
// CHECK-NEXT: %[[EM:[^ ]+]] = math.exp2 %[[DM]] :
// CHECK-NEXT: %[[F:[^ ]+]] = arith.subf %[[M1]], %[[M]] :
// CHECK-NEXT: %[[G:[^ ]+]] = math.exp2 %[[F]] :
// CHECK-NEXT: %[[SM:[^ ]+]] = attn.reduce_registers sum %[[EM]] :
// CHECK-NEXT: %[[GB:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[LF:[^ ]+]] = arith.mulf %[[L1]], %[[GB]] :
// CHECK-NEXT: %[[L:[^ ]+]] = arith.addf %[[LF]], %[[SM]] :
// CHECK-NEXT: %[[GO:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[O:[^ ]+]] = arith.mulf %[[GO]], %[[A1]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[EM]] : {{.*}} to tensor<64x32xbf16
// CHECK-NEXT: scf.yield %[[M]], %[[L]], %[[O]], %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[M1]], %[[LE]], %[[A1]], %[[PE]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %{{[^ ]+}} :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot %[[IF]]#3, %[[V]], %[[IF]]#2 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} :
// CHECK-NEXT: attn.yield %[[IF]]#0, %[[IF]]#1, %[[PV]] :
attn.kernel @softmax(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
  %c = arith.constant dense<0.5> : !s
  %cm = arith.constant dense<0.5> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !l, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %mc = arith.mulf %max, %cm : !m
      %m = arith.maximumf %m1, %mc : !m
      %b = attn.broadcast %m : !m to !s
      %sc = arith.mulf %s, %c : !s
      %d = arith.subf %sc, %b : !s
      %e = math.exp2 %d : !s
      %f = arith.subf %m1, %m : !m
      %a = math.exp2 %f : !m
      %sum = attn.reduce_registers sum %e : !s
      %al = attn.broadcast %a : !m to !l
      %l2 = arith.mulf %l1, %al : !l
      %l = arith.addf %l2, %sum : !l
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %ao, %o1 : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %m, %l, %o3 : !m, !l, !s
    }
    %t = attn.reduce sum %r#1 : !l
    %log = math.log2 %t : !m
    %y = arith.addf %r#0, %log : !m
    attn.store %y, %lse[%i] : !m -> <?xf32>
    attn.store %r#2, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!v = tensor<32x32xf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!i = tensor<64x32xindex, #acc>
!p = tensor<64x32xf16, #acc>
!m = tensor<64xf32, #rows>

// f16 holds half of that bound. Masks do not make scores depend on positions. A sum of rows does
// as well, and the maximum may stand either way round.

// CHECK-LABEL: attn.kernel @masked
// CHECK: %[[R:[^ ]+]]:3 = attn.stream {{.*}} carry (%[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK-NEXT: %[[T:[^ ]+]] = tensor.splat %{{[^ ]+}} :
// CHECK-NEXT: %[[I:[^ ]+]] = attn.iota 0 from %{{[^ ]+}} :
// CHECK-NEXT: %[[J:[^ ]+]] = attn.iota 1 from %{{[^ ]+}} :
// CHECK-NEXT: %[[KEEP:[^ ]+]] = arith.cmpi sle, %[[J]], %[[I]] :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.mask %[[T]] keep %[[KEEP]] :
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[M1]] :
// CHECK-NEXT: %[[D:[^ ]+]] = arith.subf %[[S]], %[[B]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce sum %[[E]] :
// CHECK-NEXT: %[[MOST:[^ ]+]] = arith.constant dense<3.276800e+04> : tensor<64xf32,
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[SUM]], %[[MOST]] :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] : tensor<64xi1,
// CHECK-NEXT: %[[LE:[^ ]+]] = arith.addf %[[L1]], %[[SUM]] :
// CHECK-NEXT: %[[PE:[^ ]+]] = arith.truncf %[[E]] : {{.*}} to tensor<64x32xf16
// CHECK-NEXT: %[[IF:[^ ]+]]:4 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %[[M:[^ ]+]] = arith.maximumf %[[X]], %[[M1]] :
// CHECK-NEXT: %[[MB:[^ ]+]] = attn.broadcast %[[M]] :
// CHECK-NEXT: %[[DM:[^ ]+]] = arith.subf %[[S]], %[[MB]] :
// CHECK-NEXT: %[[EM:[^ ]+]] = math.exp2 %[[DM]] :
// CHECK-NEXT: %[[F:[^ ]+]] = arith.subf %[[M1]], %[[M]] :
// CHECK-NEXT: %[[G:[^ ]+]] = math.exp2 %[[F]] :
// CHECK-NEXT: %[[SM:[^ ]+]] = attn.reduce sum %[[EM]] :
// CHECK-NEXT: %[[LF:[^ ]+]] = arith.mulf %[[L1]], %[[G]] :
// CHECK-NEXT: %[[L:[^ ]+]] = arith.addf %[[LF]], %[[SM]] :
// CHECK-NEXT: %[[GO:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[O:[^ ]+]] = arith.mulf %[[A1]], %[[GO]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[EM]] : {{.*}} to tensor<64x32xf16
// CHECK-NEXT: scf.yield %[[M]], %[[L]], %[[O]], %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[M1]], %[[LE]], %[[A1]], %[[PE]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %{{[^ ]+}} :
// CHECK-NEXT: %[[QV:[^ ]+]] = attn.dot.issue %[[IF]]#3, %[[V]], %[[IF]]#2 :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.wait %[[QV]] :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} :
// CHECK-NEXT: attn.yield %[[IF]]#0, %[[IF]]#1, %[[PV]] :
attn.kernel @masked(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !s) {
      %t = tensor.splat %x : !s
      %row = attn.iota 0 from %i : !i
      %col = attn.iota 1 from %j : !i
      %keep = arith.cmpi sle, %col, %row : !i
      %s = attn.mask %t keep %keep : !s
      %max = attn.reduce max %s : !s
      %m = arith.maximumf %max, %m1 : !m
      %b = attn.broadcast %m : !m to !s
      %d = arith.subf %s, %b : !s
      %e = math.exp2 %d : !s
      %f = arith.subf %m1, %m : !m
      %a = math.exp2 %f : !m
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot.issue %p, %v, %o2 : !p, !v, !s -> <!s>
      %o3 = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %m, %l, %o3 : !m, !m, !s
    }
    attn.store %r#1, %lse[%i] : !m -> <?xf32>
    attn.store %r#2, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!s = tensor<64x32xf32, #acc>
!m = tensor<64xf32, #rows>

// Rows that the stream does not move along are no positions of its.

// CHECK-LABEL: attn.kernel @positions
// CHECK: attn.stream
// CHECK: attn.any
// CHECK: scf.if
attn.kernel @positions(%lse: !attn.view<?xf32>, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %row = attn.iota 0 from %i : tensor<64x32xindex, #acc>
    %row32 = arith.index_cast %row : tensor<64x32xindex, #acc> to tensor<64x32xi32, #acc>
    %s = arith.sitofp %row32 : tensor<64x32xi32, #acc> to !s
    %r:2 = attn.stream %j step 32 over [%i to %n] carry (%m1 = %least, %l1 = %zeros : !m, !m) {
      %max = attn.reduce max %s : !s
      %m = arith.maximumf %m1, %max : !m
      %b = attn.broadcast %m : !m to !s
      %d = arith.subf %s, %b : !s
      %e = math.exp2 %d : !s
      %f = arith.subf %m1, %m : !m
      %a = math.exp2 %f : !m
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      attn.yield %m, %l : !m, !m
    }
    attn.store %r#1, %lse[%i] : !m -> <?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!s = tensor<64x32xf32, #acc>
!m = tensor<64xf32, #rows>

// Every sum is looked at.

// CHECK-LABEL: attn.kernel @sums
// CHECK: attn.stream
// CHECK: %[[A:[^ ]+]] = attn.any
// CHECK: %[[B:[^ ]+]] = attn.any
// CHECK-NEXT: %[[MISSED:[^ ]+]] = arith.ori %[[A]], %[[B]] : i1
// CHECK: scf.if %[[MISSED]]
attn.kernel @sums(%lse: !attn.view<?xf32>, %x: f32, %y: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %t = tensor.splat %y : !s
    %r:2 = attn.stream %j step 32 over [%i to %n] carry (%m1 = %least, %l1 = %zeros : !m, !m) {
      %most = arith.maximumf %s, %t : !s
      %max = attn.reduce max %most : !s
      %m = arith.maximumf %m1, %max : !m
      %b = attn.broadcast %m : !m to !s
      %d = arith.subf %s, %b : !s
      %e = math.exp2 %d : !s
      %dt = arith.subf %t, %b : !s
      %et = math.exp2 %dt : !s
      %f = arith.subf %m1, %m : !m
      %a = math.exp2 %f : !m
      %sum = attn.reduce sum %e : !s
      %sumt = attn.reduce sum %et : !s
      %l2 = arith.mulf %l1, %a : !m
      %l3 = arith.addf %l2, %sum : !m
      %l = arith.addf %l3, %sumt : !m
      attn.yield %m, %l : !m, !m
    }
    attn.store %r#1, %lse[%i] : !m -> <?xf32>
  }
}
