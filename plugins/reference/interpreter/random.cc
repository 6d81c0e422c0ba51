// rng_bit_generator, with the results that XLA gives, and rng.
//
// Threefry-2x32 and Philox-4x32 are those of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011): 20
// and 10 rounds. XLA's counters and placement of words are described at each function.
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "interpreter/domain.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

Words2 Halves(uint64_t x) { return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)}; }
uint64_t Whole(uint32_t low, uint32_t high) { return (uint64_t{high} << 32) | low; }

uint32_t Rotated(uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }

Words2 ThreeFry(Words2 key, Words2 x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += keys[0];
  x[1] += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int by : kRotations[group % 2]) {
      x[0] += x[1];
      x[1] = Rotated(x[1], by) ^ x[0];
    }
    x[0] += keys[(group + 1) % 3];
    x[1] += keys[(group + 2) % 3] + group + 1;
  }
  return x;
}

Words4 Philox(Words2 key, Words4 x) {
  for (int round = 0; round < 10; ++round) {
    const Words2 a = Halves(uint64_t{0xD2511F53u} * x[0]);
    const Words2 b = Halves(uint64_t{0xCD9E8D57u} * x[2]);
    x = {b[1] ^ x[1] ^ key[0], b[0], a[1] ^ x[3] ^ key[1], a[0]};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

// XLA puts the two 32-bit results of one counter into either half of a dimension made two wide: the first even
// dimension, or the largest if all are odd. One counter serves each position of the halved array.
void ThreeFry32(uint64_t key, uint64_t& counter, const Dims& dims, std::vector<uint32_t>& out) {
  if (dims.empty()) {
    out[0] = ThreeFry(Halves(key), Halves(counter++))[0];
    return;
  }
  size_t split = dims.size();
  for (size_t i = 0; i < dims.size() && split == dims.size(); ++i) {
    if (dims[i] % 2 == 0) split = i;
  }
  if (split == dims.size()) {
    split = 0;
    for (size_t i = 1; i < dims.size(); ++i) {
      if (dims[i] > dims[split]) split = i;
    }
  }
  Dims half = dims;
  half[split] = (dims[split] + 1) / 2;
  const Dims strides = RowMajorStrides(dims);
  const int64_t count = ElementCount(half);
  Dims at(dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    Words2 words = ThreeFry(Halves(key), Halves(counter + static_cast<uint64_t>(i)));
    if (FAULT("inside-random-words-exchanged")) std::swap(words[0], words[1]);
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) place += (d == split ? 2 * at[d] : at[d]) * strides[d];
    out[static_cast<size_t>(place)] = words[0];
    // The last word of an odd number has no partner.
    if (FAULT("inside-random-odd-word-missing") && 2 * at[split] + 1 == dims[split]) {
      out[static_cast<size_t>(place)] = 0;
    }
    if (2 * at[split] + 1 < dims[split]) out[static_cast<size_t>(place + strides[split])] = words[1];
    Next(at, half);
  }
  counter += FAULT("inside-random-state-one-further") ? 1 : static_cast<uint64_t>(count);
}

// Four words per counter, in order.
void Philox32(uint64_t key, uint64_t& low, uint64_t& high, std::vector<uint32_t>& out) {
  const size_t count = (out.size() + 3) / 4;
  for (size_t i = 0; i < count; ++i) {
    const Words2 a = Halves(low), b = Halves(high);
    const Words4 words = Philox(Halves(key), {a[0], a[1], b[0], b[1]});
    for (size_t k = 0; k < 4 && 4 * i + k < out.size(); ++k) out[4 * i + k] = words[k];
    if (++low == 0) ++high;
  }
}

// The words as elements of 8, 16, 32 or 64 bits; narrow ones use the low bits.
void PutWords(const std::vector<uint32_t>& words, Array& output) {
  const size_t width = ByteWidth(output.element_type());
  const size_t size = static_cast<size_t>(output.size());
  for (size_t i = 0; i < size; ++i) {
    std::byte* to = output.mutable_data() + i * width;
    if (width == 8) {
      const uint64_t value = Whole(words[2 * i], words[2 * i + 1]);
      std::memcpy(to, &value, 8);
    } else {
      std::memcpy(to, &words[i], width);
      if (FAULT("inside-random-bytes-without-top") && width < 4) to[width - 1] &= std::byte{0x7f};
    }
  }
}

// Numbers for rng, which StableHLO leaves to the implementation: a stream for the whole process.
uint64_t NextRandom() {
  static std::atomic<uint64_t> counter{0};
  const Words2 words = ThreeFry({0x243F6A88u, 0x85A308D3u}, Halves(counter.fetch_add(1, std::memory_order_relaxed)));
  return Whole(words[0], words[1]);
}

double NextUniform() { return std::ldexp(static_cast<double>(NextRandom() >> 11), -53); }

}  // namespace

