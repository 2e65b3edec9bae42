//===- CpuVectors.cpp - What passes to vectors of the CPU share -----------===//

#include "CpuVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

int64_t attn::vectorWidth(int64_t columns) {
  for (int64_t width : {16, 8, 4})
    if (columns > 0 && columns % width == 0)
      return width;
  return 0;
}

bool attn::isBufferOfRows(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getElementType().isF32() && type.hasStaticShape() &&
         type.getLayout().isIdentity();
}

scf::ForOp attn::loopOver(OpBuilder &b, Location loc, int64_t range,
                          int64_t step, ValueRange carried) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(range),
                                 constant(step), carried);
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}
