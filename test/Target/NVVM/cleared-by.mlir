// A kernel that no function launches is a program that clears its counters first. Those of a known size are workspace; callers pass the others, whatever they hold.
// RUN: rm -rf %t && attn-compile %s --target=h200 --ptxas=none --emit=bundle -o %t && %python -m json.tool %t/manifest.json > %t.json
// RUN: %python -c "import json; [print(p['name'], [v['name'] for v in p['views']], [(s['kernel'], s.get('views')) for s in p['variants'][0]['steps']], p['variants'][0].get('workspace')) for p in json.load(open(r'%t.json'))['programs']]" | FileCheck %s
// CHECK: one ['x'] [('one_clear', [{'base': 1}]), ('one', [{'base': 0}, {'base': 1}])] [{'element': 'i32', 'name': 'counter', 'shape': [1]}]
// CHECK-NEXT: some ['x', 'words'] [('some_clear', [{'base': 1}]), ('some', [{'base': 0}, {'base': 1}])] None
// CHECK-NEXT: between ['x', 'y'] [('between_clear', [{'base': 2}]), ('between', [{'base': 0}, {'base': 1}, {'base': 2}])] [{'element': 'i32', 'name': 'counter', 'shape': [1]}]
// CHECK-NOT: {{.}}

// A text that names what clears, and has a counter more since, names two.
// RUN: attn-compile %s --target=h200 --emit=stream -o %t.stated.mlir
// RUN: attn-compile %t.stated.mlir --target=h200 --schedule='persistent dynamic' --emit=stream | FileCheck %s --check-prefix=MORE
// MORE: attn.kernel @some({{.*}}%words: !attn.view<?xi32>, %counter: !attn.view<1xi32>) attributes {cleared_by = ["some_clear", "some_clear_0"], counters = 2 : i64

// A variant may have counters that another has not: callers pass the same.
// RUN: rm -rf %t && attn-compile %s --target=h200 --ptxas=none --emit=bundle -o %t --variant='view0_dim0<=64: persistent dynamic:'

// What is named may be anything in a text.
// RUN: sed -e 's/{counters/{cleared_by = ["nobody"], counters/' %s > %t.mlir && not attn-compile %t.mlir --target=h200 --ptxas=none --emit=bundle -o %t 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: sed -e 's/{counters/{cleared_by = ["some"], step = "clear", counters/' %s > %t.mlir && not attn-compile %t.mlir --target=h200 --ptxas=none --emit=bundle -o %t 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: sed -e 's/{counters/{cleared_by = ["one_clear"], counters/' %s > %t.mlir && not attn-compile %t.mlir --target=h200 --ptxas=none --emit=bundle -o %t 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed -e 's/{counters/{cleared_by = [1], counters/' %s > %t.mlir && not attn-compile %t.mlir --target=h200 --ptxas=none --emit=bundle -o %t 2>&1 | FileCheck %s --check-prefix=NUMBER
// NOBODY: error: expected 'cleared_by' to name a kernel that clears '!attn.view<?xi32>' and does nothing else, but got "nobody"
// ITSELF: error: expected 'cleared_by' to name a kernel that clears '!attn.view<?xi32>' and does nothing else, but got "some"
// OTHER: error: expected 'cleared_by' to name a kernel that clears '!attn.view<?xi32>' and does nothing else, but got "one_clear"
// NUMBER: error: expected 'cleared_by' to name a kernel that clears '!attn.view<?xi32>' and does nothing else, but got 1 : i64

attn.kernel @one(%x: !attn.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %x, 0 : !attn.view<?x64xf32>
  %t = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = attn.counter : !attn.view<1xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 4 dynamic %c : <1xi32> {
    attn.store %t, %x[%i, %c0] : tensor<64x64xf32> -> !attn.view<?x64xf32>
  }
}

attn.kernel @some(%x: !attn.view<?x64xf32>, %words: !attn.view<?xi32>) attributes {counters = 1 : i64, outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %x, 0 : !attn.view<?x64xf32>
  %t = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %taken = attn.take %words[%c0] : !attn.view<?xi32>
    attn.store %t, %x[%taken, %c0] : tensor<64x64xf32> -> !attn.view<?x64xf32>
  }
}

// Scalars may stand between views: a call has them behind, and so have names.
attn.kernel @between(%x: !attn.view<?x64xf32>, %s: index, %y: !attn.view<?x64xf32>) attributes {dim_names = [["view0_dim0", ""], ["n", ""]], outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %x, 0 : !attn.view<?x64xf32>
  %t = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = attn.counter : !attn.view<1xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 4 dynamic %c : <1xi32> {
    attn.store %t, %x[%i, %c0] : tensor<64x64xf32> -> !attn.view<?x64xf32>
    attn.store %t, %y[%i, %s] : tensor<64x64xf32> -> !attn.view<?x64xf32>
  }
}
