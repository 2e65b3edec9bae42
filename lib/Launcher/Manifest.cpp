//===- Manifest.cpp - Parse and check a manifest --------------------------===//

#include "Manifest.h"
#include "Cursor.h"
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
    {"f16", ATTN_F16, 2},   {"bf16", ATTN_BF16, 2}, {"f32", ATTN_F32, 4},
    {"f64", ATTN_F64, 8},   {"i1", ATTN_I1, 1},     {"i8", ATTN_I8, 1},
    {"i16", ATTN_I16, 2},   {"i32", ATTN_I32, 4},   {"i64", ATTN_I64, 8},
    {"index", ATTN_I64, 8},
};
static const size_t elementTypeCount = 3, typeCount = std::size(types);

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

/// One of the first `count` types.
static AttnType parseType(const Cursor &at, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    if (at.isText(types[i].name))
      return types[i].type;
    names += (i ? ", " : "") + std::string(types[i].name);
  }
  at.wanted("one of " + names);
}

size_t attn::bytesOf(const Manifest &manifest, const ParameterSpec &spec) {
  switch (spec.kind) {
  case ParameterKind::TensorMap:
    return sizeof(cuda::TensorMap);
  case ParameterKind::Scalar:
    return bytesOf(manifest.scalars[spec.index].type);
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
  return {at.integer(1, std::numeric_limits<int64_t>::max()), -1};
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
  view.element = parseType(at.at("element"), elementTypeCount);
  Cursor shape = at.at("shape");
  size_t rank = shape.list(1, ATTN_MAX_RANK);
  for (size_t i = 0; i < rank; ++i)
    view.shape.push_back(parseDim(shape.entry(i), manifest));
  view.permutation = parsePermutation(at.at("permutation"), rank);
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
                                parseType(type, typeCount),
                                type.isText("index")});
  }
}

static uint32_t parseViewIndex(const Cursor &at, const Manifest &manifest) {
  return at.integer(0, int64_t(manifest.views.size()) - 1);
}

