//===- Random.h - Numbers that a seed makes ---------------------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_RANDOM_H
#define ATTN_MLIR_TEST_LIB_RANDOM_H

#include <cmath>
#include <iterator>
#include <random>

namespace attn_random {

/// The same numbers for a seed with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : generator(seed) {}

  /// From `lo` to `hi`, both included.
  int64_t integer(int64_t lo, int64_t hi) {
    return lo + int64_t(generator() % uint64_t(hi - lo + 1));
  }
  bool oneIn(int64_t n) { return integer(1, n) == 1; }
  /// In [0, 1).
  double unit() { return double(generator() >> 11) * 0x1p-53; }
  /// Log-uniform between two positive numbers.
  double magnitude(double lo, double hi) {
    return lo * std::pow(hi / lo, unit());
  }
  template <typename List> auto &pick(List &list) {
    return list[integer(0, int64_t(std::size(list)) - 1)];
  }
  /// Normally distributed.
  double normal() {
    return std::sqrt(-2 * std::log(1 - unit())) *
           std::cos(6.283185307179586 * unit());
  }

private:
  std::mt19937_64 generator;
};

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_RANDOM_H
