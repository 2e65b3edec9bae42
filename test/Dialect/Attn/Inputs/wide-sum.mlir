attn.kernel @sum(%n: index, %a: !attn.view<?x64xbf16>, %b: !attn.view<?xWIDTHxbf16>, %c: !attn.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64xWIDTHxf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %x = attn.load %a[%i, %c0] : <?x64xbf16> -> tensor<64x64xbf16>
    %y = attn.load %b[%i, %c0] : <?xWIDTHxbf16> -> tensor<64xWIDTHxbf16>
    %dot = attn.dot %x, %y, %zero : tensor<64x64xbf16>, tensor<64xWIDTHxbf16> into tensor<64xWIDTHxf32>
    %rows = attn.reduce sum %dot : tensor<64xWIDTHxf32>
    attn.store %rows, %c[%i] : tensor<64xf32> -> <?xf32>
  }
}
