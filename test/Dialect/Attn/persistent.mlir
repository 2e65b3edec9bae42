// attn-persistent: how many CTAs take the tiles in turn.

// SMs x resident CTAs, of which h200 has room for 3 (registers: 3 x 16640 of
// 65536) and gb10 for 2 (shared memory: 2 x 49152 of 102400).
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,H200
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-persistent))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,GB10
// mi300x keeps the tile of Q in registers: shared memory for 2 (32768 of 65536).
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-persistent))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,MI300X
// One fact changes one factor.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=gb10 overrides=sms=7},attn.kernel(attn-persistent))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,SEVEN
// Options take the place of both.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=5 resident=4}))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=5}))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,SMS
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{resident=1}))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,RESIDENT
// Tiles in pairs, half as many of which make few.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=80 resident=1 pair-tiles}))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,PAIR
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=80 resident=1}))' --remarks-filter='attn-persistent' 2>&1 | FileCheck %s --check-prefixes=CHECK,SINGLE

// Tiles by turns from both ends of a stride.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=80 resident=1 snake}))' | FileCheck %s --check-prefix=SNAKE
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=80 resident=1 snake pair-tiles}))' | FileCheck %s --check-prefix=SNAKEPAIR

// CHECK: remark: [Passed] persistent | Category:attn-persistent | Function=dynamic
// H200-SAME: ctas=396, registers=16640, resident=3, resident-from=footprint, shared-bytes=49152
// GB10-SAME: ctas=96, registers=16640, resident=2, resident-from=footprint, shared-bytes=49152
// MI300X-SAME: ctas=608, registers=20736, resident=2, resident-from=footprint, shared-bytes=32768
// SEVEN-SAME: ctas=14, registers=16640, resident=2, resident-from=footprint, shared-bytes=49152
// BOTH-SAME: ctas=20, registers=16640, resident=4, resident-from=option, shared-bytes=49152
// SMS-SAME: ctas=15, registers=16640, resident=3, resident-from=footprint, shared-bytes=49152
// RESIDENT-SAME: ctas=132, registers=16640, resident=1, resident-from=option, shared-bytes=49152
// PAIR-SAME: ctas=80, registers=16640, resident=1, resident-from=option, shared-bytes=49152
// CHECK: remark: [{{Passed|Missed}}] {{persistent|few-tiles}} | Category:attn-persistent | Function=static
// SMS-SAME: Remark="each CTA would take one tile at most:", ctas=160, tiles=160
// BOTH-SAME: ctas=20,
// PAIR-SAME: Remark="each CTA would take one tile at most:", ctas=80, tiles=80
// SINGLE-SAME: ctas=80, registers=0,
// CHECK: remark: [{{Passed|Missed}}] {{persistent|few-tiles}} | Category:attn-persistent | Function=one_more
// SMS-SAME: ctas=160, registers=0, resident=32, resident-from=footprint, shared-bytes=0
// SEVEN-SAME: ctas=168, tiles=161
// PAIR-SAME: ctas=80, registers=0,

// The rest of the grid stays as it is.
// CHECK-LABEL: attn.kernel @dynamic
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}) visit %{{[^ ]+}} in (head = %{{[^ ]+}}, query = %{{[^ ]+}}) sharing [head] order {{.*}}<[query, head], reversed = [query]>
// H200-SAME: persistent 396 {
// GB10-SAME: persistent 96 {
// MI300X-SAME: persistent 608 {
// SEVEN-SAME: persistent 14 {
// BOTH-SAME: persistent 20 {
// SMS-SAME: persistent 15 {
// RESIDENT-SAME: persistent 132 {
// PAIR-SAME: run 2 folded persistent 80 {
// SINGLE-SAME: persistent 80 {
// SNAKE-LABEL: attn.kernel @dynamic
// SNAKE: persistent 80 snake {
// SNAKEPAIR-LABEL: attn.kernel @dynamic
// SNAKEPAIR: run 2 folded persistent 80 snake {
attn.kernel @dynamic(%q: !attn.view<?x?x64xf16>, %k: !attn.view<?x?x64xf16>, %v: !attn.view<?x?x64xf16>, %o: !attn.view<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = arith.constant dense<0.0> : tensor<128xf32>
  %heads = attn.dim %q, 0 : !attn.view<?x?x64xf16>
  %queries = attn.dim %q, 1 : !attn.view<?x?x64xf16>
  %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
  %tiles = arith.ceildivui %queries, %c128 : index
  attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] order #attn.order<[query, head], reversed = [query]> {
    %row = arith.muli %i, %c128 : index
    %qt = attn.load %q[%h, %row, %c0] : !attn.view<?x?x64xf16> -> tensor<128x64xf16>
    %m, %l, %acc = attn.stream %j step 64 over [%c0 to %keys] carry (%mc = %rows, %lc = %rows, %ac = %zero : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
      %kt = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
      %vt = attn.load %v[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
      %s = attn.dot %qt, %kt, %zero transpose_rhs : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
      %a = attn.dot %p, %vt, %ac : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      attn.yield %mc, %lc, %a : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    attn.store %acc, %o[%h, %row, %c0] : tensor<128x64xf32> -> !attn.view<?x?x64xf32>
  }
}

// -----

// Static tiles that all CTAs together could take at once are left as they are ...

// CHECK-LABEL: attn.kernel @static
// CHECK: attn.grid
// SMS-SAME: sharing [head] {
// BOTH-SAME: sharing [head] persistent 20 {
// PAIR-SAME: sharing [head] {
// SINGLE-SAME: sharing [head] persistent 80 {
attn.kernel @static(%o: !attn.view<8x20x64xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  attn.grid (%h, %i) visit %n in (head = %c8, query = %c20) sharing [head] {
    attn.store %zero, %o[%h, %i, %c0] : tensor<64xf32> -> !attn.view<8x20x64xf32>
  }
}

// -----

// ... and one more tile makes the grid persistent. Without tiles, what limits the
// resident CTAs is the target's maximum: 32 on h200, 24 on gb10. Of pairs there is one
// more, too: 161 tiles are 81, the last of one tile.

// CHECK-LABEL: attn.kernel @one_more
// SMS: attn.grid {{.*}} in (query = %{{[^ ]+}}) persistent 160 {
// SEVEN: attn.grid {{.*}} in (query = %{{[^ ]+}}) {
// PAIR: attn.grid {{.*}} in (query = %{{[^ ]+}}) run 2 folded persistent 80 {
attn.kernel @one_more(%o: !attn.view<161x64xf32>) {
  %c0 = arith.constant 0 : index
  %c161 = arith.constant 161 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  attn.grid (%i) visit %n in (query = %c161) {
    attn.store %zero, %o[%i, %c0] : tensor<64xf32> -> !attn.view<161x64xf32>
  }
}

// By options of the schedule, too, among the others; without `persistent` there are no pairs.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128 persistent resident=1 pair-tiles longest-first' | FileCheck %s --check-prefix=SCHEDULE
// RUN: attn-opt %examples/llama3-8b-prefill.mlir --attn-schedule='target=h200 tiles=query=128,key=128 grid-order=swizzled-head-first domains=4 persistent resident=1 pair-tiles sawtooth=force' | FileCheck %s --check-prefix=SCHEDULE
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128 pair-tiles' | FileCheck %s --check-prefix=ALONE
// SCHEDULE: attn.grid {{.*}} order {{.*}} run 2 folded persistent 132 {
// ALONE: attn.grid {{.*}} sharing [batch, kv_head] {
