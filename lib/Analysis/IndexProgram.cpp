//===- IndexProgram.cpp - Index arithmetic of a kernel, compiled ----------===//

#include "IndexProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn;

bool attn::isTile(Type type) { return isa<RankedTensorType>(type); }

bool attn::hasTiles(Operation &op) {
  return llvm::any_of(op.getOperandTypes(), isTile) ||
         llvm::any_of(op.getResultTypes(), isTile);
}

namespace {

enum Kind : unsigned {
  Constant,
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  MinS,
  MinU,
  MaxS,
  MaxU,
  And,
  Or,
  Xor,
  Compare,
  Select,
  Copy,
  Read,
  Write,
  For,
  If,
  Ctas,
  Stream
};

/// The kind of a two-operand operation, or nothing.
std::optional<unsigned> binaryKind(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<unsigned>>(&op)
      .Case([](arith::AddIOp) { return Add; })
      .Case([](arith::SubIOp) { return Sub; })
      .Case([](arith::MulIOp) { return Mul; })
      .Case([](arith::DivSIOp) { return DivS; })
      .Case([](arith::DivUIOp) { return DivU; })
      .Case([](arith::RemSIOp) { return RemS; })
      .Case([](arith::RemUIOp) { return RemU; })
      .Case([](arith::CeilDivSIOp) { return CeilDivS; })
      .Case([](arith::CeilDivUIOp) { return CeilDivU; })
      .Case([](arith::FloorDivSIOp) { return FloorDivS; })
      .Case([](arith::MinSIOp) { return MinS; })
      .Case([](arith::MinUIOp) { return MinU; })
      .Case([](arith::MaxSIOp) { return MaxS; })
      .Case([](arith::MaxUIOp) { return MaxU; })
      .Case([](arith::AndIOp) { return And; })
      .Case([](arith::OrIOp) { return Or; })
      .Case([](arith::XOrIOp) { return Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

bool divides(unsigned kind) { return kind >= DivS && kind <= FloorDivS; }

/// Indices are not negative where they are unsigned: the kinds differ for
/// negative operands only.
int64_t evaluate(unsigned kind, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (kind) {
  case Add:
    return a + b;
  case Sub:
    return a - b;
  case Mul:
    return a * b;
  case DivS:
    return a / b;
  case DivU:
    return ua / ub;
  case RemS:
    return a % b;
  case RemU:
    return ua % ub;
  case CeilDivS:
    return llvm::divideCeilSigned(a, b);
  case CeilDivU:
    return llvm::divideCeil(ua, ub);
  case FloorDivS:
    return llvm::divideFloorSigned(a, b);
  case MinS:
    return std::min(a, b);
  case MinU:
    return std::min(ua, ub);
  case MaxS:
    return std::max(a, b);
  case MaxU:
    return std::max(ua, ub);
  case And:
    return a & b;
  case Or:
    return a | b;
  default:
    return a ^ b;
  }
}

bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

} // namespace

unsigned IndexProgram::slotOf(Value value) {
  auto [it, inserted] = slotNumbers.try_emplace(value, slots.size());
  if (inserted)
    slots.push_back(0);
  return it->second;
}

int64_t IndexProgram::valueOf(Value value) const {
  return slots[slotNumbers.lookup(value)];
}

LogicalResult IndexProgram::compile(KernelOp kernel, SizeFn sizeOf) {
  slots.assign(1, 0); // Slot 0: nothing's.
  for (BlockArgument argument : kernel.getArguments())
    slotOf(argument);
  FailureOr<int> block = compileBlock(kernel.getBody().front(), sizeOf);
  if (failed(block))
    return failure();
  root = *block;
  return success();
}

FailureOr<int> IndexProgram::compileBlock(Block &block, SizeFn sizeOf) {
  int number = blocks.size();
  blocks.emplace_back();
  Code code{&block, {}};
  for (BlockArgument argument : block.getArguments())
    slotOf(argument);
  for (Operation &op : block)
    if (failed(compileOp(op, code, sizeOf)))
      return failure();
  blocks[number] = std::move(code);
  return number;
}

LogicalResult IndexProgram::compileOp(Operation &op, Code &code,
                                      SizeFn sizeOf) {
  if (isa<CounterOp, InStepOp, AwaitProgressOp, ReportProgressOp>(op))
    return success();
  if (auto begin = dyn_cast<BeginPartOp>(op)) {
    // Whoever is last, one merges.
    unsigned last = slots.size();
    slots.push_back(static_cast<int64_t>(begin.getParts()) - 1);
    Instruction i;
    i.op = &op;
    i.kind = Compare;
    i.immediate = static_cast<int64_t>(arith::CmpIPredicate::eq);
    i.operands = {slotOf(begin.getPart()), last};
    i.result = slotOf(begin.getBegun());
    code.instructions.push_back(std::move(i));
    return success();
  }
  auto stream = dyn_cast<StreamOp>(op);
  // What CTAs of a cluster show each other are tiles.
  if (isa<ExchangeOp>(op)) {
    code.hasTiles = true;
    return success();
  }
  if (llvm::any_of(op.getResultTypes(),
                   [](Type type) { return isa<ViewType>(type); }))
    return op.emitOpError("cannot be predicted: views are the kernel's own");
  if (op.hasTrait<OpTrait::IsTerminator>())
    return success();
  if (!stream && hasTiles(op)) {
    code.hasTiles = true;
    if (op.getNumRegions() == 0)
      return success();
    return op.emitOpError("cannot be predicted: control that carries tiles");
  }
  Instruction i;
  i.op = &op;
  i.kind = Copy;
  if (op.getNumResults() == 1 && !stream)
    i.result = slotOf(op.getResult(0));
  for (Value operand : op.getOperands())
    i.operands.push_back(isTile(operand.getType()) ? 0 : slotOf(operand));
  auto enter = [&](Region &region, int &body) {
    if (region.empty())
      return success();
    FailureOr<int> block = compileBlock(region.front(), sizeOf);
    if (failed(block))
      return failure();
    body = *block;
    return success();
  };
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && constant.getType().isIntOrIndex()) {
    i.kind = Constant;
    i.immediate = *getConstantIntValue(constant.getResult());
  } else if (auto dim = dyn_cast<DimOp>(op)) {
    FailureOr<int64_t> size = sizeOf(dim);
    if (failed(size))
      return failure();
    i.kind = Constant;
    i.immediate = *size;
  } else if (std::optional<unsigned> kind = binaryKind(op)) {
    i.kind = *kind;
  } else if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    i.kind = Compare;
    i.immediate = static_cast<int64_t>(cmp.getPredicate());
  } else if (isa<arith::SelectOp>(op)) {
    i.kind = Select;
  } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
                 arith::ExtSIOp, arith::TruncIOp>(op)) {
    i.kind = Copy;
  } else if (isa<ReadOp>(op)) {
    i.kind = Read;
  } else if (isa<WriteOp>(op)) {
    i.kind = Write;
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    i.kind = For;
    if (failed(enter(loop.getRegion(), i.body)))
      return failure();
    for (auto [argument, value, result] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues(),
                         loop.getResults())) {
      i.carried.push_back(slotOf(argument));
      i.yielded.push_back(slotOf(value));
      i.results.push_back(slotOf(result));
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op);
             branch && branch->getNumResults() == 0) {
    i.kind = If;
    if (failed(enter(branch.getThenRegion(), i.body)) ||
        failed(enter(branch.getElseRegion(), i.otherwise)))
      return failure();
  } else if (auto last = dyn_cast<LastPartOp>(op)) {
    i.kind = If;
    if (failed(enter(last.getBody(), i.body)))
      return failure();
  } else if (auto ctas = dyn_cast<CtasOp>(op)) {
    i.kind = Ctas;
    if (failed(enter(ctas.getBody(), i.body)))
      return failure();
  } else if (stream) {
    i.kind = Stream;
    code.hasStream = true;
    if (failed(enter(stream.getBody(), i.body)))
      return failure();
  } else if (llvm::all_of(op.getResultTypes(),
                          [](Type t) { return isa<FloatType>(t); })) {
    // Scalar captures and constants of score modifications.
    return success();
  } else {
    return op.emitOpError("cannot be predicted: it is not index arithmetic "
                          "that the model evaluates");
  }
  code.instructions.push_back(std::move(i));
  return success();
}

