//===- MergeProperties.cpp - Merges of states -----------------------------===//

#include "MergeProperties.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

/// As long as the tiles of a stream, so that every part but the last has one.
constexpr int64_t kParts = 5, kLength = 128;

/// An array of f32 without gaps.
struct Array {
  explicit Array(SmallVector<int64_t> shape) : sizes(std::move(shape)) {
    int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                                    std::multiplies<>());
    values.assign(count, std::nanf(""));
  }

  StridedBuffer buffer() {
    StridedBuffer result{values.data(), sizes, SmallVector<int64_t>()};
    result.strides.assign(sizes.size(), 1);
    for (size_t dim = sizes.size() - 1; dim > 0; --dim)
      result.strides[dim - 1] = result.strides[dim] * sizes[dim];
    return result;
  }

  SmallVector<int64_t> sizes;
  std::vector<float> values;
};

/// An op whose streamed axis alone is dynamic.
struct Case {
  std::string name, text;
  /// Of operands and results, with -1 for the streamed axis.
  std::vector<SmallVector<int64_t>> inputs, outputs;
};

std::vector<Case> cases() {
  auto attention = [](const std::string &name, const std::string &scale) {
    std::string q = "tensor<1x2x5x16xf32>", k = "tensor<1x2x?x16xf32>";
    return Case{name,
                "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k +
                    ") -> (" + q +
                    ", tensor<1x2x5xf32>) {\n  %o, %l = "
                    "attn.attention %q, %k, %v scale(" +
                    scale + ") : (" + q + ", " + k + ", " + k + ") -> (" + q +
                    ", tensor<1x2x5xf32>)\n  return %o, %l : " + q +
                    ", tensor<1x2x5xf32>\n}\n",
                {{1, 2, 5, 16}, {1, 2, -1, 16}, {1, 2, -1, 16}},
                {{1, 2, 5, 16}, {1, 2, 5}}};
  };
  return {
      attention("attention", "0.25"),
      // Scores beyond 2^28: parts in different units.
      attention("attention of large scores", "4.0e7"),
      {"matmul",
       "func.func @f(%a: tensor<6x?xf32>, %b: tensor<?x9xf32>) -> "
       "tensor<6x9xf32> {\n  %c = attn.matmul %a, %b : (tensor<6x?xf32>, "
       "tensor<?x9xf32>) -> tensor<6x9xf32>\n  return %c : tensor<6x9xf32>\n}",
       {{6, -1}, {-1, 9}},
       {{6, 9}}},
      {"logsumexp",
       "func.func @f(%x: tensor<6x?xf32>) -> tensor<6xf32> {\n  %y = "
       "attn_test.logsumexp %x : (tensor<6x?xf32>) -> tensor<6xf32>\n  return "
       "%y : tensor<6xf32>\n}",
       {{6, -1}},
       {{6}}}};
}

class Merger {
public:
  Merger(Tally &tally, MLIRContext &context, const Case &which)
      : tally(tally), which(which) {
    module = compileBy(context, which.text, "split-ctas", lowerToCode,
                       /*level=*/0, &kernel);
    tally.check(module != nullptr, [&] { return which.name + " compiles"; });
  }

  void run(std::mt19937 &random) {
    if (!module)
      return;
    std::vector<Array> inputs = makeInputs(kLength * kParts, random);
    states = split(inputs, kParts);
    nothing = split(makeInputs(0, random), 1);
    std::vector<int> order(kParts);
    std::iota(order.begin(), order.end(), 0);
    std::vector<Array> all = merge(order);
    for (int i = 0; i < 8; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      check("in another order", all, merge(order), 1e-5);
      std::vector<int> gaps = order;
      for (int count = i; count >= 0; --count)
        gaps.insert(gaps.begin() + random() % (gaps.size() + 1), -1);
      check("with nothing between", all, merge(gaps), 1e-5);
    }
    for (int part = 0; part < kParts; ++part) {
      std::vector<Array> alone = merge({part});
      check("nothing before", alone, merge({-1, part}), 0);
      check("nothing behind", alone, merge({part, -1, -1}), 0);
    }
  }

private:
  static SmallVector<int64_t> withLength(ArrayRef<int64_t> sizes,
                                         int64_t length) {
    SmallVector<int64_t> result(sizes);
    std::replace(result.begin(), result.end(), int64_t(-1), length);
    return result;
  }

  std::vector<Array> makeInputs(int64_t length, std::mt19937 &random) {
    std::normal_distribution<float> normal;
    std::vector<Array> inputs;
    for (ArrayRef<int64_t> sizes : which.inputs) {
      inputs.emplace_back(withLength(sizes, length));
      for (float &value : inputs.back().values)
        value = normal(random);
    }
    return inputs;
  }

  void launch(StringRef name, std::vector<Array *> arrays) {
    SmallVector<StridedBuffer> views;
    for (Array *array : arrays)
      views.push_back(array->buffer());
    llvm::Error error = module->run(name, views, {}, /*threads=*/1);
    tally.check(!error, [&] { return which.name + " runs"; });
    llvm::consumeError(std::move(error));
  }

  std::vector<Array> makeStates(int64_t parts) {
    std::vector<Array> result;
    for (ViewType type : kernel.states) {
      SmallVector<int64_t> sizes(type.getShape());
      sizes.front() = parts;
      result.emplace_back(sizes);
    }
    return result;
  }

  std::vector<Array> split(std::vector<Array> inputs, int64_t parts) {
    std::vector<Array> result = makeStates(parts);
    std::vector<Array *> arrays;
    for (Array &array : inputs)
      arrays.push_back(&array);
    for (Array &array : result)
      arrays.push_back(&array);
    launch(kernel.name, arrays);
    return result;
  }

  /// The results of these parts in this order; -1 is the state of nothing.
  std::vector<Array> merge(const std::vector<int> &order) {
    std::vector<Array> chosen = makeStates(order.size()), results;
    for (size_t s = 0; s < chosen.size(); ++s)
      for (size_t i = 0; i < order.size(); ++i) {
        const Array &from = order[i] < 0 ? nothing[s] : states[s];
        int64_t size = chosen[s].values.size() / order.size();
        std::copy_n(from.values.begin() + std::max(order[i], 0) * size, size,
                    chosen[s].values.begin() + i * size);
      }
    std::vector<Array *> arrays;
    for (Array &array : chosen)
      arrays.push_back(&array);
    for (ArrayRef<int64_t> sizes : which.outputs)
      results.emplace_back(SmallVector<int64_t>(sizes));
    for (Array &array : results)
      arrays.push_back(&array);
    launch(kernel.merge, arrays);
    return results;
  }

  void check(const char *what, const std::vector<Array> &wanted,
             const std::vector<Array> &got, double bound) {
    double worst = 0;
    for (auto [w, g] : llvm::zip(wanted, got))
      for (auto [x, y] : llvm::zip(w.values, g.values)) {
        double error = x == y ? 0
                              : std::abs(double(x) - y) /
                                    std::max(1.0, std::abs(double(x)));
        // NaN is never within a bound.
        worst = error <= worst ? worst : error;
      }
    tally.check(worst <= bound, [&] {
      return which.name + " merged " + what + ": off by " +
             std::to_string(worst);
    });
  }

  Tally &tally;
  Case which;
  LoweredKernel kernel;
  std::unique_ptr<CpuModule> module;
  std::vector<Array> states, nothing;
};

} // namespace

void attn_test::testMerges(Tally &tally, MLIRContext &context,
                           std::mt19937 &random) {
  for (const Case &which : cases())
    Merger(tally, context, which).run(random);
}
