// Lists of blocks that do not fit what they are of.
// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<2x4x64x64xf16>, %i: tensor<1x4x1xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect counts and numbers of the blocks that masks are asked for, and perhaps of those that they are not, 2 or 4 tensors, but got 1}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%i : tensor<1x4x1xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect the queries and keys of a block, each a multiple of 16 up to 65536, but got <64>}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect the queries and keys of a block, each a multiple of 16 up to 65536, but got <64, 24>}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 24>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{each a multiple of 16 up to 65536, but got <64, 131072>}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 131072>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect counts of rank 3 (batch, head, rows of blocks), but got 'tensor<1x4xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<1x4xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect numbers of rank 4 (batch, head, rows of blocks, columns), but got 'tensor<1x4x2xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<3x4x1xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect counts of batch 1 or 2, but got 'tensor<3x4x1xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<3x4x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x2x1xi32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect counts of 1 or 4 query heads, but got 'tensor<1x2x1xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<1x2x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x2x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect numbers of 1 rows of blocks, of 64 queries each, but got 'tensor<1x4x2x2xi32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x2x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xf32>, %i: tensor<1x4x1x2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{must be variadic of ranked tensor of 32-bit signless integer or 64-bit signless integer values}}
  %o = attn.attention %q, %q, %q scale(0.125) blocks<64, 64>(%n, %i : tensor<1x4x1xf32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %n: tensor<1x4x1xi32>, %i: tensor<1x4x1x2xi32>, %l: tensor<2xi32>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blocks expect no lengths, but got some}}
  %o = attn.attention %q, %q, %q scale(0.125) lengths(%l : tensor<2xi32>) blocks<64, 64>(%n, %i : tensor<1x4x1xi32>, tensor<1x4x1x2xi32>) : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16> {
  // expected-error @below {{blockSize expects lists of blocks, but got none}}
  %o = attn.attention %q, %q, %q scale(0.125) {blockSize = array<i64: 64, 64>} : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16>
  return %o : tensor<2x4x64x64xf16>
}
