// attn-apply-schedule and attn-apply-lowering: each kernel as its own schedule says, options before it, field by field.
//
// RUN: attn-opt %s --attn-schedule | FileCheck %s --check-prefixes=BOTH,OWN
// RUN: attn-opt %s --attn-schedule='tiles=key=32 resident=2 longest-first=false' | FileCheck %s --check-prefixes=BOTH,ASKED
// RUN: attn-opt %s --attn-schedule --attn-to-target | FileCheck %s --check-prefix=TARGET --implicit-check-not=attn.schedule
// RUN: attn-opt %s --attn-schedule --attn-to-target=warps=1 | FileCheck %s --check-prefix=ONE --implicit-check-not=attn.schedule
// The passes by themselves.
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s --check-prefix=KEPT
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-stream-partition,attn.kernel(attn-apply-schedule{overrides=resident=2},attn-apply-lowering))' | FileCheck %s --check-prefix=PASSES --implicit-check-not=attn.schedule

// BOTH-LABEL: attn.kernel @first_attention
// BOTH-SAME: attn.schedule = #attn.schedule<warps = 2>
// OWN: persistent 40
// ASKED: persistent 80
// OWN: attn.stream {{.*}} step 16
// ASKED: attn.stream {{.*}} step 32
// BOTH-LABEL: attn.kernel @second_attention
// BOTH-NOT: attn.schedule
// OWN-SAME: {
// OWN: reversed = [query]
// OWN-NOT: persistent
// ASKED-NOT: reversed
// BOTH: attn.stream
// BOTH: attn.stream

// TARGET-LABEL: attn.kernel @first_attention{{.*}}threads = 64
// TARGET-LABEL: attn.kernel @second_attention{{.*}}threads = 128
// ONE-LABEL: attn.kernel @first_attention{{.*}}threads = 32
// ONE-LABEL: attn.kernel @second_attention{{.*}}threads = 32

// KEPT: attn.kernel @first_attention{{.*}}attn.schedule = #attn.schedule<persistent, resident = 1, warps = 2>
// KEPT: attn.kernel @second_attention{{.*}}attn.schedule = #attn.schedule<grid_order = naive_head_first, longest_first>

// PASSES: persistent 80
module attributes {attn.target = #attn.target<"gb10", sms = 40>} {
  func.func @first(%q: tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16> {
    %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = #attn.schedule<tiles = [query = 32, key = 16], persistent, resident = 1, warps = 2>} : (tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16>
    return %o : tensor<1x4x?x64xf16>
  }
  func.func @second(%q: tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16> {
    %o = attn.attention %q, %q, %q mask(#attn.causal<bottom_right>) scale(1.0) {attn.schedule = #attn.schedule<tiles = [query = 64], splits = 2, grid_order = naive_head_first, longest_first>} : (tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16>
    return %o : tensor<1x4x?x64xf16>
  }
}
