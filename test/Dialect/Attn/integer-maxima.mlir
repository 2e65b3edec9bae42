// attn-integer-maxima: maxima of scores as integers, where no row of a warp has a reference below zero.
// RUN: split-file %s %t
// DEFINE: %{target} = h200
// DEFINE: %{run} = attn-opt --mlir-disable-threading --remarks-filter='attn-integer.*' --pass-pipeline='builtin.module(attn-set-target{target=%{target}},attn.kernel(attn-integer-maxima))'
// RUN: %{run} %t/loops.mlir -o %t/after 2>&1 | FileCheck %t/loops.mlir --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %t/loops.mlir --input-file=%t/after
// A second run changes nothing, without a word.
// RUN: %{run} %t/after -o %t/again 2>&1 | count 0
// RUN: diff %t/after %t/again

// Kernels that it leaves as they are, without a word.
// RUN: attn-opt %t/same.mlir --attn-set-target=target=h200 -o %t/same.before
// RUN: %{run} %t/same.mlir -o %t/same.after 2>&1 | count 0
// RUN: diff %t/same.before %t/same.after
// RUN: FileCheck %t/same.mlir --input-file=%t/same.after --implicit-check-not=attn.any --implicit-check-not=attn.often --implicit-check-not=arith.bitcast
// What is not steady, it takes.
// RUN: sed 's/ steady//' %t/same.mlir | %{run} 2> /dev/null | FileCheck %s --check-prefix=TAKEN
// TAKEN-LABEL: attn.kernel @steady
// TAKEN: attn.any
// TAKEN-LABEL: attn.kernel @twice
// TAKEN-NOT: attn.any

// Loops of steady references are there twice; a second run changes nothing, and other targets neither.
// RUN: %{run} %t/steady.mlir -o %t/steady.after 2>&1 | FileCheck %t/steady.mlir --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %t/steady.mlir --input-file=%t/steady.after --implicit-check-not=attn.any
// RUN: %{run} %t/steady.after -o %t/steady.again 2>&1 | count 0
// RUN: diff %t/steady.after %t/steady.again
// RUN: attn-opt %t/steady.mlir --attn-set-target=target=gb10 -o %t/steady.before
// RUN: attn-opt %t/steady.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-integer-maxima))' | diff %t/steady.before -

// Hopper alone has products by warpgroups: the same loops stay for GB10, MI300X and the CPU.
// REDEFINE: %{target} = h100
// RUN: %{run} %t/loops.mlir 2> /dev/null | FileCheck %t/loops.mlir
// REDEFINE: %{target} = gb10
// RUN: attn-opt %t/loops.mlir --attn-set-target=target=gb10 -o %t/gb10.before
// RUN: %{run} %t/loops.mlir -o %t/gb10.after 2>&1 | count 0
// RUN: diff %t/gb10.before %t/gb10.after
// RUN: FileCheck %s --check-prefix=OTHER --implicit-check-not=attn.any --implicit-check-not=arith.bitcast --input-file=%t/gb10.after
// OTHER-COUNT-4: attn.reduce max
// REDEFINE: %{target} = mi300x
// RUN: %{run} %t/loops.mlir 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=attn.any --implicit-check-not=remark:
// REDEFINE: %{target} = cpu
// RUN: %{run} %t/loops.mlir 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=attn.any --implicit-check-not=remark:

// In the pipeline it comes last: both loops of a causal stream behind their first tiles have an integer
// maximum, by attn-lower-to-nvvm, too. With attn-optimistic-max the maximum stands in a branch.
// DEFINE: %{lower} = optimistic-max=false
// DEFINE: %{compile} = attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap ping-pong %{lower}' --emit=target
// DEFINE: %{passes} = attn-opt --remarks-filter='attn-integer.*' --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax,attn-ping-pong,attn-integer-maxima))'
// RUN: %{compile} -o %t/exact.mlir
// RUN: %{passes} %t/exact.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: attn-opt %t/exact.mlir --attn-lower-to-nvvm --remarks-filter='attn-integer.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: remark: [Passed] integers | Category:attn-integer-maxima | Function=prefill_attention | Remark="scores that are not negative are compared as integers", maxima=2
// REDEFINE: %{lower} = optimistic-max
// RUN: %{compile} -o %t/optimistic.mlir
// RUN: %{passes} %t/optimistic.mlir -o /dev/null 2>&1 | count 0

