// attn-traverse: what it refuses, and where it has nothing to do.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=rotated}))' --remarks-filter='attn.*' 2>&1 >/dev/null | FileCheck %s
// RUN: not attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=rotated stride=-1}))' 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=rotated shift=16777217}))' 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: not attn-opt %s --attn-schedule='traversal=sideways' 2>&1 | FileCheck %s --check-prefix=WORD

// STRIDE: error: expected 0 to 16777216 tiles for 'stride', but got -1
// SHIFT: error: expected 0 to 16777216 tiles for 'shift', but got 16777217
// WORD: sideways

// CHECK: remark: [Missed] no-grid | Category:attn-traverse | Function=no_grid
attn.kernel @no_grid(%n: index) {
}

// CHECK: remark: [Missed] no-stream | Category:attn-traverse | Function=no_stream | Remark="nothing is streamed"
attn.kernel @no_stream(%n: index) {
  attn.grid (%i) visit %v in (a = %n) {
  }
}
