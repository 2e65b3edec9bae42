// attn-delay-waits: streams that it leaves as they are, with a remark that says why.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-delay-waits))' -o %t.after --remarks-filter='attn-delay.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!k = tensor<128x64xbf16, #attn.shared<128>>
!q = tensor<64x64xbf16, #attn.shared<128>>
!s = tensor<128x64xf32, #acc>

// A store to memory keeps its place.
// CHECK: remark: [Missed] delayed | Category:attn-delay-waits | Function=stores | Remark="an operation keeps its place:", operation=attn.store
attn.kernel @stores(%x: !attn.view<?x64xf32>, %n: index) attributes {threads = 256 : i64} {
  %rk = attn.ring.create : <1 x !k>
  %rq = attn.ring.create : <2 x !q>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %r = attn.stream %pos step 64 over [%c0 to %n] carry (%a = %none : !s) {
      %q = attn.ring.wait %rq : <2 x !q> -> !q
      %ps = attn.dot.issue %k, %q, %none transpose_rhs : !k, !q, !s -> <!s>
      %s = attn.dot.wait %ps : <!s> -> !s
      attn.ring.release %rq : <2 x !q>
      attn.store %s, %x[%pos, %c0] : !s -> <?x64xf32>
      attn.yield %a : !s
    }
  }
}

// CHECK: remark: [Missed] delayed | Category:attn-delay-waits | Function=none | Remark="no asynchronous products in streams"
attn.kernel @none(%x: !attn.view<?x64xf32>, %n: index) attributes {threads = 256 : i64} {
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %r = attn.stream %pos step 64 over [%c0 to %n] carry (%a = %none : !s) {
      %b = arith.addf %a, %a : !s
      attn.yield %b : !s
    }
    attn.store %r, %x[%cta, %c0] : !s -> <?x64xf32>
  }
}
