// Every constraint of attn.attention: syntax, ranks, types, sizes, scale, captures
// and the score modification.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{query expects rank 4, but got rank 3 ('tensor<4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{key expects rank 4, but got rank 5 ('tensor<1x1x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<4x16x64xf16>) {
  // expected-error @below {{value expects rank 4, but got rank 3 ('tensor<4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{output expects rank 4, but got rank 2 ('tensor<16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf64>, %k: tensor<1x4x16x64xf64>, %v: tensor<1x4x16x64xf64>) {
  // expected-error @below {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<1x4x16x64xf64>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf64>, tensor<1x4x16x64xf64>, tensor<1x4x16x64xf64>) -> tensor<1x4x16x64xf64>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xi32>, %k: tensor<1x4x16x64xi32>, %v: tensor<1x4x16x64xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<1x4x16x64xi32>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xi32>, tensor<1x4x16x64xi32>, tensor<1x4x16x64xi32>) -> tensor<1x4x16x64xi32>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf8E5M2>, %k: tensor<1x4x16x64xf8E5M2>, %v: tensor<1x4x16x64xf8E5M2>) {
  // expected-error @below {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<1x4x16x64xf8E5M2>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf8E5M2>, tensor<1x4x16x64xf8E5M2>, tensor<1x4x16x64xf8E5M2>) -> tensor<1x4x16x64xf8E5M2>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<1x4x16x64xf64>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf64>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xbf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{key expects the element type of query, 'f16', but got 'bf16'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xbf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf32>) {
  // expected-error @below {{value expects the element type of query, 'f16', but got 'f32'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{output expects the element type of query, 'f16', or f32, but got 'bf16'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xbf16>
  return
}

// -----

