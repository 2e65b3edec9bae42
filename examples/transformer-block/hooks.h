/*===- hooks.h - Where buffers and kernels are ---------------------------===*/

#ifndef EXAMPLES_TRANSFORMERBLOCK_HOOKS_H
#define EXAMPLES_TRANSFORMERBLOCK_HOOKS_H

#include "attn-mlir-c/Host.h"

/* Fills in hooks for the machine; 0, or something else after a message.
 * Attention runs where the bundle is for, all else on the CPU. cpu-hooks.c:
 * both are in the process's memory. hip-hooks.c: operands are copied to an AMD
 * GPU and back. */
int setHooks(AttnHostHooks *hooks);

#endif /* EXAMPLES_TRANSFORMERBLOCK_HOOKS_H */
