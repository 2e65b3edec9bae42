// Every constraint of launch, kernel, return, yield, grid, ctas, counters, in_step and stream.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// attn.launch: the views
//===----------------------------------------------------------------------===//

#id = affine_map<(d0, d1) -> (d0, d1)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a permutation for each of its 2 ins and outs, but got 1}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a permutation for each of its 2 ins and outs, but got 3}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #id, #id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#twice = affine_map<(d0, d1) -> (d0, d0)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a permutation of the 2 dimensions of 'tensor<?x64xf32>', but got affine_map<(d0, d1) -> (d0, d0)>}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #twice] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#projection = affine_map<(d0, d1) -> (d1)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a permutation of the 2 dimensions of 'tensor<?x64xf32>', but got affine_map<(d0, d1) -> (d1)>}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#projection, #id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a permutation of the 2 dimensions of 'tensor<?x64xf32>', but got affine_map<(d0, d1, d2) -> (d0, d1, d2)>}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #id3] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{attribute 'views' failed to satisfy constraint: AffineMap array attribute}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, 1] -> tensor<?x64xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.launch: the kernel and what it is given
//===----------------------------------------------------------------------===//

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a kernel, but got @nowhere}}
  %0 = attn.launch @nowhere ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
module @m {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected a kernel, but got @m}}
  %0 = attn.launch @m ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>, %n: index) {
}
func.func @f(%a: tensor<?x64xf32>) {
  // expected-error @below {{expected 3 operands, as the kernel has arguments, but got 2}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      views [#id, #id] -> tensor<?x64xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>, %n: index) {
  // expected-error @below {{expected 2 operands, as the kernel has arguments, but got 3}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>)
      scalars(%n : index) views [#id, #id] -> tensor<?x64xf32>
  return
}

// -----

// A size that differs.
#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<?x64xf32>, %o: tensor<?x32xf32>) {
  // expected-error @below {{operand 1 expects to fit '!attn.view<?x64xf32>', but got 'tensor<?x32xf32>'}}
  %0 = attn.launch @k ins(%a : tensor<?x64xf32>) outs(%o : tensor<?x32xf32>)
      views [#id, #id] -> tensor<?x32xf32>
  return
}

// -----

// A size that differs because of the permutation.
#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<16x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<16x64xf32>, %o: tensor<?x64xf32>) {
  // expected-error @below {{operand 0 expects to fit '!attn.view<16x64xf32>', but got 'tensor<16x64xf32>'}}
  %0 = attn.launch @k ins(%a : tensor<16x64xf32>) outs(%o : tensor<?x64xf32>)
      views [#swap, #id] -> tensor<?x64xf32>
  return
}

// -----

// An element type that differs.
#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: memref<?x64xf16>, %o: memref<?x64xf32>) {
  // expected-error @below {{operand 0 expects to fit '!attn.view<?x64xf32>', but got 'memref<?x64xf16>'}}
  attn.launch @k ins(%a : memref<?x64xf16>) outs(%o : memref<?x64xf32>) views [#id, #id]
  return
}

// -----

// A rank that differs.
#id = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?x64xf32>, %o: !attn.view<?x64xf32>) {
}
func.func @f(%a: tensor<64xf32>, %o: tensor<?x64xf32>) {
  // expected-error @below {{operand 0 expects to fit '!attn.view<?x64xf32>', but got 'tensor<64xf32>'}}
  %0 = attn.launch @k ins(%a : tensor<64xf32>) outs(%o : tensor<?x64xf32>)
      views [#id1, #id] -> tensor<?x64xf32>
  return
}

// -----

// A tensor where the kernel has a scalar.
#id1 = affine_map<(d0) -> (d0)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?xf32>, %n: f32) {
}
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{operand 1 expects to fit 'f32', but got 'tensor<?xf32>'}}
  %0 = attn.launch @k ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>)
      views [#id1, #id1] -> tensor<?xf32>
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
// expected-note @below {{kernel @k is here}}
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>, %n: index, %c: f32) {
}
func.func @f(%a: tensor<?xf32>, %n: index, %c: f16) {
  // expected-error @below {{scalar 1 expects type 'f32', but got 'f16'}}
  %0 = attn.launch @k ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>)
      scalars(%n, %c : index, f16) views [#id1, #id1] -> tensor<?xf32>
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: tensor<*xf32>, %o: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be variadic of ranked tensor of any type values or memref of any type values, but got 'tensor<*xf32>'}}
  %0 = attn.launch @k ins(%a : tensor<*xf32>) outs(%o : tensor<?xf32>)
      views [#id1, #id1] -> tensor<?xf32>
  return
}

