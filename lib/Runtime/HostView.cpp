//===- HostView.cpp - Numbers of all formats, and arrays of them ----------===//

#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Number formats
//===----------------------------------------------------------------------===//

/// Bits of the nearest value of `type`.
static uint64_t encode(Type type, double value) {
  if (isa<IntegerType>(type))
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  if (type.isF32()) {
    auto single = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof(bits));
    return bits;
  }
  llvm::APFloat number(value);
  bool lost;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.bitcastToAPInt().getZExtValue();
}

static double decode(Type type, uint64_t bits) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(type))
    return static_cast<double>(llvm::SignExtend64(bits, width));
  if (type.isBF16() || type.isF32()) {
    // bf16 is the upper half of an f32.
    uint32_t word = static_cast<uint32_t>(bits) << (32 - width);
    float single;
    std::memcpy(&single, &word, sizeof(single));
    return single;
  }
  llvm::APFloat number(cast<FloatType>(type).getFloatSemantics(),
                       llvm::APInt(width, bits));
  bool lost;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

ScalarBytes attn::encodeScalar(Type type, double value) {
  uint64_t bits = type.isF64() ? llvm::bit_cast<uint64_t>(value)
                  : isa<FloatType>(type)
                      ? encode(type, value)
                      : static_cast<uint64_t>(static_cast<int64_t>(value));
  const char *bytes = reinterpret_cast<const char *>(&bits);
  return ScalarBytes(bytes, bytes + sizeof(bits));
}

double attn::readElement(Type type, const char *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, type.getIntOrFloatBitWidth() / 8);
  return decode(type, bits);
}

double attn::roundTo(Type type, double value) {
  return decode(type, encode(type, value));
}

//===----------------------------------------------------------------------===//
// HostView
//===----------------------------------------------------------------------===//

namespace {
/// Elements in front of and behind the whole.
constexpr int64_t kEndGuard = 64;
/// A byte of which a float format makes a NaN.
char nanByte(Type element) {
  return isa<Float8E4M3FNUZType>(element) ? '\x80' : '\xff';
}
} // namespace

HostView::HostView(Type element, ArrayRef<int64_t> sizes,
                   ArrayRef<int64_t> permutation, ArrayRef<int64_t> gaps)
    : element(element), elementBytes(element.getIntOrFloatBitWidth() / 8) {
  unsigned rank = sizes.size();
  dims.assign(sizes.begin(), sizes.end());
  strides.resize(rank);
  // From the dimension that is fastest in memory to the slowest.
  int64_t stride = 1;
  for (unsigned memory = rank; memory-- > 0;) {
    unsigned dim = llvm::find(permutation, memory) - permutation.begin();
    strides[dim] = stride;
    stride *= sizes[dim];
    unsigned outside = rank - 1 - memory;
    if (outside < gaps.size())
      stride += gaps[outside];
  }
  storage.assign((stride + 2 * kEndGuard) * elementBytes, nanByte(element));
}

StridedBuffer HostView::buffer() {
  return {storage.data() + kEndGuard * elementBytes, dims, strides};
}

int64_t HostView::count() const {
  int64_t result = 1;
  for (int64_t size : dims)
    result *= size;
  return result;
}

void HostView::forEach(function_ref<void(int64_t)> body) const {
  int64_t total = count();
  SmallVector<int64_t> index(dims.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < total; ++i) {
    body(offset * elementBytes);
    for (unsigned d = index.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < dims[d])
        break;
      offset -= strides[d] * dims[d];
      index[d] = 0;
    }
  }
}

void HostView::write(std::vector<double> &values) {
  char *data = storage.data() + kEndGuard * elementBytes;
  size_t i = 0;
  forEach([&](int64_t offset) {
    uint64_t bits = encode(element, values[i]);
    std::memcpy(data + offset, &bits, elementBytes);
    values[i++] = decode(element, bits);
  });
}

std::vector<double> HostView::read() const {
  const char *data = storage.data() + kEndGuard * elementBytes;
  std::vector<double> values;
  values.reserve(count());
  forEach([&](int64_t offset) {
    values.push_back(readElement(element, data + offset));
  });
  return values;
}

bool HostView::guardsIntact() const {
  std::vector<bool> inside(storage.size(), false);
  forEach([&](int64_t offset) {
    for (int64_t b = 0; b < elementBytes; ++b)
      inside[kEndGuard * elementBytes + offset + b] = true;
  });
  for (size_t i = 0; i < storage.size(); ++i)
    if (!inside[i] && storage[i] != nanByte(element))
      return false;
  return true;
}
