#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #row>
attn.kernel @branch(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %bound = arith.constant dense<65536.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %sum = attn.reduce sum %e1 : !s
        %over = arith.cmpf ugt, %sum, %bound : !m
        %missed = attn.any %over : tensor<128xi1, #row>
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %missed -> (!m, !o, !p) {
          %max = attn.reduce max %s : !s
          %m = arith.maximumf %m1, %max : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o, !p
        }
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %t#2, %v, %t#1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %t#0, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

attn.kernel @other(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %g: i1, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %g -> (!m, !o, !p) {
          %max = attn.reduce max %s : !s
          %m = arith.maximumf %m1, %max : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o, !p
        }
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %t#2, %v, %t#1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %t#0, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}
