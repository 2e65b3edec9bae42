//===- HostInterface.cpp - attn-mlir-c/Host.h as IR -----------------------===//

#include "HostInterface.h"
#include "attn-mlir-c/Host.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"

using namespace mlir;
using namespace attn;

static_assert(kUnknownDevice == ATTN_DEVICE_UNKNOWN);

HostInterface::HostInterface(ModuleOp module)
    : root(module), ptr(LLVM::LLVMPointerType::get(module.getContext())),
      i32(IntegerType::get(module.getContext(), 32)),
      i64(IntegerType::get(module.getContext(), 64)) {}

Type HostInterface::tensor() {
  auto dims = LLVM::LLVMArrayType::get(i64, ATTN_MAX_RANK);
  return LLVM::LLVMStructType::getLiteral(
      root.getContext(), {i64, i32, i32, i32, i32, dims, dims});
}

Type HostInterface::scalar() {
  return LLVM::LLVMStructType::getLiteral(root.getContext(), {i32, i32, i64});
}

Type HostInterface::module() {
  return LLVM::LLVMStructType::getLiteral(root.getContext(), {ptr, i64, ptr});
}

FailureOr<LLVM::LLVMFuncOp> HostInterface::declare(StringRef name, Type result,
                                                   ArrayRef<Type> arguments) {
  Operation *other = SymbolTable::lookupSymbolIn(root, name);
  if (other && !isa<LLVM::LLVMFuncOp>(other))
    return other->emitError() << "expected another name than that of the "
                                 "launcher's function, but got '"
                              << name << "'";
  OpBuilder b(root.getContext());
  return LLVM::lookupOrCreateFn(b, root, name, arguments, result);
}

FailureOr<LLVM::LLVMFuncOp> HostInterface::begin() {
  return declare("attnHostBegin", i32, {ptr, ptr});
}
FailureOr<LLVM::LLVMFuncOp> HostInterface::end() {
  return declare("attnHostEnd", i32, {ptr, i32});
}
FailureOr<LLVM::LLVMFuncOp> HostInterface::launch() {
  return declare("attnHostLaunch", i32, {ptr, ptr, ptr, ptr, i32, ptr, i32});
}
FailureOr<LLVM::LLVMFuncOp> HostInterface::allocate() {
  return declare("attnHostAllocate", i32, {ptr, i64, i64, ptr});
}
FailureOr<LLVM::LLVMFuncOp> HostInterface::release() {
  return declare("attnHostFree", LLVM::LLVMVoidType::get(root.getContext()),
                 {ptr, ptr});
}
FailureOr<LLVM::LLVMFuncOp> HostInterface::close() {
  return declare("attnHostModuleClose",
                 LLVM::LLVMVoidType::get(root.getContext()), {ptr});
}

std::optional<int32_t> attn::hostTypeOf(Type type) {
  if (type.isF16())
    return ATTN_F16;
  if (type.isBF16())
    return ATTN_BF16;
  if (type.isF32())
    return ATTN_F32;
  if (type.isF64())
    return ATTN_F64;
  if (isa<Float8E4M3FNType>(type))
    return ATTN_F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return ATTN_F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return ATTN_F8E4M3FNUZ;
  if (type.isIndex())
    return ATTN_I64;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ATTN_I1;
  case 8:
    return ATTN_I8;
  case 16:
    return ATTN_I16;
  case 32:
    return ATTN_I32;
  case 64:
    return ATTN_I64;
  default:
    return std::nullopt;
  }
}
