// attn-stream-partition: each mask becomes the bounds of segments, and a predicate
// in the masked ones; bounds are multiples of the tile, 64.
// RUN: attn-opt %s --split-input-file --attn-stream-partition=tiles=query=64,key=64 | FileCheck %s

// No mask, dynamic length: the last tile may be partial, which costs one masked
// segment whose predicate is the end of the keys.

// CHECK-LABEL: attn.kernel @dynamic_attention
// CHECK-SAME: %[[K:[^ ]+]]: !attn.view<1x2x?x64xf16>, %{{[^ ]+}}: !attn.view<1x2x?x64xf16>,
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[KEYS:[^ ]+]] = attn.dim %[[K]], 2
// CHECK: attn.grid
// CHECK-DAG: %[[UP:[^ ]+]] = arith.ceildivui %[[KEYS]], %[[C64]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.muli %[[UP]], %[[C64]] : index
// CHECK-DAG: %[[DOWN:[^ ]+]] = arith.divui %[[KEYS]], %[[C64]] : index
// CHECK-DAG: %[[WHOLE:[^ ]+]] = arith.muli %[[DOWN]], %[[C64]] : index
// CHECK-DAG: %[[MIN:[^ ]+]] = arith.minsi %[[WHOLE]], %[[HI]] : index
// CHECK-DAG: %[[FULL:[^ ]+]] = arith.maxsi %[[MIN]], %[[C0]] : index
// CHECK: attn.stream %[[POS:[^ ]+]] step 64 over [%[[C0]] to %[[FULL]], masked %[[FULL]] to %[[HI]]]
// CHECK-NOT: attn.iota 0
// CHECK-DAG: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]] : tensor<64x64xindex>
// CHECK-DAG: %[[END:[^ ]+]] = tensor.splat %[[KEYS]] : tensor<64x64xindex>
// CHECK-DAG: %[[KEEP:[^ ]+]] = arith.cmpi slt, %[[COLS]], %[[END]]
// CHECK: attn.mask %{{[^ ]+}} keep %[[KEEP]] : tensor<64x64xf32>
func.func @dynamic(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// No mask, a static length that the tile does not divide: bounds are constants.

// CHECK-LABEL: attn.kernel @uneven_attention
// CHECK-DAG: %[[LENGTH:[^ ]+]] = arith.constant dense<200> : tensor<64x64xindex>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C192:[^ ]+]] = arith.constant 192 : index
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : index
// CHECK: attn.stream %[[POS:[^ ]+]] step 64 over [%[[C0]] to %[[C192]], masked %[[C192]] to %[[C256]]]
// CHECK: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]]
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi slt, %[[COLS]], %[[LENGTH]]
// CHECK: attn.mask %{{[^ ]+}} keep %[[KEEP]]
func.func @uneven(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x200x64xf16>, %v: tensor<1x2x200x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x200x64xf16>, tensor<1x2x200x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// Causal from the top left, static: unmasked up to the diagonal of the first
// query, masked up to that of the last; the end of the keys is no condition.

// CHECK-LABEL: attn.kernel @causal_attention
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[CM1:[^ ]+]] = arith.constant -1 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[I:[^ ]+]]) visit
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[I]], %[[C64]] : index
// CHECK-DAG: %[[NEXT:[^ ]+]] = arith.addi %[[FIRST]], %[[C64]] : index
// CHECK-DAG: %[[STOP:[^ ]+]] = arith.minsi %[[NEXT]], %[[C256]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.addi %[[STOP]], %[[CM1]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.addi %[[LAST]], %[[C1]] : index
// CHECK-DAG: %[[HIMIN:[^ ]+]] = arith.minsi %[[HI]], %[[C384]] : index
// CHECK-DAG: %[[HIMAX:[^ ]+]] = arith.maxsi %[[HIMIN]], %[[C0]] : index
// CHECK-DAG: %[[HIDIV:[^ ]+]] = arith.ceildivui %[[HIMAX]], %[[C64]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.muli %[[HIDIV]], %[[C64]] : index
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.addi %[[FIRST]], %[[C1]] : index
// CHECK-DAG: %[[ALLMIN:[^ ]+]] = arith.minsi %[[ALL]], %[[C384]] : index
// CHECK-DAG: %[[ALLMAX:[^ ]+]] = arith.maxsi %[[ALLMIN]], %[[C0]] : index
// CHECK-DAG: %[[ALLDIV:[^ ]+]] = arith.divui %[[ALLMAX]], %[[C64]] : index
// CHECK-DAG: %[[ALLMUL:[^ ]+]] = arith.muli %[[ALLDIV]], %[[C64]] : index
// CHECK-DAG: %[[CLIP:[^ ]+]] = arith.minsi %[[ALLMUL]], %[[END]] : index
// CHECK-DAG: %[[FULL:[^ ]+]] = arith.maxsi %[[CLIP]], %[[C0]] : index
// CHECK: attn.stream %[[POS:[^ ]+]] step 64 over [%[[C0]] to %[[FULL]], masked %[[FULL]] to %[[END]]]
// CHECK-DAG: %[[ROWS:[^ ]+]] = attn.iota 0 from %[[FIRST]] : tensor<64x64xindex>
// CHECK-DAG: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]] : tensor<64x64xindex>
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi sle, %[[COLS]], %[[ROWS]]
// CHECK-NEXT: %[[SCORES:[^ ]+]] = attn.mask %{{[^ ]+}} keep %[[KEEP]]
// CHECK-NEXT: attn.reduce max %[[SCORES]]
func.func @causal(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x384x64xf16>, %v: tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x384x64xf16>, tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// Causal from the bottom right, dynamic: the diagonal is shifted by keys - queries,
// in bounds and predicate; the end of the keys joins the predicate.

// CHECK-LABEL: attn.kernel @bottom_right_attention
// CHECK-SAME: (%[[Q:[^ ]+]]: !attn.view<1x2x?x64xf16>, %[[K:[^ ]+]]: !attn.view<1x2x?x64xf16>,
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[CM1:[^ ]+]] = arith.constant -1 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[QUERIES:[^ ]+]] = attn.dim %[[Q]], 2
// CHECK-DAG: %[[KEYS:[^ ]+]] = attn.dim %[[K]], 2
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[I:[^ ]+]]) visit
// CHECK-DAG: %[[ROW:[^ ]+]] = arith.muli %[[I]], %[[C64]] : index
// CHECK-DAG: %[[NEXT:[^ ]+]] = arith.addi %[[ROW]], %[[C64]] : index
// CHECK-DAG: %[[STOP:[^ ]+]] = arith.minsi %[[NEXT]], %[[QUERIES]] : index
// CHECK-DAG: %[[LASTROW:[^ ]+]] = arith.addi %[[STOP]], %[[CM1]] : index
// CHECK-DAG: %[[SHIFT:[^ ]+]] = arith.subi %[[KEYS]], %[[QUERIES]] : index
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.addi %[[ROW]], %[[SHIFT]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.addi %[[LASTROW]], %[[SHIFT]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.addi %[[LAST]], %[[C1]] : index
// CHECK-DAG: %[[HIMIN:[^ ]+]] = arith.minsi %[[HI]], %[[KEYS]] : index
// CHECK-DAG: %[[HIMAX:[^ ]+]] = arith.maxsi %[[HIMIN]], %[[C0]] : index
// CHECK-DAG: %[[HIDIV:[^ ]+]] = arith.ceildivui %[[HIMAX]], %[[C64]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.muli %[[HIDIV]], %[[C64]] : index
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.addi %[[FIRST]], %[[C1]] : index
// CHECK-DAG: %[[ALLMIN:[^ ]+]] = arith.minsi %[[ALL]], %[[KEYS]] : index
// CHECK-DAG: %[[ALLMAX:[^ ]+]] = arith.maxsi %[[ALLMIN]], %[[C0]] : index
// CHECK-DAG: %[[ALLDIV:[^ ]+]] = arith.divui %[[ALLMAX]], %[[C64]] : index
// CHECK-DAG: %[[ALLMUL:[^ ]+]] = arith.muli %[[ALLDIV]], %[[C64]] : index
// CHECK-DAG: %[[CLIP:[^ ]+]] = arith.minsi %[[ALLMUL]], %[[END]] : index
// CHECK-DAG: %[[FULL:[^ ]+]] = arith.maxsi %[[CLIP]], %[[C0]] : index
// CHECK: attn.stream %[[POS:[^ ]+]] step 64 over [%[[C0]] to %[[FULL]], masked %[[FULL]] to %[[END]]]
// CHECK-DAG: %[[ROWS:[^ ]+]] = attn.iota 0 from %[[ROW]] : tensor<64x64xindex>
// CHECK-DAG: %[[COLS:[^ ]+]] = attn.iota 1 from %[[POS]] : tensor<64x64xindex>
// CHECK-DAG: %[[SHIFTS:[^ ]+]] = tensor.splat %[[SHIFT]] : tensor<64x64xindex>
// CHECK-DAG: %[[DIAGONAL:[^ ]+]] = arith.addi %[[ROWS]], %[[SHIFTS]] : tensor<64x64xindex>
// CHECK-DAG: %[[BEFORE:[^ ]+]] = arith.cmpi sle, %[[COLS]], %[[DIAGONAL]]
// The last query's diagonal ends at the last key: that says that a key exists.
// CHECK-NOT: arith.andi
// CHECK: attn.mask %{{[^ ]+}} keep %[[BEFORE]]
func.func @bottom_right(%q: tensor<1x2x?x64xf16>, %k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125)
      : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16>
  return %o : tensor<1x2x?x64xf16>
}

// -----

// A window on both sides: the stream starts late, and is masked at both edges. An
// empty range starts at its end, so that nothing is rounded to a tile.

// CHECK-LABEL: attn.kernel @window_attention
// CHECK-DAG: %[[LEFTS:[^ ]+]] = arith.constant dense<-100> : tensor<64x64xindex>
// CHECK-DAG: %[[RIGHTS:[^ ]+]] = arith.constant dense<20> : tensor<64x64xindex>
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.constant -100 : index
// CHECK-DAG: %[[RIGHT:[^ ]+]] = arith.constant 21 : index
// CHECK-DAG: %[[CM1:[^ ]+]] = arith.constant -1 : index
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[I:[^ ]+]]) visit
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[I]], %[[C64]] : index
// CHECK-DAG: %[[NEXT:[^ ]+]] = arith.addi %[[FIRST]], %[[C64]] : index
// CHECK-DAG: %[[STOP:[^ ]+]] = arith.minsi %[[NEXT]], %[[C256]] : index
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.addi %[[STOP]], %[[CM1]] : index
// The end: the right bound of the last query.
// CHECK-DAG: %[[HI:[^ ]+]] = arith.addi %[[LAST]], %[[RIGHT]] : index
// CHECK-DAG: %[[HIMIN:[^ ]+]] = arith.minsi %[[HI]], %[[C384]] : index
// CHECK-DAG: %[[HIMAX:[^ ]+]] = arith.maxsi %[[HIMIN]], %[[C0]] : index
// CHECK-DAG: %[[HIDIV:[^ ]+]] = arith.ceildivui %[[HIMAX]], %[[C64]] : index
// CHECK-DAG: %[[END:[^ ]+]] = arith.muli %[[HIDIV]], %[[C64]] : index
// The start: the left bound of the first query.
// CHECK-DAG: %[[LO:[^ ]+]] = arith.addi %[[FIRST]], %[[LEFT]] : index
// CHECK-DAG: %[[LOMAX:[^ ]+]] = arith.maxsi %[[LO]], %[[C0]] : index
// CHECK-DAG: %[[EMPTY:[^ ]+]] = arith.cmpi sge, %[[LOMAX]], %[[HIMAX]] : index
// CHECK-DAG: %[[LODIV:[^ ]+]] = arith.divui %[[LOMAX]], %[[C64]] : index
// CHECK-DAG: %[[LOMUL:[^ ]+]] = arith.muli %[[LODIV]], %[[C64]] : index
// CHECK-DAG: %[[START:[^ ]+]] = arith.select %[[EMPTY]], %[[END]], %[[LOMUL]] : index
// Unmasked from the left bound of the last query ...
// CHECK-DAG: %[[FLO:[^ ]+]] = arith.addi %[[LAST]], %[[LEFT]] : index
// CHECK-DAG: %[[FLOMAX:[^ ]+]] = arith.maxsi %[[FLO]], %[[C0]] : index
// CHECK-DAG: %[[FLODIV:[^ ]+]] = arith.ceildivui %[[FLOMAX]], %[[C64]] : index
// CHECK-DAG: %[[FLOMUL:[^ ]+]] = arith.muli %[[FLODIV]], %[[C64]] : index
// CHECK-DAG: %[[FLOCLIP:[^ ]+]] = arith.maxsi %[[FLOMUL]], %[[START]] : index
// CHECK-DAG: %[[FULLLO:[^ ]+]] = arith.minsi %[[FLOCLIP]], %[[END]] : index
// ... to the right bound of the first.
// CHECK-DAG: %[[FHI:[^ ]+]] = arith.addi %[[FIRST]], %[[RIGHT]] : index
// CHECK-DAG: %[[FHIMIN:[^ ]+]] = arith.minsi %[[FHI]], %[[C384]] : index
// CHECK-DAG: %[[FHIMAX:[^ ]+]] = arith.maxsi %[[FHIMIN]], %[[C0]] : index
// CHECK-DAG: %[[FHIDIV:[^ ]+]] = arith.divui %[[FHIMAX]], %[[C64]] : index
// CHECK-DAG: %[[FHIMUL:[^ ]+]] = arith.muli %[[FHIDIV]], %[[C64]] : index
// CHECK-DAG: %[[FHICLIP:[^ ]+]] = arith.minsi %[[FHIMUL]], %[[END]] : index
// CHECK-DAG: %[[FULLHI:[^ ]+]] = arith.maxsi %[[FHICLIP]], %[[FULLLO]] : index
// CHECK: attn.stream %{{[^ ]+}} step 64 over [masked %[[START]] to %[[FULLLO]], %[[FULLLO]] to %[[FULLHI]], masked %[[FULLHI]] to %[[END]]]
// CHECK-DAG: %[[ROWS:[^ ]+]] = attn.iota 0
// CHECK-DAG: %[[COLS:[^ ]+]] = attn.iota 1
// CHECK-DAG: %[[L:[^ ]+]] = arith.addi %[[ROWS]], %[[LEFTS]]
// CHECK-DAG: %[[AFTER:[^ ]+]] = arith.cmpi sle, %[[L]], %[[COLS]]
// CHECK-DAG: %[[R:[^ ]+]] = arith.addi %[[ROWS]], %[[RIGHTS]]
// CHECK-DAG: %[[BEFORE:[^ ]+]] = arith.cmpi sle, %[[COLS]], %[[R]]
// CHECK-DAG: %[[KEEP:[^ ]+]] = arith.andi %[[AFTER]], %[[BEFORE]]
// CHECK: attn.mask %{{[^ ]+}} keep %[[KEEP]]
func.func @window(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x384x64xf16>, %v: tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.window<left = 100, right = 20, align = top_left>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x384x64xf16>, tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// A window without a right bound, static sizes: the shift is the constant 128, and
// the stream runs to the end of the keys, unmasked there.

// CHECK-LABEL: attn.kernel @left_attention
// CHECK-DAG: %[[SHIFT:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.constant -100 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[I:[^ ]+]]) visit
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.muli %[[I]], %[[C64]] : index
// CHECK-DAG: %[[SHIFTED:[^ ]+]] = arith.addi %[[FIRST]], %[[SHIFT]] : index
// CHECK-DAG: %[[LO:[^ ]+]] = arith.addi %[[SHIFTED]], %[[LEFT]] : index
// CHECK-DAG: %[[LOMAX:[^ ]+]] = arith.maxsi %[[LO]], %{{[^ ]+}} : index
// CHECK-DAG: %[[LODIV:[^ ]+]] = arith.divui %[[LOMAX]], %[[C64]] : index
// CHECK-DAG: %[[LOMUL:[^ ]+]] = arith.muli %[[LODIV]], %[[C64]] : index
// CHECK-DAG: %[[START:[^ ]+]] = arith.select %{{[^ ]+}}, %[[C384]], %[[LOMUL]] : index
// CHECK: attn.stream %{{[^ ]+}} step 64 over [masked %[[START]] to %[[FULL:[^ ]+]], %[[FULL]] to %[[C384]]]
// CHECK: arith.cmpi sle
// CHECK-NOT: arith.cmpi
// CHECK: attn.mask
func.func @left(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x384x64xf16>, %v: tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.window<left = 100, right = -1, align = bottom_right>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x384x64xf16>, tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// A window without a left bound is a causal mask that looks ahead.

// CHECK-LABEL: attn.kernel @right_attention
// CHECK-DAG: %[[RIGHTS:[^ ]+]] = arith.constant dense<20> : tensor<64x64xindex>
// CHECK-DAG: %[[RIGHT:[^ ]+]] = arith.constant 21 : index
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: attn.grid
// CHECK: arith.addi %{{[^ ]+}}, %[[RIGHT]] : index
// CHECK: attn.stream %{{[^ ]+}} step 64 over [%[[C0]] to %[[FULL:[^ ]+]], masked %[[FULL]] to %{{[^ ]+}}]
// CHECK: %[[R:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[RIGHTS]]
// CHECK: %[[KEEP:[^ ]+]] = arith.cmpi sle, %{{[^ ]+}}, %[[R]]
// CHECK-NEXT: attn.mask %{{[^ ]+}} keep %[[KEEP]]
func.func @right(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x384x64xf16>, %v: tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.window<left = -1, right = 20, align = top_left>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x384x64xf16>, tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// A window without bounds is no mask.

// CHECK-LABEL: attn.kernel @unbounded_attention
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK: attn.stream %{{[^ ]+}} step 64 over [%[[C0]] to %[[C384]]]
// CHECK-NOT: attn.iota
// CHECK-NOT: attn.mask
// CHECK: attn.return
func.func @unbounded(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x384x64xf16>, %v: tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.window<left = -1, right = -1, align = bottom_right>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x384x64xf16>, tensor<1x2x384x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}
