//===- CodeObject.cpp - A gfx942 code object (hsaco) ----------------------===//

#include "attn-mlir/Emulator/Gfx942/CodeObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"

using namespace attn::gfx942;
using namespace llvm;
namespace elf = llvm::ELF;
using ElfFile = object::ELFFile<object::ELF64LE>;

namespace attn::gfx942 {

/// Fills a code object from an ELF file.
class CodeObjectReader {
public:
  CodeObjectReader(StringRef elf, StringRef name)
      : bytes(elf), fileName(name), object(new CodeObject) {}

  Expected<std::unique_ptr<CodeObject>> read();

private:
  Error checkHeader(const ElfFile &file);
  Error loadSegments(const ElfFile &file);
  Error refuseRelocations(const ElfFile &file);
  Error readKernels(const ElfFile &file);
  Error readDescriptor(KernelInfo &kernel, uint64_t address);
  Error readNotes(const ElfFile &file);
  Error readMetadata(StringRef blob);
  void readArguments(KernelInfo &kernel, msgpack::DocNode &node);

  Error fail(const Twine &what) const {
    return createStringError(Twine("'") + fileName + "': " + what);
  }

  StringRef bytes, fileName;
  std::unique_ptr<CodeObject> object;
};

} // namespace attn::gfx942

Expected<std::unique_ptr<CodeObject>> CodeObjectReader::read() {
  if (!bytes.starts_with("\x7f"
                         "ELF\2\1"))
    return fail("not an ELF file of 64 bits, little-endian");
  Expected<ElfFile> file = ElfFile::create(bytes);
  if (!file)
    return fail("not an ELF file: " + toString(file.takeError()));
  if (Error e = checkHeader(*file))
    return std::move(e);
  if (Error e = loadSegments(*file))
    return std::move(e);
  if (Error e = refuseRelocations(*file))
    return std::move(e);
  if (Error e = readKernels(*file))
    return std::move(e);
  if (Error e = readNotes(*file))
    return std::move(e);
  return std::move(object);
}

Error CodeObjectReader::checkHeader(const ElfFile &file) {
  const auto &header = file.getHeader();
  if (header.e_machine != elf::EM_AMDGPU)
    return fail("not an AMDGPU code object (e_machine " +
                Twine(header.e_machine) + ")");
  unsigned mach = header.e_flags & elf::EF_AMDGPU_MACH;
  if (mach != elf::EF_AMDGPU_MACH_AMDGCN_GFX942)
    return fail("wants gfx942, got EF_AMDGPU_MACH 0x" + utohexstr(mach));
  if (header.e_type != elf::ET_DYN)
    return fail("not linked: wants a shared object, as `ld.lld -shared` makes");
  return Error::success();
}

Error CodeObjectReader::loadSegments(const ElfFile &file) {
  auto headers = file.program_headers();
  if (!headers)
    return fail(toString(headers.takeError()));
  // A kernel is megabytes at most; a damaged header must not ask for terabytes.
  constexpr uint64_t kMaxImage = uint64_t(1) << 30;
  for (const auto &segment : *headers) {
    if (segment.p_type != elf::PT_LOAD)
      continue;
    uint64_t begin = segment.p_vaddr, size = segment.p_memsz;
    if (begin > kMaxImage || size > kMaxImage)
      return fail("a segment of more than 1 GiB");
    if (segment.p_filesz > size || segment.p_offset > bytes.size() ||
        segment.p_filesz > bytes.size() - segment.p_offset)
      return fail("a segment reaches past the end of the file");
    if (object->imageBytes.size() < begin + size)
      object->imageBytes.resize(begin + size);
    llvm::copy(bytes.substr(segment.p_offset, segment.p_filesz),
               object->imageBytes.begin() + begin);
  }
  return Error::success();
}

Error CodeObjectReader::refuseRelocations(const ElfFile &file) {
  auto sections = file.sections();
  if (!sections)
    return fail(toString(sections.takeError()));
  for (const auto &section : *sections)
    if (section.sh_type == elf::SHT_RELA && section.sh_size != 0)
      return fail("has dynamic relocations, which the emulator does not apply");
  return Error::success();
}

Error CodeObjectReader::readKernels(const ElfFile &file) {
  auto sections = file.sections();
  if (!sections)
    return fail(toString(sections.takeError()));
  std::vector<std::pair<std::string, uint64_t>> descriptors;
  struct Extent {
    uint64_t begin, size;
  };
  std::map<std::string, Extent> functions;
  for (const auto &section : *sections) {
    // The linker may strip the full table, never the dynamic one.
    if (section.sh_type != elf::SHT_DYNSYM)
      continue;
    auto symbols = file.symbols(&section);
    auto strings = file.getStringTableForSymtab(section);
    if (!symbols || !strings) {
      consumeError(symbols.takeError());
      consumeError(strings.takeError());
      return fail("its symbol table cannot be read");
    }
    for (const auto &symbol : *symbols) {
      Expected<StringRef> symbolName = symbol.getName(*strings);
      if (!symbolName)
        return fail(toString(symbolName.takeError()));
      if (symbolName->ends_with(".kd"))
        descriptors.emplace_back(symbolName->drop_back(3).str(),
                                 symbol.st_value);
      else
        functions[symbolName->str()] = {symbol.st_value, symbol.st_size};
    }
  }
  for (const auto &[name, address] : descriptors) {
    auto function = functions.find(name);
    if (function == functions.end())
      return fail("kernel descriptor '" + name + ".kd' without a function");
    KernelInfo kernel;
    kernel.name = name;
    kernel.codeBegin = function->second.begin;
    kernel.codeEnd = kernel.codeBegin + function->second.size;
    if (kernel.codeEnd > object->imageBytes.size())
      return fail("the code of '" + name + "' lies outside of the image");
    if (Error e = readDescriptor(kernel, address))
      return e;
    object->kernelList.push_back(std::move(kernel));
  }
  if (object->kernelList.empty())
    return fail("holds no kernel");
  return Error::success();
}

