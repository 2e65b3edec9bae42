// RUN: attn-opt %s --attn-embed-programs='schedule=tiles=query=16,key=16' --split-input-file | sed 's/\\00//g; s/\\22//g; s/\\0A *//g' | cut -c1-4000 | FileCheck %s

// The bundle is for the target of the module around, and is a constant of the module's name.

// CHECK-LABEL: func.func private @p({{.*}}attributes {attn.program = @programs}
// CHECK:       llvm.mlir.global internal constant @programs("manifest.json{{.*}}file: p_attention.0.so{{.*}}name: p,{{.*}}[ceildiv,[size,0,2],16]{{.*}}target: {arch: {{x86_64-v3|aarch64}},name: cpu}
// CHECK-NOT:   module @programs
module attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 4, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1048576, smem_per_block = 1048576, registers_per_sm = 1048576, l2_bytes = 33554432, l2_effective_bytes = 33554432, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 64, dispatch_chunk = 1, dram_gbps = 50, tensor_gflops = 500, clock_mhz = 3000, special_per_clock = 1, fma_per_clock = 16, l2_gbps = 200>} {
  func.func private @p(!attn.view<1x2x?x64xf16>, !attn.view<1x2x?x64xf16>, !attn.view<1x2x?x64xf16>) attributes {attn.program = @programs}
  module @programs {
    func.func @p(%q: tensor<1x2x?x64xf16>, %k: tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16> {
      %o = attn.attention %q, %k, %k scale(0.125)
          : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16>
      return %o : tensor<1x2x?x64xf16>
    }
  }
}

// -----

// What is embedded stays, and modules of which no program is declared.

// CHECK:       llvm.mlir.global internal constant @programs("bytes")
// CHECK:       module @others
llvm.mlir.global internal constant @programs("bytes") : !llvm.array<5 x i8>
func.func private @p(!attn.view<?xf16>) attributes {attn.program = @programs}
module @others {
}
