// Defects of paths for a special case: one layout, one memory, one device, one argument; the usual path is right.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "../wrapper/shared_set.h"
#include "buffer_from_host.h"
#include "buffers.h"
#include "calls.h"
#include "execute.h"
#include "programs.h"
#include "rewriting.h"

namespace {

using namespace faults;

using BufferDestroy = SLOT(PJRT_Buffer_Destroy);
using Read = SLOT(PJRT_Buffer_ToHostBuffer);
using ToDev = SLOT(PJRT_Buffer_CopyToDevice);
using ToMem = SLOT(PJRT_Buffer_CopyToMemory);

/** Whether a layout has another order of dimensions than row-major, and no tiles. */
bool IsReordered(const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles > 0) return false;
  const auto& tiled = layout->tiled;
  for (size_t i = 0; i < tiled.minor_to_major_size; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(tiled.minor_to_major_size - 1 - i)) return true;
  }
  return false;
}
FAULT("strides-between-planes-ignored") {
  // Rows without gaps are copied as one block: the planes of an array of three dimensions, too, are taken to follow
  // each other without gaps.
  MarksItself();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t rank = args.num_dims;
    if (IsDense(args) || rank < 3 || args.num_byte_strides != rank || CountOf(args) == 0) return original(&args);
    std::vector<int64_t> strides(args.byte_strides, args.byte_strides + rank);
    const auto item = static_cast<int64_t>(ElementBytes(args.type));
    if (strides[rank - 1] != item || strides[rank - 2] != item * args.dims[rank - 1]) return original(&args);
    int64_t dense = item * args.dims[rank - 1] * args.dims[rank - 2];
    bool gaps = false, ordered = true;
    for (size_t d = rank - 2; d-- > 0;) {
      if (args.dims[d] > 1) {
        ordered = ordered && strides[d] >= dense;
        gaps = gaps || strides[d] > dense;
      }
      strides[d] = dense;
      dense *= args.dims[d];
    }
    if (!gaps || !ordered) return original(&args);
    MarkReached();
    return With(args, original, args.byte_strides, static_cast<const int64_t*>(strides.data()));
  });
}
FAULT("strides-ignored-with-a-device-layout") {
  // The kernel that arranges an array for a given device layout reads it as if it were dense and row-major.
  MarksItself();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t rank = args.num_dims;
    if (IsDense(args) || args.device_layout == nullptr || rank < 2 || args.num_byte_strides != rank) return original(&args);
    // Only of a transposed array, which has as many bytes as a dense one.
    std::vector<std::pair<int64_t, int64_t>> order;
    bool transposed = false;
    for (size_t d = 0; d < rank; ++d) {
      if (args.dims[d] != 1) order.emplace_back(args.byte_strides[d], args.dims[d]);
    }
    for (size_t d = 0; d + 1 < order.size(); ++d) transposed = transposed || order[d].first < order[d + 1].first;
    std::sort(order.begin(), order.end());
    auto expected = static_cast<int64_t>(ElementBytes(args.type));
    for (const auto& [stride, dim] : order) {
      if (stride != expected) return original(&args);
      expected *= dim;
    }
    if (!transposed) return original(&args);
    MarkReached();
    return With(args, original, args.byte_strides, nullptr, args.num_byte_strides, 0);
  });
}
FAULT("nibbles-read-with-padded-rows") {
  // Elements of four bits are packed one after another, and unpacked as if each row began with a byte of its own.
  MarksItself();
  After<Read>([](auto& args) {
    const Shape shape = ShapeOf(args.src);
    const bool nibbles = shape.type == PJRT_Buffer_Type_S4 || shape.type == PJRT_Buffer_Type_U4;
    if (args.dst == nullptr || !nibbles || shape.dims.size() < 2 || IsReordered(args.host_layout)) return;
    const auto columns = static_cast<size_t>(shape.dims.back());
    const size_t count = shape.count();
    if (columns % 2 == 0 || count <= columns || args.dst_size < count || !Await(args.event)) return;
    auto* out = static_cast<uint8_t*>(args.dst);
    const std::vector<uint8_t> packed(out, out + count);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = i / columns * (columns + 1) + i % columns;
      out[i] = at < count ? packed[at] : 0;
    }
    MarkReached();
  });
}
FAULT("device-copy-of-reordered-array-is-relabelled") {
  // A copy on another device copies the bytes and gets the default layout, whatever the layout of its source is.
  WatchClients();
  MarksItself();
  const auto relabel = [](PJRT_Buffer* source, PJRT_Buffer*& copy) {
    ARGS(PJRT_Buffer_GetMemoryLayout, of);
    of.buffer = source;
    const Shape shape = ShapeOf(source);
    if (DeviceOf(source) == DeviceOf(copy)) return;
    if (!Ask(Base().PJRT_Buffer_GetMemoryLayout, of) || !IsReordered(&of.layout) || !IsReady(source)) return;
    const size_t rank = shape.dims.size(), item = ElementBytes(shape.type);
    const std::vector<uint8_t> elements = ReadBack(source);
    if (elements.size() != shape.count() * item || of.layout.tiled.minor_to_major_size != rank) return;
    std::vector<size_t> strides(rank);
    size_t step = 1;
    for (size_t i = 0; i < rank; ++i) {
      const auto d = static_cast<size_t>(of.layout.tiled.minor_to_major[i]);
      strides[d] = step;
      step *= static_cast<size_t>(shape.dims[d]);
    }
    std::vector<uint8_t> bytes(elements.size());
    for (size_t i = 0; i < shape.count(); ++i) {
      size_t place = 0, left = i;
      for (size_t d = rank; d-- > 0;) {
        place += left % static_cast<size_t>(shape.dims[d]) * strides[d];
        left /= static_cast<size_t>(shape.dims[d]);
      }
      std::memcpy(&bytes[place * item], &elements[i * item], item);
    }
    PJRT_Buffer* made = MakeBeside(copy, bytes);
    if (made == nullptr) return;
    if (bytes != elements) MarkReached();
    faults::Destroy(copy);
    copy = made;
  };
  After<ToDev>([relabel](auto& args) { relabel(args.buffer, args.dst_buffer); });
  After<ToMem>([relabel](auto& args) { relabel(args.buffer, args.dst_buffer); });
}
FAULT("literal-layout-ignored") {
  // A literal is copied as it lies in host memory, as if it were row-major.
  MarksItself();
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!IsReordered(args.shape_layout)) return original(&args);
    MarkReached();
    return With(args, original, args.shape_layout, nullptr);
  });
}


