// attn-stream-partition: the launch, the kernel, its grid, its stream, the fold.
// RUN: attn-opt %s --split-input-file --attn-stream-partition | FileCheck %s

// Grouped heads (8 query heads on 2 KV heads), value dimension of its own, static
// lengths that the tiles divide: one unmasked segment and no mask at all.

// CHECK: #[[ID:[^ ]+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @plain
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<2x8x256x64xf16>, %[[K:[^ ]+]]: tensor<2x2x384x64xf16>, %[[V:[^ ]+]]: tensor<2x2x384x32xf16>)
// CHECK-NEXT: %[[E:[^ ]+]] = tensor.empty() : tensor<2x8x256x32xf16>
// CHECK-NEXT: %[[O:[^ ]+]] = attn.launch @plain_attention
// CHECK-SAME: ins(%[[Q]], %[[K]], %[[V]] : tensor<2x8x256x64xf16>, tensor<2x2x384x64xf16>, tensor<2x2x384x32xf16>)
// CHECK-SAME: outs(%[[E]] : tensor<2x8x256x32xf16>) views [#[[ID]], #[[ID]], #[[ID]], #[[ID]]] -> tensor<2x8x256x32xf16>
// CHECK-NEXT: return %[[O]]

// CHECK-LABEL: attn.kernel @plain_attention
// CHECK-SAME: (%[[Q:[^ ]+]]: !attn.view<2x8x256x64xf16>, %[[K:[^ ]+]]: !attn.view<2x2x384x64xf16>, %[[V:[^ ]+]]: !attn.view<2x2x384x32xf16>, %[[O:[^ ]+]]: !attn.view<2x8x256x32xf16>) attributes {
// CHECK-DAG: %[[ONES:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<128xf32>
// CHECK-DAG: %[[ZEROS:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-DAG: %[[LOWEST:[^ ]+]] = arith.constant dense<-8.50705867E+37> : tensor<128xf32>
// CHECK-DAG: %[[UNIT:[^ ]+]] = arith.constant dense<2.500000e-01> : tensor<128xf32>
// CHECK-DAG: %[[ACC0:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x32xf32>
// CHECK-DAG: %[[S0:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK: attn.grid (%[[B:[^ ]+]], %[[G:[^ ]+]], %[[J:[^ ]+]], %[[I:[^ ]+]]) visit %{{[^ ]+}} in (batch = %[[C2]], kv_head = %[[C2]], group = %[[C4]], query = %[[C2]]) sharing [batch, kv_head] {
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C128]]
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.muli %[[G]], %[[C4]]
// CHECK-NEXT: %[[HEAD:[^ ]+]] = arith.addi %[[FIRST]], %[[J]]
// CHECK-NEXT: %[[QT:[^ ]+]] = attn.load %[[Q]][%[[B]], %[[HEAD]], %[[ROW]], %[[C0]]] : <2x8x256x64xf16> -> tensor<128x64xf16>
// CHECK-NEXT: %[[STATE:[^ ]+]]:4 = attn.stream %[[POS:[^ ]+]] step 128 over [%[[C0]] to %[[C384]]]
// CHECK-SAME: carry (%[[F:[^ ]+]] = %[[UNIT]], %[[M:[^ ]+]] = %[[LOWEST]], %[[L:[^ ]+]] = %[[ZEROS]], %[[A:[^ ]+]] = %[[ACC0]] : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x32xf32>) {
// CHECK-NEXT: %[[KT:[^ ]+]] = attn.load %[[K]][%[[B]], %[[G]], %[[POS]], %[[C0]]] : <2x2x384x64xf16> -> tensor<128x64xf16>
// CHECK-NEXT: %[[VT:[^ ]+]] = attn.load %[[V]][%[[B]], %[[G]], %[[POS]], %[[C0]]] : <2x2x384x32xf16> -> tensor<128x32xf16>
// CHECK-NEXT: %[[DOT:[^ ]+]] = attn.dot %[[QT]], %[[KT]], %[[S0]] transpose_rhs : tensor<128x64xf16>, tensor<128x64xf16> into tensor<128x128xf32>
// CHECK-NOT: attn.iota
// CHECK-NOT: attn.mask
// CHECK-NEXT: %[[MAX:[^ ]+]] = attn.reduce max %[[DOT]]
// CHECK-NEXT: %[[FN:[^ ]+]], %[[MN:[^ ]+]], %[[ALPHA:[^ ]+]] = attn.advance %[[MAX]] from %[[F]], %[[M]] scale(1.250000e-01)
// CHECK-NEXT: %[[NEG:[^ ]+]] = arith.negf %[[MN]]
// CHECK-NEXT: %[[FB:[^ ]+]] = attn.broadcast %[[FN]] : tensor<128xf32> to tensor<128x128xf32>
// CHECK-NEXT: %[[MB:[^ ]+]] = attn.broadcast %[[NEG]] : tensor<128xf32> to tensor<128x128xf32>
// CHECK-NEXT: %[[D:[^ ]+]] = math.fma %[[DOT]], %[[FB]], %[[MB]]
// CHECK-NEXT: %[[P:[^ ]+]] = math.exp2 %[[D]]
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce sum %[[P]]
// CHECK-NEXT: %[[LN:[^ ]+]] = math.fma %[[L]], %[[ALPHA]], %[[SUM]]
// CHECK-NEXT: %[[AB:[^ ]+]] = attn.broadcast %[[ALPHA]] : tensor<128xf32> to tensor<128x32xf32>
// CHECK-NEXT: %[[AA:[^ ]+]] = arith.mulf %[[A]], %[[AB]]
// CHECK-NEXT: %[[PT:[^ ]+]] = arith.truncf %[[P]] : tensor<128x128xf32> to tensor<128x128xf16>
// CHECK-NEXT: %[[AN:[^ ]+]] = attn.dot %[[PT]], %[[VT]], %[[AA]] : tensor<128x128xf16>, tensor<128x32xf16> into tensor<128x32xf32>
// CHECK-NEXT: attn.yield %[[FN]], %[[MN]], %[[LN]], %[[AN]]
// CHECK-NEXT: }
// A row without keys divides by 1.
// CHECK-NEXT: %[[NONE:[^ ]+]] = arith.cmpf oeq, %[[STATE]]#2, %[[ZEROS]]
// CHECK-NEXT: %[[DIV:[^ ]+]] = arith.select %[[NONE]], %[[ONES]], %[[STATE]]#2
// CHECK-NEXT: %[[DB:[^ ]+]] = attn.broadcast %[[DIV]] : tensor<128xf32> to tensor<128x32xf32>
// CHECK-NEXT: %[[OUT:[^ ]+]] = arith.divf %[[STATE]]#3, %[[DB]]
// CHECK-NEXT: %[[OT:[^ ]+]] = arith.truncf %[[OUT]] : tensor<128x32xf32> to tensor<128x32xf16>
// CHECK-NEXT: attn.store %[[OT]], %[[O]][%[[B]], %[[HEAD]], %[[ROW]], %[[C0]]] : tensor<128x32xf16> -> <2x8x256x32xf16>
// CHECK-NEXT: }
// CHECK-NEXT: attn.return
func.func @plain(%q: tensor<2x8x256x64xf16>, %k: tensor<2x2x384x64xf16>,
                 %v: tensor<2x2x384x32xf16>) -> tensor<2x8x256x32xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x8x256x64xf16>, tensor<2x2x384x64xf16>, tensor<2x2x384x32xf16>)
      -> tensor<2x8x256x32xf16>
  return %o : tensor<2x8x256x32xf16>
}

