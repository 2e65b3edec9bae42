//===- Quantize.h - The kernels that make FP8 -------------------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZE_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZE_H

namespace attn {
class QuantizeOp;

/// Makes the kernels of an operation, and their launches in the place of that;
/// how many.
unsigned partitionQuantization(QuantizeOp op);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZE_H
