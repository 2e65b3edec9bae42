// attn-store-tensors: stores of accumulators through the memory of a tile of the same rows.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-store-tensors))' --remarks-filter='attn-store.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once --implicit-check-not=by_tensor_map
// Nothing else changes.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: sed 's/ by_tensor_map//' %t.once | diff %t.before -
// Once more changes nothing, and says so.
// RUN: attn-opt %t.once --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-store-tensors))' --remarks-filter='attn-store.*' -o %t.twice 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=Passed
// RUN: diff %t.once %t.twice
// It is the capability that counts, not the generation: gb10 has no wgmma.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-store-tensors))' | FileCheck %s --implicit-check-not=by_tensor_map

// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=result | Remark="each warp's rows are stored by the tensor memory accelerator"
// REMARK: remark: [Missed] stored | Category:attn-store-tensors | Function=result | Remark="no tile of 16-bit elements goes through shared memory"
// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=edge |
// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=many |
// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=nested |
// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=both |
// REMARK: remark: [Passed] stored | Category:attn-store-tensors | Function=both |
// REMARK: remark: [Missed] stored | Category:attn-store-tensors | Function=sequence | Remark="rows behind the end of a sequence are another's"
// TWICE: remark: [Missed] stored | Category:attn-store-tensors | Function=result | Remark="it is one already"
// TWICE: remark: [Missed] stored | Category:attn-store-tensors | Function=result | Remark="no tile of 16-bit elements goes through shared memory"
// TWICE: remark: [Missed] stored | Category:attn-store-tensors | Function=edge | Remark="it is one already"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#tall = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8), 2:(16, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!q = tensor<64x32xbf16, #attn.shared<64>>
!h = tensor<64x64xf16, #attn.shared<128>>

// The result goes out by a tensor map, one number a row, which goes through no memory, does not.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[TWOWARPS:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8), 2:(16, 0)]>
// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @result
// CHECK: attn.store %{{[^ ]+}}, %[[O:[^ ]+]][%{{[^ ]+}}, %[[I:[^ ]+]], %{{[^ ]+}}] through %{{[^ ]+}}(tensor<64x32xbf16, #[[SHARED]]>) by_tensor_map : tensor<64x32xbf16, #[[ACC]]> -> <8x?x32xbf16>
// CHECK-NEXT: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%[[I]]] : tensor<64xf32,
// CHECK-NEXT: attn.ring.release
attn.kernel @result(%o: !attn.view<8x?x32xbf16>, %lse: !attn.view<?xf32>, %x: bf16, %y: f32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !q>
  // A size of the view is no access.
  %n = attn.dim %o, 1 : <8x?x32xbf16>
  attn.grid (%h, %i) visit %v in (h = %c1, i = %n) {
    %t = tensor.splat %x : tensor<64x32xbf16, #acc>
    %m = tensor.splat %y : tensor<64xf32, #rows>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%h, %i, %c0] through %q(!q) : tensor<64x32xbf16, #acc> -> <8x?x32xbf16>
    attn.store %m, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.ring.release %r : <1 x !q>
  }
}

// Rows of the view end within the tile, at a multiple of 16 bytes.

// CHECK-LABEL: attn.kernel @edge
// CHECK: attn.store {{.*}} by_tensor_map : tensor<64x64xf16, {{.*}} -> <?x56xf16>
attn.kernel @edge(%o: !attn.view<?x56xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !h>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x64xf16, #wide>
    %q = attn.ring.wait %r : <1 x !h> -> !h
    attn.store %t, %o[%i, %c0] through %q(!h) : tensor<64x64xf16, #wide> -> <?x56xf16>
  }
}

// More than 16 rows in each warp.

// CHECK-LABEL: attn.kernel @many
// CHECK: attn.store {{.*}} by_tensor_map : tensor<64x32xbf16, #[[TWOWARPS]]>
attn.kernel @many(%o: !attn.view<?x32xbf16>, %x: bf16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xbf16, #tall>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xbf16, #tall> -> <?x32xbf16>
  }
}

// In a loop, and in a branch.

// CHECK-LABEL: attn.kernel @nested
// CHECK: scf.if
// CHECK-NEXT: attn.store {{.*}} by_tensor_map {note} :
attn.kernel @nested(%o: !attn.view<?x32xbf16>, %x: bf16, %n: index, %b: i1) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.ctas %i in %n {
    %t = tensor.splat %x : tensor<64x32xbf16, #acc>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    scf.if %b {
      attn.store %t, %o[%i, %c0] through %q(!q) {note} : tensor<64x32xbf16, #acc> -> <?x32xbf16>
    }
  }
}

// Each of two views has a map of its own.

// CHECK-LABEL: attn.kernel @both
// CHECK: attn.store %{{[^ ]+}}, %[[O:[^ ]+]][{{.*}} by_tensor_map : tensor<64x32xbf16,
// CHECK: attn.store %{{[^ ]+}}, %[[P:[^ ]+]][{{.*}} by_tensor_map : tensor<64x64xf16,
attn.kernel @both(%o: !attn.view<?x32xbf16>, %p: !attn.view<?x64xf16>, %x: bf16, %y: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  %s = attn.ring.create : <1 x !h>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xbf16, #acc>
    %u = tensor.splat %y : tensor<64x64xf16, #wide>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %h = attn.ring.wait %s : <1 x !h> -> !h
    attn.store %t, %o[%i, %c0] through %q(!q) : tensor<64x32xbf16, #acc> -> <?x32xbf16>
    attn.store %u, %p[%i, %c0] through %h(!h) : tensor<64x64xf16, #wide> -> <?x64xf16>
  }
}

// A box would reach into the next sequence.

// CHECK-LABEL: attn.kernel @sequence
attn.kernel @sequence(%o: !attn.view<?x32xbf16>, %x: bf16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x32xbf16, #acc>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] until %n through %q(!q) : tensor<64x32xbf16, #acc> -> <?x32xbf16>
  }
}
