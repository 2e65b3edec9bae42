// attn-skip-rescaling: sums whose reference stays are not multiplied by one.
// RUN: split-file %s %t
// DEFINE: %{run} = attn-opt --mlir-disable-threading --remarks-filter='attn-skip.*' --pass-pipeline='builtin.module(attn.kernel(attn-skip-rescaling))'
// RUN: %{run} %t/loops.mlir -o %t/after 2>&1 | FileCheck %t/loops.mlir --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %t/loops.mlir --input-file=%t/after
// What stands in a branch, or is selected, stays so: a second run does nothing.
// RUN: %{run} %t/after -o %t/again 2>&1 | count 0
// RUN: diff %t/after %t/again

// Sums of less than three elements for each score are selected, and nobody votes.
// RUN: %{run} %t/narrow.mlir -o %t/narrow.after 2>&1 | FileCheck %t/narrow.mlir --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %t/narrow.mlir --input-file=%t/narrow.after --implicit-check-not=attn.any --implicit-check-not=scf.if
// RUN: %{run} %t/narrow.after -o %t/narrow.again 2>&1 | count 0
// RUN: diff %t/narrow.after %t/narrow.again
// For 32 scores of a row in place of 40 the sums are wide enough: three elements for each. Of a maximum that is not known
// nobody knows how many scores it is of.
// RUN: sed '/^#acc =/s/5:(0, 8)/4:(0, 8)/; s/128x40x/128x32x/; s/?x40x/?x32x/; s/40x96x/32x96x/' %t/narrow.mlir > %t/wider.mlir
// RUN: %{run} %t/wider.mlir -o %t/wider.after 2>&1 | FileCheck %s --check-prefix=THREE --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t/wider.after --check-prefix=WIDER --implicit-check-not=attn.any --implicit-check-not=scf.if --implicit-check-not=arith.select
// THREE: remark: {{.*}} Function=narrow | {{.*}}, branches=1, selections=0
// THREE: remark: {{.*}} Function=carried | {{.*}}, branches=2, selections=0
// THREE: remark: {{.*}} Function=unknown | {{.*}}, branches=0, selections=1
// THREE: remark: {{.*}} Function=outer | {{.*}}, branches=0, selections=1
// WIDER-LABEL: attn.kernel @narrow
// WIDER: attn.any
// WIDER: scf.if
// WIDER-LABEL: attn.kernel @carried
// WIDER: attn.any
// WIDER-COUNT-2: scf.if
// WIDER-LABEL: attn.kernel @unknown
// WIDER: arith.select
// WIDER-LABEL: attn.kernel @outer
// WIDER: arith.select

// Kernels that it leaves as they are, without a word: of wide sums, and of narrow ones.
// RUN: sed '/^#few =/s/2:(0, 8)/5:(0, 8)/; s/128x16x/128x40x/; s/16x96x/40x96x/' %t/same.mlir > %t/same-narrow.mlir
// RUN: for f in same same-narrow; do attn-opt %t/$f.mlir -o %t/$f.before && %{run} %t/$f.mlir -o %t/$f.after 2> %t/$f.remarks && count 0 < %t/$f.remarks && diff %t/$f.before %t/$f.after || exit 1; \
// RUN:   FileCheck %t/same.mlir --input-file=%t/$f.after --implicit-check-not=attn.any --implicit-check-not=arith.cmpf --implicit-check-not=arith.select || exit 1; done

