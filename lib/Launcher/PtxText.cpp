//===- PtxText.cpp - PTX against its manifest -----------------------------===//
//
// The driver compiles PTX, and reads as many parameters as the kernel declares
// then, as it does of a cubin (Cubin.cpp). Source: "PTX ISA", sections
// "Syntax", "Kernel and Function Directives: .entry", "Parameter State Space".
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "OpenBundle.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace attn;

namespace {
/// Words of PTX without comments and white space: names, numbers and
/// directives, texts in quotes, and single other characters.
class Words {
public:
  /// The driver stops at a 0, too.
  explicit Words(const std::string &text) : text(text.c_str()) {}

  /// Empty at the end.
  std::string next() {
    skip();
    size_t begin = at;
    if (at < text.size() && text[at] == '"')
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    else if (at < text.size() && !isName(text[at]))
      ++at;
    else
      while (at < text.size() && isName(text[at]))
        ++at;
    return text.substr(begin, at - begin);
  }

private:
  static bool isName(unsigned char character) {
    return std::isalnum(character) || std::strchr("._$%", character);
  }
  void skip() {
    for (;;) {
      if (at < text.size() &&
          std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
      else if (text.compare(at, 2, "//") == 0)
        at = std::min(text.find('\n', at), text.size());
      else if (text.compare(at, 2, "/*") == 0)
        at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      else
        return;
    }
  }

  std::string text;
  size_t at = 0;
};
} // namespace

/// Of ".u64", ".b8" and their like; 0 where the word is no type.
static uint64_t bytesOf(const std::string &word) {
  for (const char *kind : {".b", ".u", ".s", ".f"})
    for (uint64_t bytes : {1, 2, 4, 8})
      if (word == kind + std::to_string(8 * bytes))
        return bytes;
  return 0;
}

/// The bytes of each parameter of an entry, behind its name. What the list ends
/// with, or where it is no list, is for the driver's compiler to see.
static std::vector<uint64_t> readParameters(Words &words) {
  std::vector<uint64_t> parameters;
  if (words.next() != "(")
    return parameters;
  for (std::string word = words.next(); !word.empty() && word != ")";
       word = words.next()) {
    if (word == ".param")
      parameters.push_back(0);
    if (parameters.empty())
      continue;
    if (uint64_t bytes = bytesOf(word))
      parameters.back() = bytes;
    if (word == "[")
      parameters.back() *= std::strtoull(words.next().c_str(), nullptr, 0);
  }
  return parameters;
}

static void checkVariant(const std::string &path, const Manifest &manifest,
                         const VariantSpec &variant) {
  Words words(manifest.binaries[variant.binary].contents);
  std::string names;
  bool found = false;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry")
      continue;
    std::string name = words.next();
    names += (names.empty() ? "" : ", ") + name;
    if (name != variant.kernel)
      continue;
    found = true;
    std::vector<uint64_t> parameters = readParameters(words);
    checkParameterCount(variant, parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i)
      checkParameterBytes(manifest, variant, i, parameters[i]);
  }
  if (!found)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + ": " +
             wantedGot("kernel " + inQuotes(variant.kernel),
                       names.empty() ? "none" : names.substr(0, 300)));
}

void attn::checkPtx(const std::string &path, const Manifest &manifest,
                    uint32_t binary) {
  for (const VariantSpec &variant : manifest.variants)
    if (variant.binary == binary)
      checkVariant(path, manifest, variant);
}
