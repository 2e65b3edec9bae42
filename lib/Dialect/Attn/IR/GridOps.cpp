//===- GridOps.cpp - Grids, and the CTAs of a grid ------------------------===//

#include "KernelSyntax.h"
#include "NameList.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// GridOp
//===----------------------------------------------------------------------===//

namespace {
/// What a grid reads of memory besides its sizes.
struct GridViews {
  SmallVector<OpAsmParser::UnresolvedOperand> counter, until, untilOffsets;
  ViewType counterType, untilType;

  ParseResult parse(OpAsmParser &parser) {
    if (succeeded(parser.parseOptionalKeyword("dynamic")) &&
        (parser.parseOperand(counter.emplace_back()) || parser.parseColon() ||
         parser.parseCustomTypeWithFallback(counterType)))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("until")) &&
        (parser.parseOperand(until.emplace_back()) ||
         parser.parseOperandList(untilOffsets,
                                 OpAsmParser::Delimiter::Square) ||
         parser.parseColon() || parser.parseCustomTypeWithFallback(untilType)))
      return failure();
    return success();
  }

  ParseResult resolve(OpAsmParser &parser, OperationState &result) {
    auto resolveOne = [&](auto &operands, Type type) {
      return operands.empty()
                 ? success()
                 : parser.resolveOperands(operands, type, result.operands);
    };
    return failure(failed(resolveOne(counter, counterType)) ||
                   failed(resolveOne(until, untilType)) ||
                   failed(parser.resolveOperands(
                       untilOffsets, parser.getBuilder().getIndexType(),
                       result.operands)));
  }
};
} // namespace

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  OpAsmParser::Argument visit;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("visit") || parser.parseArgument(visit) ||
      parser.parseKeyword("in"))
    return failure();
  SmallVector<Attribute> axes;
  SmallVector<OpAsmParser::UnresolvedOperand> sizes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
            StringRef name;
            if (parser.parseKeyword(&name) || parser.parseEqual() ||
                parser.parseOperand(sizes.emplace_back()))
              return failure();
            axes.push_back(b.getStringAttr(name));
            return success();
          }))
    return failure();
  if (axes.size() != arguments.size())
    return parser.emitError(loc, "expected ")
           << arguments.size() << " axes, as there are coordinates, but got "
           << axes.size();
  result.addAttribute("axes", b.getArrayAttr(axes));
  SmallVector<StringAttr> sharing;
  if (succeeded(parser.parseOptionalKeyword("sharing")) &&
      parseNames(parser, sharing))
    return failure();
  result.addAttribute("sharing",
                      b.getArrayAttr(llvm::to_vector_of<Attribute>(sharing)));
  if (succeeded(parser.parseOptionalKeyword("order"))) {
    OrderAttr order;
    if (parser.parseCustomAttributeWithFallback(order))
      return failure();
    result.addAttribute("order", order);
  }
  for (StringRef keyword : {"run", "persistent"}) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      continue;
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    result.addAttribute(keyword, b.getI64IntegerAttr(value));
    if (keyword == "run" && succeeded(parser.parseOptionalKeyword("folded")))
      result.addAttribute("folded", b.getUnitAttr());
    if (keyword == "persistent" &&
        succeeded(parser.parseOptionalKeyword("snake")))
      result.addAttribute("snake", b.getUnitAttr());
  }
  if (succeeded(parser.parseOptionalKeyword("cluster")))
    result.addAttribute("cluster", b.getUnitAttr());
  GridViews views;
  if (views.parse(parser) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto count = [](const auto &operands) {
    return static_cast<int32_t>(operands.size());
  };
  result.addAttribute(
      getOperandSegmentSizeAttr(),
      b.getDenseI32ArrayAttr({count(sizes), count(views.counter),
                              count(views.until), count(views.untilOffsets)}));
  if (failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&]() { return parser.emitError(loc); })))
    return failure();
  arguments.push_back(visit);
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = b.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.resolveOperands(sizes, b.getIndexType(), result.operands) ||
      views.resolve(parser, result))
    return failure();
  ensureTerminator(*body, b, result.location);
  return success();
}

