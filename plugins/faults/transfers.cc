// Transfers to the device and back, copies, and properties of buffers.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "programs.h"

namespace {

using namespace faults;

using ToDevice = PJRT_Client_BufferFromHostBuffer_Args;

size_t CountOf(const ToDevice& args) {
  size_t count = 1;
  for (size_t i = 0; i < args.num_dims; ++i) count *= args.dims[i] < 0 ? 0 : static_cast<size_t>(args.dims[i]);
  return count;
}
bool IsDense(const ToDevice& args) { return args.byte_strides == nullptr || args.num_byte_strides == 0; }

/** Sends modified bytes if the array is dense; `change` gets a copy. */
void ChangeSent(std::function<void(const ToDevice&, const Array&)> change) {
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([change](auto& args, auto& original) -> PJRT_Error* {
    const size_t count = CountOf(args);
    if (!IsDense(args) || count == 0 || args.data == nullptr) return original(&args);
    // Lives forever: zero-copy transfers keep it.
    auto* copy = new std::vector<uint8_t>(count * ElementBytes(args.type));
    std::memcpy(copy->data(), args.data, copy->size());
    Array array;
    array.shape = {args.type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    array.bytes = copy->data();
    change(args, array);
    const void* given = args.data;
    args.data = copy->data();
    PJRT_Error* error = original(&args);
    args.data = given;
    return error;
  });
}

/** Calls with another value in one field, which is restored afterwards. */
template <class S, class T, class Args>
PJRT_Error* With(Args& args, const Original<S>& original, T& field, T value) {
  const T given = field;
  field = value;
  PJRT_Error* error = original(&args);
  field = given;
  return error;
}

// ---- strides ------------------------------------------------------------------------------------------------------------

using H2D = SLOT(PJRT_Client_BufferFromHostBuffer);

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
    const int64_t* given = args.byte_strides;
    const size_t count = args.num_byte_strides;
    args.byte_strides = nullptr;
    args.num_byte_strides = 0;
    PJRT_Error* error = original(&args);
    args.byte_strides = given;
    args.num_byte_strides = count;
    return error;
  });
}
/** Calls with modified strides. */
void ChangeStrides(std::function<void(const ToDevice&, std::vector<int64_t>&)> change) {
  Replace<H2D>([change](auto& args, auto& original) -> PJRT_Error* {
    if (IsDense(args)) return original(&args);
    std::vector<int64_t> strides(args.byte_strides, args.byte_strides + args.num_byte_strides);
    change(args, strides);
    const int64_t* given = args.byte_strides;
    args.byte_strides = strides.data();
    PJRT_Error* error = original(&args);
    args.byte_strides = given;
    return error;
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
    const int64_t* given = args.byte_strides;
    const size_t count = args.num_byte_strides;
    args.byte_strides = nullptr;
    args.num_byte_strides = 0;
    PJRT_Error* error = original(&args);
    args.byte_strides = given;
    args.num_byte_strides = count;
    return error;
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
    return With<H2D, const void*>(args, original, args.data, reinterpret_cast<const void*>(address & ~uintptr_t{3}));
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
    return With<H2D, const void*>(args, original, args.data, copy->data());
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
    const int64_t* given = args.dims;
    args.dims = &one;
    args.num_dims = 1;
    PJRT_Error* error = original(&args);
    args.dims = given;
    args.num_dims = 0;
    return error;
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
    return With<H2D, const int64_t*>(args, original, args.dims, dims.data());
  });
}
FAULT("transfer-unknown-semantics-accepted") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const bool known = args.host_buffer_semantics >= 0 && args.host_buffer_semantics <= 3;
    return With<H2D>(args, original, args.host_buffer_semantics,
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
FAULT("transfer-one-event-for-all") {
  OwnEvents();
  After<H2D>([](auto& args) {
    static PJRT_Event* event = ReadyEvent();
    args.done_with_host_buffer = event;
  });
}

// ---- place --------------------------------------------------------------------------------------------------------------

FAULT("place-always-first-device") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr || args.memory != nullptr) return original(&args);
    PJRT_Client_AddressableDevices_Args list{};
    list.struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE;
    list.client = args.client;
    Drop(Base().PJRT_Client_AddressableDevices(&list));
    return With<H2D>(args, original, args.device, list.addressable_devices[0]);
  });
}
FAULT("place-memory-ignored") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.memory == nullptr) return original(&args);
    PJRT_Memory_AddressableByDevices_Args devices{};
    devices.struct_size = PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE;
    devices.memory = args.memory;
    Drop(Base().PJRT_Memory_AddressableByDevices(&devices));
    PJRT_Device* device = args.device;
    PJRT_Memory* memory = args.memory;
    args.device = devices.devices[0];
    args.memory = nullptr;
    PJRT_Error* error = original(&args);
    args.device = device;
    args.memory = memory;
    return error;
  });
}
FAULT("place-device-before-memory") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr) return original(&args);
    return With<H2D, PJRT_Memory*>(args, original, args.memory, nullptr);
  });
}

// ---- device layouts -----------------------------------------------------------------------------------------------------

