//===- RandomModule.cpp - A random module's text --------------------------===//

#include "RandomModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace attn_random;

llvm::StringRef attn_random::nameOf(Mode mode) {
  switch (mode) {
  case Mode::Compile:
    return "compile";
  case Mode::Run:
    return "run";
  case Mode::Sequential:
    return "sequential";
  case Mode::Emulate:
    return "emulate";
  }
  llvm_unreachable("unknown mode");
}

int64_t RandomModule::sizeOf(llvm::StringRef name) const {
  for (const Axis &axis : axes)
    if (axis.name == name)
      return axis.size;
  llvm_unreachable("no such axis");
}

llvm::StringMap<int64_t> RandomModule::dynamicSizes() const {
  llvm::StringMap<int64_t> sizes;
  for (const Axis &axis : axes)
    if (!axis.isStatic)
      sizes[axis.name] = axis.size;
  return sizes;
}

std::vector<double> RandomModule::captures() const {
  std::vector<double> values;
  for (const ScorePart &part : parts)
    if (part.captured)
      values.push_back(part.number);
  return values;
}

bool RandomModule::hasOption(llvm::StringRef name) const {
  return llvm::any_of(schedule, [&](llvm::StringRef option) {
    return option.split('=').first == name;
  });
}

bool RandomModule::isProgram() const {
  return hasOption("split-ctas") || hasOption("split-length") ||
         hasOption("split-last") || hasOption("stream-k");
}

bool RandomModule::isFloat8() const {
  return llvm::StringRef(element).starts_with("f8");
}

bool RandomModule::hasExactProducts() const {
  return values == Values::Ties || values == Values::Large;
}

namespace {

/// Prints the function of a module.
class TextWriter {
public:
  TextWriter(const RandomModule &m, llvm::raw_ostream &os) : m(m), os(os) {}

  void run() {
    switch (m.op) {
    case OpKind::Attention:
      return attention();
    case OpKind::Matmul:
      return matmul();
    case OpKind::LogSumExp:
      return logSumExp();
    }
  }

private:
  std::string dim(llvm::StringRef axis) {
    for (const Axis &a : m.axes)
      if (a.name == axis)
        return a.isStatic ? std::to_string(a.size) : "?";
    llvm_unreachable("no such axis");
  }
  std::string tensor(llvm::ArrayRef<std::string> dims,
                     const std::string &element) {
    return "tensor<" + llvm::join(dims, "x") + "x" + element + ">";
  }
  std::string rows(const std::string &b, int64_t heads, llvm::StringRef axis,
                   int64_t features, const std::string &element) {
    bool isPage = m.pageSize != 0 && axis == "key";
    std::string h = std::to_string(heads),
                s = isPage ? std::to_string(m.pageSize) : dim(axis),
                d = std::to_string(features);
    return m.bshd ? tensor({b, s, h, d}, element)
                  : tensor({b, h, s, d}, element);
  }

  std::string maskText() {
    std::string align = m.mask.bottomRight ? "bottom_right" : "top_left";
    switch (m.mask.kind) {
    case Mask::None:
      return "";
    case Mask::Causal:
      return " mask(#attn.causal<" + align + ">)";
    case Mask::Window:
      return " mask(#attn.window<left = " + std::to_string(m.mask.left) +
             ", right = " + std::to_string(m.mask.right) +
             ", align = " + align + ">)";
    }
    llvm_unreachable("unknown mask");
  }

  /// Types of the captures: tensors, then scalars.
  std::vector<std::string> capturedTypes() {
    std::string sizes[] = {dim("batch"),
                           std::to_string(m.kvHeads * m.groupHeads),
                           dim("query"), dim("key")};
    std::vector<std::string> types;
    for (const TensorRead &read : m.reads)
      types.push_back(read.type(sizes));
    types.resize(types.size() + m.captures().size(), "f32");
    return types;
  }

  /// The captures as the function declares them, and as the op names them:
  /// those that tensors are called by a name of their own.
  std::string captured(llvm::StringRef sigil, bool typed) {
    return llvm::join(captureNames(sigil, typed), ", ");
  }
  std::vector<std::string> captureNames(llvm::StringRef sigil, bool typed) {
    std::vector<std::string> names;
    for (auto [i, type] : llvm::enumerate(capturedTypes())) {
      bool isTensor = i < m.reads.size();
      names.push_back(("%" + sigil).str() +
                      (isTensor ? "t" + std::to_string(i)
                                : std::to_string(i - m.reads.size())) +
                      (typed ? ": " + type : ""));
    }
    return names;
  }

