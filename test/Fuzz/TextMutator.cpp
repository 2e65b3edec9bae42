//===- TextMutator.cpp - Damages text by tokens ---------------------------===//

#include "TextMutator.h"
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace attn_fuzz;

static bool startsWord(char c) {
  return std::isalpha(uint8_t(c)) || std::strchr("_$%@#!^", c);
}
static bool inWord(char c) {
  return std::isalnum(uint8_t(c)) || std::strchr("_$.", c);
}

/// What a value, a symbol, an alias, a type or a block starts with; else 0.
static char sigil(const std::string &text) {
  return std::strchr("%@#!^", text[0]) ? text[0] : 0;
}

TextMutator::TextMutator(const uint8_t *data, size_t size, unsigned seed)
    : random(seed), tokens(split(std::string(data, data + size))) {}

std::vector<TextMutator::Token> TextMutator::split(const std::string &text) {
  std::vector<Token> tokens;
  auto is = [](auto predicate) {
    return [=](char c) { return c && predicate(c); };
  };
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    Kind kind = Kind::Sign;
    size_t end = at + 1;
    auto run = [&](auto predicate) {
      while (end < text.size() && predicate(text[end]))
        ++end;
    };
    bool negative = c == '-' && end < text.size() && std::isdigit(text[end]);
    if (std::isspace(uint8_t(c))) {
      kind = Kind::Space;
      // A line's end is a token of its own: mutations know lines.
      if (c != '\n')
        run([](char c) { return c == ' ' || c == '\t'; });
    } else if (std::isdigit(uint8_t(c)) || negative) {
      kind = Kind::Number;
      run([](char c) { return std::isdigit(uint8_t(c)) || c == '.'; });
    } else if (c && startsWord(c)) {
      kind = Kind::Word;
      // Of 8x128xbf16 the sizes are numbers.
      if (c != 'x' || end == text.size() || !std::isdigit(text[end]))
        run(is(inWord));
    } else if (c == '"') {
      kind = Kind::String;
      run([](char c) { return c != '"' && c != '\n'; });
      end += end < text.size();
    }
    tokens.push_back({kind, text.substr(at, end - at)});
    at = end;
  }
  return tokens;
}

std::string TextMutator::str() const {
  std::string text;
  for (const Token &token : tokens)
    text += token.text;
  return text;
}

std::vector<size_t> TextMutator::tokensOf(Kind kind) const {
  std::vector<size_t> result;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind == kind)
      result.push_back(i);
  return result;
}

std::vector<TextMutator::Range> TextMutator::lines() const {
  std::vector<Range> result;
  size_t begin = 0;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == "\n" || i + 1 == tokens.size()) {
      result.push_back({begin, i + 1});
      begin = i + 1;
    }
  return result;
}

/// What lies between brackets, and they. Empty `open`: of any kind.
std::vector<TextMutator::Range>
TextMutator::brackets(const std::string &open) const {
  std::vector<Range> result;
  std::vector<size_t> opened;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::Sign)
      continue;
    char c = tokens[i].text[0];
    if (std::strchr("([{<", c)) {
      opened.push_back(i);
    } else if (std::strchr(")]}>", c) && !opened.empty()) {
      if (open.empty() || tokens[opened.back()].text == open)
        result.push_back({opened.back(), i + 1});
      opened.pop_back();
    }
  }
  return result;
}

std::vector<TextMutator::Token> TextMutator::copy(Range range) const {
  return {tokens.begin() + range.begin, tokens.begin() + range.end};
}

void TextMutator::replace(Range range, const std::vector<Token> &by) {
  tokens.erase(tokens.begin() + range.begin, tokens.begin() + range.end);
  tokens.insert(tokens.begin() + range.begin, by.begin(), by.end());
}

/// Half of the time everywhere: a change of all that are alike agrees with
/// itself, and goes further.
void TextMutator::setToken(size_t at, const std::string &text) {
  std::string old = tokens[at].text;
  if (chance(2)) {
    tokens[at].text = text;
    return;
  }
  for (Token &token : tokens)
    if (token.text == old)
      token.text = text;
}

