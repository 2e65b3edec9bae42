// Asynchronous products, every syntactic variant: custom form, generic form and bytecode.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s -emit-bytecode | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!q = tensor<64x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!o = tensor<64x64xf32, #wide>

//===----------------------------------------------------------------------===//
// !attn.product
//===----------------------------------------------------------------------===//

// The registers of any layout of threads, one value a row included: what a target can
// compute is asked later.
// CHECK-DAG: #[[ACC32:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[ACC64:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: func.func private @types
// CHECK-SAME: (!attn.product<tensor<64x32xf32, #[[ACC32]]>>
// CHECK-SAME: !attn.product<tensor<64xf32, #[[ROWS]]>>
func.func private @types(!attn.product<!s>,
    !attn.product<tensor<64xf32, #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>>>)

//===----------------------------------------------------------------------===//
// attn.dot.issue and attn.dot.wait
//===----------------------------------------------------------------------===//

// The left-hand side in shared memory or in registers, the right-hand side transposed or
// not, attributes. What a result is shows in its name. A wait says how many products may
// stay under way, if any.
// CHECK-LABEL: attn.kernel @products
// CHECK: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #[[ACC32]]>
// CHECK-NEXT: %[[SUM:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<64x64xf32, #[[ACC64]]>
// CHECK-NEXT: %[[P:[^ ]+]] = arith.constant dense<2.000000e+00> : tensor<64x32xbf16, #[[ACC32]]>
// CHECK: %[[Q:[^ ]+]] = attn.ring.wait
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait
// CHECK-NEXT: %product = attn.dot.issue %[[Q]], %[[K]], %[[ZERO]] transpose_rhs : tensor<64x64xbf16, #[[SHARED]]>, tensor<32x64xbf16, #[[SHARED]]>, tensor<64x32xf32, #[[ACC32]]> -> <tensor<64x32xf32, #[[ACC32]]>>
// CHECK-NEXT: %[[PV:product_[0-9]+]] = attn.dot.issue %[[P]], %[[K]], %[[SUM]] {note} : tensor<64x32xbf16, #[[ACC32]]>, tensor<32x64xbf16, #[[SHARED]]>, tensor<64x64xf32, #[[ACC64]]> -> <tensor<64x64xf32, #[[ACC64]]>>
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.wait %product outstanding 1 : <tensor<64x32xf32, #[[ACC32]]>> -> tensor<64x32xf32, #[[ACC32]]>
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.wait %[[PV]] {note} : <tensor<64x64xf32, #[[ACC64]]>> -> tensor<64x64xf32, #[[ACC64]]>
// CHECK-NEXT: attn.return
// GENERIC-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// GENERIC-LABEL: "attn.kernel"
// GENERIC: "attn.dot.issue"(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}) <{role = 0 : i64, stage = 0 : i64, transpose_rhs}> : (tensor<64x64xbf16, #[[SHARED]]>, tensor<32x64xbf16, #[[SHARED]]>, tensor<64x32xf32, #{{acc[0-9]*}}>) -> !attn.product<tensor<64x32xf32, #{{acc[0-9]*}}>>
// GENERIC: "attn.dot.issue"(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}) <{role = 0 : i64, stage = 0 : i64}> {note} :
// GENERIC: "attn.dot.wait"(%{{[^ ]+}}) <{outstanding = 1 : i64}> : (!attn.product<tensor<64x32xf32, #{{acc[0-9]*}}>>) -> tensor<64x32xf32, #{{acc[0-9]*}}>
// GENERIC: "attn.dot.wait"(%{{[^ ]+}}) <{outstanding = 0 : i64}> {note} :
attn.kernel @products() {
  %zero = arith.constant dense<0.0> : !s
  %sum = arith.constant dense<1.0> : !o
  %p = arith.constant dense<2.0> : !p
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %q = attn.ring.wait %rq : <1 x !q> -> !q
  %k = attn.ring.wait %rk : <2 x !k> -> !k
  %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
  %pv = attn.dot.issue %p, %k, %sum {note} : !p, !k, !o -> !attn.product<!o>
  %s = attn.dot.wait %qk outstanding 1 : <!s> -> !s
  %o = attn.dot.wait %pv outstanding 0 {note} : !attn.product<!o> -> !o
}

// Neither is dead, nor the same as one before: a wait whose tile nobody reads still waits.
// RUN: attn-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: attn.kernel @kept
// KEPT-COUNT-2: attn.dot.issue
// KEPT-COUNT-2: attn.dot.wait
attn.kernel @kept() {
  %zero = arith.constant dense<0.0> : !o
  %p = arith.constant dense<2.0> : !p
  %rk = attn.ring.create : <2 x !k>
  %k = attn.ring.wait %rk : <2 x !k> -> !k
  %a = attn.dot.issue %p, %k, %zero : !p, !k, !o -> <!o>
  %b = attn.dot.issue %p, %k, %zero : !p, !k, !o -> <!o>
  %s = attn.dot.wait %b : <!o> -> !o
  %t = attn.dot.wait %b : <!o> -> !o
}
