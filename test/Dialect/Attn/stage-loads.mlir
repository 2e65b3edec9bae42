// attn-stage-loads: what stays, what streams, which ring, in which order.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads))' --remarks-filter='attn-stage.*' -o %t.DEFAULT 2>&1 | FileCheck %s --check-prefixes=REMARK,REMARK-DEFAULT
// RUN: FileCheck %s --input-file=%t.DEFAULT --check-prefixes=CHECK,DEFAULT --implicit-check-not=attn.load
// Options: depth of the streamed rings only, and the copier of all.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{stages=3 copy=async}))' --remarks-filter='attn-stage.*' -o %t.OPTIONS 2>&1 | FileCheck %s --check-prefixes=REMARK,REMARK-OPTIONS
// RUN: FileCheck %s --input-file=%t.OPTIONS --check-prefixes=CHECK,OPTIONS --implicit-check-not=attn.load
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{stages=1 copy=tensor}))' --remarks-filter='attn-stage.*' -o %t.ONE 2>&1 | FileCheck %s --check-prefixes=REMARK,REMARK-ONE
// RUN: FileCheck %s --input-file=%t.ONE --check-prefixes=CHECK,ONE --implicit-check-not=attn.load
// The depth of the rings of tiles that stay is one of its own.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{stages=3 resident-stages=2}))' --remarks-filter='attn-stage.*' -o %t.STAY 2>&1 | FileCheck %s --check-prefixes=REMARK,REMARK-OPTIONS
// RUN: FileCheck %s --input-file=%t.STAY --check-prefix=STAY --implicit-check-not=attn.load
// What is staged has no loads left to stage.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads))' -o %t.once
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{stages=5}))' | diff %t.once -

// REMARK: remark: [Passed] staged | Category:attn-stage-loads | Function=attention | Remark="loads go through rings:", loads=3,
// REMARK-DEFAULT-SAME: stages=2, stages-from=default
// REMARK-OPTIONS-SAME: stages=3, stages-from=option
// REMARK-ONE-SAME: stages=1, stages-from=option
// REMARK: remark: [Passed] staged | Category:attn-stage-loads | Function=matmul | Remark="loads go through rings:", loads=2,
// REMARK: Function=twice | Remark="loads go through rings:"
// REMARK: Function=lend | Remark="loads go through rings:", loads=1,

// Attention: Q stays, in a ring of one stage that is filled at once, waited for
// just before the stream that reads it, lent to the store of O, and released at the
// end of the tile. K and V stream, in rings of their own: each is waited for just
// before its product, and released just after it. The producer computes positions
// of its own.

// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: attn.kernel @attention
// CHECK-SAME: (%[[Q:[^ ]+]]: !attn.view<?x?x56xbf16>, %[[K:[^ ]+]]: !attn.view<?x?x56xbf16>, %[[V:[^ ]+]]: !attn.view<?x?x56xbf16>, %[[O:[^ ]+]]: !attn.view<?x?x56xbf16>) {
// DEFAULT-DAG: %[[RV:ring[^ ]*]] = attn.ring.create : <2 x tensor<48x64xbf16, #[[SHARED]]>>
// DEFAULT-DAG: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x tensor<48x64xbf16, #[[SHARED]]>>
// OPTIONS-DAG: %[[RV:ring[^ ]*]] = attn.ring.create : <3 x tensor<48x64xbf16, #[[SHARED]]>>
// OPTIONS-DAG: %[[RK:ring[^ ]*]] = attn.ring.create : <3 x tensor<48x64xbf16, #[[SHARED]]>>
// ONE-DAG: %[[RV:ring[^ ]*]] = attn.ring.create : <1 x tensor<48x64xbf16, #[[SHARED]]>>
// ONE-DAG: %[[RK:ring[^ ]*]] = attn.ring.create : <1 x tensor<48x64xbf16, #[[SHARED]]>>
// CHECK-DAG: %[[RQ:ring[^ ]*]] = attn.ring.create : <1 x tensor<32x64xbf16, #[[SHARED]]>>
// CHECK: attn.grid (%[[H:[^,]+]], %[[I:[^ ]+]])
// CHECK: %[[ROW:[^ ]+]] = arith.muli %[[I]],
// CHECK-NEXT: %[[S:[^ ]+]] = attn.ring.acquire %[[RQ:ring[^ ]*]] : <1 x tensor<32x64xbf16, #[[SHARED]]>> -> <tensor<32x64xbf16, #[[SHARED]]>>
// DEFAULT-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %[[Q]][%[[H]], %[[ROW]], %[[C0:[^ ]+]]] : <tensor<32x64xbf16, #[[SHARED]]>>, <?x?x56xbf16> -> <tensor<32x64xbf16, #[[SHARED]]>>
// OPTIONS-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %[[Q]][%[[H]], %[[ROW]], %[[C0:[^ ]+]]] by async :
// ONE-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %[[Q]][%[[H]], %[[ROW]], %[[C0:[^ ]+]]] :
// CHECK-NEXT: attn.ring.land %[[P]]
// CHECK-NEXT: %[[HALF:[^ ]+]] = arith.divui
// CHECK-NEXT: %[[QT:[^ ]+]] = attn.ring.wait %[[RQ]] : <1 x tensor<32x64xbf16, #[[SHARED]]>> -> tensor<32x64xbf16, #[[SHARED]]>
// CHECK-NEXT: %[[R:[^ ]+]] = attn.stream %[[J:[^ ]+]] step 48 over {{.*}} produce (%[[A:[^ ]+]]) {
// The arithmetic of the position, and nothing else of the body.
// CHECK-NEXT: %[[AA:[^ ]+]] = arith.addi %[[A]], %[[HALF]] : index
// CHECK-NEXT: %[[SK:[^ ]+]] = attn.ring.acquire %[[RK:ring[^ ]*]] :
// CHECK-NEXT: %[[PK:[^ ]+]] = attn.ring.issue %[[SK]], %[[K]][%[[H]], %[[AA]], %[[C0]]]
// OPTIONS-SAME: by async
// CHECK-NEXT: attn.ring.land %[[PK]]
// CHECK-NEXT: %[[SV:[^ ]+]] = attn.ring.acquire %[[RV:ring[^ ]*]] :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.ring.issue %[[SV]], %[[V]][%[[H]], %[[A]], %[[C0]]]
// CHECK-NEXT: attn.ring.land %[[PV]]
// CHECK-NEXT: } {
// CHECK: %[[KT:[^ ]+]] = attn.ring.wait %[[RK]]
// CHECK-NEXT: %[[SC:[^ ]+]] = attn.dot %[[QT]], %[[KT]], %{{[^ ]+}} transpose_rhs : tensor<32x64xbf16, #[[SHARED]]>, tensor<48x64xbf16, #[[SHARED]]> into tensor<32x48xf32>
// CHECK-NEXT: attn.ring.release %[[RK]]
// CHECK-NEXT: %[[PR:[^ ]+]] = arith.truncf %[[SC]]
// CHECK-NEXT: %[[VT:[^ ]+]] = attn.ring.wait %[[RV]]
// CHECK-NEXT: %[[N:[^ ]+]] = attn.dot %[[PR]], %[[VT]], %{{[^ ]+}} : tensor<32x48xbf16>, tensor<48x64xbf16, #[[SHARED]]> into tensor<32x64xf32>
// CHECK-NEXT: attn.ring.release %[[RV]]
// CHECK-NEXT: attn.yield %[[N]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[T:[^ ]+]] = arith.truncf %[[R]]
// CHECK-NEXT: attn.store %[[T]], %[[O]][%[[H]], %[[ROW]], %[[C0]]] through %[[QT]](tensor<32x64xbf16, #[[SHARED]]>) : tensor<32x64xbf16> -> <?x?x56xbf16>
// CHECK-NEXT: attn.ring.release %[[RQ]]
// CHECK-NEXT: }
// With two stages for what stays nothing changes but the type of its ring.
// STAY-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// STAY-LABEL: attn.kernel @attention
// STAY-COUNT-2: attn.ring.create : <3 x tensor<48x64xbf16, #[[SHARED]]>>
// STAY-NEXT: %[[RQ:ring[^ ]*]] = attn.ring.create : <2 x tensor<32x64xbf16, #[[SHARED]]>>
// STAY-NOT: attn.ring.create
// STAY: attn.ring.acquire %[[RQ]] : <2 x
// STAY: %[[QT:[^ ]+]] = attn.ring.wait %[[RQ]] : <2 x
// STAY-NEXT: attn.stream
// STAY: attn.store {{.*}} through %[[QT]](
// STAY-NEXT: attn.ring.release %[[RQ]] : <2 x
// STAY-NEXT: }
attn.kernel @attention(%q: !attn.view<?x?x56xbf16>, %k: !attn.view<?x?x56xbf16>, %v: !attn.view<?x?x56xbf16>, %o: !attn.view<?x?x56xbf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %scores = arith.constant dense<0.0> : tensor<32x48xf32>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %heads = attn.dim %q, 0 : <?x?x56xbf16>
  %n = attn.dim %k, 1 : <?x?x56xbf16>
  attn.grid (%h, %i) visit %w in (head = %heads, query = %n) {
    %row = arith.muli %i, %c32 : index
    %qt = attn.load %q[%h, %row, %c0] : <?x?x56xbf16> -> tensor<32x64xbf16>
    %half = arith.divui %row, %c2 : index
    %acc = attn.stream %j step 48 over [%c0 to %half, masked %half to %n] carry (%a = %zero : tensor<32x64xf32>) {
      %at = arith.addi %j, %half : index
      %unused = arith.muli %at, %c2 : index
      %kt = attn.load %k[%h, %at, %c0] : <?x?x56xbf16> -> tensor<48x64xbf16>
      %vt = attn.load %v[%h, %j, %c0] : <?x?x56xbf16> -> tensor<48x64xbf16>
      %s = attn.dot %qt, %kt, %scores transpose_rhs : tensor<32x64xbf16>, tensor<48x64xbf16> into tensor<32x48xf32>
      %p = arith.truncf %s : tensor<32x48xf32> to tensor<32x48xbf16>
      %x = attn.dot %p, %vt, %a : tensor<32x48xbf16>, tensor<48x64xbf16> into tensor<32x64xf32>
      attn.yield %x : tensor<32x64xf32>
    }
    %t = arith.truncf %acc : tensor<32x64xf32> to tensor<32x64xbf16>
    attn.store %t, %o[%h, %row, %c0] : tensor<32x64xbf16> -> <?x?x56xbf16>
  }
}

