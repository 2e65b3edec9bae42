// attn-start-products: a product starts from minus the row that would be taken from it. A second run changes nothing.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-start-products))' --remarks-filter='attn-start.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-start-products))' -o %t.again
// RUN: diff %t %t.again

// REMARK: remark: [Passed] started | Category:attn-start-products | Function=k | Remark="products start from the row that is taken from them:", products=1

// The row may be loaded behind the product.
// CHECK: attn.stream
// CHECK-NOT: attn.dot
// CHECK: %[[ROW:.*]] = attn.load %row
// CHECK-NOT: attn.dot
// CHECK: %[[MINUS:.*]] = arith.mulf %[[ROW]], %{{.*}} : tensor<1x64xf32>
// CHECK: %[[START:.*]] = attn.broadcast %[[MINUS]] : tensor<1x64xf32> to tensor<64x64xf32>
// CHECK: %[[DOT:.*]] = attn.dot %{{.*}}, %{{.*}}, %[[START]] transpose_rhs
// CHECK-NOT: arith.subf
// CHECK: arith.addf %{{.*}}, %[[DOT]]
attn.kernel @k(%n: index, %a: !attn.view<?x?xbf16>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %r = attn.load %row[%i, %pos] : <?x?xf32> -> tensor<1x64xf32>
      %b = attn.broadcast %r : tensor<1x64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %acc, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}
