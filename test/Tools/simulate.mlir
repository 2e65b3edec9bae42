// --simulate: the L2 under a level-2 kernel that no pass would emit. Two CTAs add
// every other tile of x, forward and then backward. A tile is 64 x 8 f32: 2048
// bytes, 64 sectors. Counted by hand.
//
// DEFINE: %{run} = attn-compile %s --simulate --drift=0 --target=gb10 --resident=1 --target-fact=sms=2
//
// 4 tiles fit. CTA 0 misses each once and finds it again on the way back (4
// tiles); CTA 1 comes a step later and hits 8 times what CTA 0 brought in.
// RUN: %{run},l2_bytes=12288 | FileCheck %s --check-prefix=FITS --match-full-lines
// FITS: kernel @back_and_forth: L2 of gb10
// FITS-NEXT: machine: 2 SMs with 1 CTA(s) each; 1 L2 domain(s) of 12288 bytes in 1 partition(s); drift 0
// FITS-NEXT: work: 2 CTAs; 384 distinct sectors of 32 bytes
// FITS-NEXT: sectors accessed own hits shared hits cold capacity hit rate read, MB written, MB
// FITS-NEXT: domain 0 1152 256 512 384 0 66.67 % 0.008 0.004
// FITS-NEXT: view x 1024 256 512 256 0 75.00 % 0.008 0.000
// FITS-NEXT: view y 128 0 0 128 0 0.00 % 0.000 0.004
// FITS-NEXT: total 1152 256 512 384 0 66.67 % 0.008 0.004
//
// One fact changed, and 2 tiles fit: on the way back, the last 2 hit, the first 2
// miss again.
// RUN: %{run},l2_bytes=4096 | FileCheck %s --check-prefix=SMALL
// SMALL: view x 1024 128 512 256 128 62.50 %
// A byte less, and only 1 fits.
// RUN: %{run},l2_bytes=4095 | FileCheck %s --check-prefix=LESS
// LESS: view x 1024 64 512 256 192 56.25 %
//
// Two domains: each CTA misses everything once, and nothing is shared.
// RUN: %{run},l2_bytes=12288,l2_domains=2 | FileCheck %s --check-prefix=DOMAINS
// DOMAINS: 384 distinct sectors
// DOMAINS: domain 0 576 256 0 320 0 44.44 %
// DOMAINS: domain 1 576 256 0 320 0 44.44 %
// DOMAINS: view x 1024 512 0 512 0 50.00 % 0.016
// Both CTAs to one of them.
// RUN: %{run},l2_bytes=12288,l2_domains=2,dispatch_chunk=2,sms=4 | FileCheck %s --check-prefix=CHUNK
// CHUNK: domain 0 1152 256 512 384 0
// CHUNK: domain 1 0 0 0 0 0
//
// One SM: the second CTA starts when the first has ended.
// RUN: %{run},l2_bytes=4096,sms=1 | FileCheck %s --check-prefix=ALONE
// ALONE: view x 1024 256 64 256 448 31.25 %
// Two CTAs on one SM are side by side again.
// RUN: attn-compile %s --simulate --drift=0 --target=gb10 --resident=2 --target-fact=sms=1,l2_bytes=4096 | FileCheck %s --check-prefix=SMALL
//
// Two partitions, one SM on each: half of every tile is at home in either. On the
// way there, SM 0 misses all 4 tiles (256 sectors), and fetches the halves at home
// in partition 1 through the fabric (128). SM 1 finds these there (128 shared
// hits), and fetches the others (128 misses, 128 sectors of fabric). On the way back
// all is there: SM 0 hits its own 256, SM 1 its own 128 and those of SM 0. Half of
// what is written is at home elsewhere (64).
// RUN: %{run},l2_bytes=65536,l2_partitions=2 | FileCheck %s --check-prefix=PARTITIONS
// PARTITIONS: sectors accessed own hits shared hits cold capacity hit rate fabric read, MB
// PARTITIONS: view x 1024 384 256 384 0 62.50 % 256 0.008 0.000
// PARTITIONS: view y 128 0 0 128 0 0.00 % 64 0.000 0.004
//
// Lines instead of sectors.
// RUN: %{run},l2_bytes=12288,l2_sector_bytes=128 | FileCheck %s --check-prefix=LINES
// LINES: view x 256 64 128 64 0 75.00 %
//
// As JSON, with what other sizes of L2 would miss; the same numbers.
// RUN: attn-compile %s --simulate=json --drift=0 --target=gb10 --resident=1 --target-fact=sms=2,l2_bytes=4096 \
// RUN:   --l2-curve=0,4095,4096,12288 -o %t.json
// RUN: %python -c "import json; r = json.load(open('%t.json'))[0]; t = r['total']; \
// RUN:   print(r['kernel'], r['target'], t['sectors'], t['cold_misses'], t['capacity_misses'], r['views']['x']['own_hits'], \
// RUN:   [c['misses'] for c in r['curve']], t['dram_read_bytes'], t['dram_write_bytes'], round(t['hit_rate'], 4))" \
// RUN:   | FileCheck %s --check-prefix=JSON
// JSON: back_and_forth gb10 1152 384 128 128 [1152, 576, 512, 384] 12288 4096 0.5556
//
// Lags are random, but the same for the same seed.
// RUN: attn-compile %s --simulate --drift=5 --seed=3 --target=gb10 --target-fact=l2_bytes=4096 > %t.1
// RUN: attn-compile %s --simulate --drift=5 --seed=3 --target=gb10 --target-fact=l2_bytes=4096 --jobs=1 > %t.2
// RUN: diff %t.1 %t.2

attn.kernel @back_and_forth(%x: !attn.view<512x8xf32>, %y: !attn.view<128x8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  attn.grid (%i) visit %visit in (row = %c2) {
    %sum = attn.stream %j step 128 over [%c0 to %c512] carry (%a = %zero : tensor<64x8xf32>) {
      %t = attn.load %x[%j, %c0] : !attn.view<512x8xf32> -> tensor<64x8xf32>
      %b = arith.addf %a, %t : tensor<64x8xf32>
      attn.yield %b : tensor<64x8xf32>
    }
    %both = attn.stream %j step 128 traversal #attn.reversed(%true : i1) over [%c0 to %c512] carry (%a = %sum : tensor<64x8xf32>) {
      %t = attn.load %x[%j, %c0] : !attn.view<512x8xf32> -> tensor<64x8xf32>
      %b = arith.addf %a, %t : tensor<64x8xf32>
      attn.yield %b : tensor<64x8xf32>
    }
    %row = arith.muli %i, %c64 : index
    attn.store %both, %y[%row, %c0] : tensor<64x8xf32> -> !attn.view<128x8xf32>
  }
}
