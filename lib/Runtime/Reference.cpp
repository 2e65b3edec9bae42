//===- Reference.cpp - Attention by its definition, in float64 ------------===//

#include "attn-mlir/Runtime/Reference.h"
#include "ReferenceParts.h"
#include "ScalarProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

using namespace mlir;
using namespace attn;

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// From here on a row's slack says little, and its values have limits besides.
static constexpr double kWideSlack = 1e-4;

/// Rows that a thread takes at once.
static constexpr int64_t kRowsAtATime = 8;

//===----------------------------------------------------------------------===//
// Attention and matrix product
//===----------------------------------------------------------------------===//

bool attn::isKnownMask(Attribute mask) {
  if (auto packed = dyn_cast_or_null<PackedMaskAttr>(mask))
    mask = packed.getMask();
  return !mask || isa<CausalMaskAttr, WindowMaskAttr>(mask);
}

bool attn::attends(Attribute mask, AttentionSizes sizes, int64_t i, int64_t j) {
  if (auto packed = dyn_cast_or_null<PackedMaskAttr>(mask)) {
    int64_t queries = sizes.queries / packed.getGroup();
    return attends(packed.getMask(), {sizes.batch, queries, sizes.keys},
                   i % queries, j);
  }
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

void attn::forRows(int64_t rows, int64_t chunk,
                   function_ref<void(int64_t, int64_t)> body) {
  std::atomic<int64_t> next(0);
  auto work = [&] {
    for (int64_t first; (first = next.fetch_add(chunk)) < rows;)
      body(first, std::min(first + chunk, rows));
  };
  int64_t cores = std::thread::hardware_concurrency(); // 0 if not known
  std::vector<std::thread> threads;
  for (int64_t t = 1; t < cores && t * chunk < rows; ++t)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// Eight sums, for the compiler may not reorder one. Head dimensions are
/// multiples of 8.
double attn::dotProduct(const double *a, const double *b, int64_t size) {
  double sums[8] = {};
  for (int64_t d = 0; d < size; d += 8)
    for (int64_t lane = 0; lane < 8; ++lane)
      sums[lane] += a[d + lane] * b[d + lane];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
         ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void attn::addScaled(double *y, double factor, const double *x, int64_t size) {
  for (int64_t d = 0; d < size; ++d)
    y[d] += factor * x[d];
}

namespace {

/// The regions of an op.
class AttentionRegions {
public:
  static FailureOr<AttentionRegions> compile(AttentionOp op,
                                             ArrayRef<CaptureValue> captures) {
    AttentionRegions result;
    auto make = [&](RegionValue &value, Region &region, unsigned first,
                    Contraction contraction) {
      FailureOr<RegionValue> made =
          RegionValue::compile(region, first, captures, contraction);
      if (succeeded(made))
        value = std::move(*made);
      return LogicalResult(made);
    };
    unsigned first = AttentionOp::kScoreArguments;
    if (failed(make(result.score, op.getScore(), first, Contraction::Off)) ||
        failed(
            make(result.contracted, op.getScore(), first, Contraction::On)) ||
        failed(make(result.keep, op.getKeep(), AttentionOp::kKeepArguments,
                    Contraction::Off)))
      return failure();
    return result;
  }

  /// The score that the softmax takes, and how far contraction moves it.
  std::pair<double, double> modify(double s, int64_t b, int64_t h, int64_t i,
                                   int64_t j) {
    if (!score)
      return {s, 0};
    // A region sees an f32, and its result is one with each operation rounded.
    std::array<Slot, AttentionOp::kScoreArguments> arguments{
        double(static_cast<float>(s)), b, h, i, j};
    double value = score(arguments).f;
    if (!contracted.isContracted())
      return {value, 0};
    // The score is a product, too: with the scale.
    arguments[0] = s;
    double other = contracted(arguments).f;
    return {value, other == value ? 0 // infinities too
                                  : std::abs(other - value)};
  }

  /// Whether the mask region lets a query attend to a key.
  bool keeps(int64_t b, int64_t h, int64_t i, int64_t j) {
    std::array<Slot, AttentionOp::kKeepArguments> arguments{b, h, i, j};
    return !keep || keep(arguments).i != 0;
  }

private:
  RegionValue score, contracted, keep;
};

/// One key that a query attends to.
struct Attended {
  /// Its row of V.
  const double *value;
  double score, contraction;
};

/// Evaluates an op row by row.
class AttentionRows {
public:
  AttentionRows(AttentionOp op, AttentionSizes sizes,
                ArrayRef<std::vector<double>> inputs,
                ArrayRef<SmallVector<int64_t>> shapes,
                AttentionReference &result)
      : sizes(sizes), q(inputs[0]), k(inputs[1]), v(inputs[2]), result(result),
        mask(op.getMaskAttr()), queryHeads(op.getNumQueryHeads()),
        kvHeads(op.getNumKvHeads()), qkDim(op.getQkDim()),
        valueDim(op.getValueDim()), scale(op.getScale().convertToDouble()) {
    unsigned next = 3;
    if (op.getLengths())
      lengths = inputs[next++];
    if (op.getQueryOffsets())
      queryOffsets = inputs[next++];
    if (op.getKeyOffsets())
      keyOffsets = inputs[next++];
    if (op.getBlockTable()) {
      pages = shapes[1][0];
      pageSize = op.getPageSize();
      tablePages = shapes[next][1];
      table = inputs[next++];
    }
    for (unsigned i = 0; i < op.getBlocks().size(); ++i, ++next)
      lists.push_back({inputs[next], shapes[next]});
    if (op.hasBlocks())
      blockSize = llvm::to_vector(op.getBlockSize());
    if (std::optional<unsigned> view = op.getSinksView()) {
      sinks = inputs[*view];
      if (shapes[*view].size() == 2)
        sinksPerHead = shapes[*view][1];
    }
    if (std::optional<unsigned> view = op.getEarlierView()) {
      earlierOutput = inputs[*view];
      earlierLse = inputs[*view + 1];
    }
    for (auto [scale, view] : llvm::zip(scales, op.getScaleViews()))
      if (view)
        scale = {inputs[*view], shapes[*view],
                 static_cast<int64_t>(op.getScaleBlock().value_or(0))};
    if (scales[2].hasBlocks())
      scaleBlocksOfValues();
  }

  int64_t count() const {
    int64_t batch = queryOffsets.empty() ? sizes.batch : 1;
    return batch * queryHeads * sizes.queries;
  }

  void evaluate(int64_t row, AttentionRegions &regions,
                std::vector<Attended> &keys) const {
    int64_t i = row % sizes.queries;
    const int64_t h = row / sizes.queries % queryHeads;
    int64_t b = row / sizes.queries / queryHeads;
    const int64_t g = h / (queryHeads / kvHeads);
    AttentionSizes own = sizes;
    if (!queryOffsets.empty()) {
      b = sequenceOf(i);
      if (b < 0) // Nothing is stored.
        return fillWithNaN(row);
      i -= static_cast<int64_t>(queryOffsets[b]);
      own.queries = static_cast<int64_t>(queryOffsets[b + 1] - queryOffsets[b]);
    }
    int64_t firstKey =
        ((keyOffsets.empty() ? b : 0) * kvHeads + g) * sizes.keys;
    if (!keyOffsets.empty()) {
      double first = keyOffsets[b], end = keyOffsets[b + 1];
      if (first < 0 || first > end || end > double(sizes.keys))
        return fillWithNaN(row);
      firstKey += static_cast<int64_t>(first);
      own.keys = static_cast<int64_t>(end - first);
    }
    if (!lengths.empty()) {
      if (lengths[b] < 0 || lengths[b] > double(own.keys))
        return fillWithNaN(row);
      own.keys = static_cast<int64_t>(lengths[b]);
    }
    const double scoreScale = scale * scales[0].of(b, g);
    keys.clear();
    // Of a page that there is not.
    static const std::vector<double> zeros(kMostColumns, 0.0);
    for (int64_t j = 0; j < own.keys; ++j) {
      std::optional<bool> isFull = listed(b, h, i, j);
      bool isKept =
          isFull &&
          (*isFull || (attends(mask, own, i, j) && regions.keeps(b, h, i, j)));
      if (!isKept)
        continue;
      int64_t place = table.empty() ? firstKey + j : placeInPages(b, g, j);
      const double *key = place < 0 ? zeros.data() : k.data() + place * qkDim;
      double s = scoreScale * scales[1].of(b, g, j) *
                 dotProduct(q.data() + row * qkDim, key, qkDim);
      auto [value, contraction] = regions.modify(s, b, h, i, j);
      keys.push_back({place < 0 ? zeros.data() : v.data() + place * valueDim,
                      value, contraction});
    }
    // All that was seen earlier, as one key.
    if (!earlierLse.empty() && earlierLse[row] != -kInf)
      keys.push_back(
          {earlierOutput.data() + row * valueDim, earlierLse[row], 0});
    const double sink = sinkOf(h, i, own.queries);
    limit(row, keys, sink);
    softmax(row, keys, sink);
    if (!scales[2].hasBlocks())
      scaleValues(row, scales[2].of(b, g));
  }

private:
  /// The sequence that a packed query is of, or -1.
  int64_t sequenceOf(int64_t query) const {
    for (size_t b = 0; b + 1 < queryOffsets.size(); ++b)
      if (queryOffsets[b] <= double(query) &&
          double(query) < queryOffsets[b + 1])
        return static_cast<int64_t>(b);
    return -1;
  }

  /// Whether the block of a query and a key is full; nothing where no list has
  /// it.
  std::optional<bool> listed(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (lists.empty())
      return false;
    int64_t row = i / blockSize[0], block = j / blockSize[1];
    bool ends = (block + 1) * blockSize[1] > sizes.keys;
    for (size_t list = 0; list < lists.size(); list += 2)
      if (llvm::is_contained(rowOf(list, b, h, row), double(block)))
        return list > 0 && !ends;
    return std::nullopt;
  }

  /// The numbers that a row of a list has.
  ArrayRef<double> rowOf(size_t list, int64_t b, int64_t h, int64_t row) const {
    const auto &[counts, ofCounts] = lists[list];
    const auto &[numbers, ofNumbers] = lists[list + 1];
    auto place = [&](ArrayRef<int64_t> shape) {
      return ((shape[0] == 1 ? 0 : b) * shape[1] + (shape[1] == 1 ? 0 : h)) *
                 shape[2] +
             row;
    };
    auto columns = ofNumbers[3];
    double count = std::clamp(counts[place(ofCounts)], 0.0, double(columns));
    return numbers.slice(place(ofNumbers) * columns, size_t(count));
  }

  /// The row of a key in the cache, or -1 where its page is not there.
  int64_t placeInPages(int64_t b, int64_t g, int64_t j) const {
    double page = table[b * tablePages + j / pageSize];
    if (page < 0 || page >= double(pages))
      return -1;
    return (static_cast<int64_t>(page) * kvHeads + g) * pageSize + j % pageSize;
  }

  /// V, of which each key's is multiplied.
  void scaleBlocksOfValues() {
    scaledValues.assign(v.begin(), v.end());
    for (int64_t i = 0; i < static_cast<int64_t>(v.size()); ++i) {
      int64_t key = i / valueDim;
      scaledValues[i] *=
          scales[2].of(key / sizes.keys / kvHeads, key / sizes.keys % kvHeads,
                       key % sizes.keys);
    }
    v = scaledValues;
  }

  /// Of V, which is linear in it.
  void scaleValues(int64_t row, double by) const {
    for (std::vector<double> *values :
         {&result.output, &result.low, &result.high})
      for (int64_t d = 0; d < valueDim && by != 1; ++d)
        (*values)[row * valueDim + d] *= by;
  }

  /// One more logit.
  double sinkOf(int64_t head, int64_t i, int64_t queries) const {
    if (sinks.empty())
      return -kInf;
    int64_t several = std::max<int64_t>(1, queries / sinksPerHead);
    int64_t number = i / several;
    return number < sinksPerHead ? sinks[head * sinksPerHead + number] : 0;
  }

  void fillWithNaN(int64_t row) const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    result.lse[row] = kNaN;
    std::fill_n(result.output.data() + row * valueDim, valueDim, kNaN);
  }

  /// What the row allows for.
  void limit(int64_t row, std::vector<Attended> &keys, double sink) const {
    // No f32 is as small as exp(-104): a score that far below the maximum has
    // no weight, wherever in their slack the two may be.
    constexpr double kReach = 104;
    auto slackOf = [](const Attended &a) {
      return scoreSlack(std::abs(a.score), a.contraction);
    };
    double least = -kInf, largest = 0, contraction = 0;
    for (const Attended &a : keys)
      if (std::isfinite(a.score))
        least = std::max(least, a.score - slackOf(a) - kReach);
    auto takesPart = [&](const Attended &a) {
      return std::isfinite(a.score) && a.score + slackOf(a) >= least;
    };
    for (const Attended &a : llvm::make_filter_range(keys, takesPart)) {
      largest = std::max(largest, std::abs(a.score));
      contraction = std::max(contraction, a.contraction);
    }
    result.largestScore[row] = largest;
    result.slack[row] = scoreSlack(largest, contraction);
    if (result.slack[row] < kWideSlack)
      return;
    double *low = result.low.data() + row * valueDim;
    double *high = result.high.data() + row * valueDim;
    // A sink draws values to zero.
    bool hasSink = sink != -kInf;
    std::fill_n(low, valueDim, hasSink ? 0 : kInf);
    std::fill_n(high, valueDim, hasSink ? 0 : -kInf);
    for (const Attended &a : llvm::make_filter_range(keys, takesPart))
      for (int64_t d = 0; d < valueDim; ++d) {
        low[d] = std::min(low[d], a.value[d]);
        high[d] = std::max(high[d], a.value[d]);
      }
  }

  void softmax(int64_t row, std::vector<Attended> &keys, double sink) const {
    double max = sink, sum = 0;
    for (const Attended &a : keys)
      max = std::max(max, a.score);
    // Scores of -inf alone count as attending to nothing.
    double shift = max == -kInf ? 0 : max;
    sum += std::exp(sink - shift);
    for (Attended &a : keys)
      sum += a.score = std::exp(a.score - shift);
    if (sum == 0)
      return;
    result.lse[row] = shift + std::log(sum);
    for (const Attended &a : keys)
      addScaled(result.output.data() + row * valueDim, a.score / sum, a.value,
                valueDim);
  }

  AttentionSizes sizes;
  /// Columns of a row, at most.
  static constexpr int64_t kMostColumns = 256;

  /// Scales of a sequence and a KV head, either dimension of which may be 1,
  /// and perhaps of a block of keys.
  struct Scales {
    ArrayRef<double> values;
    SmallVector<int64_t> shape;
    int64_t block = 0;
    bool hasBlocks() const { return shape.size() == 3; }
    double of(int64_t b, int64_t g, int64_t key = 0) const {
      if (values.empty())
        return 1;
      int64_t head =
          (shape[0] == 1 ? 0 : b) * shape[1] + (shape[1] == 1 ? 0 : g);
      return values[hasBlocks() ? head * shape[2] + key / block : head];
    }
  };
  std::array<Scales, 3> scales;
  std::vector<double> scaledValues;
  ArrayRef<double> q, k, v, lengths, queryOffsets, keyOffsets, table, sinks,
      earlierOutput, earlierLse;
  int64_t pages = 0, pageSize = 0, tablePages = 0;
  /// Counts and numbers of blocks, and their shapes.
  SmallVector<std::pair<ArrayRef<double>, SmallVector<int64_t>>> lists;
  SmallVector<int64_t> blockSize;
  int64_t sinksPerHead = 1;
  AttentionReference &result;
  Attribute mask;
  int64_t queryHeads, kvHeads, qkDim, valueDim;
  double scale;
};

} // namespace

double attn::scoreSlack(double largestScore, double contraction) {
  return 0x1p-23 * largestScore + contraction;
}

/// What the regions of an op get from outside.
static SmallVector<CaptureValue>
captureValues(AttentionOp op, ArrayRef<std::vector<double>> inputs,
              ArrayRef<SmallVector<int64_t>> shapes, ArrayRef<double> scalars) {
  SmallVector<CaptureValue> captures;
  for (std::optional<unsigned> view : op.getCaptureViews()) {
    CaptureValue &capture = captures.emplace_back();
    if (view) {
      capture.elements = inputs[*view];
      capture.shape = shapes[*view];
      continue;
    }
    capture.number = scalars.front();
    scalars = scalars.drop_front();
  }
  return captures;
}

/// Whether all inputs are there, of their sizes.
static bool areComplete(AttentionOp op, ArrayRef<std::vector<double>> inputs,
                        ArrayRef<SmallVector<int64_t>> shapes,
                        ArrayRef<double> scalars) {
  size_t results = op->getNumResults();
  if (inputs.size() + results != op.getViewNames().size() ||
      scalars.size() != op.getScalarCaptures().size())
    return false;
  return llvm::all_of(llvm::zip(inputs, shapes), [](auto pair) {
    auto &[values, shape] = pair;
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return int64_t(values.size()) == count;
  });
}

LogicalResult attn::referenceAttention(AttentionOp op, AttentionSizes sizes,
                                       ArrayRef<std::vector<double>> inputs,
                                       ArrayRef<SmallVector<int64_t>> shapes,
                                       ArrayRef<double> scalars,
                                       AttentionReference &result) {
  if (!areComplete(op, inputs, shapes, scalars))
    return op.emitOpError("the reference but got inputs of another size");
  const AttentionRows rows(op, sizes, inputs, shapes, result);
  const int64_t valueDim = op.getValueDim();
  const Attribute mask = op.getMaskAttr();
  if (!isKnownMask(mask))
    return op.emitOpError("the reference does not know the mask ") << mask;
  FailureOr<AttentionRegions> regions =
      AttentionRegions::compile(op, captureValues(op, inputs, shapes, scalars));
  if (failed(regions))
    return failure();

  result.output.assign(rows.count() * valueDim, 0.0);
  result.lse.assign(rows.count(), -kInf);
  result.slack.assign(rows.count(), 0.0);
  result.largestScore.assign(rows.count(), 0.0);
  result.low.assign(rows.count() * valueDim, -kInf);
  result.high.assign(rows.count() * valueDim, kInf);
  forRows(rows.count(), kRowsAtATime, [&](int64_t first, int64_t last) {
    AttentionRegions own = *regions;
    std::vector<Attended> keys;
    for (int64_t row = first; row < last; ++row)
      rows.evaluate(row, own, keys);
  });
  return success();
}

void attn::referenceMergedStates(int64_t parts, int64_t rows, int64_t columns,
                                 ArrayRef<double> outputs,
                                 ArrayRef<double> lses,
                                 std::vector<double> &output,
                                 std::vector<double> &lse) {
  output.assign(rows * columns, 0);
  lse.assign(rows, -std::numeric_limits<double>::infinity());
  for (int64_t row = 0; row < rows; ++row) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t part = 0; part < parts; ++part)
      largest = std::max(largest, lses[part * rows + row]);
    if (std::isinf(largest))
      continue;
    for (int64_t part = 0; part < parts; ++part)
      sum += std::exp(lses[part * rows + row] - largest);
    lse[row] = largest + std::log(sum);
    for (int64_t part = 0; part < parts; ++part) {
      double weight = std::exp(lses[part * rows + row] - lse[row]);
      for (int64_t d = 0; weight != 0 && d < columns; ++d)
        output[row * columns + d] +=
            weight * outputs[(part * rows + row) * columns + d];
    }
  }
}

