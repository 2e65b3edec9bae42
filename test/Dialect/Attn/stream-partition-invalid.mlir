// attn-stream-partition: what it refuses, and that it leaves the rest alone.
// RUN: split-file %s %t

// Options.
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=query=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=query=1048577 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=query 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=query=x 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=querry=64 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tiles=batch=2 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=splits=-1 2>&1 | FileCheck %s --check-prefix=SPLITS0
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=splits=17 2>&1 | FileCheck %s --check-prefix=SPLITS
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition='split-ctas splits=4097' 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition='split-length=100' 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition='split-length=-128' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition='split-length=128 splits=2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not attn-opt %t/attention.mlir --attn-stream-partition=tile=query=64 2>&1 | FileCheck %s --check-prefix=OPTION
// ZERO: error: tile size expects axis=size with a size from 1 to 1048576, but got 'query=0'
// HUGE: error: tile size expects axis=size with a size from 1 to 1048576, but got 'query=1048577'
// BARE: error: tile size expects axis=size with a size from 1 to 1048576, but got 'query'
// WORD: error: tile size expects axis=size with a size from 1 to 1048576, but got 'query=x'
// NAME: error: no operation has a tiled axis 'querry'; did you mean 'query'? (axes: query, key)
// UNIT: error: no operation has a tiled axis 'batch' (axes: query, key)
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=mi300x --attn-stream-partition=split-cluster 2>&1 | FileCheck %s --check-prefix=CLUSTERS
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='split-cluster splits=9' 2>&1 | FileCheck %s --check-prefix=NINE
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='split-cluster split-length=128' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=mi300x --attn-stream-partition='split-last splits=4' 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition=split-last 2>&1 | FileCheck %s --check-prefix=HOWMANY
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='split-last splits=32' 2>&1 | FileCheck %s --check-prefix=THIRTYTWO
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='split-last split-length=128' 2>&1 | FileCheck %s --check-prefix=LASTUNEVEN
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='split-last split-cluster splits=4' 2>&1 | FileCheck %s --check-prefix=LASTCLUSTER
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='stream-k splits=2' 2>&1 | FileCheck %s --check-prefix=STREAMKSPLIT
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='stream-k split-ctas' 2>&1 | FileCheck %s --check-prefix=STREAMKSPLIT
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='stream-k sms=1' 2>&1 | FileCheck %s --check-prefix=STREAMKONE
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='stream-k sms=-3' 2>&1 | FileCheck %s --check-prefix=STREAMKNEGATIVE
// STREAMKSPLIT: error: 'attn.attention' op expected no other split of its streams beside stream-k, but got one
// STREAMKONE: error: 'attn.attention' op expected 2 to {{[0-9]+}} CTAs for stream-k, but got 1
// STREAMKNEGATIVE: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got -3 and 0
// RUN: not attn-opt %t/attention.mlir --attn-set-target=target=h200 --attn-stream-partition='resident=2147483648' 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RESIDENT: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got 0 and 2147483648
// LAST: error: 'attn.attention' op expected a target with the capability 'nvvm' for split-last, but got "mi300x" with [
// HOWMANY: error: 'attn.attention' op expected 2 to 31 splits for split-last, but got 0
// THIRTYTWO: error: 'attn.attention' op expected 2 to 31 splits for split-last, but got 32
// LASTUNEVEN: error: 'attn.attention' op expected even parts for split-last, but got parts of 128 elements
// LASTCLUSTER: error: 'attn.attention' op expected split-cluster or split-last, but got both
// CLUSTERS: error: 'attn.attention' op expected a target with the capability 'cluster' for split-cluster, but got "mi300x" with [
// NINE: error: 'attn.attention' op expected at most 8 CTAs of a cluster, which "h200" has, but got 9 splits
// UNEVEN: error: 'attn.attention' op expected even parts in a cluster, but got parts of 128 elements
// SPLITS0: error: expected 1 to 16 splits, or 0 for the schedule's, but got -1
// SPLITS: error: expected 1 to 16 splits, or 0 for the schedule's, but got 17
// OVER: error: expected 1 to 4096 splits, or 0 for the schedule's, but got 4097
// LENGTH: error: 'attn.attention' op expected parts of a multiple of 128, which its streamed tile has, but got 100
// NEGATIVE: error: 'attn.attention' op expected parts of 1 to 536870912 elements, or 0 for even ones, but got -128
// TWICE: error: 'attn.attention' op expected a number of parts or their length, but got both 2 and 128
// OPTION: error: {{.*}}no such option tile

// Tiles that do not fit: the bytes asked, the bytes there are, the largest legal
// tile, which is legal indeed, where the next larger one is not.
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=query=256,key=256})' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=query=192,key=48})' -o /dev/null
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=query=208,key=48})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=query=192,key=64})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-stream-partition{tiles=key=4096})' 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200 overrides=smem_per_block=1024},attn-stream-partition)' 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not attn-opt %t/attention.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200 overrides=registers_per_sm=1},attn-stream-partition)' 2>&1 | FileCheck %s --check-prefix=NONE
// BOTH: attention.mlir:2:8: error: 'attn.attention' op tile query=256,key=256 asks for 327680 bytes of shared memory and 99072 registers; target "gb10" has 101376 bytes a CTA and 65536 registers an SM; the largest legal tile is query=192,key=48
// MISFIT: error: 'attn.attention' op tile
// KEY: error: 'attn.attention' op tile query=16,key=4096 asks for 4198400 bytes of shared memory and 67632 registers; target "gb10" has 101376 bytes a CTA and 65536 registers an SM; the largest legal tile is query=16,key=80
// SMALL: error: 'attn.attention' op tile query=16,key=16 asks for 20480 bytes of shared memory and 2352 registers; target "h200" has 1024 bytes a CTA {{.*}}; no tile of this operation fits
// NONE: target "h200" has 232448 bytes a CTA and 1 registers an SM; no tile of this operation fits

// An operation whose order is fixed keeps it: no splits, and the stream says so.
// RUN: not attn-test-opt %t/ordered.mlir --attn-stream-partition=splits=2 2>&1 | FileCheck %s --check-prefix=ORDERED
// RUN: attn-test-opt %t/ordered.mlir --attn-stream-partition | FileCheck %s --check-prefix=KEPT
// ORDERED: ordered.mlir:2:8: error: 'attn_test.logsumexp' op cannot be split: its stream must run in its order
// KEPT: attn.stream %{{[^ ]+}} step 128 ordered over [

// Nothing to do: a remark, and not a letter changed.
// RUN: attn-opt %t/kernel.mlir -o %t/before
// RUN: attn-opt %t/kernel.mlir --attn-stream-partition -o %t/after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: diff %t/before %t/after
// NOTHING: remark: [Missed] nothing-to-partition | Category:attn-stream-partition | Remark="no streamable operation"

//--- attention.mlir
func.func @f(%q: tensor<1x2x?x128xf16>, %k: tensor<1x2x?x128xf16>, %v: tensor<1x2x?x128xf16>) -> tensor<1x2x?x128xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x?x128xf16>, tensor<1x2x?x128xf16>, tensor<1x2x?x128xf16>) -> tensor<1x2x?x128xf16>
  return %o : tensor<1x2x?x128xf16>
}

//--- ordered.mlir
func.func @f(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = attn_test.logsumexp %x {ordered} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

//--- kernel.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %unused = arith.constant 3 : index
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}
