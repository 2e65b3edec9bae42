// attn-ping-pong: groups of consumers take turns at issuing products.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))' --remarks-filter='attn-ping.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t --implicit-check-not=attn.turn
// Twice is once.
// RUN: attn-opt %t --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))' --remarks-filter='attn-ping.*' -o %t.twice 2>&1 | count 0
// RUN: diff %t %t.twice

// Late turns are passed when the product with values is done, all else as before: those of scores alone when these are issued.
// RUN: sed 's/{ping_pong,/{late_turns, ping_pong,/' %s | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-ping-pong))' -o %t.late
// RUN: FileCheck %s --input-file=%t.late --check-prefix=LATE --implicit-check-not=attn.turn
// RUN: sed '/attn.turn/d; s/late_turns, //' %t.late > %t.late.rest
// RUN: sed '/attn.turn/d' %t | diff %t.late.rest -
// LATE-LABEL: attn.kernel @overlapped
// LATE: attn.turn start of 2 late
// LATE: attn.turn take of 2 late
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.turn pass of 2 late
// LATE-NEXT: attn.dot.wait
// LATE: scf.for
// LATE: attn.turn take of 2 late
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.ring.wait
// LATE-NEXT: %[[PV:[^ ]+]] = attn.dot.issue {{.*}} stage 1
// LATE-NEXT: attn.dot.wait {{.*}} outstanding 1
// LATE: attn.dot.wait %[[PV]]
// LATE-NEXT: attn.turn pass of 2 late
// LATE-NEXT: attn.ring.release
// LATE: scf.yield
// LATE-LABEL: attn.kernel @plain
// LATE: attn.turn start of 3 late
// LATE: attn.turn take of 3 late
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.turn pass of 3 late
// LATE: attn.turn take of 3 late
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.turn pass of 3 late
// LATE-LABEL: attn.kernel @together
// LATE: attn.turn start of 2 late
// LATE: attn.turn take of 2 late
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// LATE-NEXT: attn.turn pass of 2 late

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>
!p = tensor<128x16xbf16, #acc>

// What attn-overlap-softmax leaves. The turn is taken when the keys are there, just before the
// scores are issued, and passed behind the last product that is issued before one is waited
// for: both, in the loop; the scores of the first tile alone, in front of it. The values of the
// last tile need no turn. The first group has its turn from the beginning.

// CHECK-LABEL: attn.kernel @overlapped
// CHECK: attn.specialize producer 4 warps(24) {
// CHECK-NEXT: } consumers(240) {
// CHECK-NEXT: attn.turn start of 2
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.turn take of 2
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.turn pass of 2
// CHECK-NEXT: attn.dot.wait
// CHECK: scf.for
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.turn take of 2
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.turn pass of 2
// CHECK-NEXT: attn.dot.wait {{.*}} outstanding 1
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// REMARK: ping-pong.mlir:[[# @LINE + 1]]:1: remark: [Passed] ping-pong | Category:attn-ping-pong | Function=overlapped | Remark="warpgroups take turns:", groups=2
attn.kernel @overlapped(%y: !attn.view<?x16xf32>, %n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k0 = attn.ring.wait %rk : <2 x !k> -> !k
      %qk0 = attn.dot.issue %q, %k0, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s0 = attn.dot.wait %qk0 : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %p0 = arith.truncf %s0 : !s to !p
      %r, %last = scf.for %j = %c1 to %n step %c1 iter_args(%o1 = %zero, %p1 = %p0) -> (!s, !p) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %v1 = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p1, %v1, %o1 stage 1 : !p, !k, !s -> <!s>
        %s = attn.dot.wait %qk outstanding 1 : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %p = arith.truncf %s : !s to !p
        scf.yield %o, %p : !s, !p
      }
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %pv = attn.dot.issue %last, %v, %r stage 1 : !p, !k, !s -> <!s>
      %o = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !k>
      attn.store %o, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Without it a turn is for the scores alone. Three groups, of a persistent CTA: the first turn is
// given once, in front of all its tiles. Scores that only some tiles have take a turn where they are.

