//===- GlobalMemory.h - Device memory of the emulator -----------*- C++ -*-===//
//
// Buffers in an address space of their own: every buffer is followed and
// preceded by a zone in which any access is an error, so a wrong address cannot
// land in another buffer by a small miscalculation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_EMULATOR_GFX942_GLOBALMEMORY_H
#define ATTN_MLIR_EMULATOR_GFX942_GLOBALMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace attn::gfx942 {

/// What registers, LDS and new buffers hold before they are written: a NaN as
/// f32, and in either half a NaN as f16 and as bf16.
inline constexpr uint32_t kPoison = 0x7fe57fe5;

/// The device's memory. Addresses are the device's, not the host's.
class GlobalMemory {
public:
  /// Bytes between buffers in which every access is an error.
  static constexpr uint64_t kGuardBytes = 1 << 20;

  GlobalMemory() = default;
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// A poisoned buffer of `size` bytes (at least one) at a multiple of 4096.
  /// `name` is for diagnostics. A kernel that stores to a read-only buffer is
  /// stopped.
  uint64_t allocate(uint64_t size, llvm::StringRef name, bool readOnly = false);
  /// Addresses for `size` bytes, in which nothing can be accessed until
  /// allocateAt puts buffers there: for arrays that are mostly holes.
  uint64_t reserve(uint64_t size);
  /// A poisoned buffer in a reservation, apart from the others there.
  void allocateAt(uint64_t address, uint64_t size, llvm::StringRef name);
  /// Errors where no buffer starts at `address`.
  llvm::Error release(uint64_t address);

  /// The host's copies; errors where the range is not within one buffer.
  llvm::Error write(uint64_t address, llvm::ArrayRef<uint8_t> data);
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<uint8_t> data);
  llvm::Error fill(uint64_t address, uint8_t value, uint64_t size);

  /// The bytes of an access by a kernel, or null where it is not within one
  /// buffer or is a store to a read-only one.
  uint8_t *access(uint64_t address, uint64_t size, bool store) {
    if (last && address - last->base < last->bytes.size() &&
        size <= last->bytes.size() - (address - last->base) &&
        !(store && last->readOnly))
      return last->bytes.data() + (address - last->base);
    return accessSlow(address, size, store);
  }
  /// Says where `address` lies: "8 bytes past the end of 'out' (256 bytes
  /// ...)".
  std::string describe(uint64_t address) const;

private:
  struct Buffer {
    uint64_t base;
    std::vector<uint8_t> bytes;
    std::string name;
    bool readOnly;
  };
  void add(uint64_t base, uint64_t size, llvm::StringRef name, bool readOnly);
  uint8_t *accessSlow(uint64_t address, uint64_t size, bool store);
  Buffer *containing(uint64_t address, uint64_t size);

  std::map<uint64_t, Buffer> buffers;
  Buffer *last = nullptr;
  /// Above 4 GiB: an address whose upper half is lost falls outside of
  /// everything.
  uint64_t next = 0x7a0000000000;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_EMULATOR_GFX942_GLOBALMEMORY_H
