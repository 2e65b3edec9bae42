// Every constraint of level 3: layouts and the tiles that have them, rings, slots and
// pending copies, conversions, reductions, streams that produce and stores through
// shared memory.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// #attn.fragment: modes
//===----------------------------------------------------------------------===//

// expected-error @below {{expected modes with 1 or 2 strides, but got 3}}
module attributes {test.attr = #attn.fragment<threads [4:(0, 2, 1)], registers []>} {}

// -----

// expected-error @below {{expected modes with 1 or 2 strides, but got 0}}
module attributes {test.attr = #attn.fragment<threads [4:()], registers []>} {}

// -----

// expected-error @below {{expected 2 strides, as the modes before, but got 1}}
module attributes {test.attr = #attn.fragment<threads [4:(0, 2), 8:(1)], registers []>} {}

// -----

// Threads and registers agree.
// expected-error @below {{expected 1 strides, as the modes before, but got 2}}
module attributes {test.attr = #attn.fragment<threads [4:(1)], registers [2:(0, 1)]>} {}

// -----

// expected-error @below {{expected modes of size 1 to 65536, but got 0}}
module attributes {test.attr = #attn.fragment<threads [0:(1)], registers []>} {}

// -----

// expected-error @below {{expected modes of size 1 to 65536, but got -4}}
module attributes {test.attr = #attn.fragment<threads [], registers [-4:(1)]>} {}

// -----

// expected-error @below {{expected modes of size 1 to 65536, but got 65537}}
module attributes {test.attr = #attn.fragment<threads [65537:(1)], registers []>} {}

// -----

// expected-error @below {{expected at most 65536 threads and registers}}
module attributes {test.attr = #attn.fragment<threads [256:(1), 257:(0)], registers []>} {}

// -----

// expected-error @below {{expected at most 65536 threads and registers}}
module attributes {test.attr = #attn.fragment<threads [], registers [65536:(1), 65536:(0), 65536:(1), 65536:(0)]>} {}

// -----

// expected-error @below {{expected strides of 0 to 65536, but got -1}}
module attributes {test.attr = #attn.fragment<threads [4:(0, -1)], registers []>} {}

// -----

// expected-error @below {{expected strides of 0 to 65536, but got 65537}}
module attributes {test.attr = #attn.fragment<threads [], registers [2:(65537)]>} {}

// -----

// expected-error @below {{integer value too large}}
module attributes {test.attr = #attn.fragment<threads [99999999999999999999:(1)], registers []>} {}

// -----

// expected-error @below {{expected 'threads'}}
module attributes {test.attr = #attn.fragment<registers [], threads []>} {}

// -----

// expected-error @below {{expected ','}}
module attributes {test.attr = #attn.fragment<threads []>} {}

// -----

// expected-error @below {{expected 'registers'}}
module attributes {test.attr = #attn.fragment<threads [], lanes []>} {}

// -----

// expected-error @below {{expected ':'}}
module attributes {test.attr = #attn.fragment<threads [4], registers []>} {}

// -----

// expected-error @below {{expected '('}}
module attributes {test.attr = #attn.fragment<threads [4:2], registers []>} {}

// -----

// expected-error @below {{expected 'rank'}}
module attributes {test.attr = #attn.fragment<threads [], registers [], warps []>} {}

// -----

// expected-error @below {{expected '<'}}
module attributes {test.attr = #attn.fragment} {}

// -----

//===----------------------------------------------------------------------===//
// #attn.fragment: the normal form
//===----------------------------------------------------------------------===//

// expected-error @below {{expected the normal form: no mode of size 1, and none that continues the one before it}}
module attributes {test.attr = #attn.fragment<threads [1:(0, 2)], registers []>} {}

// -----

// 2:(1), 4:(2) counts as 8:(1) does.
// expected-error @below {{expected the normal form: no mode of size 1, and none that continues the one before it}}
module attributes {test.attr = #attn.fragment<threads [], registers [2:(1), 4:(2)]>} {}

// -----

// So do copies.
// expected-error @below {{expected the normal form: no mode of size 1, and none that continues the one before it}}
module attributes {test.attr = #attn.fragment<threads [2:(0, 0), 4:(0, 0)], registers []>} {}

// -----

// And a third on top of two that do not.
// expected-error @below {{expected the normal form: no mode of size 1, and none that continues the one before it}}
module attributes {test.attr = #attn.fragment<threads [], registers [2:(8, 0), 2:(0, 1), 3:(0, 2)]>} {}

// -----

//===----------------------------------------------------------------------===//
// #attn.fragment: tiles
//===----------------------------------------------------------------------===//

// expected-error @below {{expected a tile of rank 2 for #attn.fragment<threads [4:(0, 2)], registers [2:(0, 1)]>, but got rank 1}}
func.func private @f(tensor<8xf32, #attn.fragment<threads [4:(0, 2)], registers [2:(0, 1)]>>)

// -----

// expected-error @below {{expected a tile of rank 1 for #attn.fragment<threads [4:(1)], registers []>, but got rank 2}}
func.func private @f(tensor<4x1xf32, #attn.fragment<threads [4:(1)], registers []>>)

// -----

// expected-error @below {{expected a tile of rank 1 for #attn.fragment<threads [4:(1)], registers []>, but got rank 0}}
func.func private @f(tensor<f32, #attn.fragment<threads [4:(1)], registers []>>)

// -----

// Fewer places than elements, and more.
// expected-error @below {{layout #attn.fragment<threads [32:(1)], registers [2:(32)]> has 64 places for 65 elements}}
func.func private @f(tensor<65xf32, #attn.fragment<threads [32:(1)], registers [2:(32)]>>)

// -----

// expected-error @below {{layout #attn.fragment<threads [32:(1)], registers [2:(32)]> has 64 places for 63 elements}}
func.func private @f(tensor<63xf32, #attn.fragment<threads [32:(1)], registers [2:(32)]>>)

// -----

// Copies do not count as places.
// expected-error @below {{layout #attn.fragment<threads [2:(0), 16:(1)], registers []> has 16 places for 32 elements}}
func.func private @f(tensor<32xf32, #attn.fragment<threads [2:(0), 16:(1)], registers []>>)

// -----

// As many places as elements, but on some of them two.
// expected-error @below {{layout #attn.fragment<threads [4:(0, 1), 2:(0, 2)], registers []> has two places for an element, one of which is register 0 of thread 4}}
func.func private @f(tensor<2x4xf32, #attn.fragment<threads [4:(0, 1), 2:(0, 2)], registers []>>)

// -----

// expected-error @below {{layout #attn.fragment<threads [2:(1)], registers [2:(1)]> has two places for an element, one of which is register 0 of thread 1}}
func.func private @f(tensor<4xf32, #attn.fragment<threads [2:(1)], registers [2:(1)]>>)

// -----

// Within a thread.
// expected-error @below {{layout #attn.fragment<threads [], registers [2:(0, 1), 3:(0, 1)]> has two places for an element, one of which is register 2 of thread 0}}
func.func private @f(tensor<1x6xf32, #attn.fragment<threads [], registers [2:(0, 1), 3:(0, 1)]>>)

// -----

// Registers hold no copies: only threads do.
// expected-error @below {{layout #attn.fragment<threads [4:(1)], registers [2:(0)]> has 8 places for 4 elements}}
func.func private @f(tensor<4xf32, #attn.fragment<threads [4:(1)], registers [2:(0)]>>)

// -----

// expected-error @below {{layout #attn.fragment<threads [4:(1)], registers [2:(0)]> has two places for an element, one of which is register 1 of thread 0}}
func.func private @f(tensor<8xf32, #attn.fragment<threads [4:(1)], registers [2:(0)]>>)

// -----

// With copies, each element has as many owners.
// expected-error @below {{layout #attn.fragment<threads [2:(0), 2:(1)], registers [2:(1)]> has two places for an element, one of which is register 0 of thread 2}}
func.func private @f(tensor<4xf32, #attn.fragment<threads [2:(0), 2:(1)], registers [2:(1)]>>)

// -----

// expected-error @below {{layout #attn.fragment<threads [4:(1, 0), 2:(0, 1)], registers [2:(0, 4)]> leaves the tile in register 1 of thread 0}}
func.func private @f(tensor<4x4xf32, #attn.fragment<threads [4:(1, 0), 2:(0, 1)], registers [2:(0, 4)]>>)

// -----

// 3 * 6148914691236517216 is 32, modulo 2^64.
// expected-error @below {{expected static sizes of at most 2^63 - 1 elements for}}
module attributes {test.attr = tensor<3x6148914691236517216xf16, #attn.fragment<threads [32:(0, 1)], registers []>>} {}

// -----

//===----------------------------------------------------------------------===//
// #attn.shared
//===----------------------------------------------------------------------===//

// Bytes of a row beyond 64 bits.
// expected-error @below {{expected static sizes of at most 2^63 - 1 bytes a row in shared memory}}
module attributes {test.attr = tensor<64x4611686018427387904xf16, #attn.shared<128>>} {}

// -----

// expected-error @below {{expected static sizes of at most 2^63 - 1 bytes a row in shared memory}}
module attributes {test.attr = tensor<64x?xf16, #attn.shared<128>>} {}

// -----

// expected-error @below {{expected a span of 32, 64 or 128 bytes, but got 48}}
module attributes {test.attr = #attn.shared<48>} {}

// -----

// expected-error @below {{expected a span of 32, 64 or 128 bytes, but got 0}}
module attributes {test.attr = #attn.shared<0>} {}

// -----

// expected-error @below {{expected a span of 32, 64 or 128 bytes, but got 16}}
module attributes {test.attr = #attn.shared<16>} {}

// -----

// expected-error @below {{expected a span of 32, 64 or 128 bytes, but got 256}}
module attributes {test.attr = #attn.shared<256>} {}

// -----

// expected-error @below {{expected a span of 32, 64 or 128 bytes, but got -32}}
module attributes {test.attr = #attn.shared<-32>} {}

// -----

// expected-error @below {{expected a tile of rank 2 in shared memory, but got rank 1}}
func.func private @f(tensor<64xbf16, #attn.shared<32>>)

// -----

// expected-error @below {{expected a tile of rank 2 in shared memory, but got rank 3}}
func.func private @f(tensor<1x64x64xbf16, #attn.shared<32>>)

// -----

// expected-error @below {{expected elements of whole bytes in shared memory, but got 'i1'}}
func.func private @f(tensor<64x256xi1, #attn.shared<32>>)

// -----

// expected-error @below {{expected elements of whole bytes in shared memory, but got 'index'}}
func.func private @f(tensor<64x64xindex, #attn.shared<32>>)

// -----

// expected-error @below {{expected rows of a multiple of 32 bytes, but got 144}}
func.func private @f(tensor<64x72xbf16, #attn.shared<128>>)

// -----

// Threads fill whole panels alone.
// expected-error @below {{expected rows of a multiple of 128 bytes, but got 64}}
func.func private @f(tensor<64x32xbf16, #attn.shared<128, folded>>)

// -----

// expected-error @below {{expected rows of a multiple of 128 bytes, but got 64}}
func.func private @f(tensor<64x32xbf16, #attn.shared<128, paired>>)

// -----

// One for banks of gfx942, the other for those of gfx950.
// expected-error @below {{expected 'folded' or 'paired', but got both}}
func.func private @f(tensor<64x64xbf16, #attn.shared<128, folded, paired>>)

// -----

// expected-error @below {{expected 'transposed', 'folded' or 'paired', once each, but got 'paired'}}
func.func private @f(tensor<64x64xbf16, #attn.shared<128, paired, paired>>)

// -----

// expected-error @below {{expected rows of a multiple of 32 bytes, but got 48}}
func.func private @f(tensor<64x12xf32, #attn.shared<64>>)

// -----

// expected-error @below {{expected rows of a multiple of 32 bytes, but got 112}}
func.func private @f(tensor<64x56xbf16, #attn.shared<32>>)

// -----

// expected-error @below {{expected one or a multiple of 8 rows in shared memory, but got 12}}
func.func private @f(tensor<12x64xbf16, #attn.shared<128>>)

// -----

//===----------------------------------------------------------------------===//
// Rings, slots and pending copies: types
//===----------------------------------------------------------------------===//

// expected-error @below {{expected 1 to 64 stages, but got 0}}
func.func private @f(!attn.ring<0 x tensor<64x64xbf16, #attn.shared<128>>>)

// -----

// expected-error @below {{expected 1 to 64 stages, but got 65}}
func.func private @f(!attn.ring<65 x tensor<64x64xbf16, #attn.shared<128>>>)

// -----

// expected-error @below {{expected 1 to 64 stages, but got -1}}
func.func private @f(!attn.ring<-1 x tensor<64x64xbf16, #attn.shared<128>>>)

// -----

// expected-error @below {{expected a tile with a layout in shared memory (#attn.shared), but got 'tensor<64x64xbf16>'}}
func.func private @f(!attn.ring<2 x tensor<64x64xbf16>>)

// -----

// expected-error @below {{expected a tile with a layout in shared memory (#attn.shared), but got 'tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>>'}}
func.func private @f(!attn.ring<2 x tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>>>)

// -----

// expected-error @below {{expected a tile with a layout in shared memory (#attn.shared), but got 'tensor<64x64xbf16>'}}
func.func private @f(!attn.slot<tensor<64x64xbf16>>)

// -----

// expected-error @below {{expected a tile with a layout in shared memory (#attn.shared), but got 'tensor<64x64xbf16>'}}
func.func private @f(!attn.pending<tensor<64x64xbf16>>)

// -----

// expected-error @below {{failed to parse Attn_RingType parameter 'tile'}}
// expected-error @+1 {{invalid kind of type specified}}
func.func private @f(!attn.ring<2 x f32>)

// -----

// expected-error @+2 {{expected integer value}}
// expected-error @below {{failed to parse Attn_RingType parameter 'stages'}}
func.func private @f(!attn.ring<tensor<64x64xbf16, #attn.shared<128>>>)

// -----

//===----------------------------------------------------------------------===//
// Rings: operations
//===----------------------------------------------------------------------===//

attn.kernel @k() {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected the tile of its ring, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<32x64xbf16, #attn.shared<128>>'}}
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<32x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected to be ahead by less than the 2 stages of its ring, but got 2}}
  %s = attn.ring.acquire %r ahead 2 : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected to be ahead by less than the 2 stages of its ring, but got -1}}
  %s = attn.ring.acquire %r ahead -1 : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

// The layout is part of the tile.
attn.kernel @k() {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.wait' op expected the tile of its ring, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<64x64xbf16, #attn.shared<64>>'}}
  %t = attn.ring.wait %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> tensor<64x64xbf16, #attn.shared<64>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.wait' op expected the tile of its ring, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<64x64xbf16>'}}
  %t = attn.ring.wait %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> tensor<64x64xbf16>
}

// -----

// A slot is no ring, a ring no slot.
attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op operand #0 must be free slot of a ring, about to be filled, but got '!attn.ring<2 x tensor<64x64xbf16, #attn.shared<128>>>'}}
  %p = "attn.ring.issue"(%r, %v, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>}> : (!attn.ring<2 x tensor<64x64xbf16, #attn.shared<128>>>, !attn.view<?x64xbf16>, index, index) -> !attn.pending<tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

// What is under way cannot be waited for as if it were there.
attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.land' op operand #0 must be copy under way into a slot, but got '!attn.slot<tensor<64x64xbf16, #attn.shared<128>>>'}}
  "attn.ring.land"(%s) : (!attn.slot<tensor<64x64xbf16, #attn.shared<128>>>) -> ()
}

// -----

attn.kernel @k(%s: !attn.view<?x64xbf16>) {
  // expected-error @below {{'attn.ring.release' op operand #0 must be ring of tiles in shared memory, filled and drained in turn, but got '!attn.view<?x64xbf16>'}}
  "attn.ring.release"(%s) : (!attn.view<?x64xbf16>) -> ()
}

// -----

// What a release waits for is one number a row.
func.func @k(%m: tensor<64x64xf32>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.release' op operand #1 must be tile of rank 1 of 32-bit float values, but got 'tensor<64x64xf32>'}}
  attn.ring.release %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> after %m : tensor<64x64xf32>
  return
}

// -----

func.func @k(%m: tensor<64xbf16>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.release' op operand #1 must be tile of rank 1 of 32-bit float values, but got 'tensor<64xbf16>'}}
  attn.ring.release %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> after %m : tensor<64xbf16>
  return
}

// -----

func.func @k(%m: tensor<?xf32>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.release' op operand #1 must be tile of rank 1 of 32-bit float values, but got 'tensor<?xf32>'}}
  attn.ring.release %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> after %m : tensor<?xf32>
  return
}

// -----

func.func @k(%m: f32) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.release' op operand #1 must be tile of rank 1 of 32-bit float values, but got 'f32'}}
  attn.ring.release %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> after %m : f32
  return
}

// -----

// It waits for one.
func.func @k(%m: tensor<64xf32>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.release' op operand group starting at #1 requires 0 or 1 element, but found 2}}
  "attn.ring.release"(%r, %m, %m) : (!attn.ring<2 x tensor<64x64xbf16, #attn.shared<128>>>, tensor<64xf32>, tensor<64xf32>) -> ()
  return
}

// -----

func.func @k(%m: tensor<64xf32>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{expected ':'}}
  attn.ring.release %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> after %m
  return
}

// -----

attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op expected to hand on the tile of its slot, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<32x64xbf16, #attn.shared<128>>'}}
  %p = attn.ring.issue %s, %v[%i, %i] : <tensor<64x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<32x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op expected a view of 'bf16' as the slot has, but got '!attn.view<?x64xf16>'}}
  %p = attn.ring.issue %s, %v[%i, %i] : <tensor<64x64xbf16, #attn.shared<128>>>, <?x64xf16> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k(%v: !attn.view<?x8x?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op expected 4 offsets, one for each dimension of '!attn.view<?x8x?x64xbf16>', but got 2}}
  %p = attn.ring.issue %s, %v[%i, %i] : <tensor<64x64xbf16, #attn.shared<128>>>, <?x8x?x64xbf16> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op expected 2 offsets, one for each dimension of '!attn.view<?x64xbf16>', but got 3}}
  %p = attn.ring.issue %s, %v[%i, %i, %i] : <tensor<64x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k(%v: !attn.view<?xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.issue' op expected a view of rank 2 or more, but got '!attn.view<?xbf16>'}}
  %p = attn.ring.issue %s, %v[%i] : <tensor<64x64xbf16, #attn.shared<128>>>, <?xbf16> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k(%v: !attn.view<?x64xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'by' [tensor, async, registers, lds]}}
  %p = attn.ring.issue %s, %v[%i, %i] by bulk : <tensor<64x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<64x64xbf16, #attn.shared<128>>>
}

// -----

//===----------------------------------------------------------------------===//
// Slots of several parts
//===----------------------------------------------------------------------===//

attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected 2 or more equal parts of 128 rows, but got 1}}
  %r = attn.ring.create own_rows parts 1 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected 2 or more equal parts of 128 rows, but got 0}}
  %r = attn.ring.create own_rows parts 0 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected 2 or more equal parts of 128 rows, but got -2}}
  %r = attn.ring.create own_rows parts -2 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

// Parts have whole rows.
attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected 2 or more equal parts of 128 rows, but got 3}}
  %r = attn.ring.create own_rows parts 3 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected 2 or more equal parts of 128 rows, but got 256}}
  %r = attn.ring.create own_rows parts 256 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

// Others may read any rows of the tile.
attn.kernel @k() {
  // expected-error @below {{'attn.ring.create' op expected parts of a ring that is `own_rows`}}
  %r = attn.ring.create parts 2 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create own_rows : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected one of the parts of its ring, of which there are 1, but got number 0}}
  %s = attn.ring.acquire %r part 0 : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> <tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create own_rows parts 2 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected one of the parts of its ring, of which there are 2, but got number 2}}
  %s = attn.ring.acquire %r part 2 : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> <tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

attn.kernel @k() {
  %r = attn.ring.create own_rows parts 2 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected one of the parts of its ring, of which there are 2, but got number -1}}
  %s = attn.ring.acquire %r part -1 : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> <tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

// A part is taken by itself.
attn.kernel @k() {
  %r = attn.ring.create own_rows parts 2 : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  // expected-error @below {{'attn.ring.acquire' op expected one of the 2 parts of a slot of its ring, but got none}}
  %s = attn.ring.acquire %r : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> <tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

// Nobody knows how many parts it has.
func.func @f(%r: !attn.ring<1 x tensor<128x64xbf16, #attn.shared<128>>>) {
  // expected-error @below {{'attn.ring.acquire' op expected one of the parts of its ring, of which there are 1, but got number 1}}
  %s = attn.ring.acquire %r part 1 : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> <tensor<128x64xbf16, #attn.shared<128>>>
  return
}

// -----

// One order of what is said.
attn.kernel @k() {
  // expected-error @below {{expected ':'}}
  %r = attn.ring.create parts 2 own_rows : <1 x tensor<128x64xbf16, #attn.shared<128>>>
}

// -----

//===----------------------------------------------------------------------===//
// attn.convert_layout
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<64x64xbf16, #attn.shared<128>>) {
  // expected-error @below {{'attn.convert_layout' op requires the same shape for all operands and results}}
  %b = attn.convert_layout %a : tensor<64x64xbf16, #attn.shared<128>> to tensor<64x32xbf16, #attn.shared<64>>
  return
}

// -----

func.func @f(%a: tensor<64x64xbf16, #attn.shared<128>>) {
  // expected-error @below {{'attn.convert_layout' op requires the same element type for all operands and results}}
  %b = attn.convert_layout %a : tensor<64x64xbf16, #attn.shared<128>> to tensor<64x64xf16, #attn.shared<128>>
  return
}

// -----

func.func @f(%a: tensor<64x64xi8, #attn.shared<64>>) {
  // expected-error @below {{'attn.convert_layout' op operand #0 must be tile in shared memory of 16-bit float or bfloat16 type or 32-bit float or f8E4M3FN type or f8E5M2 type or f8E4M3FNUZ type values, but got 'tensor<64x64xi8, #attn.shared<64>>'}}
  %b = attn.convert_layout %a : tensor<64x64xi8, #attn.shared<64>> to tensor<64x64xi8, #attn.shared<64>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.reduce_registers
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<64x64xf32>) {
  // expected-error @below {{expected a matrix in registers (#attn.fragment), but got 'tensor<64x64xf32>'}}
  %b = attn.reduce_registers sum %a : tensor<64x64xf32>
  return
}

// -----

func.func @f(%a: tensor<64x64xf32, #attn.shared<128>>) {
  // expected-error @below {{expected a matrix in registers (#attn.fragment), but got 'tensor<64x64xf32, #attn.shared<128>>'}}
  %b = attn.reduce_registers sum %a : tensor<64x64xf32, #attn.shared<128>>
  return
}

// -----

func.func @f(%a: tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>) {
  // expected-error @below {{expected a matrix in registers (#attn.fragment), but got 'tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>'}}
  %b = attn.reduce_registers max %a : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
  return
}

// -----

// The result is what the layout says.
func.func @f(%a: tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) {
  // expected-error-re @+2 {{inferred type(s) {{.*}}tensor<8x4xf32, {{.*}} are incompatible with return type(s) of operation {{.*}}tensor<8x8xf32}}
  // expected-error @below {{'attn.reduce_registers' op failed to infer returned types}}
  %b = "attn.reduce_registers"(%a) <{kind = 0 : i32}> : (tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) -> tensor<8x8xf32>
  return
}

// -----

// Of integers, maxima alone, and of 32 bits: they are scores.
func.func @f(%a: tensor<8x8xi32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) {
  // expected-error @below {{'attn.reduce_registers' op expected the maximum of integers, but got 'sum' of 'i32'}}
  %b = attn.reduce_registers sum %a : tensor<8x8xi32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>
  return
}

// -----

func.func @f(%a: tensor<8x8xi64, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) {
  // expected-error @below {{'attn.reduce_registers' op operand #0 must be tile of numbers}}
  %b = attn.reduce_registers max %a : tensor<8x8xi64, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.reduce and attn.broadcast of fragments
//===----------------------------------------------------------------------===//

// The rows of a tile have the tile's layout, less its columns.
func.func @f(%m: tensor<8xf32>) {
  // expected-error @below {{'attn.broadcast' op expected rows in the layout of the tile's rows, 'tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>>', but got 'tensor<8xf32>'}}
  %b = attn.broadcast %m : tensor<8xf32> to tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>
  return
}

// -----

func.func @f(%m: tensor<8xf32, #attn.fragment<threads [8:(1), 4:(0)], registers []>>) {
  // expected-error @below {{'attn.broadcast' op expected rows in the layout of the tile's rows, 'tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>>', but got 'tensor<8xf32, #attn.fragment<threads [8:(1), 4:(0)], registers []>>'}}
  %b = attn.broadcast %m : tensor<8xf32, #attn.fragment<threads [8:(1), 4:(0)], registers []>> to tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>
  return
}

// -----

func.func @f(%m: tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>>) {
  // expected-error @below {{'attn.broadcast' op expected rows in the layout of the tile's rows, 'tensor<8xf32>', but got 'tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>>'}}
  %b = attn.broadcast %m : tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>> to tensor<8x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) {
  // expected-error-re @+2 {{inferred type(s) {{.*}}tensor<8xf32, #attn.fragment<threads [4:(0), 8:(1)], registers []>>{{.*}} are incompatible with return type(s) of operation {{.*}}tensor<8xf32>}}
  // expected-error @below {{'attn.reduce' op failed to infer returned types}}
  %b = "attn.reduce"(%a) <{kind = 0 : i32}> : (tensor<8x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1)]>>) -> tensor<8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.store through
//===----------------------------------------------------------------------===//

attn.kernel @k(%x: !attn.view<?x?xbf16>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16>
  // expected-error @below {{'attn.store' op expected scratch in shared memory, but got 'tensor<64x64xbf16>'}}
  attn.store %t, %x[%i, %i] through %t(tensor<64x64xbf16>) : tensor<64x64xbf16> -> <?x?xbf16>
}

// -----

attn.kernel @k(%x: !attn.view<?xbf16>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>>
  // expected-error @below {{'attn.store' op expected scratch in shared memory, but got 'tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>>'}}
  attn.store %t, %x[%i] through %t(tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>>) : tensor<32xbf16, #attn.fragment<threads [32:(1)], registers []>> -> <?xbf16>
}

// -----

// Scratch holds the tile: a smaller one would be overrun.
attn.kernel @k(%x: !attn.view<?x?xbf16>, %i: index) {
  %r = attn.ring.create : <1 x tensor<8x16xbf16, #attn.shared<32>>>
  %s = attn.ring.wait %r : <1 x tensor<8x16xbf16, #attn.shared<32>>> -> tensor<8x16xbf16, #attn.shared<32>>
  %t = arith.constant dense<0.0> : tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
  // expected-error-re @below {{'attn.store' op expected scratch {{.*}}}}
  attn.store %t, %x[%i, %i] through %s(tensor<8x16xbf16, #attn.shared<32>>) : tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>> -> <?x?xbf16>
}

// -----

//===----------------------------------------------------------------------===//
// attn.stream with a producer
//===----------------------------------------------------------------------===//

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{'attn.stream' op expected to yield nothing, but got 'f32'}}
  attn.stream %j step 8 over [%n to %n] produce (%a) {
    attn.yield %f : f32
  } {
  }
}

// -----

// Not what the body carries, either.
attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{'attn.stream' op expected to yield nothing, but got 'f32'}}
  %0 = attn.stream %j step 8 over [%n to %n] carry (%c = %f : f32) produce (%a) {
    attn.yield %f : f32
  } {
    attn.yield %c : f32
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.stream' op expected a producer of one argument of type index}}
  "attn.stream"(%n, %n) <{masked = array<i1: true>, step = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {
    attn.yield
  }) : (index, index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.stream' op expected a producer of one argument of type index}}
  "attn.stream"(%n, %n) <{masked = array<i1: true>, step = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {
  ^bb0(%a: i32):
    attn.yield
  }) : (index, index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.stream' op expected a producer of one argument of type index}}
  "attn.stream"(%n, %n) <{masked = array<i1: true>, step = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {
  ^bb0(%a: index, %b: index):
    attn.yield
  }) : (index, index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.stream' op expects region #1 to have 0 or 1 blocks}}
  attn.stream %j step 1 over [%n to %n] produce (%a) {
    cf.br ^next
  ^next:
    attn.yield
  } {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected '('}}
  attn.stream %j step 1 over [%n to %n] produce %a {
  } {
  }
}

// -----

// The body sees nothing of the producer.
attn.kernel @k(%n: index) {
  attn.stream %j step 1 over [%n to %n] produce (%a) {
  } {
    // expected-error @below {{use of undeclared SSA value name}}
    %0 = arith.addi %a, %a : index
  }
}

// -----

// And the producer nothing of the body.
attn.kernel @k(%n: index) {
  // expected-error @below {{region entry argument '%j' is already in use}}
  attn.stream %j step 1 over [%n to %n] produce (%a) {
    // expected-note @below {{previously referenced here}}
    %0 = arith.addi %j, %j : index
  } {
  }
}

// -----

attn.kernel @k() {
  // expected-error @below {{expected memory for 1 to 2 stages, but got 3}}
  %r = attn.ring.create slots 3 : <2 x tensor<16x16xbf16, #attn.shared<32>>>
}

// -----

attn.kernel @k() {
  // expected-error @below {{expected memory for 1 to 2 stages, but got 0}}
  %r = attn.ring.create slots 0 : <2 x tensor<16x16xbf16, #attn.shared<32>>>
}

// -----

// Where no slot is taken a copy lands somewhere all the same.
attn.kernel @k(%when: i1) {
  // expected-note @below {{it has memory for all of them}}
  %r = attn.ring.create slots 2 : <2 x tensor<16x16xbf16, #attn.shared<32>>>
  // expected-error @below {{expected a ring with stages in registers (`slots`) to fill under a condition, or one filled by 'lds', but got '!attn.ring<2 x tensor<16x16xbf16, #attn.shared<32>>>'}}
  %s = attn.ring.acquire %r when %when : <2 x tensor<16x16xbf16, #attn.shared<32>>> -> <tensor<16x16xbf16, #attn.shared<32>>>
}

// -----

func.func @k(%p: tensor<64x32xbf16>, %s: !attn.slot<tensor<64x64xbf16, #attn.shared<128>>>) {
  // expected-error @below {{expected the shape and elements of its slot, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<64x32xbf16>'}}
  attn.ring.put %p into %s : tensor<64x32xbf16> into <tensor<64x64xbf16, #attn.shared<128>>>
  return
}

// -----

func.func @k(%p: tensor<64x64xf16>, %s: !attn.slot<tensor<64x64xbf16, #attn.shared<128>>>) {
  // expected-error @below {{expected the shape and elements of its slot, 'tensor<64x64xbf16, #attn.shared<128>>', but got 'tensor<64x64xf16>'}}
  attn.ring.put %p into %s : tensor<64x64xf16> into <tensor<64x64xbf16, #attn.shared<128>>>
  return
}

// -----

func.func @k(%p: tensor<64x64xbf16, #attn.shared<128>>, %s: !attn.slot<tensor<64x64xbf16, #attn.shared<128>>>) {
  // expected-error @below {{expected a tile in registers, but got 'tensor<64x64xbf16, #attn.shared<128>>'}}
  attn.ring.put %p into %s : tensor<64x64xbf16, #attn.shared<128>> into <tensor<64x64xbf16, #attn.shared<128>>>
  return
}

// -----

func.func @k(%t: tensor<64x32xf8E4M3FN>, %s: !attn.slot<tensor<32x64xf8E4M3FN, #attn.shared<64>>>) {
  // expected-error @below {{expected a tile in shared memory, but got 'tensor<64x32xf8E4M3FN>'}}
  attn.ring.arrange %t into %s : tensor<64x32xf8E4M3FN> into <tensor<32x64xf8E4M3FN, #attn.shared<64>>>
  return
}

// -----

func.func @k(%t: tensor<64x32xf8E4M3FN, #attn.shared<32>>, %s: !attn.slot<tensor<64x32xf8E4M3FN, #attn.shared<32>>>) {
  // expected-error @below {{expected the columns of its slot, 'tensor<64x32xf8E4M3FN, #attn.shared<32>>', as rows, but got 'tensor<64x32xf8E4M3FN, #attn.shared<32>>'}}
  attn.ring.arrange %t into %s : tensor<64x32xf8E4M3FN, #attn.shared<32>> into <tensor<64x32xf8E4M3FN, #attn.shared<32>>>
  return
}

// -----

func.func @k(%p: tensor<64x64xbf16>) {
  // expected-note @below {{the ring is created here}}
  %r = attn.ring.create slots 1 : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  // expected-error @below {{expected a ring whose stages all have memory, but got one with 1 slots for 2 stages}}
  attn.ring.put %p into %s : tensor<64x64xbf16> into <tensor<64x64xbf16, #attn.shared<128>>>
  return
}

// -----

func.func @k(%r: !attn.ring<1 x tensor<64x64xbf16, #attn.shared<128>>>) {
  // expected-error @below {{expected to lie over rings straight from attn.ring.create, but got }}
  %o = attn.ring.create over(%r : !attn.ring<1 x tensor<64x64xbf16, #attn.shared<128>>>) : <1 x tensor<64x64xbf16, #attn.shared<128>>>
  return
}
