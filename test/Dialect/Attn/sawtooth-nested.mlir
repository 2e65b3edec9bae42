// A stream around another changes direction with it, so that the whole order is reversed; it is no second stream.
//
// RUN: attn-opt %s --attn-schedule='tiles=query=32,key=16 sawtooth=force' | FileCheck %s
// RUN: attn-opt %s --mlir-disable-threading --attn-schedule='tiles=query=32,key=16 sawtooth=auto overrides=l2_effective_bytes=1' --remarks-filter='attn-sawtooth' -o %t 2>&1 | FileCheck %s --check-prefix=AUTO

// CHECK: %[[ODD:.*]] = arith.cmpi eq
// CHECK: attn.stream %{{.*}} step 1 traversal #attn.reversed(%[[ODD]] : i1) over
// CHECK: attn.stream %{{.*}} step 32 traversal #attn.reversed(%[[ODD]] : i1) over
// AUTO-NOT: several
// AUTO: remark: [Passed] sawtooth
func.func @heads(%q: tensor<1x8x?x64xf16>, %k: tensor<1x2x?x64xf16>, %lse: tensor<1x8x?xf32>) -> (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) {
  %dk, %dv = attn.attention_backward_key %q, %k, %k, %q, %lse, %lse scale(0.125)
      : (tensor<1x8x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x8x?x64xf16>, tensor<1x8x?xf32>, tensor<1x8x?xf32>) -> (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>)
  return %dk, %dv : tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>
}
