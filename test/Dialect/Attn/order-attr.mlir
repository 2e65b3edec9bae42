// Round trip of #attn.order, by itself and on a grid: digits, domains, chunk,
// groups and reversed axes.
//
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s -emit-bytecode | attn-opt | FileCheck %s

// CHECK-LABEL: attn.kernel @order
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @order(%n: index) {
  // CHECK: attn.grid (%{{.*}}, %{{.*}}) visit %{{.*}} in (head = %[[N]], query = %[[N]]) order <[query, head]> {
  attn.grid (%h, %i) visit %v in (head = %n, query = %n) order #attn.order<[query, head]> {
  }
}

// CHECK-LABEL: attn.kernel @absence
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @absence(%n: index) {
  // The values that stand for absence are not printed.
  // CHECK: attn.grid {{.*}} sharing [head] order <[sharing, query]> {
  attn.grid (%h, %i) visit %v in (head = %n, query = %n) sharing [head]
      order #attn.order<[sharing, query], domains = 1, chunk = 1, reversed = []> {
  }
}

// CHECK-LABEL: attn.kernel @spelt_out
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @spelt_out(%n: index) {
  // A set that is spelt out; no digit stands for an empty set.
  // CHECK: attn.grid {{.*}} sharing [head] order <[query, head], reversed = [head, query]> {
  attn.grid (%h, %i) visit %v in (head = %n, query = %n) sharing [head]
      order #attn.order<[query, head], reversed = [head, query]> {
  }
}

// CHECK-LABEL: attn.kernel @no_sharing
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @no_sharing(%n: index) {
  // CHECK: attn.grid {{.*}} in (head = %[[N]], query = %[[N]]) order <[sharing, head, query]> {
  attn.grid (%h, %i) visit %v in (head = %n, query = %n)
      order #attn.order<[sharing, head, query]> {
  }
}

// CHECK-LABEL: attn.kernel @everything
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @everything(%n: index) {
  // CHECK: attn.grid {{.*}} sharing [batch, head] order <[sharing, group, query], domains = 8, chunk = 2, reversed = [query]> run 2 persistent 132 attributes {note} {
  attn.grid (%b, %h, %g, %i) visit %v in (batch = %n, head = %n, group = %n, query = %n)
      sharing [batch, head]
      order #attn.order<[sharing, group, query], reversed = [query], chunk = 2, domains = 8>
      run 2 persistent 132 attributes {note} {
  }
}

// CHECK-LABEL: attn.kernel @short_form
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @short_form(%n: index) {
  // The short form.
  // CHECK: attn.grid {{.*}} order <[query], reversed = [query]> {
  attn.grid (%i) visit %v in (query = %n) order <[query], reversed = [query]> {
  }
}

// CHECK-LABEL: attn.kernel @groups
// CHECK-SAME:    (%[[N:.*]]: index)
attn.kernel @groups(%n: index) {
  // CHECK: attn.grid {{.*}} sharing [head] order <[query, sharing], together = 4, reversed = [query]> {
  attn.grid (%h, %i) visit %v in (head = %n, query = %n) sharing [head]
      order #attn.order<[query, sharing], reversed = [query], together = 4> {
  }
}
