// attn-ping-pong: kernels that it leaves as they are, most of them without a word, and those of
// which it cannot make anything.
// RUN: split-file %s %t
// RUN: attn-opt %t/same.mlir -o %t/before
// RUN: attn-opt %t/same.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))' -o %t/after --remarks-filter='attn-ping.*' 2>&1 | FileCheck %t/same.mlir --implicit-check-not=remark:
// RUN: diff %t/before %t/after
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))'

// In the pipeline: of one group, and of products that are not asynchronous.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower='wgmma=all specialize ping-pong' --emit=target -o %t/one.mlir
// RUN: attn-opt %t/one.mlir --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-ping-pong))' --remarks-filter='attn-ping.*' -o %t/one.split 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=remark:
// RUN: FileCheck %s --check-prefix=SPLIT --implicit-check-not=attn.turn --input-file=%t/one.split
// ONE: remark: [Missed] ping-pong | Category:attn-ping-pong | Function=prefill_attention | Remark="there is one warpgroup at most"
// SPLIT: attn.specialize
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower='warps=8 specialize ping-pong' --emit=target -o %t/none.mlir
// RUN: attn-opt %t/none.mlir --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-ping-pong))' --remarks-filter='attn-ping.*' -o %t/none.split 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=SPLIT --implicit-check-not=attn.turn --input-file=%t/none.split

// A late turn is not late where the next one begins in front of its end: turns are taken and passed in turn.
// RUN: attn-opt %t/early.mlir --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))' | FileCheck %t/early.mlir --implicit-check-not=attn.turn

// It has no options, and is a pass on kernels.
// RUN: not attn-opt %t/same.mlir --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong{groups=2}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option groups
// RUN: not attn-opt %t/same.mlir --pass-pipeline='builtin.module(attn-ping-pong)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnPingPong' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

//--- early.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>
// CHECK: attn.turn start of 2 late
// CHECK: attn.turn take of 2 late
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.issue {{.*}} stage 1
// CHECK-NEXT: attn.turn pass of 2 late
// CHECK-NEXT: attn.dot.wait
// CHECK-NEXT: attn.turn take of 2 late
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.turn pass of 2 late
attn.kernel @another(%o: !attn.view<?x16xf32>, %n: index) attributes {ping_pong, late_turns, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %a = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %v = attn.dot.issue %q, %k, %zero transpose_rhs stage 1 : !q, !k, !s -> <!s>
      %s = attn.dot.wait %a outstanding 1 : <!s> -> !s
      %b = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %t = attn.dot.wait %v outstanding 1 : <!s> -> !s
      %u = attn.dot.wait %b : <!s> -> !s
      attn.store %s, %o[%c0, %c0] : !s -> <?x16xf32>
      attn.store %t, %o[%c0, %c0] : !s -> <?x16xf32>
      attn.store %u, %o[%c0, %c0] : !s -> <?x16xf32>
    }
  }
}

//--- same.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>

// Nobody asks for it.
attn.kernel @unasked(%n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    }
  }
}

// One group, or not even that, or nobody knows how many.
// CHECK: same.mlir:[[# @LINE + 1]]:1: remark: [Missed] ping-pong | Category:attn-ping-pong | Function=one | Remark="there is one warpgroup at most"
attn.kernel @one(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    }
  }
}
// CHECK: remark: [Missed] ping-pong | Category:attn-ping-pong | Function=less | Remark="there is one warpgroup at most"
attn.kernel @less(%n: index) attributes {ping_pong, threads = 64 : i64} {
  attn.ctas %cta in %n {
  }
}
// CHECK: remark: [Missed] ping-pong | Category:attn-ping-pong | Function=unknown | Remark="there is one warpgroup at most"
attn.kernel @unknown(%n: index) attributes {ping_pong, producer_warps = 4 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    }
  }
}

// Roles are not split.
attn.kernel @unsplit(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %qk : <!s> -> !s
  }
}

// No scores among the products of consumers, as in a matmul; or none that is asynchronous.
attn.kernel @matmul(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero stage 1 : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      %d = attn.dot %q, %k, %s transpose_rhs : !q, !k into !s
    }
  }
}

// They take turns already, wherever.
attn.kernel @turns(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      attn.turn start of 2
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    }
  }
}

//--- errors.mlir
// More groups than there are barriers.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 60:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<960x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<960x16xf32, #acc>
attn.kernel @many(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 1920 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    // expected-error @below {{'attn.turn' op expected 2 to 14 groups, but got 15}}
    attn.specialize producer 4 warps (24) {
    } consumers (24) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
    }
  }
}