void attn::referenceMatmul(int64_t m, int64_t n, int64_t k, ArrayRef<double> a,
                           ArrayRef<double> b, std::vector<double> &c) {
  c.assign(m * n, 0.0);
  // k is outermost so that the rows at hand share one read of b.
  forRows(m, kRowsAtATime, [&](int64_t first, int64_t last) {
    for (int64_t p = 0; p < k; ++p)
      for (int64_t row = first; row < last; ++row)
        addScaled(c.data() + row * n, a[row * k + p], b.data() + p * n, n);
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// A number that is the same in both, if one of them is not finite.
static bool isSame(double x, double r) {
  return x == r ? std::isinf(r) : std::isnan(x) && std::isnan(r);
}

/// Keeps what exceeds its slack most; of equals the larger error.
static void keepWorst(std::optional<RowError> &worst, RowError other) {
  auto key = [](RowError e) { return std::pair(e.error - e.slack, e.error); };
  if (!worst || key(other) > key(*worst))
    worst = other;
}

RowError attn::rowwiseError(ArrayRef<double> result, ArrayRef<double> reference,
                            int64_t columns, ArrayRef<double> slack,
                            ArrayRef<double> units) {
  std::optional<RowError> worst;
  if (result.size() != reference.size())
    return RowError{kInf, 0, 0};
  for (int64_t row = 0; !reference.empty(); ++row,
               result = result.drop_front(columns),
               reference = reference.drop_front(columns)) {
    // hypot, for squares of the smallest numbers are zero.
    double difference = 0, norm = 0;
    for (auto [o, r] :
         llvm::zip(result.take_front(columns), reference.take_front(columns))) {
      if (isSame(o, r))
        continue;
      if (!std::isfinite(o) || !std::isfinite(r))
        return RowError{kInf, 0, row};
      difference = std::hypot(difference, o - r);
      norm = std::hypot(norm, r);
    }
    if (!units.empty())
      norm = std::max(norm, units[row]);
    keepWorst(worst, {difference == 0 ? 0 : difference / norm,
                      slack.empty() ? 0 : slack[row], row});
  }
  return worst.value_or(RowError());
}

RowError attn::elementwiseError(ArrayRef<double> result,
                                ArrayRef<double> reference,
                                ArrayRef<double> slack) {
  std::optional<RowError> worst;
  if (result.size() != reference.size())
    return RowError{kInf, 0, 0};
  for (auto [i, x] : llvm::enumerate(result)) {
    double r = reference[i], unit = std::max(1.0, std::abs(r));
    if (isSame(x, r))
      continue;
    double error = std::abs(x - r) / unit;
    if (!std::isfinite(error))
      return RowError{kInf, 0, int64_t(i)};
    keepWorst(worst, {error, slack.empty() ? 0 : slack[i] / unit, int64_t(i)});
  }
  return worst.value_or(RowError());
}

double attn::distanceOutside(ArrayRef<double> result, ArrayRef<double> low,
                             ArrayRef<double> high) {
  double worst = 0;
  for (auto [x, l, h] : llvm::zip_equal(result, low, high)) {
    double outside = std::max(l - x, x - h);
    if (outside > 0)
      worst = std::max(worst, outside / std::max(std::abs(l), std::abs(h)));
  }
  return worst;
}
