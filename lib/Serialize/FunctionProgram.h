//===- FunctionProgram.h - A function of launches as a program --*- C++ -*-===//

#ifndef ATTN_LIB_SERIALIZE_FUNCTIONPROGRAM_H
#define ATTN_LIB_SERIALIZE_FUNCTIONPROGRAM_H

#include "Program.h"
#include "StridedArray.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {

/// A launch and what its kernel says of itself.
struct Launched {
  LaunchOp op;
  mlir::LLVM::LLVMFuncOp kernel;
  KernelFacts facts;

  /// What it reads and what it wrote, in the kernel's order.
  llvm::SmallVector<mlir::Value> tensors() {
    llvm::SmallVector<mlir::Value> result(op.getInputs());
    result.append(op->result_begin(), op->result_end());
    return result;
  }
  /// The dimension of the tensor that is this one of the kernel's view.
  int64_t dimOf(unsigned view, unsigned dim) {
    return mlir::cast<mlir::AffineMapAttr>(op.getViews()[view])
        .getValue()
        .getDimPosition(dim);
  }
};

/// Takes order and names that the function states of a view (stateViews), if it
/// does.
void takeStatedView(ProgramView &view, mlir::Operation *function,
                    unsigned number);

/// Dimensions that have one size: classes of ["size", view, dim].
class AxisClasses {
public:
  void unite(mlir::Attribute x, mlir::Attribute y);
  mlir::Attribute find(mlir::Attribute size) const;
  /// The expression, with one size of each class.
  mlir::Attribute canonical(mlir::Attribute expression) const;

private:
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> parents;
};

/// Fails after a diagnostic unless views and arrays can be of that type.
mlir::LogicalResult checkTensor(mlir::Operation *op, mlir::Type type);

/// Builds the program of one function.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, const Program *like)
      : function(function), like(like), b(function.getContext()),
        expressions([this](mlir::Operation *op) { return sizeOfDim(op); }) {}

  mlir::FailureOr<Program> run();

private:
  // What the function takes, returns and holds (FunctionProgram.cpp).
  mlir::LogicalResult check();
  mlir::LLVM::LLVMFuncOp kernelOf(LaunchOp launch);
  mlir::LogicalResult findResults();
  std::pair<Launched *, unsigned> directUse(mlir::Value value);
  void declareViews();
  void declareScalars();
  StridedArray arrayOf(unsigned number);

  // Sizes of tensors as expressions over those of arguments.
  mlir::Attribute sizeOfDim(mlir::Operation *op);
  mlir::FailureOr<mlir::Attribute> expressionOf(mlir::Value value);
  mlir::FailureOr<llvm::SmallVector<mlir::Attribute>>
  sizesFrom(mlir::RankedTensorType type, mlir::ValueRange dynamic);
  mlir::FailureOr<llvm::SmallVector<mlir::Attribute>>
  computeSizes(mlir::Value value);
  mlir::FailureOr<llvm::SmallVector<mlir::Attribute>>
  sizesOf(mlir::Value value);

  // Axes, workspace and steps (ProgramSteps.cpp).
  mlir::LogicalResult uniteAxes();
  /// Calls `fn` with each size of a result, as computed and as its array has
  /// it.
  mlir::LogicalResult
  forResultSizes(llvm::function_ref<void(mlir::Attribute, mlir::Attribute)> fn);
  mlir::LogicalResult uniteResults();
  void uniteLike();
  void nameViews();
  void nameAxes();
  mlir::LogicalResult limitResults();
  mlir::LogicalResult limitReshapes();
  mlir::LogicalResult placeResult(unsigned number);
  mlir::FailureOr<mlir::Value> overwrittenBy(LaunchOp launch,
                                             mlir::OpResult result);
  mlir::FailureOr<bool> placeInPlace(LaunchOp launch, mlir::OpResult value);
  mlir::LogicalResult placeWorkspace();
  mlir::FailureOr<StridedArray> arrayOf(mlir::Value value);
  mlir::FailureOr<ProgramStep> stepOf(Launched &launched);
  mlir::LogicalResult limitStep(Launched &launched, ProgramStep &step);
  mlir::LogicalResult setScalars(Launched &launched, ProgramStep &step);
  StepView stepViewOf(const StridedArray &array, Launched &launched,
                      unsigned number);
  bool takesViewsAsTheyAre(const ProgramStep &step);
  bool hasName(llvm::StringRef name);
  /// Demands of sizes what is not known to hold.
  void require(llvm::SmallVectorImpl<mlir::Attribute> &limits,
               mlir::Attribute one, mlir::Attribute other,
               mlir::Attribute limit);

  mlir::func::FuncOp function;
  const Program *like;
  ExpressionBuilder b;
  SizeExpressions expressions;
  Program program;
  std::vector<Launched> launches;
  /// Returned values, and what kernel wrote each.
  llvm::SmallVector<mlir::Value> returned;
  llvm::DenseMap<mlir::Value, unsigned> results;
  llvm::SmallVector<mlir::Value> valueOfView;
  llvm::DenseMap<mlir::Value, unsigned> scalars;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute>> sizes;
  llvm::DenseMap<mlir::Value, StridedArray> arrays;
  AxisClasses axes;
  /// Sizes to which kernels give names, in order; of each class the first.
  llvm::SmallVector<std::pair<mlir::Attribute, std::string>> namedSizes;
  llvm::DenseMap<mlir::Attribute, std::string> axisNames;
};

} // namespace attn

#endif // ATTN_LIB_SERIALIZE_FUNCTIONPROGRAM_H
