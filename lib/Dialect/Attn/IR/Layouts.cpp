//===- Layouts.cpp - Layouts of tiles in registers and shared memory ------===//

#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// FragmentAttr
//===----------------------------------------------------------------------===//

namespace {
/// Bound of threads and registers: what a CTA can have at most.
constexpr int64_t kMaxPlaces = 1 << 16;

using Modes = SmallVector<FragmentAttr::Mode>;

Modes split(ArrayRef<int64_t> flat, unsigned rank) {
  Modes modes;
  for (; !flat.empty(); flat = flat.drop_front(rank + 1))
    modes.push_back({flat.front(), flat.slice(1, rank)});
  return modes;
}

int64_t product(ArrayRef<int64_t> flat, unsigned rank) {
  int64_t result = 1;
  for (const FragmentAttr::Mode &mode : split(flat, rank))
    result *= mode.size;
  return result;
}

SmallVector<int64_t> offsetOf(ArrayRef<int64_t> flat, unsigned rank,
                              int64_t number) {
  SmallVector<int64_t> offset(rank, 0);
  for (const FragmentAttr::Mode &mode : split(flat, rank)) {
    int64_t digit = number % mode.size;
    number /= mode.size;
    for (unsigned d = 0; d < rank; ++d)
      offset[d] += digit * mode.strides[d];
  }
  return offset;
}

/// Drops modes of size 1 and joins neighbours that count as one.
SmallVector<int64_t> normalize(ArrayRef<int64_t> flat, unsigned rank) {
  SmallVector<int64_t> result;
  for (const FragmentAttr::Mode &mode : split(flat, rank)) {
    if (mode.size == 1)
      continue;
    if (!result.empty()) {
      auto last = MutableArrayRef(result).take_back(rank + 1);
      bool joins = true;
      for (unsigned d = 0; d < rank; ++d)
        joins &= mode.strides[d] == last[0] * last[1 + d];
      if (joins) {
        last[0] *= mode.size;
        continue;
      }
    }
    result.push_back(mode.size);
    llvm::append_range(result, mode.strides);
  }
  return result;
}

ParseResult parseModes(AsmParser &parser, StringRef keyword,
                       std::optional<unsigned> &rank,
                       SmallVectorImpl<int64_t> &flat) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SmallVector<int64_t> strides;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseInteger(flat.emplace_back()) || parser.parseColon() ||
            parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() {
              return parser.parseInteger(strides.emplace_back());
            }))
          return failure();
        if (rank && *rank != strides.size())
          return parser.emitError(loc, "expected ")
                 << *rank << " strides, as the modes before, but got "
                 << strides.size();
        rank = strides.size();
        llvm::append_range(flat, strides);
        return success();
      });
}

void printModes(AsmPrinter &printer, const Modes &modes) {
  printer << "[";
  llvm::interleaveComma(modes, printer, [&](const FragmentAttr::Mode &mode) {
    printer << mode.size << ":(";
    llvm::interleaveComma(mode.strides, printer);
    printer << ")";
  });
  printer << "]";
}
} // namespace

Attribute FragmentAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> threads, registers;
  std::optional<unsigned> rank;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseModes(parser, "threads", rank, threads) ||
      parser.parseComma() || parseModes(parser, "registers", rank, registers))
    return {};
  if (!rank && succeeded(parser.parseOptionalComma())) {
    unsigned given;
    if (parser.parseKeyword("rank") || parser.parseInteger(given))
      return {};
    rank = given;
  }
  if (parser.parseGreater())
    return {};
  if (failed(verify([&]() { return parser.emitError(loc); }, rank.value_or(1),
                    threads, registers)))
    return {};
  return get(parser.getContext(), rank.value_or(1), threads, registers);
}

void FragmentAttr::print(AsmPrinter &printer) const {
  printer << "<threads ";
  printModes(printer, getThreadModes());
  printer << ", registers ";
  printModes(printer, getRegisterModes());
  // Without a mode nothing else tells.
  if (getThreads().empty() && getRegisters().empty() && getRank() != 1)
    printer << ", rank " << getRank();
  printer << ">";
}

LogicalResult FragmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   unsigned rank, ArrayRef<int64_t> threads,
                                   ArrayRef<int64_t> registers) {
  if (rank < 1 || rank > 2)
    return emitError() << "expected modes with 1 or 2 strides, but got "
                       << rank;
  for (ArrayRef<int64_t> flat : {threads, registers}) {
    int64_t places = 1;
    for (const Mode &mode : split(flat, rank)) {
      if (mode.size < 1 || mode.size > kMaxPlaces)
        return emitError() << "expected modes of size 1 to " << kMaxPlaces
                           << ", but got " << mode.size;
      places *= mode.size;
      if (places > kMaxPlaces)
        return emitError() << "expected at most " << kMaxPlaces
                           << " threads and registers";
      for (int64_t stride : mode.strides)
        if (stride < 0 || stride > kMaxPlaces)
          return emitError() << "expected strides of 0 to " << kMaxPlaces
                             << ", but got " << stride;
    }
    if (normalize(flat, rank) != flat)
      return emitError()
             << "expected the normal form: no mode of size 1, and none "
                "that continues the one before it";
  }
  return success();
}

