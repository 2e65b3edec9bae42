// The merge of partial states of online softmax (AttentionOp::buildMerge) over a
// stream of splits, as a pass would write it.
attn.kernel @merge_states(%factor: !attn.view<?x?x3x?xf32>, %reference: !attn.view<?x?x3x?xf32>,
                          %sum: !attn.view<?x?x3x?xf32>, %acc: !attn.view<?x?x3x?x128xf32>,
                          %out: !attn.view<?x3x?x128xbf16>, %lse: !attn.view<?x3x?xf32>)
    attributes {outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %splits = attn.dim %acc, 0 : !attn.view<?x?x3x?x128xf32>
  %batches = attn.dim %out, 0 : !attn.view<?x3x?x128xbf16>
  %queries = attn.dim %out, 2 : !attn.view<?x3x?x128xbf16>
  %blocks = arith.ceildivui %queries, %c16 : index
  // The state of a row that has seen nothing, for a scale of 0.125.
  %factor0 = arith.constant dense<2.500000e-01> : tensor<16xf32>
  %reference0 = arith.constant dense<-8.50705867E+37> : tensor<16xf32>
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %scale = arith.constant dense<0.125> : tensor<16xf32>
  %ln2 = arith.constant dense<0.693147182> : tensor<16xf32>
  %acc0 = arith.constant dense<0.0> : tensor<16x128xf32>
  attn.grid (%b, %h, %i) visit %n in (batch = %batches, head = %c3, query = %blocks) sharing [] {
    %row = arith.muli %i, %c16 : index
    %f, %r, %l, %a = attn.stream %s step 1 over [%c0 to %splits]
        carry (%fc = %factor0, %rc = %reference0, %lc = %none, %ac = %acc0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) {
      %fs = attn.load %factor[%s, %b, %h, %row] : !attn.view<?x?x3x?xf32> -> tensor<16xf32>
      %rs = attn.load %reference[%s, %b, %h, %row] : !attn.view<?x?x3x?xf32> -> tensor<16xf32>
      %ls = attn.load %sum[%s, %b, %h, %row] : !attn.view<?x?x3x?xf32> -> tensor<16xf32>
      %as = attn.load %acc[%s, %b, %h, %row, %c0] : !attn.view<?x?x3x?x128xf32> -> tensor<16x128xf32>
      %same = arith.cmpf oeq, %fc, %fs : tensor<16xf32>
      %q0 = arith.divf %rc, %fc : tensor<16xf32>
      %q1 = arith.divf %rs, %fs : tensor<16xf32>
      %larger = arith.cmpf oge, %q0, %q1 : tensor<16xf32>
      %fn = arith.select %larger, %fc, %fs : tensor<16xi1>, tensor<16xf32>
      %both = arith.maximumf %rc, %rs : tensor<16xf32>
      %either = arith.select %larger, %rc, %rs : tensor<16xi1>, tensor<16xf32>
      %rn = arith.select %same, %both, %either : tensor<16xi1>, tensor<16xf32>
      %d0 = arith.subf %rc, %rn : tensor<16xf32>
      %e0 = math.exp2 %d0 : tensor<16xf32>
      %is0 = arith.cmpf oeq, %fc, %fn : tensor<16xf32>
      %scale0 = arith.select %is0, %e0, %none : tensor<16xi1>, tensor<16xf32>
      %d1 = arith.subf %rs, %rn : tensor<16xf32>
      %e1 = math.exp2 %d1 : tensor<16xf32>
      %is1 = arith.cmpf oeq, %fs, %fn : tensor<16xf32>
      %scale1 = arith.select %is1, %e1, %none : tensor<16xi1>, tensor<16xf32>
      %l0 = arith.mulf %lc, %scale0 : tensor<16xf32>
      %l1 = arith.mulf %ls, %scale1 : tensor<16xf32>
      %ln = arith.addf %l0, %l1 : tensor<16xf32>
      %w0 = attn.broadcast %scale0 : tensor<16xf32> to tensor<16x128xf32>
      %w1 = attn.broadcast %scale1 : tensor<16xf32> to tensor<16x128xf32>
      %a0 = arith.mulf %ac, %w0 : tensor<16x128xf32>
      %a1 = arith.mulf %as, %w1 : tensor<16x128xf32>
      %an = arith.addf %a0, %a1 : tensor<16x128xf32>
      attn.yield %fn, %rn, %ln, %an : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>
    }
    %empty = arith.cmpf oeq, %l, %none : tensor<16xf32>
    %divisor = arith.select %empty, %one, %l : tensor<16xi1>, tensor<16xf32>
    %wide = attn.broadcast %divisor : tensor<16xf32> to tensor<16x128xf32>
    %o = arith.divf %a, %wide : tensor<16x128xf32>
    %t = arith.truncf %o : tensor<16x128xf32> to tensor<16x128xbf16>
    %log = math.log2 %l : tensor<16xf32>
    %unit = arith.divf %scale, %f : tensor<16xf32>
    %part = arith.mulf %log, %ln2 : tensor<16xf32>
    %e = math.fma %r, %unit, %part : tensor<16xf32>
    attn.store %t, %out[%b, %h, %row, %c0] : tensor<16x128xbf16> -> !attn.view<?x3x?x128xbf16>
    attn.store %e, %lse[%b, %h, %row] : tensor<16xf32> -> !attn.view<?x3x?xf32>
  }
}