// It has no options, and is a pass on kernels.
// RUN: not attn-opt %t/loops.mlir --pass-pipeline='builtin.module(attn.kernel(attn-integer-maxima{at=3}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option at
// RUN: not attn-opt %t/loops.mlir --pass-pipeline='builtin.module(attn-integer-maxima)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnIntegerMaxima' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

//--- loops.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!s = tensor<128x32xf32, #acc>
!m = tensor<128xf32, #rows>

// The warp votes where the loop begins, long before the scores are there. True of NaN, too: then
// floats are compared. The threads of a row compare what either branch gives each of them, as floats.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 8:(16, 0)], registers [2:(8, 0)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
// CHECK-LABEL: attn.kernel @loop
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[K0:[^ ]+]] = %{{[^ ]+}}, %[[R0:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK-NEXT: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[LESS:[^ ]+]] = arith.cmpf ult, %[[R0]], %[[ZERO]] : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[BELOW:[^ ]+]] = attn.any %[[LESS]] : tensor<128xi1, #[[ROWS]]>
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.index_cast
// CHECK-NEXT: %[[X:[^ ]+]] = arith.sitofp %[[AT]]
// CHECK-NEXT: %[[S:[^ ]+]] = tensor.splat %[[X]]
// CHECK-NEXT: %[[P:[^ ]+]] = scf.if %[[BELOW]] -> (tensor<128x4xf32, #[[PARTS]]>) {
// CHECK-NEXT:   %[[F:[^ ]+]] = attn.reduce_registers max %[[S]] : tensor<128x32xf32, #[[ACC]]>
// CHECK-NEXT:   scf.yield %[[F]] : tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[BITS:[^ ]+]] = arith.bitcast %[[S]] : tensor<128x32xf32, #[[ACC]]> to tensor<128x32xi32, #[[ACC]]>
// CHECK-NEXT:   %[[I:[^ ]+]] = attn.reduce_registers max %[[BITS]] : tensor<128x32xi32, #[[ACC]]>
// CHECK-NEXT:   %[[FLOAT:[^ ]+]] = arith.bitcast %[[I]] : tensor<128x4xi32, #[[PARTS]]> to tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT:   scf.yield %[[FLOAT]] : tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: }
// CHECK-NEXT: %[[MAX:[^ ]+]] = attn.reduce max %[[P]] : tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[K:[^ ]+]], %[[R:[^ ]+]], %{{[^ ]+}} = attn.advance %[[MAX]] from %[[K0]], %[[R0]] scale(5.000000e-01) : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: scf.yield %[[K]], %[[R]] :
// REMARK: loops.mlir:[[# @LINE + 1]]:1: remark: [Passed] integers | Category:attn-integer-maxima | Function=loop | Remark="scores that are not negative are compared as integers", maxima=1
attn.kernel @loop(%l: !attn.view<?xf32>, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%k0 = %ones, %r0 = %least) -> (!m, !m) {
      %i = arith.index_cast %j : index to i32
      %x = arith.sitofp %i : i32 to f32
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k1, %r1, %a1 = attn.advance %max from %k0, %r0 scale(0.5) : !m
      scf.yield %k1, %r1 : !m, !m
    }
    attn.store %r#1, %l[%cta] : !m -> <?xf32>
  }
}

// Two loops, one of them with two maxima: each by the reference that it would raise.

