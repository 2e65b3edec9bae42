//===- AttnAttrs.cpp - Grid order and target attributes -------------------===//

#include "NameList.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Target/Capabilities.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnAttrs.cpp.inc"

void AttnDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// OrderAttr
//===----------------------------------------------------------------------===//

Attribute OrderAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> digits, reversed;
  int64_t domains = 1, chunk = 1, together = 1;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseNames(parser, digits))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    ParseResult result = success();
    if (key == "domains")
      result = parser.parseInteger(domains);
    else if (key == "chunk")
      result = parser.parseInteger(chunk);
    else if (key == "together")
      result = parser.parseInteger(together);
    else if (key == "reversed")
      result = parseNames(parser, reversed);
    else
      return parser.emitError(keyLoc, "expected 'domains', 'chunk', 'together' "
                                      "or 'reversed', but got '")
                 << key << "'",
             Attribute();
    if (failed(result))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&]() { return parser.emitError(loc); },
                    parser.getContext(), digits, domains, chunk, reversed,
                    together);
}

void OrderAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printNames(printer, getDigits());
  if (getDomains() != 1)
    printer << ", domains = " << getDomains();
  if (getChunk() != 1)
    printer << ", chunk = " << getChunk();
  if (getTogether() != 1)
    printer << ", together = " << getTogether();
  if (!getReversed().empty()) {
    printer << ", reversed = ";
    printNames(printer, getReversed());
  }
  printer << ">";
}

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> digits, int64_t domains,
                                int64_t chunk, ArrayRef<StringAttr> reversed,
                                int64_t together) {
  llvm::StringSet<> seen;
  for (StringAttr digit : digits)
    if (!seen.insert(digit.getValue()).second)
      return emitError() << "digit '" << digit.getValue() << "' stands twice";
  if (domains < 1 || domains > kMaxCount)
    return emitError() << "expected 1 to " << kMaxCount << " domains, but got "
                       << domains;
  if (chunk < 1 || chunk > kMaxCount)
    return emitError() << "expected a chunk of 1 to " << kMaxCount
                       << ", but got " << chunk;
  llvm::StringSet<> backward;
  for (StringAttr axis : reversed)
    if (!backward.insert(axis.getValue()).second)
      return emitError() << "axis '" << axis.getValue()
                         << "' is reversed twice";
  if (domains > 1 && !seen.contains("sharing"))
    return emitError() << "re-ranking by " << domains
                       << " domains expects the digit 'sharing'";
  if (together < 1 || together > kMaxCount)
    return emitError() << "expected 1 to " << kMaxCount
                       << " sets together, but got " << together;
  if (together > 1 && (domains > 1 || !seen.contains("sharing")))
    return emitError() << "groups of " << together
                       << " sets expect the digit 'sharing' and one domain";
  return success();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

static TargetAttr fromTable(MLIRContext *context, const KnownTarget &known) {
  Builder b(context);
  SmallVector<NamedAttribute> facts;
  for (const SourcedFact &fact : known.facts)
    facts.push_back(
        b.getNamedAttr(factName(fact.fact), b.getI64IntegerAttr(fact.value)));
  return TargetAttr::get(
      context, b.getStringAttr(known.name), b.getStringAttr(known.arch),
      b.getDictionaryAttr(facts), b.getStrArrayAttr(known.capabilities));
}

TargetAttr TargetAttr::lookup(MLIRContext *context, StringRef name,
                              function_ref<InFlightDiagnostic()> emitError) {
  if (const KnownTarget *known = findTarget(name))
    return fromTable(context, *known);
  SmallVector<StringRef> names;
  for (const KnownTarget &known : knownTargets())
    names.push_back(known.name);
  emitError() << "unknown target '" << name << "'" << didYouMean(name, names)
              << " (known: " << llvm::join(names, ", ") << ")";
  return {};
}

TargetAttr TargetAttr::of(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kModuleAttr))
      return target;
    else if (!op->getParentOp())
      return fromTable(op->getContext(), *findTarget("cpu"));
  return {};
}

