//===- KernelOps.cpp - Launch, kernel, grid and stream --------------------===//

#include "NameList.h"
#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getInitsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

LogicalResult LaunchOp::verify() {
  if (getInits().empty())
    return emitOpError("wants at least one out");
  if (!hasPureTensorSemantics() && !hasPureBufferSemantics())
    return emitOpError("wants all of its ins and outs to be tensors, or all "
                       "memrefs, got ")
           << getInputs().getTypes() << ", " << getInits().getTypes();
  if (getViews().size() != getInputs().size() + getInits().size())
    return emitOpError("wants a permutation for each of its ")
           << getInputs().size() + getInits().size() << " ins and outs, got "
           << getViews().size();
  for (auto [operand, view] :
       llvm::zip(llvm::concat<Value>(getInputs(), getInits()),
                 getViews().getAsValueRange<AffineMapAttr>())) {
    auto type = cast<ShapedType>(operand.getType());
    if (!view.isPermutation() || view.getNumDims() != type.getRank())
      return emitOpError("wants a permutation of the ")
             << type.getRank() << " dimensions of " << type << ", got "
             << AffineMapAttr::get(view);
  }
  return success();
}

/// A lowered kernel is a function over a range of CTAs, the views and the
/// scalars; its conversion has checked their types.
static LogicalResult verifyLowered(LaunchOp launch,
                                   FunctionOpInterface function) {
  if (!function->hasAttr(kKernelViewsAttr))
    return launch.emitOpError("wants a kernel, got the function ")
           << launch.getKernelAttr();
  unsigned wanted = 2 + launch.getViews().size() + launch.getScalars().size();
  if (function.getNumArguments() != wanted)
    return launch.emitOpError("wants a lowered kernel of ")
           << wanted << " arguments (two of them a range of CTAs), got "
           << function.getNumArguments();
  return success();
}

/// The device function that a kernel became, or null.
static Operation *findDeviceFunction(LaunchOp launch,
                                     SymbolTableCollection &symbols) {
  auto module = StringAttr::get(launch.getContext(),
                                launch.getKernel() + kDeviceModuleSuffix);
  auto name = SymbolRefAttr::get(
      module, {FlatSymbolRefAttr::get(launch.getKernelAttr().getAttr())});
  Operation *function = symbols.lookupNearestSymbolFrom(launch, name);
  return function && function->getAttrOfType<DictionaryAttr>(kManifestAttr)
             ? function
             : nullptr;
}