// -----

// BSHD is a permutation of the views, whose dimensions stay in logical order; the
// LSE is not permuted. Dynamic sizes of results come from the operands. The LSE is
// m + ln l, from units of log2.

// CHECK-DAG: #[[BSHD:[^ ]+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[ID:[^ ]+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @bshd
// CHECK-SAME: (%[[Q:[^ ]+]]: tensor<?x?x4x64xf32>
// CHECK-DAG: %[[BATCH:[^ ]+]] = tensor.dim %[[Q]], %{{c0[^ ]*}} :
// CHECK-DAG: %[[QUERIES:[^ ]+]] = tensor.dim %[[Q]], %{{c1[^ ]*}} :
// CHECK: %[[EO:[^ ]+]] = tensor.empty(%[[BATCH]], %[[QUERIES]]) : tensor<?x?x4x64xf32>
// CHECK: %[[B2:[^ ]+]] = tensor.dim %[[Q]], %{{c0[^ ]*}} :
// CHECK: %[[Q2:[^ ]+]] = tensor.dim %[[Q]], %{{c1[^ ]*}} :
// CHECK-NEXT: %[[EL:[^ ]+]] = tensor.empty(%[[B2]], %[[Q2]]) : tensor<?x4x?xf32>
// CHECK-NEXT: attn.launch @bshd_attention
// CHECK-SAME: outs(%[[EO]], %[[EL]] : tensor<?x?x4x64xf32>, tensor<?x4x?xf32>)
// CHECK-SAME: views [#[[BSHD]], #[[BSHD]], #[[BSHD]], #[[BSHD]], #[[ID]]]
// CHECK-SAME: -> tensor<?x?x4x64xf32>, tensor<?x4x?xf32>

