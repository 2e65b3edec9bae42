//===- AttnToHost.cpp - Launches of programs to calls of the launcher -----===//

#include "HostFunctions.h"
#include "HostInterface.h"
#include "attn-mlir/Conversion/DropTarget.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNTOHOST
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

/// Buffers begin at lines of the cache, which vectors may be as long as.
static constexpr int64_t kBufferAlignment = 64;

namespace {

/// Fields of AttnTensor, AttnScalar and AttnHostModule.
enum TensorField { Data, Type_, Rank, Device, Reserved, Sizes, Strides };
enum ScalarField { ScalarType, ScalarReserved, ScalarValue };

/// Builds structs of C in memory.
struct CBuilder {
  OpBuilder &b;
  Location loc;
  HostInterface &host;

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type, value);
  }
  Value wide(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value address(Type type, Value base, ArrayRef<LLVM::GEPArg> path) {
    return LLVM::GEPOp::create(b, loc, host.pointer(), type, base, path);
  }
  void store(Value value, Value base, Type type, ArrayRef<LLVM::GEPArg> path) {
    LLVM::StoreOp::create(b, loc, value, address(type, base, path));
  }
  void storeInt(int32_t value, Value base, Type type,
                ArrayRef<LLVM::GEPArg> path) {
    store(constant(b.getI32Type(), value), base, type, path);
  }
};

/// One run of the pass.
class Converter {
public:
  explicit Converter(ModuleOp module)
      : module(module), host(module), layout(module),
        types(module.getContext()) {}

  /// The number of launches.
  FailureOr<int64_t> run(StringRef unload);

private:
  LogicalResult convert(HostFunction &function);
  LogicalResult convertLaunch(LaunchOp launch, HostFunction &function);
  LogicalResult convertAlloc(memref::AllocOp alloc, HostFunction &function);
  LogicalResult convertDealloc(memref::DeallocOp dealloc,
                               HostFunction &function);
  void convertCall(func::CallOp call, HostFunction &function);

  FailureOr<LLVM::GlobalOp> moduleOf(LaunchOp launch);
  LogicalResult makeUnload(StringRef name);
  FailureOr<Value> storeTensors(CBuilder &c, LaunchOp launch,
                                HostFunction &function);
  void storeTensor(CBuilder &c, Value memref, Value array, int32_t number);
  FailureOr<Value> storeScalars(CBuilder &c, LaunchOp launch,
                                HostFunction &function);
  Value nameOf(CBuilder &c, StringRef program);
  /// Room on the stack of a function for an array.
  Value arrayOf(HostFunction &function, Location loc, Type type, int64_t count);

  ModuleOp module;
  HostInterface host;
  DataLayout layout;
  LLVMTypeConverter types;
  llvm::DenseSet<StringAttr> bodies;
  /// AttnHostModule of each bundle.
  llvm::MapVector<Operation *, LLVM::GlobalOp> modules;
  int64_t launches = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// Where the library keeps what it opened of an embedded bundle.
FailureOr<LLVM::GlobalOp> Converter::moduleOf(LaunchOp launch) {
  Operation *program =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  auto name = program->getAttrOfType<FlatSymbolRefAttr>(kProgramAttr);
  Operation *symbol = name ? module.lookupSymbol(name.getAttr()) : nullptr;
  auto bundle = dyn_cast_or_null<LLVM::GlobalOp>(symbol);
  auto bytes = bundle ? dyn_cast_or_null<StringAttr>(bundle.getValueOrNull())
                      : StringAttr();
  if (!bytes) {
    InFlightDiagnostic diag = launch.emitOpError()
                              << "expected a program of a bundle that is "
                                 "embedded (attn-embed-programs), but got "
                              << program->getAttr(kProgramAttr);
    (symbol ? diag.attachNote(symbol->getLoc()) << "this is "
            : diag.attachNote(program->getLoc()) << "declared by ")
        << (symbol ? symbol : program)->getName();
    return failure();
  }
  LLVM::GlobalOp &opened = modules[bundle];
  if (opened)
    return opened;
  Location loc = bundle.getLoc();
  OpBuilder b(module.getContext());
  b.setInsertionPointAfter(bundle);
  opened = LLVM::GlobalOp::create(
      b, loc, host.module(), /*isConstant=*/false, LLVM::Linkage::Internal,
      (bundle.getSymName() + "_module").str(), Attribute());
  SymbolTable(module).insert(opened);
  b.createBlock(&opened.getInitializerRegion());
  Value value = LLVM::PoisonOp::create(b, loc, host.module());
  Value fields[] = {
      LLVM::AddressOfOp::create(b, loc, bundle),
      LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                               static_cast<int64_t>(bytes.size())),
      LLVM::ZeroOp::create(b, loc, host.pointer())};
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, loc, value, field,
                                        static_cast<int64_t>(i));
  LLVM::ReturnOp::create(b, loc, value);
  return opened;
}

