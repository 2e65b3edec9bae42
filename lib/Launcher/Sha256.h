//===- Sha256.h - A digest of bytes ----------------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_SHA256_H
#define ATTN_LIB_LAUNCHER_SHA256_H

#include <string>

namespace attn {

/// Hexadecimal digits of a digest.
constexpr size_t kSha256Digits = 64;

/// SHA-256 of the bytes of `text`, in lower-case hexadecimal digits, as
/// sha256sum prints it.
std::string sha256(const std::string &text);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_SHA256_H
