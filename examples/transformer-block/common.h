/*===- common.h - What hooks of every machine have -----------------------===*/

#ifndef EXAMPLES_TRANSFORMERBLOCK_COMMON_H
#define EXAMPLES_TRANSFORMERBLOCK_COMMON_H

#include "hooks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static inline void tell(void *user, int32_t status, const char *message) {
  (void)user;
  fprintf(stderr, "status %d: %s\n", (int)status, message);
}

/* All defaults, but that failures are told. */
static inline void startHooks(AttnHostHooks *hooks) {
  memset(hooks, 0, sizeof *hooks);
  hooks->bytes = sizeof *hooks;
  hooks->error = tell;
}

/* dlsym's object pointer as a function's, in a way that C allows; 0, or
 * something else after a message. */
static inline int lookUp(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  if (!found)
    fprintf(stderr, "expected a library with %s\n", name);
  return !found;
}

#endif /* EXAMPLES_TRANSFORMERBLOCK_COMMON_H */
