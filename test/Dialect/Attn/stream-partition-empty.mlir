// attn-stream-partition: no keys at all. The segments that fold away leave one, which is
// empty: the kernel stores what a query that sees nothing has.
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s
// RUN: attn-compile %s --run | FileCheck %s --check-prefix=PASS
// RUN: attn-compile %s --run --schedule='splits=2 persistent sms=1 resident=1 sawtooth=force' | FileCheck %s --check-prefix=PASS

// CHECK-LABEL: attn.kernel @none_attention
// CHECK: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: attn.stream %{{[^ ]+}} step 16 over [%[[C0]] to %[[C0]]] carry
// PASS: kernel @none_attention: {{.*}} of the LSE: 0: PASS
func.func @none(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x0x16xf32>, %v: tensor<1x2x0x16xf32>) -> (tensor<1x2x40x16xf32>, tensor<1x2x40xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.25)
      : (tensor<1x2x40x16xf32>, tensor<1x2x0x16xf32>, tensor<1x2x0x16xf32>) -> (tensor<1x2x40x16xf32>, tensor<1x2x40xf32>)
  return %o, %lse : tensor<1x2x40x16xf32>, tensor<1x2x40xf32>
}
