//===- MatrixUnits.cpp - What multiplies tiles ----------------------------===//

#include "MatrixUnits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

#include "attn-mlir/Dialect/Attn/IR/AttnUnitInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// What units share
//===----------------------------------------------------------------------===//

SharedAttr attn::stagedAs(RankedTensorType tile, bool transposed, bool folded,
                          bool paired) {
  int64_t columns = tile.getDimSize(transposed ? 0 : 1);
  return SharedAttr::getWidest(tile.getContext(),
                               columns * (tile.getElementTypeBitWidth() / 8),
                               transposed, folded, paired);
}

SharedAttr attn::plainlyStaged(RankedTensorType tile) {
  return stagedAs(tile, /*transposed=*/false, /*folded=*/false,
                  /*paired=*/false);
}

/// The tensor memory accelerator takes as long for a row of 32 bytes as for one
/// of 128, and as long for one of 64 where rows begin in the middle of a
/// sector, so that each panel has a sector more.
SharedAttr attn::withWidePanels(SharedAttr staged, int64_t rowBytes) {
  constexpr int64_t kSector = 32, kWide = 128;
  int64_t narrow = rowBytes % kSector == 0 ? kSector : 2 * kSector;
  if (!staged.isPlain() || staged.getSpan() > narrow)
    return staged;
  return SharedAttr::get(staged.getContext(), kWide, /*transposed=*/false,
                         /*folded=*/false, /*paired=*/false);
}

static std::string whyNotElement(MatrixUnitInterface unit) {
  SmallVector<Type> types = elementsOf(unit);
  return "operands are not of " + asText(types);
}

std::string attn::whyNotSized(MatrixUnitInterface unit, RankedTensorType lhs,
                              RankedTensorType result, int64_t warps) {
  auto multipleOf = [](const char *what, int64_t size) {
    return std::string(what) + " no multiple of " + std::to_string(size);
  };
  int64_t rows = unit.getRows(), depth = std::max(unit.getDepth(), kGranule),
          columns = std::max(unit.getColumns(), kGranule);
  if (!unit.takesElement(lhs.getElementType()))
    return whyNotElement(unit);
  if (result.getDimSize(0) % (rows * warps) != 0)
    return multipleOf("rows of a warp are", rows);
  if (result.getDimSize(1) % columns != 0)
    return multipleOf("columns are", columns);
  if (lhs.getDimSize(1) % depth != 0)
    return multipleOf("the summed dimension is", depth);
  return "";
}

/// What units of warpgroups ask of one.
static std::string whyNotForWarpgroup(MatrixUnitInterface unit,
                                      RankedTensorType lhs,
                                      RankedTensorType result, int64_t warps) {
  constexpr int64_t kMostColumns = 256, kColumns = 16, kWarps = 4;
  if (!unit.takesElement(lhs.getElementType()))
    return whyNotElement(unit);
  if (result.getDimSize(0) % (kWarps * unit.getRowsPerWarp()) != 0)
    return "rows are no multiple of 64";
  if (result.getDimSize(0) != warps * unit.getRowsPerWarp())
    return "warps have other than 16 rows each";
  if (result.getDimSize(1) % kColumns != 0 ||
      result.getDimSize(1) > kMostColumns)
    return "columns are no multiple of 16 up to 256";
  return whyNotSized(unit, lhs, result, warps);
}

/// What both units of 16-bit elements of NVIDIA GPUs ask of a product with a
/// transposed left-hand side.
static std::string whyNotSplit(MatrixUnitInterface unit, RankedTensorType lhs,
                               RankedTensorType result, int64_t warps) {
  int64_t rows = result.getDimSize(0), columns = result.getDimSize(1);
  if (!unit.takesElement(lhs.getElementType()))
    return whyNotElement(unit);
  if (rows % kGranule != 0 || lhs.getDimSize(0) % kGranule != 0)
    return "rows are no multiple of 16";
  WarpGrid grid = warpGrid(rows, warps);
  if (grid.down * grid.across != warps || rows % (kGranule * grid.down) != 0 ||
      columns % (kGranule * grid.across) != 0)
    return "warps do not have 16 rows and columns, or multiples, each";
  return "";
}

