// attn-transfer-model on level 2 that no pass of ours makes: two loops around a stream, one of
// which runs only for some CTAs, and a stream that starts where its CTA says.
// RUN: attn-opt %s --attn-transfer-model=sizes=x.0=100 -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-opt %s --attn-transfer-model=sizes=x.0=68 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT

// 3 CTAs; CTA w visits twice and streams rows 32 w, ... in steps of 4: (100 + 68 + 36) / 4 steps.
// CHECK:      kernel @k: 3 CTAs, 6 groups
// CHECK-NEXT:   stream: s = 4, state 64 values, scores 0 values; a step loads 64 bytes
// CHECK-NEXT:   M: 64 bytes streamed, 64 bytes that stay
// 2 x 51 steps of 64 bytes and 6 x 64 bytes; 6 stores of 8 x 8 f32.
// CHECK-NEXT:   H of the SMs: 0.006912 MB loaded, 0.001536 MB stored
// CHECK-NEXT:   H of L2, at least: 0.001664 MB read, 0.000256 MB written
// 2 x 51 products of 8 x 8 x 4, an exponential and a sum of 8 x 8.
// CHECK-NEXT:   work: 52224 operations of products, 6528 special functions, 6528 other instructions
// SHORT:      kernel @k: 3 CTAs, 6 groups
// 2 (17 + 9 + 1) steps.
// SHORT:        H of the SMs: 0.00384 MB loaded
attn.kernel @k(%x: !attn.view<?x8xbf16>, %y: !attn.view<8x4xbf16>, %o: !attn.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %n = attn.dim %x, 0 : !attn.view<?x8xbf16>
  attn.ctas %w in %c3 {
    %first = arith.muli %w, %c32 : index
    %some = arith.cmpi ult, %w, %c3 : index
    scf.if %some {
      scf.for %i = %c0 to %c2 step %c1 {
        %lhs = attn.load %y[%c0, %c0] : !attn.view<8x4xbf16> -> tensor<8x4xbf16>
        %r = attn.stream %j step 4 over [%first to %n] carry (%acc = %zero : tensor<8x8xf32>) {
          %rhs = attn.load %x[%j, %c0] : !attn.view<?x8xbf16> -> tensor<4x8xbf16>
          %d = attn.dot %lhs, %rhs, %acc : tensor<8x4xbf16>, tensor<4x8xbf16> into tensor<8x8xf32>
          %e = math.exp2 %d : tensor<8x8xf32>
          %s = arith.addf %e, %acc : tensor<8x8xf32>
          attn.yield %s : tensor<8x8xf32>
        }
        attn.store %r, %o[%c0, %c0] : tensor<8x8xf32> -> !attn.view<8x8xf32>
      }
    }
  }
}
