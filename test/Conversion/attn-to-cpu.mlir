// convert-attn-to-cpu: kernels to functions over a range of CTAs, tiles to linalg.
// RUN: attn-opt %s --split-input-file --convert-attn-to-cpu --cse | FileCheck %s

// A launch on memrefs becomes two calls, for the number of CTAs and for all of them,
// with views that are transposed and forget their strides.

// CHECK-LABEL: func.func @launch
// CHECK-SAME: (%[[Q:[^ ]+]]: memref<?x4x8x16xf16>, %[[O:[^ ]+]]: memref<?x8x4x16xf16>, %[[N:[^ ]+]]: index)
// CHECK: %[[T:[^ ]+]] = memref.transpose %[[Q]] (d0, d1, d2, d3) -> (d0, d2, d1, d3)
// CHECK: %[[QV:[^ ]+]] = memref.cast %[[T]] : {{.*}} to memref<?x8x4x16xf16, strided<[?, ?, ?, ?], offset: ?>>
// CHECK: %[[OV:[^ ]+]] = memref.cast %[[O]] : {{.*}} to memref<?x8x?x16xf16, strided<[?, ?, ?, ?], offset: ?>>
// CHECK: %[[CTAS:[^ ]+]] = call @k_ctas(%[[QV]], %[[OV]], %[[N]])
// CHECK: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: call @k(%[[C0]], %[[CTAS]], %[[QV]], %[[OV]], %[[N]])
// CHECK-NOT: attn.launch

// The number of CTAs is the kernel's index arithmetic, on memrefs.

// CHECK-LABEL: func.func @k_ctas
// CHECK-SAME: (%[[Q:[^ ]+]]: memref<?x8x4x16xf16, strided<[?, ?, ?, ?], offset: ?>>, %[[O:[^ ]+]]: memref<?x8x?x16xf16, strided<[?, ?, ?, ?], offset: ?>>, %{{[^ ]+}}: index) -> index
// CHECK-SAME: llvm.emit_c_interface
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[B:[^ ]+]] = memref.dim %[[Q]], %[[C0]]
// CHECK-DAG: %[[ROWS:[^ ]+]] = memref.dim %[[O]], %[[C2]]
// CHECK-DAG: %[[TILES:[^ ]+]] = arith.ceildivui %[[ROWS]], %[[C2]]
// CHECK-DAG: %[[CTAS:[^ ]+]] = arith.muli %[[B]], %[[TILES]]
// CHECK: return %[[CTAS]] : index

// The kernel runs the CTAs of a range, as far as there are any.

// CHECK-LABEL: func.func @k(
// CHECK-SAME: %[[BEGIN:[^ ]+]]: index, %[[END:[^ ]+]]: index, %[[Q:[^ ]+]]: memref<?x8x4x16xf16, strided<[?, ?, ?, ?], offset: ?>>, %[[O:[^ ]+]]: memref<?x8x?x16xf16, strided<[?, ?, ?, ?], offset: ?>>, %[[N:[^ ]+]]: index)
// CHECK-SAME: attributes {attn.kernel_views = [!attn.view<?x8x4x16xf16>, !attn.view<?x8x?x16xf16>], llvm.emit_c_interface}
// CHECK: %[[BATCHES:[^ ]+]] = memref.dim %[[Q]], %[[C0:[^ ]+]] :
// CHECK: %[[ROWS:[^ ]+]] = memref.dim %[[O]], %{{[^ ]+}} :
// CHECK: %[[CTAS:[^ ]+]] = arith.muli
// CHECK: %[[STOP:[^ ]+]] = arith.minui %[[END]], %[[CTAS]]
// CHECK: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK: scf.for %[[CTA:[^ ]+]] = %[[BEGIN]] to %[[STOP]] step %[[C1]] {

// A load has zeros outside of the view: along its two dimensions, the elements from
// -offset to size - offset are inside, both clamped to the tile; none is where a
// leading offset lies outside.

