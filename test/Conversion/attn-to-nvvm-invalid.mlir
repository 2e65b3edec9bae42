// convert-attn-to-nvvm: what wants other passes first, what the target lacks, and
// what has no lowering.
// RUN: split-file %s %t
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics --convert-attn-to-nvvm

// Views that are no arguments, where nothing copies them.
// RUN: not attn-opt %t/store.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not attn-opt %t/dim.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=DIM
// STORE: store.mlir:6:5: error: 'attn.store' op expected a view that is an argument of the kernel
// DIM: dim.mlir:6:10: error: 'attn.dim' op expected a view that is an argument of the kernel

//--- store.mlir
attn.kernel @k(%a: !attn.view<32xf32>, %o: !attn.view<32xf32>, %b: i1) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %v = arith.select %b, %a, %o : !attn.view<32xf32>
    %t = arith.constant dense<0.0> : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
    attn.store %t, %v[%w] : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>> -> <32xf32>
  }
}

//--- dim.mlir
attn.kernel @k(%a: !attn.view<?xf32>, %o: !attn.view<?xf32>, %b: i1) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<0.0> : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
  attn.ctas %w in %c1 {
    %v = arith.select %b, %a, %o : !attn.view<?xf32>
    %n = attn.dim %v, 0 : <?xf32>
    attn.store %t, %a[%n] : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>> -> <?xf32>
  }
}

//--- errors.mlir
// Without a target it is the CPU.
// expected-error @below {{expected a target with the capability 'nvvm', but got "cpu"}}
module {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// expected-error @below {{expected a target with the capability 'nvvm', but got "h200"}}
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["rocdl", "mfma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// expected-error @below {{expected a target with the capability 'mma.sync', but got "h200"}}
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "ldmatrix"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// expected-error @below {{expected a target with the capability 'ldmatrix', but got "h200"}}
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// A module without kernels has nothing to ask of it.
module {
  func.func @f() {
    return
  }
}

// -----

// Passes that come before.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{'attn.kernel' op expected one materialised grid (attn-materialize-grid), but got 0}}
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?xf32>
    attn.grid (%i) visit %v in (i = %n) {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{'attn.kernel' op expected one materialised grid (attn-materialize-grid), but got 0}}
  attn.kernel @k() attributes {threads = 32} {
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{'attn.kernel' op expected tiles in registers (attn-assign-fragments)}}
  attn.kernel @k(%x: !attn.view<?xf32>) {
    %n = attn.dim %x, 0 : <?xf32>
    attn.ctas %w in %n {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?xf32>
    attn.ctas %w in %n {
      // expected-error @below {{failed to legalize operation 'attn.stream'}}
      attn.stream %j step 16 over [%w to %n] {
      }
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?x8xf32>) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?x8xf32>
    attn.ctas %w in %n {
      // expected-error @below {{failed to legalize operation 'attn.load'}}
      %t = attn.load %x[%w, %w] : <?x8xf32> -> tensor<16x8xf32>
      attn.store %t, %x[%w, %w] : tensor<16x8xf32> -> <?x8xf32>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?x8xf32>, %s: f32) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?x8xf32>
    attn.ctas %w in %n {
      %t = tensor.splat %s : tensor<16x8xf32>
      // expected-error @below {{failed to legalize operation 'attn.store'}}
      attn.store %t, %x[%w, %w] : tensor<16x8xf32> -> <?x8xf32>
    }
  }
}

// -----

// The number of CTAs.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected a number of CTAs that is integer arithmetic over sizes of views}}
  attn.kernel @k(%n: index) attributes {threads = 32} {
    attn.ctas %w in %n {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?xf32>
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected a number of CTAs that is integer arithmetic over sizes of views}}
    %m = arith.xori %n, %c1 : index
    %k = arith.addi %m, %c1 : index
    attn.ctas %w in %k {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %n = attn.dim %x, 0 : <?xf32>
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %r = math.sqrt %f : f32
    %j = arith.fptosi %r : f32 to i32
    // expected-error @below {{expected a number of CTAs that is integer arithmetic over sizes of views}}
    %k = arith.index_cast %j : i32 to index
    attn.ctas %w in %k {
    }
  }
}

// -----

// Copies.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?x64xbf16>) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %n = attn.dim %x, 0 : <?x64xbf16>
    %r = attn.ring.create : <1 x tensor<16x64xbf16, #attn.shared<128>>>
    %q = attn.ring.create : <1 x tensor<32x64xbf16, #attn.shared<128>>>
    attn.ctas %w in %n {
      %s0 = attn.ring.acquire %r : <1 x tensor<16x64xbf16, #attn.shared<128>>> -> <tensor<16x64xbf16, #attn.shared<128>>>
      %p0 = attn.ring.issue %s0, %x[%w, %c0] : <tensor<16x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<16x64xbf16, #attn.shared<128>>>
      attn.ring.land %p0 : <tensor<16x64xbf16, #attn.shared<128>>>
      %s1 = attn.ring.acquire %q : <1 x tensor<32x64xbf16, #attn.shared<128>>> -> <tensor<32x64xbf16, #attn.shared<128>>>
      // expected-error @below {{'attn.ring.issue' op expected tiles of one view to have the same rows and layout, but got 'tensor<16x64xbf16, #attn.shared<128>>' and 'tensor<32x64xbf16, #attn.shared<128>>'}}
      %p1 = attn.ring.issue %s1, %x[%w, %c0] : <tensor<32x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<32x64xbf16, #attn.shared<128>>>
      attn.ring.land %p1 : <tensor<32x64xbf16, #attn.shared<128>>>
    }
  }
}

