//===- RemarkRecords.cpp - Records of remarks, checked --------------------===//

#include "RemarkRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace attn::tblgen;

std::string Argument::parameter() const {
  std::string snake = name.str();
  llvm::replace(snake, '-', '_');
  return convertToCamelFromSnakeCase(snake);
}

static Argument readArgument(const Record &record) {
  const Record *type = record.getValueAsDef("type");
  Argument argument;
  argument.name = record.getValueAsString("name");
  argument.says = record.getValueAsString("says");
  argument.cppType = type->getValueAsString("cppType");
  argument.shownType = type->getValueAsString("shown");
  argument.ownKeys = type->getValueAsBit("ownKeys");
  argument.fitsText = type->getValueAsBit("fitsText");
  return argument;
}

Remark::Remark(const Record &record)
    : record(record), name(record.getValueAsString("name")),
      category(record.getValueAsString("category")),
      text(record.getValueAsString("text")),
      description(record.getValueAsString("description").trim()),
      kind(record.getValueAsDef("kind")->getName()),
      mlirKind(record.getValueAsDef("kind")->getValueAsString("mlirName")),
      namesFunction(record.getValueAsBit("namesFunction")) {
  for (const Record *argument : record.getValueAsListOfDefs("arguments"))
    arguments.push_back(readArgument(*argument));
}

std::string Remark::emitter() const {
  return ("emit" + record.getName()).str();
}

const Argument *Remark::find(StringRef argument) const {
  for (const Argument &each : arguments)
    if (each.name == argument)
      return &each;
  return nullptr;
}

bool Remark::isInText(const Argument &argument) const {
  return text.contains(("{" + argument.name + "}").str());
}

/// Lower-case words that dashes join, as passes and options are called.
static bool isName(StringRef text) {
  return !text.empty() && isLower(text.front()) && !text.ends_with("-") &&
         !text.contains("--") && llvm::all_of(text, [](char c) {
           return isLower(c) || isDigit(c) || c == '-';
         });
}

void Remark::checkName(StringRef what, StringRef text) {
  if (!isName(text))
    PrintError(&record, "expected lower-case words joined by dashes as the " +
                            what + ", but got '" + text + "'");
}

void Remark::checkArguments() {
  StringSet<> seen;
  for (const Argument &argument : arguments) {
    checkName("name of an argument", argument.name);
    if (!seen.insert(argument.name).second)
      PrintError(&record, "expected arguments of different names, but got '" +
                              argument.name + "' twice");
    if (argument.says.empty())
      PrintError(&record, "expected what the argument '" + argument.name +
                              "' says, but got nothing");
  }
}

void Remark::checkText() {
  if (text.empty())
    PrintError(&record, "expected a text, but got none");
  for (StringRef rest = text; rest.contains('{');) {
    rest = rest.split('{').second;
    size_t end = rest.find('}');
    if (end == StringRef::npos)
      return PrintError(&record, "expected '}' after '{" + rest +
                                     "', but got the end of the text");
    StringRef between = rest.take_front(end);
    rest = rest.drop_front(end + 1);
    const Argument *argument = find(between);
    if (!argument || !argument->fitsText)
      PrintError(&record, "expected an argument with one value in braces, but "
                          "got '{" +
                              between + "}'");
  }
}

void Remark::check() {
  checkName("category", category);
  checkName("identifier", name);
  checkArguments();
  checkText();
  if (description.empty())
    PrintError(&record, "expected a description, but got none");
}

std::vector<TextPart> Remark::parts() const {
  std::vector<TextPart> parts;
  for (StringRef rest = text; !rest.empty();) {
    size_t open = rest.find('{');
    if (open != 0)
      parts.push_back({rest.take_front(open), nullptr});
    rest = rest.substr(open);
    if (rest.empty())
      break;
    auto [between, after] = rest.drop_front().split('}');
    parts.push_back({{}, find(between)});
    rest = after;
  }
  return parts;
}

/// Two records that print the same could not be told apart in an output.
static void checkDistinct(ArrayRef<Remark> remarks) {
  StringMap<const Record *> seen;
  for (const Remark &remark : remarks) {
    std::string key = (remark.category + "|" + remark.name + "|" + remark.kind +
                       "|" + remark.text)
                          .str();
    auto [first, isNew] = seen.try_emplace(key, &remark.record);
    if (!isNew)
      PrintError(&remark.record, "expected another text than that of '" +
                                     first->second->getName() + "', but got '" +
                                     remark.text +
                                     "' of the same identifier again");
  }
}

std::vector<Remark> attn::tblgen::readRemarks(const RecordKeeper &records) {
  auto definitions = records.getAllDerivedDefinitions("AttnRemark").vec();
  llvm::sort(definitions, LessRecordByID());
  std::vector<Remark> remarks;
  for (const Record *definition : definitions) {
    remarks.emplace_back(*definition);
    remarks.back().check();
  }
  checkDistinct(remarks);
  return remarks;
}
