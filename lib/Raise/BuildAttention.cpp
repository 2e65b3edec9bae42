//===- BuildAttention.cpp - attn.attention for what was found -------------===//

#include "BuildAttention.h"
#include "MatchMask.h"
#include "Relayout.h"
#include "ScoreRegion.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::raise;

namespace {

class AttentionBuilder {
public:
  AttentionBuilder(Comprehension &c, const AttentionMatch &match, bool keepNaN,
                   OpBuilder &b)
      : c(c), match(match), keepNaN(keepNaN), b(b), loc(match.root.getLoc()) {}

  Refusal run(BuiltAttention &built);

private:
  Refusal chooseRoles();
  Refusal checkSizes();
  Refusal chooseType();
  Refusal chooseLayout();
  Refusal takeScale();
  Refusal buildOp(AttentionOp &op);
  Value finish(AttentionOp op);
  Value finishLse(AttentionOp op);
  Value restoreNaN(AttentionOp op);
  /// Whether rows may be NaN in the program, and are to be.
  bool mayBeNaN() const { return keepNaN && masked.mayBeEmpty; }

  /// What the dimensions of an operand hold.
  Groups groupsFor(TensorLayout layout, bool isQuery,
                   std::optional<unsigned> sequence, unsigned feature) const;
  /// The source of an operand that takes least to bring into its groups.
  const Source *cheapest(const Path &path, const Groups &groups, bool isValue,
                         unsigned &cost) const;
  OpFoldResult sizeOf(unsigned variable);
  Value operand(const Source &source, const Groups &groups);
  /// What the dimensions of the operation's logarithms of sums hold.
  Groups lseGroups() const {
    Groups groups{batch, heads, {}};
    if (query)
      groups[2].push_back(*query);
    return groups;
  }
  int64_t extent(unsigned variable) const {
    return c.variable(variable).extent;
  }

  Comprehension &c;
  const AttentionMatch &match;
  bool keepNaN;
  OpBuilder &b;
  Location loc;

  std::optional<unsigned> query;
  SmallVector<unsigned, 2> batch, kvHeads, heads;
  Type element;
  TensorLayout layout = TensorLayout::BHSD;
  const Source *q = nullptr, *k = nullptr, *v = nullptr;
  Groups qGroups, kGroups, vGroups, oGroups;
  MaskedScore masked;
  /// The score with `match.product` for what the operation calls its score.
  const Expr *score = nullptr;
  double scale = 1;
};

} // namespace

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Refusal AttentionBuilder::chooseRoles() {
  // The query is what the score compares with keys, else what may be dynamic,
  // else the innermost.
  c.walk(match.scores, [&](const Expr *inner) {
    if (inner->kind != ExprKind::Index)
      return;
    for (unsigned variable : match.queryLike)
      if (inner->forms[0].contains(variable))
        query = variable;
  });
  auto isDynamic = [&](unsigned variable) {
    return ShapedType::isDynamic(extent(variable));
  };
  if (!query && !match.queryLike.empty()) {
    query = match.queryLike.back();
    for (unsigned variable : match.queryLike)
      if (isDynamic(variable))
        query = variable;
  }
  for (unsigned variable : match.queryLike)
    if (variable != query)
      heads.push_back(variable);
  batch.assign(match.batch.begin(), match.batch.end());
  bool isHeadBehind = false;
  if (batch.size() == 1 && query) {
    std::optional<Groups> groups =
        groupsOf(c, match.query.back().tensor, match.query.back().forms);
    if (groups) {
      auto at = [&](unsigned variable) {
        return llvm::find_if(*groups, [&](const auto &group) {
          return llvm::is_contained(group, variable);
        });
      };
      isHeadBehind = at(batch[0]) > at(*query);
    }
  }
  if (batch.size() > 1 || isHeadBehind)
    for (size_t i = batch.size(); i-- > 0;)
      if (!isDynamic(batch[i])) {
        kvHeads.push_back(batch[i]);
        batch.erase(batch.begin() + i);
        break;
      }
  heads.insert(heads.begin(), kvHeads.begin(), kvHeads.end());
  if (llvm::any_of(heads, isDynamic))
    return {Obstacle::HeadSizes,
            "several dynamic dimensions of queries that keys do not have",
            match.product->op};
  for (size_t i = 1; i < batch.size(); ++i)
    if (isDynamic(batch[i]) && match.scores != match.product)
      // Regions take batches apart by the sizes of all but the first.
      if (c.dependsOnVariable(
              c.substitute(match.scores, match.product,
                           c.makeNumber(0, match.product->type)),
              batch[i]))
        return {Obstacle::Scores,
                "a mask that depends on several dynamic batch dimensions",
                match.product->op};
  return {};
}

