//===- ManifestParts.h - What the parsers of a manifest share --*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_MANIFESTPARTS_H
#define ATTN_LIB_LAUNCHER_MANIFESTPARTS_H

#include "Cursor.h"
#include "Manifest.h"

namespace attn {

/// Of a scalar, or of the elements of a view.
AttnType parseType(const Cursor &at, bool scalar);

std::string parseDigest(const Cursor &at);

/// Over the sizes and strides of `views`.
Expression parseExpression(const Cursor &at,
                           const std::vector<ViewSpec> &views);

/// A variant of the program that `manifest` holds.
VariantSpec parseVariant(const Cursor &at, Manifest &manifest);

/// One of its steps.
StepSpec parseStep(const Cursor &at, Manifest &manifest,
                   const VariantSpec &variant);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_MANIFESTPARTS_H