// -----

// Two shapes of one view by threads are no matter.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?x64xbf16>) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %n = attn.dim %x, 0 : <?x64xbf16>
    %r = attn.ring.create : <1 x tensor<16x64xbf16, #attn.shared<128>>>
    %q = attn.ring.create : <1 x tensor<32x64xbf16, #attn.shared<128>>>
    attn.ctas %w in %n {
      %s0 = attn.ring.acquire %r : <1 x tensor<16x64xbf16, #attn.shared<128>>> -> <tensor<16x64xbf16, #attn.shared<128>>>
      %p0 = attn.ring.issue %s0, %x[%w, %c0] by async : <tensor<16x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<16x64xbf16, #attn.shared<128>>>
      attn.ring.land %p0 : <tensor<16x64xbf16, #attn.shared<128>>>
      %s1 = attn.ring.acquire %q : <1 x tensor<32x64xbf16, #attn.shared<128>>> -> <tensor<32x64xbf16, #attn.shared<128>>>
      %p1 = attn.ring.issue %s1, %x[%w, %c0] by async : <tensor<32x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<32x64xbf16, #attn.shared<128>>>
      attn.ring.land %p1 : <tensor<32x64xbf16, #attn.shared<128>>>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xbf16>, %b: i1) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %n = attn.dim %x, 0 : <?x64xbf16>
    %r = attn.ring.create : <1 x tensor<16x64xbf16, #attn.shared<128>>>
    attn.ctas %w in %n {
      %v = arith.select %b, %x, %y : !attn.view<?x64xbf16>
      %s0 = attn.ring.acquire %r : <1 x tensor<16x64xbf16, #attn.shared<128>>> -> <tensor<16x64xbf16, #attn.shared<128>>>
      // expected-error @below {{'attn.ring.issue' op expected a view that is an argument of the kernel}}
      %p0 = attn.ring.issue %s0, %v[%w, %c0] : <tensor<16x64xbf16, #attn.shared<128>>>, <?x64xbf16> -> <tensor<16x64xbf16, #attn.shared<128>>>
      attn.ring.land %p0 : <tensor<16x64xbf16, #attn.shared<128>>>
    }
  }
}

// -----

