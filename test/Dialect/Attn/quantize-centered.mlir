// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s --check-prefix=KERNEL
// RUN: attn-opt %s --attn-schedule=target=h200 | FileCheck %s --check-prefix=WORDS

// CHECK-LABEL: func @plain
// CHECK: attn.quantize %{{.*}} centered scale_block(64) layout(bshd) : (tensor<?x?x8x64xbf16>) -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2x?xf32>, tensor<?x8x64xf32>)

// Sums of 512 rows, means of these, and what is less the means.
// KERNEL-LABEL: func @plain
// KERNEL: %[[SUMS:.*]] = attn.launch @plain_quantize_sums ins(%arg0 :
// KERNEL-SAME: outs(%{{.*}} : tensor<?x8x?x64xf32>)
// KERNEL: %[[MEANS:.*]] = attn.launch @plain_quantize_means ins(%[[SUMS]] :
// KERNEL: %[[MAXIMA:.*]] = attn.launch @plain_quantize_maxima ins(%arg0, %[[MEANS]] :
// KERNEL: %[[SCALES:.*]] = attn.launch @plain_quantize_scales ins(%[[MAXIMA]] :
// KERNEL: %[[NUMBERS:.*]] = attn.launch @plain_quantize ins(%arg0, %[[MEANS]], %[[SCALES]] :
// KERNEL: return %[[NUMBERS]], %[[SCALES]], %[[MEANS]]

// Eight tiles are under way before one is added, and who adds is told by the places of rows: launches repeat it.
// KERNEL-LABEL: attn.kernel @plain_quantize_sums(%x: !attn.view<?x8x?x64xbf16>, %sums: !attn.view<?x8x?x64xf32>)
// KERNEL-SAME: direct_loads
// KERNEL-SAME: step = "quantize"
// KERNEL: attn.stream %{{.*}} step 128 ordered over
// KERNEL-COUNT-8: attn.load %x[%batch, %head,
// KERNEL-NOT: attn.load
// KERNEL-COUNT-8: arith.addf
// KERNEL: %[[COUNT:.*]] = arith.uitofp
// KERNEL: arith.divf %{{.*}}, %[[COUNT]] : f32
// KERNEL: attn.store %{{.*}}, %sums[%batch, %head,

// KERNEL-LABEL: attn.kernel @plain_quantize_means(
// KERNEL-SAME: follows
// KERNEL: attn.stream %{{.*}} step 64 ordered over
// KERNEL: %[[SOME:.*]] = attn.gather %sums[%batch, %head,
// KERNEL: attn.reduce sum %[[SOME]] : tensor<16x64xf32>
// KERNEL: attn.store %{{.*}}, %means[%batch, %head, %{{.*}}] : tensor<16xf32>

// Rows behind the last one are zero, and not what zero is less a mean.
// KERNEL-LABEL: attn.kernel @plain_quantize_maxima(
// KERNEL-SAME: direct_loads, follows
// KERNEL: %[[MEAN:.*]] = attn.gather %means[%batch, %head,
// KERNEL-COUNT-4: attn.load %x[
// KERNEL: %[[ROW:.*]] = attn.broadcast %[[MEAN]] : tensor<1x64xf32> to tensor<16x64xf32>
// KERNEL: %[[LESS:.*]] = arith.subf %{{.*}}, %[[ROW]]
// KERNEL: %[[SIZE:.*]] = math.absf %[[LESS]]
// KERNEL: %[[IN:.*]] = arith.cmpi slt
// KERNEL: arith.select %[[IN]], %[[SIZE]],
// KERNEL: attn.reduce max

// KERNEL-LABEL: attn.kernel @plain_quantize_scales(
// KERNEL-LABEL: attn.kernel @plain_quantize(
// KERNEL: %[[MEAN:.*]] = attn.gather %means[
// KERNEL: %[[ROW:.*]] = attn.broadcast %[[MEAN]]
// KERNEL: arith.subf %{{.*}}, %[[ROW]]
// KERNEL: arith.truncf %{{.*}} to tensor<64x64xf8E4M3FN>
func.func @plain(%x: tensor<?x?x8x64xbf16>) -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2x?xf32>, tensor<?x8x64xf32>) {
  %q, %s, %m = attn.quantize %x centered scale_block(64) layout(bshd) : (tensor<?x?x8x64xbf16>)
    -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2x?xf32>, tensor<?x8x64xf32>)
  return %q, %s, %m : tensor<?x?x8x64xf8E4M3FN>, tensor<?x2x?xf32>, tensor<?x8x64xf32>
}

// CHECK-LABEL: func @rotated
// CHECK: attn.quantize %{{.*}} centered rotate(%{{.*}}) factor(0.0883883461) : (tensor<1x2x130x128xf16>, tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>, tensor<1x2x128xf32>)

// Means are rotated by themselves, and products start from less than that.
// KERNEL-LABEL: func @rotated
// KERNEL: %[[MEANS:.*]] = attn.launch @rotated_quantize_means ins(
// KERNEL: %[[TURNED:.*]] = attn.launch @rotated_quantize_turned_means ins(%arg1, %[[MEANS]] :
// KERNEL: attn.launch @rotated_quantize_maxima ins(%arg0, %arg1, %[[TURNED]] :
// KERNEL: attn.launch @rotated_quantize ins(%arg0, %arg1, %[[TURNED]],
// KERNEL: return %{{.*}}, %{{.*}}, %[[MEANS]]
// KERNEL-LABEL: attn.kernel @rotated_quantize_turned_means(
// KERNEL: %[[M:.*]] = attn.gather %rotation[
// KERNEL: %[[MEAN:.*]] = attn.gather %means[
// KERNEL: %[[WIDE:.*]] = arith.extf %[[M]]
// KERNEL: arith.mulf %[[WIDE]], %[[MEAN]]
// KERNEL: attn.reduce sum
// KERNEL-LABEL: attn.kernel @rotated_quantize_maxima(
// KERNEL: %[[MEAN:.*]] = attn.gather %means[
// KERNEL: %[[NEG:.*]] = arith.mulf %[[MEAN]],
// KERNEL: %[[START:.*]] = attn.broadcast %[[NEG]]
// KERNEL: attn.dot %{{.*}}, %{{.*}}, %[[START]]

// Where columns of the matrix are ordered, those of the means are.
// WORDS-LABEL: func @rotated
// WORDS: %[[MATRIX:.*]] = attn.launch @rotated_quantize_matrix ins(%arg1 :
// WORDS: attn.launch @rotated_quantize_sums
// WORDS: attn.launch @rotated_quantize ins(%arg0, %[[MATRIX]],
// WORDS-LABEL: attn.kernel @rotated_quantize_sums(
// WORDS-SAME: follows
// WORDS-LABEL: attn.kernel @rotated_quantize(
// WORDS: %[[BLOCK:.*]] = arith.shrui
// WORDS: %[[FROM:.*]] = arith.addi %{{.*}}, %[[BLOCK]] : tensor<1x128xindex>
// WORDS: attn.gather %means[%{{.*}}, %{{.*}}, %[[FROM]]]
// WORDS: attn.dot
// WORDS: attn.interleave
func.func @rotated(%x: tensor<1x2x130x128xf16>, %m: tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>, tensor<1x2x128xf32>) {
  %q, %s, %e = attn.quantize %x centered rotate(%m) factor(8.83883461E-2)
    : (tensor<1x2x130x128xf16>, tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>, tensor<1x2x128xf32>)
  return %q, %s, %e : tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>, tensor<1x2x128xf32>
}