// -----

// A plain product: both operands stream, nothing stays, the store has nothing to go
// through. Rows of 80 elements have the widest span that divides 160 bytes.

// CHECK-DAG: #[[SHARED128:shared[0-9]*]] = #attn.shared<128>
// CHECK-DAG: #[[SHARED32:shared[0-9]*]] = #attn.shared<32>
// CHECK-LABEL: attn.kernel @matmul
// DEFAULT-DAG: attn.ring.create : <2 x tensor<32x64xbf16, #[[SHARED128]]>>
// DEFAULT-DAG: attn.ring.create : <2 x tensor<64x80xbf16, #[[SHARED32]]>>
// OPTIONS-DAG: attn.ring.create : <3 x tensor<32x64xbf16, #[[SHARED128]]>>
// OPTIONS-DAG: attn.ring.create : <3 x tensor<64x80xbf16, #[[SHARED32]]>>
// ONE-DAG: attn.ring.create : <1 x tensor<32x64xbf16, #[[SHARED128]]>>
// ONE-DAG: attn.ring.create : <1 x tensor<64x80xbf16, #[[SHARED32]]>>
// CHECK: attn.stream
// CHECK-SAME: produce (%[[A:[^ ]+]]) {
// CHECK-COUNT-2: attn.ring.land
// CHECK-NEXT: } {
// CHECK-NEXT: %[[S:[^ ]+]] = attn.ring.wait %[[RA:[^ ]+]]
// CHECK-NEXT: %[[T:[^ ]+]] = attn.ring.wait %[[RB:[^ ]+]]
// CHECK-NEXT: attn.dot %[[S]], %[[T]], %{{[^ ]+}} : tensor<32x64xbf16, #[[SHARED128]]>, tensor<64x80xbf16, #[[SHARED32]]> into tensor<32x80xf32>
// CHECK-DAG: attn.ring.release %[[RA]]
// CHECK-DAG: attn.ring.release %[[RB]]
// CHECK: attn.yield
// CHECK: attn.store
// CHECK-NOT: through
// CHECK-SAME: tensor<32x80xf32> -> <?x?xf32>
// CHECK-NOT: attn.ring
// CHECK: attn.return
// STAY-LABEL: attn.kernel @matmul
// STAY-COUNT-2: attn.ring.create : <3 x
// STAY-NOT: attn.ring.create
// STAY: attn.grid
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

