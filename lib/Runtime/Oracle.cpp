//===- Oracle.cpp - Run a kernel and compare with the reference -----------===//

#include "attn-mlir/Runtime/Oracle.h"
#include "Lengths.h"
#include "SplitStates.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Runtime/Reference.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

double attn::usualBound(Type element) {
  // Of weights that are rounded to so few bits.
  if (isa<Float8E5M2Type>(element))
    return 0x1p-3;
  if (isFloat8(element))
    return 0x1p-4;
  return element.isBF16() ? 1e-2 : element.isF16() ? 2e-3 : 1e-5;
}

double attn::usualBound(StreamableOpInterface op) {
  double bound = usualBound(getElementTypeOrSelf(op->getResult(0)));
  if (auto attention = dyn_cast<AttentionOp>(op.getOperation()))
    bound =
        std::max(bound, usualBound(getElementTypeOrSelf(attention.getValue())));
  return bound;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Elements of one view that a run takes on, at most: 8 GiB of f32.
static constexpr int64_t kMaxElements = int64_t(1) << 31;

static SmallVector<RankedTensorType> viewTypes(StreamableOpInterface op) {
  SmallVector<RankedTensorType> types;
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      types.push_back(tensor);
  return types;
}

/// Checks the views' sizes against their types and against memory.
static LogicalResult checkViews(StreamableOpInterface op,
                                ArrayRef<int64_t> extents) {
  SmallVector<RankedTensorType> types = viewTypes(op);
  SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
  for (auto [view, type] : llvm::enumerate(types)) {
    int64_t elements = 1;
    for (auto [dim, size] : llvm::enumerate(viewSizes(op, view, extents))) {
      int64_t wanted = type.getDimSize(perms[view][dim]);
      if (!ShapedType::isDynamic(wanted) && wanted != size)
        return op.emitOpError("sizes make ")
               << op.getViewNames()[view] << " " << size
               << " long in dimension " << perms[view][dim]
               << ", but its type is " << type;
      if (size > 0 && elements > kMaxElements / size)
        return op.emitOpError("expected at most ")
               << kMaxElements << " elements in " << op.getViewNames()[view]
               << " for a run, but got more";
      elements *= size;
    }
  }
  return success();
}

/// Whether another operation of the function has an axis of this name.
static bool isAxisBeside(StreamableOpInterface op, StringRef name) {
  auto hasAxis = [&](StreamableOpInterface other) {
    return llvm::any_of(other.getStreamAxes(), [&](const StreamAxis &axis) {
      return axis.name == name;
    });
  };
  return op->getParentOp()
      ->walk([&](StreamableOpInterface other) {
        return hasAxis(other) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<SmallVector<int64_t>>
attn::resolveExtents(StreamableOpInterface op,
                     const llvm::StringMap<int64_t> &sizes) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  SmallVector<StringRef> names;
  for (const StreamAxis &axis : axes)
    names.push_back(axis.name);
  for (const auto &entry : sizes) {
    if (!llvm::is_contained(names, entry.first()) &&
        !isAxisBeside(op, entry.first()))
      return op.emitOpError("has no axis '")
                 << entry.first() << "'" << didYouMean(entry.first(), names)
                 << " (axes: " << llvm::join(names, ", ") << ")",
             failure();
    if (entry.second < 0)
      return op.emitOpError("size of axis '")
                 << entry.first() << "' expects to be 0 or more, but got "
                 << entry.second,
             failure();
  }
  SmallVector<int64_t> extents;
  for (const StreamAxis &axis : axes) {
    auto given = sizes.find(axis.name);
    bool isStatic = !ShapedType::isDynamic(axis.extent);
    if (given == sizes.end() && !isStatic)
      return op.emitOpError("expected a size for its dynamic axis '")
                 << axis.name << "'",
             failure();
    if (given != sizes.end() && isStatic && given->second != axis.extent)
      return op.emitOpError("axis '")
                 << axis.name << "' has size " << axis.extent << ", but got "
                 << given->second,
             failure();
    extents.push_back(isStatic ? axis.extent : given->second);
  }
  if (failed(checkViews(op, extents)))
    return failure();
  return extents;
}

/// Elements of a dimension that is no axis: where that is not stated, as many
/// as there are of any group or stream.
static int64_t ownSize(StreamableOpInterface op, ArrayRef<int64_t> extents,
                       int64_t stated) {
  if (!ShapedType::isDynamic(stated))
    return stated;
  int64_t most = 1;
  for (auto [axis, extent] : llvm::zip(op.getStreamAxes(), extents))
    if (!isSingle(axis.kind))
      most = std::max(most, extent);
  return most;
}

/// Pages of a cache that a run makes: as many as tables have numbers of, and a
/// few that nothing uses.
static int64_t pagesFor(StreamableOpInterface op, unsigned table,
                        ArrayRef<int64_t> extents) {
  constexpr int64_t kUnused = 2;
  int64_t count = 1;
  for (int64_t size : viewSizes(op, table, extents))
    count *= size;
  return count + kUnused;
}

/// Elements along a dimension that axes span. One that is made of several is as
/// long as all of them together; one of blocks has as many as there are.
static int64_t spannedSize(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    auto block = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (block && binary.getKind() == AffineExprKind::Mod)
      return block.getValue();
    if (block && (binary.getKind() == AffineExprKind::FloorDiv ||
                  binary.getKind() == AffineExprKind::CeilDiv))
      return llvm::divideCeil(spannedSize(binary.getLHS(), extents),
                              block.getValue());
  }
  int64_t size = 1;
  for (auto [i, extent] : llvm::enumerate(extents))
    if (expr.isFunctionOfDim(i))
      size *= extent;
  return size;
}

/// Number of the view of V.
static constexpr unsigned kValues = 2;

static bool hasInterleavedValues(StreamableOpInterface op) {
  auto attention = dyn_cast<AttentionOp>(op.getOperation());
  return attention && attention.hasInterleavedValues();
}

/// Rows of keys of V that lies by columns, which are interleaved.
static std::vector<double> valuesByRows(ArrayRef<double> values,
                                        ArrayRef<int64_t> sizes, int64_t keys) {
  int64_t heads = sizes[0] * sizes[1], columns = sizes[2], places = sizes[3];
  std::vector<double> rows(heads * keys * columns);
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t place = 0; place < places; ++place)
        if (int64_t key = InterleaveOp::sourceOf(place); key < keys)
          rows[(head * keys + key) * columns + column] =
              values[(head * columns + column) * places + place];
  return rows;
}

SmallVector<int64_t> attn::viewSizes(StreamableOpInterface op, unsigned view,
                                     ArrayRef<int64_t> extents) {
  SmallVector<int64_t> sizes;
  RankedTensorType type = viewTypes(op)[view];
  SmallVector<int64_t> permutation = op.getViewPermutations()[view];
  bool holdsOffsets =
      llvm::any_of(op.getPackedAxes(), [&](const PackedAxis &packed) {
        return packed.offsets == view;
      });
  for (auto [dim, expr] :
       llvm::enumerate(op.getViewMaps()[view].getResults())) {
    int64_t stated = type.getDimSize(permutation[dim]);
    sizes.push_back(isa<AffineConstantExpr>(expr)
                        ? ownSize(op, extents, stated)
                        : spannedSize(expr, extents) + holdsOffsets);
  }
  if (view == kValues && hasInterleavedValues(op))
    sizes.back() = llvm::alignTo(sizes.back(), InterleaveOp::kGroup);
  for (const Lookup &lookup : op.getLookups())
    if (lookup.view == view && type.isDynamicDim(permutation[lookup.dim]))
      sizes[lookup.dim] = pagesFor(op, lookup.table, extents);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// One run of one op's kernel.
class OracleRun {
public:
  OracleRun(StreamableOpInterface op, const OracleOptions &options,
            ArrayRef<int64_t> extents)
      : op(op), options(options), extents(extents) {
    SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        views.emplace_back(type.getElementType(),
                           viewSizes(op, views.size(), extents),
                           perms[views.size()], options.gaps);
    inputs.resize(views.size());
    for (Type type : op->getResultTypes())
      views.emplace_back(cast<ShapedType>(type).getElementType(),
                         viewSizes(op, views.size(), extents),
                         perms[views.size()], options.gaps);
  }

  FailureOr<OracleReport> run(const LaunchFn &launch) {
    if (failed(makeInputs()))
      return failure();
    SmallVector<ScalarBytes> scalars;
    if (failed(encodeScalars(scalars)))
      return failure();
    SmallVector<StridedBuffer> buffers;
    for (HostView &view : views)
      buffers.push_back(view.buffer());
    if (llvm::Error error = launch(buffers, scalars)) {
      op.emitOpError("did not run: ") << llvm::toString(std::move(error));
      return failure();
    }
    AttentionReference expected;
    if (failed(evaluateReference(op, extents, inputs, options, expected)))
      return failure();
    return compare(expected);
  }

private:
  LogicalResult makeInputs() {
    std::mt19937_64 random(options.seed);
    FailureOr<SequenceContents> sequences =
        makeSequences(op, extents, options, random);
    if (failed(sequences))
      return failure();
    for (auto &[view, values] : *sequences)
      inputs[view] = values;
    for (auto [i, values] : llvm::enumerate(inputs)) {
      if (!sequences->count(i)) {
        values = makeInput(i, views[i], random);
        if (isa<FloatType>(viewTypes(op)[i].getElementType()))
          poisonUnused(
              op, i, extents, *sequences,
              llvm::to_vector(llvm::seq<int64_t>(0, views[i].sizes().size())),
              values);
      }
    }
    shareValues();
    for (auto [view, values] : llvm::zip(views, inputs))
      view.write(values);
    return success();
  }

  /// V within K is its first columns: those of K, or of V where that has an
  /// exact answer.
  void shareValues() {
    constexpr unsigned kKeys = 1;
    if (op.getContainingView(kValues) != kKeys)
      return;
    std::vector<double> &keys = inputs[kKeys], &values = inputs[kValues];
    int64_t of = views[kKeys].columns(), columns = views[kValues].columns();
    for (size_t i = 0; i < values.size(); ++i) {
      double &key = keys[i / columns * of + i % columns];
      (options.probe ? key : values[i]) = options.probe ? values[i] : key;
    }
  }

  std::vector<double> makeInput(unsigned view, const HostView &host,
                                std::mt19937_64 &random) {
    if (auto type = dyn_cast<IntegerType>(viewTypes(op)[view].getElementType()))
      return makeIntegers(type, op.getViewNames()[view], host.sizes(),
                          options.contents, random);
    std::vector<double> values(host.count());
    std::normal_distribution<double> normal;
    if (options.fill && !options.probe) {
      options.fill(view, host.sizes(), values);
      return values;
    }
    bool isScale = op.getViewNames()[view].ends_with("_scale");
    if (!options.probe) {
      for (double &value : values)
        value = isScale ? std::exp2(normal(random)) : normal(random);
      return values;
    }
    if (isScale)
      std::fill(values.begin(), values.end(), 1);
    if (view != kValues)
      return values;
    // V: one, the key modulo 128, then the key's bits.
    bool byColumns = hasInterleavedValues(op);
    int64_t columns = host.columns(), keys = host.sizes()[2];
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t column = i % columns, key = i / columns % keys;
      if (byColumns) {
        // There are keys of each feature.
        key = InterleaveOp::sourceOf(i % columns);
        column = i / columns % keys;
      }
      values[i] = column == 0   ? 1
                  : column == 1 ? key % 128
                                : key >> std::min<int64_t>(column - 2, 62) & 1;
    }
    return values;
  }

  LogicalResult encodeScalars(SmallVectorImpl<ScalarBytes> &scalars) {
    SmallVector<Value> captures = op.getScalarCaptures();
    if (captures.size() != options.scalars.size())
      return op.emitOpError("expected a value for each of its ")
             << captures.size() << " scalar captures, but got "
             << options.scalars.size();
    for (auto [capture, value] : llvm::zip(captures, options.scalars))
      scalars.push_back(encodeScalar(capture.getType(), value));
    return success();
  }

  OracleReport compare(const AttentionReference &expected) {
    OracleReport report;
    const HostView &result = views[inputs.size()];
    std::vector<double> got = result.read();
    RowError worst =
        rowwiseError(got, expected.output, result.columns(), expected.slack);
    report.outputError = worst.error;
    report.outputSlack = worst.slack;
    if (!expected.slack.empty()) {
      if (!expected.largestScore.empty())
        report.largestScore = expected.largestScore[worst.row];
      report.outside = distanceOutside(got, expected.low, expected.high);
    }
    if (options.probe) {
      Type type = cast<ShapedType>(op->getResult(0).getType()).getElementType();
      for (auto [o, r] : llvm::zip(got, expected.output))
        report.exact &= o == roundTo(type, static_cast<float>(r));
    }
    if (views.size() > inputs.size() + 1) {
      report.hasLse = true;
      RowError lse =
          elementwiseError(views.back().read(), expected.lse, expected.slack);
      report.lseError = lse.error;
      report.lseSlack = lse.slack;
    }
    for (const HostView &view : views)
      report.guardsIntact &= view.guardsIntact();
    return report;
  }

  StreamableOpInterface op;
  const OracleOptions &options;
  ArrayRef<int64_t> extents;
  std::vector<HostView> views;
  std::vector<std::vector<double>> inputs;
};

} // namespace

