// attn-issue-dots: products that it leaves as they are, with a remark that says why.
// RUN: split-file %s %t
// RUN: attn-opt %t/products.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t/h200.before
// RUN: attn-opt %t/products.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots))' -o %t/h200.after --remarks-filter='attn.*' 2>&1 | FileCheck %t/products.mlir --implicit-check-not=remark:
// RUN: diff %t/h200.before %t/h200.after

// Targets without asynchronous products, of which the CPU, where none is given, is one:
// once a kernel. This one's product warpgroups can compute.
// RUN: attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots))' | FileCheck %s --check-prefix=FITS
// FITS: attn.dot.issue
// RUN: attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10})' -o %t/gb10.before
// RUN: attn-opt %t/fits.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-issue-dots))' -o %t/gb10.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=remark:
// RUN: diff %t/gb10.before %t/gb10.after
// RUN: attn-opt %t/fits.mlir -o %t/cpu.before
// RUN: attn-opt %t/fits.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-issue-dots))' -o %t/cpu.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=remark:
// RUN: diff %t/cpu.before %t/cpu.after
// TARGET: fits.mlir:1:1: remark: [Missed] issued | Category:attn-issue-dots | Function=fits | Remark="the target has no asynchronous products"

// Options: there are two sets of products. It is a pass on kernels.
// RUN: not attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{products=sums}))' 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: for the --products option: expected one of none, all, scores, but got 'sums'
// RUN: not attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn.kernel(attn-issue-dots{scores}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option scores
// RUN: not attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn-to-target{wgmma=sums})' 2>&1 | FileCheck %s --check-prefix=WGMMA
// WGMMA: for the --wgmma option: expected one of none, scores, all, but got 'sums'
// RUN: not attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn-issue-dots)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnIssueDots' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

// wgmma=all in the pipeline of such a target changes nothing.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=gb10 --lower=wgmma=all --emit=target --remarks -o %t/gb10.mlir 2>&1 | FileCheck %s --check-prefix=PIPE
// RUN: FileCheck %s --check-prefix=PIPEIR --implicit-check-not=attn.dot. --input-file=%t/gb10.mlir
// PIPE: remark: [Missed] issued | Category:attn-issue-dots | Function=prefill_attention | Remark="the target has no asynchronous products"
// PIPEIR: attn.dot {{.*}} transpose_rhs

//--- fits.mlir
attn.kernel @fits(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x tensor<64x64xf16, #attn.shared<128>>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>>
  %t = attn.ring.wait %r : <1 x tensor<64x64xf16, #attn.shared<128>>> -> tensor<64x64xf16, #attn.shared<128>>
  %d = attn.dot %t, %t, %zero transpose_rhs : tensor<64x64xf16, #attn.shared<128>>, tensor<64x64xf16, #attn.shared<128>> into tensor<64x64xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>>
  attn.store %d, %y[%n, %n] : tensor<64x64xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>> -> <?x?xf32>
}

//--- products.mlir
// Accumulators of 64 rows, 16 a warp, of 16, 24, 64 and 272 columns.
#acc16 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#acc24 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 3:(0, 8)]>
#acc64 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#acc272 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 34:(0, 8)]>
!a = tensor<64x64xbf16, #attn.shared<128>>
!c = tensor<64x64xf32, #acc64>

// CHECK: products.mlir:[[# @LINE + 7]]:8: remark: [Missed] issued | Category:attn-issue-dots | Function=f32 | Remark="operands are not of f16 or bf16"
// CHECK-NEXT: attn.dot
!f = tensor<64x32xf32, #attn.shared<128>>
attn.kernel @f32(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !f>
  %zero = arith.constant dense<0.0> : !c
  %t = attn.ring.wait %r : <1 x !f> -> !f
  %d = attn.dot %t, %t, %zero transpose_rhs : !f, !f into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}