/// A function that unloads all bundles.
LogicalResult Converter::makeUnload(StringRef name) {
  if (Operation *other = module.lookupSymbol(name))
    return other->emitError() << "expected no symbol of the name of the "
                                 "function that unloads, but got '"
                              << name << "'";
  FailureOr<LLVM::LLVMFuncOp> close = host.close();
  if (failed(close))
    return failure();
  Location loc = module.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {}));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  for (auto &[bundle, opened] : modules)
    LLVM::CallOp::create(b, loc, *close,
                         LLVM::AddressOfOp::create(b, loc, opened).getResult());
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Value Converter::nameOf(CBuilder &c, StringRef program) {
  std::string symbol = ("attn_name_" + program).str();
  std::string text = (program + StringRef("\0", 1)).str();
  if (auto known =
          dyn_cast_or_null<LLVM::GlobalOp>(module.lookupSymbol(symbol));
      known && known.getValueOrNull() == c.b.getStringAttr(text))
    return LLVM::AddressOfOp::create(c.b, c.loc, known);
  OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(
      atEnd, c.loc, LLVM::LLVMArrayType::get(c.b.getI8Type(), text.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
      c.b.getStringAttr(text));
  SymbolTable(module).insert(global);
  return LLVM::AddressOfOp::create(c.b, c.loc, global);
}

Value Converter::arrayOf(HostFunction &function, Location loc, Type type,
                         int64_t count) {
  OpBuilder b = function.atEntry();
  Value size = LLVM::ConstantOp::create(b, loc, b.getI64Type(), count);
  return LLVM::AllocaOp::create(b, loc, host.pointer(), type, size,
                                /*alignment=*/8);
}

/// Fills in an AttnTensor.
void Converter::storeTensor(CBuilder &c, Value memref, Value array,
                            int32_t number) {
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType();
  auto metadata = memref::ExtractStridedMetadataOp::create(c.b, c.loc, memref);
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(c.b, c.loc, memref);
  Value bytes = arith::ConstantIndexOp::create(
      c.b, c.loc, layout.getTypeSize(element).getFixedValue());
  Value offset = arith::MulIOp::create(c.b, c.loc, metadata.getOffset(), bytes);
  Value data = arith::AddIOp::create(c.b, c.loc, base, offset);
  Type tensor = host.tensor();
  c.store(c.wide(data), array, tensor, {number, Data});
  c.storeInt(*hostTypeOf(element), array, tensor, {number, Type_});
  c.storeInt(static_cast<int32_t>(type.getRank()), array, tensor,
             {number, Rank});
  c.storeInt(kUnknownDevice, array, tensor, {number, Device});
  c.storeInt(0, array, tensor, {number, Reserved});
  for (int32_t dim = 0; dim < type.getRank(); ++dim) {
    c.store(c.wide(metadata.getSizes()[dim]), array, tensor,
            {number, Sizes, dim});
    c.store(c.wide(metadata.getStrides()[dim]), array, tensor,
            {number, Strides, dim});
  }
}

FailureOr<Value> Converter::storeTensors(CBuilder &c, LaunchOp launch,
                                         HostFunction &function) {
  auto operands = llvm::to_vector(
      llvm::concat<Value>(launch.getInputs(), launch.getInits()));
  for (Value operand : operands)
    if (!isa<MemRefType>(operand.getType()))
      return launch.emitOpError(
                 "expected buffers (one-shot-bufferize), but got ")
             << operand.getType();
  Value array = arrayOf(function, c.loc, host.tensor(), operands.size());
  for (auto [i, operand] : llvm::enumerate(operands))
    storeTensor(c, operand, array, static_cast<int32_t>(i));
  return array;
}

FailureOr<Value> Converter::storeScalars(CBuilder &c, LaunchOp launch,
                                         HostFunction &function) {
  if (launch.getScalars().empty())
    return Value(LLVM::ZeroOp::create(c.b, c.loc, host.pointer()));
  Type scalar = host.scalar();
  Value array = arrayOf(function, c.loc, scalar, launch.getScalars().size());
  for (auto [i, value] : llvm::enumerate(launch.getScalars())) {
    auto number = static_cast<int32_t>(i);
    c.storeInt(*hostTypeOf(value.getType()), array, scalar,
               {number, ScalarType});
    c.storeInt(0, array, scalar, {number, ScalarReserved});
    Value stored = value;
    if (value.getType().isIndex())
      stored = c.wide(value);
    else if (value.getType().isInteger(1))
      stored = arith::ExtUIOp::create(c.b, c.loc, c.b.getI8Type(), value);
    c.store(stored, array, scalar, {number, ScalarValue});
  }
  return array;
}

LogicalResult Converter::convertLaunch(LaunchOp launch,
                                       HostFunction &function) {
  FailureOr<LLVM::GlobalOp> opened = moduleOf(launch);
  FailureOr<LLVM::LLVMFuncOp> callee = host.launch();
  if (failed(opened) || failed(callee))
    return failure();
  OpBuilder b(launch);
  CBuilder c{b, launch.getLoc(), host};
  FailureOr<Value> tensors = storeTensors(c, launch, function);
  if (failed(tensors))
    return failure();
  FailureOr<Value> scalars = storeScalars(c, launch, function);
  if (failed(scalars))
    return failure();
  Value operands[] = {function.getCall(),
                      LLVM::AddressOfOp::create(b, c.loc, *opened),
                      nameOf(c, launch.getKernel()),
                      *tensors,
                      c.constant(b.getI32Type(), launch.getViews().size()),
                      *scalars,
                      c.constant(b.getI32Type(), launch.getScalars().size())};
  auto call = LLVM::CallOp::create(b, c.loc, *callee, operands);
  function.returnIfFailed(call, call.getResult());
  launch.erase();
  ++launches;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertAlloc(memref::AllocOp alloc,
                                      HostFunction &function) {
  MemRefType type = alloc.getType();
  FailureOr<LLVM::LLVMFuncOp> callee = host.allocate();
  if (failed(callee))
    return failure();
  Type descriptorType = types.convertType(type);
  if (!type.getLayout().isIdentity() || !alloc.getSymbolOperands().empty() ||
      !descriptorType)
    return alloc.emitOpError("expected a contiguous buffer, but got ") << type;
  OpBuilder b(alloc);
  CBuilder c{b, alloc.getLoc(), host};
  // Sizes, strides from the last dimension on, and bytes.
  int64_t rank = type.getRank();
  SmallVector<Value> sizes(rank), strides(rank);
  unsigned dynamic = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes[dim] = type.isDynamicDim(dim)
                     ? c.wide(alloc.getDynamicSizes()[dynamic++])
                     : c.constant(b.getI64Type(), type.getDimSize(dim));
  Value count = c.constant(b.getI64Type(), 1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    strides[dim] = count;
    count = LLVM::MulOp::create(b, c.loc, count, sizes[dim]);
  }
  Value size =
      c.constant(b.getI64Type(),
                 layout.getTypeSize(type.getElementType()).getFixedValue());
  Value bytes = LLVM::MulOp::create(b, c.loc, count, size);
  Value alignment = c.constant(
      b.getI64Type(),
      std::max<int64_t>(alloc.getAlignment().value_or(1), kBufferAlignment));
  Value place = arrayOf(function, c.loc, host.pointer(), 1);
  Value operands[] = {function.getCall(), bytes, alignment, place};
  auto call = LLVM::CallOp::create(b, c.loc, *callee, operands);

  b.setInsertionPointAfter(alloc);
  Value memory = LLVM::LoadOp::create(b, c.loc, host.pointer(), place);
  auto descriptor = MemRefDescriptor::poison(b, c.loc, descriptorType);
  descriptor.setAllocatedPtr(b, c.loc, memory);
  descriptor.setAlignedPtr(b, c.loc, memory);
  descriptor.setConstantOffset(b, c.loc, 0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    descriptor.setSize(b, c.loc, dim, sizes[dim]);
    descriptor.setStride(b, c.loc, dim, strides[dim]);
  }
  Value buffer =
      UnrealizedConversionCastOp::create(b, c.loc, type, Value(descriptor))
          .getResult(0);
  alloc.replaceAllUsesWith(buffer);
  alloc.erase();
  function.returnIfFailed(call, call.getResult());
  return success();
}

LogicalResult Converter::convertDealloc(memref::DeallocOp dealloc,
                                        HostFunction &function) {
  FailureOr<LLVM::LLVMFuncOp> callee = host.release();
  if (failed(callee))
    return failure();
  if (!isa<MemRefType>(dealloc.getMemref().getType()))
    return dealloc.emitOpError(
               "expected a buffer whose rank is known, but got ")
           << dealloc.getMemref().getType();
  OpBuilder b(dealloc);
  Location loc = dealloc.getLoc();
  Value base =
      memref::ExtractStridedMetadataOp::create(b, loc, dealloc.getMemref())
          .getBaseBuffer();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, base);
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  Value memory = LLVM::IntToPtrOp::create(b, loc, host.pointer(), wide);
  LLVM::CallOp::create(b, loc, *callee, ValueRange{function.getCall(), memory});
  dealloc.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Converter::convertCall(func::CallOp call, HostFunction &function) {
  OpBuilder b(call);
  SmallVector<Value> operands{function.getCall()};
  llvm::append_range(operands, call.getOperands());
  SmallVector<Type> results(call.getResultTypes());
  results.push_back(host.status());
  auto made = func::CallOp::create(b, call.getLoc(), call.getCalleeAttr(),
                                   results, operands);
  call.replaceAllUsesWith(made.getResults().drop_back());
  call.erase();
  function.returnIfFailed(made, made.getResults().back());
}

LogicalResult Converter::convert(HostFunction &function) {
  // Blocks are split on the way.
  SmallVector<Operation *> ops;
  for (Operation &op : function.getFunction().getOps())
    ops.push_back(&op);
  for (Operation *op : ops) {
    LogicalResult converted = success();
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr())
              ->hasAttr(kProgramAttr))
        converted = convertLaunch(launch, function);
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      converted = convertAlloc(alloc, function);
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      converted = convertDealloc(dealloc, function);
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      if (bodies.contains(call.getCalleeAttr().getAttr()))
        convertCall(call, function);
    }
    if (failed(converted))
      return failure();
  }
  return success();
}

