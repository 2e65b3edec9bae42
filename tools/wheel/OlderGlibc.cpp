//===- OlderGlibc.cpp - Functions that older C libraries lack -------------===//
//
// LLVM's archives were built on Debian 12, whose glibc is 2.36. Of what they
// ask for, two functions are newer than 2.34: arc4random (2.36, for the names
// of temporary files) and a version of hypot (2.35, which does not set errno).
// These definitions stay inside the library and let it run from 2.34 on.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  ssize_t bytes;
  do
    bytes = getrandom(&value, sizeof(value), /*flags=*/0);
  while (bytes < 0 && errno == EINTR);
  // Where the kernel has no random numbers, glibc's ends the process too.
  if (bytes != sizeof(value))
    abort();
  return value;
}

#if defined(__x86_64__)
__asm__(".symver attnOldHypot, hypot@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver attnOldHypot, hypot@GLIBC_2.17");
#endif
extern "C" double attnOldHypot(double x, double y);
extern "C" double hypot(double x, double y) noexcept {
  return attnOldHypot(x, y);
}
