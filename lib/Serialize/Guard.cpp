//===- Guard.cpp - For which sizes a variant is ---------------------------===//

#include "Program.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// ["size", view, dim] of the first dimension that is the axis, or of one that
/// counts blocks of it (axis/64), times their size, or that is more by a number
/// (axis+1); null if none.
static Attribute findAxis(Builder &b, const Program &program, StringRef axis) {
  // Static dimensions have no name.
  if (axis.empty())
    return {};
  for (auto [view, spec] : llvm::enumerate(program.views))
    for (auto [dim, name] : llvm::enumerate(spec.axes)) {
      StringRef rest = name;
      if (!rest.consume_front(axis))
        continue;
      Attribute size = sizeExpression(b, static_cast<int64_t>(view),
                                      static_cast<int64_t>(dim));
      int64_t block;
      if (rest.empty())
        return size;
      if (rest.consume_front("+") && !rest.getAsInteger(10, block))
        return b.getArrayAttr(
            {b.getStringAttr("sub"), size, b.getI64IntegerAttr(block)});
      if (rest.consume_front("/") && !rest.getAsInteger(10, block))
        return b.getArrayAttr(
            {b.getStringAttr("mul"), size, b.getI64IntegerAttr(block)});
    }
  return program.otherAxes.lookup(axis);
}

/// The size of an axis, or of several with '*' between them; null after a
/// diagnostic.
static Attribute findProduct(Builder &b, const Program &program,
                             StringRef text) {
  SmallVector<StringRef> axes;
  text.split(axes, '*');
  Attribute product;
  for (StringRef axis : axes) {
    Attribute size = findAxis(b, program, axis.trim());
    if (!size) {
      program.op->getParentOfType<ModuleOp>().emitError()
          << "guard expects a dynamic axis of '" << program.name
          << "', but got '" << axis.trim() << "'";
      return {};
    }
    product =
        product
            ? Attribute(b.getArrayAttr({b.getStringAttr("mul"), product, size}))
            : size;
  }
  return product;
}

/// Comparisons, longer operators first.
static constexpr std::pair<StringLiteral, StringLiteral> kOperators[] = {
    {"<=", "le"}, {">=", "ge"}, {"==", "eq"},
    {"!=", "ne"}, {"<", "lt"},  {">", "gt"}};

/// The number of a comparison's right-hand side, and the axis that it is times,
/// if any (448*batch).
static std::optional<std::pair<int64_t, StringRef>> parseBound(StringRef text) {
  auto [number, axis] = text.split('*');
  int64_t value;
  if (number.trim().getAsInteger(10, value) ||
      axis.trim().empty() == text.contains('*'))
    return std::nullopt;
  return std::pair(value, axis.trim());
}

/// One comparison.
static FailureOr<Attribute> parseComparison(const Program &program,
                                            StringRef text) {
  auto module = program.op->getParentOfType<ModuleOp>();
  auto error = [&]() { return module.emitError(); };
  Builder b(program.op->getContext());
  for (auto [symbol, name] : kOperators) {
    size_t at = text.find(symbol);
    if (at == StringRef::npos)
      continue;
    StringRef axis = text.take_front(at).trim();
    Attribute size = findProduct(b, program, axis);
    if (!size)
      return failure();
    auto bound = parseBound(text.drop_front(at + symbol.size()).trim());
    if (!bound)
      break;
    if (bound->first < 0) {
      error() << "guard expects a number of 0 or more, which a size can be, "
                 "but got '"
              << text << "'";
      return failure();
    }
    Attribute most = b.getI64IntegerAttr(bound->first);
    if (!bound->second.empty()) {
      Attribute other = findProduct(b, program, bound->second);
      if (!other)
        return failure();
      most = b.getArrayAttr({b.getStringAttr("mul"), other, most});
    }
    return Attribute(b.getArrayAttr({b.getStringAttr(name), size, most}));
  }
  error() << "guard expects comparisons of an axis with a number "
             "('query<=16', or 'query<=16*batch'), joined by '&', but got '"
          << text << "'";
  return failure();
}

/// The expression of a guard over the program's views, or a diagnostic.
static FailureOr<Attribute> parseGuard(const Program &program, StringRef text) {
  Builder b(program.op->getContext());
  Attribute all;
  SmallVector<StringRef> parts;
  text.split(parts, '&');
  for (StringRef part : parts) {
    FailureOr<Attribute> one = parseComparison(program, part.trim());
    if (failed(one))
      return failure();
    all = all ? b.getArrayAttr({b.getStringAttr("and"), all, *one}) : *one;
  }
  return all;
}

