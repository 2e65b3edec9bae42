//===- PartWords.h - What parts of a stream have in a word ------*- C++ -*-===//
//
// Each part has two bits of a word that it shares with others. The low one says
// that its CTA has begun, and is not done. Together they are, when it is done,
// others than when it began:
//
//     held    begun    done
//       0       1        2
//       1       1        2
//       2       3        0
//       3       3        0
//
// So what the word holds at first does not matter. All changes are atomic
// operations on the one word, which have an order; `held` is what one found.
//
// A CTA that is done looks at the others. One that has begun will be done
// later, and look then: it can leave the merge to that. Of those that seem to
// be done it is known that they are if their bits are others than they were
// when the CTA itself began; of the rest, that was in this launch or in one
// before. If it is known of all, the CTA is the last and merges. If not, it
// merges as well, and stores results, behind which it changes a bit that no
// part has, and thus sees whether any part was done since: that one has not
// seen its stores, perhaps, and so it merges once more. (One that is done later
// than that sees them, and stores over them.)
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_CONVERSION_PARTWORDS_H
#define ATTN_MLIR_LIB_CONVERSION_PARTWORDS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace attn {

/// Arithmetic of one part of a word, where `b` stands.
class PartWord {
public:
  /// `part` is an index.
  PartWord(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part,
           int64_t parts);

  /// The bit that says that the part has begun.
  mlir::Value begins() const { return low; }
  /// What attn.begin_part gives, of what the word held.
  mlir::Value begunFrom(mlir::Value held) const;

  /// Whether attn.end_part need not look: nobody is to come.
  mlir::Value isSettled(mlir::Value before) const;
  /// The bits that it changes.
  mlir::Value changes(mlir::Value before) const;
  /// What it gives, of what the word held: `seen`, with `again`.
  mlir::Value seenFrom(mlir::Value before, mlir::Value held) const;
  /// `again`, of `seen`.
  static mlir::Value againOf(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value seen);
  /// `seen` of one that need not look.
  static mlir::Value nothing(mlir::OpBuilder &b, mlir::Location loc);

private:
  mlir::Value constant(uint64_t value) const;
  mlir::Value isFirst(mlir::Value before) const;
  mlir::Value any(mlir::Value bits) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value low, others;
};

/// What attn.end_part gives as `seen`: `change` changes bits of the word at
/// once, and gives what it held. It is not asked where nobody is to come.
mlir::Value
lookAtParts(mlir::OpBuilder &b, mlir::Location loc, mlir::Value before,
            mlir::Value part, int64_t parts,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value bits)>
                change);

/// Makes loops around attn.end_part of each attn.last_part in `root`.
void lowerLastParts(mlir::Operation *root);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_PARTWORDS_H
