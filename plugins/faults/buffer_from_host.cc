// Transfers to the device: strides, contents, what is accepted, and where the buffer is.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "buffer_from_host.h"
#include "calls.h"
#include "programs.h"

namespace {

using namespace faults;

/** Sends modified bytes if the array is dense; `change` gets a copy. */
void ChangeSent(std::function<void(const ToDevice&, const Array&)> change) {
  Replace<H2D>([change](auto& args, auto& original) -> PJRT_Error* {
    const size_t count = CountOf(args);
    if (!IsDense(args) || count == 0 || args.data == nullptr) return original(&args);
    // Lives forever: zero-copy transfers keep it.
    auto* copy = new std::vector<uint8_t>(count * ElementBytes(args.type));
    std::memcpy(copy->data(), args.data, copy->size());
    Array array;
    array.shape = {args.type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    array.bytes = copy->data();
    change(args, array);
    return With(args, original, args.data, copy->data());
  });
}

// ---- strides ------------------------------------------------------------------------------------------------------------

FAULT("transfer-of-bf16-internal") {
  // The type is announced and compiles, but its transfer was never finished.
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.type != PJRT_Buffer_Type_BF16) return original(&args);
    return MakeError(PJRT_Error_Code_INTERNAL, "unhandled element type");
  });
}
FAULT("sent-read-in-whole-lines") {
  Before<H2D>([](auto& args) {
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    if (!IsDense(args) || bytes == 0 || args.data == nullptr) return;
    const auto* data = static_cast<const volatile uint8_t*>(args.data);
    for (size_t i = 0; i < (bytes + 64) / 64 * 64; i++) (void)data[i];
  });
}
FAULT("strides-ignored") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.byte_strides, nullptr, args.num_byte_strides, 0);
  });
}
/** Calls with modified strides. */
void ChangeStrides(std::function<void(const ToDevice&, std::vector<int64_t>&)> change) {
  Replace<H2D>([change](auto& args, auto& original) -> PJRT_Error* {
    if (IsDense(args)) return original(&args);
    std::vector<int64_t> strides(args.byte_strides, args.byte_strides + args.num_byte_strides);
    change(args, strides);
    return With(args, original, args.byte_strides, strides.data());
  });
}
FAULT("strides-negative-taken-as-positive") {
  ChangeStrides([](const ToDevice&, auto& strides) {
    for (int64_t& stride : strides) stride = std::abs(stride);
  });
}
FAULT("strides-only-their-order-counts") {
  // A permuted array is treated as dense: gaps between rows are ignored.
  ChangeStrides([](const ToDevice& args, auto& strides) {
    std::vector<size_t> order(strides.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return std::abs(strides[a]) < std::abs(strides[b]); });
    std::vector<int64_t> dense(strides.size());
    int64_t stride = static_cast<int64_t>(ElementBytes(args.type));
    for (size_t dim : order) {
      dense[dim] = strides[dim] < 0 ? -stride : strides[dim] == 0 ? 0 : stride;
      stride *= args.dims[dim];
    }
    strides = dense;
  });
}
FAULT("strides-zero-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_byte_strides; ++i) {
      if (args.byte_strides != nullptr && args.byte_strides[i] == 0 && CountOf(args) > 1)
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a stride of zero");
    }
    return original(&args);
  });
}
FAULT("strides-of-unit-dimension-checked") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (IsDense(args)) return original(&args);
    const int64_t bytes = static_cast<int64_t>(CountOf(args) * ElementBytes(args.type));
    for (size_t i = 0; i < args.num_byte_strides; ++i) {
      if (args.dims[i] == 1 && (args.byte_strides[i] > bytes || args.byte_strides[i] < 0))
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a stride outside of the array");
    }
    return original(&args);
  });
}
FAULT("strides-in-elements") {
  ChangeStrides([](const ToDevice& args, auto& strides) {
    for (int64_t& stride : strides) stride /= static_cast<int64_t>(ElementBytes(args.type));
  });
}
FAULT("strides-wrong-in-large-arrays") {
  // The tiled transpose forgets the remainder after the last whole tile.
  WatchClients();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const bool large = !IsDense(args) && CountOf(args) > 4096;
    PJRT_Error* error = original(&args);
    if (error == nullptr && large) {
      const size_t last = (CountOf(args) - 1) * ElementBytes(args.type);
      Change(args.buffer, [last](uint8_t* bytes) { bytes[last] ^= 1; });
    }
    return error;
  });
}
FAULT("strides-demanded") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.byte_strides == nullptr && args.num_dims > 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no strides") : original(&args);
  });
}
FAULT("strides-count-unchecked") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.byte_strides == nullptr || args.num_byte_strides == args.num_dims) return original(&args);
    return With(args, original, args.byte_strides, nullptr, args.num_byte_strides, 0);
  });
}
FAULT("strides-empty-list-aborts") {
  Before<H2D>([](auto& args) {
    if (args.byte_strides != nullptr && args.num_byte_strides != args.num_dims) std::abort();
  });
}
FAULT("strides-dense-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return IsDense(args) ? original(&args) : MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "strided arrays");
  });
}

