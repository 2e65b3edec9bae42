//===- FunctionOracle.cpp - Run a whole function and compare --------------===//

#include "attn-mlir/Runtime/FunctionOracle.h"
#include "FunctionReference.h"
#include "Lengths.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>

using namespace mlir;
using namespace attn;

llvm::StringMap<int64_t>
attn::takeArgumentSizes(llvm::StringMap<int64_t> &sizes) {
  llvm::StringMap<int64_t> taken;
  for (const auto &entry : sizes) {
    StringRef name = entry.getKey();
    unsigned argument, dim;
    if (name.consume_front("arg") && !name.consumeInteger(10, argument) &&
        name.consume_front(".") && !name.getAsInteger(10, dim))
      taken[entry.getKey()] = entry.getValue();
  }
  for (const auto &entry : taken)
    sizes.erase(entry.getKey());
  return taken;
}

/// A tensor whose elements a run can make and read.
static RankedTensorType asKnownTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  Type element = tensor.getElementType();
  bool known = element.isF32() || element.isF16() || element.isBF16() ||
               isFloat8(element) || element.isSignlessInteger(8) ||
               element.isSignlessInteger(32) || element.isSignlessInteger(64);
  return known ? tensor : RankedTensorType();
}

/// Words of a memref descriptor in the LLVM dialect.
static unsigned wordsOf(RankedTensorType type) {
  return 3 + 2 * type.getRank();
}

namespace {

/// Sizes of a function's arguments, as far as they are known.
class ArgumentShapes {
public:
  ArgumentShapes(func::FuncOp function,
                 const llvm::StringMap<int64_t> &argumentSizes)
      : function(function) {
    for (BlockArgument argument : function.getArguments()) {
      SmallVector<int64_t> shape;
      if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
        shape.assign(type.getShape().begin(), type.getShape().end());
      for (auto [dim, size] : llvm::enumerate(shape)) {
        auto given = argumentSizes.find(nameOf(argument, dim));
        if (ShapedType::isDynamic(size) && given != argumentSizes.end())
          size = given->second;
      }
      shapes.push_back(shape);
    }
  }

  /// Takes what the axes of an operation say.
  void add(StreamableOpInterface op, ArrayRef<int64_t> extents) {
    SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
    unsigned view = 0;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      for (auto [dim, size] : llvm::enumerate(viewSizes(op, view, extents)))
        add(operand, perms[view][dim], size);
      ++view;
    }
  }

  ArrayRef<int64_t> operator[](unsigned argument) const {
    return shapes[argument];
  }

  /// The option that would say what is missing; empty if nothing is.
  std::string missing() {
    for (BlockArgument argument : function.getArguments())
      for (auto [dim, size] : llvm::enumerate(shapes[argument.getArgNumber()]))
        if (size < 0)
          return "--size=" + nameOf(argument, dim) + "=";
    return "";
  }

private:
  static std::string nameOf(BlockArgument argument, unsigned dim) {
    return ("arg" + Twine(argument.getArgNumber()) + "." + Twine(dim)).str();
  }

  /// A dimension of a value in the function is `size`.
  void add(Value value, int64_t dim, int64_t size) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return set(argument, dim, size);
    if (!cast<RankedTensorType>(value.getType()).isDynamicDim(dim))
      return;
    // As a function of one dimension of an argument, which it increases with.
    AffineMap map;
    ValueDimList operands;
    auto stop = [](Value v, std::optional<int64_t>,
                   ValueBoundsConstraintSet &) {
      return isa<BlockArgument>(v);
    };
    if (failed(ValueBoundsConstraintSet::computeBound(
            map, operands, presburger::BoundType::EQ,
            ValueBoundsConstraintSet::Variable(value, dim), stop)) ||
        operands.size() != 1 || !operands.front().second)
      return;
    auto at = [&](int64_t x) {
      Builder b(map.getContext());
      SmallVector<Attribute> folded;
      if (failed(map.constantFold({b.getIndexAttr(x)}, folded)))
        return int64_t(0);
      return cast<IntegerAttr>(folded.front()).getInt();
    };
    int64_t factor = at(1) - at(0), rest = size - at(0);
    if (factor > 0 && rest % factor == 0)
      set(cast<BlockArgument>(operands.front().first), *operands.front().second,
          rest / factor);
  }

  void set(BlockArgument argument, int64_t dim, int64_t size) {
    int64_t &known = shapes[argument.getArgNumber()][dim];
    if (ShapedType::isDynamic(known))
      known = size;
  }

  func::FuncOp function;
  SmallVector<SmallVector<int64_t>> shapes;
};