LogicalResult attn::evaluateReference(StreamableOpInterface op,
                                      ArrayRef<int64_t> extents,
                                      ArrayRef<std::vector<double>> inputs,
                                      const OracleOptions &options,
                                      AttentionReference &expected) {
  if (auto attention = dyn_cast<AttentionOp>(op.getOperation())) {
    auto shapes = llvm::map_to_vector(
        llvm::seq<unsigned>(0, inputs.size()),
        [&](unsigned view) { return viewSizes(op, view, extents); });
    std::vector<std::vector<double>> own(inputs.begin(), inputs.end());
    if (attention.hasInterleavedValues()) {
      SmallVector<int64_t> &its = shapes[kValues];
      own[kValues] = valuesByRows(inputs[kValues], its, extents[4]);
      its = {its[0], its[1], extents[4], its[2]};
    }
    return referenceAttention(attention, {extents[0], extents[3], extents[4]},
                              own, shapes, options.scalars, expected);
  }
  // Others have no limits but the usual bound.
  if (isa<MatmulOp>(op.getOperation())) {
    referenceMatmul(extents[0], extents[1], extents[2], inputs[0], inputs[1],
                    expected.output);
    return success();
  }
  if (isa<MergeStatesOp>(op.getOperation())) {
    int64_t rows = extents[0] * extents[1] * extents[2];
    referenceMergedStates(extents[3], rows, extents[4], inputs[0], inputs[1],
                          expected.output, expected.lse);
    return success();
  }
  if (options.reference)
    return options.reference(op, extents, inputs, expected.output,
                             expected.lse);
  return op.emitOpError("has no float64 reference");
}

