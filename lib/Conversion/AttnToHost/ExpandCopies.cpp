//===- ExpandCopies.cpp - Copies that would be calls of a library ---------===//

#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNEXPANDCOPIES
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

namespace {

/// Whether the lowering to LLVM makes a memcpy of it.
bool isWhole(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getLayout().isIdentity();
}

struct ExpandCopiesPass : attn::impl::AttnExpandCopiesBase<ExpandCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (!isWhole(copy.getSource()) || !isWhole(copy.getTarget()))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies) {
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType())) {
        copy.emitOpError("expected buffers whose rank is known, but got ")
            << copy->getOperandTypes();
        return signalPassFailure();
      }
      OpBuilder b(copy);
      linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
      ++numCopies;
    }
  }
};

} // namespace
