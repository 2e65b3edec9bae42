// attn-skip-rescaling: sums whose reference stays are not multiplied by one.
// RUN: split-file %s %t
// DEFINE: %{run} = attn-opt --mlir-disable-threading --remarks-filter='attn-skip.*' --pass-pipeline='builtin.module(attn.kernel(attn-skip-rescaling))'
// RUN: %{run} %t/loops.mlir -o %t/after 2>&1 | FileCheck %t/loops.mlir --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %t/loops.mlir --input-file=%t/after
// What stands in a branch stays there: a second run does nothing.
// RUN: %{run} %t/after -o %t/again 2>&1 | count 0
// RUN: diff %t/after %t/again

// Kernels that it leaves as they are, without a word.
// RUN: attn-opt %t/same.mlir -o %t/same.before
// RUN: %{run} %t/same.mlir -o %t/same.after 2>&1 | count 0
// RUN: diff %t/same.before %t/same.after
// RUN: FileCheck %t/same.mlir --input-file=%t/same.after --implicit-check-not=attn.any --implicit-check-not=arith.cmpf
// For 32 scores of a row in place of 40 the sum of the first is wide enough: three elements for each.
// RUN: sed '/^#acc =/s/5:(0, 8)/4:(0, 8)/; s/128x40x/128x32x/; s/40x96x/32x96x/' %t/same.mlir | %{run} 2> /dev/null | FileCheck %s --check-prefix=WIDER
// WIDER-LABEL: attn.kernel @narrow
// WIDER: attn.any
// WIDER-NOT: attn.any
// WIDER-LABEL: attn.kernel @first

// In the pipeline: sums of 256 columns for 80 keys, in the loop of whole tiles and in that of those that end. 128 columns
// for as many keys are too few (of maxima as they are before attn-integer-maxima, which comes behind this), and attn-optimistic-max has a branch already.
// DEFINE: %{example} = %t/wide.mlir
// DEFINE: %{lower} = optimistic-max=false
// DEFINE: %{compile} = attn-compile %{example} --target=h200 --schedule='tiles=query=128,key=80' --lower='wgmma=all specialize overlap ping-pong %{lower}' --emit=target
// DEFINE: %{passes} = attn-opt --attn-lower-to-nvvm --remarks-filter='attn-skip.*' -o /dev/null
// RUN: %{compile} -o %t/wide.target
// RUN: %{passes} %t/wide.target 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=wide_attention | Remark="sums are rescaled where a maximum rises", sums=2
// REDEFINE: %{lower} = optimistic-max
// RUN: %{compile} -o %t/optimistic.target
// RUN: %{passes} %t/optimistic.target 2>&1 | count 0
// REDEFINE: %{lower} = optimistic-max=false
// REDEFINE: %{example} = %examples/llama3-8b-prefill.mlir
// RUN: %{compile} -o %t/narrow.target
// RUN: %{passes} %t/narrow.target 2>&1 | count 0

// It has no options, and is a pass on kernels.
// RUN: not attn-opt %t/loops.mlir --pass-pipeline='builtin.module(attn.kernel(attn-skip-rescaling{wide=2}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option wide
// RUN: not attn-opt %t/loops.mlir --pass-pipeline='builtin.module(attn-skip-rescaling)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnSkipRescaling' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

//--- wide.mlir
func.func @wide(%q: tensor<?x16x?x256xbf16>, %k: tensor<?x16x?x256xbf16>, %v: tensor<?x16x?x256xbf16>) -> tensor<?x16x?x256xbf16> {
  %o = attn.attention %q, %k, %v scale(0.0625)
      : (tensor<?x16x?x256xbf16>, tensor<?x16x?x256xbf16>, tensor<?x16x?x256xbf16>) -> tensor<?x16x?x256xbf16>
  return %o : tensor<?x16x?x256xbf16>
}

//--- loops.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 8:(16, 0)], registers [2:(8, 0)]>
!v = tensor<16x64xbf16, #attn.shared<128>>
!s = tensor<128x16xf32, #acc>
!p = tensor<128x16xbf16, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #rows>
!l = tensor<128x4xf32, #parts>

