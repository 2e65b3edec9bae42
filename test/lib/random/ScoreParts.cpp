//===- ScoreParts.cpp - Score modifications by a small grammar ------------===//

#include "ScoreParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include <limits>

using namespace attn_random;

std::string attn_random::exact(float number) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("0x%08X", llvm::bit_cast<uint32_t>(number));
  return text;
}

double ScorePart::reach(double before, double longest) const {
  double size = std::abs(number);
  switch (kind) {
  case Bias:
  case HeadBias:
    return before + size * longest;
  case Select:
    return std::isinf(number) ? before : std::max(before, size);
  case Add:
    return std::isinf(number) ? before : before + size;
  case SoftCap:
  case Clamp:
    return std::min(before, size);
  case Multiply:
    return before * size;
  case Exponential:
    return 8;
  case Logarithm:
    return std::log1p(before);
  default:
    // The square must be a number, too.
    return before < 1e18 ? before + 1 : std::numeric_limits<double>::infinity();
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Prints operations, each with a name of its own.
class Printer {
public:
  Printer(llvm::raw_ostream &os, const std::string &prefix)
      : os(os), prefix(prefix) {}

  std::string op(const std::string &text) {
    std::string name = "%" + prefix + "_" + std::to_string(count++);
    os << "    " << name << " = " << text << "\n";
    return name;
  }
  std::string constant(float number) {
    return op("arith.constant " + exact(number) + " : f32");
  }
  std::string index(int64_t number) {
    return op("arith.constant " + std::to_string(number) + " : index");
  }
  std::string binary(const char *name, const std::string &a,
                     const std::string &b, const char *type = "f32") {
    return op(std::string(name) + " " + a + ", " + b + " : " + type);
  }
  /// An index as f32.
  std::string toFloat(const std::string &value) {
    std::string narrow = op("arith.index_cast " + value + " : index to i32");
    return op("arith.sitofp " + narrow + " : i32 to f32");
  }
  std::string compare(const char *predicate, const std::string &a,
                      const std::string &b) {
    return op(std::string("arith.cmpi ") + predicate + ", " + a + ", " + b +
              " : index");
  }
  std::string select(const std::string &c, const std::string &a,
                     const std::string &b) {
    return op("arith.select " + c + ", " + a + ", " + b + " : f32");
  }
  std::string distance() { return binary("arith.subi", "%j", "%i", "index"); }

  std::string condition(const Condition &c) {
    std::string number = index(c.number);
    switch (c.kind) {
    case Condition::KeyBelow:
      return compare("slt", "%j", number);
    case Condition::KeyFrom:
      return compare("sge", "%j", number);
    case Condition::DistanceBelow:
      return compare("slt", distance(), number);
    case Condition::QueryBelow:
      return compare("slt", "%i", number);
    case Condition::EveryNth: {
      std::string sum = binary("arith.addi", "%i", "%j", "index");
      std::string all = binary("arith.addi", sum, "%b", "index");
      return compare("eq", binary("arith.remui", all, number, "index"),
                     index(0));
    }
    default:
      return compare("eq", binary("arith.andi", "%h", index(1), "index"),
                     index(1));
    }
  }

private:
  llvm::raw_ostream &os;
  std::string prefix;
  unsigned count = 0;
};
} // namespace

std::string ScorePart::print(llvm::raw_ostream &os, const std::string &prefix,
                             const std::string &in,
                             const std::string &capture) const {
  Printer p(os, prefix);
  auto value = [&]() { return captured ? capture : p.constant(number); };
  switch (kind) {
  case Bias:
    return p.binary("arith.addf", in,
                    p.binary("arith.mulf", p.toFloat(p.distance()), value()));
  case HeadBias: {
    std::string head = p.binary("arith.mulf", p.toFloat("%h"), p.constant(-1));
    std::string slope =
        p.binary("arith.mulf", p.op("math.exp2 " + head + " : f32"), value());
    return p.binary("arith.addf", in,
                    p.binary("arith.mulf", p.toFloat(p.distance()), slope));
  }
  case Select:
    return p.select(p.condition(condition), value(), in);
  case Add:
    return p.binary("arith.addf", in,
                    p.select(p.condition(condition), value(), p.constant(0)));
  case SoftCap: {
    std::string cap = value();
    std::string part = p.binary("arith.divf", in, cap);
    return p.binary("arith.mulf", p.op("math.tanh " + part + " : f32"), cap);
  }
  case Clamp: {
    std::string bound = value();
    std::string low = p.op("arith.negf " + bound + " : f32");
    return p.binary("arith.minimumf", p.binary("arith.maximumf", in, low),
                    bound);
  }
  case Multiply:
    return p.binary("arith.mulf", in, value());
  case Exponential:
    return p.op("math.exp " + p.binary("arith.minimumf", in, p.constant(2)) +
                " : f32");
  case Logarithm:
    return p.op("math.log1p " + p.op("math.absf " + in + " : f32") + " : f32");
  default: {
    std::string sum =
        p.binary("arith.addf", p.binary("arith.mulf", in, in), p.constant(1));
    return p.op("arith.negf " + p.op("math.sqrt " + sum + " : f32") + " : f32");
  }
  }
}

//===----------------------------------------------------------------------===//
// Random parts
//===----------------------------------------------------------------------===//

/// A number that a user puts where a key is not to be seen, or its like.
static float makeMagnitude(Random &random, double limit) {
  constexpr float kLowest = -std::numeric_limits<float>::max();
  // The least finite numbers of f16, bf16 and f32, and some that are written
  // by hand.
  const float common[] = {-65504, -0x1.fep127f, kLowest, -1e4f, -1e9f,
                          -1e10f, -1e30f,       -1e6f,   -10000};
  if (random.oneIn(6))
    return -std::numeric_limits<float>::infinity();
  if (random.oneIn(3)) {
    float number = random.pick(common);
    return std::abs(number) <= limit ? number : -float(limit);
  }
  double size = random.magnitude(1e3, std::max(1e3, std::min(limit, 3e38)));
  return float(random.oneIn(3) ? size : -size);
}

static Condition makeCondition(Random &random, int64_t extent) {
  Condition c;
  c.kind = Condition::Kind(random.integer(0, Condition::NumKinds - 1));
  c.number = c.kind == Condition::EveryNth ? random.integer(2, 7)
             : c.kind == Condition::DistanceBelow
                 ? random.integer(-extent, extent)
                 : random.integer(0, extent);
  return c;
}

ScorePart attn_random::makeScorePart(Random &random, double limit,
                                     int64_t extent) {
  ScorePart part;
  // Masks by hand come oftenest.
  part.kind = random.oneIn(2)
                  ? (random.oneIn(2) ? ScorePart::Select : ScorePart::Add)
                  : ScorePart::Kind(random.integer(0, ScorePart::NumKinds - 1));
  part.condition = makeCondition(random, extent);
  part.captured = random.oneIn(4);
  switch (part.kind) {
  case ScorePart::Select:
  case ScorePart::Add:
    part.number = makeMagnitude(random, limit);
    break;
  case ScorePart::Bias:
  case ScorePart::HeadBias:
    part.number = float(random.magnitude(1e-4, 1)) * (random.oneIn(2) ? 1 : -1);
    break;
  case ScorePart::Multiply:
    part.number = float(random.magnitude(1e-2, random.oneIn(4) ? 1e8 : 4));
    break;
  default:
    part.number = float(random.magnitude(0.5, 1e3));
  }
  return part;
}