// CHECK-LABEL: attn.kernel @loops
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[A:[^ ]+]] = %{{[^ ]+}}, %[[B:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK-DAG: %[[LESSA:[^ ]+]] = arith.cmpf ult, %[[A]],
// CHECK-DAG: %[[LESSB:[^ ]+]] = arith.cmpf ult, %[[B]],
// CHECK-DAG: %[[BELOWA:[^ ]+]] = attn.any %[[LESSA]]
// CHECK-DAG: %[[BELOWB:[^ ]+]] = attn.any %[[LESSB]]
// CHECK: %[[SA:[^ ]+]] = tensor.splat
// CHECK: %[[PA:[^ ]+]] = scf.if %[[BELOWA]] ->
// CHECK-NEXT: attn.reduce_registers max %[[SA]]
// CHECK: attn.reduce_registers max %{{[^ ]+}} : tensor<128x32xi32,
// CHECK: %[[MA:[^ ]+]] = attn.reduce max %[[PA]]
// CHECK: attn.advance %[[MA]] from %{{[^ ]+}}, %[[A]]
// CHECK: %[[PB:[^ ]+]] = scf.if %[[BELOWB]] ->
// CHECK: attn.reduce_registers max %{{[^ ]+}} : tensor<128x32xi32,
// CHECK: %[[MB:[^ ]+]] = attn.reduce max %[[PB]]
// CHECK: attn.advance %[[MB]] from %{{[^ ]+}}, %[[B]]
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[C:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: arith.cmpf ult, %[[C]],
// CHECK: attn.any
// CHECK: scf.if
// CHECK: attn.reduce_registers max %{{[^ ]+}} : tensor<128x32xi32,
// REMARK: remark: [Passed] integers | Category:attn-integer-maxima | Function=loops | Remark="scores that are not negative are compared as integers", maxima=3
attn.kernel @loops(%l: !attn.view<?xf32>, %x: f32, %y: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a0 = %least, %b0 = %least) -> (!m, !m) {
      %s = tensor.splat %x : !s
      %maxa = attn.reduce max %s : !s
      %ka, %a1, %ra = attn.advance %maxa from %ones, %a0 scale(0.5) : !m
      %t = tensor.splat %y : !s
      %maxb = attn.reduce max %t : !s
      %kb, %b1, %rb = attn.advance %maxb from %ones, %b0 scale(0.5) : !m
      scf.yield %a1, %b1 : !m, !m
    }
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%c = %r#0) -> (!m) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %ones, %c scale(0.5) : !m
      scf.yield %m : !m
    }
    attn.store %q, %l[%cta] : !m -> <?xf32>
    attn.store %r#1, %l[%n] : !m -> <?xf32>
  }
}

//--- steady.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>
!m = tensor<128xf32, #rows>

// Tiles by floats while a row of the warpgroup is below zero; then the others by integers, whose first reference is a
// value of its own. True of NaN, too, which stays with floats.

// CHECK-LABEL: attn.kernel @steady_products
// CHECK: %[[FLOATS:[^ ]+]]:2 = scf.while (%[[I:[^ ]+]] = %{{[^ ]+}}, %[[R:[^ ]+]] = %{{[^ ]+}}) : (index, tensor<128xf32, #[[ROWS:[^>]+]]>)
// CHECK-NEXT: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: %[[LESS:[^ ]+]] = arith.cmpf ult, %[[R]], %[[ZERO]]
// CHECK-NEXT: %[[BELOW:[^ ]+]] = attn.often %[[LESS]] once
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.cmpi slt, %[[I]], %[[N:[^ ]+]] : index
// CHECK-NEXT: %[[BOTH:[^ ]+]] = arith.andi %[[MORE]], %[[BELOW]]
// CHECK-NEXT: scf.condition(%[[BOTH]]) %[[I]], %[[R]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[AT:[^ ]+]]: index, %[[RF:[^ ]+]]: tensor<128xf32, #[[ROWS]]>):
// CHECK: attn.dot.issue
// CHECK: %[[SF:[^ ]+]] = attn.dot.wait
// CHECK-NEXT: %[[MF:[^ ]+]] = attn.reduce max %[[SF]] : tensor<128x16xf32,
// CHECK-NEXT: %{{[^ ]+}}, %[[RF1:[^ ]+]], %{{[^ ]+}} = attn.advance %[[MF]] from %{{[^ ]+}}, %[[RF]] {{.*}} steady
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: %[[NEXT:[^ ]+]] = arith.addi %[[AT]], %[[STEP:[^ ]+]] : index
// CHECK-NEXT: scf.yield %[[NEXT]], %[[RF1]]
// CHECK: %[[LEFT:[^ ]+]] = arith.cmpi slt, %[[FLOATS]]#0, %[[N]] : index
// CHECK-NEXT: %[[OUT:[^ ]+]] = scf.if %[[LEFT]]
// CHECK-NEXT: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: %[[NOTBELOW:[^ ]+]] = arith.maximumf %[[FLOATS]]#1, %[[ZERO]]
// CHECK-NEXT: %[[INTEGERS:[^ ]+]] = scf.for %{{[^ ]+}} = %[[FLOATS]]#0 to %[[N]] step %[[STEP]] iter_args(%[[RI:[^ ]+]] = %[[NOTBELOW]])
// CHECK: attn.dot.issue
// CHECK: %[[SI:[^ ]+]] = attn.dot.wait
// CHECK-NEXT: %[[BITS:[^ ]+]] = arith.bitcast %[[SI]] : {{.*}} to tensor<128x16xi32,
// CHECK-NEXT: %[[MOST:[^ ]+]] = attn.reduce_registers max %[[BITS]]
// CHECK-NEXT: %[[FLOAT:[^ ]+]] = arith.bitcast %[[MOST]]
// CHECK-NEXT: %[[MI:[^ ]+]] = attn.reduce max %[[FLOAT]]
// CHECK-NEXT: attn.advance %[[MI]] from %{{[^ ]+}}, %[[RI]] {{.*}} steady
// CHECK: scf.yield %[[INTEGERS]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[FLOATS]]#1
// CHECK: attn.store %[[OUT]]
// REMARK: remark: [Passed] integers | Category:attn-integer-maxima | Function=steady_products | Remark="scores that are not negative are compared as integers", maxima=1
attn.kernel @steady_products(%l: !attn.view<?xf32>, %f: f32, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least) -> (!m) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        %max = attn.reduce max %s : !s
        %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(1.0) steady : !m
        attn.ring.release %rk : <2 x !k>
        scf.yield %r1 : !m
      }
      attn.store %r, %l[%cta] : !m -> <?xf32>
    }
  }
}

