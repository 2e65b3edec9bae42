// attn-sawtooth: both variants, what decides, and the guard where sizes are dynamic.
// gb10's effective L2 is 20971520 bytes: 163840 keys of 128 bytes fit just so.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth))' --remarks-filter='attn.*' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK

// One fact of the target flips the decision, both ways.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{overrides=l2_effective_bytes=20971519},attn.kernel(attn-sawtooth))' | FileCheck %s --check-prefix=LESS
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{overrides=l2_effective_bytes=20979712},attn.kernel(attn-sawtooth))' | FileCheck %s --check-prefix=MORE

// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force}))' --remarks-filter='attn.*' 2>%t.forced | FileCheck %s --check-prefix=FORCE
// RUN: FileCheck %s --input-file=%t.forced --check-prefix=FORCED --implicit-check-not='[Missed]'

// The persistent variant: by the parity of the visit, at compile time.

// REMARK: remark: [Passed] sawtooth | Category:attn-sawtooth | Function=exceeds | Remark="the direction alternates:", decided="at compile time", variant=persistent
// FORCED: Function=exceeds | Remark="the direction alternates:", decided=forced, variant=persistent
// CHECK-LABEL: attn.kernel @exceeds
// CHECK: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-NOT: arith.cmpi
// CHECK: attn.grid ({{.*}}) visit %[[VISIT:[^ ]+]] in ({{.*}}) sharing [head] persistent 96 {
// CHECK-NEXT: %[[BIT:[^ ]+]] = arith.andi %[[VISIT]], %[[C1]] : index
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[BIT]], %[[C1]] : index
// CHECK-NEXT: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over [%{{[^ ]+}} to %{{[^ ]+}}] {
// LESS-LABEL: attn.kernel @exceeds
// LESS: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// MORE-LABEL: attn.kernel @exceeds
// MORE: attn.stream %{{[^ ]+}} step 64 over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @exceeds(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c2048) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
}

// -----

// One tile of keys less fits the cache.

// REMARK: remark: [Missed] fits-cache | Category:attn-sawtooth | Function=fits | Remark="the streamed data in flight fits the effective L2:", l2-effective-bytes=20971520
// FORCED: Function=fits | Remark="the direction alternates:", decided=forced
// CHECK-LABEL: attn.kernel @fits
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// LESS-LABEL: attn.kernel @fits
// LESS: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// MORE-LABEL: attn.kernel @fits
// MORE: attn.stream %{{[^ ]+}} step 64 over
// FORCE-LABEL: attn.kernel @fits
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @fits(%k: !attn.view<8x163840x64xf16>, %o: !attn.view<8x163840x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 163840 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c2048) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163840x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163840x64xf16>
      }
    }
  }
}

// -----

// Block-first, the CTAs in flight stream both heads, which only together exceed the
// cache. 96 is a multiple of 2 heads, so a CTA stays on its head.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=two_heads | {{.*}} decided="at compile time", variant=persistent
// CHECK-LABEL: attn.kernel @two_heads
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @two_heads(%k: !attn.view<2x81984x64xf16>, %o: !attn.view<2x81984x64xf16>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 81984 : index
    attn.grid (%h, %i) visit %n in (head = %c2, query = %c2048) sharing [head] order #attn.order<[query, head]> persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<2x81984x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<2x81984x64xf16>
      }
    }
  }
}

// -----

// The same with 128 heads: the next tile of a CTA has another head.

// REMARK: remark: [Missed] changes-set | Category:attn-sawtooth | Function=many_heads | Remark="consecutive tiles of a CTA stream different data"
// FORCED: Function=many_heads | {{.*}} decided=forced
// CHECK-LABEL: attn.kernel @many_heads
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// FORCE-LABEL: attn.kernel @many_heads
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @many_heads(%k: !attn.view<128x81984x64xf16>, %o: !attn.view<128x81984x64xf16>) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 81984 : index
    attn.grid (%h, %i) visit %n in (head = %c128, query = %c2048) sharing [head] order #attn.order<[query, head]> persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<128x81984x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<128x81984x64xf16>
      }
    }
  }
}

// -----

