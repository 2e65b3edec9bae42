//===- ScalarProgram.h - A region of scalars, evaluated ---------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_SCALARPROGRAM_H
#define ATTN_MLIR_LIB_RUNTIME_SCALARPROGRAM_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include <functional>
#include <vector>

namespace attn {

/// A value of the region. Integers are kept sign-extended from their width, so
/// that a true i1 is -1; index has 64 bits.
union Slot {
  Slot(double f = 0) : f(f) {}
  Slot(int64_t i) : i(i) {}
  Slot(uint64_t u) : i(u) {}
  double f;
  int64_t i;
};

/// Whether products may stay unrounded on their way into a sum, where both
/// allow it (`fastmath<contract>`), as in a fused multiply-add.
enum class Contraction { Off, On };

/// What a region gets from outside: a number, or the elements of a tensor.
struct CaptureValue {
  double number = 0;
  llvm::ArrayRef<double> elements;
  llvm::SmallVector<int64_t> shape;
};

/// The operations of a block, compiled: every value has a slot in a frame, that
/// of the block arguments first. A thread evaluates in a frame of its own.
///
/// Every operation on floats rounds its result to its type, as the IR has it.
class ScalarProgram {
public:
  /// Compiles a block; fails after a diagnostic where it has an operation or
  /// type that is not known. Constants are filled in, and the arguments from
  /// `firstCapture` on, from `captures`, whose elements must live as long.
  static mlir::FailureOr<ScalarProgram>
  compile(mlir::Block &body, unsigned firstCapture,
          llvm::ArrayRef<CaptureValue> captures, Contraction contraction);

  /// One operation: reads and writes slots of a frame.
  using Step = std::function<void(Slot *)>;

  std::vector<Slot> makeFrame() const { return frame; }
  /// Evaluates in a frame whose arguments are filled in: what the block yields.
  Slot run(std::vector<Slot> &frame) const {
    for (const Step &step : steps)
      step(frame.data());
    return frame[result];
  }

  /// Whether a product stays unrounded.
  bool isContracted() const { return contracted; }

private:
  bool contracted = false;
  std::vector<Step> steps;
  std::vector<Slot> frame;
  unsigned result = 0;
};

/// One operation, or one element of an elementwise one, as a function of its
/// operands; null where it is not known.
std::function<Slot(llvm::ArrayRef<Slot>)> compileScalarOp(mlir::Operation &op);

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_SCALARPROGRAM_H
