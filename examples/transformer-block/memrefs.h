/*===- memrefs.h - MLIR's descriptors of memrefs, as C has them ----------===*/

#ifndef EXAMPLES_TRANSFORMERBLOCK_MEMREFS_H
#define EXAMPLES_TRANSFORMERBLOCK_MEMREFS_H

#include <stdint.h>

#define MEMREF(rank)                                                           \
  struct {                                                                     \
    float *allocated, *aligned;                                                \
    int64_t offset, sizes[rank], strides[rank];                                \
  }
typedef MEMREF(1) Vector;
typedef MEMREF(2) Matrix;
typedef MEMREF(3) Activations;

#endif /* EXAMPLES_TRANSFORMERBLOCK_MEMREFS_H */
