//===- WholeFunction.cpp - A function of one operation on the CPU ---------===//

#include "WholeFunction.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn_random;

namespace {

/// While it lives, memory that is allocated starts with bytes of which every
/// float format makes a huge number or NaN, and memory that is freed has
/// others.
class PoisonedMemory {
public:
  PoisonedMemory() { set(0x01); }
  ~PoisonedMemory() { set(0); }
  PoisonedMemory(const PoisonedMemory &) = delete;
  PoisonedMemory &operator=(const PoisonedMemory &) = delete;

private:
  static void set(int byte) {
#ifdef M_PERTURB
    mallopt(M_PERTURB, byte);
#else
    (void)byte;
#endif
  }
};

/// One call: the words of its arguments, and room for those of its results.
class Call {
public:
  Call(StreamableOpInterface op, ArrayRef<StridedBuffer> views)
      : op(op), views(views), permutations(op.getViewPermutations()) {
    for (Value operand : op->getOperands())
      numInputs += isa<RankedTensorType>(operand.getType());
  }

  llvm::Error run(CpuModule &compiled, StringRef name,
                  ArrayRef<ScalarBytes> scalars) {
    for (unsigned i = 0; i < numInputs; ++i)
      addTensor(views[i], permutations[i]);
    for (const ScalarBytes &scalar : scalars) {
      words.push_back(0);
      std::memcpy(&words.back(), scalar.data(),
                  std::min(scalar.size(), sizeof(int64_t)));
    }
    std::vector<int64_t> room;
    for (const StridedBuffer &view : views.drop_front(numInputs))
      room.resize(room.size() + kHeadWords + 2 * view.sizes.size());
    SmallVector<void *> packed;
    for (int64_t &word : words)
      packed.push_back(&word);
    packed.push_back(room.data());
    {
      PoisonedMemory poisoned;
      if (llvm::Error error = compiled.call(name, packed))
        return error;
    }
    return takeResults(room);
  }

private:
  /// Of a descriptor: what was allocated, where elements begin, the offset.
  static constexpr unsigned kHeadWords = 3;

  void addTensor(const StridedBuffer &view, ArrayRef<int64_t> permutation) {
    auto data = reinterpret_cast<int64_t>(view.data);
    words.insert(words.end(), {data, data, 0});
    for (const SmallVector<int64_t> *numbers : {&view.sizes, &view.strides}) {
      size_t begin = words.size();
      words.resize(begin + numbers->size());
      for (auto [dim, number] : llvm::enumerate(*numbers))
        words[begin + permutation[dim]] = number;
    }
  }

  /// Results belong to the caller.
  llvm::Error takeResults(ArrayRef<int64_t> room) {
    std::set<void *> allocated;
    llvm::Error error = llvm::Error::success();
    for (unsigned i = numInputs; i < views.size(); ++i) {
      size_t count = kHeadWords + 2 * views[i].sizes.size();
      ArrayRef<int64_t> descriptor = room.take_front(count);
      room = room.drop_front(count);
      allocated.insert(reinterpret_cast<void *>(descriptor[0]));
      error = llvm::joinErrors(std::move(error), copyResult(i, descriptor));
    }
    llvm::for_each(allocated, [](void *memory) { std::free(memory); });
    return error;
  }

  llvm::Error copyResult(unsigned number, ArrayRef<int64_t> descriptor) {
    const StridedBuffer &view = views[number];
    unsigned rank = view.sizes.size();
    Type type = op->getResult(number - numInputs).getType();
    int64_t bytes =
        cast<ShapedType>(type).getElementType().getIntOrFloatBitWidth() / 8;
    SmallVector<int64_t> sizes(rank), strides(rank);
    for (unsigned dim = 0; dim < rank; ++dim) {
      sizes[dim] = descriptor[kHeadWords + permutations[number][dim]];
      strides[dim] = descriptor[kHeadWords + rank + permutations[number][dim]];
    }
    if (sizes != view.sizes)
      return llvm::createStringError("a result has other sizes");
    const char *from =
        reinterpret_cast<const char *>(descriptor[1]) + descriptor[2] * bytes;
    char *to = static_cast<char *>(view.data);
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t source = 0, target = 0, left = i;
      for (unsigned dim = rank; dim-- > 0; left /= sizes[dim]) {
        source += left % sizes[dim] * strides[dim];
        target += left % sizes[dim] * view.strides[dim];
      }
      std::memcpy(to + target * bytes, from + source * bytes, bytes);
    }
    return llvm::Error::success();
  }

  StreamableOpInterface op;
  ArrayRef<StridedBuffer> views;
  SmallVector<SmallVector<int64_t>> permutations;
  unsigned numInputs = 0;
  std::vector<int64_t> words;
};

} // namespace

llvm::Error attn_random::callWholeFunction(CpuModule &compiled, StringRef name,
                                           StreamableOpInterface op,
                                           ArrayRef<StridedBuffer> views,
                                           ArrayRef<ScalarBytes> scalars) {
  return Call(op, views).run(compiled, name, scalars);
}
