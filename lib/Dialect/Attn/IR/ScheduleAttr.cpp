//===- ScheduleAttr.cpp - How one operation is to be compiled -------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

namespace {

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

enum class FieldKind { Flag, Number, Word, Tiles };

using Words = SmallVector<StringRef>;

/// The words of an enumeration of TableGen, up to `last`.
template <typename Enum, Enum last> Words wordsOf() {
  Words words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    words.push_back(stringifyEnum(static_cast<Enum>(i)));
  return words;
}

Words orderWords() {
  return {"naive_block_first", "swizzled_block_first",
          "naive_head_first",  "swizzled_head_first",
          "block_outermost",   "one_set",
          "two_sets",          "four_sets",
          "eight_sets",        "sixteen_sets"};
}

/// Of operations that several kernels compute.
Words formWords() { return {"two_kernels", "fused", "ordered"}; }

constexpr auto kTraversals = wordsOf<TraversalOrder, TraversalOrder::Backward>;
constexpr auto kSawtooth = wordsOf<SawtoothMode, SawtoothMode::Force>;
/// What an option asks for: registers are what targets with buffers have
/// otherwise.
Words copyWords() { return {"tensor", "async", "lds"}; }

constexpr auto kProducts = wordsOf<Products, Products::All>;
constexpr auto kSums = wordsOf<RoundedSums, RoundedSums::Products>;
constexpr auto kLines = wordsOf<WholeLines, WholeLines::All>;
constexpr auto kAdditions = wordsOf<Additions, Additions::Copies>;

struct Field {
  StringLiteral name;
  FieldKind kind;
  /// The level of what it decides, and the option of that level's pipeline.
  unsigned level;
  StringLiteral option;
  Words (*words)() = nullptr;
};

/// In the order in which they are printed.
constexpr Field kFields[] = {
    {"form", FieldKind::Word, 2, "form", formWords},
    {"pack_group", FieldKind::Flag, 2, "pack-group"},
    {"tiles", FieldKind::Tiles, 2, "tiles"},
    {"splits", FieldKind::Number, 2, "splits"},
    {"split_ctas", FieldKind::Flag, 2, "split-ctas"},
    {"split_cluster", FieldKind::Flag, 2, "split-cluster"},
    {"split_last", FieldKind::Flag, 2, "split-last"},
    {"stream_k", FieldKind::Flag, 2, "stream-k"},
    {"split_results", FieldKind::Flag, 2, "split-results"},
    {"split_length", FieldKind::Number, 2, "split-length"},
    {"list_tiles", FieldKind::Flag, 2, "list-tiles"},
    {"grid_order", FieldKind::Word, 2, "grid-order", orderWords},
    {"domains", FieldKind::Number, 2, "domains"},
    {"chunk", FieldKind::Number, 2, "chunk"},
    {"longest_first", FieldKind::Flag, 2, "longest-first"},
    {"persistent", FieldKind::Flag, 2, "persistent"},
    {"sms", FieldKind::Number, 2, "sms"},
    {"resident", FieldKind::Number, 2, "resident"},
    {"pair_tiles", FieldKind::Flag, 2, "pair-tiles"},
    {"dynamic", FieldKind::Flag, 2, "dynamic"},
    {"snake", FieldKind::Flag, 2, "snake"},
    {"in_step", FieldKind::Flag, 2, "in-step"},
    {"sawtooth", FieldKind::Word, 2, "sawtooth", kSawtooth},
    {"traversal", FieldKind::Word, 2, "traversal", kTraversals},
    {"stride", FieldKind::Number, 2, "stride"},
    {"shift", FieldKind::Number, 2, "shift"},
    {"wgmma", FieldKind::Word, 3, "wgmma", kProducts},
    {"specialize", FieldKind::Flag, 3, "specialize"},
    {"overlap", FieldKind::Flag, 3, "overlap"},
    {"ping_pong", FieldKind::Flag, 3, "ping-pong"},
    {"late_turns", FieldKind::Flag, 3, "late-turns"},
    {"first_rows", FieldKind::Flag, 3, "first-rows"},
    {"producer_registers", FieldKind::Number, 3, "producer-registers"},
    {"delay_waits", FieldKind::Flag, 3, "delay-waits"},
    {"optimistic_max", FieldKind::Flag, 3, "optimistic-max"},
    {"two_level", FieldKind::Flag, 3, "two-level"},
    {"mx_products", FieldKind::Flag, 3, "mx-products"},
    {"lead", FieldKind::Number, 3, "lead"},
    {"exact_peaks", FieldKind::Flag, 3, "exact-peaks"},
    {"exact_last", FieldKind::Flag, 3, "exact-last"},
    {"rounded_sums", FieldKind::Word, 3, "rounded-sums", kSums},
    {"resident_stages", FieldKind::Number, 3, "resident-stages"},
    {"stages", FieldKind::Number, 3, "stages"},
    {"hold_lhs", FieldKind::Flag, 3, "hold-lhs"},
    {"stage_columns", FieldKind::Flag, 3, "stage-columns"},
    {"store_tensors", FieldKind::Flag, 3, "store-tensors"},
    {"exchange_columns", FieldKind::Flag, 3, "exchange-columns"},
    {"stream_reads", FieldKind::Flag, 3, "stream-reads"},
    {"copy", FieldKind::Word, 3, "copy", copyWords},
    {"copy_chunk", FieldKind::Number, 3, "chunk"},
    {"wide_panels", FieldKind::Flag, 3, "wide-panels"},
    {"warps", FieldKind::Number, 3, "warps"},
    {"whole_lines", FieldKind::Word, 3, "whole-lines", kLines},
    {"priority", FieldKind::Word, 3, "priority", kProducts},
    {"additions", FieldKind::Word, 3, "additions", kAdditions},
};

/// The largest size of a tile along an axis, as in attn-stream-partition.
constexpr int64_t kMaxTile = 1 << 20;

const Field *findField(StringRef name) {
  const Field *it =
      llvm::find_if(kFields, [&](const Field &f) { return f.name == name; });
  return it == std::end(kFields) ? nullptr : it;
}

const Field *findField(unsigned level, StringRef option) {
  const Field *it = llvm::find_if(kFields, [&](const Field &f) {
    return f.level == level && f.option == option;
  });
  return it == std::end(kFields) ? nullptr : it;
}

InFlightDiagnostic reportUnknown(InFlightDiagnostic diag, StringRef name) {
  SmallVector<StringRef> names;
  for (const Field &field : kFields)
    names.push_back(field.name);
  diag << "expected a field of a schedule, but got '" << name << "'"
       << didYouMean(name, names) << " (known: " << llvm::join(names, ", ")
       << ")";
  return diag;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Tiles are held as axis, size, axis, size, ...
using Tiles = SmallVector<std::pair<StringRef, int64_t>>;

Tiles tilesIn(ArrayAttr array) {
  Tiles tiles;
  for (unsigned i = 0; i + 1 < array.size(); i += 2)
    tiles.push_back({cast<StringAttr>(array[i]).getValue(),
                     cast<IntegerAttr>(array[i + 1]).getInt()});
  return tiles;
}

ArrayAttr arrayOf(MLIRContext *context, const Tiles &tiles) {
  Builder b(context);
  SmallVector<Attribute> array;
  for (auto [axis, size] : tiles) {
    array.push_back(b.getStringAttr(axis));
    array.push_back(b.getI64IntegerAttr(size));
  }
  return b.getArrayAttr(array);
}

LogicalResult verifyTiles(function_ref<InFlightDiagnostic()> emitError,
                          Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  auto isPair = [&](unsigned i) {
    auto size = dyn_cast<IntegerAttr>(array[i + 1]);
    return isa<StringAttr>(array[i]) && size && size.getType().isInteger(64);
  };
  bool valid = array && array.size() % 2 == 0;
  for (unsigned i = 0; valid && i < array.size(); i += 2)
    valid = isPair(i);
  if (!valid)
    return emitError() << "expected tiles as axis = size, but got " << value;
  llvm::StringSet<> axes;
  for (auto [axis, size] : tilesIn(array)) {
    if (size < 1 || size > kMaxTile)
      return emitError() << "expected a tile of 1 to " << kMaxTile
                         << " positions, but got " << axis << " = " << size;
    if (!axes.insert(axis).second)
      return emitError() << "expected each axis of the tiles once, but got '"
                         << axis << "' twice";
  }
  return success();
}

LogicalResult verifyValue(function_ref<InFlightDiagnostic()> emitError,
                          const Field &field, Attribute value) {
  auto wrong = [&]() {
    return emitError() << "field '" << field.name << "': ";
  };
  switch (field.kind) {
  case FieldKind::Flag:
    if (!isa<BoolAttr>(value))
      return wrong() << "expected true or false, but got " << value;
    return success();
  case FieldKind::Number: {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !number.getType().isInteger(64))
      return wrong() << "expected a number, but got " << value;
    if (number.getInt() < 0 || number.getInt() > OrderAttr::kMaxCount)
      return wrong() << "expected 0 to " << OrderAttr::kMaxCount << ", but got "
                     << number.getInt();
    return success();
  }
  case FieldKind::Word: {
    auto word = dyn_cast<StringAttr>(value);
    Words words = field.words();
    if (!word || !llvm::is_contained(words, word.getValue()))
      return wrong() << "expected one of " << llvm::join(words, ", ")
                     << ", but got " << value;
    return success();
  }
  case FieldKind::Tiles:
    return verifyTiles(wrong, value);
  }
  return failure();
}

FailureOr<Attribute> parseTiles(AsmParser &parser) {
  SmallVector<Attribute> array;
  Builder &b = parser.getBuilder();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        StringRef axis;
        int64_t size = 0;
        if (parser.parseKeyword(&axis) || parser.parseEqual() ||
            parser.parseInteger(size))
          return failure();
        array.push_back(b.getStringAttr(axis));
        array.push_back(b.getI64IntegerAttr(size));
        return success();
      }))
    return failure();
  return Attribute(b.getArrayAttr(array));
}

