func.func @blocks(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>, %n: tensor<?x4x?xi32>, %i: tensor<?x4x?x?xi32>, %fn: tensor<?x4x?xi32>, %fi: tensor<?x4x?x?xi32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) blocks<32, 48>(%n, %i, %fn, %fi : tensor<?x4x?xi32>, tensor<?x4x?x?xi32>, tensor<?x4x?xi32>, tensor<?x4x?x?xi32>)
    keep(%b: index, %h: index, %x: index, %y: index) {
    %c3 = arith.constant 3 : index
    %s = arith.addi %x, %y : index
    %r = arith.remui %s, %c3 : index
    %keep = arith.cmpi ne, %r, %c3 : index
    %c1 = arith.constant 1 : index
    %other = arith.cmpi ne, %r, %c1 : index
    %both = arith.andi %keep, %other : i1
    attn.yield %both : i1
  } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %o, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
