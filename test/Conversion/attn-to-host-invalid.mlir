// RUN: attn-opt %s --convert-attn-to-host=unload=taken --split-input-file --verify-diagnostics

#id = affine_map<(d0) -> (d0)>
// expected-note@+1 {{this is builtin.module}}
module @programs {
}
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func @early(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a program of a bundle that is embedded (attn-embed-programs), but got @programs}}
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
// expected-note@+1 {{declared by func.func}}
func.func private @p(!attn.view<?xf32>) attributes {attn.program = "programs"}
func.func @noSymbol(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a program of a bundle that is embedded (attn-embed-programs), but got "programs"}}
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func private @tensors(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'attn.launch' op expected buffers (one-shot-bufferize), but got 'tensor<?xf32>'}}
  %b = attn.launch @p outs(%a : tensor<?xf32>) views [#id] -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
// expected-error@+1 {{expected a public function that launches, allocates or frees to have no results, which are buffers that it takes (buffer-results-to-out-params), but got 'index'}}
func.func @results(%a: memref<?xf32>, %n: index) -> index {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return %n : index
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func @structured(%a: memref<?xf32>, %flag: i1) {
  scf.if %flag {
    // expected-error@+1 {{'attn.launch' op expected branches in place of structured control flow (convert-scf-to-cf), but got an operation in scf.if}}
    attn.launch @p outs(%a : memref<?xf32>) views [#id]
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func private @addressed(%a: memref<?xf32>) {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}
func.func @indirect(%a: memref<?xf32>) {
  // expected-error@+1 {{'func.constant' op expected a function that launches, allocates or frees to be called by its name, but got a use of @addressed}}
  %f = func.constant @addressed : (memref<?xf32>) -> ()
  func.call_indirect %f(%a) : (memref<?xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func @strided(%a: memref<?xf32>) {
  // expected-error@+1 {{'memref.alloc' op expected a contiguous buffer, but got 'memref<4xf32, strided<[2]>>'}}
  %b = memref.alloc() : memref<4xf32, strided<[2]>>
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func @unranked(%a: memref<?xf32>, %b: memref<*xf32>) {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  // expected-error@+1 {{'memref.dealloc' op expected a buffer whose rank is known, but got 'memref<*xf32>'}}
  memref.dealloc %b : memref<*xf32>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
// expected-error@+1 {{expected another name than that of the launcher's function, but got 'attnHostLaunch'}}
func.func private @attnHostLaunch()
func.func @collides(%a: memref<?xf32>) {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
// expected-error@+1 {{expected no symbol of the name of the function that unloads, but got 'taken'}}
func.func private @taken()
func.func @f(%a: memref<?xf32>) {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
// expected-note@+1 {{kernel @p is here}}
func.func private @p(!attn.view<?xf16>) attributes {attn.program = @programs}
func.func @types(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op operand 0 expects to fit '!attn.view<?xf16>', but got 'memref<?xf32>'}}
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}
