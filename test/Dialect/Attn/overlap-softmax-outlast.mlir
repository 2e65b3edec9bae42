// attn-overlap-softmax: where products of a tile take clearly longer than exponentials, by the facts of the target,
// the product with the values of the last tile stays under way until the branch that may scale its sum.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s
// So it is where elements are read behind the stream, as O and LSE of earlier keys and sinks are. What is read in front of it, or in it, wants the registers.
// DEFINE: %{planned} = attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax))' | FileCheck %s
// DEFINE: %{read} = %%u = attn.gather %%y[%%c0, %%c0] : !attn.view<?x128xf32> -> f32
// RUN: sed 's/^ *attn.store %%r#1, .*<?x128xf32>/%{read}\n&/' %s | %{planned}
// RUN: sed '/@long/,/@short/ s/^ *%%r:2 = scf.for/%{read}\n&/' %s | %{planned} --check-prefix=READS
// RUN: sed '/@long/,/@short/ s/^ *%%b1 = attn.broadcast/%{read}\n&/' %s | %{planned} --check-prefix=READS
// READS-LABEL: attn.kernel @long
// READS: scf.for
// READS: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// READS: attn.dot.issue {{.*}} stage 1
// READS-NEXT: attn.dot.wait %[[QK]] : <

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide64 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#wide128 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 16:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q64 = tensor<128x64xbf16, #attn.shared<128>>
!k64 = tensor<32x64xbf16, #attn.shared<128>>
!o64 = tensor<128x64xf32, #wide64>
!q128 = tensor<128x128xbf16, #attn.shared<128>>
!k128 = tensor<32x128xbf16, #attn.shared<128>>
!o128 = tensor<128x128xf32, #wide128>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!m = tensor<128xf32, #row>

// CHECK-LABEL: attn.kernel @long
// CHECK: scf.for
// CHECK: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// CHECK: %[[PV:[^ ]+]] = attn.dot.issue {{.*}} stage 1
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x128xbf16, #{{[a-z0-9]+}}>>{{$}}
// CHECK: %[[E:[^ ]+]] = math.exp2
// CHECK: %[[MISSED:[^ ]+]] = attn.any
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait %[[PV]] : <
// CHECK-NEXT: attn.ring.release
// The registers of P of the last tile are free from here on.
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]]
// CHECK-NEXT: scf.if %[[MISSED]] ->
// CHECK: scf.yield %{{[^ ]+}}, %[[O]], %[[P]] :
attn.kernel @long(%x: !attn.view<?x128xbf16>, %y: !attn.view<?x128xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q128>
  %rk = attn.ring.create : <2 x !k128>
  %rv = attn.ring.create : <2 x !k128>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o128
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q128> -> !q128
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o128) {
        %k = attn.ring.wait %rk : <2 x !k128> -> !k128
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q128, !k128, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k128>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %sum = attn.reduce sum %e1 : !s
        %over = arith.cmpf ugt, %sum, %bound : !m
        %missed = attn.any %over holds_first : tensor<128xi1, #row>
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %missed -> (!m, !o128, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o128
          %a = arith.mulf %o1, %h : !o128
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o128, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o128, !p
        }
        %v = attn.ring.wait %rv : <2 x !k128> -> !k128
        %pv = attn.dot.issue %t#2, %v, %t#1 stage 1 : !p, !k128, !o128 -> <!o128>
        %o = attn.dot.wait %pv : <!o128> -> !o128
        attn.ring.release %rv : <2 x !k128>
        scf.yield %t#0, %o : !m, !o128
      }
      attn.store %r#1, %y[%cta, %c0] : !o128 -> <?x128xf32>
      attn.ring.release %rq : <1 x !q128>
    }
  }
}

// Exponentials take as long: both products are waited for at once.

// CHECK-LABEL: attn.kernel @short
// CHECK: scf.for
// CHECK: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// CHECK: %[[PV:[^ ]+]] = attn.dot.issue {{.*}} stage 1
// CHECK-NEXT: attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.dot.wait %[[PV]] : <
// CHECK-NEXT: attn.ring.release
// CHECK: math.exp2
attn.kernel @short(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q64>
  %rk = attn.ring.create : <2 x !k64>
  %rv = attn.ring.create : <2 x !k64>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o64
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q64> -> !q64
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o64) {
        %k = attn.ring.wait %rk : <2 x !k64> -> !k64
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q64, !k64, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k64>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %sum = attn.reduce sum %e1 : !s
        %over = arith.cmpf ugt, %sum, %bound : !m
        %missed = attn.any %over holds_first : tensor<128xi1, #row>
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %missed -> (!m, !o64, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o64
          %a = arith.mulf %o1, %h : !o64
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o64, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o64, !p
        }
        %v = attn.ring.wait %rv : <2 x !k64> -> !k64
        %pv = attn.dot.issue %t#2, %v, %t#1 stage 1 : !p, !k64, !o64 -> <!o64>
        %o = attn.dot.wait %pv : <!o64> -> !o64
        attn.ring.release %rv : <2 x !k64>
        scf.yield %t#0, %o : !m, !o64
      }
      attn.store %r#1, %y[%cta, %c0] : !o64 -> <?x64xf32>
      attn.ring.release %rq : <1 x !q64>
    }
  }
}

// So do exponentials and hyperbolic tangents together.

// CHECK-LABEL: attn.kernel @two
// CHECK: scf.for
// CHECK: %[[PV:[^ ]+]] = attn.dot.issue {{.*}} stage 1
// CHECK: attn.dot.wait %[[PV]] : <
// CHECK: math.tanh
attn.kernel @two(%x: !attn.view<?x128xbf16>, %y: !attn.view<?x128xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q128>
  %rk = attn.ring.create : <2 x !k128>
  %rv = attn.ring.create : <2 x !k128>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o128
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q128> -> !q128
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o128) {
        %k = attn.ring.wait %rk : <2 x !k128> -> !k128
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q128, !k128, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k128>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %t1 = math.tanh %d1 : !s
        %e1 = math.exp2 %t1 : !s
        %sum = attn.reduce sum %e1 : !s
        %over = arith.cmpf ugt, %sum, %bound : !m
        %missed = attn.any %over holds_first : tensor<128xi1, #row>
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %missed -> (!m, !o128, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o128
          %a = arith.mulf %o1, %h : !o128
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o128, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o128, !p
        }
        %v = attn.ring.wait %rv : <2 x !k128> -> !k128
        %pv = attn.dot.issue %t#2, %v, %t#1 stage 1 : !p, !k128, !o128 -> <!o128>
        %o = attn.dot.wait %pv : <!o128> -> !o128
        attn.ring.release %rv : <2 x !k128>
        scf.yield %t#0, %o : !m, !o128
      }
      attn.store %r#1, %y[%cta, %c0] : !o128 -> <?x128xf32>
      attn.ring.release %rq : <1 x !q128>
    }
  }
}