// In the pipeline, in the loop of whole tiles and in that of those that end: sums of 256 columns for 80 keys are in branches, those of 128
// columns for as many keys and for 128 are selected (of maxima as they are before attn-integer-maxima, which comes behind this).
// DEFINE: %{example} = %t/wide.mlir
// DEFINE: %{lower} = optimistic-max=false
// DEFINE: %{keys} = 80
// DEFINE: %{compile} = attn-compile %{example} --target=h200 --schedule='tiles=query=128,key=%{keys}' --lower='wgmma=all specialize overlap ping-pong %{lower}' --emit=target
// DEFINE: %{passes} = attn-opt --attn-lower-to-nvvm --remarks-filter='attn-skip.*' -o /dev/null
// DEFINE: %{narrow} = FileCheck %s --check-prefix=NARROW --implicit-check-not=remark:
// RUN: %{compile} -o %t/wide.target
// RUN: %{passes} %t/wide.target 2>&1 | FileCheck %s --check-prefix=PIPELINE --implicit-check-not=remark:
// PIPELINE: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=wide_attention | Remark="sums are rescaled where a maximum rises", branches=2, selections=0
// NARROW: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=prefill_attention | Remark="sums are rescaled where a maximum rises", branches=0, selections=2
// REDEFINE: %{example} = %examples/llama3-8b-prefill.mlir
// RUN: %{compile} -o %t/narrow.target
// RUN: %{passes} %t/narrow.target 2>&1 | %{narrow}
// REDEFINE: %{keys} = 128
// RUN: %{compile} -o %t/narrow.target
// RUN: %{passes} %t/narrow.target 2>&1 | %{narrow}
// attn-optimistic-max has a branch already, for wide sums and for narrow ones. Where exact-peaks has loops there twice, those with the
// maximum of each tile have no such branch.
// REDEFINE: %{lower} = optimistic-max lead=80
// RUN: %{compile} -o %t/narrow.target
// RUN: %{passes} %t/narrow.target 2>&1 | count 0
// REDEFINE: %{lower} = optimistic-max lead=80 exact-peaks
// RUN: %{compile} -o %t/narrow.target
// RUN: %{passes} %t/narrow.target 2>&1 | %{narrow}
// REDEFINE: %{example} = %t/wide.mlir
// REDEFINE: %{keys} = 80
// RUN: %{compile} -o %t/wide.target
// RUN: %{passes} %t/wide.target 2>&1 | FileCheck %s --check-prefix=PIPELINE --implicit-check-not=remark:
// REDEFINE: %{lower} = optimistic-max
// RUN: %{compile} -o %t/wide.target
// RUN: %{passes} %t/wide.target 2>&1 | count 0

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
// it is otherwise. That of the weights is a fourth of the scores: by the same comparison, a thread takes the product
// for rows that rise.

// CHECK-DAG: #[[WIDE:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 8:(16, 0)], registers [2:(8, 0)]>
// CHECK-LABEL: attn.kernel @product
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[L1:[^ ]+]] = %{{[^ ]+}}, %[[O1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK-NEXT: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[NOT:[^ ]+]] = arith.cmpf une, %[[A]], %[[ONE]] : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[RISES:[^ ]+]] = attn.any %[[NOT]] : tensor<128xi1, #[[ROWS]]>
// CHECK-NEXT: %[[AL:[^ ]+]] = attn.broadcast %[[A]] : tensor<128xf32, #[[ROWS]]> to tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[LX:[^ ]+]] = arith.mulf %[[L1]], %[[AL]] : tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[EACH:[^ ]+]] = attn.broadcast %[[NOT]] : tensor<128xi1, #[[ROWS]]> to tensor<128x4xi1, #[[PARTS]]>
// CHECK-NEXT: %[[LA:[^ ]+]] = arith.select %[[EACH]], %[[LX]], %[[L1]] : tensor<128x4xi1, #[[PARTS]]>, tensor<128x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[AO:[^ ]+]] = attn.broadcast %[[A]] : tensor<128xf32, #[[ROWS]]> to tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: %[[OA:[^ ]+]] = scf.if %[[RISES]] -> (tensor<128x64xf32, #[[WIDE]]>) {
// CHECK-NEXT:   %[[SCALED:[^ ]+]] = arith.mulf %[[O1]], %[[AO]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT:   scf.yield %[[SCALED]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[O1]] : tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: }
// CHECK-NOT: {{attn.any|arith.cmpf|arith.select|scf.if}}
// CHECK: attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %[[OA]] stage 1 :
// CHECK-NOT: {{attn.any|arith.cmpf|arith.select|scf.if}}
// CHECK: scf.yield %{{[^ ]+}}, %[[LA]], %{{[^ ]+}} :
// REMARK: loops.mlir:[[# @LINE + 1]]:1: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=product | Remark="sums are rescaled where a maximum rises", branches=1, selections=1
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
// CHECK-NOT: {{attn.any|arith.cmpf|arith.select|scf.if}}
// REMARK: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=carried | Remark="sums are rescaled where a maximum rises", branches=2, selections=0
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

