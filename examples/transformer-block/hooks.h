/*===- hooks.h - Where buffers and kernels are ---------------------------===*/

#ifndef EXAMPLES_TRANSFORMERBLOCK_HOOKS_H
#define EXAMPLES_TRANSFORMERBLOCK_HOOKS_H

#include "attn-mlir-c/Host.h"

/* What a check that cannot run here returns. */
enum { Skipped = 77 };

/* Fills in hooks for the machine; 0, or something else after a message, Skipped
 * where there is no such machine. Attention runs where the bundle is for, and
 * all else on the CPU, but for products with cuda-hooks.c. cpu-hooks.c: all is
 * in the process's memory. hip-hooks.c: operands are copied to an AMD GPU and
 * back. cuda-hooks.c: buffers are in memory that the CPU and an NVIDIA GPU both
 * address, and cuBLAS multiplies matrices. */
int setHooks(AttnHostHooks *hooks);

/* Whether something failed, after a message, that no status says. */
int failed(void);

#endif /* EXAMPLES_TRANSFORMERBLOCK_HOOKS_H */
