// attn-sawtooth: bad options, and kernels that it leaves as they are.
// RUN: split-file %s %t

// RUN: not attn-opt %t/direction.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{forced}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option forced

// A stream that has a direction, whichever.
// RUN: attn-opt %t/direction.mlir -o %t/direction.before
// RUN: attn-opt %t/direction.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' -o %t/direction.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=DIRECTION
// RUN: diff %t/direction.before %t/direction.after
// DIRECTION: direction.mlir:4:5: remark: [Missed] has-direction | Category:attn-sawtooth | Function=k | Remark="the stream has a direction already"
// Its own result among them.
// RUN: attn-opt %t/free.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' -o %t/once
// RUN: attn-opt %t/once --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' -o %t/twice --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: diff %t/once %t/twice
// RUN: not diff %t/free.mlir %t/once
// AGAIN: remark: [Missed] has-direction

// A fold whose order is fixed, even by force: in a kernel, and as an operation.
// RUN: attn-opt %t/ordered.mlir -o %t/ordered.before
// RUN: attn-opt %t/ordered.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' -o %t/ordered.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=ORDERED
// RUN: diff %t/ordered.before %t/ordered.after
// RUN: attn-test-opt %t/op.mlir --attn-stream-partition -o %t/op.before
// RUN: attn-test-opt %t/op.mlir --pass-pipeline='builtin.module(attn-stream-partition,attn.kernel(attn-sawtooth{force}))' -o %t/op.after --remarks-filter='attn-sawtooth' 2>&1 | FileCheck %s --check-prefix=ORDERED
// RUN: diff %t/op.before %t/op.after
// ORDERED: remark: [Missed] ordered | Category:attn-sawtooth | {{.*}}Remark="the stream must run in its order"

// What it refuses since it cannot pay: the grid takes back its run, and no
// arithmetic stays behind.
// RUN: attn-opt %t/fits.mlir -o %t/fits.before
// RUN: attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' -o %t/fits.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: diff %t/fits.before %t/fits.after
// RUN: attn-opt %t/fits.mlir --mlir-print-op-generic -o %t/fits.generic.before
// RUN: attn-opt %t/fits.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' --mlir-print-op-generic -o %t/fits.generic.after
// RUN: diff %t/fits.generic.before %t/fits.generic.after
// FITS: remark: [Missed] fits-cache | Category:attn-sawtooth | Function=k

// RUN: attn-opt %t/changes.mlir -o %t/changes.before
// RUN: attn-opt %t/changes.mlir --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' -o %t/changes.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=CHANGES
// RUN: diff %t/changes.before %t/changes.after
// CHANGES: remark: [Missed] changes-set | Category:attn-sawtooth | Function=k

// No stream, no grid.
// RUN: attn-opt %t/nothing.mlir -o %t/nothing.before
// RUN: attn-opt %t/nothing.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' -o %t/nothing.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: diff %t/nothing.before %t/nothing.after
// NOTHING: remark: [Missed] no-stream | Category:attn-sawtooth | Function=grid | Remark="nothing is streamed"
// NOTHING: remark: [Missed] no-grid | Category:attn-sawtooth | Function=ctas | Remark="the grid is materialised already, or there is none"

//--- direction.mlir
attn.kernel @k(%k: !attn.view<?xf16>, %n: index, %backward: i1) {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (query = %n) {
    attn.stream %j step 64 traversal #attn.reversed(%backward : i1) over [%c0 to %n] {
      %t = attn.load %k[%j] : !attn.view<?xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<?xf16>
    }
  }
}

//--- free.mlir
attn.kernel @k(%k: !attn.view<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (query = %n) {
    attn.stream %j step 64 over [%c0 to %n] {
      %t = attn.load %k[%j] : !attn.view<?xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<?xf16>
    }
  }
}

//--- ordered.mlir
attn.kernel @k(%k: !attn.view<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (query = %n) {
    attn.stream %j step 64 ordered over [%c0 to %n] {
      %t = attn.load %k[%j] : !attn.view<?xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<?xf16>
    }
  }
}

//--- op.mlir
func.func @f(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = attn_test.logsumexp %x {ordered} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

//--- fits.mlir
attn.kernel @k(%k: !attn.view<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  attn.grid (%i) visit %v in (query = %c1024) {
    attn.stream %j step 64 over [%c0 to %c1024] {
      %t = attn.load %k[%j] : !attn.view<1024xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<1024xf16>
    }
  }
}

//--- changes.mlir
attn.kernel @k(%k: !attn.view<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%h) visit %v in (head = %n) sharing [head] {
    attn.stream %j step 64 over [%c0 to %n] {
      %t = attn.load %k[%j] : !attn.view<?xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<?xf16>
    }
  }
}

//--- nothing.mlir
attn.kernel @grid(%k: !attn.view<?xf16>, %n: index) {
  attn.grid (%i) visit %v in (query = %n) {
    %t = attn.load %k[%i] : !attn.view<?xf16> -> tensor<64xf16>
    attn.store %t, %k[%i] : tensor<64xf16> -> !attn.view<?xf16>
  }
}
attn.kernel @ctas(%k: !attn.view<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.stream %j step 64 over [%c0 to %n] {
      %t = attn.load %k[%j] : !attn.view<?xf16> -> tensor<64xf16>
      attn.store %t, %k[%j] : tensor<64xf16> -> !attn.view<?xf16>
    }
  }
}
