// The configuration of "Sawtooth Wavefront Reordering", section 4.3: batch 8, one
// head, 131072 tokens, head dimension 64. K and V of one head are 32 MiB, more
// than GB10's L2 holds, so that alternating the direction of the stream pays:
//
//   attn-compile sawtooth-gb10.mlir --target=gb10 \
//     --schedule='tiles=query=64,key=64 persistent resident=1 sawtooth=auto' --describe --remarks
//
// Static sizes: the pass decides at compile time. Too long to run on a CPU.

func.func @attention(%q: tensor<8x1x131072x64xf16>, %k: tensor<8x1x131072x64xf16>,
                     %v: tensor<8x1x131072x64xf16>) -> tensor<8x1x131072x64xf16> {
  // 1 / sqrt(64)
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<8x1x131072x64xf16>, tensor<8x1x131072x64xf16>, tensor<8x1x131072x64xf16>)
      -> tensor<8x1x131072x64xf16>
  return %o : tensor<8x1x131072x64xf16>
}