bool IsRowMajor(const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return layout == nullptr;
  for (size_t i = 0; i < layout->tiled.minor_to_major_size; ++i) {
    if (layout->tiled.minor_to_major[i] != static_cast<int64_t>(layout->tiled.minor_to_major_size - 1 - i)) return false;
  }
  return true;
}
FAULT("layout-row-major-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.device_layout != nullptr ? MakeError(PJRT_Error_Code_INTERNAL, "layouts") : original(&args);
  });
}
FAULT("layout-changes-data") {
  // The layout is taken for that of the host array.
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (IsRowMajor(args.device_layout) || args.num_dims != 2 || !IsDense(args)) return original(&args);
    const int64_t size = static_cast<int64_t>(ElementBytes(args.type));
    const int64_t strides[] = {size, size * args.dims[0]};
    const int64_t* given = args.byte_strides;
    const size_t count = args.num_byte_strides;
    PJRT_Buffer_MemoryLayout* layout = args.device_layout;
    args.byte_strides = strides;
    args.num_byte_strides = 2;
    args.device_layout = nullptr;
    PJRT_Error* error = original(&args);
    args.byte_strides = given;
    args.num_byte_strides = count;
    args.device_layout = layout;
    return error;
  });
}
FAULT("layout-ignored") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return With<H2D, PJRT_Buffer_MemoryLayout*>(args, original, args.device_layout, nullptr);
  });
}
FAULT("layout-default-is-column-major") {
  // Without a requested layout, arrays are column-major in memory, but reported as row-major.
  After<H2D>([](auto& args) {
    if (args.device_layout != nullptr || args.num_dims != 2) return;
    uint8_t* bytes = BytesOf(args.buffer);
    if (bytes == nullptr) return;
    const size_t size = ElementBytes(args.type), rows = args.dims[0], columns = args.dims[1];
    std::vector<uint8_t> copy(bytes, bytes + rows * columns * size);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j)
        std::memcpy(bytes + (j * rows + i) * size, copy.data() + (i * columns + j) * size, size);
    }
  });
}
FAULT("layout-reported-reversed") {
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    auto* order = new std::vector<int64_t>(args.layout.tiled.minor_to_major,
                                           args.layout.tiled.minor_to_major + args.layout.tiled.minor_to_major_size);
    std::reverse(order->begin(), order->end());
    args.layout.tiled.minor_to_major = order->data();
  });
}
FAULT("layout-reported-no-permutation") {
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    auto* order = new std::vector<int64_t>(args.layout.tiled.minor_to_major_size, 0);
    args.layout.tiled.minor_to_major = order->data();
  });
}
FAULT("layout-rank-unchecked") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_MemoryLayout* layout = args.device_layout;
    bool sound = layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled;
    if (!sound) {
      std::set<int64_t> dims(layout->tiled.minor_to_major, layout->tiled.minor_to_major + layout->tiled.minor_to_major_size);
      sound = layout->tiled.minor_to_major_size == args.num_dims && dims.size() == args.num_dims &&
              (dims.empty() || (*dims.begin() == 0 && *dims.rbegin() == static_cast<int64_t>(args.num_dims) - 1));
    }
    return With<H2D, PJRT_Buffer_MemoryLayout*>(args, original, args.device_layout, sound ? layout : nullptr);
  });
}
FAULT("layout-by-strides-changes-data") {
  WatchClients();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const bool strided = args.device_layout != nullptr && args.device_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides;
    PJRT_Error* error = With<H2D, PJRT_Buffer_MemoryLayout*>(args, original, args.device_layout, strided ? nullptr : args.device_layout);
    if (error == nullptr && strided && CountOf(args) > 0) {
      Change(args.buffer, [](uint8_t* bytes) { bytes[0] ^= 1; });
    }
    return error;
  });
}

// ---- host memory --------------------------------------------------------------------------------------------------------

