//===- AttnStreamOp.td - Level 2: streams ------------------*- tablegen -*-===//

#ifndef ATTN_STREAM_OP
#define ATTN_STREAM_OP

include "attn-mlir/Dialect/Attn/IR/AttnTraversals.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_StreamOp : Attn_Op<"stream", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Folds the tiles of a streamed axis into carried state";
  let description = [{
    Visits the positions lo, lo + step, ... < hi of every segment, in the order
    listed or, with a `traversal` and its operands, in the order that it states:
    `#attn.reversed(%r : i1)` with %r = true reverses both the list of segments
    and each segment. In the segments marked `masked`, `attn.mask` applies; in the
    others it is the identity. The body's arguments are the position and the
    carried values, of which it yields the next ones. `ordered` marks a fold
    whose tiles must not be reordered.

    *Level 3.* `produce (%p) { ... }` fills rings for position p. It runs ahead of the
    body, for a ring of n stages by n - 1 visits (for one stage: just before the
    body waits), and in the same order. What it holds for one ring must not
    depend on what it holds for another.

    Example:

    ```mlir
    %m, %l, %acc = attn.stream %j step 64 traversal #attn.reversed(%odd : i1)
        over [%c0 to %full, masked %full to %end]
        carry (%mi = %m0, %li = %l0, %ai = %a0 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
      ...
      attn.yield %mn, %ln, %an : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$lowers, Variadic<Index>:$uppers,
    Variadic<AnyType>:$inits, Variadic<AnyType>:$traversal_operands,
    DenseBoolArrayAttr:$masked, I64Attr:$step, UnitAttr:$ordered,
    DefaultValuedAttr<Attn_TraversalInterface,
        "::attn::ForwardTraversalAttr::get($_builder.getContext())">:$traversal);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$producer);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Attribute of a branch that fills rings for the first visits, before the
    /// loops that a stream becomes.
    static constexpr ::llvm::StringLiteral kAheadAttr = "attn.ahead";
    ::mlir::Value getPosition() { return getBody().getArgument(0); }
    /// The block that fills rings, or null.
    ::mlir::Block *getProducerBlock() {
      return getProducer().empty() ? nullptr : &getProducer().front();
    }
    /// Whether all visits come in the opposite order, an i1; null where they
    /// never do.
    ::mlir::Value getBackward() {
      return getTraversal().getBackward(getTraversalOperands());
    }
    /// Replaces the traversal and its operands.
    void traverseBy(::attn::TraversalInterface traversal,
                    ::mlir::ValueRange operands) {
      setTraversalAttr(traversal);
      getTraversalOperandsMutable().assign(operands);
    }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().drop_front();
    }
  }];
}

#endif // ATTN_STREAM_OP
