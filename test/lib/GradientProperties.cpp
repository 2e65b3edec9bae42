//===- GradientProperties.cpp - Gradients against differences -------------===//

#include "GradientProperties.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Runtime/GradientReference.h"
#include "attn-mlir/Runtime/Reference.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

constexpr int64_t kBatch = 2, kQueryHeads = 4, kKvHeads = 2, kQueries = 3,
                  kKeys = 4, kQkDim = 8, kValueDim = 16;

struct Problem {
  std::string with;
  /// Of the arguments of the score: modifications are evaluated in f32, so
  /// that their differences have to be wide.
  double step, bound;
};

std::string textOf(const Problem &problem) {
  std::string q = "tensor<2x4x3x8xf32>", k = "tensor<2x2x4x8xf32>",
              v = "tensor<2x2x4x16xf32>", o = "tensor<2x4x3x16xf32>",
              l = "tensor<2x4x3xf32>";
  return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v + ", %do: " + o +
         ", %dl: " + l + ") -> " + q +
         " {\n  %o, %lse = attn.attention %q, %k, %v " + problem.with + " : (" +
         q + ", " + k + ", " + v + ") -> (" + o + ", " + l +
         ")\n  %r:3 = attn.attention_backward %q, %k, %v, %o, %do, %lse "
         "lse_gradient(%dl) " +
         problem.with + " : (" + q + ", " + k + ", " + v + ", " + o + ", " + o +
         ", " + l + ", " + l + ") -> (" + q + ", " + k + ", " + v +
         ")\n  return %r#0 : " + q + "\n}\n";
}

class GradientProblem {
public:
  GradientProblem(Tally &tally, const Problem &problem, std::mt19937 &random)
      : tally(tally), problem(problem) {
    for (const auto &shape : shapes) {
      std::normal_distribution<double> normal;
      int64_t count = 1;
      for (int64_t size : shape)
        count *= size;
      for (int64_t i = 0; i < count; ++i)
        inputs[&shape - shapes].push_back(normal(random));
    }
  }

  void run(AttentionOp attention, AttentionBackwardOp backward) {
    AttentionReference forward;
    std::vector<GradientResult> gradients;
    if (!tally.check(succeeded(evaluate(attention, forward)),
                     [&]() { return "attention of " + problem.with; }))
      return;
    std::vector<GradientInput> given;
    for (unsigned i = 0; i < 3; ++i)
      given.push_back({shapes[i], inputs[i]});
    given.push_back({shapes[3], forward.output});
    given.push_back({shapes[3], inputs[3]});
    given.push_back({shapes[4], forward.lse});
    given.push_back({shapes[4], inputs[4]});
    if (!tally.check(
            succeeded(referenceGradient(backward, given, {}, gradients)),
            [&]() { return "gradients of " + problem.with; }))
      return;
    for (unsigned input = 0; input < 3; ++input)
      for (size_t i = 0; i < inputs[input].size(); ++i)
        compare(attention, input, i, gradients[input].values[i]);
  }

private:
  LogicalResult evaluate(AttentionOp op, AttentionReference &result) {
    return referenceAttention(op, {kBatch, kQueries, kKeys},
                              ArrayRef(inputs).take_front(3),
                              ArrayRef(shapes).take_front(3), {}, result);
  }

  /// The sum of O times dO, and of LSE times dLSE where there is one.
  double loss(AttentionOp op) {
    AttentionReference result;
    double sum = 0;
    if (failed(evaluate(op, result)))
      return sum;
    for (auto [o, change] : llvm::zip(result.output, inputs[3]))
      sum += o * change;
    for (auto [lse, change] : llvm::zip(result.lse, inputs[4]))
      sum += std::isfinite(lse) ? lse * change : 0;
    return sum;
  }

  void compare(AttentionOp op, unsigned input, size_t i, double gradient) {
    double &x = inputs[input][i], kept = x;
    x = kept + problem.step;
    double above = loss(op);
    x = kept - problem.step;
    double below = loss(op);
    x = kept;
    double wanted = (above - below) / (2 * problem.step);
    tally.check(std::abs(gradient - wanted) <= problem.bound, [&]() {
      return "gradient " + std::to_string(gradient) + " for input " +
             std::to_string(input) + ", element " + std::to_string(i) + " of " +
             problem.with + ", expected " + std::to_string(wanted);
    });
  }

  Tally &tally;
  const Problem &problem;
  /// Q, K, V, dO and dLSE.
  const SmallVector<int64_t> shapes[5] = {
      {kBatch, kQueryHeads, kQueries, kQkDim},
      {kBatch, kKvHeads, kKeys, kQkDim},
      {kBatch, kKvHeads, kKeys, kValueDim},
      {kBatch, kQueryHeads, kQueries, kValueDim},
      {kBatch, kQueryHeads, kQueries}};
  std::vector<double> inputs[5];
};

} // namespace

void attn_test::testGradients(Tally &tally, MLIRContext &context,
                              std::mt19937 &random) {
  const Problem problems[] = {
      {"scale(0.3)", 1e-4, 1e-6},
      {"mask(#attn.causal<top_left>) scale(0.3)", 1e-4, 1e-6},
      {"mask(#attn.window<left = 1, right = 1, align = bottom_right>) "
       "scale(-0.5)",
       1e-4, 1e-6},
      {R"(scale(0.4)
      keep(%b: index, %h: index, %i: index, %j: index) {
        %s = arith.addi %i, %h : index
        %k = arith.cmpi ne, %s, %j : index
        attn.yield %k : i1
      })",
       1e-4, 1e-6},
      {R"(scale(0.4)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %half = arith.constant 0.5 : f32
        %x = arith.mulf %s, %half : f32
        %t = math.tanh %x : f32
        attn.yield %t : f32
      })",
       1e-2, 1e-3}};
  for (const Problem &problem : problems) {
    auto module = parseSourceString<ModuleOp>(textOf(problem), &context);
    if (!tally.check(bool(module), [&]() { return "parses: " + problem.with; }))
      continue;
    AttentionOp attention;
    AttentionBackwardOp backward;
    module->walk([&](AttentionOp op) { attention = op; });
    module->walk([&](AttentionBackwardOp op) { backward = op; });
    GradientProblem(tally, problem, random).run(attention, backward);
  }
}
