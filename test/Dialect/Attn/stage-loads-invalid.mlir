// attn-stage-loads: kernels without loads are left as they are, with a remark; bad
// options; loads that it cannot stage.
// RUN: split-file %s %t

// RUN: attn-opt %t/none.mlir -o %t/none.before
// RUN: attn-opt %t/none.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=1}))' -o %t/none.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: diff %t/none.before %t/none.after
// NONE: none.mlir:1:1: remark: [Missed] staged | Category:attn-stage-loads | Function=empty | Remark="no loads"
// NONE: none.mlir:3:1: remark: [Missed] staged | Category:attn-stage-loads | Function=stores | Remark="no loads"

// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=-1}))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{wide-panels=128}))' 2>&1 | FileCheck %s --check-prefix=PANEL
// PANEL: '128' is invalid value for boolean argument! Try 0 or 1
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=65}))' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=64}))' | FileCheck %s --check-prefix=MOST
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{resident-stages=0}))' 2>&1 | FileCheck %s --check-prefix=NOSTAY
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{resident-stages=-1}))' 2>&1 | FileCheck %s --check-prefix=NEGSTAY
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=64 resident-stages=65}))' 2>&1 | FileCheck %s --check-prefix=MANYSTAY
// RUN: attn-opt %t/users.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=1 resident-stages=64}))' | FileCheck %s --check-prefix=MOSTSTAY
// RUN: not attn-compile %examples/matmul.mlir --target=h200 --lower='resident-stages=0' --emit=target 2>&1 | FileCheck %s --check-prefix=LOWER
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{copy=bulk}))' 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not attn-opt %t/matmul.mlir --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{depth=2}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// NEGATIVE: matmul.mlir:1:1: error: expected 1 to 64 stages, or 0 for the default, but got -1
// MANY: matmul.mlir:1:1: error: expected 1 to 64 stages, or 0 for the default, but got 65
// MOST-COUNT-2: attn.ring.create : <64 x
// NOSTAY: matmul.mlir:1:1: error: expected 1 to 64 stages of tiles that stay, but got 0
// NEGSTAY: matmul.mlir:1:1: error: expected 1 to 64 stages of tiles that stay, but got -1
// MANYSTAY: matmul.mlir:1:1: error: expected 1 to 64 stages of tiles that stay, but got 65
// MOSTSTAY-COUNT-2: attn.ring.create : <64 x
// MOSTSTAY: attn.ring.create : <1 x
// LOWER: error: expected 1 to 64 stages of tiles that stay, but got 0
// COPY: for the --copy option: expected one of tensor, async, lds, but got 'bulk'
// OPTION: error: {{.*}}no such option depth

// RUN: attn-opt %t/tiles.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))'
// RUN: attn-opt %t/streams.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))'

// What it makes is valid by itself, whatever uses the tile.
// RUN: attn-opt %t/users.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))' | FileCheck %s --check-prefix=USERS
// USERS-LABEL: attn.kernel @elementwise
// USERS: attn.ring.wait
// USERS-LABEL: attn.kernel @cast
// USERS: attn.ring.wait
// What the next visit still wants it has in another place.
// USERS-LABEL: attn.kernel @carried
// USERS: %[[T:tile[^ ]*]] = attn.ring.wait %[[R:[^ ]+]]
// USERS-NEXT: %[[C:[^ ]+]] = attn.convert_layout %[[T]]
// USERS-NEXT: attn.ring.release %[[R]]
// USERS-NEXT: attn.yield %[[C]] : tensor<32x32xf32>

//--- none.mlir
attn.kernel @empty() {
}
attn.kernel @stores(%o: !attn.view<?x?xf32>) {
  %n = attn.dim %o, 0 : <?x?xf32>
  %t = arith.constant dense<1.0> : tensor<16x16xf32>
  attn.grid (%i) visit %v in (i = %n) {
    attn.store %t, %o[%i, %i] : tensor<16x16xf32> -> <?x?xf32>
  }
}

//--- matmul.mlir
attn.kernel @matmul(%a: !attn.view<?x?xbf16>, %b: !attn.view<?x?xbf16>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x80xf32>
  %k = attn.dim %a, 1 : <?x?xbf16>
  attn.grid (%i, %j) visit %v in (i = %k, j = %k) {
    %r = attn.stream %p step 64 over [%c0 to %k] carry (%x = %zero : tensor<32x80xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x64xbf16>
      %t = attn.load %b[%p, %j] : <?x?xbf16> -> tensor<64x80xbf16>
      %d = attn.dot %s, %t, %x : tensor<32x64xbf16>, tensor<64x80xbf16> into tensor<32x80xf32>
      attn.yield %d : tensor<32x80xf32>
    }
    attn.store %r, %c[%i, %j] : tensor<32x80xf32> -> <?x?xf32>
  }
}

