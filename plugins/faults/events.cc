// Events: early, late, never, twice, lost errors, callbacks; and asynchronous transfers and views, which have callbacks
// too.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "faults.h"

namespace {

using namespace faults;

using OnReady = SLOT(PJRT_Event_OnReady);
using AwaitEvent = SLOT(PJRT_Event_Await);
using IsReady = SLOT(PJRT_Event_IsReady);
using ErrorOf = SLOT(PJRT_Event_Error);

bool BaseIsReady(PJRT_Event* event) {
  PJRT_Event_IsReady_Args args{};
  args.struct_size = PJRT_Event_IsReady_Args_STRUCT_SIZE;
  args.event = event;
  Drop(Base().PJRT_Event_IsReady(&args));
  return args.is_ready;
}

/** A callback of the caller. */
struct Callback {
  PJRT_Event_OnReadyCallback call;
  void* user_arg;
};
/** Passes a different callback to the base, which gets the caller's as an argument. */
void ChangeCallbacks(void (*change)(const Callback&, PJRT_Error*)) {
  static void (*action)(const Callback&, PJRT_Error*);
  action = change;
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    const Callback given{args.callback, args.user_arg};
    args.user_arg = new Callback(given);
    args.callback = [](PJRT_Error* error, void* user_arg) { action(*static_cast<Callback*>(user_arg), error); };
    PJRT_Error* error = original(&args);
    args.callback = given.call;
    args.user_arg = given.user_arg;
    return error;
  });
}

