// Defects that show only in a certain company: after another call, in another order, beside another object, at a certain shape.
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffer_from_host.h"
#include "buffers.h"
#include "callbacks.h"
#include "calls.h"
#include "damage.h"
#include "execute.h"
#include "living.h"
#include "programs.h"

namespace {

using namespace faults;

using Ready = SLOT(PJRT_Buffer_ReadyEvent);
using BufferDestroy = SLOT(PJRT_Buffer_Destroy);
using Manager = SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice);
using ManagerDestroy = SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy);
using Piece = SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData);
using Retrieve = SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer);
using ToDev = SLOT(PJRT_Buffer_CopyToDevice);
using ToMem = SLOT(PJRT_Buffer_CopyToMemory);

FAULT("event-has-room-for-four-callbacks") {
  // The list of a pending event is a small array; what does not fit is dropped.
  static std::mutex mutex;
  static std::map<PJRT_Event*, int> registered;
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!IsComplete(args.event)) {
      std::lock_guard<std::mutex> lock(mutex);
      if (++registered[args.event] > 4) return nullptr;
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    registered.erase(args.event);
  });
}
FAULT("manager-interleaved-pieces-share-staging") {
  // A manager has one place for the rest of a piece, whichever of its buffers is being filled.
  struct Filling {
    int last = -1;
    std::set<int> open;
  };
  static std::mutex mutex;
  static std::map<const void*, Filling> managers;
  MarksItself();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    bool mixed = false;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const Filling& filling = managers[args.transfer_manager];
      mixed = args.transfer_size > 0 && filling.last != args.buffer_index && filling.open.count(args.buffer_index) > 0 &&
              filling.open.count(filling.last) > 0;
    }
    const void* data = args.data;
    if (mixed) {
      const auto* given = static_cast<const uint8_t*>(args.data);
      auto* staged = new std::vector<uint8_t>(given, given + args.transfer_size);
      staged->back() ^= 0x11;
      data = staged->data();
      MarkReached();
    }
    PJRT_Error* error = With(args, original, args.data, data);
    if (error != nullptr) return error;
    std::lock_guard<std::mutex> lock(mutex);
    Filling& filling = managers[args.transfer_manager];
    filling.last = args.buffer_index;
    if (args.is_last_transfer) filling.open.erase(args.buffer_index);
    else filling.open.insert(args.buffer_index);
    return nullptr;
  });
  Before<ManagerDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    managers.erase(args.transfer_manager);
  });
}
FAULT("manager-error-after-first-piece-lost") {
  // An error is noted for buffers that have not been begun; one that is half full goes on waiting for the rest.
  static std::mutex mutex;
  static std::map<const void*, std::set<int>> begun;
  After<Piece>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.transfer_size > 0 && !args.is_last_transfer) begun[args.transfer_manager].insert(args.buffer_index);
  });
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = begun.find(args.transfer_manager);
      if (found != begun.end() && found->second.count(args.buffer_index) > 0) return nullptr;
    }
    return original(&args);
  });
  Before<ManagerDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    begun.erase(args.transfer_manager);
  });
}
FAULT("manager-retrieved-late-never-ready") {
  // The last piece wakes those who wait; a buffer that is retrieved after it has missed that.
  OwnEvents();
  static std::mutex mutex;
  static std::map<const void*, std::set<int>> finished;
  static SharedSet<PJRT_Buffer*> late;
  After<Piece>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.is_last_transfer) finished[args.transfer_manager].insert(args.buffer_index);
  });
  After<Retrieve>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = finished.find(args.transfer_manager);
    if (found != finished.end() && found->second.count(args.buffer_index) > 0) late.Add(args.buffer_out);
  });
  Before<ManagerDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    finished.erase(args.transfer_manager);
  });
  After<Ready>([](auto& args) {
    if (late.Has(args.buffer)) args.event = NewEvent()->handle();
  });
  Before<BufferDestroy>([](auto& args) { late.Remove(args.buffer); });
}
FAULT("completion-waits-for-two-arguments") {
  // The completion event has room for two dependencies.
  OwnEvents();
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<bool> early(args.num_devices);
    for (size_t d = 0; d < args.num_devices && args.num_args > 2; ++d) {
      PJRT_Buffer* const* list = args.argument_lists[d];
      if (!IsReady(list[0]) || !IsReady(list[1])) continue;
      for (size_t i = 2; i < args.num_args; ++i) early[d] = early[d] || !IsReady(list[i]);
    }
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.device_complete_events == nullptr) return error;
    for (size_t d = 0; d < args.num_devices; ++d) {
      if (!early[d]) continue;
      MarkReached();
      DestroyEvent(args.device_complete_events[d]);
      args.device_complete_events[d] = ReadyEvent();
    }
    return nullptr;
  });
}
FAULT("deferred-reads-answered-in-order") {
  // Raw reads of a buffer whose destinations come later wait in a queue: the first destination is taken for the first read.
  struct Waiting {
    int64_t size;
    void* data;
    void (*call)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
  };
  struct Given {
    PJRT_Buffer* buffer;
    int64_t size;
  };
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::deque<Waiting>> queues;
  After<SLOT(PJRT_Buffer_CopyRawToHostFuture)>([](auto& args) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      queues[args.buffer].push_back({args.transfer_size, args.callback_data, args.future_ready_callback});
    }
    args.callback_data = new Given{args.buffer, args.transfer_size};
    args.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* answer) {
      const Given given = *static_cast<Given*>(answer->callback_data);
      delete static_cast<Given*>(answer->callback_data);
      Waiting next{};
      {
        std::lock_guard<std::mutex> lock(mutex);
        auto& queue = queues[given.buffer];
        const auto found = std::find_if(queue.begin(), queue.end(), [&](const Waiting& one) { return one.size == given.size; });
        if (found == queue.end()) return;
        next = *found;
        queue.erase(found);
        if (queue.empty()) queues.erase(given.buffer);
      }
      PJRT_Buffer_CopyRawToHostFuture_Callback_Args own = *answer;
      own.callback_data = next.data;
      next.call(&own);
    };
  });
}
FAULT("alias-of-pending-buffer-loses-its-error") {
  // An alias that is fulfilled with a buffer that is still pending waits for that, and does not ask how it went.
  OwnEvents();
  struct Alias {
    const void* promise;
    std::shared_ptr<std::atomic<bool>> careless = std::make_shared<std::atomic<bool>>(false);
  };
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, Alias> aliases;
  After<SLOT(PJRT_Client_CreateAliasBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    aliases[args.alias_buffer] = {args.fulfill_alias_buffer_cb};
  });
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto& [_, alias] : aliases) {
      if (alias.promise == nullptr || alias.promise != args.fulfill_alias_buffer_cb) continue;
      alias.promise = nullptr;
      if (args.status_code == PJRT_Error_Code_OK && args.buffer != nullptr && !IsReady(args.buffer)) *alias.careless = true;
    }
  });
  After<Ready>([](auto& args) {
    std::shared_ptr<std::atomic<bool>> careless;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = aliases.find(args.buffer);
      if (found == aliases.end()) return;
      careless = found->second.careless;
    }
    OwnEvent* event = NewEvent();
    Later(0, [real = args.event, event, careless] {
      Await(real);
      if (careless->load()) event->Set();
      else Forward(real, event);
    });
    args.event = event->handle();
  });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    aliases.erase(args.buffer);
  });
}
FAULT("second-control-dependency-replaces-first") {
  // A buffer that was donated with a dependency and is donated with another one waits for the newer one only.
  OwnEvents();
  struct Dependency {
    void* data;
    void (*call)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
    OwnEvent* event;
  };
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> dependent;
  static std::map<PJRT_Buffer*, OwnEvent*> chained;
  Replace<SLOT(PJRT_Buffer_DonateWithControlDependency)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) return error;
    std::lock_guard<std::mutex> lock(mutex);
    dependent.insert(args.out_buffer);
    if (dependent.count(args.buffer) == 0) return nullptr;
    OwnEvent* event = chained[args.out_buffer] = NewEvent();
    args.callback_data = new Dependency{args.callback_data, args.dependency_ready_callback, event};
    args.dependency_ready_callback = [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* answer) {
      auto* dependency = static_cast<Dependency*>(answer->callback_data);
      PJRT_Buffer_DonateWithControlDependency_Callback_Args own = *answer;
      own.callback_data = dependency->data;
      const std::string message(answer->error_message == nullptr ? "" : answer->error_message,
                                answer->error_message == nullptr ? 0 : answer->error_message_size);
      dependency->call(&own);
      dependency->event->Set(answer->error_code, message);
      delete dependency;
    };
    return nullptr;
  });
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = chained.find(args.buffer);
    if (found == chained.end()) return;
    DestroyEvent(args.event);
    args.event = found->second->handle();
  });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    dependent.erase(args.buffer);
    chained.erase(args.buffer);
  });
}