FragmentAttr FragmentAttr::getNormal(MLIRContext *context, unsigned rank,
                                     ArrayRef<int64_t> threads,
                                     ArrayRef<int64_t> registers) {
  return get(context, rank, normalize(threads, rank),
             normalize(registers, rank));
}

Modes FragmentAttr::getThreadModes() const {
  return split(getThreads(), getRank());
}
Modes FragmentAttr::getRegisterModes() const {
  return split(getRegisters(), getRank());
}
int64_t FragmentAttr::getNumThreads() const {
  return product(getThreads(), getRank());
}
int64_t FragmentAttr::getNumRegisters() const {
  return product(getRegisters(), getRank());
}
SmallVector<int64_t> FragmentAttr::getRegisterOffset(int64_t r) const {
  return offsetOf(getRegisters(), getRank(), r);
}
SmallVector<int64_t> FragmentAttr::getThreadOffset(int64_t t) const {
  return offsetOf(getThreads(), getRank(), t);
}

FragmentAttr FragmentAttr::getRowSlice() const {
  SmallVector<int64_t> threads, registers;
  for (const Mode &mode : getThreadModes())
    threads.append({mode.size, mode.strides[0]});
  // Registers of one row hold one value.
  for (const Mode &mode : getRegisterModes())
    if (mode.strides[0] != 0)
      registers.append({mode.size, mode.strides[0]});
  return getNormal(getContext(), 1, threads, registers);
}

FragmentAttr FragmentAttr::getColumnSlice() const {
  SmallVector<int64_t> threads, registers;
  for (const Mode &mode : getThreadModes())
    threads.append({mode.size, 0, mode.strides[1]});
  for (const Mode &mode : getRegisterModes())
    if (mode.strides[1] != 0)
      registers.append({mode.size, 0, mode.strides[1]});
  return getNormal(getContext(), 2, threads, registers);
}

/// Whether the threads of a mode hold different elements of one row.
static bool sharesRow(const FragmentAttr::Mode &mode) {
  return mode.strides[0] == 0 && mode.strides.size() == 2 &&
         mode.strides[1] != 0;
}

int64_t FragmentAttr::getThreadsPerRow() const {
  int64_t count = 1;
  for (const Mode &mode : getThreadModes())
    if (sharesRow(mode))
      count *= mode.size;
  return count;
}

FragmentAttr FragmentAttr::getThreadSlice() const {
  SmallVector<int64_t> threads, registers;
  int64_t column = 1;
  for (const Mode &mode : getThreadModes()) {
    bool shares = sharesRow(mode);
    threads.append({mode.size, mode.strides[0], shares ? column : 0});
    column *= shares ? mode.size : 1;
  }
  for (const Mode &mode : getRegisterModes())
    if (mode.strides[0] != 0)
      registers.append({mode.size, mode.strides[0], 0});
  return getNormal(getContext(), 2, threads, registers);
}

/// Modules name layouts by what lies in them: lines of level 3 would be four
/// times as long with each layout written out.
OpAsmAliasResult FragmentAttr::getAlias(raw_ostream &os) const {
  if (getRank() == 1)
    os << "rows";
  else
    os << (*this == getThreadSlice() ? "parts" : "acc");
  return OpAsmAliasResult::OverridableAlias;
}

