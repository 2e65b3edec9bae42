//===- MfmaUnits.cpp - Matrix units of AMD GPUs ---------------------------===//

#include "MatrixUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// What both share
//===----------------------------------------------------------------------===//

/// Of 512, accumulators included.
static constexpr int64_t kMostHeld = 320;
static constexpr int64_t kLanes = 64;

template <typename Unit>
static FragmentAttr tileOf(Unit unit, int64_t rows, int64_t columns,
                           int64_t warps) {
  return mfmaTile(unit.getContext(), static_cast<MfmaBlock>(unit.getSize()),
                  rows, columns, warps);
}

/// Rows x columns x depth of an instruction, of which it has as many rows as
/// columns.
static FailureOr<std::array<int64_t, 3>> parseSizes(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  if (sizes.size() != 3 || sizes[0] != sizes[1])
    return parser.emitError(loc, "expected rows x columns x depth with as many "
                                 "rows as columns"),
           failure();
  return std::array<int64_t, 3>{sizes[0], sizes[1], sizes[2]};
}

//===----------------------------------------------------------------------===//
// MfmaAttr
//===----------------------------------------------------------------------===//

StringRef MfmaAttr::getCapability() const {
  return isDeep() ? "mfma-deep" : "mfma";
}
MatrixIssuer MfmaAttr::getIssuer() const { return MatrixIssuer::Warp; }
int64_t MfmaAttr::getLanes() const { return kLanes; }
int64_t MfmaAttr::getRows() const { return getSize(); }
int64_t MfmaAttr::getColumns() const { return getSize(); }
int64_t MfmaAttr::getMostHeld() const { return kMostHeld; }

FragmentAttr MfmaAttr::getAccumulator(int64_t rows, int64_t columns,
                                      int64_t warps) const {
  return tileOf(*this, rows, columns, warps);
}

FragmentAttr MfmaAttr::getLhs(int64_t rows, int64_t columns,
                              int64_t warps) const {
  return tileOf(*this, rows, columns, warps);
}

SharedAttr MfmaAttr::getStaged(TargetAttr target, RankedTensorType tile,
                               bool summedOverRows) const {
  bool paired = target.hasCapability(kLdsBanks64);
  return stagedAs(tile, summedOverRows && !target.hasCapability(kLdsTranspose),
                  /*folded=*/!paired, paired);
}

std::string MfmaAttr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                   RankedTensorType result,
                                   int64_t warps) const {
  return whyNotSized(*this, lhs, result, warps);
}

Attribute MfmaAttr::parse(AsmParser &parser, Type) {
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc))
    return {};
  auto sizes = parseSizes(parser);
  if (failed(sizes) || parser.parseGreater())
    return {};
  auto [rows, columns, depth] = *sizes;
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    rows, depth);
}

void MfmaAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSize() << "x" << getSize() << "x" << getDepth() << ">";
}

LogicalResult MfmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t size, int64_t depth) {
  if ((size == 32 && (depth == 8 || depth == 16)) ||
      (size == 16 && (depth == 16 || depth == 32)))
    return success();
  return emitError() << "expected 32x32x8, 32x32x16, 16x16x16 or 16x16x32, but "
                        "got "
                     << size << "x" << size << "x" << depth;
}

//===----------------------------------------------------------------------===//
// Mfma8Attr
//===----------------------------------------------------------------------===//

StringRef Mfma8Attr::getCapability() const {
  return getFnuz() ? "fp8-fnuz" : "fp8-ocp";
}
MatrixIssuer Mfma8Attr::getIssuer() const { return MatrixIssuer::Warp; }
int64_t Mfma8Attr::getLanes() const { return kLanes; }
int64_t Mfma8Attr::getRows() const { return getSize(); }
/// Of 16 columns a lane would have four, of an operand eight.
int64_t Mfma8Attr::getColumns() const { return 2 * kGranule; }
int64_t Mfma8Attr::getDepth() const { return 512 / getSize(); }
int64_t Mfma8Attr::getMostHeld() const { return kMostHeld; }
bool Mfma8Attr::takesElement(Type type) const {
  return getFnuz() ? isa<Float8E4M3FNUZType>(type)
                   : isa<Float8E4M3FNType, Float8E5M2Type>(type);
}
bool Mfma8Attr::takesInterleaved() const { return false; }

FragmentAttr Mfma8Attr::getAccumulator(int64_t rows, int64_t columns,
                                       int64_t warps) const {
  return tileOf(*this, rows, columns, warps);
}

FragmentAttr Mfma8Attr::getLhs(int64_t rows, int64_t columns,
                               int64_t warps) const {
  return tileOf(*this, rows, columns, warps);
}

/// What is summed over are neighbours, on gfx950, too.
SharedAttr Mfma8Attr::getStaged(TargetAttr target, RankedTensorType tile,
                                bool summedOverRows) const {
  bool paired = target.hasCapability(kLdsBanks64);
  return stagedAs(tile, summedOverRows, /*folded=*/!paired, paired);
}

std::string Mfma8Attr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                    RankedTensorType result,
                                    int64_t warps) const {
  return whyNotSized(*this, lhs, result, warps);
}

Attribute Mfma8Attr::parse(AsmParser &parser, Type) {
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc))
    return {};
  auto sizes = parseSizes(parser);
  if (failed(sizes))
    return {};
  bool fnuz = succeeded(parser.parseOptionalComma());
  if ((fnuz && parser.parseKeyword("fnuz")) || parser.parseGreater())
    return {};
  auto [rows, columns, depth] = *sizes;
  if (rows * depth != 512)
    return parser.emitError(loc, "expected 32x32x16 or 16x16x32, but got ")
               << rows << "x" << columns << "x" << depth,
           Attribute();
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    rows, fnuz);
}

void Mfma8Attr::print(AsmPrinter &printer) const {
  printer << "<" << getSize() << "x" << getSize() << "x" << getDepth()
          << (getFnuz() ? ", fnuz" : "") << ">";
}

LogicalResult Mfma8Attr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t size, bool) {
  if (size == 32 || size == 16)
    return success();
  return emitError() << "expected 32x32x16 or 16x16x32, but got " << size
                     << " rows";
}
