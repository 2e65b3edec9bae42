// attn-optimistic-max: exponentials by the maximum of the tiles before, and again where their
// sums are too large.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' --remarks-filter='attn-optimistic.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once
// What is a branch stays one.
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' | diff %t.once -

// With a lead, a miss takes the larger of the tile's maximum and of what the carried sum says of that
// of the tiles before, and some binades more: 12 here are 12 / (0.5 log2(e)) scores. A row that has seen
// nothing takes its maximum, unless that is 12 binades or more. Weights that are too large, but
// numbers, are divided by powers of two instead, with sums and O. f16 has no lead.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12}))' | FileCheck %s --check-prefix=LEAD
// Where the reference is made an LSE, 15 binades are the most: 15 / (0.5 log2(e)).
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=60}))' | FileCheck %s --check-prefix=CAPPED
// LEAD-LABEL: attn.kernel @softmax
// LEAD: carry (%[[K1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// LEAD: %[[NEW:[^ ]+]] = attn.reduce_registers sum
// LEAD: %[[LE:[^ ]+]] = arith.addf %[[L1]], %[[NEW]] :
// LEAD-NEXT: %[[PE:[^ ]+]] = arith.truncf
// LEAD-NEXT: scf.if
// LEAD-NEXT: %[[LARGEST:[^ ]+]] = arith.constant dense<1.2676506E+30> :
// LEAD-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[NEW]], %[[LARGEST]] :
// LEAD-NEXT: %[[LOST:[^ ]+]] = attn.any %[[OVER]] holds_first :
// LEAD-NEXT: %[[CARRIED:[^ ]+]] = attn.reduce sum %[[L1]] :
// LEAD-NEXT: %[[ROWS:[^ ]+]] = attn.reduce sum %[[NEW]] :
// LEAD-NEXT: %[[ALL:[^ ]+]] = arith.addf %[[CARRIED]], %[[ROWS]] :
// LEAD-NEXT: %[[OFALL:[^ ]+]] = math.log2 %[[ALL]] :
// LEAD-NEXT: %[[WHOLE:[^ ]+]] = math.floor %[[OFALL]] :
// LEAD-NEXT: %[[LEAD:[^ ]+]] = arith.constant dense<1.200000e+01> :
// LEAD-NEXT: %[[UP:[^ ]+]] = arith.addf %[[WHOLE]], %[[LEAD]] :
// LEAD-NEXT: %[[NONE:[^ ]+]] = arith.constant dense<0.000000e+00> :
// LEAD-NEXT: %[[NOTDOWN:[^ ]+]] = arith.maximumf %[[UP]], %[[NONE]] :
// LEAD-NEXT: %[[FAR:[^ ]+]] = arith.constant dense<1.200000e+02> :
// LEAD-NEXT: %[[BY:[^ ]+]] = arith.minimumf %[[NOTDOWN]], %[[FAR]] :
// LEAD-NEXT: %[[REFERENCE:[^ ]+]] = arith.addf %[[M1]], %[[BY]] :
// LEAD: %[[UNIT:[^ ]+]] = attn.any %{{[^ ]+}} holds_first : tensor<64xi1,
// LEAD-NEXT: %[[EITHER:[^ ]+]] = arith.ori %[[LOST]], %[[UNIT]] :
// LEAD-NEXT: %[[IF:[^ ]+]]:5 = scf.if %[[EITHER]] ->
// LEAD-NEXT: %[[X:[^ ]+]] = attn.reduce max %{{[^ ]+}} :
// LEAD-NEXT: %[[INITIAL:[^ ]+]] = arith.constant dense<-3.40282347E+38> :
// LEAD-NEXT: %[[FIRST:[^ ]+]] = arith.cmpf oeq, %[[M1]], %[[INITIAL]] :
// LEAD-NEXT: %[[SUM:[^ ]+]] = attn.reduce sum %[[L1]] :
// LEAD-NEXT: %[[LOG:[^ ]+]] = math.log2 %[[SUM]] :
// LEAD-NEXT: %[[UPTO:[^ ]+]] = arith.addf %[[M1]], %[[LOG]] :
// LEAD-NEXT: %[[SCORE:[^ ]+]] = arith.divf %[[UPTO]], %[[K1]] :
// LEAD-NEXT: %[[KNOWN:[^ ]+]] = arith.maximumf %[[X]], %[[SCORE]] :
// LEAD-NEXT: %[[TWELVE:[^ ]+]] = arith.constant dense<16.63{{[0-9]+}}> :
// LEAD-NEXT: %[[HIGHER:[^ ]+]] = arith.addf %[[KNOWN]], %[[TWELVE]] :
// LEAD-NEXT: %[[GROWS:[^ ]+]] = arith.constant dense<16.63{{[0-9]+}}> :
// LEAD-NEXT: %[[SMALL:[^ ]+]] = arith.cmpf ult, %[[X]], %[[GROWS]] :
// LEAD-NEXT: %[[KEEPS:[^ ]+]] = arith.andi %[[FIRST]], %[[SMALL]] :
// LEAD-NEXT: %[[TO:[^ ]+]] = arith.select %[[KEEPS]], %[[X]], %[[HIGHER]] :
// LEAD-NEXT: attn.advance %[[TO]] from %[[K1]], %[[M1]]
// LEAD: } else {
// LEAD-NEXT: %[[LESS:[^ ]+]] = arith.subf %[[M1]], %[[REFERENCE]] :
// LEAD-NEXT: %[[RATIO:[^ ]+]] = math.exp2 %[[LESS]] :
// LEAD-NEXT: %[[OFL:[^ ]+]] = attn.broadcast %[[RATIO]] :
// LEAD-NEXT: %[[L:[^ ]+]] = arith.mulf %[[LE]], %[[OFL]] :
// LEAD-NEXT: %[[OFO:[^ ]+]] = attn.broadcast %[[RATIO]] :
// LEAD-NEXT: %[[O:[^ ]+]] = arith.mulf %[[A1]], %[[OFO]] :
// LEAD-NEXT: %[[NARROW:[^ ]+]] = arith.truncf %[[RATIO]] : {{.*}} to tensor<64xbf16
// LEAD-NEXT: %[[OFP:[^ ]+]] = attn.broadcast %[[NARROW]] :
// LEAD-NEXT: %[[P:[^ ]+]] = arith.mulf %[[PE]], %[[OFP]] :
// LEAD-NEXT: scf.yield %[[K1]], %[[REFERENCE]], %[[L]], %[[O]], %[[P]] :
// LEAD-NEXT: }
// LEAD-NEXT: scf.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#2, %[[IF]]#3, %[[IF]]#4 :
// LEAD-NEXT: } else {
// LEAD-NEXT: scf.yield %[[K1]], %[[M1]], %[[LE]], %[[A1]], %[[PE]] :
// LEAD-LABEL: attn.kernel @masked
// LEAD-NOT: arith.maximumf
// LEAD: attn.kernel
// Nor have rows that nobody stores a say in whether others are computed anew.
// LEAD-LABEL: attn.kernel @until
// LEAD: %[[STORED:[^ ]+]] = arith.cmpi slt
// LEAD: %[[ABOVE:[^ ]+]] = arith.andi %{{[^ ]+}}, %[[STORED]] :
// LEAD-NEXT: attn.any %[[ABOVE]] holds_first
// LEAD: scf.if
// LEAD: %[[FARABOVE:[^ ]+]] = arith.andi %{{[^ ]+}}, %[[STORED]] :
// LEAD-NEXT: attn.any %[[FARABOVE]] holds_first
// LEAD: %[[UNITS:[^ ]+]] = arith.andi %{{[^ ]+}}, %[[STORED]] :
// LEAD-NEXT: attn.any %[[UNITS]] holds_first
// CAPPED-LABEL: attn.kernel @softmax
// CAPPED: math.floor
// CAPPED-NEXT: arith.constant dense<1.500000e+01>
// CAPPED: math.log2
// CAPPED: arith.maximumf
// CAPPED-NEXT: arith.constant dense<20.79{{[0-9]+}}>

// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=softmax | Remark="exponentials take the maximum of the tiles before, while sums stay", below=6.553600e+04
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=masked | Remark="exponentials take the maximum of the tiles before, while sums stay", below=3.276800e+04
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=positions |
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=sums |
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=until |
// REMARK: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=all |

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
// LSE takes the reference that the sum is relative to.

// CHECK-LABEL: attn.kernel @softmax
// CHECK: %[[R:[^ ]+]]:4 = attn.stream {{.*}} carry (%[[K1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK-NEXT: %[[S:[^ ]+]] = tensor.splat %{{[^ ]+}} :
// CHECK-NEXT: %[[KB:[^ ]+]] = attn.broadcast %[[K1]] :
// CHECK-NEXT: %[[N:[^ ]+]] = arith.negf %[[M1]] :
// CHECK-NEXT: %[[NB:[^ ]+]] = attn.broadcast %[[N]] :
// CHECK-NEXT: %[[D:[^ ]+]] = math.fma %[[S]], %[[KB]], %[[NB]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce_registers sum %[[E]] :
// CHECK-NEXT: %[[MOST:[^ ]+]] = arith.constant dense<6.553600e+04> : tensor<64x4xf32,
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[SUM]], %[[MOST]] :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] holds_first : tensor<64x4xi1,
// CHECK-NEXT: %[[LE:[^ ]+]] = arith.addf %[[L1]], %[[SUM]] :
// CHECK-NEXT: %[[PE:[^ ]+]] = arith.truncf %[[E]] : {{.*}} to tensor<64x32xbf16
// CHECK-NEXT: %[[IF:[^ ]+]]:5 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %[[K:[^ ]+]], %[[M:[^ ]+]], %[[G:[^ ]+]] = attn.advance %[[X]] from %[[K1]], %[[M1]] scale(5.000000e-01) :
// CHECK-NEXT: %[[KMB:[^ ]+]] = attn.broadcast %[[K]] :
// CHECK-NEXT: %[[NM:[^ ]+]] = arith.negf %[[M]] :
// CHECK-NEXT: %[[NMB:[^ ]+]] = attn.broadcast %[[NM]] :
// CHECK-NEXT: %[[DM:[^ ]+]] = math.fma %[[S]], %[[KMB]], %[[NMB]] :
// CHECK-NEXT: %[[EM:[^ ]+]] = math.exp2 %[[DM]] :
// CHECK-NEXT: %[[SM:[^ ]+]] = attn.reduce_registers sum %[[EM]] :
// CHECK-NEXT: %[[GB:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[L:[^ ]+]] = math.fma %[[L1]], %[[GB]], %[[SM]] :
// CHECK-NEXT: %[[GO:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[O:[^ ]+]] = arith.mulf %[[GO]], %[[A1]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[EM]] : {{.*}} to tensor<64x32xbf16
// CHECK-NEXT: scf.yield %[[K]], %[[M]], %[[L]], %[[O]], %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[K1]], %[[M1]], %[[LE]], %[[A1]], %[[PE]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %{{[^ ]+}} :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot %[[IF]]#4, %[[V]], %[[IF]]#3 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} :
// CHECK-NEXT: attn.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#2, %[[PV]] :
attn.kernel @softmax(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !l, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
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
      attn.yield %k, %m, %l, %o3 : !m, !m, !l, !s
    }
    %t = attn.reduce sum %r#2 : !l
    %log = math.log2 %t : !m
    %ln = arith.mulf %log, %half : !m
    %unit = arith.divf %half, %r#0 : !m
    %y = math.fma %r#1, %unit, %ln : !m
    attn.store %y, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
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
// as well, whose product with the scale is an operation by itself.

