// A plugin made of another one: the base's table is copied, and a few of its slots are wrapped.
//
//   After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes /= 2; });
//
// Wrapped functions may run on any thread. Two libraries are made of this, plugins/faults and plugins/designs; each can be
// the base of the other.
#ifndef PJRT_WRAPPER_WRAPPER_H_
#define PJRT_WRAPPER_WRAPPER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>
#include <string>
#include <string_view>

#include "pjrt_c_api.h"
#include "pjrt_c_extensions.h"

namespace wrapper {

// ---- what a library made of this defines ----------------------------------------------------------------------------------

/** What it is called in its messages. */
extern const char* const kLibrary;
/** The variable of the environment that names its base. */
extern const char* const kBaseVariable;
/** Wraps what is to be wrapped; called once, in the first GetPjrtApi. */
void Install();
/** Notes that the base lacks what is to be changed. */
void Missing(const char* what);
/** Notes that a wrapped function was called. */
void Struck();

// ---- what it is given -----------------------------------------------------------------------------------------------------

[[noreturn]] void Die(const std::string& message);

/** The table that callers get: a changed copy of the base's. */
PJRT_Api& Table();
/** The base's own table, for what a wrapper itself wants to know. */
const PJRT_Api& Base();

/** Whether the base's table reaches to this slot and has something there. */
bool HasSlot(size_t offset);

template <auto Member>
struct SlotOf;
template <class R, class A, R (*PJRT_Api::*Member)(A*)>
struct SlotOf<Member> {
  using Args = A;
  using Result = R;
  using Function = R (*)(A*);
  static Function base() { return Base().*Member; }
  static Function& table() { return Table().*Member; }
};

/** A slot with its name: SLOT(PJRT_Client_Compile). */
template <auto Member, size_t Offset>
struct Slot : SlotOf<Member> {
  static bool present() { return HasSlot(Offset); }
};
#define SLOT(function) ::wrapper::Slot<&PJRT_Api::function, offsetof(PJRT_Api, function)>

/** The function that a wrapper calls in its turn. */
template <class S>
using Right = std::function<typename S::Result(typename S::Args*)>;

/** Puts `body(args, right)` in place of the slot's function; `right(&args)` is what stood there before. */
template <class S>
void Replace(std::function<typename S::Result(typename S::Args&, const Right<S>&)> body) {
  if (!S::present()) return Missing("a function of the table");
  static Right<S> outermost = S::base();
  outermost = [body, right = outermost](typename S::Args* args) -> typename S::Result { return body(*args, right); };
  S::table() = [](typename S::Args* args) -> typename S::Result {
    // Null arguments are the business of the base.
    if (args == nullptr) return S::base()(args);
    Struck();
    return outermost(args);
  };
}

/** Runs `body(args)` before the call. */
template <class S>
void Before(std::function<void(typename S::Args&)> body) {
  Replace<S>([body](typename S::Args& args, const Right<S>& right) {
    body(args);
    return right(&args);
  });
}

/** Runs `body(args)` after the call if it succeeded. */
template <class S>
void After(std::function<void(typename S::Args&)> body) {
  Replace<S>([body](typename S::Args& args, const Right<S>& right) -> typename S::Result {
    if constexpr (std::is_void_v<typename S::Result>) {
      right(&args);
      body(args);
    } else {
      typename S::Result error = right(&args);
      if (error == nullptr) body(args);
      return error;
    }
  });
}

/** The slot answers with success and does nothing. */
template <class S>
void Ignore() {
  Replace<S>([](typename S::Args&, const Right<S>&) -> PJRT_Error* { return nullptr; });
}

/** An error that the wrapped error functions know; destroyed by PJRT_Error_Destroy like any other. */
PJRT_Error* MakeError(PJRT_Error_Code code, std::string message);
/** Has the table know the errors of MakeError. Said before functions of errors are wrapped. */
void OwnErrors();
/** Drops an error of the base. */
void Drop(PJRT_Error* error);
/** Zeroed arguments of a function: ARGS(PJRT_Buffer_Device, args). */
#define ARGS(function, name)       \
  function##_Args name{};          \
  (name).struct_size = function##_Args_STRUCT_SIZE
/** Calls a function of the base and drops its error; whether it succeeded. */
template <class A>
bool Ask(PJRT_Error* (*function)(A*), A& args) {
  PJRT_Error* error = function(&args);
  Drop(error);
  return error == nullptr;
}
/** Code of an error of the base, 0 for none. */
int CodeOf(PJRT_Error* error);
/** Message of an error of the base. */
std::string MessageOf(PJRT_Error* error);

/** Whether a field lies inside the struct that the caller has. */
#define HAS(args, Type, field) ((args).struct_size >= offsetof(Type, field) + sizeof((args).field))

/** A copy of the base's extension of this type that belongs to the table; null (and Missing) if there is none. */
PJRT_Extension_Base* ExtensionCopy(PJRT_Extension_Type type);
template <class E>
E* Extension(PJRT_Extension_Type type) {
  return reinterpret_cast<E*>(ExtensionCopy(type));
}
/** Puts an extension in front of the chain. */
void AddExtension(PJRT_Extension_Base* extension);

/** Puts `body(args, right)` in place of a function of an extension; `right(&args)` is the one before. */
template <class A>
void ReplaceIn(PJRT_Error* (*&slot)(A*), std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> body) {
  if (slot == nullptr) return Missing("a function of an extension");
  static std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> action;
  static PJRT_Error* (*right)(A*);
  action = std::move(body);
  right = slot;
  slot = [](A* args) -> PJRT_Error* {
    if (args == nullptr) return right(args);
    Struck();
    return action(*args, right);
  };
}

/** What GetPjrtApi gives, called each time; by default the table. */
void OnGetPjrtApi(std::function<const PJRT_Api*()> give);

/** Waits for an event of the base and drops its error; true if it had none. */
bool Await(PJRT_Event* event);
void DestroyEvent(PJRT_Event* event);
/** The buffer's ready event, awaited. */
bool AwaitBuffer(PJRT_Buffer* buffer);
/** Whether the buffer's ready event is complete, or there is none. */
bool IsReady(PJRT_Buffer* buffer);

void SleepMs(int milliseconds);
/** Runs `body` on a thread of its own after a pause. */
void Later(int milliseconds, std::function<void()> body);

/** An event made here; callers see it as any other once OwnEvents was called. One-shot. */
class OwnEvent {
 public:
  /** Completes it; a code other than 0 makes it an error. */
  void Set(int code = 0, std::string message = "");
  PJRT_Event* handle() { return reinterpret_cast<PJRT_Event*>(this); }