//--- narrow.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 5:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 12:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!v = tensor<40x96xbf16, #attn.shared<64>>
!s = tensor<128x40xf32, #acc>
!p = tensor<128x40xbf16, #acc>
!o = tensor<128x96xf32, #wide>
!m = tensor<128xf32, #rows>

// Rows are compared where it is known what their references rise by, the product stays where it is, and whoever took it
// takes what is selected: the next product, and another sum.

// CHECK-DAG: #[[WIDE:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 12:(0, 8)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
// CHECK-LABEL: attn.kernel @narrow
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[O1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK-NEXT: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[NOT:[^ ]+]] = arith.cmpf une, %[[A]], %[[ONE]] : tensor<128xf32, #[[ROWS]]>
// CHECK-NEXT: %[[AO:[^ ]+]] = attn.broadcast %[[A]] : tensor<128xf32, #[[ROWS]]> to tensor<128x96xf32, #[[WIDE]]>
// CHECK-NEXT: %[[X:[^ ]+]] = arith.mulf %[[O1]], %[[AO]] : tensor<128x96xf32, #[[WIDE]]>
// CHECK-NEXT: %[[EACH:[^ ]+]] = attn.broadcast %[[NOT]] : tensor<128xi1, #[[ROWS]]> to tensor<128x96xi1, #[[WIDE]]>
// CHECK-NEXT: %[[OA:[^ ]+]] = arith.select %[[EACH]], %[[X]], %[[O1]] : tensor<128x96xi1, #[[WIDE]]>, tensor<128x96xf32, #[[WIDE]]>
// CHECK: attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %[[OA]] stage 1 :
// CHECK: %[[O:[^ ]+]] = attn.dot.wait
// CHECK: arith.addf %[[O]], %[[OA]] :
// REMARK: narrow.mlir:[[# @LINE + 1]]:1: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=narrow | Remark="sums are rescaled where a maximum rises", branches=0, selections=1
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
      %both = arith.addf %o, %oa : !o
      scf.yield %m, %both : !m, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// Behind the product: two sums of one reference share a comparison, and factors may stand first.

// CHECK-LABEL: attn.kernel @carried
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[O1:[^ ]+]] = %{{[^ ]+}}, %[[T1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK-NEXT: arith.constant
// CHECK-NEXT: %[[NOT:[^ ]+]] = arith.cmpf une, %[[A]],
// CHECK-NEXT: %[[AO:[^ ]+]] = attn.broadcast %[[A]]
// CHECK: %[[O:[^ ]+]] = attn.dot.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: %[[X:[^ ]+]] = arith.mulf %[[AO]], %[[O]] :
// CHECK-NEXT: %[[EACH:[^ ]+]] = attn.broadcast %[[NOT]] :
// CHECK-NEXT: %[[OA:[^ ]+]] = arith.select %[[EACH]], %[[X]], %[[O]] :
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.mulf %[[T1]], %[[AO]] :
// CHECK-NEXT: %[[EVERY:[^ ]+]] = attn.broadcast %[[NOT]] :
// CHECK-NEXT: %[[TA:[^ ]+]] = arith.select %[[EVERY]], %[[Z]], %[[T1]] :
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[OA]], %[[TA]] :
// REMARK: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=carried | Remark="sums are rescaled where a maximum rises", branches=0, selections=2
attn.kernel @carried(%y: !attn.view<?x96xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
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
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#2, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// The maximum is not known, nor how many scores it is of.

// CHECK-LABEL: attn.kernel @unknown
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A:[^ ]+]] = attn.advance
// CHECK: %[[NOT:[^ ]+]] = arith.cmpf une, %[[A]],
// CHECK: %[[X:[^ ]+]] = arith.mulf %[[O1:[^ ]+]], %{{[^ ]+}} :
// CHECK-NEXT: %[[EACH:[^ ]+]] = attn.broadcast %[[NOT]] :
// CHECK-NEXT: %[[OA:[^ ]+]] = arith.select %[[EACH]], %[[X]], %[[O1]] :
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[OA]] :
// REMARK: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=unknown | Remark="sums are rescaled where a maximum rises", branches=0, selections=1
attn.kernel @unknown(%y: !attn.view<?x96xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !s
    %max = attn.reduce max %s : !s
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
      %some = arith.addf %max, %ones : !m
      %k, %m, %a = attn.advance %some from %ones, %m1 scale(0.5) : !m
      %ao = attn.broadcast %a : !m to !o
      %oa = arith.mulf %o1, %ao : !o
      scf.yield %m, %oa : !m, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// The factor is that of the advance in the loop, and what stays is the other one, whatever that is of.

// CHECK-LABEL: attn.kernel @outer
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[A0:[^ ]+]] = attn.advance
// CHECK: %[[FIRST:[^ ]+]] = attn.broadcast %[[A0]] :
// CHECK: scf.for
// CHECK: %[[X:[^ ]+]] = arith.mulf %[[FIRST]], %{{[^ ]+}} :
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %[[FIRST]] :
// REMARK: remark: [Passed] skipped | Category:attn-skip-rescaling | Function=outer | Remark="sums are rescaled where a maximum rises", branches=0, selections=1
attn.kernel @outer(%y: !attn.view<?x40xf32>, %x: f32, %n: index) attributes {threads = 256 : i64} {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !s
    %max = attn.reduce max %s : !s
    %k0, %m0, %a0 = attn.advance %max from %ones, %least scale(0.5) : !m
    %first = attn.broadcast %a0 : !m to !s
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %m0, %o1 = %zero) -> (!m, !s) {
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %all = attn.broadcast %a : !m to !s
      %o = arith.mulf %first, %all : !s
      scf.yield %m, %o : !m, !s
    }
    attn.store %r#1, %y[%cta, %c0] : !s -> <?x40xf32>
  }
}