/// In what must hold for a program: a text that must not.
constexpr StringLiteral kNot = "not";

/// Adds to what must hold for a program: a text (parseGuard), {not = text}, or
/// an expression.
static void addToGuard(Operation *op, Attribute part) {
  SmallVector<Attribute> parts;
  if (auto before = op->getAttrOfType<ArrayAttr>(kGuardAttr))
    llvm::append_range(parts, before);
  parts.push_back(part);
  op->setAttr(kGuardAttr, ArrayAttr::get(op->getContext(), parts));
}

FailureOr<Attribute> attn::guardOf(const Program &program, Operation *op) {
  Builder b(op->getContext());
  Attribute all;
  auto parts = op->getAttrOfType<ArrayAttr>(kGuardAttr);
  for (Attribute part : parts ? parts.getValue() : ArrayRef<Attribute>()) {
    auto isNot = dyn_cast<DictionaryAttr>(part);
    auto text =
        isNot ? isNot.getAs<StringAttr>(kNot) : dyn_cast<StringAttr>(part);
    FailureOr<Attribute> one =
        text ? parseGuard(program, text.getValue()) : FailureOr(part);
    if (failed(one))
      return failure();
    if (isNot)
      one =
          b.getArrayAttr({b.getStringAttr("eq"), *one, b.getI64IntegerAttr(0)});
    all = all ? b.getArrayAttr({b.getStringAttr("and"), all, *one}) : *one;
  }
  return all;
}

/// Axes are named as in the last variant, which is not known here.
static LogicalResult addToGuards(ModuleOp module, Attribute part) {
  FailureOr<std::vector<Program>> programs = findPrograms(module);
  if (failed(programs))
    return failure();
  for (const Program &program : *programs)
    addToGuard(program.op, part);
  return success();
}

LogicalResult attn::setGuard(ModuleOp module, StringRef guard) {
  return addToGuards(module, StringAttr::get(module.getContext(), guard));
}

LogicalResult attn::excludeGuard(ModuleOp module, StringRef guard) {
  Builder b(module.getContext());
  return addToGuards(module, b.getDictionaryAttr(
                                 b.getNamedAttr(kNot, b.getStringAttr(guard))));
}

static bool compare(StringRef name, int64_t size, int64_t number) {
  return llvm::StringSwitch<bool>(name)
      .Case("le", size <= number)
      .Case("ge", size >= number)
      .Case("eq", size == number)
      .Case("ne", size != number)
      .Case("lt", size < number)
      .Default(size > number);
}

/// The size of an axis, or of several with '*' between them.
static FailureOr<int64_t> productOf(ModuleOp module, StringRef text,
                                    const llvm::StringMap<int64_t> &sizes) {
  SmallVector<StringRef> axes;
  text.split(axes, '*');
  int64_t product = 1;
  for (StringRef axis : axes) {
    auto size = sizes.find(axis.trim());
    if (size == sizes.end()) {
      module.emitError() << "expected the size of '" << axis.trim()
                         << "', which variants compare (for-sizes), but got "
                            "none";
      return failure();
    }
    // Beyond what any bound is.
    if (llvm::MulOverflow(product, size->second, product))
      product = std::numeric_limits<int64_t>::max();
  }
  return product;
}

/// One comparison, of sizes that are known.
static FailureOr<bool> comparisonHolds(ModuleOp module, StringRef text,
                                       const llvm::StringMap<int64_t> &sizes) {
  for (auto [symbol, name] : kOperators) {
    auto [axis, number] = text.split(symbol);
    if (axis.size() == text.size())
      continue;
    FailureOr<int64_t> size = productOf(module, axis, sizes);
    if (failed(size))
      return failure();
    auto bound = parseBound(number.trim());
    if (!bound)
      break;
    FailureOr<int64_t> other =
        bound->second.empty() ? 1 : productOf(module, bound->second, sizes);
    if (failed(other))
      return failure();
    int64_t most;
    if (llvm::MulOverflow(bound->first, *other, most))
      most = std::numeric_limits<int64_t>::max();
    return compare(name, *size, most);
  }
  module.emitError() << "guard expects comparisons of an axis with a number "
                        "('query<=16', or 'query<=16*batch'), joined by '&', "
                        "but got '"
                     << text << "'";
  return failure();
}

