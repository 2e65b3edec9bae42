// Of queries that see a block of keys, under a causal mask, there are more the earlier the keys are: the longest come
// first without reversing the blocks. Of keys that a block of queries sees there are more the later the queries are.
//
// RUN: attn-opt %s --attn-schedule='target=mi300x tiles=query=32,key=32 grid-order=swizzled-head-first longest-first' | FileCheck %s

// CHECK-LABEL: attn.kernel @causal_attention_backward_query
// CHECK: attn.grid {{.*}} order <[sharing, group, query], domains = 8, reversed = [query]>
// CHECK-LABEL: attn.kernel @causal_attention_backward_key
// CHECK: attn.grid {{.*}} order <[sharing, key], domains = 8>
func.func @causal(%q: tensor<1x4x?x64xbf16>, %k: tensor<1x2x?x64xbf16>, %lse: tensor<1x4x?xf32>) -> (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>) {
  %dq = attn.attention_backward_query %q, %k, %k, %q, %lse, %lse mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x4x?x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x?xf32>) -> tensor<1x4x?x64xbf16>
  %dk, %dv = attn.attention_backward_key %q, %k, %k, %q, %lse, %lse mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x4x?x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x?xf32>) -> (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>)
  return %dq, %dk, %dv : tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>
}
