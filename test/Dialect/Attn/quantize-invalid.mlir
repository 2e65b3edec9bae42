// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<8x50x64xbf16>) {
  // expected-error @+1 {{expected an input of rank 4, but got 'tensor<8x50x64xbf16>'}}
  %q, %s = attn.quantize %x : (tensor<8x50x64xbf16>) -> (tensor<8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @heads(%x: tensor<1x?x50x64xbf16>) {
  // expected-error @+1 {{expected an input with static heads and a last dimension of a multiple of 16 up to 256, but got}}
  %q, %s = attn.quantize %x : (tensor<1x?x50x64xbf16>) -> (tensor<1x?x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @columns(%x: tensor<1x8x50x40xbf16>) {
  // expected-error @+1 {{expected an input with static heads and a last dimension of a multiple of 16 up to 256, but got}}
  %q, %s = attn.quantize %x : (tensor<1x8x50x40xbf16>) -> (tensor<1x8x50x40xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @numbers(%x: tensor<1x8x50x64xbf16>) {
  // expected-error @+1 {{expected numbers of 'tensor<1x8x50x64xf8E4M3FN>', but got 'tensor<1x8x48x64xf8E4M3FN>'}}
  %q, %s = attn.quantize %x : (tensor<1x8x50x64xbf16>) -> (tensor<1x8x48x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @groups(%x: tensor<1x8x50x64xbf16>) {
  // expected-error @+1 {{expected scales of rank 2, one for each batch of 'tensor<1x8x50x64xbf16>' and for each of a divisor of its 8 heads, but got 'tensor<1x3xf32>'}}
  %q, %s = attn.quantize %x : (tensor<1x8x50x64xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x3xf32>)
  return
}

// -----

func.func @batch(%x: tensor<2x8x50x64xbf16>) {
  // expected-error @+1 {{expected scales of rank 2, one for each batch of}}
  %q, %s = attn.quantize %x : (tensor<2x8x50x64xbf16>) -> (tensor<2x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @rotation(%x: tensor<1x8x50x64xbf16>, %m: tensor<64x32xbf16>) {
  // expected-error @+1 {{expected a rotation of 'tensor<64x64xbf16>', but got 'tensor<64x32xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<64x32xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @element(%x: tensor<1x8x50x64xbf16>, %m: tensor<64x64xf16>) {
  // expected-error @+1 {{expected a rotation of 'tensor<64x64xbf16>', but got 'tensor<64x64xf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<64x64xf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @three_blocks(%x: tensor<1x8x50x96xbf16>, %m: tensor<3x32x32xbf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 96 in all, but got 'tensor<3x32x32xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x96xbf16>, tensor<3x32x32xbf16>) -> (tensor<1x8x50x96xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @one_block(%x: tensor<1x8x50x64xbf16>, %m: tensor<1x64x64xbf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 64 in all, but got 'tensor<1x64x64xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<1x64x64xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @oblong_blocks(%x: tensor<1x8x50x64xbf16>, %m: tensor<2x32x16xbf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 64 in all, but got 'tensor<2x32x16xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<2x32x16xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @few_columns(%x: tensor<1x8x50x64xbf16>, %m: tensor<2x16x16xbf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 64 in all, but got 'tensor<2x16x16xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<2x16x16xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @narrow_blocks(%x: tensor<1x8x50x48xbf16>, %m: tensor<2x24x24xbf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 48 in all, but got 'tensor<2x24x24xbf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x48xbf16>, tensor<2x24x24xbf16>) -> (tensor<1x8x50x48xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @element_of_blocks(%x: tensor<1x8x50x64xbf16>, %m: tensor<2x32x32xf16>) {
  // expected-error @+1 {{expected a rotation of a power of two of blocks of 'bf16', of a multiple of 16 rows and columns each, 64 in all, but got 'tensor<2x32x32xf16>'}}
  %q, %s = attn.quantize %x rotate(%m) : (tensor<1x8x50x64xbf16>, tensor<2x32x32xf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @negative(%x: tensor<1x8x50x64xbf16>, %m: tensor<64x64xbf16>) {
  // expected-error @+1 {{expected a positive factor, but got -1.250000e-01 : f32}}
  %q, %s = attn.quantize %x rotate(%m) factor(-0.125) : (tensor<1x8x50x64xbf16>, tensor<64x64xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @factor(%x: tensor<1x8x50x64xbf16>) {
  // expected-error @+1 {{expected a rotation with a factor, but got none}}
  %q, %s = attn.quantize %x factor(0.125) : (tensor<1x8x50x64xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8xf32>)
  return
}

// -----

func.func @wide(%x: tensor<1x8x50x64xbf16>) {
  // expected-error @+1 {{must be ranked tensor of}}
  %q, %s = attn.quantize %x : (tensor<1x8x50x64xbf16>) -> (tensor<1x8x50x64xbf16>, tensor<1x8xf32>)
  return
}

// -----

func.func @block(%x: tensor<1x8x50x64xbf16>) {
  // expected-error @+1 {{expected a scale_block of a power of two from 32 on, but got 48}}
  %q, %s = attn.quantize %x scale_block(48) : (tensor<1x8x50x64xbf16>) -> (tensor<1x8x50x64xf8E4M3FN>, tensor<1x8x2xf32>)
  return
}

// -----

func.func @few_blocks(%x: tensor<1x8x65x64xbf16>) {
  // expected-error @+1 {{expected scales of rank 3, one for each batch of 'tensor<1x8x65x64xbf16>' and for each of a divisor of its 8 heads and of its blocks of 64 rows, but got 'tensor<1x8x1xf32>'}}
  %q, %s = attn.quantize %x scale_block(64) : (tensor<1x8x65x64xbf16>) -> (tensor<1x8x65x64xf8E4M3FN>, tensor<1x8x1xf32>)
  return
}

// -----

func.func @no_blocks(%x: tensor<1x8x65x64xbf16>) {
  // expected-error @+1 {{expected scales of rank 2, one for each batch of}}
  %q, %s = attn.quantize %x : (tensor<1x8x65x64xbf16>) -> (tensor<1x8x65x64xf8E4M3FN>, tensor<1x8x2xf32>)
  return
}

// -----

func.func @no_means(%x: tensor<?x8x50x64xbf16>) {
  // expected-error @+1 {{expected means of 'tensor<?x8x64xf32>', one for each batch, head and column, but got none}}
  %q, %s = attn.quantize %x centered : (tensor<?x8x50x64xbf16>) -> (tensor<?x8x50x64xf8E4M3FN>, tensor<?x8xf32>)
  return
}

// -----

func.func @means(%x: tensor<2x8x50x64xbf16>) {
  // expected-error @+1 {{expected means of 'tensor<2x8x64xf32>', one for each batch, head and column, but got 'tensor<2x4x64xf32>'}}
  %q, %s, %m = attn.quantize %x centered : (tensor<2x8x50x64xbf16>) -> (tensor<2x8x50x64xf8E4M3FN>, tensor<2x4xf32>, tensor<2x4x64xf32>)
  return
}

// -----

func.func @batch_of_means(%x: tensor<2x8x50x64xbf16>) {
  // expected-error @+1 {{expected means of 'tensor<2x8x64xf32>', one for each batch, head and column, but got 'tensor<1x8x64xf32>'}}
  %q, %s, %m = attn.quantize %x centered : (tensor<2x8x50x64xbf16>) -> (tensor<2x8x50x64xf8E4M3FN>, tensor<2x8xf32>, tensor<1x8x64xf32>)
  return
}

// -----

func.func @type_of_means(%x: tensor<2x8x50x64xbf16>) {
  // expected-error @+1 {{must be ranked tensor of 32-bit float values}}
  %q, %s, %m = attn.quantize %x centered : (tensor<2x8x50x64xbf16>) -> (tensor<2x8x50x64xf8E4M3FN>, tensor<2x8xf32>, tensor<2x8x64xbf16>)
  return
}

// -----

func.func @not_centered(%x: tensor<2x8x50x64xbf16>) {
  // expected-error @+1 {{expected no means of what is not centered, but got 'tensor<2x8x64xf32>'}}
  %q, %s, %m = attn.quantize %x : (tensor<2x8x50x64xbf16>) -> (tensor<2x8x50x64xf8E4M3FN>, tensor<2x8xf32>, tensor<2x8x64xf32>)
  return
}