// -----

// Destination style: a result for each tensor of `outs`, of its type.
#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  attn.launch @k ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) views [#id1, #id1]
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: memref<?xf32>) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = attn.launch @k ins(%a : memref<?xf32>) outs(%a : memref<?xf32>)
      views [#id1, #id1] -> tensor<?xf32>
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{expected type of operand #1 ('tensor<?xf32>') to match type of corresponding result ('tensor<4xf32>')}}
  %0 = attn.launch @k ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>)
      views [#id1, #id1] -> tensor<4xf32>
  return
}

// -----

// All tensors or all memrefs, whatever the kernel.
#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: memref<?xf32>, %o: tensor<?xf32>) {
  // expected-error @below {{expected all of its ins and outs to be tensors, or all memrefs, but got 'memref<?xf32>', 'tensor<?xf32>'}}
  %0 = attn.launch @k ins(%a : memref<?xf32>) outs(%o : tensor<?xf32>)
      views [#id1, #id1] -> tensor<?xf32>
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
}
func.func @f(%a: tensor<?xf32>, %o: memref<?xf32>) {
  // expected-error @below {{expected all of its ins and outs to be tensors, or all memrefs, but got 'tensor<?xf32>', 'memref<?xf32>'}}
  attn.launch @k ins(%a : tensor<?xf32>) outs(%o : memref<?xf32>) views [#id1, #id1]
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
attn.kernel @k(%a: !attn.view<?xf32>) {
}
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{expected at least one out}}
  "attn.launch"(%a) <{kernel = @k, views = [#id1],
                      operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<?xf32>) -> ()
  return
}

// -----

// The outs cannot be left out.
#id1 = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{expected 'outs'}}
  attn.launch @k ins(%a : tensor<?xf32>) views [#id1]
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<?xf32>, %c: i4) {
  // expected-error @below {{operand #1 must be variadic of 1-bit signless integer or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or index or 16-bit float or bfloat16 type or 32-bit float or 64-bit float, but got 'i4'}}
  %0 = attn.launch @k outs(%a : tensor<?xf32>) scalars(%c : i4) views [#id1] -> tensor<?xf32>
  return
}

// -----

// A function is launched where it says that it was a kernel.
#id1 = affine_map<(d0) -> (d0)>
func.func private @k(index, index, memref<?xf32>)
func.func @f(%a: tensor<?xf32>) {
  // expected-error @below {{expected a kernel, but got the function @k}}
  %0 = attn.launch @k outs(%a : tensor<?xf32>) views [#id1] -> tensor<?xf32>
  return
}

// -----

#id1 = affine_map<(d0) -> (d0)>
func.func private @k(index, index, memref<?xf32>)
    attributes {attn.kernel_views = [!attn.view<?xf32>]}
func.func @f(%a: tensor<?xf32>, %c: f32) {
  // expected-error @below {{expected a lowered kernel of 4 arguments (two of them a range of CTAs), but got 3}}
  %0 = attn.launch @k outs(%a : tensor<?xf32>) scalars(%c : f32) views [#id1] -> tensor<?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.kernel, attn.return and attn.yield
//===----------------------------------------------------------------------===//

// expected-error @below {{expected '{' to begin a region}}
attn.kernel @k(%a: !attn.view<?xf32>)

// -----

// expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
"attn.kernel"() <{sym_name = "k", function_type = () -> ()}> ({
}) : () -> ()

// -----

// expected-error @below {{entry block must have 2 arguments to match function signature}}
attn.kernel @k(index, f32) {
}

// -----

// expected-error @below {{expected SSA identifier}}
attn.kernel @k(%a: index, ...) {
}

// -----

// expected-error @below {{expected a name for each of its 2 arguments, but got 1}}
"attn.kernel"() <{sym_name = "k", function_type = (index, f32) -> (), arg_names = ["a"]}> ({
^bb0(%a: index, %b: f32):
  attn.return
}) : () -> ()

// -----

// expected-error @below {{attribute 'arg_names' failed to satisfy constraint: string array attribute}}
"attn.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = [1]}> ({
^bb0(%a: index):
  attn.return
}) : () -> ()

// -----

// The names are those of the arguments, and stated once.
// expected-error @below {{attribute 'arg_names' occurs more than once in the attribute list}}
attn.kernel @k(%a: index) attributes {arg_names = ["b"]} {
}

// -----

// expected-error @below {{visibility expected to be one of ["public", "private", "nested"], but got "secret"}}
attn.kernel @k(%a: index) attributes {sym_visibility = "secret"} {
}

// -----

// expected-error @below {{expected no results, but got 'f32'}}
attn.kernel @k(%a: f32) -> f32 {
}

// -----

// expected-error @below {{argument expects to be a view or a scalar, but got 'tensor<4xf32>'}}
attn.kernel @k(%n: index, %a: tensor<4xf32>) {
}

// -----

// expected-error @below {{argument expects to be a view or a scalar, but got 'memref<4xf32>'}}
attn.kernel @k(%a: memref<4xf32>) {
}

// -----

// expected-error @below {{argument expects to be a view or a scalar, but got 'complex<f32>'}}
attn.kernel @k(%a: complex<f32>) {
}

// -----

// expected-error @below {{entry block must have 1 arguments to match function signature}}
"attn.kernel"() <{sym_name = "k", function_type = (index) -> ()}> ({
  attn.return
}) : () -> ()

// -----

// expected-error @below {{expects region #0 to have 0 or 1 blocks}}
"attn.kernel"() <{sym_name = "k", function_type = () -> ()}> ({
  cf.br ^next
^next:
  attn.return
}) : () -> ()

// -----

// expected-error @below {{attribute 'function_type' failed to satisfy constraint: type attribute of function type}}
"attn.kernel"() <{sym_name = "k", function_type = f32}> ({
  attn.return
}) : () -> ()

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.yield' op expects parent op to be one of 'attn.stream, attn.attention, attn.attention_backward, }}
  attn.yield
}

// -----

func.func @f() {
  // expected-error @below {{'attn.return' op expects parent op 'attn.kernel'}}
  attn.return
}

// -----

// Kernels see their arguments only.
%n = arith.constant 1 : index
// expected-note @below {{required by region isolation constraints}}
attn.kernel @k(%m: index) {
  // expected-error @below {{'arith.addi' op using value defined outside the region}}
  %0 = arith.addi %n, %m : index
}

// -----

func.func @f() {
  // expected-error @below {{'attn.kernel' op symbol's parent must have the SymbolTable trait}}
  attn.kernel @k(%m: index) {
  }
  return
}

// -----

// expected-error @below {{expected distinct identifiers as names of arguments, but got ""}}
"attn.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = [""]}> ({
^bb0(%a: index):
  attn.return
}) : () -> ()

