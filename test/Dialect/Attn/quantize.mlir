// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s --check-prefix=KERNEL
// RUN: attn-opt %s --attn-schedule=target=h200 | FileCheck %s --check-prefix=WORDS

// CHECK-LABEL: func @plain
// CHECK: attn.quantize %{{.*}} layout(bshd) : (tensor<?x?x8x64xbf16>) -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2xf32>)

// Maxima of all heads of a scale are neighbours.
// KERNEL-LABEL: func @plain
// KERNEL: %[[ROOM:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x2x?xf32>
// KERNEL: %[[MAXIMA:.*]] = attn.launch @plain_quantize_maxima ins(%arg0 :
// KERNEL-SAME: outs(%[[ROOM]] :
// KERNEL: %[[SCALES:.*]] = attn.launch @plain_quantize_scales ins(%[[MAXIMA]] :
// KERNEL: %[[NUMBERS:.*]] = attn.launch @plain_quantize ins(%arg0, %[[SCALES]] :
// KERNEL: return %[[NUMBERS]], %[[SCALES]]

// Eight tiles are under way before the first is looked at.
// KERNEL-LABEL: attn.kernel @plain_quantize_maxima(%x: !attn.view<?x8x?x64xbf16>, %maxima: !attn.view<?x2x?xf32>)
// KERNEL-SAME: direct_loads
// KERNEL-SAME: step = "quantize"
// KERNEL-COUNT-8: attn.load %x[%batch, %head,
// KERNEL: %[[MAX:.*]] = attn.reduce max %{{.*}} : tensor<16x64xf32>
// KERNEL: attn.store %[[MAX]], %maxima[%batch,

// What is zero alone has a scale of 1; the largest magnitude else becomes the largest number, 448.
// KERNEL-LABEL: attn.kernel @plain_quantize_scales(
// KERNEL-SAME: follows
// KERNEL: %[[ALL:.*]] = attn.stream
// KERNEL: attn.reduce max
// KERNEL: arith.constant dense<0.00223214296>
// KERNEL: arith.constant dense<1.17549435E-38>
// KERNEL: arith.cmpf oeq, %[[ALL]],
// KERNEL: arith.constant dense<1.000000e+00>
// KERNEL: arith.select
// KERNEL: attn.store %{{.*}}, %scales[%batch, %head]

// KERNEL-LABEL: attn.kernel @plain_quantize(
// KERNEL-SAME: follows
// KERNEL: %[[TILE:.*]] = attn.load %x[
// KERNEL: %[[SCALE:.*]] = attn.gather %scales[
// KERNEL: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SCALE]]
// KERNEL: tensor.splat %[[INVERSE]]
// KERNEL: arith.truncf %{{.*}} : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
func.func @plain(%x: tensor<?x?x8x64xbf16>) -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2xf32>) {
  %q, %s = attn.quantize %x layout(bshd) : (tensor<?x?x8x64xbf16>) -> (tensor<?x?x8x64xf8E4M3FN>, tensor<?x2xf32>)
  return %q, %s : tensor<?x?x8x64xf8E4M3FN>, tensor<?x2xf32>
}

// CHECK-LABEL: func @blocks
// CHECK: attn.quantize %{{.*}} scale_block(64) : (tensor<?x8x?x64xbf16>) -> (tensor<?x8x?x64xf8E4M3FN>, tensor<?x2x?xf32>)