Refusal AttentionBuilder::checkSizes() {
  if (extent(match.keyVariable) == 0)
    return {Obstacle::EmptyRows, "no keys at all", match.product->op};
  for (unsigned variable : {match.qkVariable, match.valueVariable}) {
    int64_t size = extent(variable);
    if (ShapedType::isDynamic(size))
      return {Obstacle::HeadSizes, "a dynamic head dimension",
              match.product->op};
    if (size % 8 != 0 || size < 8 || size > 256)
      return {Obstacle::HeadSizes,
              "a head dimension of " + std::to_string(size) +
                  ", which is no multiple of 8 up to 256",
              match.product->op};
  }
  return {};
}

Refusal AttentionBuilder::chooseType() {
  Type root = getElementTypeOrSelf(match.root.getType());
  auto isKnown = [](Type type) {
    return type.isF16() || type.isBF16() || type.isF32();
  };
  for (const Path *path : {&match.query, &match.key, &match.value})
    if (!isKnown(getElementTypeOrSelf(path->front().tensor)))
      return {Obstacle::Types,
              "operands of an element type other than f16, bf16 and f32",
              path->front().tensor.getDefiningOp()};
  if (!isKnown(root))
    return {Obstacle::Types, "a result of another type than f16, bf16 and f32",
            match.root.getDefiningOp()};
  element = b.getF32Type();
  for (Type narrow : {Type(b.getF16Type()), Type(b.getBF16Type())}) {
    bool isEverywhere = llvm::all_of(
        ArrayRef<const Path *>{&match.query, &match.key, &match.value},
        [&](const Path *path) {
          return llvm::any_of(*path, [&](const Source &source) {
            return getElementTypeOrSelf(source.tensor) == narrow;
          });
        });
    // Weights are rounded to it: so they were, or the result is.
    if (isEverywhere && (match.weightType == narrow || root == narrow))
      element = narrow;
  }
  return {};
}

Groups AttentionBuilder::groupsFor(TensorLayout layout, bool isQuery,
                                   std::optional<unsigned> sequence,
                                   unsigned feature) const {
  SmallVector<unsigned, 2> seq;
  if (sequence)
    seq.push_back(*sequence);
  const auto &head = isQuery ? heads : kvHeads;
  if (layout == TensorLayout::BSHD)
    return {batch, seq, head, {feature}};
  return {batch, head, seq, {feature}};
}

const Source *AttentionBuilder::cheapest(const Path &path, const Groups &groups,
                                         bool isValue, unsigned &cost) const {
  const Source *best = nullptr;
  unsigned least = 0;
  for (const Source &source : path) {
    Type type = getElementTypeOrSelf(source.tensor);
    if (!(type.isF16() || type.isBF16() || type.isF32()) ||
        (isValue && source.scale != 1))
      continue;
    std::optional<Groups> from = groupsOf(c, source.tensor, source.forms);
    std::optional<unsigned> own =
        from ? relayoutCost(*from, groups) : std::nullopt;
    if (!own)
      continue;
    unsigned total =
        *own + 4 * (type != element) + 8 * (source.scale != path.back().scale);
    if (!best || total < least) {
      best = &source;
      least = total;
    }
  }
  cost += least;
  return best;
}

