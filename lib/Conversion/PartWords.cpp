//===- PartWords.cpp - What parts of a stream have in a word --------------===//

#include "PartWords.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// In memory, what a CTA changes that looks once more; in what attn.end_part
/// gives, whether the region runs.
static constexpr uint64_t kAgain = uint64_t(1) << 62;
/// In what it gives: nobody is to come.
static constexpr uint64_t kSettled = uint64_t(1) << 63;

/// The low bits of so many parts.
static uint64_t lowBits(int64_t parts) {
  uint64_t bits = 0;
  for (int64_t part = 0; part < parts; ++part)
    bits |= uint64_t(1) << (2 * part);
  return bits;
}

PartWord::PartWord(OpBuilder &b, Location loc, Value part, int64_t parts)
    : b(b), loc(loc) {
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), part);
  Value place = arith::ShLIOp::create(b, loc, number, constant(1));
  low = arith::ShLIOp::create(b, loc, constant(1), place);
  others = arith::XOrIOp::create(b, loc, constant(lowBits(parts)), low);
}

Value PartWord::constant(uint64_t value) const {
  return arith::ConstantIntOp::create(b, loc, static_cast<int64_t>(value), 64);
}

Value PartWord::any(Value bits) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits,
                               constant(0));
}

Value PartWord::isFirst(Value before) const {
  return any(arith::AndIOp::create(b, loc, before, low));
}

Value PartWord::begunFrom(Value held) const {
  Value fields =
      arith::AndIOp::create(b, loc, held, constant(~(kAgain | kSettled)));
  return arith::OrIOp::create(b, loc, fields, low);
}

Value PartWord::isSettled(Value before) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, before,
                               constant(0));
}

Value PartWord::changes(Value before) const {
  Value both = arith::MulIOp::create(b, loc, low, constant(3));
  return arith::SelectOp::create(b, loc, isFirst(before), both,
                                 constant(kAgain));
}

Value PartWord::seenFrom(Value before, Value held) const {
  Value first = isFirst(before);
  Value running = any(arith::AndIOp::create(b, loc, held, others));
  Value bits = arith::XOrIOp::create(b, loc, held, before);
  Value either = arith::OrIOp::create(
      b, loc, bits, arith::ShRUIOp::create(b, loc, bits, constant(1)));
  Value changed = arith::AndIOp::create(b, loc, either, others);
  Value all =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, changed, others);
  Value news = arith::OrIOp::create(b, loc, first, any(changed));
  auto flag = [&](Value holds, uint64_t bit) {
    return arith::SelectOp::create(b, loc, holds, constant(bit), constant(0));
  };
  Value idle = arith::XOrIOp::create(
      b, loc, running, arith::ConstantIntOp::create(b, loc, 1, 1));
  Value again = flag(arith::AndIOp::create(b, loc, idle, news), kAgain);
  Value settled = flag(arith::AndIOp::create(b, loc, first, all), kSettled);
  Value now = arith::XOrIOp::create(b, loc, held, changes(before));
  Value fields =
      arith::AndIOp::create(b, loc, now, constant(~(kAgain | kSettled)));
  return arith::OrIOp::create(b, loc, fields,
                              arith::OrIOp::create(b, loc, again, settled));
}

Value PartWord::againOf(OpBuilder &b, Location loc, Value seen) {
  Value bit =
      arith::ConstantIntOp::create(b, loc, static_cast<int64_t>(kAgain), 64);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                               arith::AndIOp::create(b, loc, seen, bit), zero);
}

Value PartWord::nothing(OpBuilder &b, Location loc) {
  return arith::ConstantIntOp::create(b, loc, 0, 64);
}

Value attn::lookAtParts(OpBuilder &builder, Location loc, Value before,
                        Value part, int64_t parts,
                        function_ref<Value(OpBuilder &, Value)> change) {
  PartWord word(builder, loc, part, parts);
  auto branch = scf::IfOp::create(
      builder, loc, word.isSettled(before),
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, PartWord::nothing(b, loc));
      },
      [&](OpBuilder &b, Location) {
        PartWord own(b, loc, part, parts);
        Value held = change(b, own.changes(before));
        scf::YieldOp::create(b, loc, own.seenFrom(before, held));
      });
  return branch.getResult(0);
}

static void lower(LastPartOp op) {
  OpBuilder builder(op);
  BeginPartOp begin = op.getBegin();
  auto loop = scf::WhileOp::create(
      builder, op.getLoc(), TypeRange{builder.getI64Type()},
      ValueRange{op.getBegun()},
      [&](OpBuilder &b, Location loc, ValueRange before) {
        auto end = EndPartOp::create(b, loc, before[0], begin.getPart(),
                                     begin.getParts(), begin.getWords(),
                                     begin.getOffsets());
        scf::ConditionOp::create(b, loc, end.getAgain(),
                                 ValueRange{end.getSeen()});
      },
      [&](OpBuilder &b, Location loc, ValueRange seen) {
        scf::YieldOp::create(b, loc, seen);
      });
  Block &body = op.getBody().front();
  body.getTerminator()->erase();
  Block *after = loop.getAfterBody();
  after->getOperations().splice(Block::iterator(after->getTerminator()),
                                body.getOperations());
  op.erase();
}

void attn::lowerLastParts(Operation *root) {
  SmallVector<LastPartOp> parts;
  root->walk([&](LastPartOp part) { parts.push_back(part); });
  for (LastPartOp part : parts)
    lower(part);
}
