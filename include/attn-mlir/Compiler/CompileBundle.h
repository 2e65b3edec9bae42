//===- CompileBundle.h - A module to a bundle, stage by stage ---*- C++ -*-===//
//
// What attn-compile and the compiler library (attn-mlir-c/Compiler.h) do with a
// module that was read.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_COMPILER_COMPILEBUNDLE_H
#define ATTN_MLIR_COMPILER_COMPILEBUNDLE_H

#include "attn-mlir/Compiler/Emit.h"
#include "attn-mlir/Compiler/Explain.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Tuning/OptionChoice.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace attn {

/// What attn-compile's flags of these names say.
struct CompileOptions {
  Emit emit = Emit::Bundle;
  std::string target;
  std::vector<std::string> facts;
  std::string schedule, lower, alsoSchedule, alsoLower;
  /// Whether `schedule` or `lower` was given, if only as an empty text.
  bool asked = false;
  std::vector<std::string> variants;
  bool unaligned = false;
  Choose choose = Choose::Measured;
  std::string ptxas;
  bool lineInfo = false;
  /// --size.
  llvm::StringMap<int64_t> sizes;
  /// --for-sizes; empty: a bundle is for all.
  llvm::StringMap<int64_t> forSizes;
  double maxWork = kDefaultMaxWork;
  /// What a message says in front of the name of an option.
  std::string messagePrefix;
};

/// Sizes of axes ("query=16") by name, of the option that `flag` ends with;
/// fails after a message to optionErrors().
mlir::LogicalResult parseSizes(llvm::StringRef flag,
                               llvm::ArrayRef<std::string> texts,
                               llvm::StringMap<int64_t> &sizes);

/// A module on its way to a bundle. Stages fail after a diagnostic, or after a
/// message to optionErrors() about an option.
class Compilation {
public:
  explicit Compilation(CompileOptions options) : options(std::move(options)) {}

  /// Has operations that are programs say what form --schedule asks for.
  mlir::LogicalResult stateForm();

  /// Options of both pipelines and variants: as asked, or chosen. Operations
  /// hold what is chosen; what is asked comes before what they hold.
  mlir::LogicalResult chooseOptions(llvm::ArrayRef<mlir::ModuleOp> tuning = {});

  /// Level 1 to scheduled level 2, as --schedule says.
  mlir::LogicalResult schedule();

  /// Scheduled level 2 to level 3. What is on a later level stays as it is.
  mlir::LogicalResult lowerToTarget();

  /// Level 3 to the LLVM dialect. Verified once, at the end: device code is
  /// thousands of operations.
  mlir::LogicalResult lowerToDevice();

  /// All stages behind chooseOptions, for a bundle.
  mlir::FailureOr<Bundle> compile();

  /// What a page compares with; the module is still level 1.
  mlir::LogicalResult rankCandidates(const ProgressFn &progress = {});

  /// Writes the page of a module that is scheduled.
  mlir::LogicalResult explain(ExplainAs how, llvm::raw_ostream &os);

  /// Runs a pipeline on the module.
  mlir::LogicalResult
  runPipeline(llvm::function_ref<void(mlir::OpPassManager &)> build,
              bool verify = true);

  /// Given before the first stage, in a context that has the dialect.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompileOptions options;

private:
  using Modules = llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>;

  mlir::LogicalResult setTarget();
  mlir::LogicalResult lowerVariants();
  mlir::FailureOr<Bundle> makeBundle();
  mlir::LogicalResult schedule(llvm::StringRef text);
  mlir::LogicalResult lowerToTarget(llvm::StringRef text, bool smallChunks);
  mlir::LogicalResult lowerVariant(mlir::ModuleOp input, llvm::StringRef level2,
                                   llvm::StringRef level3,
                                   bool smallChunks = false);
  mlir::LogicalResult lowerVariant(mlir::ModuleOp input, llvm::StringRef text);
  mlir::LogicalResult lowerVariant(mlir::ModuleOp input,
                                   const GuardedSchedules &variant);
  mlir::LogicalResult lowerGuarded(mlir::ModuleOp input, llvm::StringRef level2,
                                   llvm::StringRef level3,
                                   llvm::StringRef guard);
  template <typename Variant>
  mlir::LogicalResult
  keepFirst(std::vector<Variant> &all,
            llvm::function_ref<std::string(const Variant &)> guardOf);
  mlir::LogicalResult addFewer(mlir::ModuleOp input, llvm::StringRef level2,
                               llvm::StringRef level3, llvm::StringRef guard);
  mlir::LogicalResult lowerUnaligned(mlir::ModuleOp input);
  mlir::LogicalResult selectForSizes();
  mlir::LogicalResult keepToSizes(llvm::ArrayRef<mlir::ModuleOp> modules);

  OptionChoice choice;
  /// Guards of variants that come before what is compiled, by --for-sizes.
  std::vector<std::string> excluded;
  /// The guard of the variant that --for-sizes selects, which then is all.
  std::optional<std::string> selected;
  /// For a page.
  std::vector<ScheduleCandidate> candidates;
  /// Lowered for the guards of variants.
  Modules variants;
  /// Level 1 with its schedules, where streams are split over CTAs.
  mlir::OwningOpRef<mlir::ModuleOp> chosenInput;
  /// Lowered for --unaligned.
  mlir::OwningOpRef<mlir::ModuleOp> fallback;
};

} // namespace attn

#endif // ATTN_MLIR_COMPILER_COMPILEBUNDLE_H