// CHECK: %[[I:[^ ]+]] = arith.muli %[[CTA]], %[[N]] : index
// CHECK-DAG: %[[HEADS:[^ ]+]] = memref.dim %[[Q]], %[[C1]] :
// CHECK-DAG: %[[SIZE:[^ ]+]] = memref.dim %[[Q]], %[[C2:[^ ]+]] :
// CHECK-DAG: %[[D:[^ ]+]] = memref.dim %[[Q]], %[[C3:[^ ]+]] :
// CHECK-DAG: %[[INB:[^ ]+]] = arith.cmpi ult, %[[CTA]], %[[BATCHES]] : index
// CHECK-DAG: %[[INH:[^ ]+]] = arith.cmpi ult, %[[N]], %[[HEADS]] : index
// CHECK-DAG: %[[EXISTS:[^ ]+]] = arith.andi %[[INB]], %[[INH]] : i1
// CHECK-DAG: %[[BEFORE:[^ ]+]] = arith.subi %[[C0]], %[[I]] : index
// CHECK-DAG: %[[BEFOREMIN:[^ ]+]] = arith.minsi %[[BEFORE]], %[[C2]] : index
// CHECK-DAG: %[[LOWER0:[^ ]+]] = arith.maxsi %[[BEFOREMIN]], %[[C0]] : index
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[SIZE]], %[[I]] : index
// CHECK-DAG: %[[LEFTMIN:[^ ]+]] = arith.minsi %[[LEFT]], %[[C2]] : index
// CHECK-DAG: %[[END0:[^ ]+]] = arith.maxsi %[[LEFTMIN]], %[[C0]] : index
// CHECK-DAG: %[[UPPER0:[^ ]+]] = arith.select %[[EXISTS]], %[[END0]], %[[C0]] : index
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[DMIN:[^ ]+]] = arith.minsi %[[D]], %[[C16]] : index
// CHECK-DAG: %[[END1:[^ ]+]] = arith.maxsi %[[DMIN]], %[[C0]] : index
// CHECK-DAG: %[[UPPER1:[^ ]+]] = arith.select %[[EXISTS]], %[[END1]], %[[C0]] : index
// CHECK: %[[TILE:[^ ]+]] = tensor.generate
// CHECK-NEXT: ^bb0(%[[X:[^ ]+]]: index, %[[Y:[^ ]+]]: index):
// CHECK-NEXT: %[[FROM0:[^ ]+]] = arith.cmpi sge, %[[X]], %[[LOWER0]]
// CHECK-NEXT: %[[TO0:[^ ]+]] = arith.cmpi slt, %[[X]], %[[UPPER0]]
// CHECK-NEXT: %[[IN0:[^ ]+]] = arith.andi %[[FROM0]], %[[TO0]] : i1
// CHECK-NEXT: %[[FROM1:[^ ]+]] = arith.cmpi sge, %[[Y]], %[[C0]]
// CHECK-NEXT: %[[TO1:[^ ]+]] = arith.cmpi slt, %[[Y]], %[[UPPER1]]
// CHECK-NEXT: %[[IN1:[^ ]+]] = arith.andi %[[FROM1]], %[[TO1]] : i1
// CHECK-NEXT: %[[IN:[^ ]+]] = arith.andi %[[IN0]], %[[IN1]] : i1
// CHECK-NEXT: %[[E:[^ ]+]] = scf.if %[[IN]] -> (f16) {
// CHECK-NEXT: %[[AX:[^ ]+]] = arith.addi %[[I]], %[[X]]
// CHECK-NEXT: %[[AY:[^ ]+]] = arith.addi %[[C0]], %[[Y]]
// CHECK-NEXT: %[[L:[^ ]+]] = memref.load %[[Q]][%[[CTA]], %[[N]], %[[AX]], %[[AY]]]
// CHECK-NEXT: scf.yield %[[L]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.constant 0.000000e+00 : f16
// CHECK-NEXT: scf.yield %[[Z]]
// CHECK-NEXT: }
// CHECK-NEXT: tensor.yield %[[E]]
// CHECK: : tensor<2x16xf16>

// A store writes only what is inside; its lower bounds are those of the load.