// CHECK-LABEL: attn.kernel @masked
// CHECK: %[[R:[^ ]+]]:4 = attn.stream {{.*}} carry (%[[K1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK-NEXT: %[[T:[^ ]+]] = tensor.splat %{{[^ ]+}} :
// CHECK-NEXT: %[[I:[^ ]+]] = attn.iota 0 from %{{[^ ]+}} :
// CHECK-NEXT: %[[J:[^ ]+]] = attn.iota 1 from %{{[^ ]+}} :
// CHECK-NEXT: %[[KEEP:[^ ]+]] = arith.cmpi sle, %[[J]], %[[I]] :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.mask %[[T]] keep %[[KEEP]] :
// CHECK-NEXT: %[[KB:[^ ]+]] = attn.broadcast %[[K1]] :
// CHECK-NEXT: %[[N:[^ ]+]] = arith.negf %[[M1]] :
// CHECK-NEXT: %[[NB:[^ ]+]] = attn.broadcast %[[N]] :
// CHECK-NEXT: %[[D:[^ ]+]] = math.fma %[[S]], %[[KB]], %[[NB]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce sum %[[E]] :
// CHECK-NEXT: %[[MOST:[^ ]+]] = arith.constant dense<3.276800e+04> : tensor<64xf32,
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[SUM]], %[[MOST]] :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] holds_first : tensor<64xi1,
// CHECK-NEXT: %[[LE:[^ ]+]] = arith.addf %[[L1]], %[[SUM]] :
// CHECK-NEXT: %[[PE:[^ ]+]] = arith.truncf %[[E]] : {{.*}} to tensor<64x32xf16
// CHECK-NEXT: %[[IF:[^ ]+]]:5 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %[[K:[^ ]+]], %[[M:[^ ]+]], %[[G:[^ ]+]] = attn.advance %[[X]] from %[[K1]], %[[M1]] scale(5.000000e-01) :
// CHECK-NEXT: %[[KMB:[^ ]+]] = attn.broadcast %[[K]] :
// CHECK-NEXT: %[[NM:[^ ]+]] = arith.negf %[[M]] :
// CHECK-NEXT: %[[NMB:[^ ]+]] = attn.broadcast %[[NM]] :
// CHECK-NEXT: %[[DM:[^ ]+]] = math.fma %[[S]], %[[KMB]], %[[NMB]] :
// CHECK-NEXT: %[[EM:[^ ]+]] = math.exp2 %[[DM]] :
// CHECK-NEXT: %[[SM:[^ ]+]] = attn.reduce sum %[[EM]] :
// CHECK-NEXT: %[[LF:[^ ]+]] = arith.mulf %[[L1]], %[[G]] :
// CHECK-NEXT: %[[L:[^ ]+]] = arith.addf %[[LF]], %[[SM]] :
// CHECK-NEXT: %[[GO:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[O:[^ ]+]] = arith.mulf %[[A1]], %[[GO]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[EM]] : {{.*}} to tensor<64x32xf16
// CHECK-NEXT: scf.yield %[[K]], %[[M]], %[[L]], %[[O]], %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[K1]], %[[M1]], %[[LE]], %[[A1]], %[[PE]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %{{[^ ]+}} :
// CHECK-NEXT: %[[QV:[^ ]+]] = attn.dot.issue %[[IF]]#4, %[[V]], %[[IF]]#3 :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.wait %[[QV]] :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} :
// CHECK-NEXT: attn.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#2, %[[PV]] :
attn.kernel @masked(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %t = tensor.splat %x : !s
      %row = attn.iota 0 from %i : !i
      %col = attn.iota 1 from %j : !i
      %keep = arith.cmpi sle, %col, %row : !i
      %s = attn.mask %t keep %keep : !s
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
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot.issue %p, %v, %o2 : !p, !v, !s -> <!s>
      %o3 = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
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
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %row = attn.iota 0 from %i : tensor<64x32xindex, #acc>
    %row32 = arith.index_cast %row : tensor<64x32xindex, #acc> to tensor<64x32xi32, #acc>
    %s = arith.sitofp %row32 : tensor<64x32xi32, #acc> to !s
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros : !m, !m, !m) {
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
      attn.yield %k, %m, %l : !m, !m, !m
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
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
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %t = tensor.splat %y : !s
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros : !m, !m, !m) {
      %most = arith.maximumf %s, %t : !s
      %max = attn.reduce max %most : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %dt = math.fma %t, %kb, %b : !s
      %et = math.exp2 %dt : !s
      %sum = attn.reduce sum %e : !s
      %sumt = attn.reduce sum %et : !s
      %l2 = arith.mulf %l1, %a : !m
      %l3 = arith.addf %l2, %sum : !m
      %l = arith.addf %l3, %sumt : !m
      attn.yield %k, %m, %l : !m, !m, !m
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
  }
}

