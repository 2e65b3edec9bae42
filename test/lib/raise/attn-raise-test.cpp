//===- attn-raise-test.cpp - Runs functions as they were, and raised ------===//
//
// Functions on tensors are compiled for the CPU twice, as they are and after
// attn-raise, and run on the same random inputs. Their results are compared,
// NaN included. Attributes of arguments say what they are:
//
//   test.shape = [2, 5, 16]    sizes, where some are dynamic
//   test.fill = "hidden"       0, or -inf for one in three; "low": 0 or -1e9;
//                              "rows": as hidden, with whole rows of -inf
//   test.value = 3             of an integer or a float
//
// and one of a function what is to become of it: test.stays, where nothing is
// to be raised.
//
//===----------------------------------------------------------------------===//

#include "TestDriver.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Raise/Passes.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include <cmath>
#include <ctime>
#include <random>

using namespace mlir;
using namespace attn_test;
using attn::CpuModule;

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional,
                                            llvm::cl::desc("<file>"),
                                            llvm::cl::init("-"));
static llvm::cl::opt<bool> mayStay("may-stay",
                                   llvm::cl::desc("Nothing has to be raised"));
static llvm::cl::opt<bool>
    quietly("quiet", llvm::cl::desc("Print failures and the closing line"));

static llvm::cl::opt<bool>
    timed("time", llvm::cl::desc("Print how long attn-raise takes, alone"));

namespace {

/// An array in memory: an argument or a result.
struct Array {
  Type element;
  SmallVector<int64_t> sizes;
  std::vector<char> bytes;

