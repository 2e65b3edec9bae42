//===- Remarks.td - All remarks, for the reference ---------*- tablegen -*-===//

include "attn-mlir/Raise/Remarks.td"
include "attn-mlir/Tuning/Remarks.td"
include "attn-mlir/Dialect/Attn/Transforms/Remarks.td"
