// convert-attn-to-nvvm and attn-sequentialize-rings: a release that waits for a value.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=unrealized_conversion_cast
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="vector." --implicit-check-not="scf."

// On the CPU it is a release like any other.
// RUN: sed 's/ after \(first \)*%[a-z]* : ![a-z]*//' %s > %t.plain.mlir
// RUN: not grep '^ .* after ' %t.plain.mlir
// RUN: attn-opt %t.plain.mlir --split-input-file --attn-sequentialize-rings --cse --canonicalize -o %t.plain
// RUN: attn-opt %s --split-input-file --attn-sequentialize-rings --cse --canonicalize | diff %t.plain -

// The lane that arrives for its warp does so if the number of the last of its rows is at least
// -FLT_MAX or NaN. That is true of maxima that start there, but does not follow from anything.
// Other lanes go on as ever, and so does the count.

// CHECK-LABEL: llvm.func @warps(
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[LEAST:[^ ]+]] = arith.constant -3.40282347E+38 : f32
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %c4_i32 :
// CHECK: %[[M:[^ ]+]] = scf.for {{.*}} -> (vector<4xf32>)
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT:[^ ]+]] :
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: %[[ELECTED:[^ ]+]] = nvvm.elect.sync
// CHECK-NEXT: %[[ROWS:[^ ]+]]:4 = vector.to_elements %[[M]] : vector<4xf32>
// CHECK-NEXT: %[[THERE:[^ ]+]] = arith.cmpf uge, %[[ROWS]]#3, %[[LEAST]] : f32
// CHECK-NEXT: %[[BOTH:[^ ]+]] = arith.andi %[[ELECTED]], %[[THERE]] : i1
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK: nvvm.mbarrier.arrive
// CHECK-NEXT: }
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.addi %[[N]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: llvm.store %[[MORE]], %[[COUNT]]
// The next one waits for nothing.
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: %[[ELECTED:[^ ]+]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[ELECTED]] {
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: arith.cmpf
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @warps(
// LLVM: %[[ELECTED:[^ ]+]] = nvvm.elect.sync
// LLVM: %[[THERE:[^ ]+]] = llvm.fcmp "uge" %{{[^ ]+}}, %{{[^ ]+}} : f32
// LLVM-NEXT: %[[BOTH:[^ ]+]] = llvm.and %[[ELECTED]], %[[THERE]] : i1
// LLVM-NEXT: llvm.cond_br %[[BOTH]]
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8), 2:(64)]>
!k = tensor<16x16xbf16, #attn.shared<32>>
!m = tensor<128xf32, #rows>
attn.kernel @warps(%f: f32, %n: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !k>
  %s = tensor.splat %f : !m
  attn.ctas %w in %c1 {
    %m = scf.for %j = %c1 to %n step %c1 iter_args(%x = %s) -> !m {
      %e = math.exp2 %x : !m
      scf.yield %e : !m
    }
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k> after %m : !m
    %u = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}

// -----

// With `first` it is the number of the first of them.

// CHECK-LABEL: llvm.func @first(
// CHECK: nvvm.elect.sync
// CHECK-NEXT: %[[ROWS:[^ ]+]]:4 = vector.to_elements %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: arith.cmpf uge, %[[ROWS]]#0, %{{[^ ]+}} : f32
// CHECK: llvm.return
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8), 2:(64)]>
!k = tensor<16x16xbf16, #attn.shared<32>>
!m = tensor<128xf32, #rows>
attn.kernel @first(%f: f32, %n: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !k>
  %s = tensor.splat %f : !m
  attn.ctas %w in %c1 {
    %m = scf.for %j = %c1 to %n step %c1 iter_args(%x = %s) -> !m {
      %e = math.exp2 %x : !m
      scf.yield %e : !m
    }
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k> after first %m : !m
  }
}

// -----

// Of consumers of a producer, too.

// CHECK-LABEL: llvm.func @roles(
// CHECK: nvvm.setmaxregister increase 240
// CHECK: %[[ELECTED:[^ ]+]] = nvvm.elect.sync
// CHECK-NEXT: %[[THERE:[^ ]+]] = arith.cmpf uge, %{{[^ ]+}}, %{{[^ ]+}} : f32
// CHECK-NEXT: %[[BOTH:[^ ]+]] = arith.andi %[[ELECTED]], %[[THERE]] : i1
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK: nvvm.mbarrier.arrive
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!k = tensor<16x16xbf16, #attn.shared<32>>
!m = tensor<64xf32, #rows>
attn.kernel @roles(%f: f32) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !k>
  %m = tensor.splat %f : !m
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %t = attn.ring.wait %r : <2 x !k> -> !k
      attn.ring.release %r : <2 x !k> after %m : !m
    }
  }
}

// -----

// Where each thread arrives for itself, it does so at once: behind copies by threads,

// CHECK-LABEL: llvm.func @copies(
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %c128_i32 :
// CHECK-NOT: {{arith.cmpf|nvvm.elect.sync}}
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.return
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!k = tensor<16x16xbf16, #attn.shared<32>>
!m = tensor<64xf32, #rows>
attn.kernel @copies(%x: !attn.view<?x16xbf16>, %f: f32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !k>
  %m = tensor.splat %f : !m
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : <1 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%w, %c0] by async : <!k>, <?x16xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <1 x !k> -> !k
    attn.ring.release %r : <1 x !k> after %m : !m
  }
}

// -----

// and where tiles are stored through the memory.

// CHECK-LABEL: llvm.func @stores(
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %c128_i32 :
// CHECK: nvvm.fence.proxy
// CHECK-NOT: {{arith.cmpf|nvvm.elect.sync}}
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!q = tensor<64x16xbf16, #attn.shared<32>>
!o = tensor<64x16xbf16, #acc>
!m = tensor<64xf32, #rows>
attn.kernel @stores(%y: !attn.view<?x16xbf16>, %f: f32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !q>
  %o = arith.constant dense<1.0> : !o
  %m = tensor.splat %f : !m
  attn.ctas %w in %c1 {
    %t = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %o, %y[%w, %c0] through %t(!q) : !o -> <?x16xbf16>
    attn.ring.release %r : <1 x !q> after %m : !m
  }
}