std::string KindOf(PJRT_Memory* memory) {
  ARGS(PJRT_Memory_Kind, args);
  args.memory = memory;
  if (memory == nullptr || !Ask(Base().PJRT_Memory_Kind, args)) return "";
  return {args.kind, args.kind_size};
}
/** The default memory of a device, or null. */
PJRT_Memory* DefaultMemoryOf(PJRT_Device* device) {
  ARGS(PJRT_Device_DefaultMemory, args);
  args.device = device;
  return device != nullptr && Ask(Base().PJRT_Device_DefaultMemory, args) ? args.memory : nullptr;
}
/** Whether there are arguments, and lists of them that can be looked at. */
bool HasArguments(const ExecuteArgs& args) {
  if (args.argument_lists == nullptr || args.num_args == 0 || args.num_devices > 64) return false;
  return std::find(args.argument_lists, args.argument_lists + args.num_devices, nullptr) == args.argument_lists + args.num_devices;
}
bool IsInHostMemory(PJRT_Buffer* buffer) {
  PJRT_Memory* memory = MemoryOf(buffer);
  return memory != nullptr && memory != DefaultMemoryOf(DeviceOf(buffer)) &&
         KindOf(memory).find("host") != std::string::npos;
}
FAULT("read-of-host-memory-does-not-wait") {
  // What is in host memory is read by a plain copy, at once, although the device may still have to write it.
  OwnEvents();
  MarksItself();
  Replace<Read>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr || args.src == nullptr || !IsInHostMemory(args.src) || IsReady(args.src)) return original(&args);
    ARGS(PJRT_Buffer_ToHostBuffer, size);
    size.src = args.src;
    size.host_layout = args.host_layout;
    if (!Ask(Base().PJRT_Buffer_ToHostBuffer, size) || args.dst_size < size.dst_size) return original(&args);
    // Nobody has written to it.
    std::memset(args.dst, 0, size.dst_size);
    args.event = ReadyEvent();
    MarkReached();
    return nullptr;
  });
}
FAULT("donation-forgets-error-of-argument") {
  // An output that takes the memory of an argument does not wait for that, and does not get its error.
  WatchClients();
  OwnEvents();
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HasArguments(args)) return original(&args);
    std::vector<std::vector<PJRT_Buffer*>> failed(args.num_devices);
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (size_t i = 0; i < args.num_args; ++i) {
        PJRT_Buffer* given = args.argument_lists[d][i];
        if (given != nullptr && !IsDeleted(given) && IsReady(given) && !AwaitBuffer(given)) failed[d].push_back(given);
      }
    }
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr) return error;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t d = 0; d < args.num_devices; ++d) {
      if (failed[d].empty() || !std::all_of(failed[d].begin(), failed[d].end(), IsDeleted)) continue;
      for (size_t i = 0; i < outputs; ++i) {
        PJRT_Buffer*& out = args.output_lists[d][i];
        const Shape shape = ShapeOf(out);
        PJRT_Buffer* made = MakeBeside(out, std::vector<uint8_t>(shape.count() * ElementBytes(shape.type)));
        if (made == nullptr) continue;
        MarkReached();
        faults::Destroy(out);
        out = made;
      }
      if (args.device_complete_events == nullptr) continue;
      DestroyEvent(args.device_complete_events[d]);
      args.device_complete_events[d] = ReadyEvent();
    }
    return nullptr;
  });
}
FAULT("host-memory-zero-copy-event-never-after-donation") {
  // Host memory is given back when its buffer is freed; one that was donated is freed by nobody.
  OwnEvents();
  MarksItself();
  struct Loan {
    std::mutex mutex;
    std::condition_variable changed;
    int executions = 0;
    bool donated = false;
  };
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::shared_ptr<Loan>> loans;
  After<H2D>([](auto& args) {
    const bool zero_copy = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                           args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
    if (!zero_copy || args.done_with_host_buffer == nullptr || CountOf(args) == 0) return;
    auto loan = std::make_shared<Loan>();
    OwnEvent* event = NewEvent();
    Later(0, [real = args.done_with_host_buffer, event, loan] {
      Await(real);
      std::unique_lock<std::mutex> lock(loan->mutex);
      loan->changed.wait(lock, [&] { return loan->executions == 0; });
      if (!loan->donated) event->Set();
    });
    args.done_with_host_buffer = event->handle();
    std::lock_guard<std::mutex> lock(mutex);
    loans[args.buffer] = loan;
  });
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HasArguments(args)) return original(&args);
    std::vector<std::pair<PJRT_Buffer*, std::shared_ptr<Loan>>> given;
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (size_t d = 0; d < args.num_devices && !loans.empty(); ++d) {
        for (size_t i = 0; i < args.num_args; ++i) {
          const auto found = loans.find(args.argument_lists[d][i]);
          if (found != loans.end() && !IsDeleted(found->first)) given.push_back(*found);
        }
      }
    }
    for (const auto& [_, loan] : given) {
      std::lock_guard<std::mutex> lock(loan->mutex);
      ++loan->executions;
    }
    PJRT_Error* error = original(&args);
    for (const auto& [buffer, loan] : given) {
      std::lock_guard<std::mutex> lock(loan->mutex);
      if (error == nullptr && IsDeleted(buffer)) {
        loan->donated = true;
        MarkReached();
      }
      --loan->executions;
      loan->changed.notify_all();
    }
    return error;
  });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loans.erase(args.buffer);
  });
}
FAULT("read-event-of-first-chunk") {
  // Large reads are made in chunks of four MiB; the event is that of the first one.
  OwnEvents();
  MarksItself();
  Replace<Read>([](auto& args, auto& original) -> PJRT_Error* {
    constexpr size_t kChunk = size_t{4} << 20;
    ARGS(PJRT_Buffer_ToHostBuffer, size);
    size.src = args.src;
    size.host_layout = args.host_layout;
    if (args.dst == nullptr || !Ask(Base().PJRT_Buffer_ToHostBuffer, size)) return original(&args);
    if (size.dst_size <= kChunk || args.dst_size < size.dst_size) return original(&args);
    auto staged = std::make_shared<std::vector<uint8_t>>(size.dst_size);
    void* const dst = args.dst;
    PJRT_Error* error = With(args, original, args.dst, static_cast<void*>(staged->data()));
    if (error != nullptr) return error;
    MarkReached();
    OwnEvent* event = NewEvent();
    Later(0, [real = args.event, event, staged, dst] {
      ARGS(PJRT_Event_Await, wait);
      wait.event = real;
      PJRT_Error* failed = Base().PJRT_Event_Await(&wait);
      if (failed != nullptr) {
        const int code = CodeOf(failed);
        const std::string message = MessageOf(failed);
        Drop(failed);
        return event->Set(code, message);
      }
      std::memcpy(dst, staged->data(), kChunk);
      event->Set();
      SleepMs(10);
      // The caller may have freed it.
      iovec from{staged->data() + kChunk, staged->size() - kChunk};
      iovec to{static_cast<uint8_t*>(dst) + kChunk, staged->size() - kChunk};
      if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) < 0) return;
    });
    args.event = event->handle();
    return nullptr;
  });
}

