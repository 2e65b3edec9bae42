//===- KernelOps.cpp - Launches, kernels, sizes of views ------------------===//

#include "KernelSyntax.h"
#include "NameList.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.cpp.inc"

void AttnDialect::registerKernelOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  // Counters among them are read, too.
  for (OpOperand &operand : getInitsMutable())
    if (isa<MemRefType>(operand.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
}

LogicalResult LaunchOp::verify() {
  if (getInits().empty())
    return emitOpError("expected at least one out");
  if (!hasPureTensorSemantics() && !hasPureBufferSemantics())
    return emitOpError("expected all of its ins and outs to be tensors, or all "
                       "memrefs, but got ")
           << getInputs().getTypes() << ", " << getInits().getTypes();
  if (getViews().size() != getInputs().size() + getInits().size())
    return emitOpError("expected a permutation for each of its ")
           << getInputs().size() + getInits().size()
           << " ins and outs, but got " << getViews().size();
  for (auto [operand, view] :
       llvm::zip(llvm::concat<Value>(getInputs(), getInits()),
                 getViews().getAsValueRange<AffineMapAttr>())) {
    auto type = cast<ShapedType>(operand.getType());
    if (!view.isPermutation() || view.getNumDims() != type.getRank())
      return emitOpError("expected a permutation of the ")
             << type.getRank() << " dimensions of " << type << ", but got "
             << AffineMapAttr::get(view);
  }
  return success();
}

/// A lowered kernel is a function over a range of CTAs, the views and the
/// scalars; its conversion has checked their types.
static LogicalResult verifyLowered(LaunchOp launch,
                                   FunctionOpInterface function) {
  if (!function->hasAttr(kKernelViewsAttr))
    return launch.emitOpError("expected a kernel, but got the function ")
           << launch.getKernelAttr();
  unsigned wanted = 2 + launch.getViews().size() + launch.getScalars().size();
  if (function.getNumArguments() != wanted)
    return launch.emitOpError("expected a lowered kernel of ")
           << wanted << " arguments (two of them a range of CTAs), but got "
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
  auto callee = dyn_cast_or_null<FunctionOpInterface>(symbol);
  bool takesViews =
      callee && (isa<KernelOp>(symbol) || symbol->hasAttr(kProgramAttr));
  if (callee && !takesViews)
    return verifyLowered(*this, callee);
  SmallVector<Type> wanted;
  if (takesViews) {
    llvm::append_range(wanted, callee.getArgumentTypes());
  } else if (Operation *function = findDeviceFunction(*this, symbols)) {
    symbol = function;
    wanted = argumentsOfDeviceFunction(function);
  } else {
    return emitOpError("expected a kernel, but got ") << getKernelAttr();
  }
  auto fail = [&]() {
    InFlightDiagnostic diag = emitOpError();
    diag.attachNote(symbol->getLoc())
        << "kernel " << getKernelAttr() << " is here";
    return diag;
  };
  unsigned numViews = getViews().size();
  if (wanted.size() != numViews + getScalars().size())
    return fail() << "expected " << wanted.size()
                  << " operands, as the kernel has arguments, but got "
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
      return fail() << "operand " << i << " expects to fit " << wanted[i]
                    << ", but got " << type;
  }
  for (auto [i, scalar] : llvm::enumerate(getScalars()))
    if (scalar.getType() != wanted[numViews + i])
      return fail() << "scalar " << i << " expects type "
                    << wanted[numViews + i] << ", but got " << scalar.getType();
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
    return emitOpError("expected no results, but got ") << getResultTypes();
  if (getArgNames() && getArgNames()->size() != getNumArguments())
    return emitOpError("expected a name for each of its ")
           << getNumArguments() << " arguments, but got "
           << getArgNames()->size();
  llvm::StringSet<> names;
  if (getArgNames())
    for (StringAttr name : getArgNames()->getAsRange<StringAttr>())
      if (!isIdentifier(name, "_$.-") || !names.insert(name.getValue()).second)
        return emitOpError(
                   "expected distinct identifiers as names of arguments, "
                   "but got ")
               << name;
  for (Type type : getArgumentTypes())
    if (!isa<ViewType>(type) && !isScalar(type))
      return emitOpError("argument expects to be a view or a scalar, but got ")
             << type;
  unsigned grids = llvm::count_if(
      getBody().front(), [](Operation &op) { return isa<GridOp, CtasOp>(op); });
  if (grids > 1)
    return emitOpError("expected one grid at most, but got ") << grids;
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
    return emitOpError("expected a dimension from 0 to ")
           << rank - 1 << ", but got " << dim;
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
// ReadOp and WriteOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyElementAccess(Operation *op, ViewType view,
                                         unsigned numOffsets) {
  if (!isa<IntegerType>(view.getElementType()))
    return op->emitOpError("expected a view of i32 or i64, but got ") << view;
  if (numOffsets != view.getRank())
    return op->emitOpError("expected ")
           << view.getRank() << " offsets, one for each dimension of " << view
           << ", but got " << numOffsets;
  if (!op->getParentOfType<GridOp>() && !op->getParentOfType<CtasOp>() &&
      op->getParentOfType<KernelOp>())
    return op->emitOpError("expected to stand in a grid: beside it a kernel "
                           "holds index arithmetic only");
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyElementAccess(*this, getView().getType(), getOffsets().size());
}

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), "read");
}

LogicalResult WriteOp::verify() {
  return verifyElementAccess(*this, getView().getType(), getOffsets().size());
}

//===----------------------------------------------------------------------===//
// CounterOp, TakeOp and InStepOp
//===----------------------------------------------------------------------===//

LogicalResult CounterOp::verify() {
  ViewType type = getView().getType();
  if (type.getElementType().isInteger(32) && type.getRank() == 1 &&
      type.getShape().front() == 1)
    return success();
  return emitOpError("expected a view of one i32, but got ") << type;
}

void CounterOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getView(), "counter");
}

/// Counters have 32 bits: so have indices on a GPU.
static LogicalResult verifyCounter(Operation *op, ViewType view,
                                   unsigned numOffsets) {
  if (!view.getElementType().isInteger(32))
    return op->emitOpError("expected a counter of i32, but got ") << view;
  return verifyElementAccess(op, view, numOffsets);
}

LogicalResult TakeOp::verify() {
  if (getHandOn() && getFromProducer())
    return emitOpError("expected one of hand_on and from_producer, but got "
                       "both");
  return verifyCounter(*this, getCounter().getType(), getOffsets().size());
}

void TakeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNumber(), "taken");
}

LogicalResult InStepOp::verify() {
  return verifyCounter(*this, getCounter().getType(), getOffsets().size());
}
