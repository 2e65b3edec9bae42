//===- NameList.h - Lists of names in the syntax ----------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_IR_NAMELIST_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_IR_NAMELIST_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace attn {

/// Parses `[name, name, ...]`.
inline mlir::ParseResult
parseNames(mlir::AsmParser &parser,
           llvm::SmallVectorImpl<mlir::StringAttr> &names) {
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        llvm::StringRef name;
        if (mlir::failed(parser.parseKeyword(&name)))
          return mlir::failure();
        names.push_back(parser.getBuilder().getStringAttr(name));
        return mlir::success();
      });
}

/// Prints a range of StringAttr as parseNames reads it.
template <typename Names>
void printNames(mlir::AsmPrinter &printer, Names names) {
  printer << "[";
  llvm::interleaveComma(names, printer, [&](mlir::StringAttr name) {
    printer << name.getValue();
  });
  printer << "]";
}

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_IR_NAMELIST_H
