//===- AttnProductOps.td - Level 3: asynchronous products --*- tablegen -*-===//

#ifndef ATTN_PRODUCT_OPS
#define ATTN_PRODUCT_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "attn-mlir/Dialect/Attn/IR/AttnUnits.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_DotIssueOp : Attn_Op<"dot.issue", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Starts a product of tiles";
  let description = [{
    product = acc + lhs x rhs, or acc + lhs x rhs^T with `transpose_rhs`, and lhs^T in
    place of lhs with `transpose_lhs`, as `attn.dot`, without waiting for it. Products complete in the order in which
    they are issued. `rhs` lies in shared memory, `lhs` there or in registers.

    `by` names the matrix unit, as for `attn.dot`: with `#attn.wgmma` four warps
    compute 64 rows together.

    `stage` (attn-stage-products) is how many products of the same tile of the
    stream come before, of which each follows from the one before: 0 for those
    that follow from loads alone, as scores do.

    `role` (attn-assign-roles) is which of those who compute does it, where there
    are several; they hand tiles on through rings (`attn.ring.put`).

    `depth` says how many columns of `lhs` count: in each row those from there on are zero,
    or with `diagonal`, in row i, those from `depth` + i on. Steps of the sum that are zeros alone
    may be left out (`attn-overlap-softmax`); rows of `rhs` must be finite all the same.

    Example: `%p = attn.dot.issue %q, %k, %zero transpose_rhs by(#attn.wgmma) : tensor<64x64xbf16, #shared>, tensor<128x64xbf16, #shared> -> <tensor<64x128xf32, #acc>>`
  }];
  let arguments = (ins Attn_Tile2D:$lhs, Attn_Tile2D:$rhs, Attn_AccTile:$acc,
                       Optional<Index>:$depth,
                       UnitAttr:$transpose_rhs,
                       OptionalAttr<Attn_MatrixUnitInterface>:$unit,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$stage,
                       UnitAttr:$transpose_lhs,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$role,
                       UnitAttr:$diagonal);
  let results = (outs Attn_ProductType:$product);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? (`stage` $stage^)? (`role` $role^)? (`depth` $depth^ (`diagonal` $diagonal^)?)? (`by` `(` custom<Unit>($unit)^ `)`)?
    attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($product)
  }];
  let hasVerifier = 1;
}

def Attn_DotWaitOp : Attn_Op<"dot.wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until a product is there";
  let description = [{
    `outstanding` is the number of products issued after this one that may still
    be under way.

    Example: `%s = attn.dot.wait %p outstanding 1 : <tensor<64x128xf32, #acc>> -> tensor<64x128xf32, #acc>`
  }];
  let arguments = (ins Attn_ProductType:$product,
                       DefaultValuedAttr<I64Attr, "0">:$outstanding);
  let results = (outs Attn_AccTile:$tile);
  let assemblyFormat = [{
    $product (`outstanding` $outstanding^)? attr-dict `:` type($product) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def Attn_SpecializeOp : Attn_Op<"specialize", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Warps with roles of their own";
  let description = [{
    The last `producer` warps of a CTA run the first region, the others, which hold
    the tiles, the second. They meet in rings only: the producer fills the slots
    that consumers read. The numbers in parentheses are registers of a thread that
    a role has (PTX ISA, "setmaxnreg").

    Example: `attn.specialize producer 4 warps(40) { ... } consumers(232) { ... }`
  }];
  let arguments = (ins I64Attr:$producer_warps, I64Attr:$producer_registers,
                       I64Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer,
                        VariadicRegion<SizedRegion<1>>:$others);
  let assemblyFormat = [{
    `producer` $producer_warps `warps` `(` $producer_registers `)` $producer
    `consumers` `(` $consumer_registers `)` $consumer (`and` $others^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many roles those who compute have.
    unsigned getNumComputing() { return (*this)->getNumRegions() - 1; }
    /// The region of such a role.
    ::mlir::Region &getComputing(unsigned role) {
      return (*this)->getRegion(role + 1);
    }
  }];
}

def Attn_BesideOp : Attn_Op<"beside", [HasParent<"SpecializeOp">,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "What another warp of the producer does";
  let description = [{
    In the first region of attn.specialize: warp number `warp` of the producer, of which
    0 copies, runs the body, or `count` of them from that one on, which share `attn.ring.arrange`. attn.await_progress in it gives those who compute the turn
    that attn.add_turn takes, when the CTAs in front have got as far; attn.report_progress
    tells others how far the CTA has got when those who compute have passed their turn.

    Example: `attn.beside 1 { ... }`, `attn.beside 1 count 3 { ... }`
  }];
  let arguments = (ins I64Attr:$warp, DefaultValuedAttr<I64Attr, "1">:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$warp (`count` $count^)? $body attr-dict";
  let hasVerifier = 1;
}

def Attn_AddTurnOp : Attn_Op<"add_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Takes the turn of the CTA to add to a result of several";
  let description = [{
    `take` waits until warps of the producer (attn.beside) say that it is the turn of the
    CTA, `pass` tells them that those who compute have added. Each turn is taken and
    passed once.

    Example: `attn.add_turn take`
  }];
  let arguments = (ins Attn_Turn:$step);
  let assemblyFormat = "$step attr-dict";
  let hasVerifier = 1;
}

def Attn_TurnOp : Attn_Op<"turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Takes turns among the groups of consumers";
  let description = [{
    `start`, once, gives the first of the `groups` groups of four warps its turn;
    `take` waits for the turn of the own group, `pass` gives it to the next. Each
    group takes as many turns as it passes.

    With `late`, which all steps of a kernel have or none, groups pass turns among other
    instructions, which need not wait for the step to be scheduled.

    Examples: `attn.turn take of 2`, `attn.turn pass of 2 late`
  }];
  let arguments = (ins Attn_Turn:$step, I64Attr:$groups, UnitAttr:$late);
  let assemblyFormat = "$step `of` $groups (`late` $late^)? attr-dict";
  let hasVerifier = 1;
}

#endif // ATTN_PRODUCT_OPS
