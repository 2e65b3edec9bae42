//===- CodeObject.cpp - A code object (hsaco) -----------------------------===//

#include "attn-mlir/Emulator/Gfx942/CodeObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
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
  const ArchInfo *arch = findArch(mach);
  if (!arch)
    return fail("expected gfx942 or gfx950, but got EF_AMDGPU_MACH 0x" +
                utohexstr(mach));
  object->architecture = arch->arch;
  if (header.e_type != elf::ET_DYN)
    return fail(
        "not linked: expected a shared object, as `ld.lld -shared` makes");
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
  constexpr uint32_t kMostKernargs = 1 << 16, kMostScratch = 1 << 20;
  if (kernel.kernargBytes > kMostKernargs || kernel.scratchBytes > kMostScratch)
    return fail("the descriptor of '" + kernel.name + "' asks for " +
                Twine(kernel.kernargBytes) + " bytes of arguments and " +
                Twine(kernel.scratchBytes) + " of scratch");
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

namespace {

/// A value of the metadata. LLVM's msgpack::Document ends the process at a map
/// whose keys are not strings or numbers, so its reader is used directly.
struct MetadataValue {
  bool isMap = false, isArray = false;
  std::string text;
  uint64_t number = 0;
  std::vector<MetadataValue> items;                           // of an array
  std::vector<std::pair<std::string, MetadataValue>> entries; // of a map

  const MetadataValue *find(StringRef key) const {
    for (const auto &entry : entries)
      if (entry.first == key)
        return &entry.second;
    return nullptr;
  }
  uint64_t numberOf(StringRef key) const {
    const MetadataValue *value = find(key);
    return value ? value->number : 0;
  }
  std::string textOf(StringRef key) const {
    const MetadataValue *value = find(key);
    return value ? value->text : std::string();
  }
};

/// False where the input ends early, is malformed or nested too deeply.
bool readValue(msgpack::Reader &reader, MetadataValue &value, unsigned depth) {
  msgpack::Object object;
  Expected<bool> more = reader.read(object);
  if (!more) {
    consumeError(more.takeError());
    return false;
  }
  if (!*more || depth == 0)
    return false;
  value.isMap = object.Kind == msgpack::Type::Map;
  value.isArray = object.Kind == msgpack::Type::Array;
  if (object.Kind == msgpack::Type::String)
    value.text = object.Raw.str();
  if (object.Kind == msgpack::Type::UInt)
    value.number = object.UInt;
  if (object.Kind == msgpack::Type::Int)
    value.number = object.Int;
  size_t length = value.isMap || value.isArray ? object.Length : 0;
  for (size_t i = 0; i < length; ++i) {
    MetadataValue key, item;
    if (value.isMap && !readValue(reader, key, depth - 1))
      return false;
    if (!readValue(reader, item, depth - 1))
      return false;
    if (value.isMap)
      value.entries.emplace_back(std::move(key.text), std::move(item));
    else
      value.items.push_back(std::move(item));
  }
  return true;
}

std::vector<KernelArgument> readArguments(const MetadataValue &kernel) {
  std::vector<KernelArgument> arguments;
  const MetadataValue *list = kernel.find(".args");
  if (!list)
    return arguments;
  for (const MetadataValue &item : list->items) {
    KernelArgument argument;
    argument.name = item.textOf(".name");
    argument.valueKind = item.textOf(".value_kind");
    argument.offset = item.numberOf(".offset");
    argument.size = item.numberOf(".size");
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

} // namespace

Error CodeObjectReader::readMetadata(StringRef blob) {
  constexpr unsigned kMostDepth = 16;
  constexpr uint32_t kMostKernargs = 1 << 16;
  msgpack::Reader reader(blob);
  MetadataValue root;
  if (!readValue(reader, root, kMostDepth) || !root.isMap)
    return fail("its metadata note is not a MessagePack map");
  const MetadataValue *list = root.find("amdhsa.kernels");
  if (!list || !list->isArray)
    return fail("its metadata has no 'amdhsa.kernels'");
  for (const MetadataValue &item : list->items) {
    std::string name = item.textOf(".name");
    for (KernelInfo &kernel : object->kernelList) {
      if (kernel.name != name)
        continue;
      kernel.arguments = readArguments(item);
      for (const KernelArgument &arg : kernel.arguments)
        if (arg.offset > kMostKernargs || arg.size > kMostKernargs)
          return fail("argument '" + arg.name + "' of '" + name +
                      "' lies past 64 KiB");
    }
  }
  return Error::success();
}

Expected<std::unique_ptr<CodeObject>> CodeObject::load(StringRef elf,
                                                       StringRef name) {
  return CodeObjectReader(elf, name).read();
}

std::unique_ptr<CodeObject> CodeObject::fromCode(ArrayRef<uint8_t> code,
                                                 KernelInfo info, Arch arch) {
  std::unique_ptr<CodeObject> object(new CodeObject);
  object->architecture = arch;
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
