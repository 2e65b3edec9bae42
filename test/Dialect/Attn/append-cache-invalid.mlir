// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?x1xi32>) {
  // expected-error @+1 {{expected lengths of rank 1 (batch), but got 'tensor<?x1xi32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x1xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x1xi32>)
  return
}

// -----

func.func @f(%k: tensor<2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected key of rank 4, but got 'tensor<2x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected key with static heads and a static last dimension of 1 to 256, but got 'tensor<?x?x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<4x2x?x64xf16>, %v: tensor<4x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<3xi32>) {
  // expected-error @+1 {{expected key with 3 as dimension 0, one for each of the lengths, but got 'tensor<4x2x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<4x2x?x64xf16>, tensor<4x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<3xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<3xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x3x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected key and value of one element type and, but for the last dimension, one shape, but got 'tensor<?x2x?x64xf16>' and 'tensor<?x3x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x3x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x4x?x64xf16>, %vc: tensor<?x4x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected key cache with 2 as dimension 1, the heads of the tokens, but got 'tensor<?x4x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>, tensor<?xi32>) -> (tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x32xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected value cache with 64 as dimension 3, the columns of the tokens, but got 'tensor<?x2x?x32xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x32xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x32xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a result of the type of the key cache, 'tensor<?x2x?x64xf16>', but got 'tensor<?x2x9x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x9x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected new lengths of the type of the lengths, 'tensor<?xi32>', but got 'tensor<?xi64>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi64>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xbf16>, %vc: tensor<?x2x?x64xbf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected caches of the element type of the tokens, 'f16', or of FP8, but got 'bf16'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?xi32>) -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x0x64xf16>, %vc: tensor<?x2x0x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected key cache with places, but got 'tensor<?x2x0x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x0x64xf16>, tensor<?x2x0x64xf16>, tensor<?xi32>) -> (tensor<?x2x0x64xf16>, tensor<?x2x0x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<4x2x?x64xf16>, %vc: tensor<4x2x?x64xf16>, %n: tensor<3xi32>) {
  // expected-error @+1 {{expected key cache with 3 as dimension 0, one for each of the lengths, but got 'tensor<4x2x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<4x2x?x64xf16>, tensor<4x2x?x64xf16>, tensor<3xi32>) -> (tensor<4x2x?x64xf16>, tensor<4x2x?x64xf16>, tensor<3xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %x0: tensor<?xi32>) {
  // expected-error @+1 {{expected block_table of rank 2 (batch, pages of a sequence), but got 'tensor<?xi32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n block_table(%x0)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<3xi32>, %x0: tensor<4x?xi32>) {
  // expected-error @+1 {{expected block_table with 3 as dimension 0, one for each of the lengths, but got 'tensor<4x?xi32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n block_table(%x0)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<3xi32>, tensor<4x?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<3xi32>)
  return
}

// -----

func.func @f(%k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %x0: tensor<0xi32>) {
  // expected-error @+1 {{expected cu_seqlens of rank 1 and one number more than there are sequences, but got 'tensor<0xi32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n cu_seqlens(%x0)
    : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<0xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<2xi32>, %x0: tensor<4xi32>) {
  // expected-error @+1 {{expected lengths with 3 as dimension 0, one for each sequence of cu_seqlens, but got 'tensor<2xi32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n cu_seqlens(%x0)
    : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<2xi32>, tensor<4xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<2xi32>)
  return
}

// -----

func.func @f(%k: tensor<2x2x?x64xf16>, %v: tensor<2x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %x0: tensor<?xi32>) {
  // expected-error @+1 {{expected key with 1 as dimension 0, since cu_seqlens packs its sequences, but got 'tensor<2x2x?x64xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n cu_seqlens(%x0)
    : (tensor<2x2x?x64xf16>, tensor<2x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected rotary with interleaved, but got none}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n interleaved
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %x0: tensor<?x33xf16>, %x1: tensor<?x33xf16>) {
  // expected-error @+1 {{expected cos of rank 2 (place, angle) with 1 to 32 angles, but got 'tensor<?x33xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n rotary(%x0, %x1)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?x33xf16>, tensor<?x33xf16>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %x0: tensor<?x32xf16>, %x1: tensor<?x16xf16>) {
  // expected-error @+1 {{expected sin like cos, 'tensor<?x32xf16>', but got 'tensor<?x16xf16>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n rotary(%x0, %x1)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?x32xf16>, tensor<?x16xf16>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%x: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %c: tensor<?x32xf16>, %s: tensor<?x32xf16>) {
  // expected-error @+1 {{expected a result of the type of the tokens, 'tensor<?x2x?x64xf16>', but got 'tensor<?x2x?x64xbf16>'}}
  %y = attn.rotate %x at %n by %c, %s : (tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?x32xf16>, tensor<?x32xf16>) -> tensor<?x2x?x64xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x2x?x64xf16>, %n: tensor<3xi32>, %c: tensor<?x32xf16>, %s: tensor<?x32xf16>) {
  // expected-error @+1 {{expected tokens with 3 as dimension 0, one for each of the lengths, but got 'tensor<4x2x?x64xf16>'}}
  %y = attn.rotate %x at %n by %c, %s : (tensor<4x2x?x64xf16>, tensor<3xi32>, tensor<?x32xf16>, tensor<?x32xf16>) -> tensor<4x2x?x64xf16>
  return
}

// -----

func.func @f(%x: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %c: tensor<?x?xf16>, %s: tensor<?x?xf16>) {
  // expected-error @+1 {{expected cos of rank 2 (place, angle) with 1 to 32 angles, but got 'tensor<?x?xf16>'}}
  %y = attn.rotate %x at %n by %c, %s : (tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x2x?x64xf16>
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>, %n: tensor<?xi32>, %s: tensor<?x2xf32>) {
  // expected-error @+1 {{expected k_scale of caches of FP8 alone, but got caches of 'f16'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n k_scale(%s)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>, tensor<?x2xf32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf8E4M3FN>, %vc: tensor<?x2x?x64xf8E4M3FN>, %n: tensor<?xi32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected k_scale of rank 2 (batch, head), but got 'tensor<2xf32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n k_scale(%s)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>, tensor<2xf32>) -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf8E4M3FN>, %vc: tensor<?x2x?x64xf8E4M3FN>, %n: tensor<?xi32>, %s: tensor<?x4xf32>) {
  // expected-error @+1 {{expected v_scale of 1 or 2 heads, but got 'tensor<?x4xf32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n v_scale(%s)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>, tensor<?x4xf32>) -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf8E4M3FN>, %vc: tensor<?x2x?x64xf8E4M3FN>, %n: tensor<3xi32>, %s: tensor<2x2xf32>) {
  // expected-error @+1 {{expected v_scale with 3 as dimension 0, one for each of the lengths, or of 1, but got 'tensor<2x2xf32>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n v_scale(%s)
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<3xi32>, tensor<2x2xf32>) -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<3xi32>)
  return
}

// -----

func.func @f(%k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>, %kc: tensor<?x2x?x64xf8E4M3FN>, %vc: tensor<?x2x?x64xf8E5M2>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected caches of one element type and, but for the last dimension, one shape, but got 'tensor<?x2x?x64xf8E4M3FN>' and 'tensor<?x2x?x64xf8E5M2>'}}
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n
    : (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E5M2>, tensor<?xi32>) -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E5M2>, tensor<?xi32>)
  return
}
