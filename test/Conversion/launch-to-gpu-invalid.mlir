// RUN: attn-opt %s --convert-attn-launch-to-gpu --split-input-file --verify-diagnostics

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = [{kind = "tensor_map", view = 0}]}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel without tensor maps, which no gpu.launch_func makes (attn-stage-loads{copy=async}), but got a parameter {kind = "tensor_map", view = 0 : i64}}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = ["size", 1, 0], block = 64 : i64, shared_bytes = 0 : i64, parameters = []}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel with a valid 'attn.manifest', but got ["size", 1, 0]}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = ["power", 1, 2], block = 64 : i64, shared_bytes = 0 : i64, parameters = []}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel with a valid 'attn.manifest', but got ["power", 1, 2]}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = [{kind = "size", view = 0, dim = 1}]}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel with a valid 'attn.manifest', but got {dim = 1 : i64, kind = "size", view = 0 : i64}}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = [{kind = "scalar", index = 0}]}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel with a valid 'attn.manifest', but got {index = 0 : i64, kind = "scalar"}}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  // expected-note@+1 {{the kernel is here}}
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, align = [{view = 0}], parameters = []}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>) {
  // expected-error@+1 {{'attn.launch' op expected a kernel with a valid 'attn.manifest', but got {view = 0 : i64}}}
  attn.launch @k outs(%a : memref<?xf32>) views [#id]
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = []}} {
    llvm.return
  }
}
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'attn.launch' op expected buffers (one-shot-bufferize), but got 'tensor<?xf32>'}}
  %b = attn.launch @k outs(%a : tensor<?xf32>) views [#id] -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
gpu.module @k_device {
  llvm.func @k() attributes {attn.manifest = {views = [!attn.view<?xf32>], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = []}} {
    llvm.return
  }
}
func.func @f(%a: memref<?xf32>, %flag: i1) {
  scf.if %flag {
    // expected-error@+1 {{'attn.launch' op expected branches in place of structured control flow (convert-scf-to-cf), but got an operation in scf.if}}
    attn.launch @k outs(%a : memref<?xf32>) views [#id]
  }
  return
}