void GridOp::print(OpAsmPrinter &p) {
  p << " (" << getCoordinates() << ") visit " << getVisit() << " in (";
  llvm::interleaveComma(
      llvm::zip(getAxes().getAsRange<StringAttr>(), getSizes()), p,
      [&](auto axis) {
        p << std::get<0>(axis).getValue() << " = " << std::get<1>(axis);
      });
  p << ")";
  if (!getSharing().empty()) {
    p << " sharing ";
    printNames(p, getSharing().getAsRange<StringAttr>());
  }
  if (getOrderAttr()) {
    p << " order ";
    p.printStrippedAttrOrType(getOrderAttr());
  }
  if (getRun() != 1 || getFolded())
    p << " run " << getRun() << (getFolded() ? " folded" : "");
  if (getPersistent())
    p << " persistent " << *getPersistent() << (getSnake() ? " snake" : "");
  if (getCluster())
    p << " cluster";
  if (getCounter()) {
    p << " dynamic " << getCounter() << " : ";
    p.printStrippedAttrOrType(getCounter().getType());
  }
  if (getUntil()) {
    p << " until " << getUntil() << "[" << getUntilOffsets() << "] : ";
    p.printStrippedAttrOrType(getUntil().getType());
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"axes", "sharing", "order", "run",
                                      "folded", "persistent", "snake",
                                      "cluster", getOperandSegmentSizeAttr()});
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

/// Elements that the grid reads, or takes tiles from.
static LogicalResult verifyViews(GridOp grid) {
  if (Value counter = grid.getCounter()) {
    auto type = cast<ViewType>(counter.getType());
    if (!grid.getPersistent())
      return grid.emitOpError("expected persistent CTAs to take tiles from a "
                              "counter");
    if (!type.getElementType().isInteger(32) || type.getRank() != 1)
      return grid.emitOpError("expected a counter of rank 1 of i32, but got ")
             << type;
  }
  if (!grid.getUntil()) {
    if (!grid.getUntilOffsets().empty())
      return grid.emitOpError("expected a view for the offsets of 'until'");
    return success();
  }
  auto type = cast<ViewType>(grid.getUntil().getType());
  if (!isa<IntegerType>(type.getElementType()))
    return grid.emitOpError("expected a view of i32 or i64, but got ") << type;
  if (grid.getUntilOffsets().size() != type.getRank())
    return grid.emitOpError("expected ")
           << type.getRank() << " offsets, one for each dimension of " << type
           << ", but got " << grid.getUntilOffsets().size();
  return success();
}

