//===- HsacoMetadata.cpp - Code objects for AMD GPUs ----------------------===//
//
// HIP reads a kernel's parameters as the code object's metadata says, whatever
// it is given: too few, and it reads behind them. So the two are compared.
// Source: "User Guide for AMDGPU Backend" (LLVM), "Code Object", sections
// "Header", "Note Records" and "Code Object V5 Metadata".
//
//===----------------------------------------------------------------------===//

#include "OpenBundle.h"
#include "Reader.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace attn;
using Json = nlohmann::json;

/// A kernel has about 2 KiB of it.
static constexpr uint64_t kMaxMetadataBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// MessagePack
//===----------------------------------------------------------------------===//

static Json readValue(Reader &reader, unsigned depth);

static Json readList(Reader &reader, uint64_t count, unsigned depth) {
  Json result = Json::array();
  for (uint64_t i = 0; i < count; ++i)
    result.push_back(readValue(reader, depth + 1));
  return result;
}

static Json readMap(Reader &reader, uint64_t count, unsigned depth) {
  Json result = Json::object();
  for (uint64_t i = 0; i < count; ++i) {
    Json key = readValue(reader, depth + 1);
    if (!key.is_string())
      reader.malformed("expected texts as keys of its metadata");
    auto name = key.get<std::string>();
    // Of two, another reader may take the other.
    if (!result.emplace(name, readValue(reader, depth + 1)).second)
      reader.malformed("its metadata has " + inQuotes(name) + " twice");
  }
  return result;
}

/// What metadata has of MessagePack: maps, lists, texts, unsigned numbers and
/// truth values. nlohmann's reader has no bound on depth.
static Json readValue(Reader &reader, unsigned depth) {
  if (depth > kMaxDepth)
    reader.malformed("expected at most " + std::to_string(kMaxDepth) +
                     " levels of metadata");
  uint64_t tag = reader.bigEndian(1);
  if (tag < 0x80)
    return tag;
  if (tag < 0x90)
    return readMap(reader, tag & 15, depth);
  if (tag < 0xa0)
    return readList(reader, tag & 15, depth);
  if (tag < 0xc0)
    return reader.text(tag & 31);
  switch (tag) {
  case 0xc2:
  case 0xc3:
    return tag == 0xc3;
  case 0xcc:
  case 0xcd:
  case 0xce:
  case 0xcf:
    return reader.bigEndian(1u << (tag - 0xcc));
  case 0xd9:
  case 0xda:
  case 0xdb:
    return reader.text(reader.bigEndian(1u << (tag - 0xd9)));
  case 0xdc:
  case 0xdd:
    return readList(reader, reader.bigEndian(tag == 0xdc ? 2 : 4), depth);
  case 0xde:
  case 0xdf:
    return readMap(reader, reader.bigEndian(tag == 0xde ? 2 : 4), depth);
  default:
    reader.malformed("its metadata has a value of unknown kind " +
                     std::to_string(tag));
  }
}

//===----------------------------------------------------------------------===//
// ELF
//===----------------------------------------------------------------------===//

namespace {
struct Segment {
  uint32_t type;
  uint64_t offset, size;
};
} // namespace

/// The header is there, and the table of segments in the file (Files.cpp).
static std::vector<Segment> readSegments(const std::string &path,
                                         const std::string &contents) {
  constexpr uint64_t kAmdGpu = 224, kEntryBytes = 56;
  const char *begin = contents.data(), *end = begin + contents.size();
  auto at = [&](uint64_t offset) {
    return Reader(path, "its headers", begin + offset, end);
  };
  if (uint64_t machine = at(18).littleEndian(2); machine != kAmdGpu)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + " is no hsaco: " +
             wantedGot("ELF machine 224 (AMDGPU)", std::to_string(machine)));
  uint64_t table = at(32).littleEndian(8), entry = at(54).littleEndian(2),
           count = at(56).littleEndian(2);
  if (count && entry != kEntryBytes)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + " is damaged: " +
             wantedGot("segments of 56 bytes", std::to_string(entry)));
  std::vector<Segment> segments;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t base = table + i * entry;
    Segment segment{uint32_t(at(base).littleEndian(4)),
                    at(base + 8).littleEndian(8),
                    at(base + 32).littleEndian(8)};
    if (segment.offset > contents.size() ||
        segment.size > contents.size() - segment.offset)
      fail(ATTN_ERROR_BUNDLE, inQuotes(path) + " is cut off: segment " +
                                  std::to_string(i) +
                                  " ends behind the file's " +
                                  std::to_string(contents.size()) + " bytes");
    segments.push_back(segment);
  }
  return segments;
}

