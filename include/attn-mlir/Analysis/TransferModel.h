//===- TransferModel.h - Data that an algorithm moves -----------*- C++ -*-===//
//
// The performance model of "FlashAttention on a Napkin" (the paper, below):
// section and equation numbers are its. Memory and transfers are counted in
// values unless a name says bytes; times are seconds.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_ANALYSIS_TRANSFERMODEL_H
#define ATTN_MLIR_ANALYSIS_TRANSFERMODEL_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include <optional>
#include <string>

namespace attn {

/// A streamed algorithm as the paper's two-level model sees it (section 2):
/// axes of which some are grouped over processors, and arrays that each hold
/// some of the axes.
struct TransferProblem {
  struct Axis {
    std::string name;
    double extent;
    /// Whether a processor may take several of its elements (the paper's g).
    bool grouped;
  };
  struct Array {
    std::string name;
    llvm::SmallVector<unsigned> axes;
  };
  std::vector<Axis> axes;
  std::vector<Array> arrays;
  /// y: values that stay on the processor for one element of every grouped
  /// axis.
  double state = 1;

  /// H for these group sizes, one for each axis; 1 where an axis is not grouped
  /// (section 2.3): what every group loads and saves, times the groups.
  double transfers(llvm::ArrayRef<double> groups) const;
};

/// The problem that `op` poses, for these extents of its axes. Unit axes that
/// an operand lacks (query heads of a group) count as grouped: that is how
/// grouped queries are woven (section 3.2).
TransferProblem transferProblem(StreamableOpInterface op,
                                llvm::ArrayRef<int64_t> extents);

/// alpha M^-beta, a term of Equation 1.
struct TransferTerm {
  double alpha, beta;
};

/// H*(a, M), Equation 1: a sum of powers of the memory M of a processor.
struct OptimalTransfers {
  llvm::SmallVector<TransferTerm> terms;
  /// H* in values, for a memory of so many values.
  double operator()(double memory) const;
};

/// Solves Equation 4 for large M: the group sizes that move least, where only
/// the state fills the memory. There is a closed form where the grouped axes
/// that arrays lack form disjoint classes (matrix product: {m}, {n};
/// attention: {group, query}); nothing otherwise.
std::optional<OptimalTransfers>
optimalTransfers(const TransferProblem &problem);

//===----------------------------------------------------------------------===//
// Several levels (sections 4.2 to 4.5, appendix A.2)
//===----------------------------------------------------------------------===//

enum class LevelKind {
  /// Holds tiles of its own.
  Memory,
  /// Only passes data on to children, which hold it (section 4.4).
  IntermediateCache,
  /// Children that send to each other (section 4.5): thread-block clusters,
  /// linked GPUs.
  CrossTransfer
};

struct HierarchyLevel {
  std::string name;
  LevelKind kind;
  /// Memory of one node, in bytes. Not asked of other kinds than Memory: theirs
  /// is N_c M_c of the level below.
  double bytes;
  /// Bytes a second from the level above; of a cross-transfer level, between
  /// children.
  double bytesPerSecond;
  /// N_c: most children of a node that work together.
  double children = 1;
};

/// A level as it enters Equation 5.
struct WeightedLevel {
  std::string name;
  /// The weight: seconds a byte. Negative where cross transfers are dearer than
  /// transfers from above.
  double secondsPerByte;
  /// Effective memory in bytes.
  double bytes;
};

/// Weights and effective memories (appendix A.2), from the level below the
/// highest to the lowest, which must be of kind Memory.
llvm::SmallVector<WeightedLevel>
weighLevels(llvm::ArrayRef<HierarchyLevel> levels);

/// Equation 3: seconds for all transfers with `valueBytes` bytes a value.
double weightedSeconds(const OptimalTransfers &transfers,
                       llvm::ArrayRef<WeightedLevel> levels, double valueBytes);

/// How much more all transfers of a term take with `wide` bytes a value than
/// with `narrow` ones: (wide / narrow)^(1 + beta), section 4.3.
double quantisationFactor(double beta, double wide, double narrow);

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_TRANSFERMODEL_H