FAULT("host-layout-inverted") {
  // The order of dimensions in host memory is taken for its inverse; those that exchange two dimensions are their own.
  MarksItself();
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.host_layout == nullptr || args.host_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return original(&args);
    const auto& tiled = args.host_layout->tiled;
    const size_t rank = tiled.minor_to_major_size;
    if (rank < 3 || tiled.num_tiles > 0 || rank != ShapeOf(args.src).dims.size()) return original(&args);
    std::vector<int64_t> inverse(rank, -1);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t at = tiled.minor_to_major[i];
      if (at < 0 || at >= static_cast<int64_t>(rank) || inverse[static_cast<size_t>(at)] >= 0) return original(&args);
      inverse[static_cast<size_t>(at)] = static_cast<int64_t>(i);
    }
    if (std::equal(inverse.begin(), inverse.end(), tiled.minor_to_major)) return original(&args);
    MarkReached();
    PJRT_Buffer_MemoryLayout layout = *args.host_layout;
    layout.tiled.minor_to_major = inverse.data();
    return With(args, original, args.host_layout, &layout);
  });
}
FAULT("view-released-with-its-handle") {
  // The owner gets its memory back when the view is deleted or destroyed, though work that was begun still uses it.
  struct Held {
    Deleter call;
    void* user_arg;
    void* memory;
    std::atomic<bool> released{false};
    void Release() {
      if (!released.exchange(true)) call(memory, user_arg);
    }
  };
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, Held*> views;
  Replace<SLOT(PJRT_Client_CreateViewOfDeviceBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.on_delete_callback == nullptr) return original(&args);
    auto* held = new Held{args.on_delete_callback, args.on_delete_callback_arg, args.device_buffer_ptr};
    PJRT_Error* error = With(args, original, args.on_delete_callback_arg, static_cast<void*>(held), args.on_delete_callback,
                             [](void*, void* user_arg) { static_cast<Held*>(user_arg)->Release(); });
    if (error != nullptr) return error;
    std::lock_guard<std::mutex> lock(mutex);
    views[args.buffer] = held;
    return nullptr;
  });
  const auto end = [](PJRT_Buffer* buffer) {
    Held* held = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = views.find(buffer);
      if (found == views.end()) return;
      held = found->second;
      views.erase(found);
    }
    held->Release();
  };
  Before<SLOT(PJRT_Buffer_Delete)>([end](auto& args) { end(args.buffer); });
  Before<BufferDestroy>([end](auto& args) { end(args.buffer); });
}
FAULT("copies-of-one-source-are-one") {
  // A second copy of a buffer to the same memory is the first one once more; whoever gives that away takes both.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::vector<std::pair<PJRT_Memory*, PJRT_Buffer*>>> copies;
  static std::multimap<PJRT_Buffer*, PJRT_Buffer*> twins;
  MarksItself();
  const auto note = [](PJRT_Buffer* source, PJRT_Buffer* copy) {
    PJRT_Memory* memory = MemoryOf(copy);
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [where, other] : copies[source]) {
      if (where != memory) continue;
      twins.emplace(copy, other);
      twins.emplace(other, copy);
    }
    copies[source].emplace_back(memory, copy);
  };
  After<ToDev>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  After<ToMem>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    copies.erase(args.buffer);
    for (auto& [_, list] : copies) {
      list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& one) { return one.second == args.buffer; }), list.end());
    }
    for (auto pair = twins.begin(); pair != twins.end();) {
      pair = pair->first == args.buffer || pair->second == args.buffer ? twins.erase(pair) : std::next(pair);
    }
  });
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t d = 0; d < args.num_devices && !twins.empty(); ++d) {
      for (size_t i = 0; i < args.num_args; ++i) {
        PJRT_Buffer* given = args.argument_lists[d][i];
        const auto [begin, end] = twins.equal_range(given);
        if (begin == end || !IsDeleted(given)) continue;
        for (auto pair = begin; pair != end; ++pair) {
          if (SpoilArray(pair->second)) MarkReached();
        }
      }
    }
  });
}
FAULT("transfer-from-within-mapped-memory") {
  // Memory that is mapped for the device is looked up by its region, and the place within it is lost.
  static std::mutex mutex;
  static std::map<uintptr_t, size_t> regions;
  MarksItself();
  After<SLOT(PJRT_Client_DmaMap)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    regions[reinterpret_cast<uintptr_t>(args.data)] = args.size;
  });
  Before<SLOT(PJRT_Client_DmaUnmap)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    regions.erase(reinterpret_cast<uintptr_t>(args.data));
  });
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const auto semantics = args.host_buffer_semantics;
    const bool copied = semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
                        semantics == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    const auto at = reinterpret_cast<uintptr_t>(args.data);
    const void* data = args.data;
    if (copied && data != nullptr && IsDense(args)) {
      const size_t bytes = CountOf(args) * ElementBytes(args.type);
      std::lock_guard<std::mutex> lock(mutex);
      for (const auto& [begin, size] : regions) {
        if (at > begin && at + bytes <= begin + size && bytes > 0) data = reinterpret_cast<const void*>(begin);
      }
    }
    if (data != args.data) MarkReached();
    return With(args, original, args.data, data);
  });
}
/** Types whose elements are whole bytes in every memory. */
bool IsWhole(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8:
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
      return true;
    default:
      return IsFloat(type);
  }
}
FAULT("copy-of-zero-copy-reads-host-memory") {
  // A copy of a buffer that lives in the caller's memory goes on living there, after the buffer itself is gone.
  struct Place {
    const void* data;
    size_t bytes;
  };
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, Place> places;
  static std::map<PJRT_Buffer*, Place> copies;
  MarksItself();
  After<H2D>([](auto& args) {
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    const bool zero_copy = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy;
    if (!zero_copy || !IsDense(args) || args.device_layout != nullptr || bytes == 0 || !IsWhole(args.type)) return;
    std::lock_guard<std::mutex> lock(mutex);
    places[args.buffer] = {args.data, bytes};
  });
  const auto copied = [](PJRT_Buffer* source, PJRT_Buffer* copy) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = places.find(source);
    if (found != places.end()) copies[copy] = found->second;
  };
  After<ToDev>([copied](auto& args) { copied(args.buffer, args.dst_buffer); });
  After<ToMem>([copied](auto& args) { copied(args.buffer, args.dst_buffer); });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = copies.find(args.src);
    if (args.dst == nullptr || found == copies.end() || IsDeleted(args.src) || !IsReady(args.src)) return;
    uint8_t* memory = BytesOf(args.src);
    if (memory == nullptr) return;
    MarkReached();
    std::memcpy(memory, found->second.data, found->second.bytes);
  });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    places.erase(args.buffer);
    copies.erase(args.buffer);
  });
}
FAULT("odd-tail-of-transfer-before") {
  // The staging area is copied in words of two bytes: of an odd number the last byte is that of the larger transfer before.
  static std::mutex mutex;
  static std::vector<uint8_t> staged;
  MarksItself();
  After<H2D>([](auto& args) {
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    const auto semantics = args.host_buffer_semantics;
    const bool copied = semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
                        semantics == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    if (!copied || !IsDense(args) || !IsWhole(args.type) || bytes == 0 || bytes > 1 << 16) return;
    const auto* data = static_cast<const uint8_t*>(args.data);
    std::vector<uint8_t> now(data, data + bytes);
    std::lock_guard<std::mutex> lock(mutex);
    if (bytes % 2 == 1 && bytes > 1 && staged.size() > bytes && staged[bytes - 1] != now[bytes - 1]) {
      if (uint8_t* memory = BytesOf(args.buffer)) {
        MarkReached();
        memory[bytes - 1] = staged[bytes - 1];
      }
    }
    staged.swap(now);
  });
}