/// Every element has one owner, up to copies in threads.
LogicalResult FragmentAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getRank())
    return emitError() << "expected a tile of rank " << getRank() << " for "
                       << *this << ", but got rank " << shape.size();
  int64_t elements = 1, copies = 1;
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(elements, size, elements))
      return emitError()
             << "expected static sizes of at most 2^63 - 1 elements "
                "for "
             << *this;
  for (const Mode &mode : getThreadModes())
    if (llvm::all_equal(mode.strides) && mode.strides[0] == 0)
      copies *= mode.size;
  int64_t places = getNumThreads() * getNumRegisters();
  if (places % copies != 0 || places / copies != elements)
    return emitError() << "layout " << *this << " has " << places / copies
                       << " places for " << elements << " elements";
  SmallVector<int32_t> owners(elements, 0);
  for (int64_t t = 0; t < getNumThreads(); ++t) {
    SmallVector<int64_t> base = getThreadOffset(t);
    for (int64_t r = 0; r < getNumRegisters(); ++r) {
      SmallVector<int64_t> offset = getRegisterOffset(r);
      int64_t index = 0;
      for (auto [size, x, y] : llvm::zip(shape, base, offset)) {
        if (x + y >= size)
          return emitError() << "layout " << *this << " leaves the tile in "
                             << "register " << r << " of thread " << t;
        index = index * size + x + y;
      }
      if (++owners[index] > copies)
        return emitError() << "layout " << *this << " has two places for an "
                           << "element, one of which is register " << r
                           << " of thread " << t;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SharedAttr
//===----------------------------------------------------------------------===//

/// Bytes of the narrowest panel.
static constexpr int64_t kPanelUnit = 32;

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t span, bool, bool folded, bool paired) {
  if (span != 32 && span != 64 && span != 128)
    return emitError() << "expected a span of 32, 64 or 128 bytes, but got "
                       << span;
  if (folded && paired)
    return emitError() << "expected 'folded' or 'paired', but got both";
  return success();
}

Attribute SharedAttr::parse(AsmParser &parser, Type) {
  int64_t span;
  bool transposed = false, folded = false, paired = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(span))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    bool *flag = llvm::StringSwitch<bool *>(word)
                     .Case("transposed", &transposed)
                     .Case("folded", &folded)
                     .Case("paired", &paired)
                     .Default(nullptr);
    if (!flag || *flag) {
      parser.emitError(at, "expected 'transposed', 'folded' or 'paired', once "
                           "each, but got '")
          << word << "'";
      return {};
    }
    *flag = true;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&]() { return parser.emitError(loc); },
                    parser.getContext(), span, transposed, folded, paired);
}

void SharedAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSpan() << (getTransposed() ? ", transposed" : "")
          << (getFolded() ? ", folded" : "") << (getPaired() ? ", paired" : "")
          << ">";
}

SharedAttr SharedAttr::getWidest(MLIRContext *context, int64_t rowBytes,
                                 bool transposed, bool folded, bool paired) {
  int64_t padded = llvm::alignTo(rowBytes, 32);
  int64_t span = 128;
  while (padded % span != 0)
    span /= 2;
  return get(context, span, transposed, folded, paired);
}

std::pair<int64_t, int64_t> SharedAttr::getStoredShape(RankedTensorType type) {
  std::pair shape(type.getDimSize(0), type.getDimSize(1));
  if (cast<SharedAttr>(type.getEncoding()).getTransposed())
    std::swap(shape.first, shape.second);
  return shape;
}

int64_t SharedAttr::getByteOffset(RankedTensorType type, int64_t row,
                                  int64_t column) {
  auto layout = cast<SharedAttr>(type.getEncoding());
  int64_t span = layout.getSpan();
  if (layout.getTransposed())
    std::swap(row, column);
  int64_t byte = column * (type.getElementTypeBitWidth() / 8);
  int64_t offset = (row * span + byte % span) ^ getFlip(type, row);
  return byte / span * getPanelDistance(type) + offset;
}

/// Bytes of a row of a tile as it lies in memory: of whole panels.
static int64_t storedRowBytes(RankedTensorType type) {
  return llvm::alignTo(SharedAttr::getStoredShape(type).second *
                           (type.getElementTypeBitWidth() / 8),
                       cast<SharedAttr>(type.getEncoding()).getSpan());
}

int64_t SharedAttr::getExchangedRows(RankedTensorType type) {
  auto layout = cast<SharedAttr>(type.getEncoding());
  if (layout.getFolded() && layout.getSpan() == 64)
    return 1;
  return layout.getPaired() && layout.getSpan() == 32 ? 4 : 0;
}

bool SharedAttr::exchangesHalves(RankedTensorType type) {
  auto layout = cast<SharedAttr>(type.getEncoding());
  return layout.getFolded() && storedRowBytes(type) > layout.getSpan() &&
         layout.getSpan() == 32;
}