/** Copies the host memory again some time after the call, as if it were read only then. */
void ReadLate(PJRT_HostBufferSemantics semantics, bool early_event) {
  if (early_event) OwnEvents();
  Replace<H2D>([semantics, early_event](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.host_buffer_semantics != semantics || !IsDense(args) || bytes == 0 || bytes > 1 << 16)
      return error;
    uint8_t* target = BytesOf(args.buffer);
    if (target == nullptr) return error;
    // If the caller has freed it, this reads freed memory, like the defect.
    Later(15, [data = args.data, target, bytes] { std::memcpy(target, data, bytes); });
    if (early_event) {
      DestroyEvent(args.done_with_host_buffer);
      args.done_with_host_buffer = ReadyEvent();
    }
    return error;
  });
}
FAULT("host-memory-read-after-call") { ReadLate(PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, false); }
FAULT("host-memory-event-early") { ReadLate(PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, true); }
FAULT("host-memory-zero-copy-event-early") { ReadLate(PJRT_HostBufferSemantics_kImmutableZeroCopy, true); }
FAULT("host-memory-event-with-buffer-only") {
  // The event for the host memory completes when the buffer is destroyed.
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> waiting;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    std::lock_guard<std::mutex> lock(mutex);
    waiting[args.buffer] = event;
    args.done_with_host_buffer = event->handle();
  });
  auto release = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = waiting.find(buffer);
    if (found == waiting.end()) return;
    found->second->Set();
    waiting.erase(found);
  };
  Before<SLOT(PJRT_Buffer_Destroy)>([release](auto& args) { release(args.buffer); });
  Before<SLOT(PJRT_Buffer_Delete)>([release](auto& args) { release(args.buffer); });
}
FAULT("host-memory-event-never-after-destroy") {
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> living;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    {
      std::lock_guard<std::mutex> lock(mutex);
      living.insert(args.buffer);
    }
    args.done_with_host_buffer = event->handle();
    Later(30, [event, buffer = args.buffer] {
      std::lock_guard<std::mutex> lock(mutex);
      if (living.count(buffer) > 0) event->Set();
    });
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.buffer);
  });
}
FAULT("host-memory-zero-copy-event-never-after-delete") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> waiting;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    std::lock_guard<std::mutex> lock(mutex);
    waiting[args.buffer] = event;
    args.done_with_host_buffer = event->handle();
  });
  // Only Destroy frees the memory.
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = waiting.find(args.buffer);
    if (found == waiting.end()) return;
    found->second->Set();
    waiting.erase(found);
  });
}
FAULT("host-memory-during-call-event-late") {
  OwnEvents();
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    args.done_with_host_buffer = event->handle();
    Later(50, [event] { event->Set(); });
  });
}
FAULT("host-memory-zero-copy-written") {
  Before<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy || CountOf(args) == 0) return;
    auto* byte = static_cast<uint8_t*>(const_cast<void*>(args.data));
    *byte ^= 0x40;
  });
}
FAULT("host-memory-mutable-zero-copy-fails") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy
               ? MakeError(PJRT_Error_Code_INTERNAL, "mutable")
               : original(&args);
  });
}
FAULT("host-memory-event-destroyed-cancels") {
  // The transfer belongs to its event: destroying the event cancels the transfer.
  static std::mutex mutex;
  static std::map<PJRT_Event*, PJRT_Buffer*> transfers;
  After<H2D>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    transfers[args.done_with_host_buffer] = args.buffer;
    Later(100, [event = args.done_with_host_buffer] {
      std::lock_guard<std::mutex> later(mutex);
      transfers.erase(event);
    });
  });
  Before<SLOT(PJRT_Event_Await)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    transfers.erase(args.event);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    PJRT_Buffer* buffer = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = transfers.find(args.event);
      if (found == transfers.end()) return;
      buffer = found->second;
      transfers.erase(found);
    }
    if (ShapeOf(buffer).count() > 0) {
      if (uint8_t* bytes = BytesOf(buffer)) bytes[0] ^= 1;
    }
  });
}
FAULT("transfer-dims-read-after-call") {
  // Dimensions and strides are read when the copy is made.
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || CountOf(args) == 0) return error;
    uint8_t* bytes = BytesOf(args.buffer);
    const std::vector<int64_t> seen(args.dims, args.dims + args.num_dims);
    if (bytes == nullptr || seen.empty()) return nullptr;
    Later(5, [dims = args.dims, seen, bytes] {
      if (std::memcmp(dims, seen.data(), seen.size() * sizeof(int64_t)) != 0) *bytes ^= 1;
    });
    // The copy is done when its thread ends: whoever waits sees the result.
    return nullptr;
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto&) { SleepMs(10); });
}
FAULT("dma-map-refused-again") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_DmaMap)>([](auto& args, auto& original) -> PJRT_Error* {
    static std::atomic<int> calls{0};
    return ++calls > 1 ? MakeError(PJRT_Error_Code_ALREADY_EXISTS, "mapped before") : original(&args);
  });
}
FAULT("dma-unmap-unchecked") {
  Replace<SLOT(PJRT_Client_DmaUnmap)>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}

// ---- back to the host ---------------------------------------------------------------------------------------------------

using D2H = SLOT(PJRT_Buffer_ToHostBuffer);

