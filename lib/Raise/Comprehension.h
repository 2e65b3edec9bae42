//===- Comprehension.h - What an element of a tensor is ---------*- C++ -*-===//
//
// An element of a tensor, at indices that are sums of loop variables, as an
// expression: of elements of other tensors, of indices, of sums and maxima over
// further variables. Layouts, casts between floats, the order of operands and
// of operations, and the dialect they were written in are gone from it; equal
// expressions are one object.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_RAISE_COMPREHENSION_H
#define ATTN_MLIR_LIB_RAISE_COMPREHENSION_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <deque>
#include <map>
#include <optional>

namespace attn::raise {

/// A loop variable: a dimension of a tensor, or a factor of one.
struct Variable {
  /// mlir::ShapedType::kDynamic where it is not known.
  int64_t extent;
  /// The extent is the size of dimension `dim` of `tensor`, divided by
  /// `divisor`.
  mlir::Value tensor;
  unsigned dim;
  int64_t divisor;
};

/// A sum of variables, each times its stride, and a constant. Terms are ordered
/// by variable.
struct IndexForm {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  int64_t constant = 0;

  bool operator==(const IndexForm &other) const {
    return terms == other.terms && constant == other.constant;
  }
  /// The variable that this is, if it is one.
  std::optional<unsigned> asVariable() const;
  bool contains(unsigned variable) const;
  IndexForm times(int64_t factor) const;
  IndexForm plus(const IndexForm &other) const;
  void profile(llvm::FoldingSetNodeID &id) const;
};

using IndexForms = llvm::SmallVector<IndexForm, 4>;

enum class ExprKind {
  /// A float; all floats count as one type.
  Number,
  Integer,
  /// An index, from `forms`.
  Index,
  /// A scalar that is computed outside of tensors: `value`.
  Scalar,
  /// The element of `value` at `forms`.
  Read,
  /// The sum or maximum over further variables of what `op` reduces for its
  /// result `number`, at `forms`.
  Sum,
  Maximum,
  /// number + sum of coefficients times operands.
  Linear,
  /// Product of operands, to the power of 1 or -1.
  Product,
  /// Operands: condition, value where it holds, value elsewhere.
  Select,
  /// A scalar operation `name` with `attributes`.
  Call,
};

struct Expr : llvm::FoldingSetNode {
  ExprKind kind;
  /// In the order in which expressions were made.
  unsigned id = 0;
  /// f32 for all floats.
  mlir::Type type;
  double number = 0;
  llvm::APInt integer;
  mlir::Value value;
  mlir::Operation *op = nullptr;
  llvm::StringRef name;
  mlir::DictionaryAttr attributes;
  IndexForms forms;
  llvm::SmallVector<const Expr *, 2> operands;
  llvm::SmallVector<double, 2> coefficients;

  void Profile(llvm::FoldingSetNodeID &id) const; // NOLINT
  bool isCall(llvm::StringRef operation) const {
    return kind == ExprKind::Call && name == operation;
  }
  bool isReduction() const {
    return kind == ExprKind::Sum || kind == ExprKind::Maximum;
  }
};

/// How loops are split into several variables, by the operation and the loop
/// that they are of: factors from the innermost one on. What is left is the
/// outermost variable.
using Splits = std::map<std::pair<mlir::Operation *, unsigned>,
                        llvm::SmallVector<int64_t>>;

/// The expressions of one attempt to find attention. Where a reshape takes a
/// variable apart, the attempt starts anew with that variable split
/// (`takeSplit`).
class Comprehension {
public:
  explicit Comprehension(Splits &splits, int64_t budget = 4000)
      : splits(splits), budget(budget) {}

  //===--- Variables ---===//

  /// A new loop of an operation, which runs over a dimension of a tensor.
  IndexForm makeLoop(mlir::Operation *op, unsigned loop, int64_t extent,
                     mlir::Value tensor, unsigned dim);
  const Variable &variable(unsigned number) const { return variables[number]; }
  /// Quotient and remainder of a form; may ask for a split.
  std::optional<std::pair<IndexForm, IndexForm>> divide(const IndexForm &form,
                                                        int64_t divisor);
  /// Enters the split that a reshape asked for, if any may be split; null
  /// `splittable` allows all.
  bool takeSplit();
  bool wantsSplit() const { return wantedSplit.has_value(); }
  void dropSplit() { wantedSplit.reset(); }
  /// Variables that may be split, where not all may be.
  const llvm::DenseSet<unsigned> *splittable = nullptr;