// Shared memory: 4 x 64 KiB and the barriers.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{kernel expects 262208 bytes of shared memory; target "h200" has 232448 a CTA; expected smaller tiles or fewer stages}}
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %r = attn.ring.create : <4 x tensor<256x128xbf16, #attn.shared<128>>>
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// Threads of a CTA are whole warps.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 16}}
  attn.kernel @k() attributes {threads = 16} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 18446744073709551680 : i128}}
  attn.kernel @k() attributes {threads = 18446744073709551680 : i128} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 64 : ui32}}
  attn.kernel @k() attributes {threads = 64 : ui32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 48}}
  attn.kernel @k() attributes {threads = 48} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 0}}
  attn.kernel @k() attributes {threads = 0} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got -32}}
  attn.kernel @k() attributes {threads = -32} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got 1056}}
  attn.kernel @k() attributes {threads = 1056} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{expected whole warps of 32 threads, up to 1024 in all, in its attribute 'threads', but got "32"}}
  attn.kernel @k() attributes {threads = "32"} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// Indices.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'arith.constant' op expected indices within 2^30 for a GPU, but got 1073741824}}
    %big = arith.constant 1073741824 : index
    attn.ctas %w in %c1 {
      %i = arith.addi %w, %big : index
      %t = arith.constant dense<1.0> : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
      attn.store %t, %x[%i] : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>> -> <?xf32>
    }
  }
}

// -----

// Also those of a tile.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<?xf32>) attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'arith.constant' op expected indices within 2^30 for a GPU, but got 8589934593}}
    %big = arith.constant dense<8589934593> : tensor<32xindex, #attn.fragment<threads [32:(1)], registers []>>
    attn.ctas %w in %c1 {
      %i = attn.iota 0 from %w : tensor<32xindex, #attn.fragment<threads [32:(1)], registers []>>
      %j = arith.addi %i, %big : tensor<32xindex, #attn.fragment<threads [32:(1)], registers []>>
      %k = arith.index_cast %j : tensor<32xindex, #attn.fragment<threads [32:(1)], registers []>> to tensor<32xi32, #attn.fragment<threads [32:(1)], registers []>>
      %t = arith.sitofp %k : tensor<32xi32, #attn.fragment<threads [32:(1)], registers []>> to tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
      attn.store %t, %x[%c1] : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>> -> <?xf32>
    }
  }
}

// -----

// Products.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %ra = attn.ring.create : <1 x tensor<16x16xf32, #attn.shared<64>>>
    %rb = attn.ring.create : <1 x tensor<16x16xf32, #attn.shared<64>>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    attn.ctas %w in %c1 {
      %a = attn.ring.wait %ra : <1 x tensor<16x16xf32, #attn.shared<64>>> -> tensor<16x16xf32, #attn.shared<64>>
      %b = attn.ring.wait %rb : <1 x tensor<16x16xf32, #attn.shared<64>>> -> tensor<16x16xf32, #attn.shared<64>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected operands of f16 or bf16 for mma.sync, but got 'f32'}}
      %d = attn.dot %a, %b, %c : tensor<16x16xf32, #attn.shared<64>>, tensor<16x16xf32, #attn.shared<64>> into tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %ra = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %b = arith.constant dense<0.0> : tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    attn.ctas %w in %c1 {
      %a = attn.ring.wait %ra : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected a right-hand side in shared memory, but got 'tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>'}}
      %d = attn.dot %a, %b, %c : tensor<16x16xbf16, #attn.shared<32>>, tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>> into tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %ra = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %rb = attn.ring.create : <1 x tensor<8x16xbf16, #attn.shared<32>>>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>>
    attn.ctas %w in %c1 {
      %a = attn.ring.wait %ra : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      %b = attn.ring.wait %rb : <1 x tensor<8x16xbf16, #attn.shared<32>>> -> tensor<8x16xbf16, #attn.shared<32>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected a product of 16 x 16 x 16 or multiples, but got 16 x 8 x 16}}
      %d = attn.dot %a, %b, %c transpose_rhs : tensor<16x16xbf16, #attn.shared<32>>, tensor<8x16xbf16, #attn.shared<32>> into tensor<16x8xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>>
    }
  }
}

// -----