  void regions() {
    bool masks = llvm::any_of(m.reads, [](auto &read) { return read.masks; });
    bool adds = llvm::any_of(m.reads, [](auto &read) { return !read.masks; });
    if (std::string names = captured("x", false); !names.empty())
      os << "\n  captures(" << names << " : "
         << llvm::join(capturedTypes(), ", ") << ")";
    if (adds || !m.parts.empty())
      score();
    if (masks)
      keep();
  }

  void beginRegion(llvm::StringRef head) {
    std::string names = captured("y", true);
    os << "\n  " << head << "%b: index, %h: index, %i: index, %j: index"
       << (names.empty() ? "" : ", " + names) << ") {\n";
  }

  /// What the reads make of a value: those that mask, or those that add.
  std::string readTensors(std::string value, bool masks) {
    std::vector<std::string> types = capturedTypes();
    for (auto [i, read] : llvm::enumerate(m.reads))
      if (read.masks == masks) {
        std::string number = std::to_string(i);
        value = read.print(os, "t" + number, value, "%yt" + number, types[i]);
      }
    return value;
  }

  void keep() {
    beginRegion("keep(");
    std::string value = readTensors("", /*masks=*/true);
    os << "    attn.yield " << value << " : i1\n  }";
  }

  void score() {
    beginRegion("score(%s: f32, ");
    std::string value = readTensors("%s", /*masks=*/false);
    unsigned capture = 0;
    for (auto [i, part] : llvm::enumerate(m.parts)) {
      std::string name = "%y" + std::to_string(capture);
      capture += part.captured;
      value = part.print(os, "v" + std::to_string(i), value, name);
    }
    os << "    attn.yield " << value << " : f32\n  }";
  }

  /// The type of offsets: a number more than there are sequences.
  std::string offsets() {
    const Axis &batch = m.axes.front();
    return tensor({batch.isStatic ? std::to_string(batch.size + 1) : "?"},
                  m.offsets);
  }

  std::string table() { return tensor({dim("batch"), "?"}, m.lengths); }

  /// Operands of attention that need nothing but their type: a clause and a
  /// name each.
  using Clauses = std::vector<std::array<std::string, 3>>;

  Clauses extraClauses(const std::string &output) {
    Clauses clauses;
    std::string blocks = "?";
    for (const Axis &axis : m.axes)
      if (axis.name == "key" && axis.isStatic && m.scaleBlock)
        blocks = std::to_string(llvm::divideCeil(axis.size, m.scaleBlock));
    std::string scales =
        tensor({dim("batch"), std::to_string(m.kvHeads), blocks}, "f32");
    if (m.scalesKeys)
      clauses.push_back({"k_scale", "ks", scales});
    if (m.scalesValues)
      clauses.push_back({"v_scale", "vs", scales});
    if (!m.earlier)
      return clauses;
    std::string rows = tensor(
        {dim("batch"), std::to_string(m.kvHeads * m.groupHeads), dim("query")},
        "f32");
    clauses.push_back({"earlier_o", "eo", output});
    clauses.push_back({"earlier_lse", "el", rows});
    return clauses;
  }

  void attention() {
    int64_t heads = m.kvHeads * m.groupHeads;
    std::string ofQueries = m.packsQueries ? "1" : dim("batch"),
                ofKeys = m.packsKeys  ? "1"
                         : m.pageSize ? "?"
                                      : dim("batch");
    std::string q = rows(ofQueries, heads, "query", m.qkDim, m.element),
                k = rows(ofKeys, m.kvHeads, "key", m.qkDim, m.element),
                v = rows(ofKeys, m.kvHeads, "key", m.valueDim, m.element),
                o = rows(ofQueries, heads, "query", m.valueDim,
                         m.isFloat8() ? "bf16" : m.element),
                l = tensor({ofQueries, std::to_string(heads), dim("query")},
                           "f32");
    std::string results = m.lse ? "(" + o + ", " + l + ")" : o;
    Clauses extra =
        extraClauses(rows(ofQueries, heads, "query", m.valueDim, "f32"));
    // Behind all tensors are scalars, as a function is called.
    std::vector<std::string> captures = captureNames("x", true);
    for (auto [i, clause] : llvm::enumerate(extra))
      captures.insert(captures.begin() + m.reads.size() + i,
                      "%" + clause[1] + ": " + clause[2]);
    std::string lengths;
    if (!m.lengths.empty())
      lengths = tensor({dim("batch")}, m.lengths);
    os << "func.func @f(%q: " << q << ",\n    %k: " << k << ",\n    %v: " << v
       << (lengths.empty() ? "" : ",\n    %n: " + lengths)
       << (m.packsQueries ? ",\n    %cq: " + offsets() : "")
       << (m.packsKeys ? ",\n    %ck: " + offsets() : "")
       << (m.pageSize ? ",\n    %t: " + table() : "")
       << (captures.empty() ? "" : ",\n    " + llvm::join(captures, ", "))
       << ")\n    -> " << results << " {\n  " << (m.lse ? "%r:2" : "%r")
       << " = attn.attention %q, %k, %v" << maskText() << " scale("
       << exact(m.scale) << ")" << (m.bshd ? " layout(bshd)" : "")
       << (lengths.empty() ? "" : " lengths(%n : " + lengths + ")");
    for (auto [packs, which] :
         {std::pair(m.packsQueries, "q"), {m.packsKeys, "k"}})
      if (packs)
        os << " cu_seqlens_" << which << "(%c" << which << " : " << offsets()
           << ")";
    if (m.pageSize)
      os << " block_table(%t : " << table() << ")";
    for (const auto &[clause, name, type] : extra)
      os << " " << clause << "(%" << name << " : " << type << ")";
    if (m.scaleBlock)
      os << " scale_block(" << m.scaleBlock << ")";
    regions();
    os << "\n  : (" << q << ", " << k << ", " << v << ") -> " << results
       << "\n  return "
       << (m.lse ? "%r#0, %r#1 : " + o + ", " + l : "%r : " + o) << "\n}\n";
  }

