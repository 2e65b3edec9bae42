//===- OptionParsers.h - Values of options, checked -------------*- C++ -*-===//
//
// What LLVM's option parsers leave to be wished: a value that is not known is
// refused with those that are, a number that makes no sense with its bounds.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_SUPPORT_OPTIONPARSERS_H
#define ATTN_MLIR_SUPPORT_OPTIONPARSERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace attn {

/// Where this thread's options say what is wrong with them.
inline thread_local llvm::raw_ostream *optionErrorStream = nullptr;

/// Standard error, unless an OptionErrorScope says otherwise.
inline llvm::raw_ostream &optionErrors() {
  return optionErrorStream ? *optionErrorStream : llvm::errs();
}

/// Gathers what options of this thread say.
class OptionErrorScope {
public:
  explicit OptionErrorScope(llvm::raw_ostream &os)
      : before(std::exchange(optionErrorStream, &os)) {}
  ~OptionErrorScope() { optionErrorStream = before; }
  OptionErrorScope(const OptionErrorScope &) = delete;

private:
  llvm::raw_ostream *before;
};

/// Says what is wrong with the value of an option; true, as parsers do then.
inline bool optionError(llvm::cl::Option &option, const llvm::Twine &message) {
  if (!optionErrorStream)
    return option.error(message);
  *optionErrorStream << "option '" << option.ArgStr << "': " << message << "\n";
  return true;
}

/// Options of a pipeline of passes; null after a message to optionErrors().
template <typename Options>
std::unique_ptr<Options> createOptions(llvm::StringRef text) {
  auto options = std::make_unique<Options>();
  if (failed(options->parseFromString(text, optionErrors())))
    return nullptr;
  return options;
}

/// Parses what LLVM has a parser for, with messages to optionErrors().
template <typename T> class PlainParser : public llvm::cl::basic_parser<T> {
public:
  explicit PlainParser(llvm::cl::Option &option)
      : llvm::cl::basic_parser<T>(option), plain(option) {}
  /// By which llvm::cl prints values.
  operator const llvm::cl::parser<T> &() const { return plain; }
  // NOLINTBEGIN(readability-identifier-naming)
  llvm::cl::ValueExpected getValueExpectedFlagDefault() const {
    return plain.getValueExpectedFlagDefault();
  }
  llvm::StringRef getValueName() const override { return plain.getValueName(); }
  // NOLINTEND(readability-identifier-naming)
  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, T &result) {
    if (optionErrorStream && !isValid(text))
      return optionError(option, "expected " + llvm::Twine(kWanted) +
                                     ", but got '" + text + "'");
    return plain.parse(option, name, text, result);
  }

private:
  llvm::cl::parser<T> plain;
  static constexpr bool kIsFlag = std::is_same_v<T, bool>;
  static constexpr const char *kWanted =
      kIsFlag ? "true or false" : "a whole number of 64 bits";

  static bool isValid(llvm::StringRef text) {
    if constexpr (kIsFlag)
      return llvm::StringSwitch<bool>(text)
          .Cases({"", "true", "TRUE", "True", "1"}, true)
          .Cases({"false", "FALSE", "False", "0"}, true)
          .Default(false);
    T value;
    return !text.getAsInteger(0, value);
  }
};

/// Parses enumerations; llvm::cl::parser for those that ATTN_LIST_VALUES names.
template <typename T> class ValueParser : public llvm::cl::generic_parser_base {
protected:
  // Named as MLIR's parser of pass options wants it.
  // NOLINTBEGIN(readability-identifier-naming)
  struct OptionInfo : GenericOptionInfo {
    OptionInfo(llvm::StringRef name, T value, llvm::StringRef help)
        : GenericOptionInfo(name, help), V(value) {}
    llvm::cl::OptionValue<T> V;
  };
  llvm::SmallVector<OptionInfo, 8> Values;
  // NOLINTEND(readability-identifier-naming)

public:
  using parser_data_type = T;
  explicit ValueParser(llvm::cl::Option &option)
      : generic_parser_base(option) {}

  unsigned getNumOptions() const override { return Values.size(); }
  llvm::StringRef getOption(unsigned i) const override {
    return Values[i].Name;
  }
  llvm::StringRef getDescription(unsigned i) const override {
    return Values[i].HelpStr;
  }
  const llvm::cl::GenericOptionValue &
  getOptionValue(unsigned i) const override {
    return Values[i].V;
  }

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             T &result) {
    std::string known;
    for (const OptionInfo &value : Values) {
      if (value.Name == text) {
        result = value.V.getValue();
        return false;
      }
      if (!value.Name.empty())
        known += (known.empty() ? "" : ", ") + value.Name.str();
    }
    return optionError(option,
                       "expected one of " + known + ", but got '" + text + "'");
  }

  template <typename Value>
  void addLiteralOption(llvm::StringRef name, const Value &value,
                        llvm::StringRef help) {
    Values.push_back(OptionInfo(name, static_cast<T>(value), help));
    llvm::cl::AddLiteralOption(Owner, name);
  }
};

/// Parses whole numbers from `least` to `most`.
template <int64_t least, int64_t most>
class NumberParser : public llvm::cl::basic_parser<long> {
public:
  explicit NumberParser(llvm::cl::Option &option)
      : basic_parser(option), printer(option) {}
  /// By which llvm::cl prints values.
  operator const llvm::cl::parser<long> &() const { return printer; }
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             long &result) {
    if (!text.getAsInteger(10, result) && result >= least && result <= most)
      return false;
    return optionError(
        option, "expected a whole number from " + llvm::Twine(least) + " to " +
                    llvm::Twine(most) + ", but got '" + text + "'");
  }

private:
  llvm::cl::parser<long> printer;
};

} // namespace attn

/// Outside of namespaces, before the first option of the type.
#define ATTN_LIST_VALUES(type)                                                 \
  template <> class llvm::cl::parser<type> : public attn::ValueParser<type> {  \
  public:                                                                      \
    using ValueParser::ValueParser;                                            \
  }

#endif // ATTN_MLIR_SUPPORT_OPTIONPARSERS_H
