//===- ViewAccess.h - Accesses to views as accesses to memrefs --*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_VIEWACCESS_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_VIEWACCESS_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace attn {

/// The function that a trace calls for each access: with the CTA, the kind, the
/// number of the view, so many offsets, and the bytes that exist.
constexpr llvm::StringLiteral kTouch = "attn_touch";
constexpr unsigned kTouchOffsets = 5;

/// Patterns for loads and stores of tiles, and for elements, counters and sizes
/// of views, which `converter` makes memrefs. Outside of a view there are
/// zeros, and nothing is written.
void populateViewAccessPatterns(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Patterns for words that parts of a stream share.
void populatePartPatternsForCPU(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_VIEWACCESS_H