//===----------------------------------------------------------------------===//
// MmaSyncAttr
//===----------------------------------------------------------------------===//

StringRef MmaSyncAttr::getCapability() const { return "mma.sync"; }
MatrixIssuer MmaSyncAttr::getIssuer() const { return MatrixIssuer::Warp; }
int64_t MmaSyncAttr::getLanes() const { return 32; }
int64_t MmaSyncAttr::getRows() const { return 16; }
int64_t MmaSyncAttr::getColumns() const { return 8; }
int64_t MmaSyncAttr::getDepth() const { return 16; }
/// Of 255.
int64_t MmaSyncAttr::getMostHeld() const { return 208; }

FragmentAttr MmaSyncAttr::getAccumulator(int64_t rows, int64_t columns,
                                         int64_t warps) const {
  return mmaAccumulator(getContext(), rows, columns, warps);
}

FragmentAttr MmaSyncAttr::getLhs(int64_t rows, int64_t columns,
                                 int64_t warps) const {
  return mmaLhs(getContext(), rows, columns, warps);
}

std::string MmaSyncAttr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                      RankedTensorType result,
                                      int64_t warps) const {
  return whyNotSized(*this, lhs, result, warps);
}

std::string MmaSyncAttr::whyNotTransposed(RankedTensorType lhs,
                                          RankedTensorType,
                                          RankedTensorType result,
                                          int64_t warps) const {
  return whyNotSplit(*this, lhs, result, warps);
}

//===----------------------------------------------------------------------===//
// MmaSync8Attr
//===----------------------------------------------------------------------===//

StringRef MmaSync8Attr::getCapability() const { return "mma.sync.f8"; }
MatrixIssuer MmaSync8Attr::getIssuer() const { return MatrixIssuer::Warp; }
int64_t MmaSync8Attr::getLanes() const { return 32; }
int64_t MmaSync8Attr::getRows() const { return 16; }
int64_t MmaSync8Attr::getColumns() const { return 8; }
int64_t MmaSync8Attr::getDepth() const { return 32; }
int64_t MmaSync8Attr::getMostHeld() const { return 208; }
bool MmaSync8Attr::takesElement(Type type) const {
  return isNvidiaFloat8(type);
}
bool MmaSync8Attr::sumsAlongRows() const { return true; }

FragmentAttr MmaSync8Attr::getAccumulator(int64_t rows, int64_t columns,
                                          int64_t warps) const {
  return mmaAccumulator(getContext(), rows, columns, warps);
}

FragmentAttr MmaSync8Attr::getLhs(int64_t rows, int64_t columns,
                                  int64_t warps) const {
  return mmaLhs8(getContext(), rows, columns, warps);
}

std::string MmaSync8Attr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                       RankedTensorType result,
                                       int64_t warps) const {
  return whyNotSized(*this, lhs, result, warps);
}

//===----------------------------------------------------------------------===//
// MmaSyncMxAttr
//===----------------------------------------------------------------------===//

/// The unit whose products these are, with scales of 1.
static MmaSync8Attr unscaled(MmaSyncMxAttr unit) {
  return MmaSync8Attr::get(unit.getContext());
}

StringRef MmaSyncMxAttr::getCapability() const { return "mma.sync.mx"; }
MatrixIssuer MmaSyncMxAttr::getIssuer() const {
  return unscaled(*this).getIssuer();
}
int64_t MmaSyncMxAttr::getLanes() const { return unscaled(*this).getLanes(); }
int64_t MmaSyncMxAttr::getRows() const { return unscaled(*this).getRows(); }
int64_t MmaSyncMxAttr::getColumns() const {
  return unscaled(*this).getColumns();
}
int64_t MmaSyncMxAttr::getDepth() const { return unscaled(*this).getDepth(); }
int64_t MmaSyncMxAttr::getMostHeld() const {
  return unscaled(*this).getMostHeld();
}
bool MmaSyncMxAttr::takesElement(Type type) const {
  return unscaled(*this).takesElement(type);
}
bool MmaSyncMxAttr::sumsAlongRows() const {
  return unscaled(*this).sumsAlongRows();
}

FragmentAttr MmaSyncMxAttr::getAccumulator(int64_t rows, int64_t columns,
                                           int64_t warps) const {
  return unscaled(*this).getAccumulator(rows, columns, warps);
}

