// attn-stream-partition: no keys at all. The segments that fold away leave one, which is
// empty: the kernel stores what a query that sees nothing has.
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s
// RUN: attn-compile %s --run | FileCheck %s --check-prefix=PASS
// RUN: attn-compile %s --run --schedule='splits=2 persistent sms=1 resident=1 sawtooth=force' | FileCheck %s --check-prefix=PASS

// RUN: attn-compile %s --run --schedule='tiles=query=16,key=16 split-ctas' | FileCheck %s --check-prefix=SPLIT
// RUN: attn-compile %s --run --schedule='tiles=query=16,key=16 split-length=32' | FileCheck %s --check-prefix=SPLIT

// CHECK-LABEL: attn.kernel @none_attention
// CHECK: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: attn.stream %{{[^ ]+}} step 16 over [%[[C0]] to %[[C0]]] carry
// PASS: kernel @none_attention: {{.*}} of the LSE: 0: PASS
func.func @none(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x0x16xf32>, %v: tensor<1x2x0x16xf32>) -> (tensor<1x2x40x16xf32>, tensor<1x2x40xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.25)
      : (tensor<1x2x40x16xf32>, tensor<1x2x0x16xf32>, tensor<1x2x0x16xf32>) -> (tensor<1x2x40x16xf32>, tensor<1x2x40xf32>)
  return %o, %lse : tensor<1x2x40x16xf32>, tensor<1x2x40xf32>
}

// No sequence either: a list without an entry, and a merge of no parts.
// SPLIT-DAG: function @none: {{.*}}: PASS
// SPLIT-DAG: function @nobody: {{.*}}: PASS
func.func @nobody(%q: tensor<0x2x40x16xf32>, %k: tensor<0x2x50x16xf32>, %v: tensor<0x2x50x16xf32>, %n: tensor<0xi32>) -> tensor<0x2x40x16xf32> {
  %o = attn.attention %q, %k, %v scale(0.25) lengths(%n : tensor<0xi32>)
      : (tensor<0x2x40x16xf32>, tensor<0x2x50x16xf32>, tensor<0x2x50x16xf32>) -> tensor<0x2x40x16xf32>
  return %o : tensor<0x2x40x16xf32>
}
