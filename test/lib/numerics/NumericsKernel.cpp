//===- NumericsKernel.cpp - Kernels for the lines of docs/numerics.md -----===//

#include "NumericsKernel.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace attn;
using namespace attn_numerics;
using attn_random::EmulatedKernel;

static std::string textOf(Kind kind, StringRef element, double scale) {
  std::string tensor = "tensor<1x1x?x32x" + element.str() + ">";
  std::string types = "(" + tensor + ", " + tensor + ", " + tensor + ") -> (" +
                      tensor + ", tensor<1x1x?xf32>)";
  StringRef mask =
      kind == Kind::Causal ? "mask(#attn.causal<bottom_right>)" : "";
  SmallString<32> number;
  APFloat(scale).toString(number, /*FormatPrecision=*/0,
                          /*FormatMaxPadding=*/0);
  StringRef captures, score;
  if (kind == Kind::Modified) {
    captures = ", %a: f32, %b: f32, %c: f32, %d: f32";
    score = R"( captures(%a, %b, %c, %d : f32, f32, f32, f32)
      score(%s: f32, %n: index, %h: index, %i: index, %j: index,
            %ka: f32, %kb: f32, %kc: f32, %kd: f32) {
        %key = arith.constant 5 : index
        %is = arith.cmpi eq, %j, %key : index
        %product = arith.mulf %ka, %kb : f32
        %difference = arith.subf %product, %kc : f32
        %change = arith.mulf %difference, %kd : f32
        %sum = arith.addf %s, %change : f32
        %y = arith.select %is, %sum, %s : f32
        attn.yield %y : f32
      })";
  }
  return ("func.func @f(%q: " + tensor + ", %k: " + tensor + ", %v: " + tensor +
          captures + ") -> (" + tensor + ", tensor<1x1x?xf32>) {\n" +
          "  %o, %l = attn.attention %q, %k, %v " + mask + " scale(" + number +
          ")" + score + " : " + types + "\n  return %o, %l : " + tensor +
          ", tensor<1x1x?xf32>\n}\n")
      .str();
}

Inputs attn_numerics::ordinary(int64_t queries, int64_t keys) {
  std::mt19937_64 random(7);
  auto integer = [&] { return double(random() % 3) - 1; };
  Inputs in{Matrix(queries), Matrix(keys), Matrix(keys)};
  for (double &x : in.q.values)
    x = integer();
  for (double &x : in.k.values)
    x = integer();
  for (double &x : in.v.values)
    x = double(random() % 512) / 256 - 1;
  for (int64_t i = 0; i < queries; ++i)
    in.q.at(i, 0) = 1;
  return in;
}

static bool sees(Kind kind, const Inputs &in, int64_t i, int64_t j) {
  return kind != Kind::Causal || j <= i + in.k.rows() - in.q.rows();
}

double Kernel::scoreOf(const Inputs &in, int64_t i, int64_t j) const {
  double dot = 0;
  for (int64_t d = 0; d < kDim; ++d)
    dot += in.q.at(i, d) * in.k.at(j, d);
  double score = dot * scale;
  if (kind != Kind::Modified || j != kModifiedKey)
    return score;
  auto single = [](double x) { return double(static_cast<float>(x)); };
  const std::vector<double> &c = in.change;
  double change = single(single(single(c[0] * c[1]) - c[2]) * c[3]);
  return single(score + change);
}

Results Kernel::expected(const Inputs &in) const {
  Results r{Matrix(in.q.rows()), {}};
  for (int64_t i = 0; i < in.q.rows(); ++i) {
    std::vector<double> scores(in.k.rows(), -kInfinity);
    double most = -kInfinity, sum = 0;
    bool bad = false;
    for (int64_t j = 0; j < in.k.rows(); ++j)
      if (sees(kind, in, i, j)) {
        scores[j] = scoreOf(in, i, j);
        most = std::max(most, scores[j]);
        bad |= std::isnan(scores[j]) || scores[j] == kInfinity;
      }
    if (bad) {
      r.o.setRow(i, kNaN);
      r.lse.push_back(kNaN);
      continue;
    }
    for (int64_t j = 0; j < in.k.rows(); ++j) {
      double weight = scores[j] == -kInfinity ? 0 : std::exp(scores[j] - most);
      sum += weight;
      for (int64_t d = 0; weight > 0 && d < kDim; ++d)
        r.o.at(i, d) += weight * in.v.at(j, d);
    }
    for (int64_t d = 0; sum > 0 && d < kDim; ++d)
      r.o.at(i, d) /= sum;
    r.lse.push_back(most + std::log(sum));
  }
  return r;
}