FragmentAttr MmaSyncMxAttr::getLhs(int64_t rows, int64_t columns,
                                   int64_t warps) const {
  return unscaled(*this).getLhs(rows, columns, warps);
}

std::string MmaSyncMxAttr::whyNotShaped(RankedTensorType lhs,
                                        RankedTensorType rhs,
                                        RankedTensorType result,
                                        int64_t warps) const {
  return unscaled(*this).whyNotShaped(lhs, rhs, result, warps);
}

//===----------------------------------------------------------------------===//
// MmaSyncWideningAttr
//===----------------------------------------------------------------------===//

/// That of what converts, which multiplies FP8, too.
StringRef MmaSyncWideningAttr::getCapability() const { return "mma.sync.f8"; }
MatrixIssuer MmaSyncWideningAttr::getIssuer() const {
  return MatrixIssuer::Warp;
}
int64_t MmaSyncWideningAttr::getLanes() const { return 32; }
int64_t MmaSyncWideningAttr::getRows() const { return 16; }
int64_t MmaSyncWideningAttr::getColumns() const { return 16; }
int64_t MmaSyncWideningAttr::getDepth() const { return 16; }
int64_t MmaSyncWideningAttr::getMostHeld() const { return 208; }
bool MmaSyncWideningAttr::takesElements(Type lhs, Type rhs) const {
  return takesElement(lhs) && isNvidiaFloat8(rhs);
}

FragmentAttr MmaSyncWideningAttr::getAccumulator(int64_t rows, int64_t columns,
                                                 int64_t warps) const {
  return mmaWidening(getContext(), rows, columns, warps);
}

FragmentAttr MmaSyncWideningAttr::getLhs(int64_t rows, int64_t columns,
                                         int64_t warps) const {
  return mmaWidening(getContext(), rows, columns, warps);
}

/// Four matrices of 8 x 16 bytes are fetched at once.
std::string MmaSyncWideningAttr::whyNotShaped(RankedTensorType lhs,
                                              RankedTensorType rhs,
                                              RankedTensorType result,
                                              int64_t warps) const {
  if (rhs.getDimSize(1) % (2 * kGranule) != 0)
    return "rows of the right-hand side are no multiple of 32 elements";
  return whyNotSized(*this, lhs, result, warps);
}

//===----------------------------------------------------------------------===//
// Wgmma8Attr
//===----------------------------------------------------------------------===//

StringRef Wgmma8Attr::getCapability() const { return "wgmma"; }
MatrixIssuer Wgmma8Attr::getIssuer() const { return MatrixIssuer::Warpgroup; }
int64_t Wgmma8Attr::getLanes() const { return 32; }
int64_t Wgmma8Attr::getRows() const { return 16; }
int64_t Wgmma8Attr::getColumns() const { return 8; }
int64_t Wgmma8Attr::getDepth() const { return 32; }
int64_t Wgmma8Attr::getRowsPerWarp() const { return 16; }
int64_t Wgmma8Attr::getMostHeld() const { return 208; }
Completion Wgmma8Attr::getCompletion() const { return Completion::Groups; }
bool Wgmma8Attr::takesElement(Type type) const { return isNvidiaFloat8(type); }
bool Wgmma8Attr::sumsAlongRows() const { return true; }

FragmentAttr Wgmma8Attr::getAccumulator(int64_t rows, int64_t columns,
                                        int64_t warps) const {
  return mmaAccumulator(getContext(), rows, columns, warps);
}

FragmentAttr Wgmma8Attr::getLhs(int64_t rows, int64_t columns,
                                int64_t warps) const {
  return mmaLhs8(getContext(), rows, columns, warps);
}

std::string Wgmma8Attr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                     RankedTensorType result,
                                     int64_t warps) const {
  return whyNotForWarpgroup(*this, lhs, result, warps);
}

//===----------------------------------------------------------------------===//
// WgmmaAttr
//===----------------------------------------------------------------------===//

