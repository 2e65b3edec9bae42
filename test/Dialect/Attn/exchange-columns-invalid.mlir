// attn-exchange-columns: other stores are left as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-exchange-columns))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// A GPU that is not of NVIDIA exchanges nothing, of any kernel; so it is without a target, on the CPU.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x})' -o %t.mi300x
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-exchange-columns))' -o %t.mi300x.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="goes through" --implicit-check-not="its tile"
// RUN: diff %t.mi300x %t.mi300x.after
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-exchange-columns))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="goes through" --implicit-check-not="its tile"
// TARGET: remark: [Missed] stored | Category:attn-exchange-columns | Function=direct | Remark="the target is no NVIDIA GPU"
// TARGET: remark: [Missed] stored | Category:attn-exchange-columns | Function=empty | Remark="the target is no NVIDIA GPU"
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-exchange-columns{all}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option all
// In the pipeline it is run where it is asked for, before tensor maps would take the store.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower=stages=2 --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=own_rows --implicit-check-not=attn-exchange-columns
// OFF: attn.store {{.*}} through
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64 persistent' --lower='stages=2 exchange-columns store-tensors' --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=ON --implicit-check-not="through %" --implicit-check-not=by_tensor_map
// ON: remark: [Passed] stored | Category:attn-exchange-columns | Function=prefill_attention |
// ON: attn.ring.create own_rows : <1 x
// ON: attn.store
// Small chunks lend no memory to stores.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower='copy=async chunk=4 exchange-columns' --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=SMALL --implicit-check-not=own_rows
// SMALL: remark: [Missed] stored | Category:attn-exchange-columns | Function=prefill_attention | Remark="no tile of 16-bit elements goes through shared memory by threads"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#three = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 3:(0, 8)]>
#six = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8)]>
#eight = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0)]>
#swapped = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>
#chunks = #attn.fragment<threads [4:(0, 8), 8:(1, 0), 4:(16, 0)], registers [8:(0, 1), 2:(8, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!q = tensor<64x32xf16, #attn.shared<64>>
!t = tensor<64x32xf16, #acc>

// Through no memory.
// CHECK: remark: [Missed] stored | Category:attn-exchange-columns | Function=direct | Remark="no tile of 16-bit elements goes through shared memory by threads"
attn.kernel @direct(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> <?x32xf16>
  }
}

// The accelerator stores it.
// CHECK: Function=map | Remark="no tile of 16-bit elements goes through shared memory by threads"
attn.kernel @map(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) by_tensor_map : !t -> <?x32xf16>
  }
}

// One number a row, though memory is lent.
// CHECK: Function=vector | Remark="no tile of 16-bit elements goes through shared memory by threads"
attn.kernel @vector(%o: !attn.view<?xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64xf16, #rows>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i] through %q(!q) : tensor<64xf16, #rows> -> <?xf16>
  }
}

// Elements of 32 bits.
// CHECK: Function=bits | Remark="no tile of 16-bit elements goes through shared memory by threads"
attn.kernel @bits(%o: !attn.view<?x32xf32>, %x: f32, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x32xf32, #attn.shared<128>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf32, #acc>
    %q = attn.ring.wait %r : <1 x tensor<64x32xf32, #attn.shared<128>>> -> tensor<64x32xf32, #attn.shared<128>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x32xf32, #attn.shared<128>>) : tensor<64x32xf32, #acc> -> <?x32xf32>
  }
}

// Four lanes cannot share three blocks of eight columns, nor six, nor one.
// CHECK: Function=three | Remark="its tile is no accumulator in multiples of 32 columns, or rows of the view are no multiples of 16 bytes"
attn.kernel @three(%o: !attn.view<?x24xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x24xf16, #three>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x24xf16, #three> -> <?x24xf16>
  }
}
// CHECK: Function=six | Remark="its tile is no accumulator in multiples of 32 columns,
attn.kernel @six(%o: !attn.view<?x48xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x48xf16, #attn.shared<32>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x48xf16, #six>
    %q = attn.ring.wait %r : <1 x tensor<64x48xf16, #attn.shared<32>>> -> tensor<64x48xf16, #attn.shared<32>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x48xf16, #attn.shared<32>>) : tensor<64x48xf16, #six> -> <?x48xf16>
  }
}
// CHECK: Function=eight | Remark="its tile is no accumulator in multiples of 32 columns,
attn.kernel @eight(%o: !attn.view<?x8xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x8xf16, #eight>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x8xf16, #eight> -> <?x8xf16>
  }
}

// Registers are no pairs of columns; they are chunks already; there is no layout yet.
// CHECK: Function=layout | Remark="its tile is no accumulator in multiples of 32 columns,
attn.kernel @layout(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf16, #swapped>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xf16, #swapped> -> <?x32xf16>
  }
}
// CHECK: Function=already | Remark="its tile is no accumulator in multiples of 32 columns,
attn.kernel @already(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf16, #chunks>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xf16, #chunks> -> <?x32xf16>
  }
}
// CHECK: Function=level2 | Remark="its tile is no accumulator in multiples of 32 columns,
attn.kernel @level2(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf16>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xf16> -> <?x32xf16>
  }
}

// Rows of 40 bytes, of unknown length, and from an unknown column on: a chunk may begin anywhere.
// CHECK: Function=stride | Remark="{{.*}}, or rows of the view are no multiples of 16 bytes"
attn.kernel @stride(%o: !attn.view<?x20xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x20xf16>
  }
}
// CHECK: Function=unknown | Remark="{{.*}}, or rows of the view are no multiples of 16 bytes"
attn.kernel @unknown(%o: !attn.view<?x?xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x?xf16>
  }
}
// CHECK: Function=column | Remark="{{.*}}, or rows of the view are no multiples of 16 bytes"
attn.kernel @column(%o: !attn.view<?x64xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %i] through %q(!q) : !t -> <?x64xf16>
  }
}

// Without stores there is nothing to say.
// CHECK-NOT: remark:
attn.kernel @empty() {
}
