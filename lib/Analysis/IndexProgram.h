//===- IndexProgram.h - Index arithmetic of a kernel, compiled --*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_ANALYSIS_INDEXPROGRAM_H
#define ATTN_MLIR_LIB_ANALYSIS_INDEXPROGRAM_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <optional>
#include <vector>

namespace attn {
class DimOp;
class KernelOp;
class StreamOp;

/// What is no index: values whose type is a ranked tensor.
bool isTile(mlir::Type type);
bool hasTiles(mlir::Operation &op);

/// The control flow and index arithmetic of a kernel whose grid is
/// materialised, as instructions over slots. What computes tiles is left out. A
/// JIT compiler would take longer to start than most kernels take here.
class IndexProgram {
public:
  /// What a run tells.
  struct Listener {
    virtual ~Listener() = default;
    virtual void enterCta(int64_t cta) = 0;
    /// A block of a visit, outside of streams, runs. `op` is its parent.
    virtual void enterBlock(mlir::Block *block) = 0;
    /// A stream takes so many steps in all segments of a kind. Offsets are
    /// evaluated at the first position of the stream.
    virtual void stream(StreamOp op, int64_t steps, int64_t maskedSteps,
                        bool reverse) = 0;
  };

  /// CTAs, and walks through streams, that are too many to run.
  static constexpr int64_t kMost = int64_t{1} << 22;

  /// What is read where nobody says what a view holds: as much as an i32 can
  /// hold, of which a length is as much as its stream has.
  static constexpr int64_t kUnknownElement = (int64_t{1} << 31) - 1;

  using SizeFn = llvm::function_ref<mlir::FailureOr<int64_t>(DimOp)>;

  /// What an element of a view of integers holds, and what is written to one.
  using ReadFn =
      std::function<int64_t(mlir::Value view, llvm::ArrayRef<int64_t> offsets)>;
  using WriteFn = std::function<void(
      mlir::Value view, llvm::ArrayRef<int64_t> offsets, int64_t value)>;
  void setMemory(ReadFn reader, WriteFn writer) {
    read = std::move(reader);
    write = std::move(writer);
  }

  /// Fails after a diagnostic for what is not index arithmetic.
  mlir::LogicalResult compile(KernelOp kernel, SizeFn sizeOf);
  mlir::LogicalResult run(Listener &listener);

  /// From here on, runs only so many CTAs of a grid and iterations of a loop
  /// that has more, spread evenly.
  void sample(int64_t mostCtas, int64_t mostIterations) {
    sampledCtas = mostCtas;
    sampledIterations = mostIterations;
  }
  /// What the listener is told of stands for so many of its kind.
  double weight() const { return currentWeight; }

  /// The value of an index at this point of the run.
  int64_t valueOf(mlir::Value value) const;

private:
  struct Instruction {
    mlir::Operation *op = nullptr;
    unsigned kind = 0;
    unsigned result = 0;
    llvm::SmallVector<unsigned, 4> operands;
    /// Of a loop: what it carries, and what its body hands on.
    llvm::SmallVector<unsigned, 2> carried, yielded, results;
    int64_t immediate = 0;
    /// Index into `blocks`, of regions; -1 where there is none.
    int body = -1, otherwise = -1;
  };
  struct Code {
    mlir::Block *block;
    std::vector<Instruction> instructions;
    /// Whether tiles are computed in the block itself.
    bool hasTiles = false, hasStream = false;
  };

  unsigned slotOf(mlir::Value value);
  mlir::FailureOr<int> compileBlock(mlir::Block &block, SizeFn sizeOf);
  mlir::LogicalResult compileOp(mlir::Operation &op, Code &code, SizeFn sizeOf);
  mlir::LogicalResult runBlock(int block, Listener &listener);
  mlir::LogicalResult runLoop(const Instruction &loop, Listener &listener);
  mlir::LogicalResult runCtas(const Instruction &ctas, Listener &listener);
  /// Calls `body` with the numbers below `count`, or a sample of `most`.
  mlir::LogicalResult
  runNumbers(int64_t count, std::optional<int64_t> most,
             llvm::function_ref<mlir::LogicalResult(int64_t)> body);
  mlir::LogicalResult runStream(const Instruction &stream, Listener &listener);
  mlir::LogicalResult runOp(const Instruction &i, Listener &listener);

  void accessElement(const Instruction &access);

  ReadFn read;
  WriteFn write;
  std::vector<Code> blocks;
  int root = -1;
  llvm::DenseMap<mlir::Value, unsigned> slotNumbers;
  std::vector<int64_t> slots;
  bool inStream = false;
  int64_t walks = 0;
  std::optional<int64_t> sampledCtas, sampledIterations;
  double currentWeight = 1;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_ANALYSIS_INDEXPROGRAM_H