  void matmul() {
    std::string a = tensor({dim("m"), dim("k")}, m.element),
                b = tensor({dim("k"), dim("n")}, m.element),
                c = tensor({dim("m"), dim("n")}, "f32");
    os << "func.func @f(%a: " << a << ", %b: " << b << ") -> " << c
       << " {\n  %c = attn.matmul %a, %b : (" << a << ", " << b << ") -> " << c
       << "\n  return %c : " << c << "\n}\n";
  }

  void logSumExp() {
    std::string x = tensor({dim("row"), dim("column")}, m.element),
                y = tensor({dim("row")}, "f32");
    os << "func.func @f(%x: " << x << ") -> " << y
       << " {\n  %y = attn_test.logsumexp %x : (" << x << ") -> " << y
       << "\n  return %y : " << y << "\n}\n";
  }

  const RandomModule &m;
  llvm::raw_ostream &os;
};

} // namespace

std::string RandomModule::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  TextWriter(*this, os).run();
  return result;
}

std::string RandomModule::scheduleText() const {
  std::vector<std::string> options = schedule;
  if (!tiles.empty())
    options.insert(options.begin(), "tiles=" + llvm::join(tiles, ","));
  return llvm::join(options, " ");
}

std::string RandomModule::lowerText() const { return llvm::join(lower, " "); }

std::string RandomModule::command(llvm::StringRef file) const {
  std::string text = "attn-test-compile " + file.str() + " --target=" + target +
                     " --schedule='" + scheduleText() + "'";
  if (mode != Mode::Run)
    text += " --lower='" + lowerText() + "'";
  if ((mode == Mode::Compile || mode == Mode::Emulate) && isProgram() &&
      target != "cpu")
    return text + " --emit=bundle -o bundle";
  if (mode == Mode::Compile || mode == Mode::Emulate) {
    llvm::StringRef emit = target == "cpu"      ? "llvm"
                           : target == "mi300x" ? "hsaco"
                                                : "ptx";
    return text + " --emit=" + emit.str();
  }
  text += mode == Mode::Sequential ? " --run --sequential" : " --run";
  std::string sizes;
  for (const Axis &axis : axes)
    if (!axis.isStatic)
      sizes += (sizes.empty() ? " --size=" : ",") + axis.name + "=" +
               std::to_string(axis.size);
  text += sizes;
  for (double value : captures())
    text += " --scalar=" + std::to_string(value);
  return text;
}

std::string RandomModule::inputsInWords() const {
  const char *const names[] = {"normally distributed", "growing keys",
                               "small integers", "large keys"};
  std::string text = names[unsigned(values)];
  for (const Axis &axis : axes)
    text += ", " + axis.name + " " + std::to_string(axis.size);
  text += "; gaps of";
  for (int64_t gap : gaps)
    text += " " + std::to_string(gap);
  text += " elements";
  if (!lengths.empty())
    text += "; lengths: a prime, all, 0, 1, and so on";
  if (pageSize)
    text += "; keys in pages of " + std::to_string(pageSize) + ", shuffled";
  if (earlier)
    text += "; earlier keys, none for every fifth row";
  if (!offsets.empty())
    text += "; sequences of a prime of elements, none, one and many";
  if (deviceRowBytes)
    text += "; " + std::to_string(deviceRowBytes) +
            " bytes from row to row on the device";
  return text;
}