// -----

// One product after the other streams tiles of one view through one ring; tiles of
// another size have one of their own. A load that nothing uses is gone.

// CHECK-DAG: #[[SHARED32:shared[0-9]*]] = #attn.shared<32>
// CHECK-DAG: #[[SHARED64:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @twice
// CHECK-COUNT-2: attn.ring.create
// CHECK-NOT: attn.ring.create
// CHECK: attn.stream
// CHECK: attn.ring.acquire %[[ONE:[^ ]+]] : <{{[0-9]}} x tensor<16x16xf16, #[[SHARED32]]>>
// CHECK: attn.stream
// CHECK: attn.ring.acquire %[[ONE]] :
// CHECK: attn.ring.acquire %[[TWO:[^ ]+]] : <{{[0-9]}} x tensor<16x32xf16, #[[SHARED64]]>>
// CHECK-NOT: attn.ring.acquire
// CHECK: attn.return
attn.kernel @twice(%a: !attn.view<?x?xf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %n = attn.dim %a, 0 : <?x?xf16>
  attn.grid (%i) visit %v in (i = %n) {
    %unused = attn.load %a[%i, %c0] : <?x?xf16> -> tensor<16x16xf16>
    %r = attn.stream %p step 16 over [%c0 to %n] carry (%x = %zero : tensor<16x16xf32>) {
      %s = attn.load %a[%p, %c0] : <?x?xf16> -> tensor<16x16xf16>
      %d = attn.dot %one, %s, %x : tensor<16x16xf16>, tensor<16x16xf16> into tensor<16x16xf32>
      attn.yield %d : tensor<16x16xf32>
    }
    %t = attn.stream %p step 16 over [%c0 to %n] carry (%x = %r : tensor<16x16xf32>) {
      %s = attn.load %a[%p, %i] : <?x?xf16> -> tensor<16x16xf16>
      %d = attn.dot %one, %s, %x : tensor<16x16xf16>, tensor<16x16xf16> into tensor<16x16xf32>
      %w = attn.load %a[%p, %c0] : <?x?xf16> -> tensor<16x32xf16>
      %y = attn.dot %w, %w, %d transpose_rhs : tensor<16x32xf16>, tensor<16x32xf16> into tensor<16x16xf32>
      attn.yield %y : tensor<16x16xf32>
    }
    attn.store %t, %o[%i, %c0] : tensor<16x16xf32> -> <?x?xf32>
  }
}

// -----

// What a store may go through: 16-bit tiles that fit, one store for each tile in
// shared memory. f32 does not go through; nor what is larger than the memory.

// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @lend
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^]]+}}] : tensor<16x16xf32>
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^]]+}}] : tensor<16x64xf16>
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^]]+}}] through %{{[^ ]+}}(tensor<16x32xf16, #[[SHARED]]>) : tensor<16x16xf16>
// CHECK: attn.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^]]+}}] : tensor<16x16xf16>
// CHECK-NEXT: attn.ring.release
// STAY-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<64>
// STAY-LABEL: attn.kernel @lend
// STAY: attn.ring.create : <2 x tensor<16x32xf16, #[[SHARED]]>>
// STAY-NOT: attn.ring.create
// STAY: attn.grid
attn.kernel @lend(%a: !attn.view<?x?xf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %large = arith.constant dense<0.0> : tensor<16x64xf16>
  %small = arith.constant dense<0.0> : tensor<16x16xf16>
  %n = attn.dim %a, 0 : <?x?xf16>
  attn.grid (%i) visit %v in (i = %n) {
    %s = attn.load %a[%i, %c0] : <?x?xf16> -> tensor<16x32xf16>
    %d = attn.dot %s, %s, %zero transpose_rhs : tensor<16x32xf16>, tensor<16x32xf16> into tensor<16x16xf32>
    attn.store %d, %o[%i, %c0] : tensor<16x16xf32> -> <?x?xf32>
    attn.store %large, %a[%i, %c0] : tensor<16x64xf16> -> <?x?xf16>
    attn.store %small, %a[%i, %c0] : tensor<16x16xf16> -> <?x?xf16>
    attn.store %small, %a[%i, %c0] : tensor<16x16xf16> -> <?x?xf16>
  }
}

// -----

// Users that are no products read the tile out of shared memory, each where it is; a
// kernel that only copies, too.

// CHECK-DAG: #[[SHARED32:shared[0-9]*]] = #attn.shared<32>
// CHECK-DAG: #[[SHARED64:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @users
// CHECK: %[[T:tile[^ ]*]] = attn.ring.wait
// CHECK-NEXT: attn.dot %[[T]], %[[T]],
// CHECK: %[[A:[^ ]+]] = attn.convert_layout %[[T]] : tensor<16x16xbf16, #[[SHARED32]]> to tensor<16x16xbf16>
// CHECK: %[[B:[^ ]+]] = attn.convert_layout %[[T]] : tensor<16x16xbf16, #[[SHARED32]]> to tensor<16x16xbf16>
// CHECK-NOT: attn.convert_layout
// CHECK: attn.ring.release
// CHECK-LABEL: attn.kernel @copy
// CHECK: %[[T:tile[^ ]*]] = attn.ring.wait
// CHECK-NEXT: %[[C:[^ ]+]] = attn.convert_layout %[[T]] : tensor<16x16xf32, #[[SHARED64]]> to tensor<16x16xf32>
// CHECK-NEXT: attn.store %[[C]], %{{[^ ]+}}[%{{[^]]+}}] : tensor<16x16xf32> -> <?x?xf32>
// CHECK-NEXT: attn.ring.release
attn.kernel @users(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %t = attn.load %a[%i, %i] : <?x?xbf16> -> tensor<16x16xbf16>
    %d = attn.dot %t, %t, %zero : tensor<16x16xbf16>, tensor<16x16xbf16> into tensor<16x16xf32>
    %u = arith.extf %t : tensor<16x16xbf16> to tensor<16x16xf32>
    %x = arith.addf %d, %u : tensor<16x16xf32>
    %c = arith.cmpi eq, %w, %i : index
    %b = scf.if %c -> tensor<16x16xf32> {
      %v = arith.extf %t : tensor<16x16xbf16> to tensor<16x16xf32>
      scf.yield %v : tensor<16x16xf32>
    } else {
      scf.yield %x : tensor<16x16xf32>
    }
    attn.store %b, %o[%i, %i] : tensor<16x16xf32> -> <?x?xf32>
  }
}
attn.kernel @copy(%a: !attn.view<?x?xf32>, %o: !attn.view<?x?xf32>) {
  %n = attn.dim %a, 0 : <?x?xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %t = attn.load %a[%i, %i] : <?x?xf32> -> tensor<16x16xf32>
    attn.store %t, %o[%i, %i] : tensor<16x16xf32> -> <?x?xf32>
  }
}

