// RUN: attn-opt %s --attn-expand | FileCheck %s
// RUN: attn-opt %s | attn-opt | FileCheck %s --check-prefix=TEXT
// RUN: attn-opt %examples/backward.mlir --attn-expand=form=fused --remarks-filter='attn-expand' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: remark: [Passed] expand | Category:attn-expand | Remark="a program in the form that was asked for:", form=fused, form-from=option

// CHECK-LABEL: func.func @causal
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x?x64xbf16>, %[[K:.*]]: tensor<?x2x?x64xbf16>, %[[V:.*]]: tensor<?x2x?x32xbf16>, %[[O:.*]]: tensor<?x4x?x32xf32>, %[[DO:.*]]: tensor<?x4x?x32xbf16>, %[[LSE:.*]]: tensor<?x4x?xf32>
// CHECK-NEXT: %[[DELTA:.*]] = attn.row_dot %[[O]], %[[DO]] : (tensor<?x4x?x32xf32>, tensor<?x4x?x32xbf16>) -> tensor<?x4x?xf32>
// CHECK-NEXT: %[[DQ:.*]] = attn.attention_backward_query %[[Q]], %[[K]], %[[V]], %[[DO]], %[[LSE]], %[[DELTA]] mask(#attn.causal<bottom_right>) scale(1.250000e-01) : {{.*}} -> tensor<?x4x?x64xbf16>
// CHECK-NEXT: %[[DK:.*]], %[[DV:.*]] = attn.attention_backward_key %[[Q]], %[[K]], %[[V]], %[[DO]], %[[LSE]], %[[DELTA]] mask(#attn.causal<bottom_right>) scale(1.250000e-01) : {{.*}} -> (tensor<?x2x?x64xf32>, tensor<?x2x?x32xbf16>)
// CHECK-NEXT: return %[[DQ]], %[[DK]], %[[DV]]
// TEXT-LABEL: func.func @causal
// TEXT: attn.attention_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} mask(#attn.causal<bottom_right>) scale(1.250000e-01) : (
func.func @causal(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x32xbf16>,
    %o: tensor<?x4x?x32xf32>, %do: tensor<?x4x?x32xbf16>, %lse: tensor<?x4x?xf32>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xbf16>) {
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse mask(#attn.causal<bottom_right>) scale(0.125)
      : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x32xbf16>, tensor<?x4x?x32xf32>, tensor<?x4x?x32xbf16>, tensor<?x4x?xf32>)
      -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xbf16>)
  return %dq, %dk, %dv : tensor<?x4x?x64xbf16>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xbf16>
}

// Regions and captures go to both.
// CHECK-LABEL: func.func @regions
// CHECK: attn.row_dot {{.*}} layout(bshd)
// CHECK: attn.attention_backward_query {{.*}} scale(1.250000e-01) layout(bshd) captures(%[[CAP:.*]]) score(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: f32) {
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: attn.yield
// CHECK-NEXT: } keep(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: f32) {
// CHECK: attn.attention_backward_key {{.*}} captures(%[[CAP]]) score(
// CHECK: keep(
// TEXT-LABEL: func.func @regions
// TEXT: attn.attention_backward {{.*}} layout(bshd) captures(%{{.*}}) score(
func.func @regions(%q: tensor<1x8x2x16xf16>, %lse: tensor<1x2x8xf32>, %c: f32) -> tensor<1x8x2x16xf16> {
  %dq, %dk, %dv = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.125) layout(bshd) captures(%c)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: f32) {
    %y = arith.mulf %s, %x : f32
    attn.yield %y : f32
  } keep(%b: index, %h: index, %i: index, %j: index, %x: f32) {
    %k = arith.cmpi ne, %i, %j : index
    attn.yield %k : i1
  } : (tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>, tensor<1x2x8xf32>, f32)
      -> (tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>)
  return %dq : tensor<1x8x2x16xf16>
}