size_t HostBytes(PJRT_Buffer* buffer) {
  const Shape shape = ShapeOf(buffer);
  return shape.count() * ElementBytes(shape.type);
}
/** Changes the bytes that arrive, which makes the call wait for them. */
void ChangeReceived(std::function<void(const Array&)> change) {
  After<D2H>([change](auto& args) {
    if (args.dst == nullptr || args.event == nullptr || !Await(args.event)) return;
    Array array;
    array.shape = ShapeOf(args.src);
    array.bytes = static_cast<uint8_t*>(args.dst);
    if (array.count() > 0) change(array);
  });
}
FAULT("read-size-packed") {
  After<D2H>([](auto& args) {
    if (args.dst != nullptr) return;
    const PJRT_Buffer_Type type = ShapeOf(args.src).type;
    if (type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4) args.dst_size = (args.dst_size + 1) / 2;
  });
}
FAULT("read-size-padded") {
  After<D2H>([](auto& args) {
    if (args.dst == nullptr) args.dst_size = (args.dst_size + 63) / 64 * 64;
  });
}
FAULT("read-size-refused") {
  OwnErrors();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "dst must not be null");
    return original(&args);
  });
}
FAULT("read-size-zero") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst != nullptr) return original(&args);
    PJRT_Error* error = original(&args);
    if (error == nullptr) args.dst_size = 0;
    return error;
  });
}
FAULT("read-overruns-destination") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const size_t bytes = HostBytes(args.src);
    if (error == nullptr && args.dst != nullptr && args.dst_size > bytes && Await(args.event))
      std::memset(static_cast<char*>(args.dst) + bytes, 0, std::min<size_t>(args.dst_size - bytes, 8));
    return error;
  });
}
FAULT("read-small-destination-accepted") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || args.dst_size >= bytes) return original(&args);
    std::vector<char> whole(bytes);
    void* dst = args.dst;
    const size_t size = args.dst_size;
    args.dst = whole.data();
    args.dst_size = bytes;
    PJRT_Error* error = original(&args);
    args.dst = dst;
    args.dst_size = size;
    if (error == nullptr && Await(args.event)) std::memcpy(dst, whole.data(), size);
    return error;
  });
}
FAULT("read-small-destination-written-then-refused") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.dst != nullptr && args.dst_size > 0) *static_cast<uint8_t*>(args.dst) ^= 0xff;
    return error;
  });
}
FAULT("read-event-early") {
  // The event is ready, the bytes come later.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || bytes == 0 || args.dst_size < bytes) return original(&args);
    auto* staging = new std::vector<char>(bytes);
    void* dst = args.dst;
    args.dst = staging->data();
    PJRT_Error* error = original(&args);
    args.dst = dst;
    if (error != nullptr) return error;
    PJRT_Event* real = args.event;
    args.event = ReadyEvent();
    Later(10, [real, staging, dst] {
      if (Await(real)) std::memcpy(dst, staging->data(), staging->size());
    });
    return nullptr;
  });
}
FAULT("read-does-not-wait") {
  // Pending data reads as zeros.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return original(&args);
    SleepMs(5);
    if (IsReady(args.src)) return original(&args);
    std::memset(args.dst, 0, HostBytes(args.src));
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("read-error-lost") {
  OwnEvents();
  After<D2H>([](auto& args) {
    if (args.dst == nullptr || args.event == nullptr) return;
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    Later(0, [real, event] {
      Await(real);
      event->Set();
    });
  });
}
FAULT("read-empty-without-event") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && HostBytes(args.src) == 0) args.event = nullptr;
    return error;
  });
}
FAULT("read-empty-refused") {
  OwnErrors();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.src) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);
  });
}
FAULT("read-host-layout-ignored") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    return With<D2H, PJRT_Buffer_MemoryLayout*>(args, original, args.host_layout, nullptr);
  });
}
FAULT("read-host-layout-kept-for-next") {
  // The layout of one read applies to the next ones.
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    static std::vector<int64_t> last;
    if (args.host_layout != nullptr && args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled)
      last.assign(args.host_layout->tiled.minor_to_major,
                  args.host_layout->tiled.minor_to_major + args.host_layout->tiled.minor_to_major_size);
    if (args.host_layout != nullptr || last.empty() || last.size() != ShapeOf(args.src).dims.size()) return original(&args);
    PJRT_Buffer_MemoryLayout layout{};
    layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
    layout.tiled.minor_to_major = last.data();
    layout.tiled.minor_to_major_size = last.size();
    return With<D2H, PJRT_Buffer_MemoryLayout*>(args, original, args.host_layout, &layout);
  });
}
FAULT("read-host-layout-read-after-call") {
  // The layout is read when the data is ready.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const PJRT_Buffer_MemoryLayout* layout = args.host_layout;
    if (error != nullptr || args.dst == nullptr || layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
      return error;
    const int64_t* place = layout->tiled.minor_to_major;
    const std::vector<int64_t> seen(place, place + layout->tiled.minor_to_major_size);
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    auto* dst = static_cast<uint8_t*>(args.dst);
    Later(8, [place, seen, real, event, dst] {
      const bool good = Await(real);
      if (good && std::memcmp(place, seen.data(), seen.size() * sizeof(int64_t)) != 0) *dst ^= 1;
      event->Set(good ? 0 : PJRT_Error_Code_INTERNAL, "failed");
    });
    return nullptr;
  });
}
FAULT("read-host-layout-by-strides-crashes") {
  Before<D2H>([](auto& args) {
    if (args.host_layout != nullptr && args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) std::abort();
  });
}
FAULT("read-default-layout-transposed") {
  ChangeReceived([](const Array& array) {
    if (array.shape.dims.size() != 2) return;
    const size_t size = ElementBytes(array.shape.type), rows = array.shape.dims[0], columns = array.shape.dims[1];
    std::vector<uint8_t> copy(array.bytes, array.bytes + array.count() * size);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j)
        std::memcpy(array.bytes + (j * rows + i) * size, copy.data() + (i * columns + j) * size, size);
    }
  });
}
FAULT("read-concurrent-shares-staging") {
  static std::atomic<int> inside{0};
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return original(&args);
    const bool alone = ++inside == 1;
    PJRT_Error* error = original(&args);
    SleepMs(2);
    const size_t bytes = HostBytes(args.src);
    if (error == nullptr && (!alone || inside > 1) && bytes > 0 && Await(args.event)) *static_cast<uint8_t*>(args.dst) ^= 1;
    --inside;
    return error;
  });
}
FAULT("read-cut-short-by-delete") {
  // A copy in progress is dropped when its source is deleted or destroyed.
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> gone;
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || bytes == 0 || args.dst_size < bytes) return original(&args);
    auto* staging = new std::vector<char>(bytes);
    void* dst = args.dst;
    args.dst = staging->data();
    PJRT_Error* error = original(&args);
    args.dst = dst;
    if (error != nullptr) return error;
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    PJRT_Buffer* source = args.src;
    {
      std::lock_guard<std::mutex> lock(mutex);
      gone.erase(source);
    }
    Later(8, [real, event, staging, dst, source] {
      const bool good = Await(real);
      std::lock_guard<std::mutex> lock(mutex);
      if (!good) return event->Set(PJRT_Error_Code_INTERNAL, "failed");
      if (gone.count(source) == 0) std::memcpy(dst, staging->data(), staging->size());
      event->Set();
    });
    return nullptr;
  });
  auto forget = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    gone.insert(buffer);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([forget](auto& args) { forget(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([forget](auto& args) { forget(args.buffer); });
}
FAULT("read-of-deleted-succeeds") {
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst == nullptr || MessageOf(error).find("deleted") == std::string::npos) return error;
    Drop(error);
    args.event = ReadyEvent();
    return nullptr;
  });
}