FAULT("event-callback-twice") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    callback.call(error, callback.user_arg);
    callback.call(nullptr, callback.user_arg);
  });
}
FAULT("event-callback-never") {
  ChangeCallbacks([](const Callback&, PJRT_Error*) {});
}
FAULT("event-callback-not-when-ready") {
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* { return BaseIsReady(args.event) ? nullptr : original(&args); });
}
FAULT("event-callback-error-lost") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    Drop(error);
    callback.call(nullptr, callback.user_arg);
  });
}
FAULT("event-callback-argument-lost") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) { callback.call(error, nullptr); });
}
FAULT("event-callback-at-once") {
  // Before the work is done.
  Replace<OnReady>([](auto& args, auto&) -> PJRT_Error* {
    args.callback(nullptr, args.user_arg);
    return nullptr;
  });
}
FAULT("event-callback-last-one-only") {
  static std::mutex mutex;
  static std::map<PJRT_Event*, int> registered;
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!BaseIsReady(args.event) && registered[args.event]++ > 0) return nullptr;
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    registered.erase(args.event);
  });
}
FAULT("event-callbacks-share-an-error") {
  static std::mutex mutex;
  static std::map<std::string, PJRT_Error*> shared;
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    if (error != nullptr) {
      std::lock_guard<std::mutex> lock(mutex);
      PJRT_Error*& one = shared[MessageOf(error)];
      if (one == nullptr) {
        one = error;
      } else {
        Drop(error);
        error = one;
      }
    }
    callback.call(error, callback.user_arg);
  });
}
FAULT("event-callbacks-under-a-lock") {
  // Callbacks run while holding the lock that every call takes.
  static std::mutex lock;
  static std::atomic<std::thread::id> holder{};
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    std::lock_guard<std::mutex> held(lock);
    holder = std::this_thread::get_id();
    callback.call(error, callback.user_arg);
    holder = std::thread::id();
  });
  auto enter = [] {
    if (holder.load() == std::this_thread::get_id()) {
      for (;;) SleepMs(1000);
    }
    std::lock_guard<std::mutex> held(lock);
  };
  Before<SLOT(PJRT_Buffer_ElementType)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Client_PlatformName)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Buffer_Dimensions)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Event_Destroy)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([enter](auto&) { enter(); });
}
FAULT("event-destroy-drops-callbacks") {
  static std::mutex mutex;
  static std::map<PJRT_Event*, std::vector<std::atomic<bool>*>> pending;
  struct Guarded {
    Callback callback;
    std::atomic<bool>* dropped;
  };
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    const Callback given{args.callback, args.user_arg};
    auto* guarded = new Guarded{given, new std::atomic<bool>{false}};
    {
      std::lock_guard<std::mutex> lock(mutex);
      pending[args.event].push_back(guarded->dropped);
    }
    args.user_arg = guarded;
    args.callback = [](PJRT_Error* error, void* user_arg) {
      auto* own = static_cast<Guarded*>(user_arg);
      // Slower than a caller that destroys the event at once.
      SleepMs(3);
      if (own->dropped->load()) return Drop(error);
      own->callback.call(error, own->callback.user_arg);
    };
    PJRT_Error* error = original(&args);
    args.callback = given.call;
    args.user_arg = given.user_arg;
    return error;
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (std::atomic<bool>* dropped : pending[args.event]) *dropped = true;
    pending.erase(args.event);
  });
}
FAULT("event-destroy-waits") {
  // Destroying an event waits for it: a deadlock in its own callback, and wherever it never completes.
  static std::mutex mutex;
  static std::set<PJRT_Event*> calling;
  struct Own {
    Callback callback;
    PJRT_Event* event;
  };
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    const Callback given{args.callback, args.user_arg};
    args.user_arg = new Own{given, args.event};
    args.callback = [](PJRT_Error* error, void* user_arg) {
      auto* own = static_cast<Own*>(user_arg);
      {
        std::lock_guard<std::mutex> lock(mutex);
        calling.insert(own->event);
      }
      own->callback.call(error, own->callback.user_arg);
      std::lock_guard<std::mutex> lock(mutex);
      calling.erase(own->event);
    };
    PJRT_Error* error = original(&args);
    args.callback = given.call;
    args.user_arg = given.user_arg;
    return error;
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    for (;;) {
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (calling.count(args.event) == 0) return;
      }
      SleepMs(5);
    }
  });
}
FAULT("event-destroy-pending-aborts") {
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (args.event != nullptr && !BaseIsReady(args.event)) std::abort();
  });
}
FAULT("event-await-does-not-wait") {
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* { return BaseIsReady(args.event) ? original(&args) : nullptr; });
}
FAULT("event-await-error-lost") {
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}
FAULT("event-await-second-time-fails") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<PJRT_Event*> waited;
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!waited.insert(args.event).second) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "waited for already");
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    waited.erase(args.event);
  });
}
FAULT("event-await-one-thread-at-a-time") {
  // The second thread that waits is never released.
  static std::mutex mutex;
  static std::set<PJRT_Event*> waiting;
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    bool first;
    {
      std::lock_guard<std::mutex> lock(mutex);
      first = waiting.insert(args.event).second;
    }
    while (!first) SleepMs(1000);
    PJRT_Error* error = original(&args);
    SleepMs(1);
    std::lock_guard<std::mutex> lock(mutex);
    waiting.erase(args.event);
    return error;
  });
}
FAULT("event-not-ready-after-await") {
  static std::atomic<int> calls{0};
  After<IsReady>([](auto& args) {
    if (++calls % 2 == 0) args.is_ready = false;
  });
}
FAULT("event-with-error-not-ready") {
  Replace<IsReady>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || !args.is_ready) return error;
    args.is_ready = Await(args.event);
    return nullptr;
  });
}
FAULT("event-ready-too-soon") {
  After<IsReady>([](auto& args) { args.is_ready = true; });
}
FAULT("event-is-ready-blocks") {
  Before<IsReady>([](auto& args) { Await(args.event); });
}
FAULT("event-error-moved-out") {
  // The second query for the error finds none.
  static std::mutex mutex;
  static std::set<PJRT_Event*> asked;
  Replace<ErrorOf>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!asked.insert(args.event).second) return nullptr;
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    asked.erase(args.event);
  });
}
FAULT("event-error-although-good") {
  OwnErrors();
  Replace<ErrorOf>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    return error != nullptr ? error : MakeError(PJRT_Error_Code_UNKNOWN, "OK");
  });
}
FAULT("event-error-code-generalized") {
  // Late errors are all INTERNAL.
  OwnErrors();
  auto generalize = [](PJRT_Error* error) -> PJRT_Error* {
    if (error == nullptr) return nullptr;
    std::string message = MessageOf(error);
    Drop(error);
    return MakeError(PJRT_Error_Code_INTERNAL, message);
  };
  Replace<ErrorOf>([generalize](auto& args, auto& original) -> PJRT_Error* { return generalize(original(&args)); });
  Replace<AwaitEvent>([generalize](auto& args, auto& original) -> PJRT_Error* { return generalize(original(&args)); });
}
FAULT("event-shared-by-all-transfers") {
  OwnEvents();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    static PJRT_Event* event = ReadyEvent();
    AwaitBuffer(args.buffer);
    args.done_with_host_buffer = event;
  });
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    static PJRT_Event* event = ReadyEvent();
    if (args.event == nullptr) return;
    PJRT_Event_Await_Args wait{};
    wait.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE;
    wait.event = args.event;
    Drop(Base().PJRT_Event_Await(&wait));
    args.event = event;
  });
}

