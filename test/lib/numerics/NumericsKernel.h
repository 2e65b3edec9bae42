//===- NumericsKernel.h - Kernels for docs/numerics.md ----------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_NUMERICS_NUMERICSKERNEL_H
#define ATTN_MLIR_TEST_LIB_NUMERICS_NUMERICSKERNEL_H

#include "EmulatedKernel.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/IR/BuiltinOps.h"
#include <limits>

namespace attn_numerics {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int64_t kDim = 32;
/// The key whose score the kernel of that name modifies.
inline constexpr int64_t kModifiedKey = 5;

/// What a kernel computes: everything is seen, or keys up to the diagonal, or
/// the score of kModifiedKey is modified.
enum class Kind { Full, Causal, Modified };

/// Rows of `kDim` numbers.
struct Matrix {
  std::vector<double> values;
  explicit Matrix(int64_t rows = 0) : values(rows * kDim) {}
  int64_t rows() const { return values.size() / kDim; }
  double &at(int64_t row, int64_t column) {
    return values[row * kDim + column];
  }
  double at(int64_t row, int64_t column) const {
    return values[row * kDim + column];
  }
  void setRow(int64_t row, double value) {
    for (int64_t d = 0; d < kDim; ++d)
      at(row, d) = value;
  }
};

/// Arguments of a kernel, or its results.
struct Inputs {
  Matrix q, k, v;
  /// (a b - c) d is added to the score of kModifiedKey.
  std::vector<double> change = {0, 0, 0, 0};
};
struct Results {
  Matrix o;
  std::vector<double> lse;
};

/// Small integers as queries and keys, the first dimension of queries 1, and
/// ordinary values.
Inputs ordinary(int64_t queries, int64_t keys);

/// What kernels are made for and how.
struct Setting {
  std::string target, lower;
  /// In the emulator of gfx942.
  bool emulate = false;
  /// finite, off or order, planted in results; or nothing.
  std::string defect;
};

/// One kernel, compiled for a setting.
class Kernel {
public:
  /// Ends the program where it does not compile.
  Kernel(mlir::MLIRContext &context, const Setting &setting, Kind kind,
         llvm::StringRef element, double scale = 0.125);

  /// `turn` chooses what results must not depend on.
  Results run(const Inputs &in, unsigned turn = 0);

  /// By the definition; keys without weight take no part.
  Results expected(const Inputs &in) const;

  const Setting &setting;
  const Kind kind;
  const double scale;
  const mlir::Type type;
  bool guardsIntact = true;

private:
  double scoreOf(const Inputs &in, int64_t i, int64_t j) const;
  double spoil(double x, unsigned turn) const;
  bool compile();
  llvm::Error launch(llvm::ArrayRef<attn::StridedBuffer> buffers,
                     llvm::ArrayRef<attn::ScalarBytes> scalars, unsigned turn);

  mlir::Type f32;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<attn_random::EmulatedKernel> emulated;
  std::unique_ptr<attn::CpuModule> compiled;
  std::string name;
};

} // namespace attn_numerics

#endif // ATTN_MLIR_TEST_LIB_NUMERICS_NUMERICSKERNEL_H
