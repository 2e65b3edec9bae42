// RUN: attn-opt %s --attn-serialize-kernels --split-input-file | cut -c1-400 | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-schedule{target=mi300x tiles=query=64,key=64},attn-to-target,attn-lower-to-rocdl,one-shot-bufferize{bufferize-function-boundaries},convert-attn-launch-to-gpu,attn-serialize-kernels)' | cut -c1-400 | FileCheck %s --check-prefix=AMD
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-schedule{target=a100 tiles=query=64,key=64},attn-to-target,attn-lower-to-nvvm,one-shot-bufferize{bufferize-function-boundaries},convert-attn-launch-to-gpu,attn-serialize-kernels{ptxas=none})' | cut -c1-400 | FileCheck %s --check-prefix=NVIDIA

// A module of others stays.

// CHECK:       gpu.module @others
// CHECK-NOT:   gpu.binary
// AMD:         gpu.binary @mean_attention_device [#gpu.object<#rocdl.target<O = 3, chip = "gfx942">, bin = "\7FELF
// NVIDIA:      gpu.binary @mean_attention_device [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, assembly = "//
gpu.module @others {
  llvm.func @f() {
    llvm.return
  }
}
func.func @mean(%q: tensor<1x2x?x64xbf16>) -> tensor<1x2x?x64xbf16> {
  %o = attn.attention %q, %q, %q scale(0.125)
      : (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>) -> tensor<1x2x?x64xbf16>
  return %o : tensor<1x2x?x64xbf16>
}
