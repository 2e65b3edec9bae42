//===- BundleDirectory.h - A bundle for attnBundleOpen ----------*- C++ -*-===//

#ifndef ATTN_TEST_FUZZ_BUNDLEDIRECTORY_H
#define ATTN_TEST_FUZZ_BUNDLEDIRECTORY_H

#include "attn-mlir-c/Launcher.h"
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace attn_fuzz {

[[noreturn]] inline void found(const std::string &what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

/// A temporary directory with the files of the directory that ATTN_FUZZ_BUNDLE
/// names, gone at the end of the process.
class BundleDirectory {
public:
  BundleDirectory();
  ~BundleDirectory();
  void write(const std::string &file, const uint8_t *data, size_t size) const;
  const std::string &path() const { return directory; }

private:
  std::string directory;
};

/// Calls everything that takes a bundle, `launches` times with arguments that
/// follow from `seed`: sizes at borders, and mostly such as are allowed. A
/// failure must have a message, and must not be ATTN_ERROR_INTERNAL.
void useBundle(const std::string &directory, unsigned seed, unsigned launches);

} // namespace attn_fuzz

#endif // ATTN_TEST_FUZZ_BUNDLEDIRECTORY_H
