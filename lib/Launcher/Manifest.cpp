//===- Manifest.cpp - Parse and check a manifest --------------------------===//

#include "Manifest.h"
#include "ManifestParts.h"
#include "Sha256.h"
#include <algorithm>
#include <limits>

using namespace attn;
using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
struct TypeSpelling {
  const char *name;
  AttnType type;
  int64_t bytes;
};
} // namespace

/// Elements of views first.
static const TypeSpelling types[] = {
    {"f16", ATTN_F16, 2},
    {"bf16", ATTN_BF16, 2},
    {"f32", ATTN_F32, 4},
    {"i32", ATTN_I32, 4},
    {"i64", ATTN_I64, 8},
    {"i8", ATTN_I8, 1},
    {"f8E4M3FN", ATTN_F8E4M3FN, 1},
    {"f8E5M2", ATTN_F8E5M2, 1},
    {"f8E4M3FNUZ", ATTN_F8E4M3FNUZ, 1},
    {"f64", ATTN_F64, 8},
    {"i1", ATTN_I1, 1},
    {"i16", ATTN_I16, 2},
    {"index", ATTN_I64, 8},
};
static const size_t elementTypeCount = 9, typeCount = std::size(types);

int64_t attn::bytesOf(AttnType type) {
  for (const TypeSpelling &spelling : types)
    if (spelling.type == type)
      return spelling.bytes;
  return 0;
}

const char *attn::nameOf(int type) {
  for (const TypeSpelling &spelling : types)
    if (spelling.type == type)
      return spelling.name;
  return "an unknown type";
}

AttnType attn::parseType(const Cursor &at, bool scalar) {
  size_t count = scalar ? typeCount : elementTypeCount;
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    if (at.isText(types[i].name))
      return types[i].type;
    names += (i ? ", " : "") + std::string(types[i].name);
  }
  at.wanted("one of " + names);
}

size_t attn::bytesOf(const StepSpec &step, const ParameterSpec &spec) {
  switch (spec.kind) {
  case ParameterKind::TensorMap:
    return sizeof(cuda::TensorMap);
  case ParameterKind::Scalar:
    return bytesOf(step.scalars[spec.index].type);
  default:
    return sizeof(uint64_t);
  }
}

//===----------------------------------------------------------------------===//
// Views, scalars
//===----------------------------------------------------------------------===//

static int axisIndex(std::vector<std::string> &axes, const std::string &name) {
  auto found = std::find(axes.begin(), axes.end(), name);
  if (found == axes.end())
    found = axes.insert(axes.end(), name);
  return found - axes.begin();
}

static DimSpec parseDim(const Cursor &at, Manifest &manifest) {
  if (at.isText())
    return {-1, axisIndex(manifest.axes, at.text())};
  if (!at.isInteger())
    at.wanted("a size or the name of an axis");
  return {at.integer(0, std::numeric_limits<int64_t>::max()), -1};
}

static std::vector<int> parsePermutation(const Cursor &at, size_t rank) {
  at.list(rank, rank);
  std::vector<int> result(rank);
  std::vector<bool> seen(rank);
  for (size_t i = 0; i < rank; ++i) {
    result[i] = at.entry(i).integer(0, int64_t(rank) - 1);
    if (seen[result[i]])
      at.error("expected a permutation, but got dimension " +
               std::to_string(result[i]) + " twice");
    seen[result[i]] = true;
  }
  return result;
}

static ViewSpec parseView(const Cursor &at, Manifest &manifest) {
  ViewSpec view;
  view.name = at.at("name").text();
  std::string access = at.at("access").text();
  if (access != "read" && access != "write")
    at.at("access").wanted("'read' or 'write'");
  view.access = access == "read" ? ATTN_READ : ATTN_WRITE;
  view.element = parseType(at.at("element"), /*scalar=*/false);
  Cursor shape = at.at("shape");
  size_t rank = shape.list(1, ATTN_MAX_RANK);
  for (size_t i = 0; i < rank; ++i)
    view.shape.push_back(parseDim(shape.entry(i), manifest));
  view.permutation = parsePermutation(at.at("permutation"), rank);
  if (at.has("over")) {
    int64_t last = int64_t(manifest.views.size()) - 1;
    view.over = int(at.at("over").integer(0, last));
    if (view.access == ATTN_READ ||
        manifest.views[view.over].access == ATTN_WRITE)
      at.at("over").error("expected a view that is written over one that is "
                          "read, but got " +
                          inQuotes(view.name) + " over " +
                          inQuotes(manifest.views[view.over].name));
  }
  return view;
}

static void parseViews(const Cursor &at, Manifest &manifest) {
  size_t count = at.list(1, kMaxViews);
  for (size_t i = 0; i < count; ++i) {
    ViewSpec view = parseView(at.entry(i), manifest);
    for (const ViewSpec &other : manifest.views) {
      if (other.name == view.name)
        at.entry(i).error("there are two views " + inQuotes(view.name));
      if (other.access == ATTN_WRITE && view.access == ATTN_READ)
        at.entry(i).error("expected the views that are read first, but got " +
                          inQuotes(view.name) + " behind " +
                          inQuotes(other.name));
    }
    manifest.views.push_back(std::move(view));
  }
}

static void parseScalars(const Cursor &at, Manifest &manifest) {
  size_t count = at.list(0, kMaxScalars);
  for (size_t i = 0; i < count; ++i) {
    Cursor type = at.entry(i).at("type");
    manifest.scalars.push_back({at.entry(i).at("name").text(),
                                parseType(type, /*scalar=*/true),
                                type.isText("index")});
  }
}

