//===- Sha256.cpp - A digest of bytes -------------------------------------===//
//
// The launcher links no LLVM, so it has SHA-256 of its own. Source: NIST,
// "Secure Hash Standard (SHS)", FIPS PUB 180-4 (2015), whose sections and names
// are given below. The compiler writes digests by LLVM's implementation, the
// tests by Python's: every bundle compares two.
//
//===----------------------------------------------------------------------===//

#include "Sha256.h"
#include <array>
#include <cstdint>

using namespace attn;

static constexpr size_t kBlockBytes = 64;

/// Section 4.2.2: the first 32 bits of the fractional parts of the cube roots
/// of the first 64 primes.
static constexpr uint32_t kConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {
/// The hash value H of section 6.2.
using State = std::array<uint32_t, 8>;
} // namespace

/// Section 5.3.3.
static constexpr State kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                        0xa54ff53a, 0x510e527f, 0x9b05688c,
                                        0x1f83d9ab, 0x5be0cd19};

static uint32_t rotr(uint32_t x, unsigned n) {
  return (x >> n) | (x << (32 - n));
}

static uint32_t wordAt(const unsigned char *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 |
         uint32_t(bytes[2]) << 8 | bytes[3];
}

/// Section 6.2.2, for one block of the message.
static void addBlock(State &state, const char *block) {
  auto bytes = reinterpret_cast<const unsigned char *>(block);
  uint32_t w[64];
  for (unsigned t = 0; t < 16; ++t)
    w[t] = wordAt(bytes + 4 * t);
  for (unsigned t = 16; t < 64; ++t) {
    uint32_t sigma0 =
        rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    uint32_t sigma1 =
        rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (unsigned t = 0; t < 64; ++t) {
    uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    uint32_t ch = (e & f) ^ (~e & g);
    uint32_t t1 = h + sum1 + ch + kConstants[t] + w[t];
    uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    uint32_t maj = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t2 = sum0 + maj;
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t after[] = {a, b, c, d, e, f, g, h};
  for (unsigned i = 0; i < state.size(); ++i)
    state[i] += after[i];
}

/// Section 5.1.1: what is left behind the whole blocks, a bit that is 1, zeros,
/// and the message's length in bits, which end a block.
static std::string padded(const std::string &text, size_t from) {
  std::string tail = text.substr(from) + '\x80';
  while (tail.size() % kBlockBytes != kBlockBytes - 8)
    tail += '\0';
  uint64_t bits = uint64_t(text.size()) * 8;
  for (unsigned shift = 64; shift > 0; shift -= 8)
    tail += char(bits >> (shift - 8));
  return tail;
}

std::string attn::sha256(const std::string &text) {
  State state = kInitialState;
  size_t whole = text.size() / kBlockBytes * kBlockBytes;
  for (size_t at = 0; at < whole; at += kBlockBytes)
    addBlock(state, text.data() + at);
  std::string tail = padded(text, whole);
  for (size_t at = 0; at < tail.size(); at += kBlockBytes)
    addBlock(state, tail.data() + at);
  std::string digits;
  for (uint32_t word : state)
    for (unsigned shift = 32; shift > 0; shift -= 4)
      digits += "0123456789abcdef"[word >> (shift - 4) & 15];
  return digits;
}