// ---- events that the caller makes ---------------------------------------------------------------------------------------

using Set = SLOT(PJRT_Event_Set);
FAULT("created-event-starts-ready") {
  OwnEvents();
  After<SLOT(PJRT_Event_Create)>([](auto& args) { args.event = ReadyEvent(); });
  Replace<Set>([](auto&, auto&) -> PJRT_Error* { return nullptr; });
}
FAULT("created-event-set-does-nothing") { Ignore<Set>(); }
FAULT("created-event-code-lost") {
  Replace<Set>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.error_code == PJRT_Error_Code_OK) return original(&args);
    const PJRT_Error_Code given = args.error_code;
    args.error_code = PJRT_Error_Code_INTERNAL;
    PJRT_Error* error = original(&args);
    args.error_code = given;
    return error;
  });
}
FAULT("created-event-message-not-copied") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Event*, std::pair<int, std::pair<const char*, size_t>>> set;
  After<Set>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    set[args.event] = {args.error_code, {args.error_message, args.error_message_size}};
  });
  auto error = [](PJRT_Event* event, PJRT_Error* real) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = set.find(event);
    if (found == set.end() || real == nullptr) return real;
    Drop(real);
    const auto& [code, text] = found->second;
    return MakeError(static_cast<PJRT_Error_Code>(code), std::string(text.first, text.second));
  };
  Replace<AwaitEvent>([error](auto& args, auto& original) -> PJRT_Error* { return error(args.event, original(&args)); });
  Replace<ErrorOf>([error](auto& args, auto& original) -> PJRT_Error* { return error(args.event, original(&args)); });
}
FAULT("created-event-abandoned-hangs") {
  static std::mutex mutex;
  static std::set<PJRT_Event*> unset;
  After<SLOT(PJRT_Event_Create)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    unset.insert(args.event);
  });
  Before<Set>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    unset.erase(args.event);
  });
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return unset.erase(args.event) > 0 ? nullptr : original(&args);
  });
}
FAULT("created-event-set-twice-aborts") {
  static std::mutex mutex;
  static std::set<PJRT_Event*> set;
  Before<Set>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!set.insert(args.event).second) std::abort();
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    set.erase(args.event);
  });
}

// ---- asynchronous transfers ---------------------------------------------------------------------------------------------

using Manager = SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice);
using Piece = SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData);

