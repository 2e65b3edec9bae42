//===- SplitStates.h - States between two kernels of an op ------*- C++ -*-===//

#ifndef ATTN_LIB_RUNTIME_SPLITSTATES_H
#define ATTN_LIB_RUNTIME_SPLITSTATES_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/CpuKernel.h"

namespace attn {

/// What a kernel that streams parts stores, for the kernel that merges.
class SplitStates {
public:
  /// States of these types, of `splits` parts where they do not say how many.
  /// What is not written is NaN.
  SplitStates(StreamableOpInterface op, llvm::ArrayRef<int64_t> extents,
              llvm::ArrayRef<ViewType> types, int64_t splits);

  /// Launches both kernels, with the views that each has, of those of the
  /// operation and the states.
  using Launch = llvm::function_ref<llvm::Error(
      bool merge, llvm::ArrayRef<StridedBuffer> views)>;
  llvm::Error run(llvm::ArrayRef<StridedBuffer> views, Launch launch);

private:
  unsigned numInputs = 0;
  std::vector<std::vector<float>> storage;
  llvm::SmallVector<StridedBuffer> buffers;
};

} // namespace attn

#endif // ATTN_LIB_RUNTIME_SPLITSTATES_H
