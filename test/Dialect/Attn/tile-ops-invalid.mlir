// Every constraint of the tile operations: load, store, touch, dot, reduce,
// broadcast, iota, mask, any, and of attn.dim.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// attn.load and attn.store
//===----------------------------------------------------------------------===//

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected 2 offsets, one for each dimension of '!attn.view<?x64xf32>', but got 1}}
  %t = attn.load %v[%i] : <?x64xf32> -> tensor<16x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected 2 offsets, one for each dimension of '!attn.view<?x64xf32>', but got 0}}
  %t = attn.load %v[] : <?x64xf32> -> tensor<64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to 2, but got rank 3}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<1x16x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to 2, but got rank 0}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<f32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf16>, %i: index) {
  // expected-error @below {{expected a tile of 'f16' as the view has, but got 'tensor<16x64xf32>'}}
  %t = attn.load %v[%i, %i] : <?x64xf16> -> tensor<16x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{result #0 must be tile of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<?x64xf32>'}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{result #0 must be tile of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<16x64xi32>'}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xi32>
}

// -----

// expected-note @below {{prior use here}}
attn.kernel @k(%v: !attn.view<?x64xf32>, %i: i64) {
  // expected-error @below {{use of value '%i' expects different type than prior uses: 'index' vs 'i64'}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
}

// -----

func.func @f(%m: memref<?x64xf32>, %i: index) {
  // expected-error-re @below {{operand #0 must be {{.*}}, but got 'memref<?x64xf32>'}}
  %t = "attn.load"(%m, %i, %i) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (memref<?x64xf32>, index, index) -> tensor<16x64xf32>
  return
}

// -----

attn.kernel @k(%v: !attn.view<?x8x64xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error @below {{expected 3 offsets, one for each dimension of '!attn.view<?x8x64xf32>', but got 2}}
  attn.store %t, %v[%i, %i] : tensor<16x64xf32> -> <?x8x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error @below {{expected a tile of rank 1 to 1, but got rank 2}}
  attn.store %t, %v[%i] : tensor<16x64xf32> -> <?xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?xbf16>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @below {{expected a tile of 'bf16' as the view has, but got 'tensor<64xf32>'}}
  attn.store %t, %v[%i] : tensor<64xf32> -> <?xbf16>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected tile sizes of at least 1, but got 0}}
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<0x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<16x0xf32>
  // expected-error @below {{expected tile sizes of at least 1, but got 0}}
  attn.store %t, %v[%i, %i] : tensor<16x0xf32> -> <?x64xf32>
}

// -----

// The tensor memory accelerator reads shared memory.
attn.kernel @k(%v: !attn.view<?x64xf16>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16>
  // expected-error @below {{'attn.store' op expected `through` a tile in shared memory for `by_tensor_map`, but got none}}
  attn.store %t, %v[%i, %i] by_tensor_map : tensor<16x64xf16> -> <?x64xf16>
}

// -----

//===----------------------------------------------------------------------===//
// attn.touch
//===----------------------------------------------------------------------===//

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected tile sizes of at least 1}}
  attn.touch load %v[%i, %i] tile [16, 0] by %i : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected tile sizes of at least 1}}
  attn.touch load %v[%i, %i] tile [-16, 64] by %i : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected 2 offsets, one for each dimension of '!attn.view<?x64xf32>', but got 3}}
  attn.touch store %v[%i, %i, %i] tile [16, 64] by %i : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to 2, but got rank 3}}
  attn.touch store %v[%i, %i] tile [1, 16, 64] by %i : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to 2, but got rank 0}}
  attn.touch store %v[%i, %i] tile [] by %i : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  // expected-error @below {{one of the following enum values for attribute 'kind' [load, store]}}
  attn.touch prefetch %v[%i, %i] tile [16, 64] by %i : <?x64xf32>
}

// -----

