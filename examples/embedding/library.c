/*===- library.c - A compiler with another LLVM, or none -----------------===*\
|*
|* library FILE OBJECT [NAME=VALUE ...]: MLIR in, an object file out, by the
|* compiler's library, whose interface has no types of MLIR's.
|*
\*===---------------------------------------------------------------------===*/

#include "attn-mlir-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MostOptions = 16 };

/* The file's bytes, which are the caller's; null where it cannot be read. */
static char *readFile(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    *bytes = (size_t)ftell(file);
    rewind(file);
    text = malloc(*bytes + 1);
    if (text && fread(text, 1, *bytes, file) != *bytes) {
      free(text);
      text = NULL;
    }
  }
  if (file)
    fclose(file);
  return text;
}

static int writeFile(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  int failed = !file || fwrite(data, 1, bytes, file) != bytes;
  return (file && fclose(file)) || failed;
}

int main(int argc, char **argv) {
  AttnOption options[MostOptions] = {{"emit", "object"}, {"host", "true"}};
  size_t count = 2, bytes, size;
  char *text = argc >= 3 ? readFile(argv[1], &bytes) : NULL;
  if (!text) {
    fprintf(stderr, "usage: library FILE OBJECT [NAME=VALUE ...]\n");
    return 2;
  }
  for (int i = 3; i < argc && count < MostOptions; ++i) {
    char *value = strchr(argv[i], '=');
    if (!value)
      continue;
    *value++ = 0;
    options[count].name = argv[i];
    options[count++].value = value;
  }
  AttnCompilation *compilation = attnCompile(text, bytes, options, count);
  fputs(attnCompilationDiagnostics(compilation), stderr);
  const void *object = attnCompilationOutput(compilation, &size);
  int failed = !object || writeFile(argv[2], object, size);
  attnCompilationDestroy(compilation);
  free(text);
  return failed;
}
