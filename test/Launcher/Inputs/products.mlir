// Three products a tile: scores, and two sums of what follows from them; and two scores, of
// whose product the third takes a sum. Level 2 by hand: no operation of the dialect is so.
attn.kernel @two_sums(%q: !attn.view<?x64xf16>, %k: !attn.view<?x64xf16>, %v: !attn.view<?x64xf16>, %w: !attn.view<?x64xf16>, %a: !attn.view<?x64xf32>, %b: !attn.view<?x64xf32>) attributes {outputs = 2 : i64, dim_names = [["query", ""], ["key", ""], ["key", ""], ["key", ""], ["query", ""], ["query", ""]]} {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %queries = attn.dim %q, 0 : <?x64xf16>
  %keys = attn.dim %k, 0 : <?x64xf16>
  %tiles = arith.ceildivui %queries, %c128 : index
  attn.grid (%t) visit %visit in (query = %tiles) {
    %first = arith.muli %t, %c128 : index
    %qt = attn.load %q[%first, %c0] : <?x64xf16> -> tensor<128x64xf16>
    %r:2 = attn.stream %pos step 64 over [masked %c0 to %keys] carry (%a0 = %none, %b0 = %none : tensor<128x64xf32>, tensor<128x64xf32>) {
      %kt = attn.load %k[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %vt = attn.load %v[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %wt = attn.load %w[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %s = attn.dot %qt, %kt, %none transpose_rhs : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
      %a1 = attn.dot %p, %vt, %a0 : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      %b1 = attn.dot %p, %wt, %b0 : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      attn.yield %a1, %b1 : tensor<128x64xf32>, tensor<128x64xf32>
    }
    attn.store %r#0, %a[%first, %c0] : tensor<128x64xf32> -> <?x64xf32>
    attn.store %r#1, %b[%first, %c0] : tensor<128x64xf32> -> <?x64xf32>
  }
}

attn.kernel @two_scores(%q: !attn.view<?x64xf16>, %k: !attn.view<?x64xf16>, %l: !attn.view<?x64xf16>, %v: !attn.view<?x64xf16>, %a: !attn.view<?x64xf32>) attributes {outputs = 1 : i64, dim_names = [["query", ""], ["key", ""], ["key", ""], ["key", ""], ["query", ""]]} {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %queries = attn.dim %q, 0 : <?x64xf16>
  %keys = attn.dim %k, 0 : <?x64xf16>
  %tiles = arith.ceildivui %queries, %c128 : index
  attn.grid (%t) visit %visit in (query = %tiles) {
    %first = arith.muli %t, %c128 : index
    %qt = attn.load %q[%first, %c0] : <?x64xf16> -> tensor<128x64xf16>
    %r = attn.stream %pos step 64 over [masked %c0 to %keys] carry (%a0 = %none : tensor<128x64xf32>) {
      %kt = attn.load %k[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %lt = attn.load %l[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %vt = attn.load %v[%pos, %c0] : <?x64xf16> -> tensor<64x64xf16>
      %s = attn.dot %qt, %kt, %none transpose_rhs : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      %t2 = attn.dot %qt, %lt, %none transpose_rhs : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      %u = arith.mulf %s, %t2 : tensor<128x64xf32>
      %p = arith.truncf %u : tensor<128x64xf32> to tensor<128x64xf16>
      %a1 = attn.dot %p, %vt, %a0 : tensor<128x64xf16>, tensor<64x64xf16> into tensor<128x64xf32>
      attn.yield %a1 : tensor<128x64xf32>
    }
    attn.store %r, %a[%first, %c0] : tensor<128x64xf32> -> <?x64xf32>
  }
}
