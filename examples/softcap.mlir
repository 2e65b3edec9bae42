// Scores bounded by a soft cap, c * tanh(s / c), as in Gemma 2: a score
// modification with the cap as a capture, a value known when the kernel runs. With
// LSE, and with the sequence before the head (BSHD).
//
//   attn-compile softcap.mlir --run --size=batch=2,query=100,key=100 --scalar=50

func.func @softcap(%q: tensor<?x?x8x256xbf16>, %k: tensor<?x?x4x256xbf16>,
                   %v: tensor<?x?x4x256xbf16>, %cap: f32)
    -> (tensor<?x?x8x256xbf16>, tensor<?x8x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v
      mask(#attn.window<left = 4095, right = 0, align = bottom_right>)
      scale(0.0625) layout(bshd) captures(%cap : f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
        %x = arith.divf %s, %c : f32
        %t = math.tanh %x : f32
        %y = arith.mulf %t, %c : f32
        attn.yield %y : f32
      }
      : (tensor<?x?x8x256xbf16>, tensor<?x?x4x256xbf16>, tensor<?x?x4x256xbf16>)
      -> (tensor<?x?x8x256xbf16>, tensor<?x8x?xf32>)
  return %o, %lse : tensor<?x?x8x256xbf16>, tensor<?x8x?xf32>
}
