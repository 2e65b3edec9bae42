//===- Oracle.h - Run a kernel and compare with the reference ---*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_ORACLE_H
#define ATTN_MLIR_RUNTIME_ORACLE_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/CpuKernel.h"
#include "attn-mlir/Runtime/Reference.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace attn {

/// An array in host memory as a kernel's view: strided, with NaN in front of
/// it, behind it and between its rows, so that a read outside shows.
class HostView {
public:
  /// `permutation` takes a dimension of the view to the dimension that it has
  /// in memory (see StreamableOpInterface); `gaps` are elements that are left
  /// between rows, between what lies around these, and so on. Elements start
  /// as NaN.
  HostView(mlir::Type element, llvm::ArrayRef<int64_t> sizes,
           llvm::ArrayRef<int64_t> permutation, llvm::ArrayRef<int64_t> gaps);

  /// Stores values in logical order, rounded to the element type, and rounds
  /// `values` likewise.
  void write(std::vector<double> &values);
  /// The values in logical order.
  std::vector<double> read() const;
  /// Whether nothing outside of the elements was written.
  bool guardsIntact() const;

  /// The view as a kernel takes it; valid as long as this is not moved.
  StridedBuffer buffer();
  llvm::ArrayRef<int64_t> sizes() const { return dims; }
  int64_t count() const;
  /// Values of one row (the last dimension).
  int64_t columns() const { return dims.back(); }

private:
  void forEach(llvm::function_ref<void(int64_t offset)> body) const;

  mlir::Type element;
  int64_t elementBytes;
  std::vector<char> storage;
  llvm::SmallVector<int64_t> dims, strides;
};

/// The nearest value of a type that a view has (f16, bf16, f32, i8, i32, i64).
double roundTo(mlir::Type type, double value);

/// The number of such a type in memory.
double readElement(mlir::Type type, const char *data);

/// A number as an argument of a scalar type.
ScalarBytes encodeScalar(mlir::Type type, double value);

/// The bound of the project for errors of results of this element type.
double usualBound(mlir::Type element);

/// That of the first result of an op: attention rounds its weights to the
/// element type of V, however wide O is.
double usualBound(StreamableOpInterface op);

/// Evaluates an op in float64: from the extents of its axes and its inputs in
/// logical order, its first and, where there is one, second result.
using ReferenceFn = std::function<mlir::LogicalResult(
    StreamableOpInterface op, llvm::ArrayRef<int64_t> extents,
    llvm::ArrayRef<std::vector<double>> inputs, std::vector<double> &output,
    std::vector<double> &second)>;

/// Fills input number `view`, of these sizes and in logical order, with values
/// of the element type or such as round to them.
using FillFn = std::function<void(unsigned view, llvm::ArrayRef<int64_t> sizes,
                                  llvm::MutableArrayRef<double> values)>;

/// Runs a kernel on these views, in place of a CpuModule.
using LaunchFn = std::function<llvm::Error(
    llvm::ArrayRef<StridedBuffer> views, llvm::ArrayRef<ScalarBytes> scalars)>;

/// What to run a kernel on.
struct OracleOptions {
  /// Sizes of dynamic axes, by name ("batch", "query", "key").
  llvm::StringMap<int64_t> sizes;
  /// Values of the op's scalar captures.
  std::vector<double> scalars;
  uint64_t seed = 1;
  /// Q = 0 and V made of small integers that tell the keys apart: the answer is
  /// known to the last bit, and a bound wrong by one changes it.
  bool probe = false;
  unsigned threads = 0;
  /// Parts of a stream, where a kernel takes their number from its views.
  int64_t splits = 3;
  /// Numbers in views of integers, by the name of the view: one for all
  /// elements, or one each. Without them lengths are drawn.
  ViewContents contents;
  /// For ops that the project does not know.
  ReferenceFn reference;
  /// Makes the inputs; without it they are normally distributed.
  FillFn fill;
  /// Elements between rows, and so on (see HostView).
  llvm::SmallVector<int64_t> gaps = {8};
};

/// Evaluates an op from its inputs in logical order, in float64; fails after a
/// diagnostic.
mlir::LogicalResult
evaluateReference(StreamableOpInterface op, llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<std::vector<double>> inputs,
                  const OracleOptions &options, AttentionReference &expected);

/// How far a kernel is from the reference.
struct OracleReport {
  /// Row-wise relative error of the output, of the row that exceeds its slack
  /// most; infinite where an element was not written.
  double outputError = 0;
  /// What that row's scores add to the usual bound (scoreSlack), and the
  /// largest of them.
  double outputSlack = 0, largestScore = 0;
  /// How far an output lies outside of the values that it is a mean of.
  double outside = 0;
  /// Error of the LSE, relative above 1, and what is added to its bound.
  double lseError = 0, lseSlack = 0;
  bool hasLse = false;
  /// With OracleOptions::probe: whether the output is exact.
  bool exact = true;
  /// Whether nothing was written outside of the results.
  bool guardsIntact = true;

  /// Whether all is right, for these bounds of errors where scores are small.
  bool isWithin(double bound, double lseBound) const;
};

/// Extents of all axes of `op`: static ones, and `sizes` for the others. Fails
/// after a diagnostic for a missing, unknown, contradicting or negative size.
mlir::FailureOr<llvm::SmallVector<int64_t>>
resolveExtents(StreamableOpInterface op, const llvm::StringMap<int64_t> &sizes);

/// Sizes of a view of `op` for these extents of its axes.
llvm::SmallVector<int64_t> viewSizes(StreamableOpInterface op, unsigned view,
                                     llvm::ArrayRef<int64_t> extents);

/// Why a lowered kernel is not one of `op`, by its views and scalars; empty if
/// it can be.
std::string whyNotKernel(StreamableOpInterface op, const LoweredKernel &kernel);

/// Runs `kernel`, which was made from `op`, on random inputs, and compares it
/// with the float64 reference.
mlir::FailureOr<OracleReport> runOracle(StreamableOpInterface op,
                                        CpuModule &module,
                                        const LoweredKernel &kernel,
                                        const OracleOptions &options);

/// Likewise, with `launch` to run it.
mlir::FailureOr<OracleReport> runOracle(StreamableOpInterface op,
                                        const LaunchFn &launch,
                                        const OracleOptions &options);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_ORACLE_H
