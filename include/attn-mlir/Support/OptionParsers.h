//===- OptionParsers.h - Values of options, checked -------------*- C++ -*-===//
//
// What LLVM's option parsers leave to be wished: a value that is not known is
// refused with those that are, a number that makes no sense with its bounds.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_SUPPORT_OPTIONPARSERS_H
#define ATTN_MLIR_SUPPORT_OPTIONPARSERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace attn {

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
    return option.error("expected one of " + known + ", but got '" + text +
                        "'");
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
    return option.error("expected a whole number from " + llvm::Twine(least) +
                        " to " + llvm::Twine(most) + ", but got '" + text +
                        "'");
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