  //===--- Expressions ---===//

  const Expr *makeNumber(double number, mlir::Type type);
  const Expr *makeInteger(llvm::APInt integer, mlir::Type type);
  const Expr *makeIndex(const IndexForm &form, mlir::Type type);
  const Expr *makeScalar(mlir::Value value);
  const Expr *makeRead(mlir::Value tensor, llvm::ArrayRef<IndexForm> forms);
  const Expr *makeReduction(ExprKind kind, mlir::Operation *op, unsigned number,
                            llvm::ArrayRef<IndexForm> forms, mlir::Type type);
  const Expr *makeAdd(const Expr *lhs, const Expr *rhs, double rhsFactor = 1);
  const Expr *makeScaled(const Expr *expr, double factor);
  const Expr *makeMul(const Expr *lhs, const Expr *rhs);
  const Expr *makeReciprocal(const Expr *expr);
  const Expr *makeSelect(const Expr *condition, const Expr *yes,
                         const Expr *no);
  const Expr *makeCall(llvm::StringRef name, mlir::Type type,
                       llvm::ArrayRef<const Expr *> operands,
                       mlir::DictionaryAttr attributes = {});
  /// Replaces operands of an expression; simplifies as the above do.
  const Expr *rebuild(const Expr *expr, llvm::ArrayRef<const Expr *> operands);
  /// Replaces one expression by another wherever it occurs.
  const Expr *substitute(const Expr *in, const Expr *from, const Expr *to);

  //===--- Tensors ---===//

  /// The element of a tensor, through all layouts and elementwise operations.
  const Expr *read(mlir::Value tensor, llvm::ArrayRef<IndexForm> forms);
  /// Only through the operation that defines it: null if that is none of those.
  const Expr *readStep(mlir::Value tensor, llvm::ArrayRef<IndexForm> forms);
  /// The same expression with all its elements read as `read` does.
  const Expr *deepen(const Expr *expr);
  /// Loops of a reduction that its result does not have, made anew.
  llvm::SmallVector<IndexForm> makeReducedLoops(const Expr *reduction);
  /// What is reduced, for these loops; elements as they stand in the operation.
  /// Null where the operation has other loops.
  const Expr *reduced(const Expr *reduction, llvm::ArrayRef<IndexForm> loops);
  /// What a reduction starts from; null where it starts from nothing.
  const Expr *initial(const Expr *reduction);

  /// Operations that `read` looked through, and reductions.
  llvm::SetVector<mlir::Operation *> visited;
  /// The element as it was before `read` looked through its operation.
  llvm::DenseMap<const Expr *, const Expr *> origins;

  bool depends(const Expr *expr, const Expr *on);
  bool dependsOnVariable(const Expr *expr, unsigned variable);
  /// All expressions below this, each once.
  void walk(const Expr *expr, llvm::function_ref<void(const Expr *)> body);

private:
  friend struct OperationReader;

  Expr *allocate(ExprKind kind, mlir::Type type);
  const Expr *intern(Expr *expr);
  const Expr *
  makeProduct(llvm::ArrayRef<std::pair<const Expr *, double>> factors,
              mlir::Type type);

  Splits &splits;
  struct Origin {
    mlir::Operation *op;
    unsigned loop, component;
  };
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<Origin> variableOrigins;
  struct WantedSplit {
    Origin of;
    int64_t factor;
  };
  std::optional<WantedSplit> wantedSplit;
  std::deque<Expr> storage;
  llvm::FoldingSet<Expr> unique;
  llvm::DenseMap<const Expr *, const Expr *> deepened;
  int64_t budget;
  unsigned depth = 0;
};

/// Whether reading this operation is a change of layout or type alone.
bool isLayoutOrCast(mlir::Operation *op);

/// The expression of a scalar operation of arith or math, or of tensors of
/// these; null where it is not one that expressions are made of.
const Expr *applyScalarOp(Comprehension &c, mlir::Operation *op,
                          llvm::ArrayRef<const Expr *> operands);

/// A constant as an expression, if it is one number.
const Expr *readConstant(Comprehension &c, mlir::Attribute attribute,
                         mlir::Type element);

/// The expression of a scalar outside of tensors.
const Expr *readScalar(Comprehension &c, mlir::Value scalar,
                       unsigned depth = 0);

/// f32 for floats that count as one, the type itself for integers; null for
/// types that expressions do not have.
mlir::Type exprType(mlir::Type element);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_COMPREHENSION_H
