//===- ChosenOptions.h - Options over what operations hold ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_COMPILER_CHOSENOPTIONS_H
#define ATTN_MLIR_LIB_COMPILER_CHOSENOPTIONS_H

#include "attn-mlir/Compiler/CompileBundle.h"
#include "attn-mlir/Tuning/OptionChoice.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn {

/// What --schedule and --lower come to, over what the first operation holds, in
/// words; fails after a diagnostic.
mlir::LogicalResult describeAsked(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  OptionChoice &choice);

/// Puts --also-schedule and --also-lower over the schedules that operations
/// hold; fails after a diagnostic.
mlir::LogicalResult overrideChosen(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// Options of attn-to-target: what the first kernel holds, and --lower, which
/// comes after it.
std::string loweringInForce(mlir::ModuleOp module,
                            const CompileOptions &options);

/// A copy whose operations hold no schedules: what a variant says is all.
mlir::OwningOpRef<mlir::ModuleOp> withoutSchedules(mlir::ModuleOp module);

/// A copy whose operations hold no such fields in their schedules.
mlir::OwningOpRef<mlir::ModuleOp>
withoutFields(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> fields);

/// Whether options of attn-schedule, or what operations hold, ask for streams
/// that are split over CTAs, and over those of a cluster.
bool asksForSplits(mlir::ModuleOp module, llvm::StringRef schedule);
bool asksForClusters(mlir::ModuleOp module, llvm::StringRef schedule);

} // namespace attn

#endif // ATTN_MLIR_LIB_COMPILER_CHOSENOPTIONS_H
