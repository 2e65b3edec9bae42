// Operations of other dialects that say that they are attention.

// RUN: attn-test-opt %s --attn-raise | FileCheck %s
// RUN: attn-test-opt %s --attn-raise --remarks-filter='attn.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @plain
// CHECK: %[[O:.*]] = attn.attention %arg0, %arg1, %arg2 scale(1.250000e-01) : (tensor<2x4x?x64xf32>
// CHECK: return %[[O]]
// REMARK: [Passed] taken {{.*}} operation=attn_test.attend
func.func @plain(%q: tensor<2x4x?x64xf32>, %k: tensor<2x2x?x64xf32>, %v: tensor<2x2x?x64xf32>) -> tensor<2x4x?x64xf32> {
  %o = attn_test.attend %q, %k, %v {scale = 0.125 : f32} : (tensor<2x4x?x64xf32>, tensor<2x2x?x64xf32>, tensor<2x2x?x64xf32>) -> tensor<2x4x?x64xf32>
  return %o : tensor<2x4x?x64xf32>
}

// CHECK-LABEL: func.func @causal
// CHECK: attn.attention %arg0, %arg1, %arg2 mask(#attn.causal<top_left>) scale(5.000000e-01) layout(bshd)
func.func @causal(%q: tensor<2x8x4x64xf16>, %k: tensor<2x8x4x64xf16>, %v: tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16> {
  %o = attn_test.attend %q, %k, %v {scale = 0.5 : f32, causal, sequence_first} : (tensor<2x8x4x64xf16>, tensor<2x8x4x64xf16>, tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16>
  return %o : tensor<2x8x4x64xf16>
}

// CHECK-LABEL: func.func @external_model
// CHECK: attn.attention %arg0, %arg1, %arg2 scale(1.000000e+00) lengths(%arg3 : tensor<2xi32>)
// REMARK: [Passed] taken {{.*}} operation=attn_test.foreign_attend
func.func @external_model(%q: tensor<2x4x8x64xf32>, %k: tensor<2x4x8x64xf32>, %v: tensor<2x4x8x64xf32>, %n: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %o = attn_test.foreign_attend %q, %k, %v, %n : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2xi32>) -> tensor<2x4x8x64xf32>
  return %o : tensor<2x4x8x64xf32>
}

// It does not say so after all, or what it says is no attn.attention: it stays.

// CHECK-LABEL: func.func @secret
// CHECK: attn_test.attend
func.func @secret(%q: tensor<2x4x8x64xf32>, %k: tensor<2x4x8x64xf32>, %v: tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32> {
  %o = attn_test.attend %q, %k, %v {scale = 0.125 : f32, secret} : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  return %o : tensor<2x4x8x64xf32>
}

// CHECK-LABEL: func.func @head_of_12
// CHECK: attn_test.attend
// REMARK: [Missed] operands {{.*}}Function=head_of_12 {{.*}}at=attn_test.attend, found="a description that is no valid attn.attention"
func.func @head_of_12(%q: tensor<2x4x8x12xf32>, %k: tensor<2x4x8x12xf32>, %v: tensor<2x4x8x12xf32>) -> tensor<2x4x8x12xf32> {
  %o = attn_test.attend %q, %k, %v {scale = 0.125 : f32} : (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>) -> tensor<2x4x8x12xf32>
  return %o : tensor<2x4x8x12xf32>
}
