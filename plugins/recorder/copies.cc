#include "copies.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "layouts.h"
#include "pjrt_c_api.h"

namespace recorder {
namespace {

/** What no argument of a framework reaches; more is a count that was never set. */
constexpr uint64_t kMostElements = uint64_t{1} << 32;
constexpr size_t kMostText = 4096;
constexpr int kMostNodes = 16;
/** An extension's node has at least this, and no known one more. */
constexpr size_t kLeastNode = 24, kMostNode = 4096;
/** Nor is a struct of the C API, of any version, as long as this. */
constexpr size_t kMostStruct = 4096;

enum class Which { kInputs, kOutputs, kAll };

template <class T>
T Read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

const uint8_t* Pointer(const uint8_t* at) { return Read<const uint8_t*>(at); }

uint64_t Number(const uint8_t* at, uint8_t bytes) {
  if (bytes == 4) {
    const auto value = Read<int32_t>(at);
    return value < 0 ? 0 : static_cast<uint64_t>(value);
  }
  const auto value = Read<uint64_t>(at);
  return value > kMostElements ? 0 : value;
}

/** How many elements there are; a count that lies outside of the struct is none. */
uint64_t Count(const uint8_t* args, size_t size, const Counter& counter) {
  if (counter.at < 0 || counter.at + counter.bytes > static_cast<int>(size)) return 0;
  if (counter.list == 0) return Number(args + counter.at, counter.bytes);
  const uint8_t* list = Pointer(args + counter.at);
  if (list == nullptr || counter.list + 8 > static_cast<int>(size)) return 0;
  uint64_t sum = 0;
  for (uint64_t i = 0, n = Number(args + counter.list, 8); i < n; ++i) sum += Number(list + 8 * i, 8);
  return sum;
}

void Copy(Record& record, const Struct& layout, const uint8_t* at, size_t size, Which which, int depth);

/** A struct behind a pointer: itself, and what it leads to. */
void CopyStruct(Record& record, const Struct& layout, const uint8_t* at, int depth) {
  if (at == nullptr || record.Has(at)) return;
  const size_t size = SizeOf(layout, at);
  record.Memory(at, size);
  Copy(record, layout, at, size, Which::kAll, depth + 1);
}

/** Elements are as far apart as the caller's struct is long. */
size_t Stride(const Struct& layout, const uint8_t* first) {
  return layout.sized ? (SizeOf(layout, first) + 7) & ~size_t{7} : layout.size;
}

/** Whether memory behind that of a struct can be read, which a caller that says that it is shorter may have made sure that it cannot. */
bool IsReadable(const void* at, size_t size) {
  constexpr uintptr_t kLeastPage = 4096;
  const auto first = reinterpret_cast<uintptr_t>(at), last = first + size - 1;
  if (first / kLeastPage == last / kLeastPage) return true;
  uint8_t copy[kMostStruct];
  const iovec to{copy, size}, from{const_cast<void*>(at), size};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size);
}

void CopyNamedValue(Record& record, const uint8_t* at, size_t size) {
  if (size < PJRT_NamedValue_STRUCT_SIZE) return;
  PJRT_NamedValue value;
  std::memcpy(&value, at, PJRT_NamedValue_STRUCT_SIZE);
  if (value.value_size > kMostElements) return;
  if (value.type == PJRT_NamedValue_kString) record.Memory(value.string_value, value.value_size);
  if (value.type == PJRT_NamedValue_kInt64List) record.Memory(value.int64_array_value, 8 * value.value_size);
}

void CopyLayout(Record& record, const uint8_t* at, size_t size, int depth) {
  if (size < PJRT_Buffer_MemoryLayout_STRUCT_SIZE) return;
  PJRT_Buffer_MemoryLayout value;
  std::memcpy(&value, at, PJRT_Buffer_MemoryLayout_STRUCT_SIZE);
  const bool tiled = value.type == PJRT_Buffer_MemoryLayout_Type_Tiled;
  const Struct& inner = kStructTable[tiled ? kTiledLayout : kStridedLayout];
  Copy(record, inner, at + offsetof(PJRT_Buffer_MemoryLayout, tiled), inner.end, Which::kAll, depth + 1);
}

void CopyField(Record& record, const Field& field, const uint8_t* args, size_t size, int depth) {
  const uint8_t* place = args + field.offset;
  const Struct* inner = field.structure < 0 ? nullptr : &kStructTable[field.structure];
  if (field.kind == kInline) return Copy(record, *inner, place, inner->size, Which::kAll, depth + 1);
  const uint8_t* at = Pointer(place);
  if (at == nullptr) return;
  if (field.kind == kStruct) return CopyStruct(record, *inner, at, depth);
  if (field.kind == kTerminated) {
    return record.Memory(at, strnlen(reinterpret_cast<const char*>(at), kMostText));
  }
  const uint64_t count = Count(args, size, field.count);
  if (count == 0) return;
  switch (field.kind) {
    case kArray: {
      const bool program = std::strcmp(field.name, "code") == 0 || std::strncmp(field.name, "serialized_", 11) == 0;
      const What what = field.flags & kHostData ? What::kHostData : program ? What::kProgram : What::kArguments;
      return record.Memory(at, count * field.element, what);
    }
    case kStructs: {
      const size_t stride = Stride(*inner, at);
      record.Memory(at, count * stride);
      for (uint64_t i = 0; i < count; ++i) {
        Copy(record, *inner, at + i * stride, stride < inner->end ? stride : inner->end, Which::kAll, depth + 1);
      }
      return;
    }
    case kStructPointers:
      record.Memory(at, 8 * count);
      for (uint64_t i = 0; i < count; ++i) CopyStruct(record, *inner, Pointer(at + 8 * i), depth);
      return;
    case kLists: {
      record.Memory(at, 8 * count);
      const uint64_t length = Count(args, size, field.inner);
      for (uint64_t i = 0; length > 0 && i < count; ++i) record.Memory(Pointer(at + 8 * i), 8 * length);
      return;
    }
    case kTexts: {
      record.Memory(at, 8 * count);
      if (field.inner.at + 8 > static_cast<int>(size)) return;
      const uint8_t* lengths = Pointer(args + field.inner.at);
      for (uint64_t i = 0; lengths != nullptr && i < count; ++i) {
        record.Memory(Pointer(at + 8 * i), Number(lengths + 8 * i, 8));
      }
      return;
    }
    default:
      return;
  }
}

void Copy(Record& record, const Struct& layout, const uint8_t* at, size_t size, Which which, int depth) {
  if (depth > 8) return;
  const Field* field = kFieldTable + layout.first;
  for (int i = 0; i < layout.count; ++i, ++field) {
    if (field->offset + 8u > size) continue;
    if (which != Which::kAll && ((field->flags & kOut) != 0) != (which == Which::kOutputs)) continue;
    CopyField(record, *field, at, size, depth);
  }
  const auto index = &layout - kStructTable;
  if (index == kNamedValue) CopyNamedValue(record, at, size);
  if (index == kMemoryLayout) CopyLayout(record, at, size, depth);
}

}  // namespace

