//===- AttnEnums.td - Enumerations of operations -----------*- tablegen -*-===//

#ifndef ATTN_ENUMS
#define ATTN_ENUMS

include "mlir/IR/EnumAttr.td"

def Attn_TensorLayout : I32EnumAttr<"TensorLayout",
    "order of the dimensions of Q, K, V and O",
    [I32EnumAttrCase<"BHSD", 0, "bhsd">, I32EnumAttrCase<"BSHD", 1, "bshd">]> {
  let cppNamespace = "::attn";
}

def Attn_ValueOrder : I32EnumAttr<"ValueOrder", "how V lies in memory",
    [I32EnumAttrCase<"Rows", 0, "rows">,
     I32EnumAttrCase<"Interleaved", 1, "interleaved">,
     I32EnumAttrCase<"Keys", 2, "keys">]> {
  let cppNamespace = "::attn";
}

def Attn_ReduceKind : I32EnumAttr<"ReduceKind", "row reduction",
    [I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Sum", 1, "sum">]> {
  let cppNamespace = "::attn";
}

def Attn_AccessKind : I32EnumAttr<"AccessKind", "direction of an access",
    [I32EnumAttrCase<"Load", 0, "load">, I32EnumAttrCase<"Store", 1, "store">]> {
  let cppNamespace = "::attn";
}

def Attn_CopyKind : I32EnumAttr<"CopyKind", "what copies a tile",
    [I32EnumAttrCase<"Tensor", 0, "tensor">, I32EnumAttrCase<"Async", 1, "async">,
     I32EnumAttrCase<"Registers", 2, "registers">, I32EnumAttrCase<"Lds", 3, "lds">]> {
  let cppNamespace = "::attn";
}

def Attn_Turn : I32EnumAttr<"Turn", "a step of taking turns",
    [I32EnumAttrCase<"Start", 0, "start">, I32EnumAttrCase<"Take", 1, "take">,
     I32EnumAttrCase<"Pass", 2, "pass">]> {
  let cppNamespace = "::attn";
}

// What attn-plan-overlap says of a stream and of its operations.
def Attn_Beside : I32EnumAttr<"Beside", "whose softmax products with values run beside",
    [I32EnumAttrCase<"Own", 0, "own">, I32EnumAttrCase<"Others", 1, "others">]> {
  let cppNamespace = "::attn";
}
def Attn_LoopPart : I32EnumAttr<"LoopPart", "a part of a loop with products of two stages",
    [I32EnumAttrCase<"Scores", 0, "scores">, I32EnumAttrCase<"Values", 1, "values">,
     I32EnumAttrCase<"Late", 2, "late">, I32EnumAttrCase<"Pin", 3, "pin">]> {
  let cppNamespace = "::attn";
}

def Attn_SchedulingHint : I32EnumAttr<"SchedulingHint", "what an instruction scheduler is told",
    [I32EnumAttrCase<"HoldCopies", 0, "hold_copies">,
     I32EnumAttrCase<"InterleaveExponentials", 1, "interleave_exponentials">]> {
  let cppNamespace = "::attn";
}

// Words of a schedule's fields, which are those of the pipelines' options.
def Attn_SawtoothMode : I32EnumAttr<"SawtoothMode",
    "whether streams alternate their direction",
    [I32EnumAttrCase<"Off", 0, "off">, I32EnumAttrCase<"Auto", 1, "auto">,
     I32EnumAttrCase<"Force", 2, "force">]> {
  let cppNamespace = "::attn";
}

def Attn_TraversalOrder : I32EnumAttr<"TraversalOrder",
    "in which order streams visit the tiles of a segment",
    [I32EnumAttrCase<"Forward", 0, "forward">,
     I32EnumAttrCase<"InsideOut", 1, "inside_out">,
     I32EnumAttrCase<"Rotated", 2, "rotated">,
     I32EnumAttrCase<"Backward", 3, "backward">]> {
  let cppNamespace = "::attn";
}

def Attn_Products : I32EnumAttr<"Products", "which products an option is for",
    [I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Scores", 1, "scores">,
     I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::attn";
}

def Attn_RoundedSums : I32EnumAttr<"RoundedSums", "what adds rounded weights",
    [I32EnumAttrCase<"None", 0, "none">,
     I32EnumAttrCase<"Registers", 1, "registers">,
     I32EnumAttrCase<"Products", 2, "products">]> {
  let cppNamespace = "::attn";
}

def Attn_WholeLines : I32EnumAttr<"WholeLines", "which accesses are of whole lines",
    [I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Stores", 1, "stores">,
     I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::attn";
}

def Attn_Additions : I32EnumAttr<"Additions", "who adds to what several CTAs add to",
    [I32EnumAttrCase<"Registers", 0, "registers">,
     I32EnumAttrCase<"Copies", 1, "copies">]> {
  let cppNamespace = "::attn";
}

#endif // ATTN_ENUMS
