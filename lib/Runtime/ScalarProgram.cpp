//===- ScalarProgram.cpp - A region of scalar operations, evaluated -------===//

#include "ScalarProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// A slot that is read as a function wants it: as its parameter type.
struct Operand {
  operator double() const { return slot.f; }
  operator int64_t() const { return slot.i; }
  operator uint64_t() const {
    return slot.i & llvm::maskTrailingOnes<uint64_t>(width);
  }
  operator Slot() const { return slot; }
  Slot slot;
  unsigned width;
};

} // namespace

/// Bits of an integer or index type that a slot can hold, or 0.
static unsigned widthOf(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

/// Saturates where the conversion is undefined.
static int64_t toInteger(double value) {
  constexpr double kLargest = 0x1.fffffffffffffp62;
  return std::isnan(value) ? 0 : int64_t(std::clamp(value, -0x1p63, kLargest));
}

/// NaN wins, and +0 is above -0.
static double maximum(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

// Division by zero and overflow are undefined in the IR. They do occur, in the
// branch that a select does not take, and must not trap.
static int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? int64_t(-uint64_t(a)) : a / b;
}
static int64_t rest(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/// What values of a type are rounded to; null where every double is one.
static const llvm::fltSemantics *semanticsOf(Type type) {
  auto to = dyn_cast<FloatType>(type);
  return to && !to.isF64() ? &to.getFloatSemantics() : nullptr;
}

static double roundToSemantics(const llvm::fltSemantics *to, double value) {
  if (!to)
    return value;
  if (to == &APFloat::IEEEsingle())
    return static_cast<float>(value);
  APFloat rounded(value);
  bool isInexact;
  rounded.convert(*to, APFloat::rmNearestTiesToEven, &isInexact);
  return rounded.convertToDouble();
}

/// Whether `op` is an operation on floats that may be contracted.
static bool mayContract(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags &&
         arith::bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::contract);
}

/// Whether a sum that may be contracted takes this value.
static bool isSummand(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<arith::AddFOp, arith::SubFOp>(user) && mayContract(user);
  });
}

/// Whether compiled code may make one operation of this product and a sum.
static bool isProductOfFma(Operation &op) {
  return isa<arith::MulFOp>(op) && mayContract(&op) &&
         isSummand(op.getResult(0));
}

namespace {

/// Finds the step of one operation, not a constant, with one result that a slot
/// can hold.
struct StepCompiler {
  StepCompiler(Operation &op, const llvm::DenseMap<Value, unsigned> &slotOf,
               Contraction contraction)
      : op(op), rounds(!(contraction == Contraction::On && isProductOfFma(op))),
        result(slotOf.lookup(op.getResult(0))),
        width(widthOf(getElementTypeOrSelf(op.getResult(0)))),
        from(widthOf(getElementTypeOrSelf(op.getOperands().back()))) {
    for (auto [slot, operand] : llvm::zip(slots, op.getOperands()))
      slot = slotOf.lookup(operand);
    match();
  }

  /// Takes the operation if it is one of OpTy. `fn` has parameters double,
  /// int64_t (sign-extended), uint64_t (zero-extended) or Slot; an integer
  /// result is wrapped.
  template <typename... OpTy, typename F> void on(F fn) {
    if (!isa<OpTy...>(op))
      return;
    const llvm::fltSemantics *to =
        rounds ? semanticsOf(getElementTypeOrSelf(op.getResult(0))) : nullptr;
    step = [fn, r = result, s = slots, w = width, from = from, to](Slot *v) {
      Operand a{v[s[0]], from}, b{v[s[1]], from}, c{v[s[2]], from};
      if constexpr (std::is_invocable_v<F, Operand>)
        v[r] = fn(a);
      else if constexpr (std::is_invocable_v<F, Operand, Operand>)
        v[r] = fn(a, b);
      else
        v[r] = fn(a, b, c);
      if (w)
        v[r].i = llvm::SignExtend64(v[r].i, w);
      if (to)
        v[r].f = roundToSemantics(to, v[r].f);
    };
  }
  /// Chooses the overload of a function of the C library.
  template <typename OpTy> void f1(double (*fn)(double)) { on<OpTy>(fn); }

