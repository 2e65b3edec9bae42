// attn-assign-roles: a chain of three products through two rings is a pipeline of three roles, beside the producer.
// RUN: sed 's/STAGES/2/g' %S/../../Target/Inputs/roles.mlir > %t.kernel
// RUN: attn-compile %t.kernel --target=h200 --lower='wgmma=all specialize' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-assign-roles))' -o %t.assigned
// RUN: FileCheck %s --input-file=%t.assigned
// Computed anew, the same.
// RUN: attn-opt %t.assigned --pass-pipeline='builtin.module(attn.kernel(attn-assign-roles))' | diff %t.assigned -
// Of two roles the second does the rest.
// RUN: attn-opt %t.assigned --pass-pipeline='builtin.module(attn.kernel(attn-assign-roles{most=2}))' | FileCheck %s --check-prefix=TWO
// RUN: attn-opt %t.assigned --pass-pipeline='builtin.module(attn.kernel(attn-assign-roles{most=1}))' | diff %t.target -

// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} by(#attn.wgmma)
// CHECK: attn.ring.put
// CHECK: attn.dot.issue {{.*}} stage 1 role 1 by(#attn.wgmma)
// CHECK: attn.ring.put
// CHECK: attn.dot.issue {{.*}} stage 2 role 2 by(#attn.wgmma)
// TWO: attn.dot.issue {{.*}}, %{{[^ ]+}} by(#attn.wgmma)
// TWO: attn.dot.issue {{.*}} stage 1 role 1 by(#attn.wgmma)
// TWO: attn.dot.issue {{.*}} stage 2 role 1 by(#attn.wgmma)

// Each role has its product, the rings that this reads, what is put of it, and nothing else.
// RUN: attn-opt %t.assigned --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles),cse,canonicalize)' | FileCheck %s --check-prefix=SPLIT --implicit-check-not=ub.poison --implicit-check-not=attn.role
// SPLIT: %[[RC:[^ ]+]] = attn.ring.create
// SPLIT: %[[RB:[^ ]+]] = attn.ring.create
// SPLIT: %[[RD:[^ ]+]] = attn.ring.create
// SPLIT: %[[RA:[^ ]+]] = attn.ring.create
// SPLIT: %[[FIRST:[^ ]+]] = attn.ring.create
// SPLIT: %[[SECOND:[^ ]+]] = attn.ring.create
// SPLIT: attn.specialize producer 4 warps(32) {
// SPLIT-NOT: {{attn.dot|attn.ring.(put|wait|release)}}
// SPLIT: } consumers(160) {
// SPLIT: attn.ring.wait %[[RA]]
// SPLIT-NOT: iter_args
// SPLIT: scf.for
// SPLIT-NEXT: attn.ring.wait %[[RB]]
// SPLIT-NEXT: attn.dot.issue
// SPLIT-NEXT: attn.dot.wait
// SPLIT-NEXT: attn.ring.release %[[RB]]
// SPLIT-NEXT: arith.truncf
// SPLIT-NEXT: attn.ring.acquire %[[FIRST]]
// SPLIT-NEXT: attn.ring.put
// SPLIT-NEXT: }
// SPLIT-NEXT: attn.ring.release %[[RA]]
// SPLIT-NEXT: } and {
// SPLIT: scf.for
// SPLIT-NEXT: attn.ring.wait %[[FIRST]]
// SPLIT-NEXT: attn.ring.wait %[[RC]]
// SPLIT-NEXT: attn.dot.issue {{.*}} role 1
// SPLIT-NEXT: attn.dot.wait
// SPLIT-NEXT: attn.ring.release %[[RC]]
// SPLIT-NEXT: attn.ring.release %[[FIRST]]
// SPLIT-NEXT: arith.truncf
// SPLIT-NEXT: attn.ring.acquire %[[SECOND]]
// SPLIT-NEXT: attn.ring.put
// SPLIT-NEXT: }
// SPLIT-NEXT: }, {
// SPLIT: attn.ring.wait %[[RD]]
// SPLIT: scf.for {{.*}} iter_args
// SPLIT-NEXT: attn.ring.wait %[[SECOND]]
// SPLIT-NEXT: attn.dot.issue {{.*}} role 2
// SPLIT-NEXT: attn.dot.wait
// SPLIT-NEXT: attn.ring.release %[[SECOND]]
// SPLIT-NEXT: scf.yield
// SPLIT-NEXT: }
// SPLIT-NEXT: attn.store
// SPLIT-NEXT: attn.ring.release %[[RD]]
// SPLIT-NEXT: }
