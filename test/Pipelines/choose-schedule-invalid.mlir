// RUN: not attn-opt %s --attn-choose-schedule=sizes=query 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: sizes expect axis=size, but got 'query'

// Nothing fits: no attributes, and the first reason.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10 overrides=smem_per_block=64},attn-choose-schedule)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.schedule
// NONE: remark: [Missed] nothing-fits | Category:attn-choose-schedule | Remark="no candidate fits the target:", first="'attn.attention' op tile {{.*}} asks for

// Nothing to choose.
// RUN: sed '/attn.attention/d; s/%o/%q/' %s | attn-opt --attn-choose-schedule --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=EMPTY --implicit-check-not=attn.schedule
// EMPTY: remark: [Missed] nothing-to-choose

func.func @f(%q: tensor<1x16x?x64xbf16>, %k: tensor<1x16x?x64xbf16>, %v: tensor<1x16x?x64xbf16>) -> tensor<1x16x?x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x16x?x64xbf16>, tensor<1x16x?x64xbf16>, tensor<1x16x?x64xbf16>) -> tensor<1x16x?x64xbf16>
  return %o : tensor<1x16x?x64xbf16>
}
