//===- Options.cpp - Options of the compiler library ----------------------===//

#include "Options.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "attn-mlir/Target/Facts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

namespace {

/// A word that stands for a value.
template <typename T> struct Named {
  StringLiteral name;
  T value;
};

constexpr Named<bool> kFlags[] = {{"true", true}, {"false", false}};
constexpr Named<Choose> kChoosers[] = {{"measured", Choose::Measured},
                                       {"model", Choose::Model},
                                       {"nobody", Choose::Nobody}};

/// What can be asked for: a stage, or a page about the first two.
struct Product {
  Emit emit;
  ExplainAs explain = ExplainAs::Nothing;
};
constexpr Named<Product> kProducts[] = {
    {"bundle", {Emit::Archive}},
    {"explain", {Emit::Stream, ExplainAs::Text}},
    {"explain-json", {Emit::Stream, ExplainAs::Json}},
    {"attn", {Emit::Attn}},
    {"stream", {Emit::Stream}},
    {"target", {Emit::Target}},
    {"llvm", {Emit::LLVM}},
    {"ptx", {Emit::Ptx}},
    {"isa", {Emit::Isa}},
    {"object", {Emit::Object}}};

/// Reads the options of one call.
class Reader {
public:
  explicit Reader(LibraryOptions &options) : options(options) {}

  LogicalResult read(StringRef name, StringRef value) {
    const Entry *entry = llvm::find_if(
        kEntries, [&](const Entry &known) { return known.name == name; });
    if (entry == std::end(kEntries)) {
      SmallVector<StringRef> known(
          llvm::map_range(kEntries, [](const Entry &e) { return e.name; }));
      optionErrors() << "error: unknown option '" << name << "'"
                     << didYouMean(name, known)
                     << " (known: " << llvm::join(known, ", ") << ")\n";
      return failure();
    }
    if (!entry->repeats && !seen.insert(name).second) {
      optionErrors() << "error: expected option '" << name
                     << "' once, but got it twice\n";
      return failure();
    }
    current = name;
    return (this->*entry->read)(value);
  }

  LogicalResult finish() {
    auto &compile = options.compile;
    return failure(
        failed(parseSizes("error: option size", sizes, compile.sizes)) ||
        failed(
            parseSizes("error: option for-sizes", forSizes, compile.forSizes)));
  }

private:
  using Read = LogicalResult (Reader::*)(StringRef);
  struct Entry {
    StringLiteral name;
    bool repeats;
    Read read;
  };

  LogicalResult readTarget(StringRef value) {
    options.compile.target = value.str();
    return success();
  }
  LogicalResult readFact(StringRef value) {
    return addList(value, options.compile.facts);
  }
  LogicalResult readSchedule(StringRef value) {
    options.compile.schedule = value.str();
    options.compile.asked = true;
    return success();
  }
  LogicalResult readLower(StringRef value) {
    options.compile.lower = value.str();
    options.compile.asked = true;
    return success();
  }
  LogicalResult readAlsoSchedule(StringRef value) {
    options.compile.alsoSchedule = value.str();
    return success();
  }
  LogicalResult readAlsoLower(StringRef value) {
    options.compile.alsoLower = value.str();
    return success();
  }
  LogicalResult readVariant(StringRef value) {
    options.compile.variants.push_back(value.str());
    return success();
  }
  LogicalResult readUnaligned(StringRef value) {
    return readNamed<bool>(value, kFlags, options.compile.unaligned);
  }
  LogicalResult readChoose(StringRef value) {
    return readNamed<Choose>(value, kChoosers, options.compile.choose);
  }
  LogicalResult readTuning(StringRef value) {
    options.tuning.push_back(value.str());
    return success();
  }
  LogicalResult readPtxas(StringRef value) {
    options.compile.ptxas = value.str();
    return success();
  }
  LogicalResult readLineInfo(StringRef value) {
    return readNamed<bool>(value, kFlags, options.compile.lineInfo);
  }
  LogicalResult readRemarks(StringRef value) {
    return readNamed<bool>(value, kFlags, options.remarks);
  }
  LogicalResult readHost(StringRef value) {
    return readNamed<bool>(value, kFlags, options.host);
  }
  LogicalResult readSize(StringRef value) { return addList(value, sizes); }
  LogicalResult readForSizes(StringRef value) {
    return addList(value, forSizes);
  }
  LogicalResult readEmit(StringRef value) {
    Product product{Emit::Archive};
    if (failed(readNamed<Product>(value, kProducts, product)))
      return failure();
    options.compile.emit = product.emit;
    options.explain = product.explain;
    return success();
  }