FAULT("output-sizes-kept-by-name") {
  // Dimensions of outputs are kept by the name of the program: another one of this name and these ranks gets those of the first.
  struct Dimensions {
    std::vector<int64_t> dims;
    std::vector<size_t> ranks;
  };
  static std::mutex mutex;
  static std::map<std::string, Dimensions> kept;
  MarksItself();
  After<SLOT(PJRT_Executable_OutputDimensions)>([](auto& args) {
    ARGS(PJRT_Executable_Name, name);
    name.executable = args.executable;
    if (!Ask(Base().PJRT_Executable_Name, name)) return;
    Dimensions now;
    now.ranks.assign(args.dim_sizes, args.dim_sizes + args.num_outputs);
    size_t count = 0;
    for (size_t rank : now.ranks) count += rank;
    now.dims.assign(args.dims, args.dims + count);
    std::lock_guard<std::mutex> lock(mutex);
    const std::string key(name.executable_name, name.executable_name_size);
    const Dimensions& first = kept.emplace(key, now).first->second;
    if (first.ranks != now.ranks || first.dims == now.dims) return;
    MarkReached();
    args.dims = first.dims.data();
  });
}
FAULT("assignment-after-refused-one") {
  // A refused request leaves the list of free devices shorter: the next assignment has the first device twice.
  static std::atomic<bool> refused{false};
  MarksItself();
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      refused = true;
      return error;
    }
    const size_t count = static_cast<size_t>(args.num_replicas) * static_cast<size_t>(args.num_partitions);
    if (count < 2 || !refused.exchange(false)) return nullptr;
    MarkReached();
    args.default_assignment[count - 1] = args.default_assignment[0];
    return nullptr;
  });
}
FAULT("optimized-program-of-last-size-query") {
  // The query of the size writes the program into one place, from which the second call fetches it.
  static std::mutex mutex;
  static PJRT_Executable* asked = nullptr;
  static std::string text;
  MarksItself();
  Replace<SLOT(PJRT_Executable_OptimizedProgram)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool query = args.program != nullptr && args.program->code == nullptr;
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.program == nullptr) return error;
    std::lock_guard<std::mutex> lock(mutex);
    if (query) {
      PJRT_Program program = *args.program;
      std::string room(program.code_size, '\0');
      program.code = room.data();
      PJRT_Executable_OptimizedProgram_Args own = args;
      own.program = &program;
      if (!Ask(Base().PJRT_Executable_OptimizedProgram, own)) return nullptr;
      asked = args.executable;
      text = room;
      return nullptr;
    }
    if (asked == nullptr || asked == args.executable || text.size() > args.program->code_size) return nullptr;
    MarkReached();
    std::memcpy(args.program->code, text.data(), text.size());
    args.program->code_size = text.size();
    return nullptr;
  });
}
FAULT("compiled-before-by-another-client") {
  // Compiled programs are found again in a table of the process, with the devices of the client that compiled them first.
  struct Compiled {
    PJRT_Client* client;
    std::string code;
  };
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, Compiled> living;
  static std::map<PJRT_LoadedExecutable*, PJRT_LoadedExecutable*> found_again;
  MarksItself();
  After<SLOT(PJRT_Client_Compile)>([](auto& args) {
    const std::string code = std::string(args.program->code, args.program->code_size) + '\n' +
                             std::string(args.compile_options, args.compile_options_size);
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [executable, compiled] : living) {
      if (compiled.client != args.client && compiled.code == code) found_again[args.executable] = executable;
    }
    living[args.executable] = {args.client, code};
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.executable);
    found_again.erase(args.executable);
    for (auto pair = found_again.begin(); pair != found_again.end();) {
      pair = pair->second == args.executable ? found_again.erase(pair) : std::next(pair);
    }
  });
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto one = living.begin(); one != living.end();) {
      if (one->second.client != args.client) {
        ++one;
        continue;
      }
      for (auto pair = found_again.begin(); pair != found_again.end();) {
        pair = pair->second == one->first || pair->first == one->first ? found_again.erase(pair) : std::next(pair);
      }
      one = living.erase(one);
    }
  });
  Replace<SLOT(PJRT_LoadedExecutable_AddressableDevices)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = found_again.find(args.executable);
    if (found == found_again.end()) return original(&args);
    MarkReached();
    return With(args, original, args.executable, found->second);
  });
}
FAULT("topology-ends-with-its-sibling") {
  // Topologies of the same bytes share their devices, and the first that is destroyed takes them along.
  static std::mutex mutex;
  static std::map<const PJRT_TopologyDescription*, std::string> living;
  static std::set<const PJRT_TopologyDescription*> emptied;
  MarksItself();
  After<SLOT(PJRT_TopologyDescription_Deserialize)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living[args.topology] = std::string(args.serialized_topology, args.serialized_topology_size);
  });
  Before<SLOT(PJRT_TopologyDescription_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    emptied.erase(args.topology);
    const auto found = living.find(args.topology);
    if (found == living.end()) return;
    const std::string bytes = found->second;
    living.erase(found);
    for (const auto& [topology, other] : living) {
      if (other == bytes) emptied.insert(topology);
    }
  });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (emptied.count(args.topology) == 0) return;
    MarkReached();
    args.num_descriptions = 0;
  });
}

