#include "wrapper.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <unordered_set>

namespace wrapper {
namespace {

const PJRT_Api* base = nullptr;
alignas(PJRT_Api) unsigned char table[sizeof(PJRT_Api) + 4096];

const PJRT_Api* LoadBase() {
  const char* path = std::getenv(kBaseVariable);
  if (path == nullptr) Die(std::string(kBaseVariable) + " names no plugin");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Die(dlerror());
  auto* get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) Die("the base has no GetPjrtApi");
  const PJRT_Api* api = get();
  if (api == nullptr || api->struct_size > sizeof(table)) Die("the base has no table that could be copied");
  return api;
}

std::function<const PJRT_Api*()> give;

struct OwnError {
  const PJRT_Error_FunctionTable* vtable;
  PJRT_Error_Code code;
  std::string message;
};

std::mutex own_errors_mutex;
std::unordered_set<const void*> own_errors;

const OwnError* Own(const PJRT_Error* error) {
  std::lock_guard<std::mutex> lock(own_errors_mutex);
  return own_errors.count(error) ? reinterpret_cast<const OwnError*>(error) : nullptr;
}

/** Frees an error if it was made here. */
bool Forget(PJRT_Error* error) {
  std::lock_guard<std::mutex> lock(own_errors_mutex);
  if (own_errors.erase(error) == 0) return false;
  delete reinterpret_cast<OwnError*>(error);
  return true;
}

}  // namespace

void Die(const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", kLibrary, message.c_str());
  std::_Exit(97);
}

PJRT_Api& Table() { return *reinterpret_cast<PJRT_Api*>(table); }
const PJRT_Api& Base() { return *base; }

bool HasSlot(size_t offset) {
  if (base->struct_size < offset + sizeof(void*)) return false;
  void* slot;
  std::memcpy(&slot, reinterpret_cast<const char*>(base) + offset, sizeof(slot));
  return slot != nullptr;
}

void OnGetPjrtApi(std::function<const PJRT_Api*()> body) {
  give = [body = std::move(body)] {
    MarkReached();
    return body();
  };
}

namespace {

/** The error of a call, if it was made here; a struct that ends before it is left to the base. */
template <class Args>
const OwnError* OwnOf(const Args& args) {
  return HAS(args, Args, error) ? Own(args.error) : nullptr;
}

}  // namespace

void OwnErrors() {
  Replace<SLOT(PJRT_Error_Destroy)>([](auto& args, auto& original) {
    if (OwnOf(args) == nullptr || !Forget(args.error)) original(&args);
  });
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    const OwnError* own = HAS(args, PJRT_Error_Message_Args, message_size) ? OwnOf(args) : nullptr;
    if (own != nullptr) {
      args.message = own->message.data();
      args.message_size = own->message.size();
    } else {
      original(&args);
    }
  });
  Replace<SLOT(PJRT_Error_GetCode)>([](auto& args, auto& original) -> PJRT_Error* {
    const OwnError* own = HAS(args, PJRT_Error_GetCode_Args, code) ? OwnOf(args) : nullptr;
    if (own == nullptr) return original(&args);
    args.code = own->code;
    return nullptr;
  });
  if (!SLOT(PJRT_Error_ForEachPayload)::present()) return;
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& original) -> PJRT_Error* {
    return OwnOf(args) ? nullptr : original(&args);
  });
}

PJRT_Error* MakeError(PJRT_Error_Code code, std::string message) {
  static const PJRT_Error_FunctionTable vtable = [] {
    PJRT_Error_FunctionTable made{};
    made.struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE;
    made.instance_size = sizeof(OwnError);
    made.destroy = [](PJRT_Error* error) { Forget(error); };
    made.message = [](const PJRT_Error* error, const char** message, size_t* size) {
      *message = reinterpret_cast<const OwnError*>(error)->message.data();
      *size = reinterpret_cast<const OwnError*>(error)->message.size();
    };
    made.get_code = [](const PJRT_Error* error) { return reinterpret_cast<const OwnError*>(error)->code; };
    made.for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {};
    return made;
  }();
  auto* error = new OwnError{&vtable, code, std::move(message)};
  std::lock_guard<std::mutex> lock(own_errors_mutex);
  own_errors.insert(error);
  return reinterpret_cast<PJRT_Error*>(error);
}

void Drop(PJRT_Error* error) {
  if (error == nullptr) return;
  ARGS(PJRT_Error_Destroy, args);
  args.error = error;
  Base().PJRT_Error_Destroy(&args);
}

