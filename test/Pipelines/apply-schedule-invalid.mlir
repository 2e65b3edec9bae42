// Schedules that cannot be applied.
//
// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-schedule --attn-to-target
// RUN: not attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-stream-partition{tiles=key=16},attn.kernel(attn-apply-schedule{overrides=persistant}))' 2>&1 | FileCheck %s
// CHECK: no such option persistant
// CHECK: error: expected options of attn-schedule, but got 'persistant'

func.func @ok(%q: tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16> {
  %o = attn.attention %q, %q, %q scale(1.0) : (tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16>
  return %o : tensor<1x4x?x64xf16>
}

// -----

func.func @axis(%q: tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16> {
  // expected-error @below {{'attn.attention' op expected tiles of its axes (query, key), but got 'keys'; did you mean 'key'?}}
  %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = #attn.schedule<tiles = [keys = 16]>} : (tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16>
  return %o : tensor<1x4x?x64xf16>
}

// -----

func.func @splits(%q: tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16> {
  // expected-error @below {{expected 1 to 16 splits, or 0 for the schedule's, but got 17}}
  %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = #attn.schedule<splits = 17>} : (tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) -> tensor<1x4x?x64xf16>
  return %o : tensor<1x4x?x64xf16>
}