// The LSE is f32 whatever the inputs are.
func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{result #1 must be ranked tensor of 32-bit float values, but got 'tensor<1x4x16xf16>'}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<1x4x16xf16>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// Static dimensions
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x?xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{query expects a static head dimension (dimension 3), but got 'tensor<1x4x16x?xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x?xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x?xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x?xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{key expects a static head dimension (dimension 3), but got 'tensor<1x4x16x?xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x?xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x?xf16>) {
  // expected-error @below {{value expects a static head dimension (dimension 3), but got 'tensor<1x4x16x?xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x?xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{output expects a static head dimension (dimension 3), but got 'tensor<1x4x16x?xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x?xf16>
  return
}

// -----

func.func @f(%q: tensor<1x?x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{query expects a static number of heads (dimension 1), but got 'tensor<1x?x16x64xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x?x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x?x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x?x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{key expects a static number of heads (dimension 1), but got 'tensor<1x?x16x64xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x?x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x?x16x64xf16>) {
  // expected-error @below {{value expects a static number of heads (dimension 1), but got 'tensor<1x?x16x64xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x?x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{output expects a static number of heads (dimension 1), but got 'tensor<1x?x16x64xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x?x16x64xf16>
  return
}

// -----

// In BSHD the head is dimension 2.
func.func @f(%q: tensor<1x4x?x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{query expects a static number of heads (dimension 2), but got 'tensor<1x4x?x64xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125) layout(bshd)
      : (tensor<1x4x?x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x?x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x6x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 6 and 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x6x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x6x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 2 and 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x2x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x0x16x64xf16>, %v: tensor<1x0x16x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 4 and 0}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x0x16x64xf16>, tensor<1x0x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x0x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 0 and 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x0x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x0x16x64xf16>
  return
}

// -----

// In BSHD the head is dimension 2.
func.func @f(%q: tensor<1x16x6x64xf16>, %k: tensor<1x16x4x64xf16>, %v: tensor<1x16x4x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 6 and 4}}
  %o = attn.attention %q, %k, %v layout(bshd) scale(0.125)
      : (tensor<1x16x6x64xf16>, tensor<1x16x4x64xf16>, tensor<1x16x4x64xf16>) -> tensor<1x16x6x64xf16>
  return
}

// -----

// With a layout of their own K and V have heads where that says.
func.func @f(%q: tensor<1x6x16x64xf16>, %k: tensor<1x6x4x64xf16>, %v: tensor<1x6x4x64xf16>) {
  // expected-error @below {{number of query heads expects to be a multiple of the number of KV heads, but got 6 and 4}}
  %o = attn.attention %q, %k, %v layout(bhsd, kv = bshd) scale(0.125)
      : (tensor<1x6x16x64xf16>, tensor<1x6x4x64xf16>, tensor<1x6x4x64xf16>) -> tensor<1x6x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x?x64xf16>, %k: tensor<1x9x?x64xf16>) {
  // expected-error @below {{key expects a static number of heads (dimension 2), but got 'tensor<1x9x?x64xf16>'}}
  %o = attn.attention %q, %k, %k layout(bhsd, kv = bshd) scale(0.125)
      : (tensor<1x4x?x64xf16>, tensor<1x9x?x64xf16>, tensor<1x9x?x64xf16>) -> tensor<1x4x?x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x9x4x64xf16>, %v: tensor<1x8x4x64xf16>) {
  // expected-error @below {{value expects sequence length 9, but got 8 ('tensor<1x8x4x64xf16>')}}
  %o = attn.attention %q, %k, %v layout(bhsd, kv = bshd) scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x9x4x64xf16>, tensor<1x8x4x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{value expects as many heads as key, 2, but got 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Head dimensions
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x260xf16>, %k: tensor<1x4x16x260xf16>, %v: tensor<1x4x16x260xf16>) {
  // expected-error @below {{head dimension of query expects to be a multiple of 8 from 8 to 1024, but got 260}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x260xf16>, tensor<1x4x16x260xf16>, tensor<1x4x16x260xf16>) -> tensor<1x4x16x260xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x4xf16>, %k: tensor<1x4x16x4xf16>, %v: tensor<1x4x16x4xf16>) {
  // expected-error @below {{head dimension of query expects to be a multiple of 8 from 8 to 1024, but got 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x4xf16>, tensor<1x4x16x4xf16>, tensor<1x4x16x4xf16>) -> tensor<1x4x16x4xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x12xf16>, %k: tensor<1x4x16x12xf16>, %v: tensor<1x4x16x12xf16>) {
  // expected-error @below {{head dimension of query expects to be a multiple of 8 from 8 to 1024, but got 12}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x12xf16>, tensor<1x4x16x12xf16>, tensor<1x4x16x12xf16>) -> tensor<1x4x16x12xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x0xf16>, %k: tensor<1x4x16x0xf16>, %v: tensor<1x4x16x0xf16>) {
  // expected-error @below {{head dimension of query expects to be a multiple of 8 from 8 to 1024, but got 0}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x0xf16>, tensor<1x4x16x0xf16>, tensor<1x4x16x0xf16>) -> tensor<1x4x16x0xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x1032xf16>) {
  // expected-error @below {{head dimension of value expects to be a multiple of 8 from 8 to 1024, but got 1032}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x1032xf16>) -> tensor<1x4x16x1032xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x4xf16>) {
  // expected-error @below {{head dimension of value expects to be a multiple of 8 from 8 to 1024, but got 4}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x4xf16>) -> tensor<1x4x16x4xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x100xf16>) {
  // expected-error @below {{head dimension of value expects to be a multiple of 8 from 8 to 1024, but got 100}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x100xf16>) -> tensor<1x4x16x100xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x128xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{key expects the head dimension of query, 64, but got 128}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x128xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Sizes that agree
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<3x4x16x64xf16>, %v: tensor<2x4x16x64xf16>) {
  // expected-error @below {{key expects batch 2, but got 3 ('tensor<3x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x16x64xf16>, tensor<3x4x16x64xf16>, tensor<2x4x16x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<?x4x16x64xf16>, %v: tensor<3x4x16x64xf16>) {
  // expected-error @below {{value expects batch 2, but got 3 ('tensor<3x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x16x64xf16>, tensor<?x4x16x64xf16>, tensor<3x4x16x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<2x4x16x64xf16>, %v: tensor<2x4x16x64xf16>) {
  // expected-error @below {{output expects batch 2, but got 1 ('tensor<1x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x16x64xf16>, tensor<2x4x16x64xf16>, tensor<2x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x32x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{value expects sequence length 32, but got 16 ('tensor<1x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x32x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{output expects sequence length 16, but got 32 ('tensor<1x4x32x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x32x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>, %v: tensor<1x2x16x64xf16>) {
  // expected-error @below {{output expects number of heads 4, but got 2 ('tensor<1x2x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x2x16x64xf16>) -> tensor<1x2x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x32xf16>) {
  // expected-error @below {{output expects head dimension 32, but got 64 ('tensor<1x4x16x64xf16>')}}
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x32xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// In BSHD the sequence is dimension 1.
func.func @f(%q: tensor<1x16x4x64xf16>, %k: tensor<1x16x4x64xf16>, %v: tensor<1x16x4x64xf16>) {
  // expected-error @below {{output expects sequence length 16, but got 8 ('tensor<1x8x4x64xf16>')}}
  %o = attn.attention %q, %k, %v layout(bshd) scale(0.125)
      : (tensor<1x16x4x64xf16>, tensor<1x16x4x64xf16>, tensor<1x16x4x64xf16>) -> tensor<1x8x4x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// LSE
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{lse expects rank 3 (batch, head, query), but got 'tensor<1x4x16x1xf32>'}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<1x4x16x1xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{lse expects a static number of heads, but got 'tensor<1x?x16xf32>'}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<1x?x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{lse expects batch 1, but got 2 ('tensor<2x4x16xf32>')}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<2x4x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>, %v: tensor<1x2x16x64xf16>) {
  // expected-error @below {{lse expects number of heads 4, but got 2 ('tensor<1x2x16xf32>')}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x2x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<1x2x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{lse expects sequence length 16, but got 8 ('tensor<1x4x8xf32>')}}
  %o:2 = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> (tensor<1x4x16x64xf16>, tensor<1x4x8xf32>)
  return
}

// -----

// The LSE has the head before the query in BSHD, too.
func.func @f(%q: tensor<1x16x4x64xf16>, %k: tensor<1x16x4x64xf16>, %v: tensor<1x16x4x64xf16>) {
  // expected-error @below {{lse expects number of heads 4, but got 16 ('tensor<1x16x4xf32>')}}
  %o:2 = attn.attention %q, %k, %v layout(bshd) scale(0.125)
      : (tensor<1x16x4x64xf16>, tensor<1x16x4x64xf16>, tensor<1x16x4x64xf16>) -> (tensor<1x16x4x64xf16>, tensor<1x16x4xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// Scale
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected a scale, as in `scale(0.125)`}}
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{scale expects a finite number, but got 0x7F800000 : f32}}
  %o = attn.attention %q, %k, %v scale(1.0e39)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{scale expects a finite number, but got 0xFF800000 : f32}}
  %o = attn.attention %q, %k, %v scale(-1.0e39)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{scale expects a finite number, but got 0x7FC00000 : f32}}
  %o = attn.attention %q, %k, %v {scale = 0x7FC00000 : f32}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %o = attn.attention %q, %k, %v {scale = 0.5 : f64}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'scale' occurs more than once in the attribute list}}
  %o = attn.attention %q, %k, %v scale(0.125) scale(0.25)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected an f32 scale, but got 'f64'}}
  %o = attn.attention %q, %q, %q scale(0.125 : f64)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{unexpected decimal integer literal for a floating point value}}
  // expected-note @below {{add a trailing dot to make the literal a float}}
  %o = attn.attention %q, %q, %q scale(2)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected 3 operands}}
  %o = attn.attention %q, %q scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{unknown layout 'sbhd'; expected bhsd or bshd}}
  %o = attn.attention %q, %q, %q scale(0.125) layout(sbhd)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{unknown layout 'sbhd'; expected bhsd or bshd}}
  %o = attn.attention %q, %q, %q scale(0.125) layout(bhsd, kv = sbhd)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected 'kv'}}
  %o = attn.attention %q, %q, %q scale(0.125) layout(bhsd, q = bshd)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'layout' occurs more than once in the attribute list}}
  %o = attn.attention %q, %q, %q scale(0.125) layout(bshd) layout(bhsd)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'mask' occurs more than once in the attribute list}}
  %o = attn.attention %q, %q, %q scale(0.125) mask(#attn.causal<top_left>)
      mask(#attn.causal<top_left>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected '('}}
  %o = attn.attention %q, %q, %q scale 0.125
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected ')'}}
  %o = attn.attention %q, %q, %q scale(0.125 layout(bshd)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected ':'}}
  %o = attn.attention %q, %q, %q scale(0.125) dropout(0.5)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected the types of query, key and value, but got 2 types}}
  %o = attn.attention %q, %q, %q scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected the types of the output and perhaps the LSE, but got 0 types}}
  attn.attention %q, %q, %q scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> ()
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{expected the types of the output and perhaps the LSE, but got 3 types}}
  %o:3 = attn.attention %q, %q, %q scale(0.125)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>)
      -> (tensor<1x4x16x64xf16>, tensor<1x4x16xf32>, tensor<1x4x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @+2 {{invalid kind of type specified}}
  %o = attn.attention %q, %q, %q scale(0.125)
      : tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %n: tensor<1x4xi32>) {
  // expected-error @below {{lengths expect rank 1 (batch), but got 'tensor<1x4xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) lengths(%n : tensor<1x4xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %n: tensor<2xi32>) {
  // expected-error @below {{lengths expects batch 1, but got 2 ('tensor<2xi32>')}}
  %o = attn.attention %q, %q, %q scale(0.125) lengths(%n : tensor<2xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %n: tensor<1xi16>) {
  // expected-error @below {{operand #3 must be ranked tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<1xi16>'}}
  %o = attn.attention %q, %q, %q scale(0.125) lengths(%n : tensor<1xi16>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %n: tensor<1xi32>) {
  // expected-error @below {{expected one tensor of lengths, but got 2}}
  %o = attn.attention %q, %q, %q scale(0.125) lengths(%n, %n : tensor<1xi32>, tensor<1xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Ragged batches.
func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<1x4xi32>) {
  // expected-error @below {{cu_seqlens_q expects rank 1 (batch + 1), but got 'tensor<1x4xi32>'}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<1x4xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<0xi32>) {
  // expected-error @below {{cu_seqlens_k expects a number more than there are sequences, but got 'tensor<0xi32>'}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_k(%c : tensor<0xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<2x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{query expects 1 as its first dimension, since cu_seqlens_q packs its sequences, but got 'tensor<2x4x16x64xf16>'}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<2x4x16x64xf16>, tensor<2x4x16x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<2x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{output expects 1 as its first dimension, since cu_seqlens_q packs its sequences, but got 'tensor<?x4x16x64xf16>'}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<3xi32>)
      : (tensor<1x4x16x64xf16>, tensor<2x4x16x64xf16>, tensor<2x4x16x64xf16>) -> tensor<?x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<?x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{key expects 1 as its first dimension, since cu_seqlens_k packs its sequences, but got 'tensor<?x4x16x64xf16>'}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_k(%c : tensor<3xi32>)
      : (tensor<1x4x16x64xf16>, tensor<?x4x16x64xf16>, tensor<?x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<3x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{key expects batch 2, but got 3}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<3xi32>)
      : (tensor<1x4x16x64xf16>, tensor<3x4x16x64xf16>, tensor<3x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<3xi32>, %d: tensor<4xi32>) {
  // expected-error @below {{cu_seqlens_k expects as many numbers as cu_seqlens_q, 3, but got 4}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<3xi32>) cu_seqlens_k(%d : tensor<4xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<4xi32>) {
  // expected-error @below {{cu_seqlens_k expects a number more than there are sequences, 3, but got 4}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_k(%c : tensor<4xi32>)
      : (tensor<2x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{lengths expects batch 2, but got 3}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c : tensor<3xi32>) cu_seqlens_k(%c : tensor<3xi32>) lengths(%c : tensor<3xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{expected one tensor of offsets of queries, but got 2}}
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_q(%c, %c : tensor<3xi32>, tensor<3xi32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Pages.
func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<9x4x32x64xf16>, %n: tensor<2xi32>) {
  // expected-error @below {{block_table expects rank 2 (batch, pages of a sequence), but got 'tensor<2xi32>'}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) block_table(%n : tensor<2xi32>)
      : (tensor<2x4x16x64xf16>, tensor<9x4x32x64xf16>, tensor<9x4x32x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<9x4x32x64xf16>, %t: tensor<2x3xi32>) {
  // expected-error @below {{block_table expects lengths, which say how many keys of its pages there are, but got none}}
  %o = attn.attention %q, %k, %k scale(0.125) block_table(%t : tensor<2x3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<9x4x32x64xf16>, tensor<9x4x32x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<1x4x32x64xf16>, %n: tensor<2xi32>, %c: tensor<3xi32>, %t: tensor<2x3xi32>) {
  // expected-error @below {{block_table expects keys in pages, but got cu_seqlens_k, by which they are packed}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) cu_seqlens_k(%c : tensor<3xi32>) block_table(%t : tensor<2x3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<1x4x32x64xf16>, tensor<1x4x32x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<9x4x20x64xf16>, %n: tensor<2xi32>, %t: tensor<2x3xi32>) {
  // expected-error @below {{block_table expects pages of a static multiple of 8 keys from 16 on, but got key 'tensor<9x4x20x64xf16>'}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) block_table(%t : tensor<2x3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<9x4x20x64xf16>, tensor<9x4x20x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<9x4x?x64xf16>, %n: tensor<2xi32>, %t: tensor<2x3xi32>) {
  // expected-error @below {{block_table expects pages of a static multiple of 8 keys from 16 on, but got key 'tensor<9x4x?x64xf16>'}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) block_table(%t : tensor<2x3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<9x4x?x64xf16>, tensor<9x4x?x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<2x4x16x64xf16>, %k: tensor<9x4x32x64xf16>, %n: tensor<2xi32>, %t: tensor<4x3xi32>) {
  // expected-error @below {{block_table expects batch 2, but got 4}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) block_table(%t : tensor<4x3xi32>)
      : (tensor<2x4x16x64xf16>, tensor<9x4x32x64xf16>, tensor<9x4x32x64xf16>) -> tensor<2x4x16x64xf16>
  return
}

// -----

// The generic form has to state a scale, too.
func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{requires attribute 'scale'}}
  %o = "attn.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> ({}, {})
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{Invalid attribute `mask` in property conversion: "causal"}}
  %o = "attn.attention"(%q, %q, %q) <{scale = 0.125 : f32, mask = "causal"}> ({})
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{Invalid attribute `layout` in property conversion: 2 : i32}}
  %o = "attn.attention"(%q, %q, %q) <{scale = 0.125 : f32, layout = 2 : i32}> ({})
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Captures and the score modification
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf16>, %c: f32) {
  // expected-error @below {{captures expect a score modification or a mask region that takes them}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f32)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: f32) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f32, f32)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: tensor<4xi16>) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'tensor<4xi16>'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : tensor<4xi16>)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: tensor<4xi16>) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// An argument for the capture is missing.
func.func @f(%q: tensor<1x4x16x64xf16>, %c: f32) {
  // expected-error @below {{score modification expects arguments ('f32', 'index', 'index', 'index', 'index', 'f32'), but got ('f32', 'index', 'index', 'index', 'index')}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects arguments ('f32', 'index', 'index', 'index', 'index'), but got ('f16', 'index', 'index', 'index', 'i32')}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f16, %b: index, %h: index, %i: index, %j: i32) {
    %x = arith.extf %s : f16 to f32
    attn.yield %x : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects scalar operations of arith and math}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'tensor.from_elements'}}
    %t = tensor.from_elements %s : tensor<1xf32>
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects scalar operations of arith and math}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %p = arith.cmpi eq, %i, %j : index
    // expected-note @below {{but got 'scf.if'}}
    %x = scf.if %p -> (f32) {
      scf.yield %s : f32
    } else {
      scf.yield %s : f32
    }
    attn.yield %x : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Scalars from outside are captured.
func.func @f(%q: tensor<1x4x16x64xf16>, %c: f32) {
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-error @below {{use of undeclared SSA value name}}
    %x = arith.mulf %s, %c : f32
    attn.yield %x : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects to yield one f32}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got this}}
    attn.yield %j : index
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects to yield one f32}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got this}}
    attn.yield %s, %s : f32, f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects to yield one f32}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got this}}
    attn.yield
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects to yield one f32}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got this}}
    llvm.unreachable
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-error @below {{block with no terminator}}
    %x = arith.addf %s, %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{region #0 ('score') failed to verify constraint: region with at most 1 blocks}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    cf.br ^next(%s : f32)
  ^next(%x: f32):
    attn.yield %x : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: i4) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'i4'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : i4)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: i4) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: f80) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'f80'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f80)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: f80) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: f128) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'f128'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f128)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: f128) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: i128) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'i128'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : i128)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: i128) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %c: f8E5M2) {
  // expected-error-re @below {{operand #3 must be variadic of 1-bit signless integer or {{.*}} values, but got 'f8E5M2'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f8E5M2)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: f8E5M2) {
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Of arith, but not scalar.
func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects scalar operations of arith and math}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'arith.constant'}}
    %t = arith.constant dense<0.0> : vector<4xf32>
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Operations that no dialect knows. (Of dialects that nobody knows:
// attention-unregistered.mlir.)
func.func @f(%q: tensor<1x4x16x64xf16>) {
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-error @below {{unregistered operation 'arith.nonsense' found in dialect ('arith') that does not allow unknown operations}}
    %t = "arith.nonsense"(%s) : (f32) -> f32
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Padding has indices, too: a divisor that is not constant may be zero there.
func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'arith.divui' with a divisor that may be zero or -1}}
    %t = arith.divui %i, %j : index
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %m: index) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%m : index)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %n: index) {
    // expected-note @below {{but got 'arith.divsi' with a divisor that may be zero or -1}}
    %t = arith.divsi %i, %n : index
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %m: index) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%m : index)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %n: index) {
    // expected-note @below {{but got 'arith.ceildivui' with a divisor that may be zero or -1}}
    %t = arith.ceildivui %i, %n : index
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %m: index) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%m : index)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %n: index) {
    // expected-note @below {{but got 'arith.ceildivsi' with a divisor that may be zero or -1}}
    %t = arith.ceildivsi %i, %n : index
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// A constant zero is no better.
func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %n = arith.constant 0 : index
    // expected-note @below {{but got 'arith.divui' with a divisor that may be zero or -1}}
    %t = arith.divui %i, %n : index
    attn.yield %s : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Attributes of a wrong kind in the dictionary
//===----------------------------------------------------------------------===//

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'mask' failed to satisfy constraint}}
  %o = attn.attention %q, %q, %q scale(0.125) {mask = "causal"}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'mask' failed to satisfy constraint}}
  %o = attn.attention %q, %q, %q scale(0.125) {mask}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'mask' failed to satisfy constraint}}
  %o = attn.attention %q, %q, %q scale(0.125) {mask = #attn.order<[a]>}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'layout' failed to satisfy constraint}}
  %o = attn.attention %q, %q, %q scale(0.125) {layout = "bshd"}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'layout' failed to satisfy constraint}}
  %o = attn.attention %q, %q, %q scale(0.125) {layout = 2 : i32}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %o = attn.attention %q, %q, %q {scale = "0.125"}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %o = attn.attention %q, %q, %q {scale = 1 : i32}
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Bits of another width, and those of a NaN.
func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{hexadecimal float constant out of range for type}}
  %o = attn.attention %q, %q, %q scale(0x3FE0000000000000)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{scale expects a finite number, but got 0x7FC00000 : f32}}
  %o = attn.attention %q, %q, %q scale(0x7FC00000)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

