//===- AttnTypes.cpp - Parsing and printing of types ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace attn;

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(elementType) || parser.parseGreater())
    return {};
  if (shape.empty()) {
    parser.emitError(parser.getNameLoc(), "a view has at least one dimension");
    return {};
  }
  bool isNumber = elementType.isF16() || elementType.isBF16() ||
                  elementType.isF32() || isFloat8(elementType);
  if (!isNumber && !elementType.isSignlessInteger(8) &&
      !elementType.isSignlessInteger(32) &&
      !elementType.isSignlessInteger(64)) {
    parser.emitError(loc, "element type of a view must be f16, bf16, f32, "
                          "f8E4M3FN, f8E5M2, f8E4M3FNUZ, i8, i32 or i64, but "
                          "got ")
        << elementType;
    return {};
  }
  return get(parser.getContext(), shape, elementType);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ">";
}
