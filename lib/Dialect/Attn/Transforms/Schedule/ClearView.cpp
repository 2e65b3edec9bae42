//===- ClearView.cpp - Kernels that make views of integers zero -----------===//

#include "ClearView.h"
#include "TensorKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace attn;

namespace {

Attribute identity(ViewType type) {
  return AffineMapAttr::get(
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext()));
}

/// A grid of one tile for each element of a view, at whose start `b` stands
/// then.
GridOp buildGrid(OpBuilder &b, Location loc, Value view) {
  ViewType type = cast<ViewType>(view.getType());
  SmallVector<Value> sizes;
  SmallVector<std::string> axes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(b.createOrFold<DimOp>(loc, view, dim));
    axes.push_back("clear" + (dim ? std::to_string(dim) : ""));
  }
  return openGrid(b, loc, sizes, llvm::to_vector_of<StringRef>(axes),
                  /*sharing=*/{});
}

} // namespace

KernelOp attn::buildClear(KernelOp kernel, StringRef name, ViewType type,
                          SymbolTable &symbols) {
  OpBuilder b(kernel.getContext());
  Location loc = kernel.getLoc();
  auto clear = KernelOp::create(b, loc, (kernel.getSymName() + "_clear").str(),
                                {type}, {name});
  clear->setAttr(KernelOp::kStepAttr, b.getStringAttr(KernelOp::kClearStep));
  clear->setAttr(KernelOp::kOutputsAttr, b.getI64IntegerAttr(1));
  SmallVector<StringRef> dims(type.getRank());
  clear->setAttr(KernelOp::kDimNamesAttr,
                 b.getArrayAttr({b.getStrArrayAttr(dims)}));
  clear->setAttr(KernelOp::kPermutationsAttr, b.getArrayAttr({identity(type)}));
  b.setInsertionPoint(clear.getBody().front().getTerminator());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  GridOp grid = buildGrid(b, loc, clear.getArgument(0));
  // Of a dimension of one element there is one place.
  SmallVector<Value> place(grid.getCoordinates());
  for (auto [dim, offset] : llvm::enumerate(place))
    if (type.getShape()[dim] == 1)
      offset = zero;
  WriteOp::create(b, loc, zero, clear.getArgument(0), place);
  symbols.insert(clear, Block::iterator(kernel));
  return clear;
}

Value attn::buildCleared(OpBuilder &b, Location loc, KernelOp kernel,
                         StringRef name, Value memory, SymbolTable &symbols) {
  auto type = cast<RankedTensorType>(memory.getType());
  auto view =
      ViewType::get(b.getContext(), type.getShape(), type.getElementType());
  KernelOp clear = buildClear(kernel, name, view, symbols);
  return LaunchOp::create(b, loc, TypeRange(type), clear.getSymName(),
                          ValueRange(), memory, ValueRange(),
                          b.getArrayAttr({identity(view)}))
      .getResult(0);
}
