// convert-attn-to-rocdl: which operand of an MFMA is which. Products are computed transposed: the
// right-hand side, read from LDS, comes first and the left-hand side, here in registers, second,
// and both give the same part of the sum to an instruction.
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: llvm.func @large(
// CHECK: %[[A:[^ ]+]] = vector.bitcast %{{[^ ]+}} : vector<4xi32> to vector<8xf16>
// CHECK: %[[B:[^ ]+]] = llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-DAG: %[[B0:[^ ]+]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK-DAG: %[[A0:[^ ]+]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: %[[C:[^ ]+]] = rocdl.mfma.f32.32x32x8f16 %[[B0]], %[[A0]], %{{[^ ]+}},
// CHECK-DAG: %[[B1:[^ ]+]] = vector.extract_strided_slice %[[B]] {offsets = [4], sizes = [4], strides = [1]}
// CHECK-DAG: %[[A1:[^ ]+]] = vector.extract_strided_slice %[[A]] {offsets = [4], sizes = [4], strides = [1]}
// CHECK: rocdl.mfma.f32.32x32x8f16 %[[B1]], %[[A1]], %[[C]],
// CHECK-NOT: rocdl.mfma
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#lhs = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1)]>
!a = tensor<32x16xf16, #lhs>
!b = tensor<32x16xf16, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x16xf16>
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

// The same in bf16, whose operands are integers.
// CHECK-LABEL: llvm.func @bits(
// CHECK: %[[A:[^ ]+]] = vector.bitcast %{{[^ ]+}} : vector<4xi32> to vector<8xbf16>
// CHECK: %[[B:[^ ]+]] = llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-DAG: %[[B0:[^ ]+]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK-DAG: %[[A0:[^ ]+]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK-DAG: %[[BI:[^ ]+]] = llvm.bitcast %[[B0]] : vector<4xbf16> to vector<4xi16>
// CHECK-DAG: %[[AI:[^ ]+]] = llvm.bitcast %[[A0]] : vector<4xbf16> to vector<4xi16>
// CHECK: rocdl.mfma.f32.32x32x8bf16.1k %[[BI]], %[[AI]], %{{[^ ]+}},
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#lhs = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1)]>
!a = tensor<32x16xbf16, #lhs>
!b = tensor<32x16xbf16, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x16xbf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @bits(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
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
