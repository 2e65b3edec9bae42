// attn-grid-order: the four named orders, with 8 L2 domains (mi300x) and one (h200).

// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=naive-head-first}))' | FileCheck %s --check-prefix=PLAIN
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=naive-block-first}))' | FileCheck %s --check-prefix=BLOCK
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=swizzled-head-first}))' | FileCheck %s --check-prefix=HEAD8
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=swizzled-block-first}))' | FileCheck %s --check-prefix=BLOCK8
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=naive-head-first}))' | FileCheck %s --check-prefix=PLAIN
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=naive-block-first}))' | FileCheck %s --check-prefix=BLOCK
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=swizzled-head-first}))' | FileCheck %s --check-prefix=PLAIN
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=swizzled-block-first}))' | FileCheck %s --check-prefix=BLOCK
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=block-outermost}))' | FileCheck %s --check-prefix=OUTER
// Groups of sets, also where an axis is reversed; the target's domains say nothing.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=four-sets longest-first}))' | FileCheck %s --check-prefix=GROUPS
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{order=two-sets}))' | FileCheck %s --check-prefix=GROUPS2
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=one-set longest-first}))' | FileCheck %s --check-prefix=ONESET
// swizzled-head-first is the default.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order))' | FileCheck %s --check-prefix=HEAD8

// Options take the place of the target's facts, and a fact changes the order.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{domains=4 chunk=2}))' | FileCheck %s --check-prefix=HEAD42
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{domains=1}))' | FileCheck %s --check-prefix=PLAIN
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200 overrides=l2_domains=4,dispatch_chunk=2},attn.kernel(attn-grid-order))' | FileCheck %s --check-prefix=HEAD42

// Longest first: the last axis from its end.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order{longest-first}))' | FileCheck %s --check-prefix=LONG8
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{order=naive-block-first longest-first=true}))' | FileCheck %s --check-prefix=LONGBLOCK
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order{longest-first}))' | FileCheck %s --check-prefix=LONG

// A later order takes the place of an earlier one.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{order=swizzled-block-first domains=3 longest-first},attn-grid-order{order=naive-block-first}))' | FileCheck %s --check-prefix=BLOCK

// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-grid-order))' --mlir-disable-threading --remarks-filter='attn.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] grid-order | Category:attn-grid-order | Function=attention
// REMARK-SAME: domains=8, order=swizzled-head-first
// REMARK: remark: [Passed] grid-order | Category:attn-grid-order | Function=product
// REMARK: remark: [Missed] no-sharing | Category:attn-grid-order | Function=rows | Remark="no axis selects the streamed data: nothing to keep on a domain"

// PLAIN-LABEL: attn.kernel @attention
// PLAIN: sharing [batch, kv_head] run 2 persistent 9 {
// BLOCK-LABEL: attn.kernel @attention
// BLOCK: sharing [batch, kv_head] order {{.*}}<[batch, query, kv_head, group]> run 2 persistent 9 {
// OUTER-LABEL: attn.kernel @attention
// OUTER: sharing [batch, kv_head] order {{.*}}<[query, batch, kv_head, group]> run 2 persistent 9 {
// GROUPS-LABEL: attn.kernel @attention
// GROUPS: sharing [batch, kv_head] order {{.*}}<[query, sharing, group], together = 4, reversed = [query]> run 2 persistent 9 {
// GROUPS2-LABEL: attn.kernel @attention
// GROUPS2: sharing [batch, kv_head] order {{.*}}<[query, sharing, group], together = 2> run 2 persistent 9 {
// ONESET-LABEL: attn.kernel @attention
// ONESET: sharing [batch, kv_head] order {{.*}}<[batch, kv_head, query, group], reversed = [query]> run 2 persistent 9 {
// HEAD8-LABEL: attn.kernel @attention
// HEAD8: sharing [batch, kv_head] order {{.*}}<[sharing, group, query], domains = 8> run 2 persistent 9 {
// BLOCK8-LABEL: attn.kernel @attention
// BLOCK8: sharing [batch, kv_head] order {{.*}}<[query, sharing, group], domains = 8> run 2 persistent 9 {
// HEAD42-LABEL: attn.kernel @attention
// HEAD42: order {{.*}}<[sharing, group, query], domains = 4, chunk = 2> run 2
// LONG8-LABEL: attn.kernel @attention
// LONG8: order {{.*}}<[sharing, group, query], domains = 8, reversed = [query]> run 2
// LONGBLOCK-LABEL: attn.kernel @attention
// LONGBLOCK: order {{.*}}<[batch, query, kv_head, group], reversed = [query]> run 2
// LONG-LABEL: attn.kernel @attention
// LONG: order {{.*}}<[batch, kv_head, group, query], reversed = [query]> run 2
attn.kernel @attention(%x: !attn.view<?x?x?x?xf32>) {
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %g = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 3 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %gi, %qi) visit %v in (batch = %b, kv_head = %h, group = %g, query = %q) sharing [batch, kv_head] run 2 persistent 9 {
  }
}

// One axis selects the stream, and it is the last: it is the slowest digit
// head-first; block-first has the one tiled axis slowest, which is the plain order.

// PLAIN-LABEL: attn.kernel @product
// PLAIN: sharing [n] order {{.*}}<[n, m]> {
// BLOCK-LABEL: attn.kernel @product
// BLOCK: sharing [n] {{(order .*<\[m, n\]> )?}}{
// HEAD8-LABEL: attn.kernel @product
// HEAD8: sharing [n] order {{.*}}<[sharing, m], domains = 8> {
// BLOCK8-LABEL: attn.kernel @product
// BLOCK8: sharing [n] order {{.*}}<[m, sharing], domains = 8> {
attn.kernel @product(%x: !attn.view<?x?xf32>) {
  %m = attn.dim %x, 0 : !attn.view<?x?xf32>
  %n = attn.dim %x, 1 : !attn.view<?x?xf32>
  attn.grid (%i, %j) visit %v in (m = %m, n = %n) sharing [n] {
  }
}

// No axis selects the stream: there is nothing to keep on a domain.

// HEAD8-LABEL: attn.kernel @rows
// HEAD8: attn.grid {{.*}} in (i = %{{[^ ]+}}, j = %{{[^ ]+}}) {
// BLOCK8-LABEL: attn.kernel @rows
// BLOCK8: attn.grid {{.*}} in (i = %{{[^ ]+}}, j = %{{[^ ]+}}) order {{.*}}<[j, i]> {
attn.kernel @rows(%x: !attn.view<?x?xf32>) {
  %m = attn.dim %x, 0 : !attn.view<?x?xf32>
  %n = attn.dim %x, 1 : !attn.view<?x?xf32>
  attn.grid (%i, %j) visit %v in (i = %m, j = %n) {
  }
}