// -----

// Two tiles of one view in one visit, as in a product of a matrix with itself, have
// a ring each: a ring is filled once a visit.

// CHECK-LABEL: attn.kernel @gram
// CHECK: attn.stream
// CHECK-SAME: produce
// CHECK: attn.ring.acquire %[[ONE:[^ ]+]] :
// CHECK-NOT: attn.ring.acquire %[[ONE]] :
// CHECK: } {
// CHECK-NEXT: %[[S:[^ ]+]] = attn.ring.wait %[[ONE]] :
// CHECK-NOT: attn.ring.wait %[[ONE]] :
// CHECK: attn.dot %[[S]], %{{[^ ]+}},
attn.kernel @gram(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 1 : <?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  attn.grid (%i, %j) visit %w in (i = %n, j = %n) {
    %r = attn.stream %p step 32 over [%c0 to %n] carry (%x = %zero : tensor<32x32xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x32xbf16>
      %t = attn.load %a[%j, %p] : <?x?xbf16> -> tensor<32x32xbf16>
      %d = attn.dot %s, %t, %x transpose_rhs : tensor<32x32xbf16>, tensor<32x32xbf16> into tensor<32x32xf32>
      attn.yield %d : tensor<32x32xf32>
    }
    attn.store %r, %o[%i, %j] : tensor<32x32xf32> -> <?x?xf32>
  }
}

// -----

// So have a stream and the stream in it, whose visits take turns.

// CHECK-LABEL: attn.kernel @nested
// CHECK: attn.stream
// CHECK: attn.ring.acquire %[[OUTER:[^ ]+]] :
// CHECK: attn.ring.wait %[[OUTER]] :
// CHECK: attn.stream
// CHECK-NOT: attn.ring.acquire %[[OUTER]] :
// CHECK-NOT: attn.ring.wait %[[OUTER]] :
// CHECK: attn.dot
// STAY-LABEL: attn.kernel @nested
// STAY-COUNT-2: attn.ring.create : <3 x
// STAY-NOT: attn.ring.create
// STAY: attn.grid
attn.kernel @nested(%a: !attn.view<?x?xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 1 : <?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %r = attn.stream %p step 32 over [%c0 to %n] carry (%x = %zero : tensor<32x32xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x32xbf16>
      %y = attn.stream %q step 32 over [%c0 to %n] carry (%z = %x : tensor<32x32xf32>) {
        %t = attn.load %a[%p, %q] : <?x?xbf16> -> tensor<32x32xbf16>
        %u = attn.dot %s, %t, %z : tensor<32x32xbf16>, tensor<32x32xbf16> into tensor<32x32xf32>
        attn.yield %u : tensor<32x32xf32>
      }
      attn.yield %y : tensor<32x32xf32>
    }
    attn.store %r, %o[%i, %i] : tensor<32x32xf32> -> <?x?xf32>
  }
}

// By way of the pipeline.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower='resident-stages=2' --emit=target | FileCheck %s --check-prefix=PIPE
// RUN: attn-opt %examples/llama3-8b-prefill.mlir --attn-schedule='target=h200 tiles=query=128,key=64' --attn-to-target=resident-stages=2 | FileCheck %s --check-prefix=PIPE
// PIPE-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// PIPE-COUNT-2: attn.ring.create : <2 x tensor<64x128xbf16, #[[SHARED]]>>
// PIPE-NEXT: attn.ring.create : <2 x tensor<128x128xbf16, #[[SHARED]]>>
