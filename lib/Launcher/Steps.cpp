//===- Steps.cpp - Parse and check the variants of a program --------------===//

#include "ManifestParts.h"
#include "Sha256.h"
#include <algorithm>

using namespace attn;
using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static uint32_t parseViewIndex(const Cursor &at,
                               const std::vector<ViewSpec> &views) {
  return at.integer(0, int64_t(views.size()) - 1);
}

static uint32_t parseDimIndex(const Cursor &at,
                              const std::vector<ViewSpec> &views,
                              uint32_t view) {
  return at.integer(0, int64_t(views[view].shape.size()) - 1);
}

static uint32_t parseNode(const Cursor &at, const std::vector<ViewSpec> &views,
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
    uint32_t view = parseViewIndex(at.entry(1), views);
    uint32_t dim = parseDimIndex(at.entry(2), views, view);
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
    node.operands[i] = parseNode(at.entry(i + 1), views, result, depth + 1);
  return result.append(node);
}

Expression attn::parseExpression(const Cursor &at,
                                 const std::vector<ViewSpec> &views) {
  Expression result;
  parseNode(at, views, result, 1);
  return result;
}

static std::vector<Expression>
parseExpressions(const Cursor &at, size_t least, size_t most,
                 const std::vector<ViewSpec> &views) {
  size_t count = at.list(least, most);
  std::vector<Expression> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(parseExpression(at.entry(i), views));
  return result;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static void parseTensorMap(const Cursor &at, const ViewSpec &view,
                           ParameterSpec &result) {
  size_t rank = view.shape.size();
  if (rank > cuda::kTensorMapMaxRank)
    at.error("expected a view of rank 1 to 5 for a tensor map, but got " +
             inQuotes(view.name) + " of rank " + std::to_string(rank));
  if (view.element == ATTN_I32 || view.element == ATTN_I64)
    at.error("expected a view of f16, bf16 or f32 for a tensor map, but got " +
             inQuotes(view.name) + " of " + nameOf(view.element));
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

static ParameterSpec parseParameter(const Cursor &at, const Manifest &manifest,
                                    const StepSpec &step) {
  ParameterSpec result{};
  std::string kind = at.at("kind").text();
  if (kind == "scalar") {
    at.allowOnly({"kind", "index"});
    result.kind = ParameterKind::Scalar;
    if (step.scalars.empty())
      at.error("a parameter is a scalar, but there are no scalars");
    result.index = at.at("index").integer(0, int64_t(step.scalars.size()) - 1);
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
  const std::vector<ViewSpec> &views = manifest.viewsOf(step);
  result.index = parseViewIndex(at.at("view"), views);
  if (result.kind == ParameterKind::TensorMap) {
    if (manifest.platform != Platform::Cuda)
      at.error("expected no tensor map for " + manifest.arch +
               ", whose devices have none");
    at.allowOnly({"kind", "view", "box", "swizzle"});
    parseTensorMap(at, views[result.index], result);
  } else if (result.kind == ParameterKind::Pointer) {
    at.allowOnly({"kind", "view"});
  } else {
    at.allowOnly({"kind", "view", "dim"});
    result.dim = parseDimIndex(at.at("dim"), views, result.index);
  }
  return result;
}

static void parseParameters(const Cursor &at, const Manifest &manifest,
                            StepSpec &step) {
  size_t count = at.list(0, kMaxParameters), maps = 0;
  for (size_t i = 0; i < count; ++i) {
    step.parameters.push_back(parseParameter(at.entry(i), manifest, step));
    maps += step.parameters.back().kind == ParameterKind::TensorMap;
  }
  if (maps > kMaxTensorMaps)
    at.error("expected at most " + std::to_string(kMaxTensorMaps) +
             " tensor maps, but got " + std::to_string(maps));
}

//===----------------------------------------------------------------------===//
// Views and scalars of a step
//===----------------------------------------------------------------------===//

/// Names, elements and ranks of a step's views; sizes are those of the call.
static ViewSpec describe(const ViewSpec &base, size_t rank) {
  ViewSpec view{base.name, base.access, base.element, {}, {}};
  for (size_t dim = 0; dim < rank; ++dim) {
    view.shape.push_back({-1, -1});
    view.permutation.push_back(dim);
  }
  return view;
}

static void parseStepView(const Cursor &at, const VariantSpec &variant,
                          StepSpec &step) {
  at.allowOnly({"base", "shape", "strides", "offset"});
  StepViewSpec source;
  source.base = parseViewIndex(at.at("base"), variant.arrays);
  const ViewSpec &base = variant.arrays[source.base];
  size_t rank = base.shape.size();
  if (at.has("shape")) {
    source.shape =
        parseExpressions(at.at("shape"), 1, ATTN_MAX_RANK, variant.arrays);
    rank = source.shape.size();
    source.strides =
        parseExpressions(at.at("strides"), rank, rank, variant.arrays);
  } else if (at.has("strides")) {
    at.error("expected 'shape' with 'strides', which is missing");
  }
  if (at.has("offset"))
    source.offset = parseExpression(at.at("offset"), variant.arrays);
  step.views.push_back(describe(base, rank));
  step.sources.push_back(std::move(source));
}

static void parseStepViews(const Cursor &at, const VariantSpec &variant,
                           StepSpec &step) {
  if (!at.has("views"))
    return;
  Cursor views = at.at("views");
  size_t count = views.list(1, kMaxViews);
  for (size_t i = 0; i < count; ++i)
    parseStepView(views.entry(i), variant, step);
}

/// The bits of a constant in the low bytes of a word.
static StepScalarSpec parseConstant(const Cursor &at) {
  at.allowOnly({"constant", "type"});
  StepScalarSpec scalar;
  Cursor type = at.at("type");
  scalar.type = parseType(type, /*scalar=*/true);
  scalar.isIndex = type.isText("index");
  scalar.index = -1;
  int64_t most = scalar.isIndex ? kMaxIndex : INT64_MAX;
  scalar.word =
      at.at("constant").integer(scalar.isIndex ? -most : INT64_MIN, most);
  return scalar;
}

static StepScalarSpec scalarOf(const Manifest &manifest, int32_t index) {
  const ScalarSpec &spec = manifest.scalars[index];
  return {spec.type, spec.isIndex, index, 0};
}

static void parseStepScalars(const Cursor &at, const Manifest &manifest,
                             StepSpec &step) {
  if (!at.has("scalars")) {
    for (size_t i = 0; i < manifest.scalars.size(); ++i)
      step.scalars.push_back(scalarOf(manifest, i));
    return;
  }
  Cursor scalars = at.at("scalars");
  size_t count = scalars.list(0, kMaxScalars);
  for (size_t i = 0; i < count; ++i) {
    Cursor entry = scalars.entry(i);
    step.scalars.push_back(
        entry.isInteger() && !manifest.scalars.empty()
            ? scalarOf(manifest,
                       entry.integer(0, int64_t(manifest.scalars.size()) - 1))
            : parseConstant(entry));
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The binary of that name.
static uint32_t parseBinaryIndex(const Cursor &at, const Manifest &manifest) {
  for (size_t i = 0; i < manifest.binaries.size(); ++i)
    if (at.isText(manifest.binaries[i].file.c_str()))
      return i;
  at.wanted("the file of one of 'binaries'");
}

static void parseAlign(const Cursor &at, const Manifest &manifest,
                       StepSpec &step) {
  size_t count = at.list(0, kMaxParameters);
  for (size_t i = 0; i < count; ++i) {
    Cursor entry = at.entry(i);
    entry.allowOnly({"view", "bytes"});
    int64_t bytes = entry.at("bytes").integer(1, 4096);
    if (bytes & (bytes - 1))
      entry.at("bytes").wanted("a power of two");
    step.align.push_back(
        {parseViewIndex(entry.at("view"), manifest.viewsOf(step)), bytes});
  }
}

/// What is handed over with the code, as the JSON text that docs/bundle.md
/// defines: nlohmann sorts keys and adds no spaces.
static std::string interfaceText(const Manifest &manifest, const StepSpec &step,
                                 const Cursor &at) {
  Json scalars = Json::array();
  for (const StepScalarSpec &scalar : step.scalars)
    scalars.push_back(scalar.isIndex ? "index" : nameOf(scalar.type));
  Json interface{{"arch", manifest.arch},
                 {"binary_sha256", manifest.binaries[step.binary].digest},
                 {"block", step.block},
                 {"kernel", step.kernel},
                 {"parameters", at.at("parameters").json()},
                 {"scalars", scalars},
                 {"shared_bytes", step.sharedBytes}};
  if (step.overlaps)
    interface["overlaps"] = true;
  if (at.has("cluster"))
    interface["cluster"] = at.at("cluster").json();
  return interface.dump();
}

/// A driver reads as many parameters as the code says that its kernel has,
/// whatever it is given: too few, and it reads behind them.
static void checkInterface(const Cursor &at, const Manifest &manifest,
                           const StepSpec &step) {
  Cursor stated = at.at("interface_sha256");
  std::string digest = parseDigest(stated),
              ours = sha256(interfaceText(manifest, step, at));
  if (ours != digest)
    stated.error(
        wantedGot(digest, ours) +
        ": 'arch', 'binary', 'block', 'cluster', 'kernel', 'overlaps', "
        "'parameters', 'shared_bytes' or the types of 'scalars' are not those "
        "of the kernel");
}

static bool parseOverlaps(const Cursor &at, const Manifest &manifest) {
  if (!at.has("overlaps"))
    return false;
  Cursor value = at.at("overlaps");
  if (!value.json().is_boolean() || !value.json().get<bool>())
    value.wanted("true, or no entry");
  if (manifest.platform != Platform::Cuda)
    value.error("expected no steps that overlap for " + manifest.arch +
                ", whose devices run one after the other");
  return true;
}

static void parseCluster(const Cursor &at, const Manifest &manifest,
                         const std::vector<ViewSpec> &views, StepSpec &step) {
  if (!at.has("cluster"))
    return;
  Cursor value = at.at("cluster");
  if (manifest.platform != Platform::Cuda)
    value.error("expected no clusters of CTAs for " + manifest.arch +
                ", which has none");
  step.hasCluster = true;
  step.cluster = parseExpression(value, views);
}

StepSpec attn::parseStep(const Cursor &at, Manifest &manifest,
                         const VariantSpec &variant) {
  at.allowOnly({"limits", "resources", "binary", "kernel", "grid", "block",
                "shared_bytes", "align", "parameters", "interface_sha256",
                "views", "scalars", "overlaps", "cluster"});
  StepSpec step;
  step.number = manifest.stepCount++;
  parseStepViews(at, variant, step);
  parseStepScalars(at, manifest, step);
  const std::vector<ViewSpec> &views = manifest.viewsOf(step);
  if (at.has("limits"))
    step.limits = parseExpressions(at.at("limits"), 0, kMaxLimits, views);
  step.grid = parseExpression(at.at("grid"), views);
  parseCluster(at, manifest, views, step);
  step.binary = parseBinaryIndex(at.at("binary"), manifest);
  step.kernel = at.at("kernel").text();
  step.block = at.at("block").integer(1, 1024);
  step.sharedBytes = at.at("shared_bytes").integer(0, 1 << 20);
  step.overlaps = parseOverlaps(at, manifest);
  if (at.has("align"))
    parseAlign(at.at("align"), manifest, step);
  parseParameters(at.at("parameters"), manifest, step);
  checkInterface(at, manifest, step);
  return step;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static void parseWorkspace(const Cursor &at, const Manifest &manifest,
                           VariantSpec &variant) {
  size_t count = at.list(0, kMaxWorkspace);
  for (size_t i = 0; i < count; ++i) {
    Cursor entry = at.entry(i);
    entry.allowOnly({"name", "element", "shape"});
    ViewSpec array;
    array.name = entry.at("name").text();
    array.access = ATTN_WRITE;
    array.element = parseType(entry.at("element"), /*scalar=*/false);
    for (const ViewSpec &other : variant.arrays)
      if (other.name == array.name)
        entry.error("there are two views or arrays " + inQuotes(array.name));
    std::vector<Expression> shape =
        parseExpressions(entry.at("shape"), 1, ATTN_MAX_RANK, manifest.views);
    variant.arrays.push_back(describe(array, shape.size()));
    variant.workspace.push_back({std::move(shape)});
  }
}

VariantSpec attn::parseVariant(const Cursor &at, Manifest &manifest) {
  at.allowOnly({"guard", "limits", "workspace", "steps"});
  VariantSpec variant;
  variant.arrays = manifest.views;
  if (at.has("guard")) {
    variant.guard = parseExpression(at.at("guard"), manifest.views);
    variant.guardText = variant.guard.print(manifest.views);
  }
  if (at.has("limits"))
    variant.limits =
        parseExpressions(at.at("limits"), 0, kMaxLimits, manifest.views);
  if (at.has("workspace"))
    parseWorkspace(at.at("workspace"), manifest, variant);
  Cursor steps = at.at("steps");
  size_t count = steps.list(1, kMaxSteps);
  for (size_t i = 0; i < count; ++i)
    variant.steps.push_back(parseStep(steps.entry(i), manifest, variant));
  return variant;
}