// Two warps of 16 rows, and six: half a warpgroup, and one and a half.
// CHECK: products.mlir:[[# @LINE + 11]]:8: remark: [Missed] issued | {{.*}} | Function=rows32 | Remark="rows are no multiple of 64"
// CHECK-NEXT: attn.dot
#rows32 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!a32 = tensor<32x64xbf16, #attn.shared<128>>
!c32 = tensor<32x64xf32, #rows32>
attn.kernel @rows32(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 64 : i64} {
  %ra = attn.ring.create : <1 x !a32>
  %rb = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c32
  %s = attn.ring.wait %ra : <1 x !a32> -> !a32
  %t = attn.ring.wait %rb : <1 x !a> -> !a
  %d = attn.dot %s, %t, %zero : !a32, !a into !c32
  attn.store %d, %y[%n, %n] : !c32 -> <?x?xf32>
}
// CHECK: products.mlir:[[# @LINE + 10]]:8: remark: [Missed] issued | {{.*}} | Function=rows96 | Remark="rows are no multiple of 64"
// CHECK-NEXT: attn.dot
#rows96 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 6:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!a96 = tensor<96x64xbf16, #rows96>
!c96 = tensor<96x64xf32, #rows96>
attn.kernel @rows96(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 192 : i64} {
  %r = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c96
  %p = arith.constant dense<1.0> : !a96
  %t = attn.ring.wait %r : <1 x !a> -> !a
  %d = attn.dot %p, %t, %zero : !a96, !a into !c96
  attn.store %d, %y[%n, %n] : !c96 -> <?x?xf32>
}

// 24 columns, and 272.
// CHECK: products.mlir:[[# @LINE + 10]]:8: remark: [Missed] issued | {{.*}} | Function=columns24 | Remark="columns are no multiple of 16 up to 256"
// CHECK-NEXT: attn.dot
!b24 = tensor<24x64xbf16, #attn.shared<128>>
!c24 = tensor<64x24xf32, #acc24>
attn.kernel @columns24(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !b24>
  %zero = arith.constant dense<0.0> : !c24
  %s = attn.ring.wait %ra : <1 x !a> -> !a
  %t = attn.ring.wait %rb : <1 x !b24> -> !b24
  %d = attn.dot %s, %t, %zero transpose_rhs : !a, !b24 into !c24
  attn.store %d, %y[%n, %n] : !c24 -> <?x?xf32>
}
// CHECK: products.mlir:[[# @LINE + 10]]:8: remark: [Missed] issued | {{.*}} | Function=columns272 | Remark="columns are no multiple of 16 up to 256"
// CHECK-NEXT: attn.dot
!b272 = tensor<272x64xbf16, #attn.shared<128>>
!c272 = tensor<64x272xf32, #acc272>
attn.kernel @columns272(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !b272>
  %zero = arith.constant dense<0.0> : !c272
  %s = attn.ring.wait %ra : <1 x !a> -> !a
  %t = attn.ring.wait %rb : <1 x !b272> -> !b272
  %d = attn.dot %s, %t, %zero transpose_rhs : !a, !b272 into !c272
  attn.store %d, %y[%n, %n] : !c272 -> <?x?xf32>
}

// Steps of 16: 24 keys are one and a half.
// CHECK: products.mlir:[[# @LINE + 8]]:8: remark: [Missed] issued | {{.*}} | Function=depth24 | Remark="the summed dimension is no multiple of 16"
// CHECK-NEXT: attn.dot
!p24 = tensor<64x24xbf16, #acc24>
attn.kernel @depth24(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !b24>
  %zero = arith.constant dense<0.0> : !c
  %p = arith.constant dense<1.0> : !p24
  %t = attn.ring.wait %r : <1 x !b24> -> !b24
  %d = attn.dot %p, %t, %zero : !p24, !b24 into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}

// Four warps of 32 rows, as attn-assign-fragments has them for 128; and eight of 16 that
// do not follow each other along the rows.
// CHECK: products.mlir:[[# @LINE + 11]]:8: remark: [Missed] issued | {{.*}} | Function=warps4 | Remark="warps have other than 16 rows each"
// CHECK-NEXT: attn.dot
#warps4 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(32, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(16, 0)]>
!a128 = tensor<128x64xbf16, #attn.shared<128>>
!c4 = tensor<128x64xf32, #warps4>
attn.kernel @warps4(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %ra = attn.ring.create : <1 x !a128>
  %rb = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c4
  %s = attn.ring.wait %ra : <1 x !a128> -> !a128
  %t = attn.ring.wait %rb : <1 x !a> -> !a
  %d = attn.dot %s, %t, %zero transpose_rhs : !a128, !a into !c4
  attn.store %d, %y[%n, %n] : !c4 -> <?x?xf32>
}
// CHECK: products.mlir:[[# @LINE + 10]]:8: remark: [Missed] issued | {{.*}} | Function=order | Remark="the result is not in the layout of an accumulator"
// CHECK-NEXT: attn.dot
#order = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(64, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!c8 = tensor<128x64xf32, #order>
attn.kernel @order(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 256 : i64} {
  %ra = attn.ring.create : <1 x !a128>
  %rb = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c8
  %s = attn.ring.wait %ra : <1 x !a128> -> !a128
  %t = attn.ring.wait %rb : <1 x !a> -> !a
  %d = attn.dot %s, %t, %zero transpose_rhs : !a128, !a into !c8
  attn.store %d, %y[%n, %n] : !c8 -> <?x?xf32>
}