// -----

// expected-error @below {{expected distinct identifiers as names of arguments, but got "0"}}
"attn.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = ["0"]}> ({
^bb0(%a: index):
  attn.return
}) : () -> ()

// -----

// expected-error @below {{expected distinct identifiers as names of arguments, but got "a b"}}
"attn.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = ["a b"]}> ({
^bb0(%a: index):
  attn.return
}) : () -> ()

// -----

// expected-error @below {{expected distinct identifiers as names of arguments, but got "a"}}
"attn.kernel"() <{sym_name = "k", function_type = (index, f32) -> (), arg_names = ["a", "a"]}> ({
^bb0(%a: index, %b: f32):
  attn.return
}) : () -> ()

// -----

// expected-error @below {{attribute 'arg_attrs' failed to satisfy constraint: Array of dictionary attributes}}
attn.kernel @k(%a: index) attributes {arg_attrs = 1} {
}

// -----

// expected-error @below {{attribute 'sym_visibility' failed to satisfy constraint: string attribute}}
attn.kernel @k(%a: index) attributes {sym_visibility = 1} {
}

// -----

// expected-error @below {{expected one grid at most, but got 2}}
attn.kernel @k(%n: index) {
  attn.grid (%i) visit %v in (a = %n) {
  }
  attn.grid (%i) visit %v in (a = %n) {
  }
}

// -----

