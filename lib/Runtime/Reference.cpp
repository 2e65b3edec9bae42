//===- Reference.cpp - Attention by its definition, in float64 ------------===//

#include "attn-mlir/Runtime/Reference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

using namespace mlir;
using namespace attn;

static constexpr double kInf = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Score modification
//===----------------------------------------------------------------------===//

namespace {

/// A value of the region. Integers are kept sign-extended from their width, so
/// that a true i1 is -1; index has 64 bits.
union Slot {
  Slot(double f = 0) : f(f) {}
  Slot(int64_t i) : i(i) {}
  Slot(uint64_t u) : i(u) {}
  double f;
  int64_t i;
};

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

/// One operation of the region: reads and writes slots of a frame.
using Step = std::function<void(Slot *)>;

/// The region, compiled: every value has a slot in a frame, that of the block
/// arguments first. A thread evaluates in a frame of its own.
struct ScoreProgram {
  std::vector<Step> steps;
  std::vector<Slot> frame; // Captures and constants are filled in.
  unsigned result = 0;
};

/// Block arguments before the captures: score, batch, head, query and key.
constexpr unsigned kFirstCapture = 5;

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

namespace {

/// Finds the step of one operation, not a constant, with one result that a slot
/// can hold.
struct StepCompiler {
  StepCompiler(Operation &op, const llvm::DenseMap<Value, unsigned> &slotOf)
      : op(op), result(slotOf.lookup(op.getResult(0))),
        width(widthOf(op.getResult(0).getType())),
        from(widthOf(op.getOperands().back().getType())) {
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
    step = [fn, r = result, s = slots, w = width, from = from](Slot *v) {
      Operand a{v[s[0]], from}, b{v[s[1]], from}, c{v[s[2]], from};
      if constexpr (std::is_invocable_v<F, Operand>)
        v[r] = fn(a);
      else if constexpr (std::is_invocable_v<F, Operand, Operand>)
        v[r] = fn(a, b);
      else
        v[r] = fn(a, b, c);
      if (w)
        v[r].i = llvm::SignExtend64(v[r].i, w);
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
    on<FmaOp>([](double a, double b, double c) { return std::fma(a, b, c); });
    on<RsqrtOp>([](double a) { return 1 / std::sqrt(a); });
    on<RemFOp>([](double a, double b) { return std::fmod(a, b); });
    on<MaxNumFOp>([](double a, double b) { return std::fmax(a, b); });
    on<MinNumFOp>([](double a, double b) { return std::fmin(a, b); });
    on<PowFOp>([](double a, double b) { return std::pow(a, b); });
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
    f1<ErfOp>(std::erf);
    f1<FloorOp>(std::floor);
    f1<CeilOp>(std::ceil);
    f1<RoundOp>(std::round);

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
    // f32 stands for the exact value here, but a narrower type is asked for
    // because it rounds.
    auto type = dyn_cast<FloatType>(op.getResult(0).getType());
    if (type && type.getWidth() < 32)
      on<TruncFOp>([&to = type.getFloatSemantics()](double a) {
        APFloat rounded(a);
        bool isInexact;
        rounded.convert(to, APFloat::rmNearestTiesToEven, &isInexact);
        return rounded.convertToDouble();
      });
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

  Step step; // null where the operation is not known
  Operation &op;
  std::array<unsigned, 3> slots = {0, 0, 0}; // of the operands
  unsigned result;
  unsigned width, from; // of an integer result, and of its integer operands
};

} // namespace

static FailureOr<ScoreProgram> compileScore(AttentionOp op,
                                            ArrayRef<double> captures) {
  ScoreProgram program;
  llvm::DenseMap<Value, unsigned> slotOf;
  // Null where a slot cannot hold the value.
  auto addSlot = [&](Value value) {
    slotOf[value] = program.frame.size();
    Slot *slot = &program.frame.emplace_back();
    bool fits = isa<FloatType>(value.getType()) || widthOf(value.getType());
    return fits ? slot : nullptr;
  };

  if (!op.hasScoreMod()) {
    program.frame.resize(kFirstCapture); // The result is the score.
    return program;
  }
  Block &body = op.getScore().front();
  for (BlockArgument argument : body.getArguments()) {
    Slot *slot = addSlot(argument);
    if (!slot)
      return op.emitOpError("the reference does not know captures of type ")
             << argument.getType();
    if (argument.getArgNumber() < kFirstCapture)
      continue;
    *slot = captures[argument.getArgNumber() - kFirstCapture];
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
    Step step = slot ? StepCompiler(inner, slotOf).step : nullptr;
    if (!step)
      return inner.emitOpError("the reference does not know this operation");
    program.steps.push_back(std::move(step));
  }
  program.result = slotOf.lookup(body.getTerminator()->getOperand(0));
  return program;
}

//===----------------------------------------------------------------------===//
// Attention and matrix product
//===----------------------------------------------------------------------===//

/// Whether `mask`, one of those known, lets query i attend to key j.
static bool attends(Attribute mask, AttentionSizes sizes, int64_t i,
                    int64_t j) {
  // How far the key lies after the one that the diagonal has for the query.
  auto after = [&](MaskAlign align) {
    return align == MaskAlign::TopLeft ? j - i
                                       : (j - sizes.keys) - (i - sizes.queries);
  };
  if (auto causal = dyn_cast_or_null<CausalMaskAttr>(mask))
    return after(causal.getAlign()) <= 0;
  if (auto window = dyn_cast_or_null<WindowMaskAttr>(mask)) {
    int64_t distance = after(window.getAlign());
    return (window.getLeft() == -1 || -distance <= window.getLeft()) &&
           (window.getRight() == -1 || distance <= window.getRight());
  }
  return true;
}

/// Spreads rows over the cores. `body` gets a few rows [first, last) at a time,
/// so that rows may differ in what they cost.
static void forRows(int64_t rows, function_ref<void(int64_t, int64_t)> body) {
  constexpr int64_t kChunk = 8;
  std::atomic<int64_t> next(0);
  auto work = [&] {
    for (int64_t first; (first = next.fetch_add(kChunk)) < rows;)
      body(first, std::min(first + kChunk, rows));
  };
  int64_t cores = std::thread::hardware_concurrency(); // 0 if not known
  std::vector<std::thread> threads;
  for (int64_t t = 1; t < cores && t * kChunk < rows; ++t)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// Eight sums, for the compiler may not reorder one. Head dimensions are
/// multiples of 8.
static double dot(const double *a, const double *b, int64_t size) {
  double sums[8] = {};
  for (int64_t d = 0; d < size; d += 8)
    for (int64_t lane = 0; lane < 8; ++lane)
      sums[lane] += a[d + lane] * b[d + lane];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
         ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// y += factor * x
static void addScaled(double *y, double factor, const double *x, int64_t size) {
  for (int64_t d = 0; d < size; ++d)
    y[d] += factor * x[d];
}

LogicalResult attn::referenceAttention(AttentionOp op, AttentionSizes sizes,
                                       ArrayRef<double> q, ArrayRef<double> k,
                                       ArrayRef<double> v,
                                       ArrayRef<double> captures,
                                       std::vector<double> &output,
                                       std::vector<double> &lse) {
  const int64_t queryHeads = op.getNumQueryHeads();
  const int64_t kvHeads = op.getNumKvHeads();
  const int64_t qkDim = op.getQkDim(), valueDim = op.getValueDim();
  const int64_t rows = sizes.batch * queryHeads * sizes.queries;
  const int64_t kvRows = sizes.batch * kvHeads * sizes.keys;
  if (int64_t(q.size()) != rows * qkDim ||
      int64_t(k.size()) != kvRows * qkDim ||
      int64_t(v.size()) != kvRows * valueDim ||
      captures.size() != op.getCaptures().size())
    return op.emitOpError("the reference got inputs of another size");
  const Attribute mask = op.getMaskAttr();
  if (mask && !isa<CausalMaskAttr, WindowMaskAttr>(mask))
    return op.emitOpError("the reference does not know the mask ") << mask;
  FailureOr<ScoreProgram> mod = compileScore(op, captures);
  if (failed(mod))
    return failure();

  const double scale = op.getScale().convertToDouble();
  output.assign(rows * valueDim, 0.0);
  lse.assign(rows, -kInf);
  forRows(rows, [&](int64_t first, int64_t last) {
    std::vector<Slot> frame = mod->frame;
    std::vector<std::pair<int64_t, double>> scores; // key and score
    for (int64_t row = first; row < last; ++row) {
      const int64_t i = row % sizes.queries;
      const int64_t h = row / sizes.queries % queryHeads;
      const int64_t b = row / sizes.queries / queryHeads;
      const int64_t g = h / (queryHeads / kvHeads);
      const int64_t firstKey = (b * kvHeads + g) * sizes.keys;
      const double *query = q.data() + row * qkDim;
      const double *keys = k.data() + firstKey * qkDim;
      const double *values = v.data() + firstKey * valueDim;

      scores.clear();
      double max = -kInf;
      for (int64_t j = 0; j < sizes.keys; ++j) {
        if (!attends(mask, sizes, i, j))
          continue;
        double s = scale * dot(query, keys + j * qkDim, qkDim);
        llvm::copy(std::array<Slot, kFirstCapture>{s, b, h, i, j},
                   frame.begin());
        for (const Step &step : mod->steps)
          step(frame.data());
        s = frame[mod->result].f;
        scores.push_back({j, s});
        max = std::max(max, s);
      }

      // Scores of -inf alone count as attending to nothing.
      double shift = max == -kInf ? 0 : max, sum = 0;
      for (auto &[j, s] : scores)
        sum += s = std::exp(s - shift);
      if (sum == 0)
        continue;
      lse[row] = shift + std::log(sum);
      for (auto [j, weight] : scores)
        addScaled(output.data() + row * valueDim, weight / sum,
                  values + j * valueDim, valueDim);
    }
  });
  return success();
}

void attn::referenceMatmul(int64_t m, int64_t n, int64_t k, ArrayRef<double> a,
                           ArrayRef<double> b, std::vector<double> &c) {
  c.assign(m * n, 0.0);
  // k is outermost so that the rows at hand share one read of b.
  forRows(m, [&](int64_t first, int64_t last) {
    for (int64_t p = 0; p < k; ++p)
      for (int64_t row = first; row < last; ++row)
        addScaled(c.data() + row * n, a[row * k + p], b.data() + p * n, n);
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

double attn::rowwiseError(ArrayRef<double> result, ArrayRef<double> reference,
                          int64_t columns) {
  if (result.size() != reference.size())
    return kInf;
  double worst = 0;
  for (; !reference.empty(); result = result.drop_front(columns),
                             reference = reference.drop_front(columns)) {
    // hypot, for squares of the smallest numbers are zero.
    double difference = 0, norm = 0;
    for (auto [o, r] :
         llvm::zip(result.take_front(columns), reference.take_front(columns))) {
      if (o == r ? std::isinf(r) : std::isnan(o) && std::isnan(r))
        continue;
      if (!std::isfinite(o) || !std::isfinite(r))
        return kInf;
      difference = std::hypot(difference, o - r);
      norm = std::hypot(norm, r);
    }
    if (difference != 0)
      worst = std::max(worst, difference / norm);
  }
  return worst;
}

double attn::elementwiseError(ArrayRef<double> result,
                              ArrayRef<double> reference) {
  if (result.size() != reference.size())
    return kInf;
  double worst = 0;
  for (auto [x, r] : llvm::zip(result, reference)) {
    if (x == r)
      continue;
    double error = std::abs(x - r) / std::max(1.0, std::abs(r));
    worst = std::max(worst, std::isnan(error) ? kInf : error);
  }
  return worst;
}
