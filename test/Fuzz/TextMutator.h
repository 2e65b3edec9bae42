//===- TextMutator.h - Damages text by tokens -------------------*- C++ -*-===//
//
// Bytes that change at random hardly get past a parser. Text that changes by
// whole tokens, lines and brackets does: IR, manifests, options.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_FUZZ_TEXTMUTATOR_H
#define ATTN_TEST_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace attn_fuzz {

class TextMutator {
public:
  TextMutator(const uint8_t *data, size_t size, unsigned seed);

  /// Some changes.
  void mutate();
  /// Replaces a part by one of `other`'s of the same kind.
  void splice(const TextMutator &other);
  std::string str() const;

private:
  enum class Kind { Space, Number, Word, String, Sign };
  struct Token {
    Kind kind;
    std::string text;
  };
  /// Tokens from `begin` to before `end`.
  struct Range {
    size_t begin, end;
  };

  size_t below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  }
  bool chance(unsigned in) { return below(in) == 0; }
  static std::vector<Token> split(const std::string &text);
  std::vector<size_t> tokensOf(Kind kind) const;
  std::vector<Range> lines() const;
  std::vector<Range> brackets(const std::string &open) const;
  std::vector<Token> copy(Range range) const;
  void replace(Range range, const std::vector<Token> &by);

  void mutateOnce();
  void changeNumber();
  void changeToken();
  void changeRange(const std::vector<Range> &ranges);
  void setToken(size_t at, const std::string &text);

  std::mt19937 random;
  std::vector<Token> tokens;
};

} // namespace attn_fuzz

#endif // ATTN_TEST_FUZZ_TEXTMUTATOR_H