// expected-error @below {{expected one grid at most, but got 2}}
attn.kernel @k(%n: index) {
  attn.grid (%i) visit %v in (a = %n) {
  }
  attn.ctas %c in %n {
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.grid
//===----------------------------------------------------------------------===//

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 1 axes, as there are coordinates, but got 2}}
  attn.grid (%i) visit %v in (a = %n, b = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 2 arguments (a coordinate for each axis, and the visit), but got 1}}
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = ["a"], sharing = []}> ({
  ^bb0(%i: index):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a name for each of its 1 sizes, but got 2}}
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = ["a", "b"], sharing = []}> ({
  ^bb0(%i: index, %v: index):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{'attn.grid' op expected}}
  attn.grid () visit %v in () {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{axis 'a' stands twice, is reserved or is no identifier}}
  attn.grid (%i, %j) visit %v in (a = %n, a = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{axis 'sharing' stands twice, is reserved or is no identifier}}
  attn.grid (%i) visit %v in (sharing = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{sharing expects distinct axes of the grid, but got 'b'}}
  attn.grid (%i) visit %v in (a = %n) sharing [b] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{sharing expects distinct axes of the grid, but got 'a'}}
  attn.grid (%i) visit %v in (a = %n) sharing [a, a] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a run of 1 to 16777216 tiles, but got 0}}
  attn.grid (%i) visit %v in (a = %n) run 0 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 1 to 16777216 persistent CTAs, but got 0}}
  attn.grid (%i) visit %v in (a = %n) persistent 0 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{order expects each axis of the grid once, but got 'c' in #attn.order<[a, c]>}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) order #attn.order<[a, c]> {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{order expects each axis of the grid once, but got #attn.order<[a]>}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) order #attn.order<[a]> {
  }
}

// -----

// An axis that the set stands for, and by itself.
attn.kernel @k(%n: index) {
  // expected-error @below {{order expects each axis of the grid once, but got 'a' in #attn.order<[sharing, b, a]>}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) sharing [a]
      order #attn.order<[sharing, b, a]> {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{order expects each axis of the grid once, but got 'b' in #attn.order<[b, sharing]>}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) sharing [b, a]
      order #attn.order<[b, sharing]> {
  }
}

// -----

// A set of nothing does not stand for the axes.
attn.kernel @k(%n: index) {
  // expected-error @below {{order expects each axis of the grid once, but got #attn.order<[sharing, b]>}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) order #attn.order<[sharing, b]> {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{order reverses 'c', which is no axis of the grid}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n)
      order #attn.order<[a, b], reversed = [b, c]> {
  }
}

// -----

// A fused set is not reversed as a whole.
attn.kernel @k(%n: index) {
  // expected-error @below {{order reverses 'sharing', which is no axis of the grid}}
  attn.grid (%i, %j) visit %v in (a = %n, b = %n) sharing [a]
      order #attn.order<[sharing, b], reversed = [sharing]> {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expects region #0 to have 0 or 1 blocks}}
  attn.grid (%i) visit %v in (a = %n) {
    cf.br ^next
  ^next:
    attn.yield
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'axes' occurs more than once in the attribute list}}
  attn.grid (%i) visit %v in (a = %n) attributes {axes = ["b"]} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 'visit'}}
  attn.grid (%i) in (a = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected valid keyword}}
  attn.grid (%i) visit %v in (%n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected '{' to begin a region}}
  attn.grid (%i) visit %v in (a = %n) persistent 2 run 3 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{axis 'a.b' stands twice, is reserved or is no identifier}}
  attn.grid (%i) visit %v in (a.b = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{axis 'a$' stands twice, is reserved or is no identifier}}
  attn.grid (%i) visit %v in (a$ = %n) {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{axis '' stands twice, is reserved or is no identifier}}
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = [""], sharing = []}> ({
  ^bb0(%i: index, %v: index):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a run of 1 to 16777216 tiles, but got -1}}
  attn.grid (%i) visit %v in (a = %n) run -1 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 1 to 16777216 persistent CTAs, but got -1}}
  attn.grid (%i) visit %v in (a = %n) persistent -1 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a run of 1 to 16777216 tiles, but got 16777217}}
  attn.grid (%i) visit %v in (a = %n) run 16777217 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 1 to 16777216 persistent CTAs, but got 16777217}}
  attn.grid (%i) visit %v in (a = %n) persistent 16777217 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'run' failed to satisfy constraint: 64-bit signless integer attribute}}
  attn.grid (%i) visit %v in (a = %n) attributes {run = "1"} {
  }
}

// -----

