//===- ArrangeValues.cpp - The kernel that arranges values ----------------===//
//
// A copy that changes the order of what it moves: a tile of rows of V is
// loaded, and stored as columns. Nothing is streamed past it.
//
//===----------------------------------------------------------------------===//

#include "ArrangeValues.h"
#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// Keys of a tile: 16 groups of 16, so that a warp with eight of them writes
/// 128 bytes of a column.
static constexpr int64_t kKeys = 256;

static void buildBody(OpBuilder &b, KernelOp kernel, Location loc) {
  Value values = kernel.getArgument(0), columns = kernel.getArgument(1);
  auto view = cast<ViewType>(values.getType());
  IndexBuilder m{b, loc};
  auto sizeOf = [&](int64_t dim) -> Value {
    int64_t size = view.getShape()[dim];
    if (ShapedType::isDynamic(size))
      return DimOp::create(b, loc, values, dim);
    return m.constant(size);
  };
  Value sizes[] = {sizeOf(0), sizeOf(1),
                   m.ceilDiv(sizeOf(2), m.constant(kKeys))};
  GridOp grid = openGrid(b, loc, sizes, {"batch", "head", "key"});
  ValueRange at = grid.getCoordinates();
  Value zero = m.constant(0), key = m.mul(at[2], m.constant(kKeys));
  auto tile = RankedTensorType::get({kKeys, view.getShape().back()},
                                    view.getElementType());
  Value loaded =
      LoadOp::create(b, loc, tile, values, ValueRange{at[0], at[1], key, zero});
  StoreColumnsOp::create(b, loc, loaded, columns,
                         ValueRange{at[0], at[1], zero, key});
}

KernelOp attn::partitionArrangement(ArrangeValuesOp op) {
  IRRewriter host(op);
  Location loc = op.getLoc();
  int64_t keyDim = seqDimOf(op.getLayout());
  // Whole groups of keys.
  RankedTensorType type = op.getColumns().getType();
  IndexBuilder m{host, loc};
  SmallVector<Value> dynamic;
  if (type.isDynamicDim(0))
    dynamic.push_back(host.createOrFold<tensor::DimOp>(loc, op.getValues(), 0));
  if (type.isDynamicDim(3)) {
    Value group = m.constant(InterleaveOp::kGroup),
          keys = host.createOrFold<tensor::DimOp>(loc, op.getValues(), keyDim);
    dynamic.push_back(m.mul(m.ceilDiv(keys, group), group));
  }
  Value room = tensor::EmptyOp::create(host, loc, type, dynamic);
  TensorView views[] = {{"v",
                         op.getValues(),
                         {0, headDimOf(op.getLayout()), keyDim, 3},
                         {"batch", "", "key", ""}},
                        {"columns", room, {0, 1, 2, 3}, {"batch", "", "", ""}}};
  OpBuilder b(op.getContext());
  KernelOp kernel =
      openKernel(b, op, "arrange_values", KernelOp::kArrangeStep, views);
  buildBody(b, kernel, loc);
  auto launch = LaunchOp::create(
      host, loc, TypeRange(type), kernel.getSymName(),
      ValueRange(op.getValues()), ValueRange(room), /*scalars=*/ValueRange(),
      kernel->getAttrOfType<ArrayAttr>(KernelOp::kPermutationsAttr));
  host.replaceOp(op, launch.getResults());
  return kernel;
}
