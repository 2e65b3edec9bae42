attn.kernel @k(%x: !attn.view<10000000xf32>) {
  %c10000000 = arith.constant 10000000 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.ctas %w in %c10000000 {
    %later = arith.cmpi ugt, %w, %c1 : index
    %i = scf.if %later -> (index) {
      scf.yield %w : index
    } else {
      scf.yield %c0 : index
    }
    %t = attn.load %x[%i] : !attn.view<10000000xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<10000000xf32>
  }
}