//--- same.mlir
#few = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 12:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!u = tensor<16x96xbf16, #attn.shared<64>>
!t = tensor<128x16xf32, #few>
!p = tensor<128x16xbf16, #few>
!o = tensor<128x96xf32, #wide>
!m = tensor<128xf32, #rows>

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
    %p = arith.truncf %s : !t to !p
    %v = attn.ring.wait %rv : <2 x !u> -> !u
    %pv = attn.dot.issue %p, %v, %oa stage 1 : !p, !u, !o -> <!o>
    %o = attn.dot.wait %pv : <!o> -> !o
    attn.ring.release %rv : <2 x !u>
    attn.store %o, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}

// What is multiplied is used otherwise; the factor is not that of an advance, or one from before the loop;
// the product is selected already, or stands in a branch.
// CHECK-LABEL: attn.kernel @others
// CHECK-COUNT-4: arith.mulf
// CHECK: arith.select
// CHECK: scf.if
// CHECK-NEXT: arith.mulf
attn.kernel @others(%y: !attn.view<?x96xf32>, %x: f32, %b: i1, %n: index) attributes {threads = 256 : i64} {
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %s = tensor.splat %x : !t
    %max = attn.reduce max %s : !t
    %k0, %m0, %a0 = attn.advance %max from %ones, %least scale(0.5) : !m
    %bs = tensor.splat %b : tensor<128x96xi1, #wide>
    %r:6 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %m0, %o1 = %zero, %o2 = %zero, %o3 = %zero, %o4 = %zero, %o5 = %zero) -> (!m, !o, !o, !o, !o, !o) {
      %k, %m, %a = attn.advance %max from %ones, %m1 scale(0.5) : !m
      %ao = attn.broadcast %a : !m to !o
      %x1 = arith.mulf %o1, %ao : !o
      %y1 = arith.addf %x1, %ao : !o
      %kb = attn.broadcast %k : !m to !o
      %y2 = arith.mulf %o2, %kb : !o
      %ab = attn.broadcast %a0 : !m to !o
      %y3 = arith.mulf %o3, %ab : !o
      %y4 = arith.mulf %o4, %ao : !o
      %z4 = arith.select %bs, %y4, %o4 : tensor<128x96xi1, #wide>, !o
      %y6 = arith.addf %z4, %y1 : !o
      %more = arith.cmpi sgt, %n, %j : index
      %y5 = scf.if %more -> (!o) {
        %x5 = arith.mulf %o5, %ao : !o
        scf.yield %x5 : !o
      } else {
        scf.yield %o5 : !o
      }
      scf.yield %m, %y6, %y2, %y3, %y4, %y5 : !m, !o, !o, !o, !o, !o
    }
    attn.store %r#1, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#2, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#3, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#4, %y[%cta, %c0] : !o -> <?x96xf32>
    attn.store %r#5, %y[%cta, %c0] : !o -> <?x96xf32>
  }
}