Refusal AttentionBuilder::chooseLayout() {
  std::optional<Groups> root = groupsOf(c, match.root, match.rootForms);
  unsigned least = 0;
  for (TensorLayout each : {TensorLayout::BHSD, TensorLayout::BSHD}) {
    Groups query4 = groupsFor(each, true, query, match.qkVariable),
           key4 = groupsFor(each, false, match.keyVariable, match.qkVariable),
           value4 =
               groupsFor(each, false, match.keyVariable, match.valueVariable),
           output4 = groupsFor(each, true, query, match.valueVariable);
    unsigned cost = 0;
    const Source *query1 = cheapest(match.query, query4, false, cost),
                 *key1 = cheapest(match.key, key4, false, cost),
                 *value1 = cheapest(match.value, value4, true, cost);
    std::optional<unsigned> back =
        root ? relayoutCost(output4, *root) : std::nullopt;
    if (!query1 || !key1 || !value1 || !back || (q && cost + *back >= least))
      continue;
    least = cost + *back;
    std::tie(q, k, v, layout) = std::tie(query1, key1, value1, each);
    std::tie(qGroups, kGroups, vGroups, oGroups) =
        std::tie(query4, key4, value4, output4);
  }
  if (!q)
    return {Obstacle::Operands,
            "operands that no reshape and transpose make queries, keys and "
            "values of",
            match.product->op};
  if (match.lse && !relayoutCost(lseGroups(), match.lse->groups))
    return {Obstacle::Users,
            "logarithms of sums that are not one of each query",
            match.lse->value.getDefiningOp()};
  return {};
}

