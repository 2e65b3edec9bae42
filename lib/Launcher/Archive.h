//===- Archive.h - A bundle as one file -------------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_ARCHIVE_H
#define ATTN_LIB_LAUNCHER_ARCHIVE_H

#include <map>
#include <string>
#include <string_view>

namespace attn {

/// The files of an archive by name; they are where the archive is.
using ArchiveFiles = std::map<std::string_view, std::string_view>;

/// Reads a POSIX ustar archive of plain files, which is untrusted; `name` is
/// what messages call it. Throws Failure.
ArchiveFiles readArchive(std::string_view archive, const std::string &name);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_ARCHIVE_H