// ---- raw copies ---------------------------------------------------------------------------------------------------------

using Raw = SLOT(PJRT_Buffer_CopyRawToHost);

FAULT("raw-offset-ignored") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* { return With<Raw, int64_t>(args, original, args.offset, 0); });
}
FAULT("raw-nothing-refused") {
  OwnErrors();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    return args.transfer_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to copy") : original(&args);
  });
}
FAULT("raw-range-unchecked") {
  OwnEvents();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      args.event = ReadyEvent();
      return nullptr;
    }
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    Await(real);
    event->Set();
    return nullptr;
  });
}
FAULT("raw-last-byte-refused") {
  OwnErrors();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.buffer);
    return args.offset > 0 && static_cast<size_t>(args.offset + args.transfer_size) >= bytes
               ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "out of range")
               : original(&args);
  });
}
FAULT("raw-whole-cut-short") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const int64_t whole = static_cast<int64_t>(HostBytes(args.buffer));
    if (args.offset != 0 || args.transfer_size != whole) return original(&args);
    return With<Raw, int64_t>(args, original, args.transfer_size, whole - 1);
  });
}
FAULT("raw-outside-copies-part") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const int64_t bytes = static_cast<int64_t>(HostBytes(args.buffer));
    if (args.offset >= 0 && args.offset < bytes && args.offset + args.transfer_size > bytes)
      std::memset(args.dst, 0x5a, static_cast<size_t>(bytes - args.offset));
    return original(&args);
  });
}
using Future = SLOT(PJRT_Buffer_CopyRawToHostFuture);
FAULT("raw-future-event-ready-at-once") {
  OwnEvents();
  After<Future>([](auto& args) { args.event = ReadyEvent(); });
}
FAULT("raw-future-error-lost") {
  OwnEvents();
  After<Future>([](auto& args) {
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    Later(0, [real, event] {
      Await(real);
      event->Set();
    });
  });
}
FAULT("raw-future-offset-ignored") {
  Replace<Future>([](auto& args, auto& original) -> PJRT_Error* { return With<Future, int64_t>(args, original, args.offset, 0); });
}
FAULT("raw-future-needs-source") {
  // The deferred copy is cancelled when its source is deleted.
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> pending;
  After<Future>([](auto& args) {
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    {
      std::lock_guard<std::mutex> lock(mutex);
      pending[args.buffer] = event;
    }
    Later(0, [real, event] {
      const bool good = Await(real);
      event->Set(good ? 0 : PJRT_Error_Code_INTERNAL, "failed");
    });
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = pending.find(args.buffer);
    if (found != pending.end()) found->second->Set(PJRT_Error_Code_CANCELLED, "the source was deleted");
  });
}

// ---- copies -------------------------------------------------------------------------------------------------------------

using ToDev = SLOT(PJRT_Buffer_CopyToDevice);
using ToMem = SLOT(PJRT_Buffer_CopyToMemory);

