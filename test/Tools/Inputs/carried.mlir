attn.kernel @k(%x: !attn.view<10000000xf32>) {
  %c10000000 = arith.constant 10000000 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.ctas %w in %c10000000 {
    %i = scf.for %j = %c0 to %c1 step %c1 iter_args(%at = %w) -> (index) {
      scf.yield %at : index
    }
    %t = attn.load %x[%i] : !attn.view<10000000xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<10000000xf32>
  }
}
