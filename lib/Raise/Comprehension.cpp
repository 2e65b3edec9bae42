//===- Comprehension.cpp - Expressions, made once and simplified ----------===//

#include "Comprehension.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn::raise;

//===----------------------------------------------------------------------===//
// Index forms
//===----------------------------------------------------------------------===//

std::optional<unsigned> IndexForm::asVariable() const {
  if (constant == 0 && terms.size() == 1 && terms[0].second == 1)
    return terms[0].first;
  return std::nullopt;
}

bool IndexForm::contains(unsigned variable) const {
  return llvm::any_of(terms,
                      [&](const auto &term) { return term.first == variable; });
}

IndexForm IndexForm::times(int64_t factor) const {
  IndexForm result;
  if (factor == 0)
    return result;
  result.constant = constant * factor;
  for (auto [variable, stride] : terms)
    result.terms.push_back({variable, stride * factor});
  return result;
}

IndexForm IndexForm::plus(const IndexForm &other) const {
  std::map<unsigned, int64_t> strides;
  for (auto [variable, stride] : terms)
    strides[variable] += stride;
  for (auto [variable, stride] : other.terms)
    strides[variable] += stride;
  IndexForm result;
  result.constant = constant + other.constant;
  for (auto [variable, stride] : strides)
    if (stride != 0)
      result.terms.push_back({variable, stride});
  return result;
}