LogicalResult GridOp::verify() {
  if (failed(verifyViews(*this)))
    return failure();
  if (getBody().getNumArguments() != getSizes().size() + 1)
    return emitOpError("expected ")
           << getSizes().size() + 1
           << " arguments (a coordinate for each axis, and the visit), but got "
           << getBody().getNumArguments();
  if (getSizes().empty())
    return emitOpError("expected at least one axis");
  if (getSizes().size() != getAxes().size())
    return emitOpError("expected a name for each of its ")
           << getSizes().size() << " sizes, but got " << getAxes().size();
  llvm::StringSet<> axes, sharing;
  for (StringAttr axis : getAxes().getAsRange<StringAttr>())
    if (!isIdentifier(axis) || !axes.insert(axis.getValue()).second ||
        axis.getValue() == "sharing")
      return emitOpError("axis '")
             << axis.getValue()
             << "' stands twice, is reserved or is no identifier";
  for (StringAttr axis : getSharing().getAsRange<StringAttr>())
    if (!axes.contains(axis.getValue()) ||
        !sharing.insert(axis.getValue()).second)
      return emitOpError("sharing expects distinct axes of the grid, but got '")
             << axis.getValue() << "'";
  // The getters are unsigned.
  auto run = static_cast<int64_t>(getRun());
  if (run < 1 || run > OrderAttr::kMaxCount)
    return emitOpError("expected a run of 1 to ")
           << OrderAttr::kMaxCount << " tiles, but got " << run;
  auto persistent = static_cast<int64_t>(getPersistent().value_or(1));
  if (persistent < 1 || persistent > OrderAttr::kMaxCount)
    return emitOpError("expected 1 to ")
           << OrderAttr::kMaxCount << " persistent CTAs, but got "
           << persistent;
  if (getSnake() && (!getPersistent() || getCounter()))
    return emitOpError("expected 'snake' of persistent CTAs that take tiles in "
                       "turn");
  OrderAttr order = getOrderAttr();
  if (getCluster() && (order || run != 1 || getPersistent()))
    return emitOpError("expected no order, run or persistent CTAs of a grid of "
                       "clusters");
  if (!order)
    return success();
  // The digits, with the axes of sharing spelled out, are a permutation of the
  // axes.
  llvm::StringSet<> digits;
  auto use = [&](StringRef axis) -> LogicalResult {
    if (!axes.contains(axis) || !digits.insert(axis).second)
      return emitOpError("order expects each axis of the grid once, but got '")
             << axis << "' in " << order;
    return success();
  };
  for (StringAttr digit : order.getDigits()) {
    if (digit.getValue() != "sharing") {
      if (failed(use(digit.getValue())))
        return failure();
      continue;
    }
    for (StringAttr axis : getSharing().getAsRange<StringAttr>())
      if (failed(use(axis.getValue())))
        return failure();
  }
  if (digits.size() != axes.size())
    return emitOpError("order expects each axis of the grid once, but got ")
           << order;
  for (StringAttr axis : order.getReversed())
    if (!axes.contains(axis.getValue()))
      return emitOpError("order reverses '")
             << axis.getValue() << "', which is no axis of the grid";
  return success();
}

LogicalResult GridOp::verifyRegions() {
  for (Type type : getBody().getArgumentTypes())
    if (!type.isIndex())
      return emitOpError("expected arguments of type index, but got ") << type;
  return verifyEmptyYield(*this, getBody().front());
}

void GridOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() != getAxes().size() + 1)
    return;
  for (auto [coordinate, axis] :
       llvm::zip(getCoordinates(), getAxes().getAsRange<StringAttr>()))
    setName(coordinate, axis.getValue());
  setName(getVisit(), "visit");
}

std::optional<int64_t>
GridOp::countStatic(function_ref<int64_t(int64_t)> ofLast) {
  int64_t count = 1;
  for (auto [i, size] : llvm::enumerate(getSizes())) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent)
      return std::nullopt;
    bool last = i + 1 == getSizes().size();
    if (llvm::MulOverflow(count, last ? ofLast(*extent) : *extent, count))
      return std::nullopt;
  }
  return count;
}

OrderAttr GridOp::getOrderOrDefault() {
  if (OrderAttr order = getOrderAttr())
    return order;
  return OrderAttr::get(getContext(),
                        llvm::to_vector(getAxes().getAsRange<StringAttr>()),
                        /*domains=*/1, /*chunk=*/1, /*reversed=*/{},
                        /*together=*/1);
}

//===----------------------------------------------------------------------===//
// CtasOp
//===----------------------------------------------------------------------===//

ParseResult CtasOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument cta;
  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands(1);
  Builder &b = parser.getBuilder();
  if (parser.parseArgument(cta) || parser.parseKeyword("in") ||
      parser.parseOperand(operands.front()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cluster")) &&
      parser.parseOperand(operands.emplace_back()))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  cta.type = b.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, cta) ||
      parser.resolveOperands(operands, b.getIndexType(), result.operands))
    return failure();
  ensureTerminator(*body, b, result.location);
  return success();
}

void CtasOp::print(OpAsmPrinter &p) {
  p << " " << getCta() << " in " << getCount();
  if (getCluster())
    p << " cluster " << getCluster();
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

void CtasOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() == 1)
    setName(region.getArgument(0), "cta");
}