// What is streamable already stays as it is.
// CHECK-LABEL: func.func @streamable
// CHECK-NEXT: attn.matmul
func.func @streamable(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>) -> tensor<4x4xf32> {
  %c = attn.matmul %a, %b : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// The fused form, by the schedule of the operation, or by the option (FORM): the rows' dots with zeros, which the key
// kernel adds to, and the sum with the scale.
// RUN: attn-opt %s --attn-expand=form=fused | FileCheck %s --check-prefix=FORM
// FORM-LABEL: func.func @causal
// FORM: attn.attention_backward_fused
// CHECK-LABEL: func.func @fused
// CHECK-SAME: %[[Q:.*]]: tensor<?x?x4x64xbf16>, %[[LSE:.*]]: tensor<?x4x?xf32>
// CHECK-NEXT: %[[DELTA:.*]], %[[ZEROS:.*]] = attn.row_dot %[[Q]], %[[Q]] layout(bshd) : {{.*}} -> (tensor<?x4x?xf32>, tensor<1x?x4x?x64xf32>)
// CHECK-NEXT: %[[DK:.*]], %[[DV:.*]], %[[SUM:.*]] = attn.attention_backward_fused %[[Q]], %[[Q]], %[[Q]], %[[Q]], %[[LSE]], %[[DELTA]], %[[ZEROS]] scale(1.250000e-01) layout(bshd)
// CHECK-NEXT: %[[DQ:.*]] = attn.sum_parts %[[SUM]] scale(1.250000e-01) layout(bshd) : tensor<1x?x4x?x64xf32> -> tensor<?x?x4x64xbf16>
// CHECK-NEXT: return %[[DQ]], %[[DK]], %[[DV]]
// TEXT-LABEL: func.func @fused
// TEXT: {attn.schedule = #attn.schedule<form = fused>}
func.func @fused(%q: tensor<?x?x4x64xbf16>, %lse: tensor<?x4x?xf32>) -> (tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>) {
  %dq, %dk, %dv = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.125) layout(bshd) {attn.schedule = #attn.schedule<form = fused>}
      : (tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x4x?xf32>)
      -> (tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>)
  return %dq, %dk, %dv : tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x64xbf16>
}

// A gradient of LSE is taken from the rows' dots, in either form; gradients of captures are operations of their own.
// CHECK-LABEL: func.func @captures
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x?x64xbf16>, %[[LSE:.*]]: tensor<?x4x?xf32>, %[[DLSE:.*]]: tensor<?x4x?xf32>, %[[BIAS:.*]]: tensor<1x4x?x?xbf16>
// CHECK-NEXT: %[[DELTA:.*]] = attn.row_dot %[[Q]], %[[Q]] minus(%[[DLSE]]) : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
// CHECK: attn.attention_backward_query
// CHECK: attn.attention_backward_key
// CHECK: %[[FIRST:.*]] = attn.attention_backward_capture %[[Q]], %[[Q]], %[[Q]], %[[Q]], %[[LSE]], %[[DELTA]] scale(1.250000e-01) captures(%[[BIAS]]) of(0) score(
// CHECK: -> tensor<1x4x?x?xbf16>
// CHECK: %[[SECOND:.*]] = attn.attention_backward_capture {{.*}} of(0) score(
// CHECK: -> tensor<?x4x?xf32>
// CHECK: return %{{.*}}, %[[FIRST]], %[[SECOND]]
// FORM-LABEL: func.func @captures
// FORM: %[[DELTA:.*]], %{{.*}} = attn.row_dot {{.*}} minus(
// FORM: attn.attention_backward_fused
// FORM: attn.attention_backward_capture {{.*}}, %[[DELTA]]
// TEXT-LABEL: func.func @captures
// TEXT: attn.attention_backward {{.*}} lse_gradient(%{{.*}}) scale(1.250000e-01) captures(%{{.*}}) of([0, 0]) score(
func.func @captures(%q: tensor<?x4x?x64xbf16>, %lse: tensor<?x4x?xf32>, %dlse: tensor<?x4x?xf32>, %bias: tensor<1x4x?x?xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<1x4x?x?xbf16>, tensor<?x4x?xf32>) {
  %r:5 = attn.attention_backward %q, %q, %q, %q, %q, %lse lse_gradient(%dlse) scale(0.125) captures(%bias) of([0, 0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x4x?x?xbf16>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%zero, %h, %i, %j] : tensor<1x4x?x?xbf16> -> bf16
    %wide = arith.extf %x : bf16 to f32
    %y = arith.addf %s, %wide : f32
    attn.yield %y : f32
  } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>, tensor<?x4x?xf32>, tensor<1x4x?x?xbf16>)
      -> (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<1x4x?x?xbf16>, tensor<?x4x?xf32>)
  return %r#0, %r#3, %r#4 : tensor<?x4x?x64xbf16>, tensor<1x4x?x?xbf16>, tensor<?x4x?xf32>
}
