// V that is a slice of K's first columns is found (canonicalisation); others are not. The clause comes back as it was printed.
// RUN: attn-opt %s --canonicalize -o %t && FileCheck %s --input-file=%t
// RUN: attn-opt %t | diff %t -

// CHECK-LABEL: @dynamic
// CHECK: attn.attention {{.*}} scale(1.250000e-01) values(keys) :
func.func @dynamic(%q: tensor<?x4x?x64xf16>, %k: tensor<?x2x?x64xf16>) -> tensor<?x4x?x48xf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %k, %c0 : tensor<?x2x?x64xf16>
  %s = tensor.dim %k, %c2 : tensor<?x2x?x64xf16>
  %v = tensor.extract_slice %k[0, 0, 0, 0] [%b, 2, %s, 48] [1, 1, 1, 1] : tensor<?x2x?x64xf16> to tensor<?x2x?x48xf16>
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x48xf16>) -> tensor<?x4x?x48xf16>
  return %o : tensor<?x4x?x48xf16>
}

// CHECK-LABEL: @first
// CHECK: attn.attention {{.*}} scale(1.250000e-01) values(keys) :
func.func @first(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>) -> tensor<1x4x16x48xf16> {
  %v = tensor.extract_slice %k[0, 0, 0, 0] [1, 2, 16, 48] [1, 1, 1, 1] : tensor<1x2x16x64xf16> to tensor<1x2x16x48xf16>
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x2x16x48xf16>) -> tensor<1x4x16x48xf16>
  return %o : tensor<1x4x16x48xf16>
}

// CHECK-LABEL: @last
// CHECK: attn.attention {{.*}} scale(1.250000e-01) :
func.func @last(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>) -> tensor<1x4x16x48xf16> {
  %v = tensor.extract_slice %k[0, 0, 0, 16] [1, 2, 16, 48] [1, 1, 1, 1] : tensor<1x2x16x64xf16> to tensor<1x2x16x48xf16>
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x2x16x48xf16>) -> tensor<1x4x16x48xf16>
  return %o : tensor<1x4x16x48xf16>
}

// CHECK-LABEL: @other
// CHECK: attn.attention {{.*}} scale(1.250000e-01) :
func.func @other(%q: tensor<1x4x16x64xf16>, %k: tensor<1x2x16x64xf16>, %x: tensor<1x2x16x64xf16>) -> tensor<1x4x16x48xf16> {
  %v = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 16, 48] [1, 1, 1, 1] : tensor<1x2x16x64xf16> to tensor<1x2x16x48xf16>
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x4x16x64xf16>, tensor<1x2x16x64xf16>, tensor<1x2x16x48xf16>) -> tensor<1x4x16x48xf16>
  return %o : tensor<1x4x16x48xf16>
}
