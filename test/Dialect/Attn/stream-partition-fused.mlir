// Results that tiles of the grid add to: each tile of the stream adds its contribution to the view, which the launch
// gets for the operand that is added to.
//
// RUN: attn-opt %s --attn-stream-partition=tiles=query=32,key=16 | FileCheck %s

// CHECK-LABEL: func.func @fused
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<1x1x2x?x64xf32>
// CHECK: %[[R:.*]]:3 = attn.launch @fused_attention_backward_fused ins({{.*}}) outs(%{{.*}}, %{{.*}}, %[[SUM]] :
// CHECK: return %[[R]]#2
// CHECK-LABEL: attn.kernel @fused_attention_backward_fused(%q:
// CHECK-SAME: %dk: !attn.view<1x2x?x64xbf16>, %dv: !attn.view<1x2x?x64xbf16>, %dq_sum: !attn.view<1x1x2x?x64xf32>)
// CHECK: attn.stream %[[POS:.*]] step 32
// CHECK: %[[DQ:.*]] = attn.dot %{{.*}}, %{{.*}}, %{{.*}} transpose_lhs : tensor<16x32xbf16>, tensor<16x64xbf16> into tensor<32x64xf32>
// CHECK: attn.accumulate %[[DQ]], %dq_sum[%c0, %{{.*}}, %{{.*}}, %[[POS]], %c0] atomic
// CHECK-NEXT: attn.yield
// CHECK: attn.store {{.*}}, %dk[
// CHECK: attn.store {{.*}}, %dv[
// CHECK-NEXT: }
func.func @fused(%q: tensor<1x2x?x64xbf16>, %lse: tensor<1x2x?xf32>, %sum: tensor<1x1x2x?x64xf32>) -> tensor<1x1x2x?x64xf32> {
  %dk, %dv, %dq = attn.attention_backward_fused %q, %q, %q, %q, %lse, %lse, %sum scale(0.125)
      : (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>, tensor<1x2x?xf32>, tensor<1x1x2x?x64xf32>)
      -> (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x1x2x?x64xf32>)
  return %dq : tensor<1x1x2x?x64xf32>
}

// Rows of zeros beside their dots.
// CHECK-LABEL: attn.kernel @zeros_row_dot
// CHECK: attn.store {{.*}}, %dots[
// CHECK: attn.store %{{.*}}, %zeros[%c0, %{{.*}}, %{{.*}}, %{{.*}}, %c0] : tensor<32x16xf32>
func.func @zeros(%o: tensor<1x2x?x64xbf16>) -> (tensor<1x2x?xf32>, tensor<1x1x2x?x16xf32>) {
  %r, %z = attn.row_dot %o, %o : (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>) -> (tensor<1x2x?xf32>, tensor<1x1x2x?x16xf32>)
  return %r, %z : tensor<1x2x?xf32>, tensor<1x1x2x?x16xf32>
}
