// Every constraint of asynchronous products: the type, what is issued, what is waited for.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// !attn.product
//===----------------------------------------------------------------------===//

// expected-error @below {{expected a tile with an #attn.fragment layout, but got 'tensor<64x32xf32>'}}
func.func private @f(!attn.product<tensor<64x32xf32>>)

// -----

// expected-error @below {{expected a tile with an #attn.fragment layout, but got 'tensor<64x32xf32, #attn.shared<128>>'}}
func.func private @f(!attn.product<tensor<64x32xf32, #attn.shared<128>>>)

// -----

// The layout itself is one of this tile.
// expected-error @below {{has 1024 places for 2048 elements}}
// expected-error @below {{failed to parse Attn_ProductType parameter 'tile'}}
func.func private @f(!attn.product<tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>>)

// -----

// expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
// expected-error @below {{failed to parse Attn_ProductType parameter 'tile'}}
func.func private @f(!attn.product<f32>)

// -----

//===----------------------------------------------------------------------===//
// attn.dot.issue: the operands, as those of attn.dot
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op attribute 'stage' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs stage -1 : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected a depth of the first row beside 'diagonal', but got none}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs {diagonal} : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32, #acc>, %n: index) {
  // expected-error @below {{'attn.dot.issue' op expected a left-hand side as it lies beside a depth, but got a transposed one}}
  %d = attn.dot.issue %a, %b, %c transpose_lhs depth %n : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xbf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected operands of one element type, but got 'f16' and 'bf16'}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<32x64xbf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected operands that agree in the summed dimension, but got 64 and 32}}
  %d = attn.dot.issue %a, %b, %c : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected operands that agree in the summed dimension, but got 64 and 32}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<48x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected an accumulator of 64x48, but got 'tensor<64x32xf32, #attn.fragment<}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<48x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#half = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf16, #half>) {
  // expected-error @below {{'attn.dot.issue' op operand #2 must be tile of rank 2 of 32-bit float values, but got 'tensor<64x32xf16, #attn.fragment<}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf16, #half> -> <tensor<64x32xf16, #half>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op operand #0 must be tile of rank 2 of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<64xf16>'}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<?x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op operand #1 must be tile of rank 2 of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<?x64xf16>'}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<?x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.dot.issue: the product
//===----------------------------------------------------------------------===//

// Another layout of the same tile: a product stays in the registers of its accumulator.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#two = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8), 2:(16, 0)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op expected a product like its accumulator, 'tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>>', but got 'tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8), 2:(16, 0)]>>'}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc> -> <tensor<64x32xf32, #two>>
  return
}

// -----

// Accumulators without a layout lie in no registers.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32>) {
  // expected-error @below {{'attn.dot.issue' op expected a product like its accumulator, 'tensor<64x32xf32>', but got 'tensor<64x32xf32, #attn.fragment<}}
  %d = attn.dot.issue %a, %b, %c transpose_rhs : tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32> -> <tensor<64x32xf32, #acc>>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.issue' op result #0 must be product of tiles under way into registers, but got 'tensor<64x32xf32, #attn.fragment<}}
  %d = "attn.dot.issue"(%a, %b, %c) <{transpose_rhs}> : (tensor<64x64xf16>, tensor<32x64xf16>, tensor<64x32xf32, #acc>) -> tensor<64x32xf32, #acc>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.dot.wait
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%p: !attn.product<tensor<64x32xf32, #acc>>) {
  // expected-error @below {{'attn.dot.wait' op expected 0 or more outstanding products, but got -1}}
  %s = attn.dot.wait %p outstanding -1 : <tensor<64x32xf32, #acc>> -> tensor<64x32xf32, #acc>
  return
}

// -----

// The tile is the product's: its layout, its shape, its elements.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%p: !attn.product<tensor<64x32xf32, #acc>>) {
  // expected-error @below {{'attn.dot.wait' op expected the tile of its product, 'tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>>', but got 'tensor<64x32xf32>'}}
  %s = attn.dot.wait %p : <tensor<64x32xf32, #acc>> -> tensor<64x32xf32>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
func.func @f(%p: !attn.product<tensor<64x32xf32, #acc>>) {
  // expected-error-re @below {{'attn.dot.wait' op expected the tile of its product, 'tensor<64x32xf32, {{.*}}', but got 'tensor<64x64xf32, {{.*}}'}}
  %s = attn.dot.wait %p : <tensor<64x32xf32, #acc>> -> tensor<64x64xf32, #wide>
  return
}

// -----

// One value a row is no accumulator, though a product may have its type.
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
func.func @f(%p: !attn.product<tensor<64xf32, #rows>>) {
  // expected-error @below {{'attn.dot.wait' op result #0 must be tile of rank 2 of 32-bit float values, but got 'tensor<64xf32, #attn.fragment<}}
  %s = attn.dot.wait %p : <tensor<64xf32, #rows>> -> tensor<64xf32, #rows>
  return
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error @below {{'attn.dot.wait' op operand #0 must be product of tiles under way into registers, but got 'tensor<64x32xf32, #attn.fragment<}}
  %s = "attn.dot.wait"(%t) <{outstanding = 0 : i64}> : (tensor<64x32xf32, #acc>) -> tensor<64x32xf32, #acc>
  return
}
