//===- HostFunctions.h - Functions that are part of a call ------*- C++ -*-===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTFUNCTIONS_H
#define ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTFUNCTIONS_H

#include "HostInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// A function that launches, allocates, frees, or calls such: it takes the call
/// that it is part of as its first argument, and returns a status behind its
/// results.
class HostFunction {
public:
  HostFunction(mlir::func::FuncOp function, HostInterface &host)
      : function(function), host(host) {}

  mlir::func::FuncOp getFunction() const { return function; }
  mlir::Value getCall() { return function.getArgument(0); }
  /// Builds in front of everything.
  mlir::OpBuilder atEntry();

  /// Changes the signature, and what returns.
  void takeCall();

  /// Returns with `status` behind `op` where that is not 0.
  void returnIfFailed(mlir::Operation *op, mlir::Value status);

private:
  mlir::Block *exitBlock();

  mlir::func::FuncOp function;
  HostInterface &host;
  mlir::Block *exit = nullptr;
};

/// The functions of a module that are to be such.
llvm::SmallVector<mlir::func::FuncOp> findHostFunctions(mlir::ModuleOp module);

/// Fails after a diagnostic unless the function can be one.
mlir::LogicalResult checkHostFunction(mlir::func::FuncOp function,
                                      mlir::ModuleOp module);

/// Moves the body of a public function into one that others of the module call
/// in its place.
mlir::func::FuncOp separateBody(mlir::func::FuncOp function,
                                mlir::ModuleOp module);

/// Makes the public function begin a call, in which it calls `body`, and end
/// it.
mlir::LogicalResult beginCall(mlir::func::FuncOp function,
                              mlir::func::FuncOp body, HostInterface &host);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOHOST_HOSTFUNCTIONS_H
