// Which devices programs run on by default, and which layouts there are.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"
#include "habits.h"
#include "ir/ir.h"
#include "programs.h"

namespace designs {
namespace {

/** The default assignment of several devices, in the order of a ring; empty if it stays as it is. */
std::vector<int> RingOf(PJRT_Client* client, int64_t replicas, int64_t partitions) {
  constexpr int64_t kMost = 4096;
  if (client == nullptr || replicas <= 0 || partitions <= 0 || replicas > kMost || partitions > kMost) return {};
  const int64_t count = replicas * partitions;
  if (count < 2 || count > kMost) return {};
  std::vector<int> ids(static_cast<size_t>(count));
  ARGS(PJRT_Client_DefaultDeviceAssignment, args);
  args.client = client;
  args.num_replicas = static_cast<int>(replicas);
  args.num_partitions = static_cast<int>(partitions);
  args.default_assignment_size = ids.size();
  args.default_assignment = ids.data();
  if (!Ask(Base().PJRT_Client_DefaultDeviceAssignment, args)) return {};
  // Forth on the even places, and back on the odd ones: neighbours in a ring are neighbours.
  std::vector<int> ring;
  for (size_t i = 0; i < ids.size(); i += 2) ring.push_back(ids[i]);
  for (size_t i = ids.size() - ids.size() % 2; i >= 2; i -= 2) ring.push_back(ids[i - 1]);
  return ring;
}

/** Compile options with the assignment that they leave to the plugin; empty if they stay as they are. */
std::string WithAssignment(PJRT_Client* client, std::string_view options) {
  int64_t replicas = 0, partitions = 0;
  bool assigned = false, portable = false;
  try {
    reference::ProtoReader reader(options, "options");
    while (reader.Next()) {
      if (reader.field() == 4 && reader.Varint().value_or(0) != 0) portable = true;
      if (reader.field() != 3 || !reader.Bytes()) continue;
      reference::ProtoReader build(*reader.Bytes(), "build options");
      while (build.Next()) {
        if (build.field() == 4) replicas = build.Varint().value_or(0);
        if (build.field() == 5) partitions = build.Varint().value_or(0);
        if (build.field() == 9) assigned = true;
      }
    }
  } catch (const std::exception&) {
    return "";
  }
  if (assigned || portable) return "";
  replicas = std::max<int64_t>(replicas, 1);
  partitions = std::max<int64_t>(partitions, 1);
  const std::vector<int> ring = RingOf(client, replicas, partitions);
  if (ring.empty()) return "";
  reference::ProtoWriter assignment;
  assignment.Varint(1, replicas);
  assignment.Varint(2, partitions);
  for (int64_t partition = 0; partition < partitions; ++partition) {
    std::vector<int64_t> ids;
    for (int64_t replica = 0; replica < replicas; ++replica) {
      ids.push_back(ring[static_cast<size_t>(replica * partitions + partition)]);
    }
    reference::ProtoWriter computation;
    computation.Packed(1, ids);
    assignment.Bytes(3, computation.bytes());
  }
  reference::ProtoWriter build, more;
  build.Bytes(9, assignment.bytes());
  more.Bytes(3, build.bytes());
  // Messages that are written one after another are merged.
  return std::string(options) + more.bytes();
}

/** Calls `original` with compile options that name the devices. */
template <class A, class O>
PJRT_Error* CallWithAssignment(A& args, O& original, const char*& bytes, size_t& size) {
  const std::string options = bytes == nullptr ? "" : WithAssignment(args.client, std::string_view(bytes, size));
  return options.empty() ? original(&args) : With(args, original, bytes, options.data(), size, options.size());
}

/** Whether a layout is another one than dense and row-major. What is no layout is for the base to judge. */
bool IsOther(const PJRT_Buffer_MemoryLayout* layout, const int64_t* dims, size_t rank, PJRT_Buffer_Type type) {
  if (layout == nullptr || (dims == nullptr && rank > 0)) return false;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    const auto& tiled = layout->tiled;
    if (tiled.minor_to_major_size != rank || (rank > 0 && tiled.minor_to_major == nullptr)) return false;
    std::vector<int64_t> sorted(tiled.minor_to_major, tiled.minor_to_major + rank);
    const bool row_major = std::is_sorted(sorted.rbegin(), sorted.rend());
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < rank; ++i) {
      if (sorted[i] != static_cast<int64_t>(i)) return false;
    }
    return !row_major || tiled.num_tiles > 0;
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Strides) return false;
  const auto& strides = layout->strides;
  if (strides.num_byte_strides != rank || (rank > 0 && strides.byte_strides == nullptr)) return false;
  auto dense = static_cast<int64_t>(ElementBytes(type));
  for (size_t i = rank; i-- > 0;) {
    if (strides.byte_strides[i] != dense) return true;
    dense *= std::max<int64_t>(dims[i], 1);
  }
  return false;
}

