// attn.attention of FP8: types, scales, V by columns; what its fold is made of.
// RUN: attn-opt %s | attn-opt | FileCheck %s --check-prefix=ROUND
// RUN: attn-opt %s --attn-stream-partition=tiles=query=64,key=64 | FileCheck %s

// ROUND-LABEL: func.func @scaled
// ROUND: attn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) values(interleaved) q_scale(%{{.*}} : tensor<?x2xf32>) k_scale(%{{.*}} : tensor<1x1xf32>) v_scale(%{{.*}} : tensor<1x2xf32>) :

// The factor is what rows hold, which a loop need not carry; a weight is 2^8 times that of bf16.
// CHECK-LABEL: attn.kernel @scaled_attention
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant dense<8.000000e+00> : tensor<64xf32>
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 1.262177{{.*}}E-29 : f32
// CHECK: %[[Q:.*]] = attn.gather %q_scale[%batch, %kv_head] : !attn.view<?x2xf32> -> f32
// CHECK: %[[K:.*]] = attn.gather %k_scale[%c0, %c0] : !attn.view<1x1xf32> -> f32
// CHECK: arith.maximumf %{{.*}}, %[[LEAST]]
// CHECK: %[[FACTOR:.*]] = tensor.splat
// CHECK: attn.stream {{.*}} carry (%[[CARRIED:.*]] = %[[FACTOR]],
// CHECK: attn.load %v[%batch, %kv_head, %c0, %pos] : <?x2x64x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
// CHECK: %{{.*}}, %[[REFERENCE:.*]], %{{.*}} = attn.advance {{.*}} scale(1.000000e+00) steady
// CHECK: arith.subf %[[REFERENCE]], %[[EIGHT]]
// CHECK: %[[P:.*]] = math.exp2
// CHECK: attn.reduce sum %[[P]]
// CHECK: %[[ORDERED:.*]] = attn.interleave %[[P]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[ORDERED]] : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
// CHECK: attn.dot %[[NARROW]], %{{.*}} transpose_rhs
// CHECK: attn.yield %[[CARRIED]],
// CHECK: attn.gather %v_scale[%c0, %kv_head]
func.func @scaled(%q: tensor<?x4x?x64xf8E4M3FN>, %k: tensor<?x2x?x64xf8E4M3FN>, %v: tensor<?x2x64x?xf8E4M3FN>,
                  %qs: tensor<?x2xf32>, %ks: tensor<1x1xf32>, %vs: tensor<1x2xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) values(interleaved)
      q_scale(%qs : tensor<?x2xf32>) k_scale(%ks : tensor<1x1xf32>) v_scale(%vs : tensor<1x2xf32>)
      : (tensor<?x4x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x64x?xf8E4M3FN>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %o, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Without scales of Q and K the factor is static; of e5m2 weights are 2^15 times larger.
// CHECK-LABEL: attn.kernel @static_attention
// CHECK: arith.constant dense<1.500000e+01> : tensor<64xf32>
// CHECK: attn.advance {{.*}} scale(1.250000e-01) : tensor<64xf32>
// CHECK-NOT: attn.interleave
// CHECK: arith.truncf %{{.*}} : tensor<64x64xf32> to tensor<64x64xf8E5M2>
func.func @static(%q: tensor<2x4x40x64xf8E5M2>, %k: tensor<2x2x50x64xf8E5M2>, %v: tensor<2x2x50x64xf8E5M2>) -> tensor<2x4x40x64xf32> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x40x64xf8E5M2>, tensor<2x2x50x64xf8E5M2>, tensor<2x2x50x64xf8E5M2>) -> tensor<2x4x40x64xf32>
  return %o : tensor<2x4x40x64xf32>
}
