// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @query_rank(%q: tensor<2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'attn.attention_backward_query' op query expects rank 4, but got 'tensor<2x8x16xf16>'}}
  %dq = attn.attention_backward_query %q, %q, %q, %q, %lse, %lse scale(0.25) : (tensor<2x8x16xf16>, tensor<2x8x16xf16>, tensor<2x8x16xf16>, tensor<2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<2x8x16xf16>
  return
}

// -----

func.func @heads(%q: tensor<1x?x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{query expects a static number of heads and a static head dimension, but got 'tensor<1x?x8x16xf16>'}}
  %dq = attn.attention_backward_query %q, %q, %q, %q, %lse, %lse scale(0.25) : (tensor<1x?x8x16xf16>, tensor<1x?x8x16xf16>, tensor<1x?x8x16xf16>, tensor<1x?x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x?x8x16xf16>
  return
}

// -----

func.func @dim(%q: tensor<1x2x8x12xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{head dimension of query expects to be a multiple of 8 from 8 to 256, but got 12}}
  %dq = attn.attention_backward_query %q, %q, %q, %q, %lse, %lse scale(0.25) : (tensor<1x2x8x12xf16>, tensor<1x2x8x12xf16>, tensor<1x2x8x12xf16>, tensor<1x2x8x12xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8x12xf16>
  return
}

// -----

func.func @element(%q: tensor<1x2x8x16xf16>, %k: tensor<1x2x8x16xbf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{key expects the element type of query, 'f16', but got 'bf16'}}
  %dq = attn.attention_backward_query %q, %k, %q, %q, %lse, %lse scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8x16xf16>
  return
}

// -----

func.func @group(%q: tensor<1x3x8x16xf16>, %k: tensor<1x2x8x16xf16>, %lse: tensor<1x3x8xf32>) {
  // expected-error @+1 {{number of query heads expects to be a multiple of the number of KV heads, but got 3 and 2}}
  %dq = attn.attention_backward_query %q, %k, %k, %q, %lse, %lse scale(0.25) : (tensor<1x3x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x3x8x16xf16>, tensor<1x3x8xf32>, tensor<1x3x8xf32>) -> tensor<1x3x8x16xf16>
  return
}

// -----

func.func @key(%q: tensor<1x2x8x16xf16>, %k: tensor<2x2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{key expects 'tensor<1x2x8x16xf16>', but got 'tensor<2x2x8x16xf16>'}}
  %dq = attn.attention_backward_query %q, %k, %q, %q, %lse, %lse scale(0.25) : (tensor<1x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8x16xf16>
  return
}

// -----

func.func @output_gradient(%q: tensor<1x2x8x16xf16>, %v: tensor<1x2x8x32xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{output gradient expects 'tensor<1x2x8x32xf16>', but got 'tensor<1x2x8x16xf16>'}}
  %dk, %dv = attn.attention_backward_key %q, %q, %v, %q, %lse, %lse scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x32xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x32xf16>)
  return
}

// -----

func.func @lse(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x9xf32>, %delta: tensor<1x2x8xf32>) {
  // expected-error @+1 {{lse expects 'tensor<1x2x8xf32>', but got 'tensor<1x2x9xf32>'}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %delta scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x9xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @delta(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %delta: tensor<2x8xf32>) {
  // expected-error @+1 {{delta expects 'tensor<1x2x8xf32>', but got 'tensor<2x8xf32>'}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %delta scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @result(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{value gradient expects the element type of query, 'f16', or f32, but got 'bf16'}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x2x8x16xbf16>)
  return
}

// -----