/// Types of the arguments that the kernel had before it became a device
/// function.
static SmallVector<Type> argumentsOfDeviceFunction(Operation *function) {
  auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  SmallVector<Type> types;
  for (StringRef list : {"views", "scalars"})
    if (auto entries = manifest.getAs<ArrayAttr>(list))
      for (auto type : entries.getAsRange<TypeAttr>())
        types.push_back(type.getValue());
  return types;
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
      function && !isa<KernelOp>(symbol))
    return verifyLowered(*this, function);
  SmallVector<Type> wanted;
  if (auto kernel = dyn_cast_or_null<KernelOp>(symbol)) {
    llvm::append_range(wanted, kernel.getArgumentTypes());
  } else if (Operation *function = findDeviceFunction(*this, symbols)) {
    symbol = function;
    wanted = argumentsOfDeviceFunction(function);
  } else {
    return emitOpError("wants a kernel, got ") << getKernelAttr();
  }
  auto fail = [&]() {
    InFlightDiagnostic diag = emitOpError();
    diag.attachNote(symbol->getLoc())
        << "kernel " << getKernelAttr() << " is here";
    return diag;
  };
  unsigned numViews = getViews().size();
  if (wanted.size() != numViews + getScalars().size())
    return fail() << "wants " << wanted.size()
                  << " operands, as the kernel has arguments, got "
                  << numViews + getScalars().size();
  auto operands = llvm::to_vector(llvm::concat<Value>(getInputs(), getInits()));
  for (unsigned i = 0; i < numViews; ++i) {
    auto view = dyn_cast<ViewType>(wanted[i]);
    auto type = cast<ShapedType>(operands[i].getType());
    AffineMap perm = cast<AffineMapAttr>(getViews()[i]).getValue();
    bool fits = view && view.getRank() == type.getRank() &&
                view.getElementType() == type.getElementType();
    for (unsigned d = 0; fits && d < view.getRank(); ++d) {
      int64_t size = type.getDimSize(perm.getDimPosition(d));
      fits = ShapedType::isDynamic(size) ||
             ShapedType::isDynamic(view.getShape()[d]) ||
             size == view.getShape()[d];
    }
    if (!fits)
      return fail() << "operand " << i << " wants to fit " << wanted[i]
                    << ", got " << type;
  }
  for (auto [i, scalar] : llvm::enumerate(getScalars()))
    if (scalar.getType() != wanted[numViews + i])
      return fail() << "scalar " << i << " wants type " << wanted[numViews + i]
                    << ", got " << scalar.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     TypeRange arguments, ArrayRef<StringRef> argNames) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(
      getFunctionTypeAttrName(state.name),
      TypeAttr::get(builder.getFunctionType(arguments, TypeRange())));
  state.addAttribute(getArgNamesAttrName(state.name),
                     builder.getStrArrayAttr(argNames));
  Region *body = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(body);
  for (Type type : arguments)
    block->addArgument(type, state.location);
  ReturnOp::create(builder, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  StringAttr name;
  bool isVariadic = false;
  SMLoc loc = parser.getCurrentLocation();
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    types.push_back(argument.type);
    // %0 is no name: it prints as something else.
    StringRef name = argument.ssaName.name;
    name.consume_front("%");
    bool isName = !name.empty() && !llvm::isDigit(name.front());
    names.push_back(isName ? name.str() : "arg" + std::to_string(i));
    while (llvm::count(names, names.back()) > 1)
      names.back() += "_";
  }
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(b.getFunctionType(types, resultTypes)));
  result.addAttribute(getArgNamesAttrName(result.name),
                      b.getStrArrayAttr(llvm::to_vector_of<StringRef>(names)));
  if (failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&]() { return parser.emitError(loc); })))
    return failure();
  call_interface_impl::addArgAndResultAttrs(b, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, b, result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << " ";
  if (std::optional<StringRef> visibility = getSymVisibility())
    p << *visibility << " ";
  p.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      p, *this, getArgumentTypes(), /*isVariadic=*/false, getResultTypes());
  function_interface_impl::printFunctionAttributes(
      p, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName(),
       getArgNamesAttrName(), getSymVisibilityAttrName()});
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  ArrayAttr names = getArgNamesAttr();
  if (!names || names.size() != region.getNumArguments())
    return;
  for (auto [argument, name] :
       llvm::zip(region.getArguments(), names.getAsRange<StringAttr>()))
    setName(argument, name.getValue());
}

/// Whether a name prints as it is, as a keyword; or, where `punctuation` may be
/// in it, after a percent sign.
static bool isIdentifier(StringRef name, StringRef punctuation = "_") {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [&](char c) {
           return llvm::isAlnum(c) || punctuation.contains(c);
         });
}

/// What Attn_Scalar of the operations that launch a kernel admits.
static bool isScalar(Type type) {
  if (type.isSignlessInteger())
    return llvm::is_contained({1, 8, 16, 32, 64},
                              static_cast<int>(type.getIntOrFloatBitWidth()));
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("wants no results, got ") << getResultTypes();
  if (getArgNames() && getArgNames()->size() != getNumArguments())
    return emitOpError("wants a name for each of its ")
           << getNumArguments() << " arguments, got " << getArgNames()->size();
  llvm::StringSet<> names;
  if (getArgNames())
    for (StringAttr name : getArgNames()->getAsRange<StringAttr>())
      if (!isIdentifier(name, "_$.-") || !names.insert(name.getValue()).second)
        return emitOpError("wants distinct identifiers as names of arguments, "
                           "got ")
               << name;
  for (Type type : getArgumentTypes())
    if (!isa<ViewType>(type) && !isScalar(type))
      return emitOpError("argument wants to be a view or a scalar, got ")
             << type;
  unsigned grids = llvm::count_if(
      getBody().front(), [](Operation &op) { return isa<GridOp, CtasOp>(op); });
  if (grids > 1)
    return emitOpError("wants one grid at most, got ") << grids;
  return success();
}