Error CodeObjectReader::readDescriptor(KernelInfo &kernel, uint64_t address) {
  const auto &image = object->imageBytes;
  if (address > image.size() || image.size() - address < 64)
    return fail("the descriptor of '" + kernel.name +
                "' lies outside of the image");
  amdhsa::kernel_descriptor_t d;
  std::memcpy(&d, image.data() + address, sizeof d);
  kernel.ldsBytes = d.group_segment_fixed_size;
  kernel.scratchBytes = d.private_segment_fixed_size;
  kernel.kernargBytes = d.kernarg_size;
  kernel.entry = address + d.kernel_code_entry_byte_offset;
  kernel.rsrc1 = d.compute_pgm_rsrc1;
  kernel.rsrc2 = d.compute_pgm_rsrc2;
  kernel.rsrc3 = d.compute_pgm_rsrc3;
  kernel.properties = d.kernel_code_properties;
  kernel.preload = d.kernarg_preload;
  if (kernel.entry < kernel.codeBegin || kernel.entry >= kernel.codeEnd)
    return fail("the entry of '" + kernel.name +
                "' lies outside of its function");
  return Error::success();
}

Error CodeObjectReader::readNotes(const ElfFile &file) {
  auto headers = file.program_headers();
  if (!headers)
    return fail(toString(headers.takeError()));
  for (const auto &header : *headers) {
    if (header.p_type != elf::PT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : file.notes(header, error)) {
      if (note.getType() != elf::NT_AMDGPU_METADATA ||
          note.getName() != "AMDGPU")
        continue;
      if (Error e = readMetadata(note.getDescAsStringRef(4))) {
        consumeError(std::move(error));
        return e;
      }
    }
    if (error)
      return fail(toString(std::move(error)));
  }
  return Error::success();
}

/// The unsigned integer under `key`, or 0.
static uint64_t numberOf(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  if (it->second.getKind() == msgpack::Type::UInt)
    return it->second.getUInt();
  return it->second.getKind() == msgpack::Type::Int ? it->second.getInt() : 0;
}

static std::string stringOf(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  return it != map.end() && it->second.isString() ? it->second.getString().str()
                                                  : std::string();
}

Error CodeObjectReader::readMetadata(StringRef blob) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return fail("its metadata note is not a MessagePack map");
  auto &root = document.getRoot().getMap();
  auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray())
    return fail("its metadata has no 'amdhsa.kernels'");
  for (msgpack::DocNode &node : list->second.getArray()) {
    if (!node.isMap())
      return fail("an entry of 'amdhsa.kernels' is not a map");
    std::string name = stringOf(node.getMap(), ".name");
    auto kernel = llvm::find_if(object->kernelList, [&](const KernelInfo &k) {
      return k.name == name;
    });
    if (kernel != object->kernelList.end())
      readArguments(*kernel, node);
  }
  return Error::success();
}

void CodeObjectReader::readArguments(KernelInfo &kernel,
                                     msgpack::DocNode &node) {
  auto args = node.getMap().find(".args");
  if (args == node.getMap().end() || !args->second.isArray())
    return;
  for (msgpack::DocNode &arg : args->second.getArray()) {
    if (!arg.isMap())
      continue;
    KernelArgument argument;
    argument.name = stringOf(arg.getMap(), ".name");
    argument.valueKind = stringOf(arg.getMap(), ".value_kind");
    argument.offset = numberOf(arg.getMap(), ".offset");
    argument.size = numberOf(arg.getMap(), ".size");
    kernel.arguments.push_back(std::move(argument));
  }
}

Expected<std::unique_ptr<CodeObject>> CodeObject::load(StringRef elf,
                                                       StringRef name) {
  return CodeObjectReader(elf, name).read();
}

std::unique_ptr<CodeObject> CodeObject::fromCode(ArrayRef<uint8_t> code,
                                                 KernelInfo info) {
  std::unique_ptr<CodeObject> object(new CodeObject);
  object->imageBytes.assign(code.begin(), code.end());
  info.entry = info.codeBegin = 0;
  info.codeEnd = code.size();
  object->kernelList.push_back(std::move(info));
  return object;
}

Expected<const KernelInfo *> CodeObject::find(StringRef kernel) const {
  for (const KernelInfo &info : kernelList)
    if (info.name == kernel)
      return &info;
  std::string names = llvm::join(
      llvm::map_range(kernelList, [](const KernelInfo &k) { return k.name; }),
      ", ");
  return createStringError("no kernel '" + kernel + "'; there are: " + names);
}
