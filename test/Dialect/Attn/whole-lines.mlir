// attn-whole-lines: what lanes hold for the matrix unit goes through the memory of rings, and to and from memory in whole lines.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn.kernel(attn-whole-lines{of=all}))' --remarks-filter='attn-whole.*' -o %t.all 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --check-prefixes=CHECK,ALL --input-file=%t.all
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn.kernel(attn-whole-lines))' | FileCheck %s --check-prefixes=CHECK,STORES
// Once more changes nothing: lanes have whole lines.
// RUN: attn-opt %t.all --pass-pipeline='builtin.module(attn.kernel(attn-whole-lines{of=all}))' | diff %t.all -
// MI300X's reads meet in 32 banks.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-whole-lines{of=all}))' | FileCheck %s --check-prefix=FOLDED
// FOLDED-DAG: #attn.shared<128, folded>
// FOLDED-DAG: #attn.shared<128>{{$}}

// REMARK: remark: [Passed] whole-lines | Category:attn-whole-lines | Function=attend | Remark="goes through shared memory, for whole lines of memory:", before=32, bytes=128
// REMARK: remark: [Passed] whole-lines | {{.*}}Function=attend | {{.*}}before=32, bytes=128
// REMARK: remark: [Missed] whole-lines | {{.*}}Function=attend | {{.*}}of rows and columns, in registers
// REMARK: remark: [Passed] whole-lines | {{.*}}Function=half | {{.*}}before=32, bytes=64

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8), 2:(32, 0)], registers [8:(0, 1), 4:(0, 16)]>
#half = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#rows = #attn.fragment<threads [32:(1), 2:(0), 2:(32)], registers []>
!k = tensor<64x64xbf16, #attn.shared<128, paired>>
!t = tensor<64x64xbf16, #acc>
!c = tensor<64x64xf32, #acc>
!v = !attn.view<?x64xbf16>

// CHECK-DAG: #[[LINES:[^ ]+]] = #attn.fragment<threads [8:(0, 8), 8:(1, 0), 2:(32, 0)], registers [8:(0, 1), 4:(8, 0)]>
// CHECK-DAG: #[[PLAIN:[^ ]+]] = #attn.shared<128>{{$}}
// CHECK-DAG: #[[PAIRED:[^ ]+]] = #attn.shared<128, paired>{{$}}

// CHECK-LABEL: attn.kernel @attend(
// CHECK: %[[K:[^ ]+]] = attn.ring.create slots 1 : <2 x
// ALL: %[[Q:[^ ]+]] = attn.ring.create over(%[[K]] : {{.*}}) : <1 x tensor<64x64xbf16, #[[PAIRED]]>>
// CHECK: %[[O:[^ ]+]] = attn.ring.create over(%[[K]] : {{.*}}) : <1 x tensor<64x64xbf16, #[[PLAIN]]>>
// STORES: %[[HELD:[^ ]+]] = attn.load %{{.*}} -> tensor<64x64xbf16, #acc>
// ALL: %[[LOADED:[^ ]+]] = attn.load %{{.*}} -> tensor<64x64xbf16, #[[LINES]]>
// ALL-NEXT: %[[SLOT:[^ ]+]] = attn.ring.acquire %[[Q]]
// ALL-NEXT: attn.ring.put %[[LOADED]] into %[[SLOT]]
// ALL-NEXT: %[[FULL:[^ ]+]] = attn.ring.wait %[[Q]]
// ALL-NEXT: %[[HELD:[^ ]+]] = attn.convert_layout %[[FULL]] : {{.*}} to tensor<64x64xbf16, #acc>
// ALL-NEXT: attn.ring.release %[[Q]]
// CHECK: attn.stream
// CHECK: attn.dot %[[HELD]],
// CHECK: %[[RESULT:[^ ]+]] = arith.truncf
// CHECK-NEXT: %[[GIVEN:[^ ]+]] = attn.ring.acquire %[[O]]
// CHECK-NEXT: attn.ring.put %[[RESULT]] into %[[GIVEN]]
// CHECK-NEXT: %[[BACK:[^ ]+]] = attn.ring.wait %[[O]]
// CHECK-NEXT: %[[STORED:[^ ]+]] = attn.convert_layout %[[BACK]] : {{.*}} to tensor<64x64xbf16, #[[LINES]]>
// CHECK-NEXT: attn.store %[[STORED]], %{{[^ ]+}}[{{.*}}] until %{{.*}} : tensor<64x64xbf16, #[[LINES]]>
// CHECK-NEXT: attn.ring.release %[[O]]
// One number a row is stored as before.
// CHECK-NEXT: attn.store %{{.*}} : tensor<64xf32, #rows>
attn.kernel @attend(%q: !v, %k: !v, %o: !v, %l: !attn.view<?xf32>, %x: f32, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !c
  %ring = attn.ring.create slots 1 : <2 x !k>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = tensor.splat %x : tensor<64xf32, #rows>
    %held = attn.load %q[%i, %c0] : !v -> !t
    %all = attn.stream %j step 64 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %s = attn.ring.acquire %ring ahead 1 : <2 x !k> -> <!k>
      %p = attn.ring.issue %s, %k[%ahead, %c0] by registers : <!k>, !v -> <!k>
      attn.ring.land %p : <!k>
    } {
      %tile = attn.ring.wait %ring : <2 x !k> -> !k
      %d = attn.dot %held, %tile, %c transpose_rhs by (#attn.mfma<32x32x16>) : !t, !k into !c
      attn.ring.release %ring : <2 x !k>
      attn.yield %d : !c
    }
    %rounded = arith.truncf %all : !c to !t
    attn.store %rounded, %o[%i, %c0] until %n : !t -> !v
    attn.store %sum, %l[%i] : tensor<64xf32, #rows> -> <?xf32>
  }
}

// A row of 64 bytes is half a line, and all that is of it.
// CHECK-LABEL: attn.kernel @half(
// CHECK: attn.store {{.*}} : tensor<32x32xf16, #[[HALF:[^ ]+]]>
!h = tensor<32x32xf16, #attn.shared<64>>
attn.kernel @half(%k: !attn.view<?x32xf16>, %o: !attn.view<?x32xf16>, %x: f16, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %ring = attn.ring.create : <2 x !h>
  attn.grid (%i) visit %visit in (i = %n) {
    attn.stream %j step 32 over [%c0 to %n] produce (%ahead) {
      %s = attn.ring.acquire %ring ahead 1 : <2 x !h> -> <!h>
      %p = attn.ring.issue %s, %k[%ahead, %c0] by registers : <!h>, !attn.view<?x32xf16> -> <!h>
      attn.ring.land %p : <!h>
    } {
      %tile = attn.ring.wait %ring : <2 x !h> -> !h
      attn.ring.release %ring : <2 x !h>
    }
    %t = tensor.splat %x : tensor<32x32xf16, #half>
    attn.store %t, %o[%i, %c0] : tensor<32x32xf16, #half> -> <?x32xf16>
  }
}
