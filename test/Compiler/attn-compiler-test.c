/*===- attn-compiler-test.c - The compiler library from C -----------------===*\
|*
|* attn-compiler-test compile FILE OUTPUT [NAME=VALUE ...]
|*   compiles, prints diagnostics, writes the output ("-": its size).
|* attn-compiler-test threads N FILE...
|*   each file on N threads at once; results are those of one thread.
|* attn-compiler-test again FILE FILE TARGET
|*   one after the other in one process, the second twice.
|* attn-compiler-test arguments
|*   calls with null and empty arguments.
|*
\*===----------------------------------------------------------------------===*/

#include "attn-mlir-c/Compiler.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MostOptions = 32, MostJobs = 256 };

static char *readAll(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*bytes + 1);
  if (!text || fread(text, 1, *bytes, file) != *bytes) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  fclose(file);
  return text;
}

/* NAME=VALUE; text without '=' is a name without a value. */
static size_t readOptions(int count, char **texts, AttnOption *options) {
  size_t used = 0;
  for (int i = 0; i < count && used < MostOptions; ++i) {
    char *equals = strchr(texts[i], '=');
    if (equals)
      *equals = 0;
    options[used].name = texts[i];
    options[used++].value = equals ? equals + 1 : NULL;
  }
  return used;
}

static int compile(int argc, char **argv) {
  AttnOption options[MostOptions];
  size_t bytes, size, count = readOptions(argc - 4, argv + 4, options);
  char *text = readAll(argv[2], &bytes);
  AttnCompilation *c = attnCompile(text, bytes, options, count);
  free(text);
  int succeeded = attnCompilationSucceeded(c);
  printf("%ssucceeded: %d\n", attnCompilationDiagnostics(c), succeeded);
  const void *output = attnCompilationOutput(c, &size);
  if (!succeeded && (output || size)) {
    puts("an output without success");
    return 2;
  }
  if (succeeded && strcmp(argv[3], "-") != 0) {
    FILE *file = fopen(argv[3], "wb");
    if (!file || fwrite(output, 1, size, file) != size || fclose(file))
      return 2;
  }
  attnCompilationDestroy(c);
  return !succeeded;
}

typedef struct Job {
  char *text;
  size_t bytes;
  const char *target;
  AttnCompilation *result;
} Job;

static void *work(void *argument) {
  Job *job = argument;
  AttnOption options[] = {{"target", job->target}, {"ptxas", "none"}};
  job->result = attnCompile(job->text, job->bytes, options, 2);
  return NULL;
}

static int isSame(const AttnCompilation *a, const AttnCompilation *b) {
  size_t sizeA, sizeB;
  const void *outputA = attnCompilationOutput(a, &sizeA),
             *outputB = attnCompilationOutput(b, &sizeB);
  return attnCompilationSucceeded(a) && attnCompilationSucceeded(b) &&
         sizeA == sizeB && memcmp(outputA, outputB, sizeA) == 0;
}

static int threads(int argc, char **argv) {
  static const char *const targets[] = {"h200", "gb10", "mi300x", "cpu"};
  static Job jobs[MostJobs], alone[MostJobs];
  pthread_t ids[MostJobs];
  int wanted = atoi(argv[2]), files = argc - 3, different = 0;
  /* First the threads: what is set up once is set up by one of them. */
  for (int i = 0; i < wanted; ++i) {
    jobs[i].text = readAll(argv[3 + i % files], &jobs[i].bytes);
    jobs[i].target = targets[i / files % 4];
    alone[i] = jobs[i];
  }
  for (int i = 0; i < wanted; ++i)
    if (pthread_create(&ids[i], NULL, work, &jobs[i]))
      return 2;
  for (int i = 0; i < wanted; ++i)
    pthread_join(ids[i], NULL);
  for (int i = 0; i < wanted; ++i) {
    work(&alone[i]);
    if (!isSame(jobs[i].result, alone[i].result)) {
      printf("thread %d (%s):\n%s%s", i, jobs[i].target,
             attnCompilationDiagnostics(jobs[i].result),
             attnCompilationDiagnostics(alone[i].result));
      ++different;
    }
    attnCompilationDestroy(jobs[i].result);
    attnCompilationDestroy(alone[i].result);
    free(jobs[i].text);
  }
  printf("%d threads, %d results that differ\n", wanted, different);
  return different != 0;
}

static int again(char **argv) {
  AttnOption options[] = {{"target", argv[4]}, {"ptxas", "none"}};
  int order[] = {0, 1, 1};
  for (int i = 0; i < 3; ++i) {
    size_t bytes;
    char *text = readAll(argv[2 + order[i]], &bytes);
    AttnCompilation *c = attnCompile(text, bytes, options, 2);
    printf("%ssucceeded: %d\n", attnCompilationDiagnostics(c),
           attnCompilationSucceeded(c));
    attnCompilationDestroy(c);
    free(text);
  }
  return 0;
}

static void show(const char *what, AttnCompilation *c) {
  printf("%s: %d %s\n", what, attnCompilationSucceeded(c),
         attnCompilationDiagnostics(c));
  attnCompilationDestroy(c);
}

static int arguments(void) {
  AttnOption nameless = {NULL, "h200"}, valueless = {"target", NULL};
  size_t size = 1;
  show("no input", attnCompile(NULL, 0, NULL, 0));
  show("null of 5 bytes", attnCompile(NULL, 5, NULL, 0));
  show("empty input", attnCompile("", 0, NULL, 0));
  show("no options", attnCompile("module {}", 9, NULL, 1));
  show("no name", attnCompile("module {}", 9, &nameless, 1));
  show("no value", attnCompile("module {}", 9, &valueless, 1));
  const void *output = attnCompilationOutput(NULL, &size);
  printf("null: %d '%s' %d %zu\n", attnCompilationSucceeded(NULL),
         attnCompilationDiagnostics(NULL), output != NULL, size);
  (void)attnCompilationOutput(NULL, NULL);
  attnCompilationDestroy(NULL);
  printf("version %s, ABI %d\n", attnCompilerVersion(),
         attnCompilerAbiVersion() == ATTN_COMPILER_ABI_VERSION);
  printf("build %s\n", attnCompilerBuildId());
  printf("ptxas '%s'", attnFindPtxas("none"));
  printf(" '%s'\n", attnFindPtxas("/a/b"));
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "compile") == 0)
    return compile(argc, argv);
  if (argc > 3 && strcmp(argv[1], "threads") == 0 && atoi(argv[2]) <= MostJobs)
    return threads(argc, argv);
  if (argc == 5 && strcmp(argv[1], "again") == 0)
    return again(argv);
  if (argc == 2 && strcmp(argv[1], "arguments") == 0)
    return arguments();
  fprintf(stderr, "expected compile, threads, again or arguments\n");
  return 2;
}
