//===- LaunchToGPU.cpp - Launches of device functions to gpu.launch_func --===//

#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNLAUNCHTOGPU
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// What a parameter or an expression can ask of a view.
struct BoundView {
  Value address;
  int64_t elementBytes;
  SmallVector<Value> sizes, strides;
};

/// One launch, as arithmetic of 64 bits on what its operands are.
class Launch {
public:
  Launch(LaunchOp op, LLVM::LLVMFuncOp kernel)
      : op(op), kernel(kernel), b(op), loc(op.getLoc()),
        facts(kernel->getAttrOfType<DictionaryAttr>(kManifestAttr)) {}

  LogicalResult convert(bool checks);

private:
  LogicalResult bindViews();
  LogicalResult check();
  FailureOr<SmallVector<Value>> parameters();
  FailureOr<Value> parameter(DictionaryAttr described);
  FailureOr<Value> evaluate(Attribute expression);
  FailureOr<Value> apply(StringRef name, ArrayRef<Value> operands);
  FailureOr<Value> entry(StringRef name);
  void checkAlignment(const BoundView &view, int64_t number, int64_t bytes);
  void require(Value holds, const Twine &what);

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), value);
  }
  Value toIndex(Value value) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  }
  Value toWide(Value value) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  InFlightDiagnostic malformed(Attribute what) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected a kernel with a valid '"
                              << kManifestAttr << "', but got " << what;
    diag.attachNote(kernel.getLoc()) << "the kernel is here";
    return diag;
  }

  LaunchOp op;
  LLVM::LLVMFuncOp kernel;
  OpBuilder b;
  Location loc;
  DictionaryAttr facts;
  SmallVector<BoundView> views;
};

} // namespace

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Reads operands, in the order of the dimensions of the kernel's views.
LogicalResult Launch::bindViews() {
  for (auto [operand, map] :
       llvm::zip(llvm::concat<Value>(op.getInputs(), op.getInits()),
                 op.getViews().getAsValueRange<AffineMapAttr>())) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      return op.emitOpError("expected buffers (one-shot-bufferize), but got ")
             << operand.getType();
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, operand);
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand);
    BoundView view;
    view.elementBytes = type.getElementTypeBitWidth() / 8;
    Value offset = arith::MulIOp::create(b, loc, toWide(metadata.getOffset()),
                                         constant(view.elementBytes));
    view.address = arith::AddIOp::create(b, loc, toWide(base), offset);
    for (AffineExpr dim : map.getResults()) {
      unsigned at = cast<AffineDimExpr>(dim).getPosition();
      view.sizes.push_back(toWide(metadata.getSizes()[at]));
      view.strides.push_back(toWide(metadata.getStrides()[at]));
    }
    views.push_back(std::move(view));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expressions (docs/bundle.md)
//===----------------------------------------------------------------------===//

FailureOr<Value> Launch::apply(StringRef name, ArrayRef<Value> operands) {
  using Predicate = arith::CmpIPredicate;
  auto truth = [&](Value flag) -> Value {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), flag);
  };
  if (name == "select" && operands.size() == 3)
    return Value(arith::SelectOp::create(
        b, loc, compare(Predicate::ne, operands[0], constant(0)), operands[1],
        operands[2]));
  if (operands.size() != 2)
    return failure();
  Value x = operands[0], y = operands[1];
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(name)
                       .Case("eq", Predicate::eq)
                       .Case("ne", Predicate::ne)
                       .Case("lt", Predicate::slt)
                       .Case("le", Predicate::sle)
                       .Case("gt", Predicate::sgt)
                       .Case("ge", Predicate::sge)
                       .Default(std::nullopt);
  if (predicate)
    return truth(compare(*predicate, x, y));
  using Build = Value (*)(OpBuilder &, Location, Value, Value);
  auto build =
      llvm::StringSwitch<Build>(name)
#define ATTN_BINARY(WORD, OP)                                                  \
  .Case(WORD, [](OpBuilder &b, Location loc, Value x, Value y) -> Value {      \
    return arith::OP::create(b, loc, x, y);                                    \
  })
          ATTN_BINARY("add", AddIOp) ATTN_BINARY("sub", SubIOp)
              ATTN_BINARY("mul", MulIOp) ATTN_BINARY("floordiv", FloorDivSIOp)
                  ATTN_BINARY("ceildiv", CeilDivSIOp)
                      ATTN_BINARY("rem", RemSIOp) ATTN_BINARY("min", MinSIOp)
                          ATTN_BINARY("max", MaxSIOp) ATTN_BINARY("and", AndIOp)
                              ATTN_BINARY("or", OrIOp)