// REMARK: remark: [Passed] ping-pong | Category:attn-ping-pong | Function=plain | Remark="warpgroups take turns:", groups=3
// CHECK-LABEL: attn.kernel @plain
// CHECK: } consumers(160) {
// CHECK-NEXT: attn.turn start of 3
// CHECK-NEXT: scf.for
// CHECK-COUNT-2: scf.for
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.turn take of 3
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.turn pass of 3
// CHECK-NEXT: attn.dot.wait
// CHECK: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: attn.turn take of 3
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.turn pass of 3
// CHECK-NEXT: attn.dot.wait
#three = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 12:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q3 = tensor<192x16xbf16, #attn.shared<32>>
!s3 = tensor<192x16xf32, #three>
!p3 = tensor<192x16xbf16, #three>
attn.kernel @plain(%y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {ping_pong, producer_warps = 4 : i64, threads = 384 : i64} {
  %rq = attn.ring.create : <1 x !q3>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s3
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (160) {
      scf.for %t = %cta to %n step %n {
        scf.for %u = %c0 to %n step %c1 {
        }
        %q = attn.ring.wait %rq : <1 x !q3> -> !q3
        %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s3 {
          %k = attn.ring.wait %rk : <2 x !k> -> !k
          %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q3, !k, !s3 -> <!s3>
          %s = attn.dot.wait %qk : <!s3> -> !s3
          attn.ring.release %rk : <2 x !k>
          %p = arith.truncf %s : !s3 to !p3
          %v = attn.ring.wait %rv : <2 x !k> -> !k
          %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p3, !k, !s3 -> <!s3>
          %o = attn.dot.wait %pv : <!s3> -> !s3
          attn.ring.release %rv : <2 x !k>
          scf.yield %o : !s3
        }
        %r2 = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %r) -> !s3 {
          %k = attn.ring.wait %rk : <2 x !k> -> !k
          %s = scf.if %b -> !s3 {
            %qk = attn.dot.issue %q, %k, %o1 transpose_rhs : !q3, !k, !s3 -> <!s3>
            %w = attn.dot.wait %qk : <!s3> -> !s3
            scf.yield %w : !s3
          } else {
            scf.yield %o1 : !s3
          }
          attn.ring.release %rk : <2 x !k>
          scf.yield %s : !s3
        }
        attn.store %r2, %y[%t, %c0] : !s3 -> <?x16xf32>
        attn.ring.release %rq : <1 x !q3>
      }
    }
  }
}

// Scores of two tiles that are issued together are one turn.

// REMARK: remark: [Passed] ping-pong | Category:attn-ping-pong | Function=together | Remark="warpgroups take turns:", groups=2
// CHECK-LABEL: attn.kernel @together
// CHECK: attn.turn start of 2
// CHECK: attn.turn take of 2
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.turn pass of 2
// CHECK-NEXT: attn.dot.wait
attn.kernel @together(%n: index) attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %a = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %b = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %a outstanding 1 : <!s> -> !s
      %t = attn.dot.wait %b : <!s> -> !s
    }
  }
}

// In the pipeline: the first tile of one of two loops, and then both.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap ping-pong' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax,attn-ping-pong),cse,canonicalize)' | FileCheck %s --check-prefix=PIPE --implicit-check-not=attn.turn
// PIPE: } consumers({{[0-9]+}}) {
// PIPE-NEXT: attn.turn start of 2
// PIPE: scf.if
// PIPE: attn.turn take of 2
// PIPE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// PIPE-NEXT: attn.turn pass of 2
// PIPE: } else {
// PIPE: attn.turn take of 2
// PIPE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// PIPE-NEXT: attn.turn pass of 2
// PIPE: scf.for
// PIPE: attn.turn take of 2
// PIPE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// PIPE: attn.dot.issue
// PIPE-NEXT: attn.turn pass of 2
// PIPE: scf.for
// PIPE: attn.turn take of 2
// PIPE-NEXT: attn.dot.issue {{.*}} transpose_rhs
// PIPE: attn.dot.issue
// PIPE-NEXT: attn.turn pass of 2
