//===- RemarkDefinitions.cpp - C++ of remarks -----------------------------===//
//
// A function for each remark. Its parameters are the remark's arguments, so
// that a pass can neither forget one nor emit an identifier that nobody
// described.
//
//===----------------------------------------------------------------------===//

#include "RemarkRecords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace attn::tblgen;

/// What says that something was not done can be returned as a failure.
static StringRef resultType(const Remark &remark) {
  return remark.isMissed() ? "::attn::remarks::NotDone" : "void";
}

static void emitSignature(const Remark &remark, raw_ostream &os) {
  os << resultType(remark) << " " << remark.emitter()
     << "(::mlir::Operation *op";
  for (const Argument &argument : remark.arguments)
    os << ", " << argument.cppType << " " << argument.parameter();
  os << ")";
}

void attn::tblgen::emitRemarkDecls(const RecordKeeper &records,
                                   raw_ostream &os) {
  emitSourceFileHeader("Emitters of remarks", os, records);
  for (const Remark &remark : readRemarks(records)) {
    os << "/// " << remark.category << ", " << remark.kind << ": "
       << remark.name << ", \"" << remark.text << "\"\n";
    emitSignature(remark, os);
    os << ";\n";
  }
}

/// The text is printed as a value without a key.
static void emitText(const Remark &remark, raw_ostream &os) {
  ListSeparator plus(" + ");
  os << "  remark << (";
  for (const TextPart &part : remark.parts()) {
    os << plus << "::llvm::Twine(";
    if (part.argument) {
      os << "textOf(" << part.argument->parameter() << "))";
      continue;
    }
    os << "\"";
    printEscapedString(part.words, os);
    os << "\")";
  }
  os << ").str();\n";
}

static void emitBody(const Remark &remark, raw_ostream &os) {
  os << "  auto opts = ::mlir::remark::RemarkOpts::name(\"" << remark.name
     << "\")\n                  .category(\"" << remark.category << "\")";
  if (remark.namesFunction)
    os << "\n                  .function(functionOf(op))";
  os << ";\n  auto remark = ::mlir::remark::" << remark.mlirKind
     << "(op->getLoc(), opts);\n";
  emitText(remark, os);
  for (const Argument &argument : remark.arguments)
    if (!remark.isInText(argument))
      os << "  append(remark, \"" << argument.name << "\", "
         << argument.parameter() << ");\n";
  if (remark.isMissed())
    os << "  return {};\n";
}

void attn::tblgen::emitRemarkDefs(const RecordKeeper &records,
                                  raw_ostream &os) {
  emitSourceFileHeader("Emitters of remarks", os, records);
  for (const Remark &remark : readRemarks(records)) {
    emitSignature(remark, os);
    os << " {\n";
    emitBody(remark, os);
    os << "}\n\n";
  }
}
