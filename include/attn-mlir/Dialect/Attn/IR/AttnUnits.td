//===- AttnUnits.td - Matrix units -------------------------*- tablegen -*-===//

#ifndef ATTN_UNITS
#define ATTN_UNITS

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

def Attn_MatrixUnitInterface : AttrInterface<"MatrixUnitInterface"> {
  let cppNamespace = "::attn";
  let description = [{
    What multiplies tiles: an instruction, or a family of them that differ in size
    alone. A target lists its units (`unitsOf`), `attn-assign-units` puts one on each
    product, and the passes between ask it for layouts. Only the conversion to the
    unit's target knows how the instruction is written.

    A new unit is a new attribute with this interface and its patterns in the folder
    of its target; no pass knows the units.
  }];
  let methods = [
    InterfaceMethod<"The capability by which targets state that they have it.",
      "::llvm::StringRef", "getCapability", (ins)>,
    InterfaceMethod<"Who issues an instruction.",
      "::attn::MatrixIssuer", "getIssuer", (ins)>,
    InterfaceMethod<"Threads of a warp.",
      "int64_t", "getLanes", (ins)>,
    InterfaceMethod<"Rows of a result that warps have a multiple of.",
      "int64_t", "getRows", (ins)>,
    InterfaceMethod<"Columns that results have a multiple of.",
      "int64_t", "getColumns", (ins)>,
    InterfaceMethod<"Elements that one instruction sums over; products a multiple.",
      "int64_t", "getDepth", (ins)>,
    InterfaceMethod<"Rows that a warp must have of a result; 0: any multiple.",
      "int64_t", "getRowsPerWarp", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"Whether left-hand sides may be of this type.",
      "bool", "takesElement", (ins "::mlir::Type":$type), [{}], [{
        return type.isF16() || type.isBF16();
      }]>,
    InterfaceMethod<"Whether operands may be of these types, which most units want to be one.",
      "bool", "takesElements", (ins "::mlir::Type":$lhs, "::mlir::Type":$rhs), [{}], [{
        return lhs == rhs && $_attr.takesElement(lhs);
      }]>,
    InterfaceMethod<[{
      Whether elements that are summed over lie in memory as neighbours: of a
      right-hand side the rows of the transposed one (`transpose_rhs`).
      }],
      "bool", "sumsAlongRows", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether left-hand sides may be what `attn.interleave` makes of an accumulator, whose
      elements each thread has.
      }],
      "bool", "takesInterleaved", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Where accumulators live.",
      "::attn::AccumulatorSpace", "getAccumulatorSpace", (ins), [{}],
      [{ return ::attn::AccumulatorSpace::Registers; }]>,
    InterfaceMethod<"How it is known that a result is there.",
      "::attn::Completion", "getCompletion", (ins), [{}],
      [{ return ::attn::Completion::Sequential; }]>,
    InterfaceMethod<[{
      32-bit registers that a thread can hold of tiles, beside operands and
      addresses.
      }],
      "int64_t", "getMostHeld", (ins)>,
    InterfaceMethod<[{
      The layout of a result of rows x columns over `warps` warps. It is that of
      what is computed of results element by element, too. Sizes fit
      (`whyNotShaped`).
      }],
      "::attn::FragmentAttr", "getAccumulator",
      (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$warps)>,
    InterfaceMethod<[{
      The layout of a left-hand side in registers. Where it is the accumulator's, a
      result feeds the next product as it is.
      }],
      "::attn::FragmentAttr", "getLhs",
      (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$warps)>,
    InterfaceMethod<[{
      How a tile lies in shared memory for this unit of a target to read it;
      `summedOverRows`: products sum over its rows.
      }],
      "::attn::SharedAttr", "getStaged",
      (ins "::attn::TargetAttr":$target, "::mlir::RankedTensorType":$tile,
           "bool":$summedOverRows), [{}], [{
        return ::attn::plainlyStaged(tile);
      }]>,
    InterfaceMethod<[{
      The layout that `getStaged` gave, or another that this unit reads as well,
      of fewer and wider panels, of which copies fill the last in part: where a
      copy takes as long for a part of a panel as for all of it. `rowBytes`: of the
      rows that are copied, where they are in memory.
      }],
      "::attn::SharedAttr", "getWidened",
      (ins "::attn::SharedAttr":$staged, "int64_t":$rowBytes), [{}], [{
        return ::attn::withWidePanels(staged, rowBytes);
      }]>,
    InterfaceMethod<[{
      Why a product of tiles of these types, with a layout or none, is not for this
      unit over `warps` warps; empty if it is. Layouts are not looked at.
      }],
      "std::string", "whyNotShaped",
      (ins "::mlir::RankedTensorType":$lhs, "::mlir::RankedTensorType":$rhs,
           "::mlir::RankedTensorType":$result, "int64_t":$warps)>,
    InterfaceMethod<[{
      The same of a product whose left-hand side, in shared memory, is transposed. Warps
      may share columns of its result.
      }],
      "std::string", "whyNotTransposed",
      (ins "::mlir::RankedTensorType":$lhs, "::mlir::RankedTensorType":$rhs,
           "::mlir::RankedTensorType":$result, "int64_t":$warps), [{}],
      [{ return "it takes no transposed left-hand side"; }]>
  ];
}

