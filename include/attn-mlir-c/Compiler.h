/*===- attn-mlir-c/Compiler.h - Compile attention from C -----------*- C
-*-===*\
|*
|* MLIR in, bundles out, in the process of the caller (libattn_compiler.so;
|* docs/compiler-library.md). All functions may be called from several threads
|* at once. Nothing is written to standard output or standard error, and no
|* input ends the process.
|*
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_C_COMPILER_H
#define ATTN_MLIR_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ATTN_COMPILER_EXPORT __attribute__((visibility("default")))
#else
#define ATTN_COMPILER_EXPORT
#endif

#define ATTN_COMPILER_ABI_VERSION 1

/** An option of attn-compile: its name without dashes, and its value. An option
    that may be repeated is given repeatedly. */
typedef struct AttnOption {
  const char *name;
  const char *value;
} AttnOption;

/** What came of a call of attnCompile. */
typedef struct AttnCompilation AttnCompilation;

/** "0.1.0" */
ATTN_COMPILER_EXPORT const char *attnCompilerVersion(void);

/** ATTN_COMPILER_ABI_VERSION of the library. */
ATTN_COMPILER_EXPORT int32_t attnCompilerAbiVersion(void);

/** A text that differs between libraries whose code may differ: a part of the
    key by which compiled bundles are kept. */
ATTN_COMPILER_EXPORT const char *attnCompilerBuildId(void);

/** Compiles `bytes` bytes of MLIR, text or bytecode. Null only where memory is
    short. The result is destroyed by attnCompilationDestroy. */
ATTN_COMPILER_EXPORT AttnCompilation *attnCompile(const char *input,
                                                  size_t bytes,
                                                  const AttnOption *options,
                                                  size_t optionCount);

/** 1, or 0 where diagnostics say what is wrong. */
ATTN_COMPILER_EXPORT int32_t
attnCompilationSucceeded(const AttnCompilation *compilation);

/** Errors, warnings and remarks, as a text with a zero at its end; "" if there
    are none. Lives as long as the compilation. */
ATTN_COMPILER_EXPORT const char *
attnCompilationDiagnostics(const AttnCompilation *compilation);

/** What the option "emit" asks for, and how many bytes it has; null and 0 where
    the compilation did not succeed. Lives as long as the compilation. */
ATTN_COMPILER_EXPORT const void *
attnCompilationOutput(const AttnCompilation *compilation, size_t *bytes);

/** Null is fine. */
ATTN_COMPILER_EXPORT void attnCompilationDestroy(AttnCompilation *compilation);

/** The path of ptxas: `given` if neither null nor empty, else ATTN_MLIR_PTXAS,
    else in CUDA_HOME or CUDA_PATH, else in PATH, else in the toolkit's usual
    place; "" where there is none. Lives until the thread's next call. */
ATTN_COMPILER_EXPORT const char *attnFindPtxas(const char *given);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_MLIR_C_COMPILER_H */
