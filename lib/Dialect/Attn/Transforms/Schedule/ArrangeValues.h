//===- ArrangeValues.h - The kernel that arranges values --------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ARRANGEVALUES_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ARRANGEVALUES_H

namespace attn {
class ArrangeValuesOp;
class KernelOp;

/// Makes the kernel of an operation, and its launch in the place of that.
KernelOp partitionArrangement(ArrangeValuesOp op);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ARRANGEVALUES_H
