/*===- attn-host-test.c - Calls of compiled host code --------------------===*\
|*
|* attn-host-test FILE: FILE is a bundle of attention on the CPU with two heads
|* of 64 features in f32, whose queries and keys are one array. With zeros in
|* it every row of the result is the mean of all rows of V. The program's
|* stream is split: it has a workspace. Prints what hooks are told, and what
|* fails.
|*
\*===---------------------------------------------------------------------===*/

#include "attn-mlir-c/Host.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Heads = 2, Rows = 40, Features = 64, Count = Heads * Rows * Features };

static AttnHostModule module;
static float zeros[Count], values[Count];

typedef struct {
  float result[Count];
  /* What is to fail, and what is alive. */
  const char *failing;
  int acquired, allocated, workspaces;
} Run;

static AttnTensor tensorOf(float *data) {
  AttnTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = (uint64_t)(uintptr_t)data;
  tensor.dtype = ATTN_F32;
  tensor.rank = 4;
  tensor.device = ATTN_DEVICE_UNKNOWN;
  tensor.sizes[0] = 1;
  tensor.sizes[1] = Heads;
  tensor.sizes[2] = Rows;
  tensor.sizes[3] = Features;
  tensor.strides[0] = Count;
  tensor.strides[1] = Rows * Features;
  tensor.strides[2] = Features;
  tensor.strides[3] = 1;
  return tensor;
}

static int fails(Run *run, const char *what) {
  return run->failing && strcmp(run->failing, what) == 0;
}

/*===----------------------------------------------------------------------===*\
|* Hooks
\*===----------------------------------------------------------------------===*/

static void *allocate(void *user, uint64_t bytes, uint64_t alignment) {
  Run *run = user;
  if (fails(run, "allocate"))
    return NULL;
  ++run->allocated;
  printf("  allocate %d bytes at %d\n", (int)bytes, (int)alignment);
  return aligned_alloc(alignment,
                       (bytes + alignment - 1) / alignment * alignment);
}
static void deallocate(void *user, void *memory) {
  --((Run *)user)->allocated;
  free(memory);
}
static void *stream(void *user) { return user; }
static int32_t device(void *user) {
  (void)user;
  return 0;
}

/* "The device" is another array. */
static int32_t acquire(void *user, AttnTensor *tensor, int32_t access,
                       void *where) {
  Run *run = user;
  if (fails(run, "acquire") && access == ATTN_WRITE)
    return 41;
  float *copy = malloc(sizeof(float) * Count);
  memcpy(copy, (void *)(uintptr_t)tensor->data, sizeof(float) * Count);
  tensor->data = (uint64_t)(uintptr_t)copy;
  printf("  acquire: device %d, access %d, stream %s\n", (int)tensor->device,
         (int)access, where == user ? "given" : "other");
  ++run->acquired;
  return 0;
}
static int32_t release(void *user, const AttnTensor *buffer,
                       const AttnTensor *acquired, int32_t access, void *where,
                       int32_t status) {
  Run *run = user;
  float *copy = (float *)(uintptr_t)acquired->data;
  (void)where;
  if (access == ATTN_WRITE && status == ATTN_SUCCESS)
    memcpy((void *)(uintptr_t)buffer->data, copy, sizeof(float) * Count);
  free(copy);
  printf("  release: access %d, status %d\n", (int)access, (int)status);
  --run->acquired;
  return fails(run, "release") ? 42 : 0;
}