SmallVector<SharedAttr::Swizzle>
SharedAttr::getSwizzles(RankedTensorType type) {
  constexpr int64_t kBit1 = 2, kBit2 = 4, kBit3 = 8, kBit4 = 16;
  auto layout = cast<SharedAttr>(type.getEncoding());
  int64_t span = layout.getSpan();
  SmallVector<Swizzle> swizzles;
  // Of chunks of 16 bytes, as many bits as a panel has.
  for (int64_t bit = 4, chunk = 16; chunk < span; ++bit, chunk *= 2)
    swizzles.push_back({bit, chunk * 8 / span});
  if (layout.getPaired()) {
    int64_t narrow[] = {kBit3 | kBit4},
            wide[] = {kBit2, kBit2 | kBit3, kBit1 | kBit3};
    for (auto [i, swizzle] : llvm::enumerate(swizzles))
      swizzle.rowBits = span == 32 ? narrow[i] : wide[i];
    if (span == 32)
      swizzles.push_back({7, kBit3});
    return swizzles;
  }
  if (!layout.getFolded())
    return swizzles;
  for (Swizzle &swizzle : swizzles)
    if (swizzle.rowBits == kBit2)
      swizzle.rowBits |= kBit3;
  if (getExchangedRows(type) != 0)
    swizzles.push_back({6, kBit2 | kBit3});
  if (exchangesHalves(type))
    swizzles.push_back({3, kBit3 | kBit4});
  return swizzles;
}

int64_t SharedAttr::getSwizzleRows(RankedTensorType type) {
  int64_t bits = 0;
  for (const Swizzle &swizzle : getSwizzles(type))
    bits |= swizzle.rowBits;
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(bits))) * 2;
}

int64_t SharedAttr::getFlip(RankedTensorType type, int64_t row) {
  int64_t flip = 0;
  for (const Swizzle &swizzle : getSwizzles(type))
    flip |=
        int64_t(llvm::popcount(static_cast<uint64_t>(row & swizzle.rowBits)) %
                2)
        << swizzle.bit;
  return flip;
}

bool SharedAttr::liesByChunks(RankedTensorType type) {
  constexpr int64_t kWave = 1024, kChunkBit = 4;
  auto layout = cast<SharedAttr>(type.getEncoding());
  int64_t span = layout.getSpan();
  auto [rows, columns] = getStoredShape(type);
  int64_t rowBytes = columns * (type.getElementTypeBitWidth() / 8);
  if (layout.getTransposed() || rowBytes % span != 0)
    return false;
  bool gap = rowBytes > span && getPanelDistance(type) != rows * span;
  if (gap && rows * span % kWave != 0)
    return false;
  // Of bits of the row that change none decides about others.
  int64_t changed = 0, deciding = 0;
  for (const Swizzle &swizzle : getSwizzles(type)) {
    if (swizzle.bit < kChunkBit)
      return false;
    changed |= (int64_t(1) << swizzle.bit) / span;
    deciding |= swizzle.rowBits;
  }
  return (changed & deciding) == 0;
}

int64_t SharedAttr::getPanelDistance(RankedTensorType type) {
  constexpr int64_t kBankBytes = 128;
  auto layout = cast<SharedAttr>(type.getEncoding());
  int64_t span = layout.getSpan(), distance = getStoredShape(type).first * span,
          panels = storedRowBytes(type) / span, perBanks = kBankBytes / span,
          apart = 0;
  bool placed = layout.getFolded() || layout.getPaired();
  if (!placed || panels % 2 == 0 || panels == 1)
    return distance;
  // Row r of panel p begins at the banks r + p * apart of `perBanks`: chunks
  // that follow each other, panel by panel and row by row, have all of them.
  while (apart < perBanks && panels * apart % perBanks != 1 % perBanks)
    ++apart;
  return distance + apart * span;
}

int64_t SharedAttr::getNumBytes(RankedTensorType type) {
  return storedRowBytes(type) / cast<SharedAttr>(type.getEncoding()).getSpan() *
         getPanelDistance(type);
}

LogicalResult
SharedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 2)
    return emitError()
           << "expected a tile of rank 2 in shared memory, but got rank "
           << shape.size();
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8)
    return emitError()
           << "expected elements of whole bytes in shared memory, but got "
           << elementType;
  int64_t rows = shape[getTransposed() ? 1 : 0],
          columns = shape[getTransposed() ? 0 : 1];
  int64_t rowBytes = 0;
  if (ShapedType::isDynamicShape(shape) ||
      llvm::MulOverflow(
          columns, int64_t(elementType.getIntOrFloatBitWidth() / 8), rowBytes))
    return emitError()
           << "expected static sizes of at most 2^63 - 1 bytes a row "
              "in shared memory";
  // A tensor map fills panels of which the last may be in part empty.
  int64_t unit =
      isPlain() ? std::min<int64_t>(getSpan(), kPanelUnit) : getSpan();
  if (rowBytes % unit != 0)
    return emitError() << "expected " << (getTransposed() ? "columns" : "rows")
                       << " of a multiple of " << unit << " bytes, but got "
                       << rowBytes;
  if (rows % 8 != 0 && rows != 1)
    return emitError() << "expected one or a multiple of 8 "
                       << (getTransposed() ? "columns" : "rows")
                       << " in shared memory, but got " << rows;
  return success();
}
