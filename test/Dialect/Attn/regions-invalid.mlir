// Every constraint of mask regions, captured tensors and sinks.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %s: tensor<4x1x1xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{sinks expect rank 1 (query head) or 2 (head, rows of a head), but got 'tensor<4x1x1xf32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) sinks(%s : tensor<4x1x1xf32>) : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %s: tensor<8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{sinks expects number of heads 4, but got 8 ('tensor<8xf32>')}}
  %o = attn.attention %q, %q, %q scale(0.125) sinks(%s : tensor<8xf32>) : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %s: tensor<?xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{sinks expect static sizes of 1 or more, but got 'tensor<?xf32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) sinks(%s : tensor<?xf32>) : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %x: tensor<4x8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects to yield one i1}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got this}}
    attn.yield %i : index
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %x: tensor<4x8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects arguments ('index', 'index', 'index', 'index'), but got ('index', 'index')}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index) {
    %p = arith.constant true
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %x: tensor<4x8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'arith.divui' with a divisor that may be zero or -1}}
    %d = arith.divui %i, %j : index
    %p = arith.cmpi eq, %d, %i : index
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %x: tensor<4x8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{'sorted' expects numbers of captures that are tensors of i32 or i64, but got 1}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%t : tensor<4x8xi32>) keep(%b: index, %h: index, %i: index, %j: index, %n: tensor<4x8xi32>) {
    %p = arith.constant true
    attn.yield %p : i1
  } {sorted = array<i64: 1>} : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<4x8xi32>, %x: tensor<4x8xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{'sorted' expects numbers of captures that are tensors of i32 or i64, but got 0}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%x : tensor<4x8xf32>) keep(%b: index, %h: index, %i: index, %j: index, %n: tensor<4x8xf32>) {
    %p = arith.constant true
    attn.yield %p : i1
  } {sorted = array<i64: 0>} : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %p = arith.constant true
    attn.yield %p : i1
  }
  // expected-error @below {{expected one region of each kind, but got a second one}}
  keep(%b: index, %h: index, %i: index, %j: index) {
    %p = arith.constant true
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}
