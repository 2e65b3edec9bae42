//===- AttnOrder.td - The order of a grid ------------------*- tablegen -*-===//

#ifndef ATTN_ORDER
#define ATTN_ORDER

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

def Attn_OrderAttr : Attn_Attr<"Order", "order"> {
  let summary = "In which order the tiles of a grid are dispatched";
  let description = [{
    A bijection from the dispatch position of a tile to its coordinates,
    composed of primitives that are bijections for any sizes:

    - *mixed radix with a permutation*: `digits` names the axes of the grid
      from the slowest to the fastest. `sharing` stands for the fused axes that
      select the streamed data (batch and KV head for attention), in their
      order.
    - *rank by domain* with `domains` X and `chunk` c: CTA w is dispatched to
      domain `(w / c) mod X`; positions are re-ranked so that each domain walks
      a contiguous range of the order.
    - *split*: re-ranking takes place on the first `floor(C / (X c)) c X` of the C
      sharing sets only (`floor(C / X) X` of them where c divides the tiles that
      gives a domain), the rest follows in plain order. For c = 1 exactly
      `floor(C / X) X` sets lie whole on one domain, as many on each.
    - *groups* with `together` n: n sharing sets are walked, then n others. Where
      they do not come out even, the first group has fewer. Not together with
      domains.
    - *reversal* of the axes in `reversed` (longest first, under a causal mask).

    The composition of bijections is one. `attn-materialize-grid` turns it into
    index arithmetic. See "Optimizing Attention on GPUs by Exploiting GPU
    Architectural NUMA Effects", section 3, for the four named orders.

    Example: `#attn.order<[sharing, group, query], domains = 8>`
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$digits,
                        "int64_t":$domains, "int64_t":$chunk,
                        ArrayRefParameter<"::mlir::StringAttr">:$reversed,
                        "int64_t":$together);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bound of domains, chunks, groups, runs and CTAs, so that index arithmetic cannot
    /// overflow.
    static constexpr int64_t kMaxCount = int64_t(1) << 24;
  }];
}

#endif // ATTN_ORDER
