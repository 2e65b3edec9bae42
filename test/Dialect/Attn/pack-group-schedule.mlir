// attn-pack-group in the schedule: what the passes behind it, and a launcher, see of it.
// RUN: attn-opt %s --attn-schedule='target=h200 pack-group' | FileCheck %s --check-prefixes=CHECK,LEVEL2
// RUN: attn-opt %s --attn-schedule='target=h200' | FileCheck %s --check-prefix=ALONE
// RUN: attn-opt %s --attn-schedule='target=h200 pack-group' --attn-to-target --attn-lower-to-nvvm | FileCheck %s --check-prefixes=CHECK,MANIFEST

// The host reshapes, and launches a kernel of four queries and eight heads.
// CHECK-LABEL: func.func @decode
// LEVEL2: %[[P:[^ ]+]] = tensor.collapse_shape %{{[^ ]+}} {{.*}} into tensor<?x8x4x128xbf16>
// LEVEL2: attn.launch @decode_attention ins(%[[P]], %{{[^ ]+}}, %{{[^ ]+}} : tensor<?x8x4x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>) outs({{.*}} : tensor<?x8x4x128xbf16>, tensor<?x8x4xf32>)
// LEVEL2: attn.kernel @decode_attention(%[[Q:[^ ]+]]: !attn.view<?x8x4x128xbf16>, %{{[^ ]+}}: !attn.view<?x8x?x128xbf16>, %{{[^ ]+}}: !attn.view<?x8x?x128xbf16>, %{{[^ ]+}}: !attn.view<?x8x4x128xbf16>, %{{[^ ]+}}: !attn.view<?x8x4xf32>)
// LEVEL2-SAME: {dim_names = {{\[\[}}"batch", "", "", ""], ["batch", "", "key", ""], ["batch", "", "key", ""], ["batch", "", "", ""], ["batch", "", ""]], outputs = 2 : i64,

// One tile of queries for each KV head: K and V are read once for its four heads.
// Without the mask no bound of the stream depends on the query.
// LEVEL2-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// LEVEL2-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// LEVEL2-DAG: %[[BATCH:[^ ]+]] = attn.dim %[[Q]], 0
// LEVEL2: attn.grid ({{.*}}) visit %{{[^ ]+}} in (batch = %[[BATCH]], kv_head = %[[C8]], group = %[[C1]], query = %[[C1]]) sharing [batch, kv_head] {
// LEVEL2: attn.load %[[Q]]{{.*}} -> tensor<16x128xbf16>
// LEVEL2-NOT: arith.cmpi sle
// LEVEL2: attn.return

// As it is, each of the 32 heads has a CTA, whose tile has one row.
// ALONE: attn.kernel @decode_attention(%[[Q:[^ ]+]]: !attn.view<?x32x1x128xbf16>
// ALONE-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// ALONE-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// ALONE-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// ALONE: attn.grid ({{.*}}) visit %{{[^ ]+}} in (batch = %{{[^ ]+}}, kv_head = %[[C8]], group = %[[C4]], query = %[[C1]])
// ALONE: arith.cmpi sle
// ALONE: attn.return

// The kernel is what is launched: the manifest asks for Q, O and LSE in groups, and for
// eight CTAs a batch.
// MANIFEST: llvm.func @decode_attention
// MANIFEST-SAME: grid = ["mul", ["size", 0, 0], 8]
// MANIFEST-SAME: {box = [1, 1, 16, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}
// MANIFEST-SAME: views = [!attn.view<?x8x4x128xbf16>, !attn.view<?x8x?x128xbf16>, !attn.view<?x8x?x128xbf16>, !attn.view<?x8x4x128xbf16>, !attn.view<?x8x4xf32>]
func.func @decode(%q: tensor<?x32x1x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>)
    -> (tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125)
      : (tensor<?x32x1x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      -> (tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>)
  return %o, %lse : tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>
}