// Head-first, a CTA stays on its head where a head has tiles for two visits of all
// CTAs: 192, not 191.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=two_visits |
// REMARK: remark: [Missed] changes-set | {{.*}} Function=one_visit |
// CHECK-LABEL: attn.kernel @two_visits
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// CHECK-LABEL: attn.kernel @one_visit
// CHECK: attn.stream %{{[^ ]+}} step 64 over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @two_visits(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c192 = arith.constant 192 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c192) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
  attn.kernel @one_visit(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c191 = arith.constant 191 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c191) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
}

// -----

// Dispatched to 8 domains, a CTA must come back to its domain: 96 is a multiple of
// 8, 97 is not.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=same_domain |
// REMARK: remark: [Missed] changes-set | {{.*}} Function=other_domain |
// CHECK-LABEL: attn.kernel @same_domain
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// CHECK-LABEL: attn.kernel @other_domain
// CHECK: attn.stream %{{[^ ]+}} step 64 over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @same_domain(%k: !attn.view<64x163904x64xf16>, %o: !attn.view<64x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c64, query = %c64) sharing [head] order #attn.order<[sharing, query], domains = 8> persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<64x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<64x163904x64xf16>
      }
    }
  }
  attn.kernel @other_domain(%k: !attn.view<64x163904x64xf16>, %o: !attn.view<64x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c64, query = %c64) sharing [head] order #attn.order<[sharing, query], domains = 8> persistent 97 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<64x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<64x163904x64xf16>
      }
    }
  }
}

// -----

// The tile variant: each CTA takes two tiles. Where the last axis selects the
// stream the two would not stream the same.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=tile | {{.*}} decided="at compile time", variant=tile
// REMARK: remark: [Missed] changes-set | {{.*}} Function=tile_head |
// FORCED: Function=tile | {{.*}} decided=forced, variant=tile
// CHECK-LABEL: attn.kernel @tile
// CHECK: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK: attn.grid ({{.*}}) visit %[[VISIT:[^ ]+]] in ({{.*}}) sharing [head] run 2 {
// CHECK-NEXT: %[[BIT:[^ ]+]] = arith.andi %[[VISIT]], %[[C1]] : index
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[BIT]], %[[C1]] : index
// CHECK-NEXT: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over
// CHECK-LABEL: attn.kernel @tile_head
// CHECK: sharing [head] {
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// FORCE-LABEL: attn.kernel @tile_head
// FORCE: sharing [head] run 2 {
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @tile(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c2048) sharing [head] {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
  attn.kernel @tile_head(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%i, %h) visit %n in (query = %c2048, head = %c8) sharing [head] {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
}

// -----

// Dynamic sizes: the conditions become a guard before the grid. Persistent: a head
// has tiles for two visits, or all tiles divide the CTAs; and the bytes of all heads
// in flight exceed the cache, counted in 64 bits, which GPUs' indices do not have.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=dynamic | {{.*}} decided="at run time", variant=persistent
// CHECK-LABEL: attn.kernel @dynamic(
// CHECK-SAME: %[[K:[^ ]+]]: !attn.view<?x?x64xf16>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C96:[^ ]+]] = arith.constant 96 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i64
// CHECK-DAG: %[[L2:[^ ]+]] = arith.constant 20971520 : i64
// CHECK-DAG: %[[HEADS:[^ ]+]] = attn.dim %[[K]], 0
// CHECK-DAG: %[[KEYS:[^ ]+]] = attn.dim %[[K]], 1
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.muli %[[HEADS]], %[[TILES:[^ ]+]] : index
// CHECK-DAG: %[[CTAS:[^ ]+]] = arith.minui %[[ALL]], %[[C96]] : index
// CHECK-DAG: %[[TWICE:[^ ]+]] = arith.muli %[[CTAS]], %[[C2]] : index
// CHECK-DAG: %[[STAYS:[^ ]+]] = arith.cmpi uge, %[[TILES]], %[[TWICE]] : index
// CHECK-DAG: %[[ALL1:[^ ]+]] = arith.maxui %[[ALL]], %[[C1]] : index
// CHECK-DAG: %[[REM:[^ ]+]] = arith.remui %[[CTAS]], %[[ALL1]] : index
// CHECK-DAG: %[[RETURNS:[^ ]+]] = arith.cmpi eq, %[[REM]], %[[C0]] : index
// CHECK-DAG: %[[KEEPS:[^ ]+]] = arith.ori %[[STAYS]], %[[RETURNS]] : i1
// CHECK-DAG: %[[TILES1:[^ ]+]] = arith.maxui %[[TILES]], %[[C1]] : index
// CHECK-DAG: %[[FLIGHT:[^ ]+]] = arith.ceildivui %[[CTAS]], %[[TILES1]] : index
// CHECK-DAG: %[[HEADS1:[^ ]+]] = arith.maxui %[[HEADS]], %[[C1]] : index
// CHECK-DAG: %[[MOST:[^ ]+]] = arith.minui %[[HEADS1]], %[[FLIGHT]] : index
// CHECK-DAG: %[[SETS:[^ ]+]] = arith.minui %[[CTAS]], %[[MOST]] : index
// CHECK-DAG: %[[WIDE:[^ ]+]] = arith.index_cast %[[KEYS]] : index to i64
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.muli %[[WIDE]], %[[C128]] : i64
// CHECK-DAG: %[[COUNT:[^ ]+]] = arith.index_cast %[[SETS]] : index to i64
// CHECK-DAG: %[[BYTES:[^ ]+]] = arith.muli %[[ONE]], %[[COUNT]] : i64
// CHECK-DAG: %[[EXCEEDS:[^ ]+]] = arith.cmpi ugt, %[[BYTES]], %[[L2]] : i64
// CHECK-DAG: %[[GUARD:[^ ]+]] = arith.andi %[[KEEPS]], %[[EXCEEDS]] : i1
// CHECK: attn.grid ({{.*}}) visit %[[VISIT:[^ ]+]] in (head = %[[HEADS]], query = %[[TILES]]) sharing [head] persistent 96 {
// CHECK-NEXT: %[[BIT:[^ ]+]] = arith.andi %[[VISIT]], %[[C1]] : index
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[BIT]], %[[C1]] : index
// CHECK-NEXT: %[[REVERSE:[^ ]+]] = arith.andi %[[ODD]], %[[GUARD]] : i1
// CHECK-NEXT: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[REVERSE]] : i1) over

