//===- GradientReference.cpp - Gradients of attention in float64 ----------===//

#include "attn-mlir/Runtime/GradientReference.h"
#include "ReferenceParts.h"
#include "ScalarProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

using namespace mlir;
using namespace attn;

namespace {

/// Makes every float an f64.
void widen(Block &body) {
  Type f64 = Float64Type::get(body.getTerminator()->getContext());
  auto widenType = [&](Value value) {
    if (isa<FloatType>(value.getType()))
      value.setType(f64);
  };
  llvm::for_each(body.getArguments(), widenType);
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
      continue;
    }
    llvm::for_each(op.getResults(), widenType);
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (auto number =
            constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr())
      constant.setValueAttr(FloatAttr::get(f64, number.getValueAsDouble()));
  }
}

/// A region, in float64.
FailureOr<RegionValue> compileWide(Region &region, unsigned numOwn,
                                   ArrayRef<CaptureValue> captures) {
  Region copy;
  IRMapping map;
  region.cloneInto(&copy, map);
  if (!copy.empty())
    widen(copy.front());
  return RegionValue::compile(copy, numOwn, captures, Contraction::Off);
}

/// One pair of a query and a key.
struct Pair {
  int64_t batch, head, query, key;
};

/// Shapes of tensors [B,H,S,D] or [B,S,H,D], of sequences in a batch or packed.
struct Rows {
  const GradientInput *input = nullptr;
  bool headsLast = false;
  /// Where packed sequences begin, and the last ends; of none null.
  const GradientInput *starts = nullptr;

  int64_t size(unsigned dim) const { return input->shape[dim]; }
  int64_t heads() const { return size(headsLast ? 2 : 1); }
  int64_t count() const { return size(headsLast ? 1 : 2); }
  int64_t columns() const { return size(3); }
  int64_t sequences() const {
    return starts ? int64_t(starts->values.size()) - 1 : size(0);
  }
  /// Rows of a sequence.
  int64_t countOf(int64_t b) const {
    return starts ? int64_t(starts->values[b + 1] - starts->values[b])
                  : count();
  }
  /// Leads from a row of a sequence to its place in the tensor.
  void enter(int64_t &b, int64_t &s) const {
    if (!starts)
      return;
    s += int64_t(starts->values[b]);
    b = 0;
  }
  int64_t rowOf(int64_t b, int64_t h, int64_t s) const {
    enter(b, s);
    return headsLast ? (b * count() + s) * heads() + h
                     : (b * heads() + h) * count() + s;
  }
  const double *row(int64_t b, int64_t h, int64_t s) const {
    return input->values.data() + rowOf(b, h, s) * columns();
  }
};

/// A gradient while it is added up.
struct Sum {
  GradientResult result;
  /// The smallest number that a factor has all of its digits at.
  double smallest;
  /// By how much roundings are smaller than what is rounded, in f16, which is
  /// where there are numbers so small that it matters.
  static constexpr double kRoundings = 0x1p11;

  Sum(const GradientInput &like, double smallest) : smallest(smallest) {
    result.shape = like.shape;
    result.values.assign(like.values.size(), 0.0);
    result.units.assign(like.values.size() / std::max<int64_t>(1, columns()),
                        0.0);
  }
  int64_t columns() const { return result.shape.back(); }
  /// A term of a row: a factor, which is rounded to the type that it is
  /// multiplied in, times a row; `size` is what its errors are relative to.
  void add(int64_t row, double factor, double size, const double *x) {
    // A small one may be rounded to zero.
    size = std::max(size, std::min(std::abs(factor) * kRoundings, smallest));
    addScaled(result.values.data() + row * columns(), factor, x, columns());
    result.units[row] += size * size * dotProduct(x, x, columns());
  }
  GradientResult take(double scale) {
    for (double &value : result.values)
      value *= scale;
    double row = smallest * std::sqrt(columns());
    for (double &unit : result.units)
      unit = std::hypot(std::abs(scale) * std::sqrt(unit), row);
    return std::move(result);
  }
};

/// The gradient of a capture while it is added up, and its modification with
/// the capture moved by steps both ways.
class CaptureSum {
public:
  /// Of a sum over keys rows are those of `q`, else those of `k` are its last
  /// dimension.
  CaptureSum(RankedTensorType type, const Rows &q, const Rows &k)
      : along(type.getRank() == 3 ? q : k) {
    int64_t pairs[] = {along.size(0), q.heads(), q.count(), k.count()};
    for (auto [size, all] : llvm::zip(type.getShape(), pairs))
      result.shape.push_back(size == 1 ? 1 : all);
    int64_t count = 1;
    for (int64_t size : result.shape)
      count *= size;
    result.values.assign(count, 0.0);
    result.units.assign(count / std::max<int64_t>(1, result.shape.back()), 0.0);
  }

