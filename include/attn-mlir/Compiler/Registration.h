//===- Registration.h - All of the project, for embedders -------*- C++ -*-===//

#ifndef ATTN_MLIR_COMPILER_REGISTRATION_H
#define ATTN_MLIR_COMPILER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace attn {

/// Registers the dialect, its external models, and every upstream dialect that
/// the project's passes read or make.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers all passes and pipelines of the project, and the upstream passes
/// that its pipelines use.
void registerPasses();

/// attn-embed-programs, which compiles: apart, as it links the code generators.
void registerEmbeddingPasses();

/// Only those of the project: for a tool that has the upstream ones.
void registerOwnPasses();

} // namespace attn

#endif // ATTN_MLIR_COMPILER_REGISTRATION_H