// Forced, there is no guard.
// FORCE-LABEL: attn.kernel @dynamic(
// FORCE-NOT: arith.cmpi u
// FORCE: attn.grid ({{.*}}) visit %[[VISIT:[^ ]+]] in
// FORCE-NEXT: %[[BIT:[^ ]+]] = arith.andi %[[VISIT]], %[[C1:[^ ]+]] : index
// FORCE-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[BIT]], %[[C1]] : index
// FORCE-NEXT: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @dynamic(%k: !attn.view<?x?x64xf16>, %tiles: index, %o: !attn.view<?x?x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = attn.dim %k, 0 : !attn.view<?x?x64xf16>
    %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<?x?x64xf16>
      }
    }
  }
}

// -----

// The tile variant keeps its head: the guard is the cache alone, for pairs of tiles
// and as many CTAs as are resident: 48 SMs x 6 (registers do not count here; 16384
// bytes of shared memory of 102400).

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=dynamic_tile | {{.*}} decided="at run time", variant=tile
// CHECK-LABEL: attn.kernel @dynamic_tile(
// CHECK-SAME: %[[TILES:[^ ]+]]: index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[SLOTS:[^ ]+]] = arith.constant 288 : index
// CHECK-DAG: %[[L2:[^ ]+]] = arith.constant 20971520 : i64
// CHECK: %[[PAIRS:[^ ]+]] = arith.ceildivui %[[TILES]], %[[C2]] : index
// CHECK: %[[ALL:[^ ]+]] = arith.muli %{{[^ ]+}}, %[[PAIRS]] : index
// CHECK: arith.minui %[[ALL]], %[[SLOTS]] : index
// CHECK: %[[EXCEEDS:[^ ]+]] = arith.cmpi ugt, %{{[^ ]+}}, %[[L2]] : i64
// CHECK: attn.grid {{.*}} sharing [head] run 2 {
// CHECK: %[[ODD:[^ ]+]] = arith.cmpi eq,
// CHECK: %[[REVERSE:[^ ]+]] = arith.andi %[[ODD]], %[[EXCEEDS]] : i1
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[REVERSE]] : i1) over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @dynamic_tile(%k: !attn.view<?x?x64xf16>, %tiles: index, %o: !attn.view<?x?x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = attn.dim %k, 0 : !attn.view<?x?x64xf16>
    %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<?x?x64xf16>
      }
    }
  }
}