// CHECK-DAG: %[[BATCHES:[^ ]+]] = memref.dim %[[O]], %[[C0]] :
// CHECK-DAG: %[[HEADS:[^ ]+]] = memref.dim %[[O]], %[[C1]] :
// CHECK-DAG: %[[INB:[^ ]+]] = arith.cmpi ult, %[[CTA]], %[[BATCHES]] : index
// CHECK-DAG: %[[INH:[^ ]+]] = arith.cmpi ult, %[[N]], %[[HEADS]] : index
// CHECK-DAG: %[[EXISTS:[^ ]+]] = arith.andi %[[INB]], %[[INH]] : i1
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[ROWS]], %[[I]] : index
// CHECK-DAG: %[[LEFTMIN:[^ ]+]] = arith.minsi %[[LEFT]], %[[C2]] : index
// CHECK-DAG: %[[END0:[^ ]+]] = arith.maxsi %[[LEFTMIN]], %[[C0]] : index
// CHECK-DAG: %[[UPPER0:[^ ]+]] = arith.select %[[EXISTS]], %[[END0]], %[[C0]] : index
// CHECK-DAG: %[[D:[^ ]+]] = memref.dim %[[O]], %[[C3]] :
// CHECK-DAG: %[[DMIN:[^ ]+]] = arith.minsi %[[D]], %[[C16]] : index
// CHECK-DAG: %[[END1:[^ ]+]] = arith.maxsi %[[DMIN]], %[[C0]] : index
// CHECK-DAG: %[[UPPER1:[^ ]+]] = arith.select %[[EXISTS]], %[[END1]], %[[C0]] : index
// CHECK: scf.for %[[X:[^ ]+]] = %[[LOWER0]] to %[[UPPER0]] step %[[C1]] {
// CHECK-NEXT: scf.for %[[Y:[^ ]+]] = %[[C0]] to %[[UPPER1]] step %[[C1]] {
// CHECK-NEXT: %[[E:[^ ]+]] = tensor.extract %[[TILE]][%[[X]], %[[Y]]]
// CHECK-NEXT: %[[AX:[^ ]+]] = arith.addi %[[I]], %[[X]]
// CHECK-NEXT: %[[AY:[^ ]+]] = arith.addi %[[C0]], %[[Y]]
// CHECK-NEXT: memref.store %[[E]], %[[O]][%[[CTA]], %[[N]], %[[AX]], %[[AY]]]
func.func @launch(%q: memref<?x4x8x16xf16>, %o: memref<?x8x4x16xf16>, %n: index) {
  attn.launch @k ins(%q : memref<?x4x8x16xf16>) outs(%o : memref<?x8x4x16xf16>) scalars(%n : index)
      views [affine_map<(b, s, h, d) -> (b, h, s, d)>, affine_map<(b, h, s, d) -> (b, h, s, d)>]
  return
}
attn.kernel @k(%q: !attn.view<?x8x4x16xf16>, %o: !attn.view<?x8x?x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = attn.dim %q, 0 : !attn.view<?x8x4x16xf16>
  %rows = attn.dim %o, 2 : !attn.view<?x8x?x16xf16>
  %t = arith.ceildivui %rows, %c2 : index
  %ctas = arith.muli %b, %t : index
  attn.ctas %w in %ctas {
    %i = arith.muli %w, %n : index
    %x = attn.load %q[%w, %n, %i, %c0] : !attn.view<?x8x4x16xf16> -> tensor<2x16xf16>
    attn.store %x, %o[%w, %n, %i, %c0] : tensor<2x16xf16> -> !attn.view<?x8x?x16xf16>
  }
}

// -----

// On tensors a launch waits; its kernel does not. After bufferization it finds a
// function.

