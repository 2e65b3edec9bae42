//===- AttnBase.td - The attn dialect ----------------------*- tablegen -*-===//

#ifndef ATTN_BASE
#define ATTN_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::attn";
  let summary = "Attention as streamed tile loops";
  let description = [{
    Attention, from what is computed to how it is scheduled.

    *Level 1* (`attn.attention`, `attn.matmul`) says what is computed, on
    tensors, and knows no hardware. *Level 2* (`attn.kernel`, `attn.grid`,
    `attn.stream` and the tile operations) says how: a grid of tiles in an
    explicit order, each of which streams an axis past the tile that stays.
    `attn.launch` is the seam between them.

    Everything that a schedule decides stands in the IR: printing and parsing
    it back after any pass changes nothing.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// What is generated from one file is registered where it is compiled, so
    /// that nothing else is compiled again with it.
    void registerAttributes();
    void registerTensorOps();
    void registerCacheOps();
    void registerGradientOps();
    void registerKernelOps();
    void registerStreamOp();
    void registerTileOps();
    void registerRingOps();
    void registerPartOps();
    void registerProductOps();
    void registerTuningOps();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

class Attn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Attn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

#endif // ATTN_BASE
