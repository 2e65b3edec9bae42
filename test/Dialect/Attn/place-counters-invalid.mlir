// attn-place-counters, and what comes before it.
// RUN: not attn-opt %s --attn-place-counters 2>&1 | FileCheck %s
// Kernels whose counters are no arguments yet are compiled for nothing.
// RUN: not attn-opt %s --attn-lower-to-loops 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-to-target,attn-lower-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn-to-target,attn-lower-to-rocdl)' 2>&1 | FileCheck %s --check-prefix=GPU

#id = affine_map<(d0) -> (d0)>

// Memory that nobody frees is not made.
// CHECK: [[# @LINE + 2]]:3: error: 'attn.launch' op expected tensors, to which workspace for the counters of the kernel can be added, but got memrefs
func.func @f(%x: memref<?xi32>) {
  attn.launch @k outs(%x : memref<?xi32>) views [#id]
  return
}
// CPU: error: 'attn.counter' op expected to be lowered by attn-place-counters first
// GPU: error: 'attn.counter' op expected to be made an argument by attn-place-counters first
attn.kernel @k(%x: !attn.view<?xi32>) {
  %c = attn.counter : !attn.view<1xi32>
  %n = attn.dim %x, 0 : !attn.view<?xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 4 dynamic %c : <1xi32> {
    attn.write %i, %x[%i] : !attn.view<?xi32>
  }
}
