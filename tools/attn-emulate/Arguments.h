//===- Arguments.h - Kernel arguments from the command line -----*- C++ -*-===//

#ifndef ATTN_MLIR_TOOLS_ATTN_EMULATE_ARGUMENTS_H
#define ATTN_MLIR_TOOLS_ATTN_EMULATE_ARGUMENTS_H

#include "attn-mlir/Emulator/Gfx942/Machine.h"

namespace attn_emulate {

/// One kernel argument. Scalars by value: `i32:N`, `i64:N`, `f32:X`. Buffers by
/// address: `TYPE[COUNT]:FILL`, TYPE one of f32, f16, bf16, i32, i8; FILL one
/// of `poison`, `zero`, `iota` (0, 1, 2, ...), `random` (uniform in [-1, 1), or
/// bytes),
/// `@FILE` (raw bytes of a file). `TYPE[2x3x64@S,T]:FILL` has 2 x 3 rows of 64
/// elements, which start S and T elements apart.
class Argument {
public:
  /// Parses `text` and allocates its buffer. `seed` is for `random`.
  static llvm::Expected<Argument> parse(llvm::StringRef text, unsigned index,
                                        uint64_t seed,
                                        attn::gfx942::GlobalMemory &memory);

  /// The argument's bytes in the kernel-argument segment.
  llvm::ArrayRef<uint8_t> bytes() const { return value; }
  bool isBuffer() const { return count != 0; }
  uint64_t size() const { return count * elementSize; }
  /// The bytes of a buffer, of one row after the other.
  llvm::Expected<std::vector<uint8_t>>
  read(attn::gfx942::GlobalMemory &memory) const;
  /// Prints the first `n` elements of a buffer in one line.
  llvm::Error print(attn::gfx942::GlobalMemory &memory, uint64_t n,
                    llvm::raw_ostream &os) const;

private:
  llvm::Error parseScalar(llvm::StringRef type, llvm::StringRef text);
  llvm::Error parseBuffer(llvm::StringRef fill, unsigned index, uint64_t seed,
                          attn::gfx942::GlobalMemory &memory);
  llvm::Expected<std::vector<uint8_t>> contents(llvm::StringRef fill,
                                                uint64_t seed) const;
  double decode(const uint8_t *from) const;
  void encode(double x, uint8_t *to) const;

  /// COUNT, or sizes and strides.
  llvm::Error parseShape(llvm::StringRef text);
  llvm::Error write(attn::gfx942::GlobalMemory &memory,
                    llvm::ArrayRef<uint8_t> bytes) const;

  std::string type;
  /// Of each row, in bytes; of a plain buffer, whose one row is at 0, empty.
  std::vector<uint64_t> rowOffsets;
  uint64_t count = 0, elementSize = 0, deviceAddress = 0;
  std::vector<uint8_t> value;
};

} // namespace attn_emulate

#endif // ATTN_MLIR_TOOLS_ATTN_EMULATE_ARGUMENTS_H
