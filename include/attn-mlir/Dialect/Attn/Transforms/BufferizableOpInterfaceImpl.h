//===- BufferizableOpInterfaceImpl.h - Bufferization ------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace attn {

/// Makes attn.launch, in destination style, bufferizable.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
