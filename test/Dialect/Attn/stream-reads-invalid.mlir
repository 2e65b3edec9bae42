// attn-stream-reads: other gathers are left as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stream-reads))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// Without the capability a kernel is left alone as a whole; so it is without a target, on the CPU.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-stream-reads))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="no part"
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-stream-reads))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="no part"
// TARGET: remark: [Missed] streamed | Category:attn-stream-reads | Function=outside | Remark="the target has no tensor memory accelerator"
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-stream-reads{all}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option all

// No stream.
// CHECK: remark: [Missed] streamed | Category:attn-stream-reads | Function=outside | Remark="no part of the view is read with each tile of a stream"
attn.kernel @outside(%b: !attn.view<?x?xbf16>, %o: !attn.view<?x32xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %n) {
    %rows = attn.iota 0 from %i : tensor<64x32xindex>
    %cols = attn.iota 1 from %i : tensor<64x32xindex>
    %x = attn.gather %b[%rows, %cols] : !attn.view<?x?xbf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xbf16>
    attn.store %x, %o[%i, %c0] : tensor<64x32xbf16> -> <?x32xbf16>
  }
  attn.return
}

// Keys along the rows of the view; a distance; a row that the stream computes.
// CHECK: Function=turned | Remark="no part of the view is read with each tile of a stream"
// CHECK: Function=turned | Remark="no part of the view is read with each tile of a stream"
// CHECK: Function=turned | Remark="no part of the view is read with each tile of a stream"
attn.kernel @turned(%b: !attn.view<?x?xbf16>, %d: !attn.view<?xbf16>, %o: !attn.view<?x32xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xbf16>
  attn.grid (%i) visit %v in (i = %n) {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x32xbf16>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%cols, %rows] : !attn.view<?x?xbf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xbf16>
      %far = arith.subi %cols, %rows : tensor<64x32xindex>
      %y = attn.gather %d[%far] : !attn.view<?xbf16> at(tensor<64x32xindex>) -> tensor<64x32xbf16>
      %next = arith.addi %j, %n : index
      %later = attn.iota 0 from %next : tensor<64x32xindex>
      %w = attn.gather %b[%later, %cols] : !attn.view<?x?xbf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xbf16>
      %u = arith.addf %x, %y : tensor<64x32xbf16>
      %z = arith.addf %u, %w : tensor<64x32xbf16>
      attn.yield %z : tensor<64x32xbf16>
    }
    attn.store %sum, %o[%i, %c0] : tensor<64x32xbf16> -> <?x32xbf16>
  }
  attn.return
}

// Elements of 32 bits; six dimensions.
// CHECK: Function=shapes | Remark="the tile is none that a tensor map copies for fragments"
// CHECK: Function=shapes | Remark="the tile is none that a tensor map copies for fragments"
attn.kernel @shapes(%b: !attn.view<?x?xf32>, %c: !attn.view<1x1x1x1x?x?xf16>, %o: !attn.view<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x32xf32>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%rows, %cols] : !attn.view<?x?xf32> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xf32>
      %y = attn.gather %c[%c0, %c0, %c0, %c0, %rows, %cols] : !attn.view<1x1x1x1x?x?xf16> at(index, index, index, index, tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xf16>
      %u = arith.extf %y : tensor<64x32xf16> to tensor<64x32xf32>
      %z = arith.addf %x, %u : tensor<64x32xf32>
      attn.yield %z : tensor<64x32xf32>
    }
    attn.store %sum, %o[%i, %c0] : tensor<64x32xf32> -> <?x32xf32>
  }
  attn.return
}

// A number of the same view, read by itself.
// CHECK: Function=shared | Remark="the view is accessed by others, too"
// CHECK: Function=shared | Remark="no part of the view is read with each tile of a stream"
attn.kernel @shared(%b: !attn.view<?x?xf16>, %o: !attn.view<?x32xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16>
  attn.grid (%i) visit %v in (i = %n) {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x32xf16>) {
      %rows = attn.iota 0 from %i : tensor<64x32xindex>
      %cols = attn.iota 1 from %j : tensor<64x32xindex>
      %x = attn.gather %b[%rows, %cols] : !attn.view<?x?xf16> at(tensor<64x32xindex>, tensor<64x32xindex>) -> tensor<64x32xf16>
      %one = attn.gather %b[%i, %j] : !attn.view<?x?xf16> -> f16
      %wide = tensor.splat %one : tensor<64x32xf16>
      %z = arith.addf %x, %wide : tensor<64x32xf16>
      attn.yield %z : tensor<64x32xf16>
    }
    attn.store %sum, %o[%i, %c0] : tensor<64x32xf16> -> <?x32xf16>
  }
  attn.return
}
