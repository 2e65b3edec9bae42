//===- fuzz-code-object.cpp - Machine code into the emulator --------------===//
//
// An input is an hsaco, which the emulator reads and runs a wave of each of its
// kernels. The launcher reads no code: it gives a driver what has the digest
// that the manifest states, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "TimeLimit.h"
#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace attn::gfx942;

[[noreturn]] static void found(const char *what) {
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

//===----------------------------------------------------------------------===//
// Emulator
//===----------------------------------------------------------------------===//

/// An error has a text. True where there is none.
static bool succeeded(llvm::Error error) {
  if (!error)
    return true;
  if (llvm::toString(std::move(error)).empty())
    found("an error of the emulator has no message");
  return false;
}

/// Pointers to a buffer, and small numbers.
static std::vector<uint8_t> argumentsOf(const KernelInfo &kernel,
                                        uint64_t address) {
  std::vector<uint8_t> bytes(kernel.kernargBytes);
  for (const KernelArgument &argument : kernel.arguments) {
    uint64_t value = argument.valueKind == "global_buffer" ? address : 7;
    if (argument.offset + sizeof value <= bytes.size())
      std::memcpy(bytes.data() + argument.offset, &value, sizeof value);
  }
  return bytes;
}

static void emulate(llvm::StringRef elf) {
  auto object = CodeObject::load(elf, "input");
  if (!object) {
    succeeded(object.takeError());
    return;
  }
  constexpr unsigned kMostKernels = 2;
  // Its tables of instructions take longer to make than most inputs.
  static Machine machine;
  for (const KernelInfo &kernel :
       (*object)->kernels().take_front(kMostKernels)) {
    auto summary = machine.summarize(**object, kernel.name);
    if (!summary)
      succeeded(summary.takeError());
    uint64_t address = machine.memory().allocate(1 << 12, "buffer");
    LaunchOptions options;
    options.maxInstructions = 1000;
    auto counters = machine.launch(**object, kernel.name, {2, 1, 1}, {64, 1, 1},
                                   argumentsOf(kernel, address), 0, options);
    if (!counters)
      succeeded(counters.takeError());
    if (!succeeded(machine.memory().release(address)))
      found("a buffer cannot be released");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attn_fuzz::TimeLimit limit;
  emulate(llvm::StringRef(reinterpret_cast<const char *>(data), size));
  return 0;
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/// A few numbers at borders, half of them in the header, the tables and the
/// metadata, which are at the front; else libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (size < 64 || random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  static const uint64_t numbers[] = {
      0,        1,    2,          4,          7,          8,
      24,       56,   63,         64,         0x7f,       0x80,
      0x81,     0x91, 0xc2,       0xcf,       0xd9,       0xdd,
      0xdf,     0xff, 0x7fff,     0xffff,     1 << 20,    0x7fffffff,
      1u << 31, ~0u,  1ull << 32, 1ull << 63, ~0ull >> 1, ~0ull};
  constexpr size_t kFront = 1536;
  size_t front = random() % 2 ? std::min(size, kFront) : size;
  for (unsigned left = 1 + random() % 3; left > 0; --left) {
    size_t width = size_t(1) << random() % 4;
    size_t at = random() % (front - width + 1);
    if (random() % 2)
      at &= ~(width - 1);
    uint64_t number = numbers[random() % std::size(numbers)];
    if (random() % 4 == 0) // Another of the file's.
      std::memcpy(&number, data + random() % (size - 8), sizeof number);
    if (random() % 4 == 0) { // A little more or less.
      std::memcpy(&number, data + at, width);
      number += random() % 2 ? 1 : -1;
    }
    std::memcpy(data + at, &number, width);
  }
  return size;
}