// CHECK-LABEL: attn.kernel @bshd_attention
// CHECK-SAME: (%[[Q:[^ ]+]]: !attn.view<?x4x?x64xf32>, %[[K:[^ ]+]]: !attn.view<?x4x?x64xf32>, %{{[^ ]+}}: !attn.view<?x4x?x64xf32>, %[[O:[^ ]+]]: !attn.view<?x4x?x64xf32>, %[[LSE:[^ ]+]]: !attn.view<?x4x?xf32>) attributes {
// CHECK-DAG: %[[LN2:[^ ]+]] = arith.constant dense<0.693147182> : tensor<128xf32>
// CHECK-DAG: %[[SCALE:[^ ]+]] = arith.constant dense<1.250000e-01> : tensor<128xf32>
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[BATCH:[^ ]+]] = attn.dim %[[Q]], 0
// CHECK-DAG: %[[QUERIES:[^ ]+]] = attn.dim %[[Q]], 2
// CHECK-DAG: %[[TILES:[^ ]+]] = arith.ceildivui %[[QUERIES]], %[[C128]]
// CHECK: attn.grid (%[[B:[^ ]+]], %[[G:[^ ]+]], %[[J:[^ ]+]], %[[I:[^ ]+]]) visit %{{[^ ]+}} in (batch = %[[BATCH]], kv_head = %[[C4]], group = %[[C1]], query = %[[TILES]])
// CHECK: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C128]]
// CHECK: %[[HEAD:[^ ]+]] = arith.addi %[[G]], %[[J]]
// CHECK: %[[STATE:[^ ]+]]:4 = attn.stream
// CHECK: %[[UNIT:[^ ]+]] = arith.divf %[[SCALE]], %[[STATE]]#0
// CHECK: %[[LOG:[^ ]+]] = math.log2 %[[STATE]]#2
// CHECK: %[[LNL:[^ ]+]] = arith.mulf %[[LOG]], %[[LN2]]
// CHECK: %[[OUT:[^ ]+]] = math.fma %[[STATE]]#1, %[[UNIT]], %[[LNL]]
// f32 results are not rounded.
// CHECK-NOT: arith.truncf
// CHECK: attn.store %{{[^ ]+}}, %[[O]][%[[B]], %[[HEAD]], %[[ROW]], %{{[^ ]+}}] : tensor<128x64xf32> -> <?x4x?x64xf32>
// CHECK-NEXT: attn.store %[[OUT]], %[[LSE]][%[[B]], %[[HEAD]], %[[ROW]]] : tensor<128xf32> -> <?x4x?xf32>
func.func @bshd(%q: tensor<?x?x4x64xf32>, %k: tensor<?x?x4x64xf32>,
                %v: tensor<?x?x4x64xf32>) -> (tensor<?x?x4x64xf32>, tensor<?x4x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) layout(bshd)
      : (tensor<?x?x4x64xf32>, tensor<?x?x4x64xf32>, tensor<?x?x4x64xf32>)
      -> (tensor<?x?x4x64xf32>, tensor<?x4x?xf32>)
  return %o, %lse : tensor<?x?x4x64xf32>, tensor<?x4x?xf32>
}

