// attn-choose-schedule: options by the model. On an H200 the choice took 1.003 of the fastest one's time
// at 4096 tokens (2026-11-22); the model does not read what was measured.
// DEFINE: %{target} = h200
// DEFINE: %{facts} = sms=132
// DEFINE: %{sizes} = batch=8,query=2048,key=2048
// DEFINE: %{choose} = attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=%{target} overrides=%{facts}},attn-choose-schedule{sizes=%{sizes}})' --remarks-filter='attn.*'
// RUN: %{choose} 2>&1 | FileCheck %s
// CHECK: remark: [Passed] model | Category:attn-choose-schedule | Remark="takes the fastest options by the model:", bound=tensor, lower="wgmma=all specialize overlap ping-pong optimistic-max lead=80 resident-stages=2 store-tensors wide-panels", reason="{{.+}}", runner-up="{{.+}}", runner-up-lower="{{.+}}", runner-up-us={{[0-9.]+}}, schedule="tiles=query=192,key=80 persistent resident=1", us={{[0-9.]+}}
// What is computed stays as it is.
// CHECK: attn.attention {{.*}}{attn.schedule = #attn.schedule<tiles = [query = 192, key = 80], persistent, resident = 1, wgmma = all, specialize, overlap, ping_pong, optimistic_max, lead = 80, resident_stages = 2, store_tensors, wide_panels>}
// CHECK-NOT: attn.kernel

// One fact less, another choice: smaller tiles of keys fit 160 KiB.
// REDEFINE: %{facts} = smem_per_block=163840
// RUN: %{choose} 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: schedule="tiles=query=192,key=64 persistent resident=1"
// SMALL: attn.schedule = #attn.schedule<tiles = [query = 192, key = 64]

// Slow exponentials bound; slow memory does.
// REDEFINE: %{facts} = special_per_clock=2
// RUN: %{choose} 2>&1 | FileCheck %s --check-prefix=EXP
// EXP: bound=exp
// REDEFINE: %{facts} = dram_gbps=100
// RUN: %{choose} 2>&1 | FileCheck %s --check-prefix=DRAM
// DRAM: bound=DRAM

// Decoding: one query is no work for warpgroups of 128 rows.
// RUN: sed 's/%q: tensor<?x16x?/%q: tensor<?x16x1/; s/-> tensor<?x16x?/-> tensor<?x16x1/; s/: (tensor<?x16x?/: (tensor<?x16x1/; s/return %o : tensor<?x16x?/return %o : tensor<?x16x1/' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-choose-schedule{sizes=batch=8,key=8192})' --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=DECODE
// DECODE: bound=DRAM, lower=, {{.*}}schedule="tiles=query=16,

// 16 query heads on 4 of K and V: rows of one tile, which reads K and V once.
// RUN: sed 's/%q: tensor<?x16x?/%q: tensor<?x16x1/; s/-> tensor<?x16x?/-> tensor<?x16x1/; s/: (tensor<?x16x?/: (tensor<?x16x1/; s/return %o : tensor<?x16x?/return %o : tensor<?x16x1/; s/tensor<?x16x?/tensor<?x4x?/g' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-choose-schedule{sizes=batch=32,key=8192})' 2>&1 | FileCheck %s --check-prefix=PACK
// PACK: attn.schedule = #attn.schedule<pack_group, tiles = [query = 16,
// RUN: sed 's/%q: tensor<?x16x?/%q: tensor<?x16x1/; s/-> tensor<?x16x?/-> tensor<?x16x1/; s/: (tensor<?x16x?/: (tensor<?x16x1/; s/return %o : tensor<?x16x?/return %o : tensor<?x16x1/; s/tensor<?x16x?/tensor<?x4x?/g' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-choose-schedule{sizes=batch=32,key=8192 keep-views})' 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: attn.schedule = #attn.schedule<tiles = [query = 16,

// A chip without warpgroups.
// REDEFINE: %{target} = gb10
// REDEFINE: %{facts} = sms=48
// REDEFINE: %{sizes} = batch=1,query=4096,key=4096
// RUN: %{choose} 2>&1 | FileCheck %s --check-prefix=GB10
// GB10: attn.schedule = #attn.schedule<tiles = [query = {{[0-9]+}}, key = {{[0-9]+}}]{{[a-z =,_]*}}>}

// Eight L2 domains: an order that keeps heads on one.
// RUN: sed 's/x16x/x128x/g' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=mi300x overrides=dram_gbps=530},attn-choose-schedule{sizes=batch=1,query=8192,key=8192})' 2>&1 | FileCheck %s --check-prefix=MI300X
// MI300X: attn.schedule = #attn.schedule<tiles = {{.*}}, grid_order = swizzled_head_first

// What an operation states comes first.
// RUN: sed 's/scale(0.088) :/scale(0.088) {attn.schedule = #attn.schedule<tiles = [query = 64]>} :/' %s | attn-opt --attn-choose-schedule --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=STATED
// STATED: remark: [Missed] has-schedule
// STATED: attn.schedule = #attn.schedule<tiles = [query = 64]>}

func.func @f(%q: tensor<?x16x?x128xbf16>, %k: tensor<?x16x?x128xbf16>, %v: tensor<?x16x?x128xbf16>) -> tensor<?x16x?x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.088) : (tensor<?x16x?x128xbf16>, tensor<?x16x?x128xbf16>, tensor<?x16x?x128xbf16>) -> tensor<?x16x?x128xbf16>
  return %o : tensor<?x16x?x128xbf16>
}
