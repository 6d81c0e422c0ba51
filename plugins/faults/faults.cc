#include "faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unordered_set>

namespace faults {
namespace {

Registration* first = nullptr;
const PJRT_Api* base = nullptr;
alignas(PJRT_Api) unsigned char table[sizeof(PJRT_Api) + 4096];

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "faults: %s\n", message.c_str());
  std::_Exit(97);
}

/** Appends a line to the file named in PJRT_FAULTS_REPORT: what the runner has to know of the fault itself. */
void Report(const std::string& line) {
  const char* path = std::getenv("PJRT_FAULTS_REPORT");
  if (path == nullptr) return;
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  std::string text = line + "\n";
  if (write(fd, text.data(), text.size()) < 0) std::perror("faults");
  close(fd);
}

const PJRT_Api* LoadBase() {
  const char* path = std::getenv("PJRT_FAULTS_BASE");
  if (path == nullptr) Die("PJRT_FAULTS_BASE names no plugin");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Die(dlerror());
  auto* get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) Die("the base has no GetPjrtApi");
  const PJRT_Api* api = get();
  if (api == nullptr || api->struct_size > sizeof(table)) Die("the base has no table that could be copied");
  return api;
}

void InstallFault() {
  const char* name = std::getenv("PJRT_FAULT");
  if (name == nullptr || *name == '\0') return;
  for (Registration* fault = first; fault != nullptr; fault = fault->next) {
    if (std::strcmp(fault->name, name) == 0) return fault->install();
  }
  Die(std::string("no fault is called ") + name);
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

Registration::Registration(const char* name, Install install) : name(name), install(install), next(first) {
  first = this;
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
    Struck();
    return body();
  };
}

void Missing(const char* what) { Report(std::string("missing ") + what); }

void Struck() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) Report("struck");
}

void OwnErrors() {
  Replace<SLOT(PJRT_Error_Destroy)>([](auto& args, auto& right) {
    if (!Forget(args.error)) right(&args);
  });
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& right) {
    if (const OwnError* own = Own(args.error)) {
      args.message = own->message.data();
      args.message_size = own->message.size();
    } else {
      right(&args);
    }
  });
  Replace<SLOT(PJRT_Error_GetCode)>([](auto& args, auto& right) -> PJRT_Error* {
    const OwnError* own = Own(args.error);
    if (own == nullptr) return right(&args);
    args.code = own->code;
    return nullptr;
  });
  if (!SLOT(PJRT_Error_ForEachPayload)::present()) return;
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& right) -> PJRT_Error* {
    return Own(args.error) ? nullptr : right(&args);
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
  PJRT_Error_Destroy_Args args{};
  args.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  Base().PJRT_Error_Destroy(&args);
}

int CodeOf(PJRT_Error* error) {
  if (error == nullptr) return 0;
  PJRT_Error_GetCode_Args args{};
  args.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  args.error = error;
  return Base().PJRT_Error_GetCode(&args) == nullptr ? args.code : PJRT_Error_Code_UNKNOWN;
}

std::string MessageOf(PJRT_Error* error) {
  PJRT_Error_Message_Args args{};
  args.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
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

/** Replaces the table's chain by copies, once. */
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

void AddExtension(PJRT_Extension_Base* extension) {
  extension->next = Table().extension_start;
  Table().extension_start = extension;
}

bool Await(PJRT_Event* event) {
  PJRT_Event_Await_Args args{};
  args.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE;
  args.event = event;
  PJRT_Error* error = Base().PJRT_Event_Await(&args);
  Drop(error);
  return error == nullptr;
}

void DestroyEvent(PJRT_Event* event) {
  PJRT_Event_Destroy_Args args{};
  args.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE;
  args.event = event;
  Drop(Base().PJRT_Event_Destroy(&args));
}

bool IsReady(PJRT_Buffer* buffer) {
  PJRT_Buffer_ReadyEvent_Args ready{};
  ready.struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE;
  ready.buffer = buffer;
  if (PJRT_Error* error = Base().PJRT_Buffer_ReadyEvent(&ready)) {
    Drop(error);
    return true;
  }
  PJRT_Event_IsReady_Args is{};
  is.struct_size = PJRT_Event_IsReady_Args_STRUCT_SIZE;
  is.event = ready.event;
  Drop(Base().PJRT_Event_IsReady(&is));
  DestroyEvent(ready.event);
  return is.is_ready;
}

bool AwaitBuffer(PJRT_Buffer* buffer) {
  PJRT_Buffer_ReadyEvent_Args args{};
  args.struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE;
  args.buffer = buffer;
  PJRT_Error* error = Base().PJRT_Buffer_ReadyEvent(&args);
  if (error != nullptr) {
    Drop(error);
    return false;
  }
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

OwnEvent* OwnOf(PJRT_Event* event) {
  std::lock_guard<std::mutex> lock(own_events_mutex);
  return own_events.count(event) ? reinterpret_cast<OwnEvent*>(event) : nullptr;
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
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& right) -> PJRT_Error* {
    return OwnOf(args.event) ? nullptr : right(&args);
  });
  Replace<SLOT(PJRT_Event_IsReady)>([](auto& args, auto& right) -> PJRT_Error* {
    OwnEvent* own = OwnOf(args.event);
    if (own == nullptr) return right(&args);
    args.is_ready = OwnEventCalls::IsReady(own);
    return nullptr;
  });
  Replace<SLOT(PJRT_Event_Error)>([](auto& args, auto& right) -> PJRT_Error* {
    OwnEvent* own = OwnOf(args.event);
    return own ? OwnEventCalls::Status(own) : right(&args);
  });
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& right) -> PJRT_Error* {
    OwnEvent* own = OwnOf(args.event);
    return own ? OwnEventCalls::Await(own) : right(&args);
  });
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& right) -> PJRT_Error* {
    OwnEvent* own = OwnOf(args.event);
    if (own == nullptr) return right(&args);
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
  PJRT_Buffer_ElementType_Args type{};
  type.struct_size = PJRT_Buffer_ElementType_Args_STRUCT_SIZE;
  type.buffer = buffer;
  PJRT_Error* error = Base().PJRT_Buffer_ElementType(&type);
  if (error == nullptr) shape.type = type.type;
  Drop(error);
  PJRT_Buffer_Dimensions_Args dims{};
  dims.struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE;
  dims.buffer = buffer;
  error = Base().PJRT_Buffer_Dimensions(&dims);
  if (error == nullptr) shape.dims.assign(dims.dims, dims.dims + dims.num_dims);
  Drop(error);
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
  PJRT_Buffer_Device_Args args{};
  args.struct_size = PJRT_Buffer_Device_Args_STRUCT_SIZE;
  args.buffer = buffer;
  PJRT_Error* error = Base().PJRT_Buffer_Device(&args);
  Drop(error);
  return error == nullptr ? args.device : nullptr;
}