/// The metadata among the notes of a segment; null where there is none.
static Json findMetadata(Reader notes) {
  constexpr uint64_t kMetadata = 32; // NT_AMDGPU_METADATA
  auto padded = [](uint64_t bytes) { return (bytes + 3) & ~uint64_t(3); };
  while (notes.left() >= 12) {
    uint64_t nameBytes = notes.littleEndian(4);
    uint64_t bytes = notes.littleEndian(4), type = notes.littleEndian(4);
    const char *name = notes.take(padded(nameBytes));
    bool ours = type == kMetadata && nameBytes == 7 &&
                std::memcmp(name, "AMDGPU", 7) == 0;
    if (!ours) {
      notes.take(padded(bytes));
      continue;
    }
    if (bytes > kMaxMetadataBytes)
      notes.malformed(wantedGot("at most " + std::to_string(kMaxMetadataBytes) +
                                    " bytes of metadata",
                                std::to_string(bytes)));
    Reader metadata = notes.part(bytes);
    return readValue(metadata, 0);
  }
  return nullptr;
}

static Json readMetadata(const std::string &path, const std::string &contents) {
  constexpr uint32_t kNote = 4; // PT_NOTE
  for (const Segment &segment : readSegments(path, contents)) {
    if (segment.type != kNote)
      continue;
    const char *begin = contents.data() + segment.offset;
    Json metadata =
        findMetadata(Reader(path, "its metadata", begin, begin + segment.size));
    if (!metadata.is_null())
      return metadata;
  }
  fail(ATTN_ERROR_BUNDLE, inQuotes(path) + " is no hsaco: it has no metadata");
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// "gfx942" of "amdgcn-amd-amdhsa--gfx942:xnack-".
static void checkTarget(const std::string &path, const Manifest &manifest,
                        const Json &metadata) {
  std::string target = metadata.at("amdhsa.target").get<std::string>();
  std::string arch = target.substr(target.rfind('-') + 1);
  arch = arch.substr(0, arch.find(':'));
  if (arch != manifest.arch)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + ": " +
             wantedGot("code for the manifest's " + manifest.arch, arch));
}

static const Json &findKernel(const std::string &path, const Json &metadata,
                              const std::string &name) {
  std::string names;
  const Json *found = nullptr;
  for (const Json &kernel : metadata.at("amdhsa.kernels")) {
    auto its = kernel.at(".name").get<std::string>();
    names += (names.empty() ? "" : ", ") + its;
    if (its != name)
      continue;
    if (found)
      fail(ATTN_ERROR_BUNDLE, inQuotes(path) +
                                  " is damaged: its metadata has kernel " +
                                  inQuotes(name) + " twice");
    found = &kernel;
  }
  if (found)
    return *found;
  fail(ATTN_ERROR_BUNDLE,
       inQuotes(path) + ": " + wantedGot("kernel " + inQuotes(name), names));
}

static void checkKernel(const Manifest &manifest, const VariantSpec &variant,
                        const Json &kernel) {
  size_t count = 0;
  for (const Json &argument : kernel.value(".args", Json::array())) {
    // The runtime adds what is hidden.
    auto kind = argument.at(".value_kind").get<std::string>();
    if (kind.compare(0, 7, "hidden_") == 0)
      continue;
    if (count < variant.parameters.size())
      checkParameterBytes(manifest, variant, count,
                          argument.at(".size").get<uint64_t>());
    ++count;
  }
  checkParameterCount(variant, count);
  uint64_t most = kernel.at(".max_flat_workgroup_size").get<uint64_t>();
  if (variant.block > most)
    fail(ATTN_ERROR_BUNDLE,
         "kernel " + inQuotes(variant.kernel) + ": the manifest expects " +
             std::to_string(variant.block) +
             " threads a CTA, the kernel is compiled for at most " +
             std::to_string(most));
  auto exact = kernel.find(".reqd_workgroup_size");
  if (exact != kernel.end() && exact->at(0).get<uint64_t>() != variant.block)
    fail(ATTN_ERROR_BUNDLE, "kernel " + inQuotes(variant.kernel) +
                                ": the manifest expects " +
                                std::to_string(variant.block) +
                                " threads a CTA, the kernel is compiled for " +
                                std::to_string(exact->at(0).get<uint64_t>()));
}

void attn::checkHsaco(const std::string &path, const Manifest &manifest,
                      uint32_t binary) {
  Json metadata = readMetadata(path, manifest.binaries[binary].contents);
  try {
    checkTarget(path, manifest, metadata);
    for (const VariantSpec &variant : manifest.variants)
      if (variant.binary == binary)
        checkKernel(manifest, variant,
                    findKernel(path, metadata, variant.kernel));
  } catch (const Json::exception &error) {
    fail(ATTN_ERROR_BUNDLE, inQuotes(path) + " is damaged: its metadata: " +
                                std::string(error.what()).substr(0, 300));
  }
}