FailureOr<Attribute> parseValue(AsmParser &parser, const Field &field) {
  Builder &b = parser.getBuilder();
  if (field.kind == FieldKind::Flag && failed(parser.parseOptionalEqual()))
    return Attribute(b.getBoolAttr(true));
  if (field.kind != FieldKind::Flag && parser.parseEqual())
    return failure();
  if (field.kind == FieldKind::Tiles)
    return parseTiles(parser);
  if (field.kind == FieldKind::Number) {
    int64_t number = 0;
    if (parser.parseInteger(number))
      return failure();
    return Attribute(b.getI64IntegerAttr(number));
  }
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (field.kind == FieldKind::Word)
    return Attribute(b.getStringAttr(word));
  if (word != "true" && word != "false") {
    parser.emitError(loc, "expected true or false, but got '") << word << "'";
    return failure();
  }
  return Attribute(b.getBoolAttr(word == "true"));
}

/// The value of an option, or a text that the verifier refuses.
Attribute fromText(MLIRContext *context, const Field &field, StringRef text) {
  Builder b(context);
  int64_t number = 0;
  if (field.kind == FieldKind::Number && !text.getAsInteger(10, number))
    return b.getI64IntegerAttr(number);
  if (field.kind == FieldKind::Flag && (text == "true" || text == "false"))
    return b.getBoolAttr(text == "true");
  std::string word = text.str();
  llvm::replace(word, '-', '_');
  return b.getStringAttr(word);
}