size_t SizeOf(const Struct& layout, const void* args) {
  if (!layout.sized) return layout.end;
  const auto said = Read<size_t>(static_cast<const uint8_t*>(args));
  // What a newer caller adds is not known, and a caller of an extension that sets no size means the struct of its time.
  if (said > layout.size && said <= kMostStruct) return layout.end;
  if (layout.sizes == 0) return said < 8 || said > layout.size ? layout.end : said;
  size_t known = kSizeTable[layout.first_size];
  for (int i = 0; i < layout.sizes && said <= kMostStruct; ++i) {
    const size_t size = kSizeTable[layout.first_size + i];
    if (size <= said) known = size;
  }
  // A size of no header, as of a struct that was never set: what every caller has, but not what cannot be read.
  if (known <= said || IsReadable(args, known)) return known;
  return said < 8 ? 8 : said;
}

void CopyInputs(Record& record, const Struct& layout, const void* args) {
  Copy(record, layout, static_cast<const uint8_t*>(args), SizeOf(layout, args), Which::kInputs, 0);
}

void CopyOutputs(Record& record, const Struct& layout, const void* args) {
  Copy(record, layout, static_cast<const uint8_t*>(args), SizeOf(layout, args), Which::kOutputs, 0);
}

void CopyNodes(Record& record, const void* first) {
  auto* node = static_cast<const PJRT_Extension_Base*>(first);
  for (int i = 0; node != nullptr && i < kMostNodes; ++i, node = node->next) {
    if (node->struct_size < kLeastNode || node->struct_size > kMostNode) return;
    record.Memory(node, node->struct_size, What::kNode);
  }
}

size_t DenseBytes(int type, const int64_t* dims, size_t rank) {
  if (type < 0 || type >= static_cast<int>(sizeof(kElementBytes))) return 0;
  uint64_t bytes = kElementBytes[type];
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0) return 0;
    bytes *= static_cast<uint64_t>(dims[i]);
  }
  return bytes;
}

void CopyArray(Record& record, const HostArray& array) {
  const auto* data = static_cast<const uint8_t*>(array.data);
  if (data == nullptr || (array.rank > 0 && array.dims == nullptr)) return;
  const size_t dense = DenseBytes(array.type, array.dims, array.rank);
  if (dense == 0) return;
  if (array.strides == nullptr || array.num_strides != array.rank) {
    return record.Memory(data, dense, What::kHostData);
  }
  int64_t low = 0, high = kElementBytes[array.type];
  for (size_t i = 0; i < array.rank; ++i) {
    const int64_t reach = (array.dims[i] - 1) * array.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  record.Memory(data + low, static_cast<size_t>(high - low), What::kHostData);
}

}  // namespace recorder
