//===- Arguments.cpp - Kernel arguments from the command line -------------===//

#include "Arguments.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace attn_emulate;
using namespace llvm;

static uint64_t sizeOfType(StringRef type) {
  return StringSwitch<uint64_t>(type)
      .Cases({"f32", "i32"}, 4)
      .Cases({"f16", "bf16"}, 2)
      .Case("i64", 8)
      .Case("i8", 1)
      .Default(0);
}

static const fltSemantics *semanticsOf(StringRef type) {
  return StringSwitch<const fltSemantics *>(type)
      .Case("f32", &APFloat::IEEEsingle())
      .Case("f16", &APFloat::IEEEhalf())
      .Case("bf16", &APFloat::BFloat())
      .Default(nullptr);
}

void Argument::encode(double x, uint8_t *to) const {
  uint64_t bits = uint64_t(int64_t(x));
  if (const fltSemantics *semantics = semanticsOf(type)) {
    APFloat number(x);
    bool inexact;
    number.convert(*semantics, APFloat::rmNearestTiesToEven, &inexact);
    bits = number.bitcastToAPInt().getZExtValue();
  }
  std::memcpy(to, &bits, elementSize);
}

double Argument::decode(const uint8_t *from) const {
  uint64_t bits = 0;
  std::memcpy(&bits, from, elementSize);
  if (const fltSemantics *semantics = semanticsOf(type))
    return APFloat(*semantics, APInt(8 * elementSize, bits)).convertToDouble();
  unsigned shift = 64 - 8 * elementSize;
  return double(int64_t(bits << shift) >> shift);
}

Error Argument::parseScalar(StringRef scalarType, StringRef text) {
  double number;
  if (text.getAsDouble(number))
    return createStringError("'" + text + "' is not a number");
  int64_t integer;
  value.resize(elementSize);
  if (!semanticsOf(scalarType) && !text.getAsInteger(0, integer))
    std::memcpy(value.data(), &integer, elementSize);
  else
    encode(number, value.data());
  return Error::success();
}

Expected<std::vector<uint8_t>> Argument::contents(StringRef fill,
                                                  uint64_t seed) const {
  if (fill.consume_front("@")) {
    auto file = MemoryBuffer::getFile(fill, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!file)
      return createStringError("'" + fill + "': " + file.getError().message());
    StringRef bytes = (*file)->getBuffer();
    if (bytes.size() != size())
      return createStringError("'" + fill + "' has " + Twine(bytes.size()) +
                               " bytes, expects " + Twine(size()));
    return std::vector<uint8_t>(bytes.begin(), bytes.end());
  }
  std::vector<uint8_t> bytes(size());
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    double x = 0;
    if (fill == "iota")
      x = double(i);
    else if (fill == "random")
      x = semanticsOf(type) ? double(int64_t(random()) >> 11) * 0x1p-52
                            : double(int64_t(random() & 0x7f));
    else if (fill != "zero")
      return createStringError(
          "'" + fill + "' is none of poison, zero, iota, random, @FILE");
    encode(x, &bytes[i * elementSize]);
  }
  return bytes;
}

Error Argument::parseShape(StringRef text) {
  constexpr uint64_t kMost = 1u << 30;
  auto [sizesText, stridesText] = text.split('@');
  SmallVector<StringRef> sizes, strides;
  sizesText.split(sizes, 'x');
  stridesText.split(strides, ',', -1, /*KeepEmpty=*/false);
  auto wrong = [] {
    return createStringError("expected TYPE[COUNT]:FILL, or "
                             "TYPE[SIZESxCOUNT@STRIDES]:FILL with a stride for "
                             "each of SIZES");
  };
  uint64_t columns;
  if (sizes.size() != strides.size() + 1 ||
      sizes.back().getAsInteger(10, columns) || columns == 0 || columns > kMost)
    return wrong();
  count = columns;
  if (!strides.empty())
    rowOffsets = {0};
  for (auto [sizeText, strideText] : zip(drop_end(sizes), strides)) {
    uint64_t size, stride;
    if (sizeText.getAsInteger(10, size) ||
        strideText.getAsInteger(10, stride) || size == 0 ||
        size > kMost / count || stride > uint64_t(1) << 40)
      return wrong();
    count *= size;
    std::vector<uint64_t> all;
    for (uint64_t offset : rowOffsets)
      for (uint64_t i = 0; i < size; ++i)
        all.push_back(offset + i * stride * elementSize);
    rowOffsets = std::move(all);
  }
  return Error::success();
}

