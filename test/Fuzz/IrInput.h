//===- IrInput.h - What the targets that read IR share ----------*- C++ -*-===//

#ifndef ATTN_TEST_FUZZ_IRINPUT_H
#define ATTN_TEST_FUZZ_IRINPUT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace attn_fuzz {

[[noreturn]] inline void found(const llvm::Twine &what) {
  llvm::errs() << "finding: " << what << "\n";
  std::abort();
}

/// Tells libFuzzer what came out of an input: one that has an outcome which no
/// other had is new.
void note(llvm::hash_code outcome);

/// A context for some hundred inputs: a new one takes longer than most inputs,
/// an old one holds the types and attributes of all.
class Contexts {
public:
  explicit Contexts(void (*fill)(mlir::DialectRegistry &)) : fill(fill) {}
  mlir::MLIRContext &get() {
    if (!context || ++used % 256 == 0)
      renew();
    return *context;
  }

private:
  void renew() {
    mlir::DialectRegistry registry;
    fill(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
  }

  void (*fill)(mlir::DialectRegistry &);
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned used = 0;
};

/// Counts errors in place of printing them. Of a module, what is said is an
/// outcome, but for names and numbers; of what is none it says little.
class Errors {
public:
  explicit Errors(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          count += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          if (ofModule)
            note(llvm::hash_value(withoutNames(diagnostic.str())));
          return mlir::success();
        }) {}
  unsigned count = 0;
  bool ofModule = false;

private:
  static std::string withoutNames(llvm::StringRef text) {
    std::string result;
    bool quoted = false;
    for (char c : text) {
      quoted ^= c == '\'' || c == '"';
      if (!quoted && !llvm::isDigit(c))
        result += c;
    }
    return result;
  }

  mlir::ScopedDiagnosticHandler handler;
};

/// The module that `text` is; null where it was refused.
inline mlir::OwningOpRef<mlir::ModuleOp>
parse(llvm::StringRef text, mlir::MLIRContext &context, Errors &errors) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module && errors.count == 0)
    found("the parser fails and does not say why");
  errors.ofModule = true;
  return module;
}

/// What is printed must be what can be parsed.
inline void checkRoundTrip(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  if (!mlir::parseSourceString<mlir::ModuleOp>(text, module.getContext()))
    found("what was printed cannot be parsed:\n" + text);
}

} // namespace attn_fuzz

#endif // ATTN_TEST_FUZZ_IRINPUT_H
