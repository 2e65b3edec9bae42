//===- Files.cpp - Read the files of a bundle -----------------------------===//

#include "Failure.h"
#include "Manifest.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace attn;

/// Of device code; the kernels here are below 1 MB.
static constexpr size_t kMaxBinaryBytes = size_t(1) << 30;

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

template <typename Number>
static uint64_t numberAt(const std::string &contents, size_t offset) {
  Number result;
  std::memcpy(&result, contents.data() + offset, sizeof(result));
  return result;
}

/// The driver is told no length: it would read behind a file that was cut off.
/// Offsets are those of an ELF64 header.
static void checkElf(const std::string &path, const std::string &contents,
                     const std::string &kind) {
  constexpr size_t headerBytes = 64;
  if (contents.size() < headerBytes || contents.compare(0, 5,
                                                        "\x7f"
                                                        "ELF\x02") != 0)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + " is no " + kind + ": expected an ELF64 file");
  uint64_t segments = numberAt<uint64_t>(contents, 32);
  uint64_t sections = numberAt<uint64_t>(contents, 40);
  uint64_t segmentBytes =
      numberAt<uint16_t>(contents, 54) * numberAt<uint16_t>(contents, 56);
  uint64_t sectionBytes =
      numberAt<uint16_t>(contents, 58) * numberAt<uint16_t>(contents, 60);
  uint64_t size = contents.size();
  if (segments > size || segmentBytes > size - segments || sections > size ||
      sectionBytes > size - sections)
    fail(ATTN_ERROR_BUNDLE, inQuotes(path) +
                                " is cut off: its tables end behind "
                                "the file's " +
                                std::to_string(size) + " bytes");
}

Manifest attn::readBundle(const std::string &directory) {
  Manifest manifest =
      parseManifest(readFile(directory + "/manifest.json", kMaxManifestBytes));
  for (uint32_t i = 0; i < manifest.binaries.size(); ++i) {
    BinarySpec &binary = manifest.binaries[i];
    std::string path = directory + "/" + binary.file;
    binary.contents = readFile(path, kMaxBinaryBytes);
    switch (binary.format) {
    case BinaryFormat::Cubin:
      checkElf(path, binary.contents, "cubin");
      checkCubin(path, manifest, i);
      break;
    case BinaryFormat::Ptx:
      // Behind the contents std::string keeps a 0, where the driver stops.
      if (binary.contents.empty())
        fail(ATTN_ERROR_BUNDLE, inQuotes(path) + " is empty");
      checkPtx(path, manifest, i);
      break;
    case BinaryFormat::Hsaco:
      checkElf(path, binary.contents, "hsaco");
      checkHsaco(path, manifest, i);
      break;
    }
  }
  return manifest;
}
