// attn-whole-lines: accesses that stay as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-whole-lines{of=all}))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// Without the capability a kernel is left alone as a whole.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-whole-lines))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: remark: [Missed] whole-lines | Category:attn-whole-lines | Function=shape | Remark="threads of the target do not copy through registers"
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-whole-lines{of=loads}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: expected one of stores, all, but got 'loads'
// In the pipeline it is run where it is asked for.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=attn-whole-lines --implicit-check-not=attn.ring.put
// OFF: attn.store
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --lower=whole-lines=stores --emit=target --remarks 2>&1 | FileCheck %s --check-prefix=ON
// ON: remark: [Passed] whole-lines | Category:attn-whole-lines | Function=prefill_attention |
// ON: attn.ring.put

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#wide = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 4:(0, 16)]>
#rows = #attn.fragment<threads [32:(1), 2:(0)], registers []>
#lines = #attn.fragment<threads [4:(0, 8), 16:(1, 0)], registers [8:(0, 1), 2:(16, 0)]>
!k = tensor<32x32xf16, #attn.shared<64, folded>>
!t = tensor<32x32xf16, #acc>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>

// CHECK: remark: [Missed] whole-lines | Category:attn-whole-lines | Function=shape | Remark="the tile is not one of 16-bit elements, of rows and columns, in registers"
// CHECK: Function=shape | Remark="the tile is not one of 16-bit elements, of rows and columns, in registers"
attn.kernel @shape(%o: !attn.view<?x32xf32>, %l: !attn.view<?xf16>, %x: f32, %y: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !c
    attn.store %t, %o[%i, %c0] : !c -> <?x32xf32>
    %s = tensor.splat %y : tensor<32xf16, #rows>
    attn.store %s, %l[%i] : tensor<32xf16, #rows> -> <?xf16>
  }
}

// CHECK: Function=view | Remark="rows of the view are not known to be multiples of 16 bytes"
// CHECK: Function=view | Remark="rows of the view are not known to be multiples of 16 bytes"
attn.kernel @view(%o: !attn.view<?x?xf16>, %p: !attn.view<?x28xf16>, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> <?x?xf16>
    attn.store %t, %p[%i, %c0] : !t -> <?x28xf16>
  }
}

// CHECK: Function=lanes | Remark="lanes have as many neighbours of a row already"
attn.kernel @lanes(%o: !v, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : tensor<32x32xf16, #lines>
    attn.store %t, %o[%i, %c0] : tensor<32x32xf16, #lines> -> !v
  }
}

// 32 rows are four for each of eight warps, and without threads no warp has any.
// CHECK: Function=warps | Remark="warps have fewer rows than lanes would access"
attn.kernel @warps(%o: !v, %x: f16, %n: index) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> !v
  }
}
// CHECK: Function=threads | Remark="warps have fewer rows than lanes would access"
attn.kernel @threads(%o: !v, %x: f16, %n: index) {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> !v
  }
}

// Without rings there is no memory; with one, there may be too little.
// CHECK: Function=none | Remark="rings have less memory than the tile"
attn.kernel @none(%o: !v, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !t
    attn.store %t, %o[%i, %c0] : !t -> !v
  }
}
// CHECK: Function=little | Remark="rings have less memory than the tile"
attn.kernel @little(%k: !v, %o: !attn.view<?x64xf16>, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %ring = attn.ring.create slots 1 : <2 x !k>
  attn.grid (%i) visit %visit in (i = %n) {
    attn.stream %j step 32 over [%c0 to %n] produce (%ahead) {
      %s = attn.ring.acquire %ring ahead 1 : <2 x !k> -> <!k>
      %p = attn.ring.issue %s, %k[%ahead, %c0] by registers : <!k>, !v -> <!k>
      attn.ring.land %p : <!k>
    } {
      %tile = attn.ring.wait %ring : <2 x !k> -> !k
      attn.ring.release %ring : <2 x !k>
    }
    %t = tensor.splat %x : tensor<32x64xf16, #wide>
    attn.store %t, %o[%i, %c0] : tensor<32x64xf16, #wide> -> <?x64xf16>
  }
}

// Within a stream, and beside a slot that is taken until the end of the tile.
// CHECK: Function=taken | Remark="rings have slots that may be taken there"
// CHECK: Function=taken | Remark="rings have slots that may be taken there"
attn.kernel @taken(%k: !v, %o: !v, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %ring = attn.ring.create : <1 x !k>
  attn.grid (%i) visit %visit in (i = %n) {
    %t = tensor.splat %x : !t
    attn.stream %j step 32 over [%c0 to %n] {
      attn.store %t, %o[%j, %c0] : !t -> !v
    }
    %s = attn.ring.acquire %ring : <1 x !k> -> <!k>
    %p = attn.ring.issue %s, %k[%i, %c0] by registers : <!k>, !v -> <!k>
    attn.ring.land %p : <!k>
    attn.store %t, %o[%i, %c0] : !t -> !v
    attn.ring.release %ring : <1 x !k>
  }
}