func.func @scale(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{scale expects a finite number, but got 0x7F800000 : f32}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0x7F800000) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @captures(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %c: f32) {
  // expected-error @+1 {{captures expect a score modification or a mask region that takes them}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.25) captures(%c) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>, f32) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @output(%q: tensor<1x2x8x16xf16>, %o: tensor<1x2x8x8xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'attn.attention_backward' op output expects 'tensor<1x2x8x16xf16>', but got 'tensor<1x2x8x8xf16>'}}
  %dq, %dk, %dv = attn.attention_backward %q, %q, %q, %o, %q, %lse scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @region(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  // expected-error @+1 {{score modification expects arguments ('f32', 'index', 'index', 'index', 'index'), but got ('f32')}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.25) score(%s: f32) {
    attn.yield %s : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @twice(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>) {
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.25) keep(%b: index, %h: index, %i: index, %j: index) {
    %k = arith.cmpi ne, %i, %j : index
    attn.yield %k : i1
  // expected-error @+1 {{expected one region of each kind, but got a second one}}
  } keep (%b: index, %h: index, %i: index, %j: index) {
  }
}

// -----

func.func @row_rank(%x: tensor<2x8x16xf16>) {
  // expected-error @+1 {{'attn.row_dot' op lhs expects rank 4, but got 'tensor<2x8x16xf16>'}}
  %r = attn.row_dot %x, %x : (tensor<2x8x16xf16>, tensor<2x8x16xf16>) -> tensor<2x8xf32>
  return
}

// -----

func.func @row_shape(%x: tensor<1x2x8x16xf16>, %y: tensor<1x2x8x32xf16>) {
  // expected-error @+1 {{rhs expects the shape of lhs, 'tensor<1x2x8x16xf16>', but got 'tensor<1x2x8x32xf16>'}}
  %r = attn.row_dot %x, %y : (tensor<1x2x8x16xf16>, tensor<1x2x8x32xf16>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @row_dynamic(%x: tensor<1x2x8x?xf16>) {
  // expected-error @+1 {{lhs expects static heads and a static last dimension of 1 or more, but got 'tensor<1x2x8x?xf16>'}}
  %r = attn.row_dot %x, %x : (tensor<1x2x8x?xf16>, tensor<1x2x8x?xf16>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @row_result(%x: tensor<1x8x2x16xf16>) {
  // expected-error @+1 {{result expects 'tensor<1x2x8xf32>', but got 'tensor<1x8x2xf32>'}}
  %r = attn.row_dot %x, %x layout(bshd) : (tensor<1x8x2x16xf16>, tensor<1x8x2x16xf16>) -> tensor<1x8x2xf32>
  return
}

// -----

func.func @sum(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %sum: tensor<1x1x2x8x8xf32>) {
  // expected-error @+1 {{sum expects 'tensor<1x1x2x8x16xf32>', but got 'tensor<1x1x2x8x8xf32>'}}
  %r:3 = attn.attention_backward_fused %q, %q, %q, %q, %lse, %lse, %sum scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x1x2x8x8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x1x2x8x8xf32>)
  return
}

// -----

func.func @zeros(%q: tensor<1x2x8x16xf16>) {
  // expected-error @+1 {{zeros expect 'tensor<1x1x2x8x16xf32>', with any static last dimension of 1 or more, but got 'tensor<1x2x8x16xf32>'}}
  %r:2 = attn.row_dot %q, %q : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>) -> (tensor<1x2x8xf32>, tensor<1x2x8x16xf32>)
  return
}

// -----

func.func @parts_rank(%x: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{parts expect rank 5, [parts, batch, heads, queries, D], but got 'tensor<1x2x8x16xf32>'}}
  %r = attn.sum_parts %x scale(0.25) : tensor<1x2x8x16xf32> -> tensor<1x2x8x16xf32>
  return
}

// -----

func.func @parts_dim(%x: tensor<1x1x2x8x?xf32>) {
  // expected-error @+1 {{parts expect a static D of 1 or more, but got 'tensor<1x1x2x8x?xf32>'}}
  %r = attn.sum_parts %x scale(0.25) : tensor<1x1x2x8x?xf32> -> tensor<1x2x8x16xf32>
  return
}

// -----

func.func @parts_scale(%x: tensor<1x1x2x8x16xf32>) {
  // expected-error @+1 {{scale expects a finite number, but got 0x7F800000}}
  %r = attn.sum_parts %x scale(0x7F800000) : tensor<1x1x2x8x16xf32> -> tensor<1x2x8x16xf32>
  return
}

// -----

func.func @parts_result(%x: tensor<3x1x2x8x16xf32>) {
  // expected-error @+1 {{result expects 'tensor<1x8x2x16xf16>', but got 'tensor<1x2x8x16xf16>'}}
  %r = attn.sum_parts %x scale(0.25) layout(bshd) : tensor<3x1x2x8x16xf32> -> tensor<1x2x8x16xf16>
  return
}

// -----

func.func @packed_rows(%x: tensor<2x2x8x16xf16>) {
  // expected-error @+1 {{lhs expects 1 as the first dimension of packed rows, but got 'tensor<2x2x8x16xf16>'}}
  %r = attn.row_dot %x, %x packed : (tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>) -> tensor<2x2x8xf32>
  return
}

// -----

func.func @packed_parts(%x: tensor<1x2x2x8x16xf32>) {
  // expected-error @+1 {{parts expect 1 as the batch of packed rows, but got 'tensor<1x2x2x8x16xf32>'}}
  %r = attn.sum_parts %x scale(0.25) packed : tensor<1x2x2x8x16xf32> -> tensor<2x2x8x16xf32>
  return
}

// -----

func.func @packed_queries(%q: tensor<2x2x8x16xf16>, %lse: tensor<2x2x8xf32>, %c: tensor<3xi32>) {
  // expected-error @+1 {{query expects 1 as its first dimension, since cu_seqlens_q packs its sequences, but got 'tensor<2x2x8x16xf16>'}}
  %dq = attn.attention_backward_query %q, %q, %q, %q, %lse, %lse scale(0.25) cu_seqlens_q(%c) : (tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8xf32>, tensor<2x2x8xf32>, tensor<3xi32>) -> tensor<2x2x8x16xf16>
  return
}

// -----

func.func @offsets(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %c: tensor<3x1xi32>) {
  // expected-error @+1 {{cu_seqlens_k expects rank 1 and a number more than there are sequences, but got 'tensor<3x1xi32>'}}
  %dq = attn.attention_backward_query %q, %q, %q, %q, %lse, %lse scale(0.25) cu_seqlens_k(%c) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<3x1xi32>) -> tensor<1x2x8x16xf16>
  return
}

// -----

func.func @sequences(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %c: tensor<3xi32>, %d: tensor<4xi32>) {
  // expected-error @+1 {{cu_seqlens_k expects offsets of 2 sequences, as query has, but got 'tensor<4xi32>'}}
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.25) cu_seqlens_q(%c) cu_seqlens_k(%d) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<3xi32>, tensor<4xi32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @capture_number(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{gradients of captures expect the number of a capture of floats, but got 1}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([1])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf32>)
  return
}

