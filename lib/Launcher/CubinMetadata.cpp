//===- CubinMetadata.cpp - Code for NVIDIA GPUs against its manifest ------===//
//
// The driver reads as many parameters as a cubin says its kernel has, whatever
// it is given: too few, and it reads behind them. So the two are compared.
//
// NVIDIA does not document what describes a kernel, sections ".nv.info.KERNEL"
// (and ".nv.merc.nv.info.KERNEL" from sm_100 on). What is read of them here was
// found in cubins of ptxas 13.0, whose kernels are known: entries of a format,
// an attribute and 16 bits, which are the value or the size of what follows.
//
//===----------------------------------------------------------------------===//

#include "OpenBundle.h"
#include "Reader.h"

using namespace attn;

static constexpr char kInfoPrefix[] = ".nv.info.";
static constexpr char kMercuryPrefix[] = ".nv.merc.nv.info.";

namespace {
/// Of an entry.
enum Format : uint8_t { NoValue = 1, ByteValue, HalfValue, SizedValue };
enum Attribute : uint8_t {
  ParameterBank = 0x0a,
  Parameter = 0x17,
  BankParameterBytes = 0x19
};

struct Section {
  std::string name;
  uint64_t offset, size;
};

/// Of a kernel, in the bank of constants.
struct Parameters {
  struct Place {
    uint64_t offset = 0, bytes = 0;
    bool said = false;
  };
  std::vector<Place> places;
  /// Of all together, as each entry about it says.
  std::vector<uint64_t> totals;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static std::string readName(Reader names, uint64_t offset) {
  names.take(offset);
  std::string name;
  while (char character = names.littleEndian(1))
    name += character;
  return name;
}

/// Those that describe a kernel. The header is there, and the table of sections
/// in the file (Files.cpp).
static std::vector<Section> readSections(const std::string &path,
                                         const std::string &contents) {
  constexpr uint64_t kCuda = 190, kEntryBytes = 64;
  const char *begin = contents.data();
  auto at = [&](uint64_t offset) {
    return Reader(path, "its headers", begin + offset, begin + contents.size());
  };
  if (uint64_t machine = at(18).littleEndian(2); machine != kCuda)
    fail(ATTN_ERROR_BUNDLE,
         inQuotes(path) + " is no cubin: " +
             wantedGot("ELF machine 190 (CUDA)", std::to_string(machine)));
  uint64_t table = at(40).littleEndian(8), entry = at(58).littleEndian(2),
           count = at(60).littleEndian(2), namesAt = at(62).littleEndian(2);
  if (count && entry != kEntryBytes)
    at(0).malformed(wantedGot("sections of 64 bytes", std::to_string(entry)));
  auto contentsOf = [&](uint64_t section) {
    Reader header = at(table + section * entry + 24);
    uint64_t offset = header.littleEndian(8), size = header.littleEndian(8);
    if (offset > contents.size() || size > contents.size() - offset)
      at(0).malformed("section " + std::to_string(section) +
                      " ends behind the file's " +
                      std::to_string(contents.size()) + " bytes");
    return Section{"", offset, size};
  };
  if (namesAt >= count)
    return {};
  Section names = contentsOf(namesAt);
  Reader text = Reader(path, "the names of its sections", begin + names.offset,
                       begin + names.offset + names.size);
  std::vector<Section> sections;
  for (uint64_t i = 0; i < count; ++i) {
    std::string name = readName(text, at(table + i * entry).littleEndian(4));
    if (name.rfind(kInfoPrefix, 0) != 0 && name.rfind(kMercuryPrefix, 0) != 0)
      continue;
    sections.push_back(contentsOf(i));
    sections.back().name = name;
  }
  return sections;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// An index that is not used, the parameter's number, its offset, and flags,
/// the upper 14 of which are its size.
static void readParameter(Reader entry, Parameters &parameters) {
  entry.littleEndian(4);
  uint64_t number = entry.littleEndian(2), offset = entry.littleEndian(2),
           bytes = entry.littleEndian(4) >> 18;
  if (number >= kMaxParameters)
    entry.malformed(wantedGot("at most " + std::to_string(kMaxParameters) +
                                  " parameters of a kernel",
                              "number " + std::to_string(number)));
  if (number >= parameters.places.size())
    parameters.places.resize(number + 1);
  if (parameters.places[number].said)
    entry.malformed("parameter " + std::to_string(number) +
                    " is described twice");
  parameters.places[number] = {offset, bytes, true};
}

static Parameters readParameters(Reader info) {
  Parameters parameters;
  while (info.left()) {
    uint64_t format = info.littleEndian(1), attribute = info.littleEndian(1),
             value = info.littleEndian(2);
    if (format < NoValue || format > SizedValue)
      info.malformed("what describes a kernel has an entry of unknown format " +
                     std::to_string(format));
    if (format == HalfValue && attribute == BankParameterBytes)
      parameters.totals.push_back(value);
    if (format != SizedValue)
      continue;
    Reader entry = info.part(value);
    if (attribute == Parameter)
      readParameter(entry, parameters);
    if (attribute == ParameterBank) {
      entry.take(6); // The bank's symbol, and the offset of the first.
      parameters.totals.push_back(entry.littleEndian(2));
    }
  }
  return parameters;
}

/// Everything that is said of the parameters has to agree: nobody knows which
/// of it a driver takes for the truth.
static void checkConsistent(const Reader &info, const Parameters &parameters) {
  uint64_t end = 0;
  for (size_t i = 0; i < parameters.places.size(); ++i) {
    const Parameters::Place &place = parameters.places[i];
    if (!place.said)
      info.malformed("parameter " + std::to_string(i) + " of " +
                     std::to_string(parameters.places.size()) +
                     " is not described");
    if (place.offset < end)
      info.malformed("parameter " + std::to_string(i) +
                     " overlaps the one before");
    end = place.offset + place.bytes;
  }
  for (uint64_t total : parameters.totals)
    if (total != end)
      info.malformed("its parameters: " +
                     wantedGot(std::to_string(end) + " bytes in all",
                               std::to_string(total)));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static void checkKernel(const std::string &path, const Manifest &manifest,
                        const VariantSpec &variant, const Section &section) {
  const char *begin =
      manifest.binaries[variant.binary].contents.data() + section.offset;
  Reader info(path, "what describes a kernel", begin, begin + section.size);
  Parameters parameters = readParameters(info);
  checkConsistent(info, parameters);
  checkParameterCount(variant, parameters.places.size());
  for (size_t i = 0; i < parameters.places.size(); ++i)
    checkParameterBytes(manifest, variant, i, parameters.places[i].bytes);
}

static void checkVariant(const std::string &path, const Manifest &manifest,
                         const VariantSpec &variant,
                         const std::vector<Section> &sections) {
  std::string names;
  bool found = false;
  for (const Section &section : sections) {
    if (section.name.rfind(kInfoPrefix, 0) == 0) {
      std::string its = section.name.substr(sizeof(kInfoPrefix) - 1);
      names += (names.empty() ? "" : ", ") + its;
      found |= its == variant.kernel;
    }
    if (section.name == kInfoPrefix + variant.kernel ||
        section.name == kMercuryPrefix + variant.kernel)
      checkKernel(path, manifest, variant, section);
  }
  if (!found)
    fail(ATTN_ERROR_BUNDLE, inQuotes(path) + ": " +
                                wantedGot("kernel " + inQuotes(variant.kernel),
                                          names.empty() ? "none" : names));
}

void attn::checkCubin(const std::string &path, const Manifest &manifest,
                      uint32_t binary) {
  std::vector<Section> sections =
      readSections(path, manifest.binaries[binary].contents);
  for (const VariantSpec &variant : manifest.variants)
    if (variant.binary == binary)
      checkVariant(path, manifest, variant, sections);
}