// A snake is one of persistent CTAs that take tiles in turn.
attn.kernel @k(%n: index) {
  // expected-error @below {{expected 'snake' of persistent CTAs that take tiles in turn}}
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = ["a"], sharing = [], snake}> ({
  ^bb0(%i: index, %v: index):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  %counter = attn.counter : !attn.view<1xi32>
  // expected-error @below {{expected 'snake' of persistent CTAs that take tiles in turn}}
  attn.grid (%i) visit %v in (a = %n) persistent 4 snake dynamic %counter : <1xi32> {
  }
}

// -----

// An axis is folded for a run, behind whose length that stands.
attn.kernel @k(%n: index) {
  // expected-error @below {{expected '{' to begin a region}}
  attn.grid (%i) visit %v in (a = %n) folded {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected '{' to begin a region}}
  attn.grid (%i) visit %v in (a = %n) folded run 2 {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected integer value}}
  attn.grid (%i) visit %v in (a = %n) run folded {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected '{' to begin a region}}
  attn.grid (%i) visit %v in (a = %n) run 2 persistent 4 folded {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a run of 1 to 16777216 tiles, but got 0}}
  attn.grid (%i) visit %v in (a = %n) run 0 folded {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'folded' occurs more than once in the attribute list}}
  attn.grid (%i) visit %v in (a = %n) run 2 folded attributes {folded} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'folded' failed to satisfy constraint: unit attribute}}
  attn.grid (%i) visit %v in (a = %n) run 2 attributes {folded = true} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'persistent' failed to satisfy constraint: 64-bit signless integer attribute}}
  attn.grid (%i) visit %v in (a = %n) attributes {persistent = 1.0} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'run' failed to satisfy constraint: 64-bit signless integer attribute}}
  attn.grid (%i) visit %v in (a = %n) attributes {run = 1 : i32} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'order' failed to satisfy constraint}}
  attn.grid (%i) visit %v in (a = %n) attributes {order = "a"} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected to yield nothing, but got 'index'}}
  attn.grid (%i) visit %v in (a = %n) {
    attn.yield %i : index
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected arguments of type index, but got 'i32'}}
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = ["a"], sharing = []}> ({
  ^bb0(%i: i32, %v: index):
    attn.yield
  }) : (index) -> ()
}

// -----

// A grid stands in a kernel, not in a function, a loop or another grid.
func.func @f(%n: index) {
  // expected-error @below {{'attn.grid' op expects parent op 'attn.kernel'}}
  attn.grid (%i) visit %v in (a = %n) {
  }
  return
}

// -----

attn.kernel @k(%n: index) {
  attn.grid (%i) visit %v in (a = %n) {
    // expected-error @below {{'attn.grid' op expects parent op 'attn.kernel'}}
    attn.grid (%j) visit %w in (a = %n) {
    }
  }
}

// -----

attn.kernel @k(%n: index) {
  scf.for %j = %n to %n step %n {
    // expected-error @below {{'attn.grid' op expects parent op 'attn.kernel'}}
    attn.grid (%i) visit %v in (a = %n) {
    }
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.ctas
//===----------------------------------------------------------------------===//

attn.kernel @k(%n: index) {
  // expected-error @below {{expected one argument of type index, the CTA}}
  "attn.ctas"(%n) ({
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected one argument of type index, the CTA}}
  "attn.ctas"(%n) ({
  ^bb0(%i: i32):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected one argument of type index, the CTA}}
  "attn.ctas"(%n) ({
  ^bb0(%i: index, %j: index):
    attn.yield
  }) : (index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "attn.ctas"(%n) ({
  }) : (index) -> ()
}

// -----

func.func @f(%n: index) {
  // expected-error @below {{'attn.ctas' op expects parent op 'attn.kernel'}}
  attn.ctas %c in %n {
  }
  return
}

// -----

attn.kernel @k(%n: index) {
  attn.grid (%i) visit %v in (a = %n) {
    // expected-error @below {{'attn.ctas' op expects parent op 'attn.kernel'}}
    attn.ctas %c in %n {
    }
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected to yield nothing, but got 'index'}}
  attn.ctas %c in %n {
    attn.yield %c : index
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.in_step
//===----------------------------------------------------------------------===//

// expected-note @below {{prior use here}}
attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  attn.ctas %i in %n {
    // expected-error @below {{use of value '%n' expects different type than prior uses: 'i1' vs 'index'}}
    attn.in_step %n, %c[%i] : !attn.view<1xi32>
  }
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  // expected-error @below {{'attn.in_step' op operand #0 must be 1-bit signless integer, but got 'index'}}
  "attn.in_step"(%n, %c, %n) : (index, !attn.view<1xi32>, index) -> ()
}

// -----

attn.kernel @k(%a: i1) {
  // expected-error @below {{'attn.in_step' op operand #1 must be}}
  "attn.in_step"(%a, %a) : (i1, i1) -> ()
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.in_step' op expected 2 or more operands, but found 0}}
  "attn.in_step"() : () -> ()
}

// -----

attn.kernel @k(%a: i1, %n: index, %c: !attn.view<1xi32>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.in_step' op requires zero results}}
    %0 = "attn.in_step"(%a, %c, %i) : (i1, !attn.view<1xi32>, index) -> i1
  }
}

// -----

attn.kernel @k() {
  // expected-error @below {{expected SSA operand}}
  attn.in_step
}

// -----

attn.kernel @k(%a: i1, %n: index, %c: !attn.view<?x2xi32>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.in_step' op expected 2 offsets, one for each dimension of '!attn.view<?x2xi32>', but got 1}}
    attn.in_step %a, %c[%i] : !attn.view<?x2xi32>
  }
}

// -----

attn.kernel @k(%a: i1, %n: index, %c: !attn.view<1xi64>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.in_step' op expected a counter of i32, but got '!attn.view<1xi64>'}}
    attn.in_step %a, %c[%i] : !attn.view<1xi64>
  }
}