  LogicalResult compile(Region &score, ArrayRef<CaptureValue> captures,
                        int64_t number) {
    for (double steps : {1, -1, 2, -2}) {
      SmallVector<CaptureValue> moved(captures);
      CaptureValue &its = moved[number];
      auto elements = std::make_shared<std::vector<double>>(
          its.elements.begin(), its.elements.end());
      for (double &element : *elements)
        element += steps * kStep;
      its.elements = *elements;
      its.number += steps * kStep;
      held.push_back(elements);
      FailureOr<RegionValue> value = compileWide(score, /*numOwn=*/5, moved);
      if (failed(value))
        return failure();
      modified.push_back(std::move(*value));
    }
    return success();
  }

  /// A pair whose change is `dy`, of that size.
  void add(const Pair &p, double x, double dy, double size) {
    auto at = [&](unsigned i) {
      return modified[i]({x, p.batch, p.head, p.query, p.key}).f;
    };
    double slope = (8 * (at(0) - at(1)) - (at(2) - at(3))) / (12 * kStep);
    int64_t place = 0, pair[] = {p.batch, p.head, p.query, p.key};
    along.enter(pair[0], pair[result.shape.size() == 3 ? 2 : 3]);
    for (auto [extent, index] : llvm::zip(result.shape, pair))
      place = place * extent + (extent == 1 ? 0 : index);
    result.values[place] += dy * slope;
    result.units[place / result.shape.back()] += size * size * slope * slope;
  }

  GradientResult take(double smallest) {
    for (double &unit : result.units)
      unit = std::hypot(std::sqrt(unit), smallest);
    return std::move(result);
  }

private:
  static constexpr double kStep = 1e-3;
  Rows along;
  GradientResult result;
  /// What modifications read.
  std::vector<std::shared_ptr<std::vector<double>>> held;
  std::vector<RegionValue> modified;
};

/// Lists of blocks by rows of queries.
class BlockRows {
public:
  BlockRows() = default;
  BlockRows(SmallVector<const GradientInput *> lists, ArrayRef<int64_t> size)
      : lists(std::move(lists)), size(size) {}

  /// Whether the block of a pair is full; nothing where no list has it.
  std::optional<bool> listed(const Pair &p) const {
    if (lists.empty())
      return false;
    for (unsigned list = 0; list < lists.size(); list += 2)
      if (names(*lists[list], *lists[list + 1], p))
        return list > 0;
    return std::nullopt;
  }

private:
  bool names(const GradientInput &counts, const GradientInput &numbers,
             const Pair &p) const {
    ArrayRef<int64_t> shape = numbers.shape;
    int64_t row = ((shape[0] == 1 ? 0 : p.batch) * shape[1] +
                   (shape[1] == 1 ? 0 : p.head)) *
                      shape[2] +
                  p.query / size[0];
    for (int64_t i = 0; i < int64_t(counts.values[row]); ++i)
      if (numbers.values[row * shape[3] + i] == double(p.key / size[1]))
        return true;
    return false;
  }

  SmallVector<const GradientInput *> lists;
  SmallVector<int64_t> size;
};

/// dQ, dK and dV of one operation, and gradients of captures.
class Gradients {
public:
  Gradients(ArrayRef<GradientInput> inputs, bool headsLast,
            const GradientInput *queryStarts, const GradientInput *keyStarts,
            Attribute mask, double scale, double smallest)
      : q{&inputs[0], headsLast, queryStarts},
        k{&inputs[1], headsLast, keyStarts},
        v{&inputs[2], headsLast, keyStarts}, mask(mask), scale(scale),
        dq(inputs[0], smallest), dk(inputs[1], smallest),
        dv(inputs[2], smallest) {}

  Rows q, k, v, change;
  ArrayRef<double> lse;
  /// By (batch, head, query), and by how much rounding O moves it.
  std::vector<double> delta, deltaSize;
  RegionValue score, keep;
  std::vector<CaptureSum> captures;
  BlockRows blocks;

  /// The heads of one KV head of one batch; others may be evaluated meanwhile.
  void evaluate(int64_t b, int64_t g, RegionValue modify, RegionValue keeps) {
    int64_t group = q.heads() / k.heads();
    AttentionSizes sizes{q.sequences(), q.countOf(b), k.countOf(b)};
    for (int64_t h = g * group; h < (g + 1) * group; ++h)
      for (int64_t i = 0; i < sizes.queries; ++i)
        for (int64_t j = 0; j < sizes.keys; ++j)
          if (Pair pair{b, h, i, j}; takesPart(sizes, pair, keeps))
            add(pair, g, modify);
  }

