//===- RandomModule.h - A module, schedule and inputs -----------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_RANDOMMODULE_H
#define ATTN_MLIR_TEST_LIB_RANDOMMODULE_H

#include "ScoreParts.h"
#include "TensorRead.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attn_random {

/// What is done with a module.
enum class Mode {
  /// Through all pipelines of its target, to code.
  Compile,
  /// Its schedule on the CPU, against the reference.
  Run,
  /// Its level 3 on the CPU, one CTA after the other.
  Sequential,
  /// Its code for gfx942 in the emulator.
  Emulate
};
llvm::StringRef nameOf(Mode mode);

enum class OpKind { Attention, Matmul, LogSumExp };

/// How inputs are made.
enum class Values {
  Normal,
  /// Row maxima rise from tile to tile.
  Growing,
  /// Small integers, of which many scores are equal.
  Ties,
  /// The first third of the keys has scores of a large magnitude, exact ones.
  Large
};

struct Mask {
  enum Kind { None, Causal, Window } kind = None;
  bool bottomRight = false;
  int64_t left = -1, right = -1;
};

struct Axis {
  std::string name;
  int64_t size = 0;
  bool isStatic = false;
};

/// A valid module, what it is compiled for, how, and on what it runs.
struct RandomModule {
  uint64_t seed = 0;
  Mode mode = Mode::Run;
  OpKind op = OpKind::Attention;
  std::string element = "f32";
  std::vector<Axis> axes;
  /// Of attention only.
  int64_t qkDim = 16, valueDim = 16, kvHeads = 1, groupHeads = 1;
  bool bshd = false, lse = false;
  /// Element type of lengths that the device reads, or empty: there are none.
  std::string lengths;
  /// Element type of the offsets of packed sequences, or empty: none are; and
  /// whether queries, or keys, are packed.
  std::string offsets;
  bool packsQueries = false, packsKeys = false;
  /// Keys of a page, or 0: they are not in pages. Pages have lengths.
  int64_t pageSize = 0;
  /// Whether results of earlier keys are taken up.
  bool earlier = false;
  /// Keys of a block that has a scale of its own, or 0: none has; and whether
  /// K, or V, has such scales.
  int64_t scaleBlock = 0;
  bool scalesKeys = false, scalesValues = false;
  Mask mask;
  float scale = 1;
  std::vector<ScorePart> parts;
  /// Captured tensors that modifications and masks read.
  std::vector<TensorRead> reads;

  std::string target;
  /// "axis=size" for attn-schedule's `tiles`.
  std::vector<std::string> tiles;
  /// Options of attn-schedule, but for target and tiles, and of attn-to-target.
  std::vector<std::string> schedule, lower;

  Values values = Values::Normal;
  /// Of Values::Large: the magnitude of q's elements times that of k's.
  double largeProduct = 0;
  bool largeNegative = true;
  /// Elements between rows, heads and batches.
  std::vector<int64_t> gaps = {8};
  /// Bytes from row to row in the emulator's memory, which has holes; 0: as on
  /// the host.
  int64_t deviceRowBytes = 0;

  /// Largest error, or less than 0 for that of the element type.
  double bound = -1;

  std::string text() const;
  std::string scheduleText() const;
  std::string lowerText() const;
  llvm::StringMap<int64_t> dynamicSizes() const;
  /// Values of the captures of the score parts, which are scalars.
  std::vector<double> captures() const;
  int64_t sizeOf(llvm::StringRef axis) const;

  /// Whether an option of the schedule is `name`, or begins with "name=".
  bool hasOption(llvm::StringRef name) const;
  /// Whether several kernels compute the operation.
  bool isProgram() const;
  /// Whether Q, K and V are of FP8; results are of bf16 then.
  bool isFloat8() const;

  /// Whether scores are computed without rounding whatever the order of sums.
  bool hasExactProducts() const;

  /// The commands that repeat what was done with the module in `file`.
  std::string command(llvm::StringRef file) const;
  /// What `command` cannot say: values and gaps.
  std::string inputsInWords() const;
};

/// Limits of a campaign.
struct Limits {
  /// Of score modifications and scores.
  double magnitude = 3.4e38;
  /// Attention has packed sequences, or pages, wherever that is possible.
  bool packed = false, paged = false;
};

/// Makes a module of a seed.
RandomModule makeRandomModule(Mode mode, uint64_t seed, const Limits &limits);

/// Modules with one feature less, or one that is smaller; what drops most comes
/// first. Of one module always the same.
std::vector<RandomModule> simplify(const RandomModule &module);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_RANDOMMODULE_H