  int64_t count() const {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    return product;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Upstream has this as a transform only.
static void decomposeSoftmax(ModuleOp module) {
  SmallVector<linalg::SoftmaxOp> all;
  module.walk([&](linalg::SoftmaxOp op) { all.push_back(op); });
  IRRewriter rewriter(module.getContext());
  for (linalg::SoftmaxOp op : all) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (succeeded(parts))
      rewriter.replaceOp(op, *parts);
  }
}

/// Lowers a module and compiles it.
static std::unique_ptr<CpuModule> compile(OwningOpRef<ModuleOp> module) {
  decomposeSoftmax(*module);
  PassManager pm(module->getContext());
  // Between forty passes it takes as long as these.
  pm.enableVerifier(false);
  tosa::addTosaToLinalgPasses(pm, {});
  pm.addNestedPass<func::FuncOp>(createTosaToTensorPass());
  pm.addNestedPass<func::FuncOp>(createTosaToArithPass());
  auto options =
      attn::ScheduleOptions::createFromString("tiles=query=16,key=16");
  attn::buildSchedulePipeline(pm, *options);
  lowerToCode(pm);
  if (failed(pm.run(*module)))
    return {};
  auto compiled = CpuModule::compile(*module, /*level=*/0);
  if (compiled)
    return std::move(*compiled);
  llvm::errs() << "error: " << llvm::toString(compiled.takeError()) << "\n";
  return {};
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static int64_t bytesOf(Type element) {
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

static void store(Type element, char *at, double value) {
  if (element.isInteger(1)) {
    *at = value > 0;
    return;
  }
  attn::ScalarBytes bytes = attn::encodeScalar(element, value);
  std::memcpy(at, bytes.data(),
              std::min<size_t>(bytes.size(), bytesOf(element)));
}

static double draw(Type element, StringRef fill, std::mt19937_64 &random) {
  double normal = std::normal_distribution<double>()(random);
  double share = std::uniform_real_distribution<double>()(random);
  if (fill == "hidden" || fill == "rows")
    return share < 0.33 ? -INFINITY : 0;
  if (fill == "low")
    return share < 0.33 ? -1e9 : 0;
  if (element.isInteger(1))
    return share < 0.7;
  if (isa<IntegerType>(element))
    return std::floor(share * 4);
  return normal;
}

static std::optional<Array> makeArray(func::FuncOp function, unsigned number,
                                      std::mt19937_64 &random) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[number]);
  Array array{type.getElementType(), SmallVector<int64_t>(type.getShape()), {}};
  if (auto shape = function.getArgAttrOfType<ArrayAttr>(number, "test.shape"))
    array.sizes = llvm::map_to_vector(
        shape, [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  if (llvm::any_of(array.sizes, ShapedType::isDynamic)) {
    function.emitError("expected test.shape of argument ") << number;
    return std::nullopt;
  }
  auto fill = function.getArgAttrOfType<StringAttr>(number, "test.fill");
  int64_t size = bytesOf(array.element);
  array.bytes.resize(array.count() * size);
  int64_t columns = array.sizes.empty() ? 1 : array.sizes.back();
  for (int64_t i = 0; i < array.count(); ++i) {
    double value = draw(array.element, fill ? fill.getValue() : "", random);
    if (fill && fill.getValue() == "rows" && i / columns % 3 == 1)
      value = -INFINITY;
    store(array.element, array.bytes.data() + i * size, value);
  }
  return array;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {

/// Arguments of one function, and calls of it.
class Call {
public:
  static std::optional<Call> make(func::FuncOp function, uint64_t seed);
  /// Results, as numbers.
  std::optional<std::vector<Array>> run(CpuModule &module);
  func::FuncOp function;

private:
  std::vector<Array> arrays;
  SmallVector<double> scalars;
};

} // namespace

std::optional<Call> Call::make(func::FuncOp function, uint64_t seed) {
  Call call;
  call.function = function;
  std::mt19937_64 random(seed);
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (isa<RankedTensorType>(type)) {
      std::optional<Array> array = makeArray(function, number, random);
      if (!array)
        return std::nullopt;
      call.arrays.push_back(std::move(*array));
      continue;
    }
    double value = 1;
    if (Attribute stated = function.getArgAttr(number, "test.value"))
      value = isa<FloatAttr>(stated)
                  ? cast<FloatAttr>(stated).getValueAsDouble()
                  : double(cast<IntegerAttr>(stated).getInt());
    call.scalars.push_back(value);
  }
  return call;
}

std::optional<std::vector<Array>> Call::run(CpuModule &module) {
  std::vector<Array> own = arrays;
  std::deque<int64_t> words;
  std::deque<attn::ScalarBytes> scalarBytes;
  SmallVector<void *> packed;
  auto add = [&](int64_t word) {
    words.push_back(word);
    packed.push_back(&words.back());
  };
  size_t nextArray = 0, nextScalar = 0;
  for (Type type : function.getArgumentTypes()) {
    if (!isa<RankedTensorType>(type)) {
      if (type.isIndex()) {
        add(int64_t(scalars[nextScalar++]));
        continue;
      }
      scalarBytes.push_back(attn::encodeScalar(type, scalars[nextScalar++]));
      packed.push_back(scalarBytes.back().data());
      continue;
    }
    Array &array = own[nextArray++];
    add(reinterpret_cast<int64_t>(array.bytes.data()));
    add(reinterpret_cast<int64_t>(array.bytes.data()));
    add(0);
    for (int64_t size : array.sizes)
      add(size);
    int64_t stride = 1;
    SmallVector<int64_t> strides(array.sizes.size());
    for (size_t i = strides.size(); i-- > 0; stride *= array.sizes[i])
      strides[i] = stride;
    for (int64_t each : strides)
      add(each);
  }
  size_t room = 0;
  for (Type type : function.getResultTypes())
    room += 3 + 2 * cast<RankedTensorType>(type).getRank();
  std::vector<int64_t> results(room);
  packed.push_back(results.data());
  if (llvm::Error error = module.call(function.getName(), packed)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return std::nullopt;
  }
  std::vector<Array> read;
  const int64_t *next = results.data();
  for (Type each : function.getResultTypes()) {
    auto type = cast<RankedTensorType>(each);
    int64_t rank = type.getRank(), bytes = bytesOf(type.getElementType());
    Array array{type.getElementType(), {}, {}};
    array.sizes.assign(next + 3, next + 3 + rank);
    ArrayRef<int64_t> strides(next + 3 + rank, rank);
    auto *data = reinterpret_cast<const char *>(next[1]) + next[2] * bytes;
    array.bytes.resize(array.count() * bytes);
    for (int64_t i = 0; i < array.count(); ++i) {
      int64_t rest = i, offset = 0;
      for (int64_t d = rank; d-- > 0; rest /= array.sizes[d])
        offset += rest % array.sizes[d] * strides[d];
      std::memcpy(array.bytes.data() + i * bytes, data + offset * bytes, bytes);
    }
    read.push_back(std::move(array));
    next += 3 + 2 * rank;
  }
  return read;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// What two roundings of the narrowest numbers of a function may differ by.
static double boundOf(func::FuncOp function) {
  double bound = 1e-5;
  auto see = [&](Type type) {
    type = getElementTypeOrSelf(type);
    if (type.isF16())
      bound = std::max(bound, 4e-3);
    if (type.isBF16())
      bound = std::max(bound, 2e-2);
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getOperandTypes(), see);
    llvm::for_each(op->getResultTypes(), see);
  });
  return bound;
}

/// The largest difference, relative to the largest number; infinite where only
/// one of two is NaN. (Which dimension is a row depends on the layout.)
static double compare(const Array &expected, const Array &got) {
  if (expected.sizes != got.sizes)
    return INFINITY;
  int64_t bytes = bytesOf(expected.element);
  double difference = 0, largest = 0;
  for (int64_t i = 0; i < expected.count(); ++i) {
    double a = attn::readElement(expected.element,
                                 expected.bytes.data() + i * bytes),
           b = attn::readElement(got.element, got.bytes.data() + i * bytes);
    if (std::isnan(a) != std::isnan(b))
      return INFINITY;
    if (std::isfinite(a) && std::isfinite(b)) {
      difference = std::max(difference, std::fabs(a - b));
      largest = std::max(largest, std::fabs(a));
    } else if (!std::isnan(a) && a != b) {
      return INFINITY;
    }
  }
  return difference == 0 ? 0 : difference / largest;
}

/// Whether a function is as it was.
static bool isSame(func::FuncOp before, func::FuncOp after) {
  return OperationEquivalence::isEquivalentTo(
      before, after, OperationEquivalence::IgnoreLocations);
}

/// The error of a raised function; nothing where it did not run.
static std::optional<double> execute(func::FuncOp function, CpuModule &original,
                                     CpuModule &raised) {
  double worst = 0;
  for (uint64_t seed : {1, 2}) {
    std::optional<Call> call = Call::make(function, seed);
    auto expected = call ? call->run(original) : std::nullopt;
    auto got = expected ? call->run(raised) : std::nullopt;
    if (!got)
      return std::nullopt;
    for (auto [a, b] : llvm::zip_equal(*expected, *got))
      worst = std::max(worst, compare(a, b));
  }
  return worst;
}

static int runFile(OwningOpRef<ModuleOp> module) {
  Tally tally;
  OwningOpRef<ModuleOp> raisedModule = module->clone();
  PassManager pm(module->getContext());
  pm.addPass(attn::createAttnRaise());
  if (failed(pm.run(*raisedModule)))
    return 1;
  unsigned numRaised = 0, numFunctions = 0;
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    ++numFunctions;
    auto after = raisedModule->lookupSymbol<func::FuncOp>(function.getName());
    bool isRaised = false;
    after.walk([&](attn::AttentionOp) { isRaised = true; });
    bool shouldStay = function->hasAttr("test.stays");
    numRaised += isRaised;
    if (!mayStay || shouldStay)
      tally.check(isRaised != shouldStay, [&] {
        return function.getName() +
               (isRaised ? " was raised" : " was not raised");
      });
    if (isRaised)
      continue;
    tally.check(isSame(function, after),
                [&] { return function.getName() + " was changed"; });
    function.erase();
    after.erase();
  }
  SmallVector<func::FuncOp> remaining(module->getOps<func::FuncOp>());
  OwningOpRef<ModuleOp> originalModule = module->clone();
  auto original = compile(std::move(originalModule));
  auto raised = compile(std::move(raisedModule));
  if (!original || !raised)
    return 1;
  for (func::FuncOp function : remaining) {
    std::optional<double> error = execute(function, *original, *raised);
    if (!error)
      return 1;
    tally.check(*error <= boundOf(function), [&] {
      return function.getName() + ": error " + std::to_string(*error);
    });
    if (!quietly)
      llvm::outs() << function.getName() << ": error " << *error << "\n";
    llvm::outs().flush();
  }
  llvm::outs() << numFunctions << " functions, " << numRaised << " raised, ";
  return tally.close();
}

/// Prints milliseconds of a processor, which other processes do not share: the
/// least of seven runs.
static int printTime(ModuleOp module) {
  constexpr unsigned kRuns = 7;
  double least = INFINITY;
  for (unsigned run = 0; run < kRuns; ++run) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    pm.addPass(attn::createAttnRaise());
    std::clock_t before = std::clock();
    if (failed(pm.run(*copy)))
      return 1;
    least = std::min(least,
                     1000.0 * double(std::clock() - before) / CLOCKS_PER_SEC);
  }
  unsigned numOperations = 0;
  module.walk([&](Operation *) { ++numOperations; });
  llvm::outs() << "attn-raise took " << int64_t(std::ceil(least)) << " ms on "
               << numOperations << " operations\n";
  return 0;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "attn-raise-test: functions as they were, and raised\n");
  DialectRegistry registry;
  attn::registerDialects(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  auto module = parseSourceFile<ModuleOp>(inputFile, &context);
  if (!module)
    return 1;
  return timed ? printTime(*module) : runFile(std::move(module));
}
