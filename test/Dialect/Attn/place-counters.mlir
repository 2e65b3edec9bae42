// attn-place-counters: counters of kernels become workspace of the functions that launch them, cleared before each launch.
// RUN: attn-opt %s --split-input-file --attn-place-counters | FileCheck %s
// It leaves what it has made as it is.
// RUN: attn-opt %s --split-input-file --attn-place-counters -o %t.once
// RUN: attn-opt %t.once --split-input-file --attn-place-counters -o %t.twice
// RUN: diff %t.once %t.twice

#id = affine_map<(d0) -> (d0)>

// Each launch has memory of its own, which a kernel of its own clears: what is launched twice is not taken for one launch.
// CHECK-LABEL: func.func @twice
// CHECK: %[[MEMORY:.*]] = tensor.empty() : tensor<1xi32>
// CHECK-NEXT: %[[ZERO:.*]] = attn.launch @[[CLEAR:[^ ]*]] outs(%[[MEMORY]] : tensor<1xi32>) views [#map] -> tensor<1xi32>
// CHECK-NEXT: %[[X:.*]]:2 = attn.launch @k ins(%arg0 : tensor<?xf32>) outs(%{{.*}}, %[[ZERO]] : tensor<?xf32>, tensor<1xi32>) scalars(%arg1 : f32) views [#map, #map, #map] {note} -> tensor<?xf32>, tensor<1xi32>
// CHECK: %[[OTHER:.*]] = attn.launch @[[AGAIN:[^ ]*]] outs(
// CHECK: %[[Y:.*]]:2 = attn.launch @k ins(%[[X]]#0 : tensor<?xf32>) outs(%{{.*}}, %[[OTHER]] :
// CHECK: return %[[Y]]#0
func.func @twice(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = attn.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) scalars(%s : f32) views [#id, #id] {note} -> tensor<?xf32>
  %1 = attn.launch @k ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) scalars(%s : f32) views [#id, #id] -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
// CHECK: attn.kernel @[[CLEAR]](%counter: !attn.view<1xi32>)
// CHECK-SAME: outputs = 1 : i64
// CHECK-SAME: step = "clear"
// CHECK: attn.grid (%clear) visit %{{.*}} in (clear = %c1) {
// CHECK-NEXT: attn.write %c0, %counter[%c0] : <1xi32>
// CHECK: attn.kernel @[[AGAIN]](
// The counter is the last view, before the scalars; the kernel waits for the step that clears it.
// CHECK: attn.kernel @k(%x: !attn.view<?xf32>, %o: !attn.view<?xf32>, %counter: !attn.view<1xi32>, %s: f32)
// CHECK-SAME: counters = 1 : i64, dim_names = {{\[}}["i"], ["i"], [""]], follows, outputs = 2 : i64, permutations = [#map, #map, #map]
// CHECK: attn.in_step %{{.*}}, %counter[%c0] : <1xi32>
attn.kernel @k(%x: !attn.view<?xf32>, %o: !attn.view<?xf32>, %s: f32) attributes {dim_names = [["i"], ["i"]], outputs = 1 : i64, permutations = [#id, #id]} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  %c = attn.counter : !attn.view<1xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 4 {
    attn.in_step %true, %c[%c0] : !attn.view<1xi32>
    %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %o[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// A kernel that nothing launches has an argument more, and names what clears it. Names are free ones; two counters are two.
// CHECK: attn.kernel @alone_clear(%counter: !attn.view<1xi32>) attributes {{.*}}step = "clear"
// CHECK: attn.kernel @alone_clear_0(
// CHECK-LABEL: attn.kernel @alone(
// CHECK-SAME: %counter: !attn.view<?xf32>, %counter1: !attn.view<1xi32>, %counter2: !attn.view<1xi32>) attributes {cleared_by = ["alone_clear", "alone_clear_0"], counters = 2 : i64, follows, outputs = 3 : i64}
// CHECK-NOT: attn.counter
attn.kernel @alone(%counter: !attn.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %counter, 0 : !attn.view<?xf32>
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %c = attn.counter : !attn.view<1xi32>
  %d = attn.counter : !attn.view<1xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 4 dynamic %c : <1xi32> {
    %x = attn.take %d[%c0] : !attn.view<1xi32>
    attn.store %t, %counter[%x] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// One whose counters were placed before names what clears them; of states nobody asks what they hold.
// CHECK: attn.kernel @placed_clear(%counter: !attn.view<?x2xi32>)
// CHECK: attn.grid (%clear, %clear1) visit %{{.*}} in (clear = %{{.*}}, clear1 = %c2)
// CHECK-LABEL: attn.kernel @placed(
// CHECK-SAME: attributes {cleared_by = ["", "placed_clear"], counters = 2 : i64}
attn.kernel @placed(%x: !attn.view<?xf32>, %states: !attn.view<?xf32>, %words: !attn.view<?x2xi32>, %n: index) attributes {counters = 2 : i64} {
}

// -----

// Without counters everything stays.
// CHECK-LABEL: attn.kernel @none(%x: !attn.view<?xf32>) {
attn.kernel @none(%x: !attn.view<?xf32>) {
}