#undef ATTN_BINARY
                                  .Default(nullptr);
  if (!build)
    return failure();
  return build(b, loc, x, y);
}

FailureOr<Value> Launch::evaluate(Attribute expression) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(expression))
    return constant(number.getInt());
  auto list = dyn_cast_or_null<ArrayAttr>(expression);
  auto name =
      list && !list.empty() ? dyn_cast<StringAttr>(list[0]) : StringAttr();
  if (!name)
    return malformed(expression);
  if (name == "size" || name == "stride") {
    auto view =
        list.size() == 3 ? dyn_cast<IntegerAttr>(list[1]) : IntegerAttr();
    auto dim = view ? dyn_cast<IntegerAttr>(list[2]) : IntegerAttr();
    if (!dim || view.getValue().uge(views.size()) ||
        dim.getValue().uge(views[view.getInt()].sizes.size()))
      return malformed(expression);
    const BoundView &bound = views[view.getInt()];
    return name == "size" ? bound.sizes[dim.getInt()]
                          : bound.strides[dim.getInt()];
  }
  SmallVector<Value> operands;
  for (Attribute operand : list.getValue().drop_front()) {
    FailureOr<Value> value = evaluate(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  FailureOr<Value> result = apply(name.getValue(), operands);
  if (failed(result))
    return malformed(expression);
  return result;
}

FailureOr<Value> Launch::entry(StringRef name) {
  return evaluate(facts.get(name));
}

//===----------------------------------------------------------------------===//
// Parameters and checks
//===----------------------------------------------------------------------===//

FailureOr<Value> Launch::parameter(DictionaryAttr described) {
  auto kind = described.getAs<StringAttr>("kind");
  auto number = [&](StringRef name, size_t end) -> std::optional<int64_t> {
    auto value = described.getAs<IntegerAttr>(name);
    if (!value || value.getValue().uge(end))
      return std::nullopt;
    return value.getInt();
  };
  if (!kind)
    return malformed(described);
  if (kind == "tensor_map") {
    InFlightDiagnostic diag =
        op.emitOpError("expected a kernel without tensor maps, which no "
                       "gpu.launch_func makes (attn-stage-loads{copy=async}), "
                       "but got a parameter ")
        << described;
    diag.attachNote(kernel.getLoc()) << "the kernel is here";
    return diag;
  }
  if (kind == "scalar") {
    auto index = number("index", op.getScalars().size());
    if (!index)
      return malformed(described);
    Value scalar = op.getScalars()[*index];
    return scalar.getType().isIndex() ? toWide(scalar) : scalar;
  }
  auto view = number("view", views.size());
  if (!view)
    return malformed(described);
  const BoundView &bound = views[*view];
  if (kind == "pointer")
    return Value(LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(op.getContext()), bound.address));
  auto dim = number("dim", bound.sizes.size());
  if (!dim || (kind != "size" && kind != "stride"))
    return malformed(described);
  return kind == "size" ? bound.sizes[*dim] : bound.strides[*dim];
}