void TextMutator::changeNumber() {
  static const char *borders[] = {"0",
                                  "1",
                                  "-1",
                                  "2",
                                  "3",
                                  "4",
                                  "7",
                                  "8",
                                  "9",
                                  "15",
                                  "16",
                                  "17",
                                  "24",
                                  "32",
                                  "48",
                                  "63",
                                  "64",
                                  "65",
                                  "80",
                                  "96",
                                  "127",
                                  "128",
                                  "129",
                                  "192",
                                  "255",
                                  "256",
                                  "257",
                                  "512",
                                  "1024",
                                  "4096",
                                  "65535",
                                  "65536",
                                  "1000000",
                                  "-64",
                                  "2147483647",
                                  "2147483648",
                                  "4294967295",
                                  "1.5",
                                  "4294967296",
                                  "9223372036854775807",
                                  "1.0e+300",
                                  "0.0",
                                  "-2147483648",
                                  "-9223372036854775808",
                                  "-1.0e-300",
                                  "0x7FC00000",
                                  "18446744073709551615",
                                  "18446744073709551616"};
  std::vector<size_t> numbers = tokensOf(Kind::Number);
  if (numbers.empty())
    return;
  size_t at = numbers[below(numbers.size())];
  switch (below(4)) {
  case 0: // Another number of the text.
    return setToken(at, tokens[numbers[below(numbers.size())]].text);
  case 1: {
    long long value = std::strtoll(tokens[at].text.c_str(), nullptr, 10);
    unsigned long long near[] = {value + 1ull, value - 1ull, value * 2ull,
                                 value / 2ull};
    return setToken(at, std::to_string(near[below(4)]));
  }
  default:
    return setToken(at, borders[below(std::size(borders))]);
  }
}

void TextMutator::changeToken() {
  size_t at = below(tokens.size());
  std::vector<size_t> alike;
  for (size_t i : tokensOf(tokens[at].kind))
    if (sigil(tokens[i].text) == sigil(tokens[at].text))
      alike.push_back(i);
  switch (below(8)) {
  case 0:
    return replace({at, at + 1}, {});
  case 1:
    return replace({at, at}, {tokens[at], {Kind::Space, " "}});
  default:
    return setToken(at, tokens[alike[below(alike.size())]].text);
  }
}

void TextMutator::changeRange(const std::vector<Range> &ranges) {
  if (ranges.empty())
    return;
  Range one = ranges[below(ranges.size())];
  std::vector<Token> text = copy(one);
  std::vector<Range> alike;
  for (Range range : ranges)
    if (tokens[range.begin].text == text.front().text)
      alike.push_back(range);
  Range other = alike[below(alike.size())];
  switch (below(3)) {
  case 0:
    return replace(one, {});
  case 1: // Twice.
    return replace({one.end, one.end}, text);
  default:
    return replace(other, text);
  }
}

void TextMutator::mutateOnce() {
  if (tokens.empty()) {
    tokens.push_back({Kind::Word, "attn"});
    return;
  }
  size_t which = below(16);
  if (which < 8)
    changeNumber();
  else if (which < 12)
    changeToken();
  else if (which < 15)
    changeRange(brackets(""));
  else
    changeRange(lines());
}

void TextMutator::mutate() {
  do
    mutateOnce();
  while (chance(4));
}

void TextMutator::splice(const TextMutator &other) {
  bool byLines = chance(2);
  std::vector<Range> theirs = byLines ? other.lines() : other.brackets("");
  if (theirs.empty())
    return;
  std::vector<Token> text = other.copy(theirs[below(theirs.size())]);
  std::vector<Range> ours =
      byLines ? lines() : brackets(text.empty() ? "" : text.front().text);
  if (!ours.empty())
    replace(ours[below(ours.size())], text);
}
