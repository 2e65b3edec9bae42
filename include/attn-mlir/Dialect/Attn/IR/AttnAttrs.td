//===- AttnAttrs.td - Attributes ---------------------------*- tablegen -*-===//

#ifndef ATTN_ATTRS
#define ATTN_ATTRS

include "attn-mlir/Dialect/Attn/IR/AttnLayouts.td"
include "attn-mlir/Dialect/Attn/IR/AttnMasks.td"
include "attn-mlir/Dialect/Attn/IR/AttnOrder.td"
include "attn-mlir/Dialect/Attn/IR/AttnSchedule.td"
include "attn-mlir/Dialect/Attn/IR/AttnTarget.td"
include "attn-mlir/Dialect/Attn/IR/AttnTraversals.td"
include "attn-mlir/Dialect/Attn/IR/AttnUnits.td"

#endif // ATTN_ATTRS
