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

// -----

func.func @f(%q: tensor<1x4x16x64xf16>, %t: tensor<f32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{expects captured tensors of rank 1 or more, and scalars as such, but got 'tensor<f32>'}}
  %o = attn.attention %q, %q, %q scale(0.125) captures(%t : tensor<f32>) keep(%b: index, %h: index, %i: index, %j: index, %x: tensor<f32>) {
    %p = arith.constant true
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %c = arith.constant 1 : i32
    %n = arith.index_cast %j : index to i32
    // expected-note @below {{but got 'arith.shrui' with an amount that may be all bits or more}}
    %x = arith.shrui %c, %n : i32
    %p = arith.cmpi eq, %x, %c : i32
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that are defined for any index}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %c = arith.constant 32 : index
    // expected-note @below {{but got 'arith.shli' with an amount that may be all bits or more}}
    %x = arith.shli %j, %c : index
    %p = arith.cmpi sle, %x, %i : index
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects an index that is cast to fewer than 32 bits to become no index again}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %x = arith.index_cast %j : index to i8
    // expected-note @below {{but got 'arith.index_cast' of 'i8'}}
    %y = arith.index_cast %x : i8 to index
    %p = arith.cmpi sle, %y, %i : index
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects an index that is cast to fewer than 32 bits to become no index again}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %x = arith.index_cast %j : index to i8
    %w = arith.extsi %x : i8 to i32
    // expected-note @below {{but got 'arith.index_cast' of 'i32'}}
    %y = arith.index_cast %w : i32 to index
    %p = arith.cmpi sle, %y, %i : index
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that mean the same on all targets}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %c = arith.constant 3.0 : f32
    // expected-note @below {{but got 'arith.cmpf' with a predicate that compares nothing}}
    %p = arith.cmpf false, %x, %c : f32
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that mean the same on all targets}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %c = arith.constant 3.0 : f32
    // expected-note @below {{but got 'arith.cmpf' with a predicate that compares nothing}}
    %p = arith.cmpf true, %x, %c : f32
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that mean the same on all targets}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %c = arith.constant 3.0 : f32
    // expected-note @below {{but got 'arith.fptosi' with i1 as its result}}
    %p = arith.fptosi %x : f32 to i1
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that mean the same on all targets}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %c = arith.constant 3.0 : f32
    // expected-note @below {{but got 'arith.fptoui' with i1 as its result}}
    %p = arith.fptoui %x : f32 to i1
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{mask region expects operations that mean the same on all targets}}
  %o = attn.attention %q, %q, %q scale(0.125) keep(%b: index, %h: index, %i: index, %j: index) {
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %c = arith.constant 3.0 : f32
    // expected-note @below {{but got 'arith.truncf' with a rounding mode}}
    %y = arith.truncf %x upward : f32 to bf16
    %w = arith.extf %y : bf16 to f32
    %p = arith.cmpf olt, %w, %c : f32
    attn.yield %p : i1
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %o : tensor<1x4x16x64xf16>
}
