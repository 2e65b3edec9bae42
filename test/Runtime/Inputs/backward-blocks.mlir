// Attention to blocks that lists name, and its gradients.
func.func @training(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>, %do: tensor<?x4x?x64xbf16>,
    %n: tensor<?x1x?xi32>, %i: tensor<?x1x?x?xi32>, %fn: tensor<?x1x?xi32>, %fi: tensor<?x1x?x?xi32>,
    %qn: tensor<?x1x?xi32>, %qi: tensor<?x1x?x?xi32>, %fqn: tensor<?x1x?xi32>, %fqi: tensor<?x1x?x?xi32>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) blocks<32, 48>(%n, %i, %fn, %fi : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>, tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
    keep(%b: index, %h: index, %x: index, %y: index) {
    %c3 = arith.constant 3 : index
    %s = arith.addi %x, %y : index
    %r = arith.remui %s, %c3 : index
    %c1 = arith.constant 1 : index
    %keep = arith.cmpi ne, %r, %c1 : index
    attn.yield %keep : i1
  } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse scale(0.125) blocks<32, 48>(%n, %i, %fn, %fi) by_keys(%qn, %qi, %fqn, %fqi)
    keep(%b: index, %h: index, %x: index, %y: index) {
    %c3 = arith.constant 3 : index
    %s = arith.addi %x, %y : index
    %r = arith.remui %s, %c3 : index
    %c1 = arith.constant 1 : index
    %keep = arith.cmpi ne, %r, %c1 : index
    attn.yield %keep : i1
  } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>, tensor<?x1x?xi32>, tensor<?x1x?x?xi32>, tensor<?x1x?xi32>, tensor<?x1x?x?xi32>, tensor<?x1x?xi32>, tensor<?x1x?x?xi32>, tensor<?x1x?xi32>, tensor<?x1x?x?xi32>) -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
  return %dq, %dk, %dv : tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>
}