  int64_t numStreams() const { return q.sequences() * k.heads(); }

  GradientResult takeQuery() { return dq.take(scale); }
  GradientResult takeKey() { return dk.take(scale); }
  GradientResult takeValue() { return dv.take(1); }

private:
  bool takesPart(const AttentionSizes &sizes, const Pair &p,
                 RegionValue &keeps) const {
    std::optional<bool> isFull = blocks.listed(p);
    if (!isFull || *isFull)
      return isFull.has_value();
    return attends(mask, sizes, p.query, p.key) &&
           (!keeps || keeps({p.batch, p.head, p.query, p.key}).i != 0);
  }

  static double evaluate(RegionValue &modify, const Pair &p, double x) {
    return modify({x, p.batch, p.head, p.query, p.key}).f;
  }

  /// By differences of the fourth order.
  static double differentiate(RegionValue &modify, const Pair &p, double x) {
    double h = 1e-3 * std::max(1.0, std::abs(x));
    auto at = [&](double steps) { return evaluate(modify, p, x + steps * h); };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  }

  void add(const Pair &p, int64_t g, RegionValue &modify) {
    const double *query = q.row(p.batch, p.head, p.query),
                 *key = k.row(p.batch, g, p.key),
                 *out = change.row(p.batch, p.head, p.query);
    double x = scale * dotProduct(query, key, q.columns()), slope = 1;
    double y = x;
    if (modify) {
      y = evaluate(modify, p, x);
      slope = differentiate(modify, p, x);
    }
    int64_t batch = p.batch, place = p.query;
    q.enter(batch, place);
    int64_t row = (batch * q.heads() + p.head) * q.count() + place;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    double weight = lse[row] == -kInf ? 0 : std::exp(y - lse[row]);
    if (weight == 0)
      return;
    double dp = dotProduct(out, v.row(p.batch, g, p.key), v.columns());
    double dy = weight * (dp - delta[row]), dx = dy * slope;
    double sizeOfScore = std::abs(weight) *
                         std::hypot(dp, std::abs(delta[row]) + deltaSize[row]);
    double size = sizeOfScore * std::abs(slope);
    for (CaptureSum &capture : captures)
      capture.add(p, x, dy, sizeOfScore);
    dq.add(q.rowOf(p.batch, p.head, p.query), dx, size, key);
    dk.add(k.rowOf(p.batch, g, p.key), dx, size, query);
    dv.add(v.rowOf(p.batch, g, p.key), weight, weight, out);
  }

  Attribute mask;
  double scale;
  Sum dq, dk, dv;
};

/// Scalar products of rows, by (batch, head, row), and the roots of the sums of
/// squares of their terms.
void dotRows(const Rows &x, const Rows &y, std::vector<double> &dots,
             std::vector<double> &sizes) {
  for (int64_t b = 0; b < x.size(0); ++b)
    for (int64_t h = 0; h < x.heads(); ++h)
      for (int64_t s = 0; s < x.count(); ++s) {
        double sum = 0, squares = 0;
        for (int64_t d = 0; d < x.columns(); ++d) {
          double product = x.row(b, h, s)[d] * y.row(b, h, s)[d];
          sum += product;
          squares += product * product;
        }
        dots.push_back(sum);
        sizes.push_back(std::sqrt(squares));
      }
}

/// The smallest normal number of the element type of a tensor.
double smallestOf(Value tensor) {
  auto type = cast<FloatType>(getElementTypeOrSelf(tensor));
  return APFloat::getSmallestNormalized(type.getFloatSemantics())
      .convertToDouble();
}