// A scale for each 64 rows of four heads: of each head four tiles of 16 rows leave 16 maxima, and a warp makes 16 scales of their 64.
// KERNEL-LABEL: func @blocks
// KERNEL: attn.launch @blocks_quantize_maxima ins(%arg0 : {{.*}} outs(%{{.*}} : tensor<?x2x?x64xf32>)
// KERNEL-LABEL: attn.kernel @blocks_quantize_maxima(%x: !attn.view<?x8x?x64xbf16>, %maxima: !attn.view<?x2x?x64xf32>)
// KERNEL-COUNT-4: attn.load %x[%batch, %head,
// KERNEL-NOT: attn.load
// KERNEL: attn.store %{{.*}}, %maxima[%batch, %{{.*}}, %row, %{{.*}}]
// KERNEL-LABEL: attn.kernel @blocks_quantize_scales(
// KERNEL: attn.load %maxima{{.*}} -> tensor<16x64xf32>
// KERNEL: attn.store %{{.*}}, %scales[%batch, %head, %{{.*}}] : tensor<16xf32>
// KERNEL-LABEL: attn.kernel @blocks_quantize(
// KERNEL: %[[BLOCK:.*]] = arith.divui %{{.*}}, %c64
// KERNEL: attn.gather %scales[%batch, %{{.*}}, %[[BLOCK]]]
func.func @blocks(%x: tensor<?x8x?x64xbf16>) -> (tensor<?x8x?x64xf8E4M3FN>, tensor<?x2x?xf32>) {
  %q, %s = attn.quantize %x scale_block(64) : (tensor<?x8x?x64xbf16>) -> (tensor<?x8x?x64xf8E4M3FN>, tensor<?x2x?xf32>)
  return %q, %s : tensor<?x8x?x64xf8E4M3FN>, tensor<?x2x?xf32>
}

// CHECK-LABEL: func @rotated
// CHECK: attn.quantize %{{.*}} rotate(%{{.*}}) factor(0.0883883461) : (tensor<1x2x130x128xf16>, tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>)

// Where products leave two columns a lane, a kernel orders those of the matrix so that four neighbours are in a lane once they are interleaved.
// WORDS-LABEL: func @rotated
// WORDS: %[[MATRIX:.*]] = attn.launch @rotated_quantize_matrix ins(%arg1 :
// WORDS: attn.launch @rotated_quantize_maxima ins(%arg0, %arg1 :
// WORDS: attn.launch @rotated_quantize ins(%arg0, %[[MATRIX]],
// WORDS-LABEL: attn.kernel @rotated_quantize_matrix(
// WORDS: %[[TILE:.*]] = attn.gather %rotation[
// WORDS: attn.store %[[TILE]], %columns[
// WORDS-LABEL: attn.kernel @rotated_quantize_maxima(
// WORDS-SAME: attn.schedule = #attn.schedule<wgmma = all, specialize, resident_stages = 1>
// WORDS-SAME: follows
// WORDS-LABEL: attn.kernel @rotated_quantize(
// WORDS-SAME: attn.schedule = #attn.schedule<wgmma = all, specialize, resident_stages = 4>
// WORDS: attn.dot
// WORDS: %[[SCALED:.*]] = arith.mulf
// WORDS: %[[ORDERED:.*]] = attn.interleave %[[SCALED]] group(64)
// WORDS: arith.truncf %[[ORDERED]]

// KERNEL-LABEL: func @rotated
// KERNEL-NOT: attn.quantize

// Rows of a product are reduced before the next: it takes the registers that there are.
// KERNEL-LABEL: attn.kernel @rotated_quantize_maxima(
// KERNEL-NOT: direct_loads
// KERNEL: %[[M:.*]] = attn.load %rotation[
// KERNEL: attn.dot %{{.*}}, %[[M]],
// KERNEL: attn.reduce max
// KERNEL: attn.dot %{{.*}}, %[[M]],
// KERNEL: attn.reduce max
// KERNEL-LABEL: attn.kernel @rotated_quantize_scales(
// KERNEL-LABEL: attn.kernel @rotated_quantize(
// KERNEL: attn.dot
func.func @rotated(%x: tensor<1x2x130x128xf16>, %m: tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>) {
  %q, %s = attn.quantize %x rotate(%m) factor(8.83883461E-2)
    : (tensor<1x2x130x128xf16>, tensor<128x128xf16>) -> (tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>)
  return %q, %s : tensor<1x2x130x128xf8E5M2>, tensor<1x2xf32>
}

