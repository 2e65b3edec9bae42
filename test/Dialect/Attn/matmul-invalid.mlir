// Every constraint of attn.matmul.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<4x8x16xf32>, %b: tensor<16x8xf32>) {
  // expected-error @below {{lhs expects rank 2, but got 'tensor<4x8x16xf32>'}}
  %c = attn.matmul %a, %b : (tensor<4x8x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{rhs expects rank 2, but got 'tensor<16xf32>'}}
  %c = attn.matmul %a, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) {
  // expected-error @below {{result expects rank 2, but got 'tensor<f32>'}}
  %c = attn.matmul %a, %b : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf16>, %b: tensor<16x8xbf16>) {
  // expected-error @below {{rhs expects the element type of lhs, 'f16', but got 'bf16'}}
  %c = attn.matmul %a, %b : (tensor<4x16xf16>, tensor<16x8xbf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x16xi8>, %b: tensor<16x8xi8>) {
  // expected-error @below {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<4x16xi8>'}}
  %c = attn.matmul %a, %b : (tensor<4x16xi8>, tensor<16x8xi8>) -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) {
  // expected-error @below {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<4x8xf64>'}}
  %c = attn.matmul %a, %b : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

func.func @f(%a: memref<4x16xf32>, %b: tensor<16x8xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'memref<4x16xf32>'}}
  %c = attn.matmul %a, %b : (memref<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<?x16xf32>, %b: tensor<8x?xf32>) {
  // expected-error @below {{rhs expects 16 rows, as lhs has columns, but got 8}}
  %c = attn.matmul %a, %b : (tensor<?x16xf32>, tensor<8x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) {
  // expected-error @below {{result expects the rows of lhs and the columns of rhs, 4x8, but got 'tensor<5x8xf32>'}}
  %c = attn.matmul %a, %b : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// Each side is compared by itself: a dynamic row count hides no wrong column.
func.func @f(%a: tensor<4x?xf32>, %b: tensor<?x8xf32>) {
  // expected-error @below {{result expects the rows of lhs and the columns of rhs, 4x8, but got 'tensor<?x4xf32>'}}
  %c = attn.matmul %a, %b : (tensor<4x?xf32>, tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x16xf32>) {
  // expected-error @below {{expected ','}}
  %c = attn.matmul %a : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}