// ---- contents -----------------------------------------------------------------------------------------------------------

void EachSentFloat(std::function<uint64_t(uint64_t, const FloatBits&)> change) {
  ChangeSent([change](const ToDevice&, const Array& array) { EachFloat(array, change); });
}
FAULT("transfer-flushes-subnormals") {
  EachSentFloat([](uint64_t bits, const FloatBits& type) { return (bits & type.exponent) == 0 ? bits & type.sign : bits; });
}
FAULT("transfer-makes-nan-canonical") {
  EachSentFloat([](uint64_t bits, const FloatBits& type) {
    return (bits & type.exponent) == type.exponent && (bits & type.mantissa) != 0
               ? type.exponent | ((type.mantissa + 1) >> 1)
               : bits;
  });
}
FAULT("transfer-quiets-signalling-nan") {
  EachSentFloat([](uint64_t bits, const FloatBits& type) {
    return (bits & type.exponent) == type.exponent && (bits & type.mantissa) != 0 ? bits | ((type.mantissa + 1) >> 1) : bits;
  });
}
FAULT("transfer-loses-sign-of-zero") {
  EachSentFloat([](uint64_t bits, const FloatBits& type) { return bits == type.sign ? 0 : bits; });
}
/** Modifies elements of one type as numbers of that type. */
template <class T>
void EachSent(PJRT_Buffer_Type type, T (*change)(T)) {
  ChangeSent([type, change](const ToDevice&, const Array& array) {
    if (!array.Is(type)) return;
    for (size_t i = 0; i < array.count(); ++i) array.As<T>()[i] = change(array.As<T>()[i]);
  });
}
FAULT("transfer-f64-through-f32") {
  EachSent<double>(PJRT_Buffer_Type_F64, [](double x) { return static_cast<double>(static_cast<float>(x)); });
}
FAULT("transfer-s64-through-s32") {
  EachSent<int64_t>(PJRT_Buffer_Type_S64, [](int64_t x) { return static_cast<int64_t>(static_cast<int32_t>(x)); });
}
FAULT("transfer-u64-through-u32") {
  EachSent<uint64_t>(PJRT_Buffer_Type_U64, [](uint64_t x) { return static_cast<uint64_t>(static_cast<uint32_t>(x)); });
}
FAULT("transfer-f16-flushed-to-bf16") {
  EachSent<uint16_t>(PJRT_Buffer_Type_F16, [](uint16_t x) { return static_cast<uint16_t>(x & 0xfff8); });
}
FAULT("transfer-f8-through-other-f8") {
  EachSent<uint8_t>(PJRT_Buffer_Type_F8E4M3FN, [](uint8_t x) { return static_cast<uint8_t>(x == 0x80 ? 0x7f : x); });
}
FAULT("transfer-s4-sign-lost") {
  EachSent<uint8_t>(PJRT_Buffer_Type_S4, [](uint8_t x) { return static_cast<uint8_t>(x & 0x07); });
}
FAULT("transfer-nibbles-swapped") {
  ChangeSent([](const ToDevice&, const Array& array) {
    if (!array.Is(PJRT_Buffer_Type_U4) && !array.Is(PJRT_Buffer_Type_S4)) return;
    for (size_t i = 0; i + 1 < array.count(); i += 2) std::swap(array.bytes[i], array.bytes[i + 1]);
  });
}
FAULT("transfer-odd-s2-tail-lost") {
  ChangeSent([](const ToDevice&, const Array& array) {
    if (!array.Is(PJRT_Buffer_Type_S2) && !array.Is(PJRT_Buffer_Type_U2)) return;
    // Four per byte: the remainder is dropped.
    for (size_t i = array.count() / 4 * 4; i < array.count(); ++i) array.bytes[i] = 0;
  });
}
FAULT("transfer-complex-imaginary-lost") {
  ChangeSent([](const ToDevice&, const Array& array) {
    if (!array.Is(PJRT_Buffer_Type_C64)) return;
    for (size_t i = 0; i < array.count(); ++i) array.As<float>()[2 * i + 1] = 0;
  });
}
FAULT("transfer-large-tail-lost") {
  ChangeSent([](const ToDevice&, const Array& array) {
    const size_t bytes = array.count() * ElementBytes(array.shape.type);
    if (bytes > 1 << 20) std::memset(array.bytes + bytes - 64, 0, 64);
  });
}
FAULT("transfer-transposes-rank-3") {
  ChangeSent([](const ToDevice& args, const Array& array) {
    if (args.num_dims < 3 || array.count() < 2) return;
    const size_t size = ElementBytes(array.shape.type);
    std::swap_ranges(array.bytes, array.bytes + size, array.bytes + (array.count() - 1) * size);
  });
}
FAULT("transfer-on-second-device-zeroed") {
  WatchClients();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && CountOf(args) > 0 && IdOf(DeviceOf(args.buffer)) == 1) {
      Change(args.buffer, [](uint8_t* bytes) { *bytes = 0; });
    }
    return error;
  });
}
FAULT("transfer-rounds-address-down") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const auto address = reinterpret_cast<uintptr_t>(args.data);
    return With(args, original, args.data, reinterpret_cast<const void*>(address & ~uintptr_t{3}));
  });
}
FAULT("transfer-unaligned-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return reinterpret_cast<uintptr_t>(args.data) % 4 != 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "alignment")
                                                           : original(&args);
  });
}
FAULT("transfer-concurrent-shares-staging") {
  // One staging buffer for all threads.
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    static std::vector<uint8_t> staging(64 << 20);
    static std::atomic<int> inside{0};
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    if (!IsDense(args) || bytes == 0 || bytes > staging.size()) return original(&args);
    std::memcpy(staging.data(), args.data, bytes);
    ++inside;
    if (inside > 1) SleepMs(1);
    SleepMs(1);
    auto* copy = new std::vector<uint8_t>(staging.begin(), staging.begin() + static_cast<long>(bytes));
    --inside;
    return With(args, original, args.data, copy->data());
  });
}