/// One run of one function.
class FunctionRun {
public:
  /// `program`: the same function, of streamable operations alone.
  FunctionRun(func::FuncOp function, func::FuncOp program,
              const OracleOptions &options)
      : function(function), program(program), options(options),
        reference(options) {}

  /// Draws the lengths of streams, offsets of sequences and lists of blocks
  /// that are arguments; fails after a diagnostic.
  LogicalResult makeStreamLengths() {
    std::mt19937_64 random(options.seed);
    if (failed(makeBlocksByKeys(random)))
      return failure();
    WalkResult result = function.walk([&](StreamableOpInterface op) {
      auto attention = dyn_cast<AttentionOp>(op.getOperation());
      if (!op.getLengthsView() && op.getPackedAxes().empty() &&
          !(attention && attention.hasBlocks()))
        return WalkResult::advance();
      FailureOr<SmallVector<int64_t>> extents =
          resolveExtents(op, options.sizes);
      FailureOr<SequenceContents> made =
          failed(extents) ? FailureOr<SequenceContents>()
                          // What is not computed is not comparable.
                          : makeSequences(op, *extents, options, random,
                                          /*all=*/true);
      if (failed(made))
        return WalkResult::interrupt();
      for (auto &[view, values] : *made)
        if (auto argument = dyn_cast<BlockArgument>(tensorsOf(op)[view]))
          lengths.try_emplace(argument, values);
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Makes arguments; why that is not possible, or nothing.
  std::string makeArguments(const ArgumentShapes &shapes) {
    std::mt19937_64 random(options.seed);
    std::normal_distribution<double> normal;
    views.reserve(function.getNumArguments()); // They may not move.
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      RankedTensorType type = asKnownTensor(argument.getType());
      if (!type) {
        if (!makeScalar(argument))
          return describe(argument);
        continue;
      }
      ReferenceTensor tensor;
      tensor.shape.assign(shapes[number].begin(), shapes[number].end());
      SmallVector<int64_t> order(type.getRank());
      std::iota(order.begin(), order.end(), 0);
      HostView &view = views.emplace_back(type.getElementType(), tensor.shape,
                                          order, options.gaps);
      tensor.values.resize(view.count());
      StringRef name = viewNameOf(argument);
      bool isScale = name.ends_with("_scale");
      if (lengths.contains(argument))
        tensor.values = lengths[argument];
      else if (auto integer = dyn_cast<IntegerType>(type.getElementType()))
        tensor.values =
            makeIntegers(integer, name, tensor.shape, options.contents, random);
      else
        // Scales are not negative.
        for (double &value : tensor.values)
          value = isScale ? std::exp2(normal(random)) : normal(random);
      if (isa<FloatType>(type.getElementType()))
        poison(argument, tensor.values);
      if (!tensor.shape.empty())
        shareColumns(argument, tensor.shape.back(), tensor.values);
      view.write(tensor.values);
      tensor.slack.assign(tensor.values.size(), 0.0);
      reference.setTensor(argument, std::move(tensor));
      StridedBuffer buffer = view.buffer();
      addWord(int64_t(buffer.data));
      addWord(int64_t(buffer.data));
      addWord(0);
      llvm::for_each(buffer.sizes, [&](int64_t w) { addWord(w); });
      llvm::for_each(buffer.strides, [&](int64_t w) { addWord(w); });
    }
    return "";
  }

  unsigned numWords() const { return words.size(); }

  FailureOr<FunctionReport> run(CpuModule &compiled, double tolerance) {
    FunctionReport report;
    std::string unknown;
    FailureOr<std::vector<ReferenceTensor>> expected =
        reference.run(function, unknown);
    if (!unknown.empty()) {
      report.skipped = "the reference does not know " + unknown;
      return report;
    }
    if (failed(expected))
      return failure();
    std::vector<int64_t> room;
    for (Type type : function.getResultTypes())
      room.resize(room.size() + wordsOf(cast<RankedTensorType>(type)));
    SmallVector<void *> packed;
    for (int64_t &word : words)
      packed.push_back(&word);
    packed.push_back(room.data());
    if (llvm::Error error = compiled.call(function.getName(), packed))
      return function.emitOpError("did not run: ")
             << llvm::toString(std::move(error));
    compare(*expected, room, tolerance, report);
    for (const HostView &view : views)
      report.guardsIntact &= view.guardsIntact();
    return report;
  }

private:
  static SmallVector<Value> tensorsOf(StreamableOpInterface op) {
    return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
      return isa<RankedTensorType>(operand.getType());
    });
  }

  /// What an operation that takes an argument calls it.
  static StringRef viewNameOf(BlockArgument argument) {
    for (Operation *user : argument.getUsers())
      if (auto op = dyn_cast<StreamableOpInterface>(user))
        for (auto [name, tensor] : llvm::zip(op.getViewNames(), tensorsOf(op)))
          if (tensor == argument)
            return name;
    return "";
  }

