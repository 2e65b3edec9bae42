//===- AttnMasks.td - Masks --------------------------------*- tablegen -*-===//

#ifndef ATTN_MASKS
#define ATTN_MASKS

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"
include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.td"
include "mlir/IR/EnumAttr.td"

def Attn_MaskAlign : I32EnumAttr<"MaskAlign",
    "which corner of the score matrix the diagonal starts in",
    [I32EnumAttrCase<"TopLeft", 0, "top_left">,
     I32EnumAttrCase<"BottomRight", 1, "bottom_right">]> {
  let cppNamespace = "::attn";
}

def Attn_CausalMask : Attn_Attr<"CausalMask", "causal",
    [DeclareAttrInterfaceMethods<Attn_MaskInterface,
      ["buildQueryRange", "impliesKeyExists"]>]> {
  let summary = "A query attends to the keys up to its own position";
  let description = [{
    Query i attends to key j where `j <= i + o`. For `top_left` o = 0; for
    `bottom_right` o = Skv - Sq, so that the last query sees every key.

    Example: `#attn.causal<bottom_right>`
  }];
  let parameters = (ins EnumParameter<Attn_MaskAlign>:$align);
  let assemblyFormat = "`<` $align `>`";
}

def Attn_WindowMask : Attn_Attr<"WindowMask", "window",
    [DeclareAttrInterfaceMethods<Attn_MaskInterface,
      ["buildQueryRange", "impliesKeyExists"]>]> {
  let summary = "A query attends to a window of keys around its position";
  let description = [{
    Query i attends to key j where `i + o - left <= j <= i + o + right`, with o
    as for `#attn.causal`. A bound of -1 means no bound on that side.

    Example: `#attn.window<left = 1023, right = 0, align = bottom_right>`
  }];
  let parameters = (ins "int64_t":$left, "int64_t":$right,
                        EnumParameter<Attn_MaskAlign>:$align);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Attn_PackedMask : Attn_Attr<"PackedMask", "packed",
    [DeclareAttrInterfaceMethods<Attn_MaskInterface, ["impliesKeyExists"]>]> {
  let summary = "A mask for rows that are the queries of several heads";
  let description = [{
    Rows are the queries of `group` heads, one head after the other: row r is
    query r mod (rows / group), which attends to what `mask` says. This is what
    `attn-pack-group` makes of an operation's mask.

    Example: `#attn.packed<group = 4, mask = #attn.causal<bottom_right>>`
  }];
  let parameters = (ins "int64_t":$group, "::attn::MaskInterface":$mask);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // ATTN_MASKS
