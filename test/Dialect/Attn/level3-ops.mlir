// Round trip of every op, attribute and type of level 3, in every syntactic
// variant: custom form, generic form and bytecode.
//
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s -emit-bytecode | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

//===----------------------------------------------------------------------===//
// #attn.fragment and #attn.shared
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#slice = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>

// As attributes they need no tile: an accumulator; one value a row; one thread; one
// register; neither; mixed radix that no power of two is; copies in threads.
// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[SWAPPED:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>
// CHECK-DAG: #[[RADIX:acc[0-9]*]] = #attn.fragment<threads [3:(0, 5), 7:(2, 0)], registers [5:(0, 1), 2:(1, 0)]>
// CHECK-DAG: #[[COPIES:parts[0-9]*]] = #attn.fragment<threads [2:(0, 0), 32:(1, 0)], registers []>
// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
// CHECK-DAG: #[[LANES:parts[0-9]*]] = #attn.fragment<threads [32:(1, 0)], registers []>
// CHECK-DAG: #[[NEITHER:rows[0-9]*]] = #attn.fragment<threads [], registers []>
// CHECK-DAG: #[[SINGLE:rows[0-9]*]] = #attn.fragment<threads [], registers [5:(1), 3:(7)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
// CHECK-DAG: #[[SHARED128:shared[0-9]*]] = #attn.shared<128>
// CHECK-DAG: #[[SHARED32:shared[0-9]*]] = #attn.shared<32>
// CHECK-DAG: #[[SHARED64:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: func.func private @layouts
// CHECK-SAME: acc = #[[ACC]],
// CHECK-SAME: copies = #[[COPIES]],
// CHECK-SAME: lanes = #[[LANES]],
// CHECK-SAME: neither = #[[NEITHER]],
// CHECK-SAME: one = #[[SINGLE]],
// CHECK-SAME: radix = #[[RADIX]],
// CHECK-SAME: rows = #[[ROWS]],
// CHECK-SAME: spans = [#[[SHARED32]], #[[SHARED64]], #[[SHARED128]]]
func.func private @layouts() attributes {
  acc = #acc, rows = #rows,
  copies = #attn.fragment<threads [2:(0, 0), 32:(1, 0)], registers []>,
  lanes = #attn.fragment<threads [32:(1, 0)], registers []>,
  neither = #attn.fragment<threads [], registers []>,
  one = #attn.fragment<threads [], registers [5:(1), 3:(7)]>,
  radix = #attn.fragment<threads [3:(0, 5), 7:(2, 0)], registers [5:(0, 1), 2:(1, 0)]>,
  spans = [#attn.shared<32>, #attn.shared<64>, #attn.shared<128>]
}

// On tiles: each element has one owner, or as many as there are copies. A mode's
// size need not divide 32; the last of one thread's elements may be the tile's
// last.
// CHECK-LABEL: func.func private @tiles
// CHECK-SAME: tensor<64x32xf32, #[[ACC]]>
// CHECK-SAME: tensor<64xf32, #[[ROWS]]>
// CHECK-SAME: tensor<64x4xf32, #[[PARTS]]>
// CHECK-SAME: tensor<14x15xi1, #[[RADIX]]>
// CHECK-SAME: tensor<32x1xindex, #[[COPIES]]>
// CHECK-SAME: tensor<1xbf16, #[[NEITHER]]>
func.func private @tiles(tensor<64x32xf32, #acc>, tensor<64xf32, #rows>, tensor<64x4xf32, #slice>,
    tensor<14x15xi1, #attn.fragment<threads [3:(0, 5), 7:(2, 0)], registers [5:(0, 1), 2:(1, 0)]>>,
    tensor<32x1xindex, #attn.fragment<threads [2:(0, 0), 32:(1, 0)], registers []>>,
    tensor<1xbf16, #attn.fragment<threads [], registers []>>)

// In shared memory: whole panels, eight rows at least, any of the element types.
// CHECK-LABEL: func.func private @shared
// CHECK-SAME: tensor<64x128xbf16, #[[SHARED128]]>
// CHECK-SAME: tensor<8x16xf16, #[[SHARED32]]>
// CHECK-SAME: tensor<72x48xf32, #[[SHARED64]]>
// CHECK-SAME: tensor<8x32xi8, #[[SHARED32]]>
func.func private @shared(tensor<64x128xbf16, #attn.shared<128>>, tensor<8x16xf16, #attn.shared<32>>,
    tensor<72x48xf32, #attn.shared<64>>, tensor<8x32xi8, #attn.shared<32>>)

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func private @types
// CHECK-SAME: !attn.ring<1 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-SAME: !attn.ring<64 x tensor<8x16xf16, #[[SHARED32]]>>
// CHECK-SAME: !attn.slot<tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-SAME: !attn.pending<tensor<64x128xbf16, #[[SHARED128]]>>
func.func private @types(!attn.ring<1 x tensor<64x128xbf16, #attn.shared<128>>>,
    !attn.ring<64 x tensor<8x16xf16, #attn.shared<32>>>,
    !attn.slot<tensor<64x128xbf16, #attn.shared<128>>>,
    !attn.pending<tensor<64x128xbf16, #attn.shared<128>>>)

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

// Both copiers; the default is not printed. Results have names that say what they
// are.
// CHECK-LABEL: attn.kernel @rings
// CHECK-SAME: (%[[V:[^ ]+]]: !attn.view<?x8x?x128xbf16>, %[[W:[^ ]+]]: !attn.view<?x16xf32>, %[[I:[^ ]+]]: index) {
// CHECK-NEXT: %ring = attn.ring.create : <2 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %ring_0 = attn.ring.create {attribute = 1 : i64} : <1 x tensor<8x16xf32, #[[SHARED64]]>>
// CHECK-NEXT: %slot = attn.ring.acquire %ring ahead 1 : <2 x tensor<64x128xbf16, #[[SHARED128]]>> -> <tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %pending = attn.ring.issue %slot, %[[V]][%[[I]], %[[I]], %[[I]], %[[I]]] : <tensor<64x128xbf16, #[[SHARED128]]>>, <?x8x?x128xbf16> -> <tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: attn.ring.land %pending : <tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %tile = attn.ring.wait %ring : <2 x tensor<64x128xbf16, #[[SHARED128]]>> -> tensor<64x128xbf16, #[[SHARED128]]>
// CHECK-NEXT: attn.ring.release %ring : <2 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %[[SLOT:slot_[0-9]+]] = attn.ring.acquire %ring_0 :
// CHECK-NEXT: %[[PENDING:pending_[0-9]+]] = attn.ring.issue %[[SLOT]], %[[W]][%[[I]], %[[I]]] by async : <tensor<8x16xf32, #[[SHARED64]]>>, <?x16xf32> -> <tensor<8x16xf32, #[[SHARED64]]>>
// CHECK-NEXT: attn.ring.land %[[PENDING]] :
// CHECK-NEXT: %{{.*}} = attn.ring.issue %[[SLOT]], %[[W]][%[[I]], %[[I]]] :
// GENERIC-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// GENERIC: "attn.ring.issue"(%{{.*}}) <{by = 0 : i32, chunk = 16 : i64, operandSegmentSizes = array<i32: 1, 1, 4, 0, 0>}>
// GENERIC: "attn.ring.issue"(%{{.*}}) <{by = 1 : i32, chunk = 16 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>}>
attn.kernel @rings(%v: !attn.view<?x8x?x128xbf16>, %w: !attn.view<?x16xf32>, %i: index) {
  %r = attn.ring.create : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>
  %q = attn.ring.create {attribute = 1} : <1 x tensor<8x16xf32, #attn.shared<64>>>
  %s = attn.ring.acquire %r ahead 1 : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  %p = attn.ring.issue %s, %v[%i, %i, %i, %i] by tensor : <tensor<64x128xbf16, #attn.shared<128>>>, <?x8x?x128xbf16> -> <tensor<64x128xbf16, #attn.shared<128>>>
  attn.ring.land %p : <tensor<64x128xbf16, #attn.shared<128>>>
  %t = attn.ring.wait %r : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> tensor<64x128xbf16, #attn.shared<128>>
  attn.ring.release %r : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  %a = attn.ring.acquire %q ahead 0 : <1 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
  %b = attn.ring.issue %a, %w[%i, %i] by async : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
  attn.ring.land %b : <tensor<8x16xf32, #attn.shared<64>>>
  %c = attn.ring.issue %a, %w[%i, %i] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
  attn.ring.land %c : <tensor<8x16xf32, #attn.shared<64>>>
}

// A release that waits for a value: one number a row, whatever its layout. It is an operand more.
// CHECK-LABEL: func.func @after
// CHECK-SAME: (%[[M:[^ ]+]]: tensor<64xf32, #[[ROWS]]>, %[[N:[^ ]+]]: tensor<16xf32>) {
// CHECK: attn.ring.release %ring : <2 x tensor<64x128xbf16, #[[SHARED128]]>> after %[[M]] : tensor<64xf32, #[[ROWS]]>
// CHECK-NEXT: attn.ring.release %ring {note} : <2 x tensor<64x128xbf16, #[[SHARED128]]>> after %[[N]] : tensor<16xf32>
// CHECK-NEXT: attn.ring.release %ring : <2 x tensor<64x128xbf16, #[[SHARED128]]>> after first %[[N]] : tensor<16xf32>
// CHECK-NEXT: attn.ring.release %ring : <2 x tensor<64x128xbf16, #[[SHARED128]]>>{{$}}
// GENERIC: "attn.ring.release"(%[[R:[^ ]+]], %{{[^ ]+}}) : (!attn.ring<2 x tensor<64x128xbf16, #[[SHARED]]>>, tensor<64xf32, #{{rows[0-9]*}}>) -> ()
// GENERIC-NEXT: "attn.ring.release"(%[[R]], %{{[^ ]+}}) {note} : (!attn.ring<2 x tensor<64x128xbf16, #[[SHARED]]>>, tensor<16xf32>) -> ()
// GENERIC-NEXT: "attn.ring.release"(%[[R]], %{{[^ ]+}}) <{first}> : (!attn.ring<2 x tensor<64x128xbf16, #[[SHARED]]>>, tensor<16xf32>) -> ()
// GENERIC-NEXT: "attn.ring.release"(%[[R]]) : (!attn.ring<2 x tensor<64x128xbf16, #[[SHARED]]>>) -> ()
func.func @after(%m: tensor<64xf32, #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>>, %n: tensor<16xf32>) {
  %r = attn.ring.create : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  attn.ring.release %r : <2 x tensor<64x128xbf16, #attn.shared<128>>> after %m : tensor<64xf32, #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>>
  attn.ring.release %r {note} : <2 x tensor<64x128xbf16, #attn.shared<128>>> after %n : tensor<16xf32>
  attn.ring.release %r : <2 x tensor<64x128xbf16, #attn.shared<128>>> after first %n : tensor<16xf32>
  attn.ring.release %r : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  return
}

// Nothing of a ring is dead: it counts.
// RUN: attn-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: attn.kernel @rings
// KEPT-COUNT-2: attn.ring.create
// KEPT: attn.ring.acquire
// KEPT: attn.ring.issue
// KEPT: attn.ring.land
// KEPT: attn.ring.wait
// KEPT: attn.ring.release
// KEPT: attn.ring.acquire
// KEPT-COUNT-2: attn.ring.land
// KEPT-LABEL: func.func @after
// KEPT-COUNT-4: attn.ring.release

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

// From shared memory to registers, between layouts; reductions of what a thread
// holds.
// CHECK-LABEL: func.func @fragments
// CHECK-SAME: (%[[S:.*]]: tensor<64x32xf32, #[[SHARED128]]>)
// CHECK-NEXT: %[[A:.*]] = attn.convert_layout %[[S]] : tensor<64x32xf32, #[[SHARED128]]> to tensor<64x32xf32, #[[ACC]]>
// CHECK-NEXT: %[[B:.*]] = attn.convert_layout %[[A]] : tensor<64x32xf32, #[[ACC]]> to tensor<64x32xf32, #[[SWAPPED]]>
// CHECK-NEXT: %[[P:.*]] = attn.reduce_registers sum %[[A]] : tensor<64x32xf32, #[[ACC]]>
// CHECK-NEXT: %[[M:.*]] = attn.reduce_registers max %[[B]] : tensor<64x32xf32, #[[SWAPPED]]>
// One column a thread that shares the row, and one register a row.
// CHECK-NEXT: arith.addf %[[P]], %[[M]] : tensor<64x4xf32, #[[PARTS]]>
// The rows of that are the rows of the tile.
// CHECK-NEXT: %[[R:.*]] = attn.reduce sum %[[P]] : tensor<64x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[T:.*]] = attn.reduce max %[[A]] : tensor<64x32xf32, #[[ACC]]>
// CHECK-NEXT: arith.addf %[[R]], %[[T]] : tensor<64xf32, #[[ROWS]]>
// CHECK-NEXT: attn.broadcast %[[R]] : tensor<64xf32, #[[ROWS]]> to tensor<64x32xf32, #[[ACC]]>
// CHECK-NEXT: attn.broadcast %[[R]] : tensor<64xf32, #[[ROWS]]> to tensor<64x4xf32, #[[PARTS]]>
// Of integers the maximum alone.
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<64x32xf32, #[[ACC]]> to tensor<64x32xi32, #[[ACC]]>
// CHECK-NEXT: attn.reduce_registers max %[[BITS]] {note} : tensor<64x32xi32, #[[ACC]]>
// CHECK-NEXT: attn.reduce_registers max %[[BITS]] : tensor<64x32xi32, #[[ACC]]>
// What the warps' threads agree on, of a value a thread and of one a row.
// CHECK-NEXT: %[[O:.*]] = arith.cmpf ugt, %[[P]], %[[M]] : tensor<64x4xf32, #[[PARTS]]>
// CHECK-NEXT: attn.any %[[O]] : tensor<64x4xi1, #[[PARTS]]>
// CHECK-NEXT: %[[U:.*]] = arith.cmpf ugt, %[[R]], %[[T]] : tensor<64xf32, #[[ROWS]]>
// CHECK-NEXT: attn.any %[[U]] holds_first {note} : tensor<64xi1, #[[ROWS]]>
// What those of a warpgroup do, and what is said of the sums of a first tile.
// CHECK-NEXT: attn.often %[[O]] : tensor<64x4xi1, #[[PARTS]]>
// CHECK-NEXT: attn.often %[[U]] {note} : tensor<64xi1, #[[ROWS]]>
// CHECK-NEXT: attn.often %[[U]] once : tensor<64xi1, #[[ROWS]]>
// CHECK-NEXT: attn.settle %[[P]] if %[[U]] : tensor<64x4xf32, #[[PARTS]]>, tensor<64xi1, #[[ROWS]]>
// CHECK-NEXT: attn.settle %[[R]] if %[[U]] {note} : tensor<64xf32, #[[ROWS]]>, tensor<64xi1, #[[ROWS]]>
func.func @fragments(%s: tensor<64x32xf32, #attn.shared<128>>) {
  %a = attn.convert_layout %s : tensor<64x32xf32, #attn.shared<128>> to tensor<64x32xf32, #acc>
  %b = attn.convert_layout %a : tensor<64x32xf32, #acc> to tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>>
  %p = attn.reduce_registers sum %a : tensor<64x32xf32, #acc>
  %m = attn.reduce_registers max %b : tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>>
  %1 = arith.addf %p, %m : tensor<64x4xf32, #slice>
  %r = attn.reduce sum %p : tensor<64x4xf32, #slice>
  %t = attn.reduce max %a : tensor<64x32xf32, #acc>
  %2 = arith.addf %r, %t : tensor<64xf32, #rows>
  %3 = attn.broadcast %r : tensor<64xf32, #rows> to tensor<64x32xf32, #acc>
  %4 = attn.broadcast %r : tensor<64xf32, #rows> to tensor<64x4xf32, #slice>
  %bits = arith.bitcast %a : tensor<64x32xf32, #acc> to tensor<64x32xi32, #acc>
  %i = attn.reduce_registers max %bits {note} : tensor<64x32xi32, #acc>
  %i2 = "attn.reduce_registers"(%bits) <{kind = 0 : i32}> : (tensor<64x32xi32, #acc>) -> tensor<64x4xi32, #slice>
  %5 = arith.cmpf ugt, %p, %m : tensor<64x4xf32, #slice>
  %6 = attn.any %5 : tensor<64x4xi1, #slice>
  %7 = arith.cmpf ugt, %r, %t : tensor<64xf32, #rows>
  %8 = attn.any %7 holds_first {note} : tensor<64xi1, #rows>
  %9 = attn.often %5 : tensor<64x4xi1, #slice>
  %10 = attn.often %7 {note} : tensor<64xi1, #rows>
  %13 = attn.often %7 once : tensor<64xi1, #rows>
  %11 = attn.settle %p if %7 : tensor<64x4xf32, #slice>, tensor<64xi1, #rows>
  %12 = attn.settle %r if %7 {note} : tensor<64xf32, #rows>, tensor<64xi1, #rows>
  return
}

// Equal layouts fold away; others do not.
// RUN: attn-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// CHECK-LABEL: func.func @fold
// CHECK: attn.convert_layout
// CHECK: attn.convert_layout
// FOLD-LABEL: func.func @fold
// FOLD-SAME: (%[[A:.*]]: tensor<64x32xf32, #{{acc[0-9]*}}>)
// FOLD-NEXT: %[[B:.*]] = attn.convert_layout %[[A]]
// FOLD-NEXT: return %[[A]], %[[B]]
func.func @fold(%a: tensor<64x32xf32, #acc>) -> (tensor<64x32xf32, #acc>, tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>>) {
  %b = attn.convert_layout %a : tensor<64x32xf32, #acc> to tensor<64x32xf32, #acc>
  %c = attn.convert_layout %b : tensor<64x32xf32, #acc> to tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>>
  return %b, %c : tensor<64x32xf32, #acc>, tensor<64x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>>
}

// A dot takes operands from shared memory and from registers.
// CHECK-LABEL: func.func @dots
// CHECK: attn.dot %{{.*}}, %{{.*}}, %{{.*}} transpose_rhs : tensor<64x32xbf16, #[[SHARED64]]>, tensor<32x32xbf16, #[[SHARED64]]> into tensor<64x32xf32, #[[ACC]]>
// CHECK: attn.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xbf16, #[[ACC]]>, tensor<32x32xbf16, #[[SHARED64]]> into
func.func @dots(%s: tensor<64x32xbf16, #attn.shared<64>>, %k: tensor<32x32xbf16, #attn.shared<64>>, %p: tensor<64x32xbf16, #acc>, %c: tensor<64x32xf32, #acc>) {
  %0 = attn.dot %s, %k, %c transpose_rhs : tensor<64x32xbf16, #attn.shared<64>>, tensor<32x32xbf16, #attn.shared<64>> into tensor<64x32xf32, #acc>
  %1 = attn.dot %p, %k, %c : tensor<64x32xbf16, #acc>, tensor<32x32xbf16, #attn.shared<64>> into tensor<64x32xf32, #acc>
  return
}

//===----------------------------------------------------------------------===//
// Streams that produce, stores through shared memory
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @produce
// CHECK-SAME: attributes {threads = 128 : i64}
// Nothing carried: both terminators are left out.
// CHECK: attn.stream %pos step 8 over [%[[A:[^ ]+]] to %[[B:[^ ]+]]] produce (%ahead) {
// CHECK-NEXT: %slot = attn.ring.acquire %ring
// CHECK-NEXT: %pending = attn.ring.issue %slot, %{{[^ ]+}}[%ahead, %{{[^ ]+}}] :
// CHECK-NEXT: attn.ring.land %pending
// CHECK-NEXT: } {
// CHECK-NEXT: %tile = attn.ring.wait %ring
// CHECK-NEXT: attn.ring.release %ring
// CHECK-NEXT: }
// A producer with nothing to do, carried state, attributes, all at once.
// CHECK: %{{.*}} = attn.stream %pos step 8 ordered traversal #attn.reversed(%{{[^ ]+}} : i1) over [%[[A]] to %[[B]], masked %[[B]] to %[[B]]] carry (%carried = %{{[^ ]+}} : f32) attributes {attribute = 1 : i64} produce (%ahead) {
// CHECK-NEXT: } {
// CHECK-NEXT: attn.yield %carried : f32
// CHECK-NEXT: }
// GENERIC: "attn.stream"
attn.kernel @produce(%x: !attn.view<?x16xf32>, %a: index, %b: index, %r: i1, %f: f32) attributes {threads = 128} {
  %q = attn.ring.create : <2 x tensor<8x16xf32, #attn.shared<64>>>
  attn.stream %j step 8 over [%a to %b] produce (%n) {
    %s = attn.ring.acquire %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> <tensor<8x16xf32, #attn.shared<64>>>
    %p = attn.ring.issue %s, %x[%n, %a] : <tensor<8x16xf32, #attn.shared<64>>>, <?x16xf32> -> <tensor<8x16xf32, #attn.shared<64>>>
    attn.ring.land %p : <tensor<8x16xf32, #attn.shared<64>>>
  } {
    %t = attn.ring.wait %q : <2 x tensor<8x16xf32, #attn.shared<64>>> -> tensor<8x16xf32, #attn.shared<64>>
    attn.ring.release %q : <2 x tensor<8x16xf32, #attn.shared<64>>>
  }
  %1 = attn.stream %j step 8 ordered traversal #attn.reversed(%r : i1) over [%a to %b, masked %b to %b] carry (%c = %f : f32) attributes {attribute = 1} produce (%n) {
    attn.yield
  } {
    attn.yield %c : f32
  }
}

// CHECK-LABEL: attn.kernel @through
// CHECK: attn.store %[[T:[^ ]+]], %x[%i, %i] through %tile(tensor<64x32xbf16, #[[SHARED64]]>) : tensor<64x32xbf16, #[[ACC]]> -> <?x?xbf16>
// CHECK: attn.store %[[T]], %x[%i, %i] through %tile(tensor<64x32xbf16, #[[SHARED64]]>) {attribute = 1 : i64} :
// CHECK: attn.store %[[T]], %x[%i, %i] through %tile(tensor<64x32xbf16, #[[SHARED64]]>) by_tensor_map : tensor<64x32xbf16, #[[ACC]]> -> <?x?xbf16>
// CHECK: attn.store %[[T]], %x[%i, %i] through %tile(tensor<64x32xbf16, #[[SHARED64]]>) by_tensor_map {attribute = 1 : i64} :
// CHECK: attn.store %[[T]], %x[%i, %i] : tensor<64x32xbf16, #[[ACC]]>
// CHECK: attn.store %{{[^ ]+}}, %y[%i] : tensor<64xf32, #[[ROWS]]> -> <?xf32>
attn.kernel @through(%x: !attn.view<?x?xbf16>, %y: !attn.view<?xf32>, %i: index) {
  %q = attn.ring.create : <1 x tensor<64x32xbf16, #attn.shared<64>>>
  %t = arith.constant dense<0.0> : tensor<64x32xbf16, #acc>
  %m = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %s = attn.ring.wait %q : <1 x tensor<64x32xbf16, #attn.shared<64>>> -> tensor<64x32xbf16, #attn.shared<64>>
  attn.store %t, %x[%i, %i] through %s(tensor<64x32xbf16, #attn.shared<64>>) : tensor<64x32xbf16, #acc> -> <?x?xbf16>
  attn.store %t, %x[%i, %i] through %s(tensor<64x32xbf16, #attn.shared<64>>) {attribute = 1} : tensor<64x32xbf16, #acc> -> <?x?xbf16>
  attn.store %t, %x[%i, %i] through %s(tensor<64x32xbf16, #attn.shared<64>>) by_tensor_map : tensor<64x32xbf16, #acc> -> <?x?xbf16>
  attn.store %t, %x[%i, %i] through %s(tensor<64x32xbf16, #attn.shared<64>>) by_tensor_map {attribute = 1} : tensor<64x32xbf16, #acc> -> <?x?xbf16>
  attn.store %t, %x[%i, %i] : tensor<64x32xbf16, #acc> -> <?x?xbf16>
  attn.store %m, %y[%i] : tensor<64xf32, #rows> -> <?xf32>
}

//===----------------------------------------------------------------------===//
// Slots of several parts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @slot_parts
// CHECK-NEXT: %ring = attn.ring.create own_rows : <1 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %[[TWO:[^ ]+]] = attn.ring.create own_rows parts 2 : <2 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: %[[FOUR:[^ ]+]] = attn.ring.create slots 2 own_rows parts 4 over(%ring : !attn.ring<1 x tensor<64x128xbf16, #[[SHARED128]]>>) {attribute = 1 : i64} : <2 x tensor<64x128xbf16, #[[SHARED128]]>>
// CHECK-NEXT: attn.ring.acquire %[[TWO]] part 0 : <2 x
// CHECK-NEXT: attn.ring.acquire %[[TWO]] ahead 1 part 1 {attribute = 1 : i64} : <2 x
// CHECK-NEXT: attn.ring.acquire %[[FOUR]] ahead 1 part 3 : <2 x
// CHECK-NEXT: attn.ring.acquire %ring : <1 x
// GENERIC-LABEL: sym_name = "slot_parts"
// GENERIC: "attn.ring.create"() <{own_rows}>
// GENERIC: "attn.ring.create"() <{own_rows, parts = 2 : i64}>
// GENERIC: "attn.ring.acquire"(%{{[^ ]+}}) <{ahead = 0 : i64, part = 0 : i64}>
// GENERIC: "attn.ring.acquire"(%{{[^ ]+}}) <{ahead = 0 : i64}>
attn.kernel @slot_parts() {
  %r = attn.ring.create own_rows : <1 x tensor<64x128xbf16, #attn.shared<128>>>
  %two = attn.ring.create own_rows parts 2 : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  %four = attn.ring.create slots 2 own_rows parts 4 over(%r : !attn.ring<1 x tensor<64x128xbf16, #attn.shared<128>>>) {attribute = 1} : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  %a = attn.ring.acquire %two part 0 : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  %b = attn.ring.acquire %two ahead 1 part 1 {attribute = 1} : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  %c = attn.ring.acquire %four ahead 1 part 3 : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  %d = attn.ring.acquire %r : <1 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
}

//===----------------------------------------------------------------------===//
// Copies through registers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: attn.kernel @registers
// CHECK: attn.ring.create slots 1 : <2 x
// CHECK: attn.ring.create slots 2 {attribute = 1 : i64} : <2 x
// CHECK: attn.ring.create over(%{{[^ ]+}}, %{{[^ ]+}} : !attn.ring<2 x {{.*}}>, !attn.ring<2 x {{.*}}>) : <1 x
// CHECK: attn.ring.acquire %{{[^ ]+}} ahead 1 when %{{[^ ]+}} : <2 x
// CHECK: attn.ring.acquire %{{[^ ]+}} when %{{[^ ]+}} : <2 x
// CHECK: attn.scheduling_hint hold_copies{{$}}
// CHECK: attn.scheduling_hint interleave_exponentials {note}
// CHECK: attn.barrier{{$}}
// CHECK: attn.barrier {note}
// KEPT-LABEL: attn.kernel @registers
// KEPT-COUNT-2: attn.scheduling_hint
// KEPT-COUNT-2: attn.barrier
attn.kernel @registers(%when: i1) {
  %r = attn.ring.create slots 1 : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  %q = attn.ring.create slots 2 {attribute = 1} : <2 x tensor<64x128xbf16, #attn.shared<128>>>
  %o = attn.ring.create over(%r, %q : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>, !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>) : <1 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r ahead 1 when %when : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  %t = attn.ring.acquire %r when %when : <2 x tensor<64x128xbf16, #attn.shared<128>>> -> <tensor<64x128xbf16, #attn.shared<128>>>
  attn.scheduling_hint hold_copies
  attn.scheduling_hint interleave_exponentials {note}
  attn.barrier
  attn.barrier {note}
}

// What threads computed goes into a slot; nothing of it is dead.
// CHECK-LABEL: func.func @put
// CHECK-SAME: (%[[P:[^ ]+]]: tensor<64x64xbf16>)
// CHECK: %[[S:[^ ]+]] = attn.ring.acquire
// CHECK: attn.ring.put %[[P]] into %[[S]] : tensor<64x64xbf16> into <tensor<64x64xbf16, #[[SHARED128]]>>
// CHECK: attn.ring.put %{{[^ ]+}} into %{{[^ ]+}} {note} : tensor<64x64xbf16, #{{[^ ]+}}> into <tensor<64x64xbf16, #[[SHARED128]]>>
// KEPT-LABEL: func.func @put
// KEPT-COUNT-2: attn.ring.put
func.func @put(%p: tensor<64x64xbf16>) {
  %r = attn.ring.create : <2 x tensor<64x64xbf16, #attn.shared<128>>>
  %s = attn.ring.acquire %r : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  attn.ring.put %p into %s : tensor<64x64xbf16> into <tensor<64x64xbf16, #attn.shared<128>>>
  %t = attn.ring.acquire %r ahead 1 : <2 x tensor<64x64xbf16, #attn.shared<128>>> -> <tensor<64x64xbf16, #attn.shared<128>>>
  %q = attn.convert_layout %p : tensor<64x64xbf16> to tensor<64x64xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>>
  attn.ring.put %q into %t {note} : tensor<64x64xbf16, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>> into <tensor<64x64xbf16, #attn.shared<128>>>
  return
}
