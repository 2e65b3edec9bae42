// O = ((A B) C) D, three products a tile, each of which follows from the one before through a ring: a pipeline of three roles
// that compute. No pass wrote it. STAGES is how deep the rings are.
!a = tensor<64x64xbf16>
!c = tensor<64x64xf32>
!t = tensor<64x64xbf16, #attn.shared<128>>
attn.kernel @roles(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x?xbf16>, %c: !attn.view<?x64xbf16>,
                   %d: !attn.view<64x64xbf16>, %o: !attn.view<?x64xf32>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = attn.dim %o, 0 : !attn.view<?x64xf32>
  %inner = attn.dim %c, 0 : !attn.view<?x64xbf16>
  %blocks = arith.ceildivui %rows, %c64 : index
  %zero = arith.constant dense<0.0> : !c
  %first = attn.ring.create : !attn.ring<STAGES x !t>
  %second = attn.ring.create : !attn.ring<STAGES x !t>
  attn.grid (%i) visit %n in (row = %blocks) sharing [] {
    %row = arith.muli %i, %c64 : index
    %x = attn.load %a[%row, %c0] : !attn.view<?x64xbf16> -> !a
    %w = attn.load %d[%c0, %c0] : !attn.view<64x64xbf16> -> !a
    %sum = attn.stream %j step 64 over [%c0 to %inner] carry (%acc = %zero : !c) {
      %y = attn.load %b[%c0, %j] : !attn.view<64x?xbf16> -> !a
      %z = attn.load %c[%j, %c0] : !attn.view<?x64xbf16> -> !a
      %xy = attn.dot %x, %y, %zero : !a, !a into !c
      %p = arith.truncf %xy : !c to !a
      %slot0 = attn.ring.acquire %first : !attn.ring<STAGES x !t> -> !attn.slot<!t>
      attn.ring.put %p into %slot0 : !a into !attn.slot<!t>
      %q = attn.ring.wait %first : !attn.ring<STAGES x !t> -> !t
      %qz = attn.dot %q, %z, %zero : !t, !a into !c
      attn.ring.release %first : !attn.ring<STAGES x !t>
      %r = arith.truncf %qz : !c to !a
      %slot1 = attn.ring.acquire %second : !attn.ring<STAGES x !t> -> !attn.slot<!t>
      attn.ring.put %r into %slot1 : !a into !attn.slot<!t>
      %s = attn.ring.wait %second : !attn.ring<STAGES x !t> -> !t
      %next = attn.dot %s, %w, %acc : !t, !a into !c
      attn.ring.release %second : !attn.ring<STAGES x !t>
      attn.yield %next : !c
    }
    attn.store %sum, %o[%row, %c0] : !c -> !attn.view<?x64xf32>
  }
}
