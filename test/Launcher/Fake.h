//===- Fake.h - What the stand-ins for drivers share ------------*- C++ -*-===//
//
//   ATTN_FAKE_LOG=FILE         each call is a line appended to FILE
//   ATTN_FAKE_FAIL=NAME:CODE   NAME returns CODE (several, by comma)
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_LAUNCHER_FAKE_H
#define ATTN_TEST_LAUNCHER_FAKE_H

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

/// Appends a line to the log.
__attribute__((format(printf, 1, 2))) inline void note(const char *format,
                                                       ...) {
  const char *file = std::getenv("ATTN_FAKE_LOG");
  if (!file)
    return;
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line) - 1, format, arguments);
  va_end(arguments);
  std::strcat(line, "\n");
  if (std::FILE *log = std::fopen(file, "a")) {
    std::fputs(line, log);
    std::fclose(log);
  }
}

inline int numberFrom(const char *variable, int otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::atoi(text) : otherwise;
}

/// The code that ATTN_FAKE_FAIL wants of `name`, else 0, which is success.
inline int injected(const char *name) {
  const char *text = std::getenv("ATTN_FAKE_FAIL");
  std::istringstream list(text ? text : "");
  for (std::string entry; std::getline(list, entry, ',');) {
    size_t colon = entry.find(':');
    if (colon != std::string::npos && entry.substr(0, colon) == name)
      return std::atoi(entry.c_str() + colon + 1);
  }
  return 0;
}

#endif // ATTN_TEST_LAUNCHER_FAKE_H