//===----------------------------------------------------------------------===//
// attn.dot
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<16x64xf16>, %b: tensor<64x32xbf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' and 'bf16'}}
  %d = attn.dot %a, %b, %c : tensor<16x64xf16>, tensor<64x32xbf16> into tensor<16x32xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf16>, %b: tensor<32x64xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{expected operands that agree in the summed dimension, but got 64 and 32}}
  %d = attn.dot %a, %b, %c : tensor<16x64xf16>, tensor<32x64xf16> into tensor<16x32xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{expected operands that agree in the summed dimension, but got 64 and 32}}
  %d = attn.dot %a, %b, %c transpose_rhs
      : tensor<16x64xf16>, tensor<64x32xf16> into tensor<16x32xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %c: tensor<8x32xf32>) {
  // expected-error @below {{expected an accumulator of 16x32, but got 'tensor<8x32xf32>'}}
  %d = attn.dot %a, %b, %c : tensor<16x64xf16>, tensor<64x32xf16> into tensor<8x32xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf16>, %b: tensor<32x64xf16>, %c: tensor<16x64xf32>) {
  // expected-error @below {{expected an accumulator of 16x32, but got 'tensor<16x64xf32>'}}
  %d = attn.dot %a, %b, %c transpose_rhs
      : tensor<16x64xf16>, tensor<32x64xf16> into tensor<16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<16x16xf16>) {
  // expected-error @below {{operand #2 must be tile of rank 2 of 32-bit float values, but got 'tensor<16x16xf16>'}}
  %d = attn.dot %a, %a, %a : tensor<16x16xf16>, tensor<16x16xf16> into tensor<16x16xf16>
  return
}

// -----

