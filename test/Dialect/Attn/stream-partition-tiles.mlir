// attn-stream-partition: which tile sizes it takes, by default and as told.

// The largest default that fits, which is 128x128 at most: 163840 bytes of shared
// memory are too many for gb10, and for mi300x, which has the least but keeps the
// tile of Q in registers.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,GB10
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-stream-partition)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,H200
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn-stream-partition)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,MI300X
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=cpu},attn-stream-partition)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU
// Without a target it is the CPU.
// RUN: attn-opt %s --attn-stream-partition --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU
// One fact changes the tiles.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200 overrides=smem_per_block=101376},attn-stream-partition)' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,GB10
// What is told counts, the rest is chosen to fit; no size is special.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-stream-partition{tiles=query=80,key=80})' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=query=32})' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=QUERY
// RUN: attn-opt %s --attn-stream-partition=tiles=key=1 --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=ONE

// CHECK: remark: [Passed] tile-sizes | Category:attn-stream-partition | Function=prefill
// GB10-SAME: key=64, key-from=table, query=128, query-from=table
// H200-SAME: key=64, key-from=table, query=128, query-from=table
// MI300X-SAME: key=64, key-from=target, query=128, query-from=target
// CPU-SAME: key=128, key-from=target, query=128, query-from=target
// A tile has no use for more rows than there are: 40 keys want 48, 1 query wants 16.
// CHECK: remark: [Passed] tile-sizes | Category:attn-stream-partition | Function=decode
// GB10-SAME: key=48, key-from=table, query=16, query-from=table
// H200-SAME: key=48, key-from=table, query=16, query-from=table
// MI300X-SAME: key=48, key-from=target, query=16, query-from=target
// CPU-SAME: key=48, key-from=target, query=16, query-from=target

// UNEVEN: remark: [Passed] tile-sizes {{.*}} Function=prefill
// UNEVEN-SAME: key=80, key-from=option, query=80, query-from=option
// QUERY: remark: [Passed] tile-sizes {{.*}} Function=prefill
// QUERY-SAME: key=64, key-from=table, query=32, query-from=option
// ONE: remark: [Passed] tile-sizes {{.*}} Function=prefill
// ONE-SAME: key=1, key-from=option, query=128, query-from=target

// GB10-LABEL: attn.kernel @prefill_attention
// GB10: attn.load {{.*}} -> tensor<128x128xbf16>
// GB10: attn.stream %{{[^ ]+}} step 64 over
// GB10-NEXT: attn.load {{.*}} -> tensor<64x128xbf16>
// GB10-NEXT: attn.load {{.*}} -> tensor<64x128xbf16>
// GB10-NEXT: attn.dot {{.*}} into tensor<128x64xf32>
// MI300X-LABEL: attn.kernel @prefill_attention
// MI300X: attn.load {{.*}} -> tensor<128x128xbf16>
// MI300X: attn.stream %{{[^ ]+}} step 64 over

// UNEVEN-LABEL: attn.kernel @prefill_attention
// UNEVEN: %[[C80:[^ ]+]] = arith.constant 80 : index
// UNEVEN: %[[TILES:[^ ]+]] = arith.ceildivui %{{[^ ]+}}, %[[C80]]
// UNEVEN: attn.grid {{.*}}, query = %[[TILES]])
// UNEVEN: attn.load {{.*}} -> tensor<80x128xbf16>
// UNEVEN: attn.stream %{{[^ ]+}} step 80 over
// UNEVEN-NEXT: attn.load {{.*}} -> tensor<80x128xbf16>
// UNEVEN-NEXT: attn.load {{.*}} -> tensor<80x128xbf16>
// UNEVEN-NEXT: attn.dot {{.*}} into tensor<80x80xf32>
// UNEVEN: attn.store {{.*}} : tensor<80x128xbf16>

// ONE-LABEL: attn.kernel @prefill_attention
// ONE: attn.stream %{{[^ ]+}} step 1 over
// ONE-NEXT: attn.load {{.*}} -> tensor<1x128xbf16>

func.func @prefill(%q: tensor<?x32x?x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>) -> tensor<?x32x?x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.0883883461)
      : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>) -> tensor<?x32x?x128xbf16>
  return %o : tensor<?x32x?x128xbf16>
}
func.func @decode(%q: tensor<1x8x1x64xf16>, %k: tensor<1x2x40x64xf16>, %v: tensor<1x2x40x64xf16>) -> tensor<1x8x1x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x8x1x64xf16>, tensor<1x2x40x64xf16>, tensor<1x2x40x64xf16>) -> tensor<1x8x1x64xf16>
  return %o : tensor<1x8x1x64xf16>
}