void printValue(raw_ostream &os, const Field &field, Attribute value) {
  switch (field.kind) {
  case FieldKind::Flag:
    if (!cast<BoolAttr>(value).getValue())
      os << " = false";
    return;
  case FieldKind::Number:
    os << " = " << cast<IntegerAttr>(value).getInt();
    return;
  case FieldKind::Word:
    os << " = " << cast<StringAttr>(value).getValue();
    return;
  case FieldKind::Tiles:
    os << " = [";
    llvm::interleaveComma(tilesIn(cast<ArrayAttr>(value)), os, [&](auto tile) {
      os << tile.first << " = " << tile.second;
    });
    os << "]";
    return;
  }
}

void printOption(raw_ostream &os, const Field &field, Attribute value) {
  os << field.option;
  switch (field.kind) {
  case FieldKind::Flag:
    if (!cast<BoolAttr>(value).getValue())
      os << "=false";
    return;
  case FieldKind::Number:
    os << "=" << cast<IntegerAttr>(value).getInt();
    return;
  case FieldKind::Word: {
    std::string word = cast<StringAttr>(value).str();
    llvm::replace(word, '_', '-');
    os << "=" << word;
    return;
  }
  case FieldKind::Tiles:
    os << "=";
    llvm::interleave(
        tilesIn(cast<ArrayAttr>(value)), os,
        [&](auto tile) { os << tile.first << "=" << tile.second; }, ",");
    return;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  NamedAttrList fields;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    const Field *field = findField(name);
    if (!field) {
      reportUnknown(parser.emitError(loc), name);
      return failure();
    }
    if (fields.get(name))
      return parser.emitError(loc, "expected each field once, but got '")
             << name << "' twice";
    FailureOr<Attribute> value = parseValue(parser, *field);
    if (failed(value))
      return failure();
    fields.append(name, *value);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<ScheduleAttr>(
      loc, parser.getContext(), fields.getDictionary(parser.getContext()));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  SmallVector<std::string> texts;
  for (const Field &field : kFields)
    if (Attribute value = getFields().get(field.name)) {
      std::string text = field.name.str();
      llvm::raw_string_ostream os(text);
      printValue(os, field, value);
      texts.push_back(text);
    }
  printer << "<" << llvm::join(texts, ", ") << ">";
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr fields) {
  for (NamedAttribute named : fields) {
    const Field *field = findField(named.getName());
    if (!field)
      return reportUnknown(emitError(), named.getName());
    if (failed(verifyValue(emitError, *field, named.getValue())))
      return failure();
  }
  return success();
}

ScheduleAttr ScheduleAttr::of(Operation *op) {
  return op->getAttrOfType<ScheduleAttr>(kAttrName);
}

void ScheduleAttr::set(Operation *op, ScheduleAttr schedule) {
  if (schedule && !schedule.getFields().empty())
    op->setAttr(kAttrName, schedule);
  else
    op->removeAttr(kAttrName);
}

ScheduleAttr
ScheduleAttr::fromOptions(MLIRContext *context, unsigned level,
                          ArrayRef<std::pair<std::string, std::string>> options,
                          function_ref<InFlightDiagnostic()> emitError) {
  NamedAttrList fields;
  Tiles tiles;
  for (const auto &[name, text] : options) {
    const Field *field = findField(level, name);
    if (!field) {
      reportUnknown(emitError(), name);
      return {};
    }
    if (field->kind == FieldKind::Tiles) {
      auto [axis, number] = StringRef(text).split('=');
      int64_t size = 0;
      number.getAsInteger(10, size);
      tiles.push_back({axis, size});
      fields.set(field->name, arrayOf(context, tiles));
    } else {
      fields.set(field->name, fromText(context, *field, text));
    }
  }
  return getChecked(emitError, context, fields.getDictionary(context));
}

bool ScheduleAttr::hasFlag(StringRef field) const {
  auto flag = getFields().getAs<BoolAttr>(field);
  return flag && flag.getValue();
}

std::optional<int64_t> ScheduleAttr::getNumber(StringRef field) const {
  if (auto number = getFields().getAs<IntegerAttr>(field))
    return number.getInt();
  return std::nullopt;
}

StringRef ScheduleAttr::getWord(StringRef field) const {
  auto word = getFields().getAs<StringAttr>(field);
  return word ? word.getValue() : "";
}

SmallVector<std::pair<StringRef, int64_t>> ScheduleAttr::getTiles() const {
  auto array = getFields().getAs<ArrayAttr>("tiles");
  return array ? tilesIn(array) : Tiles();
}

ScheduleAttr ScheduleAttr::over(ScheduleAttr below) const {
  if (!below)
    return *this;
  NamedAttrList fields(below.getFields());
  for (NamedAttribute field : getFields())
    fields.set(field.getName(), field.getValue());
  Tiles tiles = getTiles();
  for (auto tile : below.getTiles())
    if (!llvm::is_contained(llvm::make_first_range(tiles), tile.first))
      tiles.push_back(tile);
  if (!tiles.empty())
    fields.set("tiles", arrayOf(getContext(), tiles));
  return get(getContext(), fields.getDictionary(getContext()));
}

ScheduleAttr ScheduleAttr::getLevel(unsigned level) const {
  NamedAttrList fields;
  for (NamedAttribute field : getFields())
    if (findField(field.getName())->level == level)
      fields.append(field);
  return get(getContext(), fields.getDictionary(getContext()));
}

ScheduleAttr ScheduleAttr::without(ArrayRef<StringRef> dropped) const {
  NamedAttrList fields(getFields());
  for (StringRef field : dropped)
    fields.erase(field);
  return get(getContext(), fields.getDictionary(getContext()));
}

std::string ScheduleAttr::asOptions(unsigned level) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Field &field : kFields)
    if (Attribute value = getFields().get(field.name);
        value && field.level == level) {
      os << (text.empty() ? "" : " ");
      printOption(os, field, value);
    }
  return text;
}
