//===- Archive.cpp - Read a POSIX ustar archive ---------------------------===//
//
// A row of entries, each a header of one block and the contents in as many as
// they need, then blocks of zeros (POSIX.1-2017, pax, "ustar Interchange
// Format"). Of what the format has, bundles use plain files in no directory.
//
//===----------------------------------------------------------------------===//

#include "Archive.h"
#include "Failure.h"
#include "Manifest.h"

using namespace attn;

static constexpr size_t kBlock = 512;

namespace {
/// A field of a header.
struct Field {
  size_t offset, bytes;
};

class Reader {
public:
  Reader(std::string_view archive, const std::string &name)
      : archive(archive), name(name) {}

  ArchiveFiles read();

private:
  [[noreturn]] void error(const std::string &text) const {
    fail(ATTN_ERROR_BUNDLE, name + ": " + text);
  }
  /// About the entry whose header is read.
  [[noreturn]] void errorInEntry(const std::string &text) const {
    error("the entry at byte " + std::to_string(position) + ": " + text);
  }

  /// The text of a field, up to its first 0.
  std::string_view text(Field field) const {
    std::string_view all = archive.substr(position + field.offset, field.bytes);
    return all.substr(0, all.find('\0'));
  }
  uint64_t number(Field field, const char *what) const;
  bool atEnd() const;
  void checkHeader() const;
  std::string_view fileName() const;

  std::string_view archive;
  const std::string &name;
  size_t position = 0;
};
} // namespace

static constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8},
    kType{156, 1}, kMagic{257, 8}, kPrefix{345, 155};

/// Octal digits, between spaces in some writers' headers.
uint64_t Reader::number(Field field, const char *what) const {
  std::string_view digits = text(field);
  size_t first = digits.find_first_not_of(' '),
         last = digits.find_last_not_of(' ');
  digits = first == std::string_view::npos
               ? std::string_view()
               : digits.substr(first, last - first + 1);
  if (digits.empty() ||
      digits.find_first_not_of("01234567") != std::string_view::npos)
    errorInEntry(std::string("expected octal digits for its ") + what);
  // 12 digits of 3 bits.
  uint64_t result = 0;
  for (char digit : digits)
    result = 8 * result + (digit - '0');
  return result;
}

/// The sum of the header's bytes, where those of the sum itself are spaces.
static uint64_t checksumOf(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i)
    sum += i - kChecksum.offset < kChecksum.bytes
               ? static_cast<unsigned char>(' ')
               : static_cast<unsigned char>(header[i]);
  return sum;
}

void Reader::checkHeader() const {
  using namespace std::string_view_literals;
  if (archive.substr(position + kMagic.offset, kMagic.bytes) != "ustar\00000"sv)
    errorInEntry("expected a header of a POSIX ustar archive");
  uint64_t stated = number(kChecksum, "checksum"),
           sum = checksumOf(archive.substr(position, kBlock));
  if (stated != sum)
    errorInEntry(
        "its header is damaged: " +
        wantedGot("checksum " + std::to_string(stated), std::to_string(sum)));
}

std::string_view Reader::fileName() const {
  std::string_view file = text(kName);
  // A 0 was the type before there was ustar.
  char type = archive[position + kType.offset];
  if (type != '0' && type != '\0')
    errorInEntry("expected a plain file, but got one of type '" +
                 std::string(1, type) + "'");
  if (!isFileName(file) || !text(kPrefix).empty())
    errorInEntry("expected the name of a file in no directory");
  return file;
}

/// Zeros up to the end are the end; at least one block of them.
bool Reader::atEnd() const {
  if (archive.substr(position, kBlock).find_first_not_of('\0') !=
      std::string_view::npos)
    return false;
  if (archive.find_first_not_of('\0', position) != std::string_view::npos)
    error("expected zeros behind the last entry, from byte " +
          std::to_string(position) + " on");
  return true;
}

ArchiveFiles Reader::read() {
  ArchiveFiles files;
  while (true) {
    if (archive.size() - position < kBlock)
      error("expected a POSIX ustar archive that ends with zeros, but its " +
            std::to_string(archive.size()) + " bytes end in a header");
    if (atEnd())
      return files;
    checkHeader();
    std::string_view file = fileName();
    uint64_t bytes = number(kSize, "size");
    if (bytes > uint64_t(kMaxBinaryBytes))
      errorInEntry("expected at most " + std::to_string(kMaxBinaryBytes) +
                   " bytes, but got " + std::to_string(bytes));
    uint64_t blocks = (bytes + kBlock - 1) / kBlock;
    if (archive.size() - position - kBlock < blocks * kBlock)
      errorInEntry("expected " + std::to_string(bytes) +
                   " bytes of contents, but the archive ends");
    if (files.size() > kMaxBinaries)
      errorInEntry("expected at most " + std::to_string(kMaxBinaries + 1) +
                   " files");
    if (!files.emplace(file, archive.substr(position + kBlock, bytes)).second)
      errorInEntry("there are two files " + inQuotes(std::string(file)));
    position += kBlock + blocks * kBlock;
  }
}

ArchiveFiles attn::readArchive(std::string_view archive,
                               const std::string &name) {
  return Reader(archive, name).read();
}