GridOp KernelOp::getGrid() {
  auto grids = getBody().front().getOps<GridOp>();
  return grids.empty() ? GridOp() : *grids.begin();
}

//===----------------------------------------------------------------------===//
// DimOp
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  int64_t dim = getDim();
  int64_t rank = getView().getType().getRank();
  if (dim < 0 || dim >= rank)
    return emitOpError("wants a dimension from 0 to ")
           << rank - 1 << ", got " << dim;
  return success();
}

void DimOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSize(), "size");
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t size = getView().getType().getShape()[getDim()];
  if (ShapedType::isDynamic(size))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), size);
}

//===----------------------------------------------------------------------===//
// GridOp
//===----------------------------------------------------------------------===//

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
    return parser.emitError(loc, "wants ")
           << arguments.size() << " axes, as there are coordinates, got "
           << axes.size();
  result.addAttribute("axes", b.getArrayAttr(axes));
  SmallVector<StringAttr> cluster;
  if (succeeded(parser.parseOptionalKeyword("cluster")) &&
      parseNames(parser, cluster))
    return failure();
  result.addAttribute("cluster",
                      b.getArrayAttr(llvm::to_vector_of<Attribute>(cluster)));
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
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&]() { return parser.emitError(loc); })))
    return failure();
  arguments.push_back(visit);
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = b.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.resolveOperands(sizes, b.getIndexType(), result.operands))
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
  if (!getCluster().empty()) {
    p << " cluster ";
    printNames(p, getCluster().getAsRange<StringAttr>());
  }
  if (getOrderAttr()) {
    p << " order ";
    p.printStrippedAttrOrType(getOrderAttr());
  }
  if (getRun() != 1 || getFolded())
    p << " run " << getRun() << (getFolded() ? " folded" : "");
  if (getPersistent())
    p << " persistent " << *getPersistent();
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"axes", "cluster", "order", "run", "folded", "persistent"});
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

LogicalResult GridOp::verify() {
  if (getBody().getNumArguments() != getSizes().size() + 1)
    return emitOpError("wants ")
           << getSizes().size() + 1
           << " arguments (a coordinate for each axis, and the visit), got "
           << getBody().getNumArguments();
  if (getSizes().empty())
    return emitOpError("wants at least one axis");
  if (getSizes().size() != getAxes().size())
    return emitOpError("wants a name for each of its ")
           << getSizes().size() << " sizes, got " << getAxes().size();
  llvm::StringSet<> axes, cluster;
  for (StringAttr axis : getAxes().getAsRange<StringAttr>())
    if (!isIdentifier(axis) || !axes.insert(axis.getValue()).second ||
        axis.getValue() == "cluster")
      return emitOpError("axis '")
             << axis.getValue()
             << "' stands twice, is reserved or is no identifier";
  for (StringAttr axis : getCluster().getAsRange<StringAttr>())
    if (!axes.contains(axis.getValue()) ||
        !cluster.insert(axis.getValue()).second)
      return emitOpError("cluster wants distinct axes of the grid, got '")
             << axis.getValue() << "'";
  // The getters are unsigned.
  auto run = static_cast<int64_t>(getRun());
  if (run < 1 || run > OrderAttr::kMaxCount)
    return emitOpError("wants a run of 1 to ")
           << OrderAttr::kMaxCount << " tiles, got " << run;
  auto persistent = static_cast<int64_t>(getPersistent().value_or(1));
  if (persistent < 1 || persistent > OrderAttr::kMaxCount)
    return emitOpError("wants 1 to ")
           << OrderAttr::kMaxCount << " persistent CTAs, got " << persistent;
  OrderAttr order = getOrderAttr();
  if (!order)
    return success();
  // The digits, with the cluster spelled out, are a permutation of the axes.
  llvm::StringSet<> digits;
  auto use = [&](StringRef axis) -> LogicalResult {
    if (!axes.contains(axis) || !digits.insert(axis).second)
      return emitOpError("order wants each axis of the grid once, got '")
             << axis << "' in " << order;
    return success();
  };
  for (StringAttr digit : order.getDigits()) {
    if (digit.getValue() != "cluster") {
      if (failed(use(digit.getValue())))
        return failure();
      continue;
    }
    for (StringAttr axis : getCluster().getAsRange<StringAttr>())
      if (failed(use(axis.getValue())))
        return failure();
  }
  if (digits.size() != axes.size())
    return emitOpError("order wants each axis of the grid once, got ") << order;
  for (StringAttr axis : order.getReversed())
    if (!axes.contains(axis.getValue()))
      return emitOpError("order reverses '")
             << axis.getValue() << "', which is no axis of the grid";
  return success();
}

