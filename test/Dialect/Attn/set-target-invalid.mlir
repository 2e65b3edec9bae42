// attn-set-target: every diagnostic, through the pass, the pipeline and the tool.
//
// RUN: not attn-opt %s -attn-set-target=target=h20 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not attn-opt %s -attn-schedule=target=h20 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not attn-compile %s --target=h20 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: unknown target 'h20'; did you mean 'h200'? (known: {{.*}}cpu, {{.*}}gb10, {{.*}}h100, {{.*}}h200, {{.*}}mi300x{{.*}})
// NEAR-NOT: error:
//
// RUN: not attn-opt %s -attn-set-target=target=snapdragon 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAR
// FAR: error: unknown target 'snapdragon' (known: {{.*}}cpu, {{.*}}gb10, {{.*}}h100, {{.*}}h200, {{.*}}mi300x{{.*}})
//
// The target is looked up before its facts.
// RUN: not attn-opt %s -attn-set-target='target=h20 overrides=smss=4' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEAR
//
// RUN: not attn-opt %s -attn-set-target=overrides=smss=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FACT
// RUN: not attn-opt %s -attn-schedule=overrides=smss=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FACT
// RUN: not attn-compile %s --target-fact=smss=4 2>&1 | FileCheck %s --check-prefix=FACT
// FACT: error: unknown fact 'smss'; did you mean 'sms'?
//
// RUN: not attn-opt %s -attn-set-target=overrides=frequency=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FARFACT
// FARFACT: error: unknown fact 'frequency'{{$}}
//
// Not a fact, though the attribute has it.
// RUN: not attn-opt %s -attn-set-target=overrides=arch=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARCH
// ARCH: error: unknown fact 'arch'{{$}}
//
// RUN: not attn-opt %s -attn-set-target=overrides=sms 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BARE
// BARE: error: target override expects fact=integer, but got 'sms'
// RUN: not attn-opt %s -attn-set-target=overrides=sms= 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: target override expects fact=integer, but got 'sms='
// RUN: not attn-opt %s -attn-set-target=overrides=sms=many 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORD
// WORD: error: target override expects fact=integer, but got 'sms=many'
// RUN: not attn-opt %s -attn-set-target=overrides=l2_bytes=1.5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FRACTION
// FRACTION: error: target override expects fact=integer, but got 'l2_bytes=1.5'
// RUN: not attn-opt %s -attn-set-target=overrides=l2_bytes=9223372036854775808 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HUGE
// HUGE: error: target override expects fact=integer, but got 'l2_bytes=9223372036854775808'
//
// RUN: not attn-opt %s -attn-set-target=overrides=sms=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// RUN: not attn-compile %s --target=gb10 --target-fact=sms=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// ZERO: error: fact 'sms' expects at least 1, but got 0
// RUN: not attn-opt %s -attn-set-target='target=h100 overrides=sms=4,l2_bytes=-5' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: fact 'l2_bytes' expects at least 1, but got -5
// RUN: not attn-opt %s -attn-set-target='target=h100 overrides=l2_domains=9223372036854775807' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// MANY: error: expected a fact 'l2_domains' of at most 1024, but got 9223372036854775807
//
// RUN: not attn-opt %s -attn-set-target=name=h100 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option name
module attributes {attn.target = #attn.target<"gb10">} {
}
