// Several operations, in one function and in two: each kernel is compared with its own reference,
// and each function with its level-1 form.
// RUN: attn-compile %s --run --size=batch=2,query=40,key=50 | FileCheck %s

// CHECK: kernel @a_attention: {{.*}}: PASS
// CHECK: kernel @a_attention_0: {{.*}}: PASS
// CHECK: kernel @b_attention: {{.*}}: PASS
// CHECK: function @a: row-wise relative error against float64: {{.*}}: PASS
// CHECK: function @b: row-wise relative error against float64: {{.*}}: PASS

func.func @a(%q: tensor<?x2x?x64xf32>, %k: tensor<?x2x?x64xf32>) -> (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) {
  %o = attn.attention %q, %k, %k scale(0.1) : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  %p = attn.attention %o, %k, %k mask(#attn.causal<top_left>) scale(0.5) : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  return %o, %p : tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>
}
func.func @b(%q: tensor<?x2x?x32xf32>, %k: tensor<?x2x?x32xf32>) -> tensor<?x2x?x32xf32> {
  %o = attn.attention %q, %k, %k scale(0.1) : (tensor<?x2x?x32xf32>, tensor<?x2x?x32xf32>, tensor<?x2x?x32xf32>) -> tensor<?x2x?x32xf32>
  return %o : tensor<?x2x?x32xf32>
}