 private:
  friend struct OwnEventCalls;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  int code_ = 0;
  std::string message_;
  std::vector<std::function<void()>> waiting_;
};
/** Has the table know events made here. Said before functions of events are wrapped. */
void OwnEvents();
/** A new event that is not ready. It stays in memory for good: for plugins with faults, which are short-lived. */
OwnEvent* NewEvent();
/** A new event that is ready, without an error. */
PJRT_Event* ReadyEvent();

/** What a buffer of the base is. */
struct Shape {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  size_t count() const;
};
Shape ShapeOf(PJRT_Buffer* buffer);
/** Bytes of an element on hosts, types below a byte included. */
size_t ElementBytes(PJRT_Buffer_Type type);
bool IsFloat(PJRT_Buffer_Type type);

/** Device of the buffer, or null. */
PJRT_Device* DeviceOf(PJRT_Buffer* buffer);
int64_t IdOf(PJRT_Device* device);
/** Kind of a memory, empty if it cannot be told. */
std::string KindOf(PJRT_Memory* memory);
PJRT_Memory* MemoryOf(PJRT_Buffer* buffer);
/** How many outputs an executable has. */
size_t OutputsOf(PJRT_LoadedExecutable* loaded);
/** The memory of a buffer as bytes that the host can write, or null (and Missing). Waits for the buffer. */
uint8_t* BytesOf(PJRT_Buffer* buffer);
/** Notes the clients that are made from here on: whoever changes contents calls it first. */
void WatchClients();
/**
 * The elements of a buffer, dense and row-major where the device has another format. What is written into them is in the
 * buffer at the end: in its memory, or, where the host cannot reach that, in another buffer that takes its place in `slot`.
 */
class Contents {
 public:
  explicit Contents(PJRT_Buffer*& slot);
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents();
  /** Null if they cannot be had. */
  uint8_t* bytes() { return memory_ != nullptr ? memory_ : changed_.empty() ? nullptr : changed_.data(); }

 private:
  PJRT_Buffer*& slot_;
  uint8_t* memory_ = nullptr;
  std::vector<uint8_t> before_, changed_;
};
/** Changes the contents of a buffer that nobody else has yet. */
void Change(PJRT_Buffer*& slot, const std::function<void(uint8_t*)>& change);
/** A copy of the elements, dense and row-major; empty if they cannot be read. Waits for the buffer. */
std::vector<uint8_t> ReadBack(PJRT_Buffer* buffer);
/** Makes a buffer of such elements where another buffer is; null if that fails. */
PJRT_Buffer* MakeBeside(PJRT_Buffer* other, const std::vector<uint8_t>& elements);

}  // namespace wrapper

#endif
