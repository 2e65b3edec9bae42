// attn-pack-group: what it leaves as it is, with a remark that says why.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --attn-pack-group -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after
// The same as operations alone, without names or defaults.
// RUN: attn-opt %s --mlir-print-op-generic -o %t.generic.before
// RUN: attn-opt %s --attn-pack-group --mlir-print-op-generic -o %t.generic.after
// RUN: diff %t.generic.before %t.generic.after
// RUN: not attn-opt %s --attn-pack-group=heads=4 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option heads

// More than one query, none, or who knows how many.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="it has more than one query, or a number of them that is not known"
func.func @two(%q: tensor<1x4x2x32xf16>, %k: tensor<1x2x9x32xf16>) -> tensor<1x4x2x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<1x4x2x32xf16>, tensor<1x2x9x32xf16>, tensor<1x2x9x32xf16>) -> tensor<1x4x2x32xf16>
  return %o : tensor<1x4x2x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="it has more than one query, or a number of them that is not known"
func.func @none(%q: tensor<1x4x0x32xf16>, %k: tensor<1x2x9x32xf16>) -> tensor<1x4x0x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<1x4x0x32xf16>, tensor<1x2x9x32xf16>, tensor<1x2x9x32xf16>) -> tensor<1x4x0x32xf16>
  return %o : tensor<1x4x0x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="it has more than one query, or a number of them that is not known"
func.func @dynamic(%q: tensor<?x4x?x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.causal<bottom_right>) scale(1.0) : (tensor<?x4x?x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16>
  return %o : tensor<?x4x?x32xf16>
}

// Not the result either, which may say that it is one query where Q does not.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="it has more than one query, or a number of them that is not known"
func.func @result(%q: tensor<?x4x?x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<?x4x?x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// As many KV heads as query heads, one or several.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="no query heads share a KV head"
func.func @heads(%q: tensor<?x4x1x32xf16>, %k: tensor<?x4x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x4x?x32xf16>, tensor<?x4x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="no query heads share a KV head"
func.func @head(%q: tensor<?x1x1x32xf16>, %k: tensor<?x1x?x32xf16>) -> tensor<?x1x1x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<?x1x1x32xf16>, tensor<?x1x?x32xf16>, tensor<?x1x?x32xf16>) -> tensor<?x1x1x32xf16>
  return %o : tensor<?x1x1x32xf16>
}

// In bshd the query is before the heads. Neither four queries and one head, nor one
// query and four heads.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="the heads of a group are no dimension of their own in layout bshd"
func.func @bshd(%q: tensor<?x1x4x32xf16>, %k: tensor<?x?x2x32xf16>) -> tensor<?x1x4x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x1x4x32xf16>, tensor<?x?x2x32xf16>, tensor<?x?x2x32xf16>) -> tensor<?x1x4x32xf16>
  return %o : tensor<?x1x4x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="it has more than one query, or a number of them that is not known"
func.func @bshd_queries(%q: tensor<?x4x1x32xf16>, %k: tensor<?x?x1x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x4x1x32xf16>, tensor<?x?x1x32xf16>, tensor<?x?x1x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// From the top left the one query sees the first key alone, and rows of a tile would
// see more; in a window it sees the last keys.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="its mask tells queries apart"
func.func @top_left(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.causal<top_left>) scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="its mask tells queries apart"
func.func @window(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.window<left = 5, right = 0, align = bottom_right>) scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}
// Causal in other words: it is not looked into.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="its mask tells queries apart"
func.func @open(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k mask(#attn.window<left = -1, right = 0, align = bottom_right>) scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// What comes out must be known to have one query, too.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="a result's number of queries is not static"
func.func @dynamic_result(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16>
  return %o : tensor<?x4x?x32xf16>
}

// Nothing to say of other operations.
func.func @matmul(%a: tensor<1x64xbf16>, %b: tensor<64x?xbf16>) -> tensor<1x?xf32> {
  %c = attn.matmul %a, %b : (tensor<1x64xbf16>, tensor<64x?xbf16>) -> tensor<1x?xf32>
  return %c : tensor<1x?xf32>
}
