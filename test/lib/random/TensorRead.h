//===- TensorRead.h - A captured tensor that a region reads -----*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_TENSORREAD_H
#define ATTN_MLIR_TEST_LIB_TENSORREAD_H

#include "Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <string>

namespace attn_random {

/// An element for each batch, head, query and key, or one for all of those that
/// it is not by: added to the score, or a key is seen where it is large enough.
struct TensorRead {
  static constexpr unsigned kRank = 4;

  std::array<bool, kRank> by = {};
  std::string element = "f32";
  bool masks = false;
  /// The least element by which a key is seen.
  float least = 0;

  /// Of sizes of the four, which are numbers or "?".
  std::string type(llvm::ArrayRef<std::string> sizes) const;
  /// Prints operations from a score, or the i1 of whether a key is seen, to the
  /// value that is returned. `tensor` is of `type`; `prefix` makes names
  /// unique.
  std::string print(llvm::raw_ostream &os, const std::string &prefix,
                    const std::string &in, const std::string &tensor,
                    const std::string &type) const;
};

TensorRead makeTensorRead(Random &random);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_TENSORREAD_H