  void match() {
    using namespace arith;
    using namespace math;
    on<AddFOp>([](double a, double b) { return a + b; });
    on<SubFOp>([](double a, double b) { return a - b; });
    on<MulFOp>([](double a, double b) { return a * b; });
    on<DivFOp>([](double a, double b) { return a / b; });
    on<NegFOp>([](double a) { return -a; });
    on<MaximumFOp>(maximum);
    on<MinimumFOp>([](double a, double b) { return -maximum(-a, -b); });
    // Rounded once.
    if (getElementTypeOrSelf(op.getResult(0)).isF32())
      on<FmaOp>([](double a, double b, double c) {
        return double(std::fma(float(a), float(b), float(c)));
      });
    else
      on<FmaOp>([](double a, double b, double c) { return std::fma(a, b, c); });
    on<RsqrtOp>([](double a) { return 1 / std::sqrt(a); });
    on<RemFOp>([](double a, double b) { return std::fmod(a, b); });
    on<MaxNumFOp>([](double a, double b) { return std::fmax(a, b); });
    on<MinNumFOp>([](double a, double b) { return std::fmin(a, b); });
    on<PowFOp>([](double a, double b) { return std::pow(a, b); });
    on<Atan2Op>([](double a, double b) { return std::atan2(a, b); });
    on<CopySignOp>([](double a, double b) { return std::copysign(a, b); });
    on<FPowIOp>([](double a, int64_t b) { return std::pow(a, double(b)); });
    on<IsNaNOp>([](double a) { return int64_t(std::isnan(a)); });
    on<IsFiniteOp>([](double a) { return int64_t(std::isfinite(a)); });
    f1<AbsFOp>(std::fabs);
    f1<ExpOp>(std::exp);
    f1<Exp2Op>(std::exp2);
    f1<ExpM1Op>(std::expm1);
    f1<LogOp>(std::log);
    f1<Log2Op>(std::log2);
    f1<Log10Op>(std::log10);
    f1<Log1pOp>(std::log1p);
    f1<SqrtOp>(std::sqrt);
    f1<TanhOp>(std::tanh);
    f1<SinOp>(std::sin);
    f1<CosOp>(std::cos);
    f1<TanOp>(std::tan);
    f1<AsinOp>(std::asin);
    f1<AcosOp>(std::acos);
    f1<AtanOp>(std::atan);
    f1<SinhOp>(std::sinh);
    f1<CoshOp>(std::cosh);
    f1<AsinhOp>(std::asinh);
    f1<AcoshOp>(std::acosh);
    f1<AtanhOp>(std::atanh);
    f1<CbrtOp>(std::cbrt);
    f1<ErfOp>(std::erf);
    f1<ErfcOp>(std::erfc);
    f1<FloorOp>(std::floor);
    f1<CeilOp>(std::ceil);
    f1<RoundOp>(std::round);
    f1<RoundEvenOp>(std::nearbyint);
    f1<TruncOp>(std::trunc);

    on<AddIOp>([](uint64_t a, uint64_t b) { return a + b; });
    on<SubIOp>([](uint64_t a, uint64_t b) { return a - b; });
    on<MulIOp>([](uint64_t a, uint64_t b) { return a * b; });
    on<AndIOp>([](uint64_t a, uint64_t b) { return a & b; });
    on<OrIOp>([](uint64_t a, uint64_t b) { return a | b; });
    on<XOrIOp>([](uint64_t a, uint64_t b) { return a ^ b; });
    on<ShLIOp>([](uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; });
    on<ShRUIOp>([](uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; });
    on<ShRSIOp>([](int64_t a, uint64_t b) { return a >> (b < 64 ? b : 63); });
    on<DivUIOp>([](uint64_t a, uint64_t b) { return b ? a / b : 0; });
    on<RemUIOp>([](uint64_t a, uint64_t b) { return b ? a % b : 0; });
    on<DivSIOp>(divide);
    on<RemSIOp>(rest);
    // A remainder has the sign of a.
    on<FloorDivSIOp>([](int64_t a, int64_t b) {
      return divide(a, b) - (rest(a, b) != 0 && (a < 0) != (b < 0));
    });
    on<CeilDivSIOp>([](int64_t a, int64_t b) {
      return divide(a, b) + (rest(a, b) != 0 && (a < 0) == (b < 0));
    });
    on<MaxSIOp>([](int64_t a, int64_t b) { return std::max(a, b); });
    on<MinSIOp>([](int64_t a, int64_t b) { return std::min(a, b); });
    on<MaxUIOp>([](uint64_t a, uint64_t b) { return std::max(a, b); });
    on<MinUIOp>([](uint64_t a, uint64_t b) { return std::min(a, b); });
    on<AbsIOp>([](int64_t a) { return a < 0 ? divide(a, -1) : a; });
    on<IndexCastOp, ExtSIOp, TruncIOp>([](int64_t a) { return a; });
    on<IndexCastUIOp, ExtUIOp>([](uint64_t a) { return a; });
    on<SIToFPOp>([](int64_t a) { return double(a); });
    on<UIToFPOp>([](uint64_t a) { return double(a); });
    on<FPToSIOp>(toInteger);
    on<ExtFOp, TruncFOp>([](double a) { return a; });
    on<SelectOp>([](int64_t c, Slot a, Slot b) { return c ? a : b; });
    if (auto cmp = dyn_cast<CmpIOp>(op))
      on<CmpIOp>([p = cmp.getPredicate()](int64_t a, int64_t b) {
        // Sign extension keeps the unsigned order too.
        return int64_t(applyCmpPredicate(p, APInt(64, a), APInt(64, b)));
      });
    if (auto cmp = dyn_cast<CmpFOp>(op))
      on<CmpFOp>([p = cmp.getPredicate()](double a, double b) {
        return int64_t(applyCmpPredicate(p, APFloat(a), APFloat(b)));
      });
  }

