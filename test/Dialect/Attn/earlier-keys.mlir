// A part that takes up another one: syntax, every constraint, level 2, and numbers.
// RUN: split-file %s %t
// RUN: attn-opt %t/right.mlir | attn-opt | FileCheck %s --check-prefix=SYNTAX
// RUN: attn-opt %t/wrong.mlir --split-input-file --verify-diagnostics
// RUN: attn-compile %t/right.mlir --target=h100 | FileCheck %s --check-prefix=TAIL
// RUN: attn-compile %t/right.mlir --target=h100 --emit=target --schedule='tiles=query=64,key=64' | FileCheck %s --check-prefix=TARGET
// RUN: attn-compile %t/right.mlir --run --target=h100 --schedule='tiles=query=64,key=64' --size=batch=2,query=70,key=90 | FileCheck %s --check-prefix=PASSES
// RUN: attn-compile %t/right.mlir --run --target=h100 --schedule='tiles=query=64,key=32 split-ctas' --size=batch=1,query=33,key=200 | FileCheck %s --check-prefix=PASSES
// RUN: attn-compile %t/swapped.mlir --run --target=h100 --schedule='tiles=query=64,key=64 pack-group' --size=batch=1,query=70,key=90 | FileCheck %s --check-prefix=PASSES

// SYNTAX: attn.attention {{.*}} scale(1.250000e-01) earlier_o(%{{.*}} : tensor<?x4x?x64xf32>) earlier_lse(%{{.*}} : tensor<?x4x?xf32>) :

// Both are read behind the stream, and weighted.
// TAIL: attn.stream
// TAIL: attn.gather
// TAIL: attn.gather
// TAIL: attn.store
// TARGET: attn.gather %earlier_o[{{.*}}] : {{.*}} -> tensor<64x64xf32, #acc>
// PASSES: function @part: {{.*}}: PASS

//--- right.mlir
func.func @part(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %o: tensor<?x4x?x64xf32>, %lse: tensor<?x4x?xf32>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %0, %1 = attn.attention %q, %k, %k scale(0.125) earlier_o(%o : tensor<?x4x?x64xf32>) earlier_lse(%lse : tensor<?x4x?xf32>)
      : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %0, %1 : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

//--- swapped.mlir
func.func @part(%q: tensor<?x?x4x64xbf16>, %k: tensor<?x?x2x64xbf16>, %o: tensor<?x?x4x64xf32>, %lse: tensor<?x4x?xf32>)
    -> (tensor<?x?x4x64xf32>, tensor<?x4x?xf32>) {
  %0, %1 = attn.attention %q, %k, %k mask(#attn.causal<top_left>) scale(0.125) layout(bshd)
      earlier_lse(%lse : tensor<?x4x?xf32>) earlier_o(%o : tensor<?x?x4x64xf32>)
      : (tensor<?x?x4x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) -> (tensor<?x?x4x64xf32>, tensor<?x4x?xf32>)
  return %0, %1 : tensor<?x?x4x64xf32>, tensor<?x4x?xf32>
}

//--- wrong.mlir
func.func @alone(%q: tensor<1x4x16x64xf16>, %o: tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{earlier keys expect both earlier_o and earlier_lse, but got earlier_o alone}}
  %0 = attn.attention %q, %q, %q scale(0.125) earlier_o(%o : tensor<1x4x16x64xf32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %0 : tensor<1x4x16x64xf16>
}

// -----

func.func @shape(%q: tensor<1x4x16x64xf16>, %o: tensor<1x4x8x64xf32>, %lse: tensor<1x4x16xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{earlier_o expects the shape of 'tensor<1x4x16x64xf32>', but got 'tensor<1x4x8x64xf32>'}}
  %0 = attn.attention %q, %q, %q scale(0.125) earlier_o(%o : tensor<1x4x8x64xf32>) earlier_lse(%lse : tensor<1x4x16xf32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %0 : tensor<1x4x16x64xf16>
}

// -----

func.func @rows(%q: tensor<1x4x16x64xf16>, %o: tensor<1x4x16x64xf32>, %lse: tensor<1x2x16xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{earlier_lse expects the shape of 'tensor<1x4x16xf32>', but got 'tensor<1x2x16xf32>'}}
  %0 = attn.attention %q, %q, %q scale(0.125) earlier_o(%o : tensor<1x4x16x64xf32>) earlier_lse(%lse : tensor<1x2x16xf32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %0 : tensor<1x4x16x64xf16>
}

// -----

func.func @packed(%q: tensor<1x4x16x64xf16>, %n: tensor<3xi32>, %o: tensor<1x4x16x64xf32>, %lse: tensor<1x4x16xf32>) -> tensor<1x4x16x64xf16> {
  // expected-error @below {{earlier keys expect no cu_seqlens_q}}
  %0 = attn.attention %q, %q, %q scale(0.125) cu_seqlens_q(%n : tensor<3xi32>) cu_seqlens_k(%n : tensor<3xi32>)
      earlier_o(%o : tensor<1x4x16x64xf32>) earlier_lse(%lse : tensor<1x4x16xf32>)
      : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return %0 : tensor<1x4x16x64xf16>
}
