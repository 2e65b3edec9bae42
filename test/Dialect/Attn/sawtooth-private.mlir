// attn-sawtooth: what a CTA streams for itself counts for each of the 96 in flight,
// what it shares with others once: 97 x 128 bytes a position of k. 1690 exceed the
// 20971520 bytes of gb10, 1689 do not.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' --remarks-filter='attn.*' -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: [Passed] sawtooth | {{.*}} Function=exceeds | {{.*}} decided="at compile time"
// CHECK: remark: [Missed] fits-cache | {{.*}} Function=fits |
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @exceeds(%a: !attn.view<131072x1690xf16>, %b: !attn.view<1690x512xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c2048 = arith.constant 2048 : index
    %k = arith.constant 1690 : index
    attn.grid (%nt, %mt) visit %v in (n = %c8, m = %c2048) sharing [n] persistent 96 {
      %row = arith.muli %mt, %c64 : index
      %column = arith.muli %nt, %c64 : index
      attn.stream %j step 64 over [%c0 to %k] {
        %at = attn.load %a[%row, %j] : !attn.view<131072x1690xf16> -> tensor<64x64xf16>
        %bt = attn.load %b[%j, %column] : !attn.view<1690x512xf16> -> tensor<64x64xf16>
        attn.store %at, %b[%j, %column] : tensor<64x64xf16> -> !attn.view<1690x512xf16>
        attn.store %bt, %a[%row, %j] : tensor<64x64xf16> -> !attn.view<131072x1690xf16>
      }
    }
  }
  attn.kernel @fits(%a: !attn.view<131072x1689xf16>, %b: !attn.view<1689x512xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c2048 = arith.constant 2048 : index
    %k = arith.constant 1689 : index
    attn.grid (%nt, %mt) visit %v in (n = %c8, m = %c2048) sharing [n] persistent 96 {
      %row = arith.muli %mt, %c64 : index
      %column = arith.muli %nt, %c64 : index
      attn.stream %j step 64 over [%c0 to %k] {
        %at = attn.load %a[%row, %j] : !attn.view<131072x1689xf16> -> tensor<64x64xf16>
        %bt = attn.load %b[%j, %column] : !attn.view<1689x512xf16> -> tensor<64x64xf16>
        attn.store %at, %b[%j, %column] : tensor<64x64xf16> -> !attn.view<1689x512xf16>
        attn.store %bt, %a[%row, %j] : tensor<64x64xf16> -> !attn.view<131072x1689xf16>
      }
    }
  }
}
