//===- HostInterface.h - attn-mlir-c/Host.h as IR ---------------*- C++ -*-===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTINTERFACE_H
#define ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTINTERFACE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// Types and functions of attn-mlir-c/Host.h and Launcher.h, declared in a
/// module where they are used.
class HostInterface {
public:
  explicit HostInterface(mlir::ModuleOp module);

  /// AttnHostCall *, AttnHostHooks * and the like.
  mlir::Type pointer() const { return ptr; }
  /// AttnStatus.
  mlir::Type status() const { return i32; }
  /// AttnTensor, AttnScalar and AttnHostModule.
  mlir::Type tensor();
  mlir::Type scalar();
  mlir::Type module();

  /// Of each, its declaration; fails after a diagnostic where a function of the
  /// module has the name.
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> begin();
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> end();
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> launch();
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> allocate();
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> release();
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> close();

private:
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
  declare(llvm::StringRef name, mlir::Type result,
          llvm::ArrayRef<mlir::Type> arguments);

  mlir::ModuleOp root;
  mlir::Type ptr, i32, i64;
};

/// The AttnType of an element or a scalar; nothing where there is none.
std::optional<int32_t> hostTypeOf(mlir::Type type);

/// ATTN_DEVICE_UNKNOWN.
constexpr int32_t kUnknownDevice = -1;

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTINTERFACE_H