static uint32_t parseDimIndex(const Cursor &at, const Manifest &manifest,
                              uint32_t view) {
  return at.integer(0, int64_t(manifest.views[view].shape.size()) - 1);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static uint32_t parseNode(const Cursor &at, const Manifest &manifest,
                          Expression &result, unsigned depth) {
  if (depth > kMaxDepth)
    at.error("expected at most " + std::to_string(kMaxDepth) +
             " levels of an expression");
  if (result.size() >= kMaxNodes)
    at.error("expected at most " + std::to_string(kMaxNodes) +
             " nodes of an expression");
  if (at.isInteger())
    return result.append(
        {ExprKind::Number, {}, at.integer(INT64_MIN, INT64_MAX)});
  if (!at.isList())
    at.wanted("a whole number or a list of an operator and its operands");
  at.list(1, 4);
  std::string name = at.entry(0).text();
  if (name == "size" || name == "stride") {
    at.list(3, 3);
    uint32_t view = parseViewIndex(at.entry(1), manifest);
    uint32_t dim = parseDimIndex(at.entry(2), manifest, view);
    return result.append({name == "size" ? ExprKind::Size : ExprKind::Stride,
                          {view, dim, 0},
                          0});
  }
  const ExprSpelling *spelling = findOperator(name);
  if (!spelling)
    at.entry(0).wanted("an operator");
  at.list(spelling->arity + 1, spelling->arity + 1);
  Expression::Node node{spelling->kind, {}, 0};
  for (unsigned i = 0; i < spelling->arity; ++i)
    node.operands[i] = parseNode(at.entry(i + 1), manifest, result, depth + 1);
  return result.append(node);
}

static Expression parseExpression(const Cursor &at, const Manifest &manifest) {
  Expression result;
  parseNode(at, manifest, result, 1);
  return result;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static void parseTensorMap(const Cursor &at, const Manifest &manifest,
                           ParameterSpec &result) {
  const ViewSpec &view = manifest.views[result.index];
  size_t rank = view.shape.size();
  if (rank > cuda::kTensorMapMaxRank)
    at.error("expected a view of rank 1 to 5 for a tensor map, but got " +
             inQuotes(view.name) + " of rank " + std::to_string(rank));
  Cursor box = at.at("box");
  box.list(rank, rank);
  for (size_t i = 0; i < rank; ++i)
    result.box[i] = box.entry(i).integer(1, cuda::kTensorMapMaxBox);
  Cursor swizzle = at.at("swizzle");
  result.swizzle = swizzle.integer(0, 128);
  if (result.swizzle != 0 && result.swizzle != 32 && result.swizzle != 64 &&
      result.swizzle != 128)
    swizzle.wanted("0, 32, 64 or 128");
  int64_t inner = result.box[rank - 1] * bytesOf(view.element);
  if (inner % cuda::kTensorMapAlign)
    box.error(
        "expected an innermost extent of a multiple of 16 bytes, but got " +
        std::to_string(inner));
  if (result.swizzle && inner > result.swizzle)
    box.error("expected an innermost extent of at most the swizzle's " +
              std::to_string(result.swizzle) + " bytes, but got " +
              std::to_string(inner));
}

static ParameterSpec parseParameter(const Cursor &at,
                                    const Manifest &manifest) {
  ParameterSpec result{};
  std::string kind = at.at("kind").text();
  if (kind == "scalar") {
    at.allowOnly({"kind", "index"});
    result.kind = ParameterKind::Scalar;
    if (manifest.scalars.empty())
      at.error("a parameter is a scalar, but there are no scalars");
    result.index =
        at.at("index").integer(0, int64_t(manifest.scalars.size()) - 1);
    return result;
  }
  if (kind == "tensor_map")
    result.kind = ParameterKind::TensorMap;
  else if (kind == "pointer")
    result.kind = ParameterKind::Pointer;
  else if (kind == "size")
    result.kind = ParameterKind::Size;
  else if (kind == "stride")
    result.kind = ParameterKind::Stride;
  else
    at.at("kind").wanted("tensor_map, pointer, size, stride or scalar");
  result.index = parseViewIndex(at.at("view"), manifest);
  if (result.kind == ParameterKind::TensorMap) {
    if (manifest.platform == Platform::Hip)
      at.error("expected no tensor map for " + manifest.arch +
               ", whose devices have none");
    at.allowOnly({"kind", "view", "box", "swizzle"});
    parseTensorMap(at, manifest, result);
  } else if (result.kind == ParameterKind::Pointer) {
    at.allowOnly({"kind", "view"});
  } else {
    at.allowOnly({"kind", "view", "dim"});
    result.dim = parseDimIndex(at.at("dim"), manifest, result.index);
  }
  return result;
}

static void parseParameters(const Cursor &at, const Manifest &manifest,
                            VariantSpec &variant) {
  size_t count = at.list(0, kMaxParameters), maps = 0;
  for (size_t i = 0; i < count; ++i) {
    variant.parameters.push_back(parseParameter(at.entry(i), manifest));
    maps += variant.parameters.back().kind == ParameterKind::TensorMap;
  }
  if (maps > kMaxTensorMaps)
    at.error("expected at most " + std::to_string(kMaxTensorMaps) +
             " tensor maps, but got " + std::to_string(maps));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// A name in the bundle's directory and nowhere else.
static std::string parseFileName(const Cursor &at) {
  std::string file = at.text();
  if (file.find('/') != std::string::npos ||
      file.find('\\') != std::string::npos || file == "." || file == "..")
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
  if (format != "cubin" && format != "ptx")
    at.wanted("'cubin' or 'ptx', for " + manifest.arch);
  return format == "ptx" ? BinaryFormat::Ptx : BinaryFormat::Cubin;
}

static std::string parseDigest(const Cursor &at) {
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

/// The binary of that name.
static uint32_t parseBinaryIndex(const Cursor &at, const Manifest &manifest) {
  for (size_t i = 0; i < manifest.binaries.size(); ++i)
    if (at.isText(manifest.binaries[i].file.c_str()))
      return i;
  at.wanted("the file of one of 'binaries'");
}

static void parseAlign(const Cursor &at, const Manifest &manifest,
                       VariantSpec &variant) {
  size_t count = at.list(0, kMaxParameters);
  for (size_t i = 0; i < count; ++i) {
    Cursor entry = at.entry(i);
    entry.allowOnly({"view", "bytes"});
    int64_t bytes = entry.at("bytes").integer(1, 4096);
    if (bytes & (bytes - 1))
      entry.at("bytes").wanted("a power of two");
    variant.align.push_back(
        {parseViewIndex(entry.at("view"), manifest), bytes});
  }
}

static void parseLimits(const Cursor &at, const Manifest &manifest,
                        VariantSpec &variant) {
  size_t count = at.list(0, kMaxLimits);
  for (size_t i = 0; i < count; ++i)
    variant.limits.push_back(parseExpression(at.entry(i), manifest));
}

/// What is handed over with the code, as the JSON text that docs/bundle.md
/// defines: nlohmann sorts keys and adds no spaces.
static std::string interfaceText(const Manifest &manifest,
                                 const VariantSpec &variant,
                                 const Json &parameters) {
  Json scalars = Json::array();
  for (const ScalarSpec &scalar : manifest.scalars)
    scalars.push_back(scalar.isIndex ? "index" : nameOf(scalar.type));
  return Json{{"arch", manifest.arch},
              {"binary_sha256", manifest.binaries[variant.binary].digest},
              {"block", variant.block},
              {"kernel", variant.kernel},
              {"parameters", parameters},
              {"scalars", scalars},
              {"shared_bytes", variant.sharedBytes}}
      .dump();
}

/// A driver reads as many parameters as the code says that its kernel has,
/// whatever it is given: too few, and it reads behind them.
static void checkInterface(const Cursor &at, const Manifest &manifest,
                           const VariantSpec &variant) {
  Cursor stated = at.at("interface_sha256");
  std::string digest = parseDigest(stated),
              ours = sha256(
                  interfaceText(manifest, variant, at.at("parameters").json()));
  if (ours != digest)
    stated.error(
        wantedGot(digest, ours) +
        ": 'arch', 'binary', 'block', 'kernel', 'parameters', 'shared_bytes' "
        "or the types of 'scalars' are not those of the kernel");
}

static VariantSpec parseVariant(const Cursor &at, const Manifest &manifest) {
  at.allowOnly({"guard", "limits", "resources", "binary", "kernel", "grid",
                "block", "shared_bytes", "align", "parameters",
                "interface_sha256"});
  VariantSpec variant;
  if (at.has("guard")) {
    variant.guard = parseExpression(at.at("guard"), manifest);
    variant.guardText = variant.guard.print(manifest.views);
  }
  if (at.has("limits"))
    parseLimits(at.at("limits"), manifest, variant);
  variant.grid = parseExpression(at.at("grid"), manifest);
  variant.binary = parseBinaryIndex(at.at("binary"), manifest);
  variant.kernel = at.at("kernel").text();
  variant.block = at.at("block").integer(1, 1024);
  variant.sharedBytes = at.at("shared_bytes").integer(0, 1 << 20);
  if (at.has("align"))
    parseAlign(at.at("align"), manifest, variant);
  parseParameters(at.at("parameters"), manifest, variant);
  checkInterface(at, manifest, variant);
  return variant;
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

/// Of docs/bundle.md. Version 1 stated no digests: it cannot be checked.
static constexpr int64_t kVersion = 2;

static void parseHeader(const Cursor &at, Manifest &manifest) {
  if (at.at("format").text() != "attn-mlir-bundle")
    at.at("format").wanted("\"attn-mlir-bundle\"");
  if (at.at("version").integer(0, INT64_MAX) != kVersion)
    at.at("version").wanted("version " + std::to_string(kVersion) +
                            ", which this launcher reads (compile anew)");
  manifest.name = at.at("name").text();
  manifest.target = at.at("target").at("name").text();
  manifest.arch = at.at("target").at("arch").text();
  manifest.platform =
      manifest.arch.compare(0, 3, "gfx") == 0 ? Platform::Hip : Platform::Cuda;
}

Manifest attn::parseManifest(const std::string &text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &error) {
    // What was read last could be long.
    fail(ATTN_ERROR_BUNDLE, "manifest.json: is not JSON: " +
                                std::string(error.what()).substr(0, 300));
  }
  Manifest manifest;
  Cursor root(json, "");
  parseHeader(root, manifest);
  parseViews(root.at("views"), manifest);
  parseScalars(root.at("scalars"), manifest);
  parseBinaries(root.at("binaries"), manifest);
  Cursor variants = root.at("variants");
  size_t count = variants.list(1, kMaxVariants);
  for (size_t i = 0; i < count; ++i)
    manifest.variants.push_back(parseVariant(variants.entry(i), manifest));
  return manifest;
}
