//===- SplitStates.cpp - States between two kernels of an op --------------===//

#include "SplitStates.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// Sizes of a state: parts, unit axes, and the dimensions of the value.
static SmallVector<int64_t> sizesOf(StreamableOpInterface op, AffineMap map,
                                    ArrayRef<int64_t> extents, int64_t splits) {
  SmallVector<int64_t> sizes{splits};
  for (ArrayRef<unsigned> run : unitRuns(op.getStreamAxes())) {
    sizes.push_back(1);
    for (unsigned axis : run)
      sizes.back() *= extents[axis];
  }
  for (AffineExpr expr : map.getResults())
    sizes.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
  return sizes;
}

static StridedBuffer contiguous(SmallVector<int64_t> sizes) {
  StridedBuffer buffer;
  buffer.strides.assign(sizes.size(), 1);
  for (unsigned dim = sizes.size() - 1; dim > 0; --dim)
    buffer.strides[dim - 1] = buffer.strides[dim] * sizes[dim];
  buffer.sizes = std::move(sizes);
  return buffer;
}

SplitStates::SplitStates(StreamableOpInterface op, ArrayRef<int64_t> extents,
                         ArrayRef<ViewType> types, int64_t splits) {
  for (Value operand : op->getOperands())
    numInputs += isa<RankedTensorType>(operand.getType());
  for (auto [type, map] : llvm::zip(types, op.getStateMaps())) {
    int64_t parts = type.getShape().front();
    buffers.push_back(contiguous(sizesOf(
        op, map, extents, ShapedType::isDynamic(parts) ? splits : parts)));
    StridedBuffer &buffer = buffers.back();
    storage.emplace_back(buffer.sizes.front() * buffer.strides.front(),
                         std::numeric_limits<float>::quiet_NaN());
    buffer.data = storage.back().data();
  }
}

llvm::Error SplitStates::run(ArrayRef<StridedBuffer> views, Launch launch) {
  SmallVector<StridedBuffer> parts(views.take_front(numInputs)), merge(buffers);
  llvm::append_range(parts, buffers);
  llvm::append_range(merge, views.drop_front(numInputs));
  if (llvm::Error error = launch(/*merge=*/false, parts))
    return error;
  return launch(/*merge=*/true, merge);
}
