// A view has one tensor map: where queries and keys are one, the slot of the queries has no parts,
// whose box would be another.
// RUN: attn-compile %s --target=h200 --lower='wgmma=all specialize exchange-columns' --emit=target | FileCheck %s --check-prefix=OWN
// OWN: attn.ring.create own_rows : <1 x tensor<128x64xbf16
// RUN: attn-compile %s --target=h200 --lower='wgmma=all specialize exchange-columns' --emit=llvm | FileCheck %s
// CHECK: box = [128, 64]

// One view is Q, K and V.
attn.kernel @same(%x: !attn.view<?x64xbf16>, %o: !attn.view<?x64xbf16>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %size = attn.dim %x, 0 : <?x64xbf16>
  %n = arith.ceildivui %size, %c128 : index
  attn.grid (%i) visit %v in (i = %n) persistent 132 {
    %row = arith.muli %i, %c128 : index
    %q = attn.load %x[%row, %c0] : <?x64xbf16> -> tensor<128x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %zs = arith.constant dense<0.0> : tensor<128x128xf32>
    %end = arith.muli %n, %c128 : index
    %r = attn.stream %j step 128 over [%c0 to %end] carry (%a = %zero : tensor<128x64xf32>) {
      %k = attn.load %x[%j, %c0] : <?x64xbf16> -> tensor<128x64xbf16>
      %s = attn.dot %q, %k, %zs transpose_rhs : tensor<128x64xbf16>, tensor<128x64xbf16> into tensor<128x128xf32>
      %p = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
      %b = attn.dot %p, %k, %a : tensor<128x128xbf16>, tensor<128x64xbf16> into tensor<128x64xf32>
      attn.yield %b : tensor<128x64xf32>
    }
    %t = arith.truncf %r : tensor<128x64xf32> to tensor<128x64xbf16>
    attn.store %t, %o[%row, %c0] : tensor<128x64xbf16> -> <?x64xbf16>
  }
}