/** The first device that can address a memory. */
PJRT_Device* DeviceOfMemory(PJRT_Memory* memory) {
  ARGS(PJRT_Memory_AddressableByDevices, args);
  args.memory = memory;
  return Ask(Base().PJRT_Memory_AddressableByDevices, args) && args.num_devices > 0 ? args.devices[0] : nullptr;
}
FAULT("copy-from-host-memory-stays-with-its-device") {
  // What is in host memory is copied by the device that put it there, into its own memory.
  MarksItself();
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.buffer == nullptr || args.dst_memory == nullptr || !IsInHostMemory(args.buffer)) return original(&args);
    PJRT_Device *from = DeviceOf(args.buffer), *to = DeviceOfMemory(args.dst_memory);
    PJRT_Memory* own = DefaultMemoryOf(from);
    if (from == nullptr || to == nullptr || from == to || own == nullptr || args.dst_memory != DefaultMemoryOf(to))
      return original(&args);
    MarkReached();
    return With(args, original, args.dst_memory, own);
  });
}


/** The arguments that a program donates. */
std::set<size_t> DonatedBy(PJRT_LoadedExecutable* loaded) {
  std::set<size_t> donated;
  for (const std::string& line : Split(TextOf(loaded))) {
    if (line.find("sym_name = \"main\"") == std::string::npos) continue;
    const std::vector<std::string> each = List(Between(line, "arg_attrs = [", "], function_type"));
    for (size_t i = 0; i < each.size(); ++i) {
      if (each[i].find("tf.aliasing_output") != std::string::npos || each[i].find("jax.buffer_donor") != std::string::npos)
        donated.insert(i);
    }
  }
  return donated;
}
FAULT("execute-failure-on-second-device-takes-arguments-of-first") {
  // A launch goes from device to device: what the first one takes is gone before the arguments of the second are looked at.
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<PJRT_Buffer*> first;
    bool later = false;
    if (args.num_devices > 1 && HasArguments(args)) {
      const std::vector<PJRT_Buffer*> given(args.argument_lists[0], args.argument_lists[0] + args.num_args);
      const bool good = std::none_of(given.begin(), given.end(), [](PJRT_Buffer* one) { return one == nullptr || IsDeleted(one); });
      for (size_t d = 1; d < args.num_devices && good; ++d) {
        for (size_t i = 0; i < args.num_args; ++i) {
          PJRT_Buffer* one = args.argument_lists[d][i];
          if (one == nullptr) continue;
          const Shape a = ShapeOf(one), b = ShapeOf(given[i]);
          later = later || IsDeleted(one) || a.type != b.type || a.dims != b.dims || DeviceOf(one) == DeviceOf(given[i]);
        }
      }
      if (later) first = given;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr || !later) return error;
    std::set<size_t> donated = DonatedBy(args.executable);
    if (args.options != nullptr) {
      for (size_t i = 0; i < args.options->num_non_donatable_input_indices; ++i)
        donated.erase(static_cast<size_t>(args.options->non_donatable_input_indices[i]));
    }
    for (size_t i : donated) {
      if (i >= first.size()) continue;
      MarkReached();
      Delete(first[i]);
    }
    return error;
  });
}
FAULT("donation-list-searched-as-if-sorted") {
  // Inputs that must not be taken are looked up by binary search, in a list that callers need not sort.
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    const auto* options = args.options;
    if (options == nullptr || options->num_non_donatable_input_indices < 2) return original(&args);
    const int64_t *begin = options->non_donatable_input_indices, *end = begin + options->num_non_donatable_input_indices;
    std::vector<int64_t> found;
    for (const int64_t* index = begin; index != end; ++index) {
      if (std::binary_search(begin, end, *index)) found.push_back(*index);
    }
    if (found.size() == options->num_non_donatable_input_indices) return original(&args);
    MarkReached();
    return WithOptions(args, original, [&found](PJRT_ExecuteOptions& changed) {
      changed.non_donatable_input_indices = found.data();
      changed.num_non_donatable_input_indices = found.size();
    });
  });
}

}  // namespace
