// A matrix product as no pass would write it: k in two streams, the odd and the even
// tiles of 8, one of which runs in reverse where the visit is odd; the rows of A
// are dispatched from the last to the first.
// RUN: attn-compile %s --run --reference=%S/Inputs/matmul.mlir --size=m=37,n=29,k=101 | FileCheck %s
// RUN: attn-compile %s --run --reference=%S/Inputs/matmul.mlir --size=m=1,n=1,k=1 | FileCheck %s
// RUN: attn-compile %s --run --reference=%S/Inputs/matmul.mlir --size=m=5,n=3,k=16 | FileCheck %s
// CHECK: kernel @by_hand: row-wise relative error against float64: {{.*}}: PASS

attn.kernel @by_hand(%a: !attn.view<?x?xf32>, %b: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant dense<0.0> : tensor<12x8xf32>
  %m = attn.dim %a, 0 : !attn.view<?x?xf32>
  %n = attn.dim %b, 1 : !attn.view<?x?xf32>
  %k = attn.dim %a, 1 : !attn.view<?x?xf32>
  %mt = arith.ceildivui %m, %c12 : index
  %nt = arith.ceildivui %n, %c8 : index
  attn.grid (%i, %j) visit %v in (m = %mt, n = %nt) order #attn.order<[n, m], reversed = [m]> run 2 {
    %row = arith.muli %i, %c12 : index
    %column = arith.muli %j, %c8 : index
    %bit = arith.andi %v, %c1 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    %even = attn.stream %p step 16 over [%c0 to %k] carry (%x = %zero : tensor<12x8xf32>) {
      %at = attn.load %a[%row, %p] : !attn.view<?x?xf32> -> tensor<12x8xf32>
      %bt = attn.load %b[%p, %column] : !attn.view<?x?xf32> -> tensor<8x8xf32>
      %d = attn.dot %at, %bt, %x : tensor<12x8xf32>, tensor<8x8xf32> into tensor<12x8xf32>
      attn.yield %d : tensor<12x8xf32>
    }
    %all = attn.stream %p step 16 traversal #attn.reversed(%odd : i1) over [%c8 to %k] carry (%x = %even : tensor<12x8xf32>) {
      %at = attn.load %a[%row, %p] : !attn.view<?x?xf32> -> tensor<12x8xf32>
      %bt = attn.load %b[%p, %column] : !attn.view<?x?xf32> -> tensor<8x8xf32>
      %d = attn.dot %at, %bt, %x : tensor<12x8xf32>, tensor<8x8xf32> into tensor<12x8xf32>
      attn.yield %d : tensor<12x8xf32>
    }
    attn.store %all, %c[%row, %column] : tensor<12x8xf32> -> !attn.view<?x?xf32>
  }
}
