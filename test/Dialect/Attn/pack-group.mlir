// attn-pack-group: the query heads of a group become rows of one tile.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --attn-pack-group --remarks-filter='attn.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once
// What is packed has no groups: it is not packed again.
// RUN: attn-opt %t.once --split-input-file --attn-pack-group | diff %t.once -

// REMARK: pack-group.mlir:[[# @LINE + 27]]:14: remark: [Passed] pack-group | Category:attn-pack-group | Remark="query heads of a group are rows of one tile:", group=4
// REMARK: remark: [Passed] pack-group {{.*}}, group=5
// REMARK: remark: [Passed] pack-group {{.*}}, group=2
// REMARK: remark: [Missed] pack-group {{.*}}no query heads share a KV head
// REMARK: remark: [Passed] pack-group {{.*}}, group=3
// REMARK: remark: [Passed] pack-group {{.*}}, group=4
// REMARK: remark: [Passed] pack-group {{.*}}, group=2
// REMARK: remark: [Passed] pack-group {{.*}}, group=4
// REMARK: remark: [Passed] pack-group {{.*}}, group=3

// Q, O and LSE are reshaped, heads first: head h is row h % 4 of KV head h / 4. K and V
// stay as they are. One query sees every key under a causal mask from the bottom right,
// which goes; the scale and attributes that nobody knows stay.

// CHECK-LABEL: func.func @decode
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<?x32x1x128xbf16>, %[[K:[^ ]+]]: tensor<?x8x?x128xbf16>, %[[V:[^ ]+]]: tensor<?x8x?x64xbf16>) -> (tensor<?x32x1x64xbf16>, tensor<?x32x1xf32>) {
// CHECK: %[[BATCH:[^ ]+]] = tensor.dim %[[Q]], %{{[^ ]+}}
// CHECK: %[[S:[^ ]+]] = tensor.expand_shape %[[Q]] {{\[\[}}0], [1, 2], [3], [4]] output_shape [%[[BATCH]], 8, 4, 1, 128] : tensor<?x32x1x128xbf16> into tensor<?x8x4x1x128xbf16>
// CHECK-NEXT: %[[P:[^ ]+]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1], [2, 3], [4]] : tensor<?x8x4x1x128xbf16> into tensor<?x8x4x128xbf16>
// CHECK-NEXT: %[[O:[^ ]+]], %[[LSE:[^ ]+]] = attn.attention %[[P]], %[[K]], %[[V]] scale(1.250000e-01) {note = "kept"} : (tensor<?x8x4x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x64xbf16>) -> (tensor<?x8x4x64xbf16>, tensor<?x8x4xf32>)
// CHECK: %[[OS:[^ ]+]] = tensor.expand_shape %[[O]] {{\[\[}}0], [1], [2, 3], [4]] output_shape [%{{[^ ]+}}, 8, 4, 1, 64]
// CHECK-NEXT: %[[OR:[^ ]+]] = tensor.collapse_shape %[[OS]] {{\[\[}}0], [1, 2], [3], [4]] : tensor<?x8x4x1x64xbf16> into tensor<?x32x1x64xbf16>
// CHECK: %[[LS:[^ ]+]] = tensor.expand_shape %[[LSE]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{[^ ]+}}, 8, 4, 1]
// CHECK-NEXT: %[[LR:[^ ]+]] = tensor.collapse_shape %[[LS]] {{\[\[}}0], [1, 2], [3]] : tensor<?x8x4x1xf32> into tensor<?x32x1xf32>
// CHECK-NEXT: return %[[OR]], %[[LR]]
func.func @decode(%q: tensor<?x32x1x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x64xbf16>)
    -> (tensor<?x32x1x64xbf16>, tensor<?x32x1xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) {note = "kept"}
      : (tensor<?x32x1x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x64xbf16>)
      -> (tensor<?x32x1x64xbf16>, tensor<?x32x1xf32>)
  return %o, %lse : tensor<?x32x1x64xbf16>, tensor<?x32x1xf32>
}

// -----

// Without a mask, with one KV head, all sizes static.

// CHECK-LABEL: func.func @static
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<3x5x1x64xf32>, %[[K:[^ ]+]]: tensor<3x1x77x64xf32>)
// CHECK-NEXT: %[[S:[^ ]+]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<3x1x5x1x64xf32>
// CHECK-NEXT: %[[P:[^ ]+]] = tensor.collapse_shape %[[S]] {{.*}} into tensor<3x1x5x64xf32>
// CHECK-NEXT: %[[O:[^ ]+]] = attn.attention %[[P]], %[[K]], %[[K]] scale(5.000000e-01) : (tensor<3x1x5x64xf32>, tensor<3x1x77x64xf32>, tensor<3x1x77x64xf32>) -> tensor<3x1x5x64xf32>
// CHECK-NEXT: %[[OS:[^ ]+]] = tensor.expand_shape %[[O]] {{.*}} into tensor<3x1x5x1x64xf32>
// CHECK-NEXT: %[[R:[^ ]+]] = tensor.collapse_shape %[[OS]] {{.*}} into tensor<3x5x1x64xf32>
// CHECK-NEXT: return %[[R]]
func.func @static(%q: tensor<3x5x1x64xf32>, %k: tensor<3x1x77x64xf32>) -> tensor<3x5x1x64xf32> {
  %o = attn.attention %q, %k, %k scale(0.5)
      : (tensor<3x5x1x64xf32>, tensor<3x1x77x64xf32>, tensor<3x1x77x64xf32>) -> tensor<3x5x1x64xf32>
  return %o : tensor<3x5x1x64xf32>
}

