// attn-defer-row-sums: streams that carry anything else are left as they are, with a
// remark.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-defer-row-sums))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-defer-row-sums{all}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option all

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>

// The sum does not start from zero: one a thread would count the start more than once.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=start | Remark="no stream carries a sum of rows in registers"
attn.kernel @start(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %one : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// A maximum is not linear.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=maximum
attn.kernel @maximum(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce max %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// Nor is a difference of the kind that is looked for.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=difference
attn.kernel @difference(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.subf %m, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// A quotient is no product.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=quotient
attn.kernel @quotient(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.divf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// Without a factor there is nothing to broadcast.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=bare
attn.kernel @bare(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %n2 = arith.addf %l, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// The sum so far is looked at in the stream: it must be whole.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=seen
attn.kernel @seen(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.store %l, %lse[%j] : tensor<64xf32, #rows> -> <?xf32>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// So is the next one.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=seenafter
attn.kernel @seenafter(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.store %n2, %lse[%j] : tensor<64xf32, #rows> -> <?xf32>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// So is the sum of the tile.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=seensum
attn.kernel @seensum(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.store %sum, %lse[%j] : tensor<64xf32, #rows> -> <?xf32>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// So is the product.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=seenproduct
attn.kernel @seenproduct(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.store %m, %lse[%j] : tensor<64xf32, #rows> -> <?xf32>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// The square of the sum is not linear in it.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=square
attn.kernel @square(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %l, %l : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// Nor is it with one rounding.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=fusedsquare
attn.kernel @fusedsquare(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %n2 = math.fma %l, %l, %sum : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// The tile is scaled, and what is carried is added.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=fusedaddend
attn.kernel @fusedaddend(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %n2 = math.fma %sum, %f, %l : tensor<64xf32, #rows>
      attn.yield %n2 : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// The product is of something else.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=other
attn.kernel @other(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %one = arith.constant dense<1.0> : tensor<64xf32, #rows>
  %f = arith.constant dense<0.5> : tensor<64xf32, #rows>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32, #acc>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32, #rows>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32, #acc>
      %m = arith.mulf %f, %f : tensor<64xf32, #rows>
      %n2 = arith.addf %m, %sum : tensor<64xf32, #rows>
      %k = arith.addf %l, %n2 : tensor<64xf32, #rows>
      attn.yield %k : tensor<64xf32, #rows>
    }
    attn.store %r, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// Tiles without a layout: level 2.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=level2
attn.kernel @level2(%lse: !attn.view<?xf32>, %s: f32, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %f = arith.constant dense<0.5> : tensor<64xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %p = tensor.splat %s : tensor<64x32xf32>
    %r = attn.stream %j step 32 over [%i to %n] carry (%l = %zero : tensor<64xf32>) {
      %sum = attn.reduce sum %p : tensor<64x32xf32>
      %m = arith.mulf %l, %f : tensor<64xf32>
      %n2 = arith.addf %m, %sum : tensor<64xf32>
      attn.yield %n2 : tensor<64xf32>
    }
    attn.store %r, %lse[%i] : tensor<64xf32> -> <?xf32>
  }
}

// A plain product carries an accumulator, which is no sum of rows.
// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=matmul
attn.kernel @matmul(%o: !attn.view<?x?xf32>, %n: index) {
  %ra = attn.ring.create : <1 x tensor<64x32xbf16, #attn.shared<64>>>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  attn.grid (%i) visit %v in (i = %n) {
    %r = attn.stream %p step 64 over [%i to %n] carry (%x = %zero : tensor<64x32xf32, #acc>) {
      %t = attn.ring.wait %ra : <1 x tensor<64x32xbf16, #attn.shared<64>>> -> tensor<64x32xbf16, #attn.shared<64>>
      %d = arith.addf %x, %x : tensor<64x32xf32, #acc>
      attn.ring.release %ra : <1 x tensor<64x32xbf16, #attn.shared<64>>>
      attn.yield %d : tensor<64x32xf32, #acc>
    }
    attn.store %r, %o[%i, %i] : tensor<64x32xf32, #acc> -> <?x?xf32>
  }
}

// CHECK: remark: [Missed] deferred | Category:attn-defer-row-sums | Function=empty
attn.kernel @empty() {
}