Refusal AttentionBuilder::takeScale() {
  if (Refusal refusal = matchMask(c, match, query, masked))
    return refusal;
  score = match.product;
  const Expr *rest = masked.score;
  double outside = 1;
  // The product occurs with one factor, if it occurs in sums alone.
  std::optional<double> factor;
  bool isUniform = true;
  c.walk(rest, [&](const Expr *inner) {
    for (auto [number, operand] : llvm::enumerate(inner->operands)) {
      if (operand != score)
        continue;
      double own =
          inner->kind == ExprKind::Linear ? inner->coefficients[number] : 1;
      isUniform &= !factor || *factor == own;
      factor = own;
    }
  });
  double inner = match.productScale * q->scale * k->scale;
  if (!std::isfinite(float(inner)))
    return {Obstacle::Scores, "a scale that is not finite", match.product->op};
  if (factor && isUniform && std::isfinite(float(*factor * inner)))
    outside = *factor;
  // Scales are positive: regions multiply with others.
  if (outside * inner > 0 && float(outside * inner) > 0)
    scale = outside * inner;
  else
    outside = 1 / inner;
  const Expr *scaled = c.makeScaled(score, 1 / outside);
  if (scaled != score)
    masked.score = c.substitute(rest, score, scaled);
  return {};
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

OpFoldResult AttentionBuilder::sizeOf(unsigned variable) {
  if (!ShapedType::isDynamic(extent(variable)))
    return b.getIndexAttr(extent(variable));
  for (const Source *source : {q, k, v})
    for (auto [dim, form] : llvm::enumerate(source->forms)) {
      if (!form.contains(variable))
        continue;
      int64_t others = 1;
      for (auto [other, stride] : form.terms)
        if (other != variable)
          others = ShapedType::isDynamic(extent(other)) ||
                           ShapedType::isDynamic(others)
                       ? ShapedType::kDynamic
                       : others * extent(other);
      if (ShapedType::isDynamic(others))
        continue;
      Value size = tensor::DimOp::create(b, loc, source->tensor, dim);
      if (others != 1)
        size = arith::DivUIOp::create(
            b, loc, size, arith::ConstantIndexOp::create(b, loc, others));
      return size;
    }
  return {};
}

Value AttentionBuilder::operand(const Source &source, const Groups &groups) {
  Value value = castElements(b, loc, source.tensor, element);
  return relayout(b, loc, value, *groupsOf(c, source.tensor, source.forms),
                  groups, [&](unsigned variable) { return sizeOf(variable); });
}

Refusal AttentionBuilder::buildOp(AttentionOp &op) {
  const Refusal unknown{Obstacle::Scores,
                        "scores or masks that no region can compute",
                        match.product->op};
  Groups indices = {batch, heads, {}, {match.keyVariable}};
  if (query)
    indices[2].push_back(*query);
  RegionEmitter emitter(c, indices);
  bool hasScore = masked.score != score;
  if (hasScore && !emitter.collect(masked.score, score))
    return unknown;
  for (const Expr *keep : masked.keep)
    if (!emitter.collect(keep, score))
      return unknown;
  SmallVector<Value> captures;
  for (Value value : emitter.captures()) {
    captures.push_back(RegionEmitter::capturable(b, loc, value));
    if (!captures.back())
      return unknown;
  }
  Value query4 = operand(*q, qGroups), key4 = operand(*k, kGroups),
        value4 = operand(*v, vGroups);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(query4.getType()).getShape());
  shape[3] = extent(match.valueVariable);
  Type rootElement = getElementTypeOrSelf(match.root.getType());
  SmallVector<Type> results{RankedTensorType::get(
      shape, rootElement == element ? element : b.getF32Type())};
  if (mayBeNaN() || match.lse)
    results.push_back(RankedTensorType::get(
        {shape[0], shape[headDimOf(layout)], shape[seqDimOf(layout)]},
        b.getF32Type()));

  OperationState state(loc, AttentionOp::getOperationName());
  state.addTypes(results);
  state.addOperands({query4, key4, value4});
  state.addOperands(captures);
  AttentionOp::Properties &properties =
      state.getOrAddProperties<AttentionOp::Properties>();
  properties.scale = b.getF32FloatAttr(scale);
  properties.layout = TensorLayoutAttr::get(b.getContext(), layout);
  properties.sorted = b.getDenseI64ArrayAttr({});
  properties.valueOrder = ValueOrderAttr::get(b.getContext(), ValueOrder::Rows);
  if (masked.mask)
    properties.mask = masked.mask;
  properties.blockSize = b.getDenseI64ArrayAttr({});
  // Query, key and value; lengths, offsets, a block table and lists of blocks,
  // which are not found; captures; sinks, scales of Q, K and V, and what
  // earlier keys gave.
  properties.operandSegmentSizes = {
      1, 1, 1, 0, 0, 0, 0, 0, static_cast<int32_t>(captures.size())};
  static_assert(std::tuple_size_v<decltype(properties.operandSegmentSizes)> ==
                15);
  Region *scoreRegion = state.addRegion(), *keepRegion = state.addRegion();
  auto build = [&](Region &region, bool takesScore,
                   ArrayRef<const Expr *> exprs) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&region);
    if (takesScore)
      block->addArgument(b.getF32Type(), loc);
    for (unsigned i = 0; i < 4; ++i)
      block->addArgument(b.getIndexType(), loc);
    for (Value capture : captures)
      block->addArgument(capture.getType(), loc);
    ValueRange all = block->getArguments();
    Value result;
    for (const Expr *expr : exprs) {
      Value own =
          emitter.emit(b, loc, expr, score, takesScore ? all.front() : Value(),
                       all.drop_front(takesScore).take_front(4),
                       all.drop_front(takesScore + 4));
      result = result ? Value(arith::AndIOp::create(b, loc, result, own)) : own;
    }
    YieldOp::create(b, loc, result);
  };
  if (hasScore)
    build(*scoreRegion, true, masked.score);
  if (!masked.keep.empty())
    build(*keepRegion, false, masked.keep);
  op = cast<AttentionOp>(b.create(state));
  // What regions may not have, the operation knows best.
  ScopedDiagnosticHandler silence(b.getContext(), [](Diagnostic &) {});
  if (failed(verify(op)))
    return unknown;
  return {};
}

