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

// No queries.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="it has no queries"
func.func @none(%q: tensor<1x4x0x32xf16>, %k: tensor<1x2x9x32xf16>) -> tensor<1x4x0x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<1x4x0x32xf16>, tensor<1x2x9x32xf16>, tensor<1x2x9x32xf16>) -> tensor<1x4x0x32xf16>
  return %o : tensor<1x4x0x32xf16>
}
// A modification of scores would have to know how many queries a head has.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="its scores are modified, and its number of queries is not static"
func.func @modified(%q: tensor<?x4x?x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    attn.yield %s : f32
  } : (tensor<?x4x?x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16>
  return %o : tensor<?x4x?x32xf16>
}

// The result must say the same of queries as Q.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="a result's number of queries is static where that of Q is not, or the other way round"
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

// In bshd the queries are before the heads: two queries, and perhaps more than one;
// four queries and one head.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="the heads of a group do not follow the queries of a head in layout bshd, unless there is one"
func.func @bshd(%q: tensor<?x2x4x32xf16>, %k: tensor<?x?x2x32xf16>) -> tensor<?x2x4x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x2x4x32xf16>, tensor<?x?x2x32xf16>, tensor<?x?x2x32xf16>) -> tensor<?x2x4x32xf16>
  return %o : tensor<?x2x4x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] pack-group | Category:attn-pack-group | Remark="the heads of a group do not follow the queries of a head in layout bshd, unless there is one"
func.func @bshd_dynamic(%q: tensor<?x?x4x32xf16>, %k: tensor<?x?x2x32xf16>) -> tensor<?x?x4x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x?x4x32xf16>, tensor<?x?x2x32xf16>, tensor<?x?x2x32xf16>) -> tensor<?x?x4x32xf16>
  return %o : tensor<?x?x4x32xf16>
}
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="no query heads share a KV head"
func.func @bshd_queries(%q: tensor<?x4x1x32xf16>, %k: tensor<?x?x1x32xf16>) -> tensor<?x4x1x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x4x1x32xf16>, tensor<?x?x1x32xf16>, tensor<?x?x1x32xf16>) -> tensor<?x4x1x32xf16>
  return %o : tensor<?x4x1x32xf16>
}

// The other way round.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="a result's number of queries is static where that of Q is not, or the other way round"
func.func @dynamic_result(%q: tensor<?x4x1x32xf16>, %k: tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) : (tensor<?x4x1x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> tensor<?x4x?x32xf16>
  return %o : tensor<?x4x?x32xf16>
}

// Of O alone, in bshd.
// CHECK: pack-group-invalid.mlir:[[# @LINE + 2]]:8: remark: [Missed] {{.*}}Remark="a result's number of queries is static where that of Q is not, or the other way round"
func.func @bshd_result(%q: tensor<?x1x4x32xf16>, %k: tensor<?x?x2x32xf16>) -> tensor<?x?x4x32xf16> {
  %o = attn.attention %q, %k, %k scale(1.0) layout(bshd) : (tensor<?x1x4x32xf16>, tensor<?x?x2x32xf16>, tensor<?x?x2x32xf16>) -> tensor<?x?x4x32xf16>
  return %o : tensor<?x?x4x32xf16>
}

// Nothing to say of other operations.
func.func @matmul(%a: tensor<1x64xbf16>, %b: tensor<64x?xbf16>) -> tensor<1x?xf32> {
  %c = attn.matmul %a, %b : (tensor<1x64xbf16>, tensor<64x?xbf16>) -> tensor<1x?xf32>
  return %c : tensor<1x?xf32>
}