// Rows that no store writes have no say.

// CHECK-LABEL: attn.kernel @until
// CHECK: %[[END:[^ ]+]] = arith.addi
// CHECK-NEXT: %[[ROWS:[^ ]+]] = attn.iota 0 from %[[I:[^ ]+]] : tensor<64xindex
// CHECK-NEXT: %[[UNTIL:[^ ]+]] = tensor.splat %[[END]] : tensor<64xindex
// CHECK-NEXT: %[[STORED:[^ ]+]] = arith.cmpi slt, %[[ROWS]], %[[UNTIL]]
// CHECK-NEXT: attn.stream
// CHECK: %[[ABOVE:[^ ]+]] = arith.cmpf ugt
// CHECK-NEXT: %[[BOTH:[^ ]+]] = arith.andi %[[ABOVE]], %[[STORED]] : tensor<64xi1
// CHECK-NEXT: attn.any %[[BOTH]]
// CHECK: attn.store %{{[^ ]+}}, %lse[%[[I]]] until %[[END]]
attn.kernel @until(%lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros : !m, !m, !m) {
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l = math.fma %l1, %a, %sum : !m
      attn.yield %k, %m, %l : !m, !m, !m
    }
    %end = arith.addi %i, %c1 : index
    attn.store %r#2, %lse[%i] until %end : !m -> <?xf32>
  }
}

// Where one store writes all rows, all have.

// CHECK-LABEL: attn.kernel @all
// CHECK-NOT: attn.iota
// CHECK: attn.return
attn.kernel @all(%lse: !attn.view<?xf32>, %more: !attn.view<?xf32>, %x: f32, %n: index) {
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %s = tensor.splat %x : !s
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros : !m, !m, !m) {
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
      attn.yield %k, %m, %l : !m, !m, !m
    }
    %end = arith.addi %i, %c1 : index
    attn.store %r#2, %lse[%i] until %end : !m -> <?xf32>
    attn.store %r#2, %more[%i] : !m -> <?xf32>
  }
  attn.return
}