FAULT("copy-lands-on-source-device") {
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    return With<ToDev>(args, original, args.dst_device, DeviceOf(args.buffer));
  });
}
FAULT("copy-last-element-lost") {
  WatchClients();
  After<ToDev>([](auto& args) {
    const size_t bytes = HostBytes(args.dst_buffer);
    if (bytes > 0) Change(args.dst_buffer, [bytes](uint8_t* data) { data[bytes - 1] ^= 0x11; });
  });
}
FAULT("copy-empty-refused") {
  OwnErrors();
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.buffer) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);
  });
}
FAULT("copy-deletes-source") {
  After<ToDev>([](auto& args) {
    PJRT_Buffer_Delete_Args end{};
    end.struct_size = PJRT_Buffer_Delete_Args_STRUCT_SIZE;
    end.buffer = args.buffer;
    AwaitBuffer(args.dst_buffer);
    Drop(Base().PJRT_Buffer_Delete(&end));
  });
}
FAULT("copy-shares-memory-with-source") {
  // Deleting the source affects the copy.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> copies;
  auto note = [](PJRT_Buffer* source, PJRT_Buffer* copy) {
    std::lock_guard<std::mutex> lock(mutex);
    copies[source] = copy;
  };
  After<ToDev>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  After<ToMem>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  auto spoil = [](PJRT_Buffer* source) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = copies.begin(); entry != copies.end();) {
      if (entry->first == source) {
        const size_t bytes = HostBytes(entry->second);
        if (uint8_t* data = bytes > 0 ? BytesOf(entry->second) : nullptr) std::memset(data, 0xdd, bytes);
        entry = copies.erase(entry);
      } else {
        entry = entry->second == source ? copies.erase(entry) : std::next(entry);
      }
    }
  };
  Before<SLOT(PJRT_Buffer_Delete)>([spoil](auto& args) { spoil(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([spoil](auto& args) {
    if (args.buffer != nullptr) spoil(args.buffer);
  });
}
FAULT("copy-of-pending-is-empty") {
  // A copy of pending data.
  Before<ToDev>([](auto& args) {
    if (!IsReady(args.buffer)) std::abort();
  });
}
FAULT("copy-to-memory-stays") {
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    return With<ToMem>(args, original, args.dst_memory, MemoryOf(args.buffer));
  });
}
FAULT("copy-to-memory-spoils-last") {
  WatchClients();
  After<ToMem>([](auto& args) {
    const size_t bytes = HostBytes(args.dst_buffer);
    if (bytes > 0) Change(args.dst_buffer, [bytes](uint8_t* data) { data[bytes - 1] ^= 0x11; });
  });
}
/** A call on a deleted buffer that crashes instead of failing. */
template <class S>
void AbortsOnDeleted(PJRT_Buffer* S::Args::*buffer) {
  Before<S>([buffer](auto& args) {
    PJRT_Buffer_IsDeleted_Args is{};
    is.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE;
    is.buffer = args.*buffer;
    Drop(Base().PJRT_Buffer_IsDeleted(&is));
    if (is.is_deleted) std::abort();
  });
}
FAULT("deleted-copy-crashes") { AbortsOnDeleted<ToDev>(&PJRT_Buffer_CopyToDevice_Args::buffer); }
FAULT("deleted-copy-to-memory-crashes") { AbortsOnDeleted<ToMem>(&PJRT_Buffer_CopyToMemory_Args::buffer); }
FAULT("deleted-read-crashes") { AbortsOnDeleted<D2H>(&PJRT_Buffer_ToHostBuffer_Args::src); }
FAULT("deleted-address-crashes") {
  AbortsOnDeleted<SLOT(PJRT_Buffer_UnsafePointer)>(&PJRT_Buffer_UnsafePointer_Args::buffer);
  AbortsOnDeleted<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>(&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer);
}
/** A copy via the host, into the memory of the source. */
PJRT_Buffer* CopyInPlace(PJRT_Client* client, PJRT_Buffer* source) {
  const Shape shape = ShapeOf(source);
  const std::vector<uint8_t> elements = ReadBack(source);
  ToDevice args{};
  args.struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE;
  args.client = client;
  args.data = elements.data();
  args.type = shape.type;
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
  args.memory = MemoryOf(source);
  if (PJRT_Error* error = Base().PJRT_Client_BufferFromHostBuffer(&args)) {
    Drop(error);
    return nullptr;
  }
  DestroyEvent(args.done_with_host_buffer);
  return args.buffer;
}
FAULT("copy-to-same-place-made") {
  static std::atomic<PJRT_Client*> client{nullptr};
  Before<H2D>([](auto& args) { client = args.client; });
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst_device != DeviceOf(args.buffer)) return error;
    Drop(error);
    args.dst_buffer = CopyInPlace(client, args.buffer);
    return nullptr;
  });
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst_memory != MemoryOf(args.buffer)) return error;
    Drop(error);
    args.dst_buffer = CopyInPlace(client, args.buffer);
    return nullptr;
  });
}

// ---- metadata -----------------------------------------------------------------------------------------------------------

FAULT("metadata-s4-is-s8") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type == PJRT_Buffer_Type_S4) args.type = PJRT_Buffer_Type_S8;
  });
}
FAULT("metadata-types-of-an-older-enum") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type > PJRT_Buffer_Type_TOKEN) args.type = static_cast<PJRT_Buffer_Type>(args.type + 1);
  });
}
FAULT("metadata-pred-is-u8") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type == PJRT_Buffer_Type_PRED) args.type = PJRT_Buffer_Type_U8;
  });
}
FAULT("metadata-dims-reversed") {
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    auto* dims = new std::vector<int64_t>(args.dims, args.dims + args.num_dims);
    std::reverse(dims->begin(), dims->end());
    args.dims = dims->data();
  });
}
FAULT("metadata-dims-in-one-place") {
  // The dimensions of all buffers share memory.
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    static std::vector<int64_t> room(64);
    for (size_t i = 0; i < args.num_dims && i < room.size(); ++i) room[i] = args.dims[i];
    args.dims = room.data();
  });
}
FAULT("metadata-unpadded-dims-in-one-place") {
  After<SLOT(PJRT_Buffer_UnpaddedDimensions)>([](auto& args) {
    static std::vector<int64_t> room(64);
    for (size_t i = 0; i < args.num_dims && i < room.size(); ++i) room[i] = args.unpadded_dims[i];
    args.unpadded_dims = room.data();
  });
}
FAULT("metadata-unpadded-dims-padded") {
  After<SLOT(PJRT_Buffer_UnpaddedDimensions)>([](auto& args) {
    auto* dims = new std::vector<int64_t>(args.unpadded_dims, args.unpadded_dims + args.num_dims);
    if (!dims->empty()) dims->back() = (dims->back() + 7) / 8 * 8;
    args.unpadded_dims = dims->data();
  });
}
FAULT("metadata-static-shape-is-dynamic") {
  Replace<SLOT(PJRT_Buffer_DynamicDimensionIndices)>([](auto& args, auto&) -> PJRT_Error* {
    static const size_t zero = 0;
    args.dynamic_dim_indices = &zero;
    args.num_dynamic_dims = ShapeOf(args.buffer).dims.empty() ? 0 : 1;
    return nullptr;
  });
}
FAULT("metadata-size-too-small") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes /= 2; });
}
FAULT("metadata-size-zero") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes = 0; });
}
FAULT("metadata-on-cpu-changes") {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) {
    static std::atomic<int> calls{0};
    args.is_on_cpu = ++calls % 2 == 0;
  });
}
FAULT("metadata-on-cpu-without-readable-memory") {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) { args.is_on_cpu = true; });
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) { args.buffer_pointer = 0x7000; });
}
FAULT("metadata-pointer-zero") {
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) { args.buffer_pointer = 0; });
}
FAULT("metadata-pointer-moves") {
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (++calls % 2 == 0) args.buffer_pointer += 64;
  });
}