// Where there may be more tiles than CTAs, these keep the matrix, and take tiles in turn; an SM has two of one warpgroup.
// WORDS-LABEL: attn.kernel @many_quantize_maxima(
// Numbers are made from the last rows to the first, which L2 has longest.
// WORDS-NOT: reversed
// WORDS: attn.grid {{.*}} persistent 264
// WORDS-LABEL: attn.kernel @many_quantize(
// WORDS: attn.grid {{.*}} order <[batch, head, row], reversed = [batch, head, row]> persistent 264
func.func @many(%x: tensor<?x2x?x128xf16>, %m: tensor<128x128xf16>) -> (tensor<?x2x?x128xf8E5M2>, tensor<?x2x?xf32>) {
  %q, %s = attn.quantize %x rotate(%m) factor(8.83883461E-2) scale_block(64)
    : (tensor<?x2x?x128xf16>, tensor<128x128xf16>) -> (tensor<?x2x?x128xf8E5M2>, tensor<?x2x?xf32>)
  return %q, %s : tensor<?x2x?x128xf8E5M2>, tensor<?x2x?xf32>
}

// CHECK-LABEL: func @factors
// CHECK: attn.quantize %{{.*}} rotate(%{{.*}}) factor(6.250000e-02) : (tensor<?x2x?x256xf16>, tensor<4x64x64xf16>) -> (tensor<?x2x?x256xf8E5M2>, tensor<?x2xf32>)

// Blocks of columns are multiplied by a block of the rotation each; sums and differences of these have the order of Sylvester's matrix. Their magnitudes are
// one tile before rows are looked at.
// KERNEL-LABEL: attn.kernel @factors_quantize_maxima(
// KERNEL-SAME: %rotation: !attn.view<4x64x64xf16>
// KERNEL-COUNT-4: attn.load %rotation[{{.*}} -> tensor<64x64xf16>
// KERNEL-COUNT-4: attn.load %x[{{.*}} -> tensor<128x64xf16>
// KERNEL: %[[A:.*]] = attn.dot
// KERNEL: %[[B:.*]] = attn.dot
// KERNEL: %[[C:.*]] = attn.dot
// KERNEL: %[[D:.*]] = attn.dot
// KERNEL: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// KERNEL: %[[AMB:.*]] = arith.subf %[[A]], %[[B]]
// KERNEL: %[[CD:.*]] = arith.addf %[[C]], %[[D]]
// KERNEL: %[[CMD:.*]] = arith.subf %[[C]], %[[D]]
// KERNEL: arith.addf %[[AB]], %[[CD]]
// KERNEL: arith.subf %[[AB]], %[[CD]]
// KERNEL: arith.addf %[[AMB]], %[[CMD]]
// KERNEL: arith.subf %[[AMB]], %[[CMD]]
// KERNEL-COUNT-1: attn.reduce max
// KERNEL-NOT: attn.reduce
// KERNEL-LABEL: attn.kernel @factors_quantize_scales(
// KERNEL-LABEL: attn.kernel @factors_quantize(
// KERNEL-COUNT-4: attn.store %{{.*}}, %numbers[{{.*}} : tensor<128x64xf8E5M2>

// WORDS-LABEL: attn.kernel @factors_quantize_matrix(
// WORDS: attn.gather %rotation[%{{.*}}, %{{.*}}, %{{.*}}] : {{.*}} -> tensor<16x64xf16>
// WORDS-LABEL: attn.kernel @factors_quantize(
// WORDS-SAME: attn.schedule = #attn.schedule<wgmma = all, specialize, resident_stages = 2>
// WORDS-COUNT-4: attn.interleave %{{.*}} group(64)
func.func @factors(%x: tensor<?x2x?x256xf16>, %m: tensor<4x64x64xf16>) -> (tensor<?x2x?x256xf8E5M2>, tensor<?x2xf32>) {
  %q, %s = attn.quantize %x rotate(%m) factor(0.0625) : (tensor<?x2x?x256xf16>, tensor<4x64x64xf16>) -> (tensor<?x2x?x256xf8E5M2>, tensor<?x2xf32>)
  return %q, %s : tensor<?x2x?x256xf8E5M2>, tensor<?x2xf32>
}
