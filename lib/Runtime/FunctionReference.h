//===- FunctionReference.h - A level-1 function in float64 ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_FUNCTIONREFERENCE_H
#define ATTN_MLIR_LIB_RUNTIME_FUNCTIONREFERENCE_H

#include "ScalarProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// A tensor of a level-1 function, dense, with what its elements may differ by.
struct ReferenceTensor {
  llvm::SmallVector<int64_t> shape;
  /// Results of an operation are rounded to their type where one takes them.
  std::vector<double> values;
  /// Of each element: what the scores behind it add to the bound (scoreSlack).
  /// Infinite where nothing was written.
  std::vector<double> slack;
  /// The sum of the usual bounds of the operations on the way to here: what is
  /// only moved has none, and is exact.
  double bound = 0;
  /// Of each row, the size of what it is a sum of (rowwiseError); empty where
  /// rows are sums of nothing that cancels.
  std::vector<double> units;
  /// A logarithm (LSE), whose error is not relative to its row.
  bool isLog = false;
};

class AttentionBackwardOp;
class QuantizeOp;

/// Evaluates a level-1 function: streamed operations by their references,
/// what moves tensors and elementwise operations by their definitions. Has
/// nothing in common with what becomes of the function on the CPU.
class FunctionReference {
public:
  explicit FunctionReference(const OracleOptions &options) : options(options) {}

  void setTensor(mlir::Value value, ReferenceTensor tensor) {
    tensors[value] = std::move(tensor);
  }
  void setScalar(mlir::Value value, Slot slot) { scalars[value] = slot; }

  /// What the function returns. On failure `unknown` says which operation the
  /// reference does not know; where it is empty there was a diagnostic.
  mlir::FailureOr<std::vector<ReferenceTensor>> run(mlir::func::FuncOp function,
                                                    std::string &unknown);

private:
  bool evaluate(mlir::Operation &op);
  bool evaluateMove(mlir::Operation &op);
  bool evaluateArrangement(mlir::Operation &op);
  bool evaluateQuantization(mlir::Operation &op);
  ReferenceTensor rotated(QuantizeOp op, ReferenceTensor rows);
  void center(QuantizeOp op, ReferenceTensor &rows);
  bool evaluateConstant(mlir::Operation &op);
  bool evaluateElementwise(mlir::Operation &op);
  mlir::LogicalResult evaluateStreamable(StreamableOpInterface op);
  mlir::LogicalResult evaluateGradient(mlir::Operation &op);
  void allowUnwritten(AttentionBackwardOp op, mlir::Value value,
                      ReferenceTensor &result);
  int64_t valueOf(mlir::OpFoldResult size) const;
  llvm::SmallVector<int64_t>
  valuesOf(llvm::ArrayRef<mlir::OpFoldResult> sizes) const;
  /// A tensor of zeros that is a result.
  ReferenceTensor &make(mlir::Value result, llvm::ArrayRef<int64_t> shape);

  const OracleOptions &options;
  llvm::DenseMap<mlir::Value, ReferenceTensor> tensors;
  llvm::DenseMap<mlir::Value, Slot> scalars;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_FUNCTIONREFERENCE_H
