// attn-optimistic-max: streams with another softmax, or none, are left as they are, with a remark.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// With the option positions it is those alone that are rewritten.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{positions}))' -o %t.positions --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=POSITIONS
// RUN: FileCheck %s --check-prefix=ALIBI --input-file=%t.positions
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{all}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option all
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=81}))' 2>&1 | FileCheck %s --check-prefix=LEAD
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-optimistic-max{lead=-1}))' 2>&1 | FileCheck %s --check-prefix=NOLEAD
// LEAD: error: expected a lead of 0 to 80 binades, but got 81
// NOLEAD: error: expected a lead of 0 to 80 binades, but got -1

// POSITIONS-NOT: Passed
// POSITIONS: remark: [Passed] optimistic | Category:attn-optimistic-max | Function=positions |
// POSITIONS-NOT: Passed

// ALIBI-NOT: attn.any
// ALIBI: attn.kernel @positions
// ALIBI: attn.any
// ALIBI-NOT: attn.any

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!v = tensor<32x32xf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xf16, #acc>
!m = tensor<64xf32, #rows>

// The reference itself is a result.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=stored | Remark="the maximum is used by more than exponentials"
attn.kernel @stored(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#1, %lse[%i] : !m -> <?xf32>
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// So is the factor.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=storedfactor | Remark="the maximum is used by more than exponentials"
attn.kernel @storedfactor(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#0, %lse[%i] : !m -> <?xf32>
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// It takes part in something else than weights.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=used | Remark="the maximum is used by more than exponentials"
attn.kernel @used(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %l3 = arith.addf %l, %m : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l3, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// So does the factor.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=usedfactor | Remark="the maximum is used by more than exponentials"
attn.kernel @usedfactor(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %l3 = arith.addf %l, %k : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l3, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What is carried is scaled by more than itself.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=usedrescale | Remark="the maximum is used by more than exponentials"
attn.kernel @usedrescale(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %l3 = arith.addf %l, %a : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l3, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// So do the rows made from it.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=usedwide | Remark="the maximum is used by more than exponentials"
attn.kernel @usedwide(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o2 = arith.mulf %o1, %b : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// The reference is added.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=swapped | Remark="the maximum is used by more than exponentials"
attn.kernel @swapped(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %b = attn.broadcast %m : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Factor and reference stand the other way round.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=swappedwide | Remark="the maximum is used by more than exponentials"
attn.kernel @swappedwide(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %b, %kb : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What is relative to the reference is not only an exponent.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=power | Remark="the maximum is used by more than exponentials"
attn.kernel @power(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %p = arith.truncf %d : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// The sum is not scaled.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=unscaledsum | Remark="what is carried is not scaled when the maximum grows"
attn.kernel @unscaledsum(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l = arith.addf %l1, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Nor is the accumulator, but by another number.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=unscaledacc | Remark="what is carried is not scaled when the maximum grows"
attn.kernel @unscaledacc(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o2 = arith.mulf %o1, %zero : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What is carried is what is added, not what is scaled.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=addend | Remark="what is carried is not scaled when the maximum grows"
attn.kernel @addend(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l = math.fma %sum, %sum, %l1 : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// The maximum of the tile is used besides.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=shared | Remark="the maximum is used by more than exponentials"
attn.kernel @shared(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l3 = arith.addf %l2, %sum : !m
      %l = arith.addf %l3, %max : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// A sum of something else says nothing of exponentials.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=othersum | Remark="the maximum is used by more than exponentials"
attn.kernel @othersum(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %double = arith.addf %e, %e : !s
      %sum = attn.reduce sum %double : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Nothing shows that an exponential is too large.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=nosum | Remark="no sum of exponentials shows when a maximum is too small"
attn.kernel @nosum(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce max %e : !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Biases may grow along the keys (ALiBi).
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=positions | Remark="scores depend on positions, along which maxima may grow"
attn.kernel @positions(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %t = tensor.splat %x : !s
      %col = attn.iota 1 from %j : tensor<64x32xindex, #acc>
      %col32 = arith.index_cast %col : tensor<64x32xindex, #acc> to tensor<64x32xi32, #acc>
      %bias = arith.sitofp %col32 : tensor<64x32xi32, #acc> to !s
      %s = arith.addf %t, %bias : !s
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What the product needs is there, but the softmax goes on behind it.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=early | Remark="a product comes before the softmax has ended"
attn.kernel @early(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// A store would happen twice.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=effect | Remark="what follows from the maximum has regions or effects"
attn.kernel @effect(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      attn.store %sum, %lse[%j] : !m -> <?xf32>
      %l2 = arith.mulf %l1, %a : !m
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// A choice.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=region | Remark="what follows from the maximum has regions or effects"
attn.kernel @region(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %g: i1, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %m1 scale(0.5) : !m
      %kb = attn.broadcast %k : !m to !s
      %nm = arith.negf %m : !m
      %b = attn.broadcast %nm : !m to !s
      %d = math.fma %s, %kb, %b : !s
      %e = math.exp2 %d : !s
      %sum = attn.reduce sum %e : !s
      %l2 = scf.if %g -> (!m) {
        %l3 = arith.mulf %l1, %a : !m
        scf.yield %l3 : !m
      } else {
        scf.yield %l1 : !m
      }
      %l = arith.addf %l2, %sum : !m
      %ao = attn.broadcast %a : !m to !s
      %o2 = arith.mulf %o1, %ao : !s
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// A product that may be left out.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=regiondot | Remark="what follows from the maximum has regions or effects"
attn.kernel @regiondot(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %g: i1, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o3 = scf.if %g -> (!s) {
        %o4 = attn.dot %p, %v, %o2 : !p, !v into !s
        scf.yield %o4 : !s
      } else {
        scf.yield %o1 : !s
      }
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// The negative of a maximum is none.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=minimum | Remark="no stream carries what a row maximum advances"
attn.kernel @minimum(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %neg = arith.negf %max : !m
      %k, %m, %a = attn.advance %neg from %k1, %m1 scale(0.5) : !m
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Nor is a sum.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=rowsum | Remark="no stream carries what a row maximum advances"
attn.kernel @rowsum(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce sum %s : !s
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What is carried is not what is advanced: the reference, or the factor.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=notcarried | Remark="no stream carries what a row maximum advances"
attn.kernel @notcarried(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %k1, %half scale(0.5) : !m
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=notcarriedfactor | Remark="no stream carries what a row maximum advances"
attn.kernel @notcarriedfactor(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %half, %m1 scale(0.5) : !m
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// Nor handed on.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=nothandedon | Remark="no stream carries what a row maximum advances"
attn.kernel @nothandedon(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !m
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m1, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// What is advanced by is no maximum of a row, but follows from one.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=scaled | Remark="no stream carries what a row maximum advances"
attn.kernel @scaled(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-3.40282347E+38> : !m
  %zeros = arith.constant dense<0.0> : !m
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%k1 = %ones, %m1 = %least, %l1 = %zeros, %o1 = %zero : !m, !m, !m, !s) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %mc = arith.mulf %max, %l1 : !m
      %k, %m, %a = attn.advance %mc from %k1, %m1 scale(0.5) : !m
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
      %o3 = attn.dot %p, %v, %o2 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %k, %m, %l, %o3 : !m, !m, !m, !s
    }
    attn.store %r#2, %lse[%i] : !m -> <?xf32>
    attn.store %r#3, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// A plain product carries its accumulator.
// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=matmul | Remark="no stream carries what a row maximum advances"
attn.kernel @matmul(%o: !attn.view<?x?xf32>, %n: index) {
  %ra = attn.ring.create : <2 x tensor<64x32xf16, #attn.shared<64>>>
  %rb = attn.ring.create : <2 x !v>
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.stream %j step 32 over [%i to %n] carry (%o1 = %zero : !s) {
      %a = attn.ring.wait %ra : <2 x tensor<64x32xf16, #attn.shared<64>>> -> tensor<64x32xf16, #attn.shared<64>>
      %b = attn.ring.wait %rb : <2 x !v> -> !v
      %o2 = attn.dot %a, %b, %o1 : tensor<64x32xf16, #attn.shared<64>>, !v into !s
      attn.ring.release %rb : <2 x !v>
      attn.ring.release %ra : <2 x tensor<64x32xf16, #attn.shared<64>>>
      attn.yield %o2 : !s
    }
    attn.store %r, %o[%i, %i] : !s -> <?x?xf32>
  }
}

// CHECK: remark: [Missed] optimistic | Category:attn-optimistic-max | Function=empty | Remark="the kernel has no stream"
attn.kernel @empty() {
}
