//===- GlobalMemory.cpp - Device memory of the emulator -------------------===//

#include "attn-mlir/Emulator/Gfx942/GlobalMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace attn::gfx942;
using namespace llvm;

uint64_t GlobalMemory::allocate(uint64_t size, StringRef name, bool readOnly) {
  size = std::max<uint64_t>(size, 1);
  uint64_t base = reserve(size);
  add(base, size, name, readOnly);
  return base;
}

uint64_t GlobalMemory::reserve(uint64_t size) {
  uint64_t base = next;
  next = alignTo(base + size + kGuardBytes, 4096);
  return base;
}

void GlobalMemory::allocateAt(uint64_t address, uint64_t size, StringRef name) {
  add(address, std::max<uint64_t>(size, 1), name, /*readOnly=*/false);
}

void GlobalMemory::add(uint64_t base, uint64_t size, StringRef name,
                       bool readOnly) {
  Buffer buffer{base, std::vector<uint8_t>(size), name.str(), readOnly};
  for (uint64_t i = 0; i < size; ++i)
    buffer.bytes[i] = uint8_t(kPoison >> (8 * (i % 4)));
  buffers.emplace(base, std::move(buffer));
}

Error GlobalMemory::release(uint64_t address) {
  auto it = buffers.find(address);
  if (it == buffers.end())
    return createStringError("no buffer starts at " + describe(address));
  if (last == &it->second)
    last = nullptr;
  buffers.erase(it);
  return Error::success();
}

GlobalMemory::Buffer *GlobalMemory::containing(uint64_t address,
                                               uint64_t size) {
  auto it = buffers.upper_bound(address);
  if (it == buffers.begin())
    return nullptr;
  Buffer &buffer = std::prev(it)->second;
  uint64_t offset = address - buffer.base;
  if (offset > buffer.bytes.size() || size > buffer.bytes.size() - offset)
    return nullptr;
  return &buffer;
}

uint8_t *GlobalMemory::accessSlow(uint64_t address, uint64_t size, bool store) {
  Buffer *buffer = containing(address, size);
  if (!buffer || (store && buffer->readOnly))
    return nullptr;
  last = buffer;
  return buffer->bytes.data() + (address - buffer->base);
}

static Error outside(const GlobalMemory &memory, const Twine &what,
                     uint64_t address, uint64_t size) {
  return createStringError(what + " of " + Twine(size) + " bytes at " +
                           memory.describe(address));
}

Error GlobalMemory::write(uint64_t address, ArrayRef<uint8_t> data) {
  Buffer *buffer = containing(address, data.size());
  if (!buffer)
    return outside(*this, "copy to the device", address, data.size());
  if (!data.empty())
    std::memcpy(buffer->bytes.data() + (address - buffer->base), data.data(),
                data.size());
  return Error::success();
}

Error GlobalMemory::read(uint64_t address, MutableArrayRef<uint8_t> data) {
  Buffer *buffer = containing(address, data.size());
  if (!buffer)
    return outside(*this, "copy from the device", address, data.size());
  if (!data.empty())
    std::memcpy(data.data(), buffer->bytes.data() + (address - buffer->base),
                data.size());
  return Error::success();
}

Error GlobalMemory::fill(uint64_t address, uint8_t value, uint64_t size) {
  Buffer *buffer = containing(address, size);
  if (!buffer)
    return outside(*this, "fill", address, size);
  std::memset(buffer->bytes.data() + (address - buffer->base), value, size);
  return Error::success();
}

std::string GlobalMemory::describe(uint64_t address) const {
  std::string text = "0x" + utohexstr(address, /*LowerCase=*/true);
  auto label = [](const Buffer &b) {
    return "'" + b.name + "' (" + std::to_string(b.bytes.size()) +
           " bytes at 0x" + utohexstr(b.base, /*LowerCase=*/true) + ")";
  };
  auto after = buffers.upper_bound(address);
  if (after != buffers.begin()) {
    const Buffer &before = std::prev(after)->second;
    uint64_t end = before.base + before.bytes.size();
    if (address < end)
      return text + ", " + std::to_string(address - before.base) +
             " bytes into " + (before.readOnly ? "read-only " : "") +
             label(before);
    if (address - end < kGuardBytes)
      return text + ", " + std::to_string(address - end) +
             " bytes past the end of " + label(before);
  }
  if (after != buffers.end() && after->first - address < kGuardBytes)
    return text + ", " + std::to_string(after->first - address) +
           " bytes before " + label(after->second);
  return text + ", in no buffer";
}