bool OracleReport::isWithin(double bound, double lseBound) const {
  return outputError <= bound + outputSlack &&
         lseError <= lseBound + lseSlack && outside <= bound && guardsIntact &&
         exact;
}

std::string attn::whyNotKernel(StreamableOpInterface op,
                               const LoweredKernel &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      types.push_back(operand.getType());
  llvm::append_range(types, op->getResultTypes());
  // What is added to is a view of the kernel once, as the result.
  SmallVector<unsigned> numbers =
      llvm::to_vector(llvm::seq<unsigned>(0, types.size()));
  for (Contribution contribution : op.getContributions())
    llvm::erase(numbers, contribution.view);
  if (numbers.size() != kernel.views.size()) {
    os << "expected " << numbers.size() << " views, but got "
       << kernel.views.size();
    return text;
  }
  SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
  for (auto [i, view] : llvm::zip(numbers, kernel.views)) {
    auto type = cast<RankedTensorType>(types[i]);
    bool matches = type.getElementType() == view.getElementType() &&
                   type.getRank() == view.getRank();
    for (unsigned d = 0; matches && d < view.getRank(); ++d) {
      int64_t size = type.getDimSize(perms[i][d]);
      matches = ShapedType::isDynamic(size) ||
                ShapedType::isDynamic(view.getShape()[d]) ||
                size == view.getShape()[d];
    }
    if (matches)
      continue;
    os << "expected a view " << op.getViewNames()[i] << " for '" << type
       << "', but got '" << view << "'";
    return text;
  }
  if (kernel.numScalars != op.getScalarCaptures().size())
    os << "expected " << op.getScalarCaptures().size() << " scalars, but got "
       << kernel.numScalars;
  return text;
}

