//===- Device.cpp - What lowerings to GPUs have in common -----------------===//

#include "Device.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

Value attn::advance(OpBuilder &b, Location loc, Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value attn::advance(OpBuilder &b, Location loc, Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(
      b, loc, base.getType(), b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value attn::sharedAt(OpBuilder &b, Location loc, Value base,
                     const SharedTile::Offset &offset) {
  Value address = advance(b, loc, base, offset.perThread);
  if (offset.flip) {
    Value bits = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
    bits = LLVM::XOrOp::create(
        b, loc, bits,
        LLVM::ConstantOp::create(b, loc, b.getI32Type(), offset.flip));
    address = LLVM::IntToPtrOp::create(b, loc, base.getType(), bits);
  }
  return advance(b, loc, address, offset.constant);
}

RingCreateOp attn::ringOf(Value ring) {
  return ring.getDefiningOp<RingCreateOp>();
}

Value attn::createRingCounter(OpBuilder &b, RingCreateOp ring,
                              unsigned addressSpace) {
  Location loc = ring.getLoc();
  ThreadBuilder t{b, loc};
  Value counter;
  {
    // LLVM makes registers of what the entry block allocates.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        &ring->getParentOfType<LLVM::LLVMFuncOp>().getBody().front());
    counter = LLVM::AllocaOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), addressSpace),
        b.getI32Type(), t.constant(1));
  }
  LLVM::StoreOp::create(b, loc, t.constant(0), counter);
  return counter;
}

Value attn::zerosAddress(OpBuilder &b, Operation *op) {
  constexpr StringLiteral kZeros = "attn_zeros";
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  auto zeros = module.lookupSymbol<LLVM::GlobalOp>(kZeros);
  if (!zeros) {
    auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kZeroBytes);
    auto top = OpBuilder::atBlockBegin(module.getBody());
    zeros = LLVM::GlobalOp::create(
        top, module.getLoc(), bytes, /*isConstant=*/true,
        LLVM::Linkage::Internal, kZeros,
        top.getStringAttr(
            StringRef("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", kZeroBytes)),
        /*alignment=*/kZeroBytes, kGlobal);
  }
  return LLVM::AddressOfOp::create(b, op->getLoc(), zeros);
}

void attn::addToManifest(LLVM::LLVMFuncOp function,
                         ArrayRef<std::pair<StringRef, Attribute>> entries) {
  NamedAttrList manifest(
      function->getAttrOfType<DictionaryAttr>(kManifestAttr));
  for (auto [name, value] : entries)
    manifest.set(name, value);
  function->setAttr(kManifestAttr,
                    manifest.getDictionary(function.getContext()));
}

SmallVector<Value> attn::viewsOf(LLVM::LLVMFuncOp function) {
  SmallVector<Value> views;
  function.walk([&](UnrealizedConversionCastOp cast) {
    if (cast.getNumResults() == 1 && isa<ViewType>(cast.getType(0)))
      views.push_back(cast.getResult(0));
  });
  return views;
}

ArrayAttr attn::findAlignments(LLVM::LLVMFuncOp function,
                               function_ref<int64_t(Operation *)> accessBytes) {
  SmallVector<Value> views = viewsOf(function);
  Builder b(function.getContext());
  SmallVector<Attribute> result;
  for (auto [i, view] : llvm::enumerate(views)) {
    int64_t bytes = cast<ViewType>(view.getType()).getElementBytes();
    for (Operation *user : view.getUsers())
      bytes = std::max(bytes, accessBytes(user));
    result.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes)),
         b.getNamedAttr("view",
                        b.getI64IntegerAttr(static_cast<int64_t>(i)))}));
  }
  return b.getArrayAttr(result);
}

void attn::eraseViews(LLVM::LLVMFuncOp function) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<UnrealizedConversionCastOp>(op) ? op->use_empty()
                                            : isOpTriviallyDead(op))
      op->erase();
  });
}

LogicalResult attn::checkIndices(KernelOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto view = dyn_cast<ViewType>(argument.getType());
    if (view && llvm::any_of(view.getShape(),
                             [](int64_t size) { return size > kMostIndex; }))
      return kernel.emitOpError("expected views of at most ")
             << kMostIndex << " elements a dimension for a GPU, but got "
             << view;
  }
  WalkResult result = kernel.walk([](arith::ConstantOp constant) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer || !integer.getType().isIndex() ||
        llvm::isInt<31>(integer.getInt()))
      return WalkResult::advance();
    constant.emitOpError("expected indices within 2^30 for a GPU, but got ")
        << integer.getInt();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct BarrierPattern : OpConversionPattern<attn::BarrierOp> {
  using BuildFn = std::function<void(OpBuilder &, Location)>;
  BarrierPattern(const TypeConverter &converter, MLIRContext *context,
                 BuildFn build)
      : OpConversionPattern(converter, context), build(std::move(build)) {}

  LogicalResult
  matchAndRewrite(attn::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    build(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }

  BuildFn build;
};
} // namespace

void attn::populateBarrierPattern(const TypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  BarrierPattern::BuildFn build) {
  patterns.add<BarrierPattern>(converter, patterns.getContext(),
                               std::move(build));
}

LogicalResult attn::checkCapabilities(ModuleOp module,
                                      ArrayRef<StringRef> capabilities) {
  TargetAttr target = TargetAttr::of(module);
  for (StringRef capability : capabilities)
    if (!target.hasCapability(capability))
      return module.emitError()
             << "expected a target with the capability '" << capability
             << "', but got " << target.getName();
  return success();
}

LogicalResult attn::checkSharedBytes(LLVM::LLVMFuncOp function, int64_t bytes,
                                     StringRef memory) {
  TargetAttr target = TargetAttr::of(function);
  int64_t most = target.get(Fact::SmemPerBlock);
  if (bytes <= most)
    return success();
  return emitError(function.getLoc())
         << "kernel expects " << bytes << " bytes of " << memory << "; target "
         << target.getName() << " has " << most
         << " a CTA; expected smaller tiles or fewer stages";
}
