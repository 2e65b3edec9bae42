// A right-hand side that lies by rows of what is summed over, as other products of the same tile may want it: a
// lane's elements are in one column, and are read one by one; where reads transpose ('lds-transpose'), four by four.
//
// RUN: attn-opt %s --attn-lower-to-rocdl | FileCheck %s --implicit-check-not=ds.read.tr16
// RUN: sed 's/mi300x/mi355x/' %s | attn-opt --attn-lower-to-rocdl | FileCheck %s --check-prefix=TRANSPOSE --implicit-check-not='ptr<3> -> bf16'
//
// Of 16 lanes, four after four have four columns each of one row: lane / 4 mod 4 says which row. Rows from 8 on are of lanes
// from 32 on, and bits 2 and 3 of the column change places.
// TRANSPOSE-LABEL: llvm.func @k
// TRANSPOSE: %[[FIRST:[^ ]+]] = rocdl.ds.read.tr16.b64 {{.*}} : <3> -> vector<4xbf16>
// TRANSPOSE: %[[SECOND:[^ ]+]] = rocdl.ds.read.tr16.b64 {{.*}} : <3> -> vector<4xbf16>
// TRANSPOSE: llvm.shufflevector %[[FIRST]], %[[SECOND]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>
// TRANSPOSE-NOT: ds.read.tr16
// TRANSPOSE: rocdl.mfma.f32.32x32x8bf16.1k

// CHECK-LABEL: llvm.func @k
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> bf16
// CHECK: rocdl.mfma.f32.32x32x8bf16.1k
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<64, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<64, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<64, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<64, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<64, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<64, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<64, folded>>> -> tensor<16x32xbf16, #attn.shared<64, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<64, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<64, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}