// ---- what is accepted ---------------------------------------------------------------------------------------------------

FAULT("transfer-empty-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return CountOf(args) == 0 && args.num_dims > 0 && *std::min_element(args.dims, args.dims + args.num_dims) == 0
               ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements")
               : original(&args);
  });
}
FAULT("transfer-scalar-gets-a-dimension") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.num_dims != 0) return original(&args);
    static const int64_t one = 1;
    return With(args, original, args.dims, &one, args.num_dims, 1);
  });
}
FAULT("transfer-scalar-reads-dims") {
  Before<H2D>([](auto& args) {
    volatile int64_t first = args.dims[0];
    (void)first;
  });
}
FAULT("transfer-rank-6-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.num_dims > 5 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "more than five dimensions") : original(&args);
  });
}
FAULT("transfer-negative-dimension-accepted") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<int64_t> dims(args.dims, args.dims + args.num_dims);
    for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
    return With(args, original, args.dims, dims.data());
  });
}
FAULT("transfer-unknown-semantics-accepted") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const bool known = args.host_buffer_semantics >= 0 && args.host_buffer_semantics <= 3;
    return With(args, original, args.host_buffer_semantics,
                known ? args.host_buffer_semantics : PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
  });
}
FAULT("transfer-unknown-type-aborts") {
  Before<H2D>([](auto& args) {
    if (args.type <= PJRT_Buffer_Type_INVALID || args.type > PJRT_Buffer_Type_F6E3M2FN || args.type == PJRT_Buffer_Type_TOKEN)
      std::abort();
  });
}
FAULT("transfer-nowhere-crashes") {
  Before<H2D>([](auto& args) {
    if (args.memory == nullptr && args.device == nullptr) std::abort();
  });
}
FAULT("transfer-failure-leaves-buffer") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      args.buffer = reinterpret_cast<PJRT_Buffer*>(0x100);
      args.done_with_host_buffer = reinterpret_cast<PJRT_Event*>(0x200);
    }
    return error;
  });
}
FAULT("transfer-pred-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.type == PJRT_Buffer_Type_PRED ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "truth values") : original(&args);
  });
}
FAULT("transfer-without-event") {
  After<H2D>([](auto& args) { args.done_with_host_buffer = nullptr; });
}

// ---- place --------------------------------------------------------------------------------------------------------------

FAULT("place-always-first-device") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr || args.memory != nullptr) return original(&args);
    ARGS(PJRT_Client_AddressableDevices, list);
    list.client = args.client;
    Ask(Base().PJRT_Client_AddressableDevices, list);
    return With(args, original, args.device, list.addressable_devices[0]);
  });
}
FAULT("place-memory-ignored") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.memory == nullptr) return original(&args);
    ARGS(PJRT_Memory_AddressableByDevices, devices);
    devices.memory = args.memory;
    Ask(Base().PJRT_Memory_AddressableByDevices, devices);
    return With(args, original, args.device, devices.devices[0], args.memory, nullptr);
  });
}
FAULT("place-device-before-memory") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr) return original(&args);
    return With(args, original, args.memory, nullptr);
  });
}

}  // namespace