StringRef WgmmaAttr::getCapability() const { return "wgmma"; }
MatrixIssuer WgmmaAttr::getIssuer() const { return MatrixIssuer::Warpgroup; }
int64_t WgmmaAttr::getLanes() const { return 32; }
int64_t WgmmaAttr::getRows() const { return 16; }
int64_t WgmmaAttr::getColumns() const { return 8; }
int64_t WgmmaAttr::getDepth() const { return 16; }
int64_t WgmmaAttr::getRowsPerWarp() const { return 16; }
int64_t WgmmaAttr::getMostHeld() const { return 208; }
Completion WgmmaAttr::getCompletion() const { return Completion::Groups; }

FragmentAttr WgmmaAttr::getAccumulator(int64_t rows, int64_t columns,
                                       int64_t warps) const {
  return mmaAccumulator(getContext(), rows, columns, warps);
}

FragmentAttr WgmmaAttr::getLhs(int64_t rows, int64_t columns,
                               int64_t warps) const {
  return mmaLhs(getContext(), rows, columns, warps);
}

std::string WgmmaAttr::whyNotShaped(RankedTensorType lhs, RankedTensorType,
                                    RankedTensorType result,
                                    int64_t warps) const {
  return whyNotForWarpgroup(*this, lhs, result, warps);
}

/// Whether the columns of each of `groups` lie in the panels of a right-hand
/// side as those of a whole tile do: from the first of a panel on, or within
/// one (PTX ISA, "Strides"; a swizzle begins anew with each panel).
static bool sharesPanels(RankedTensorType rhs, int64_t columns,
                         int64_t groups) {
  int64_t bytes = rhs.getElementTypeBitWidth() / 8, own = columns / groups;
  int64_t span =
      SharedAttr::getWidest(rhs.getContext(), columns * bytes).getSpan();
  for (int64_t group = 0; group < groups; ++group) {
    int64_t inPanel = group * own * bytes % span;
    if (inPanel != 0 && inPanel + own * bytes > span)
      return false;
  }
  return true;
}

std::string WgmmaAttr::whyNotTransposed(RankedTensorType lhs,
                                        RankedTensorType rhs,
                                        RankedTensorType result,
                                        int64_t warps) const {
  constexpr int64_t kMostColumns = 256, kWarps = 4;
  std::string reason = whyNotSplit(*this, lhs, result, warps);
  if (!reason.empty())
    return reason;
  int64_t rows = result.getDimSize(0);
  WarpGrid grid = warpGrid(rows, warps);
  if (rows % (kWarps * getRowsPerWarp()) != 0)
    return "rows are no multiple of 64";
  if (rows != grid.down * getRowsPerWarp())
    return "warps have other than 16 rows each";
  if (result.getDimSize(1) / grid.across > kMostColumns)
    return "columns of a warp are more than 256";
  if (!sharesPanels(rhs, result.getDimSize(1), grid.across))
    return "columns of a warpgroup begin within a panel and end in another";
  return "";
}

//===----------------------------------------------------------------------===//
// The units of a target
//===----------------------------------------------------------------------===//

/// All units that products have unasked, the fastest of a target before its
/// others.
static SmallVector<MatrixUnitInterface> allUnits(MLIRContext *context) {
  SmallVector<MatrixUnitInterface> units{WgmmaAttr::get(context),
                                         Wgmma8Attr::get(context)};
  for (bool fnuz : {true, false})
    for (int64_t size : {32, 16})
      units.push_back(Mfma8Attr::get(context, size, fnuz));
  units.append({MfmaAttr::get(context, 32, 16), MfmaAttr::get(context, 16, 32),
                MfmaAttr::get(context, 32, 8), MfmaAttr::get(context, 16, 16),
                MmaSync8Attr::get(context), MmaSyncWideningAttr::get(context),
                MmaSyncAttr::get(context)});
  return units;
}

/// What operands of products may be of, for units of any target.
static SmallVector<Type> elementTypes(MLIRContext *context) {
  return {Float16Type::get(context), BFloat16Type::get(context),
          Float8E4M3FNType::get(context), Float8E5M2Type::get(context),
          Float8E4M3FNUZType::get(context)};
}

SmallVector<Type> attn::elementsOf(MatrixUnitInterface unit) {
  return llvm::filter_to_vector(
      elementTypes(unit.getContext()),
      [&](Type type) { return unit.takesElement(type); });
}

