// attn-plan-overlap leaves streams without marks; attn-overlap-softmax takes no loop for one that is marked otherwise.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap))' -o %t --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: FileCheck %s --check-prefix=PLANNED --input-file=%t
// PLANNED-NOT: attn.part
// PLANNED: attn.kernel @wrong

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
!p = tensor<64x16xbf16, #acc>

// One product.
attn.kernel @one(%n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %p0 = arith.constant dense<1.0> : !p
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    // CHECK: plan-overlap-invalid.mlir:[[# @LINE + 1]]:10: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=one | Remark="a loop does not have asynchronous products of two stages"
    %r = attn.stream %j step 16 over [%c0 to %n] carry (%o1 = %zero : !s) {
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %pv = attn.dot.issue %p0, %v, %o1 stage 1 : !p, !k, !s -> <!s>
      %o = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !k>
      attn.yield %o : !s
    }
  }
}

// What is put into a ring is read by others, who may be of another role.
attn.kernel @puts(%n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %rp = attn.ring.create : <2 x !q>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    // CHECK: plan-overlap-invalid.mlir:[[# @LINE + 1]]:10: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=puts | Remark="a loop copies or stores"
    %r = attn.stream %j step 16 over [%c0 to %n] carry (%o1 = %zero : !s) {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %p = arith.truncf %s : !s to !p
      %slot = attn.ring.acquire %rp : <2 x !q> -> <!q>
      attn.ring.put %p into %slot : !p into <!q>
      %pt = attn.ring.wait %rp : <2 x !q> -> !q
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %pv = attn.dot.issue %pt, %v, %o1 stage 1 : !q, !k, !s -> <!s>
      %o = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !k>
      attn.ring.release %rp : <2 x !q>
      attn.yield %o : !s
    }
  }
}

// Marks that are not so.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: 'attn.dot.issue' op expected its wait, its tile and the tile's release among the values of its loop, but got a product without
// RUN: sed 's/attn.overlap = "own"/attn.overlap = 1/' %s | not attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: 'scf.for' op expected 'own' or 'others' as its attn.overlap, but got 1 : i64
// RUN: sed 's/{attn.part = "values"}/{attn.part = "keys"}/' %s | not attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'attn.dot.issue' op expected a part of a loop, 'scores', 'values', 'late' or 'pin', but got "keys"
// RUN: sed 's/{attn.part = "scores"}//' %s | not attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SCORES
// SCORES: error: 'scf.for' op expected products of scores, and a wait for each, among its parts, but got 0 and 0
// RUN: sed 's/-> !s {attn.part = "values"}/-> !s/; s/{attn.part = "values"}/{attn.part = "late"}/' %s | not attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: 'attn.dot.issue' op expected no effects of what is late, but got an operation that has some
attn.kernel @wrong(%n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
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
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs {attn.part = "scores"} : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk {attn.part = "scores"} : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 {attn.part = "values"} : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      } {attn.overlap = "own"}
    }
  }
}