// -----

attn.kernel @k(%a: i1, %n: index, %c: !attn.view<1xi32>) {
  // expected-error @below {{'attn.in_step' op expected to stand in a grid: beside it a kernel holds index arithmetic only}}
  attn.in_step %a, %c[%n] : !attn.view<1xi32>
}

// -----

//===----------------------------------------------------------------------===//
// attn.counter and attn.take
//===----------------------------------------------------------------------===//

attn.kernel @k() {
  // expected-error @below {{'attn.counter' op expected a view of one i32, but got '!attn.view<2xi32>'}}
  %c = attn.counter : !attn.view<2xi32>
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.counter' op expected a view of one i32, but got '!attn.view<1xi64>'}}
  %c = attn.counter : !attn.view<1xi64>
}

// -----

attn.kernel @k() {
  // expected-error @below {{'attn.counter' op expected a view of one i32, but got '!attn.view<1x1xi32>'}}
  %c = attn.counter : !attn.view<1x1xi32>
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xf32>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.take' op expected a counter of i32, but got '!attn.view<1xf32>'}}
    %t = attn.take %c[%i] : !attn.view<1xf32>
  }
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.take' op expected 1 offsets, one for each dimension of '!attn.view<1xi32>', but got 0}}
    %t = attn.take %c[] : !attn.view<1xi32>
  }
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  // expected-error @below {{'attn.take' op expected to stand in a grid: beside it a kernel holds index arithmetic only}}
  %t = attn.take %c[%n] : !attn.view<1xi32>
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  attn.ctas %i in %n {
    // expected-error @below {{'attn.take' op expected one of hand_on and from_producer, but got both}}
    %t = attn.take %c[%i] hand_on from_producer : !attn.view<1xi32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Grids that take tiles
//===----------------------------------------------------------------------===//

attn.kernel @k(%n: index, %c: !attn.view<1xi32>) {
  // expected-error @below {{'attn.grid' op expected persistent CTAs to take tiles from a counter}}
  attn.grid (%i) visit %v in (a = %n) dynamic %c : <1xi32> {
  }
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1xi64>) {
  // expected-error @below {{'attn.grid' op expected a counter of rank 1 of i32, but got '!attn.view<1xi64>'}}
  attn.grid (%i) visit %v in (a = %n) persistent 2 dynamic %c : <1xi64> {
  }
}

// -----

attn.kernel @k(%n: index, %c: !attn.view<1x1xi32>) {
  // expected-error @below {{'attn.grid' op expected a counter of rank 1 of i32, but got '!attn.view<1x1xi32>'}}
  attn.grid (%i) visit %v in (a = %n) persistent 2 dynamic %c : <1x1xi32> {
  }
}

// -----

attn.kernel @k(%n: index, %t: !attn.view<4xf32>) {
  // expected-error @below {{'attn.grid' op expected a view of i32 or i64, but got '!attn.view<4xf32>'}}
  attn.grid (%i) visit %v in (a = %n) until %t[%n] : <4xf32> {
  }
}

// -----

attn.kernel @k(%n: index, %t: !attn.view<4x2xi32>) {
  // expected-error @below {{'attn.grid' op expected 2 offsets, one for each dimension of '!attn.view<4x2xi32>', but got 1}}
  attn.grid (%i) visit %v in (a = %n) until %t[%n] : <4x2xi32> {
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.stream
//===----------------------------------------------------------------------===//

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a step of at least 1, but got 0}}
  attn.stream %j step 0 over [%n to %n] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a lower bound, an upper bound and a mask flag for each segment, but got 1, 1 and 2}}
  "attn.stream"(%n, %n) <{masked = array<i1: true, false>, step = 1 : i64,
                          operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {}) : (index, index) -> ()
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a lower bound, an upper bound and a mask flag for each segment, but got 2, 1 and 1}}
  "attn.stream"(%n, %n, %n) <{masked = array<i1: true>, step = 1 : i64,
                              operandSegmentSizes = array<i32: 2, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {}) : (index, index, index) -> ()
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error-re @below {{expected results of the types of its carried values, {{.*}}'f32'{{.*}}but got {{.*}}'f16'}}
  %0 = "attn.stream"(%n, %n, %f) <{masked = array<i1: true>, step = 1 : i64,
                                   operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index, %x: f32):
    attn.yield %x : f32
  }, {}) : (index, index, f32) -> f16
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected results of the types of its carried values}}
  %0 = "attn.stream"(%n, %n) <{masked = array<i1: true>, step = 1 : i64,
                               operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    attn.yield
  }, {}) : (index, index) -> f32
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected body arguments ('index', 'f32'), but got ('index')}}
  %0 = "attn.stream"(%n, %n, %f) <{masked = array<i1: true>, step = 1 : i64,
                                   operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    attn.yield %f : f32
  }, {}) : (index, index, f32) -> f32
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected body arguments ('index'), but got ('i32')}}
  "attn.stream"(%n, %n) <{masked = array<i1: true>, step = 1 : i64,
                          operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: i32):
    attn.yield
  }, {}) : (index, index) -> ()
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error-re @below {{expected to yield the types of its carried values, {{.*}}'f32'{{.*}}but got {{.*}}'index'}}
  %0 = attn.stream %j step 1 over [%n to %n] carry (%x = %f : f32) {
    attn.yield %j : index
  }
}

