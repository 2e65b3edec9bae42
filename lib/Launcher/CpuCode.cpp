//===- CpuCode.cpp - Load a shared object that is in memory ---------------===//

#include "CpuCode.h"
#include "Failure.h"
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace attn;

namespace {
/// A file that is closed, and removed where it has a name.
class TemporaryFile {
public:
  TemporaryFile(int descriptor, std::string name = "")
      : descriptor(descriptor), name(std::move(name)) {}
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (descriptor >= 0)
      close(descriptor);
    if (!name.empty())
      unlink(name.c_str());
  }

  int get() const { return descriptor; }

private:
  int descriptor;
  std::string name;
};
} // namespace

static bool writeAll(int file, const std::string &contents) {
  size_t done = 0;
  while (done < contents.size()) {
    ssize_t count = write(file, contents.data() + done, contents.size() - done);
    if (count > 0)
      done += count;
    else if (count == 0 || errno != EINTR)
      return false;
  }
  return true;
}

/// A path of a descriptor that was never used before: the loader knows what is
/// loaded by its path, and takes another file of a descriptor of that number
/// for the same. A slash is a slash, or one and a dot.
static std::string newPathOf(int descriptor) {
  static std::atomic<uint64_t> count{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t number = ++count; number > 1; number /= 2)
    path += number % 2 ? "./" : "/";
  return path + std::to_string(descriptor);
}

/// Null, and why in `tried`, where the machine has no files in memory or runs
/// no code of them.
static void *loadFromMemory(const std::string &contents, std::string &tried) {
  TemporaryFile file(memfd_create("attn-kernel", MFD_CLOEXEC));
  if (file.get() < 0 || !writeAll(file.get(), contents)) {
    tried += std::string("\n  in memory: ") + std::strerror(errno);
    return nullptr;
  }
  void *library = dlopen(newPathOf(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    tried += std::string("\n  in memory: ") + dlerror();
  return library;
}

static void *loadFromDisk(const std::string &contents, std::string &tried) {
  const char *given = std::getenv("TMPDIR");
  std::string folder = given && *given ? given : "/tmp";
  std::string path = folder + "/attn-kernel-XXXXXX";
  int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    tried += "\n  in " + inQuotes(folder) + ": " + std::strerror(errno);
    return nullptr;
  }
  TemporaryFile file(descriptor, path);
  if (!writeAll(descriptor, contents)) {
    tried += "\n  " + path + ": " + std::strerror(errno);
    return nullptr;
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    tried += std::string("\n  ") + dlerror();
  return library;
}

void *attn::loadSharedObject(const std::string &contents,
                             const std::string &name) {
  std::string tried;
  if (void *library = loadFromMemory(contents, tried))
    return library;
  if (void *library = loadFromDisk(contents, tried))
    return library;
  fail(ATTN_ERROR_BUNDLE, "cannot load " + name + "; tried:" + tried);
}
