//===- PartOps.cpp - Parts of a stream, and which ends last ---------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.cpp.inc"

void AttnDialect::registerPartOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.cpp.inc"
      >();
}

/// The element that parts share, and how many they are.
template <typename Op> static LogicalResult verifyWord(Op op) {
  ViewType view = op.getWords().getType();
  if (!view.getElementType().isInteger(64))
    return op.emitOpError("expected a view of i64, but got ") << view;
  if (static_cast<int64_t>(op.getOffsets().size()) != view.getRank())
    return op.emitOpError("expected ")
           << view.getRank() << " offsets into " << view << ", but got "
           << op.getOffsets().size();
  // The getter is unsigned.
  auto parts = static_cast<int64_t>(op.getParts());
  if (parts < 2 || parts > kMostPartsOfWord)
    return op.emitOpError("expected 2 to ")
           << kMostPartsOfWord << " parts, but got " << parts;
  if (op->template getParentOfType<GridOp>() ||
      op->template getParentOfType<CtasOp>() ||
      !op->template getParentOfType<KernelOp>())
    return success();
  return op.emitOpError("expected to stand in a grid: beside it a kernel holds "
                        "index arithmetic only");
}

LogicalResult BeginPartOp::verify() { return verifyWord(*this); }

void BeginPartOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBegun(), "begun");
}

BeginPartOp LastPartOp::getBegin() {
  return getBegun().getDefiningOp<BeginPartOp>();
}

LogicalResult LastPartOp::verify() {
  BeginPartOp begin = getBegin();
  if (!begin || begin->getBlock() != (*this)->getBlock())
    return emitOpError("expected what an attn.begin_part of the same block "
                       "gives, but got another value");
  for (Operation *user : getBegun().getUsers())
    if (user != getOperation()) {
      InFlightDiagnostic diag = emitOpError(
          "expected to be all that uses the part that begins, but got another "
          "use");
      diag.attachNote(user->getLoc()) << "which is here";
      return diag;
    }
  return success();
}

LogicalResult LastPartOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 0)
    return emitOpError("expected no arguments of its region, but got ")
           << block.getNumArguments();
  if (block.getTerminator()->getNumOperands() != 0)
    return emitOpError("expected its region to yield nothing, but got ")
           << block.getTerminator()->getNumOperands() << " values";
  return success();
}

LogicalResult EndPartOp::verify() { return verifyWord(*this); }

void EndPartOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getAgain(), "again");
  setName(getSeen(), "seen");
}