FailureOr<SmallVector<Value>> Launch::parameters() {
  auto described = facts.getAs<ArrayAttr>("parameters");
  if (!described || !llvm::all_of(described, llvm::IsaPred<DictionaryAttr>))
    return malformed(facts);
  SmallVector<Value> result;
  for (auto one : described.getAsRange<DictionaryAttr>()) {
    FailureOr<Value> value = parameter(one);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

void Launch::require(Value holds, const Twine &what) {
  cf::AssertOp::create(b, loc, holds,
                       b.getStringAttr("launch of " + kernel.getSymName() +
                                       ": expected " + what));
}

/// The base and all strides but the last are multiples, the last is 1; the
/// stride of a dimension of size 1 does not matter.
void Launch::checkAlignment(const BoundView &view, int64_t number,
                            int64_t bytes) {
  auto zero = [&](Value rest) {
    return compare(arith::CmpIPredicate::eq, rest, constant(0));
  };
  auto divides = [&](Value value, int64_t by) {
    return zero(arith::RemSIOp::create(b, loc, value, constant(by)));
  };
  Value holds = divides(view.address, bytes);
  int64_t elements = std::max<int64_t>(bytes / view.elementBytes, 1);
  for (size_t dim = 0; dim < view.strides.size(); ++dim) {
    bool last = dim + 1 == view.strides.size();
    Value fits =
        last ? compare(arith::CmpIPredicate::eq, view.strides[dim], constant(1))
             : divides(view.strides[dim], elements);
    Value single =
        compare(arith::CmpIPredicate::eq, view.sizes[dim], constant(1));
    fits = arith::OrIOp::create(b, loc, fits, single);
    holds = arith::AndIOp::create(b, loc, holds, fits);
  }
  require(holds, "view " + Twine(number) + " at a multiple of " + Twine(bytes) +
                     " bytes, and rows too");
}

/// What a launcher would refuse: sizes beyond what code is right for, and
/// addresses and strides that it cannot take.
LogicalResult Launch::check() {
  if (auto limits = facts.getAs<ArrayAttr>("limits"))
    for (Attribute limit : limits) {
      FailureOr<Value> holds = evaluate(limit);
      if (failed(holds))
        return failure();
      std::string text;
      llvm::raw_string_ostream(text) << limit;
      require(compare(arith::CmpIPredicate::ne, *holds, constant(0)), text);
    }
  auto align = facts.getAs<ArrayAttr>("align");
  for (auto one : align ? llvm::to_vector(align.getAsRange<DictionaryAttr>())
                        : SmallVector<DictionaryAttr>()) {
    auto view = one.getAs<IntegerAttr>("view");
    auto bytes = one.getAs<IntegerAttr>("bytes");
    if (!view || !bytes || view.getValue().uge(views.size()))
      return malformed(one);
    checkAlignment(views[view.getInt()], view.getInt(), bytes.getInt());
  }
  return success();
}

LogicalResult Launch::convert(bool checks) {
  if (failed(bindViews()) || (checks && failed(check())))
    return failure();
  FailureOr<Value> grid = entry("grid"), block = entry("block"),
                   shared = entry("shared_bytes");
  if (failed(grid) || failed(block) || failed(shared))
    return failure();
  FailureOr<SmallVector<Value>> values = parameters();
  if (failed(values))
    return failure();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  std::optional<gpu::KernelDim3> cluster;
  if (facts.get("cluster")) {
    FailureOr<Value> size = entry("cluster");
    if (failed(size))
      return failure();
    cluster = gpu::KernelDim3{toIndex(*size), one, one};
  }
  Value bytes = arith::TruncIOp::create(b, loc, b.getI32Type(), *shared);
  auto container = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto symbol = SymbolRefAttr::get(
      container.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  // An empty grid is no launch.
  Value any = compare(arith::CmpIPredicate::sgt, *grid, constant(0));
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *run = b.createBlock(after);
  gpu::LaunchFuncOp::create(
      b, loc, symbol, gpu::KernelDim3{toIndex(*grid), one, one},
      gpu::KernelDim3{toIndex(*block), one, one}, bytes, *values,
      /*asyncTokenType=*/nullptr, /*asyncDependencies=*/ValueRange(), cluster);
  cf::BranchOp::create(b, loc, after);
  b.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(b, loc, any, run, after);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The device function that a kernel became; null where it did not.
static LLVM::LLVMFuncOp deviceFunctionOf(LaunchOp launch) {
  StringAttr name = launch.getKernelAttr().getAttr();
  auto symbol =
      SymbolRefAttr::get(StringAttr::get(launch.getContext(),
                                         name.getValue() + kDeviceModuleSuffix),
                         {FlatSymbolRefAttr::get(name)});
  auto function =
      SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(launch, symbol);
  return function && function->getParentOfType<gpu::GPUModuleOp>() &&
                 function->getAttrOfType<DictionaryAttr>(kManifestAttr)
             ? function
             : nullptr;
}

namespace {
struct ConvertAttnLaunchToGPUPass
    : attn::impl::ConvertAttnLaunchToGPUBase<ConvertAttnLaunchToGPUPass> {
  using ConvertAttnLaunchToGPUBase::ConvertAttnLaunchToGPUBase;

  void runOnOperation() override {
    SmallVector<std::pair<LaunchOp, LLVM::LLVMFuncOp>> launches;
    getOperation().walk([&](LaunchOp launch) {
      if (LLVM::LLVMFuncOp kernel = deviceFunctionOf(launch))
        launches.push_back({launch, kernel});
    });
    for (auto [launch, kernel] : launches) {
      if (!launch->getParentRegion()
               ->getParentOp()
               ->hasTrait<OpTrait::AutomaticAllocationScope>()) {
        launch.emitOpError(
            "expected branches in place of structured control flow "
            "(convert-scf-to-cf), but got an operation in ")
            << launch->getParentOp()->getName();
        return signalPassFailure();
      }
      kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      UnitAttr::get(&getContext()));
      if (failed(Launch(launch, kernel).convert(checks)))
        return signalPassFailure();
      ++numLaunches;
    }
    if (!launches.empty())
      getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                              UnitAttr::get(&getContext()));
  }
};
} // namespace
