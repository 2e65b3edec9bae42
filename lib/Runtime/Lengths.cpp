//===- Lengths.cpp - Lengths of streams that a run makes ------------------===//

#include "Lengths.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

static unsigned streamAxisOf(StreamableOpInterface op) {
  for (auto [i, axis] : llvm::enumerate(op.getStreamAxes()))
    if (axis.kind == AxisKind::Stream)
      return i;
  llvm_unreachable("a streamable operation has a streamed axis");
}

static int64_t roomOf(ArrayRef<int64_t> sizes) {
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

/// The contents of a view that are stated, if any are; failure after a
/// diagnostic where there are too many or too few.
static FailureOr<std::vector<double>> statedContents(StreamableOpInterface op,
                                                     unsigned view,
                                                     int64_t count,
                                                     const ViewContents &all) {
  auto stated = all.find(op.getViewNames()[view]);
  std::vector<double> result;
  if (stated == all.end())
    return result;
  ArrayRef<int64_t> numbers = stated->second;
  if (numbers.size() != 1 && int64_t(numbers.size()) != count)
    return op.emitOpError("expected 1 or ")
               << count << " numbers as contents of '" << stated->first()
               << "', but got " << numbers.size(),
           failure();
  for (int64_t i = 0; i < count; ++i)
    result.push_back(numbers.size() == 1 ? numbers[0] : numbers[i]);
  return result;
}

/// Offsets of sequences of a prime of elements, none, one and many, of `total`.
/// `all`: each element is of some sequence.
static std::vector<double> drawOffsets(int64_t sequences, int64_t total,
                                       bool all, std::mt19937_64 &random) {
  auto draw = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  int64_t at = all ? 0 : draw(std::min<int64_t>(3, total)), first = draw(3);
  std::vector<double> offsets{double(at)};
  for (int64_t i = 0; i < sequences; ++i) {
    int64_t left = total - at,
            share = std::min(left, 2 * left / (sequences - i));
    int64_t kinds[] = {primeUpTo(draw(share)), 0, std::min<int64_t>(1, left),
                       share};
    at += kinds[(first + i) % std::size(kinds)];
    offsets.push_back(double(at));
  }
  if (all)
    offsets.back() = double(total);
  return offsets;
}

/// Shuffled pages for what streams have; some share their first, and behind
/// their ends stand numbers of no page.
static std::vector<double> drawTable(ArrayRef<int64_t> sizes, int64_t pages,
                                     int64_t block, ArrayRef<double> lengths,
                                     std::mt19937_64 &random) {
  std::vector<double> order(pages), table(roomOf(sizes));
  for (int64_t page = 0; page < pages; ++page)
    order[page] = double(page);
  std::shuffle(order.begin(), order.end(), random);
  constexpr double kNone[] = {-1, 1 << 30, -(1 << 30)};
  size_t next = 0;
  for (int64_t stream = 0; stream < sizes[0]; ++stream)
    for (int64_t page = 0; page < sizes[1]; ++page) {
      double &number = table[stream * sizes[1] + page];
      bool used = double(page * block) < lengths[stream];
      bool shared = page == 0 && stream % 3 == 2 &&
                    lengths[0] >= double(block) &&
                    lengths[stream] >= double(block);
      number = shared                        ? table[0]
               : used && next < order.size() ? order[next++]
                                             : kNone[page % std::size(kNone)];
    }
  return table;
}

/// Positions of stream number `i` that there are.
static int64_t capacityOf(StreamableOpInterface op, ArrayRef<int64_t> extents,
                          const SequenceContents &sequences, int64_t i) {
  for (const PackedAxis &packed : op.getPackedAxes())
    if (packed.axis == streamAxisOf(op)) {
      const std::vector<double> &offsets = sequences.at(packed.offsets);
      return std::max<int64_t>(0, int64_t(offsets[i + 1] - offsets[i]));
    }
  return extents[streamAxisOf(op)];
}

/// What stands behind the numbers of a list: those of no block.
static constexpr double kNone[] = {-1, 1 << 30, 3};

/// Counts and numbers of lists of blocks of these shapes: rows that list
/// nothing, a few blocks and many, the partial ones in any order, and numbers
/// of no block behind them. `mayBeFull` says it of a row and a block.
static std::vector<std::vector<double>>
drawBlocks(ArrayRef<SmallVector<int64_t>> shapes, int64_t blocks,
           std::mt19937_64 &random,
           function_ref<bool(int64_t, int64_t)> mayBeFull) {
  std::vector<std::vector<double>> lists;
  for (ArrayRef<int64_t> shape : shapes)
    lists.emplace_back(roomOf(shape), kNone[1]);
  for (int64_t row = 0, rows = lists[0].size(); row < rows; ++row) {
    std::vector<double> named[2];
    int64_t percent = 25 * (random() % 5);
    for (int64_t block = 0; block < blocks; ++block)
      if (int64_t(random() % 100) < percent) {
        uint64_t list = random() % (lists.size() / 2);
        named[mayBeFull(row % shapes[0][2], block) ? list : 0].push_back(
            double(block));
      }
    std::shuffle(named[0].begin(), named[0].end(), random);
    for (size_t list = 0; list < lists.size() / 2; ++list) {
      int64_t columns = shapes[2 * list + 1].back();
      size_t count = std::min<size_t>(named[list].size(), columns);
      lists[2 * list][row] = double(count);
      for (int64_t i = 0; i < columns; ++i)
        lists[2 * list + 1][row * columns + i] =
            i < int64_t(count) ? named[list][i] : kNone[i % std::size(kNone)];
    }
  }
  return lists;
}

/// The same blocks by rows of what they were columns of, in lists of `shapes`.
static std::vector<std::vector<double>>
transposeBlocks(ArrayRef<std::vector<double>> lists,
                ArrayRef<SmallVector<int64_t>> shapes,
                ArrayRef<SmallVector<int64_t>> transposed) {
  std::vector<std::vector<double>> result;
  for (ArrayRef<int64_t> shape : transposed)
    result.emplace_back(roomOf(shape), kNone[1]);
  auto rowOf = [](ArrayRef<int64_t> shape, int64_t b, int64_t h, int64_t row) {
    return ((shape[0] == 1 ? 0 : b) * shape[1] + (shape[1] == 1 ? 0 : h)) *
               shape[2] +
           row;
  };
  for (size_t list = 0; list < lists.size(); list += 2) {
    ArrayRef<int64_t> from = shapes[list], to = transposed[list];
    int64_t columns = shapes[list + 1][3], room = transposed[list + 1][3];
    for (int64_t b = 0; b < to[0]; ++b)
      for (int64_t h = 0; h < to[1]; ++h)
        for (int64_t other = 0; other < to[2]; ++other) {
          int64_t place = rowOf(to, b, h, other), count = 0;
          for (int64_t row = 0; row < from[2]; ++row) {
            int64_t own = rowOf(from, b, h, row);
            ArrayRef<double> named(&lists[list + 1][own * columns],
                                   size_t(lists[list][own]));
            if (llvm::is_contained(named, double(other)))
              result[list + 1][place * room + count++] = double(row);
          }
          result[list][place] = double(count);
        }
  }
  return result;
}

std::vector<std::vector<double>>
attn::makeBlocksOfGradients(AttentionOp attention, AttentionBackwardOp gradient,
                            ArrayRef<int64_t> extents,
                            std::mt19937_64 &random) {
  StreamableOpInterface op = attention;
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  auto extentOf = [&](StringRef name) {
    return extents[llvm::find_if(axes,
                                 [&](const StreamAxis &axis) {
                                   return axis.name == name;
                                 }) -
                   axes.begin()];
  };
  int64_t queries = extentOf("query"), keys = extentOf("key"),
          rows = attention.getBlockSize()[0],
          columns = attention.getBlockSize()[1];
  SmallVector<SmallVector<int64_t>> shapes, transposed;
  for (unsigned i = 0; i < attention.getBlocks().size(); ++i) {
    shapes.push_back(viewSizes(op, attention.getFirstBlockView() + i, extents));
    auto type = cast<RankedTensorType>(gradient.getKeyBlocks()[i].getType());
    SmallVector<int64_t> &shape = transposed.emplace_back();
    shape = {type.getDimSize(0) == 1 ? 1 : extentOf("batch"),
             type.getDimSize(1), int64_t(llvm::divideCeil(keys, columns))};
    if (type.getRank() == 4)
      shape.push_back(int64_t(llvm::divideCeil(queries, rows)));
  }
  auto lists = drawBlocks(shapes, llvm::divideCeil(keys, columns), random,
                          [&](int64_t row, int64_t block) {
                            return (row + 1) * rows <= queries &&
                                   (block + 1) * columns <= keys;
                          });
  for (std::vector<double> &list : transposeBlocks(lists, shapes, transposed))
    lists.push_back(std::move(list));
  return lists;
}

FailureOr<SequenceContents> attn::makeSequences(StreamableOpInterface op,
                                                ArrayRef<int64_t> extents,
                                                const OracleOptions &options,
                                                std::mt19937_64 &random,
                                                bool all) {
  SequenceContents result;
  auto make = [&](unsigned view,
                  function_ref<std::vector<double>(int64_t)> draw) {
    int64_t count = roomOf(viewSizes(op, view, extents));
    FailureOr<std::vector<double>> stated =
        statedContents(op, view, count, options.contents);
    if (failed(stated))
      return failure();
    result[view] = stated->empty() ? draw(count) : std::move(*stated);
    return success();
  };
  for (const PackedAxis &packed : op.getPackedAxes())
    if (failed(make(packed.offsets, [&](int64_t count) {
          return drawOffsets(count - 1, extents[packed.axis], all, random);
        })))
      return failure();
  std::optional<unsigned> lengths = op.getLengthsView();
  auto drawLengths = [&](int64_t count) {
    std::vector<double> drawn;
    for (int64_t i = 0; i < count; ++i) {
      int64_t capacity = capacityOf(op, extents, result, i);
      int64_t prime = primeUpTo(
          std::uniform_int_distribution<int64_t>(0, capacity)(random));
      int64_t kinds[] = {prime, capacity, 0, std::min<int64_t>(1, capacity)};
      drawn.push_back(kinds[i % std::size(kinds)]);
    }
    return drawn;
  };
  if (lengths && failed(make(*lengths, drawLengths)))
    return failure();
  for (const Lookup &lookup : op.getLookups()) {
    // Pages are those of the first view that is looked up.
    if (result.count(lookup.table))
      continue;
    SmallVector<int64_t> table = viewSizes(op, lookup.table, extents);
    int64_t pages = viewSizes(op, lookup.view, extents)[lookup.dim];
    int64_t block = op.getStreamAxes()[streamAxisOf(op)].block;
    if (failed(make(lookup.table, [&](int64_t) {
          return drawTable(table, pages, block, result.at(*lengths), random);
        })))
      return failure();
  }
  auto attention = dyn_cast<AttentionOp>(op.getOperation());
  if (!attention || !attention.hasBlocks())
    return result;
  unsigned first = attention.getFirstBlockView();
  SmallVector<SmallVector<int64_t>> shapes;
  for (unsigned i = 0; i < attention.getBlocks().size(); ++i)
    shapes.push_back(viewSizes(op, first + i, extents));
  int64_t blocks =
      llvm::divideCeil(extents[streamAxisOf(op)], attention.getBlockSize()[1]);
  auto lists =
      drawBlocks(shapes, blocks, random, [](int64_t, int64_t) { return true; });
  for (size_t i = 0; i < lists.size(); ++i)
    if (failed(make(first + i, [&](int64_t) { return lists[i]; })))
      return failure();
  return result;
}

std::vector<double> attn::makeIntegers(IntegerType type, StringRef view,
                                       ArrayRef<int64_t> sizes,
                                       const ViewContents &contents,
                                       std::mt19937_64 &random) {
  constexpr int kMeanRun = 24;
  std::vector<double> values(roomOf(sizes));
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

namespace {

/// Which elements of one input have no part in results.
class UnusedElements {
public:
  UnusedElements(StreamableOpInterface op, unsigned view,
                 ArrayRef<int64_t> extents, const SequenceContents &sequences)
      : map(op.getViewMaps()[view]), streamed(dimOf(streamAxisOf(op))) {
    for (const Lookup &lookup : op.getLookups())
      if (lookup.view == view)
        findPages(op, lookup, extents, sequences);
    for (const PackedAxis &axis : op.getPackedAxes())
      packed.push_back({sequences.at(axis.offsets), dimOf(axis.axis),
                        dimOf(axis.owner), axis.axis == streamAxisOf(op)});
    if (std::optional<unsigned> lengthsView = op.getLengthsView())
      findLengths(op, *lengthsView, extents, sequences);
  }

  /// `index`: in dimensions of the view.
  bool contains(ArrayRef<int64_t> index) const {
    if (pageDim) {
      auto used = rows.find(index[*pageDim]);
      return used == rows.end() || index[*rowDim] >= used->second;
    }
    std::optional<int64_t> position;
    if (streamed)
      position = index[*streamed];
    std::optional<int64_t> point;
    for (const PackedDims &axis : packed) {
      if (axis.owner)
        point = index[*axis.owner];
      if (!axis.dim)
        continue;
      point = find(axis.offsets, index[*axis.dim]);
      if (!point)
        return true;
      if (axis.dim == streamed)
        position = index[*axis.dim] - int64_t(axis.offsets[*point]);
    }
    if (!position)
      return false;
    return isBehind(index, point, *position) || (point && hasNoRow(*point));
  }

private:
  /// A packed axis: where its points begin, which dimensions of the view are it
  /// and its owner, and whether it is streamed.
  struct PackedDims {
    ArrayRef<double> offsets;
    std::optional<unsigned> dim, owner;
    bool isStreamed;
  };

  /// Which dimensions of the view number the lengths.
  void findLengths(StreamableOpInterface op, unsigned view,
                   ArrayRef<int64_t> extents,
                   const SequenceContents &sequences) {
    lengths = sequences.at(view);
    SmallVector<int64_t> sizes = viewSizes(op, view, extents);
    for (auto [expr, size] :
         llvm::zip(op.getViewMaps()[view].getResults(), sizes))
      if (auto axis = dyn_cast<AffineDimExpr>(expr)) {
        if (std::optional<unsigned> dim = dimOf(axis.getPosition()))
          lengthDims.emplace_back(*dim, size);
        else
          isOfAllStreams = true;
      }
  }

  /// Collects how many rows of each page some stream has.
  void findPages(StreamableOpInterface op, const Lookup &lookup,
                 ArrayRef<int64_t> extents, const SequenceContents &sequences) {
    unsigned axis = streamAxisOf(op);
    int64_t block = op.getStreamAxes()[axis].block;
    pageDim = lookup.dim;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(axis))
        rowDim = dim;
    ArrayRef<double> table = sequences.at(lookup.table);
    int64_t perStream = viewSizes(op, lookup.table, extents)[1];
    for (auto [stream, length] :
         llvm::enumerate(sequences.at(*op.getLengthsView())))
      for (int64_t page = 0; page < perStream; ++page) {
        int64_t &most = rows[int64_t(table[stream * perStream + page])];
        int64_t left = int64_t(length) - page * block;
        most = std::max(most, std::clamp<int64_t>(left, 0, block));
      }
  }

  std::optional<unsigned> dimOf(unsigned axis) const {
    auto place =
        llvm::find(map.getResults(), getAffineDimExpr(axis, map.getContext()));
    if (place == map.getResults().end())
      return std::nullopt;
    return place - map.getResults().begin();
  }

  static std::optional<int64_t> find(ArrayRef<double> offsets,
                                     int64_t element) {
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      if (offsets[i] <= double(element) && double(element) < offsets[i + 1])
        return i;
    return std::nullopt;
  }

  bool isBehind(ArrayRef<int64_t> index, std::optional<int64_t> point,
                int64_t position) const {
    if (!lengths)
      return false;
    if (point)
      return double(position) >= (*lengths)[*point];
    // What all streams read is behind where it is behind each.
    if (isOfAllStreams)
      return llvm::all_of(
          *lengths, [&](double length) { return double(position) >= length; });
    int64_t number = 0;
    for (auto [dim, size] : lengthDims)
      number = number * size + index[dim];
    return double(position) >= (*lengths)[number];
  }

  bool hasNoRow(int64_t point) const {
    return llvm::any_of(packed, [&](const PackedDims &axis) {
      return !axis.isStreamed && axis.offsets[point] == axis.offsets[point + 1];
    });
  }

  AffineMap map;
  std::optional<unsigned> streamed, pageDim, rowDim;
  SmallVector<PackedDims> packed;
  std::optional<ArrayRef<double>> lengths;
  SmallVector<std::pair<unsigned, int64_t>> lengthDims;
  /// Whether the view lacks a dimension that lengths have.
  bool isOfAllStreams = false;
  std::map<int64_t, int64_t> rows;
};

} // namespace

void attn::poisonUnused(StreamableOpInterface op, unsigned view,
                        ArrayRef<int64_t> extents,
                        const SequenceContents &sequences,
                        ArrayRef<int64_t> permutation,
                        MutableArrayRef<double> values) {
  if (sequences.empty())
    return;
  UnusedElements unused(op, view, extents, sequences);
  SmallVector<int64_t> sizes = viewSizes(op, view, extents);
  SmallVector<int64_t> shape(sizes.size()), index(sizes.size(), 0),
      logical(sizes.size());
  for (auto [dim, at] : llvm::enumerate(permutation))
    shape[at] = sizes[dim];
  for (double &value : values) {
    for (auto [dim, at] : llvm::enumerate(permutation))
      logical[dim] = index[at];
    if (unused.contains(logical))
      value = std::numeric_limits<double>::quiet_NaN();
    for (unsigned d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}
