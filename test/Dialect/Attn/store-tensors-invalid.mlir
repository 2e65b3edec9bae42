// attn-store-tensors: other stores are left as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-store-tensors))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// Without the capability a kernel is left alone as a whole; so it is without a target, on the CPU.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x})' -o %t.mi300x
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-store-tensors))' -o %t.mi300x.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="goes through"
// RUN: diff %t.mi300x %t.mi300x.after
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-store-tensors))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="goes through"
// TARGET: remark: [Missed] stored | Category:attn-store-tensors | Function=direct | Remark="the target has no tensor memory accelerator"
// TARGET: remark: [Missed] stored | Category:attn-store-tensors | Function=empty | Remark="the target has no tensor memory accelerator"
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-store-tensors{all}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option all
// In the pipeline it is run where it is asked for.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower=stages=2 --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=by_tensor_map --implicit-check-not=attn-store-tensors
// OFF: attn.store {{.*}} through
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower='stages=2 store-tensors' --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=ON
// ON: remark: [Passed] stored | Category:attn-store-tensors | Function=prefill_attention |
// ON: attn.store {{.*}} through {{.*}} by_tensor_map
// Small chunks lend no memory to stores.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64' --lower='copy=async chunk=4 store-tensors' --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=SMALL --implicit-check-not=by_tensor_map
// SMALL: remark: [Missed] stored | Category:attn-store-tensors | Function=prefill_attention | Remark="no tile of 16-bit elements goes through shared memory"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#swapped = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!q = tensor<64x32xf16, #attn.shared<64>>
!t = tensor<64x32xf16, #acc>

// Through no memory.
// CHECK: remark: [Missed] stored | Category:attn-store-tensors | Function=direct | Remark="no tile of 16-bit elements goes through shared memory"
attn.kernel @direct(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> <?x32xf16>
  }
}

// One number a row, though memory is lent.
// CHECK: Function=vector | Remark="no tile of 16-bit elements goes through shared memory"
attn.kernel @vector(%o: !attn.view<?xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64xf16, #rows>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i] through %q(!q) : tensor<64xf16, #rows> -> <?xf16>
  }
}

// Elements of 32 bits.
// CHECK: Function=bits | Remark="no tile of 16-bit elements goes through shared memory"
attn.kernel @bits(%o: !attn.view<?x32xf32>, %x: f32, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x32xf32, #attn.shared<128>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf32, #acc>
    %q = attn.ring.wait %r : <1 x tensor<64x32xf32, #attn.shared<128>>> -> tensor<64x32xf32, #attn.shared<128>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x32xf32, #attn.shared<128>>) : tensor<64x32xf32, #acc> -> <?x32xf32>
  }
}

// Registers are no pairs of columns.
// CHECK: Function=layout | Remark="its tile is no accumulator with whole rows in each warp"
attn.kernel @layout(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf16, #swapped>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xf16, #swapped> -> <?x32xf16>
  }
}

// The tile is an accumulator of 4 warps, but there are 2.
// CHECK: Function=warps | Remark="its tile is no accumulator with whole rows in each warp"
attn.kernel @warps(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xf16>
  }
}

// Nobody has said how many warps there are.
// CHECK: Function=threads | Remark="its tile is no accumulator with whole rows in each warp"
attn.kernel @threads(%o: !attn.view<?x32xf16>, %x: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xf16>
  }
}

// 8 warps have 8 of 64 rows each: no whole matrices of 16 rows.
// CHECK: Function=thin | Remark="its tile is no accumulator with whole rows in each warp"
attn.kernel @thin(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xf16>
  }
}

// Tiles without a layout: in front of attn-assign-fragments.
// CHECK: Function=level2 | Remark="its tile is no accumulator with whole rows in each warp"
attn.kernel @level2(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xf16>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xf16> -> <?x32xf16>
  }
}

// More rows in the memory: other warps have read what this one would write.
// CHECK: Function=taller | Remark="the memory that it goes through is of another shape"
attn.kernel @taller(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<128x32xf16, #attn.shared<64>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x tensor<128x32xf16, #attn.shared<64>>> -> tensor<128x32xf16, #attn.shared<64>>
    attn.store %t, %o[%i, %c0] through %q(tensor<128x32xf16, #attn.shared<64>>) : !t -> <?x32xf16>
  }
}

// More columns.
// CHECK: Function=wider | Remark="the memory that it goes through is of another shape"
attn.kernel @wider(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x64xf16, #attn.shared<128>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x tensor<64x64xf16, #attn.shared<128>>> -> tensor<64x64xf16, #attn.shared<128>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x64xf16, #attn.shared<128>>) : !t -> <?x32xf16>
  }
}

// Narrower panels than there may be.
// CHECK: Function=panels | Remark="the memory that it goes through is of another shape"
attn.kernel @panels(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x32xf16, #attn.shared<32>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x tensor<64x32xf16, #attn.shared<32>>> -> tensor<64x32xf16, #attn.shared<32>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x32xf16, #attn.shared<32>>) : !t -> <?x32xf16>
  }
}

// Elements of another type: f16 goes out through the memory of bf16.
// CHECK: Function=element | Remark="the memory that it goes through is of another shape"
attn.kernel @element(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x tensor<64x32xbf16, #attn.shared<64>>>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x tensor<64x32xbf16, #attn.shared<64>>> -> tensor<64x32xbf16, #attn.shared<64>>
    attn.store %t, %o[%i, %c0] through %q(tensor<64x32xbf16, #attn.shared<64>>) : !t -> <?x32xf16>
  }
}

// Rows of 40 bytes: a stride that a tensor map cannot have.
// CHECK: Function=stride | Remark="rows of the view are no multiples of 16 bytes"
attn.kernel @stride(%o: !attn.view<?x20xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x20xf16>
  }
}

// Rows of unknown length.
// CHECK: Function=unknown | Remark="rows of the view are no multiples of 16 bytes"
attn.kernel @unknown(%o: !attn.view<?x?xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x?xf16>
  }
}

// A view has one map, and so one box.
// CHECK: Function=twice | Remark="the view is accessed by others, too"
// CHECK: Function=twice | Remark="the view is accessed by others, too"
attn.kernel @twice(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xf16>
    attn.store %t, %o[%n, %c0] through %q(!q) : !t -> <?x32xf16>
  }
}

// Copies from the view have a box of more rows.
// CHECK: Function=copied | Remark="the view is accessed by others, too"
attn.kernel @copied(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %s = attn.ring.acquire %r : <1 x !q> -> <!q>
    %p = attn.ring.issue %s, %o[%i, %c0] : <!q>, <?x32xf16> -> <!q>
    attn.ring.land %p : <!q>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %t = attn.convert_layout %q : !q to !t
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xf16>
  }
}

// Nothing is left to do.
// CHECK: Function=already | Remark="it is one already"
attn.kernel @already(%o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) by_tensor_map : !t -> <?x32xf16>
  }
}

// Without stores there is nothing to say.
// CHECK-NOT: remark:
attn.kernel @empty() {
}