static int32_t workspace(void *user, uint64_t bytes, void *where,
                         AttnWorkspace *made) {
  Run *run = user;
  (void)where;
  if (fails(run, "workspace"))
    return 43;
  /* A half is too little. */
  made->bytes = fails(run, "half") ? bytes / 2 : bytes;
  made->data =
      (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  ++run->workspaces;
  printf("  workspace%s\n", bytes > 0 ? "" : ": empty");
  return 0;
}
static void releaseWorkspace(void *user, const AttnWorkspace *made,
                             void *where) {
  (void)where;
  --((Run *)user)->workspaces;
  free((void *)(uintptr_t)made->data);
}
static void error(void *user, int32_t status, const char *message) {
  (void)user;
  printf("  error %d: %s\n", (int)status, message);
}

static AttnHostHooks allHooks(Run *run) {
  AttnHostHooks hooks;
  memset(&hooks, 0, sizeof hooks);
  hooks.bytes = sizeof hooks;
  hooks.user = run;
  hooks.allocate = allocate;
  hooks.deallocate = deallocate;
  hooks.stream = stream;
  hooks.device = device;
  hooks.acquire = acquire;
  hooks.release = release;
  hooks.workspace = workspace;
  hooks.releaseWorkspace = releaseWorkspace;
  hooks.error = error;
  return hooks;
}

/*===----------------------------------------------------------------------===*\
|* What compiled code does
\*===----------------------------------------------------------------------===*/

/* A buffer, and a launch; the buffer is not freed where the launch fails. */
static AttnStatus compiled(const AttnHostHooks *hooks, Run *run,
                           const char *program, int32_t views) {
  AttnHostCall *call;
  void *buffer;
  AttnTensor tensors[3];
  AttnStatus status = attnHostBegin(hooks, &call);
  if (status)
    return status;
  status = attnHostAllocate(call, sizeof(float) * Count, 64, &buffer);
  if (status)
    return attnHostEnd(call, status);
  memcpy(buffer, values, sizeof values);
  tensors[0] = tensorOf(zeros);
  tensors[1] = tensorOf(buffer);
  tensors[2] = tensorOf(run->result);
  status = attnHostLaunch(call, &module, program, tensors, views, NULL, 0);
  if (status)
    return attnHostEnd(call, status);
  attnHostFree(call, buffer);
  return attnHostEnd(call, ATTN_SUCCESS);
}

static int wrongRows(const Run *run) {
  int wrong = 0;
  for (int i = 0; i < Count; ++i) {
    float off = run->result[i] - (Rows - 1) / 2.0f;
    wrong += !(off < 1e-4f && off > -1e-4f);
  }
  return wrong;
}

static void attempt(const char *failing) {
  Run *run = calloc(1, sizeof *run);
  run->failing = failing;
  AttnHostHooks hooks = allHooks(run);
  printf("failing: %s\n", failing ? failing : "nothing");
  AttnStatus status = compiled(&hooks, run, "mean", 3);
  printf("  status %d, %s; alive: %d %d %d\n", (int)status,
         wrongRows(run) ? "wrong" : "right", run->allocated, run->acquired,
         run->workspaces);
  free(run);
}

static void say(const char *what, AttnStatus status) {
  printf("%s: %d, %s\n", what, (int)status, attnLastError());
}

/* Hooks and arguments that are not valid. */
static void refuse(void) {
  Run *run = calloc(1, sizeof *run);
  AttnHostHooks hooks = allHooks(run);
  hooks.bytes = 8;
  say("size", compiled(&hooks, run, "mean", 3));
  hooks = allHooks(run);
  hooks.deallocate = NULL;
  say("allocate", compiled(&hooks, run, "mean", 3));
  hooks = allHooks(run);
  hooks.acquire = NULL;
  say("acquire", compiled(&hooks, run, "mean", 3));
  hooks = allHooks(run);
  hooks.releaseWorkspace = NULL;
  say("workspace", compiled(&hooks, run, "mean", 3));
  say("program", compiled(NULL, run, "median", 3));
  say("views", compiled(NULL, run, "mean", 2));
  say("call", attnHostLaunch(NULL, &module, "mean", NULL, 0, NULL, 0));
  say("place", attnHostBegin(NULL, NULL));
  attnHostFree(NULL, NULL);
  attnHostModuleClose(NULL);
  free(run);
}

static void *concurrent(void *wrong) {
  Run *run = calloc(1, sizeof *run);
  if (compiled(NULL, run, "mean", 3) || wrongRows(run))
    *(int *)wrong = 1;
  free(run);
  return NULL;
}

/* The first launches of a module, from several threads at once, on defaults. */
static void threads(void) {
  enum { Threads = 8, Rounds = 4 };
  int wrong[Threads] = {0}, sum = 0;
  for (int round = 0; round < Rounds; ++round) {
    pthread_t ids[Threads];
    attnHostModuleClose(&module);
    for (int i = 0; i < Threads; ++i)
      if (pthread_create(&ids[i], NULL, concurrent, &wrong[i]))
        exit(2);
    for (int i = 0; i < Threads; ++i)
      pthread_join(ids[i], NULL);
  }
  for (int i = 0; i < Threads; ++i)
    sum += wrong[i];
  printf("threads: %d of %d are wrong\n", sum, Threads);
}

int main(int argc, char **argv) {
  static char bytes[1 << 20];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  module.bundle = bytes;
  module.bytes = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (int i = 0; i < Count; ++i)
    values[i] = (float)(i / Features % Rows);

  attempt(NULL);
  attempt("allocate");
  attempt("acquire");
  attempt("release");
  attempt("workspace");
  attempt("half");
  refuse();
  threads();
  attnHostModuleClose(&module);
  printf("closed: %d\n", module.opened == NULL);
  return 0;
}
