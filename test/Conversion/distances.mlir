// Positions as floats: one conversion for all elements of a thread, whose positions differ by constants; others are converted one by one.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s
// On MI300X each is converted by itself: an addition has no room for constants there.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --check-prefix=ROCDL

// ROCDL-LABEL: llvm.func @distance(
// ROCDL: arith.sitofp %{{[^ ]+}} : vector<{{.*}}xi32> to vector<{{.*}}xf32>
// CHECK-LABEL: llvm.func @distance(
// CHECK-DAG: %[[OFFSETS:[^ ]+]] = arith.constant dense<{{.*}}0.000000e+00{{.*}}> : vector<{{.*}}xf32>
// CHECK: %[[FIRST:[^ ]+]] = arith.sitofp %{{[^ ]+}} : i32 to f32
// CHECK: %[[ALL:[^ ]+]] = vector.broadcast %[[FIRST]] : f32 to vector
// CHECK: arith.addf %[[ALL]], %{{[^ ]+}} : vector
// CHECK-NOT: arith.sitofp
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!n = tensor<32x32xindex, #acc>
!i = tensor<32x32xi32, #acc>
!c = tensor<32x32xf32, #acc>
attn.kernel @distance(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %n : !n
    %cols = attn.iota 1 from %w : !n
    %far = arith.subi %cols, %rows : !n
    %near = arith.index_cast %far : !n to !i
    %x = arith.sitofp %near : !i to !c
    attn.store %x, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}

// A product of positions is no sum of one and a constant.
// CHECK-LABEL: llvm.func @product(
// CHECK: arith.sitofp %{{[^ ]+}} : vector<{{.*}}xi32> to vector<{{.*}}xf32>
attn.kernel @product(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %n : !n
    %cols = attn.iota 1 from %w : !n
    %far = arith.muli %cols, %rows : !n
    %near = arith.index_cast %far : !n to !i
    %x = arith.sitofp %near : !i to !c
    attn.store %x, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}

// Elements that are constants add beyond what a float of 24 bits holds.
// CHECK-LABEL: llvm.func @large(
// CHECK: arith.sitofp %{{[^ ]+}} : vector<{{.*}}xi32> to vector<{{.*}}xf32>
attn.kernel @large(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %much = arith.constant dense<16777217> : !n
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %n : !n
    %far = arith.addi %rows, %much : !n
    %near = arith.index_cast %far : !n to !i
    %x = arith.sitofp %near : !i to !c
    attn.store %x, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}

// A distance times a number that is the same everywhere: one operation an element, where products may be reassociated.
// CHECK-LABEL: llvm.func @scaled(
// CHECK: %[[FIRST:[^ ]+]] = arith.sitofp %{{[^ ]+}} : i32 to f32
// CHECK: %[[PRODUCT:[^ ]+]] = arith.mulf %[[FIRST]], %{{[^ ]+}} : f32
// CHECK: %[[ALL:[^ ]+]] = vector.broadcast %[[PRODUCT]] : f32 to vector
// CHECK: math.fma %{{[^ ]+}}, %{{[^ ]+}}, %[[ALL]] : vector
// CHECK-NOT: arith.mulf
attn.kernel @scaled(%o: !attn.view<?x32xf32>, %n: index, %m: f32) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %n : !n
    %cols = attn.iota 1 from %w : !n
    %far = arith.subi %cols, %rows : !n
    %near = arith.index_cast %far : !n to !i
    %x = arith.sitofp %near : !i to !c
    %slope = tensor.splat %m : !c
    %y = arith.mulf %slope, %x fastmath<contract,reassoc> : !c
    attn.store %y, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}

// Else the product is rounded once.
// CHECK-LABEL: llvm.func @scaled_as_written(
// CHECK: arith.addf %{{[^ ]+}}, %{{[^ ]+}} : vector
// CHECK: arith.mulf %{{[^ ]+}}, %{{[^ ]+}} fastmath<contract> : vector
// CHECK-NOT: math.fma
attn.kernel @scaled_as_written(%o: !attn.view<?x32xf32>, %n: index, %m: f32) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %n : !n
    %cols = attn.iota 1 from %w : !n
    %far = arith.subi %cols, %rows : !n
    %near = arith.index_cast %far : !n to !i
    %x = arith.sitofp %near : !i to !c
    %slope = tensor.splat %m : !c
    %y = arith.mulf %slope, %x fastmath<contract> : !c
    attn.store %y, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}
