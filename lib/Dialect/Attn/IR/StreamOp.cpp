//===- StreamOp.cpp - Streams of tiles ------------------------------------===//

#include "KernelSyntax.h"
#include "NameList.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.cpp.inc"

void AttnDialect::registerStreamOp() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// StreamOp
//===----------------------------------------------------------------------===//

/// Parses `#attn.reversed(%odd : i1)`: a traversal and its operands.
static ParseResult
parseTraversal(OpAsmParser &parser, OperationState &result,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
               SmallVectorImpl<Type> &types) {
  Attribute attr;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAttribute(attr))
    return failure();
  auto traversal = dyn_cast<TraversalInterface>(attr);
  if (!traversal)
    return parser.emitError(loc, "expected a traversal, but got ") << attr;
  if (succeeded(parser.parseOptionalLParen()) &&
      (parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
       parser.parseRParen()))
    return failure();
  if (operands.size() != types.size())
    return parser.emitError(loc, "expected ")
           << operands.size() << " types of operands of the traversal, but got "
           << types.size();
  // What is the default is not held.
  if (!isa<ForwardTraversalAttr>(traversal))
    result.addAttribute("traversal", traversal);
  return success();
}

static void printTraversal(OpAsmPrinter &p, StreamOp stream) {
  ValueRange operands = stream.getTraversalOperands();
  if (isa<ForwardTraversalAttr>(stream.getTraversal()) && operands.empty())
    return;
  p << " traversal " << stream.getTraversal();
  if (!operands.empty())
    p << "(" << operands << " : " << operands.getTypes() << ")";
}

ParseResult StreamOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  OpAsmParser::Argument position;
  int64_t step;
  if (parser.parseArgument(position) || parser.parseKeyword("step") ||
      parser.parseInteger(step))
    return failure();
  position.type = b.getIndexType();
  if (succeeded(parser.parseOptionalKeyword("ordered")))
    result.addAttribute("ordered", b.getUnitAttr());
  SmallVector<OpAsmParser::UnresolvedOperand> lowers, uppers, inits, along;
  SmallVector<Type> alongTypes;
  SMLoc alongLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("traversal")) &&
      parseTraversal(parser, result, along, alongTypes))
    return failure();
  SmallVector<bool> masked;
  if (parser.parseKeyword("over") ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
            masked.push_back(succeeded(parser.parseOptionalKeyword("masked")));
            return failure(parser.parseOperand(lowers.emplace_back()) ||
                           parser.parseKeyword("to") ||
                           parser.parseOperand(uppers.emplace_back()));
          }))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments{position}, carried;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("carry"))) {
    if (parser.parseLParen() ||
        parser.parseCommaSeparatedList([&]() -> ParseResult {
          return failure(parser.parseArgument(carried.emplace_back()) ||
                         parser.parseEqual() ||
                         parser.parseOperand(inits.emplace_back()));
        }) ||
        parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
    if (types.size() != carried.size())
      return parser.emitError(loc, "expected ")
             << carried.size() << " types of carried values, but got "
             << types.size();
    for (auto [argument, type] : llvm::zip(carried, types))
      argument.type = type;
    llvm::append_range(arguments, carried);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion(), *producer = result.addRegion();
  if (succeeded(parser.parseOptionalKeyword("produce"))) {
    OpAsmParser::Argument ahead;
    if (parser.parseLParen() || parser.parseArgument(ahead) ||
        parser.parseRParen())
      return failure();
    ahead.type = b.getIndexType();
    if (parser.parseRegion(*producer, ahead))
      return failure();
    ensureTerminator(*producer, b, result.location);
  }
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, b, result.location);
  Type index = b.getIndexType();
  if (parser.resolveOperands(lowers, index, result.operands) ||
      parser.resolveOperands(uppers, index, result.operands) ||
      parser.resolveOperands(inits, types, loc, result.operands) ||
      parser.resolveOperands(along, alongTypes, alongLoc, result.operands))
    return failure();
  auto size = [](auto &list) { return static_cast<int32_t>(list.size()); };
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      b.getDenseI32ArrayAttr({size(lowers), size(uppers),
                                              size(inits), size(along)}));
  result.addAttribute("masked", b.getDenseBoolArrayAttr(masked));
  result.addAttribute("step", b.getI64IntegerAttr(step));
  if (failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&]() { return parser.emitError(loc); })))
    return failure();
  result.addTypes(types);
  return success();
}

void StreamOp::print(OpAsmPrinter &p) {
  p << " " << getPosition() << " step " << getStep();
  if (getOrdered())
    p << " ordered";
  printTraversal(p, *this);
  p << " over [";
  llvm::interleaveComma(llvm::zip(getLowers(), getUppers(), getMasked()), p,
                        [&](auto segment) {
                          auto [lo, hi, masked] = segment;
                          p << (masked ? "masked " : "") << lo << " to " << hi;
                        });
  p << "]";
  if (!getInits().empty()) {
    p << " carry (";
    llvm::interleaveComma(
        llvm::zip(getCarried(), getInits()), p, [&](auto pair) {
          p << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    p << " : " << getInits().getTypes() << ")";
  }
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"masked", "step", "ordered", "traversal",
                            getOperandSegmentSizesAttrName().getValue()});
  if (Block *producer = getProducerBlock()) {
    p << " produce (" << producer->getArgument(0) << ") ";
    p.printRegion(getProducer(), /*printEntryBlockArgs=*/false,
                  /*printBlockTerminators=*/false);
  }
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/!getInits().empty());
}

void StreamOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() == 0)
    return;
  setName(region.getArgument(0), &region == &getProducer() ? "ahead" : "pos");
  for (BlockArgument carried : region.getArguments().drop_front())
    setName(carried, "carried");
}

LogicalResult StreamOp::verify() {
  if (auto step = static_cast<int64_t>(getStep()); step < 1)
    return emitOpError("expected a step of at least 1, but got ") << step;
  if (getMasked().empty())
    return emitOpError("expected at least one segment");
  if (getLowers().size() != getUppers().size() ||
      getLowers().size() != getMasked().size())
    return emitOpError(
               "expected a lower bound, an upper bound and a mask flag for "
               "each segment, but got ")
           << getLowers().size() << ", " << getUppers().size() << " and "
           << getMasked().size();
  if (getInits().getTypes() != getResultTypes())
    return emitOpError("expected results of the types of its carried values, (")
           << getInits().getTypes() << "), but got (" << getResultTypes()
           << ")";
  int64_t block = getTraversal().getBlock(), step = getStep();
  if (block != 0 && block % step != 0)
    return emitOpError("expected a step that divides the ")
           << block << " rows of a block of its traversal, but got " << step;
  return getTraversal().verifyOperands([&]() { return emitOpError(); },
                                       getTraversalOperands().getTypes());
}

LogicalResult StreamOp::verifyRegions() {
  SmallVector<Type> wanted{IndexType::get(getContext())};
  llvm::append_range(wanted, getInits().getTypes());
  if (getBody().getArgumentTypes() != TypeRange(wanted))
    return emitOpError("expected body arguments (")
           << wanted << "), but got (" << getBody().getArgumentTypes() << ")";
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getInits().getTypes())
    return emitOpError("expected to yield the types of its carried values, ")
           << getInits().getTypes() << ", but got "
           << yield.getValues().getTypes();
  Block *producer = getProducerBlock();
  if (!producer)
    return success();
  if (producer->getNumArguments() != 1 ||
      !producer->getArgument(0).getType().isIndex())
    return emitOpError("expected a producer of one argument of type index");
  return verifyEmptyYield(*this, *producer);
}