// Where nothing needs the reference behind the loop, what is released there asks for it: once, and through branches.

// CHECK-LABEL: attn.kernel @steady_unneeded
// CHECK: %[[OUTER:[^ ]+]]:2 = scf.if
// CHECK: scf.while
// CHECK: %[[BOTH:[^ ]+]]:2 = scf.if
// CHECK: attn.ring.release %{{[^ ]+}} : <1 x {{.*}}> after %[[BOTH]]#0 : tensor<128xf32,
// CHECK-NOT: {{ after }}
// CHECK: attn.store %[[OUTER]]#1
// REMARK: remark: [Passed] integers | Category:attn-integer-maxima | Function=steady_unneeded | Remark="scores that are not negative are compared as integers", maxima=1
attn.kernel @steady_unneeded(%l: !attn.view<?xf32>, %f: f32, %n: index, %some: i1) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %o:2 = scf.if %some -> (!m, !m) {
        %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least, %a0 = %ones) -> (!m, !m) {
          %k = attn.ring.wait %rk : <2 x !k> -> !k
          %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
          %s = attn.dot.wait %qk : <!s> -> !s
          %max = attn.reduce max %s : !s
          %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(1.0) steady : !m
          attn.ring.release %rk : <2 x !k>
          scf.yield %r1, %a1 : !m, !m
        }
        attn.ring.release %rq : <1 x !q>
        attn.ring.release %rq : <1 x !q>
        scf.yield %r#0, %r#1 : !m, !m
      } else {
        scf.yield %least, %ones : !m, !m
      }
      attn.store %o#1, %l[%cta] : !m -> <?xf32>
    }
  }
}

//--- same.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!s = tensor<128x32xf32, #acc>
!m = tensor<128xf32, #rows>

// Scores of 8-bit numbers, whose factors are given at run time.
// CHECK-LABEL: attn.kernel @steady
// CHECK: attn.reduce max
// CHECK: attn.advance {{.*}} steady
attn.kernel @steady(%l: !attn.view<?xf32>, %x: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least) -> (!m) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(1.0) steady : !m
      scf.yield %r1 : !m
    }
    attn.store %r, %l[%cta] : !m -> <?xf32>
  }
}

// Nor of asynchronous products where the loop has a mask, so that it has few tiles, or another maximum.
// CHECK-LABEL: attn.kernel @steady_masked
// CHECK: scf.for
// CHECK: arith.select
// CHECK: attn.reduce max
// CHECK-LABEL: attn.kernel @steady_two
// CHECK: scf.for
// CHECK-COUNT-2: attn.reduce max
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<32x16xbf16, #attn.shared<32>>
attn.kernel @steady_masked(%l: !attn.view<?xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %nothing = arith.constant dense<0xFF800000> : !s
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least) -> (!m) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        %seen = arith.cmpf one, %s, %zero : !s
        %kept = arith.select %seen, %s, %nothing : tensor<128x32xi1, #acc>, !s
        %max = attn.reduce max %kept : !s
        %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(1.0) steady : !m
        attn.ring.release %rk : <2 x !k>
        scf.yield %r1 : !m
      }
      attn.store %r, %l[%cta] : !m -> <?xf32>
    }
  }
}
attn.kernel @steady_two(%l: !attn.view<?xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least, %m0 = %least) -> (!m, !m) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        %max = attn.reduce max %s : !s
        %other = attn.reduce max %s : !s
        %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(1.0) steady : !m
        %m1 = arith.maximumf %other, %m0 : !m
        attn.ring.release %rk : <2 x !k>
        scf.yield %r1, %m1 : !m, !m
      }
      attn.store %r#0, %l[%cta] : !m -> <?xf32>
      attn.store %r#1, %l[%cta] : !m -> <?xf32>
    }
  }
}

