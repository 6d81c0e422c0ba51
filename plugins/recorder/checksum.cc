#include "checksum.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace recorder {
namespace {

/** Eight bytes at a time ("slicing by 8"). */
struct Tables {
  uint32_t at[8][256];
  constexpr Tables() : at() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xEDB88320u : 0);
      at[0][i] = value;
    }
    for (uint32_t i = 0; i < 256; ++i) {
      for (int slice = 1; slice < 8; ++slice) at[slice][i] = (at[slice - 1][i] >> 8) ^ at[0][at[slice - 1][i] & 0xFF];
    }
  }
};

constexpr Tables kTables;

/** Goes on with a checksum, both inverted. */
uint32_t ByTables(uint32_t crc, const uint8_t* bytes, size_t size) {
  const auto& t = kTables.at;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low, high;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + 4, 4);
    low ^= crc;
    crc = t[7][low & 0xFF] ^ t[6][low >> 8 & 0xFF] ^ t[5][low >> 16 & 0xFF] ^ t[4][low >> 24] ^ t[3][high & 0xFF] ^
          t[2][high >> 8 & 0xFF] ^ t[1][high >> 16 & 0xFF] ^ t[0][high >> 24];
  }
  for (; size > 0; --size, ++bytes) crc = (crc >> 8) ^ t[0][(crc ^ *bytes) & 0xFF];
  return crc;
}

#if defined(__x86_64__)

/** What `ByProducts` takes at least. */
constexpr size_t kLeast = 64;

bool HasProducts() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_PCLMUL) != 0 && (c & bit_SSE4_1) != 0;
}

/** False before this library's constructors have run. */
const bool products = HasProducts();

#define PRODUCTS __attribute__((target("pclmul,sse4.1")))

inline PRODUCTS __m128i Fold(__m128i sum, __m128i by, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(sum, by, 0x00), high = _mm_clmulepi64_si128(sum, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/**
 * Carry-less products, 64 bytes at a time: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction",
 * Intel 2009, with its constants for this polynomial. @param size at least 64; what is behind the last 16 is left
 */
PRODUCTS uint32_t ByProducts(uint32_t crc, const uint8_t* bytes, size_t size) {
  const __m128i by64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const __m128i by8 = _mm_set_epi64x(0, 0x163cd6124), reduce = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  const auto load = [&](size_t at) PRODUCTS { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at)); };
  __m128i a = _mm_xor_si128(load(0), _mm_cvtsi32_si128(static_cast<int>(crc))), b = load(16), c = load(32), d = load(48);
  size_t at = 64;
  for (; size - at >= 64; at += 64) {
    a = Fold(a, by64, load(at));
    b = Fold(b, by64, load(at + 16));
    c = Fold(c, by64, load(at + 32));
    d = Fold(d, by64, load(at + 48));
  }
  a = Fold(Fold(Fold(a, by16, b), by16, c), by16, d);
  for (; size - at >= 16; at += 16) a = Fold(a, by16, load(at));
  // From 128 bits to 64, then to 32.
  const __m128i word = _mm_set_epi32(0, 0, 0, -1);
  a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by16, 0x10));
  a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, word), by8, 0x00));
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(a, word), reduce, 0x10);
  q = _mm_clmulepi64_si128(_mm_and_si128(q, word), reduce, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(a, q), 1));
}

#endif

}  // namespace

uint32_t Crc32(const uint8_t* bytes, size_t size) {
  uint32_t crc = ~0u;
#if defined(__x86_64__)
  if (products && size >= kLeast) {
    crc = ByProducts(crc, bytes, size);
    bytes += size & ~size_t{15};
    size &= 15;
  }
#endif
  return ~ByTables(crc, bytes, size);
}

}  // namespace recorder