Kernel::Kernel(MLIRContext &context, const Setting &setting, Kind kind,
               StringRef element, double scale)
    : setting(setting), kind(kind), scale(scale),
      type(parseType(element, &context)), f32(Float32Type::get(&context)) {
  module = parseSourceString<ModuleOp>(textOf(kind, element, scale), &context);
  if (!module || !compile())
    llvm::report_fatal_error("the kernel does not compile");
}

Results Kernel::run(const Inputs &in, unsigned turn) {
  Matrix o(in.q.rows());
  int64_t queries = in.q.rows(), keys = in.k.rows();
  std::vector<HostView> views;
  for (int64_t rows : {queries, keys, keys, queries})
    views.emplace_back(type, ArrayRef<int64_t>{1, 1, rows, kDim},
                       ArrayRef<int64_t>{0, 1, 2, 3}, ArrayRef<int64_t>{8});
  views.emplace_back(f32, ArrayRef<int64_t>{1, 1, queries},
                     ArrayRef<int64_t>{0, 1, 2}, ArrayRef<int64_t>{8});
  const Matrix *inputs[] = {&in.q, &in.k, &in.v};
  for (auto [view, matrix] : llvm::zip(views, inputs)) {
    std::vector<double> values = matrix->values;
    view.write(values);
  }
  std::vector<StridedBuffer> buffers;
  for (HostView &view : views)
    buffers.push_back(view.buffer());
  std::vector<ScalarBytes> scalars;
  for (double x : in.change)
    if (kind == Kind::Modified)
      scalars.push_back(encodeScalar(f32, x));
  if (llvm::Error error = launch(buffers, scalars, turn))
    llvm::report_fatal_error(std::move(error));
  guardsIntact &= views[3].guardsIntact() && views[4].guardsIntact();
  o.values = views[3].read();
  Results results{o, views[4].read()};
  for (auto *values : {&results.o.values, &results.lse})
    for (double &x : *values)
      x = spoil(x, turn);
  return results;
}

double Kernel::spoil(double x, unsigned turn) const {
  if (setting.defect == "finite")
    return std::isfinite(x) ? x : 0;
  if (setting.defect == "off")
    return x * 1.05 + 0x1p-120;
  return setting.defect == "order" ? x + turn : x;
}

bool Kernel::compile() {
  PassManager pm(module->getContext());
  auto schedule = ScheduleOptions::createFromString("tiles=query=64,key=32");
  if (!schedule)
    return false;
  schedule->target = setting.target;
  buildSchedulePipeline(pm, *schedule);
  auto options = TargetOptions::createFromString(setting.lower);
  if (!options)
    return false;
  if (setting.target != "cpu")
    buildTargetPipeline(pm, *options);
  if (setting.emulate) {
    buildLowerToROCDLPipeline(pm);
    if (failed(pm.run(*module)))
      return false;
    emulated = EmulatedKernel::compile(*module);
    return emulated != nullptr;
  }
  if (setting.target == "cpu")
    buildLowerToLoopsPipeline(pm);
  else
    buildSequentialPipeline(pm);
  buildLowerToLLVMPipeline(pm);
  if (failed(pm.run(*module)))
    return false;
  name = findLoweredKernels(*module).front().name;
  auto made = CpuModule::compile(*module, /*level=*/0);
  if (!made)
    llvm::report_fatal_error(made.takeError());
  compiled = std::move(*made);
  return true;
}

llvm::Error Kernel::launch(ArrayRef<StridedBuffer> buffers,
                           ArrayRef<ScalarBytes> scalars, unsigned turn) {
  using attn::gfx942::Interleaving;
  const Interleaving orders[] = {Interleaving::Forward, Interleaving::Reverse,
                                 Interleaving::Random};
  if (setting.emulate)
    return emulated->run(buffers, scalars, {orders[turn % 3], 1 + turn, 0});
  return compiled->run(name, buffers, scalars, 1 + turn);
}
