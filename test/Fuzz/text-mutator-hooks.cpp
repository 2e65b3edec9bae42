//===- text-mutator-hooks.cpp - libFuzzer asks TextMutator ----------------===//

#include "TextMutator.h"
#include <algorithm>
#include <cstring>

using attn_fuzz::TextMutator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/// Bytes of a comment on the first line: what is to be done with a module
/// (fuzz-ir.cpp). To change that alone leaves a module that can be parsed.
static size_t headOf(const uint8_t *data, size_t size) {
  if (size < 2 || std::memcmp(data, "//", 2) != 0)
    return 0;
  return std::find(data, data + size, '\n') - data;
}

/// Writes `head` and what `text` has behind its own.
static size_t join(const std::string &head, const std::string &rest,
                   uint8_t *out, size_t most) {
  std::string text = head + rest;
  size_t size = std::min(text.size(), most);
  std::memcpy(out, text.data(), size);
  return size;
}

/// libFuzzer's own mutations know the dictionary.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  size_t head = headOf(data, size);
  bool headAlone = head && seed % 2;
  TextMutator text(data, headAlone ? head : size, seed);
  text.mutate();
  std::string rest(data + (headAlone ? head : size), data + size);
  return join(text.str(), rest, data, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t oneSize,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  size_t head = headOf(one, oneSize), otherHead = headOf(other, otherSize);
  if (head && otherHead && seed % 4)
    return join(std::string(other, other + otherHead),
                std::string(one + head, one + oneSize), out, most);
  TextMutator text(one, oneSize, seed);
  text.splice(TextMutator(other, otherSize, seed));
  return join(text.str(), "", out, most);
}
