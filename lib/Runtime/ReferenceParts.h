//===- ReferenceParts.h - What references have in common --------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_REFERENCEPARTS_H
#define ATTN_MLIR_LIB_RUNTIME_REFERENCEPARTS_H

#include "ScalarProgram.h"
#include "attn-mlir/Runtime/Reference.h"
#include "mlir/IR/Region.h"
#include <optional>
#include <vector>

namespace attn {

/// Whether the references know what a mask means; null is no mask.
bool isKnownMask(mlir::Attribute mask);

/// Whether `mask`, one of those known, lets query i attend to key j.
bool attends(mlir::Attribute mask, AttentionSizes sizes, int64_t i, int64_t j);

/// Spreads rows over the cores. `body` gets up to `chunk` rows [first, last) at
/// a time, so that rows may differ in what they cost.
void forRows(int64_t rows, int64_t chunk,
             llvm::function_ref<void(int64_t, int64_t)> body);

/// A scalar product, of a multiple of 8 numbers.
double dotProduct(const double *a, const double *b, int64_t size);

/// y += factor * x
void addScaled(double *y, double factor, const double *x, int64_t size);

/// One region of an op, or nothing. Changes its frame as it evaluates: each
/// thread has its own.
class RegionValue {
public:
  static mlir::FailureOr<RegionValue>
  compile(mlir::Region &region, unsigned firstCapture,
          llvm::ArrayRef<CaptureValue> captures, Contraction contraction) {
    RegionValue result;
    if (region.empty())
      return result;
    mlir::FailureOr<ScalarProgram> program = ScalarProgram::compile(
        region.front(), firstCapture, captures, contraction);
    if (failed(program))
      return mlir::failure();
    result.frame = program->makeFrame();
    result.program = std::move(*program);
    return result;
  }

  explicit operator bool() const { return program.has_value(); }
  bool isContracted() const { return program && program->isContracted(); }

  Slot operator()(llvm::ArrayRef<Slot> arguments) {
    llvm::copy(arguments, frame.begin());
    return program->run(frame);
  }

private:
  std::optional<ScalarProgram> program;
  std::vector<Slot> frame;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_REFERENCEPARTS_H
