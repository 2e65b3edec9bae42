// attn-round-sums: rows are divided by the sums of the weights that products take.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-round-sums))' --remarks-filter='attn-round.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once --check-prefixes=CHECK,ADD
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-round-sums{by=products}))' | FileCheck %s --check-prefixes=CHECK,MULTIPLY
// Sums of rounded weights stay what they are, and the softmax is still one that attn-optimistic-max knows.
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-round-sums))' | diff %t.once -
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' | FileCheck %s --check-prefix=OPTIMISTIC

// REMARK: remark: [Passed] rounded-sums | Category:attn-round-sums | Function=softmax | Remark="rows are divided by sums of rounded weights:", by=registers, sums=1
// REMARK: remark: [Passed] rounded-sums | Category:attn-round-sums | Function=lse | Remark="rows are divided by sums of rounded weights:", by=registers, sums=1

// OPTIMISTIC-LABEL: attn.kernel @softmax
// OPTIMISTIC: %[[E:[^ ]+]] = math.exp2
// OPTIMISTIC-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]]
// OPTIMISTIC-NEXT: %[[X:[^ ]+]] = arith.extf %[[P]]
// OPTIMISTIC-NEXT: %[[S:[^ ]+]] = attn.reduce_registers sum %[[X]]
// OPTIMISTIC: attn.any
// OPTIMISTIC-LABEL: attn.kernel @lse
// OPTIMISTIC: attn.any
// OPTIMISTIC: attn.any

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xbf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// CHECK-LABEL: attn.kernel @softmax
// CHECK: %[[R:[^ ]+]]:4 = attn.stream {{.*}} carry (%{{[^ ]+}} = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}
// CHECK: %[[E:[^ ]+]] = math.exp2
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]]
// CHECK-NEXT: %[[X:[^ ]+]] = arith.extf %[[P]]
// ADD-NEXT: %[[SUM:[^ ]+]] = attn.reduce_registers sum %[[X]] : tensor<64x32xf32,
// MULTIPLY-NEXT: %[[SUM:[^ ]+]] = attn.reduce_registers sum %[[X]] by_products : tensor<64x32xf32,
// CHECK: %[[L:[^ ]+]] = math.fma %[[L1]], %{{[^ ]+}}, %[[SUM]] :
// CHECK: attn.dot %[[P]],
// CHECK: attn.yield %{{[^ ]+}}, %{{[^ ]+}}, %[[L]], %{{[^ ]+}} :
// CHECK: %[[T:[^ ]+]] = attn.reduce sum %[[R]]#2
// CHECK: arith.divf %{{[^ ]+}}, %[[T]]
attn.kernel @softmax(%o: !attn.view<?x?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
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
      %os = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot %p, %v, %os : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %pv : !m, !m, !l, !s
    }
    %t = attn.reduce sum %r#2 : !l
    %q = arith.divf %ones, %t : !m
    %qb = attn.broadcast %q : !m to !s
    %y = arith.mulf %r#3, %qb : !s
    attn.store %y, %o[%i, %i] : !s -> !attn.view<?x?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xbf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// The logarithm is that of the sum of what is not rounded: both are carried. The product with
// what is carried is one by itself here.

// CHECK-LABEL: attn.kernel @lse
// CHECK: %[[R:[^ ]+]]:5 = attn.stream {{.*}} carry (%{{[^ ]+}} = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}, %[[L1:[^ ]+]] = %[[Z:[^ ]+]], %{{[^ ]+}} = %{{[^ ]+}}, %[[H1:[^ ]+]] = %[[Z]] :
// CHECK: %[[E:[^ ]+]] = math.exp2
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]]
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce_registers sum %[[E]] :
// CHECK-NEXT: %[[AL:[^ ]+]] = attn.broadcast
// CHECK-NEXT: %[[LA:[^ ]+]] = arith.mulf %[[L1]], %[[AL]]
// CHECK-NEXT: %[[L:[^ ]+]] = arith.addf %[[LA]], %[[SUM]]
// CHECK-NEXT: %[[X:[^ ]+]] = arith.extf %[[P]]
// CHECK-NEXT: %[[HSUM:[^ ]+]] = attn.reduce_registers sum %[[X]]
// CHECK-NEXT: %[[HA:[^ ]+]] = arith.mulf %[[H1]], %[[AL]]
// CHECK-NEXT: %[[H:[^ ]+]] = arith.addf %[[HA]], %[[HSUM]]
// CHECK: attn.yield %{{[^ ]+}}, %{{[^ ]+}}, %[[L]], %{{[^ ]+}}, %[[H]] :
// CHECK: %[[T:[^ ]+]] = attn.reduce sum %[[R]]#2
// CHECK-NEXT: %[[TH:[^ ]+]] = attn.reduce sum %[[R]]#4
// CHECK-NEXT: arith.divf %{{[^ ]+}}, %[[TH]]
// CHECK: math.log2 %[[T]]
attn.kernel @lse(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
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
      %la = arith.mulf %l1, %al : !l
      %l = arith.addf %la, %sum : !l
      %ao = attn.broadcast %a : !m to !s
      %os = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot %p, %v, %os : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %pv : !m, !m, !l, !s
    }
    %t = attn.reduce sum %r#2 : !l
    %q = arith.divf %ones, %t : !m
    %qb = attn.broadcast %q : !m to !s
    %y = arith.mulf %r#3, %qb : !s
    %log = math.log2 %t : !m
    attn.store %y, %o[%i, %i] : !s -> !attn.view<?x?xf32>
    attn.store %log, %lse[%i] : !m -> !attn.view<?xf32>
  }
}