//--- tiles.mlir
attn.kernel @rank3(%a: !attn.view<?x?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?x?xf32>
  attn.grid (%i) visit %v in (i = %n) {
    // expected-error @below {{'attn.load' op expected a tile of rank 2 to stage, but got 'tensor<1x16x16xf32>'}}
    %t = attn.load %a[%i, %i, %i] : <?x?x?xf32> -> tensor<1x16x16xf32>
    attn.store %t, %a[%i, %i, %i] : tensor<1x16x16xf32> -> <?x?x?xf32>
  }
}

// -----

attn.kernel @rows(%a: !attn.view<?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?xf32>
  attn.grid (%i) visit %v in (i = %n) {
    // expected-error @below {{'attn.load' op expected tile sizes that are multiples of 16 up to 256, but got 'tensor<24x16xf32>'}}
    %t = attn.load %a[%i, %i] : <?x?xf32> -> tensor<24x16xf32>
    attn.store %t, %a[%i, %i] : tensor<24x16xf32> -> <?x?xf32>
  }
}

// -----

attn.kernel @columns(%a: !attn.view<?x?xbf16>) {
  %n = attn.dim %a, 0 : <?x?xbf16>
  attn.grid (%i) visit %v in (i = %n) {
    // expected-error @below {{'attn.load' op expected tile sizes that are multiples of 16 up to 256, but got 'tensor<16x56xbf16>'}}
    %t = attn.load %a[%i, %i] : <?x?xbf16> -> tensor<16x56xbf16>
    attn.store %t, %a[%i, %i] : tensor<16x56xbf16> -> <?x?xbf16>
  }
}

// -----

attn.kernel @wide(%a: !attn.view<?x?xbf16>) {
  %n = attn.dim %a, 0 : <?x?xbf16>
  attn.grid (%i) visit %v in (i = %n) {
    // expected-error @below {{'attn.load' op expected tile sizes that are multiples of 16 up to 256, but got 'tensor<16x272xbf16>'}}
    %t = attn.load %a[%i, %i] : <?x?xbf16> -> tensor<16x272xbf16>
    attn.store %t, %a[%i, %i] : tensor<16x272xbf16> -> <?x?xbf16>
  }
}

//--- streams.mlir
// A ring goes round once a visit: what is loaded in some visits only cannot go
// through it.
attn.kernel @condition(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 1 : <?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %r = attn.stream %p step 32 over [%c0 to %n] carry (%x = %zero : tensor<32x32xf32>) {
      %b = arith.cmpi slt, %p, %i : index
      %y = scf.if %b -> tensor<32x32xf32> {
        // expected-error-re @below {{'attn.load' op expected {{.*}}}}
        %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x32xbf16>
        %d = attn.dot %s, %s, %x transpose_rhs : tensor<32x32xbf16>, tensor<32x32xbf16> into tensor<32x32xf32>
        scf.yield %d : tensor<32x32xf32>
      } else {
        scf.yield %x : tensor<32x32xf32>
      }
      attn.yield %y : tensor<32x32xf32>
    }
    attn.store %r, %o[%i, %i] : tensor<32x32xf32> -> <?x?xf32>
  }
}

// -----

// Nor what is loaded from a place that only the fold before it knows: the producer
// is ahead of it.
attn.kernel @place(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 1 : <?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %r, %k = attn.stream %p step 32 over [%c0 to %n] carry (%x = %zero, %c = %c0 : tensor<32x32xf32>, index) {
      // expected-error-re @below {{'attn.load' op expected {{.*}}}}
      %s = attn.load %a[%i, %c] : <?x?xbf16> -> tensor<32x32xbf16>
      %y = attn.dot %s, %s, %x transpose_rhs : tensor<32x32xbf16>, tensor<32x32xbf16> into tensor<32x32xf32>
      %d = arith.addi %c, %n : index
      attn.yield %y, %d : tensor<32x32xf32>, index
    }
    attn.store %r, %o[%i, %i] : tensor<32x32xf32> -> <?x?xf32>
  }
}

//--- users.mlir
attn.kernel @elementwise(%a: !attn.view<?x?xf32>, %o: !attn.view<?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %t = attn.load %a[%i, %i] : <?x?xf32> -> tensor<16x16xf32>
    %u = arith.addf %t, %t : tensor<16x16xf32>
    attn.store %u, %o[%i, %i] : tensor<16x16xf32> -> <?x?xf32>
  }
}

// -----

attn.kernel @cast(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?xbf16>
  attn.grid (%i) visit %w in (i = %n) {
    %t = attn.load %a[%i, %i] : <?x?xbf16> -> tensor<16x16xbf16>
    %u = arith.extf %t : tensor<16x16xbf16> to tensor<16x16xf32>
    attn.store %u, %o[%i, %i] : tensor<16x16xf32> -> <?x?xf32>
  }
}

// -----

attn.kernel @carried(%a: !attn.view<?x?xf32>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 1 : <?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %r = attn.stream %p step 32 over [%c0 to %n] carry (%x = %zero : tensor<32x32xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xf32> -> tensor<32x32xf32>
      attn.yield %s : tensor<32x32xf32>
    }
    attn.store %r, %o[%i, %i] : tensor<32x32xf32> -> <?x?xf32>
  }
}