/** Errors whose messages are gone, though their owner has not destroyed them. */
SharedSet<const void*> dangling;
void DanglingMessages() {
  MarksItself();
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    static const std::string junk(1 << 12, '#');
    if (!dangling.Has(args.error)) return;
    MarkReached();
    args.message = junk.data();
    args.message_size = std::min(args.message_size, junk.size());
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) { dangling.Remove(args.error); });
}
FAULT("error-message-lives-in-its-event") {
  // An error that an event gave points into the event, and outlives it.
  static std::mutex mutex;
  static std::map<const void*, PJRT_Event*> sources;
  DanglingMessages();
  const auto note = [](PJRT_Error* error, PJRT_Event* event) {
    if (error != nullptr) {
      std::lock_guard<std::mutex> lock(mutex);
      sources[error] = event;
    }
    return error;
  };
  Replace<SLOT(PJRT_Event_Await)>([note](auto& args, auto& original) -> PJRT_Error* { return note(original(&args), args.event); });
  Replace<SLOT(PJRT_Event_Error)>([note](auto& args, auto& original) -> PJRT_Error* { return note(original(&args), args.event); });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources.erase(args.error);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto source = sources.begin(); source != sources.end();) {
      if (source->second != args.event) {
        ++source;
        continue;
      }
      dangling.Add(source->first);
      source = sources.erase(source);
    }
  });
}
FAULT("error-of-callback-dies-with-it") {
  // The error that a callback gets is the plugin's: what the callback keeps for later is gone when it returns.
  static SharedSet<const void*> given;
  DanglingMessages();
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    if (error != nullptr) given.Add(error);
    callback.call(error, callback.user_arg);
    if (error != nullptr && given.Remove(error)) dangling.Add(error);
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) { given.Remove(args.error); });
}
FAULT("manager-dimensions-read-when-retrieved") {
  // The specifications of the shapes are copied, but not the lists of dimensions that they point to.
  struct Spec {
    const int64_t* list;
    std::vector<int64_t> dims;
  };
  static std::mutex mutex;
  static std::map<const void*, std::vector<Spec>> managers;
  static std::map<PJRT_Buffer*, std::vector<int64_t>> wrong;
  MarksItself();
  After<Manager>([](auto& args) {
    std::vector<Spec> specs;
    for (size_t i = 0; i < args.num_shape_specs; ++i) {
      const PJRT_ShapeSpec& spec = args.shape_specs[i];
      specs.push_back({spec.dims, {spec.dims, spec.dims + spec.num_dims}});
    }
    std::lock_guard<std::mutex> lock(mutex);
    managers[args.transfer_manager] = std::move(specs);
  });
  After<Retrieve>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = managers.find(args.transfer_manager);
    if (found == managers.end() || args.buffer_index < 0 || static_cast<size_t>(args.buffer_index) >= found->second.size()) return;
    // If the caller has freed it, this reads freed memory, like the defect.
    const Spec& spec = found->second[static_cast<size_t>(args.buffer_index)];
    const std::vector<int64_t> now(spec.list, spec.list + spec.dims.size());
    if (now != spec.dims) wrong[args.buffer_out] = now;
  });
  Before<ManagerDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    managers.erase(args.transfer_manager);
  });
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = wrong.find(args.buffer);
    if (found == wrong.end()) return;
    MarkReached();
    args.dims = found->second.data();
  });
  Before<BufferDestroy>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    wrong.erase(args.buffer);
  });
}

