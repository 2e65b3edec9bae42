//===- Cursor.cpp - A place in a manifest ---------------------------------===//

#include "Cursor.h"
#include <algorithm>
#include <limits>

using namespace attn;

void Cursor::error(const std::string &text) const {
  fail(ATTN_ERROR_BUNDLE, "manifest.json: " + path + ": " + text);
}

void Cursor::wanted(const std::string &what) const {
  error(wantedGot(what, describe()));
}

/// Only scalars are quoted: a nested value could be as deep as it likes.
std::string Cursor::describe() const {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list of " + std::to_string(value.size());
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

bool Cursor::has(const char *key) const {
  return value.is_object() && value.contains(key);
}

Cursor Cursor::at(const char *key) const {
  if (!value.is_object())
    wanted("an object");
  auto found = value.find(key);
  if (found == value.end())
    error("expected " + inQuotes(key) + ", which is missing");
  return Cursor(*found, path.empty() ? key : path + "." + key);
}

Cursor Cursor::entry(size_t i) const {
  return Cursor(value[i], path + "[" + std::to_string(i) + "]");
}

size_t Cursor::list(size_t least, size_t most) const {
  std::string what = least == most ? "a list of " + std::to_string(least)
                                   : "a list of " + std::to_string(least) +
                                         " to " + std::to_string(most);
  if (!value.is_array() || value.size() < least || value.size() > most)
    wanted(what);
  return value.size();
}

int64_t Cursor::integer(int64_t least, int64_t most) const {
  bool fits = value.is_number_integer();
  if (value.is_number_unsigned())
    fits =
        value.get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max());
  if (!fits || value.get<int64_t>() < least || value.get<int64_t>() > most)
    wanted("a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return value.get<int64_t>();
}

std::string Cursor::text() const {
  if (!value.is_string() || value.get_ref<const std::string &>().empty() ||
      value.get_ref<const std::string &>().find('\0') != std::string::npos)
    wanted("a text without zero bytes");
  return value.get<std::string>();
}

bool Cursor::isText(const char *text) const {
  return value.is_string() && value.get_ref<const std::string &>() == text;
}

/// What says how to launch is not skipped: a key of a later format could mean
/// anything.
void Cursor::allowOnly(std::initializer_list<const char *> keys) const {
  if (!value.is_object())
    wanted("an object");
  for (const auto &item : value.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      error("unknown key " + inQuotes(item.key()));
}
