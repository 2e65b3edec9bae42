//===- Listed.cpp - Tiles whose numbers are in a list in memory -----------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult ListedTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  ViewType list = listAt(types, 0);
  if (!list)
    return emitError() << "expected a traversal by a list in a view of i32 or "
                          "i64, but got ("
                       << types << ")";
  SmallVector<Type> own{list};
  own.append(list.getRank(), IndexType::get(getContext()));
  return verifyTraversalOperands(emitError, types, own, /*mayReverse=*/true);
}

Value ListedTraversalAttr::getBackward(ValueRange operands) const {
  auto list = cast<ViewType>(operands.front().getType());
  return operandBehind(operands, 1 + list.getRank());
}

bool ListedTraversalAttr::isInOrder() const { return false; }

/// The list, its indices, of which the last is that of the segment's first
/// number, and the number of the tile from which tiles of the segment count.
SmallVector<Value> ListedTraversalAttr::buildSetup(OpBuilder &builder,
                                                   Location loc,
                                                   ValueRange operands,
                                                   Value lower, int64_t step,
                                                   Value) const {
  IndexBuilder m{builder, loc};
  auto list = cast<ViewType>(operands.front().getType());
  SmallVector<Value> setup =
      llvm::to_vector(operands.take_front(1 + list.getRank()));
  Value first = m.div(lower, m.constant(step));
  setup.back() = m.add(setup.back(), first);
  setup.push_back(first);
  return setup;
}

Value ListedTraversalAttr::buildTile(OpBuilder &builder, Location loc,
                                     ValueRange setup, Value visit,
                                     Value) const {
  IndexBuilder m{builder, loc};
  SmallVector<Value> place = llvm::to_vector(setup.drop_front().drop_back());
  place.back() = m.add(place.back(), visit);
  Value tile = ReadOp::create(builder, loc, setup.front(), place);
  return m.sub(tile, setup.back());
}

std::string ListedTraversalAttr::describe(ValueRange operands) const {
  return withDirection("as a list in memory says", getBackward(operands));
}