int CodeOf(PJRT_Error* error) {
  if (error == nullptr) return 0;
  ARGS(PJRT_Error_GetCode, args);
  args.error = error;
  return Base().PJRT_Error_GetCode(&args) == nullptr ? args.code : PJRT_Error_Code_UNKNOWN;
}

std::string MessageOf(PJRT_Error* error) {
  ARGS(PJRT_Error_Message, args);
  args.error = error;
  Base().PJRT_Error_Message(&args);
  return std::string(args.message, args.message_size);
}

namespace {

PJRT_Extension_Base* CopyOf(const PJRT_Extension_Base* extension) {
  auto* copy = static_cast<PJRT_Extension_Base*>(std::calloc(1, extension->struct_size + 256));
  std::memcpy(copy, extension, extension->struct_size);
  return copy;
}

/** Replaces the table's extension chain by copies, once. */
void OwnChain() {
  static bool done = false;
  if (done) return;
  done = true;
  PJRT_Extension_Base** link = &Table().extension_start;
  while (*link != nullptr) {
    *link = CopyOf(*link);
    link = &(*link)->next;
  }
}

}  // namespace

PJRT_Extension_Base* ExtensionCopy(PJRT_Extension_Type type) {
  OwnChain();
  for (PJRT_Extension_Base* node = Table().extension_start; node != nullptr; node = node->next) {
    if (node->type == type) return node;
  }
  Missing("an extension");
  return nullptr;
}

void KeepExtensions(const std::function<bool(PJRT_Extension_Type)>& keep) {
  OwnChain();
  PJRT_Extension_Base** link = &Table().extension_start;
  while (*link != nullptr) {
    if (keep((*link)->type)) {
      link = &(*link)->next;
    } else {
      *link = (*link)->next;
    }
  }
}

void AddExtension(PJRT_Extension_Base* extension) {
  extension->next = Table().extension_start;
  Table().extension_start = extension;
}

bool Await(PJRT_Event* event) {
  ARGS(PJRT_Event_Await, args);
  args.event = event;
  return Ask(Base().PJRT_Event_Await, args);
}

void DestroyEvent(PJRT_Event* event) {
  ARGS(PJRT_Event_Destroy, args);
  args.event = event;
  Ask(Base().PJRT_Event_Destroy, args);
}

bool IsReady(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  if (!Ask(Base().PJRT_Buffer_ReadyEvent, ready)) return true;
  ARGS(PJRT_Event_IsReady, is);
  is.event = ready.event;
  Ask(Base().PJRT_Event_IsReady, is);
  DestroyEvent(ready.event);
  return is.is_ready;
}

bool AwaitBuffer(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_ReadyEvent, args);
  args.buffer = buffer;
  if (!Ask(Base().PJRT_Buffer_ReadyEvent, args)) return false;
  bool good = Await(args.event);
  DestroyEvent(args.event);
  return good;
}

void OwnEvent::Set(int code, std::string message) {
  std::vector<std::function<void()>> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ready_) return;
    ready_ = true;
    code_ = code;
    message_ = std::move(message);
    waiting.swap(waiting_);
  }
  changed_.notify_all();
  for (const auto& call : waiting) call();
}

namespace {

std::mutex own_events_mutex;
std::unordered_set<const void*> own_events;

/** The event of a call, if it was made here. */
template <class A>
OwnEvent* OwnEventOf(const A& args) {
  if (!HAS(args, A, event)) return nullptr;
  std::lock_guard<std::mutex> lock(own_events_mutex);
  return own_events.count(args.event) ? reinterpret_cast<OwnEvent*>(args.event) : nullptr;
}

}  // namespace

struct OwnEventCalls {
  static PJRT_Error* Status(OwnEvent* event) {
    return event->code_ == 0 ? nullptr : MakeError(static_cast<PJRT_Error_Code>(event->code_), event->message_);
  }
  static bool IsReady(OwnEvent* event) {
    std::lock_guard<std::mutex> lock(event->mutex_);
    return event->ready_;
  }
  static PJRT_Error* Await(OwnEvent* event) {
    std::unique_lock<std::mutex> lock(event->mutex_);
    event->changed_.wait(lock, [event] { return event->ready_; });
    return Status(event);
  }
  static void OnReady(OwnEvent* event, PJRT_Event_OnReadyCallback callback, void* user_arg) {
    {
      std::lock_guard<std::mutex> lock(event->mutex_);
      if (!event->ready_) {
        event->waiting_.push_back([event, callback, user_arg] { callback(Status(event), user_arg); });
        return;
      }
    }
    callback(Status(event), user_arg);
  }
};