// -----

func.func @capture_integers(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xi32>) {
  // expected-error @+1 {{gradients of captures expect the number of a capture of floats, but got 0}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xi32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xi32> -> i32
    %f = arith.sitofp %x : i32 to f32
    %y = arith.addf %s, %f : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xi32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf32>)
  return
}

// -----

func.func @capture_count(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{expected a result for each capture that gradients are of, 0, but got 1}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf32>)
  return
}

// -----

func.func @capture_shape(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{capture gradient expects 'tensor<1x2x8x8xf32>', but got 'tensor<1x2x8x4xf32>'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x4xf32>)
  return
}

// -----

func.func @capture_of_both(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{capture gradient expects 'tensor<1x2x8x8xf32>', with 1 where it is summed over, or without the last dimension where it is summed over keys and not over queries, but got 'tensor<1x2x1xf32>'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x1xf32>)
  return
}

// -----

func.func @capture_of_keys(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{capture gradient expects 'tensor<1x2x8x8xf32>', with 1 where it is summed over, or without the last dimension where it is summed over keys and not over queries, but got 'tensor<1x2x8x1xf32>'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x1xf32>)
  return
}

// -----

func.func @capture_rank(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{capture gradient expects 'tensor<1x2x8xf32>', but got 'tensor<2x8xf32>'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<2x8xf32>)
  return
}

// -----

func.func @capture_element(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{capture gradient expects the element type of query, 'f16', or f32, but got 'bf16'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xbf16>)
  return
}

// -----

func.func @capture_derivative(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %bias: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{score modification expects operations that have a derivative}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x8x8xf32>) {
    %x = attn.gather %t[%b, %h, %i, %j] : tensor<1x2x8x8xf32> -> f32
    // expected-note @+1 {{but got 'math.powf' of the capture}}
    %e = math.powf %x, %x : f32
    %y = arith.addf %s, %e : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf32>)
  return
}

// -----

func.func @row_minus(%x: tensor<1x2x8x16xf16>, %z: tensor<1x2x4xf32>) {
  // expected-error @+1 {{minus expects 'tensor<1x2x8xf32>', but got 'tensor<1x2x4xf32>'}}
  %r = attn.row_dot %x, %x minus(%z) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x4xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @lse_gradient(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %dlse: tensor<1x8x2xf32>) {
  // expected-error @+1 {{lse gradient expects 'tensor<1x2x8xf32>', but got 'tensor<1x8x2xf32>'}}
  %r:3 = attn.attention_backward %q, %q, %q, %q, %q, %lse lse_gradient(%dlse) scale(0.25) : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x8x2xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return
}

// -----

func.func @capture_without_score(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %c: f32) {
  // expected-error @+1 {{gradients of captures expect a score modification}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) captures(%c) of([0]) keep(%b: index, %h: index, %i: index, %j: index, %x: f32) {
    %k = arith.cmpi ne, %i, %j : index
    attn.yield %k : i1
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, f32) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x8xf32>)
  return
}

// -----

func.func @capture_packed(%q: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>, %cu: tensor<3xi32>, %bias: tensor<8xf32>) {
  // expected-error @+1 {{gradients of captures of packed sequences expect a sum over queries or over keys, but got 'tensor<1x1x8x8xf32>'}}
  %r:4 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.25) cu_seqlens_q(%cu) cu_seqlens_k(%cu) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<8xf32>) {
    %x = attn.gather %t[%i] : tensor<8xf32> -> f32
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<8xf32>) -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x1x8x8xf32>)
  return
}

// -----

func.func @capture_packed_keys_of_batches(%q: tensor<2x2x8x16xf16>, %k: tensor<1x2x16x16xf16>, %lse: tensor<2x2x8xf32>, %cu: tensor<3xi32>, %bias: f32) {
  // expected-error @+1 {{gradients of captures of packed sequences expect no sum over batches, but got 'tensor<1x1x8xf32>'}}
  %r:4 = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.25) cu_seqlens_k(%cu) captures(%bias) of([0])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: f32) {
    %y = arith.mulf %s, %t : f32
    attn.yield %y : f32
  } : (tensor<2x2x8x16xf16>, tensor<1x2x16x16xf16>, tensor<1x2x16x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8xf32>, tensor<3xi32>, f32) -> (tensor<2x2x8x16xf16>, tensor<1x2x16x16xf16>, tensor<1x2x16x16xf16>, tensor<1x1x8xf32>)
  return
}
