//===- WrapForCPU.cpp - One signature for all kernels of the CPU ----------===//

#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNWRAPFORCPU
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Reads a kernel's arguments from an array of pointers to them.
class ParameterReader {
public:
  ParameterReader(OpBuilder &b, Location loc, Value list)
      : b(b), loc(loc), list(list),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  Value next(Type type) {
    Value place = LLVM::GEPOp::create(b, loc, pointer, pointer, list,
                                      ArrayRef<LLVM::GEPArg>{count++});
    Value address = LLVM::LoadOp::create(b, loc, pointer, place);
    // A bool is a byte, 0 or 1.
    if (!type.isInteger(1))
      return LLVM::LoadOp::create(b, loc, type, address);
    Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), address);
    return LLVM::TruncOp::create(b, loc, type, byte);
  }

  /// The words of a memref: base, aligned base, offset, sizes, strides.
  void addView(ViewType view, SmallVectorImpl<Value> &words) {
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                      b.getI64IntegerAttr(value));
    };
    Value base = next(pointer);
    words.append({base, base, constant(0)});
    for (int64_t size : view.getShape())
      words.push_back(ShapedType::isDynamic(size) ? next(b.getI64Type())
                                                  : constant(size));
    for (int64_t dim = 0; dim + 1 < view.getRank(); ++dim)
      words.push_back(next(b.getI64Type()));
    words.push_back(constant(1));
  }

private:
  OpBuilder &b;
  Location loc;
  Value list;
  LLVM::LLVMPointerType pointer;
  int32_t count = 0;
};

struct WrapForCPUPass : attn::impl::AttnWrapForCPUBase<WrapForCPUPass> {
  /// The views of a kernel whose arguments are those of its manifest.
  static FailureOr<SmallVector<ViewType>> viewsOf(LLVM::LLVMFuncOp function,
                                                  DictionaryAttr manifest) {
    auto types = manifest ? manifest.getAs<ArrayAttr>("views") : nullptr;
    auto scalars = manifest ? manifest.getAs<ArrayAttr>("scalars") : nullptr;
    if (!types || !scalars)
      return function.emitOpError("expected 'views' and 'scalars' in ")
             << kManifestAttr << ", but got "
             << function->getAttr(kManifestAttr);
    SmallVector<ViewType> views;
    size_t wanted = 2 + scalars.size();
    for (Attribute attribute : types) {
      auto type = dyn_cast<TypeAttr>(attribute);
      auto view = type ? dyn_cast<ViewType>(type.getValue()) : nullptr;
      if (!view)
        return function.emitOpError("expected types of views in ")
               << kManifestAttr << ", but got " << attribute;
      views.push_back(view);
      wanted += 3 + 2 * view.getRank();
    }
    if (function.getNumArguments() != wanted)
      return function.emitOpError("expected ")
             << wanted << " arguments of a kernel for the CPU with this "
             << "manifest, but got " << function.getNumArguments();
    return views;
  }

  /// Gives the function another name, and its own to one that calls it.
  LogicalResult wrap(LLVM::LLVMFuncOp function, DictionaryAttr manifest) {
    FailureOr<SmallVector<ViewType>> views = viewsOf(function, manifest);
    if (failed(views))
      return failure();
    OpBuilder b(function);
    Location loc = function.getLoc();
    std::string name = function.getSymName().str();
    function.setSymName(name + "_ctas");
    function.setLinkage(LLVM::Linkage::Internal);
    function->removeAttr(kManifestAttr);
    Type i64 = b.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()),
        {i64, i64, LLVM::LLVMPointerType::get(b.getContext())});
    auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);
    entry->setAttr(kManifestAttr, manifest);
    Block *block = entry.addEntryBlock(b);
    b.setInsertionPointToStart(block);
    ParameterReader reader(b, loc, block->getArgument(2));
    SmallVector<Value> arguments{block->getArgument(0), block->getArgument(1)};
    for (ViewType view : *views)
      reader.addView(view, arguments);
    for (Type scalar : function.getArgumentTypes().drop_front(arguments.size()))
      arguments.push_back(reader.next(scalar));
    LLVM::CallOp::create(b, loc, function, arguments);
    LLVM::ReturnOp::create(b, loc, ValueRange());
    ++numKernels;
    return success();
  }

  /// Erases what has other callers: those that run code on this machine at
  /// once.
  static LogicalResult eraseOthers(ArrayRef<LLVM::LLVMFuncOp> functions,
                                   const llvm::StringSet<> &counts) {
    for (LLVM::LLVMFuncOp function : functions) {
      bool isCount = counts.contains(function.getName());
      if (!isForCallersHere(function) && !isCount)
        continue;
      if (isCount && function->hasAttr(kManifestAttr))
        return function.emitOpError("expected no kernel of the name that the "
                                    "number of CTAs of another has");
      function.erase();
    }
    return success();
  }

  static bool isForCallersHere(LLVM::LLVMFuncOp function) {
    return function.getName().starts_with("_mlir_ciface_");
  }

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    auto functions = llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>());
    llvm::StringSet<> counts;
    for (LLVM::LLVMFuncOp function : functions)
      if (function->hasAttr(kManifestAttr) && !isForCallersHere(function)) {
        kernels.push_back(function);
        counts.insert((function.getName() + "_ctas").str());
      }
    if (failed(eraseOthers(functions, counts)))
      return signalPassFailure();
    for (LLVM::LLVMFuncOp kernel : kernels)
      if (failed(wrap(kernel,
                      kernel->getAttrOfType<DictionaryAttr>(kManifestAttr))))
        return signalPassFailure();
  }
};

} // namespace
