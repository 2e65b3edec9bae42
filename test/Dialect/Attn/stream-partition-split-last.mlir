// attn-stream-partition{split-last}: one kernel, in which the CTA that is done last merges what the
// CTAs of all parts have stored, in their order, as the second of two kernels does.
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='split-last splits=16 tiles=query=64,key=64' | FileCheck %s
// The schedule of an operation says the same as options.
// RUN: sed 's/{none}/{attn.schedule = #attn.schedule<splits = 16, split_last, tiles = [query = 64, key = 64]>}/' %s \
// RUN:   | attn-opt --attn-set-target=target=h200 --attn-stream-partition | FileCheck %s

// States, and a word for each tile of the grid without the parts, are workspace.
// CHECK-LABEL: func.func @decode
// CHECK: attn.launch @decode_attention ins(%arg0, %arg1, %arg2 : {{.*}}) outs(
// CHECK-SAME: tensor<?x8x4x64xbf16>, tensor<16x?x4xf32>, tensor<16x?x4xf32>, tensor<16x?x4xf32>, tensor<16x?x4x64xf32>, tensor<?x8x1x1xi64>)
// CHECK-NOT: attn.launch

// CHECK-LABEL: attn.kernel @decode_attention(
// CHECK-SAME: %words: !attn.view<?x8x1x1xi64>)
// CHECK-NOT: step =
// CHECK: attn.grid (%[[B:[^ ]+]], %[[H:[^ ]+]], %[[S:[^ ]+]], %[[G:[^ ]+]], %[[T:[^ ]+]]) visit %{{[^ ]+}} in
// CHECK-SAME: split = %c16{{[^ )]*}}, {{.*}}) sharing [batch, kv_head, split] {
// CHECK: %[[BEGUN:[^ ]+]] = attn.begin_part %[[S]] of 16 at %words[%[[B]], %[[H]], %[[G]], %[[T]]]
// CHECK: %[[STATE:[^ ]+]]:4 = attn.stream
// CHECK: attn.store %[[STATE]]#0, %factor[%[[S]],
// CHECK: attn.store %[[STATE]]#3, %acc[%[[S]],
// CHECK: attn.last_part %[[BEGUN]] {
// CHECK: scf.for
// CHECK: attn.stream %[[P:[^ ]+]] step 8 over [%c0 to %c16
// CHECK: attn.load %factor[%[[P]],
// CHECK: attn.load %acc[%[[P]], {{.*}} -> tensor<4x64xf32>
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{[^ ]+}}, %o[%[[B]], {{.*}} : tensor<4x64xbf16>
// CHECK-NOT: attn.kernel
func.func @decode(%q: tensor<?x8x4x64xbf16>, %k: tensor<?x8x?x64xbf16>, %v: tensor<?x8x?x64xbf16>) -> tensor<?x8x4x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) {none}
      : (tensor<?x8x4x64xbf16>, tensor<?x8x?x64xbf16>, tensor<?x8x?x64xbf16>) -> tensor<?x8x4x64xbf16>
  return %o : tensor<?x8x4x64xbf16>
}
