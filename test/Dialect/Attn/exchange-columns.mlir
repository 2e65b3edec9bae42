// attn-exchange-columns: results of accumulators are stored from registers, by chunks of columns.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-exchange-columns))' --remarks-filter='attn-exchange.*' -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.once --implicit-check-not=own_rows --implicit-check-not=through
// Once more changes nothing, and says so.
// RUN: attn-opt %t.once --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-exchange-columns))' --remarks-filter='attn-exchange.*' -o %t.twice 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=Passed
// RUN: diff %t.once %t.twice
// Lanes exchange words on all NVIDIA GPUs, also where there is no tensor memory accelerator.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=a100},attn.kernel(attn-exchange-columns))' | FileCheck %s --implicit-check-not=own_rows --implicit-check-not=through

// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=result | Remark="lanes exchange columns, and store chunks of 16 bytes from registers"
// REMARK: remark: [Missed] stored | Category:attn-exchange-columns | Function=result | Remark="no tile of 16-bit elements goes through shared memory by threads"
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=edge |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=tall |
// REMARK-COUNT-2: remark: [Passed] stored | Category:attn-exchange-columns | Function=both |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=sequence |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=rhs |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=transposed |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=read |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=waits |
// REMARK: remark: [Passed] stored | Category:attn-exchange-columns | Function=wide | Remark="lanes store 32-bit elements from registers, and the tile of queries is free before"
// REMARK: remark: [Missed] stored | Category:attn-exchange-columns | Function=loop | Remark="no tile of 16-bit elements goes through shared memory by threads"
// TWICE-COUNT-13: remark: [Missed] stored | {{.*}} | Remark="no tile of 16-bit elements goes through shared memory by threads"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#tall = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(16, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
!q = tensor<64x32xbf16, #attn.shared<64>>
!k = tensor<32x32xbf16, #attn.shared<64>>
!t = tensor<64x32xbf16, #acc>
!s = tensor<64x32xf32, #acc>
!h = tensor<64x64xf16, #attn.shared<128>>

// Of 32 columns a lane has eight that follow each other, in two rows; of 64 it has those of each 32,
// in rows of more than one matrix, too.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[CHUNKS:acc[0-9]*]] = #attn.fragment<threads [4:(0, 8), 8:(1, 0), 4:(16, 0)], registers [8:(0, 1), 2:(8, 0)]>
// CHECK-DAG: #[[WIDE:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-DAG: #[[TWO:acc[0-9]*]] = #attn.fragment<threads [4:(0, 8), 8:(1, 0), 4:(16, 0)], registers [8:(0, 1), 2:(8, 0), 2:(0, 32)]>
// CHECK-DAG: #[[TALL:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(16, 0)]>
// CHECK-DAG: #[[FOUR:acc[0-9]*]] = #attn.fragment<threads [4:(0, 8), 8:(1, 0), 2:(32, 0)], registers [8:(0, 1), 2:(8, 0), 2:(0, 32), 2:(16, 0)]>

// The tile of the result is free behind the product that reads it: its ring says so, that of the
// keys, which are a right-hand side, does not. One number a row goes through no memory.

// CHECK-LABEL: attn.kernel @result
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create own_rows : <1 x
// CHECK-NEXT: attn.ring.create : <2 x
// CHECK: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]]
// CHECK: attn.dot %[[Q]],
// CHECK: %[[T:[^ ]+]] = arith.truncf
// CHECK-NEXT: %[[E:[^ ]+]] = attn.convert_layout %[[T]] : tensor<64x32xbf16, #[[ACC]]> to tensor<64x32xbf16, #[[CHUNKS]]>
// CHECK-NEXT: attn.store %[[E]], %{{[^ ]+}}[%{{[^ ]+}}, %[[I:[^ ]+]], %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]> -> <8x?x32xbf16>
// CHECK-NEXT: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%[[I]]] : tensor<64xf32,
// CHECK-NEXT: attn.ring.release %[[RQ]]
attn.kernel @result(%o: !attn.view<8x?x32xbf16>, %lse: !attn.view<?xf32>, %y: f32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !s
  %r = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %n = attn.dim %o, 1 : <8x?x32xbf16>
  attn.grid (%h, %i) visit %v in (h = %c1, i = %n) persistent 132 {
    %m = tensor.splat %y : tensor<64xf32, #rows>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %s = attn.dot %q, %k, %zero transpose_rhs : !q, !k into !s
    attn.ring.release %rk : <2 x !k>
    %t = arith.truncf %s : !s to !t
    attn.store %t, %o[%h, %i, %c0] through %q(!q) : !t -> <8x?x32xbf16>
    attn.store %m, %lse[%i] : tensor<64xf32, #rows> -> <?xf32>
    attn.ring.release %r : <1 x !q>
  }
}

// Rows of the view end within the tile, at a multiple of 16 bytes. Nobody else reads the tile, and a
// CTA has no other visit, for which it would be given back early; nor has it in a grid that is there no more.

// CHECK-LABEL: attn.kernel @edge
// CHECK: attn.ring.create : <1 x
// CHECK: attn.convert_layout %{{[^ ]+}} : tensor<64x64xf16, #[[WIDE]]> to tensor<64x64xf16, #[[TWO]]>
// CHECK-NEXT: attn.store {{.*}} : tensor<64x64xf16, #[[TWO]]> -> <?x56xf16>
attn.kernel @edge(%o: !attn.view<?x56xf16>, %x: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !h>
  attn.grid (%i) visit %v in (i = %n) {
    %t = tensor.splat %x : tensor<64x64xf16, #wide>
    %q = attn.ring.wait %r : <1 x !h> -> !h
    attn.store %t, %o[%i, %c0] through %q(!h) : tensor<64x64xf16, #wide> -> <?x56xf16>
  }
}

