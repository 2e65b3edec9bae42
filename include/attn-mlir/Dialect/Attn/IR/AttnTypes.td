//===- AttnTypes.td - Types, and what operands are of ------*- tablegen -*-===//

#ifndef ATTN_TYPES
#define ATTN_TYPES

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

def Attn_ViewType : TypeDef<Attn_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "view of a strided array in global memory, in logical order";
  let description = [{
    What a kernel reads and writes: a base pointer, sizes and strides. The
    dimensions are always in logical order (batch, head, sequence, feature);
    BHSD, BSHD or packed QKV differ in the strides, which are dynamic.
    Elements are f16, bf16, f32, an f8 type (Attn_Float8), i8, i32 or i64; of the
    integers no tiles are loaded, but single elements (`attn.read`, `attn.gather`).

    Example: `!attn.view<?x32x?x128xbf16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    /// Bytes of one element.
    int64_t getElementBytes() const {
      return getElementType().getIntOrFloatBitWidth() / 8;
    }
  }];
}

class Attn_TileHolder<string name, string typeMnemonic, string what>
    : TypeDef<Attn_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = what;
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}

def Attn_RingType : TypeDef<Attn_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "ring of tiles in shared memory, filled and drained in turn";
  let parameters = (ins "int64_t":$stages, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $stages `x` $tile `>`";
  let genVerifyDecl = 1;
}
def Attn_SlotType : Attn_TileHolder<"Slot", "slot",
    "free slot of a ring, about to be filled">;
def Attn_PendingType : Attn_TileHolder<"Pending", "pending",
    "copy under way into a slot">;

def Attn_ProductType : TypeDef<Attn_Dialect, "Product"> {
  let mnemonic = "product";
  let summary = "product of tiles under way into registers";
  let description = [{
    The tile has an #attn.fragment layout. Its elements are there after
    `attn.dot.wait`, and what the product reads may be overwritten only then.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// What a kernel takes beside views.
def Attn_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64]>;

/// What a region reads element by element: any number that it can compute with.
def Attn_ElementType : AnyTypeOf<[I8, I32, I64, F16, BF16, F32]>;
def Attn_ElementTensor : RankedTensorOf<[Attn_ElementType]>;
def Attn_Capture : AnyTypeOf<[Attn_Scalar, Attn_ElementTensor]>;

/// The FP8 types, of which targets multiply some (Float8.h says what they hold):
/// f8E4M3FN and f8E5M2 on NVIDIA GPUs, f8E4M3FNUZ on gfx942.
defvar Attn_Float8Types = [F8E4M3FN, F8E5M2, F8E4M3FNUZ];
def Attn_Float8 : AnyTypeOf<Attn_Float8Types>;

/// What numbers of FP8 are multiples of: for each sequence and head of keys.
def Attn_ScaleTensor : RankedTensorOf<[F32]>;

def Attn_TileFloat : AnyTypeOf<[F16, BF16, F32] # Attn_Float8Types>;
class Attn_TileOf<list<Type> elements>
    : RankedTensorOf<elements, [HasStaticShapePred], "tile">;
class Attn_TileOfRank<list<Type> elements, int rank>
    : RankedTensorOf<elements, [HasStaticShapePred, HasAnyRankOfPred<[rank]>],
                     "tile of rank " # rank>;
def Attn_Tile : Attn_TileOf<[Attn_TileFloat]>;
def Attn_Tile2D : Attn_TileOfRank<[Attn_TileFloat], 2>;
def Attn_AccTile : Attn_TileOfRank<[F32], 2>;
def Attn_RowTile : Attn_TileOfRank<[F32], 1>;
/// Anything that scores are computed from.
def Attn_ValueElement
    : AnyTypeOf<[I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64]>;
def Attn_ValueTile : Attn_TileOf<[Attn_ValueElement]>;
def Attn_ValueTile2D : Attn_TileOfRank<[Attn_ValueElement], 2>;

def Attn_SharedTile : RankedTensorOf<[F16, BF16, F32] # Attn_Float8Types,
                                     [HasStaticShapePred],
                                     "tile in shared memory">;

def Attn_ReducibleTile : RankedTensorOf<[F16, BF16, F32, I32] # Attn_Float8Types,
                                        [HasStaticShapePred],
                                        "tile of numbers">;

#endif // ATTN_TYPES
