// attn.read, attn.write, and what ends a view earlier than its size does.
// RUN: attn-opt %s | attn-opt | FileCheck %s

// CHECK-LABEL: attn.kernel @elements
attn.kernel @elements(%n: !attn.view<?xi32>, %w: !attn.view<?x3xi64>, %v: !attn.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%x) visit %visit in (x = %c1) {
    // CHECK: %[[READ:.*]] = attn.read %n[%x] : <?xi32>
    %length = attn.read %n[%x] : !attn.view<?xi32>
    // CHECK: attn.write %[[READ]], %w[%x, %{{.*}}] : <?x3xi64>
    attn.write %length, %w[%x, %c1] : !attn.view<?x3xi64>
    // CHECK: attn.load %v[%{{.*}}, %{{.*}}] until %[[READ]] : <?x64xf32> -> tensor<16x64xf32>
    %t = attn.load %v[%c0, %c0] until %length : !attn.view<?x64xf32> -> tensor<16x64xf32>
    attn.store %t, %v[%c0, %c0] : tensor<16x64xf32> -> !attn.view<?x64xf32>
  }
}

// CHECK-LABEL: func.func @lengths
// CHECK: attn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) lengths(%{{.*}} : tensor<?xi64>) captures(%{{.*}} : f32) score(
func.func @lengths(%q: tensor<?x4x16x64xf16>, %n: tensor<?xi64>, %c: f32) -> tensor<?x4x16x64xf16> {
  %o = attn.attention %q, %q, %q scale(0.125) captures(%c : f32) lengths(%n : tensor<?xi64>)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: f32) {
    %t = arith.addf %s, %x : f32
    attn.yield %t : f32
  } : (tensor<?x4x16x64xf16>, tensor<?x4x16x64xf16>, tensor<?x4x16x64xf16>) -> tensor<?x4x16x64xf16>
  return %o : tensor<?x4x16x64xf16>
}
