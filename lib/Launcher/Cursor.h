//===- Cursor.h - A place in a manifest ------------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_CURSOR_H
#define ATTN_LIB_LAUNCHER_CURSOR_H

#include "Failure.h"
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace attn {

/// A value of the manifest and where it is, for messages. What reads it throws
/// Failure where it is something else.
class Cursor {
public:
  using Json = nlohmann::json;

  Cursor(const Json &value, std::string path)
      : value(value), path(std::move(path)) {}

  [[noreturn]] void error(const std::string &text) const;
  [[noreturn]] void wanted(const std::string &what) const;

  bool has(const char *key) const;
  Cursor at(const char *key) const;
  Cursor entry(size_t i) const;

  size_t list(size_t least, size_t most) const;
  int64_t integer(int64_t least, int64_t most) const;
  std::string text() const;
  void allowOnly(std::initializer_list<const char *> keys) const;

  bool isInteger() const { return value.is_number_integer(); }
  bool isText() const { return value.is_string(); }
  bool isText(const char *text) const;
  bool isList() const { return value.is_array(); }

  /// As it was read.
  const Json &json() const { return value; }

private:
  std::string describe() const;

  const Json &value;
  std::string path;
};

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_CURSOR_H