class Attn_Unit<string name, string mnemonic, list<string> methods = []>
    : Attn_Attr<name, mnemonic,
        [DeclareAttrInterfaceMethods<Attn_MatrixUnitInterface, methods>]>;

def Attn_MmaSyncUnit : Attn_Unit<"MmaSync", "mma_sync", ["whyNotTransposed"]> {
  let summary = "Matrix products of a warp of NVIDIA GPUs";
  let description = [{
    `mma.sync.m16n8k16` (PTX ISA, "Matrix fragments for mma.m16n8k16"): a warp
    multiplies 16 x 16 by 16 x 8 elements of f16 or bf16 out of its registers, and
    has the result when the instruction is done.

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mma_sync) : ...`
  }];
}

def Attn_WgmmaUnit : Attn_Unit<"Wgmma", "wgmma",
    ["getCompletion", "getRowsPerWarp", "whyNotTransposed"]> {
  let summary = "Matrix products of a warpgroup of Hopper";
  let description = [{
    `wgmma.mma_async` (PTX ISA, "Asynchronous warpgroup level matrix instructions"):
    four warps multiply 64 x 16 by 16 x n elements of f16 or bf16, n up to 256, of
    which the right-hand side lies in shared memory, the left-hand one there or in
    registers. Products complete in the order in which groups of them are
    committed. Accumulator and left-hand side are those of `mma.sync` with 16 rows a
    warp.

    Example: `attn.dot.issue %q, %k, %zero transpose_rhs by(#attn.wgmma) : ...`
  }];
}

def Attn_MmaSync8Unit : Attn_Unit<"MmaSync8", "mma_sync_f8",
    ["takesElement", "sumsAlongRows"]> {
  let summary = "Matrix products of FP8 of a warp of NVIDIA GPUs";
  let description = [{
    `mma.sync.m16n8k32` (PTX ISA, "Matrix fragments for mma.m16n8k32"), of f8E4M3FN or
    f8E5M2, from sm_89 on. Accumulators are those of `mma_sync`; a left-hand side
    in registers is not (`attn.interleave`).

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mma_sync_f8) : ...`
  }];
}

def Attn_MmaSyncMxUnit : Attn_Unit<"MmaSyncMx", "mma_sync_mx",
    ["takesElement", "sumsAlongRows"]> {
  let summary = "Matrix products of FP8 with scales of blocks of a warp of NVIDIA GPUs";
  let description = [{
    `mma.sync.m16n8k32.kind::mxf8f6f4.block_scale` (PTX ISA, "Block scaling for
    mma.sync"), of f8E4M3FN or f8E5M2, on sm_120a and sm_121a: `mma_sync_f8`, of which each
    row and column of 32 elements has a scale that is a power of two. All are 1 here: products
    are those of `mma_sync_f8`, which some chips of this family compute at half the rate. It is
    only taken where it is asked for (`mx-products` of `attn-assign-units`).

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mma_sync_mx) : ...`
  }];
}