FAULT("async-count-off-by-one") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferCount)>([](auto& args) { args.buffer_count += 1; });
}
FAULT("async-size-of-first-for-all") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferSize)>([](auto& args, auto& original) -> PJRT_Error* {
    const int given = args.buffer_index;
    args.buffer_index = 0;
    PJRT_Error* error = original(&args);
    args.buffer_index = given;
    return error;
  });
}
FAULT("async-device-null") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_Device)>([](auto& args) { args.device_out = nullptr; });
}
FAULT("async-memory-ignored") {
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Memory_AddressableByDevices_Args devices{};
    devices.struct_size = PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE;
    devices.memory = args.memory;
    Drop(Base().PJRT_Memory_AddressableByDevices(&devices));
    PJRT_Device_DefaultMemory_Args memory{};
    memory.struct_size = PJRT_Device_DefaultMemory_Args_STRUCT_SIZE;
    memory.device = devices.devices[0];
    Drop(Base().PJRT_Device_DefaultMemory(&memory));
    PJRT_Memory* given = args.memory;
    args.memory = memory.memory;
    PJRT_Error* error = original(&args);
    args.memory = given;
    return error;
  });
}
FAULT("async-offset-ignored") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    const int64_t given = args.offset;
    args.offset = 0;
    PJRT_Error* error = original(&args);
    args.offset = given;
    return error;
  });
}
FAULT("async-pieces-in-order-only") {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, int64_t> end;
  After<Manager>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (int i = 0; i < static_cast<int>(args.num_shape_specs); ++i) end[{args.transfer_manager, i}] = 0;
  });
  OwnErrors();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      int64_t& at = end[{args.transfer_manager, args.buffer_index}];
      if (args.offset != at) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "pieces must come in order");
      at += args.transfer_size;
    }
    return original(&args);
  });
}
FAULT("async-ready-at-once") {
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> made;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.insert(args.buffer_out);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (made.count(args.buffer) > 0) args.event = ReadyEvent();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    made.erase(args.buffer);
  });
}
FAULT("async-ready-after-first-piece") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    // The first chunk is treated as the last one; later ones are written after completion.
    const bool given = args.is_last_transfer;
    static std::mutex mutex;
    static std::set<std::pair<const void*, int>> done;
    bool first;
    {
      std::lock_guard<std::mutex> lock(mutex);
      first = done.insert({args.transfer_manager, args.buffer_index}).second;
    }
    if (first) args.is_last_transfer = true;
    PJRT_Error* error = original(&args);
    args.is_last_transfer = given;
    return error;
  });
}
FAULT("async-last-piece-empty-refused") {
  OwnErrors();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    return args.transfer_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to transfer") : original(&args);
  });
}
FAULT("async-after-last-accepted") {
  OwnEvents();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    args.done_with_h2d_transfer = ReadyEvent();
    return nullptr;
  });
}
FAULT("async-source-read-late") {
  OwnEvents();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    // The event is ready at once, but the source is read later.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args own = args;
    args.done_with_h2d_transfer = ReadyEvent();
    Later(12, [own]() mutable {
      if (PJRT_Error* error = Base().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own)) Drop(error);
    });
    (void)original;
    return nullptr;
  });
}
FAULT("async-buffers-mixed-up") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args count{};
    count.struct_size = PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE;
    count.transfer_manager = args.transfer_manager;
    Drop(Base().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
    const int given = args.buffer_index;
    if (count.buffer_count > 1) args.buffer_index = static_cast<int>(count.buffer_count) - 1 - given;
    PJRT_Error* error = original(&args);
    args.buffer_index = given;
    return error;
  });
}
FAULT("async-retrieve-waits-for-data") {
  // A buffer without data cannot be retrieved.
  OwnErrors();
  static std::mutex mutex;
  static std::set<const void*> fed;
  After<Piece>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    fed.insert(args.transfer_manager);
  });
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (fed.count(args.transfer_manager) == 0) return MakeError(PJRT_Error_Code_UNAVAILABLE, "no data yet");
    }
    return original(&args);
  });
}
FAULT("async-retrieve-index-unchecked") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    const int given = args.buffer_index;
    if (given < 0 || given > 1000) args.buffer_index = 0;
    PJRT_Error* error = original(&args);
    args.buffer_index = given;
    return error;
  });
}
FAULT("async-layout-count-unchecked") {
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_MemoryLayout** given = args.device_layouts;
    const size_t count = args.num_device_layouts;
    if (count != args.num_shape_specs) {
      args.device_layouts = nullptr;
      args.num_device_layouts = 0;
    }
    PJRT_Error* error = original(&args);
    args.device_layouts = given;
    args.num_device_layouts = count;
    return error;
  });
}
FAULT("async-layouts-demanded") {
  OwnErrors();
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_device_layouts; ++i) {
      if (args.device_layouts[i] == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layout");
    }
    return args.device_layouts == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layouts") : original(&args);
  });
}
FAULT("async-metadata-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "metadata"); });
}
FAULT("async-error-lost") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args, auto& original) -> PJRT_Error* {
    const PJRT_Error_Code given = args.error_code;
    args.error_code = PJRT_Error_Code_INTERNAL;
    PJRT_Error* error = original(&args);
    args.error_code = given;
    return error;
  });
}
FAULT("async-error-for-all-buffers") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args) {
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args own = args;
    for (int i = 0; i < 4; ++i) {
      PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args count{};
      count.struct_size = PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE;
      count.transfer_manager = args.transfer_manager;
      Drop(Base().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
      if (i == args.buffer_index || i >= static_cast<int>(count.buffer_count)) continue;
      own.buffer_index = i;
      Drop(Base().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&own));
    }
  });
}
FAULT("async-destroyed-manager-hangs-buffers") {
  // Destroying a manager leaves its buffers pending.
  static std::mutex mutex;
  static std::set<const void*> finished;
  After<Piece>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.is_last_transfer) finished.insert(args.transfer_manager);
  });
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return args.transfer_manager == nullptr || finished.count(args.transfer_manager) > 0 ? original(&args) : nullptr;
  });
}
FAULT("async-destroyed-manager-cancels") {
  // Data passed to the manager is lost when it is destroyed.
  OwnEvents();
  static std::mutex mutex;
  static std::map<const void*, std::vector<PJRT_Buffer*>> buffers;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    buffers[args.transfer_manager].push_back(args.buffer_out);
  });
  static std::set<PJRT_Buffer*> cancelled;
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Buffer* buffer : buffers[args.transfer_manager]) cancelled.insert(buffer);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cancelled.count(args.buffer) == 0) return;
    OwnEvent* event = NewEvent();
    event->Set(PJRT_Error_Code_CANCELLED, "the manager is gone");
    args.event = event->handle();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    cancelled.erase(args.buffer);
  });
}
FAULT("async-unretrieved-aborts") {
  static std::mutex mutex;
  static std::set<const void*> taken;
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    taken.insert(args.transfer_manager);
  });
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.transfer_manager != nullptr && taken.erase(args.transfer_manager) == 0) std::abort();
  });
}
FAULT("async-buffer-destroyed-first-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, const void*> owners;
  static std::set<const void*> orphaned;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    owners[args.buffer_out] = args.transfer_manager;
    orphaned.erase(args.transfer_manager);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = owners.find(args.buffer);
    if (found != owners.end()) orphaned.insert(found->second);
  });
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return orphaned.count(args.transfer_manager) > 0 ? MakeError(PJRT_Error_Code_NOT_FOUND, "the buffer is gone") : original(&args);
  });
}
using Literal = SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);
FAULT("async-literal-spoils-last") {
  Replace<Literal>([](auto& args, auto& original) -> PJRT_Error* {
    size_t bytes = ElementBytes(args.shape_element_type);
    for (size_t i = 0; i < args.shape_num_dims; ++i) bytes *= static_cast<size_t>(args.shape_dims[i]);
    if (bytes == 0) return original(&args);
    auto* copy = new std::vector<uint8_t>(static_cast<const uint8_t*>(args.data), static_cast<const uint8_t*>(args.data) + bytes);
    copy->back() ^= 1;
    const void* given = args.data;
    args.data = copy->data();
    PJRT_Error* error = original(&args);
    args.data = given;
    return error;
  });
}

