// attn.tuned: rows of tuning files.
//
// RUN: attn-opt %s --split-input-file --verify-diagnostics | attn-opt --split-input-file | FileCheck %s

// CHECK: attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal <persistent>
// CHECK-SAME: variants [#attn.variant<"query<=512", <tiles = [query = 64]>>, #attn.variant<"key>=4096", <>>,
// CHECK-SAME: #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=80000", <persistent>>]
// CHECK: attn.tuned "attn.attention" of [bf16] columns 128 rows 64 causal packed reads special sorted <persistent>
// CHECK: attn.tuned "attn.attention" of [bf16] columns 128 rows 64 special <>
// CHECK: attn.tuned "attn.attention" of [bf16] columns 128 rows 1 to 63 causal <>
// CHECK: attn.tuned "attn.attention" of [bf16] columns 320 keys 192 rows 64 <>
// CHECK: attn.tuned "attn.matmul" of [f16] columns 64 rows 0 <warps = 4>
module attributes {attn.target = #attn.target<"h200">} {
  attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal <persistent>
    variants [#attn.variant<"query<=512", <tiles = [query = 64]>>, #attn.variant<"key>=4096", <>>,
              #attn.variant<"batch*kv_head>=24 & batch*kv_head*key>=80000", <persistent>>]
  attn.tuned "attn.attention" of [bf16] columns 128 rows 64 causal packed reads special sorted <persistent>
  attn.tuned "attn.attention" of [bf16] columns 128 rows 64 special <>
  attn.tuned "attn.attention" of [bf16] columns 128 rows 1 to 63 causal <>
  attn.tuned "attn.attention" of [bf16] columns 320 keys 192 rows 64 <>
  attn.tuned "attn.matmul" of [f16] columns 64 rows 0 <warps = 4>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  // expected-error @below {{'attn.tuned' op expected 1 or more columns, but got 0}}
  attn.tuned "attn.attention" of [f16] columns 0 rows 64 <>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  // expected-error @below {{'attn.tuned' op expected 1 to 64 columns of K, but got 65}}
  attn.tuned "attn.attention" of [f16] columns 64 keys 65 rows 64 <>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  // expected-error @below {{expected 0 or more rows, but got -1}}
  attn.tuned "attn.attention" of [f16] columns 1 rows -1 <>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  // expected-error @below {{expected rows from 64 to as many or more, but got 63}}
  attn.tuned "attn.attention" of [f16] columns 1 rows 64 to 63 <>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  // expected-error @below {{expected the name of an operation, but got 'attention'}}
  attn.tuned "attention" of [f16] columns 1 rows 1 <>
}

// -----

module {
  // expected-error @below {{expected 'attn.target' on its module: the chip that was measured}}
  attn.tuned "attn.attention" of [f16] columns 1 rows 1 <>
}

// -----

module attributes {attn.target = #attn.target<"h200">} {
  attn.tuned "attn.attention" of [f16] columns 1 rows 1 <>
    // expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "batch*<=4"}}
    variants [#attn.variant<"batch*<=4", <persistent>>]
}
