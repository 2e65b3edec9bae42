//===- Reader.h - Bytes of an untrusted file -------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_READER_H
#define ATTN_LIB_LAUNCHER_READER_H

#include "Failure.h"
#include <cstdint>

namespace attn {

/// Bytes of a file, read from the front; never beyond their end. `what` they
/// are ("its metadata") is for messages.
class Reader {
public:
  Reader(const std::string &path, const char *what, const char *begin,
         const char *end)
      : path(path), what(what), at(begin), end(end) {}

  [[noreturn]] void malformed(const std::string &why) const {
    fail(ATTN_ERROR_BUNDLE, inQuotes(path) + " is damaged: " + why);
  }
  size_t left() const { return end - at; }
  const char *take(uint64_t bytes) {
    if (bytes > left())
      malformed("expected " + std::to_string(bytes) + " bytes more of " + what +
                ", but got " + std::to_string(left()));
    const char *result = at;
    at += bytes;
    return result;
  }
  uint64_t littleEndian(unsigned bytes) {
    const char *from = take(bytes);
    uint64_t number = 0;
    for (unsigned i = bytes; i-- > 0;)
      number = number << 8 | uint8_t(from[i]);
    return number;
  }
  uint64_t bigEndian(unsigned bytes) {
    const char *from = take(bytes);
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; ++i)
      number = number << 8 | uint8_t(from[i]);
    return number;
  }
  /// The next bytes alone.
  Reader part(uint64_t bytes) {
    const char *begin = take(bytes);
    return Reader(path, what, begin, begin + bytes);
  }
  std::string text(uint64_t bytes) { return std::string(take(bytes), bytes); }

private:
  const std::string &path;
  const char *what;
  const char *at, *end;
};

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_READER_H