  template <typename T>
  LogicalResult readNamed(StringRef value, ArrayRef<Named<T>> known,
                          T &result) {
    SmallVector<StringRef> names;
    for (const Named<T> &entry : known) {
      if (entry.name == value) {
        result = entry.value;
        return success();
      }
      names.push_back(entry.name);
    }
    optionErrors() << "error: option '" << current << "' expects one of "
                   << llvm::join(names, ", ") << ", but got '" << value
                   << "'\n";
    return failure();
  }

  static LogicalResult addList(StringRef value,
                               std::vector<std::string> &list) {
    for (StringRef part : llvm::split(value, ','))
      list.push_back(part.str());
    return success();
  }

  static constexpr Entry kEntries[] = {
      {"emit", false, &Reader::readEmit},
      {"target", false, &Reader::readTarget},
      {"target-fact", true, &Reader::readFact},
      {"schedule", false, &Reader::readSchedule},
      {"lower", false, &Reader::readLower},
      {"also-schedule", false, &Reader::readAlsoSchedule},
      {"also-lower", false, &Reader::readAlsoLower},
      {"variant", true, &Reader::readVariant},
      {"unaligned", false, &Reader::readUnaligned},
      {"choose", false, &Reader::readChoose},
      {"tuning", true, &Reader::readTuning},
      {"ptxas", false, &Reader::readPtxas},
      {"line-info", false, &Reader::readLineInfo},
      {"remarks", false, &Reader::readRemarks},
      {"size", true, &Reader::readSize},
      {"for-sizes", true, &Reader::readForSizes},
      {"host", false, &Reader::readHost}};

  LibraryOptions &options;
  llvm::StringSet<> seen;
  StringRef current;
  std::vector<std::string> sizes, forSizes;
};

/// A whole module becomes LLVM or an object file, and nothing else does.
LogicalResult checkHost(const LibraryOptions &options) {
  Emit emit = options.compile.emit;
  if (emit == Emit::Object && !options.host)
    optionErrors() << "error: option 'emit' with object expects the option "
                      "host=true\n";
  else if (options.host && emit != Emit::Object && emit != Emit::LLVM)
    optionErrors() << "error: option 'host' expects the option emit=llvm or "
                      "emit=object\n";
  else if (options.host && !options.tuning.empty())
    optionErrors() << "error: option 'host' expects no option tuning\n";
  else
    return success();
  return failure();
}

/// What has an effect on bundles alone.
LogicalResult checkTogether(const LibraryOptions &all) {
  const CompileOptions &options = all.compile;
  StringRef wanting = !options.variants.empty()   ? "variant"
                      : options.unaligned         ? "unaligned"
                      : !options.forSizes.empty() ? "for-sizes"
                                                  : "";
  if (isBundle(options.emit) || all.host || wanting.empty())
    return success();
  optionErrors() << "error: option '" << wanting
                 << "' expects the option emit=bundle\n";
  return failure();
}

} // namespace

LogicalResult attn::parseOptions(ArrayRef<AttnOption> given,
                                 LibraryOptions &options) {
  options.compile.emit = Emit::Archive;
  options.compile.messagePrefix = "error: option ";
  Reader reader(options);
  for (auto [i, option] : llvm::enumerate(given)) {
    if (!option.name || !option.value) {
      optionErrors() << "error: expected a name and a value of option " << i
                     << ", but got null\n";
      return failure();
    }
    if (failed(reader.read(option.name, option.value)))
      return failure();
  }
  return failure(failed(reader.finish()) || failed(checkHost(options)) ||
                 failed(checkTogether(options)));
}
