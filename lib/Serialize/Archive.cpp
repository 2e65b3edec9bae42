//===- Archive.cpp - Bundles as files -------------------------------------===//

#include "attn-mlir/Serialize/Bundle.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <algorithm>

using namespace mlir;
using namespace attn;

static LogicalResult writeFile(Operation *op, StringRef directory,
                               const BundleFile &file) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, file.name);
  std::error_code error;
  llvm::ToolOutputFile output(path, error, llvm::sys::fs::OF_None);
  if (error)
    return op->emitError() << "cannot write " << path << ": "
                           << error.message();
  output.os() << file.contents;
  output.keep();
  return success();
}

LogicalResult attn::writeBundle(const Bundle &bundle, Operation *op,
                                StringRef directory) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return op->emitError() << "cannot make " << directory << ": "
                           << error.message();
  // What names the others comes last.
  for (const BundleFile &file : ArrayRef(bundle.files).drop_front())
    if (failed(writeFile(op, directory, file)))
      return failure();
  return writeFile(op, directory, bundle.files.front());
}

//===----------------------------------------------------------------------===//
// ustar
//===----------------------------------------------------------------------===//

constexpr size_t kBlock = 512;

/// The header of a file, without anything that could differ between two equal
/// bundles: owner, time.
static std::string headerOf(const BundleFile &file) {
  std::string header(kBlock, '\0');
  auto put = [&](size_t at, StringRef text) {
    std::copy(text.begin(), text.end(), header.begin() + at);
  };
  // Digits, and a zero after them.
  auto putOctal = [&](size_t at, size_t digits, uint64_t number) {
    for (size_t i = digits; i-- > 0; number >>= 3)
      header[at + i] = static_cast<char>('0' + (number & 7));
  };
  put(0, StringRef(file.name).take_front(kMaxBundleName));
  putOctal(100, 7, 0644);
  putOctal(108, 7, 0);
  putOctal(116, 7, 0);
  putOctal(124, 11, file.contents.size());
  putOctal(136, 11, 0);
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  // The sum is that of a header whose sum is blank.
  put(148, "        ");
  uint64_t sum = 0;
  for (unsigned char byte : header)
    sum += byte;
  putOctal(148, 6, sum);
  header[154] = '\0';
  return header;
}

std::string attn::packBundle(const Bundle &bundle) {
  std::string archive;
  for (const BundleFile &file : bundle.files) {
    archive += headerOf(file) + file.contents;
    archive.append(
        llvm::offsetToAlignment(file.contents.size(), llvm::Align(kBlock)),
        '\0');
  }
  // Two blocks of zeros end it.
  archive.append(2 * kBlock, '\0');
  return archive;
}