// ---- deletion -----------------------------------------------------------------------------------------------------------

FAULT("delete-not-noticed") {
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) { args.is_deleted = false; });
}
FAULT("delete-reads-true-from-the-start") {
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) { args.is_deleted = true; });
}
FAULT("delete-twice-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_IsDeleted_Args is{};
    is.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE;
    is.buffer = args.buffer;
    Drop(Base().PJRT_Buffer_IsDeleted(&is));
    return is.is_deleted ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "deleted already") : original(&args);
  });
}
FAULT("delete-does-nothing") { Ignore<SLOT(PJRT_Buffer_Delete)>(); }
FAULT("delete-of-empty-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.buffer) == 0 ? MakeError(PJRT_Error_Code_INTERNAL, "no memory") : original(&args);
  });
}
FAULT("delete-frees-the-neighbour") {
  // Two buffers of one arena: destroying one invalidates the other.
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> living;
  After<H2D>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.buffer);
    for (PJRT_Buffer* other : living) {
      const size_t bytes = HostBytes(other);
      if (uint8_t* data = bytes > 0 ? BytesOf(other) : nullptr) std::memset(data, 0xdd, bytes);
    }
  });
}
FAULT("delete-then-destroy-crashes") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> deleted;
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    deleted.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (deleted.count(args.buffer) > 0) std::abort();
  });
}

// ---- readiness ----------------------------------------------------------------------------------------------------------

using Ready = SLOT(PJRT_Buffer_ReadyEvent);

FAULT("ready-event-is-one-object") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Event*> events;
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = events.find(args.buffer);
    if (found != events.end()) {
      args.event = found->second;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) events[args.buffer] = args.event;
    return error;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    events.erase(args.buffer);
  });
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [buffer, event] : events) {
      if (event == args.event) return nullptr;
    }
    return original(&args);
  });
}
FAULT("ready-at-once") {
  OwnEvents();
  After<Ready>([](auto& args) {
    DestroyEvent(args.event);
    args.event = ReadyEvent();
  });
}
FAULT("ready-of-deleted-refused") {
  OwnErrors();
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_IsDeleted_Args is{};
    is.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE;
    is.buffer = args.buffer;
    Drop(Base().PJRT_Buffer_IsDeleted(&is));
    return is.is_deleted ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "deleted") : original(&args);
  });
}
FAULT("ready-of-deleted-is-good") {
  OwnEvents();
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_IsDeleted_Args is{};
    is.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE;
    is.buffer = args.buffer;
    Drop(Base().PJRT_Buffer_IsDeleted(&is));
    if (!is.is_deleted) return original(&args);
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("ready-spoilt-by-delete") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::vector<OwnEvent*>> pending;
  After<Ready>([](auto& args) {
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    {
      std::lock_guard<std::mutex> lock(mutex);
      pending[args.buffer].push_back(event);
    }
    Later(12, [real, event] {
      const bool good = Await(real);
      event->Set(good ? 0 : PJRT_Error_Code_INTERNAL, "failed");
    });
  });
  auto spoil = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    for (OwnEvent* event : pending[buffer]) event->Set(PJRT_Error_Code_CANCELLED, "the buffer is gone");
    pending.erase(buffer);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([spoil](auto& args) { spoil(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([spoil](auto& args) { spoil(args.buffer); });
}
FAULT("ready-never") {
  OwnEvents();
  After<Ready>([](auto& args) { args.event = NewEvent()->handle(); });
}
FAULT("ready-deadlocks-when-concurrent") {
  static std::atomic<int> inside{0};
  Before<Ready>([](auto&) {
    if (++inside > 1) {
      for (;;) SleepMs(1000);
    }
    SleepMs(2);
    --inside;
  });
}

// ---- external references ------------------------------------------------------------------------------------------------

FAULT("reference-below-zero-accepted") {
  Replace<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}
FAULT("reference-second-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> held;
  Replace<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    if (held[args.buffer] > 0) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "held already");
    ++held[args.buffer];
    return original(&args);
  });
  Before<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    --held[args.buffer];
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held.erase(args.buffer);
  });
}
FAULT("reference-pointer-null") {
  After<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args) { args.device_memory_ptr = nullptr; });
}
FAULT("reference-pointer-needs-ready") {
  // The address is refused while the contents are being computed.
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args, auto& original) -> PJRT_Error* {
    return IsReady(args.buffer) ? original(&args) : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "the buffer is not ready");
  });
}
FAULT("reference-pointer-is-a-copy") {
  After<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args) {
    const size_t bytes = HostBytes(args.buffer);
    auto* copy = new std::vector<uint8_t>(bytes + 64);
    if (args.device_memory_ptr != nullptr) std::memcpy(copy->data(), args.device_memory_ptr, bytes);
    args.device_memory_ptr = copy->data();
  });
}
FAULT("reference-does-not-hold") {
  // Deleting overwrites the memory despite external references.
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    const size_t bytes = HostBytes(args.buffer);
    if (uint8_t* data = bytes > 0 ? BytesOf(args.buffer) : nullptr) std::memset(data, 0xdd, bytes);
  });
}
FAULT("reference-destroy-aborts") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> held;
  Before<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    ++held[args.buffer];
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    --held[args.buffer];
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (held[args.buffer] > 0) std::abort();
    held.erase(args.buffer);
  });
}

// ---- uninitialized, error and alias buffers, bitcasts -------------------------------------------------------------------