// -----

// A score modification runs on tiles, between scale and softmax; what it captures
// becomes arguments of the kernel. Arithmetic on head and batch stays scalar, in
// front of the stream.

// CHECK-LABEL: func.func @score
// CHECK-SAME: %[[CAP:[^ ]+]]: f32, %[[SHIFT:[^ ]+]]: index)
// CHECK: attn.launch @score_attention
// CHECK-SAME: scalars(%[[CAP]], %[[SHIFT]] : f32, index)

// CHECK-LABEL: attn.kernel @score_attention
// CHECK-SAME: !attn.view<1x8x128x64xf16>, %[[CAP:[^ ]+]]: f32, %[[SHIFT:[^ ]+]]: index) attributes {
// CHECK-DAG: %[[SCALE:[^ ]+]] = arith.constant dense<1.250000e-01> : tensor<128x128xf32>
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[I:[^ ]+]]) visit
// CHECK: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C128]]
// CHECK: %[[H:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[SHIFT]] : index
// CHECK: attn.stream %[[POS:[^ ]+]] step
// CHECK-DAG: %[[ROWS:[^ ]+]] = attn.iota 0 from %[[ROW]] : tensor<128x128xindex>
// CHECK-DAG: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]] : tensor<128x128xindex>
// CHECK: %[[DOT:[^ ]+]] = attn.dot {{.+}} transpose_rhs
// CHECK: %[[S:[^ ]+]] = arith.mulf %[[DOT]], %[[SCALE]]
// CHECK: %[[CAPS:[^ ]+]] = tensor.splat %[[CAP]] : tensor<128x128xf32>
// CHECK: %[[X:[^ ]+]] = arith.divf %[[S]], %[[CAPS]] : tensor<128x128xf32>
// CHECK: %[[T:[^ ]+]] = math.tanh %[[X]] : tensor<128x128xf32>
// CHECK: %[[D:[^ ]+]] = arith.subi %[[COLS]], %[[ROWS]] : tensor<128x128xindex>
// CHECK: %[[HS:[^ ]+]] = tensor.splat %[[H]] : tensor<128x128xindex>
// CHECK: %[[NEAR:[^ ]+]] = arith.cmpi slt, %[[D]], %[[HS]] : tensor<128x128xindex>
// CHECK: %[[Y:[^ ]+]] = arith.select %[[NEAR]], %[[T]], %[[S]] : tensor<128x128xi1>, tensor<128x128xf32>
// CHECK-NEXT: %[[MAX:[^ ]+]] = attn.reduce max %[[Y]]
// CHECK-NEXT: attn.advance %[[MAX]] from %{{[^ ]+}}, %{{[^ ]+}} scale(1.000000e+00)
func.func @score(%q: tensor<1x8x128x64xf16>, %k: tensor<1x2x128x64xf16>,
                 %v: tensor<1x2x128x64xf16>, %cap: f32, %shift: index) -> tensor<1x8x128x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125) captures(%cap, %shift : f32, index)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32, %n: index) {
        %x = arith.divf %s, %c : f32
        %t = math.tanh %x : f32
        %hn = arith.addi %h, %n : index
        %d = arith.subi %j, %i : index
        %near = arith.cmpi slt, %d, %hn : index
        %y = arith.select %near, %t, %s : f32
        attn.yield %y : f32
      }
      : (tensor<1x8x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>)
      -> tensor<1x8x128x64xf16>
  return %o : tensor<1x8x128x64xf16>
}

