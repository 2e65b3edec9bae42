/* A machine that has no files in memory, for LD_PRELOAD. */

#include <errno.h>

int memfd_create(const char *name, unsigned flags) {
  (void)name;
  (void)flags;
  errno = EPERM;
  return -1;
}
