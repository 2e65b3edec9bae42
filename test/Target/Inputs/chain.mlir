// O = (A B) C, where each tile of A B goes to shared memory and comes back as an operand: what a computing role
// writes to a ring. Three products a tile: two of them are one sum. The stream is the dimension that is summed last; no
// pass wrote the kernel. LAYOUT is how the target's matrix unit reads a left-hand side from shared memory, STAGES how
// deep the ring is.
!a = tensor<64x64xbf16>
!c = tensor<64x64xf32>
!t = tensor<64x64xbf16, LAYOUT>
attn.kernel @chain(%a: !attn.view<?x128xbf16>, %b: !attn.view<128x?xbf16>, %c: !attn.view<?x64xbf16>,
                   %o: !attn.view<?x64xf32>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = attn.dim %o, 0 : !attn.view<?x64xf32>
  %inner = attn.dim %c, 0 : !attn.view<?x64xbf16>
  %blocks = arith.ceildivui %rows, %c64 : index
  %zero = arith.constant dense<0.0> : !c
  %ring = attn.ring.create : !attn.ring<STAGES x !t>
  attn.grid (%i) visit %n in (row = %blocks) sharing [] {
    %row = arith.muli %i, %c64 : index
    %x0 = attn.load %a[%row, %c0] : !attn.view<?x128xbf16> -> !a
    %x1 = attn.load %a[%row, %c64] : !attn.view<?x128xbf16> -> !a
    %sum = attn.stream %j step 64 over [%c0 to %inner] carry (%acc = %zero : !c) {
      %y0 = attn.load %b[%c0, %j] : !attn.view<128x?xbf16> -> !a
      %y1 = attn.load %b[%c64, %j] : !attn.view<128x?xbf16> -> !a
      %z = attn.load %c[%j, %c0] : !attn.view<?x64xbf16> -> !a
      %half = attn.dot %x0, %y0, %zero : !a, !a into !c
      %xy = attn.dot %x1, %y1, %half : !a, !a into !c
      %p = arith.truncf %xy : !c to !a
      %slot = attn.ring.acquire %ring : !attn.ring<STAGES x !t> -> !attn.slot<!t>
      attn.ring.put %p into %slot : !a into !attn.slot<!t>
      %q = attn.ring.wait %ring : !attn.ring<STAGES x !t> -> !t
      %next = attn.dot %q, %z, %acc : !t, !a into !c
      attn.ring.release %ring : !attn.ring<STAGES x !t>
      attn.yield %next : !c
    }
    attn.store %sum, %o[%row, %c0] : !c -> !attn.view<?x64xf32>
  }
}
