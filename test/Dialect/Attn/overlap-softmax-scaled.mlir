// attn-overlap-softmax: a product that is added times a number of its tile, as scales of blocks of values are. The number is carried to
// where the product is waited for.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax,canonicalize,cse))' | FileCheck %s
// A factor of another kind is not.
// RUN: sed 's/tensor.splat %%x : !s/attn.load %%view[%%j, %%c0] : <?x?xf32> -> !s/' %s > %t
// RUN: not cmp %s %t
// RUN: attn-opt %t --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap))' -o %t.left --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: remark: [Missed] overlapped {{.*}} Function=scaled | Remark="the product with the values is not a sum that the loop carries"
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap))' | sed 's/tensor.splat %%[a-z]* :/arith.negf %%cst :/' > %t.marked
// RUN: not attn-opt %t.marked --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MARKED
// MARKED: error: 'attn.dot.issue' op expected a product that is added times a scalar, but got another factor

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
!p = tensor<64x16xbf16, #acc>

// CHECK-LABEL: attn.kernel @scaled
// The first tile has its number.
// CHECK: %[[X0:[^ ]+]] = attn.gather %{{[^ ]+}}[%c0]
// CHECK: scf.for %[[J:[^ ]+]] = {{.*}} iter_args(%[[O:[^ ]+]] = %{{[^ ]+}}, %[[P:[^ ]+]] = %{{[^ ]+}}, %[[X:[^ ]+]] = %[[X0]])
// CHECK: attn.dot.issue {{.*}} transpose_rhs
// CHECK: %[[PV:[^ ]+]] = attn.dot.issue %[[P]],
// CHECK: %[[NEXT:[^ ]+]] = attn.gather %{{[^ ]+}}[%[[J]]]
// CHECK: %[[PRODUCT:[^ ]+]] = attn.dot.wait %[[PV]] :
// CHECK: %[[FACTOR:[^ ]+]] = tensor.splat %[[X]] :
// CHECK: %[[SUM:[^ ]+]] = math.fma %[[PRODUCT]], %[[FACTOR]], %[[O]] :
// CHECK: scf.yield %[[SUM]], %{{[^ ]+}}, %[[NEXT]] :
// The last one's product.
// CHECK: attn.dot.issue
// CHECK: tensor.splat
// CHECK: math.fma
attn.kernel @scaled(%n: index, %scales: !attn.view<?xf32>, %view: !attn.view<?x?xf32>) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %x = attn.gather %scales[%j] : !attn.view<?xf32> -> f32
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %zero stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %factor = tensor.splat %x : !s
        %sum = math.fma %o, %factor, %o1 : !s
        scf.yield %sum : !s
      }
      attn.store %r, %view[%c0, %c0] : !s -> <?x?xf32>
    }
  }
}
