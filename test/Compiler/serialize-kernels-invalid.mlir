// RUN: attn-opt %s --attn-serialize-kernels --verify-diagnostics

// expected-error@+1 {{expected a target with the capability 'nvvm' or 'rocdl', but got "cpu" (attn-set-target)}}
gpu.module @k_device {
  llvm.func @k() attributes {attn.manifest = {views = [], scalars = [], grid = 1, block = 64 : i64, shared_bytes = 0 : i64, parameters = []}} {
    llvm.return
  }
}