// The warp votes where it is known what references rise by. The sum is multiplied in the branch, and goes on as
// it is otherwise. That of the weights is a fourth of the scores: it stays as it is, though it is carried, too.

// CHECK-DAG: #[[WIDE:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
// CHECK-LABEL: attn.kernel @product
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[O1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK-NEXT: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[NOT:[^ ]+]] = arith.cmpf une, %[[A]], %[[ONE]] : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[RISES:[^ ]+]] = attn.any %[[NOT]] : tensor<128xi1, #[[ROWS]]>
// CHECK-NEXT: %[[AL:[^ ]+]] = attn.broadcast %[[A]] :
// CHECK-NEXT: %[[LA:[^ ]+]] = arith.mulf %[[L1]], %[[AL]] :
// CHECK-NEXT: %[[AO:[^ ]+]] = attn.broadcast %[[A]] : tensor<128xf32, #[[ROWS]]> to tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: %[[OA:[^ ]+]] = scf.if %[[RISES]] -> (tensor<128x64xf32, #[[WIDE]]>) {
// CHECK-NEXT:   %[[SCALED:[^ ]+]] = arith.mulf %[[O1]], %[[AO]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT:   scf.yield %[[SCALED]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[O1]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: }
// CHECK: attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %[[OA]] stage 1 :
// CHECK: scf.yield %{{[^ ]+}}, %[[LA]], %{{[^ ]+}} :
// REMARK: loops.mlir:[[# @LINE + 1]]:1: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=product | Remark="sums are rescaled where a maximum rises", sums=1
attn.kernel @product(%y: !attn.view<?x64xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %rv = attn.ring.create : <2 x !v>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %none = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %l1 = %none, %o1 = %zero) -> (!m, !l, !o) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %al = attn.broadcast %a : !m to !l
      %la = arith.mulf %l1, %al : !l
      %ao = attn.broadcast %a : !m to !o
      %oa = arith.mulf %o1, %ao : !o
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot.issue %p, %v, %oa stage 1 : !p, !v, !o -> <!o>
      %o = attn.dot.wait %pv : <!o> -> !o
      attn.ring.release %rv : <2 x !v>
      scf.yield %m, %la, %o : !m, !l, !o
    }
    attn.store %r#2, %y[%cta, %c0] : !o -> <?x64xf32>
  }
}

// Behind the product, as attn-overlap-softmax has it: the loop carries on what is multiplied. Two sums
// of one reference share a vote, and factors may stand first.

// CHECK-LABEL: attn.kernel @carried
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[O1:[^ ]+]] = %{{[^ ]+}}, %[[T1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK: arith.cmpf une, %[[A]],
// CHECK: %[[RISES:[^ ]+]] = attn.any
// CHECK-NEXT: %[[AO:[^ ]+]] = attn.broadcast %[[A]]
// CHECK: %[[O:[^ ]+]] = attn.dot.wait
// CHECK: %[[OA:[^ ]+]] = scf.if %[[RISES]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = arith.mulf %[[AO]], %[[O]] :
// CHECK-NEXT: scf.yield %[[X]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[O]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[TA:[^ ]+]] = scf.if %[[RISES]] ->
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.mulf %[[T1]], %[[AO]] :
// CHECK-NEXT: scf.yield %[[Z]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[T1]] :
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[OA]], %[[TA]] :
// REMARK: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=carried | Remark="sums are rescaled where a maximum rises", sums=2
attn.kernel @carried(%y: !attn.view<?x64xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %rv = attn.ring.create : <2 x !v>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero, %t1 = %zero) -> (!m, !o, !o) {
      %s = tensor.splat %x : !s
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !v, !o -> <!o>
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %ao = attn.broadcast %a : !m to !o
      %o = attn.dot.wait %pv : <!o> -> !o
      attn.ring.release %rv : <2 x !v>
      %oa = arith.mulf %ao, %o : !o
      %ta = arith.mulf %t1, %ao : !o
      scf.yield %m, %oa, %ta : !m, !o, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
    attn.store %r#2, %y[%cta, %c0] : !o -> <?x64xf32>
  }
}