// The maximum is used twice, for something besides, or for nothing that advances.
// CHECK-LABEL: attn.kernel @twice
// CHECK-COUNT-2: attn.reduce max
attn.kernel @twice(%l: !attn.view<?xf32>, %x: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least, %m0 = %least) -> (!m, !m) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(0.5) : !m
      %m1 = arith.maximumf %max, %m0 : !m
      scf.yield %r1, %m1 : !m, !m
    }
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%m0 = %least) -> (!m) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %m1 = arith.maximumf %max, %m0 : !m
      scf.yield %m1 : !m
    }
    attn.store %r#0, %l[%cta] : !m -> <?xf32>
    attn.store %r#1, %l[%cta] : !m -> <?xf32>
    attn.store %q, %l[%cta] : !m -> <?xf32>
  }
}

// The reference is not what the loop carries: it is from before the loop, or that of another advance,
// or that of a loop around this one; or there is no loop, as for a first tile.
// CHECK-LABEL: attn.kernel @elsewhere
// CHECK-COUNT-5: attn.reduce max
attn.kernel @elsewhere(%l: !attn.view<?xf32>, %x: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !s
    %first = attn.reduce max %s : !s
    %k, %m, %a = attn.advance %first from %ones, %least scale(0.5) : !m
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %m) -> (!m) {
      %max = attn.reduce max %s : !s
      %k1, %r1, %a1 = attn.advance %max from %ones, %m scale(0.5) : !m
      %again = attn.reduce max %s : !s
      %k2, %r2, %a2 = attn.advance %again from %k1, %r1 scale(0.5) : !m
      %r3 = arith.addf %r2, %r0 : !m
      scf.yield %r3 : !m
    }
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %m) -> (!m) {
      %t = scf.for %i = %c0 to %n step %c1 iter_args(%t0 = %ones) -> (!m) {
        %max = attn.reduce max %s : !s
        %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(0.5) : !m
        scf.yield %r1 : !m
      }
      %some = arith.cmpi sgt, %n, %j : index
      %u = scf.if %some -> (!m) {
        %max = attn.reduce max %s : !s
        %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(0.5) : !m
        scf.yield %r1 : !m
      } else {
        scf.yield %t : !m
      }
      scf.yield %u : !m
    }
    attn.store %r, %l[%cta] : !m -> <?xf32>
    attn.store %q, %l[%cta] : !m -> <?xf32>
  }
}

// What carries the reference is no scf.for.
// CHECK-LABEL: attn.kernel @while
// CHECK: scf.while
// CHECK-COUNT-2: attn.reduce max
attn.kernel @while(%l: !attn.view<?xf32>, %x: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.while (%j = %c0, %r0 = %least) : (index, !m) -> (index, !m) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k1, %r1, %a1 = attn.advance %max from %ones, %r0 scale(0.5) : !m
      %more = arith.cmpi slt, %j, %n : index
      scf.condition(%more) %j, %r1 : index, !m
    } do {
    ^bb0(%i: index, %r2: !m):
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k3, %r3, %a3 = attn.advance %max from %ones, %r2 scale(0.5) : !m
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %r3 : index, !m
    }
    attn.store %r#1, %l[%cta] : !m -> <?xf32>
  }
}

// Sums are no maxima, and tiles without a layout in registers have no registers to compare.
// CHECK-LABEL: attn.kernel @others
// CHECK: attn.reduce sum
// CHECK: attn.reduce max
attn.kernel @others(%l: !attn.view<?xf32>, %x: f32, %n: index) {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %plain = arith.constant dense<-3.40282347E+38> : tensor<128xf32>
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%r0 = %least, %p0 = %plain) -> (!m, tensor<128xf32>) {
      %s = tensor.splat %x : !s
      %sum = attn.reduce sum %s : !s
      %k1, %r1, %a1 = attn.advance %sum from %ones, %r0 scale(0.5) : !m
      %t = tensor.splat %x : tensor<128x32xf32>
      %tmax = attn.reduce max %t : tensor<128x32xf32>
      %k2, %p1, %a2 = attn.advance %tmax from %p0, %p0 scale(0.5) : tensor<128xf32>
      scf.yield %r1, %p1 : !m, tensor<128xf32>
    }
    attn.store %r#0, %l[%cta] : !m -> <?xf32>
    attn.store %r#1, %l[%cta] : tensor<128xf32> -> <?xf32>
  }
}