// Two warps want 32 rows.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 64} {
    %c1 = arith.constant 1 : index
    %ra = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %rb = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    attn.ctas %w in %c1 {
      %a = attn.ring.wait %ra : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      %b = attn.ring.wait %rb : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected a product of 32 x 16 x 16 or multiples, but got 16 x 16 x 16}}
      %d = attn.dot %a, %b, %c : tensor<16x16xbf16, #attn.shared<32>>, tensor<16x16xbf16, #attn.shared<32>> into tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %ra = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %rb = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>
    attn.ctas %w in %c1 {
      %a = attn.ring.wait %ra : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      %b = attn.ring.wait %rb : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected a result in the layout of an accumulator, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>, but got 'tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>'}}
      %d = attn.dot %a, %b, %c : tensor<16x16xbf16, #attn.shared<32>>, tensor<16x16xbf16, #attn.shared<32>> into tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k() attributes {threads = 32} {
    %c1 = arith.constant 1 : index
    %a = arith.constant dense<0.0> : tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>
    %rb = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    attn.ctas %w in %c1 {
      %b = attn.ring.wait %rb : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
      // expected-error @+2 {{failed to legalize operation 'attn.dot'}}
      // expected-error @below {{'attn.dot' op expected a left-hand side in shared memory or in the layout of an A operand, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>, but got 'tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>'}}
      %d = attn.dot %a, %b, %c : tensor<16x16xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>, tensor<16x16xbf16, #attn.shared<32>> into tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
    }
  }
}

// -----

// Rows over more than one warp.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<2xf32>, %s: f32) attributes {threads = 64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<1x64xf32, #attn.fragment<threads [64:(0, 1)], registers []>>
      // expected-error @+2 {{failed to legalize operation 'attn.reduce'}}
      // expected-error @below {{'attn.reduce' op expected rows within the lanes of one warp, but got #attn.fragment<threads [64:(0, 1)], registers []>}}
      %r = attn.reduce sum %t : tensor<1x64xf32, #attn.fragment<threads [64:(0, 1)], registers []>>
      attn.store %r, %x[%c0] : tensor<1xf32, #attn.fragment<threads [64:(0)], registers []>> -> <2xf32>
    }
  }
}

// -----

// Butterflies want a power of two.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<4xf32>, %s: f32) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<4x6xf32, #attn.fragment<threads [6:(0, 1), 4:(1, 0)], registers []>>
      // expected-error @+2 {{failed to legalize operation 'attn.reduce'}}
      // expected-error @below {{'attn.reduce' op expected rows within the lanes of one warp, but got #attn.fragment<threads [6:(0, 1), 4:(1, 0)], registers []>}}
      %r = attn.reduce max %t : tensor<4x6xf32, #attn.fragment<threads [6:(0, 1), 4:(1, 0)], registers []>>
      attn.store %r, %x[%c0] : tensor<4xf32, #attn.fragment<threads [6:(0), 4:(1)], registers []>> -> <4xf32>
    }
  }
}

// -----

// Layouts that give threads other elements.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<64xf32>, %s: f32) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<64xf32, #attn.fragment<threads [32:(1)], registers [2:(32)]>>
      // expected-error @+2 {{failed to legalize operation 'attn.convert_layout'}}
      // expected-error @below {{'attn.convert_layout' op expected layouts with the same elements in each thread, but got #attn.fragment<threads [32:(1)], registers [2:(32)]> and #attn.fragment<threads [32:(2)], registers [2:(1)]>}}
      %u = attn.convert_layout %t : tensor<64xf32, #attn.fragment<threads [32:(1)], registers [2:(32)]>> to tensor<64xf32, #attn.fragment<threads [32:(2)], registers [2:(1)]>>
      attn.store %u, %x[%c0] : tensor<64xf32, #attn.fragment<threads [32:(2)], registers [2:(1)]>> -> <64xf32>
    }
  }
}

// -----

// Nothing writes whole tiles to shared memory.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<16x16xf32>, %s: f32) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<16x16xf32, #acc>
      // expected-error @below {{failed to legalize operation 'attn.convert_layout'}}
      %u = attn.convert_layout %t : tensor<16x16xf32, #acc> to tensor<16x16xf32, #attn.shared<64>>
      %v = attn.convert_layout %u : tensor<16x16xf32, #attn.shared<64>> to tensor<16x16xf32, #acc>
      attn.store %v, %x[%c0, %c0] : tensor<16x16xf32, #acc> -> <16x16xf32>
    }
  }
}

