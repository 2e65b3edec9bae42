// What attn.attention of FP8, scales and V by columns refuse.
// RUN: attn-opt %s --split-input-file --verify-diagnostics

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
func.func @result(%q: !q, %k: !k, %v: !k) -> !q {
  // expected-error @+1 {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got}}
  %o = attn.attention %q, %k, %v scale(0.125) : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

// A cache of FP8 is of one type, by rows.

func.func @types(%q: tensor<2x4x64x64xbf16>, %k: tensor<2x4x64x64xf8E4M3FN>, %v: tensor<2x4x64x64xbf16>) -> tensor<2x4x64x64xbf16> {
  // expected-error @+1 {{value expects the element type of key, 'f8E4M3FN', but got 'bf16'}}
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<2x4x64x64xbf16>, tensor<2x4x64x64xf8E4M3FN>, tensor<2x4x64x64xbf16>) -> tensor<2x4x64x64xbf16>
  return %o : tensor<2x4x64x64xbf16>
}

// -----

func.func @wide(%q: tensor<2x4x64x64xf32>, %k: tensor<2x4x64x64xf8E4M3FN>) -> tensor<2x4x64x64xf32> {
  // expected-error @+1 {{key expects the element type of query, 'f32', but got 'f8E4M3FN'}}
  %o = attn.attention %q, %k, %k scale(0.125) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf8E4M3FN>, tensor<2x4x64x64xf8E4M3FN>) -> tensor<2x4x64x64xf32>
  return %o : tensor<2x4x64x64xf32>
}

// -----

func.func @columns(%q: tensor<2x4x64x64xbf16>, %k: tensor<2x4x64x64xf8E4M3FN>) -> tensor<2x4x64x64xbf16> {
  // expected-error @+1 {{values(interleaved) expects values of the element type of query, 'bf16', but got 'f8E4M3FN'}}
  %o = attn.attention %q, %k, %k scale(0.125) values(interleaved) : (tensor<2x4x64x64xbf16>, tensor<2x4x64x64xf8E4M3FN>, tensor<2x4x64x64xf8E4M3FN>) -> tensor<2x4x64x64xbf16>
  return %o : tensor<2x4x64x64xbf16>
}

// -----

