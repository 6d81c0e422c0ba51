#include "interpreter/domain.h"

#include <array>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/float_formats.h"

namespace reference {
namespace {

using Complex = std::complex<double>;

// Integers: V is int64_t or uint64_t, E the stored type, kBits the width of the value.
template <typename V, typename E, int kBits>
E WrapInteger(V value) {
  if constexpr (kBits < 8) {
    // Types of less than a byte are stored extended to one.
    const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << kBits) - 1);
    if constexpr (std::is_signed_v<V>) {
      const uint64_t sign = uint64_t{1} << (kBits - 1);
      return static_cast<E>(static_cast<int64_t>((low ^ sign) - sign));
    }
    return static_cast<E>(low);
  } else {
    return static_cast<E>(value);
  }
}

template <typename V, typename E, int kBits>
void LoadInteger(const std::byte* elements, std::byte* values, int64_t count) {
  const E* from = reinterpret_cast<const E*>(elements);
  V* to = Values<V>(values);
  // Bits above the width of a narrow type are ignored.
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<V>(WrapInteger<V, E, kBits>(static_cast<V>(from[i])));
}

template <typename V, typename E, int kBits>
void StoreInteger(const std::byte* values, std::byte* elements, int64_t count) {
  const V* from = Values<V>(values);
  E* to = reinterpret_cast<E*>(elements);
  for (int64_t i = 0; i < count; ++i) to[i] = WrapInteger<V, E, kBits>(from[i]);
}

template <typename V, typename E, int kBits>
void RoundInteger(std::byte* values, int64_t count) {
  V* at = Values<V>(values);
  for (int64_t i = 0; i < count; ++i) at[i] = static_cast<V>(WrapInteger<V, E, kBits>(at[i]));
}

void LoadPred(const std::byte* elements, std::byte* values, int64_t count) {
  uint64_t* to = Values<uint64_t>(values);
  for (int64_t i = 0; i < count; ++i) to[i] = elements[i] != std::byte{0} ? 1 : 0;
}

void StorePred(const std::byte* values, std::byte* elements, int64_t count) {
  const uint64_t* from = Values<uint64_t>(values);
  for (int64_t i = 0; i < count; ++i) elements[i] = std::byte{from[i] != 0};
}

void RoundPred(std::byte* values, int64_t count) {
  uint64_t* at = Values<uint64_t>(values);
  for (int64_t i = 0; i < count; ++i) at[i] = at[i] != 0 ? 1 : 0;
}

// Elements that are the values themselves.
template <size_t kWidth>
void Copy(const std::byte* from, std::byte* to, int64_t count) {
  if (count > 0) std::memcpy(to, from, static_cast<size_t>(count) * kWidth);
}

void Keep(std::byte*, int64_t) {}

