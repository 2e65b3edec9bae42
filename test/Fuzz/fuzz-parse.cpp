//===- fuzz-parse.cpp - IR text into the dialect --------------------------===//
//
// An input is a module, which is parsed, verified, printed and parsed again:
// the dialect's own code, all of it with sanitizers.
//
//===----------------------------------------------------------------------===//

#include "IrInput.h"
#include "TimeLimit.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn_fuzz;

static void fill(DialectRegistry &registry) {
  registry.insert<attn::AttnDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TimeLimit limit;
  static Contexts contexts(fill);
  MLIRContext &context = contexts.get();
  Errors errors(context);
  std::string text(data, data + size);
  if (auto module = parse(text, context, errors))
    checkRoundTrip(*module);
  return 0;
}
