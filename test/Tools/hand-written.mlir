// A kernel as no pass would write it: causal attention whose grid has one axis for
// all heads, in the order of a pack of cards; tiles of 20 queries and 24 keys; two
// segments out of order, always in reverse, masked throughout; exponentials to the
// base e; keys that are beyond the diagonal of a tile visited all the same.
// RUN: attn-compile %s --run --reference=%S/Inputs/attention.mlir --size=batch=2,query=50,key=61 | FileCheck %s
// RUN: attn-compile %s --run --reference=%S/Inputs/attention.mlir --size=batch=1,query=20,key=24 | FileCheck %s
// RUN: attn-compile %s --run --reference=%S/Inputs/attention.mlir --size=batch=1,query=1,key=1 | FileCheck %s
// RUN: attn-compile %s --run --reference=%S/Inputs/attention.mlir --size=batch=1,query=33,key=100 --probe | FileCheck %s --check-prefixes=CHECK,PROBE
// CHECK: kernel @by_hand: row-wise relative error against float64: {{.*}} of the LSE:
// PROBE-SAME: , exact
// CHECK-SAME: : PASS

// It is read and written like any other.
// RUN: attn-opt %s -o %t.first
// RUN: attn-opt %t.first -o %t.again
// RUN: diff %t.first %t.again

// The mask is what makes it right: without, it fails.
// RUN: sed 's/masked //g' %s > %t.unmasked.mlir
// RUN: not attn-compile %t.unmasked.mlir --run --reference=%S/Inputs/attention.mlir --size=batch=2,query=50,key=61 | FileCheck %s --check-prefix=FAIL
// FAIL: kernel @by_hand: {{.*}}: FAIL

attn.kernel @by_hand(%q: !attn.view<?x6x?x16xf32>, %k: !attn.view<?x3x?x16xf32>,
                     %v: !attn.view<?x3x?x8xf32>, %o: !attn.view<?x6x?x8xf32>,
                     %lse: !attn.view<?x6x?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c20 = arith.constant 20 : index
  %c24 = arith.constant 24 : index
  %c48 = arith.constant 48 : index
  %true = arith.constant true
  %lowest = arith.constant dense<-1.0e+30> : tensor<20xf32>
  %none = arith.constant dense<0.0> : tensor<20xf32>
  %acc0 = arith.constant dense<0.0> : tensor<20x8xf32>
  %dot0 = arith.constant dense<0.0> : tensor<20x24xf32>
  %quarter = arith.constant dense<0.25> : tensor<20x24xf32>
  %batches = attn.dim %q, 0 : !attn.view<?x6x?x16xf32>
  %queries = attn.dim %q, 2 : !attn.view<?x6x?x16xf32>
  %keys = attn.dim %k, 2 : !attn.view<?x3x?x16xf32>
  %rows = arith.ceildivui %queries, %c20 : index
  %heads = arith.muli %batches, %c6 : index
  %half = arith.minui %keys, %c48 : index
  attn.grid (%i, %bh) visit %n in (rows = %rows, heads = %heads) sharing [heads]
      order #attn.order<[sharing, rows], domains = 3, chunk = 2, reversed = [heads, rows]>
      run 3 persistent 5 {
    %b = arith.divui %bh, %c6 : index
    %h = arith.remui %bh, %c6 : index
    %g = arith.divui %h, %c2 : index
    %row = arith.muli %i, %c20 : index
    %qt = attn.load %q[%b, %h, %row, %c0] : !attn.view<?x6x?x16xf32> -> tensor<20x16xf32>
    %m, %l, %a = attn.stream %j step 24 traversal #attn.reversed(%true : i1)
        over [masked %c48 to %keys, masked %c0 to %half]
        carry (%mc = %lowest, %lc = %none, %ac = %acc0 : tensor<20xf32>, tensor<20xf32>, tensor<20x8xf32>) {
      %kt = attn.load %k[%b, %g, %j, %c0] : !attn.view<?x3x?x16xf32> -> tensor<24x16xf32>
      %vt = attn.load %v[%b, %g, %j, %c0] : !attn.view<?x3x?x8xf32> -> tensor<24x8xf32>
      %d = attn.dot %qt, %kt, %dot0 transpose_rhs : tensor<20x16xf32>, tensor<24x16xf32> into tensor<20x24xf32>
      %s = arith.mulf %d, %quarter : tensor<20x24xf32>
      %is = attn.iota 0 from %row : tensor<20x24xindex>
      %js = attn.iota 1 from %j : tensor<20x24xindex>
      %end = tensor.splat %keys : tensor<20x24xindex>
      %exists = arith.cmpi slt, %js, %end : tensor<20x24xindex>
      %before = arith.cmpi sle, %js, %is : tensor<20x24xindex>
      %keep = arith.andi %exists, %before : tensor<20x24xi1>
      %sm = attn.mask %s keep %keep : tensor<20x24xf32>
      %smax = attn.reduce max %sm : tensor<20x24xf32>
      %mn = arith.maximumf %mc, %smax : tensor<20xf32>
      %mb = attn.broadcast %mn : tensor<20xf32> to tensor<20x24xf32>
      %x = arith.subf %sm, %mb : tensor<20x24xf32>
      %p = math.exp %x : tensor<20x24xf32>
      %dm = arith.subf %mc, %mn : tensor<20xf32>
      %alpha = math.exp %dm : tensor<20xf32>
      %la = arith.mulf %lc, %alpha : tensor<20xf32>
      %sum = attn.reduce sum %p : tensor<20x24xf32>
      %ln = arith.addf %la, %sum : tensor<20xf32>
      %ab = attn.broadcast %alpha : tensor<20xf32> to tensor<20x8xf32>
      %aa = arith.mulf %ac, %ab : tensor<20x8xf32>
      %an = attn.dot %p, %vt, %aa : tensor<20x24xf32>, tensor<24x8xf32> into tensor<20x8xf32>
      attn.yield %mn, %ln, %an : tensor<20xf32>, tensor<20xf32>, tensor<20x8xf32>
    }
    %lb = attn.broadcast %l : tensor<20xf32> to tensor<20x8xf32>
    %out = arith.divf %a, %lb : tensor<20x8xf32>
    %log = math.log %l : tensor<20xf32>
    %e = arith.addf %m, %log : tensor<20xf32>
    attn.store %e, %lse[%b, %h, %row] : tensor<20xf32> -> !attn.view<?x6x?xf32>
    attn.store %out, %o[%b, %h, %row, %c0] : tensor<20x8xf32> -> !attn.view<?x6x?x8xf32>
  }
}