void IndexForm::profile(llvm::FoldingSetNodeID &id) const {
  id.AddInteger(terms.size());
  for (auto [variable, stride] : terms) {
    id.AddInteger(variable);
    id.AddInteger(stride);
  }
  id.AddInteger(constant);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

IndexForm Comprehension::makeLoop(Operation *op, unsigned loop, int64_t extent,
                                  Value tensor, unsigned dim) {
  IndexForm form;
  if (extent == 1)
    return form;
  ArrayRef<int64_t> factors;
  if (auto it = splits.find({op, loop}); it != splits.end())
    factors = it->second;
  int64_t inner = 1;
  for (int64_t factor : factors)
    inner *= factor;
  // From the outermost on, so that variables are in the order of dimensions.
  for (unsigned part = factors.size() + 1; part-- > 0;) {
    bool isOutermost = part == factors.size();
    int64_t size = extent;
    if (!isOutermost) {
      size = factors[part];
      inner /= size;
    } else if (!ShapedType::isDynamic(extent)) {
      size /= inner;
    }
    if (size == 1)
      continue;
    unsigned number = variables.size();
    variables.push_back({size, tensor, dim, isOutermost ? inner : 1});
    variableOrigins.push_back({op, loop, part});
    form.terms.push_back({number, inner});
  }
  return form;
}

std::optional<std::pair<IndexForm, IndexForm>>
Comprehension::divide(const IndexForm &form, int64_t divisor) {
  if (divisor <= 0 || form.constant < 0)
    return std::nullopt;
  if (divisor == 1)
    return std::pair(form, IndexForm());
  IndexForm quotient, remainder;
  quotient.constant = form.constant / divisor;
  remainder.constant = form.constant % divisor;
  int64_t largest = remainder.constant;
  for (auto [number, stride] : form.terms) {
    if (stride < 0)
      return std::nullopt;
    if (stride % divisor == 0) {
      quotient.terms.push_back({number, stride / divisor});
      continue;
    }
    int64_t extent = variables[number].extent;
    bool known = !ShapedType::isDynamic(extent);
    if (known && stride * (extent - 1) < divisor) {
      remainder.terms.push_back({number, stride});
      largest += stride * (extent - 1);
      continue;
    }
    int64_t factor = divisor / stride;
    if (divisor % stride == 0 && (!known || extent % factor == 0) &&
        (!splittable || splittable->contains(number)) && !wantedSplit)
      wantedSplit = WantedSplit{variableOrigins[number], factor};
    return std::nullopt;
  }
  if (largest >= divisor)
    return std::nullopt;
  return std::pair(quotient, remainder);
}

bool Comprehension::takeSplit() {
  if (!wantedSplit)
    return false;
  auto [of, factor] = *wantedSplit;
  wantedSplit.reset();
  SmallVector<int64_t> &factors = splits[{of.op, of.loop}];
  if (of.component < factors.size()) {
    factors[of.component] /= factor;
    factors.insert(factors.begin() + of.component, factor);
  } else {
    factors.push_back(factor);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Expr::Profile(llvm::FoldingSetNodeID &id) const {
  id.AddInteger(static_cast<unsigned>(kind));
  id.AddPointer(type.getAsOpaquePointer());
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  id.AddInteger(bits);
  integer.Profile(id);
  id.AddPointer(value.getAsOpaquePointer());
  id.AddPointer(op);
  id.AddString(name);
  id.AddPointer(attributes.getAsOpaquePointer());
  id.AddInteger(forms.size());
  for (const IndexForm &form : forms)
    form.profile(id);
  id.AddInteger(operands.size());
  for (const Expr *operand : operands)
    id.AddPointer(operand);
  for (double coefficient : coefficients) {
    std::memcpy(&bits, &coefficient, sizeof(bits));
    id.AddInteger(bits);
  }
}

Expr *Comprehension::allocate(ExprKind kind, Type type) {
  Expr &expr = storage.emplace_back();
  expr.kind = kind;
  expr.type = type;
  expr.integer = APInt(1, 0);
  return &expr;
}

const Expr *Comprehension::intern(Expr *expr) {
  llvm::FoldingSetNodeID id;
  expr->Profile(id);
  void *position;
  if (Expr *existing = unique.FindNodeOrInsertPos(id, position)) {
    storage.pop_back();
    return existing;
  }
  expr->id = storage.size();
  unique.InsertNode(expr, position);
  return expr;
}

const Expr *Comprehension::makeNumber(double number, Type type) {
  Expr *expr = allocate(ExprKind::Number, type);
  expr->number = number;
  return intern(expr);
}

const Expr *Comprehension::makeInteger(APInt integer, Type type) {
  Expr *expr = allocate(ExprKind::Integer, type);
  expr->integer = std::move(integer);
  return intern(expr);
}

const Expr *Comprehension::makeIndex(const IndexForm &form, Type type) {
  Expr *expr = allocate(ExprKind::Index, type);
  expr->forms.push_back(form);
  return intern(expr);
}

const Expr *Comprehension::makeScalar(Value value) {
  Type type = exprType(value.getType());
  if (!type)
    return nullptr;
  Expr *expr = allocate(ExprKind::Scalar, type);
  expr->value = value;
  return intern(expr);
}

const Expr *Comprehension::makeRead(Value tensor, ArrayRef<IndexForm> forms) {
  Type type = exprType(cast<ShapedType>(tensor.getType()).getElementType());
  if (!type)
    return nullptr;
  Expr *expr = allocate(ExprKind::Read, type);
  expr->value = tensor;
  expr->forms.assign(forms.begin(), forms.end());
  return intern(expr);
}

const Expr *Comprehension::makeReduction(ExprKind kind, Operation *op,
                                         unsigned number,
                                         ArrayRef<IndexForm> forms, Type type) {
  Expr *expr = allocate(kind, type);
  expr->op = op;
  expr->number = number;
  expr->forms.assign(forms.begin(), forms.end());
  return intern(expr);
}

/// Adds `factor` times an expression to a sum.
static void addTerms(std::map<unsigned, std::pair<const Expr *, double>> &terms,
                     double &constant, const Expr *expr, double factor) {
  auto addTerm = [&](const Expr *term, double coefficient) {
    auto [it, isNew] = terms.try_emplace(term->id, term, 0.0);
    it->second.second += coefficient;
  };
  if (expr->kind == ExprKind::Number) {
    constant += factor * expr->number;
  } else if (expr->kind == ExprKind::Linear) {
    constant += factor * expr->number;
    for (auto [operand, coefficient] :
         llvm::zip_equal(expr->operands, expr->coefficients))
      addTerm(operand, factor * coefficient);
  } else {
    addTerm(expr, factor);
  }
}

const Expr *Comprehension::makeAdd(const Expr *lhs, const Expr *rhs,
                                   double rhsFactor) {
  if (!lhs || !rhs)
    return nullptr;
  std::map<unsigned, std::pair<const Expr *, double>> terms;
  double constant = 0;
  addTerms(terms, constant, lhs, 1);
  addTerms(terms, constant, rhs, rhsFactor);
  if (terms.empty())
    return makeNumber(constant, lhs->type);
  if (terms.size() == 1 && constant == 0 && terms.begin()->second.second == 1)
    return terms.begin()->second.first;
  Expr *expr = allocate(ExprKind::Linear, lhs->type);
  expr->number = constant;
  for (auto &[id, term] : terms) {
    expr->operands.push_back(term.first);
    expr->coefficients.push_back(term.second);
  }
  return intern(expr);
}

const Expr *Comprehension::makeScaled(const Expr *expr, double factor) {
  if (!expr)
    return nullptr;
  return makeAdd(makeNumber(0, expr->type), expr, factor);
}

/// An expression as a number times factors.
static double
takeFactors(const Expr *expr, double power,
            SmallVectorImpl<std::pair<const Expr *, double>> &into) {
  if (expr->kind == ExprKind::Number)
    return power > 0 ? expr->number : 1 / expr->number;
  double scale = 1;
  if (expr->kind == ExprKind::Linear && expr->operands.size() == 1 &&
      expr->number == 0) {
    scale = power > 0 ? expr->coefficients[0] : 1 / expr->coefficients[0];
    expr = expr->operands[0];
  }
  if (expr->kind != ExprKind::Product) {
    into.push_back({expr, power});
    return scale;
  }
  for (auto [operand, own] :
       llvm::zip_equal(expr->operands, expr->coefficients))
    into.push_back({operand, own * power});
  return scale;
}

const Expr *
Comprehension::makeProduct(ArrayRef<std::pair<const Expr *, double>> factors,
                           Type type) {
  SmallVector<std::pair<const Expr *, double>> sorted(factors);
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(a.first->id, -a.second) <
           std::pair(b.first->id, -b.second);
  });
  if (sorted.empty())
    return makeNumber(1, type);
  if (sorted.size() == 1 && sorted[0].second == 1)
    return sorted[0].first;
  Expr *expr = allocate(ExprKind::Product, type);
  for (auto [factor, power] : sorted) {
    expr->operands.push_back(factor);
    expr->coefficients.push_back(power);
  }
  return intern(expr);
}

const Expr *Comprehension::makeMul(const Expr *lhs, const Expr *rhs) {
  if (!lhs || !rhs)
    return nullptr;
  // A number is distributed over the terms of a sum.
  if (rhs->kind == ExprKind::Number)
    return makeScaled(lhs, rhs->number);
  if (lhs->kind == ExprKind::Number)
    return makeScaled(rhs, lhs->number);
  SmallVector<std::pair<const Expr *, double>> factors;
  double scale = takeFactors(lhs, 1, factors);
  scale *= takeFactors(rhs, 1, factors);
  return makeScaled(makeProduct(factors, lhs->type), scale);
}

const Expr *Comprehension::makeReciprocal(const Expr *expr) {
  if (!expr)
    return nullptr;
  SmallVector<std::pair<const Expr *, double>> factors;
  double scale = takeFactors(expr, -1, factors);
  return makeScaled(makeProduct(factors, expr->type), scale);
}

const Expr *Comprehension::makeSelect(const Expr *condition, const Expr *yes,
                                      const Expr *no) {
  if (!condition || !yes || !no)
    return nullptr;
  if (condition->kind == ExprKind::Integer)
    return condition->integer.isZero() ? no : yes;
  Expr *expr = allocate(ExprKind::Select, yes->type);
  expr->operands = {condition, yes, no};
  return intern(expr);
}

/// The boolean that an integer was extended from, perhaps in several steps.
static const Expr *asBoolean(const Expr *expr) {
  static constexpr StringRef kCasts[] = {"arith.extui", "arith.extsi",
                                         "arith.trunci"};
  while (expr->kind == ExprKind::Call && llvm::is_contained(kCasts, expr->name))
    expr = expr->operands[0];
  return expr->type.isInteger(1) ? expr : nullptr;
}

/// What a call is equal to, if that is simpler.
static const Expr *simplify(StringRef name, Type type,
                            ArrayRef<const Expr *> operands,
                            DictionaryAttr attributes) {
  auto isInteger = [&](unsigned number, uint64_t value) {
    return operands[number]->kind == ExprKind::Integer &&
           operands[number]->integer == value;
  };
  if (name == "arith.muli")
    for (unsigned one : {0u, 1u})
      if (isInteger(one, 1))
        return operands[1 - one];
  if (name == "arith.addi")
    for (unsigned zero : {0u, 1u})
      if (isInteger(zero, 0))
        return operands[1 - zero];
  if (name == "arith.trunci" && type.isInteger(1))
    return asBoolean(operands[0]);
  if (name == "arith.cmpi" && isInteger(1, 0)) {
    constexpr int64_t kNotEqual = 1;
    auto predicate = attributes.getAs<IntegerAttr>("predicate");
    if (predicate && predicate.getInt() == kNotEqual)
      return asBoolean(operands[0]);
  }
  return nullptr;
}

const Expr *Comprehension::makeCall(StringRef name, Type type,
                                    ArrayRef<const Expr *> operands,
                                    DictionaryAttr attributes) {
  if (!type || llvm::is_contained(operands, nullptr))
    return nullptr;
  if (const Expr *simpler = simplify(name, type, operands, attributes))
    return simpler;
  Expr *expr = allocate(ExprKind::Call, type);
  expr->name = name;
  expr->attributes = attributes;
  expr->operands.assign(operands.begin(), operands.end());
  return intern(expr);
}

const Expr *Comprehension::rebuild(const Expr *expr,
                                   ArrayRef<const Expr *> operands) {
  if (ArrayRef(expr->operands) == operands)
    return expr;
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  switch (expr->kind) {
  case ExprKind::Linear: {
    const Expr *sum = makeNumber(expr->number, expr->type);
    for (auto [operand, coefficient] :
         llvm::zip_equal(operands, expr->coefficients))
      sum = makeAdd(sum, operand, coefficient);
    return sum;
  }
  case ExprKind::Product: {
    const Expr *product = makeNumber(1, expr->type);
    for (auto [operand, power] : llvm::zip_equal(operands, expr->coefficients))
      product = makeMul(product, power > 0 ? operand : makeReciprocal(operand));
    return product;
  }
  case ExprKind::Select:
    return makeSelect(operands[0], operands[1], operands[2]);
  case ExprKind::Call:
    return makeCall(expr->name, expr->type, operands, expr->attributes);
  default:
    return expr;
  }
}

const Expr *Comprehension::substitute(const Expr *in, const Expr *from,
                                      const Expr *to) {
  DenseMap<const Expr *, const Expr *> done{{from, to}};
  auto run = [&](auto &&self, const Expr *expr) -> const Expr * {
    if (auto it = done.find(expr); it != done.end())
      return it->second;
    SmallVector<const Expr *> operands;
    for (const Expr *operand : expr->operands)
      operands.push_back(self(self, operand));
    const Expr *result = rebuild(expr, operands);
    done[expr] = result;
    return result;
  };
  return run(run, in);
}

void Comprehension::walk(const Expr *expr,
                         function_ref<void(const Expr *)> body) {
  llvm::SmallPtrSet<const Expr *, 16> seen{expr};
  SmallVector<const Expr *> stack{expr};
  while (!stack.empty()) {
    const Expr *top = stack.pop_back_val();
    body(top);
    for (const Expr *operand : top->operands)
      if (seen.insert(operand).second)
        stack.push_back(operand);
  }
}

bool Comprehension::depends(const Expr *expr, const Expr *on) {
  bool found = false;
  walk(expr, [&](const Expr *inner) { found |= inner == on; });
  return found;
}

bool Comprehension::dependsOnVariable(const Expr *expr, unsigned variable) {
  bool found = false;
  walk(expr, [&](const Expr *inner) {
    found |= llvm::any_of(inner->forms, [&](const IndexForm &form) {
      return form.contains(variable);
    });
  });
  return found;
}

const Expr *Comprehension::deepen(const Expr *expr) {
  if (!expr)
    return nullptr;
  if (auto it = deepened.find(expr); it != deepened.end())
    return it->second;
  const Expr *result = nullptr;
  if (expr->kind == ExprKind::Read) {
    result = read(expr->value, expr->forms);
  } else {
    SmallVector<const Expr *> operands;
    for (const Expr *operand : expr->operands)
      operands.push_back(deepen(operand));
    result = rebuild(expr, operands);
  }
  deepened[expr] = result;
  return result;
}
