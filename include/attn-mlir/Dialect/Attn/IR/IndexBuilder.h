//===- IndexBuilder.h - Index arithmetic ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_INDEXBUILDER_H
#define ATTN_MLIR_DIALECT_ATTN_IR_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// Builds arithmetic on indices at one place, folded where operands are
/// constant. Division is unsigned; minima and maxima come in both kinds.
struct IndexBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value constant(int64_t v) const {
    return mlir::arith::ConstantIndexOp::create(b, loc, v);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::AddIOp>(loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::SubIOp>(loc, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::MulIOp>(loc, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::DivUIOp>(loc, x, y);
  }
  mlir::Value ceilDiv(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::CeilDivUIOp>(loc, x, y);
  }
  mlir::Value rem(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::RemUIOp>(loc, x, y);
  }
  mlir::Value minU(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::MinUIOp>(loc, x, y);
  }
  mlir::Value maxU(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::MaxUIOp>(loc, x, y);
  }
  mlir::Value minS(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::MinSIOp>(loc, x, y);
  }
  mlir::Value maxS(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::MaxSIOp>(loc, x, y);
  }
  mlir::Value atLeastOne(mlir::Value x) const {
    return b.createOrFold<mlir::arith::MaxUIOp>(loc, x, constant(1));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y) const {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::SelectOp>(loc, c, x, y);
  }
  mlir::Value logicalAnd(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::AndIOp>(loc, x, y);
  }
  mlir::Value logicalOr(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<mlir::arith::OrIOp>(loc, x, y);
  }
};

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_INDEXBUILDER_H
