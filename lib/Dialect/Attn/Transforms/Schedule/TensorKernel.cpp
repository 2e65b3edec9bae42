//===- TensorKernel.cpp - Kernels that are made of tensors ----------------===//

#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attn;

ViewType TensorView::getType() const {
  auto type = cast<RankedTensorType>(tensor.getType());
  return ViewType::get(
      type.getContext(),
      llvm::map_to_vector(permutation,
                          [&](int64_t dim) { return type.getDimSize(dim); }),
      type.getElementType());
}

void attn::insertBehind(KernelOp kernel, Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  Operation *last = module.getBody()->findAncestorOpInBlock(*op);
  while (isa_and_nonnull<KernelOp>(last->getNextNode()))
    last = last->getNextNode();
  SymbolTable(module).insert(kernel, std::next(Block::iterator(last)));
}

KernelOp attn::openKernel(OpBuilder &b, Operation *op, StringRef suffix,
                          StringRef step, ArrayRef<TensorView> views,
                          unsigned outputs) {
  auto function = op->getParentOfType<func::FuncOp>();
  StringRef prefix = function ? function.getName() : "kernel";
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  SmallVector<Attribute> axes, orders;
  for (const TensorView &view : views) {
    ViewType type = view.getType();
    types.push_back(type);
    names.push_back(view.name);
    SmallVector<StringRef> dims(view.axes);
    for (auto [dim, name] : llvm::enumerate(dims))
      if (!ShapedType::isDynamic(type.getShape()[dim]))
        name = "";
    axes.push_back(b.getStrArrayAttr(dims));
    orders.push_back(AffineMapAttr::get(AffineMap::getPermutationMap(
        ArrayRef<int64_t>(view.permutation), b.getContext())));
  }
  b.clearInsertionPoint();
  auto kernel = KernelOp::create(b, op->getLoc(), (prefix + "_" + suffix).str(),
                                 types, ArrayRef<StringRef>(names));
  insertBehind(kernel, op);
  kernel->setAttr(KernelOp::kStepAttr, b.getStringAttr(step));
  kernel->setAttr(KernelOp::kOutputsAttr, b.getI64IntegerAttr(outputs));
  kernel->setAttr(KernelOp::kDimNamesAttr, b.getArrayAttr(axes));
  kernel->setAttr(KernelOp::kPermutationsAttr, b.getArrayAttr(orders));
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  return kernel;
}

GridOp attn::openGrid(OpBuilder &b, Location loc, ValueRange sizes,
                      ArrayRef<StringRef> axes) {
  return openGrid(b, loc, sizes, axes, axes);
}

GridOp attn::openGrid(OpBuilder &b, Location loc, ValueRange sizes,
                      ArrayRef<StringRef> axes, ArrayRef<StringRef> sharing) {
  auto grid = GridOp::create(
      b, loc, sizes, b.getStrArrayAttr(axes), b.getStrArrayAttr(sharing),
      OrderAttr(), /*run=*/1, /*folded=*/false,
      /*persistent=*/IntegerAttr(), /*snake=*/false, /*cluster=*/false,
      /*counter=*/Value(), /*until=*/Value(), /*untilOffsets=*/ValueRange());
  SmallVector<Type> types(sizes.size() + 1, b.getIndexType());
  SmallVector<Location> locs(types.size(), loc);
  b.createBlock(&grid.getBody(), {}, types, locs);
  b.setInsertionPoint(YieldOp::create(b, loc));
  return grid;
}