/// A grid's body hands nothing on.
static LogicalResult verifyEmptyYield(Operation *op, Block &body) {
  if (body.getTerminator()->getNumOperands() == 0)
    return success();
  return op->emitOpError("wants to yield nothing, got ")
         << body.getTerminator()->getOperandTypes();
}

LogicalResult GridOp::verifyRegions() {
  for (Type type : getBody().getArgumentTypes())
    if (!type.isIndex())
      return emitOpError("wants arguments of type index, got ") << type;
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
                        /*domains=*/1, /*chunk=*/1, /*reversed=*/{});
}

//===----------------------------------------------------------------------===//
// CtasOp
//===----------------------------------------------------------------------===//

ParseResult CtasOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument cta;
  OpAsmParser::UnresolvedOperand count;
  Builder &b = parser.getBuilder();
  if (parser.parseArgument(cta) || parser.parseKeyword("in") ||
      parser.parseOperand(count) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  cta.type = b.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, cta) ||
      parser.resolveOperand(count, b.getIndexType(), result.operands))
    return failure();
  ensureTerminator(*body, b, result.location);
  return success();
}

void CtasOp::print(OpAsmPrinter &p) {
  p << " " << getCta() << " in " << getCount();
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
    return emitOpError("wants one argument of type index, the CTA");
  return verifyEmptyYield(*this, getBody().front());
}

//===----------------------------------------------------------------------===//
// StreamOp
//===----------------------------------------------------------------------===//

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
  SmallVector<OpAsmParser::UnresolvedOperand> lowers, uppers, inits, reverse;
  if (succeeded(parser.parseOptionalKeyword("reverse")) &&
      parser.parseOperand(reverse.emplace_back()))
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
      return parser.emitError(loc, "wants ")
             << carried.size() << " types of carried values, got "
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
      parser.resolveOperands(reverse, b.getI1Type(), result.operands))
    return failure();
  auto size = [](auto &list) { return static_cast<int32_t>(list.size()); };
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      b.getDenseI32ArrayAttr({size(lowers), size(uppers),
                                              size(inits), size(reverse)}));
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
  if (getReverse())
    p << " reverse " << getReverse();
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
      (*this)->getAttrs(), {"masked", "step", "ordered",
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
    return emitOpError("wants a step of at least 1, got ") << step;
  if (getMasked().empty())
    return emitOpError("wants at least one segment");
  if (getLowers().size() != getUppers().size() ||
      getLowers().size() != getMasked().size())
    return emitOpError(
               "wants a lower bound, an upper bound and a mask flag for "
               "each segment, got ")
           << getLowers().size() << ", " << getUppers().size() << " and "
           << getMasked().size();
  if (getInits().getTypes() != getResultTypes())
    return emitOpError("wants results of the types of its carried values, (")
           << getInits().getTypes() << "), got (" << getResultTypes() << ")";
  return success();
}

LogicalResult StreamOp::verifyRegions() {
  SmallVector<Type> wanted{IndexType::get(getContext())};
  llvm::append_range(wanted, getInits().getTypes());
  if (getBody().getArgumentTypes() != TypeRange(wanted))
    return emitOpError("wants body arguments (")
           << wanted << "), got (" << getBody().getArgumentTypes() << ")";
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getInits().getTypes())
    return emitOpError("wants to yield the types of its carried values, ")
           << getInits().getTypes() << ", got " << yield.getValues().getTypes();
  Block *producer = getProducerBlock();
  if (!producer)
    return success();
  if (producer->getNumArguments() != 1 ||
      !producer->getArgument(0).getType().isIndex())
    return emitOpError("wants a producer of one argument of type index");
  return verifyEmptyYield(*this, *producer);
}
