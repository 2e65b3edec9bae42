// attn-stage-loads{columns hold-lhs}: one value a column through rings; left-hand sides that stay in registers.
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=64,key=64' --attn-to-target='wgmma=all specialize' | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=64,key=64' --attn-to-target='wgmma=all specialize stage-columns hold-lhs' | FileCheck %s --check-prefixes=CHECK,RINGS
// The producer copies them with a warp: threads of the producer arrive, and its warp waits.
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=64,key=64' --attn-to-target='wgmma=all specialize stage-columns delay-waits' --attn-lower-to-nvvm | FileCheck %s --check-prefix=NVVM
// A target without asynchronous copies of few bytes leaves them loads.
// RUN: attn-opt %s --attn-schedule='target=mi300x tiles=query=64,key=64' --attn-to-target='stage-columns' | FileCheck %s --check-prefix=AMD

// CHECK-LABEL: attn.kernel @f_attention_backward_key
// DIRECT: attn.dot.issue %[[K:tile[_0-9]*]],
// RINGS: attn.ring.create : <2 x tensor<1x64xf32, #shared
// RINGS: attn.ring.create : <2 x tensor<1x64xf32, #shared
// RINGS: %[[K:.*]] = attn.convert_layout %{{.*}} : tensor<64x64xbf16, #shared> to tensor<64x64xbf16, #acc>
// RINGS: attn.stream
// RINGS: attn.ring.issue %{{.*}}, %lse[{{.*}}] by async chunk 4
// RINGS: attn.ring.issue %{{.*}}, %delta[{{.*}}] by async chunk 4
// RINGS: attn.dot.issue %[[K]], %{{.*}} transpose_rhs
// RINGS: attn.convert_layout %{{.*}} : tensor<1x64xf32, #shared{{.*}}> to tensor<1x64xf32, #acc
// RINGS-NOT: attn.load
// RINGS: attn.yield
// DIRECT-NOT: tensor<1x64xf32, #shared

// The first thread of the CTA makes a barrier for the 32 arrivals of the producer's warp, and
// one for an arrival of each warp of the 4 that read: a product starts before they release.
// NVVM-LABEL: llvm.func @f_attention_backward_key
// NVVM: %[[WARP:.*]] = llvm.mlir.constant(32 : i32)
// NVVM-NEXT: nvvm.mbarrier.init %{{.*}}, %[[WARP]]
// NVVM: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// NVVM-NEXT: nvvm.mbarrier.init %{{.*}}, %[[FOUR]]
// NVVM: nvvm.cp.async.shared.global {{.*}}, 4, cache = ca
// NVVM: nvvm.cp.async.mbarrier.arrive {{.*}}noinc

// AMD-LABEL: attn.kernel @f_attention_backward_key
// AMD-NOT: tensor<1x64xf32, #shared
func.func @f(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>,
             %do: tensor<?x2x?x64xbf16>, %lse: tensor<?x2x?xf32>, %delta: tensor<?x2x?xf32>)
    -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) {
  %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta scale(0.125)
      : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>,
         tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>, tensor<?x2x?xf32>)
      -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
  return %dk, %dv : tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>
}