/** Whether an argument or a result of a program has another layout, such as {0,1}. */
bool HasOther(const std::vector<reference::Dictionary>& attributes) {
  for (const reference::Dictionary& one : attributes) {
    const auto found = one.find("mhlo.layout_mode");
    const std::string* text = found == one.end() ? nullptr : found->second.get<std::string>();
    if (text == nullptr || text->empty() || text->front() != '{') continue;
    std::vector<int64_t> order;
    for (const std::string& part : Split(text->substr(1, text->find_first_of("}:") - 1))) {
      order.push_back(std::atoll(part.c_str()));
    }
    if (text->find(':') != std::string::npos || !std::is_sorted(order.rbegin(), order.rend())) return true;
  }
  return false;
}

bool HasOther(std::string_view code) {
  try {
    const reference::Module module = reference::ReadProgram(code);
    return HasOther(module.main().argument_attributes) || HasOther(module.main().result_attributes);
  } catch (const std::exception&) {
    // For the base to say.
    return false;
  }
}

template <class S>
void RefuseOther(bool (*has_other)(const typename S::Args&)) {
  Replace<S>([has_other](auto& args, auto& original) -> PJRT_Error* {
    if (!has_other(args)) return original(&args);
    return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "device layouts other than the default one are not supported");
  });
}

}  // namespace

/**
 * The default assignment of several devices goes round a ring: 0, 2, 3, 1. A program that names no devices runs on it.
 * "This API writes `num_replicas * num_partitions` ints within that buffer": nothing is said of which, or in what order.
 */
void RingAssignment() {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    const std::vector<int> ring = RingOf(args.client, args.num_replicas, args.num_partitions);
    std::copy(ring.begin(), ring.end(), args.default_assignment);
  });
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_Compile_Args, executable)) return original(&args);
    return CallWithAssignment(args, original, args.compile_options, args.compile_options_size);
  });
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_Executable_DeserializeAndLoad_Args;
    if (!HAS(args, Args, overridden_serialized_compile_options_size)) return original(&args);
    return CallWithAssignment(args, original, args.overridden_serialized_compile_options,
                              args.overridden_serialized_compile_options_size);
  });
}

/**
 * There is one layout for a shape; buffers and programs with another one are UNIMPLEMENTED.
 * "If nullptr, the device layout is assumed to be a dense layout with dimensions in major-to-minor order": of others it is not
 * said that there are any. The default of XLA's PjRtClient is "BufferFromHostBuffer with an optional device layout is not implemented on
 * platform" (xla/pjrt/pjrt_client.h).
 */
void OneLayout() {
#define ONE_LAYOUT(function, last, layout, dims, rank, type)                                                   \
  RefuseOther<SLOT(PJRT_##function)>([](const PJRT_##function##_Args& args) {                                  \
    return HAS(args, PJRT_##function##_Args, last) && IsOther(args.layout, args.dims, args.rank, args.type);   \
  })
  ONE_LAYOUT(Client_BufferFromHostBuffer, buffer, device_layout, dims, num_dims, type);
  ONE_LAYOUT(Client_CreateUninitializedBuffer, buffer, shape_layout, shape_dims, shape_num_dims, shape_element_type);
  ONE_LAYOUT(Client_CreateErrorBuffer, buffer, shape_layout, shape_dims, shape_num_dims, shape_element_type);
  ONE_LAYOUT(Client_CreateErrorBuffer, device_layout, device_layout, shape_dims, shape_num_dims, shape_element_type);
  ONE_LAYOUT(Client_CreateAliasBuffer, alias_buffer, shape_layout, shape_dims, shape_num_dims, shape_element_type);
  ONE_LAYOUT(Client_CreateViewOfDeviceBuffer, buffer, layout, dims, num_dims, element_type);
#undef ONE_LAYOUT
  RefuseOther<SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice)>([](const auto& args) {
    if (!HAS(args, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager) || args.device_layouts == nullptr ||
        args.shape_specs == nullptr || args.num_device_layouts != args.num_shape_specs) {
      return false;
    }
    for (size_t i = 0; i < args.num_shape_specs; ++i) {
      const PJRT_ShapeSpec& spec = args.shape_specs[i];
      if (IsOther(args.device_layouts[i], spec.dims, spec.num_dims, spec.element_type)) return true;
    }
    return false;
  });
  RefuseOther<SLOT(PJRT_Client_Compile)>([](const auto& args) {
    const auto code = HAS(args, PJRT_Client_Compile_Args, program) ? Mlir(args.program) : std::nullopt;
    return code && args.client != nullptr && HasOther(*code);
  });
}

}  // namespace designs