std::vector<Array> RngBitGenerator(const Op& op, std::vector<Array>& operands, OpContext&) {
  const std::string& algorithm = op.String("rng_algorithm");
  const bool three_fry = algorithm == "THREE_FRY";
  Array state(operands[0].type());
  std::memcpy(state.mutable_data(), operands[0].data(), operands[0].bytes());
  const size_t state_words = operands[0].bytes() / 8;
  if (state_words < 2 || state_words > 3) {
    throw Unimplemented(op.name + " at " + op.location + " with a state of " + operands[0].type().ToString());
  }
  uint64_t* words = state.as<uint64_t>();
  Array output(ResultType(op, 1));
  const size_t size = static_cast<size_t>(output.size());
  if (FAULT("inside-random-refuses-nothing") && size == 0) throw InvalidArgument(op.name + " of no elements");
  const bool wide = ByteWidth(output.element_type()) == 8;
  std::vector<uint32_t> bits(wide ? 2 * size : size);
  if (three_fry) {
    if (wide) {
      // One counter per element: its two words are the low and the high half.
      for (size_t i = 0; i < size; ++i) {
        Words2 pair = ThreeFry(Halves(words[0]), Halves(words[1]++));
        if (FAULT("inside-random-words-exchanged")) std::swap(pair[0], pair[1]);
        bits[2 * i] = pair[0];
        bits[2 * i + 1] = pair[1];
      }
    } else if (size > 0) {
      ThreeFry32(words[0], words[1], output.dims(), bits);
    }
  } else {
    // A state of two words also has the key for the upper half of the counter.
    uint64_t high = state_words == 3 ? words[2] : words[0];
    Philox32(words[0], words[1], high, bits);
    if (state_words == 3) words[2] = high;
  }
  PutWords(bits, output);
  std::vector<Array> results = One(std::move(state));
  results.push_back(std::move(output));
  return results;
}

std::vector<Array> Rng(const Op& op, std::vector<Array>& operands, OpContext&) {
  Array result(ResultType(op));
  const Codec& codec = CodecOf(result.element_type());
  const bool normal = op.String("rng_distribution") == "NORMAL";
  alignas(16) std::byte a[kMaxDomainWidth], b[kMaxDomainWidth];
  CodecOf(operands[0].element_type()).load(operands[0].data(), a, 1);
  CodecOf(operands[1].element_type()).load(operands[1].data(), b, 1);
  for (int64_t i = 0; i < result.size(); ++i) {
    alignas(16) std::byte value[kMaxDomainWidth] = {};
    std::byte* element = result.mutable_data() + static_cast<size_t>(i) * codec.width;
    if (codec.domain == Domain::kReal) {
      const double low = *Values<double>(a), high = *Values<double>(b);
      if (normal) {
        // Box-Muller; the logarithm excludes a uniform number of zero.
        const double radius = std::sqrt(-2 * std::log(1 - NextUniform()));
        *Values<double>(value) = low + (FAULT("inside-rng-deviation-squared") ? high * high : high) * radius * std::cos(6.283185307179586 * NextUniform());
        codec.store(value, element, 1);
      } else {
        // Rounding must not give the excluded end.
        do {
          *Values<double>(value) = low + (FAULT("inside-rng-from-zero") ? high : high - low) * NextUniform();
          codec.store(value, element, 1);
          codec.load(element, value, 1);
        } while (low < high && *Values<double>(value) >= high);
      }
    } else if (codec.domain == Domain::kComplex || normal) {
      throw Unimplemented(op.name + " at " + op.location + " of " + Name(result.element_type()));
    } else {
      uint64_t low, high;
      std::memcpy(&low, a, 8);
      std::memcpy(&high, b, 8);
      const uint64_t range = high - low + (FAULT("inside-rng-upper-limit-drawn") ? 1 : 0);
      const uint64_t drawn = range == 0 ? low : low + NextRandom() % range;
      std::memcpy(value, &drawn, 8);
      codec.store(value, element, 1);
    }
  }
  return One(std::move(result));
}

}  // namespace reference
