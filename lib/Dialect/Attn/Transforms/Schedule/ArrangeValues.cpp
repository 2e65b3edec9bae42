//===- ArrangeValues.cpp - The kernel that arranges values ----------------===//
//
// A copy that changes the order of what it moves: a tile of rows of V is
// loaded, and stored as columns. Nothing is streamed past it.
//
//===----------------------------------------------------------------------===//

#include "ArrangeValues.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attn;

/// Keys of a tile: 16 groups of 16, so that a warp with eight of them writes
/// 128 bytes of a column.
static constexpr int64_t kKeys = 256;

static ViewType viewOf(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return ViewType::get(
      type.getContext(),
      llvm::map_to_vector(permutation,
                          [&](int64_t dim) { return type.getDimSize(dim); }),
      type.getElementType());
}

static KernelOp createKernel(ArrangeValuesOp op, OpBuilder &b,
                             ArrayRef<int64_t> permutation) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = op->getParentOfType<func::FuncOp>();
  StringRef prefix = function ? function.getName() : "kernel";
  Type types[] = {viewOf(op.getValues().getType(), permutation),
                  viewOf(op.getColumns().getType(), {0, 1, 2, 3})};
  OpBuilder::InsertionGuard guard(b);
  b.clearInsertionPoint();
  auto kernel =
      KernelOp::create(b, op.getLoc(), (prefix + "_arrange_values").str(),
                       types, ArrayRef<StringRef>{"v", "columns"});
  // Behind the function that launches it, and behind the kernels made before.
  Operation *last = module.getBody()->findAncestorOpInBlock(*op);
  while (isa_and_nonnull<KernelOp>(last->getNextNode()))
    last = last->getNextNode();
  SymbolTable(module).insert(kernel, std::next(Block::iterator(last)));
  kernel->setAttr(KernelOp::kStepAttr, b.getStringAttr(KernelOp::kArrangeStep));
  kernel->setAttr(KernelOp::kOutputsAttr, b.getI64IntegerAttr(1));
  return kernel;
}

/// Launchers learn which dimensions are one axis.
static void describeViews(KernelOp kernel, ArrayAttr permutations) {
  Builder b(kernel.getContext());
  auto nameOf = [&](unsigned view, int64_t dim, StringRef name) {
    auto type = cast<ViewType>(kernel.getArgument(view).getType());
    return ShapedType::isDynamic(type.getShape()[dim]) ? name : StringRef();
  };
  kernel->setAttr(
      KernelOp::kDimNamesAttr,
      b.getArrayAttr({b.getStrArrayAttr(
                          {nameOf(0, 0, "batch"), "", nameOf(0, 2, "key"), ""}),
                      b.getStrArrayAttr({nameOf(1, 0, "batch"), "", "", ""})}));
  kernel->setAttr(KernelOp::kPermutationsAttr, permutations);
}

static void buildBody(KernelOp kernel, Location loc) {
  Value values = kernel.getArgument(0), columns = kernel.getArgument(1);
  auto view = cast<ViewType>(values.getType());
  OpBuilder b(kernel.getBody().front().getTerminator());
  IndexBuilder m{b, loc};
  auto sizeOf = [&](int64_t dim) -> Value {
    int64_t size = view.getShape()[dim];
    if (ShapedType::isDynamic(size))
      return DimOp::create(b, loc, values, dim);
    return m.constant(size);
  };
  Value sizes[] = {sizeOf(0), sizeOf(1),
                   m.ceilDiv(sizeOf(2), m.constant(kKeys))};
  ArrayAttr names = b.getStrArrayAttr({"batch", "head", "key"});
  auto grid = GridOp::create(
      b, loc, sizes, names, names, OrderAttr(), /*run=*/1, /*folded=*/false,
      /*persistent=*/IntegerAttr(), /*snake=*/false, /*cluster=*/false,
      /*counter=*/Value(), /*until=*/Value(), /*untilOffsets=*/ValueRange());
  SmallVector<Type> types(std::size(sizes) + 1, b.getIndexType());
  SmallVector<Location> locs(types.size(), loc);
  Block *block = b.createBlock(&grid.getBody(), {}, types, locs);
  b.setInsertionPoint(YieldOp::create(b, loc));
  Value batch = block->getArgument(0), head = block->getArgument(1),
        zero = m.constant(0),
        key = m.mul(block->getArgument(2), m.constant(kKeys));
  auto tile = RankedTensorType::get({kKeys, view.getShape().back()},
                                    view.getElementType());
  Value loaded =
      LoadOp::create(b, loc, tile, values, ValueRange{batch, head, key, zero});
  StoreColumnsOp::create(b, loc, loaded, columns,
                         ValueRange{batch, head, zero, key});
}

KernelOp attn::partitionArrangement(ArrangeValuesOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> permutation{0, headDimOf(op.getLayout()),
                                   seqDimOf(op.getLayout()), 3};
  ArrayAttr permutations =
      b.getArrayAttr({AffineMapAttr::get(AffineMap::getPermutationMap(
                          permutation, b.getContext())),
                      AffineMapAttr::get(b.getMultiDimIdentityMap(4))});
  KernelOp kernel = createKernel(op, b, permutation);
  describeViews(kernel, permutations);
  buildBody(kernel, loc);
  // Whole groups of keys.
  RankedTensorType type = op.getColumns().getType();
  IndexBuilder m{b, loc};
  SmallVector<Value> dynamic;
  if (type.isDynamicDim(0))
    dynamic.push_back(b.createOrFold<tensor::DimOp>(loc, op.getValues(), 0));
  if (type.isDynamicDim(3)) {
    Value group = m.constant(InterleaveOp::kGroup),
          keys = b.createOrFold<tensor::DimOp>(loc, op.getValues(),
                                               permutation[2]);
    dynamic.push_back(m.mul(m.ceilDiv(keys, group), group));
  }
  Value room = tensor::EmptyOp::create(b, loc, type, dynamic);
  auto launch = LaunchOp::create(b, loc, TypeRange(type), kernel.getSymName(),
                                 ValueRange(op.getValues()), ValueRange(room),
                                 /*scalars=*/ValueRange(), permutations);
  b.replaceOp(op, launch.getResults());
  return kernel;
}