Value AttentionBuilder::restoreNaN(AttentionOp op) {
  Value output = op.getOutput();
  auto type = cast<RankedTensorType>(output.getType());
  auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  AffineMap rows =
      AffineMap::get(4, 0, {dim(0), dim(op.getHeadDim()), dim(op.getSeqDim())},
                     b.getContext());
  SmallVector<AffineMap> maps{rows, b.getMultiDimIdentityMap(4)};
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, op.getLse(), output, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        auto number = [&](Type type, APFloat value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
        };
        auto semantics = [](Type type) -> const llvm::fltSemantics & {
          return cast<FloatType>(type).getFloatSemantics();
        };
        Type f32 = b.getF32Type(), element = type.getElementType();
        Value none = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, args[0],
            number(f32, APFloat::getInf(semantics(f32), true)));
        Value result = arith::SelectOp::create(
            b, loc, none, number(element, APFloat::getNaN(semantics(element))),
            args[1]);
        linalg::YieldOp::create(b, loc, result);
      });
  return generic.getResult(0);
}

Value AttentionBuilder::finish(AttentionOp op) {
  Value output = mayBeNaN() ? restoreNaN(op) : Value(op.getOutput());
  output =
      castElements(b, loc, output, getElementTypeOrSelf(match.root.getType()));
  output = relayout(b, loc, output, oGroups,
                    *groupsOf(c, match.root, match.rootForms),
                    [&](unsigned variable) { return sizeOf(variable); });
  // Static sizes that only the operands or only the result had.
  if (output.getType() != match.root.getType())
    output = tensor::CastOp::create(b, loc, match.root.getType(), output);
  return output;
}

Value AttentionBuilder::finishLse(AttentionOp op) {
  Value value = op.getLse();
  Type f32 = b.getF32Type();
  auto number = [&](OpBuilder &b, const APFloat &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(f32, value));
  };
  const llvm::fltSemantics &semantics =
      cast<FloatType>(f32).getFloatSemantics();
  if (mayBeNaN())
    value = mapElements(b, loc, value, f32, [&](OpBuilder &b, Value x) {
      Value none =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x,
                                number(b, APFloat::getInf(semantics, true)));
      return arith::SelectOp::create(b, loc, none,
                                     number(b, APFloat::getNaN(semantics)), x);
    });
  if (match.lse->scale != 1)
    value = mapElements(b, loc, value, f32, [&](OpBuilder &b, Value x) {
      return arith::MulFOp::create(b, loc, x,
                                   number(b, APFloat(float(match.lse->scale))));
    });
  Value own = match.lse->value;
  value = castElements(b, loc, value, getElementTypeOrSelf(own.getType()));
  value = relayout(b, loc, value, lseGroups(), match.lse->groups,
                   [&](unsigned variable) { return sizeOf(variable); });
  if (value.getType() != own.getType())
    value = tensor::CastOp::create(b, loc, own.getType(), value);
  return value;
}

Refusal AttentionBuilder::run(BuiltAttention &built) {
  for (auto step :
       {&AttentionBuilder::chooseRoles, &AttentionBuilder::checkSizes,
        &AttentionBuilder::chooseType, &AttentionBuilder::chooseLayout,
        &AttentionBuilder::takeScale})
    if (Refusal refusal = (this->*step)())
      return refusal;
  if (Refusal refusal = buildOp(built.op))
    return refusal;
  built.result = finish(built.op);
  if (match.lse)
    built.lse = finishLse(built.op);
  built.restoresNaN = mayBeNaN();
  return {};
}

Refusal attn::raise::buildAttention(Comprehension &c,
                                    const AttentionMatch &match, bool keepNaN,
                                    OpBuilder &b, BuiltAttention &built) {
  return AttentionBuilder(c, match, keepNaN, b).run(built);
}
