// attn-optimistic-max: attn.settle says which rows have a key of much weight in their first tile.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12 exact-peaks}))' -o %t
// RUN: FileCheck %s --input-file=%t
// What is a branch stays one, and what is said is not said again.
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12 exact-peaks}))' | diff %t -
// Without the option nothing is said, and a miss has the lead.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12}))' -o %t.without
// RUN: FileCheck %s --input-file=%t.without --check-prefix=WITHOUT --implicit-check-not=attn.settle
// Without a lead, it is what is said alone that the option adds.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' -o %t.plain
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{exact-peaks}))' -o %t.peaks
// RUN: not diff %t.plain %t.peaks > %t.diff
// RUN: FileCheck %s --input-file=%t.diff --check-prefix=ADDS --implicit-check-not=attn.advance --implicit-check-not=attn.any
// The last tiles take the maximum, too: attn.settle says so, and division leaves 10 binades, so that references are no larger than maxima.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12 exact-peaks exact-last}))' -o %t.last
// RUN: not diff %t %t.last > %t.last.diff
// RUN: FileCheck %s --input-file=%t.last.diff --check-prefix=LAST
// Where rows with peaks are no matter, the last tiles are none.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=12 exact-last}))' | diff %t.without -
// LAST: < %{{.*}} = arith.constant dense<1.200000e+01> :
// LAST: > %{{.*}} = arith.constant dense<-1.000000e+01> :
// LAST: < %{{.*}} = attn.settle %{{[^ ]+}} if %{{[^ ]+}} :
// LAST: > %{{.*}} = attn.settle %{{[^ ]+}} if %{{[^ ]+}} last :
// f16 says it, too.
// RUN: sed 's/bf16/f16/g' %s | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{exact-peaks}))' | FileCheck %s --check-prefix=HALF

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xbf16, #attn.shared<64>>
!v8 = tensor<32x32xf8E4M3FN, #attn.shared<32>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!p8 = tensor<64x32xf8E4M3FN, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// A miss takes the maximum of the tile as it is. Division leads as ever. Behind the branch stands which
// rows have a sum of less than 5 weights that are as large as their largest: what each of the four threads of a row
// has of it is less than a quarter of that, but not nothing, which a row of no key has.

// CHECK-LABEL: attn.kernel @softmax
// CHECK: attn.stream {{.*}} carry (%[[K1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[A1:[^ ]+]] = %{{[^ ]+}}
// CHECK: %[[MISSED:[^ ]+]] = attn.any %{{[^ ]+}} holds_first : tensor<64x4xi1,
// CHECK: %[[IF:[^ ]+]]:5 = scf.if %[[MISSED]] ->
// CHECK: math.floor
// CHECK-NEXT: %[[LEAD:[^ ]+]] = arith.constant dense<1.200000e+01> :
// CHECK-NEXT: arith.addf %{{[^ ]+}}, %[[LEAD]] :
// CHECK: %[[INNER:[^ ]+]]:5 = scf.if
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %{{[^ ]+}} :
// CHECK-NEXT: attn.advance %[[X]] from %[[K1]], %[[M1]] scale(5.000000e-01) :
// CHECK: } else {
// CHECK-NEXT: arith.subf %[[M1]],
// CHECK-NEXT: math.exp2
// CHECK: scf.yield %[[INNER]]#0,
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[FEW:[^ ]+]] = arith.constant dense<1.250000e+00> : tensor<64x4xf32,
// CHECK-NEXT: %[[BELOW:[^ ]+]] = arith.cmpf olt, %[[IF]]#2, %[[FEW]] :
// CHECK-NEXT: %[[NONE:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32,
// CHECK-NEXT: %[[ABOVE:[^ ]+]] = arith.cmpf ogt, %[[IF]]#2, %[[NONE]] :
// CHECK-NEXT: %[[PEAKED:[^ ]+]] = arith.andi %[[BELOW]], %[[ABOVE]] : tensor<64x4xi1,
// CHECK-NEXT: %[[L:[^ ]+]] = attn.settle %[[IF]]#2 if %[[PEAKED]] : tensor<64x4xf32, {{.*}}>, tensor<64x4xi1,
// CHECK-NOT: attn.settle
// CHECK: attn.yield %[[IF]]#0, %[[IF]]#1, %[[L]],
// WITHOUT-LABEL: attn.kernel @softmax
// WITHOUT: %[[LOST:[^ ]+]]:5 = scf.if
// WITHOUT: scf.if
// WITHOUT-NEXT: attn.reduce max
// WITHOUT: %[[TO:[^ ]+]] = arith.select
// WITHOUT-NEXT: attn.advance %[[TO]] from
// WITHOUT: attn.yield %[[LOST]]#0, %[[LOST]]#1, %[[LOST]]#2,
// ADDS: > {{.*}} attn.settle
// ADDS: > {{.*}} attn.settle
// ADDS-NOT: attn.settle
// HALF-LABEL: attn.kernel @softmax
// HALF: attn.settle %{{[^ ]+}} if %{{[^ ]+}} : tensor<64x4xf32,
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

// Rows that nobody stores have no say. One number a row is compared with all of the bound.

// CHECK-LABEL: attn.kernel @until
// CHECK: %[[STORED:[^ ]+]] = arith.cmpi slt
// CHECK-NEXT: attn.stream
// CHECK: %[[OF:[^ ]+]]:3 = scf.if
// CHECK: %[[WHOLE:[^ ]+]] = arith.constant dense<5.000000e+00> : tensor<64xf32,
// CHECK-NEXT: arith.cmpf olt, %[[OF]]#2, %[[WHOLE]] :
// CHECK: %[[ROWS:[^ ]+]] = arith.andi %{{[^ ]+}}, %{{[^ ]+}} : tensor<64xi1,
// CHECK-NEXT: %[[THOSE:[^ ]+]] = arith.andi %[[ROWS]], %[[STORED]] : tensor<64xi1,
// CHECK-NEXT: attn.settle %[[OF]]#2 if %[[THOSE]] : tensor<64xf32, {{.*}}>, tensor<64xi1,
// HALF-LABEL: attn.kernel @until
// HALF: attn.settle
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

// Weights of 8 bits have a range that is shared out: they keep their lead, and nothing is said.

// CHECK-LABEL: attn.kernel @narrow
// CHECK-NOT: attn.settle
// CHECK: %[[ABOVE:[^ ]+]] = arith.divf
// CHECK-NEXT: %[[UP:[^ ]+]] = arith.addf %{{[^ ]+}}, %[[ABOVE]] :
// CHECK-NEXT: attn.advance %[[UP]] from {{.*}} steady
// CHECK-NOT: attn.settle
// CHECK: attn.yield
// CHECK-NOT: attn.settle
attn.kernel @narrow(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v8>
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
      %p = arith.truncf %e : !s to !p8
      %v = attn.ring.wait %rv : <2 x !v8> -> !v8
      %o3 = attn.dot %p, %v, %o2 : !p8, !v8 into !s
      attn.ring.release %rv : <2 x !v8>
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
