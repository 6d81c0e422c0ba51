#include "blake2b.h"

#include <cstring>
#include <utility>

namespace recorder {
namespace {

constexpr uint64_t kStart[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr uint8_t kOrder[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

inline uint64_t Rotate(uint64_t value, int by) { return value >> by | value << (64 - by); }

__attribute__((always_inline)) inline void Mix(uint64_t* v, int a, int b, int c, int d, uint64_t x, uint64_t y) {
  v[a] += v[b] + x;
  v[d] = Rotate(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = Rotate(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = Rotate(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = Rotate(v[b] ^ v[c], 63);
}

template <size_t R>
__attribute__((always_inline)) inline void Round(uint64_t* v, const uint64_t* m) {
  constexpr auto& s = kOrder[R];
  Mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
  Mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
  Mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
  Mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
  Mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
  Mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
  Mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
  Mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
}

/** All of them with indices that the compiler knows. */
template <size_t... R>
__attribute__((always_inline)) inline void Rounds(uint64_t* v, const uint64_t* m, std::index_sequence<R...>) {
  (Round<R>(v, m), ...);
}

void Compress(uint64_t* state, const uint8_t* block, uint64_t count, bool last) {
  uint64_t v[16], m[16];
  std::memcpy(m, block, sizeof(m));
  for (int i = 0; i < 8; ++i) {
    v[i] = state[i];
    v[i + 8] = kStart[i];
  }
  v[12] ^= count;
  if (last) v[14] = ~v[14];
  Rounds(v, m, std::make_index_sequence<12>());
  for (int i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

Digest Blake2b(const uint8_t* bytes, size_t size) {
  uint64_t state[8];
  std::memcpy(state, kStart, sizeof(state));
  state[0] ^= 0x01010000 ^ 64;
  size_t done = 0;
  for (; size - done > 128; done += 128) Compress(state, bytes + done, done + 128, false);
  uint8_t last[128] = {};
  if (size > done) std::memcpy(last, bytes + done, size - done);
  Compress(state, last, size, true);
  Digest digest;
  std::memcpy(digest.bytes, state, sizeof(digest.bytes));
  return digest;
}

}  // namespace recorder