FailureOr<int64_t> Converter::run(StringRef unload) {
  SmallVector<func::FuncOp> found = findHostFunctions(module);
  for (func::FuncOp function : found)
    if (failed(checkHostFunction(function, module)))
      return failure();
  std::vector<HostFunction> functions;
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> entries;
  for (func::FuncOp function : found) {
    func::FuncOp body = function;
    if (function.isPublic()) {
      body = separateBody(function, module);
      entries.push_back({function, body});
    }
    functions.emplace_back(body, host);
    bodies.insert(body.getSymNameAttr());
  }
  for (HostFunction &function : functions)
    function.takeCall();
  for (HostFunction &function : functions)
    if (failed(convert(function)))
      return failure();
  for (auto [function, body] : entries)
    if (failed(beginCall(function, body, host)))
      return failure();
  if (!modules.empty() && !unload.empty() && failed(makeUnload(unload)))
    return failure();
  for (auto declaration :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (declaration->hasAttr(kProgramAttr) &&
        SymbolTable::symbolKnownUseEmpty(declaration, module))
      declaration.erase();
  if (launches > 0)
    dropUnusedTarget(module);
  return launches;
}

namespace {
struct ConvertAttnToHostPass
    : attn::impl::ConvertAttnToHostBase<ConvertAttnToHostPass> {
  using ConvertAttnToHostBase::ConvertAttnToHostBase;

  void runOnOperation() override {
    FailureOr<int64_t> launches = Converter(getOperation()).run(unload);
    if (failed(launches))
      return signalPassFailure();
    numLaunches += *launches;
  }
};
} // namespace
