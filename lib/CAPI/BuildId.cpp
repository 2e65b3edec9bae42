//===- BuildId.cpp - Which build of the library this is -------------------===//

#include "attn-mlir-c/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Alignment.h"
#include <cstring>
#include <elf.h>
#include <link.h>

namespace {

/// What the linker computed of the contents of the file that holds an address.
struct Search {
  uintptr_t address;
  std::string found;
};

/// The build id among the notes, or "".
std::string buildIdOf(llvm::ArrayRef<char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    size_t name = sizeof(header),
           contents = name + llvm::alignTo(header.n_namesz, 4),
           end = contents + llvm::alignTo(header.n_descsz, 4);
    if (end > notes.size())
      break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        llvm::StringRef(notes.data() + name, header.n_namesz) ==
            llvm::StringRef("GNU", 4))
      return llvm::toHex(
          llvm::StringRef(notes.data() + contents, header.n_descsz),
          /*LowerCase=*/true);
    notes = notes.drop_front(end);
  }
  return "";
}

int visit(dl_phdr_info *file, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::ArrayRef<ElfW(Phdr)> headers(file->dlpi_phdr, file->dlpi_phnum);
  auto holds = [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD &&
           search.address - file->dlpi_addr - header.p_vaddr < header.p_memsz;
  };
  if (llvm::none_of(headers, holds))
    return 0;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && search.found.empty())
      search.found = buildIdOf(llvm::ArrayRef(
          reinterpret_cast<const char *>(file->dlpi_addr + header.p_vaddr),
          header.p_memsz));
  return 1;
}

std::string describeBuild() {
  Search search{reinterpret_cast<uintptr_t>(&describeBuild), ""};
  dl_iterate_phdr(visit, &search);
  return std::string(ATTN_VERSION) + "+llvm" LLVM_VERSION_STRING "." +
         search.found;
}

} // namespace

const char *attnCompilerVersion(void) { return ATTN_VERSION; }

int32_t attnCompilerAbiVersion(void) { return ATTN_COMPILER_ABI_VERSION; }

const char *attnCompilerBuildId(void) {
  static const std::string text = describeBuild();
  return text.c_str();
}