void OwnEvents() {
  OwnErrors();
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return OwnEventOf(args) ? nullptr : original(&args);
  });
  Replace<SLOT(PJRT_Event_IsReady)>([](auto& args, auto& original) -> PJRT_Error* {
    OwnEvent* own = OwnEventOf(args);
    if (own == nullptr) return original(&args);
    args.is_ready = OwnEventCalls::IsReady(own);
    return nullptr;
  });
  Replace<SLOT(PJRT_Event_Error)>([](auto& args, auto& original) -> PJRT_Error* {
    OwnEvent* own = OwnEventOf(args);
    return own ? OwnEventCalls::Status(own) : original(&args);
  });
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    OwnEvent* own = OwnEventOf(args);
    return own ? OwnEventCalls::Await(own) : original(&args);
  });
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    OwnEvent* own = OwnEventOf(args);
    if (own == nullptr) return original(&args);
    OwnEventCalls::OnReady(own, args.callback, args.user_arg);
    return nullptr;
  });
}

OwnEvent* NewEvent() {
  auto* event = new OwnEvent;
  std::lock_guard<std::mutex> lock(own_events_mutex);
  own_events.insert(event);
  return event;
}

PJRT_Event* ReadyEvent() {
  OwnEvent* event = NewEvent();
  event->Set();
  return event->handle();
}

void SleepMs(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

void Later(int milliseconds, std::function<void()> body) {
  std::thread([milliseconds, body] {
    SleepMs(milliseconds);
    body();
  }).detach();
}

size_t Shape::count() const {
  size_t product = 1;
  for (int64_t dim : dims) product *= static_cast<size_t>(dim);
  return product;
}

Shape ShapeOf(PJRT_Buffer* buffer) {
  Shape shape;
  ARGS(PJRT_Buffer_ElementType, type);
  type.buffer = buffer;
  if (Ask(Base().PJRT_Buffer_ElementType, type)) shape.type = type.type;
  ARGS(PJRT_Buffer_Dimensions, dims);
  dims.buffer = buffer;
  if (Ask(Base().PJRT_Buffer_Dimensions, dims)) shape.dims.assign(dims.dims, dims.dims + dims.num_dims);
  return shape;
}

size_t ElementBytes(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_F16:
    case PJRT_Buffer_Type_BF16:
      return 2;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_F32:
      return 4;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_C64:
      return 8;
    case PJRT_Buffer_Type_C128:
      return 16;
    default:
      return 1;
  }
}

bool IsFloat(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_F16 || type == PJRT_Buffer_Type_BF16 || type == PJRT_Buffer_Type_F32 ||
         type == PJRT_Buffer_Type_F64;
}

PJRT_Device* DeviceOf(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Device, args);
  args.buffer = buffer;
  return Ask(Base().PJRT_Buffer_Device, args) ? args.device : nullptr;
}

PJRT_Memory* MemoryOf(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Memory, args);
  args.buffer = buffer;
  return Ask(Base().PJRT_Buffer_Memory, args) ? args.memory : nullptr;
}

int64_t IdOf(PJRT_Device* device) {
  if (device == nullptr) return -1;
  ARGS(PJRT_Device_GetDescription, description);
  description.device = device;
  if (!Ask(Base().PJRT_Device_GetDescription, description)) return -1;
  ARGS(PJRT_DeviceDescription_Id, id);
  id.device_description = description.device_description;
  return Ask(Base().PJRT_DeviceDescription_Id, id) ? id.id : -1;
}

size_t OutputsOf(PJRT_LoadedExecutable* loaded) {
  ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = loaded;
  if (!Ask(Base().PJRT_LoadedExecutable_GetExecutable, get)) return 0;
  ARGS(PJRT_Executable_NumOutputs, count);
  count.executable = get.executable;
  Ask(Base().PJRT_Executable_NumOutputs, count);
  ARGS(PJRT_Executable_Destroy, destroy);
  destroy.executable = get.executable;
  Ask(Base().PJRT_Executable_Destroy, destroy);
  return count.num_outputs;
}

