// A function with attention, for MLIR's own mlir-opt with the plugin:
//
//   mlir-opt plugin.mlir --load-dialect-plugin=AttnMLIRPlugin.so --pass-pipeline='builtin.module(
//     attn-set-target{target=cpu},attn-outline-programs,attn-embed-programs,attn-lower-host-to-llvm)'
//   | mlir-translate --mlir-to-llvmir

func.func @f(%q: tensor<?x8x?x64xf16>, %k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>)
    -> tensor<?x8x?x64xf16> attributes {llvm.emit_c_interface} {
  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125)
      : (tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>) -> tensor<?x8x?x64xf16>
  %r = arith.addf %o, %q : tensor<?x8x?x64xf16>
  return %r : tensor<?x8x?x64xf16>
}