// Upstream takes remainders for speculatable; they trap all the same.
func.func @f(%q: tensor<1x2x4x8xf32>) {
  // expected-error @below {{score modification expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(1.0)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'arith.remui' with a divisor that may be zero or -1}}
    %r = arith.remui %i, %j : index
    attn.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %k: tensor<1x4x16x64xf16>, %v: tensor<1x4x16x72xf16>) {
  // expected-error @below {{values(keys) expects values of at most the 64 columns of key, but got 72}}
  %o = attn.attention %q, %k, %v scale(0.125) values(keys)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x72xf16>) -> tensor<1x4x16x72xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf8E4M3FN>) {
  // expected-error @below {{values(keys) expects keys of f16, bf16 or f32, but got 'f8E4M3FN'}}
  %o = attn.attention %q, %q, %q scale(0.125) values(keys)
      : (tensor<1x4x16x64xf8E4M3FN>, tensor<1x4x16x64xf8E4M3FN>, tensor<1x4x16x64xf8E4M3FN>) -> tensor<1x4x16x64xbf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %s: tensor<1x1xf32>) {
  // expected-error @below {{values(keys) expects no v_scale, but got one}}
  %o = attn.attention %q, %q, %q scale(0.125) values(keys) v_scale(%s : tensor<1x1xf32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}