FailureOr<OracleReport> attn::runOracle(StreamableOpInterface op,
                                        CpuModule &module,
                                        const LoweredKernel &kernel,
                                        const OracleOptions &options) {
  FailureOr<SmallVector<int64_t>> extents = resolveExtents(op, options.sizes);
  if (failed(extents))
    return failure();
  SplitStates states(op, *extents, kernel.states, options.splits);
  auto launch = [&](ArrayRef<StridedBuffer> views,
                    ArrayRef<ScalarBytes> scalars) {
    if (kernel.merge.empty())
      return module.run(kernel.name, views, scalars, options.threads);
    return states.run(views, [&](bool merge, ArrayRef<StridedBuffer> its) {
      return module.run(merge ? kernel.merge : kernel.name, its, scalars,
                        options.threads);
    });
  };
  return runOracle(op, launch, options);
}

FailureOr<OracleReport> attn::runOracle(StreamableOpInterface op,
                                        const LaunchFn &launch,
                                        const OracleOptions &options) {
  if (options.probe && !isa<AttentionOp>(op.getOperation()))
    return op.emitOpError("has no probe inputs: they are for attention"),
           failure();
  FailureOr<SmallVector<int64_t>> extents = resolveExtents(op, options.sizes);
  if (failed(extents))
    return failure();
  return OracleRun(op, options, *extents).run(launch);
}