// -----

// A matrix product by the same pass. The zeros outside of the views make masks
// needless: one unmasked segment even for dynamic sizes.

// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:[^ ]+]]: tensor<?x?xbf16>, %[[B:[^ ]+]]: tensor<?x?xbf16>)
// CHECK: %[[M:[^ ]+]] = tensor.dim %[[A]], %c0
// CHECK: %[[N:[^ ]+]] = tensor.dim %[[B]], %c1
// CHECK: %[[E:[^ ]+]] = tensor.empty(%[[M]], %[[N]]) : tensor<?x?xbf16>
// CHECK: attn.launch @product_matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] :

// CHECK-LABEL: attn.kernel @product_matmul
// CHECK-SAME: (%[[A:[^ ]+]]: !attn.view<?x?xbf16>, %[[B:[^ ]+]]: !attn.view<?x?xbf16>, %[[C:[^ ]+]]: !attn.view<?x?xbf16>) attributes {
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[M:[^ ]+]] = attn.dim %[[A]], 0
// CHECK-DAG: %[[N:[^ ]+]] = attn.dim %[[B]], 1
// CHECK-DAG: %[[K:[^ ]+]] = attn.dim %[[A]], 1
// CHECK-DAG: %[[TM:[^ ]+]] = arith.ceildivui %[[M]], %[[C128]]
// CHECK-DAG: %[[TN:[^ ]+]] = arith.ceildivui %[[N]], %[[C128]]
// CHECK: attn.grid (%[[I:[^ ]+]], %[[J:[^ ]+]]) visit %{{[^ ]+}} in (m = %[[TM]], n = %[[TN]]) sharing [n] {
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C128]]
// CHECK-NEXT: %[[COL:[^ ]+]] = arith.muli %[[J]], %[[C128]]
// CHECK-NEXT: %[[S:[^ ]+]] = attn.stream %[[POS:[^ ]+]] step 128 over [%[[C0]] to %[[K]]] carry (%[[ACC:[^ ]+]] = %[[ZERO]] : tensor<128x128xf32>) {
// CHECK-NEXT: %[[AT:[^ ]+]] = attn.load %[[A]][%[[ROW]], %[[POS]]]
// CHECK-NEXT: %[[BT:[^ ]+]] = attn.load %[[B]][%[[POS]], %[[COL]]]
// CHECK-NEXT: %[[DOT:[^ ]+]] = attn.dot %[[AT]], %[[BT]], %[[ACC]] :
// CHECK-NEXT: attn.yield %[[DOT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:[^ ]+]] = arith.truncf %[[S]] : tensor<128x128xf32> to tensor<128x128xbf16>
// CHECK-NEXT: attn.store %[[R]], %[[C]][%[[ROW]], %[[COL]]]
func.func @product(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c = attn.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

// -----

// Each operation gets a kernel of its own, and a name that is free; kernels stand
// right behind the function that launches them.

// CHECK-LABEL: func.func private @f_matmul_0()
// CHECK-LABEL: func.func @f
// CHECK: attn.launch @f_matmul ins
// CHECK: attn.launch @[[SECOND:f_matmul_[1-9]+]] ins
// CHECK: attn.kernel @f_matmul(
// CHECK: attn.kernel @[[SECOND]](
// CHECK-LABEL: func.func private @behind()
func.func private @f_matmul_0()
func.func @f(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %b = attn.matmul %a, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = attn.matmul %b, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
func.func private @behind()
