//===- StridedArray.h - Where the elements of a tensor are ------*- C++ -*-===//

#ifndef ATTN_LIB_SERIALIZE_STRIDEDARRAY_H
#define ATTN_LIB_SERIALIZE_STRIDEDARRAY_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// Builds expressions of docs/bundle.md; those of numbers are numbers.
class ExpressionBuilder {
public:
  explicit ExpressionBuilder(mlir::MLIRContext *context) : b(context) {}

  mlir::Attribute number(int64_t value) { return b.getI64IntegerAttr(value); }
  mlir::Attribute size(int64_t view, int64_t dim) {
    return leaf("size", view, dim);
  }
  mlir::Attribute stride(int64_t view, int64_t dim) {
    return leaf("stride", view, dim);
  }
  mlir::Attribute mul(mlir::Attribute x, mlir::Attribute y);
  mlir::Attribute equal(mlir::Attribute x, mlir::Attribute y);
  mlir::Attribute atMostOne(mlir::Attribute x);
  mlir::Attribute either(mlir::Attribute x, mlir::Attribute y);
  mlir::Attribute select(mlir::Attribute condition, mlir::Attribute then,
                         mlir::Attribute otherwise);

private:
  mlir::Attribute leaf(llvm::StringRef name, int64_t view, int64_t dim);
  mlir::Attribute apply(llvm::StringRef name,
                        llvm::ArrayRef<mlir::Attribute> operands);

  mlir::Builder b;
};

/// A number, or null where the expression is none.
std::optional<int64_t> numberOf(mlir::Attribute expression);

/// A tensor in a view or array of a program, in the tensor's dimensions.
struct StridedArray {
  int64_t base = 0;
  /// Of an array that the launcher allocates.
  bool contiguous = false;
  llvm::SmallVector<mlir::Attribute> sizes, strides;

  /// With each dimension in place of several, of sizes `split`.
  StridedArray expand(ExpressionBuilder &b,
                      llvm::ArrayRef<mlir::ReassociationIndices> groups,
                      llvm::ArrayRef<mlir::Attribute> split) const;

  /// With several dimensions in place of one, which takes the `conditions`.
  StridedArray
  collapse(ExpressionBuilder &b,
           llvm::ArrayRef<mlir::ReassociationIndices> groups,
           llvm::SmallVectorImpl<mlir::Attribute> &conditions) const;
};

} // namespace attn

#endif // ATTN_LIB_SERIALIZE_STRIDEDARRAY_H
