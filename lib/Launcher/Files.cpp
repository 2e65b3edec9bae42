//===- Files.cpp - Read the files of a bundle -----------------------------===//

#include "Archive.h"
#include "Failure.h"
#include "Manifest.h"
#include "Sha256.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

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

//===----------------------------------------------------------------------===//
// Where files are
//===----------------------------------------------------------------------===//

namespace {
/// The files of a bundle, wherever they are.
class BundleFiles {
public:
  virtual ~BundleFiles() = default;
  /// Throws unless the file is there, and has at most that many bytes.
  virtual std::string read(const std::string &file, size_t most) const = 0;
  /// For messages.
  virtual std::string describe(const std::string &file) const = 0;
};

class Directory final : public BundleFiles {
public:
  explicit Directory(std::string path) : path(std::move(path)) {}

  std::string read(const std::string &file, size_t most) const override {
    return readFile(path + "/" + file, most);
  }
  std::string describe(const std::string &file) const override {
    return inQuotes(path + "/" + file);
  }

private:
  std::string path;
};

/// Of contents that outlive it.
class ArchivedFiles final : public BundleFiles {
public:
  ArchivedFiles(std::string_view archive, std::string name)
      : name(std::move(name)), files(readArchive(archive, this->name)) {}

  std::string read(const std::string &file, size_t most) const override {
    auto found = files.find(file);
    if (found == files.end())
      fail(ATTN_ERROR_BUNDLE,
           name + ": expected a file " + inQuotes(file) + ", which is missing");
    if (found->second.size() > most)
      fail(ATTN_ERROR_BUNDLE, describe(file) + ": expected at most " +
                                  std::to_string(most) +
                                  " bytes, but got more");
    return std::string(found->second);
  }
  std::string describe(const std::string &file) const override {
    return name + ": " + inQuotes(file);
  }

private:
  std::string name;
  ArchiveFiles files;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// Drivers are told no length of what they load, and read as many parameters as
/// it says that a kernel has.
static void checkBinary(const std::string &where, const BinarySpec &binary) {
  if (size_t bytes = binary.contents.size(); bytes != binary.bytes)
    fail(ATTN_ERROR_BUNDLE, where + ": " +
                                wantedGot(std::to_string(binary.bytes) +
                                              " bytes, as the manifest says",
                                          std::to_string(bytes)));
  if (std::string digest = sha256(binary.contents); digest != binary.digest)
    fail(ATTN_ERROR_BUNDLE,
         where + ": " +
             wantedGot("SHA-256 " + binary.digest + ", as the manifest says",
                       digest));
}

static Manifest readBundle(const BundleFiles &files, const char *program) {
  Manifest manifest =
      parseManifest(files.read("manifest.json", kMaxManifestBytes), program);
  for (BinarySpec &binary : manifest.binaries) {
    binary.contents = files.read(binary.file, binary.bytes);
    checkBinary(files.describe(binary.file), binary);
  }
  return manifest;
}

Manifest attn::readBundle(const std::string &path, const char *program) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    fail(ATTN_ERROR_BUNDLE,
         "cannot open " + inQuotes(path) + ": " + std::strerror(errno));
  if (S_ISDIR(facts.st_mode))
    return ::readBundle(Directory(path), program);
  std::string archive = readFile(path, kMaxArchiveBytes);
  return ::readBundle(ArchivedFiles(archive, inQuotes(path)), program);
}

Manifest attn::readArchivedBundle(std::string_view archive,
                                  const char *program) {
  return ::readBundle(ArchivedFiles(archive, "the archive"), program);
}