// -----

// The terminator cannot be left out where something is carried.
attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected to yield the types of its carried values}}
  %0 = attn.stream %j step 1 over [%n to %n] carry (%x = %f : f32) {
  }
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected to yield the types of its carried values}}
  attn.stream %j step 1 over [%n to %n] {
    attn.yield %f : f32
  }
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected 1 types of carried values, but got 2}}
  %0 = attn.stream %j step 1 over [%n to %n] carry (%x = %f : f32, f32) {
    attn.yield %x : f32
  }
}

// -----

attn.kernel @k(%n: index, %f: f32) {
  // expected-error @below {{expected 2 types of carried values, but got 1}}
  %0:2 = attn.stream %j step 1 over [%n to %n] carry (%x = %f, %y = %f : f32) {
    attn.yield %x, %y : f32, f32
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 'to'}}
  attn.stream %j step 1 over [%n] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected 'over'}}
  attn.stream %j step 1 [%n to %n] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected integer value}}
  attn.stream %j step %n over [%n to %n] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expects region #0 to have 0 or 1 blocks}}
  attn.stream %j step 1 over [%n to %n] {
    cf.br ^next
  ^next:
    attn.yield
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected at least one segment}}
  attn.stream %j step 1 over [] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{expected a step of at least 1, but got -1}}
  attn.stream %j step -1 over [%n to %n] {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'ordered' failed to satisfy constraint: unit attribute}}
  attn.stream %j step 1 over [%n to %n] attributes {ordered = 1} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'step' failed to satisfy constraint: 64-bit signless integer attribute}}
  attn.stream %j step 1 over [%n to %n] attributes {step = "1"} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'step' occurs more than once in the attribute list}}
  attn.stream %j step 1 over [%n to %n] attributes {step = 2} {
  }
}

// -----

attn.kernel @k(%n: index) {
  // expected-error @below {{attribute 'masked' failed to satisfy constraint: i1 dense array attribute}}
  attn.stream %j step 1 over [%n to %n] attributes {masked = 1} {
  }
}