LogicalResult CtasOp::verifyRegions() {
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isIndex())
    return emitOpError("expected one argument of type index, the CTA");
  return verifyEmptyYield(*this, getBody().front());
}

//===----------------------------------------------------------------------===//
// ExchangeOp
//===----------------------------------------------------------------------===//

/// Whether `view` counts CTAs and then spans no more than `tile`.
static bool isShown(RankedTensorType tile, ViewType view) {
  if (view.getRank() != tile.getRank() + 1 ||
      view.getElementType() != tile.getElementType())
    return false;
  return llvm::all_of(llvm::zip(view.getShape().drop_front(), tile.getShape()),
                      [](auto sizes) {
                        auto [seen, given] = sizes;
                        return !ShapedType::isDynamic(seen) && seen <= given;
                      });
}

/// CTAs of a cluster at most, on any chip (PTX ISA, "Cluster of Cooperative
/// Thread Arrays").
static constexpr int64_t kMostClusterCTAs = 16;

/// Rows of all tiles are scattered alike.
static LogicalResult verifyScatter(ExchangeOp op) {
  if (!op.getScatter())
    return success();
  if (*op.getScatter() < 1)
    return op.emitOpError("expected at least one row of each CTA, but got ")
           << *op.getScatter();
  auto first = cast<ViewType>(op.getViews()[0].getType());
  for (Value view : op.getViews()) {
    auto type = cast<ViewType>(view.getType());
    if (type.getShape().take_front(2) != first.getShape().take_front(2))
      return op.emitOpError("expected views of as many CTAs and rows as ")
             << first << " has, to scatter, but got " << type;
    if (!type.getElementType().isF32())
      return op.emitOpError("expected tiles of f32 to scatter, but got ")
             << type;
  }
  return success();
}

LogicalResult ExchangeOp::verify() {
  Operation *parent = (*this)->getParentOp();
  Operation *body = isa<SpecializeOp>(parent) ? parent->getParentOp() : parent;
  auto grid = dyn_cast<GridOp>(body);
  auto ctas = dyn_cast<CtasOp>(body);
  if (!(grid && grid.getCluster()) && !(ctas && ctas.getCluster()))
    return emitOpError("expected to stand in the body of a grid of clusters "
                       "itself, which all of its CTAs reach");
  if (getTiles().empty())
    return emitOpError("expected at least one tile, but got none");
  if (getTiles().size() != getViews().size())
    return emitOpError("expected a view for each of its ")
           << getTiles().size() << " tiles, but got " << getViews().size();
  for (auto [tile, view] : llvm::zip(getTiles(), getViews())) {
    auto given = cast<RankedTensorType>(tile.getType());
    auto seen = cast<ViewType>(view.getType());
    if (!isShown(given, seen))
      return emitOpError("expected a view of CTAs and of at most the sizes of ")
             << given << ", but got " << seen;
  }
  return verifyScatter(*this);
}

int64_t ExchangeOp::getHeldRows(ViewType view) {
  int64_t rows = view.getShape()[1];
  if (!getScatter())
    return rows;
  int64_t ctas = view.getShape()[0], group = *getScatter(),
          groups = llvm::divideCeil(rows, group);
  if (!ShapedType::isDynamic(ctas))
    return ctas * llvm::divideCeil(groups, ctas) * group;
  // However many CTAs there are: each has at most one group more than its
  // share.
  return (groups + kMostClusterCTAs - 1) * group;
}

int64_t ExchangeOp::getHeldBytes(ViewType view) {
  return getHeldRows(view) *
         ShapedType::getNumElements(view.getShape().drop_front(2)) *
         view.getElementBytes();
}

int64_t ExchangeOp::getBytes() {
  int64_t bytes = 0;
  for (Value view : getViews())
    bytes += getHeldBytes(cast<ViewType>(view.getType()));
  return bytes;
}