func.func @f(%a: tensor<4x16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{operand #0 must be tile of rank 2 of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<4x16x16xf16>'}}
  %d = attn.dot %a, %b, %c : tensor<4x16x16xf16>, tensor<16x16xf16> into tensor<16x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x16xf16>, %b: tensor<16x?xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{operand #1 must be tile of rank 2 of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<16x?xf16>'}}
  %d = attn.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x?xf16> into tensor<16x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{failed to verify that all of {acc, result} have same type}}
  %d = "attn.dot"(%a, %a, %c)
      : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.reduce and attn.broadcast
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<16x64xf32>) {
  // expected-error @below {{one of the following enum values for attribute 'kind' [max, sum]}}
  %d = attn.reduce min %a : tensor<16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<16xf32>) {
  // expected-error @below {{operand #0 must be tile of rank 2 of 32-bit float values, but got 'tensor<16xf32>'}}
  %d = attn.reduce max %a : tensor<16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xbf16>) {
  // expected-error @below {{operand #0 must be tile of rank 2 of 32-bit float values, but got 'tensor<16x64xbf16>'}}
  %d = attn.reduce sum %a : tensor<16x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<16x64xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<16xf32>' are incompatible with return type(s) of operation 'tensor<64xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %d = "attn.reduce"(%a) <{kind = 0 : i32}> : (tensor<16x64xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf32>) {
  // expected-error @below {{Invalid attribute `kind` in property conversion: 2 : i32}}
  %d = "attn.reduce"(%a) <{kind = 2 : i32}> : (tensor<16x64xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @f(%a: tensor<16xf32>) {
  // expected-error @below {{expected a tile of 16 rows, but got 'tensor<64x16xf32>'}}
  %d = attn.broadcast %a : tensor<16xf32> to tensor<64x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16xf32>) {
  // expected-error-re @below {{result #0 must be tile of rank 2 of 1-bit signless integer or {{.*}} or 64-bit float values, but got 'tensor<16xf32>'}}
  %d = attn.broadcast %a : tensor<16xf32> to tensor<16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x1xf32>) {
  // expected-error @below {{expected one value a row (rank 1), or one row of values, but got 'tensor<16x1xf32>'}}
  %d = attn.broadcast %a : tensor<16x1xf32> to tensor<16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<16xi32>) {
  // expected-error @below {{expected a tile of 'i32', but got 'tensor<16x64xf32>'}}
  %d = attn.broadcast %a : tensor<16xi32> to tensor<16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<1x32xi32>) {
  // expected-error @below {{expected a tile of 32 columns, but got 'tensor<16x64xi32>'}}
  %d = attn.broadcast %a : tensor<1x32xi32> to tensor<16x64xi32>
  return
}

// -----

func.func @f(%a: tensor<1x64xi32>) {
  // expected-error @below {{expected columns in the layout of the tile's columns, 'tensor<1x64xi32, #attn.fragment<threads [4:(0, 2), 8:(0, 0)], registers [2:(0, 1), 8:(0, 8)]>>', but got 'tensor<1x64xi32>'}}
  %d = attn.broadcast %a : tensor<1x64xi32>
    to tensor<16x64xi32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.gather
//===----------------------------------------------------------------------===//

func.func @f(%t: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expected 2 indices, one for each dimension of 'tensor<4x8xf32>', but got 1}}
  %d = attn.gather %t[%i] : tensor<4x8xf32> -> f32
  return
}

// -----

func.func @f(%t: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expected to give 'f32', but got 'f16'}}
  %d = attn.gather %t[%i, %i] : tensor<4x8xf32> -> f16
  return
}

// -----

func.func @f(%t: !attn.view<4x8xi32>, %i: tensor<16xindex>, %j: tensor<8xindex>) {
  // expected-error @below {{expected tiles of indices of one shape, but got 'tensor<16xindex>', 'tensor<8xindex>'}}
  %d = attn.gather %t[%i, %j] : !attn.view<4x8xi32> at(tensor<16xindex>, tensor<8xindex>) -> tensor<16xi32>
  return
}

// -----

func.func @f(%t: !attn.view<4x8xi32>, %i: tensor<16xindex>, %j: index) {
  // expected-error @below {{expected to give 'tensor<16xi32>', but got 'tensor<16xi64>'}}
  %d = attn.gather %t[%i, %j] : !attn.view<4x8xi32> at(tensor<16xindex>, index) -> tensor<16xi64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.iota and attn.mask
//===----------------------------------------------------------------------===//

func.func @f(%i: index) {
  // expected-error @below {{expected a dimension from 0 to 1, but got 2}}
  %d = attn.iota 2 from %i : tensor<16x64xindex>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{expected a dimension from 0 to 0, but got -1}}
  %d = attn.iota -1 from %i : tensor<16xindex>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{result #0 must be tile of index values, but got 'tensor<16xi64>'}}
  %d = attn.iota 0 from %i : tensor<16xi64>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{result #0 must be tile of index values, but got 'tensor<?xindex>'}}
  %d = attn.iota 0 from %i : tensor<?xindex>
  return
}

// -----

func.func @f(%s: tensor<16x64xf32>, %p: tensor<64x16xi1>) {
  // expected-error @below {{failed to verify that keep is an i1 for each score}}
  %d = "attn.mask"(%s, %p) : (tensor<16x64xf32>, tensor<64x16xi1>) -> tensor<16x64xf32>
  return
}

// -----

func.func @f(%s: tensor<16x64xf32>, %p: tensor<16x64xi8>) {
  // expected-error @below {{operand #1 must be tile of 1-bit signless integer values, but got 'tensor<16x64xi8>'}}
  %d = "attn.mask"(%s, %p) : (tensor<16x64xf32>, tensor<16x64xi8>) -> tensor<16x64xf32>
  return
}

// -----

func.func @f(%s: tensor<16x64xbf16>, %p: tensor<16x64xi1>) {
  // expected-error @below {{'scores' must be tile of rank 2 of 32-bit float values, but got 'tensor<16x64xbf16>'}}
  %d = attn.mask %s keep %p : tensor<16x64xbf16>
  return
}

// -----

func.func @f(%s: tensor<16x64xf32>, %p: tensor<16x64xi1>) {
  // expected-error @below {{failed to verify that all of {scores, result} have same type}}
  %d = "attn.mask"(%s, %p) : (tensor<16x64xf32>, tensor<16x64xi1>) -> tensor<16x16xf32>
  return
}

// -----

// A mask acts where the segments of its stream say so.
func.func @f(%s: tensor<16x64xf32>, %p: tensor<16x64xi1>) {
  // expected-error @below {{'attn.mask' op expected to stand in an attn.stream, whose segments say where it acts}}
  %d = attn.mask %s keep %p : tensor<16x64xf32>
  return
}

// -----

attn.kernel @k(%n: index) {
  %s = arith.constant dense<0.0> : tensor<16x64xf32>
  %p = arith.constant dense<true> : tensor<16x64xi1>
  attn.grid (%i) visit %v in (a = %n) {
    // expected-error @below {{'attn.mask' op expected to stand in an attn.stream, whose segments say where it acts}}
    %d = attn.mask %s keep %p : tensor<16x64xf32>
  }
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{expected a tile of rank 1 or more, but got rank 0}}
  %d = attn.iota 0 from %i : tensor<index>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.advance
//===----------------------------------------------------------------------===//

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got 0.000000e+00 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(0.0) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got -1.250000e-01 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(-0.125) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got 0x7FC00000 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(0x7FC00000) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got 0x7F800000 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(0x7F800000) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got 5.42101054E-20 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(0x1F7FFFFF) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>) {
  // expected-error @below {{'attn.advance' op expected a scale from 2^-64 to 2^64, but got 1.84467463E+19 : f32}}
  %a:3 = attn.advance %m from %m, %m scale(0x5F800001) : tensor<16xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf32>, %n: tensor<8xf32>) {
  // expected-error @below {{failed to verify that all of {maximum, factorBefore, referenceBefore, factor, reference, rescale} have same type}}
  %a:3 = "attn.advance"(%m, %n, %m) <{scale = 0.125 : f32}> : (tensor<16xf32>, tensor<8xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @f(%m: tensor<16x4xf32>) {
  // expected-error @below {{operand #0 must be tile of rank 1 of 32-bit float values, but got 'tensor<16x4xf32>'}}
  %a:3 = attn.advance %m from %m, %m scale(0.125) : tensor<16x4xf32>
  return
}

// -----

func.func @f(%m: tensor<16xf16>) {
  // expected-error @below {{operand #0 must be tile of rank 1 of 32-bit float values, but got 'tensor<16xf16>'}}
  %a:3 = attn.advance %m from %m, %m scale(0.125) : tensor<16xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.any
//===----------------------------------------------------------------------===//

func.func @f(%t: tensor<16x4xf32>) {
  // expected-error @below {{'attn.any' op operand #0 must be tile of 1-bit signless integer values, but got 'tensor<16x4xf32>'}}
  %b = attn.any %t : tensor<16x4xf32>
  return
}

// -----

func.func @f(%t: tensor<16x4xi8>) {
  // expected-error @below {{operand #0 must be tile of 1-bit signless integer values, but got 'tensor<16x4xi8>'}}
  %b = attn.any %t : tensor<16x4xi8>
  return
}

// -----

func.func @f(%t: tensor<?x4xi1>) {
  // expected-error @below {{operand #0 must be tile of 1-bit signless integer values, but got 'tensor<?x4xi1>'}}
  %b = attn.any %t : tensor<?x4xi1>
  return
}

// -----

func.func @f(%t: i1) {
  // expected-error @below {{operand #0 must be tile of 1-bit signless integer values, but got 'i1'}}
  %b = "attn.any"(%t) : (i1) -> i1
  return
}

// -----

func.func @f(%t: tensor<16x4xi1>) {
  // expected-error @below {{result #0 must be 1-bit signless integer, but got 'i32'}}
  %b = "attn.any"(%t) : (tensor<16x4xi1>) -> i32
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.often
//===----------------------------------------------------------------------===//

func.func @f(%t: tensor<16x4xf32>) {
  // expected-error @below {{'attn.often' op operand #0 must be tile of 1-bit signless integer values, but got 'tensor<16x4xf32>'}}
  %b = attn.often %t : tensor<16x4xf32>
  return
}

// -----

func.func @f(%t: tensor<?x4xi1>) {
  // expected-error @below {{operand #0 must be tile of 1-bit signless integer values, but got 'tensor<?x4xi1>'}}
  %b = attn.often %t : tensor<?x4xi1>
  return
}

// -----

func.func @f(%t: tensor<16x4xi1>) {
  // expected-error @below {{result #0 must be 1-bit signless integer, but got 'i32'}}
  %b = "attn.often"(%t) : (tensor<16x4xi1>) -> i32
  return
}

// -----

// It follows from all threads: nothing holds first.
func.func @f(%t: tensor<16x4xi1>) {
  // expected-error @below {{expected ':'}}
  %b = attn.often %t holds_first : tensor<16x4xi1>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.settle
//===----------------------------------------------------------------------===//

func.func @f(%s: tensor<16xf32>, %c: tensor<16xf32>) {
  // expected-error @below {{'attn.settle' op operand #1 must be tile of 1-bit signless integer values, but got 'tensor<16xf32>'}}
  %l = attn.settle %s if %c : tensor<16xf32>, tensor<16xf32>
  return
}

// -----

func.func @f(%s: tensor<?xf32>, %c: tensor<16xi1>) {
  // expected-error @below {{'attn.settle' op operand #0 must be}}
  %l = attn.settle %s if %c : tensor<?xf32>, tensor<16xi1>
  return
}

// -----

func.func @f(%s: tensor<16xf32>, %c: i1) {
  // expected-error @below {{operand #1 must be tile of 1-bit signless integer values, but got 'i1'}}
  %l = "attn.settle"(%s, %c) : (tensor<16xf32>, i1) -> tensor<16xf32>
  return
}

// -----

func.func @f(%s: tensor<16x4xf32>, %c: tensor<16xi1>) {
  // expected-error @below {{failed to verify that all of {sums, result} have same type}}
  %l = "attn.settle"(%s, %c) : (tensor<16x4xf32>, tensor<16xi1>) -> tensor<16xf32>
  return
}

// -----

func.func @f(%s: tensor<16xf32>) {
  // expected-error @below {{expected 'if'}}
  %l = attn.settle %s : tensor<16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.dim
//===----------------------------------------------------------------------===//

attn.kernel @k(%v: !attn.view<?x64xf32>) {
  // expected-error @below {{expected a dimension from 0 to 1, but got 2}}
  %d = attn.dim %v, 2 : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>) {
  // expected-error @below {{expected a dimension from 0 to 1, but got -1}}
  %d = attn.dim %v, -1 : <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xbf16>, %n: index, %x: bf16) {
  %r = attn.ring.create : <1 x tensor<64x64xbf16, #attn.shared<128>>>
  attn.ctas %i in %n {
    %t = tensor.splat %x : tensor<64x64xbf16>
    %q = attn.ring.wait %r : <1 x tensor<64x64xbf16, #attn.shared<128>>> -> tensor<64x64xbf16, #attn.shared<128>>
    // expected-error @below {{expected no `until` for `by_tensor_map`, which stores whole boxes, but got one}}
    attn.store %t, %v[%i, %i] until %n through %q(tensor<64x64xbf16, #attn.shared<128>>) by_tensor_map : tensor<64x64xbf16> -> <?x64xbf16>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.accumulate, and transposed left-hand sides
//===----------------------------------------------------------------------===//

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
  // expected-error @below {{expected 2 offsets, one for each dimension of '!attn.view<?x64xf32>', but got 1}}
  attn.accumulate %t, %v[%i] atomic : tensor<16x64xf32> -> <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %w: !attn.view<?x64xbf16>, %i: index) {
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
  // expected-error @below {{expected a tile of 'bf16' as the view has, but got 'tensor<16x64xf32>'}}
  attn.accumulate %t, %w[%i, %i] atomic : tensor<16x64xf32> -> <?x64xbf16>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %t = attn.load %v[%i, %i] : <?x64xbf16> -> tensor<16x64xbf16>
  // expected-error @below {{operand #0 must be}}
  attn.accumulate %t, %v[%i, %i] atomic : tensor<16x64xbf16> -> <?x64xbf16>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  %t = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
  // expected-error @below {{expected 'atomic'}}
  attn.accumulate %t, %v[%i, %i] : tensor<16x64xf32> -> <?x64xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  %a = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
  %b = attn.load %v[%i, %i] : <?x64xf32> -> tensor<64x32xf32>
  %c = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x32xf32>
  // expected-error @below {{expected operands that agree in the summed dimension, but got 16 and 64}}
  %d = attn.dot %a, %b, %c transpose_lhs : tensor<16x64xf32>, tensor<64x32xf32> into tensor<16x32xf32>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf32>, %i: index) {
  %a = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x64xf32>
  %c = attn.load %v[%i, %i] : <?x64xf32> -> tensor<16x32xf32>
  // expected-error @below {{expected an accumulator of 64x32, but got 'tensor<16x32xf32>'}}
  %d = attn.dot %a, %c, %c transpose_lhs : tensor<16x64xf32>, tensor<16x32xf32> into tensor<16x32xf32>
}

// -----

//===----------------------------------------------------------------------===//
// attn.arrange
//===----------------------------------------------------------------------===//

func.func @k(%t: tensor<64x32xf8E4M3FN>) {
  // expected-error @below {{expected a result with the rows of the tile, 'tensor<64x32xf8E4M3FN>', as columns, but got 'tensor<64x32xf8E4M3FN>'}}
  %c = attn.arrange %t : tensor<64x32xf8E4M3FN> to tensor<64x32xf8E4M3FN>
  return
}

// -----

func.func @k(%t: tensor<40x32xf8E4M3FN>) {
  // expected-error @below {{expected rows of a multiple of 16, but got 'tensor<40x32xf8E4M3FN>'}}
  %c = attn.arrange %t : tensor<40x32xf8E4M3FN> to tensor<32x40xf8E4M3FN>
  return
}