// ---- views --------------------------------------------------------------------------------------------------------------

using View = SLOT(PJRT_Client_CreateViewOfDeviceBuffer);
using Deleter = void (*)(void*, void*);
struct Kept {
  Deleter call;
  void* user_arg;
};
/** Passes a different delete callback to the base, which gets the caller's as an argument. */
void ChangeDeleter(void (*change)(const Kept&, void* pointer)) {
  static void (*action)(const Kept&, void*);
  action = change;
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.on_delete_callback == nullptr) return original(&args);
    const Kept given{args.on_delete_callback, args.on_delete_callback_arg};
    args.on_delete_callback_arg = new Kept(given);
    args.on_delete_callback = [](void* pointer, void* user_arg) { action(*static_cast<Kept*>(user_arg), pointer); };
    PJRT_Error* error = original(&args);
    args.on_delete_callback = given.call;
    args.on_delete_callback_arg = given.user_arg;
    return error;
  });
}
FAULT("view-callback-never") {
  ChangeDeleter([](const Kept&, void*) {});
}
FAULT("view-callback-twice") {
  ChangeDeleter([](const Kept& kept, void* pointer) {
    kept.call(pointer, kept.user_arg);
    kept.call(pointer, kept.user_arg);
  });
}
FAULT("view-callback-arguments-swapped") {
  ChangeDeleter([](const Kept& kept, void* pointer) { kept.call(kept.user_arg, pointer); });
}
FAULT("view-callback-pointer-null") {
  ChangeDeleter([](const Kept& kept, void*) { kept.call(nullptr, kept.user_arg); });
}
FAULT("view-callback-at-creation") {
  After<View>([](auto& args) {
    if (args.on_delete_callback != nullptr) args.on_delete_callback(args.device_buffer_ptr, args.on_delete_callback_arg);
  });
}
FAULT("view-without-callback-crashes") {
  Before<View>([](auto& args) {
    if (args.on_delete_callback == nullptr) std::abort();
  });
}
FAULT("view-is-a-copy") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    Shape shape{args.element_type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    const size_t bytes = shape.count() * ElementBytes(shape.type);
    auto* copy = static_cast<uint8_t*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
    std::memcpy(copy, args.device_buffer_ptr, bytes);
    void* given = args.device_buffer_ptr;
    args.device_buffer_ptr = copy;
    PJRT_Error* error = original(&args);
    args.device_buffer_ptr = given;
    return error;
  });
}
FAULT("view-type-of-owner") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    const PJRT_Buffer_Type given = args.element_type;
    if (given == PJRT_Buffer_Type_F32 || given == PJRT_Buffer_Type_U32) args.element_type = PJRT_Buffer_Type_S32;
    PJRT_Error* error = original(&args);
    args.element_type = given;
    return error;
  });
}
FAULT("view-nowhere-accepted") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Device* given = args.device;
    const bool memory = HAS(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) && args.memory != nullptr;
    if (given == nullptr && !memory) {
      PJRT_Client_AddressableDevices_Args list{};
      list.struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE;
      list.client = args.client;
      Drop(Base().PJRT_Client_AddressableDevices(&list));
      args.device = list.addressable_devices[0];
    }
    PJRT_Error* error = original(&args);
    args.device = given;
    return error;
  });
}
FAULT("view-memory-ignored") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) || args.memory == nullptr) return original(&args);
    if (args.device == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no device");
    PJRT_Memory* given = args.memory;
    args.memory = nullptr;
    PJRT_Error* error = original(&args);
    args.memory = given;
    return error;
  });
}
FAULT("view-frees-memory") {
  // Destroying a view frees the memory behind it.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::pair<void*, size_t>> views;
  After<View>([](auto& args) {
    Shape shape{args.element_type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    std::lock_guard<std::mutex> lock(mutex);
    views[args.buffer] = {args.device_buffer_ptr, shape.count() * ElementBytes(shape.type)};
  });
  auto end = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = views.find(buffer);
    if (found == views.end()) return;
    std::memset(found->second.first, 0xdd, found->second.second);
    views.erase(found);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([end](auto& args) { end(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([end](auto& args) { end(args.buffer); });
}
FAULT("view-not-executable") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> views;
  After<View>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    views.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    views.erase(args.buffer);
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (size_t i = 0; i < args.num_args; ++i) {
        if (views.count(args.argument_lists[0][i]) > 0) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a view");
      }
    }
    return original(&args);
  });
}
FAULT("view-stream-demanded") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    return args.stream == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no stream") : original(&args);
  });
}

}  // namespace