SmallVector<Type> attn::elementsOf(TargetAttr target) {
  SmallVector<MatrixUnitInterface> units = unitsOf(target);
  return llvm::filter_to_vector(
      elementTypes(target.getContext()), [&](Type type) {
        return llvm::any_of(units, [&](MatrixUnitInterface unit) {
          return unit.takesElement(type);
        });
      });
}

std::string attn::asText(ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, type] : llvm::enumerate(types))
    os << (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") << type;
  return text;
}

SmallVector<MatrixUnitInterface> attn::unitsOf(TargetAttr target) {
  SmallVector<MatrixUnitInterface> units = allUnits(target.getContext());
  llvm::erase_if(units, [&](MatrixUnitInterface unit) {
    return !target.hasCapability(unit.getCapability());
  });
  return units;
}

bool attn::hasAsynchronousUnit(TargetAttr target) {
  return llvm::any_of(unitsOf(target), [](MatrixUnitInterface unit) {
    return unit.getCompletion() != Completion::Sequential;
  });
}

MatrixUnitInterface attn::usualUnit(TargetAttr target) {
  SmallVector<MatrixUnitInterface> units = unitsOf(target);
  return units.empty() ? MmaSyncAttr::get(target.getContext()) : units.back();
}

ParseResult attn::parseUnit(OpAsmParser &parser, MatrixUnitInterface &unit) {
  Attribute attribute;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAttribute(attribute))
    return failure();
  unit = dyn_cast<MatrixUnitInterface>(attribute);
  if (unit)
    return success();
  return parser.emitError(loc, "expected a matrix unit, as #attn.mma_sync is, "
                               "but got ")
         << attribute;
}

void attn::printUnit(OpAsmPrinter &printer, Operation *,
                     MatrixUnitInterface unit) {
  printer << unit;
}

MatrixUnitInterface attn::unitOf(DotOp dot) {
  if (std::optional<MatrixUnitInterface> unit = dot.getUnit())
    return *unit;
  // Of those that take the operands, the one of the smallest tiles.
  Type lhs = getElementTypeOrSelf(dot.getLhs().getType()),
       rhs = getElementTypeOrSelf(dot.getRhs().getType());
  TargetAttr target = TargetAttr::of(dot);
  SmallVector<MatrixUnitInterface> units = unitsOf(target);
  for (MatrixUnitInterface unit : llvm::reverse(units))
    if (unit.takesElements(lhs, rhs))
      return unit;
  return usualUnit(target);
}

std::string attn::whyNotLaidOut(MatrixUnitInterface unit, RankedTensorType lhs,
                                RankedTensorType rhs, RankedTensorType result,
                                int64_t warps, bool transposeLhs) {
  const char *noAccumulator =
      "the result is not in the layout of an accumulator";
  if (!isa_and_nonnull<FragmentAttr>(result.getEncoding()))
    return noAccumulator;
  std::string reason = transposeLhs
                           ? unit.whyNotTransposed(lhs, rhs, result, warps)
                           : unit.whyNotShaped(lhs, rhs, result, warps);
  if (!reason.empty())
    return reason;
  int64_t rows = result.getDimSize(0);
  if (result.getEncoding() !=
      unit.getAccumulator(rows, result.getDimSize(1), warps))
    return noAccumulator;
  if (!isa_and_nonnull<SharedAttr>(rhs.getEncoding()))
    return "the right-hand side is not in shared memory";
  if (transposeLhs)
    return isa_and_nonnull<SharedAttr>(lhs.getEncoding())
               ? ""
               : "the left-hand side is not in shared memory";
  if (!isa_and_nonnull<SharedAttr>(lhs.getEncoding()) &&
      lhs.getEncoding() != unit.getLhs(rows, lhs.getDimSize(1), warps))
    return "the left-hand side is neither in shared memory nor in the "
           "registers of an A operand";
  return "";
}

int64_t attn::tileGranule(TargetAttr target) {
  return unitsOf(target).empty() ? 1 : kGranule;
}

int64_t attn::lanesOf(TargetAttr target) {
  return usualUnit(target).getLanes();
}

int64_t attn::mostWarps(TargetAttr target) {
  constexpr int64_t kMostThreads = 1024;
  return kMostThreads / lanesOf(target);
}
