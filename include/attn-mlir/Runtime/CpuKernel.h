//===- CpuKernel.h - Kernels compiled for and run on the CPU ----*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_CPUKERNEL_H
#define ATTN_MLIR_RUNTIME_CPUKERNEL_H

#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace attn {

/// A strided array in memory; strides count elements.
struct StridedBuffer {
  void *data = nullptr;
  llvm::SmallVector<int64_t> sizes, strides;
};

/// A scalar argument as the kernel takes it, in the bytes of its type.
using ScalarBytes = llvm::SmallVector<char, 8>;

/// One access of a trace (attn.touch). Coordinates are elements of the view,
/// bytes those inside of it.
struct Access {
  int64_t cta, kind, view, offsets[5], bytes;
};

/// The level of optimisation at which compiling and running so many
/// multiplications together take little: optimising takes longer than running
/// where there are many loops and few multiplications. Level 2 compiles a
/// kernel in a second or two, level 3 in up to thirteen.
inline unsigned cpuOptimisationFor(double multiplications) {
  return multiplications < 5e8 ? 0 : multiplications < 5e10 ? 2 : 3;
}

/// The kernels of a module that is lowered to the LLVM dialect for the CPU,
/// compiled in memory. Views of a kernel may be given without its counters,
/// which then are zero at each call.
class CpuModule {
public:
  /// Compiles a module, optimizing by `level` (0 to 3: less where compiling
  /// takes longer than running); its context must outlive the result's creation
  /// only.
  static llvm::Expected<std::unique_ptr<CpuModule>>
  compile(mlir::ModuleOp module, unsigned level = 2);
  ~CpuModule();

  /// Number of CTAs of a kernel for these arguments.
  llvm::Expected<int64_t> countCtas(llvm::StringRef kernel,
                                    llvm::ArrayRef<StridedBuffer> views,
                                    llvm::ArrayRef<ScalarBytes> scalars);

  /// Runs all CTAs of a kernel on `threads` threads (0: all cores). Fails where
  /// a kernel of level 3 breaches the protocol of a ring (attn_ring_error).
  llvm::Error run(llvm::StringRef kernel, llvm::ArrayRef<StridedBuffer> views,
                  llvm::ArrayRef<ScalarBytes> scalars, unsigned threads = 0);

  /// Runs CTAs [begin, end) of a traced kernel on this thread and hands every
  /// access to `sink`. Views need sizes, no data.
  llvm::Error trace(llvm::StringRef kernel, llvm::ArrayRef<StridedBuffer> views,
                    llvm::ArrayRef<ScalarBytes> scalars, int64_t begin,
                    int64_t end, std::function<void(const Access &)> sink);

  /// Calls a function of scalars (index) that returns one.
  llvm::Expected<int64_t> callIndex(llvm::StringRef function,
                                    llvm::ArrayRef<int64_t> arguments);

  /// Calls any function with pointers to its arguments, as the LLVM dialect has
  /// them, and one to room for its result. Fails as `run` does.
  llvm::Error call(llvm::StringRef function,
                   llvm::MutableArrayRef<void *> arguments);

private:
  explicit CpuModule(std::unique_ptr<mlir::ExecutionEngine> engine);

  /// `views` and the counters among those of the kernel that are missing, which
  /// `zeros` becomes the memory of.
  llvm::SmallVector<StridedBuffer>
  withCounters(llvm::StringRef kernel, llvm::ArrayRef<StridedBuffer> views,
               std::vector<int32_t> &zeros) const;

  std::unique_ptr<mlir::ExecutionEngine> engine;
  /// Views and counters of kernels that have counters.
  struct CountedViews {
    size_t views, counters;
  };
  llvm::StringMap<CountedViews> counted;
};

/// A kernel in a lowered module, or two that compute an operation together.
struct LoweredKernel {
  std::string name;
  /// Those of the operation: what is read, then what is written.
  llvm::SmallVector<ViewType> views;
  unsigned numScalars = 0;
  /// Where the kernel streams parts: what it stores for each, and the kernel
  /// that merges these.
  llvm::SmallVector<ViewType> states;
  std::string merge;
  /// Whether its kernels hand on more than states, so that they only run in
  /// their function.
  bool needsFunction = false;
};

/// The kernels of a lowered module, in order; two that compute an operation
/// are one entry.
std::vector<LoweredKernel> findLoweredKernels(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_CPUKERNEL_H