// -----

// A stream that starts where its tile does, as under a window, shares little with the
// next: only by force.

// REMARK: remark: [Missed] window | Category:attn-sawtooth | Function=window | Remark="streams start where the tile does: consecutive tiles share little"
// FORCED: Function=window | {{.*}} decided=forced, variant=persistent
// CHECK-LABEL: attn.kernel @window
// CHECK-NOT: arith.cmpi
// CHECK: attn.stream %{{[^ ]+}} step 64 over [masked
// FORCE-LABEL: attn.kernel @window
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%{{[^ ]+}} : i1) over [masked
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @window(%k: !attn.view<8x1048576x64xf16>, %w: index, %o: !attn.view<8x1048576x64xf16>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c2048 = arith.constant 2048 : index
    attn.grid (%h, %i) visit %n in (head = %c8, query = %c2048) sharing [head] persistent 96 {
      %lo = arith.muli %i, %c64 : index
      %hi = arith.minsi %i, %w : index
      attn.stream %j step 64 over [masked %lo to %hi] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x1048576x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x1048576x64xf16>
      }
    }
  }
}

// -----

// Several streams (splits): a tile would have to take its parts backward too. By
// force they alternate together, in one run of 2.

// REMARK-COUNT-2: remark: [Missed] several-streams | Category:attn-sawtooth | Function=split | Remark="a tile streams several parts, whose order would have to change too"
// CHECK-LABEL: attn.kernel @split
// CHECK: sharing [head] {
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// FORCE-LABEL: attn.kernel @split
// FORCE: sharing [head] run 2 {
// FORCE: %[[ODD:[^ ]+]] = arith.cmpi eq,
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[ODD]] : i1) over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @split(%k: !attn.view<?x?x64xf16>, %tiles: index, %half: index, %o: !attn.view<?x?x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = attn.dim %k, 0 : !attn.view<?x?x64xf16>
    %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] {
      attn.stream %j step 64 over [%c0 to %half] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<?x?x64xf16>
      }
      attn.stream %j step 64 over [%half to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<?x?x64xf16>
      }
    }
  }
}

// -----

// Without persistence a CTA takes two tiles, which leaves half as many CTAs: where
// that is fewer than run at once, as with one tile along the last axis, it does not pay.
// A persistent CTA has tiles of the other axes.