  ScalarProgram::Step step; // null where the operation is not known
  Operation &op;
  bool rounds;
  std::array<unsigned, 3> slots = {0, 0, 0}; // of the operands
  unsigned result;
  unsigned width, from; // of an integer result, and of its integer operands
};

} // namespace

/// Reads an element of a capture, or zero where there is none.
static ScalarProgram::Step
compileGather(GatherOp op, const CaptureValue &capture,
              const llvm::DenseMap<Value, unsigned> &slotOf) {
  SmallVector<unsigned> slots;
  for (Value index : op.getIndices())
    slots.push_back(slotOf.lookup(index));
  bool isFloat = isa<FloatType>(op.getElements().getType());
  return [slots, isFloat, result = slotOf.lookup(op.getElements()),
          elements = capture.elements, shape = capture.shape](Slot *v) {
    int64_t place = 0;
    bool inside = true;
    for (auto [slot, size] : llvm::zip(slots, shape)) {
      inside &= v[slot].i >= 0 && v[slot].i < size;
      place = place * size + (inside ? v[slot].i : 0);
    }
    double value = inside ? elements[place] : 0;
    v[result] = isFloat ? Slot(value) : Slot(static_cast<int64_t>(value));
  };
}

FailureOr<ScalarProgram> ScalarProgram::compile(Block &body,
                                                unsigned firstCapture,
                                                ArrayRef<CaptureValue> captures,
                                                Contraction contraction) {
  ScalarProgram program;
  llvm::DenseMap<Value, unsigned> slotOf;
  // Null where a slot cannot hold the value.
  auto addSlot = [&](Value value) {
    slotOf[value] = program.frame.size();
    Slot *slot = &program.frame.emplace_back();
    bool fits = isa<FloatType>(value.getType()) || widthOf(value.getType());
    return fits ? slot : nullptr;
  };
  for (BlockArgument argument : body.getArguments()) {
    if (isa<RankedTensorType>(argument.getType()))
      continue;
    Slot *slot = addSlot(argument);
    if (!slot)
      return body.getParentOp()->emitOpError(
                 "the reference does not know captures of type ")
             << argument.getType();
    if (argument.getArgNumber() < firstCapture) {
      program.contracted |=
          contraction == Contraction::On && isSummand(argument);
      continue;
    }
    *slot = roundToSemantics(
        semanticsOf(argument.getType()),
        captures[argument.getArgNumber() - firstCapture].number);
    if (unsigned width = widthOf(argument.getType()))
      slot->i = llvm::SignExtend64(toInteger(slot->f), width);
  }
  for (Operation &inner : body.without_terminator()) {
    bool one = inner.getNumResults() == 1;
    Slot *slot = one ? addSlot(inner.getResult(0)) : nullptr;
    if (auto constant = dyn_cast<arith::ConstantOp>(inner); constant && slot) {
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        *slot = number.getValueAsDouble();
      else
        *slot =
            cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue();
      continue;
    }
    Step step;
    if (auto gather = dyn_cast<GatherOp>(inner)) {
      auto source = cast<BlockArgument>(gather.getSource());
      step = compileGather(
          gather, captures[source.getArgNumber() - firstCapture], slotOf);
    } else if (slot) {
      step = StepCompiler(inner, slotOf, contraction).step;
    }
    if (!step)
      return inner.emitOpError("the reference does not know this operation");
    program.steps.push_back(std::move(step));
    program.contracted |=
        contraction == Contraction::On && isProductOfFma(inner);
  }
  program.result = slotOf.lookup(body.getTerminator()->getOperand(0));
  return program;
}

std::function<Slot(ArrayRef<Slot>)> attn::compileScalarOp(Operation &op) {
  constexpr unsigned kMost = 3;
  unsigned count = op.getNumOperands();
  if (count == 0 || count > kMost || op.getNumResults() != 1)
    return {};
  llvm::DenseMap<Value, unsigned> slotOf{{op.getResult(0), count}};
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    slotOf[operand] = i;
  ScalarProgram::Step step = StepCompiler(op, slotOf, Contraction::Off).step;
  if (!step)
    return {};
  return [step = std::move(step), count](ArrayRef<Slot> operands) {
    Slot frame[kMost + 1];
    llvm::copy(operands, frame);
    step(frame);
    return frame[count];
  };
}
