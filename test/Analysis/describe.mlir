// attn-describe: a schedule in words, on standard error; the IR stays as it is.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-describe))' -o %t.after 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: diff %t.before %t.after
// After the grid is index arithmetic, what is left is said.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-describe))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOWERED

module attributes {attn.target = #attn.target<"gb10">} {
  // 32x64 f16 once and 16x64 f16 in two stages: 4096 + 2 * 2048 bytes. The state
  // and the scores that a dot starts from a constant: 32x64 + 32x16 registers.

  // CHECK:kernel @attention for gb10 (sm_121a)
  // CHECK-NEXT:  grid: a tile for each of head (8), query (dynamic)
  // CHECK-NEXT:  order: query, then head (the last varies fastest), query from the last to the first
  // CHECK-NEXT:  CTAs: at most 96, persistent, each taking its next tile in turn
  // CHECK-NEXT:  stream: steps of 16 over 2 segment(s), 1 of them masked; tiles tensor<16x64xf16>
  // CHECK-NEXT:  direction: alternates from tile to tile (sawtooth)
  // CHECK-NEXT:  footprint: 8192 bytes of shared memory (of 101376), 2560 registers (of 65536), 12 resident CTA(s) an SM

  // LOWERED: kernel @attention for gb10 (sm_121a)
  // LOWERED-NEXT: grid: lowered to index arithmetic
  // LOWERED-NEXT: stream: steps of 16 over 2 segment(s), 1 of them masked
  attn.kernel @attention(%q: !attn.view<8x?x64xf16>, %k: !attn.view<8x?x64xf16>, %o: !attn.view<8x?x64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %acc = arith.constant dense<0.0> : tensor<32x64xf32>
    %zero = arith.constant dense<0.0> : tensor<32x16xf32>
    %keys = attn.dim %k, 1 : !attn.view<8x?x64xf16>
    attn.grid (%h, %i) visit %v in (head = %c8, query = %n) sharing [head] order #attn.order<[query, head], reversed = [query]> persistent 96 {
      %qt = attn.load %q[%h, %i, %c0] : !attn.view<8x?x64xf16> -> tensor<32x64xf16>
      %bit = arith.andi %v, %c1 : index
      %odd = arith.cmpi eq, %bit, %c1 : index
      %r = attn.stream %j step 16 traversal #attn.reversed(%odd : i1) over [%c0 to %i, masked %i to %keys] carry (%a = %acc : tensor<32x64xf32>) {
        %kt = attn.load %k[%h, %j, %c0] : !attn.view<8x?x64xf16> -> tensor<16x64xf16>
        %s = attn.dot %qt, %kt, %zero transpose_rhs : tensor<32x64xf16>, tensor<16x64xf16> into tensor<32x16xf32>
        %p = arith.truncf %s : tensor<32x16xf32> to tensor<32x16xf16>
        %d = attn.dot %p, %kt, %a : tensor<32x16xf16>, tensor<16x64xf16> into tensor<32x64xf32>
        attn.yield %d : tensor<32x64xf32>
      }
      attn.store %r, %o[%h, %i, %c0] : tensor<32x64xf32> -> !attn.view<8x?x64xf32>
    }
  }

  // CHECK:kernel @domains for gb10 (sm_121a)
  // CHECK-NEXT:  grid: a tile for each of head (8), query (4)
  // CHECK-NEXT:  order: sharing, then query (the last varies fastest); each of 8 L2 domains walks sharing sets of its own
  // CHECK-NEXT:  CTAs: one for every 2 consecutive tiles
  // CHECK-NEXT:  stream: steps of 1 over 1 segment(s), 0 of them masked; tiles tensor<4xf32>
  // CHECK-NEXT:  direction: forward (cyclic)
  // CHECK-NEXT:  footprint: 0 bytes of shared memory (of 101376), 4 registers (of 65536), 24 resident CTA(s) an SM
  attn.kernel @domains(%x: !attn.view<8x4xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    attn.grid (%h, %i) visit %v in (head = %c8, query = %c4) sharing [head] order #attn.order<[sharing, query], domains = 8> run 2 {
      attn.stream %j step 1 over [%c0 to %c4] {
        %t = attn.load %x[%h, %j] : !attn.view<8x4xf32> -> tensor<4xf32>
        attn.store %t, %x[%h, %i] : tensor<4xf32> -> !attn.view<8x4xf32>
      }
    }
  }

  // CHECK:kernel @groups for gb10 (sm_121a)
  // CHECK-NEXT:  grid: a tile for each of head (8), query (4)
  // CHECK-NEXT:  order: query, then sharing (the last varies fastest); 4 sharing sets, then as many others
  // CHECK-NEXT:  CTAs: one for every tile
  // CHECK-NEXT:  stream: steps of 1 over 1 segment(s), 0 of them masked; tiles tensor<4xf32>
  // CHECK-NEXT:  direction: forward (cyclic)
  // CHECK-NEXT:  footprint: 0 bytes of shared memory (of 101376), 4 registers (of 65536), 24 resident CTA(s) an SM
  attn.kernel @groups(%x: !attn.view<8x4xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    attn.grid (%h, %i) visit %v in (head = %c8, query = %c4) sharing [head] order #attn.order<[query, sharing], together = 4> {
      attn.stream %j step 1 over [%c0 to %c4] {
        %t = attn.load %x[%h, %j] : !attn.view<8x4xf32> -> tensor<4xf32>
        attn.store %t, %x[%h, %i] : tensor<4xf32> -> !attn.view<8x4xf32>
      }
    }
  }

  // CHECK:kernel @plain for gb10 (sm_121a)
  // CHECK-NEXT:  grid: a tile for each of query (dynamic)
  // CHECK-NEXT:  order: query (the last varies fastest)
  // CHECK-NEXT:  CTAs: one for every tile
  // CHECK-NEXT:  footprint: 0 bytes of shared memory (of 101376), 0 registers (of 65536), 24 resident CTA(s) an SM
  attn.kernel @plain(%n: index) {
    attn.grid (%i) visit %v in (query = %n) {
    }
  }

  // CHECK:kernel @both for gb10 (sm_121a)
  // CHECK-NEXT:  grid: a tile for each of query (dynamic)
  // CHECK-NEXT:  order: query (the last varies fastest)
  // CHECK-NEXT:  CTAs: at most 48, persistent, each taking its next 3 consecutive tiles in turn
  attn.kernel @both(%n: index) {
    attn.grid (%i) visit %v in (query = %n) run 3 persistent 48 {
    }
  }
}