Expected<std::vector<uint8_t>>
Argument::read(attn::gfx942::GlobalMemory &memory) const {
  std::vector<uint8_t> bytes(size());
  MutableArrayRef<uint8_t> rest = bytes;
  if (rowOffsets.empty())
    if (Error e = memory.read(deviceAddress, rest))
      return std::move(e);
  for (uint64_t offset : rowOffsets) {
    size_t row = size() / rowOffsets.size();
    if (Error e = memory.read(deviceAddress + offset, rest.take_front(row)))
      return std::move(e);
    rest = rest.drop_front(row);
  }
  return bytes;
}

Error Argument::write(attn::gfx942::GlobalMemory &memory,
                      ArrayRef<uint8_t> bytes) const {
  if (rowOffsets.empty())
    return memory.write(deviceAddress, bytes);
  size_t row = size() / rowOffsets.size();
  for (uint64_t offset : rowOffsets) {
    if (Error e = memory.write(deviceAddress + offset, bytes.take_front(row)))
      return e;
    bytes = bytes.drop_front(row);
  }
  return Error::success();
}

Error Argument::parseBuffer(StringRef fill, unsigned index, uint64_t seed,
                            attn::gfx942::GlobalMemory &memory) {
  std::string name = "argument " + std::to_string(index);
  if (rowOffsets.empty()) {
    deviceAddress = memory.allocate(size(), name);
  } else {
    auto address =
        memory.allocateRows(rowOffsets, size() / rowOffsets.size(), name);
    if (!address)
      return address.takeError();
    deviceAddress = *address;
  }
  value.resize(8);
  std::memcpy(value.data(), &deviceAddress, 8);
  if (fill == "poison")
    return Error::success();
  auto bytes = contents(fill, seed + index);
  if (!bytes)
    return bytes.takeError();
  return write(memory, *bytes);
}

Expected<Argument> Argument::parse(StringRef text, unsigned index,
                                   uint64_t seed,
                                   attn::gfx942::GlobalMemory &memory) {
  auto [spec, rest] = text.split(':');
  auto [typeName, countText] = spec.split('[');
  Argument argument;
  argument.type = typeName.str();
  argument.elementSize = sizeOfType(typeName);
  auto fail = [&](const Twine &what) {
    return createStringError("argument '" + text + "': " + what);
  };
  if (!argument.elementSize)
    return fail("expected a type f32, f16, bf16, i64, i32 or i8");
  bool buffer = spec.contains('[');
  if (buffer && !countText.consume_back("]"))
    return fail("expected TYPE[COUNT]:FILL");
  if (buffer)
    if (Error error = argument.parseShape(countText))
      return fail(toString(std::move(error)));
  Error error = buffer ? argument.parseBuffer(rest, index, seed, memory)
                       : argument.parseScalar(typeName, rest);
  if (error)
    return fail(toString(std::move(error)));
  return argument;
}

Error Argument::print(attn::gfx942::GlobalMemory &memory, uint64_t n,
                      raw_ostream &os) const {
  auto bytes = read(memory);
  if (!bytes)
    return bytes.takeError();
  for (uint64_t i = 0; i < std::min(n, count); ++i) {
    std::string text;
    raw_string_ostream(text)
        << format("%g", decode(&(*bytes)[i * elementSize]));
    os << (i ? " " : "") << text;
  }
  os << "\n";
  return Error::success();
}
