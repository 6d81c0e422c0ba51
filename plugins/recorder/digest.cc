#include "digest.h"

#include <cstring>

// Tests say RECORDER_WITHOUT_PRODUCTS.
#if defined(__x86_64__) && !defined(RECORDER_WITHOUT_PRODUCTS)
#include <cpuid.h>
#include <immintrin.h>
#define PRODUCTS __attribute__((target("pclmul,ssse3")))
#elif defined(__aarch64__) && !defined(RECORDER_WITHOUT_PRODUCTS)
#include <arm_neon.h>
#include <sys/auxv.h>
#define PRODUCTS __attribute__((target("+crypto")))
#endif

// GHASH by way of POLYVAL, whose numbers are little-endian (RFC 8452, appendix A): blocks are reversed when they are read, and so is the
// result. A product is a * b * x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1.
namespace recorder {
namespace {

struct Number {
  uint64_t low, high;
};

/** What AES-128 with a key of zeros makes of a block of zeros, reversed, times x. */
constexpr Number kKey = {0x1099f4b39468565c, 0xcdd297a9df145877};
/** The first block of its key stream for a nonce of zeros. */
constexpr uint8_t kMask[16] = {0x58, 0xe2, 0xfc, 0xce, 0xfa, 0x7e, 0x30, 0x61, 0x36, 0x7f, 0x1d, 0x57, 0xa4, 0xe7, 0x45, 0x5a};

constexpr uint64_t Mirrored(uint64_t value) {
  constexpr uint64_t kHalves[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
  for (int i = 0; i < 3; ++i) value = (value >> (1 << i) & kHalves[i]) | (value & kHalves[i]) << (1 << i);
  return __builtin_bswap64(value);
}

/** The low half of a product without carries: of every fourth bit, which leaves room for the carries of 16 sums. */
constexpr uint64_t LowHalf(uint64_t a, uint64_t b) {
  constexpr uint64_t kFourth = 0x1111111111111111;
  uint64_t product = 0;
  for (int result = 0; result < 4; ++result) {
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum ^= (a & kFourth << i) * (b & kFourth << ((result - i) & 3));
    product |= sum & kFourth << result;
  }
  return product;
}

constexpr Number Product(uint64_t a, uint64_t b) { return {LowHalf(a, b), Mirrored(LowHalf(Mirrored(a), Mirrored(b))) >> 1}; }

constexpr Number Multiply(Number a, Number b) {
  const Number low = Product(a.low, b.low), high = Product(a.high, b.high);
  const Number one = Product(a.low, b.high), other = Product(a.high, b.low);
  uint64_t words[] = {low.low, low.high ^ one.low ^ other.low, high.low ^ one.high ^ other.high, high.high};
  // The modulus without its highest and lowest terms, times one word and then the next, makes these zero.
  for (int i = 0; i < 2; ++i) {
    const uint64_t w = words[i];
    words[i + 1] ^= w << 63 ^ w << 62 ^ w << 57;
    words[i + 2] ^= w ^ w >> 1 ^ w >> 2 ^ w >> 7;
  }
  return {words[2], words[3]};
}

/** Blocks whose products are summed before the sum is reduced. */
constexpr int kTogether = 8;
constexpr size_t kBlock = 16;

struct Powers {
  Number of[kTogether + 1];
  constexpr Powers() : of() {
    of[1] = kKey;
    for (int i = 2; i <= kTogether; ++i) of[i] = Multiply(of[i - 1], kKey);
  }
};
alignas(16) constexpr Powers kPowers;

/** Goes on with a sum. */
Number ByWords(Number sum, const uint8_t* bytes, size_t blocks) {
  for (; blocks > 0; --blocks, bytes += kBlock) {
    Number block;
    std::memcpy(&block.high, bytes, 8);
    std::memcpy(&block.low, bytes + 8, 8);
    sum = Multiply({sum.low ^ __builtin_bswap64(block.low), sum.high ^ __builtin_bswap64(block.high)}, kKey);
  }
  return sum;
}

#ifdef PRODUCTS
#ifdef __x86_64__

using Vector = __m128i;

inline PRODUCTS Vector Low(Vector a, Vector b) { return _mm_clmulepi64_si128(a, b, 0x00); }
inline PRODUCTS Vector High(Vector a, Vector b) { return _mm_clmulepi64_si128(a, b, 0x11); }
inline PRODUCTS Vector LowHigh(Vector a, Vector b) { return _mm_clmulepi64_si128(a, b, 0x10); }
inline PRODUCTS Vector Exchanged(Vector a) { return _mm_shuffle_epi32(a, 0x4e); }
inline PRODUCTS Vector Reversed(const uint8_t* block) {
  const Vector order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const Vector*>(block)), order);
}

bool HasProducts() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_PCLMUL) != 0 && (c & bit_SSSE3) != 0;
}

