//===- Lengths.cpp - Lengths of streams that a run makes ------------------===//

#include "Lengths.h"
#include <limits>

using namespace mlir;
using namespace attn;

static unsigned streamAxisOf(StreamableOpInterface op) {
  for (auto [i, axis] : llvm::enumerate(op.getStreamAxes()))
    if (axis.kind == AxisKind::Stream)
      return i;
  llvm_unreachable("a streamable operation has a streamed axis");
}

static int64_t elementsOf(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// The largest prime up to `most`, or `most` where there is none.
static int64_t primeUpTo(int64_t most) {
  auto isPrime = [](int64_t n) {
    for (int64_t d = 2; d * d <= n; ++d)
      if (n % d == 0)
        return false;
    return n >= 2;
  };
  for (int64_t n = most; n >= 2; --n)
    if (isPrime(n))
      return n;
  return most;
}

FailureOr<std::vector<double>> attn::makeLengths(StreamableOpInterface op,
                                                 ArrayRef<int64_t> extents,
                                                 const OracleOptions &options,
                                                 std::mt19937_64 &random) {
  unsigned view = *op.getLengthsView();
  int64_t count = elementsOf(viewSizes(op, view, extents));
  int64_t capacity = extents[streamAxisOf(op)];
  std::vector<double> lengths;
  auto stated = options.contents.find(op.getViewNames()[view]);
  if (stated != options.contents.end()) {
    ArrayRef<int64_t> numbers = stated->second;
    if (numbers.size() != 1 && int64_t(numbers.size()) != count)
      return op.emitOpError("expected 1 or ")
                 << count << " numbers as contents of '" << stated->first()
                 << "', but got " << numbers.size(),
             failure();
    for (int64_t i = 0; i < count; ++i)
      lengths.push_back(numbers.size() == 1 ? numbers[0] : numbers[i]);
    return lengths;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t prime =
        primeUpTo(std::uniform_int_distribution<int64_t>(0, capacity)(random));
    int64_t kinds[] = {prime, capacity, 0, std::min<int64_t>(1, capacity)};
    lengths.push_back(kinds[i % std::size(kinds)]);
  }
  return lengths;
}

std::vector<double> attn::makeIntegers(IntegerType type, StringRef view,
                                       ArrayRef<int64_t> sizes,
                                       const ViewContents &contents,
                                       std::mt19937_64 &random) {
  constexpr int kMeanRun = 24;
  std::vector<double> values(elementsOf(sizes));
  auto stated = contents.find(view);
  std::uniform_int_distribution<int> draw(0, kMeanRun - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    bool isFirst = i % sizes.back() == 0;
    if (stated != contents.end())
      values[i] = stated->second[i % stated->second.size()];
    else if (type.getWidth() == 8)
      values[i] = draw(random) % 2;
    else
      values[i] = isFirst ? 0 : values[i - 1] + (draw(random) == 0);
  }
  return values;
}

void attn::poisonBehind(StreamableOpInterface op, unsigned view,
                        ArrayRef<int64_t> extents, ArrayRef<double> lengths,
                        ArrayRef<int64_t> permutation,
                        MutableArrayRef<double> values) {
  AffineMap map = op.getViewMaps()[view],
            owner = op.getViewMaps()[*op.getLengthsView()];
  auto dimOf = [&](AffineExpr expr) -> std::optional<unsigned> {
    auto place = llvm::find(map.getResults(), expr);
    if (place == map.getResults().end())
      return std::nullopt;
    return place - map.getResults().begin();
  };
  std::optional<unsigned> streamed =
      dimOf(getAffineDimExpr(streamAxisOf(op), op->getContext()));
  if (!streamed)
    return;
  SmallVector<int64_t> sizes = viewSizes(op, view, extents),
                       owners = viewSizes(op, *op.getLengthsView(), extents);
  SmallVector<int64_t> shape(sizes.size()), index(sizes.size(), 0);
  for (auto [dim, at] : llvm::enumerate(permutation))
    shape[at] = sizes[dim];
  for (double &value : values) {
    int64_t number = 0;
    for (auto [expr, size] : llvm::zip(owner.getResults(), owners))
      if (std::optional<unsigned> dim = dimOf(expr))
        number = number * size + index[permutation[*dim]];
    if (double(index[permutation[*streamed]]) >= lengths[number])
      value = std::numeric_limits<double>::quiet_NaN();
    for (unsigned d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}