// CHECK-LABEL: func.func @tensors
// CHECK: attn.launch @copy ins(%{{[^ ]+}} : tensor<4xf32>) outs(%{{[^ ]+}} : tensor<4xf32>)
// CHECK-LABEL: func.func @memrefs
// CHECK: call @copy_ctas
// CHECK: call @copy(
// CHECK: func.func @copy_ctas(
// CHECK: func.func @copy(
// CHECK-NOT: attn.kernel @
func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = attn.launch @copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>)
      views [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @memrefs(%x: memref<4xf32>, %y: memref<4xf32>) {
  attn.launch @copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      views [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
  return
}
attn.kernel @copy(%x: !attn.view<4xf32>, %y: !attn.view<4xf32>) {
  %c4 = arith.constant 4 : index
  attn.ctas %w in %c4 {
    %t = attn.load %x[%w] : !attn.view<4xf32> -> tensor<1xf32>
    attn.store %t, %y[%w] : tensor<1xf32> -> !attn.view<4xf32>
  }
}

// -----

// Dots: an f32 product in the order row, sum, column, for which a transposed right
// side is turned, and converted, first. Reductions start at their unit.

// CHECK-DAG: #[[LHS:[^ ]+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[RHS:[^ ]+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[OUT:[^ ]+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[TILE:[^ ]+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROWS:[^ ]+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @tiles(
// CHECK: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK: scf.for %[[CTA:[^ ]+]] =
// CHECK: %[[X:[^ ]+]] = tensor.generate
// CHECK: : tensor<4x16xf16>
// CHECK: %[[Y:[^ ]+]] = tensor.generate
// CHECK: : tensor<8x16xf16>
// CHECK: %[[Z:[^ ]+]] = tensor.generate
// CHECK: : tensor<16x8xf32>
// CHECK: %[[TURNED:[^ ]+]] = linalg.transpose ins(%[[Y]] : tensor<8x16xf16>) {{.*}} permutation = [1, 0]
// CHECK: %[[LHS_WIDE:[^ ]+]] = linalg.copy ins(%[[X]] : tensor<4x16xf16>) outs(%{{[^ ]+}} : tensor<4x16xf32>)
// CHECK: %[[WIDE:[^ ]+]] = linalg.copy ins(%[[TURNED]] : tensor<16x8xf16>) outs(%{{[^ ]+}} : tensor<16x8xf32>)
// CHECK: %[[D:[^ ]+]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME: ins(%[[LHS_WIDE]], %[[WIDE]] : tensor<4x16xf32>, tensor<16x8xf32>) outs(%[[ZERO]] : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[A:[^ ]+]]: f32, %[[B:[^ ]+]]: f32, %[[C:[^ ]+]]: f32):
// CHECK-NEXT: %[[P:[^ ]+]] = arith.mulf %[[A]], %[[B]] fastmath<contract>
// CHECK-NEXT: %[[S:[^ ]+]] = arith.addf %[[C]], %[[P]] fastmath<contract>
// CHECK-NEXT: linalg.yield %[[S]]
// What is read in f32 is taken as it is; what is computed is copied, or elementwise fusion would compute it in the product.
// CHECK: %[[COMPUTED:[^ ]+]] = arith.extf %[[X]]
// CHECK: %[[KEPT:[^ ]+]] = linalg.copy ins(%[[COMPUTED]] : tensor<4x16xf32>)
// CHECK-NOT: linalg.copy
// CHECK: %[[E:[^ ]+]] = linalg.generic {{.*}} ins(%[[KEPT]], %[[Z]] : tensor<4x16xf32>, tensor<16x8xf32>) outs(%[[D]] : tensor<4x8xf32>)
// CHECK: %[[INF:[^ ]+]] = arith.constant 0xFF800000 : f32
// CHECK: %[[MAX0:[^ ]+]] = linalg.fill ins(%[[INF]] : f32)
// CHECK: %[[MAX:[^ ]+]] = linalg.generic {indexing_maps = [#[[TILE]], #[[ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[E]] : tensor<4x8xf32>) outs(%[[MAX0]] : tensor<4xf32>)
// CHECK: arith.maximumf
// CHECK: %[[NIL:[^ ]+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUM0:[^ ]+]] = linalg.fill ins(%[[NIL]] : f32)
// CHECK: %[[SUM:[^ ]+]] = linalg.generic {indexing_maps = [#[[TILE]], #[[ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[E]] : tensor<4x8xf32>) outs(%[[SUM0]] : tensor<4xf32>)
// CHECK: arith.addf {{.*}} fastmath<reassoc>
// CHECK: %[[BOTH:[^ ]+]] = arith.addf %[[MAX]], %[[SUM]] : tensor<4xf32>
// CHECK: %[[ALONG:[^ ]+]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[TILE]]], iterator_types = ["parallel", "parallel"]} ins(%[[BOTH]] : tensor<4xf32>)
// CHECK: %[[IOTA:[^ ]+]] = linalg.generic {indexing_maps = [#[[TILE]]], iterator_types = ["parallel", "parallel"]} outs(%{{[^ ]+}} : tensor<4x8xindex>)
// CHECK: %[[AT:[^ ]+]] = linalg.index 1
// CHECK-NEXT: arith.addi %[[AT]], %[[CTA]] : index
// CHECK: %[[SPLAT:[^ ]+]] = linalg.fill ins(%[[CTA]] : index)
// CHECK: arith.cmpi slt, %[[IOTA]], %[[SPLAT]]
// Quotients by rows stay exact; another one may be a product with a reciprocal, where it says so.
// CHECK: %[[EXACT:[^ ]+]] = arith.divf %[[E]], %[[ALONG]] : tensor<4x8xf32>
// CHECK: arith.divf %[[EXACT]], %{{[^ ]+}} fastmath<arcp> : tensor<4x8xf32>
// CHECK-NOT: attn.{{[a-jl-z]}}
attn.kernel @tiles(%q: !attn.view<?x?xf16>, %k: !attn.view<?x?xf32>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  attn.ctas %w in %c1 {
    %x = attn.load %q[%c0, %w] : !attn.view<?x?xf16> -> tensor<4x16xf16>
    %y = attn.load %q[%c0, %w] : !attn.view<?x?xf16> -> tensor<8x16xf16>
    %z = attn.load %k[%c0, %w] : !attn.view<?x?xf32> -> tensor<16x8xf32>
    %d = attn.dot %x, %y, %zero transpose_rhs : tensor<4x16xf16>, tensor<8x16xf16> into tensor<4x8xf32>
    %xw = arith.extf %x : tensor<4x16xf16> to tensor<4x16xf32>
    %e = attn.dot %xw, %z, %d : tensor<4x16xf32>, tensor<16x8xf32> into tensor<4x8xf32>
    %m = attn.reduce max %e : tensor<4x8xf32>
    %s = attn.reduce sum %e : tensor<4x8xf32>
    %a = arith.addf %m, %s : tensor<4xf32>
    %b = attn.broadcast %a : tensor<4xf32> to tensor<4x8xf32>
    %r = attn.iota 1 from %w : tensor<4x8xindex>
    %sp = tensor.splat %w : tensor<4x8xindex>
    %cmp = arith.cmpi slt, %r, %sp : tensor<4x8xindex>
    %n = arith.divf %e, %b fastmath<arcp> : tensor<4x8xf32>
    %p = arith.divf %n, %zero fastmath<arcp> : tensor<4x8xf32>
    %f = arith.select %cmp, %b, %p : tensor<4x8xi1>, tensor<4x8xf32>
    attn.store %f, %o[%c0, %w] : tensor<4x8xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// A touch becomes a call: CTA, kind (0 load, 1 store), view, five offsets, and the
// bytes inside of the view.

// CHECK: func.func private @attn_touch(index, index, index, index, index, index, index, index, index)
// CHECK-LABEL: func.func @trace(
// CHECK-SAME: %{{[^ ]+}}: index, %{{[^ ]+}}: index, %[[Q:[^ ]+]]: memref<?x?xf16, {{[^:]+}}: ?>>, %[[O:[^ ]+]]: memref<?x?xf32,
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK: scf.for %[[CTA:[^ ]+]] =
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : index
// CHECK-DAG: %[[H:[^ ]+]] = memref.dim %[[Q]], %[[C0]] :
// CHECK-DAG: %[[HMIN:[^ ]+]] = arith.minsi %[[H]], %[[C4]] : index
// CHECK-DAG: %[[HEND:[^ ]+]] = arith.maxsi %[[HMIN]], %[[C0]] : index
// CHECK-DAG: %[[ROWS:[^ ]+]] = arith.maxsi %[[HEND]], %[[C0]] : index
// CHECK-DAG: %[[BEFORE:[^ ]+]] = arith.subi %[[C0]], %[[CTA]] : index
// CHECK-DAG: %[[BEFOREMIN:[^ ]+]] = arith.minsi %[[BEFORE]], %[[C16]] : index
// CHECK-DAG: %[[LOWER:[^ ]+]] = arith.maxsi %[[BEFOREMIN]], %[[C0]] : index
// CHECK-DAG: %[[W:[^ ]+]] = memref.dim %[[Q]], %[[C1]] :
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[W]], %[[CTA]] : index
// CHECK-DAG: %[[LEFTMIN:[^ ]+]] = arith.minsi %[[LEFT]], %[[C16]] : index
// CHECK-DAG: %[[UPPER:[^ ]+]] = arith.maxsi %[[LEFTMIN]], %[[C0]] : index
// CHECK-DAG: %[[DIFF:[^ ]+]] = arith.subi %[[UPPER]], %[[LOWER]] : index
// CHECK-DAG: %[[COLS:[^ ]+]] = arith.maxsi %[[DIFF]], %[[C0]] : index
// CHECK-DAG: %[[RB:[^ ]+]] = arith.muli %[[ROWS]], %[[C2]] : index
// CHECK-DAG: %[[BYTES:[^ ]+]] = arith.muli %[[RB]], %[[COLS]] : index
// CHECK: call @attn_touch(%[[CTA]], %[[C0]], %[[C0]], %[[C0]], %[[CTA]], %[[C0]], %[[C0]], %[[C0]], %[[BYTES]])

// Its leading offset outside, a touch has no bytes.
// CHECK-DAG: %[[H:[^ ]+]] = memref.dim %[[O]], %[[C0]] :
// CHECK-DAG: %[[EXISTS:[^ ]+]] = arith.cmpi ult, %[[CTA]], %[[H]] : index
// CHECK-DAG: %[[W:[^ ]+]] = memref.dim %[[O]], %[[C1]] :
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[W]], %[[C1]] : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK-DAG: %[[LEFTMIN:[^ ]+]] = arith.minsi %[[LEFT]], %[[C8]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.maxsi %[[LEFTMIN]], %[[C0]] : index
// CHECK-DAG: %[[UPPER:[^ ]+]] = arith.select %[[EXISTS]], %[[END]], %[[C0]] : index
// CHECK-DAG: %[[COLS:[^ ]+]] = arith.maxsi %[[UPPER]], %[[C0]] : index
// CHECK-DAG: %[[BYTES:[^ ]+]] = arith.muli %[[COLS]], %[[C4]] : index
// CHECK: call @attn_touch(%[[CTA]], %[[C1]], %[[C1]], %[[CTA]], %[[C1]], %[[C0]], %[[C0]], %[[C0]], %[[BYTES]])
attn.kernel @trace(%q: !attn.view<?x?xf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.touch load %q[%c0, %w] tile [4, 16] by %w : !attn.view<?x?xf16>
    attn.touch store %o[%w, %c1] tile [8] by %w : !attn.view<?x?xf32>
  }
}

// -----

// A tile that a loop carries is written into the one it started from.

// CHECK-LABEL: func.func @carried(
// CHECK: scf.for {{.*}} iter_args(%[[A:[^ ]+]] = %{{[^ ]+}}) -> (tensor<4x8xf32>)
// CHECK: %[[N:[^ ]+]] = arith.addf %[[A]], %{{[^ ]+}} : tensor<4x8xf32>
// CHECK: %[[IN:[^ ]+]] = bufferization.materialize_in_destination %[[N]] in %[[A]]
// CHECK: scf.yield %[[IN]]
attn.kernel @carried(%o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  attn.ctas %w in %c1 {
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> tensor<4x8xf32> {
      %t = attn.load %o[%c0, %i] : !attn.view<?x?xf32> -> tensor<4x8xf32>
      %n = arith.addf %a, %t : tensor<4x8xf32>
      scf.yield %n : tensor<4x8xf32>
    }
    attn.store %r, %o[%c0, %w] : tensor<4x8xf32> -> !attn.view<?x?xf32>
  }
}

// -----

// Beside its grid a kernel holds index arithmetic, also such as may not be
// speculated: a division by a size, as in the guards of attn-sawtooth.

// CHECK-LABEL: func.func @division_ctas(
// CHECK: %[[CTAS:[^ ]+]] = arith.ceildivui
// CHECK: return %[[CTAS]]
// CHECK-LABEL: func.func @division(
// CHECK: %[[CTAS:[^ ]+]] = arith.ceildivui
// CHECK: arith.minui %{{[^ ]+}}, %[[CTAS]]
attn.kernel @division(%x: !attn.view<?xf32>, %n: index, %d: index) {
  %t = arith.ceildivui %n, %d : index
  attn.ctas %w in %t {
    %e = attn.load %x[%w] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %e, %x[%w] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// All that is true of a tile, or'ed into one value.

// CHECK-DAG: #[[$ALL:[^ ]+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$NONE:[^ ]+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @any(
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %{{[^ ]+}}, %{{[^ ]+}} : tensor<4x8xf32>
// CHECK-NEXT: %[[NO:[^ ]+]] = arith.constant false
// CHECK-NEXT: %[[EMPTY:[^ ]+]] = tensor.empty() : tensor<i1>
// CHECK-NEXT: %[[INIT:[^ ]+]] = linalg.fill ins(%[[NO]] : i1) outs(%[[EMPTY]] : tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %[[ANY:[^ ]+]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$NONE]]], iterator_types = ["reduction", "reduction"]} ins(%[[OVER]] : tensor<4x8xi1>) outs(%[[INIT]] : tensor<i1>) {
// CHECK-NEXT: ^bb0(%[[IN:[^ ]+]]: i1, %[[OUT:[^ ]+]]: i1):
// CHECK-NEXT: %[[OR:[^ ]+]] = arith.ori %[[IN]], %[[OUT]] : i1
// CHECK-NEXT: linalg.yield %[[OR]] : i1
// CHECK-NEXT: } -> tensor<i1>
// CHECK-NEXT: %[[IF:[^ ]+]] = tensor.extract %[[ANY]][] : tensor<i1>
// CHECK-NEXT: scf.if %[[IF]] {
attn.kernel @any(%x: !attn.view<4x8xf32>, %o: !attn.view<4x8xf32>) {
  %bound = arith.constant dense<2.0> : tensor<4x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    %t = attn.load %x[%c0, %c0] : <4x8xf32> -> tensor<4x8xf32>
    %c = arith.cmpf ugt, %t, %bound : tensor<4x8xf32>
    %any = attn.any %c : tensor<4x8xi1>
    scf.if %any {
      attn.store %t, %o[%c0, %c0] : tensor<4x8xf32> -> <4x8xf32>
    }
  }
}

// Three eighths of a tile's elements, rounded up, are many: 14 of 36. What attn.settle says of sums, nobody asks for.

// CHECK-LABEL: func.func @often(
// CHECK: %[[T:[^ ]+]] = tensor.generate
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[T]], %{{[^ ]+}} : tensor<4x9xf32>
// CHECK-NEXT: %[[NONE:[^ ]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[EMPTY:[^ ]+]] = tensor.empty() : tensor<i64>
// CHECK-NEXT: %[[INIT:[^ ]+]] = linalg.fill ins(%[[NONE]] : i64) outs(%[[EMPTY]] : tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %[[COUNT:[^ ]+]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$NONE]]], iterator_types = ["reduction", "reduction"]} ins(%[[OVER]] : tensor<4x9xi1>) outs(%[[INIT]] : tensor<i64>) {
// CHECK-NEXT: ^bb0(%[[IN:[^ ]+]]: i1, %[[OUT:[^ ]+]]: i64):
// CHECK-NEXT: %[[ONE:[^ ]+]] = arith.extui %[[IN]] : i1 to i64
// CHECK-NEXT: %[[SUM:[^ ]+]] = arith.addi %[[OUT]], %[[ONE]] : i64
// CHECK-NEXT: linalg.yield %[[SUM]] : i64
// CHECK-NEXT: } -> tensor<i64>
// CHECK-NEXT: %[[FOUND:[^ ]+]] = tensor.extract %[[COUNT]][] : tensor<i64>
// CHECK-NEXT: %[[MANY:[^ ]+]] = arith.constant 9 : i64
// CHECK-NEXT: %[[IF:[^ ]+]] = arith.cmpi uge, %[[FOUND]], %[[MANY]] : i64
// CHECK-NEXT: scf.if %[[IF]] {
// CHECK: tensor.extract %[[T]][
attn.kernel @often(%x: !attn.view<4x9xf32>, %o: !attn.view<4x9xf32>) {
  %bound = arith.constant dense<2.0> : tensor<4x9xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    %t = attn.load %x[%c0, %c0] : <4x9xf32> -> tensor<4x9xf32>
    %c = arith.cmpf ugt, %t, %bound : tensor<4x9xf32>
    %l = attn.settle %t if %c : tensor<4x9xf32>, tensor<4x9xi1>
    %many = attn.often %c : tensor<4x9xi1>
    scf.if %many {
      attn.store %l, %o[%c0, %c0] : tensor<4x9xf32> -> <4x9xf32>
    }
  }
}

// With `once` one is enough.

// CHECK-LABEL: func.func @one_is_enough(
// CHECK: %[[FOUND:[^ ]+]] = tensor.extract %{{[^ ]+}}[] : tensor<i64>
// CHECK-NEXT: %[[ONE:[^ ]+]] = arith.constant 1 : i64
// CHECK-NEXT: arith.cmpi uge, %[[FOUND]], %[[ONE]] : i64
attn.kernel @one_is_enough(%x: !attn.view<4x9xf32>, %o: !attn.view<4x9xf32>) {
  %bound = arith.constant dense<2.0> : tensor<4x9xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    %t = attn.load %x[%c0, %c0] : <4x9xf32> -> tensor<4x9xf32>
    %c = arith.cmpf ugt, %t, %bound : tensor<4x9xf32>
    %one = attn.often %c once : tensor<4x9xi1>
    scf.if %one {
      attn.store %t, %o[%c0, %c0] : tensor<4x9xf32> -> <4x9xf32>
    }
  }
}

