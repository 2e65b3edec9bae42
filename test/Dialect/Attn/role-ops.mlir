// Roles of warps and turns, every syntactic variant: custom form, generic form and bytecode.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s -emit-bytecode | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

//===----------------------------------------------------------------------===//
// attn.specialize
//===----------------------------------------------------------------------===//

// The least and the most that a role may have; regions without operations; attributes.
// CHECK-LABEL: attn.kernel @roles
// CHECK: attn.ctas
// CHECK-NEXT: attn.specialize producer 4 warps(24) {
// CHECK-NEXT: attn.ring.acquire
// CHECK-NEXT: } consumers(240) {
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: }
// CHECK-NEXT: attn.specialize producer 8 warps(24) {
// CHECK-NEXT: } consumers(256) {
// CHECK-NEXT: } {note}
// GENERIC-LABEL: "attn.kernel"
// GENERIC: "attn.specialize"() <{consumer_registers = 240 : i64, producer_registers = 24 : i64, producer_warps = 4 : i64}> ({
// GENERIC: "attn.ring.acquire"
// GENERIC-NEXT: "attn.yield"() : () -> ()
// GENERIC-NEXT: }, {
// GENERIC: "attn.ring.wait"
// GENERIC-NEXT: "attn.yield"() : () -> ()
// GENERIC-NEXT: }) : () -> ()
// GENERIC: }) {note} : () -> ()
!k = tensor<32x64xbf16, #attn.shared<128>>
attn.kernel @roles(%n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
      %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    } consumers (240) {
      %t = attn.ring.wait %r : <2 x !k> -> !k
    }
    attn.specialize producer 8 warps (24) {
    } consumers (256) {
    } {note}
  }
}

//===----------------------------------------------------------------------===//
// attn.turn
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @turns
// CHECK: attn.turn start of 2
// CHECK-NEXT: attn.turn take of 2
// CHECK-NEXT: attn.turn pass of 2
// CHECK-NEXT: attn.turn take of 14 {note}
// CHECK-NEXT: attn.turn pass of 2 late
// GENERIC: "attn.turn"() <{groups = 2 : i64, step = 0 : i32}> : () -> ()
// GENERIC: "attn.turn"() <{groups = 2 : i64, step = 1 : i32}> : () -> ()
// GENERIC: "attn.turn"() <{groups = 2 : i64, step = 2 : i32}> : () -> ()
// GENERIC: "attn.turn"() <{groups = 14 : i64, step = 1 : i32}> {note} : () -> ()
// GENERIC: "attn.turn"() <{groups = 2 : i64, late, step = 2 : i32}> : () -> ()
attn.kernel @turns() {
  attn.turn start of 2
  attn.turn take of 2
  attn.turn pass of 2
  attn.turn take of 14 {note}
  attn.turn pass of 2 late
}

//===----------------------------------------------------------------------===//
// attn.beside and attn.add_turn
//===----------------------------------------------------------------------===//

// Warps of the producer that give the turns which those who compute take.
// CHECK-LABEL: attn.kernel @add_turns
// CHECK: attn.specialize producer 4 warps(24) {
// CHECK-NEXT: attn.beside 1 {
// CHECK-NEXT: attn.report_progress
// CHECK-NEXT: }
// CHECK-NEXT: attn.beside 3 {
// CHECK-NEXT: attn.await_progress
// CHECK-NEXT: } {note}
// CHECK-NEXT: } consumers(240) {
// CHECK-NEXT: attn.add_turn take
// CHECK-NEXT: attn.add_turn pass {note}
// CHECK-NEXT: }
// GENERIC: "attn.beside"() <{count = 1 : i64, warp = 1 : i64}> ({
// GENERIC: "attn.add_turn"() <{step = 1 : i32}> : () -> ()
// GENERIC-NEXT: "attn.add_turn"() <{step = 2 : i32}> {note} : () -> ()
attn.kernel @add_turns(%p: !attn.view<?xi32>, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
      attn.beside 1 {
        attn.report_progress %p[%cta] at %n : <?xi32>
      }
      attn.beside 3 {
        attn.await_progress %p[] from %c0 to %cta at %n : <?xi32>
      } {note}
    } consumers (240) {
      attn.add_turn take
      attn.add_turn pass {note}
    }
  }
}

// Turns are neither dead nor the same as one before; roles without an effect are gone.
// RUN: attn-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: attn.kernel @roles
// KEPT-COUNT-1: attn.specialize
// KEPT-LABEL: attn.kernel @turns
// KEPT-COUNT-5: attn.turn
// KEPT-LABEL: attn.kernel @add_turns
// KEPT-COUNT-2: attn.add_turn
