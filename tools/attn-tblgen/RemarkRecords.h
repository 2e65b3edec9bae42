//===- RemarkRecords.h - Records of remarks, checked ------------*- C++ -*-===//

#ifndef ATTN_TBLGEN_REMARKRECORDS_H
#define ATTN_TBLGEN_REMARKRECORDS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace llvm {
class Record;
class RecordKeeper;
class raw_ostream;
} // namespace llvm

namespace attn::tblgen {

/// A RemarkArg.
struct Argument {
  /// The key that is printed.
  llvm::StringRef name;
  llvm::StringRef cppType, shownType, says;
  /// Whether the value brings its keys along, so that `name` stands for them.
  bool ownKeys = false;
  /// Whether there is always one value, so that a text may contain it.
  bool fitsText = true;

  /// Its parameter: `sharedBytes` for `shared-bytes`.
  std::string parameter() const;
};

/// A part of a text: words, or the argument between braces.
struct TextPart {
  llvm::StringRef words;
  const Argument *argument = nullptr;
};

/// An AttnRemark.
class Remark {
public:
  explicit Remark(const llvm::Record &record);

  const llvm::Record &record;
  llvm::StringRef name, category, text, description;
  /// `Missed`, and what MLIR calls its emitter: `missed`.
  llvm::StringRef kind, mlirKind;
  bool namesFunction;
  std::vector<Argument> arguments;

  /// Reports everything that is wrong with the record by itself.
  void check();

  /// `emitFewTiles` for the record `FewTiles`.
  std::string emitter() const;

  /// Whether the text contains an argument, so that it is printed without key.
  bool isInText(const Argument &argument) const;

  bool isMissed() const { return kind == "Missed"; }

  /// The text in parts, once it was checked.
  std::vector<TextPart> parts() const;

private:
  void checkName(llvm::StringRef what, llvm::StringRef text);
  void checkArguments();
  void checkText();
  const Argument *find(llvm::StringRef argument) const;
};

/// All remarks in the order of their file. What is wrong with them has been
/// reported.
std::vector<Remark> readRemarks(const llvm::RecordKeeper &records);

void emitRemarkDecls(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitRemarkDefs(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitRemarkDoc(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

} // namespace attn::tblgen

#endif // ATTN_TBLGEN_REMARKRECORDS_H
