// RUN: attn-opt %s --attn-stream-partition='tiles=query=32,key=64' | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition='tiles=query=32,key=64' | attn-opt | FileCheck %s

// The gradient of a bias that heads share: a tile of queries and keys is one CTA's, which streams the heads of a KV head
// in the loop over these, so that sums have one order. What is loaded lies in the inner loop.
// CHECK-LABEL: attn.kernel @bias_attention_backward_capture
// CHECK-SAME: dcapture
// CHECK: attn.grid (%batch, %query, %key)
// CHECK: attn.stream %{{.*}} step 1 over [masked
// CHECK: attn.stream %{{.*}} step 1 over [masked
// CHECK-COUNT-6: attn.load
// CHECK: attn.gather
// CHECK: attn.yield
// CHECK: attn.store %{{.*}} : tensor<32x64xbf16>
func.func @bias(%q: tensor<2x4x128x64xbf16>, %k: tensor<2x2x128x64xbf16>, %lse: tensor<2x4x128xf32>, %bias: tensor<2x1x128x128xbf16>) -> tensor<2x1x128x128xbf16> {
  %r = attn.attention_backward_capture %q, %k, %k, %q, %lse, %lse scale(0.125) captures(%bias) of(0)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<2x1x128x128xbf16>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<2x1x128x128xbf16> -> bf16
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %s, %wide : f32
    %y = math.tanh %sum : f32
    attn.yield %y : f32
  } : (tensor<2x4x128x64xbf16>, tensor<2x2x128x64xbf16>, tensor<2x2x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<2x1x128x128xbf16>) -> tensor<2x1x128x128xbf16>
  return %r : tensor<2x1x128x128xbf16>
}

// A slope of each head: queries are grouped, keys streamed for one batch after the other, and sums are one a query.
// CHECK-LABEL: attn.kernel @slopes_attention_backward_capture
// CHECK: attn.grid (%kv_head, %group, %query)
// CHECK: attn.stream {{.*}} step 1
// CHECK: attn.stream {{.*}} step 64
// CHECK: attn.reduce sum
// CHECK: attn.store %{{.*}} : tensor<32xf32>
func.func @slopes(%q: tensor<2x4x128x64xbf16>, %k: tensor<2x2x128x64xbf16>, %lse: tensor<2x4x128xf32>, %slopes: tensor<4xf32>) -> tensor<1x4x128xf32> {
  %r = attn.attention_backward_capture %q, %k, %k, %q, %lse, %lse mask(#attn.causal<bottom_right>) scale(0.125) captures(%slopes) of(0)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<4xf32>) {
    %x = attn.gather %t[%h] : tensor<4xf32> -> f32
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %y = math.fma %x, %f, %s : f32
    attn.yield %y : f32
  } : (tensor<2x4x128x64xbf16>, tensor<2x2x128x64xbf16>, tensor<2x2x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<4xf32>) -> tensor<1x4x128xf32>
  return %r : tensor<1x4x128xf32>
}
