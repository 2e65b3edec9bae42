// attn-stream-partition{stream-k}: CTAs take the tiles of whole rounds, and share the steps of the others. Parts of a
// tile store states, which a second kernel merges; results are stored by both, each its rows.
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='stream-k tiles=query=64,key=64' | FileCheck %s
// The schedule of an operation says the same as options.
// RUN: sed 's/{none}/{attn.schedule = #attn.schedule<stream_k, tiles = [query = 64, key = 64]>}/' %s \
// RUN:   | attn-opt --attn-set-target=target=h200 --attn-stream-partition | FileCheck %s
// So many parts as CTAs have in all, by SMs and what is resident on one.
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='stream-k tiles=query=64,key=64 sms=5 resident=2' | FileCheck %s --check-prefix=TEN

// CHECK-LABEL: func.func @full
// CHECK: attn.launch @full_attention_split ins(%arg0, %arg1, %arg2 : {{.*}}) outs(
// CHECK-SAME: tensor<?x8x?x32xbf16>, tensor<264x64xf32>, tensor<264x64xf32>, tensor<264x64xf32>, tensor<264x64x32xf32>)
// TEN: outs({{.*}}, tensor<20x64x32xf32>)
// CHECK: attn.launch @full_attention_merge ins(

// CHECK-LABEL: attn.kernel @full_attention_split(
// CHECK: attn.grid (%{{[^ ]+}}) visit %{{[^ ]+}} in (work = %{{[^ )]+}}) {
// CHECK: %[[WHOLE:[^ ]+]] = arith.cmpi eq, %{{.*}} : index
// CHECK: %[[PART:[^ ]+]] = arith.andi
// CHECK: %[[STATE:[^ ]+]]:4 = attn.stream
// CHECK: %[[SLOT:[^ ]+]] = arith.select %[[PART]], %{{[^,]+}}, %c264{{[^ ]*}} : index
// CHECK: attn.store %[[STATE]]#0, %factor[%[[SLOT]], %c0]
// CHECK: attn.store %[[STATE]]#3, %acc[%[[SLOT]], %c0, %c0]
// CHECK: %[[ROW:[^ ]+]] = arith.select %[[WHOLE]]
// CHECK: attn.store %{{[^ ]+}}, %o[%{{[^,]+}}, %{{[^,]+}}, %[[ROW]], %c0]

// CHECK-LABEL: attn.kernel @full_attention_merge(
// CHECK-SAME: step = "merge"
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}) visit %{{[^ ]+}} in (work = %{{[^,]+}}, row = %{{[^)]+}}) {
// CHECK: attn.stream %[[AT:[^ ]+]] step 8 over
// CHECK: attn.load %factor[%[[AT]], %{{[^ ]+}}] : {{.*}} -> tensor<4xf32>
// CHECK: attn.stream %{{[^ ]+}} step 2 over
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{[^ ]+}}, %o[
func.func @full(%q: tensor<?x8x?x32xbf16>, %k: tensor<?x8x?x32xbf16>, %v: tensor<?x8x?x32xbf16>) -> tensor<?x8x?x32xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) {none}
      : (tensor<?x8x?x32xbf16>, tensor<?x8x?x32xbf16>, tensor<?x8x?x32xbf16>) -> tensor<?x8x?x32xbf16>
  return %o : tensor<?x8x?x32xbf16>
}
