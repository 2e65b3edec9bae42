// attn-defer-row-sums: l' = l * a + sum(p) in a stream, whichever way round.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-defer-row-sums))' --remarks-filter='attn-defer.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.once
// What is deferred is not deferred again.
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-defer-row-sums))' | diff %t.once -

// REMARK: remark: [Passed] deferred | Category:attn-defer-row-sums | Function=softmax | Remark="rows are summed across threads at the end of their stream:", sums=1
// REMARK: Function=orders | {{.*}}, sums=4
// REMARK: Function=fused | {{.*}}, sums=2
// REMARK: Function=matmul | {{.*}}, sums=1

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>

// Of the maximum, the sum and the accumulator of a softmax, the sum alone is one a
// thread: the thread's registers in the stream, the threads of a row behind it. The
// factor goes to every thread of its row. What used the sum uses the total.

// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
// CHECK-DAG: #[[ROWS:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
// CHECK-LABEL: attn.kernel @softmax
// CHECK: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[R:[^ ]+]]:3 = attn.stream %{{[^ ]+}} step 32 over {{.*}} carry (%[[M:[^ ]+]] = %{{[^ ]+}}, %[[L:[^ ]+]] = %[[ZERO]], %[[A:[^ ]+]] = %{{[^ ]+}} : tensor<64xf32, #[[ROWS]]>, tensor<64x4xf32, #[[PARTS]]>, tensor<64x32xf32, #{{acc[0-9]*}}>
// CHECK: %[[MN:[^ ]+]] = arith.maximumf %[[M]],
// CHECK: %[[P:[^ ]+]] = math.exp2
// CHECK: %[[F:[^ ]+]] = math.exp2 %{{[^ ]+}} : tensor<64xf32,
// CHECK-NOT: attn.reduce sum
// CHECK: %[[S:[^ ]+]] = attn.reduce_registers sum %[[P]] : tensor<64x32xf32,
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[F]] : tensor<64xf32, #[[ROWS]]> to tensor<64x4xf32, #[[PARTS]]>
// CHECK-NEXT: %[[X:[^ ]+]] = arith.mulf %[[L]], %[[B]] : tensor<64x4xf32,
// CHECK-NEXT: %[[N:[^ ]+]] = arith.addf %[[X]], %[[S]] : tensor<64x4xf32,
// CHECK-NOT: attn.reduce sum
// CHECK: attn.yield %[[MN]], %[[N]], %{{[^ ]+}} :
// CHECK-NEXT: }
// CHECK-NEXT: %[[T:[^ ]+]] = attn.reduce sum %[[R]]#1 : tensor<64x4xf32,
// CHECK-NEXT: attn.store %[[R]]#0,
// CHECK-NEXT: attn.store %[[T]], %{{[^ ]+}}[%{{[^ ]+}}] : tensor<64xf32, #[[ROWS]]>
// CHECK-NEXT: %[[W:[^ ]+]] = attn.broadcast %[[T]]
// CHECK-NEXT: arith.divf %[[R]]#2, %[[W]]
attn.kernel @softmax(%o: !attn.view<?x?xf32>, %lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %inf = arith.constant dense<0xFF800000> : tensor<64xf32, #rows>
  %zeros = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  attn.grid (%i) visit %v in (i = %n) {
    %r:3 = attn.stream %j step 32 over [%i to %n] carry (%m = %inf, %l = %zeros, %a = %zero : tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64x32xf32, #acc>) {
      %t = tensor.splat %s : tensor<64x32xf32, #acc>
      %x = attn.reduce max %t : tensor<64x32xf32, #acc>
      %mn = arith.maximumf %m, %x : tensor<64xf32, #rows>
      %b = attn.broadcast %mn : tensor<64xf32, #rows> to tensor<64x32xf32, #acc>
      %d = arith.subf %t, %b : tensor<64x32xf32, #acc>
      %p = math.exp2 %d : tensor<64x32xf32, #acc>
      %e = arith.subf %m, %mn : tensor<64xf32, #rows>
      %f = math.exp2 %e : tensor<64xf32, #rows>
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %lf = arith.mulf %l, %f : tensor<64xf32, #rows>
      %ln = arith.addf %lf, %sum : tensor<64xf32, #rows>
      %g = attn.broadcast %f : tensor<64xf32, #rows> to tensor<64x32xf32, #acc>
      %h = arith.mulf %a, %g : tensor<64x32xf32, #acc>
      attn.yield %mn, %ln, %h : tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64x32xf32, #acc>
    }
    attn.store %r#0, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.store %r#1, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    %w = attn.broadcast %r#1 : tensor<64xf32, #rows> to tensor<64x32xf32, #acc>
    %q = arith.divf %r#2, %w : tensor<64x32xf32, #acc>
    attn.store %q, %o[%i, %i] : tensor<64x32xf32, #acc> -> <?x?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>

// Sum and product may stand either way round; the zero that it starts from may be
// negative.

// CHECK-LABEL: attn.kernel @orders
// CHECK-COUNT-4: attn.reduce_registers sum
// CHECK-NOT: attn.reduce_registers
// CHECK: attn.yield
// CHECK-COUNT-4: attn.reduce sum
// CHECK-NOT: attn.reduce sum
attn.kernel @orders(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %minus = arith.constant dense<-0.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %r:4 = attn.stream %j step 32 over [%i to %n] carry (%a = %zero, %b = %zero, %c = %zero, %d = %minus : tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64xf32, #rows>) {
      %p = tensor.splat %s : tensor<64x32xf32, #acc>
      %1 = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %2 = arith.mulf %a, %f : tensor<64xf32, #rows>
      %3 = arith.addf %2, %1 : tensor<64xf32, #rows>
      %4 = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %5 = arith.mulf %f, %b : tensor<64xf32, #rows>
      %6 = arith.addf %5, %4 : tensor<64xf32, #rows>
      %7 = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %8 = arith.mulf %c, %f : tensor<64xf32, #rows>
      %9 = arith.addf %7, %8 : tensor<64xf32, #rows>
      %10 = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %11 = arith.mulf %f, %d : tensor<64xf32, #rows>
      %12 = arith.addf %10, %11 : tensor<64xf32, #rows>
      attn.yield %3, %6, %9, %12 : tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64xf32, #rows>, tensor<64xf32, #rows>
    }
    attn.store %r#0, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.store %r#1, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.store %r#2, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.store %r#3, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>

// One rounding stays one, whichever factor is carried.

// CHECK-LABEL: attn.kernel @fused
// CHECK: %[[R:[^ ]+]]:2 = attn.stream {{.*}} carry (%[[L:[^ ]+]] = %{{[^ ]+}}, %[[M:[^ ]+]] = %{{[^ ]+}} : tensor<64x4xf32,
// CHECK-NOT: attn.reduce sum
// CHECK: %[[S:[^ ]+]] = attn.reduce_registers sum
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %{{[^ ]+}} : {{.*}} to tensor<64x4xf32,
// CHECK-NEXT: %[[N:[^ ]+]] = math.fma %[[L]], %[[B]], %[[S]] : tensor<64x4xf32,
// CHECK-NEXT: %[[S2:[^ ]+]] = attn.reduce_registers sum
// CHECK-NEXT: %[[B2:[^ ]+]] = attn.broadcast %{{[^ ]+}} : {{.*}} to tensor<64x4xf32,
// CHECK-NEXT: %[[N2:[^ ]+]] = math.fma %[[M]], %[[B2]], %[[S2]] : tensor<64x4xf32,
// CHECK-NEXT: attn.yield %[[N]], %[[N2]] :
// CHECK: attn.reduce sum %[[R]]#1
// CHECK: attn.reduce sum %[[R]]#0
attn.kernel @fused(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r:2 = attn.stream %j step 32 over [%i to %n] carry (%l = %zero, %m = %zero : tensor<64xf32, #rows>, tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %l2 = math.fma %l, %f, %sum : tensor<64xf32, #rows>
      %sum2 = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m2 = math.fma %f, %m, %sum2 : tensor<64xf32, #rows>
      attn.yield %l2, %m2 : tensor<64xf32, #rows>, tensor<64xf32, #rows>
    }
    attn.store %r#0, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.store %r#1, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 2:(16)], registers [2:(8)]>

// A plain product that decays and is summed by rows on the way.

// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 2:(16, 0)], registers [2:(8, 0)]>
// CHECK-LABEL: attn.kernel @matmul
// CHECK: %[[R:[^ ]+]] = attn.stream
// CHECK: %[[D:[^ ]+]] = attn.dot
// CHECK: attn.reduce_registers sum %[[D]] : tensor<32x16xf32,
// CHECK: attn.yield %{{[^ ]+}} : tensor<32x4xf32, #[[PARTS]]>
// CHECK: %[[T:[^ ]+]] = attn.reduce sum %[[R]]
// CHECK-NEXT: attn.store %[[T]],
attn.kernel @matmul(%o: !attn.view<?xf32>, %n: index) {
  %ra = attn.ring.create : <2 x tensor<32x64xbf16, #attn.shared<128>>>
  %rb = attn.ring.create : <2 x tensor<64x16xbf16, #attn.shared<32>>>
  %zero = arith.constant dense<0.0> : tensor<32x16xf32, #acc>
  %zeros = arith.constant dense<0.0> : tensor<32xf32, #rows>
  %decay = arith.constant dense<0.5> : tensor<32xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %r = attn.stream %p step 64 over [%i to %n] carry (%x = %zeros : tensor<32xf32, #rows>) {
      %s = attn.ring.wait %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>> -> tensor<32x64xbf16, #attn.shared<128>>
      %t = attn.ring.wait %rb : <2 x tensor<64x16xbf16, #attn.shared<32>>> -> tensor<64x16xbf16, #attn.shared<32>>
      %d = attn.dot %s, %t, %zero : tensor<32x64xbf16, #attn.shared<128>>, tensor<64x16xbf16, #attn.shared<32>> into tensor<32x16xf32, #acc>
      attn.ring.release %rb : <2 x tensor<64x16xbf16, #attn.shared<32>>>
      attn.ring.release %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>>
      %sum = attn.reduce sum %d : tensor<32x16xf32, #acc>
      %y = arith.mulf %x, %decay : tensor<32xf32, #rows>
      %z = arith.addf %y, %sum : tensor<32xf32, #rows>
      attn.yield %z : tensor<32xf32, #rows>
    }
    attn.store %r, %o[%i] : tensor<32xf32, #rows> -> <?xf32>
  }
}
