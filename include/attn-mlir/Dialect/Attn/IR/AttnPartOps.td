//===- AttnPartOps.td - Parts of a stream, and which ends last -*- tablegen -*-===//

#ifndef ATTN_PART_OPS
#define ATTN_PART_OPS

include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_BeginPartOp : Attn_Op<"begin_part", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Says that a CTA streams a part";
  let description = [{
    CTAs that stream the parts of one stream share an element of `words`, of 64
    bits, of which each part has two. Whatever the element holds when a launch begins will do: the
    low bit of a part says that its CTA has begun and is not done, and the two together are
    others when it is done than when it began. The result is what the element
    held, for `attn.last_part`.

    Example: `%begun = attn.begin_part %split of 16 at %words[%batch, %head] : !attn.view<?x8xi64>`
  }];
  let arguments = (ins Index:$part, I64Attr:$parts, Attn_ViewType:$words,
                       Variadic<Index>:$offsets);
  let results = (outs I64:$begun);
  let assemblyFormat = [{
    $part `of` $parts `at` $words `[` $offsets `]` attr-dict `:` type($words)
  }];
  let hasVerifier = 1;
}

def Attn_LastPartOp : Attn_Op<"last_part", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::attn::YieldOp">]> {
  let summary = "Runs its region in the CTA of a part that is done last";
  let description = [{
    Of the CTAs whose parts share an element (`attn.begin_part`), the one that gets here
    last runs the region, and sees all that the others stored before they got here. What it
    stores there is what is in memory when the launch ends.

    The region may run in others before, and more than once: a CTA that begins later than others are done
    cannot be told from one that was done in a launch before. What it stores then
    is stored again, behind that, by a CTA that knows more. So nothing in
    the launch reads what the region stores, and the region reads what the parts have
    stored, and what nobody writes.

    Example:

    ```mlir
    attn.last_part %begun {
      %state = attn.load %states[%c0, ...] ...
      attn.store %merged, %o[...] ...
    }
    ```
  }];
  let arguments = (ins I64:$begun);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$begun $body attr-dict";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::attn::BeginPartOp getBegin();
  }];
}

def Attn_EndPartOp : Attn_Op<"end_part", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Says that a CTA is done with a part, and whether others are";
  let description = [{
    What `attn.last_part` becomes: the condition of an `scf.while` around its
    region. `before` is what the element held when the CTA began, or what the
    operation gave when it ran last (`seen`). All that the CTA has stored is seen by
    those who see that it is done.

    - First: `again`, if no other part has begun and is not done. If those that are done
      all were not when this one began, nobody is to come, and `seen` says so.
    - Then: `again`, if since `before` others got done, and none is about to be.
      Of two CTAs that store results one thus sees what the other did before it stored.
  }];
  let arguments = (ins I64:$before, Index:$part, I64Attr:$parts,
                       Attn_ViewType:$words, Variadic<Index>:$offsets);
  let results = (outs I1:$again, I64:$seen);
  let assemblyFormat = [{
    $before `,` $part `of` $parts `at` $words `[` $offsets `]` attr-dict `:` type($words)
  }];
  let hasVerifier = 1;
}

#endif // ATTN_PART_OPS