  /// NaN where the only operation that takes an argument has no elements of
  /// its streams.
  void poison(BlockArgument argument, MutableArrayRef<double> values) {
    if (!argument.hasOneUse())
      return;
    auto op = dyn_cast<StreamableOpInterface>(*argument.user_begin());
    if (!op)
      return;
    SmallVector<Value> tensors = tensorsOf(op);
    SequenceContents sequences;
    for (unsigned number = 0; number < tensors.size(); ++number)
      if (auto known = lengths.find(tensors[number]); known != lengths.end())
        sequences[number] = known->second;
    FailureOr<SmallVector<int64_t>> extents = resolveExtents(op, options.sizes);
    if (failed(extents) ||
        sequences.size() !=
            op.getPackedAxes().size() + op.getLengthsView().has_value())
      return;
    unsigned view = llvm::find(tensors, argument) - tensors.begin();
    poisonUnused(op, view, *extents, sequences, op.getViewPermutations()[view],
                 values);
  }

  /// Draws lists of blocks that gradients take in both orders.
  LogicalResult makeBlocksByKeys(std::mt19937_64 &random) {
    WalkResult result = function.walk([&](AttentionBackwardOp op) {
      if (op.getBlocks().empty())
        return WalkResult::advance();
      AttentionOp attention;
      for (Operation *user : op.getBlocks().front().getUsers())
        if (auto found = dyn_cast<AttentionOp>(user))
          attention = found;
      if (!attention || attention.getBlocks() != op.getBlocks())
        return op.emitOpError("a run expects an attn.attention of the same "
                              "lists of blocks, but got none"),
               WalkResult::interrupt();
      FailureOr<SmallVector<int64_t>> extents =
          resolveExtents(attention, options.sizes);
      if (failed(extents))
        return WalkResult::interrupt();
      auto lists = makeBlocksOfGradients(attention, op, *extents, random);
      SmallVector<Value> views(op.getBlocks());
      llvm::append_range(views, op.getKeyBlocks());
      for (auto [view, values] : llvm::zip_equal(views, lists))
        if (auto argument = dyn_cast<BlockArgument>(view))
          lengths.try_emplace(argument, values);
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// What is the first columns of an argument in front has its elements.
  void shareColumns(BlockArgument argument, int64_t columns,
                    std::vector<double> &values) {
    for (Operation *user : argument.getUsers()) {
      auto op = dyn_cast<StreamableOpInterface>(user);
      if (!op)
        continue;
      for (auto [view, tensor] : llvm::enumerate(tensorsOf(op))) {
        unsigned whole = op.getContainingView(view);
        if (whole == view)
          continue;
        Value container = tensorsOf(op)[whole];
        if (container == argument)
          containers[argument] = {columns, values};
        auto known = containers.find(container);
        if (tensor != argument || known == containers.end())
          continue;
        const auto &[width, all] = known->second;
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = all[i / columns * width + i % columns];
      }
    }
  }

  void addWord(int64_t word) { words.push_back(word); }

  static std::string describe(BlockArgument argument) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "argument " << argument.getArgNumber() << " is "
        << argument.getType() << " and no capture";
    return text;
  }

  /// A capture of an operation has the value that the option gives it.
  bool makeScalar(BlockArgument argument) {
    Type type = argument.getType();
    if (!type.isIntOrIndexOrFloat())
      return false;
    double value = 0;
    for (OpOperand &use :
         program.getArgument(argument.getArgNumber()).getUses()) {
      auto op = dyn_cast<StreamableOpInterface>(use.getOwner());
      SmallVector<Value> captures =
          op ? op.getScalarCaptures() : SmallVector<Value>();
      auto found = llvm::find(captures, use.get());
      if (found == captures.end() || captures.size() != options.scalars.size())
        return false;
      value = options.scalars[found - captures.begin()];
    }
    ScalarBytes bytes = encodeScalar(type, value);
    words.push_back(0);
    std::memcpy(&words.back(), bytes.data(), bytes.size());
    if (isa<FloatType>(type))
      reference.setScalar(argument, value);
    else
      reference.setScalar(argument, static_cast<int64_t>(value));
    return true;
  }

  void compare(ArrayRef<ReferenceTensor> expected, ArrayRef<int64_t> room,
               double tolerance, FunctionReport &report) {
    std::set<void *> allocated;
    for (auto [tensor, type] : llvm::zip(expected, function.getResultTypes())) {
      ArrayRef<int64_t> descriptor =
          room.take_front(wordsOf(cast<RankedTensorType>(type)));
      room = room.drop_front(descriptor.size());
      allocated.insert(reinterpret_cast<void *>(descriptor[0]));
      compareResult(tensor, getElementTypeOrSelf(type), descriptor, tolerance,
                    report);
    }
    // Results belong to the caller.
    llvm::for_each(allocated, [](void *buffer) { std::free(buffer); });
  }

  static void compareResult(const ReferenceTensor &tensor, Type element,
                            ArrayRef<int64_t> descriptor, double tolerance,
                            FunctionReport &report) {
    unsigned rank = tensor.shape.size();
    FunctionReport::Error &place = tensor.isLog ? report.lse : report.output;
    double bound = tolerance > 0 ? tolerance : tensor.bound;
    RowError row{std::numeric_limits<double>::infinity(), 0, 0};
    if (descriptor.slice(3, rank) == ArrayRef(tensor.shape)) {
      std::vector<double> got = read(element, descriptor, tensor.shape);
      std::vector<double> wanted = tensor.values;
      // What nothing was written to may be anything.
      for (auto [g, w, slack] : llvm::zip(got, wanted, tensor.slack))
        if (std::isinf(slack))
          g = w = 0;
      int64_t columns = tensor.isLog || rank == 0 ? 1 : tensor.shape.back();
      std::vector<double> slack = slackOfRows(tensor.slack, columns);
      row = tensor.isLog
                ? elementwiseError(got, wanted, slack)
                : rowwiseError(got, wanted, columns, slack, tensor.units);
    }
    auto excess = [](RowError r, double b) { return r.error - r.slack - b; };
    if (!place.any || excess(row, bound) > excess(place.row, place.bound)) {
      place.row = row;
      place.bound = bound;
    }
    place.any = true;
  }

  static std::vector<double> slackOfRows(ArrayRef<double> slack,
                                         int64_t columns) {
    std::vector<double> result;
    for (; !slack.empty(); slack = slack.drop_front(columns)) {
      double most = 0;
      for (double s : slack.take_front(columns))
        most = std::max(most, std::isinf(s) ? 0 : s);
      result.push_back(most);
    }
    return result;
  }

  static std::vector<double> read(Type element, ArrayRef<int64_t> descriptor,
                                  ArrayRef<int64_t> shape) {
    const char *data = reinterpret_cast<const char *>(descriptor[1]);
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    ArrayRef<int64_t> strides = descriptor.take_back(shape.size());
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = descriptor[2], left = i;
      for (unsigned d = shape.size(); d-- > 0; left /= shape[d])
        at += left % shape[d] * strides[d];
      values.push_back(readElement(element, data + at * bytes));
    }
    return values;
  }

  func::FuncOp function, program;
  const OracleOptions &options;
  FunctionReference reference;
  std::vector<HostView> views;
  std::vector<int64_t> words;
  /// Of the streams whose lengths an argument holds.
  llvm::DenseMap<Value, std::vector<double>> lengths;
  /// Columns and elements of arguments that others are the first columns of.
  llvm::DenseMap<Value, std::pair<int64_t, std::vector<double>>> containers;
};

} // namespace

