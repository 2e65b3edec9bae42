// attn-stream-reads: gathers of a part of a view with each tile of a stream become loads.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stream-reads))' --remarks-filter='attn.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once --implicit-check-not=attn.gather
// Once more changes nothing: there is no gather any more.
// RUN: attn-opt %t.once --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-stream-reads))' --remarks-filter='attn.*' -o %t.twice 2>&1 | count 0
// RUN: diff %t.once %t.twice
// It is the capability that counts, not the generation.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-stream-reads))' | FileCheck %s --implicit-check-not=attn.gather
// Rings follow, and fragments read them out.
// RUN: attn-opt %t.once --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads,attn-assign-fragments))' | FileCheck %s --check-prefix=RING --implicit-check-not='attn.load '

// REMARK: remark: [Passed] streamed | Category:attn-stream-reads | Function=bias | Remark="elements of scores are loaded as tiles"
// REMARK: remark: [Passed] streamed | Category:attn-stream-reads | Function=twice |
// REMARK: remark: [Passed] streamed | Category:attn-stream-reads | Function=twice |

// CHECK-LABEL: attn.kernel @bias
// CHECK: attn.stream %[[POS:[^ ]+]] step 32
// CHECK: %[[TILE:[^ ]+]] = attn.load %{{[^ ]+}}[%{{[^ ]+}}, %[[H:[^ ]+]], %[[I:[^ ]+]], %[[POS]]] : <1x4x?x?xbf16> -> tensor<64x32xbf16>
// CHECK: arith.extf %[[TILE]]
// RING-LABEL: attn.kernel @bias
// RING: %[[RING:[^ ]+]] = attn.ring.create : <2 x tensor<64x32xbf16, #[[SHARED:shared[0-9]*]]>>
// RING: produce (%[[AHEAD:[^ ]+]]) {
// RING: attn.ring.issue %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[AHEAD]]]
// RING: %[[READ:[^ ]+]] = attn.ring.wait %[[RING]]
// RING-NEXT: attn.convert_layout %[[READ]] : tensor<64x32xbf16, #[[SHARED]]> to tensor<64x32xbf16, #acc
// RING-NEXT: attn.ring.release %[[RING]]
attn.kernel @bias(%b: !attn.view<1x4x?x?xbf16>, %o: !attn.view<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  attn.grid (%h, %t) visit %v in (h = %n, t = %n) {
    %i = arith.muli %t, %c64 : index
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x32xf32>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%c0, %h, %rows, %cols] : !attn.view<1x4x?x?xbf16> at(index, index, tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xbf16>
      %y = arith.extf %x : tensor<64x32xbf16> to tensor<64x32xf32>
      %z = arith.addf %acc, %y : tensor<64x32xf32>
      attn.yield %z : tensor<64x32xf32>
    }
    attn.store %sum, %o[%i, %c0] : tensor<64x32xf32> -> <?x32xf32>
  }
  attn.return
}

// Two reads of one view, of tiles of one shape: they share its tensor map.
// CHECK-LABEL: attn.kernel @twice
// CHECK-COUNT-2: attn.load %b
attn.kernel @twice(%b: !attn.view<?x?xf16>, %o: !attn.view<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %first = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x32xf32>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%rows, %cols] : !attn.view<?x?xf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xf16>
      %y = arith.extf %x : tensor<64x32xf16> to tensor<64x32xf32>
      %z = arith.addf %acc, %y : tensor<64x32xf32>
      attn.yield %z : tensor<64x32xf32>
    }
    %second = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %first : tensor<64x32xf32>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%rows, %cols] : !attn.view<?x?xf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xf16>
      %y = arith.extf %x : tensor<64x32xf16> to tensor<64x32xf32>
      %z = arith.mulf %acc, %y : tensor<64x32xf32>
      attn.yield %z : tensor<64x32xf32>
    }
    attn.store %second, %o[%i, %c0] : tensor<64x32xf32> -> <?x32xf32>
  }
  attn.return
}

// What reads nothing says nothing.
// CHECK-LABEL: attn.kernel @none
attn.kernel @none(%o: !attn.view<?x32xf32>, %n: index) {
  attn.return
}
