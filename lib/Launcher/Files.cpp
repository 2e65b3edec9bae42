//===- Files.cpp - Read the files of a bundle -----------------------------===//

#include "Failure.h"
#include "Manifest.h"
#include "Sha256.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace attn;

static std::string readFile(const std::string &path, size_t most) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    fail(ATTN_ERROR_BUNDLE,
         "cannot open " + inQuotes(path) + ": " + std::strerror(errno));
  std::string contents;
  char part[1 << 16];
  while (size_t count = std::fread(part, 1, sizeof(part), file.get())) {
    contents.append(part, count);
    if (contents.size() > most)
      fail(ATTN_ERROR_BUNDLE, inQuotes(path) + ": expected at most " +
                                  std::to_string(most) +
                                  " bytes, but got more");
  }
  if (std::ferror(file.get()))
    fail(ATTN_ERROR_BUNDLE,
         "cannot read " + inQuotes(path) + ": " + std::strerror(errno));
  return contents;
}

/// Drivers are told no length of what they load, and read as many parameters as
/// it says that a kernel has.
static void checkBinary(const std::string &path, const BinarySpec &binary) {
  if (size_t bytes = binary.contents.size(); bytes != binary.bytes)
    fail(ATTN_ERROR_BUNDLE, inQuotes(path) + ": " +
                                wantedGot(std::to_string(binary.bytes) +
                                              " bytes, as the manifest says",
                                          std::to_string(bytes)));
  if (std::string digest = sha256(binary.contents); digest != binary.digest)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + ": " +
             wantedGot("SHA-256 " + binary.digest + ", as the manifest says",
                       digest));
}

Manifest attn::readBundle(const std::string &directory, const char *program) {
  Manifest manifest = parseManifest(
      readFile(directory + "/manifest.json", kMaxManifestBytes), program);
  for (BinarySpec &binary : manifest.binaries) {
    std::string path = directory + "/" + binary.file;
    binary.contents = readFile(path, binary.bytes);
    checkBinary(path, binary);
  }
  return manifest;
}