//--- same.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 5:(0, 8)]>
#few = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 12:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!v = tensor<40x96xbf16, #attn.shared<64>>
!u = tensor<16x96xbf16, #attn.shared<64>>
!s = tensor<128x40xf32, #acc>
!p = tensor<128x40xbf16, #acc>
!t = tensor<128x16xf32, #few>
!o = tensor<128x96xf32, #wide>
!m = tensor<128xf32, #rows>

// Less than three elements of the sum for each score.
// CHECK-LABEL: attn.kernel @narrow
// CHECK: attn.advance
// CHECK: arith.mulf
attn.kernel @narrow(%y: !attn.view<?x96xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %rv = attn.ring.create : <2 x !v>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
      %s = tensor.splat %x : !s
      %max = attn.reduce max %s : !s
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %ao = attn.broadcast %a : !m to !o
      %oa = arith.mulf %o1, %ao : !o
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot.issue %p, %v, %oa stage 1 : !p, !v, !o -> <!o>
      %o = attn.dot.wait %pv : <!o> -> !o
      attn.ring.release %rv : <2 x !v>
      scf.yield %m, %o : !m, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// Outside of a loop, as the first tile is: the product with the sum would be taken in one.
// CHECK-LABEL: attn.kernel @first
// CHECK: attn.advance
// CHECK: arith.mulf
attn.kernel @first(%y: !attn.view<?x96xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %rv = attn.ring.create : <2 x !u>
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !t
    %max = attn.reduce max %s : !t
    %k, %m, %a = attn.advance %max from %ones, %least scale(0.5) : !m
    %ao = attn.broadcast %a : !m to !o
    %oa = arith.mulf %zero, %ao : !o
    %p = arith.truncf %s : !t to tensor<128x16xbf16, #few>
    %v = attn.ring.wait %rv : <2 x !u> -> !u
    %pv = attn.dot.issue %p, %v, %oa stage 1 : tensor<128x16xbf16, #few>, !u, !o -> <!o>
    %o = attn.dot.wait %pv : <!o> -> !o
    attn.ring.release %rv : <2 x !u>
    attn.store %o, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// What is multiplied is used otherwise; the factor is not that of an advance, or one from before the loop;
// the maximum is not known; the product stands in a branch already.
// CHECK-LABEL: attn.kernel @others
// CHECK-COUNT-5: arith.mulf
attn.kernel @others(%y: !attn.view<?x96xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !t
    %max = attn.reduce max %s : !t
    %k0, %m0, %a0 = attn.advance %max from %ones, %least scale(0.5) : !m
    %r:6 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %m0, %o1 = %zero, %o2 = %zero, %o3 = %zero, %o4 = %zero, %o5 = %zero) -> (!m, !o, !o, !o, !o, !o) {
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %ao = attn.broadcast %a : !m to !o
      %x1 = arith.mulf %o1, %ao : !o
      %y1 = arith.addf %x1, %ao : !o
      %kb = attn.broadcast %k : !m to !o
      %y2 = arith.mulf %o2, %kb : !o
      %ab = attn.broadcast %a0 : !m to !o
      %y3 = arith.mulf %o3, %ab : !o
      %some = arith.addf %max, %ones : !m
      %k4, %m4, %a4 = attn.advance %some from %ones, %m1 scale(0.5) : !m
      %a4b = attn.broadcast %a4 : !m to !o
      %y4 = arith.mulf %o4, %a4b : !o
      %more = arith.cmpi sgt, %n, %j : index
      %y5 = scf.if %more -> (!o) {
        %x5 = arith.mulf %o5, %ao : !o
        scf.yield %x5 : !o
      } else {
        scf.yield %o5 : !o
      }
      scf.yield %m, %y1, %y2, %y3, %y4, %y5 : !m, !o, !o, !o, !o, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#2, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#3, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#4, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#5, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}