// REMARK: remark: [Missed] few-tiles | Category:attn-sawtooth | Function=one_tile | Remark="with two tiles a CTA, some SMs would have none:", ctas=0, slots=288
// REMARK: remark: [Passed] sawtooth | {{.*}} Function=two_tiles | {{.*}} decided="at compile time", variant=tile
// REMARK: remark: [Passed] sawtooth | {{.*}} Function=one_tile_each | {{.*}} decided="at compile time", variant=persistent
// FORCED: Function=one_tile | {{.*}} decided=forced, variant=tile
// CHECK-LABEL: attn.kernel @one_tile(
// CHECK: sharing [head] {
// CHECK: attn.stream %{{[^ ]+}} step 64 over
// CHECK-LABEL: attn.kernel @two_tiles(
// CHECK: sharing [head] run 2 {
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// CHECK-LABEL: attn.kernel @one_tile_each(
// CHECK: sharing [head] persistent 96 {
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// FORCE-LABEL: attn.kernel @one_tile(
// FORCE: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @one_tile(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %a = arith.constant 8 : index
    %b = arith.constant 2048 : index
    %c = arith.constant 1 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %g, %i) visit %n in (head = %a, group = %b, query = %c) sharing [head] {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
  attn.kernel @two_tiles(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %a = arith.constant 8 : index
    %b = arith.constant 2048 : index
    %c = arith.constant 2 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %g, %i) visit %n in (head = %a, group = %b, query = %c) sharing [head] {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
  attn.kernel @one_tile_each(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %a = arith.constant 8 : index
    %b = arith.constant 2048 : index
    %c = arith.constant 1 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %g, %i) visit %n in (head = %a, group = %b, query = %c) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
}

// -----

// Fewer sets than domains: none has a domain of its own, so the plain order is
// asked, in which 96 CTAs stay on one of 4 heads; of 7 domains 96 is no multiple. The
// 96 CTAs are 14 of a domain, which stream one head.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=few_sets | {{.*}} decided="at compile time", variant=persistent
// REMARK: remark: [Missed] changes-set | {{.*}} Function=enough_sets |
// CHECK-LABEL: attn.kernel @few_sets
// CHECK: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed
// CHECK-LABEL: attn.kernel @enough_sets
// CHECK: attn.stream %{{[^ ]+}} step 64 over
module attributes {attn.target = #attn.target<"gb10", l2_domains = 7>} {
  attn.kernel @few_sets(%k: !attn.view<4x163904x64xf16>, %o: !attn.view<4x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = arith.constant 4 : index
    %tiles = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] order #attn.order<[sharing, query], domains = 7> persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<4x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<4x163904x64xf16>
      }
    }
  }
  attn.kernel @enough_sets(%k: !attn.view<7x163904x64xf16>, %o: !attn.view<7x163904x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = arith.constant 7 : index
    %tiles = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] order #attn.order<[sharing, query], domains = 7> persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<7x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<7x163904x64xf16>
      }
    }
  }
}

// -----

// With dynamic sizes the guard tells the two apart: sets of a domain, or none.

// REMARK: remark: [Passed] sawtooth | {{.*}} Function=dynamic_domains | {{.*}} decided="at run time", variant=persistent
// CHECK-LABEL: attn.kernel @dynamic_domains(
// CHECK-SAME: %[[K:[^ ]+]]: !attn.view<?x?x64xf16>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : index
// CHECK-DAG: %[[HEADS:[^ ]+]] = attn.dim %[[K]], 0
// CHECK-DAG: %[[CTAS:[^ ]+]] = arith.minui %{{[^ ]+}}, %{{[^ ]+}} : index
// CHECK-DAG: %[[PER:[^ ]+]] = arith.divui %[[HEADS]], %[[C8]] : index
// CHECK-DAG: %[[NONE:[^ ]+]] = arith.cmpi eq, %[[PER]], %[[C0]] : index
// CHECK-DAG: %[[OFF:[^ ]+]] = arith.remui %[[CTAS]], %[[C8]] : index
// CHECK-DAG: %[[STAYS:[^ ]+]] = arith.cmpi eq, %[[OFF]], %[[C0]] : index
// CHECK-DAG: %[[STRIDE:[^ ]+]] = arith.divui %[[CTAS]], %[[C8]] : index
// CHECK-DAG: %[[RANKED:[^ ]+]] = arith.andi %[[STAYS]], %{{[^ ]+}} : i1
// CHECK-DAG: %[[KEEPS:[^ ]+]] = arith.select %[[NONE]], %{{[^ ]+}}, %[[RANKED]] : i1
// CHECK-DAG: %[[FLIGHT:[^ ]+]] = arith.select %[[NONE]], %{{[^ ]+}}, %{{[^ ]+}} : index
// CHECK-DAG: arith.andi %[[KEEPS]], %{{[^ ]+}} : i1
// CHECK: attn.grid
module attributes {attn.target = #attn.target<"mi300x">} {
  attn.kernel @dynamic_domains(%k: !attn.view<?x?x64xf16>, %tiles: index, %o: !attn.view<?x?x64xf16>) {
    %c0 = arith.constant 0 : index
    %heads = attn.dim %k, 0 : !attn.view<?x?x64xf16>
    %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
    attn.grid (%h, %i) visit %n in (head = %heads, query = %tiles) sharing [head] order #attn.order<[sharing, query], domains = 8> persistent 304 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<?x?x64xf16>
      }
    }
  }
}