void LoadF32(const std::byte* elements, std::byte* values, int64_t count) {
  const float* from = reinterpret_cast<const float*>(elements);
  double* to = Values<double>(values);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

void StoreF32(const std::byte* values, std::byte* elements, int64_t count) {
  const double* from = Values<double>(values);
  float* to = reinterpret_cast<float*>(elements);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

void RoundF32(std::byte* values, int64_t count) {
  double* at = Values<double>(values);
  for (int64_t i = 0; i < count; ++i) at[i] = static_cast<float>(at[i]);
}

// Types of up to 16 bits are decoded by table.
template <ElementType kType, typename E>
const double* DecodeTable() {
  static constexpr size_t kSize = size_t{1} << (8 * sizeof(E));
  static const std::vector<double>* table = [] {
    static std::vector<double> values(kSize);
    const size_t mask = (size_t{1} << BitWidth(kType)) - 1;
    for (size_t bits = 0; bits < kSize; ++bits) values[bits] = DecodeFloat(kType, bits & mask);
    return &values;
  }();
  return table->data();
}

template <ElementType kType, typename E>
void LoadSmall(const std::byte* elements, std::byte* values, int64_t count) {
  const double* table = DecodeTable<kType, E>();
  const E* from = reinterpret_cast<const E*>(elements);
  double* to = Values<double>(values);
  for (int64_t i = 0; i < count; ++i) to[i] = table[from[i]];
}

template <ElementType kType, typename E>
void StoreSmall(const std::byte* values, std::byte* elements, int64_t count) {
  const double* from = Values<double>(values);
  E* to = reinterpret_cast<E*>(elements);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<E>(EncodeFloat(kType, from[i]));
}

template <ElementType kType, typename E>
void RoundSmall(std::byte* values, int64_t count) {
  const double* table = DecodeTable<kType, E>();
  double* at = Values<double>(values);
  for (int64_t i = 0; i < count; ++i) at[i] = table[EncodeFloat(kType, at[i])];
}

void LoadC64(const std::byte* elements, std::byte* values, int64_t count) { LoadF32(elements, values, 2 * count); }
void StoreC64(const std::byte* values, std::byte* elements, int64_t count) { StoreF32(values, elements, 2 * count); }
void RoundC64(std::byte* values, int64_t count) { RoundF32(values, 2 * count); }

template <typename V, typename E, int kBits>
Codec Integer(Domain domain) {
  return {domain, sizeof(E), sizeof(V), LoadInteger<V, E, kBits>, StoreInteger<V, E, kBits>, RoundInteger<V, E, kBits>};
}

template <typename E, int kBits>
Codec Signed() { return Integer<int64_t, E, kBits>(Domain::kSigned); }
template <typename E, int kBits>
Codec Unsigned() { return Integer<uint64_t, E, kBits>(Domain::kUnsigned); }

template <ElementType kType, typename E>
Codec Small() {
  return {Domain::kReal, sizeof(E), 8, LoadSmall<kType, E>, StoreSmall<kType, E>, RoundSmall<kType, E>};
}

using T = ElementType;
constexpr size_t kTypes = static_cast<size_t>(T::kF6E3M2FN) + 1;

std::array<Codec, kTypes> MakeCodecs() {
  std::array<Codec, kTypes> codecs{};
  const auto set = [&](T type, Codec codec) { codecs[static_cast<size_t>(type)] = codec; };
  set(T::kPred, {Domain::kUnsigned, 1, 8, LoadPred, StorePred, RoundPred});
  set(T::kS1, Signed<int8_t, 1>());
  set(T::kS2, Signed<int8_t, 2>());
  set(T::kS4, Signed<int8_t, 4>());
  set(T::kS8, Signed<int8_t, 8>());
  set(T::kS16, Signed<int16_t, 16>());
  set(T::kS32, Signed<int32_t, 32>());
  set(T::kS64, Signed<int64_t, 64>());
  set(T::kU1, Unsigned<uint8_t, 1>());
  set(T::kU2, Unsigned<uint8_t, 2>());
  set(T::kU4, Unsigned<uint8_t, 4>());
  set(T::kU8, Unsigned<uint8_t, 8>());
  set(T::kU16, Unsigned<uint16_t, 16>());
  set(T::kU32, Unsigned<uint32_t, 32>());
  set(T::kU64, Unsigned<uint64_t, 64>());
  set(T::kF16, Small<T::kF16, uint16_t>());
  set(T::kBF16, Small<T::kBF16, uint16_t>());
  set(T::kF32, {Domain::kReal, 4, 8, LoadF32, StoreF32, RoundF32});
  set(T::kF64, {Domain::kReal, 8, 8, Copy<8>, Copy<8>, Keep});
  set(T::kC64, {Domain::kComplex, 8, 16, LoadC64, StoreC64, RoundC64});
  set(T::kC128, {Domain::kComplex, 16, 16, Copy<16>, Copy<16>, Keep});
  set(T::kF8E5M2, Small<T::kF8E5M2, uint8_t>());
  set(T::kF8E4M3FN, Small<T::kF8E4M3FN, uint8_t>());
  set(T::kF8E4M3B11FNUZ, Small<T::kF8E4M3B11FNUZ, uint8_t>());
  set(T::kF8E5M2FNUZ, Small<T::kF8E5M2FNUZ, uint8_t>());
  set(T::kF8E4M3FNUZ, Small<T::kF8E4M3FNUZ, uint8_t>());
  set(T::kF8E4M3, Small<T::kF8E4M3, uint8_t>());
  set(T::kF8E3M4, Small<T::kF8E3M4, uint8_t>());
  set(T::kF8E8M0FNU, Small<T::kF8E8M0FNU, uint8_t>());
  set(T::kF4E2M1FN, Small<T::kF4E2M1FN, uint8_t>());
  set(T::kF6E2M3FN, Small<T::kF6E2M3FN, uint8_t>());
  set(T::kF6E3M2FN, Small<T::kF6E3M2FN, uint8_t>());
  return codecs;
}

}  // namespace

const Codec& CodecOf(ElementType type) {
  static const std::array<Codec, kTypes> codecs = MakeCodecs();
  const size_t index = static_cast<size_t>(type);
  if (index >= kTypes || codecs[index].load == nullptr) {
    throw Unimplemented("elements of type " + Name(type) + " are not computed with");
  }
  return codecs[index];
}

Domain DomainOf(ElementType type) { return CodecOf(type).domain; }

}  // namespace reference
