//===- Program.h - What a launcher runs of a module -------------*- C++ -*-===//
//
// A program is a function of launches, or a kernel that none launches. Its
// views are what a caller passes; steps run kernels on these and on arrays that
// the launcher allocates (docs/bundle.md).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_SERIALIZE_PROGRAM_H
#define ATTN_LIB_SERIALIZE_PROGRAM_H

#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace attn {

/// A tensor that a program takes or returns.
struct ProgramView {
  std::string name;
  bool written = false;
  mlir::Type element;
  /// In the order of the view: sizes, and the axes of dynamic ones.
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<std::string> axes;
  /// The dimension of the caller's array that each is.
  llvm::SmallVector<int64_t> permutation;
  /// The view whose array it is, too: a kernel writes some of it.
  std::optional<int64_t> over;
};

struct ProgramScalar {
  std::string name;
  mlir::Type type;
};

/// What one kernel writes and another reads: contiguous.
struct WorkspaceArray {
  std::string name;
  mlir::Type element;
  /// Expressions over the program's views.
  llvm::SmallVector<mlir::Attribute> shape;
};

/// A view of a kernel. Expressions over the program's views and arrays.
struct StepView {
  /// Of the program's views, then of its arrays.
  int64_t base = 0;
  /// Of `base` as it is where these are empty.
  llvm::SmallVector<mlir::Attribute> shape, strides;
};

/// A scalar of a kernel: one of the program's, or a constant.
struct StepScalar {
  int64_t index = 0;
  mlir::TypedAttr constant;
};

struct ProgramStep {
  mlir::LLVM::LLVMFuncOp kernel;
  /// Empty where it takes those of the program, as they are and in order.
  std::vector<StepView> views;
  std::optional<std::vector<StepScalar>> scalars;
  /// What must hold besides the kernel's own limits, over the step's views.
  llvm::SmallVector<mlir::Attribute> limits;
};

struct Program {
  std::string name;
  /// The function, or the kernel.
  mlir::Operation *op = nullptr;
  std::vector<ProgramView> views;
  std::vector<ProgramScalar> scalars;
  std::vector<WorkspaceArray> workspace;
  /// Sizes of axes by names that no view has: of operands that are one array.
  llvm::StringMap<mlir::Attribute> otherAxes;
  /// What must hold of the sizes and strides of views and arrays.
  llvm::SmallVector<mlir::Attribute> limits;
  std::vector<ProgramStep> steps;
};

/// Attribute of a program's operation in a module that is a variant: for which
/// sizes it is (Bundle.h, setGuard), a list of texts and of expressions.
constexpr llvm::StringLiteral kGuardAttr = "attn.guard";

/// The programs of a module that is lowered for a GPU, in order. `like` are
/// those of another variant, whose views callers pass. Fails after a diagnostic
/// where there is none, or where a function is something else.
mlir::FailureOr<std::vector<Program>>
findPrograms(mlir::ModuleOp module, llvm::ArrayRef<Program> like = {});

/// The program of a function.
mlir::FailureOr<Program> functionProgram(mlir::func::FuncOp function,
                                         const Program *like);

/// What the manifest of a kernel says of it (OutlineKernel.cpp); empty where it
/// does not.
class KernelFacts {
public:
  explicit KernelFacts(mlir::LLVM::LLVMFuncOp kernel);

  mlir::Attribute get(llvm::StringRef key) const { return facts.get(key); }
  unsigned viewCount() const { return views.size(); }
  /// Of views that are read.
  unsigned readCount() const;
  ViewType viewType(unsigned view) const;
  llvm::ArrayRef<mlir::Attribute> scalarTypes() const { return scalars; }
  /// Of an argument: views, then scalars.
  llvm::StringRef nameOf(unsigned argument) const;
  llvm::StringRef axisOf(unsigned view, unsigned dim) const;
  /// The dimension of the array that is this one of the view.
  int64_t permuted(unsigned view, unsigned dim) const;

private:
  mlir::DictionaryAttr facts;
  llvm::ArrayRef<mlir::Attribute> views, scalars;
};

/// What must hold for the program of `op` in a variant, as an expression over
/// the views of `program`; null where nothing must. Fails after a diagnostic.
mlir::FailureOr<mlir::Attribute> guardOf(const Program &program,
                                         mlir::Operation *op);

} // namespace attn

#endif // ATTN_LIB_SERIALIZE_PROGRAM_H
