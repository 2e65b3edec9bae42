// Latent attention, as DeepSeek's absorbed form has it: 64 rows of queries (heads), keys of 576 columns, values of 512. Two
// roles share the weights P: the first computes scores, softmax and P V for the left half of V's columns, and puts P and
// the factor that sums are scaled by into rings; the second takes both out of them, for the right half. No pass wrote
// it. Scores are one sum of three products. STAGES is how
// deep the rings are that threads fill in the stream; THIRD, WIDE, HALF and VALUES are columns of a third of K, of K, of half of V, and of V.
!q = tensor<64xTHIRDxbf16>
!v = tensor<64xHALFxbf16>
!s = tensor<64x64xf32>
!p = tensor<64x64xbf16>
!o = tensor<64xHALFxf32>
!m = tensor<64xf32>
!w = tensor<64x64xbf16, #attn.shared<128>>
!f = tensor<64x8xf32, #attn.shared<32>>
attn.kernel @latent(%q: !attn.view<?xWIDExbf16>, %k: !attn.view<?xWIDExbf16>, %v: !attn.view<?xVALUESxbf16>,
                    %o: !attn.view<?xVALUESxbf16>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %half = arith.constant HALF : index
  %third = arith.constant THIRD : index
  %thirds = arith.constant TWOTHIRDS : index
  %rows = attn.dim %o, 0 : !attn.view<?xVALUESxbf16>
  %keys = attn.dim %k, 0 : !attn.view<?xWIDExbf16>
  %blocks = arith.ceildivui %rows, %c64 : index
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %zeros = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %least = arith.constant dense<-2.12676467E+37> : !m
  %factor0 = arith.constant dense<6.250000e-02> : !m
  %weights = attn.ring.create : !attn.ring<STAGES x !w>
  %factors = attn.ring.create : !attn.ring<STAGES x !f>
  %sums = attn.ring.create : !attn.ring<1 x !f>
  attn.grid (%i) visit %n in (row = %blocks) sharing [] {
    %row = arith.muli %i, %c64 : index
    %q0 = attn.load %q[%row, %c0] : !attn.view<?xWIDExbf16> -> !q
    %q1 = attn.load %q[%row, %third] : !attn.view<?xWIDExbf16> -> !q
    %q2 = attn.load %q[%row, %thirds] : !attn.view<?xWIDExbf16> -> !q
    %end = arith.ceildivui %keys, %c64 : index
    %stop = arith.muli %end, %c64 : index
    %whole = arith.divui %keys, %c64 : index
    %full = arith.muli %whole, %c64 : index
    %bounded = arith.minsi %full, %stop : index
    %limit = arith.maxsi %bounded, %c0 : index
    %r:5 = attn.stream %j step 64 over [%c0 to %limit, masked %limit to %stop]
        carry (%f1 = %factor0, %m1 = %least, %l1 = %zeros, %a1 = %zero, %b1 = %zero : !m, !m, !m, !o, !o) {
      %x0 = attn.load %k[%j, %c0] : !attn.view<?xWIDExbf16> -> !q
      %x1 = attn.load %k[%j, %third] : !attn.view<?xWIDExbf16> -> !q
      %x2 = attn.load %k[%j, %thirds] : !attn.view<?xWIDExbf16> -> !q
      %y0 = attn.load %v[%j, %c0] : !attn.view<?xVALUESxbf16> -> !v
      %y1 = attn.load %v[%j, %half] : !attn.view<?xVALUESxbf16> -> !v
      %d0 = attn.dot %q0, %x0, %none transpose_rhs : !q, !q into !s
      %d1 = attn.dot %q1, %x1, %d0 transpose_rhs : !q, !q into !s
      %dot = attn.dot %q2, %x2, %d1 transpose_rhs : !q, !q into !s
      %cols = attn.iota 1 from %j : tensor<64x64xindex>
      %splat = tensor.splat %keys : tensor<64x64xindex>
      %keep = arith.cmpi slt, %cols, %splat : tensor<64x64xindex>
      %scores = attn.mask %dot keep %keep : !s
      %max = attn.reduce max %scores : !s
      %f2, %m2, %scale = attn.advance %max from %f1, %m1 scale(4.166660e-02) : !m
      %minus = arith.negf %m2 : !m
      %fs = attn.broadcast %f2 : !m to !s
      %ms = attn.broadcast %minus : !m to !s
      %t = math.fma %scores, %fs, %ms : !s
      %e = math.exp2 %t : !s
      %sum = attn.reduce sum %e : !s
      %l2 = math.fma %l1, %scale, %sum : !m
      %p = arith.truncf %e : !s to !p
      // What the second role needs.
      %wide = attn.broadcast %scale : !m to tensor<64x8xf32>
      %slot0 = attn.ring.acquire %factors : !attn.ring<STAGES x !f> -> !attn.slot<!f>
      attn.ring.put %wide into %slot0 : tensor<64x8xf32> into !attn.slot<!f>
      %slot1 = attn.ring.acquire %weights : !attn.ring<STAGES x !w> -> !attn.slot<!w>
      attn.ring.put %p into %slot1 : !p into !attn.slot<!w>
      // The first role's half.
      %sa = attn.broadcast %scale : !m to !o
      %as = arith.mulf %a1, %sa : !o
      %a2 = attn.dot %p, %y0, %as : !p, !v into !o
      // The second's.
      %g = attn.ring.wait %factors : !attn.ring<STAGES x !f> -> !f
      %gt = attn.convert_layout %g : !f to tensor<64x8xf32>
      %gs = attn.reduce max %gt : tensor<64x8xf32>
      attn.ring.release %factors : !attn.ring<STAGES x !f>
      %sb = attn.broadcast %gs : !m to !o
      %bs = arith.mulf %b1, %sb : !o
      %pw = attn.ring.wait %weights : !attn.ring<STAGES x !w> -> !w
      %b2 = attn.dot %pw, %y1, %bs : !w, !v into !o
      attn.ring.release %weights : !attn.ring<STAGES x !w>
      attn.yield %f2, %m2, %l2, %a2, %b2 : !m, !m, !m, !o, !o
    }
    %inverse = arith.divf %ones, %r#2 : !m
    %iw = attn.broadcast %inverse : !m to tensor<64x8xf32>
    %slot = attn.ring.acquire %sums : !attn.ring<1 x !f> -> !attn.slot<!f>
    attn.ring.put %iw into %slot : tensor<64x8xf32> into !attn.slot<!f>
    %ia = attn.broadcast %inverse : !m to !o
    %ao = arith.mulf %r#3, %ia : !o
    %at = arith.truncf %ao : !o to !v
    attn.store %at, %o[%row, %c0] : !v -> !attn.view<?xVALUESxbf16>
    %h = attn.ring.wait %sums : !attn.ring<1 x !f> -> !f
    %ht = attn.convert_layout %h : !f to tensor<64x8xf32>
    %hs = attn.reduce max %ht : tensor<64x8xf32>
    attn.ring.release %sums : !attn.ring<1 x !f>
    %ib = attn.broadcast %hs : !m to !o
    %bo = arith.mulf %r#4, %ib : !o
    %bt = arith.truncf %bo : !o to !v
    attn.store %bt, %o[%row, %half] : !v -> !attn.view<?xVALUESxbf16>
  }
}