// -----

// Math that nothing computes.
#row = #attn.fragment<threads [32:(1)], registers []>
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<32xf32>, %s: f32) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<32xf32, #row>
      // expected-error @below {{'math.powf' op has no lowering for NVIDIA GPUs}}
      %u = math.powf %t, %t : tensor<32xf32, #row>
      attn.store %u, %x[%c0] : tensor<32xf32, #row> -> <32xf32>
    }
  }
}

// -----

// Nor what back ends get wrong.
#row = #attn.fragment<threads [32:(1)], registers []>
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<32xf32>, %s: f32) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<32xf32, #row>
      // expected-error @below {{'arith.remf' op has no lowering for NVIDIA GPUs}}
      %u = arith.remf %t, %t : tensor<32xf32, #row>
      attn.store %u, %x[%c0] : tensor<32xf32, #row> -> <32xf32>
    }
  }
}

// -----

#row = #attn.fragment<threads [32:(1)], registers []>
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  attn.kernel @k(%x: !attn.view<32xbf16>, %s: bf16) attributes {threads = 32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      %t = tensor.splat %s : tensor<32xbf16, #row>
      // expected-error @below {{'math.exp2' op has no lowering for NVIDIA GPUs}}
      %u = math.exp2 %t : tensor<32xbf16, #row>
      attn.store %u, %x[%c0] : tensor<32xbf16, #row> -> <32xbf16>
    }
  }
}

// -----

// A static size that is beyond what indices are good for.
module attributes {attn.target = #attn.target<"h200", arch = "sm_90a", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma"], sms = 132, max_resident_ctas = 32, max_cluster_ctas = 8, max_clusters = 15, smem_per_sm = 233472, smem_per_block = 232448, registers_per_sm = 65536, l2_bytes = 62914560, l2_effective_bytes = 31457280, l2_domains = 1, dispatch_chunk = 1, dram_gbps = 4800, tensor_gflops = 989000>} {
  // expected-error @below {{'attn.kernel' op expected views of at most 536870912 elements a dimension for a GPU, but got '!attn.view<4x536870913xf32>'}}
  attn.kernel @k(%x: !attn.view<4x536870913xf32>) attributes {threads = 32 : i64} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
    }
  }
}

// -----

// A stage in registers, of which copies to shared memory know nothing.
module attributes {attn.target = #attn.target<"h200">} {
  attn.kernel @k() attributes {threads = 32 : i64} {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'attn.ring.create' op expected memory for all 2 stages on "h200", but got 1}}
    %r = attn.ring.create slots 1 : <2 x tensor<16x16xbf16, #attn.shared<32>>>
    attn.ctas %w in %c1 {
    }
  }
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  attn.kernel @k() attributes {threads = 32 : i64} {
    %c1 = arith.constant 1 : index
    attn.ctas %w in %c1 {
      // expected-error @below {{'attn.scheduling_hint' op expected a target whose code generator takes hints, but got "h200"}}
      attn.scheduling_hint hold_copies
    }
  }
}

// -----

// Parts of a slot are warpgroups' that compute: two here, or none where nobody is a producer.
!q = tensor<256x64xbf16, #attn.shared<128>>
module attributes {attn.target = #attn.target<"h200">} {
  attn.kernel @k() attributes {threads = 256 : i64} {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'attn.ring.create' op expected a part for each warpgroup that computes beside a producer, of which there are 2, but got 4}}
    %r = attn.ring.create own_rows parts 4 : <1 x !q>
    attn.ctas %w in %c1 {
      attn.specialize producer 4 warps (24) {
      } consumers (240) {
      }
    }
  }
}

// -----

!q = tensor<256x64xbf16, #attn.shared<128>>
module attributes {attn.target = #attn.target<"h200">} {
  attn.kernel @k() attributes {threads = 256 : i64} {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'attn.ring.create' op expected a part for each warpgroup that computes beside a producer, of which there are 0, but got 2}}
    %r = attn.ring.create own_rows parts 2 : <1 x !q>
    attn.ctas %w in %c1 {
    }
  }
}
