//===- Remark.td - What a remark is ------------------------*- tablegen -*-===//
//
// A record is one remark: what is printed, and what the reference says of it.
// attn-tblgen makes of it a C++ function, by which a pass emits it, and a row of
// docs/reference/remarks.md.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_REMARK
#define ATTN_SUPPORT_REMARK

/// By the name of the function in mlir::remark.
class RemarkKind<string name> {
  string mlirName = name;
}
/// Something was done.
def Passed : RemarkKind<"passed">;
/// Something was not done, and the text says why.
def Missed : RemarkKind<"missed">;

/// The C++ type of a parameter, and what the reference calls its values.
class RemarkType<string cpp, string readers> {
  string cppType = cpp;
  string shown = readers;
  /// Whether a value brings the keys along under which its parts are printed.
  bit ownKeys = 0;
  /// Whether there is always one, so that a text may contain it.
  bit fitsText = 1;
}
def Int : RemarkType<"int64_t", "integer">;
def Float : RemarkType<"double", "number">;
def String : RemarkType<"::llvm::StringRef", "string">;
/// Is printed as in IR, where names have quotes.
def Attr : RemarkType<"::mlir::Attribute", "attribute">;
/// Strings under keys that are known when the compiler runs.
def Keyed : RemarkType<"::llvm::ArrayRef<::attn::remarks::KeyedValue>",
                       "strings"> {
  let ownKeys = 1;
  let fitsText = 0;
}
/// Is left out where there is no value.
class Optional<RemarkType type>
    : RemarkType<"std::optional<" # type.cppType # ">", type.shown # ", optional"> {
  let fitsText = 0;
}

/// A value of a remark. It is printed as `name=value`, unless the text contains
/// it as `{name}`. `says` is read in the reference.
class RemarkArg<string argument, RemarkType of, string meaning> {
  string name = argument;
  RemarkType type = of;
  string says = meaning;
}

/// A remark of the category, which is the name of a pass: set it by
/// `let category = ... in` around the remarks of one.
class AttnRemark<string identifier, RemarkKind of, string words,
                 list<RemarkArg> values = []> {
  string category = "";
  string name = identifier;
  RemarkKind kind = of;
  string text = words;
  list<RemarkArg> arguments = values;
  /// When it is emitted, in whole sentences of markdown.
  string description = "";
  /// Whether the function or kernel around the operation is printed.
  bit namesFunction = 1;
}

#endif // ATTN_SUPPORT_REMARK
