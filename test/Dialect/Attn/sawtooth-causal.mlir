// attn-sawtooth: a causal mask ends the streams of a set's CTAs at places of their
// own, but they still share what they stream. All 96 CTAs are on one head, whose 163840
// keys of 128 bytes fit the 20971520 bytes of gb10 just so; 163841 do not.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' --remarks-filter='attn.*' -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: [Missed] fits-cache | {{.*}} Function=fits |
// CHECK: remark: [Passed] sawtooth | {{.*}} Function=exceeds | {{.*}} decided="at compile time"
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @fits(%k: !attn.view<8x163840x64xf16>, %o: !attn.view<8x163840x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c2560 = arith.constant 2560 : index
    attn.grid (%h, %i) visit %v in (head = %c8, query = %c2560) sharing [head] persistent 96 {
      %first = arith.muli %i, %c64 : index
      %last = arith.addi %first, %c64 : index
      attn.stream %j step 64 over [%c0 to %first, masked %first to %last] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163840x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163840x64xf16>
      }
    }
  }
  attn.kernel @exceeds(%k: !attn.view<8x163841x64xf16>, %o: !attn.view<8x163841x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c2560 = arith.constant 2560 : index
    attn.grid (%h, %i) visit %v in (head = %c8, query = %c2560) sharing [head] persistent 96 {
      %first = arith.muli %i, %c64 : index
      %last = arith.addi %first, %c64 : index
      attn.stream %j step 64 over [%c0 to %first, masked %first to %last] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163841x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163841x64xf16>
      }
    }
  }
}