PJRT_Memory* MemoryOf(PJRT_Buffer* buffer) {
  PJRT_Buffer_Memory_Args args{};
  args.struct_size = PJRT_Buffer_Memory_Args_STRUCT_SIZE;
  args.buffer = buffer;
  PJRT_Error* error = Base().PJRT_Buffer_Memory(&args);
  Drop(error);
  return error == nullptr ? args.memory : nullptr;
}

int64_t IdOf(PJRT_Device* device) {
  if (device == nullptr) return -1;
  PJRT_Device_GetDescription_Args description{};
  description.struct_size = PJRT_Device_GetDescription_Args_STRUCT_SIZE;
  description.device = device;
  PJRT_Error* error = Base().PJRT_Device_GetDescription(&description);
  Drop(error);
  if (error != nullptr) return -1;
  PJRT_DeviceDescription_Id_Args id{};
  id.struct_size = PJRT_DeviceDescription_Id_Args_STRUCT_SIZE;
  id.device_description = description.device_description;
  error = Base().PJRT_DeviceDescription_Id(&id);
  Drop(error);
  return error == nullptr ? id.id : -1;
}

std::string KindOf(PJRT_Memory* memory) {
  if (memory == nullptr) return "";
  PJRT_Memory_Kind_Args args{};
  args.struct_size = PJRT_Memory_Kind_Args_STRUCT_SIZE;
  args.memory = memory;
  PJRT_Error* error = Base().PJRT_Memory_Kind(&args);
  Drop(error);
  return error == nullptr ? std::string(args.kind, args.kind_size) : "";
}

uint8_t* BytesOf(PJRT_Buffer* buffer) {
  if (!AwaitBuffer(buffer)) return nullptr;
  PJRT_Buffer_UnsafePointer_Args args{};
  args.struct_size = PJRT_Buffer_UnsafePointer_Args_STRUCT_SIZE;
  args.buffer = buffer;
  PJRT_Error* error = Base().PJRT_Buffer_UnsafePointer(&args);
  Drop(error);
  return error == nullptr ? reinterpret_cast<uint8_t*>(args.buffer_pointer) : nullptr;
}

}  // namespace faults

// Two variants of the library are faults themselves: one exports what belongs to libraries that others have too, one needs
// a function that nobody defines.
#ifdef FAULTS_EXPORTING
namespace llvm {
__attribute__((visibility("default"))) int InitializeAllTargets() { return 1; }
}  // namespace llvm
namespace google::protobuf {
__attribute__((visibility("default"))) int ShutdownProtobufLibrary() { return 1; }
}  // namespace google::protobuf
#endif
#ifdef FAULTS_UNRESOLVED
extern "C" void pjrt_faults_function_that_nobody_defines();
__attribute__((used)) static void CallsIt() { pjrt_faults_function_that_nobody_defines(); }
#endif

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const bool once = [] {
    using namespace faults;
    base = LoadBase();
    std::memcpy(table, base, base->struct_size);
    InstallTraits();
    InstallFault();
    return true;
  }();
  return once && faults::give ? faults::give() : &faults::Table();
}
