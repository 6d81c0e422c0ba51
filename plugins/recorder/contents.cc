#include "contents.h"

#include <time.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "copies.h"
#include "plugins.h"
#include "settings.h"
#include "slots.h"
#include "trace.h"

namespace recorder {
namespace {

#define ARGS(function, name) \
  function##_Args name{};    \
  (name).struct_size = function##_Args_STRUCT_SIZE
/** Calls the plugin's own function and drops its error; false if there is none, or it fails. */
#define ASK(plugin, function, args) Ask(plugin, BaseFunction<function##_Args>(plugin, k##function, nullptr), args)

void Drop(int plugin, PJRT_Error* error) {
  const Call destroy = PluginAt(plugin).functions[kPJRT_Error_Destroy];
  ARGS(PJRT_Error_Destroy, args);
  args.error = error;
  if (destroy != nullptr) destroy(&args);
}

template <class A>
bool Ask(int plugin, PJRT_Error* (*function)(A*), A& args) {
  if (function == nullptr) return false;
  PJRT_Error* error = function(&args);
  if (error != nullptr) Drop(plugin, error);
  return error == nullptr;
}

bool IsReady(PJRT_Event* event, int plugin) {
  ARGS(PJRT_Event_IsReady, args);
  args.event = event;
  return ASK(plugin, PJRT_Event_IsReady, args) && args.is_ready;
}

void DestroyEvent(PJRT_Event* event, int plugin) {
  ARGS(PJRT_Event_Destroy, args);
  args.event = event;
  ASK(plugin, PJRT_Event_Destroy, args);
}

// ---- what a framework reads

constexpr size_t kMostRank = 64;

struct Shape {
  int type;
  size_t rank;
  int64_t dims[kMostRank];
};

/** Memory of a buffer whose address a caller has. */
struct View {
  PJRT_Buffer* buffer;
  const void* memory;
  /** Bytes; 0: the memory does not have the elements row by row. */
  size_t size;
  Shape shape;
  uint64_t call;
  int plugin;
};
/** Those whose callers do not know yet that the contents are there, by buffer, then by the event that says so. */
Slots<View> views;
Slots<View> awaited_views;

struct Read {
  const void* memory;
  size_t size;
  uint64_t call;
  int plugin;
};
Slots<Read> reads;

// ---- executables

struct Executable {
  size_t results;
  std::atomic<uint32_t> executions;
};
Slots<Executable> executables;

size_t AskResults(PJRT_LoadedExecutable* loaded, int plugin) {
  ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = loaded;
  if (!ASK(plugin, PJRT_LoadedExecutable_GetExecutable, get)) return 0;
  ARGS(PJRT_Executable_NumOutputs, outputs);
  outputs.executable = get.executable;
  const bool known = ASK(plugin, PJRT_Executable_NumOutputs, outputs);
  ARGS(PJRT_Executable_Name, name);
  name.executable = get.executable;
  const bool named = ASK(plugin, PJRT_Executable_Name, name) && name.executable_name != nullptr;
  if (known) {
    Record record(Kind::kExecutable, 0, static_cast<uint32_t>(plugin), 0);
    record.U64(reinterpret_cast<uint64_t>(loaded));
    record.U64(outputs.num_outputs);
    record.U64(named ? name.executable_name_size : 0);
    if (named) record.Bytes(name.executable_name, name.executable_name_size);
  }
  ARGS(PJRT_Executable_Destroy, destroy);
  destroy.executable = get.executable;
  ASK(plugin, PJRT_Executable_Destroy, destroy);
  return known ? outputs.num_outputs : 0;
}

/** Null if there is no memory for it. */
Executable* ExecutableOf(PJRT_LoadedExecutable* loaded, int plugin) {
  if (Executable* known = executables.Find(loaded)) return known;
  const size_t results = AskResults(loaded, plugin);
  Executable* made = executables.Take(loaded);
  if (made == nullptr) return nullptr;
  made->results = results;
  made->executions.store(0);
  executables.Publish(made, loaded);
  return made;
}

// ---- contents

/** How long contents may take: a buffer whose contents depend on what the caller does later has none now. */
constexpr int kPatienceSeconds = 30;

bool Await(PJRT_Event* event, int plugin) {
  for (int64_t waited = 0, pause = 10; waited < int64_t{kPatienceSeconds} * 1000000; waited += pause) {
    if (IsReady(event, plugin)) {
      ARGS(PJRT_Event_Await, args);
      args.event = event;
      return ASK(plugin, PJRT_Event_Await, args);
    }
    const timespec time{0, static_cast<long>(pause * 1000)};
    nanosleep(&time, nullptr);
    if (pause < 1000) pause *= 2;
  }
  return false;
}

bool ShapeOf(PJRT_Buffer* buffer, int plugin, Shape& shape) {
  ARGS(PJRT_Buffer_ElementType, type);
  type.buffer = buffer;
  ARGS(PJRT_Buffer_Dimensions, dims);
  dims.buffer = buffer;
  if (!ASK(plugin, PJRT_Buffer_ElementType, type) || !ASK(plugin, PJRT_Buffer_Dimensions, dims)) return false;
  if (dims.num_dims > kMostRank) return false;
  shape.type = type.type;
  shape.rank = dims.num_dims;
  if (shape.rank > 0) std::memcpy(shape.dims, dims.dims, 8 * shape.rank);
  return true;
}

/** The elements of a buffer, row-major and without gaps, to be freed; null if there are none now. */
uint8_t* Elements(PJRT_Buffer* buffer, int plugin, const Shape& shape, size_t& size) {
  int64_t row_major[kMostRank];
  for (size_t i = 0; i < shape.rank; ++i) row_major[i] = static_cast<int64_t>(shape.rank - 1 - i);
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = row_major;
  layout.tiled.minor_to_major_size = shape.rank;
  size = DenseBytes(shape.type, shape.dims, shape.rank);
  ARGS(PJRT_Buffer_ToHostBuffer, args);
  args.src = buffer;
  args.host_layout = &layout;
  auto* elements = static_cast<uint8_t*>(malloc(size + 64));
  if (elements == nullptr) return nullptr;
  args.dst = elements;
  args.dst_size = size;
  if (size == 0) return elements;
  if (!ASK(plugin, PJRT_Buffer_ToHostBuffer, args)) {
    free(elements);
    return nullptr;
  }
  if (args.event == nullptr) return elements;
  if (!Await(args.event, plugin)) {
    // The plugin may still write there, so it stays.
    if (!IsReady(args.event, plugin)) return nullptr;
    DestroyEvent(args.event, plugin);
    free(elements);
    return nullptr;
  }
  DestroyEvent(args.event, plugin);
  return elements;
}

enum Role : uint32_t { kArgument = 0, kResult = 1, kView = 2 };

struct Place {
  Role role;
  uint32_t device;
  uint32_t index;
};

void WriteContents(PJRT_Buffer* buffer, const Place& place, const Shape& shape, const uint8_t* elements, size_t size,
                   uint64_t call, int plugin) {
  Record record(Kind::kContents, 0, static_cast<uint32_t>(plugin), call);
  record.U64(reinterpret_cast<uint64_t>(buffer));
  record.U32(place.role);
  record.U32(place.device);
  record.U32(place.index);
  record.U32(static_cast<uint32_t>(shape.type));
  record.U32(static_cast<uint32_t>(shape.rank));
  record.U32(elements == nullptr);
  record.Bytes(shape.dims, 8 * shape.rank);
  if (elements != nullptr) record.Memory(elements, size, What::kHostData);
}

bool IsBufferReady(PJRT_Buffer* buffer, int plugin) {
  ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  if (!ASK(plugin, PJRT_Buffer_ReadyEvent, ready)) return false;
  const bool is = IsReady(ready.event, plugin);
  DestroyEvent(ready.event, plugin);
  return is;
}

/** Whether the memory of a buffer has its elements row by row, without gaps and one for each element. */
bool IsRowMajor(PJRT_Buffer* buffer, int plugin, const Shape& shape) {
  ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
  size.buffer = buffer;
  if (!ASK(plugin, PJRT_Buffer_OnDeviceSizeInBytes, size)) return false;
  if (size.on_device_size_in_bytes != DenseBytes(shape.type, shape.dims, shape.rank)) return false;
  ARGS(PJRT_Buffer_GetMemoryLayout, layout);
  layout.buffer = buffer;
  if (!ASK(plugin, PJRT_Buffer_GetMemoryLayout, layout)) return shape.rank < 2;
  if (layout.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return shape.rank < 2;
  const auto& tiled = layout.layout.tiled;
  if (tiled.num_tiles > 0 || tiled.minor_to_major_size != shape.rank) return false;
  for (size_t i = 0; i < shape.rank; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(shape.rank - 1 - i)) return false;
  }
  return true;
}

void WriteView(const View& view, bool readable) {
  const auto* elements = readable && view.size > 0 ? static_cast<const uint8_t*>(view.memory) : nullptr;
  WriteContents(view.buffer, {kView, 0, 0}, view.shape, elements, view.size, view.call, view.plugin);
}

void ReadContents(PJRT_Buffer* buffer, const Place& place, uint64_t call, int plugin) {
  Shape shape{};
  if (buffer == nullptr || !ShapeOf(buffer, plugin, shape)) return;
  size_t size = 0;
  uint8_t* elements = Elements(buffer, plugin, shape, size);
  WriteContents(buffer, place, shape, elements, size, call, plugin);
  free(elements);
}

/** The data of a read that nothing is known of. */
void WriteMissing(const Read& read) {
  Record record(Kind::kData, 0, static_cast<uint32_t>(read.plugin), read.call);
  record.Missing(read.memory, read.size, What::kHostData);
}

/** Takes out what a table has at this address, be it of an object that ended unseen. */
template <class Value>
bool TakeKnown(Slots<Value>& slots, const void* key, Value& known) {
  Value* found = slots.Find(key);
  if (found == nullptr || !slots.Claim(found, key)) return false;
  known = *found;
  slots.Drop(found);
  return true;
}

bool IsSame(const Shape& a, const Shape& b) {
  return a.type == b.type && a.rank == b.rank && std::memcmp(a.dims, b.dims, 8 * a.rank) == 0;
}

/** A view waits in a table for what says that its contents are there. */
void Wait(Slots<View>& slots, const void* key, const View& view) {
  View stale;
  if (TakeKnown(slots, key, stale)) WriteView(stale, false);
  View* waiting = slots.Take(key);
  if (waiting == nullptr) return WriteView(view, false);
  *waiting = view;
  slots.Publish(waiting, key);
}

}  // namespace

void ReadBegins(PJRT_Event* event, const void* memory, size_t size, uint64_t call, int plugin) {
  if (event == nullptr) {
    Record record(Kind::kData, 0, static_cast<uint32_t>(plugin), call);
    record.Memory(memory, size, What::kHostData);
    return;
  }
  Read stale;
  if (TakeKnown(reads, event, stale)) WriteMissing(stale);
  Read* read = reads.Take(event);
  if (read == nullptr) return WriteMissing({memory, size, call, plugin});
  *read = {memory, size, call, plugin};
  reads.Publish(read, event);
}

void EventComplete(PJRT_Event* event, bool succeeded) {
  View* view = awaited_views.Find(event);
  if (view != nullptr && awaited_views.Claim(view, event)) {
    WriteView(*view, succeeded);
    awaited_views.Drop(view);
  }
  Read* read = reads.Find(event);
  if (read == nullptr || !reads.Claim(read, event)) return;
  const Read known = *read;
  reads.Drop(read);
  if (!succeeded) return;
  Record record(Kind::kData, 0, static_cast<uint32_t>(known.plugin), known.call);
  record.Memory(known.memory, known.size, What::kHostData);
}

void EventDestroyed(PJRT_Event* event, int plugin) {
  // Who destroys an event may have learned otherwise that it is complete.
  if (reads.Find(event) != nullptr || awaited_views.Find(event) != nullptr) EventComplete(event, IsReady(event, plugin));
}

void BufferPointed(PJRT_Buffer* buffer, const void* memory, uint64_t call, int plugin) {
  if (memory == nullptr || Asked().programs_only) return;
  ARGS(PJRT_Buffer_IsOnCpu, on);
  on.buffer = buffer;
  if (!ASK(plugin, PJRT_Buffer_IsOnCpu, on) || !on.is_on_cpu) return;
  View view{};
  if (!ShapeOf(buffer, plugin, view.shape)) return;
  View earlier;
  const bool known = TakeKnown(views, buffer, earlier);
  if (known && earlier.memory == memory && IsSame(earlier.shape, view.shape)) {
    view = earlier;
  } else {
    if (known) WriteView(earlier, false);
    view.buffer = buffer;
    view.memory = memory;
    view.size = IsRowMajor(buffer, plugin, view.shape) ? DenseBytes(view.shape.type, view.shape.dims, view.shape.rank) : 0;
    view.call = call;
    view.plugin = plugin;
  }
  if (IsBufferReady(buffer, plugin)) return WriteView(view, true);
  Wait(views, buffer, view);
}

void BufferAwaited(PJRT_Buffer* buffer, PJRT_Event* event) {
  View* view = views.Find(buffer);
  if (view == nullptr || event == nullptr || !views.Claim(view, buffer)) return;
  Wait(awaited_views, event, *view);
  views.Drop(view);
}

void BufferEnds(PJRT_Buffer* buffer, int plugin) {
  View* view = views.Find(buffer);
  if (view == nullptr || !views.Claim(view, buffer)) return;
  WriteView(*view, IsBufferReady(buffer, plugin));
  views.Drop(view);
}

bool ReadsExecution(PJRT_LoadedExecutable* loaded, int plugin) {
  const Settings& asked = Asked();
  if (asked.contents == Contents::kNone || asked.keep == Keep::kNone || asked.programs_only) return false;
  if (asked.contents == Contents::kEvery || asked.window[1] != 0) return true;
  Executable* executable = ExecutableOf(loaded, plugin);
  return executable == nullptr || executable->executions.fetch_add(1) == 0;
}

void ReadArguments(const PJRT_LoadedExecutable_Execute_Args& args, uint64_t call, int plugin) {
  if (args.argument_lists == nullptr) return;
  for (uint32_t device = 0; device < args.num_devices; ++device) {
    for (uint32_t i = 0; i < args.num_args; ++i) {
      ReadContents(args.argument_lists[device][i], {kArgument, device, i}, call, plugin);
    }
  }
}

void ReadResults(const PJRT_LoadedExecutable_Execute_Args& args, uint64_t call, int plugin) {
  if (args.output_lists == nullptr) return;
  const size_t results = ResultsOf(args.executable, plugin);
  for (uint32_t device = 0; device < args.num_devices; ++device) {
    if (args.output_lists[device] == nullptr) continue;
    for (uint32_t i = 0; i < results; ++i) {
      ReadContents(args.output_lists[device][i], {kResult, device, i}, call, plugin);
    }
  }
}

size_t ResultsOf(PJRT_LoadedExecutable* loaded, int plugin) {
  Executable* executable = ExecutableOf(loaded, plugin);
  return executable != nullptr ? executable->results : AskResults(loaded, plugin);
}

void ExecutableEnds(PJRT_LoadedExecutable* loaded) {
  Executable* executable = executables.Find(loaded);
  if (executable != nullptr && executables.Claim(executable, loaded)) executables.Drop(executable);
}

}  // namespace recorder