#else

using Vector = uint64x2_t;

inline PRODUCTS Vector Of(uint64_t a, uint64_t b) { return vreinterpretq_u64_p128(vmull_p64(a, b)); }
inline PRODUCTS Vector Low(Vector a, Vector b) { return Of(a[0], b[0]); }
inline PRODUCTS Vector High(Vector a, Vector b) { return Of(a[1], b[1]); }
inline PRODUCTS Vector LowHigh(Vector a, Vector b) { return Of(a[0], b[1]); }
inline PRODUCTS Vector Exchanged(Vector a) { return vextq_u64(a, a, 1); }
inline PRODUCTS Vector Reversed(const uint8_t* block) {
  return Exchanged(vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(block))));
}

bool HasProducts() { return (getauxval(AT_HWCAP) & HWCAP_PMULL) != 0; }

#endif

inline PRODUCTS Vector Loaded(const Number& number) {
  Vector loaded;
  std::memcpy(&loaded, &number, sizeof(loaded));
  return loaded;
}

/** The products of so many blocks, which `sum` is added to the first of. */
template <int kBlocks>
inline PRODUCTS Vector WithBlocks(Vector sum, const uint8_t* bytes) {
  const Vector modulus = Loaded({0xc200000000000000, 0xc200000000000000}), none{};
  Vector low{}, middle{}, high{};
#pragma GCC unroll 8
  for (int i = 0; i < kBlocks; ++i) {
    const Vector power = Loaded(kPowers.of[kBlocks - i]);
    const Vector block = i == 0 ? sum ^ Reversed(bytes) : Reversed(bytes + i * kBlock);
    low ^= Low(block, power);
    high ^= High(block, power);
    middle ^= LowHigh(block, power) ^ LowHigh(power, block);
  }
  const Vector crossed = Exchanged(middle);
  low ^= Vector{none[0], crossed[1]};
  high ^= Vector{crossed[0], none[1]};
  for (int i = 0; i < 2; ++i) low = Exchanged(low) ^ Low(low, modulus);
  return high ^ low;
}

PRODUCTS Number ByProducts(Number before, const uint8_t* bytes, size_t blocks) {
  Vector sum = Loaded(before);
  for (; blocks >= kTogether; blocks -= kTogether, bytes += kTogether * kBlock) sum = WithBlocks<kTogether>(sum, bytes);
  for (; blocks > 0; --blocks, bytes += kBlock) sum = WithBlocks<1>(sum, bytes);
  Number after;
  std::memcpy(&after, &sum, sizeof(after));
  return after;
}

/** False before this library's constructors have run. */
const bool products = HasProducts();

#endif

Number WithBlocksOf(Number sum, const uint8_t* bytes, size_t blocks) {
#ifdef PRODUCTS
  if (products) return ByProducts(sum, bytes, blocks);
#endif
  return ByWords(sum, bytes, blocks);
}

}  // namespace

Digest DigestOf(const uint8_t* bytes, size_t size) {
  const size_t whole = size / kBlock, rest = size % kBlock;
  Number sum = WithBlocksOf({0, 0}, bytes, whole);
  // What is left of a block, then the number of bits, big-endian, and none that would be enciphered.
  uint8_t last[2 * kBlock] = {};
  if (rest > 0) std::memcpy(last, bytes + whole * kBlock, rest);
  const uint64_t bits = __builtin_bswap64(static_cast<uint64_t>(size) * 8);
  const size_t blocks = rest > 0 ? 2 : 1;
  std::memcpy(last + (blocks - 1) * kBlock, &bits, 8);
  sum = WithBlocksOf(sum, last, blocks);
  const uint64_t words[] = {__builtin_bswap64(sum.high), __builtin_bswap64(sum.low)};
  Digest digest;
  std::memcpy(digest.bytes, words, sizeof(digest.bytes));
  for (size_t i = 0; i < kBlock; ++i) digest.bytes[i] ^= kMask[i];
  return digest;
}

}  // namespace recorder
