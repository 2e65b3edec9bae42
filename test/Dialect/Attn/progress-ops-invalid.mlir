// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Waits that may not end: for tiles whose turn is not before that of the one which waits.

attn.kernel @later(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] {
    // expected-error @+1 {{'attn.await_progress' op expected to wait for tiles that start earlier, from 0 to the last coordinate, but got others}}
    attn.await_progress %p[%a] from %c0 to %c8 at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

attn.kernel @reversed(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] order <[a, b], reversed = [b]> {
    // expected-error @+1 {{'attn.await_progress' op expected to wait for tiles that start earlier, from the last coordinate + 1 to the size of the axis, which the order reverses, but got others}}
    attn.await_progress %p[%a] from %c0 to %b at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

attn.kernel @not_reversed(%p: !attn.view<?x8xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] {
    %next = arith.addi %b, %c1 : index
    // expected-error @+1 {{expected to wait for tiles that start earlier, from 0 to the last coordinate}}
    attn.await_progress %p[%a] from %next to %c8 at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

attn.kernel @other_head(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] {
    // expected-error @+1 {{'attn.await_progress' op expected the coordinates of the grid but for the last as offsets, but got others}}
    attn.await_progress %p[%c8] from %c0 to %b at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

// CTAs of domains go their own ways.
attn.kernel @ranked(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a, b] order <[sharing], domains = 4> {
    // expected-error @+1 {{'attn.await_progress' op expected a last axis that selects no streamed data, as the order goes by domains, but got "b"}}
    attn.await_progress %p[%a] from %c0 to %b at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

// A number of CTAs, of which not all may have started.
attn.kernel @persistent(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] persistent 132 {
    // expected-error @+1 {{'attn.await_progress' op expected a grid whose tiles start in its order, or it may wait for ever, but got one with persistent CTAs without a counter}}
    attn.await_progress %p[%a] from %c0 to %b at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

attn.kernel @folded(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] run 2 folded {
    // expected-error @+1 {{expected a grid whose tiles start in its order, or it may wait for ever, but got one with runs of tiles}}
    attn.await_progress %p[%a] from %c0 to %b at %c8 : <?x8xi32>
  }
  attn.return
}

// -----

// Places that go up and down.
attn.kernel @backwards(%p: !attn.view<?x8xi32>, %n: index, %odd: i1) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %c8) sharing [a] {
    attn.stream %pos step 8 traversal #attn.reversed(%odd : i1) over [%c0 to %n] {
      // expected-error @+1 {{'attn.await_progress' op expected streams that go forwards, as the places do that it waits for, but got #attn.reversed}}
      attn.await_progress %p[%a] from %c0 to %b at %pos : <?x8xi32>
      attn.yield
    }
  }
  attn.return
}

// -----

attn.kernel @offsets(%p: !attn.view<?x8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %n) sharing [a] {
    // expected-error @+1 {{'attn.report_progress' op expected 2 offsets into '!attn.view<?x8xi32>', but got 1}}
    attn.report_progress %p[%a] at %c0 : <?x8xi32>
  }
  attn.return
}

// -----

attn.kernel @element(%p: !attn.view<?xi64>, %n: index) {
  attn.grid (%a) visit %i in (a = %n) sharing [] {
    // expected-error @+1 {{'attn.report_progress' op expected a view of i32, but got '!attn.view<?xi64>'}}
    attn.report_progress %p[%a] : <?xi64>
  }
  attn.return
}

// -----

attn.kernel @no_wait(%v: !attn.view<?x64xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<16x64xf32>
  attn.grid (%a, %b) visit %i in (a = %n, b = %n) sharing [a] {
    // expected-error @+1 {{'attn.accumulate' op expected attn.await_progress in front of it in its block, as it is ordered, but got none}}
    attn.accumulate %t, %v[%a, %b] ordered : tensor<16x64xf32> -> <?x64xf32>
  }
  attn.return
}
