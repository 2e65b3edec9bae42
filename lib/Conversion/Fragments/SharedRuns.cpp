//===- SharedRuns.cpp - Registers that lie side by side in memory ---------===//

#include "SharedRuns.h"
#include "SharedTile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

int64_t attn::runInChunk(RankedTensorType tile, FragmentAttr layout) {
  auto modes = layout.getRegisterModes();
  if (sharedOf(tile).getTransposed() || modes.empty() ||
      modes.front().strides[0] != 0 || modes.front().strides[1] != 1)
    return 1;
  int64_t bytes = SharedAttr::exchangesHalves(tile) ? 8 : 16;
  int64_t most = bytes * 8 / tile.getElementTypeBitWidth(), run = 1;
  auto divides = [&](int64_t width) {
    auto aligned = [&](const FragmentAttr::Mode &mode) {
      return mode.strides[1] % width == 0;
    };
    return modes.front().size % width == 0 &&
           llvm::all_of(llvm::drop_begin(modes), aligned) &&
           llvm::all_of(layout.getThreadModes(), aligned);
  };
  while (2 * run <= most && divides(2 * run))
    run *= 2;
  return run;
}

void attn::writeToShared(ThreadBuilder t, RankedTensorType tile,
                         FragmentAttr layout, Value elements,
                         function_ref<Value(Value)> address) {
  SharedTile shared(tile, t);
  Value row = t.threadOffset(layout, 0), column = t.threadOffset(layout, 1);
  int64_t run = runInChunk(tile, layout);
  auto type = VectorType::get({run}, tile.getElementType());
  auto registers = vector::ToElementsOp::create(t.b, t.loc, elements);
  for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
    SmallVector<int64_t> offset = layout.getRegisterOffset(r);
    Value place =
        shared.element(t.add(row, offset[0]), t.add(column, offset[1]));
    Value together = vector::FromElementsOp::create(
        t.b, t.loc, type, registers.getResults().slice(r, run));
    LLVM::StoreOp::create(
        t.b, t.loc, together, address(place),
        static_cast<unsigned>(run * tile.getElementTypeBitWidth() / 8));
  }
}