def Attn_MmaSyncWideningUnit : Attn_Unit<"MmaSyncWidening", "mma_sync_widening",
    ["takesElements"]> {
  let summary = "Matrix products of a warp of NVIDIA GPUs, of FP8 on the right";
  let description = [{
    `mma.sync.m16n8k16` as `mma_sync`, of a left-hand side in f16 or bf16 and a right-hand
    side in f8E4M3FN or f8E5M2, which becomes elements of 16 bits on its way from shared memory to
    registers: both types hold its numbers. A word of four numbers becomes operands of two
    instructions, or of the two halves of one, so that neighbours in a lane are columns 4 t, 4 t + 2,
    4 t + 1 and 4 t + 3 (t: the lane modulo 4) of each 16, of accumulators and of
    left-hand sides alike (`mmaWidening`).

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mma_sync_widening) : tensor<16x64xbf16>, tensor<32x64xf8E4M3FN> into tensor<16x32xf32>`
  }];
}

def Attn_Wgmma8Unit : Attn_Unit<"Wgmma8", "wgmma_f8",
    ["getCompletion", "getRowsPerWarp", "takesElement", "sumsAlongRows"]> {
  let summary = "Matrix products of FP8 of a warpgroup of Hopper";
  let description = [{
    `wgmma.mma_async` of 64 x 32 by 32 x n elements of f8E4M3FN or f8E5M2, as `wgmma` but
    for the layout of left-hand sides in registers, which is that of
    `mma_sync_f8`.

    Example: `attn.dot.issue %q, %k, %zero transpose_rhs by(#attn.wgmma_f8) : ...`
  }];
}

def Attn_MfmaUnit : Attn_Unit<"Mfma", "mfma", ["getStaged"]> {
  let summary = "Matrix products of a wave of AMD GPUs";
  let description = [{
    `v_mfma_f32_32x32x8`, `v_mfma_f32_16x16x16` and, of twice their depth,
    `v_mfma_f32_32x32x16` and `v_mfma_f32_16x16x32` (AMD CDNA 3 and CDNA 4 ISA,
    "Matrix Arithmetic Instructions"): a wave multiplies elements of f16 or bf16 out
    of its registers. Products are computed transposed (`mfmaTile`); elements that
    are summed over lie in shared memory as neighbours.

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mfma<32x32x8>) : ...`
  }];
  let parameters = (ins "int64_t":$size, "int64_t":$depth);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether it is one of those that only gfx950 has.
    bool isDeep() const { return getSize() * getDepth() > 256; }
  }];
}

def Attn_Mfma8Unit : Attn_Unit<"Mfma8", "mfma_f8",
    ["getStaged", "takesElement", "takesInterleaved"]> {
  let summary = "Matrix products of FP8 of a wave of AMD GPUs";
  let description = [{
    `v_mfma_f32_32x32x16` and `v_mfma_f32_16x16x32` of `fp8` and `bf8` (AMD CDNA 3 ISA,
    "Matrix Arithmetic Instructions"): as `mfma`, of eight elements in a lane, which are what a
    lane has of a row of accumulators (`mfmaTile`), so that weights that are rounded feed the next
    product as they are. With `fnuz` elements are f8E4M3FNUZ (gfx942), without f8E4M3FN
    or f8E5M2 (gfx950).

    Example: `attn.dot %q, %k, %zero transpose_rhs by(#attn.mfma_f8<32x32x16, fnuz>) : ...`
  }];
  let parameters = (ins "int64_t":$size, "bool":$fnuz);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ATTN_UNITS
