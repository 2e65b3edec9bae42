// convert-attn-to-rocdl: f32 to bf16 two by two where an instruction converts two ('bf16-convert'); elsewhere by integers, of a whole vector;
// f16 is left to the back end.
// RUN: sed 's/TARGET/mi355x/' %s | attn-opt --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --check-prefix=PAIRS
// RUN: sed 's/TARGET/mi300x/' %s | attn-opt --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --check-prefix=WORDS

// PAIRS-LABEL: llvm.func @narrow(
// PAIRS: %[[X:[^ ]+]]:16 = vector.to_elements %{{[^ ]+}} : vector<16xf32>
// PAIRS: %[[FIRST:[^ ]+]] = vector.from_elements %[[X]]#0, %[[X]]#1 : vector<2xf32>
// PAIRS: %[[PAIR:[^ ]+]] = arith.truncf %[[FIRST]] : vector<2xf32> to vector<2xbf16>
// PAIRS: vector.to_elements %[[PAIR]] : vector<2xbf16>
// PAIRS-COUNT-7: arith.truncf %{{[^ ]+}} : vector<2xf32> to vector<2xbf16>
// PAIRS-NOT: arith.truncf
// PAIRS: vector.from_elements %[[PAIR2:[^ ]+]]#0, %[[PAIR2]]#1, {{.*}} : vector<8xbf16>
// PAIRS-LABEL: llvm.func @half(
// PAIRS: arith.truncf %{{[^ ]+}} : vector<16xf32> to vector<16xf16>

// WORDS-LABEL: llvm.func @narrow(
// WORDS-NOT: arith.truncf
// WORDS: %[[SUM:[^ ]+]] = arith.addi %{{[^ ]+}}, %{{[^ ]+}} : vector<16xi32>
// WORDS-NOT: arith.truncf
// WORDS-LABEL: llvm.func @half(
// WORDS: arith.truncf %{{[^ ]+}} : vector<16xf32> to vector<16xf16>
#tile = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"TARGET">} {
attn.kernel @narrow(%a: !attn.view<?x32xf32>, %o: !attn.view<?x32xbf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xf32> -> tensor<32x32xf32, #tile>
    %y = arith.truncf %x : tensor<32x32xf32, #tile> to tensor<32x32xbf16, #tile>
    attn.store %y, %o[%c0, %c0] : tensor<32x32xbf16, #tile> -> !attn.view<?x32xbf16>
  }
}
attn.kernel @half(%a: !attn.view<?x32xf32>, %o: !attn.view<?x32xf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !attn.view<?x32xf32> -> tensor<32x32xf32, #tile>
    %y = arith.truncf %x : tensor<32x32xf32, #tile> to tensor<32x32xf16, #tile>
    attn.store %y, %o[%c0, %c0] : tensor<32x32xf16, #tile> -> !attn.view<?x32xf16>
  }
}
}