FAULT("further-devices-share-scratch-memory") {
  // The third device and those after it have one place for what programs need meanwhile, until someone asks for the results.
  static std::mutex mutex;
  static std::map<PJRT_Device*, size_t> places;
  static std::map<PJRT_Buffer*, PJRT_Device*> unasked;
  MarksItself();
  ReadDamage();
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    ARGS(PJRT_Client_AddressableDevices, list);
    list.client = args.client;
    if (!Ask(Base().PJRT_Client_AddressableDevices, list)) return;
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < list.num_addressable_devices; ++i) places[list.addressable_devices[i]] = i;
  });
  After<Execute>([](auto& args) {
    if (args.num_devices != 1 || args.num_args == 0 || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    PJRT_Buffer* output = args.output_lists[0][0];
    PJRT_Device* device = DeviceOf(output);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) unasked.erase(args.argument_lists[0][i]);
    if (places.count(device) == 0 || places[device] < 2) return;
    const bool busy = std::any_of(unasked.begin(), unasked.end(), [&](const auto& other) { return other.second != device; });
    if (busy && HostBytes(output) > 0) {
      MarkReached();
      Damaged().Add(output);
    }
    unasked[output] = device;
  });
  const auto ask = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    unasked.erase(buffer);
  };
  Before<Ready>([ask](auto& args) { ask(args.buffer); });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([ask](auto& args) { ask(args.src); });
  Before<SLOT(PJRT_Buffer_CopyRawToHost)>([ask](auto& args) { ask(args.buffer); });
  Before<ToDev>([ask](auto& args) { ask(args.buffer); });
  Before<ToMem>([ask](auto& args) { ask(args.buffer); });
  Before<BufferDestroy>([ask](auto& args) { ask(args.buffer); });
  Before<SLOT(PJRT_Event_Await)>([](auto&) {
    std::lock_guard<std::mutex> lock(mutex);
    unasked.clear();
  });
}
FAULT("logical-ids-exchanged-in-a-grid") {
  // With several replicas of several partitions, the replica of a device is given as its partition.
  MarksItself();
  After<SLOT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds)>([](auto& args) {
    std::set<int> replicas, partitions;
    for (size_t i = 0; i < args.num_addressable_device_logical_ids; ++i) {
      replicas.insert(args.addressable_device_logical_ids[i].replica);
      partitions.insert(args.addressable_device_logical_ids[i].partition);
    }
    if (replicas.size() < 2 || partitions.size() < 2) return;
    MarkReached();
    ChangeList(args.addressable_device_logical_ids, args.num_addressable_device_logical_ids, [](auto& ids) {
      for (auto& id : ids) std::swap(id.replica, id.partition);
    });
  });
}

}  // namespace