//===----------------------------------------------------------------------===//
// Binaries
//===----------------------------------------------------------------------===//

bool attn::isFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string_view::npos;
}

static std::string parseFileName(const Cursor &at) {
  std::string file = at.text();
  if (!isFileName(file))
    at.wanted("the name of a file in the bundle");
  return file;
}

static BinaryFormat parseFormat(const Cursor &at, const Manifest &manifest) {
  std::string format = at.text();
  if (manifest.platform == Platform::Hip) {
    if (format != "hsaco")
      at.wanted("'hsaco', for " + manifest.arch);
    return BinaryFormat::Hsaco;
  }
  if (manifest.platform == Platform::Cpu) {
    if (format != "so")
      at.wanted("'so', for " + manifest.arch);
    return BinaryFormat::SharedObject;
  }
  if (format != "cubin" && format != "ptx")
    at.wanted("'cubin' or 'ptx', for " + manifest.arch);
  return format == "ptx" ? BinaryFormat::Ptx : BinaryFormat::Cubin;
}

std::string attn::parseDigest(const Cursor &at) {
  std::string digest = at.text();
  if (digest.size() != kSha256Digits ||
      digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    at.wanted("a SHA-256 of 64 digits (0 to 9, a to f)");
  return digest;
}

static BinarySpec parseBinary(const Cursor &at, const Manifest &manifest) {
  at.allowOnly({"file", "format", "bytes", "sha256"});
  BinarySpec binary;
  binary.file = parseFileName(at.at("file"));
  binary.format = parseFormat(at.at("format"), manifest);
  binary.bytes = at.at("bytes").integer(1, kMaxBinaryBytes);
  binary.digest = parseDigest(at.at("sha256"));
  return binary;
}

static void parseBinaries(const Cursor &at, Manifest &manifest) {
  size_t count = at.list(1, kMaxBinaries);
  for (size_t i = 0; i < count; ++i) {
    BinarySpec binary = parseBinary(at.entry(i), manifest);
    for (const BinarySpec &other : manifest.binaries)
      if (other.file == binary.file)
        at.entry(i).error("there are two binaries " + inQuotes(binary.file));
    manifest.binaries.push_back(std::move(binary));
  }
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

/// Of docs/bundle.md. Version 1 stated no digests: it cannot be checked.
static constexpr int64_t kVersion = 2;

static Platform platformOf(const std::string &arch) {
  if (arch.compare(0, 3, "gfx") == 0)
    return Platform::Hip;
  return arch.compare(0, 6, "x86_64") == 0 || arch == "aarch64"
             ? Platform::Cpu
             : Platform::Cuda;
}

static void parseHeader(const Cursor &at, Manifest &manifest) {
  if (at.at("format").text() != "attn-mlir-bundle")
    at.at("format").wanted("\"attn-mlir-bundle\"");
  if (at.at("version").integer(0, INT64_MAX) != kVersion)
    at.at("version").wanted("version " + std::to_string(kVersion) +
                            ", which this launcher reads (compile anew)");
  manifest.target = at.at("target").at("name").text();
  manifest.arch = at.at("target").at("arch").text();
  manifest.platform = platformOf(manifest.arch);
}

/// A program of the bundle whose header and binaries `manifest` has.
static Manifest parseProgram(const Cursor &at, Manifest manifest) {
  at.allowOnly({"name", "views", "scalars", "variants"});
  manifest.name = at.at("name").text();
  parseViews(at.at("views"), manifest);
  parseScalars(at.at("scalars"), manifest);
  Cursor variants = at.at("variants");
  size_t count = variants.list(1, kMaxVariants);
  for (size_t i = 0; i < count; ++i)
    manifest.variants.push_back(parseVariant(variants.entry(i), manifest));
  return manifest;
}

static std::vector<Manifest> parsePrograms(const Cursor &root,
                                           const Manifest &bundle) {
  if (!root.has("programs"))
    fail(ATTN_ERROR_BUNDLE, "manifest.json: expected 'programs', which is "
                            "missing: an earlier compiler wrote it (compile "
                            "anew)");
  Cursor at = root.at("programs");
  size_t count = at.list(1, kMaxPrograms);
  std::vector<Manifest> programs;
  for (size_t i = 0; i < count; ++i) {
    Manifest program = parseProgram(at.entry(i), bundle);
    for (const Manifest &other : programs)
      if (other.name == program.name)
        at.entry(i).error("there are two programs " + inQuotes(program.name));
    programs.push_back(std::move(program));
  }
  return programs;
}

/// The program of that name, or the only one.
static Manifest selectProgram(std::vector<Manifest> programs,
                              const char *name) {
  std::string names;
  for (Manifest &program : programs) {
    if (name ? program.name == name : programs.size() == 1)
      return std::move(program);
    names += (names.empty() ? "" : ", ") + inQuotes(program.name);
  }
  fail(ATTN_ERROR_BUNDLE, wantedGot(std::string(name ? "" : "the name of ") +
                                        "one of the programs " + names,
                                    name ? inQuotes(name) : "none"));
}

Manifest attn::parseManifest(const std::string &text, const char *program) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &error) {
    // What was read last could be long.
    fail(ATTN_ERROR_BUNDLE, "manifest.json: is not JSON: " +
                                std::string(error.what()).substr(0, 300));
  }
  Manifest bundle;
  Cursor root(json, "");
  parseHeader(root, bundle);
  parseBinaries(root.at("binaries"), bundle);
  return selectProgram(parsePrograms(root, bundle), program);
}