// -----

// A score modification sees the head and the query that it saw: of one query, head
// 2 g + r / 1 and query r mod 1.
// Batch, key and captures are as before.

// CHECK-LABEL: func.func @score
// CHECK: attn.attention %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} scale(1.000000e+00) captures(%{{[^ ]+}} : f32) score(%[[S:[^ ]+]]: f32, %[[B:[^ ]+]]: index, %[[G:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[J:[^ ]+]]: index, %[[C:[^ ]+]]: f32) {
// CHECK-NEXT: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-NEXT: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.muli %[[G]], %[[C2]] : index
// CHECK-NEXT: %[[MEMBER:[^ ]+]] = arith.divui %[[R]], %[[C1]] : index
// CHECK-NEXT: %[[H:[^ ]+]] = arith.addi %[[FIRST]], %[[MEMBER]] : index
// CHECK-NEXT: %[[I:[^ ]+]] = arith.remui %[[R]], %[[C1]] : index
// CHECK-NEXT: %[[D:[^ ]+]] = arith.subi %[[J]], %[[I]] : index
// CHECK-NEXT: %[[X:[^ ]+]] = arith.muli %[[D]], %[[H]] : index
// CHECK-NEXT: %[[Y:[^ ]+]] = arith.addi %[[X]], %[[B]] : index
// CHECK-NEXT: %[[YH:[^ ]+]] = arith.addi %[[Y]], %[[H]] : index
// CHECK-NEXT: %[[YI:[^ ]+]] = arith.index_cast %[[YH]] : index to i32
// CHECK-NEXT: %[[YF:[^ ]+]] = arith.sitofp %[[YI]] : i32 to f32
// CHECK-NEXT: %[[BIAS:[^ ]+]] = arith.mulf %[[YF]], %[[C]] : f32
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.addf %[[S]], %[[BIAS]] : f32
// CHECK-NEXT: attn.yield %[[Z]] : f32
// CHECK-NEXT: } : (tensor<?x2x2x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x2x2x32xf16>
func.func @score(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>, %v: tensor<?x2x?x32xf16>, %cap: f32) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %v scale(1.0) captures(%cap : f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
    %d = arith.subi %j, %i : index
    %x = arith.muli %d, %h : index
    %y = arith.addi %x, %b : index
    %yh = arith.addi %y, %h : index
    %yi = arith.index_cast %yh : index to i32
    %yf = arith.sitofp %yi : i32 to f32
    %bias = arith.mulf %yf, %c : f32
    %z = arith.addf %s, %bias : f32
    attn.yield %z : f32
  } : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// -----

// Each operation on its own: the first has no groups and stays, the second is packed,
// and reads what the first computed.

// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<?x6x1x16xf32>, %[[K:[^ ]+]]: tensor<?x6x?x16xf32>, %[[L:[^ ]+]]: tensor<?x2x?x16xf32>)
// CHECK-NEXT: %[[M:[^ ]+]] = attn.attention %[[Q]], %[[K]], %[[K]] mask(#attn.causal<bottom_right>) scale(2.000000e+00) : (tensor<?x6x1x16xf32>, tensor<?x6x?x16xf32>, tensor<?x6x?x16xf32>) -> tensor<?x6x1x16xf32>
// CHECK: tensor.expand_shape %[[M]]
// CHECK: attn.attention %{{[^ ]+}}, %[[L]], %[[L]] scale(2.000000e+00) : (tensor<?x2x3x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x2x3x16xf32>
func.func @two(%q: tensor<?x6x1x16xf32>, %k: tensor<?x6x?x16xf32>, %l: tensor<?x2x?x16xf32>) -> tensor<?x6x1x16xf32> {
  %m = attn.attention %q, %k, %k mask(#attn.causal<bottom_right>) scale(2.0)
      : (tensor<?x6x1x16xf32>, tensor<?x6x?x16xf32>, tensor<?x6x?x16xf32>) -> tensor<?x6x1x16xf32>
  %o = attn.attention %m, %l, %l mask(#attn.causal<bottom_right>) scale(2.0)
      : (tensor<?x6x1x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x6x1x16xf32>
  return %o : tensor<?x6x1x16xf32>
}

// -----

// Any number of queries: rows are those of one head after the other, and the mask says so.

// CHECK-LABEL: func.func @queries
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<?x8x?x32xf16>
// CHECK: %[[LENGTH:[^ ]+]] = tensor.dim %[[Q]], %c2
// CHECK: tensor.expand_shape %[[Q]] {{.*}} output_shape [%{{[^ ]+}}, 2, 4, %[[LENGTH]], 32]
// CHECK-NEXT: tensor.collapse_shape {{.*}} : tensor<?x2x4x?x32xf16> into tensor<?x2x?x32xf16>
// CHECK-NEXT: attn.attention {{.*}} mask(#attn.packed<group = 4, mask = #attn.causal<bottom_right>>)
// CHECK: tensor.expand_shape {{.*}} into tensor<?x2x4x?x32xf16>
// CHECK-NEXT: tensor.collapse_shape {{.*}} : tensor<?x2x4x?x32xf16> into tensor<?x8x?x32xf16>
func.func @queries(%q: tensor<?x8x?x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x8x?x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.causal<bottom_right>) scale(1.0) : (tensor<?x8x?x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x8x?x32xf16>
  return %o : tensor<?x8x?x32xf16>
}

// -----

// So it is for one query under a mask that does not show it every key.

// CHECK-LABEL: func.func @window
// CHECK: mask(#attn.packed<group = 2, mask = #attn.window<left = 5, right = 0, align = bottom_right>>)
// CHECK-SAME: tensor<?x2x2x32xf16>
func.func @window(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.window<left = 5, right = 0, align = bottom_right>) scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// -----

// The query in front of the heads: Q and O are reshaped into the same, LSE as ever, K and
// V keep their layout.
// CHECK-LABEL: func.func @bshd
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<?x1x32x128xbf16>, %[[K:[^ ]+]]: tensor<?x?x8x128xbf16>, %[[V:[^ ]+]]: tensor<?x?x8x64xbf16>)
// CHECK: %[[S:[^ ]+]] = tensor.expand_shape %[[Q]] {{\[\[}}0], [1], [2, 3], [4]] output_shape [%{{[^ ]+}}, 1, 8, 4, 128] : tensor<?x1x32x128xbf16> into tensor<?x1x8x4x128xbf16>
// CHECK-NEXT: %[[P:[^ ]+]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2], [3], [4]] : tensor<?x1x8x4x128xbf16> into tensor<?x8x4x128xbf16>
// CHECK-NEXT: %[[O:[^ ]+]], %[[LSE:[^ ]+]] = attn.attention %[[P]], %[[K]], %[[V]] scale(1.250000e-01) layout(bhsd, kv = bshd) : (tensor<?x8x4x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x64xbf16>) -> (tensor<?x8x4x64xbf16>, tensor<?x8x4xf32>)
// CHECK: %[[OS:[^ ]+]] = tensor.expand_shape %[[O]] {{\[\[}}0], [1, 2], [3], [4]] output_shape [%{{[^ ]+}}, 1, 8, 4, 64] : tensor<?x8x4x64xbf16> into tensor<?x1x8x4x64xbf16>
// CHECK-NEXT: %[[OR:[^ ]+]] = tensor.collapse_shape %[[OS]] {{\[\[}}0], [1], [2, 3], [4]] : tensor<?x1x8x4x64xbf16> into tensor<?x1x32x64xbf16>
// CHECK: %[[LS:[^ ]+]] = tensor.expand_shape %[[LSE]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{[^ ]+}}, 8, 4, 1]
// CHECK-NEXT: %[[LR:[^ ]+]] = tensor.collapse_shape %[[LS]] {{\[\[}}0], [1, 2], [3]] : tensor<?x8x4x1xf32> into tensor<?x32x1xf32>
// CHECK-NEXT: return %[[OR]], %[[LR]]
func.func @bshd(%q: tensor<?x1x32x128xbf16>, %k: tensor<?x?x8x128xbf16>, %v: tensor<?x?x8x64xbf16>)
    -> (tensor<?x1x32x64xbf16>, tensor<?x32x1xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)
      : (tensor<?x1x32x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x64xbf16>)
      -> (tensor<?x1x32x64xbf16>, tensor<?x32x1xf32>)
  return %o, %lse : tensor<?x1x32x64xbf16>, tensor<?x32x1xf32>
}

// -----

// K and V with heads in front of what Q has behind them: one layout for all.
// CHECK-LABEL: func.func @keys
// CHECK: attn.attention %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} scale(1.250000e-01) : (tensor<2x2x3x16xf16>, tensor<2x2x9x16xf16>, tensor<2x2x9x16xf16>) -> tensor<2x2x3x16xf16>
// CHECK: return %{{[^ ]+}} : tensor<2x1x6x16xf16>
func.func @keys(%q: tensor<2x1x6x16xf16>, %k: tensor<2x2x9x16xf16>) -> tensor<2x1x6x16xf16> {
  %o = attn.attention %q, %k, %k scale(0.125) layout(bshd, kv = bhsd)
      : (tensor<2x1x6x16xf16>, tensor<2x2x9x16xf16>, tensor<2x2x9x16xf16>) -> tensor<2x1x6x16xf16>
  return %o : tensor<2x1x6x16xf16>
}
