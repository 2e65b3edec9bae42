// Round trip of every op, attribute and type of the dialect, in every syntactic
// variant: custom form, generic form and bytecode. (#attn.order on a grid:
// order-attr.mlir.)
//
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s -emit-bytecode | attn-opt | FileCheck %s

// CHECK-DAG: #[[$ID2:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$BSHD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#bshd = affine_map<(b, h, s, d) -> (b, s, h, d)>

//===----------------------------------------------------------------------===//
// attn.attention
//===----------------------------------------------------------------------===//

// Packed sequences: of queries and keys, and of keys alone.
// CHECK-LABEL: func.func @attention_packed
// CHECK-SAME:    (%[[Q:.*]]: tensor<1x4x?x64xf16>, %[[K:.*]]: tensor<1x2x?x64xf16>, %[[CQ:.*]]: tensor<?xi32>, %[[CK:.*]]: tensor<?xi64>, %[[N:.*]]: tensor<?xi32>)
func.func @attention_packed(%q: tensor<1x4x?x64xf16>, %k: tensor<1x2x?x64xf16>, %cq: tensor<?xi32>,
                            %ck: tensor<?xi64>, %n: tensor<?xi32>) -> tensor<1x4x?x64xf16> {
  // CHECK-NEXT: attn.attention %[[Q]], %[[K]], %[[K]] scale(1.250000e-01) lengths(%[[N]] : tensor<?xi32>) cu_seqlens_q(%[[CQ]] : tensor<?xi32>) cu_seqlens_k(%[[CK]] : tensor<?xi64>) : (
  %o = attn.attention %q, %k, %k cu_seqlens_k(%ck : tensor<?xi64>) cu_seqlens_q(%cq : tensor<?xi32>)
      scale(0.125) lengths(%n : tensor<?xi32>)
      : (tensor<1x4x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x4x?x64xf16>
  return %o : tensor<1x4x?x64xf16>
}

// CHECK-LABEL: func.func @attention_packed_keys
func.func @attention_packed_keys(%q: tensor<3x4x8x64xf16>, %k: tensor<1x2x?x64xf16>,
                                 %ck: tensor<4xi32>) -> tensor<3x4x8x64xf16> {
  // CHECK-NEXT: attn.attention %{{.*}} cu_seqlens_k(%{{.*}} : tensor<4xi32>) : (
  %o = attn.attention %q, %k, %k scale(0.125) cu_seqlens_k(%ck : tensor<4xi32>)
      : (tensor<3x4x8x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<3x4x8x64xf16>
  return %o : tensor<3x4x8x64xf16>
}

// Keys in pages, in either layout.
// CHECK-LABEL: func.func @attention_paged
// CHECK-SAME:    (%[[Q:.*]]: tensor<?x8x4x64xf16>, %[[K:.*]]: tensor<?x32x2x64xf16>, %[[N:.*]]: tensor<?xi32>, %[[T:.*]]: tensor<?x?xi32>)
func.func @attention_paged(%q: tensor<?x8x4x64xf16>, %k: tensor<?x32x2x64xf16>, %n: tensor<?xi32>,
                           %t: tensor<?x?xi32>) -> tensor<?x8x4x64xf16> {
  // CHECK-NEXT: attn.attention %[[Q]], %[[K]], %[[K]] scale(1.250000e-01) layout(bshd) lengths(%[[N]] : tensor<?xi32>) block_table(%[[T]] : tensor<?x?xi32>) : (
  %o = attn.attention %q, %k, %k scale(0.125) layout(bshd) block_table(%t : tensor<?x?xi32>)
      lengths(%n : tensor<?xi32>)
      : (tensor<?x8x4x64xf16>, tensor<?x32x2x64xf16>, tensor<?x32x2x64xf16>) -> tensor<?x8x4x64xf16>
  return %o : tensor<?x8x4x64xf16>
}

// The smallest form: no mask, default layout, static sizes, f32.
// CHECK-LABEL: func.func @attention_plain
// CHECK-SAME:    (%[[Q:.*]]: tensor<2x4x16x64xf32>, %[[K:.*]]: tensor<2x4x32x64xf32>, %[[V:.*]]: tensor<2x4x32x64xf32>)
func.func @attention_plain(%q: tensor<2x4x16x64xf32>, %k: tensor<2x4x32x64xf32>,
                           %v: tensor<2x4x32x64xf32>) -> tensor<2x4x16x64xf32> {
  // CHECK-NEXT: %[[O:.*]] = attn.attention %[[Q]], %[[K]], %[[V]] scale(1.250000e-01) : (tensor<2x4x16x64xf32>, tensor<2x4x32x64xf32>, tensor<2x4x32x64xf32>) -> tensor<2x4x16x64xf32>
  // CHECK-NEXT: return %[[O]]
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x16x64xf32>, tensor<2x4x32x64xf32>, tensor<2x4x32x64xf32>)
      -> tensor<2x4x16x64xf32>
  return %o : tensor<2x4x16x64xf32>
}

// Causal mask at each corner, the scale with and without its type, negative.
// CHECK-LABEL: func.func @attention_causal
func.func @attention_causal(%q: tensor<1x2x8x8xf16>) {
  // CHECK: attn.attention %{{.*}} mask(#attn.causal<top_left>) scale(5.000000e-01) : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  %0 = attn.attention %q, %q, %q mask(#attn.causal<top_left>) scale(0.5 : f32)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: attn.attention %{{.*}} mask(#attn.causal<bottom_right>) scale(-2.000000e+00) :
  %1 = attn.attention %q, %q, %q mask(#attn.causal<bottom_right>) scale(-2.0)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  return
}

// The scale is an f32 from the start: its bits, the largest odd integer, the
// smallest number, zero.
// CHECK-LABEL: func.func @attention_scale
func.func @attention_scale(%q: tensor<1x2x8x8xf16>) {
  // CHECK: attn.attention %{{.*}} scale(5.000000e-01) :
  %0 = attn.attention %q, %q, %q scale(0x3F000000)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: attn.attention %{{.*}} scale(0x4B7FFFFF) :
  %1 = attn.attention %q, %q, %q scale(16777215.0)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: attn.attention %{{.*}} scale(1.401300e-45) :
  %2 = attn.attention %q, %q, %q scale(0x00000001)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: attn.attention %{{.*}} scale(-0.000000e+00) :
  %3 = attn.attention %q, %q, %q scale(-0.0)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  return
}

// Windows: both bounds, open to the left, open to the right, the largest bound;
// the parameters in any order.
// CHECK-LABEL: func.func @attention_window
func.func @attention_window(%q: tensor<1x2x8x8xf16>) {
  // CHECK: mask(#attn.window<left = 1023, right = 0, align = bottom_right>) scale
  %0 = attn.attention %q, %q, %q scale(0.5)
      mask(#attn.window<left = 1023, right = 0, align = bottom_right>)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: mask(#attn.window<left = -1, right = 3, align = top_left>) scale
  %1 = attn.attention %q, %q, %q scale(0.5)
      mask(#attn.window<align = top_left, right = 3, left = -1>)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  // CHECK: mask(#attn.window<left = 1099511627776, right = -1, align = top_left>) scale
  %2 = attn.attention %q, %q, %q scale(0.5)
      mask(#attn.window<left = 1099511627776, right = -1, align = top_left>)
      : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  return
}

// Grouped heads, dynamic batch and sequences, Dv that differs from Dqk, the
// layout that stands for its own default, the smallest and largest head
// dimensions.
// CHECK-LABEL: func.func @attention_dynamic
func.func @attention_dynamic(%q: tensor<?x32x?x256xbf16>, %k: tensor<?x8x?x256xbf16>,
                             %v: tensor<?x8x?x8xbf16>) -> tensor<?x32x?x8xbf16> {
  // CHECK: attn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(6.250000e-02) : (tensor<?x32x?x256xbf16>, tensor<?x8x?x256xbf16>, tensor<?x8x?x8xbf16>) -> tensor<?x32x?x8xbf16>
  %o = attn.attention %q, %k, %v scale(0.0625) layout(bhsd)
      : (tensor<?x32x?x256xbf16>, tensor<?x8x?x256xbf16>, tensor<?x8x?x8xbf16>)
      -> tensor<?x32x?x8xbf16>
  return %o : tensor<?x32x?x8xbf16>
}

// K and V in a layout of their own, in front of which all tensors' stands.
// CHECK-LABEL: func.func @attention_kv_layout
func.func @attention_kv_layout(%q: tensor<3x6x?x64xf16>, %k: tensor<3x?x2x64xf16>, %p: tensor<?x32x2x64xf16>,
                               %n: tensor<3xi32>, %t: tensor<3x?xi32>, %one: tensor<3x1x?x64xf16>) {
  // CHECK: attn.attention %{{.*}} scale(1.250000e-01) layout(bhsd, kv = bshd) : (tensor<3x6x?x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>) -> tensor<3x6x?x64xf16>
  %o = attn.attention %q, %k, %k layout(bhsd, kv = bshd) scale(0.125)
      : (tensor<3x6x?x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>) -> tensor<3x6x?x64xf16>
  // CHECK: attn.attention %{{.*}} scale(1.250000e-01) layout(bshd, kv = bhsd) : (tensor<3x?x2x64xf16>, tensor<3x1x?x64xf16>,
  %o1 = "attn.attention"(%k, %one, %one) <{scale = 0.125 : f32, layout = 1 : i32, kvLayout = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> ({}, {})
      : (tensor<3x?x2x64xf16>, tensor<3x1x?x64xf16>, tensor<3x1x?x64xf16>) -> tensor<3x?x2x64xf16>
  // CHECK: attn.attention %{{.*}} layout(bhsd, kv = bshd) lengths(%{{.*}} : tensor<3xi32>) block_table(%{{.*}} : tensor<3x?xi32>) :
  %o2 = attn.attention %q, %p, %p layout(bhsd, kv = bshd) scale(0.125) lengths(%n : tensor<3xi32>) block_table(%t : tensor<3x?xi32>)
      : (tensor<3x6x?x64xf16>, tensor<?x32x2x64xf16>, tensor<?x32x2x64xf16>) -> tensor<3x6x?x64xf16>
  return
}

// BSHD and LSE, which keeps the head before the query; no query at all.
// CHECK-LABEL: func.func @attention_bshd_lse
func.func @attention_bshd_lse(%q: tensor<3x?x6x64xf16>, %k: tensor<3x?x2x64xf16>,
                              %e: tensor<3x0x6x64xf16>) {
  // CHECK: attn.attention %{{.*}} scale(1.250000e-01) layout(bshd) : (tensor<3x?x6x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>) -> (tensor<3x?x6x64xf16>, tensor<3x6x?xf32>)
  %o, %lse = attn.attention %q, %k, %k layout(bshd) scale(0.125)
      : (tensor<3x?x6x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>)
      -> (tensor<3x?x6x64xf16>, tensor<3x6x?xf32>)
  // CHECK: attn.attention {{.*}} layout(bshd) : (tensor<3x0x6x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>) -> (tensor<3x0x6x64xf16>, tensor<3x6x0xf32>)
  %o1, %lse1 = attn.attention %e, %k, %k layout(bshd) scale(0.125)
      : (tensor<3x0x6x64xf16>, tensor<3x?x2x64xf16>, tensor<3x?x2x64xf16>)
      -> (tensor<3x0x6x64xf16>, tensor<3x6x0xf32>)
  return
}

// Dimensions that agree may be dynamic on one side only.
// CHECK-LABEL: func.func @attention_half_dynamic
func.func @attention_half_dynamic(%q: tensor<2x4x16x64xf32>, %k: tensor<?x2x?x64xf32>,
                                  %v: tensor<2x2x32x64xf32>) {
  // CHECK: (tensor<2x4x16x64xf32>, tensor<?x2x?x64xf32>, tensor<2x2x32x64xf32>) -> (tensor<?x4x?x64xf32>, tensor<2x4x?xf32>)
  %o, %lse = attn.attention %q, %k, %v scale(0.125)
      : (tensor<2x4x16x64xf32>, tensor<?x2x?x64xf32>, tensor<2x2x32x64xf32>)
      -> (tensor<?x4x?x64xf32>, tensor<2x4x?xf32>)
  return
}

// A score modification without captures.
// CHECK-LABEL: func.func @attention_score
func.func @attention_score(%q: tensor<1x4x8x64xf16>) -> tensor<1x4x8x64xf16> {
  // CHECK: %[[O:.*]] = attn.attention %{{.*}} scale(1.250000e-01) score(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK-NEXT: %[[D:.*]] = arith.subi %[[J]], %[[I]] : index
  // CHECK-NEXT: %[[D32:.*]] = arith.index_cast %[[D]] : index to i32
  // CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[D32]] : i32 to f32
  // CHECK-NEXT: %[[Y:.*]] = arith.addf %[[S]], %[[F]] : f32
  // CHECK-NEXT: attn.yield %[[Y]] : f32
  // CHECK-NEXT: } : (tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>) -> tensor<1x4x8x64xf16>
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %f = arith.sitofp %d32 : i32 to f32
    %y = arith.addf %s, %f : f32
    attn.yield %y : f32
  } : (tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>) -> tensor<1x4x8x64xf16>
  return %o : tensor<1x4x8x64xf16>
}

// Division by a constant is defined for any index.
// CHECK-LABEL: func.func @attention_division
func.func @attention_division(%q: tensor<1x4x8x64xf16>) {
  // CHECK: arith.divui %{{.*}}, %{{.*}} : index
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %n = arith.constant 3 : index
    %d = arith.divui %i, %n : index
    attn.yield %s : f32
  } : (tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>) -> tensor<1x4x8x64xf16>
  return
}

// Captures of every type.
// CHECK-LABEL: func.func @attention_captures
func.func @attention_captures(%q: tensor<1x4x8x64xf16>, %c1: i1, %c8: i8, %c16: i16,
                              %c32: i32, %c64: i64, %x: index, %h: f16, %b: bf16,
                              %f: f32, %d: f64) {
  // CHECK: captures({{.*}} : i1, i8, i16, i32, i64, index, f16, bf16, f32, f64)
  %o = attn.attention %q, %q, %q scale(0.125)
      captures(%c1, %c8, %c16, %c32, %c64, %x, %h, %b, %f, %d
               : i1, i8, i16, i32, i64, index, f16, bf16, f32, f64)
      score(%s: f32, %b_: index, %h_: index, %i: index, %j: index, %0: i1, %1: i8,
            %2: i16, %3: i32, %4: i64, %5: index, %6: f16, %7: bf16, %8: f32, %9: f64) {
    attn.yield %s : f32
  } : (tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>, tensor<1x4x8x64xf16>) -> tensor<1x4x8x64xf16>
  return
}

// Everything at once, with the clauses in another order than the printed one,
// captures of every kind, and an attribute of somebody else.
// CHECK-LABEL: func.func @attention_full
// CHECK-SAME:    %[[CAP:[^:,]*]]: f32, %[[N:[^:,]*]]: i32, %[[X:[^:,]*]]: index, %[[P:[^:,]*]]: i1)
func.func @attention_full(%q: tensor<?x?x4x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                          %cap: f32, %n: i32, %x: index, %p: i1) {
  // CHECK-NEXT: %{{.*}}, %{{.*}} = attn.attention %{{.*}}, %{{.*}}, %{{.*}} mask(#attn.causal<bottom_right>) scale(1.250000e-01) layout(bshd) captures(%[[CAP]], %[[N]], %[[X]], %[[P]] : f32, i32, index, i1)
  // CHECK-SAME: score(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[C:.*]]: f32, %{{.*}}: i32, %{{.*}}: index, %[[PP:.*]]: i1) {
  // CHECK-NEXT: %[[D:.*]] = arith.divf %[[S]], %[[C]] : f32
  // CHECK-NEXT: %[[T:.*]] = math.tanh %[[D]] : f32
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[T]], %[[C]] : f32
  // CHECK-NEXT: %[[Y:.*]] = arith.select %[[PP]], %[[M]], %[[S]] : f32
  // CHECK-NEXT: attn.yield %[[Y]] : f32
  // CHECK-NEXT: } {note = "kept"} : (tensor<?x?x4x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) -> (tensor<?x?x4x64xbf16>, tensor<?x4x?xf32>)
  %o, %lse = attn.attention %q, %k, %k
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32, %m: i32,
            %y: index, %pp: i1) {
    %d = arith.divf %s, %c : f32
    %t = math.tanh %d : f32
    %u = arith.mulf %t, %c : f32
    %r = arith.select %pp, %u, %s : f32
    attn.yield %r : f32
  } captures(%cap, %n, %x, %p : f32, i32, index, i1) layout(bshd) scale(0.125)
    mask(#attn.causal<bottom_right>) {note = "kept"}
      : (tensor<?x?x4x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>)
      -> (tensor<?x?x4x64xbf16>, tensor<?x4x?xf32>)
  return
}

//===----------------------------------------------------------------------===//
// attn.merge_states
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @merge_states
func.func @merge_states(%os: tensor<?x?x4x?x64xbf16>, %lses: tensor<?x?x4x?xf32>, %bshd: tensor<3x2x?x4x64xf16>, %few: tensor<3x2x4x?xf32>) {
  // CHECK: attn.merge_states %{{.*}}, %{{.*}} : (tensor<?x?x4x?x64xbf16>, tensor<?x?x4x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  %0:2 = attn.merge_states %os, %lses : (tensor<?x?x4x?x64xbf16>, tensor<?x?x4x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  // CHECK: attn.merge_states %{{.*}}, %{{.*}} layout(bshd) {note} : (tensor<3x2x?x4x64xf16>, tensor<3x2x4x?xf32>) -> tensor<2x?x4x64xf32>
  %1 = attn.merge_states %bshd, %few layout(bshd) {note} : (tensor<3x2x?x4x64xf16>, tensor<3x2x4x?xf32>) -> tensor<2x?x4x64xf32>
  return
}

//===----------------------------------------------------------------------===//
// attn.matmul
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<4x512xbf16>, %b: tensor<512x8xbf16>,
                  %c: tensor<?x?xf16>, %d: tensor<512x?xf16>, %e: tensor<0x0xf32>) {
  // CHECK: attn.matmul %{{.*}}, %{{.*}} : (tensor<4x512xbf16>, tensor<512x8xbf16>) -> tensor<4x8xf32>
  %0 = attn.matmul %a, %b : (tensor<4x512xbf16>, tensor<512x8xbf16>) -> tensor<4x8xf32>
  // CHECK: attn.matmul %{{.*}}, %{{.*}} {note} : (tensor<?x?xf16>, tensor<512x?xf16>) -> tensor<?x3xf16>
  %1 = attn.matmul %c, %d {note} : (tensor<?x?xf16>, tensor<512x?xf16>) -> tensor<?x3xf16>
  // CHECK: attn.matmul %{{.*}}, %{{.*}} : (tensor<0x0xf32>, tensor<0x0xf32>) -> tensor<0x0xf32>
  %2 = attn.matmul %e, %e : (tensor<0x0xf32>, tensor<0x0xf32>) -> tensor<0x0xf32>
  return
}

//===----------------------------------------------------------------------===//
// attn.kernel, attn.return and !attn.view
//===----------------------------------------------------------------------===//

// Views of every element type and scalars of every kind, which keep their names;
// the terminator may be left out.
// CHECK-LABEL: attn.kernel @kernel(
// CHECK-SAME:    %query: !attn.view<?x32x?x128xbf16>, %b: !attn.view<0x4xf16>, %c_1: !attn.view<?xf32>, %d: index, %e: f64, %f: i1) {
attn.kernel @kernel(%query: !attn.view<?x32x?x128xbf16>, %b: !attn.view<0x4xf16>,
                    %c_1: !attn.view<?xf32>, %d: index, %e: f64, %f: i1) {
  // CHECK-NEXT: attn.return
}

// CHECK-LABEL: attn.kernel private @kernel_private(
// CHECK-SAME:    %a: index {attn.note}) attributes {note = 1 : i64} {
attn.kernel private @kernel_private(%a: index {attn.note}) attributes {note = 1} {
  // CHECK-NEXT: attn.return {last}
  attn.return {last}
}

// CHECK-LABEL: attn.kernel nested @kernel_nested(%{{.*}}: i64) {
attn.kernel nested @kernel_nested(%a: i64) {
}

// Numbers are no names: the position stands in.
// CHECK-LABEL: attn.kernel @kernel_numbered(
// CHECK-SAME:    %arg0: index, %x: f32, %arg2: index) {
attn.kernel @kernel_numbered(%0: index, %x: f32, %1: index) {
}

// In the generic form the names may be left out.
// CHECK-LABEL: attn.kernel @kernel_generic(
// CHECK-SAME:    %{{.*}}: f16) {
"attn.kernel"() <{sym_name = "kernel_generic", function_type = (f16) -> ()}> ({
^bb0(%a: f16):
  attn.return
}) : () -> ()

// CHECK-LABEL: attn.kernel @kernel_without_arguments() {
attn.kernel @kernel_without_arguments() {
  // CHECK-NEXT: attn.return
  attn.return
}

// CHECK-LABEL: attn.kernel @dim
attn.kernel @dim(%v: !attn.view<?x64xf32>) {
  // CHECK-NEXT: attn.dim %{{.*}}, 0 : <?x64xf32>
  %0 = attn.dim %v, 0 : <?x64xf32>
  // CHECK-NEXT: attn.dim %{{.*}}, 1 {note} : <?x64xf32>
  %1 = attn.dim %v, 1 {note} : !attn.view<?x64xf32>
}

//===----------------------------------------------------------------------===//
// attn.grid, attn.ctas and attn.yield
//===----------------------------------------------------------------------===//

// One axis; the default run is not printed.
// CHECK-LABEL: attn.kernel @grid_axis
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_axis(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) {
  // CHECK-NEXT: }
  attn.grid (%i) visit %v in (query = %n) run 1 {
  }
}

// Several axes, sets, an explicit terminator and uses of the arguments,
// which are named after the axes.
// CHECK-LABEL: attn.kernel @grid_axes
// CHECK-SAME:    (%[[N:.*]]: index, %[[M:.*]]: index)
attn.kernel @grid_axes(%n: index, %m: index) {
  // CHECK-NEXT: attn.grid (%[[B:.*]], %[[H:.*]], %[[Q:.*]]) visit %[[V:.*]] in (batch = %[[N]], head = %[[M]], query = %[[M]]) sharing [batch, head] {
  // CHECK-NEXT:   arith.addi %[[B]], %[[H]] : index
  // CHECK-NEXT:   arith.addi %[[Q]], %[[V]] : index
  // CHECK-NEXT: }
  attn.grid (%b, %h, %i) visit %v in (batch = %n, head = %m, query = %m)
      sharing [batch, head] {
    %0 = arith.addi %b, %h : index
    %1 = arith.addi %i, %v : index
    attn.yield
  }
}

// CHECK-LABEL: attn.kernel @grid_run
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_run(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) run 2 {
  attn.grid (%i) visit %v in (query = %n) sharing [] run 2 {
  }
}

// Folded, with a run of any length; without the keyword `run`, as an attribute.
// CHECK-LABEL: attn.kernel @grid_folded
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_folded(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) run 2 folded {
  attn.grid (%i) visit %v in (query = %n) run 2 folded {
  }
}

// CHECK-LABEL: attn.kernel @grid_snake
// CHECK-SAME: %[[N:[^ ]+]]: index
attn.kernel @grid_snake(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) persistent 4 snake {
  attn.grid (%i) visit %v in (query = %n) persistent 4 snake {
  }
}

// CHECK-LABEL: attn.kernel @grid_folded_one
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_folded_one(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) run 1 folded attributes {note} {
  attn.grid (%i) visit %v in (query = %n) attributes {folded, note} {
  }
}

// CHECK-LABEL: attn.kernel @grid_folded_generic
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_folded_generic(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) run 3 folded persistent 4 {
  "attn.grid"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, axes = ["query"], sharing = [], folded, persistent = 4 : i64, run = 3 : i64}> ({
  ^bb0(%i: index, %v: index):
    attn.yield
  }) : (index) -> ()
}

// CHECK-LABEL: attn.kernel @grid_persistent
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_persistent(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (query = %[[N]]) persistent 132 {
  attn.grid (%i) visit %v in (query = %n) persistent 132 {
  }
}

// Everything, with the largest numbers.
// CHECK-LABEL: attn.kernel @grid_full
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @grid_full(%n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (_query2 = %[[N]]) sharing [_query2] order <[sharing], domains = 16777216, chunk = 16777216> run 16777216 folded persistent 16777216 attributes {note = "kept"} {
  attn.grid (%i) visit %v in (_query2 = %n) sharing [_query2]
      order <[sharing], domains = 16777216, chunk = 16777216>
      run 16777216 folded persistent 16777216 attributes {note = "kept"} {
  }
}

// CHECK-LABEL: attn.kernel @ctas
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @ctas(%n: index) {
  // CHECK-NEXT: attn.ctas %[[C:.*]] in %[[N]] {
  // CHECK-NEXT:   arith.addi %[[C]], %[[N]] : index
  // CHECK-NEXT: }
  attn.ctas %c in %n {
    %0 = arith.addi %c, %n : index
  }
}

// CHECK-LABEL: attn.kernel @ctas_attributes
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @ctas_attributes(%n: index) {
  // CHECK-NEXT: attn.ctas %{{.*}} in %[[N]] attributes {note} {
  attn.ctas %c in %n attributes {note} {
    attn.yield
  }
}

//===----------------------------------------------------------------------===//
// attn.in_step
//===----------------------------------------------------------------------===//

// Counted with in a grid and in CTAs.
// CHECK-LABEL: attn.kernel @in_step
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @in_step(%n: index) {
  // CHECK-NEXT: %[[COUNTER:.*]] = attn.counter : <1xi32>{{$}}
  %counter = attn.counter : !attn.view<1xi32>
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (a = %n) persistent 4 {
    // CHECK: %[[EARLY:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : index
    %early = arith.cmpi ult, %v, %n : index
    // CHECK-NEXT: attn.in_step %[[EARLY]], %[[COUNTER]][%{{.*}}] : <1xi32>{{$}}
    attn.in_step %early, %counter[%c0] : !attn.view<1xi32>
  }
}
// CHECK-LABEL: attn.kernel @in_step_ctas
// CHECK-SAME:    (%[[COUNTERS:.*]]: !attn.view<?x2xi32>, %[[N:.*]]: index, %[[ALL:.*]]: i1)
attn.kernel @in_step_ctas(%counters: !attn.view<?x2xi32>, %n: index, %all: i1) {
  // CHECK-NEXT: attn.ctas %[[C:.*]] in
  attn.ctas %c in %n {
    // CHECK-NEXT: attn.in_step %[[ALL]], %[[COUNTERS]][%[[C]], %[[C]]] {note = 2 : i64} : <?x2xi32>{{$}}
    attn.in_step %all, %counters[%c, %c] {note = 2} : !attn.view<?x2xi32>
    // CHECK-NEXT: attn.in_step %[[ALL]], %[[COUNTERS]][%[[C]], %[[C]]] : <?x2xi32>{{$}}
    "attn.in_step"(%all, %counters, %c, %c) : (i1, !attn.view<?x2xi32>, index, index) -> ()
  }
}

// It is no pure operation: neither dropped, nor one with another of the same operand.
// RUN: attn-opt %s --canonicalize --cse --mlir-print-op-generic | FileCheck %s --check-prefix=KEPT
// KEPT: sym_name = "in_step"
// KEPT: "attn.in_step"({{.*}}) : (i1, !attn.view<1xi32>, index) -> ()
// KEPT: sym_name = "in_step_ctas"
// KEPT: "attn.in_step"({{.*}}) {note = 2 : i64} : (i1, !attn.view<?x2xi32>, index, index) -> ()
// KEPT-NEXT: "attn.in_step"({{.*}}) : (i1, !attn.view<?x2xi32>, index, index) -> ()

//===----------------------------------------------------------------------===//
// attn.counter, attn.take, and grids that take tiles
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @dynamic
attn.kernel @dynamic(%table: !attn.view<?x2xi64>, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[COUNTER:.*]] = attn.counter : <1xi32>{{$}}
  %counter = attn.counter : !attn.view<1xi32>
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (a = %{{.*}}) persistent 4 dynamic %[[COUNTER]] : <1xi32> until %{{.*}}[%{{.*}}, %{{.*}}] : <?x2xi64> attributes {note} {
  attn.grid (%i) visit %v in (a = %n) persistent 4 dynamic %counter : <1xi32> until %table[%n, %c1] : <?x2xi64> attributes {note} {
  }
}
// CHECK-LABEL: attn.kernel @until
attn.kernel @until(%table: !attn.view<?xi32>, %n: index) {
  // CHECK-NEXT: attn.grid (%{{.*}}) visit %{{.*}} in (a = %{{.*}}) persistent 4 until %{{.*}}[%{{.*}}] : <?xi32> {
  attn.grid (%i) visit %v in (a = %n) persistent 4 until %table[%n] : <?xi32> {
  }
}
// Neither dropped nor one with another.
// CHECK-LABEL: attn.kernel @take
// KEPT: sym_name = "take"
// KEPT-COUNT-4: "attn.take"
attn.kernel @take(%counters: !attn.view<?xi32>, %n: index) {
  attn.ctas %c in %n {
    // CHECK: %[[TAKEN:.*]] = attn.take %{{.*}}[%{{.*}}] : <?xi32>{{$}}
    %taken = attn.take %counters[%c] : !attn.view<?xi32>
    // CHECK-NEXT: attn.take %{{.*}}[%[[TAKEN]]] hand_on : <?xi32>{{$}}
    %a = attn.take %counters[%taken] hand_on : !attn.view<?xi32>
    // CHECK-NEXT: attn.take %{{.*}}[%[[TAKEN]]] from_producer {note} : <?xi32>{{$}}
    %b = attn.take %counters[%taken] from_producer {note} : !attn.view<?xi32>
    %d = attn.take %counters[%c] : !attn.view<?xi32>
  }
}

//===----------------------------------------------------------------------===//
// attn.stream
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @stream
// CHECK-SAME:    (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index, %[[ODD:.*]]: i1, %[[F:.*]]: f32)
attn.kernel @stream(%a: index, %b: index, %c: index, %odd: i1, %f: f32) {
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
  %t = arith.constant dense<0.0> : tensor<16x64xf32>
  // Nothing carried.
  // CHECK: attn.stream %{{.*}} step 64 over [%[[A]] to %[[B]]] {
  // CHECK-NEXT: }
  attn.stream %j step 64 over [%a to %b] {
  }
  // CHECK-NEXT: attn.stream %{{.*}} step 64 ordered over [masked %[[A]] to %[[B]]] {
  // CHECK-NEXT: }
  attn.stream %j step 64 ordered over [masked %a to %b] {
    attn.yield
  }
  // CHECK-NEXT: attn.stream %{{.*}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over [masked %[[A]] to %[[B]], %[[B]] to %[[C]], masked %[[C]] to %[[A]]] attributes {note} {
  // CHECK-NEXT: }
  attn.stream %j step 64 traversal #attn.reversed(%odd : i1)
      over [masked %a to %b, %b to %c, masked %c to %a] attributes {note} {
  }
  // Everything, with several values carried.
  // CHECK-NEXT: %[[R:.*]]:3 = attn.stream %[[J:.*]] step 32 ordered traversal #attn.reversed(%[[ODD]] : i1) over [%[[A]] to %[[B]], masked %[[B]] to %[[C]]] carry (%[[X:.*]] = %[[T]], %[[Y:.*]] = %[[F]], %[[Z:.*]] = %[[A]] : tensor<16x64xf32>, f32, index) attributes {note = 3 : i64} {
  // CHECK-NEXT:   %[[S:.*]] = arith.addi %[[Z]], %[[J]] : index
  // CHECK-NEXT:   attn.yield %[[X]], %[[Y]], %[[S]] : tensor<16x64xf32>, f32, index
  // CHECK-NEXT: }
  // CHECK-NEXT: arith.addi %[[R]]#2, %[[A]] : index
  %r:3 = attn.stream %j step 32 ordered traversal #attn.reversed(%odd : i1) over [%a to %b, masked %b to %c]
      carry (%x = %t, %y = %f, %z = %a : tensor<16x64xf32>, f32, index)
      attributes {note = 3} {
    %s = arith.addi %z, %j : index
    attn.yield %x, %y, %s : tensor<16x64xf32>, f32, index
  }
  %u = arith.addi %r#2, %a : index
}

//===----------------------------------------------------------------------===//
// Tile operations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @load_store_touch
// CHECK-SAME:    (%[[Q:.*]]: !attn.view<?x8x?x128xbf16>, %[[L:.*]]: !attn.view<?xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
attn.kernel @load_store_touch(%q: !attn.view<?x8x?x128xbf16>, %l: !attn.view<?xf32>,
                              %i: index, %j: index) {
  // The tile spans all dimensions, or the last ones.
  // CHECK-NEXT: %[[T4:.*]] = attn.load %[[Q]][%[[I]], %[[J]], %[[I]], %[[J]]] : <?x8x?x128xbf16> -> tensor<1x2x64x128xbf16>
  %0 = attn.load %q[%i, %j, %i, %j] : !attn.view<?x8x?x128xbf16> -> tensor<1x2x64x128xbf16>
  // CHECK-NEXT: %[[T2:.*]] = attn.load %[[Q]][%[[I]], %[[J]], %[[I]], %[[J]]] : <?x8x?x128xbf16> -> tensor<64x128xbf16>
  %1 = attn.load %q[%i, %j, %i, %j] : <?x8x?x128xbf16> -> tensor<64x128xbf16>
  // CHECK-NEXT: %[[T1:.*]] = attn.load %[[L]][%[[I]]] {note} : <?xf32> -> tensor<64xf32>
  %2 = attn.load %l[%i] {note} : <?xf32> -> tensor<64xf32>
  // CHECK-NEXT: attn.store %[[T4]], %[[Q]][%[[J]], %[[J]], %[[I]], %[[I]]] : tensor<1x2x64x128xbf16> -> <?x8x?x128xbf16>
  attn.store %0, %q[%j, %j, %i, %i] : tensor<1x2x64x128xbf16> -> <?x8x?x128xbf16>
  // CHECK-NEXT: attn.store %[[T2]], %[[Q]][%[[J]], %[[J]], %[[I]], %[[I]]] : tensor<64x128xbf16> -> <?x8x?x128xbf16>
  attn.store %1, %q[%j, %j, %i, %i] : tensor<64x128xbf16> -> !attn.view<?x8x?x128xbf16>
  // CHECK-NEXT: attn.store %[[T1]], %[[L]][%[[J]]] {note} : tensor<64xf32> -> <?xf32>
  attn.store %2, %l[%j] {note} : tensor<64xf32> -> <?xf32>
  // CHECK-NEXT: attn.touch load %[[Q]][%[[I]], %[[J]], %[[I]], %[[J]]] tile [64, 128] by %[[J]] : <?x8x?x128xbf16>
  attn.touch load %q[%i, %j, %i, %j] tile [64, 128] by %j : <?x8x?x128xbf16>
  // CHECK-NEXT: attn.touch store %[[L]][%[[I]]] tile [1] by %[[J]] {note} : <?xf32>
  attn.touch store %l[%i] tile [1] by %j {note} : !attn.view<?xf32>
}

// CHECK-LABEL: attn.kernel @tiles
// CHECK-SAME:    (%[[W:.*]]: !attn.view<?x64xbf16>, %[[I:.*]]: index)
attn.kernel @tiles(%w: !attn.view<?x64xbf16>, %i: index) {
  // CHECK-NEXT: %[[A:.*]] = attn.load
  %a = attn.load %w[%i, %i] : <?x64xbf16> -> tensor<16x64xbf16>
  // CHECK-NEXT: %[[B:.*]] = attn.load
  %b = attn.load %w[%i, %i] : <?x64xbf16> -> tensor<64x8xbf16>
  // CHECK-DAG: %[[Z8:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
  %z8 = arith.constant dense<0.0> : tensor<16x8xf32>
  // CHECK-DAG: %[[Z16:.*]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %z16 = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: attn.dot %[[A]], %[[B]], %[[Z8]] : tensor<16x64xbf16>, tensor<64x8xbf16> into tensor<16x8xf32>
  %0 = attn.dot %a, %b, %z8 : tensor<16x64xbf16>, tensor<64x8xbf16> into tensor<16x8xf32>
  // CHECK-NEXT: %[[S:.*]] = attn.dot %[[A]], %[[A]], %[[Z16]] transpose_rhs : tensor<16x64xbf16>, tensor<16x64xbf16> into tensor<16x16xf32>
  %1 = attn.dot %a, %a, %z16 transpose_rhs
      : tensor<16x64xbf16>, tensor<16x64xbf16> into tensor<16x16xf32>
  // CHECK-NEXT: attn.dot %[[S]], %[[S]], %[[S]] transpose_lhs transpose_rhs : tensor<16x16xf32>, tensor<16x16xf32> into tensor<16x16xf32>
  %both = attn.dot %1, %1, %1 transpose_lhs transpose_rhs : tensor<16x16xf32>, tensor<16x16xf32> into tensor<16x16xf32>
  // CHECK-NEXT: attn.dot %[[S]], %[[S]], %[[S]] {note} : tensor<16x16xf32>, tensor<16x16xf32> into tensor<16x16xf32>
  %2 = attn.dot %1, %1, %1 {note} : tensor<16x16xf32>, tensor<16x16xf32> into tensor<16x16xf32>
  // CHECK-NEXT: %[[M:.*]] = attn.reduce max %[[S]] : tensor<16x16xf32>
  %3 = attn.reduce max %1 : tensor<16x16xf32>
  // CHECK-NEXT: attn.reduce sum %[[S]] {note} : tensor<16x16xf32>
  %4 = attn.reduce sum %1 {note} : tensor<16x16xf32>
  // CHECK-NEXT: %[[F:[^ ]+]], %[[R:[^ ]+]], %[[G:[^ ]+]] = attn.advance %[[M]] from %[[M]], %[[M]] scale(1.250000e-01) : tensor<16xf32>
  %adv:3 = attn.advance %3 from %3, %3 scale(0.125) : tensor<16xf32>
  // CHECK-NEXT: attn.advance %[[G]] from %[[F]], %[[R]] scale(1.84467441E+19) {note} : tensor<16xf32>
  %adv2:3 = attn.advance %adv#2 from %adv#0, %adv#1 scale(0x5F800000) {note} : tensor<16xf32>
  // CHECK-NEXT: attn.broadcast %[[M]] : tensor<16xf32> to tensor<16x64xf32>
  %5 = attn.broadcast %3 : tensor<16xf32> to tensor<16x64xf32>
  // CHECK-NEXT: attn.iota 0 from %[[I]] : tensor<16xindex>
  %6 = attn.iota 0 from %i : tensor<16xindex>
  // CHECK-NEXT: %[[R:.*]] = attn.iota 0 from %[[I]] : tensor<16x16xindex>
  %7 = attn.iota 0 from %i : tensor<16x16xindex>
  // CHECK-NEXT: %[[C:.*]] = attn.iota 1 from %[[I]] {note} : tensor<16x16xindex>
  %8 = attn.iota 1 from %i {note} : tensor<16x16xindex>
  // CHECK-NEXT: %[[P:.*]] = arith.cmpi sle, %[[C]], %[[R]] : tensor<16x16xindex>
  %9 = arith.cmpi sle, %8, %7 : tensor<16x16xindex>
  // CHECK-NEXT: attn.stream %{{.*}} step 16 over [masked %[[I]] to %[[I]]] {
  // CHECK-NEXT:   attn.mask %[[S]] keep %[[P]] : tensor<16x16xf32>
  // CHECK-NEXT: }
  attn.stream %j step 16 over [masked %i to %i] {
    %10 = attn.mask %1 keep %9 : tensor<16x16xf32>
  }
}

// CHECK-LABEL: attn.kernel @accumulate
// CHECK-SAME:    (%[[S:.*]]: !attn.view<2x?x64xf32>, %[[I:.*]]: index)
attn.kernel @accumulate(%s: !attn.view<2x?x64xf32>, %i: index) {
  // CHECK-NEXT: %[[T:.*]] = attn.load
  %t = attn.load %s[%i, %i, %i] : <2x?x64xf32> -> tensor<16x64xf32>
  // CHECK-NEXT: attn.accumulate %[[T]], %[[S]][%[[I]], %[[I]], %[[I]]] atomic {note} : tensor<16x64xf32> -> <2x?x64xf32>
  attn.accumulate %t, %s[%i, %i, %i] atomic {note} : tensor<16x64xf32> -> !attn.view<2x?x64xf32>
}

//===----------------------------------------------------------------------===//
// attn.launch
//===----------------------------------------------------------------------===//

attn.kernel @one(%a: !attn.view<?x64xf32>, %o: !attn.view<64x?xf32>) {
}
attn.kernel @two(%a: !attn.view<?x64xf32>, %b: !attn.view<?x?xbf16>,
                 %o: !attn.view<?x?xf32>, %p: !attn.view<?x8xf32>, %n: index, %c: f32) {
}
attn.kernel @bshd(%a: !attn.view<2x4x?x64xf16>, %o: !attn.view<2x4x?x64xf16>) {
}

// CHECK-LABEL: func.func @launch_tensors
// CHECK-SAME:    (%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<3x?xbf16>, %[[O:.*]]: tensor<64x7xf32>, %[[P:.*]]: tensor<?x8xf32>, %[[N:.*]]: index, %[[C:.*]]: f32)
func.func @launch_tensors(%a: tensor<?x64xf32>, %b: tensor<3x?xbf16>,
                          %o: tensor<64x7xf32>, %p: tensor<?x8xf32>, %n: index, %c: f32) {
  // CHECK-NEXT: attn.launch @one ins(%[[A]] : tensor<?x64xf32>) outs(%[[O]] : tensor<64x7xf32>) views [#[[$ID2]], #[[$ID2]]] -> tensor<64x7xf32>
  %0 = attn.launch @one ins(%a : tensor<?x64xf32>) outs(%o : tensor<64x7xf32>)
      views [#id2, #id2] -> tensor<64x7xf32>
  // Several ins and outs, scalars, a permuted view and an attribute.
  // CHECK-NEXT: %{{.*}}:2 = attn.launch @two ins(%[[A]], %[[B]] : tensor<?x64xf32>, tensor<3x?xbf16>) outs(%[[O]], %[[P]] : tensor<64x7xf32>, tensor<?x8xf32>) scalars(%[[N]], %[[C]] : index, f32) views [#[[$ID2]], #[[$SWAP]], #[[$SWAP]], #[[$ID2]]] {note} -> tensor<64x7xf32>, tensor<?x8xf32>
  %1:2 = attn.launch @two ins(%a, %b : tensor<?x64xf32>, tensor<3x?xbf16>)
      outs(%o, %p : tensor<64x7xf32>, tensor<?x8xf32>) scalars(%n, %c : index, f32)
      views [#id2, #swap, #swap, #id2] {note} -> tensor<64x7xf32>, tensor<?x8xf32>
  return
}

// Without ins.
attn.kernel @fill(%o: !attn.view<?x64xf32>, %c: f32) {
}
// CHECK-LABEL: func.func @launch_without_ins
func.func @launch_without_ins(%t: tensor<?x64xf32>, %m: memref<?x64xf32>, %c: f32) {
  // CHECK-NEXT: attn.launch @fill outs(%{{.*}} : tensor<?x64xf32>) scalars(%{{.*}} : f32) views [#[[$ID2]]] -> tensor<?x64xf32>
  %0 = attn.launch @fill outs(%t : tensor<?x64xf32>) scalars(%c : f32) views [#id2]
      -> tensor<?x64xf32>
  // CHECK-NEXT: attn.launch @fill outs(%{{.*}} : memref<?x64xf32>) scalars(%{{.*}} : f32) views [#[[$ID2]]]{{$}}
  attn.launch @fill outs(%m : memref<?x64xf32>) scalars(%c : f32) views [#id2]
  return
}

// A kernel that is lowered: a range of CTAs, the views and the scalars.
func.func private @lowered(index, index, memref<?x64xf32>, f32)
    attributes {attn.kernel_views = [!attn.view<?x64xf32>]}
// CHECK-LABEL: func.func @launch_lowered
func.func @launch_lowered(%t: tensor<?x64xf32>, %c: f32) {
  // CHECK-NEXT: attn.launch @lowered outs(%{{.*}} : tensor<?x64xf32>) scalars(%{{.*}} : f32) views [#[[$ID2]]] -> tensor<?x64xf32>
  %0 = attn.launch @lowered outs(%t : tensor<?x64xf32>) scalars(%c : f32) views [#id2]
      -> tensor<?x64xf32>
  return
}

// Sizes are compared in the order of the view: a static 64 may come from either
// dimension, as the permutation says.
// CHECK-LABEL: func.func @launch_permuted
func.func @launch_permuted(%a: tensor<64x?xf32>, %o: tensor<5x64xf32>,
                           %x: tensor<2x?x4x64xf16>) {
  // CHECK-NEXT: attn.launch @one ins(%{{.*}} : tensor<64x?xf32>) outs(%{{.*}} : tensor<5x64xf32>) views [#[[$SWAP]], #[[$SWAP]]] -> tensor<5x64xf32>
  %0 = attn.launch @one ins(%a : tensor<64x?xf32>) outs(%o : tensor<5x64xf32>)
      views [#swap, #swap] -> tensor<5x64xf32>
  // CHECK-NEXT: attn.launch @bshd {{.*}} views [#[[$BSHD]], #[[$BSHD]]] -> tensor<2x?x4x64xf16>
  %1 = attn.launch @bshd ins(%x : tensor<2x?x4x64xf16>) outs(%x : tensor<2x?x4x64xf16>)
      views [#bshd, #bshd] -> tensor<2x?x4x64xf16>
  return
}

// CHECK-LABEL: func.func @launch_memrefs
func.func @launch_memrefs(%a: memref<?x64xf32>, %b: memref<?x?xbf16>,
                          %o: memref<64x?xf32>, %n: index, %c: f32,
                          %p: memref<?x8xf32, strided<[?, 1], offset: ?>>) {
  // CHECK-NEXT: attn.launch @one ins(%{{.*}} : memref<?x64xf32>) outs(%{{.*}} : memref<64x?xf32>) views [#[[$ID2]], #[[$ID2]]]{{$}}
  attn.launch @one ins(%a : memref<?x64xf32>) outs(%o : memref<64x?xf32>)
      views [#id2, #id2]
  // CHECK-NEXT: attn.launch @two ins(%{{.*}} : memref<?x64xf32>, memref<?x?xbf16>) outs(%{{.*}} : memref<64x?xf32>, memref<?x8xf32, strided<[?, 1], offset: ?>>) scalars(%{{.*}} : index, f32) views [#[[$ID2]], #[[$SWAP]], #[[$SWAP]], #[[$ID2]]]{{$}}
  attn.launch @two ins(%a, %b : memref<?x64xf32>, memref<?x?xbf16>)
      outs(%o, %p : memref<64x?xf32>, memref<?x8xf32, strided<[?, 1], offset: ?>>)
      scalars(%n, %c : index, f32) views [#id2, #swap, #swap, #id2]
  return
}

//===----------------------------------------------------------------------===//
// #attn.target
//===----------------------------------------------------------------------===//

// A known name takes every fact from the table, and all of them are printed.
// CHECK: module @known attributes {attn.target = #attn.target<"gb10", arch = "sm_121a", capabilities = ["nvvm", "mma.sync", "mma.sync.f8", "mma.sync.mx", "ldmatrix", "cp.async", "tma"], sms = 48, max_resident_ctas = 24, max_cluster_ctas = 8, max_clusters = 5, smem_per_sm = 102400, smem_per_block = 101376, registers_per_sm = 65536, l2_bytes = 25165824, l2_effective_bytes = 20971520, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 32, dispatch_chunk = 1, dram_gbps = 301, tensor_gflops = 125000, clock_mhz = 2418, special_per_clock = 16, fma_per_clock = 128, l2_gbps = 7400>}
module @known attributes {attn.target = #attn.target<"gb10">} {
}

// What is given overrides the table; the rest stays.
// CHECK: module @overridden attributes {attn.target = #attn.target<"mi300x", arch = "gfx950", capabilities = ["rocdl", "mfma"], sms = 40, max_resident_ctas = 16, max_cluster_ctas = 1, max_clusters = 304, smem_per_sm = 65536, smem_per_block = 65536, registers_per_sm = 131072, l2_bytes = 4194304, l2_effective_bytes = 4194304, l2_domains = 4, l2_partitions = 1, l2_sector_bytes = 128, dispatch_chunk = 1, dram_gbps = 5300, tensor_gflops = 1307400, clock_mhz = 2100, special_per_clock = 16, fma_per_clock = 128, l2_gbps = 34400>}
module @overridden attributes {
  attn.target = #attn.target<"mi300x", l2_domains = 4, arch = "gfx950",
                             capabilities = ["rocdl", "mfma"], sms = 40>} {
}

// CHECK: module @without_capabilities attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = [], sms = 4,
module @without_capabilities attributes {attn.target = #attn.target<"cpu", capabilities = []>} {
}

// A target of one's own; its capabilities may be left out.
// CHECK: module @own attributes {attn.target = #attn.target<"my chip", arch = "v1", capabilities = [], sms = 1, max_resident_ctas = 2, max_cluster_ctas = 17, max_clusters = 18, smem_per_sm = 3, smem_per_block = 4, registers_per_sm = 5, l2_bytes = 6, l2_effective_bytes = 7, l2_domains = 8, l2_partitions = 15, l2_sector_bytes = 16, dispatch_chunk = 9, dram_gbps = 10, tensor_gflops = 9223372036854775807, clock_mhz = 11, special_per_clock = 12, fma_per_clock = 13, l2_gbps = 14>}
module @own attributes {
  attn.target = #attn.target<"my chip", tensor_gflops = 9223372036854775807, arch = "v1",
      sms = 1, max_resident_ctas = 2, max_cluster_ctas = 17, max_clusters = 18, smem_per_sm = 3, smem_per_block = 4,
      registers_per_sm = 5, l2_bytes = 6, l2_effective_bytes = 7, l2_domains = 8,
      l2_partitions = 15, l2_sector_bytes = 16, dispatch_chunk = 9, dram_gbps = 10, clock_mhz = 11,
      special_per_clock = 12, fma_per_clock = 13, l2_gbps = 14>} {
}

// Short of its target, a module may have any attribute of the dialect.
// CHECK: module @other attributes {attn.causal = #attn.causal<top_left>, attn.order = #attn.order<[sharing, query], domains = 8, chunk = 2, reversed = [query]>}
module @other attributes {
  attn.causal = #attn.causal<top_left>,
  attn.order = #attn.order<[sharing, query], reversed = [query], chunk = 2, domains = 8>} {
}
