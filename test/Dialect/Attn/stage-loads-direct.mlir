// attn-stage-loads: loads that stay, straight into registers, beside what is like them and goes
// through a ring.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads))' --remarks-filter='attn-stage.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-stage-loads))' | FileCheck %s --check-prefix=MI300X

// REMARK: remark: [Passed] direct | Category:attn-stage-loads | Function=merge | Remark="loads go straight into registers:", loads=2
// REMARK-NOT: Function=merge
// REMARK: remark: [Passed] staged | {{.*}} Function=streams | Remark="loads go through rings:", loads=1,
// REMARK-NOT: Function=streams
// REMARK: remark: [Passed] direct | {{.*}} Function=product | Remark="loads go straight into registers:", loads=2
// REMARK: remark: [Passed] staged | {{.*}} Function=product | Remark="loads go through rings:", loads=2,

// Partial states: slices that the position picks, of both ranks. Nothing changes, not even rows that no
// ring takes.

// CHECK-LABEL: attn.kernel @merge
// CHECK-NOT: attn.ring
// CHECK: attn.stream %[[J:[^ ]+]] step 1 over [{{[^]]*}}] carry ({{.*}}) {
// CHECK-NEXT: arith.constant 0 : index
// CHECK-NEXT: attn.load %{{[^[]+}}[%[[J]], %{{[^,]+}}, %{{[^ ]+}}] : <?x?x57xf32> -> tensor<16x64xf32>
// CHECK-NEXT: attn.load %{{[^[]+}}[%[[J]], %{{[^ ]+}}] : <?x?xf32> -> tensor<16xf32>
// CHECK-NOT: attn.ring
// CHECK: attn.return
attn.kernel @merge(%p: !attn.view<?x?x57xf32>, %r: !attn.view<?x?xf32>, %o: !attn.view<?x57xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %p, 0 : <?x?x57xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %s = attn.stream %j step 1 over [%c0 to %n] carry (%x = %zero : tensor<16x64xf32>) {
      %first = arith.constant 0 : index
      %t = attn.load %p[%j, %i, %first] : <?x?x57xf32> -> tensor<16x64xf32>
      %l = attn.load %r[%j, %i] : <?x?xf32> -> tensor<16xf32>
      %b = attn.broadcast %l : tensor<16xf32> to tensor<16x64xf32>
      %m = arith.mulf %t, %b : tensor<16x64xf32>
      %y = arith.addf %x, %m : tensor<16x64xf32>
      attn.yield %y : tensor<16x64xf32>
    }
    attn.store %s, %o[%i, %c0] : tensor<16x64xf32> -> <?x57xf32>
  }
}

// -----

// The same tile, but neighbours of it stream by: a ring copies ahead.

// CHECK-LABEL: attn.kernel @streams
// CHECK: attn.ring.create : <2 x tensor<16x64xf32,
// CHECK-NOT: attn.load
// CHECK: attn.return
attn.kernel @streams(%p: !attn.view<?x?x56xf32>, %o: !attn.view<?x56xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %p, 0 : <?x?x56xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %s = attn.stream %j step 16 over [%c0 to %n] carry (%x = %zero : tensor<16x64xf32>) {
      %t = attn.load %p[%i, %j, %c0] : <?x?x56xf32> -> tensor<16x64xf32>
      %y = arith.addf %x, %t : tensor<16x64xf32>
      attn.yield %y : tensor<16x64xf32>
    }
    attn.store %s, %o[%i, %c0] : tensor<16x64xf32> -> <?x56xf32>
  }
}

// -----

// Slices again. What a product takes, as it is or cast, goes through a ring; an accumulator and what
// only adds to one do not.

// CHECK-LABEL: attn.kernel @product
// CHECK-COUNT-2: attn.ring.create
// CHECK-NOT: attn.ring.create
// CHECK: attn.stream %[[J:[^ ]+]] step 1 over
// CHECK: %[[K:[^ ]+]] = attn.ring.wait
// CHECK: %[[A:[^ ]+]] = attn.convert_layout %[[K]] : {{.*}} to tensor<16x16xf32>
// CHECK: arith.truncf %[[A]]
// CHECK: attn.load %{{[^[]+}}[%[[J]], {{.*}} -> tensor<16x16xf32>
// CHECK: attn.load %{{[^[]+}}[%[[J]], {{.*}} -> tensor<16x16xf32>
// CHECK-NOT: attn.load
// MI300X-LABEL: attn.kernel @product
// MI300X-COUNT-2: attn.ring.create
// MI300X-NOT: attn.ring.create
attn.kernel @product(%a: !attn.view<?x16x16xf32>, %b: !attn.view<?x16x16xbf16>, %c: !attn.view<?x16x16xf32>, %o: !attn.view<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %a, 0 : <?x16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %s = attn.stream %j step 1 over [%c0 to %n] carry (%x = %zero : tensor<16x16xf32>) {
      %at = attn.load %a[%j, %c0, %c0] : <?x16x16xf32> -> tensor<16x16xf32>
      %bt = attn.load %b[%j, %c0, %c0] : <?x16x16xbf16> -> tensor<16x16xbf16>
      %as = arith.truncf %at : tensor<16x16xf32> to tensor<16x16xbf16>
      %ct = attn.load %c[%j, %c0, %c0] : <?x16x16xf32> -> tensor<16x16xf32>
      %d = attn.dot %as, %bt, %ct : tensor<16x16xbf16>, tensor<16x16xbf16> into tensor<16x16xf32>
      %et = attn.load %c[%j, %i, %c0] : <?x16x16xf32> -> tensor<16x16xf32>
      %e = arith.addf %d, %et : tensor<16x16xf32>
      %y = arith.addf %x, %e : tensor<16x16xf32>
      attn.yield %y : tensor<16x16xf32>
    }
    attn.store %s, %o[%i, %c0] : tensor<16x16xf32> -> <?x16xf32>
  }
}

// -----

// One value a row of what stays, too, under a condition or not: there is no ring for it.

// CHECK-LABEL: attn.kernel @rows
// CHECK-NOT: attn.ring
// CHECK: attn.load {{.*}} -> tensor<16xf32>
// CHECK: scf.if
// CHECK: attn.load {{.*}} -> tensor<16xf32>
// CHECK-NOT: attn.ring
// CHECK: attn.return
attn.kernel @rows(%l: !attn.view<?xf32>, %o: !attn.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %l, 0 : <?xf32>
  attn.grid (%i) visit %w in (i = %n) {
    %t = attn.load %l[%i] : <?xf32> -> tensor<16xf32>
    %s = attn.stream %j step 16 over [%c0 to %n] carry (%x = %t : tensor<16xf32>) {
      %c = arith.cmpi eq, %j, %i : index
      %y = scf.if %c -> tensor<16xf32> {
        %u = attn.load %l[%j] : <?xf32> -> tensor<16xf32>
        %z = arith.addf %x, %u : tensor<16xf32>
        scf.yield %z : tensor<16xf32>
      } else {
        scf.yield %x : tensor<16xf32>
      }
      attn.yield %y : tensor<16xf32>
    }
    attn.store %s, %o[%i] : tensor<16xf32> -> <?xf32>
  }
}