FailureOr<FunctionReport>
attn::runFunctionOracle(func::FuncOp reference, ModuleOp lowered,
                        CpuModule &compiled, const OracleOptions &options,
                        const llvm::StringMap<int64_t> &argumentSizes,
                        double tolerance) {
  FunctionReport report;
  auto skip = [&](const Twine &why) {
    report.skipped = why.str();
    return report;
  };
  for (Type type : reference.getResultTypes())
    if (!asKnownTensor(type))
      return skip(
          "a result is no tensor of f16, bf16, f32, FP8, i8, i32 or i64");
  if (reference.getNumResults() == 0)
    return skip("it has no results");
  ArgumentShapes shapes(reference, argumentSizes);
  bool failedSizes = false;
  OwningOpRef<func::FuncOp> program = reference.clone();
  expandComposites(*program);
  program->walk([&](StreamableOpInterface op) {
    FailureOr<SmallVector<int64_t>> extents = resolveExtents(op, options.sizes);
    if (failed(extents))
      failedSizes = true;
    else
      shapes.add(op, *extents);
  });
  if (failedSizes)
    return failure();
  if (std::string missing = shapes.missing(); !missing.empty())
    return skip("expected " + missing);
  FunctionRun run(reference, *program, options);
  if (failed(run.makeStreamLengths()))
    return failure();
  if (std::string why = run.makeArguments(shapes); !why.empty())
    return skip(why);
  auto callee = lowered.lookupSymbol<LLVM::LLVMFuncOp>(reference.getName());
  if (!callee || callee.getNumArguments() != run.numWords())
    return skip("it has other arguments where it is lowered");
  return run.run(compiled, tolerance);
}
