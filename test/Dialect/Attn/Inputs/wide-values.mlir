// A softmax without a maximum: weights P of 64 keys, O of VALUES columns, rows scaled in the stream and behind it.
attn.kernel @k(%q: !attn.view<?x64xbf16>, %k: !attn.view<?x64xbf16>, %v: !attn.view<?xVALUESxbf16>, %o: !attn.view<?xVALUESxf32>) attributes {outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %rows = attn.dim %q, 0 : <?x64xbf16>
  %c64 = arith.constant 64 : index
  %tiles = arith.ceildivui %rows, %c64 : index
  %n = arith.muli %tiles, %c64 : index
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xVALUESxf32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  attn.grid (%i) visit %visit in (i = %tiles) {
    %row = arith.muli %i, %c64 : index
    %x = attn.load %q[%row, %c0] : <?x64xbf16> -> tensor<64x64xbf16>
    %m, %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%last = %half, %acc = %zero : tensor<64xf32>, tensor<64xVALUESxf32>) {
      %y = attn.load %k[%pos, %c0] : <?x64xbf16> -> tensor<64x64xbf16>
      %z = attn.load %v[%pos, %c0] : <?xVALUESxbf16> -> tensor<64xVALUESxbf16>
      %s = attn.dot %x, %y, %none transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %max = attn.reduce max %s : tensor<64x64xf32>
      %scale = arith.mulf %max, %last : tensor<64xf32>
      %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
      %b = attn.broadcast %scale : tensor<64xf32> to tensor<64xVALUESxf32>
      %scaled = arith.mulf %acc, %b : tensor<64xVALUESxf32>
      %next = attn.dot %p, %z, %scaled : tensor<64x64xbf16>, tensor<64xVALUESxbf16> into tensor<64xVALUESxf32>
      attn.yield %max, %next : tensor<64xf32>, tensor<64xVALUESxf32>
    }
    %d = attn.broadcast %m : tensor<64xf32> to tensor<64xVALUESxf32>
    %done = arith.mulf %sum, %d : tensor<64xVALUESxf32>
    attn.store %done, %o[%row, %c0] : tensor<64xVALUESxf32> -> <?xVALUESxf32>
  }
}