FAULT("uninitialized-never-ready") {
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> made;
  After<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.insert(args.buffer);
  });
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (made.count(args.buffer) > 0) args.event = NewEvent()->handle();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.erase(args.buffer);
  });
}
FAULT("uninitialized-needs-layout") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.shape_layout == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layout") : original(&args);
  });
}
FAULT("uninitialized-type-lost") {
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    const PJRT_Buffer_Type type = args.shape_element_type;
    if (type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_S4) args.shape_element_type = PJRT_Buffer_Type_S8;
    if (type == PJRT_Buffer_Type_F32) args.shape_element_type = PJRT_Buffer_Type_S32;
    PJRT_Error* error = original(&args);
    args.shape_element_type = type;
    return error;
  });
}
FAULT("uninitialized-memory-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.memory != nullptr ? MakeError(PJRT_Error_Code_INTERNAL, "memories") : original(&args);
  });
}
using ErrorBuffer = SLOT(PJRT_Client_CreateErrorBuffer);
FAULT("error-buffer-code-lost") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    return With<ErrorBuffer>(args, original, args.error_code, PJRT_Error_Code_INTERNAL);
  });
}
FAULT("error-buffer-shape-lost") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    return With<ErrorBuffer, size_t>(args, original, args.shape_num_dims, 0);
  });
}
FAULT("error-buffer-payload-type-unchecked") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, num_payload)) return original(&args);
    return With<ErrorBuffer, size_t>(args, original, args.num_payload, 0);
  });
}
FAULT("error-buffer-message-read-late") {
  // The caller's message is read only when the error is queried.
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::pair<const char*, std::string>> kept;
  After<ErrorBuffer>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    kept[args.buffer] = {args.error_message, std::string(args.error_message, args.error_message_size)};
  });
  OwnEvents();
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept.find(args.buffer);
    if (found == kept.end()) return;
    const auto& [place, text] = found->second;
    if (std::memcmp(place, text.data(), text.size()) == 0) return;
    OwnEvent* event = NewEvent();
    event->Set(PJRT_Error_Code_INTERNAL, std::string(place, text.size()));
    args.event = event->handle();
  });
}
using Alias = SLOT(PJRT_Client_CreateAliasBuffer);
FAULT("alias-ready-at-once") {
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> made;
  After<Alias>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.insert(args.alias_buffer);
  });
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (made.count(args.buffer) > 0) args.event = ReadyEvent();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.erase(args.buffer);
  });
}
FAULT("alias-contents-lost") {
  After<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    if (args.buffer == nullptr) return;
    if (uint8_t* bytes = BytesOf(args.buffer)) bytes[0] ^= 1;
  });
}
FAULT("alias-error-code-lost") {
  Replace<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.status_code == PJRT_Error_Code_OK) return original(&args);
    return With<SLOT(PJRT_Client_FulfillAliasBuffer)>(args, original, args.status_code, PJRT_Error_Code_UNKNOWN);
  });
}
FAULT("alias-without-buffer-crashes") {
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    if ((args.buffer == nullptr && args.status_code == PJRT_Error_Code_OK) || args.fulfill_alias_buffer_cb == nullptr) std::abort();
  });
}
FAULT("alias-looks-at-client") {
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    void* volatile first = *reinterpret_cast<void**>(args.client);
    (void)first;
  });
}
using Cast = SLOT(PJRT_Buffer_Bitcast);
FAULT("bitcast-size-unchecked") {
  Replace<Cast>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    const Shape shape = ShapeOf(args.buffer);
    PJRT_Buffer_Bitcast_Args own = args;
    own.element_type = shape.type;
    own.dims = shape.dims.data();
    own.num_dims = shape.dims.size();
    error = original(&own);
    args.out_buffer = own.out_buffer;
    return error;
  });
}
FAULT("bitcast-changes-bytes") {
  WatchClients();
  After<Cast>([](auto& args) {
    Change(args.out_buffer, [](uint8_t* bytes) { bytes[0] ^= 1; });
  });
}
FAULT("bitcast-keeps-source") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> sources;
  After<Cast>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources.insert(args.buffer);
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (sources.count(args.buffer) > 0) args.is_deleted = false;
  });
}
FAULT("bitcast-refusal-takes-source") {
  Replace<Cast>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      PJRT_Buffer_Delete_Args end{};
      end.struct_size = PJRT_Buffer_Delete_Args_STRUCT_SIZE;
      end.buffer = args.buffer;
      Drop(Base().PJRT_Buffer_Delete(&end));
    }
    return error;
  });
}
FAULT("bitcast-keeps-layout-of-source") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> cast;
  After<Cast>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.device_layout == nullptr) cast.insert(args.out_buffer);
  });
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cast.count(args.buffer) == 0) return;
    auto* order = new std::vector<int64_t>(args.layout.tiled.minor_to_major,
                                           args.layout.tiled.minor_to_major + args.layout.tiled.minor_to_major_size);
    std::reverse(order->begin(), order->end());
    args.layout.tiled.minor_to_major = order->data();
  });
}
using Dwc = SLOT(PJRT_Buffer_DonateWithControlDependency);
FAULT("control-dependency-not-awaited") {
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> made;
  After<Dwc>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.insert(args.out_buffer);
  });
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (made.count(args.buffer) > 0) args.event = ReadyEvent();
  });
}
FAULT("control-dependency-keeps-source") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> sources;
  After<Dwc>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources.insert(args.buffer);
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (sources.count(args.buffer) > 0) args.is_deleted = false;
  });
}

}  // namespace