LogicalResult IndexProgram::run(Listener &listener) {
  return runBlock(root, listener);
}

LogicalResult IndexProgram::runBlock(int block, Listener &listener) {
  // Instructions may not move while they run: blocks are complete by now.
  const Code &code = blocks[block];
  for (const Instruction &i : code.instructions)
    if (i.kind < For) {
      int64_t *s = slots.data();
      int64_t a = i.operands.empty() ? 0 : s[i.operands[0]];
      switch (i.kind) {
      case Constant:
        s[i.result] = i.immediate;
        break;
      case Copy:
        s[i.result] = a;
        break;
      case Select:
        s[i.result] = s[i.operands[a ? 1 : 2]];
        break;
      case Read:
      case Write:
        accessElement(i);
        break;
      case Compare:
        s[i.result] = compare(static_cast<arith::CmpIPredicate>(i.immediate), a,
                              s[i.operands[1]]);
        break;
      default: {
        int64_t b = s[i.operands[1]];
        if (b == 0 && divides(i.kind))
          return i.op->emitOpError("divides by zero for these sizes");
        s[i.result] = evaluate(i.kind, a, b);
      }
      }
    } else if (failed(runOp(i, listener))) {
      return failure();
    }
  if (!inStream && (code.hasTiles || code.hasStream))
    listener.enterBlock(code.block);
  return success();
}