/// What all gradients of the operation are.
template <typename Op>
FailureOr<Gradients> evaluateAll(Op op, ArrayRef<GradientInput> inputs,
                                 unsigned change, ArrayRef<double> numbers) {
  if (!isKnownMask(op.getMaskAttr())) {
    op.emitOpError("the reference does not know the mask ") << op.getMaskAttr();
    return failure();
  }
  bool headsLast = op.getLayout() == TensorLayout::BSHD;
  // Behind Q, K, V and three more come offsets and captured tensors.
  ArrayRef<GradientInput> others = inputs.drop_front(6);
  auto takeIf = [&](bool exists) {
    const GradientInput *taken = exists ? &others.front() : nullptr;
    others = others.drop_front(exists ? 1 : 0);
    return taken;
  };
  const GradientInput *lseGradient = nullptr;
  if constexpr (std::is_same_v<Op, AttentionBackwardOp>)
    lseGradient = takeIf(bool(op.getLseGradient()));
  const GradientInput *queryStarts = takeIf(bool(op.getQueryOffsets())),
                      *keyStarts = takeIf(bool(op.getKeyOffsets()));
  Gradients all(inputs, headsLast, queryStarts, keyStarts, op.getMaskAttr(),
                op.getScale().convertToDouble(), smallestOf(op.getQuery()));
  all.change = Rows{&inputs[change], headsLast, queryStarts};
  all.lse = inputs[change + 1].values;
  if (change == 4) {
    dotRows(Rows{&inputs[3], headsLast}, Rows{&inputs[4], headsLast}, all.delta,
            all.deltaSize);
  } else {
    all.delta = inputs[change + 2].values;
    all.deltaSize.assign(all.delta.size(), 0.0);
  }
  if (lseGradient)
    for (auto [delta, taken] : llvm::zip(all.delta, lseGradient->values))
      delta -= taken;
  SmallVector<const GradientInput *> lists;
  for (unsigned i = 0; i < op.getBlocks().size(); ++i)
    lists.push_back(takeIf(true));
  // Lists by keys say the same.
  if constexpr (std::is_same_v<Op, AttentionBackwardOp>)
    others = others.drop_front(op.getKeyBlocks().size());
  all.blocks = BlockRows(std::move(lists), op.getBlockSize());
  SmallVector<CaptureValue> captures;
  for (Value capture : op.getCaptures()) {
    CaptureValue &value = captures.emplace_back();
    if (const GradientInput *read =
            takeIf(isa<RankedTensorType>(capture.getType()))) {
      value.elements = read->values;
      value.shape = read->shape;
      continue;
    }
    value.number = numbers.front();
    numbers = numbers.drop_front();
  }
  FailureOr<RegionValue> score =
      compileWide(op.getScore(), /*numOwn=*/5, captures);
  FailureOr<RegionValue> keep =
      compileWide(op.getKeep(), /*numOwn=*/4, captures);
  if (failed(score) || failed(keep))
    return failure();
  if constexpr (std::is_same_v<Op, AttentionBackwardOp>) {
    for (auto [gradient, number] :
         llvm::zip(op.getCaptureGradients(), op.getOf()))
      if (failed(all.captures
                     .emplace_back(cast<RankedTensorType>(gradient.getType()),
                                   all.q, all.k)
                     .compile(op.getScore(), captures, number)))
        return failure();
  }
  int64_t heads = all.k.heads();
  // Streams add to the same gradients of captures.
  forRows(all.numStreams(),
          /*chunk=*/all.captures.empty()
              ? 1
              : std::max<int64_t>(1, all.numStreams()),
          [&](int64_t first, int64_t last) {
            for (int64_t stream = first; stream < last; ++stream)
              all.evaluate(stream / heads, stream % heads, *score, *keep);
          });
  return all;
}

} // namespace

bool attn::isGradient(Operation *op) {
  return isa<AttentionBackwardOp, RowDotOp, AttentionBackwardQueryOp,
             AttentionBackwardKeyOp>(op);
}

LogicalResult attn::referenceGradient(Operation *op,
                                      ArrayRef<GradientInput> inputs,
                                      ArrayRef<double> numbers,
                                      std::vector<GradientResult> &results) {
  if (auto dot = dyn_cast<RowDotOp>(op)) {
    bool headsLast = dot.getLayout() == TensorLayout::BSHD;
    Rows x{&inputs[0], headsLast}, y{&inputs[1], headsLast};
    GradientResult result;
    std::vector<double> sizes;
    dotRows(x, y, result.values, sizes);
    if (dot.getMinus())
      for (auto [value, taken] : llvm::zip(result.values, inputs[2].values))
        value -= taken;
    result.shape = {x.size(0), x.heads(), x.count()};
    results.push_back(std::move(result));
    return success();
  }
  auto take = [&](FailureOr<Gradients> all, bool query, bool key) {
    if (failed(all))
      return failure();
    if (query)
      results.push_back(all->takeQuery());
    if (key) {
      results.push_back(all->takeKey());
      results.push_back(all->takeValue());
    }
    for (CaptureSum &capture : all->captures)
      results.push_back(capture.take(smallestOf(op->getOperand(0))));
    return success();
  };
  if (auto all = dyn_cast<AttentionBackwardOp>(op))
    return take(evaluateAll(all, inputs, 4, numbers), true, true);
  if (auto query = dyn_cast<AttentionBackwardQueryOp>(op))
    return take(evaluateAll(query, inputs, 3, numbers), true, false);
  return take(evaluateAll(cast<AttentionBackwardKeyOp>(op), inputs, 3, numbers),
              false, true);
}
