// attn-outline-for-cpu: each kernel in a module of its own, with what a launcher calls it with.
// RUN: attn-opt %s --split-input-file --attn-outline-for-cpu | FileCheck %s

// Parameters are the base of each view, its dynamic sizes and its strides but the last, which is 1 as
// the alignments say; then scalars. The number of CTAs is an expression over sizes.

// CHECK-LABEL: module @copy_device {
// CHECK: attn.kernel @copy(%{{.*}}: !attn.view<?x4x64xf16>, %{{.*}}: !attn.view<8x64xf32>, %{{.*}}: f32, %{{.*}}: i1) attributes {attn.manifest = {
// CHECK-SAME: align = [{bytes = 2 : i64, view = 0 : i64}, {bytes = 4 : i64, view = 1 : i64}]
// CHECK-SAME: block = 1 : i64
// CHECK-SAME: grid = ["ceildiv", ["size", 0, 0], 2]
// CHECK-SAME: names = ["in", "out", "factor", "twice"]
// CHECK-SAME: parameters = [
// CHECK-SAME: {kind = "pointer", view = 0 : i64}, {dim = 0 : i64, kind = "size", view = 0 : i64}
// CHECK-SAME: {dim = 0 : i64, kind = "stride", view = 0 : i64}, {dim = 1 : i64, kind = "stride", view = 0 : i64}
// CHECK-SAME: {kind = "pointer", view = 1 : i64}, {dim = 0 : i64, kind = "stride", view = 1 : i64}
// CHECK-SAME: {index = 0 : i64, kind = "scalar"}, {index = 1 : i64, kind = "scalar"}]
// CHECK-SAME: scalars = [f32, i1]
// CHECK-SAME: shared_bytes = 0 : i64
// CHECK-SAME: views = [!attn.view<?x4x64xf16>, !attn.view<8x64xf32>]}
// CHECK: attn.ctas %{{.*}} in
// CHECK: attn.store
attn.kernel @copy(%in: !attn.view<?x4x64xf16>, %out: !attn.view<8x64xf32>, %factor: f32, %twice: i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = attn.dim %in, 0 : <?x4x64xf16>
  %ctas = arith.ceildivui %n, %c2 : index
  attn.ctas %cta in %ctas {
    %tile = attn.load %in[%cta, %c0, %c0] : <?x4x64xf16> -> tensor<4x64xf16>
    %wide = arith.extf %tile : tensor<4x64xf16> to tensor<4x64xf32>
    attn.store %wide, %out[%c0, %c0] : tensor<4x64xf32> -> <8x64xf32>
  }
}

// -----

// What launches kernels stays, on tensors; one dimension has no stride, and outputs and names go along.

// CHECK-LABEL: func.func @twice
// CHECK: attn.launch @one ins(%{{.*}} : tensor<?xf32>)
// CHECK: attn.launch @two
// CHECK: module @one_device {
// CHECK-NEXT: attn.kernel @one
// CHECK-SAME: attn.manifest = {
// CHECK-SAME: dim_names = {{\[\[}}"rows"], ["rows"]]
// CHECK-SAME: grid = ["size", 0, 0]
// CHECK-SAME: outputs = 1 : i64
// CHECK-SAME: parameters = [{kind = "pointer", view = 0 : i64}, {dim = 0 : i64, kind = "size", view = 0 : i64}, {kind = "pointer", view = 1 : i64}, {dim = 0 : i64, kind = "size", view = 1 : i64}]
// CHECK: module @two_device {
// CHECK-NEXT: attn.kernel @two
// CHECK-SAME: grid = 3
// CHECK-NOT: attn.kernel
#map = affine_map<(d0) -> (d0)>
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = attn.launch @one ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) views [#map, #map] -> tensor<?xf32>
  %1 = attn.launch @two ins(%0 : tensor<?xf32>) outs(%y : tensor<?xf32>) views [#map, #map] -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
attn.kernel @one(%x: !attn.view<?xf32>, %y: !attn.view<?xf32>) attributes {outputs = 1 : i64, dim_names = [["rows"], ["rows"]]} {
  %n = attn.dim %x, 0 : <?xf32>
  attn.ctas %cta in %n {
    %tile = attn.load %x[%cta] : <?xf32> -> tensor<1xf32>
    attn.store %tile, %y[%cta] : tensor<1xf32> -> <?xf32>
  }
}
attn.kernel @two(%x: !attn.view<?xf32>, %y: !attn.view<?xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 3 : index
  attn.ctas %cta in %n {
    %tile = attn.load %x[%cta] : <?xf32> -> tensor<1xf32>
    attn.store %tile, %y[%cta] : tensor<1xf32> -> <?xf32>
  }
}
