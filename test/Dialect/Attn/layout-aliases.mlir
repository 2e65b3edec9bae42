// Modules name layouts, each stated once: lines of level 3 hold names. What is printed
// is read back as the same IR, under the same names.
//
// RUN: attn-opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: attn-opt %t.once | diff %t.once -
// RUN: attn-opt %s -emit-bytecode | attn-opt | diff %t.once -

// The second layout of a kind has a number, in the order of their use.
// CHECK: #acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-NEXT: #acc1 = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-NEXT: #parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
// CHECK-NEXT: #rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
// CHECK-NEXT: #shared = #attn.shared<64>
// CHECK-NEXT: #shared1 = #attn.shared<128>
// CHECK-NEXT: #shared2 = #attn.shared<128, folded>
// CHECK-NEXT: module {
// Names of the input say nothing.
#scores = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>

// CHECK-LABEL: func.func @product
// CHECK-SAME: tensor<64x64xf32, #acc>
// CHECK-SAME: tensor<64x32xf32, #acc1>
// CHECK: attn.dot %{{.*}} : tensor<64x32xbf16, #shared>, tensor<32x64xbf16, #shared1> into tensor<64x64xf32, #acc>
// CHECK-NEXT: %{{.*}} = attn.reduce_registers sum %{{.*}} : tensor<64x32xf32, #acc1>
// CHECK-NEXT: %{{.*}} = attn.reduce sum %{{.*}} : tensor<64x4xf32, #parts>
// CHECK-NEXT: %{{.*}} = attn.broadcast %{{.*}} : tensor<64xf32, #rows> to tensor<64x4xf32, #parts>
// CHECK-NEXT: %{{.*}} = attn.ring.create : <2 x tensor<64x64xbf16, #shared2>>
func.func @product(%o: tensor<64x64xf32, #acc>, %s: tensor<64x32xf32, #scores>,
    %p: tensor<64x32xbf16, #attn.shared<64>>, %v: tensor<32x64xbf16, #attn.shared<128>>) {
  %0 = attn.dot %p, %v, %o : tensor<64x32xbf16, #attn.shared<64>>, tensor<32x64xbf16, #attn.shared<128>> into tensor<64x64xf32, #acc>
  %1 = attn.reduce_registers sum %s : tensor<64x32xf32, #scores>
  %2 = attn.reduce sum %1 : tensor<64x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>>
  %3 = attn.broadcast %2 : tensor<64xf32, #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>>
    to tensor<64x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>>
  %4 = attn.ring.create : !attn.ring<2 x tensor<64x64xbf16, #attn.shared<128, folded>>>
  return
}
