// convert-attn-to-cpu: what wants to be lowered first, and kernels it cannot take.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --convert-attn-to-cpu

func.func @level1(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'attn.matmul' op expected to be lowered by attn-stream-partition first}}
  %c = attn.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// Device code that is read back: no function of this name is left.
#map = affine_map<(d0) -> (d0)>
func.func @device(%x: memref<4xf32>) {
  // expected-error @below {{'attn.launch' op expected a kernel that is not lowered for a GPU yet, but got @k}}
  attn.launch @k outs(%x : memref<4xf32>) views [#map]
  return
}
gpu.module @k_device {
  llvm.func @k(%p: !llvm.ptr, %n: i64) attributes {attn.manifest = {scalars = [], views = [!attn.view<4xf32>]}, rocdl.kernel} {
    llvm.return
  }
}

// -----

attn.kernel @grid(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  // expected-error @below {{'attn.grid' op expected to be lowered by attn-materialize-grid first}}
  attn.grid (%i) visit %v in (i = %n) {
  }
}

// -----

attn.kernel @stream(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.ctas %w in %n {
    // expected-error @below {{'attn.stream' op expected to be lowered by convert-attn-stream-to-scf first}}
    attn.stream %j step 4 over [%w to %n] {
    }
  }
}

// -----

// expected-error @below {{'attn.kernel' op expected one grid that accesses memory, but got 0}}
attn.kernel @none(%x: !attn.view<?xf32>) {
}

// -----

// expected-error @below {{'attn.kernel' op expected one grid at most, but got 2}}
attn.kernel @two(%n: index) {
  attn.ctas %w in %n {
  }
  attn.ctas %w in %n {
  }
}

// -----

attn.kernel @beside(%x: !attn.view<?xf32>, %n: index) {
  // expected-error @below {{'attn.load' op expected to stand in a grid: beside it a kernel holds index arithmetic only}}
  %t = attn.load %x[%n] : !attn.view<?xf32> -> tensor<1xf32>
  attn.ctas %w in %n {
    attn.store %t, %x[%w] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// A mask acts in a stream: alone it is refused before any pass.

attn.kernel @mask(%x: !attn.view<?x?xf32>, %n: index) {
  %keep = arith.constant dense<true> : tensor<4x4xi1>
  attn.ctas %w in %n {
    %t = attn.load %x[%w, %w] : !attn.view<?x?xf32> -> tensor<4x4xf32>
    // expected-error @below {{'attn.mask' op expected to stand in an attn.stream, whose segments say where it acts}}
    %s = attn.mask %t keep %keep : tensor<4x4xf32>
    attn.store %s, %x[%w, %w] : tensor<4x4xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// The function that counts CTAs needs its name.

func.func @k_ctas() {
  return
}
// expected-error @below {{'attn.kernel' op becomes two functions, but there is a @k_ctas already}}
attn.kernel @k(%x: !attn.view<?xf32>, %n: index) {
  attn.ctas %w in %n {
    %t = attn.load %x[%w] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%w] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// A trace names views by their position, and has five offsets.

attn.kernel @rank6(%x: !attn.view<?x?x?x?x?x?xf32>, %n: index) {
  attn.ctas %w in %n {
    // expected-error @below {{failed to legalize operation 'attn.touch'}}
    attn.touch load %x[%w, %w, %w, %w, %w, %w] tile [4] by %w : !attn.view<?x?x?x?x?x?xf32>
  }
}

// -----

attn.kernel @argument(%x: !attn.view<?xf32>, %y: !attn.view<?xf32>, %n: index, %c: i1) {
  attn.ctas %w in %n {
    %v = arith.select %c, %x, %y : !attn.view<?xf32>
    // expected-error @below {{failed to legalize operation 'attn.touch'}}
    attn.touch load %v[%w] tile [4] by %w : !attn.view<?xf32>
  }
}
