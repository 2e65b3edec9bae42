// Products of FP8 by MFMA: eight elements of a lane are one operand; bytes of V change places on their way to LDS; weights,
// which a sum has too, are cut by one instruction each.
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func @large(
// CHECK: %[[A:[^ ]+]] = vector.bitcast %{{[^ ]+}} : vector<4xi32> to vector<16xi8>
// CHECK: %[[A0:[^ ]+]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK: %[[B:[^ ]+]] = llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<8xi8>
// CHECK-DAG: %[[BI:[^ ]+]] = llvm.bitcast %[[B]] : vector<8xi8> to i64
// CHECK-DAG: %[[AI:[^ ]+]] = llvm.bitcast %[[A0]] : vector<8xi8> to i64
// CHECK: %[[C:[^ ]+]] = rocdl.mfma.f32.32x32x16.fp8.fp8 %[[BI]], %[[AI]], %{{[^ ]+}},
// CHECK: vector.extract_strided_slice %[[A]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK: rocdl.mfma.f32.32x32x16.fp8.fp8 %{{[^ ]+}}, %{{[^ ]+}}, %[[C]],
// CHECK-NOT: rocdl.mfma
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!a = tensor<32x32xf8E4M3FNUZ, #acc>
!b = tensor<32x32xf8E4M3FNUZ, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf8E4M3FNUZ>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @large(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %r = attn.ring.create : !attn.ring<1 x !b>
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !v -> !a
    %s = attn.ring.acquire %r : !attn.ring<1 x !b> -> !attn.slot<!b>
    %p = attn.ring.issue %s, %b[%c0, %c0] by registers : !attn.slot<!b>, !v -> !attn.pending<!b>
    attn.ring.land %p : !attn.pending<!b>
    %y = attn.ring.wait %r : !attn.ring<1 x !b> -> !b
    %d = attn.dot %x, %y, %zero transpose_rhs : !a, !b into !c
    attn.ring.release %r : !attn.ring<1 x !b>
    attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}

// -----

// Four rows of four bytes, of a tile that is 16 x 16 of these: pairs, then words of four rows, which are written to four columns.
// CHECK-LABEL: llvm.func @transposed(
// CHECK-DAG: %[[LOW:[^ ]+]] = arith.constant 83952640 : i32
// CHECK-DAG: %[[HIGH:[^ ]+]] = arith.constant 117638658 : i32
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.constant 84148480 : i32
// CHECK-DAG: %[[SECOND:[^ ]+]] = arith.constant 117834498 : i32
// CHECK: %[[UPPER:[^ ]+]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[R1:[^,]+]], %[[R0:[^,]+]], %[[LOW]])
// CHECK: %[[LOWER:[^ ]+]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[R3:[^,]+]], %[[R2:[^,]+]], %[[LOW]])
// CHECK: %[[C0:[^ ]+]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[LOWER]], %[[UPPER]], %[[FIRST]])
// CHECK: %[[C1:[^ ]+]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[LOWER]], %[[UPPER]], %[[SECOND]])
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%[[R1]], %[[R0]], %[[HIGH]])
// CHECK: llvm.store %[[C0]], %{{.*}} {alignment = 4 : i64} : i32
// CHECK: llvm.store %[[C1]], %{{.*}} {alignment = 4 : i64} : i32
// CHECK: rocdl.mfma.f32.32x32x16.fp8.fp8
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!a = tensor<32x32xf8E4M3FNUZ, #acc>
!b = tensor<32x32xf8E4M3FNUZ, #attn.shared<32, transposed, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf8E4M3FNUZ>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @transposed(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %r = attn.ring.create : !attn.ring<1 x !b>
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !v -> !a
    %s = attn.ring.acquire %r : !attn.ring<1 x !b> -> !attn.slot<!b>
    %p = attn.ring.issue %s, %b[%c0, %c0] by registers : !attn.slot<!b>, !v -> !attn.pending<!b>
    attn.ring.land %p : !attn.pending<!b>
    %y = attn.ring.wait %r : !attn.ring<1 x !b> -> !b
    %d = attn.dot %x, %y, %zero : !a, !b into !c
    attn.ring.release %r : !attn.ring<1 x !b>
    attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}

// -----

// A NaN of weights is kept by their sum; where there is none, comparisons let it pass.
// CHECK-LABEL: llvm.func @weights(
// CHECK: %[[MOST:[^ ]+]] = arith.constant 2.400000e+02 : f32
// CHECK: arith.minnumf %{{[^ ]+}}, %[[MOST]]
// CHECK-NOT: arith.cmpf
// CHECK: rocdl.cvt.pk.fp8.f32
// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT: arith.minnumf
// CHECK: arith.cmpf ogt
// CHECK: rocdl.cvt.pk.fp8.f32
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#rows = #attn.fragment<threads [32:(1), 2:(0)], registers []>
!c = tensor<32x32xf32, #acc>
!n = tensor<32x32xf8E4M3FNUZ, #acc>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @weights(%x: !attn.view<?x32xf32>, %o: !attn.view<?x32xf8E4M3FNUZ>, %l: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%c0, %c0] : !attn.view<?x32xf32> -> !c
    %e = math.exp2 %t : !c
    %s = attn.reduce sum %e : !c
    %p = arith.truncf %e : !c to !n
    attn.store %p, %o[%c0, %c0] : !n -> !attn.view<?x32xf8E4M3FNUZ>
    attn.store %s, %l[%c0] : tensor<32xf32, #rows> -> !attn.view<?xf32>
  }
}
attn.kernel @alone(%x: !attn.view<?x32xf32>, %o: !attn.view<?x32xf8E4M3FNUZ>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%c0, %c0] : !attn.view<?x32xf32> -> !c
    %e = math.exp2 %t : !c
    %p = arith.truncf %e : !c to !n
    attn.store %p, %o[%c0, %c0] : !n -> !attn.view<?x32xf8E4M3FNUZ>
  }
}
}

// -----

// A unit that multiplies other types.
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!a = tensor<32x32xbf16, #acc>
!b = tensor<32x32xbf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xbf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @other(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %r = attn.ring.create : !attn.ring<1 x !b>
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !v -> !a
    %s = attn.ring.acquire %r : !attn.ring<1 x !b> -> !attn.slot<!b>
    %p = attn.ring.issue %s, %b[%c0, %c0] by registers : !attn.slot<!b>, !v -> !attn.pending<!b>
    attn.ring.land %p : !attn.pending<!b>
    %y = attn.ring.wait %r : !attn.ring<1 x !b> -> !b
    // expected-error @+2 {{expected operands of f8E4M3FNUZ for #attn.mfma_f8<32x32x16, fnuz>, but got 'bf16' and 'bf16'}}
    // expected-error @below {{failed to legalize operation 'attn.dot'}}
    %d = attn.dot %x, %y, %zero transpose_rhs by(#attn.mfma_f8<32x32x16, fnuz>) : !a, !b into !c
    attn.ring.release %r : !attn.ring<1 x !b>
    attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}
