// attn-plan-overlap: marks of a stream and of its operations, which its loops have too.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap))' -o %t.planned
// RUN: FileCheck %s --input-file=%t.planned
// RUN: attn-opt %t.planned --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=LOOPS
// What rotated them takes the marks away.
// RUN: attn-opt %t.planned --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax))' | FileCheck %s --check-prefix=ROTATED
// Whoever does not ask for it gets none.
// RUN: sed 's/ overlap,//' %t.target | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap))' | FileCheck %s --check-prefix=ROTATED

// CHECK: attn.stream
// CHECK-SAME: attributes {attn.overlap = "own"}
// CHECK: attn.dot.issue {{.*}} {attn.part = "scores"}
// CHECK: attn.dot.wait {{.*}} {attn.part = "scores"}
// CHECK: attn.ring.release {{.*}} {attn.part = "pin"}
// CHECK: attn.advance {{.*}} {attn.part = "pin"}
// CHECK: arith.mulf {{.*}} {attn.part = "late"}
// CHECK: arith.truncf {{.*}} {attn.part = "late"}
// CHECK: attn.ring.wait {{.*}} {attn.part = "values"}
// CHECK: attn.dot.issue {{.*}} stage 1 {{.*}} {attn.part = "values"}
// CHECK: attn.dot.wait {{.*}} {attn.part = "values"}
// CHECK: attn.ring.release {{.*}} {attn.part = "values"}

// Without a mask and with one.
// LOOPS: } consumers(
// LOOPS-COUNT-2: } {attn.overlap = "own"}
// LOOPS-NOT: attn.overlap

// ROTATED-NOT: {{attn.overlap|attn.part}}