namespace {

/** Whether the host can access a buffer through the plugin's pointer; many plugins return device pointers. */
bool OnHost(PJRT_Buffer* buffer) {
  if (!SLOT(PJRT_Buffer_IsOnCpu)::present() || !SLOT(PJRT_Buffer_UnsafePointer)::present()) return false;
  ARGS(PJRT_Buffer_IsOnCpu, args);
  args.buffer = buffer;
  return Ask(Base().PJRT_Buffer_IsOnCpu, args) && args.is_on_cpu;
}

uint8_t* MemoryOnHost(PJRT_Buffer* buffer) {
  if (!OnHost(buffer) || !AwaitBuffer(buffer)) return nullptr;
  ARGS(PJRT_Buffer_UnsafePointer, args);
  args.buffer = buffer;
  return Ask(Base().PJRT_Buffer_UnsafePointer, args) ? reinterpret_cast<uint8_t*>(args.buffer_pointer) : nullptr;
}

std::mutex clients_mutex;
std::map<PJRT_Device*, PJRT_Client*> clients;

PJRT_Client* ClientOf(PJRT_Device* device) {
  std::lock_guard<std::mutex> lock(clients_mutex);
  auto found = clients.find(device);
  return found == clients.end() ? nullptr : found->second;
}

void DestroyBuffer(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_Destroy, args);
}

}  // namespace

void WatchClients() {
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    ARGS(PJRT_Client_AddressableDevices, devices);
    devices.client = args.client;
    Ask(Base().PJRT_Client_AddressableDevices, devices);
    std::lock_guard<std::mutex> lock(clients_mutex);
    for (size_t i = 0; i < devices.num_addressable_devices; ++i) clients[devices.addressable_devices[i]] = args.client;
  });
}

uint8_t* BytesOf(PJRT_Buffer* buffer) {
  uint8_t* bytes = MemoryOnHost(buffer);
  if (bytes == nullptr && !OnHost(buffer)) Missing("memory that the host can write");
  return bytes;
}

std::vector<uint8_t> ReadBack(PJRT_Buffer* buffer) {
  const size_t rank = ShapeOf(buffer).dims.size();
  std::vector<int64_t> row_major(rank);
  for (size_t i = 0; i < rank; ++i) row_major[i] = static_cast<int64_t>(rank - 1 - i);
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = row_major.data();
  layout.tiled.minor_to_major_size = rank;
  ARGS(PJRT_Buffer_ToHostBuffer, args);
  args.src = buffer;
  args.host_layout = &layout;
  if (!Ask(Base().PJRT_Buffer_ToHostBuffer, args) || args.dst_size == 0) return {};
  std::vector<uint8_t> elements(args.dst_size);
  args.dst = elements.data();
  if (!Ask(Base().PJRT_Buffer_ToHostBuffer, args)) return {};
  const bool read = Await(args.event);
  DestroyEvent(args.event);
  return read ? elements : std::vector<uint8_t>{};
}

PJRT_Buffer* MakeBeside(PJRT_Buffer* other, const std::vector<uint8_t>& elements) {
  const Shape shape = ShapeOf(other);
  ARGS(PJRT_Client_BufferFromHostBuffer, args);
  args.client = ClientOf(DeviceOf(other));
  if (args.client == nullptr) return nullptr;
  args.data = elements.data();
  args.type = shape.type;
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = DeviceOf(other);
  args.memory = SLOT(PJRT_Buffer_Memory)::present() ? MemoryOf(other) : nullptr;
  if (!Ask(Base().PJRT_Client_BufferFromHostBuffer, args)) return nullptr;
  DestroyEvent(args.done_with_host_buffer);
  return args.buffer;
}

Contents::Contents(PJRT_Buffer*& slot) : slot_(slot), memory_(MemoryOnHost(slot)) {
  if (memory_ != nullptr || OnHost(slot)) return;
  before_ = ReadBack(slot);
  changed_ = before_;
}

Contents::~Contents() {
  if (changed_ == before_) return;
  PJRT_Buffer* made = MakeBeside(slot_, changed_);
  if (made == nullptr) {
    Missing("a way to change what is in a buffer");
    return;
  }
  DestroyBuffer(slot_);
  slot_ = made;
}

void Change(PJRT_Buffer*& slot, const std::function<void(uint8_t*)>& change) {
  Contents contents(slot);
  if (contents.bytes() != nullptr) change(contents.bytes());
}

}  // namespace wrapper

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const bool once = [] {
    using namespace wrapper;
    base = LoadBase();
    std::memcpy(table, base, base->struct_size);
    Install();
    return true;
  }();
  return once && wrapper::give ? wrapper::give() : &wrapper::Table();
}
