// convert-attn-to-nvvm: parts of a stream, of which the last does what the others leave to it.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not='attn.{{[a-z]+}}_part'
// The same for the other target of this family.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not='attn.{{[a-z]+}}_part'

// The first thread sets the low bit of the part, and keeps what the word held, with it.
// CHECK-LABEL: llvm.func @parts
// CHECK-SAME: shared_bytes = 8 : i64
// CHECK-DAG: %[[FIELDS:[^ ]+]] = arith.constant 4611686018427387903 : i64
// CHECK-DAG: %[[AGAIN:[^ ]+]] = arith.constant 4611686018427387904 : i64
// CHECK-DAG: %[[LOWS:[^ ]+]] = arith.constant 85 : i64
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant 1 : i64
// CHECK: %[[BEGUN:[^ ]+]] = scf.if %{{[^ ]+}} -> (i64) {
// CHECK: %[[LOW:[^ ]+]] = arith.shli %[[ONE]], %{{[^ ]+}} : i64
// CHECK: %[[HELD:[^ ]+]] = llvm.inline_asm has_side_effects asm_dialect = att "atom.relaxed.gpu.global.or.b64 $0, [$1], $2;", "=l,l,l,~{memory}" %{{[^ ]+}}, %[[LOW]]
// CHECK: %[[OWN:[^ ]+]] = arith.andi %[[HELD]], %[[FIELDS]] : i64
// CHECK: arith.ori %[[OWN]], %[[LOW]] : i64
// CHECK: scf.while (%[[BEFORE:[^ ]+]] = %[[BEGUN]]) : (i64) -> i64 {
// All threads have stored before the first changes both bits of the part, or looks once more.
// CHECK: gpu.barrier
// CHECK: %[[SEEN:[^ ]+]] = scf.if
// CHECK: %[[SETTLED:[^ ]+]] = arith.cmpi slt, %[[BEFORE]], %c0_i64 : i64
// CHECK: %[[OTHERS:[^ ]+]] = arith.xori %{{[^ ]+}}, %[[LOWS]] : i64
// CHECK: %[[CHANGES:[^ ]+]] = arith.select %{{[^ ]+}}, %{{[^ ]+}}, %[[AGAIN]] : i64
// CHECK: %[[HELD:[^ ]+]] = llvm.inline_asm has_side_effects asm_dialect = att "atom.acq_rel.gpu.global.xor.b64 $0, [$1], $2;", "=l,l,l,~{memory}" %{{[^ ]+}}, %[[CHANGES]]
// CHECK: arith.andi %[[HELD]], %[[OTHERS]] : i64
// The others hear of it.
// CHECK: llvm.store %{{[^ ]+}}, %[[PLACE:[^ ]+]] {alignment = 8 : i64} : i64, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: %[[ALL:[^ ]+]] = llvm.load %[[PLACE]] {alignment = 8 : i64} : !llvm.ptr<3> -> i64
// CHECK: %[[FLAG:[^ ]+]] = arith.andi %[[ALL]], %[[AGAIN]] : i64
// CHECK: %[[RUNS:[^ ]+]] = arith.cmpi ne, %[[FLAG]], %c0_i64 : i64
// CHECK: scf.condition(%[[RUNS]]) %[[ALL]] : i64
// CHECK: } do {
// CHECK: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: scf.yield %{{[^ ]+}} : i64
attn.kernel @parts(%o: !attn.view<?xi32>, %words: !attn.view<?xi64>) attributes {threads = 128 : i64, outputs = 2 : i64} {
  %c4 = arith.constant 4 : index
  %n = attn.dim %o, 0 : !attn.view<?xi32>
  %count = arith.muli %n, %c4 : index
  attn.ctas %cta in %count {
    %part = arith.remui %cta, %c4 : index
    %row = arith.divui %cta, %c4 : index
    %begun = attn.begin_part %part of 4 at %words[%row] : !attn.view<?xi64>
    attn.last_part %begun {
      attn.write %row, %o[%row] : !attn.view<?xi32>
    }
  }
}