FailureOr<bool> attn::guardHolds(ModuleOp module, StringRef guard,
                                 const llvm::StringMap<int64_t> &sizes) {
  SmallVector<StringRef> parts;
  guard.split(parts, '&');
  bool all = true;
  for (StringRef part : parts) {
    FailureOr<bool> one = comparisonHolds(module, part.trim(), sizes);
    if (failed(one))
      return failure();
    all &= *one;
  }
  return all;
}

/// Whether no kernel of the program streams more than `most` parts, as an
/// expression of sizes; null where none has parts whose number sizes decide.
static Attribute hasFewParts(const Program &program, int64_t most) {
  Builder b(program.op->getContext());
  Attribute all;
  const ProgramStep *dealt = nullptr;
  auto arrayOf = [&](const ProgramStep &step, unsigned view) {
    return program.workspace[step.views[view].base -
                             static_cast<int64_t>(program.views.size())];
  };
  for (const ProgramStep &step : program.steps) {
    KernelFacts facts(step.kernel);
    if (facts.get(KernelOp::kStepAttr) == b.getStringAttr(KernelOp::kDealStep))
      dealt = &step;
    if (facts.get(KernelOp::kStepAttr) != b.getStringAttr(KernelOp::kSplitStep))
      continue;
    // States are written in parts.
    Attribute parts = arrayOf(step, facts.readCount()).shape.front();
    Attribute bound = b.getI64IntegerAttr(most);
    // A list has room for one part of each stream, of which the table has one
    // row each and one more.
    StringRef comparison = "le";
    if (const ProgramStep *deal = std::exchange(dealt, nullptr)) {
      // Of more, which streams have them is not known here.
      if (most != 1)
        return {};
      bound = arrayOf(*deal, KernelFacts(deal->kernel).readCount() + 1)
                  .shape.front();
      comparison = "lt";
    }
    if (isa<IntegerAttr>(parts) && isa<IntegerAttr>(bound))
      continue;
    Attribute few = b.getArrayAttr({b.getStringAttr(comparison), parts, bound});
    all = all ? b.getArrayAttr({b.getStringAttr("and"), all, few}) : few;
  }
  return all;
}

/// An expression over the views of a step, over those of its program.
static Attribute overProgram(Attribute expression, const Program &program,
                             const ProgramStep &step) {
  auto parts = dyn_cast<ArrayAttr>(expression);
  if (!parts || step.views.empty())
    return expression;
  Builder b(expression.getContext());
  if (cast<StringAttr>(parts[0]).getValue() != "size") {
    SmallVector<Attribute> result{parts[0]};
    for (Attribute operand : parts.getValue().drop_front())
      result.push_back(overProgram(operand, program, step));
    return b.getArrayAttr(result);
  }
  const StepView &view = step.views[cast<IntegerAttr>(parts[1]).getInt()];
  int64_t dim = cast<IntegerAttr>(parts[2]).getInt(),
          array = view.base - static_cast<int64_t>(program.views.size());
  if (!view.shape.empty())
    return view.shape[dim];
  return array < 0 ? sizeExpression(b, view.base, dim)
                   : program.workspace[array].shape[dim];
}

/// Adds to the guard of each program of `module` what `condition` gives of the
/// program of that name of `other`, if anything. Whether of any it did.
static FailureOr<bool>
setGuardBy(ModuleOp module, ModuleOp other,
           function_ref<Attribute(const Program &)> condition) {
  FailureOr<std::vector<Program>> programs = findPrograms(other);
  if (failed(programs))
    return failure();
  bool any = false;
  for (const Program &program : *programs) {
    Attribute holds = condition(program);
    Operation *op = module.lookupSymbol(program.name);
    if (!holds || !op)
      continue;
    addToGuard(op, holds);
    any = true;
  }
  return any;
}

FailureOr<bool> attn::setGuardOfParts(ModuleOp module, ModuleOp split,
                                      int64_t most) {
  return setGuardBy(module, split, [&](const Program &program) {
    return hasFewParts(program, most);
  });
}

FailureOr<bool> attn::setGuardOfGrid(ModuleOp module, ModuleOp other,
                                     int64_t most) {
  return setGuardBy(module, other, [&](const Program &program) {
    Builder b(module.getContext());
    Attribute all;
    for (const ProgramStep &step : program.steps) {
      auto manifest = step.kernel->getAttrOfType<DictionaryAttr>(kManifestAttr);
      Attribute few =
          b.getArrayAttr({b.getStringAttr("le"),
                          overProgram(manifest.get("grid"), program, step),
                          b.getI64IntegerAttr(most)});
      all = all ? b.getArrayAttr({b.getStringAttr("and"), all, few}) : few;
    }
    return all;
  });
}