// More than 16 rows in each warp, in a branch. What else the store says stays.

// CHECK-LABEL: attn.kernel @tall
// CHECK: attn.ring.create : <1 x
// CHECK: scf.if
// CHECK-NEXT: attn.convert_layout %{{[^ ]+}} : tensor<64x64xf16, #[[TALL]]> to tensor<64x64xf16, #[[FOUR]]>
// CHECK-NEXT: attn.store {{.*}} {note} : tensor<64x64xf16, #[[FOUR]]> -> <?x64xf16>
attn.kernel @tall(%o: !attn.view<?x64xf16>, %x: f16, %n: index, %b: i1) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !h>
  attn.ctas %i in %n {
    %t = tensor.splat %x : tensor<64x64xf16, #tall>
    %q = attn.ring.wait %r : <1 x !h> -> !h
    scf.if %b {
      attn.store %t, %o[%i, %c0] through %q(!h) {note} : tensor<64x64xf16, #tall> -> <?x64xf16>
    }
  }
}

// Two stores through one tile, which the second leaves free.

// CHECK-LABEL: attn.kernel @both
// CHECK: attn.ring.create own_rows : <1 x
// CHECK-COUNT-2: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @both(%o: !attn.view<?x32xbf16>, %p: !attn.view<?x32xbf16>, %x: bf16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
    attn.store %t, %p[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
  }
}

// A lane looks at the end of a sequence by itself.

// CHECK-LABEL: attn.kernel @sequence
// CHECK: attn.ring.create own_rows : <1 x
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] until %{{[^ ]+}} : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @sequence(%o: !attn.view<?x32xbf16>, %x: bf16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %t = tensor.splat %x : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] until %n through %q(!q) : !t -> <?x32xbf16>
  }
}

//===----------------------------------------------------------------------===//
// Rows of the tile that others read
//===----------------------------------------------------------------------===//

// The result is stored by chunks all the same, but of the ring nothing is said: where the tile is
// the right-hand side of a product, transposed, read by threads, or one of two that are waited for.

// CHECK-LABEL: attn.kernel @rhs
// CHECK: attn.ring.create : <1 x
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @rhs(%o: !attn.view<?x32xbf16>, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %s = attn.dot %q, %q, %zero transpose_rhs : !q, !q into tensor<64x64xf32, #wide>
    %t = arith.constant dense<0.0> : !t
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
  }
}

// CHECK-LABEL: attn.kernel @transposed
// CHECK: attn.ring.create : <1 x
// CHECK: attn.dot {{.*}} transpose_lhs
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @transposed(%o: !attn.view<?x32xbf16>, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0), 2:(0, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>>
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %k = arith.constant dense<0.0> : !t
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %s = attn.dot %q, %k, %zero transpose_lhs : !q, !t into tensor<32x32xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0), 2:(0, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>>
    attn.store %k, %o[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
  }
}

// CHECK-LABEL: attn.kernel @read
// CHECK: attn.ring.create : <1 x
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @read(%o: !attn.view<?x32xbf16>, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %t = attn.convert_layout %q : !q to !t
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
  }
}

// CHECK-LABEL: attn.kernel @waits
// CHECK: attn.ring.create : <2 x
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xbf16, #[[CHUNKS]]>
attn.kernel @waits(%o: !attn.view<?x32xbf16>, %x: bf16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <2 x !q>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %t = tensor.splat %x : !t
    %p = attn.ring.wait %r : <2 x !q> -> !q
    attn.ring.release %r : <2 x !q>
    %q = attn.ring.wait %r : <2 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) : !t -> <?x32xbf16>
    attn.ring.release %r : <2 x !q>
  }
}

// 32-bit elements are stored as they were: four lanes of a row have a sector. The tile that stays is
// free before that, which its ring says; of one that a loop waits for, nothing is said.

// CHECK-LABEL: attn.kernel @wide
// CHECK: attn.ring.create own_rows : <1 x
// CHECK-NEXT: attn.ring.create : <2 x
// CHECK-NOT: attn.convert_layout
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xf32, #[[ACC]]> -> <?x32xf32>
attn.kernel @wide(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !s
  %r = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %q = attn.ring.wait %r : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %s = attn.dot %q, %k, %zero transpose_rhs : !q, !k into !s
    attn.ring.release %rk : <2 x !k>
    attn.store %s, %o[%i, %c0] : !s -> <?x32xf32>
    attn.ring.release %r : <1 x !q>
  }
}

// CHECK-LABEL: attn.kernel @loop
// CHECK: attn.ring.create : <1 x
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<64x32xf32, #[[ACC]]> -> <?x32xf32>
attn.kernel @loop(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !s
  %r = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) {
      %q = attn.ring.wait %r : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %next = attn.dot %q, %k, %acc transpose_rhs : !q, !k into !s
      attn.ring.release %rk : <2 x !k>
      attn.ring.release %r : <1 x !q>
      scf.yield %next : !s
    }
    attn.store %s, %o[%i, %c0] : !s -> <?x32xf32>
  }
}