int64_t TargetAttr::get(Fact fact) const {
  return cast<IntegerAttr>(getFacts().get(factName(fact))).getInt();
}

bool TargetAttr::hasCapability(StringRef capability) const {
  return llvm::any_of(getCapabilities().getAsRange<StringAttr>(),
                      [&](StringAttr c) { return c.getValue() == capability; });
}

TargetAttr TargetAttr::with(Fact fact, int64_t value) const {
  NamedAttrList facts(getFacts());
  facts.set(factName(fact), Builder(getContext()).getI64IntegerAttr(value));
  return TargetAttr::get(getContext(), getName(), getArch(),
                         facts.getDictionary(getContext()), getCapabilities());
}

static ParseResult parseFact(AsmParser &parser, StringRef key, SMLoc loc,
                             NamedAttrList &facts) {
  std::optional<Fact> fact = findFact(key);
  if (!fact) {
    SmallVector<StringRef> names{"arch", "capabilities"};
    for (unsigned i = 0; i < kNumFacts; ++i)
      names.push_back(factName(static_cast<Fact>(i)));
    return parser.emitError(loc, "unknown fact '")
           << key << "'" << didYouMean(key, names);
  }
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  if (std::string misfit = misfitOf(*fact, value); !misfit.empty())
    return parser.emitError(loc, misfit);
  facts.set(key, parser.getBuilder().getI64IntegerAttr(value));
  return success();
}

static ParseResult checkCapability(AsmParser &parser, SMLoc at,
                                   StringRef name) {
  std::vector<StringRef> known = knownCapabilities();
  if (llvm::is_contained(known, name))
    return success();
  return parser.emitError(at, "unknown capability '")
         << name << "'" << didYouMean(name, known)
         << " (known: " << llvm::join(known, ", ") << ")";
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  MLIRContext *context = parser.getContext();
  Builder &b = parser.getBuilder();
  StringAttr arch;
  ArrayAttr capabilities;
  NamedAttrList facts;
  if (const KnownTarget *known = findTarget(name)) {
    TargetAttr base = fromTable(context, *known);
    arch = base.getArch();
    capabilities = base.getCapabilities();
    facts = NamedAttrList(base.getFacts());
  }
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    ParseResult result = success();
    if (key == "arch") {
      std::string value;
      result = parser.parseString(&value);
      arch = b.getStringAttr(value);
    } else if (key == "capabilities") {
      SmallVector<Attribute> list;
      result = parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            std::string value;
            SMLoc at = parser.getCurrentLocation();
            if (parser.parseString(&value))
              return failure();
            list.push_back(b.getStringAttr(value));
            return checkCapability(parser, at, value);
          });
      capabilities = b.getArrayAttr(list);
    } else {
      result = parseFact(parser, key, keyLoc, facts);
    }
    if (failed(result))
      return {};
  }
  if (parser.parseGreater())
    return {};
  for (unsigned i = 0; i < kNumFacts; ++i) {
    StringRef fact = factName(static_cast<Fact>(i));
    if (facts.get(fact))
      continue;
    // Not a known name: say so first, it is most often a slip of the pen.
    lookup(context, name, [&]() { return parser.emitError(loc); });
    parser.emitError(loc, "a target of one's own states every fact; '")
        << fact << "' is missing";
    return {};
  }
  if (!arch)
    return parser.emitError(loc, "a target of one's own states its 'arch'"),
           Attribute();
  if (!capabilities)
    capabilities = b.getArrayAttr({});
  return get(context, b.getStringAttr(name), arch, facts.getDictionary(context),
             capabilities);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << "<" << getName() << ", arch = " << getArch()
          << ", capabilities = [";
  llvm::interleaveComma(getCapabilities(), printer,
                        [&](Attribute a) { printer << a; });
  printer << "]";
  for (unsigned i = 0; i < kNumFacts; ++i) {
    auto fact = static_cast<Fact>(i);
    printer << ", " << factName(fact) << " = " << get(fact);
  }
  printer << ">";
}
