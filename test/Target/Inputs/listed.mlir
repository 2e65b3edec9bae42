// O = A B, of which a row of tiles of A has only those that a list in memory names: what a mask by blocks makes of a stream.
// No pass wrote the kernel.
!a = tensor<64x64xbf16>
!c = tensor<64x64xf32>
attn.kernel @listed(%a: !attn.view<?x?xbf16>, %b: !attn.view<?x64xbf16>, %tiles: !attn.view<?x?xi32>,
                    %counts: !attn.view<?xi32>, %o: !attn.view<?x64xf32>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = attn.dim %o, 0 : !attn.view<?x64xf32>
  %blocks = arith.ceildivui %rows, %c64 : index
  %zero = arith.constant dense<0.0> : !c
  attn.grid (%i) visit %n in (row = %blocks) sharing [] {
    %row = arith.muli %i, %c64 : index
    %count = attn.read %counts[%i] : !attn.view<?xi32>
    %end = arith.muli %count, %c64 : index
    %sum = attn.stream %j step 64 traversal #attn.listed(%tiles, %i, %c0 : !attn.view<?x?xi32>, index, index)
        over [%c0 to %end] carry (%acc = %zero : !c) {
      %x = attn.load %a[%row, %j] : !attn.view<?x?xbf16> -> !a
      %y = attn.load %b[%j, %c0] : !attn.view<?x64xbf16> -> !a
      %next = attn.dot %x, %y, %acc : !a, !a into !c
      attn.yield %next : !c
    }
    attn.store %sum, %o[%row, %c0] : !c -> !attn.view<?x64xf32>
  }
}