void IndexProgram::accessElement(const Instruction &access) {
  // A write has its value before the view.
  unsigned view = access.kind == Write ? 1 : 0;
  SmallVector<int64_t> offsets;
  for (unsigned slot : ArrayRef(access.operands).drop_front(view + 1))
    offsets.push_back(slots[slot]);
  Value operand = access.op->getOperand(view);
  if (access.kind == Read)
    slots[access.result] = read ? read(operand, offsets) : kUnknownElement;
  else if (write)
    write(operand, offsets, slots[access.operands[0]]);
}

LogicalResult IndexProgram::runLoop(const Instruction &loop,
                                    Listener &listener) {
  int64_t lower = slots[loop.operands[0]], upper = slots[loop.operands[1]],
          step = slots[loop.operands[2]];
  if (step <= 0)
    return loop.op->emitOpError("expected a positive step, but got ") << step;
  unsigned position =
      slotNumbers.lookup(cast<scf::ForOp>(loop.op).getInductionVar());
  auto move = [&](ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
    SmallVector<int64_t> values;
    for (unsigned slot : from)
      values.push_back(slots[slot]);
    for (auto [slot, value] : llvm::zip_equal(to, values))
      slots[slot] = value;
  };
  move(ArrayRef(loop.operands).drop_front(3), loop.carried);
  // What is carried depends on every iteration.
  auto most = loop.carried.empty() ? sampledIterations : std::nullopt;
  LogicalResult result = success();
  if (upper > lower)
    result = runNumbers(llvm::divideCeil(upper - lower, step), most,
                        [&](int64_t number) {
                          slots[position] = lower + number * step;
                          LogicalResult body = runBlock(loop.body, listener);
                          move(loop.yielded, loop.carried);
                          return body;
                        });
  move(loop.carried, loop.results);
  return result;
}

LogicalResult
IndexProgram::runNumbers(int64_t count, std::optional<int64_t> most,
                         function_ref<LogicalResult(int64_t)> body) {
  if (!most || count <= *most) {
    for (int64_t number = 0; number < count; ++number)
      if (failed(body(number)))
        return failure();
    return success();
  }
  // Multiples of the golden ratio are spread evenly, and keep step with no
  // period of the grid.
  double outer = currentWeight, at = 0.5;
  currentWeight *= static_cast<double>(count) / *most;
  LogicalResult result = success();
  for (int64_t i = 0; i < *most && succeeded(result); ++i) {
    result = body(std::min(static_cast<int64_t>(at * count), count - 1));
    at += 0.6180339887498949;
    at -= std::floor(at);
  }
  currentWeight = outer;
  return result;
}

LogicalResult IndexProgram::runCtas(const Instruction &i, Listener &listener) {
  int64_t count = slots[i.operands[0]];
  if (!sampledCtas && count > kMost)
    return i.op->emitOpError("expected at most ")
           << kMost << " CTAs to be predicted, but got " << count;
  unsigned cta = slotNumbers.lookup(cast<CtasOp>(i.op).getCta());
  return runNumbers(count, sampledCtas, [&](int64_t number) {
    slots[cta] = number;
    listener.enterCta(number);
    return runBlock(i.body, listener);
  });
}

LogicalResult IndexProgram::runOp(const Instruction &i, Listener &listener) {
  switch (i.kind) {
  case For:
    return runLoop(i, listener);
  case If: {
    int body = slots[i.operands[0]] ? i.body : i.otherwise;
    return body < 0 ? success() : runBlock(body, listener);
  }
  case Ctas:
    return runCtas(i, listener);
  default:
    return runStream(i, listener);
  }
}

LogicalResult IndexProgram::runStream(const Instruction &i,
                                      Listener &listener) {
  auto stream = cast<StreamOp>(i.op);
  if (++walks > kMost)
    return stream.emitOpError("runs more than ")
           << kMost << " times: too often to be predicted";
  unsigned segments = stream.getMasked().size();
  int64_t step = stream.getStep(), steps[2] = {0, 0};
  std::optional<int64_t> first;
  for (unsigned s = 0; s < segments; ++s) {
    int64_t lower = slots[i.operands[s]],
            upper = slots[i.operands[segments + s]];
    if (upper <= lower)
      continue;
    steps[stream.getMasked()[s]] += llvm::divideCeil(upper - lower, step);
    if (!first)
      first = lower;
  }
  Value backward = stream.getBackward();
  bool reverse = backward && valueOf(backward);
  // Once through the body: what it loads at the first position.
  slots[slotNumbers.lookup(stream.getPosition())] = first.value_or(0);
  bool outer = std::exchange(inStream, true);
  LogicalResult result = runBlock(i.body, listener);
  inStream = outer;
  if (failed(result))
    return failure();
  if (!outer)
    listener.stream(stream, steps[0], steps[1], reverse);
  return success();
}