// What rows are relative to: no branch, both forms of the factor, and 0 where the unit changes.

// CHECK-LABEL: func.func @advance
// CHECK: tensor.generate
// CHECK: %[[U:[^ ]+]] = arith.mulf
// CHECK: arith.cmpf ugt, %[[U]],
// CHECK-NOT: scf.if
// CHECK: math.absf
// CHECK: %[[SMALL:[^ ]+]] = arith.cmpf olt,
// CHECK: %[[OF:[^ ]+]] = arith.select %[[SMALL]],
// CHECK: arith.cmpf oeq,
// CHECK: arith.subf
// CHECK: math.exp2
// CHECK-NOT: scf.if
// CHECK: arith.select
attn.kernel @advance(%x: !attn.view<4xf32>, %o: !attn.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %least = arith.constant dense<-3.40282347E+38> : tensor<4xf32>
  attn.ctas %cta in %c1 {
    %max = attn.load %x[%c0] : <4xf32> -> tensor<4xf32>
    %f, %r, %a = attn.advance %max from %ones, %least scale(0.5) : tensor<4xf32>
    attn.store %f, %o[%c0] : tensor<4xf32> -> <4xf32>
    attn.store %r, %o[%c0] : tensor<4xf32> -> <4xf32>
    attn.store %a, %o[%c0] : tensor<4xf32> -> <4xf32>
  }
}
