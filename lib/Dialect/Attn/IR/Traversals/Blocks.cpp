//===- Blocks.cpp - Blocks whose numbers are in lists in memory -----------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult
BlocksTraversalAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            int64_t size) {
  if (size >= 1 && size <= kMostBlock)
    return success();
  return emitError() << "expected blocks of 1 to " << kMostBlock
                     << " rows, but got " << size;
}

/// Operands: how many blocks there are, then a list and its indices.
static constexpr unsigned kFirstList = 1;

/// Operands in front of the second list, and of those behind it, or of all.
static unsigned splitOf(ViewType first) {
  return kFirstList + 1 + first.getRank();
}
static ViewType secondList(TypeRange types) {
  ViewType first = listAt(types, kFirstList);
  return first ? listAt(types, splitOf(first) + 1) : ViewType();
}

LogicalResult BlocksTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  ViewType first = listAt(types, kFirstList), second = secondList(types);
  if (!first)
    return emitError() << "expected a traversal by a number of blocks and a "
                          "list of them in a view of i32 or i64, but got ("
                       << types << ")";
  Type index = IndexType::get(getContext());
  SmallVector<Type> own{index, first};
  own.append(first.getRank(), index);
  if (second) {
    own.append({index, second});
    own.append(second.getRank(), index);
  }
  return verifyTraversalOperands(emitError, types, own, /*mayReverse=*/true);
}

Value BlocksTraversalAttr::getBackward(ValueRange operands) const {
  TypeRange types = operands.getTypes();
  unsigned own = splitOf(listAt(types, kFirstList));
  if (ViewType second = secondList(types))
    own += 2 + second.getRank();
  return operandBehind(operands, own);
}

int64_t BlocksTraversalAttr::getBlock() const { return getSize(); }

bool BlocksTraversalAttr::isInOrder() const { return false; }

bool BlocksTraversalAttr::goesOn() const { return true; }

/// The number of the tile from which those of the segment count, tiles of a
/// block, and the operands.
SmallVector<Value> BlocksTraversalAttr::buildSetup(OpBuilder &builder,
                                                   Location loc,
                                                   ValueRange operands,
                                                   Value lower, int64_t step,
                                                   Value) const {
  IndexBuilder m{builder, loc};
  SmallVector<Value> setup{m.div(lower, m.constant(step)),
                           m.constant(getSize() / step)};
  llvm::append_range(setup, operands);
  return setup;
}

/// The element of a list that is so many behind its first.
static Value readNumber(const IndexBuilder &m, ValueRange list, Value behind) {
  auto rank = cast<ViewType>(list.front().getType()).getRank();
  SmallVector<Value> place = llvm::to_vector(list.slice(1, rank));
  place.back() = m.add(place.back(), behind);
  return ReadOp::create(m.b, m.loc, list.front(), place);
}

Value BlocksTraversalAttr::buildTile(OpBuilder &builder, Location loc,
                                     ValueRange setup, Value visit,
                                     Value) const {
  IndexBuilder m{builder, loc};
  Value first = setup[0], tiles = setup[1];
  ValueRange operands = setup.drop_front(2);
  TypeRange types = operands.getTypes();
  // Tiles of the whole list: what division takes is not negative.
  Value slot = m.add(first, visit), block = m.div(slot, tiles);
  Value number = readNumber(m, operands.drop_front(kFirstList), block);
  if (secondList(types)) {
    unsigned at = splitOf(listAt(types, kFirstList));
    Value split = operands[at];
    Value other =
        readNumber(m, operands.drop_front(at + 1), m.sub(block, split));
    Value isFirst = m.compare(arith::CmpIPredicate::ult, block, split);
    number = m.select(isFirst, number, other);
  }
  // What is negative is large without its sign.
  number = m.minU(number, operands[0]);
  Value tile = m.add(m.mul(number, tiles), m.rem(slot, tiles));
  return m.sub(tile, first);
}

std::string BlocksTraversalAttr::describe(ValueRange operands) const {
  return withDirection("in blocks of " + std::to_string(getSize()) +
                           " that a list in memory names",
                       getBackward(operands));
}