// The right-hand side in registers: wgmma reads it from shared memory only.
// CHECK: products.mlir:[[# @LINE + 8]]:8: remark: [Missed] issued | {{.*}} | Function=rhs | Remark="the right-hand side is not in shared memory"
// CHECK-NEXT: attn.dot
!p64 = tensor<64x64xbf16, #acc64>
attn.kernel @rhs(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  %p = arith.constant dense<1.0> : !p64
  %t = attn.ring.wait %r : <1 x !a> -> !a
  %d = attn.dot %t, %p, %zero : !a, !p64 into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}

// The left-hand side in registers, but in others than those of an A operand.
// CHECK: products.mlir:[[# @LINE + 9]]:8: remark: [Missed] issued | {{.*}} | Function=lhs | Remark="the left-hand side is neither in shared memory nor in the registers of an A operand"
// CHECK-NEXT: attn.dot
#lanes = #attn.fragment<threads [4:(0, 4), 8:(1, 0), 4:(16, 0)], registers [4:(0, 1), 2:(8, 0), 4:(0, 16)]>
!lanes = tensor<64x64xbf16, #lanes>
attn.kernel @lhs(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  %p = arith.constant dense<1.0> : !lanes
  %t = attn.ring.wait %r : <1 x !a> -> !a
  %d = attn.dot %p, %t, %zero : !lanes, !a into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}

// Threads wrote to shared memory: asynchronous copies of the right-hand side, of the left,
// and what comes from no ring, as far as can be seen.
// CHECK: products.mlir:[[# @LINE + 11]]:8: remark: [Missed] issued | {{.*}} | Function=async_rhs | Remark="operands are not copied by tensor maps"
// CHECK-NEXT: attn.dot
attn.kernel @async_rhs(%x: !attn.view<?x?xbf16>, %y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  %slot = attn.ring.acquire %rb : <1 x !a> -> <!a>
  %p = attn.ring.issue %slot, %x[%n, %n] by async : <!a>, <?x?xbf16> -> <!a>
  attn.ring.land %p : <!a>
  %s = attn.ring.wait %ra : <1 x !a> -> !a
  %t = attn.ring.wait %rb : <1 x !a> -> !a
  %d = attn.dot %s, %t, %zero : !a, !a into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}
// CHECK: products.mlir:[[# @LINE + 11]]:8: remark: [Missed] issued | {{.*}} | Function=async_lhs | Remark="operands are not copied by tensor maps"
// CHECK-NEXT: attn.dot
attn.kernel @async_lhs(%x: !attn.view<?x?xbf16>, %y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  %slot = attn.ring.acquire %ra : <1 x !a> -> <!a>
  %p = attn.ring.issue %slot, %x[%n, %n] by async : <!a>, <?x?xbf16> -> <!a>
  attn.ring.land %p : <!a>
  %s = attn.ring.wait %ra : <1 x !a> -> !a
  %t = attn.ring.wait %rb : <1 x !a> -> !a
  %d = attn.dot %s, %t, %zero : !a, !a into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}
// CHECK: products.mlir:[[# @LINE + 7]]:8: remark: [Missed] issued | {{.*}} | Function=chosen | Remark="operands are not copied by tensor maps"
// CHECK-NEXT: attn.dot
attn.kernel @chosen(%y: !attn.view<?x?xf32>, %n: index, %b: i1) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <2 x !a>
  %zero = arith.constant dense<0.0> : !c
  %s = attn.ring.wait %r : <2 x !a> -> !a
  %t = arith.select %b, %s, %s : !a
  %d = attn.dot %s, %t, %zero : !a, !a into !c
  attn.store %d, %y[%n, %n] : !c -> <?x?xf32>
}

// No layouts yet, as before attn-assign-fragments.
// CHECK: products.mlir:[[# @LINE + 5]]:8: remark: [Missed] issued | {{.*}} | Function=plain | Remark="the result is not in the layout of an accumulator"
// CHECK-NEXT: attn.dot
attn.kernel @plain(%y: !attn.view<?x?xf32>, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = arith.constant dense<1.0> : tensor<64x64xbf16>
  %d = attn.dot %p, %p, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
  attn.store %d, %y[%n, %n] : tensor<64x64xf32> -> <?x?xf32>
}

// Nothing to do, and nothing to say.
attn.kernel @nothing(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc16>
  attn.store %zero, %y[%n, %n] : tensor<64x16xf32, #acc16> -> <?x?xf32>
}
