// attn-sawtooth where CTAs take one sharing set after the other: memory must take a
// share of the time of the products, or what drifting apart costs is more.

// RUN: attn-opt %s --split-input-file --mlir-disable-threading --attn-schedule='target=h200 tiles=query=128,key=128 persistent resident=1 sawtooth=auto' --remarks-filter='attn-sawtooth' 2>%t.fast | FileCheck %s
// RUN: FileCheck %s --input-file=%t.fast --check-prefix=REMARK

// On a chip with a twentieth of the memory's speed both alternate: 24 %, not 1.2 %.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --attn-schedule='target=h200 overrides=dram_gbps=240 tiles=query=128,key=128 persistent resident=1 sawtooth=auto' | FileCheck %s --check-prefix=SLOW
// The border: 1.2 % of 4800 GB/s are 4.0 % of 1463.4.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --attn-schedule='target=h200 overrides=dram_gbps=1463 tiles=query=128,key=128 persistent resident=1 sawtooth=auto' | FileCheck %s --check-prefix=SLOW
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --attn-schedule='target=h200 overrides=dram_gbps=1464 tiles=query=128,key=128 persistent resident=1 sawtooth=auto' | FileCheck %s

// REMARK: remark: [Missed] drifts | Category:attn-sawtooth | Function=four_heads_attention |
// CHECK-LABEL: attn.kernel @four_heads_attention
// CHECK: attn.stream
// CHECK-NOT: traversal
// CHECK: over
// SLOW-LABEL: attn.kernel @four_heads_attention
// SLOW: attn.stream %{{[^ ]+}} step 128 traversal #attn.reversed
func.func @four_heads(%q: tensor<1x4x147456x128xbf16>, %k: tensor<1x4x147456x128xbf16>, %v: tensor<1x4x147456x128xbf16>) -> tensor<1x4x147456x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.088) : (tensor<1x4x147456x128xbf16>, tensor<1x4x147456x128xbf16>, tensor<1x4x147456x128xbf16>) -> tensor<1x4x147456x128xbf16>
  return %o : tensor<1x4x147456x128xbf16>
}

// -----

// One head is one set: no CTA goes on.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=one_head_attention | {{.*}} decided="at compile time"
// CHECK-LABEL: attn.kernel @one_head_attention
// CHECK: attn.stream %{{[^ ]+}} step 128 traversal #attn.reversed
// SLOW-LABEL: attn.kernel @one_head_attention
// SLOW: attn.stream %{{[^ ]+}} step 128 traversal #attn.reversed
func.func @one_head(%q: tensor<1x1x147456x128xbf16>, %k: tensor<1x1x147456x128xbf16>, %v: tensor<1x1x147456x128xbf16>) -> tensor<1x1x147456x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.088) : (tensor<1x1x147456x128xbf16>, tensor<1x1x147456x128xbf16>, tensor<1x1x147456x128xbf16>) -> tensor<1x1x147456x128xbf16>
  return %o : tensor<1x1x147456x128xbf16>
}

// -----

// How many there are is known at a launch: the kernel counts them.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=some_attention | {{.*}} decided="at run time"
// CHECK-LABEL: attn.kernel @some_attention
// CHECK: %[[BATCH:[^ ]+]] = attn.dim %{{[^ ]+}}, 0
// CHECK: %[[STAYS:[^ ]+]] = arith.cmpi ule, %[[BATCH]], %{{[^ ]+}} : index
// CHECK: arith.andi %{{[^ ]+}}, %[[STAYS]] : i1
// CHECK: attn.stream %{{[^ ]+}} step 128 traversal #attn.reversed
// SLOW-LABEL: attn.kernel @some_attention
// SLOW: %[[BATCH:[^ ]+]] = attn.dim %{{[^ ]+}}, 0
// SLOW-NOT: arith.cmpi ule, %[[BATCH]]
// SLOW: attn.stream %{{[^ ]+}} step 128 traversal #attn.reversed
func.func @some(%q: tensor<?x1x147456x128xbf16>, %k: tensor<?x1x147456x128xbf16>, %v: tensor<?x1x147456x128xbf16>) -> tensor<?x1x147456x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.088) : (tensor<?x1x147456x128xbf16>, tensor<?x1x147456x128xbf16>, tensor<?x1x147456x128xbf16>) -> tensor<?x1x147456x128xbf16>
  return %o : tensor<?x1x147456x128xbf16>
}
