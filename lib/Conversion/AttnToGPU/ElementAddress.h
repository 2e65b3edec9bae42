//===- ElementAddress.h - Where an element of a view lies -------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_ELEMENTADDRESS_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_ELEMENTADDRESS_H

#include "Device.h"

namespace attn {

/// Where one element of a view of integers lies.
struct ElementAddress {
  ElementAddress(mlir::OpBuilder &b, mlir::Location loc, mlir::Value view,
                 mlir::ValueRange offsets);

  unsigned bytes() const { return type.getWidth() / 8; }
  /// Its address in global memory.
  mlir::Value pointer(mlir::OpBuilder &b) const;

  mlir::Location loc;
  ViewParameters view;
  mlir::IntegerType type;
  /// Elements from the base of the view on, and whether there is such an
  /// element.
  mlir::Value element, inside;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_ELEMENTADDRESS_H
