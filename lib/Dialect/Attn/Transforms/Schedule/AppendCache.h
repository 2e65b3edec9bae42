//===- AppendCache.h - Kernels that append to caches ------------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_APPENDCACHE_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_APPENDCACHE_H

namespace attn {
class AppendCacheOp;
class KernelOp;
class RotateOp;

/// Makes the kernel of an operation, and its launch in the place of that.
KernelOp partitionAppend(AppendCacheOp op);
KernelOp partitionRotation(RotateOp op);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_APPENDCACHE_H