func.func @products(%a: tensor<16x32xf8E4M3FN>, %b: tensor<16x32xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{expected operands of one element type, but got 'f8E4M3FN' and 'bf16'}}
  %d = attn.dot %a, %b, %c transpose_rhs : tensor<16x32xf8E4M3FN>, tensor<16x32xbf16> into tensor<16x16xf32>
  return
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!v = tensor<2x2x50x64xf8E5M2>
!o = tensor<2x4x40x64xbf16>
func.func @mixed(%q: !q, %k: !k, %v: !v) -> !o {
  // expected-error @+1 {{value expects the element type of query, 'f8E4M3FN', but got 'f8E5M2'}}
  %o = attn.attention %q, %k, %v scale(0.125) : (!q, !k, !v) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @rank(%q: !q, %k: !k, %v: !k, %s: tensor<2xf32>) -> !o {
  // expected-error @+1 {{q_scale expects rank 2 (batch, KV head), but got 'tensor<2xf32>'}}
  %o = attn.attention %q, %k, %v scale(0.125) q_scale(%s : tensor<2xf32>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @heads(%q: !q, %k: !k, %v: !k, %s: tensor<2x4xf32>) -> !o {
  // expected-error @+1 {{k_scale expects 1 or 2 KV heads, but got 'tensor<2x4xf32>'}}
  %o = attn.attention %q, %k, %v scale(0.125) k_scale(%s : tensor<2x4xf32>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @batch(%q: !q, %k: !k, %v: !k, %s: tensor<3x2xf32>) -> !o {
  // expected-error @+1 {{v_scale expects batch 1 or 2, but got 3}}
  %o = attn.attention %q, %k, %v scale(0.125) v_scale(%s : tensor<3x2xf32>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @type(%q: !q, %k: !k, %v: !k, %s: tensor<2x2xf16>) -> !o {
  // expected-error @+1 {{must be ranked tensor of 32-bit float values, but got 'tensor<2x2xf16>'}}
  %o = attn.attention %q, %k, %v scale(0.125) v_scale(%s : tensor<2x2xf16>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!v = tensor<2x2x64x50xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @groups(%q: !q, %k: !k, %v: !v) -> !o {
  // expected-error @+1 {{value expects a sequence length rounded up to 64, but got 50}}
  %o = attn.attention %q, %k, %v scale(0.125) values(interleaved) : (!q, !k, !v) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x64x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @lengths(%q: !q, %k: !k, %v: !k, %n: tensor<2xi32>) -> !o {
  // expected-error @+1 {{values(interleaved) expects no lengths, but got some}}
  %o = attn.attention %q, %k, %v scale(0.125) values(interleaved) lengths(%n : tensor<2xi32>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
func.func @order(%q: !q) {
  // expected-error @+1 {{unknown order of values 'columns'; expected rows, interleaved or keys}}
  %o = attn.attention %q, %q, %q scale(0.125) values(columns) : (!q, !q, !q) -> !q
  return
}

// -----

func.func @shape(%t: tensor<16x32xf32>) {
  // expected-error @+1 {{expected a result of the shape and element type of the tile, 'tensor<16x32xf32>', but got 'tensor<16x16xf32>'}}
  %r = attn.interleave %t : tensor<16x32xf32> to tensor<16x16xf32>
  return
}

// -----

func.func @columns(%t: tensor<16x24xf32>) {
  // expected-error @+1 {{expected columns of a multiple of 16, but got 'tensor<16x24xf32>'}}
  %r = attn.interleave %t : tensor<16x24xf32> to tensor<16x24xf32>
  return
}

// -----

func.func @wide_columns(%t: tensor<16x96xf32>) {
  // expected-error @+1 {{expected columns of a multiple of 64, but got 'tensor<16x96xf32>'}}
  %r = attn.interleave %t group(64) : tensor<16x96xf32> to tensor<16x96xf32>
  return
}

// -----

func.func @group(%t: tensor<16x96xf32>) {
  // expected-error @+1 {{expected groups of 16 to 64 columns, a power of two, but got 48}}
  %r = attn.interleave %t group(48) : tensor<16x96xf32> to tensor<16x96xf32>
  return
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @blocks(%q: !q, %k: !k, %s: tensor<2x2x2xf32>) -> !o {
  // expected-error @+1 {{k_scale expects rank 2 (batch, KV head), but got 'tensor<2x2x2xf32>'}}
  %o = attn.attention %q, %k, %k scale(0.125) k_scale(%s : tensor<2x2x2xf32>) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @number(%q: !q, %k: !k, %s: tensor<2x2x3xf32>) -> !o {
  // expected-error @+1 {{v_scale expects a number of blocks of 2, but got 3 ('tensor<2x2x3xf32>')}}
  %o = attn.attention %q, %k, %k scale(0.125) v_scale(%s : tensor<2x2x3xf32>) scale_block(32) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @ofqueries(%q: !q, %k: !k, %s: tensor<2x2x2xf32>) -> !o {
  // expected-error @+1 {{q_scale expects rank 2 (batch, KV head), but got 'tensor<2x2x2xf32>'}}
  %o = attn.attention %q, %k, %k scale(0.125) q_scale(%s : tensor<2x2x2xf32>) k_scale(%s : tensor<2x2x2xf32>) scale_block(32) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @granule(%q: !q, %k: !k, %s: tensor<2x2x2xf32>) -> !o {
  // expected-error @+1 {{scale_block expects a power of two from 32 on, but got 96}}
  %o = attn.attention %q, %k, %k scale(0.125) k_scale(%s : tensor<2x2x2xf32>) scale_block(96) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<2x2x50x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @nothing(%q: !q, %k: !k, %s: tensor<2x2xf32>) -> !o {
  // expected-error @+1 {{scale_block expects k_scale or v_scale of rank 3, but got none}}
  %o = attn.attention %q, %k, %k scale(0.125) k_scale(%s : tensor<2x2xf32>) scale_block(64) : (!q, !k, !k) -> !o
  return %o : !o
}

// -----

!q = tensor<2x4x40x64xf8E4M3FN>
!k = tensor<9x2x32x64xf8E4M3FN>
!o = tensor<2x4x40x64xbf16>
func.func @pages(%q: !q, %k: !k, %s: tensor<2x2x1xf32>, %n: tensor<2xi32>, %t: tensor<2x4xi32>) -> !o {
  // expected-error @+1 {{scale_block expects no block_table, but got some}}
  %o = attn.attention %q, %k, %k scale(0.125) lengths(%n : tensor<2xi32>) block_table(%t : tensor<2x4xi32>) k_scale(%s : tensor<2x2x1xf32>) scale_block(32) : (!q, !k, !k) -> !o
  return %o : !o
}
