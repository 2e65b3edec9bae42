// attn-transfer-model: what an algorithm has to move, and what a schedule moves.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --attn-transfer-model=sizes=query=1024,key=1024 -o %t.after 2>&1 | FileCheck %s
// RUN: diff %t.before %t.after
// Half of the registers: attention moves nearly twice as much to the SMs, a matrix product 2^0.5 as much.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{overrides=registers_per_sm=32768},attn-transfer-model{sizes=query=1024,key=1024})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF

module attributes {attn.target = #attn.target<"h200">} {
  // 1024^3 of bf16: 2 abc M^-1/2 + ac.
  // CHECK:      attn.matmul: axes m=1024 (grouped) n=1024 (grouped) k=1024; state of 1 values
  // CHECK-NEXT:   H*(a, M) = 1.04858e+06 + 2.14748e+09 M^-0.5 values
  // CHECK-NEXT:   L2: M = 15728640 values, H* = 3.18 MB, 0.6625 us at 4800 GB/s
  // CHECK-NEXT:   SM: M = 65536 values, H* = 18.87 MB, 2.996 us at 6300 GB/s
  // HALF:         SM: M = 32768 values, H* = 25.82 MB
  func.func @matmul(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
    %c = attn.matmul %a, %b : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
    return %c : tensor<1024x1024xf32>
  }

  // One head: 2 q d + 2 x q d (d + 3) / M; the 3 are factor, reference and sum of a row.
  // CHECK:      attn.attention: axes batch=1 kv_head=1 group=1 (grouped) query=1024 (grouped) key=1024 qk_dim=64 value_dim=64; state of 67 values
  // CHECK-NEXT:   H*(a, M) = 131072 + 8.99259e+09 M^-1 values
  // CHECK:        SM: M = 65536 values, H* = 0.5366 MB
  // HALF:         SM: M = 32768 values, H* = 0.811 MB
  func.func @attention(%q: tensor<1x1x?x64xbf16>, %k: tensor<1x1x?x64xbf16>, %v: tensor<1x1x?x64xbf16>) -> tensor<1x1x?x64xbf16> {
    %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>) -> tensor<1x1x?x64xbf16>
    return %o : tensor<1x1x?x64xbf16>
  }

  // MHA, 8 heads: 8 times as much of both terms.
  // CHECK:      attn.attention: axes batch=1 kv_head=8 group=1 (grouped) query=1024 (grouped) key=1024
  // CHECK-NEXT:   H*(a, M) = 1.04858e+06 + 7.19407e+10 M^-1 values
  func.func @mha(%q: tensor<1x8x?x64xbf16>, %k: tensor<1x8x?x64xbf16>, %v: tensor<1x8x?x64xbf16>) -> tensor<1x8x?x64xbf16> {
    %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x8x?x64xbf16>, tensor<1x8x?x64xbf16>, tensor<1x8x?x64xbf16>) -> tensor<1x8x?x64xbf16>
    return %o : tensor<1x8x?x64xbf16>
  }

  // GQA, 8 query heads on 2: Q and O as before, K and V are broadcast to groups of rows of any of
  // 4 heads, so that transfers are those of MHA.
  // CHECK:      attn.attention: axes batch=1 kv_head=2 group=4 (grouped) query=1024 (grouped) key=1024
  // CHECK-NEXT:   H*(a, M) = 1.04858e+06 + 7.19407e+10 M^-1 values
  func.func @gqa(%q: tensor<1x8x?x64xbf16>, %k: tensor<1x2x?x64xbf16>, %v: tensor<1x2x?x64xbf16>) -> tensor<1x8x?x64xbf16> {
    %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x8x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>) -> tensor<1x8x?x64xbf16>
    return %o : tensor<1x8x?x64xbf16>
  }
}
