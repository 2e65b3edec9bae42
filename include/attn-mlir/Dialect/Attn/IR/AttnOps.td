//===- AttnOps.td - The whole dialect ----------------------*- tablegen -*-===//
//
// For its reference. Code is generated from each of these files by itself, so that
// a source is compiled again only for what it includes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_OPS
#define ATTN_OPS

include "attn-mlir/Dialect/Attn/IR/AttnAttrs.td"
include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnPartOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnProductOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnRingOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.td"
include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnTileOps.td"
include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.td"

#endif // ATTN_OPS
