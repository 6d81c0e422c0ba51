// A plugin made from another one: the base's table is copied, and some of its slots are wrapped.
//
//   After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes /= 2; });
//
// Wrapped functions may run on any thread. Two libraries use this, plugins/faults and plugins/designs; each can be the
// base of the other.
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

// ---- to be defined by a library
// ----------------------------------------------------------------------------------------

/** Its name in messages. */
extern const char* const kLibrary;
/** The environment variable that names its base. */
extern const char* const kBaseVariable;
/** Wraps slots; called once, in the first GetPjrtApi. */
void Install();
/** Records that the base lacks what is to be changed. */
void Missing(const char* what);
/** Records that a wrapped function was called and did something. */
void MarkReached();

// ---- provided to a library
// ---------------------------------------------------------------------------------------------

[[noreturn]] void Die(const std::string& message);

/** The table that callers get: a modified copy of the base's. */
PJRT_Api& Table();
/** The base's own table, for the wrapper's own calls. */
const PJRT_Api& Base();

/** Whether the base's table includes this slot and it is not NULL. */
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

/** The original function, for a wrapper to call. */
template <class S>
using Original = std::function<typename S::Result(typename S::Args*)>;

/** No call of a wrapped slot counts as reached: what is changed calls MarkReached() itself when it could be noticed. */
inline bool marks_itself = false;
inline void MarksItself() { marks_itself = true; }
/** Only calls of this slot that the base accepts count as reached; other slots are wrapped for its sake. */
template <class S>
inline bool is_subject = false;
template <class S>
void Subject() {
  marks_itself = is_subject<S> = true;
}
template <class S>
void MarkCalled() {
  if (!marks_itself || is_subject<S>) MarkReached();
}

/** The base's function. What it refuses, as a stub does, does not count as reached. */
template <class S>
typename S::Result CallBase(typename S::Args* args) {
  if constexpr (std::is_same_v<typename S::Result, PJRT_Error*>) {
    PJRT_Error* error = S::base()(args);
    if (error == nullptr) MarkCalled<S>();
    return error;
  } else {
    MarkCalled<S>();
    return S::base()(args);
  }
}

/** Replaces the slot's function by `body(args, original)`; `original(&args)` calls the previous one. */
template <class S>
void Replace(std::function<typename S::Result(typename S::Args&, const Original<S>&)> body) {
  if (!S::present()) return Missing("a function of the table");
  static thread_local bool asked = false;
  static Original<S> outermost = [](typename S::Args* args) -> typename S::Result {
    asked = true;
    return CallBase<S>(args);
  };
  outermost = [body, original = outermost](typename S::Args* args) -> typename S::Result { return body(*args, original); };
  S::table() = [](typename S::Args* args) -> typename S::Result {
    // Null arguments are left to the base.
    if (args == nullptr) return S::base()(args);
    asked = false;
    if constexpr (std::is_void_v<typename S::Result>) {
      outermost(args);
      if (!asked && !marks_itself) MarkReached();
    } else {
      typename S::Result result = outermost(args);
      if (!asked && !marks_itself) MarkReached();
      return result;
    }
  };
}

/** Runs `body(args)` before the call. */
template <class S>
void Before(std::function<void(typename S::Args&)> body) {
  Replace<S>([body](typename S::Args& args, const Original<S>& original) {
    body(args);
    return original(&args);
  });
}

/** Runs `body(args)` after the call if it succeeded. */
template <class S>
void After(std::function<void(typename S::Args&)> body) {
  Replace<S>([body](typename S::Args& args, const Original<S>& original) -> typename S::Result {
    if constexpr (std::is_void_v<typename S::Result>) {
      original(&args);
      body(args);
    } else {
      typename S::Result error = original(&args);
      if (error == nullptr) body(args);
      return error;
    }
  });
}

/** The slot returns success and does nothing. */
template <class S>
void Ignore() {
  Replace<S>([](typename S::Args&, const Original<S>&) -> PJRT_Error* { return nullptr; });
}

/** An error that the wrapped error functions recognise; destroyed by PJRT_Error_Destroy like any other. */
PJRT_Error* MakeError(PJRT_Error_Code code, std::string message);
/** Makes the table recognise errors of MakeError. To be called before functions of errors are wrapped. */
void OwnErrors();
/** Drops an error of the base. */
void Drop(PJRT_Error* error);
/** Zeroed arguments of a function: ARGS(PJRT_Buffer_Device, args). */
#define ARGS(function, name)       \
  function##_Args name{};          \
  (name).struct_size = function##_Args_STRUCT_SIZE
/** Calls a function of the base and drops its error; returns whether it succeeded. */
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

/** Whether a field is inside the caller's struct. */
#define HAS(args, Type, field) ((args).struct_size >= offsetof(Type, field) + sizeof((args).field))

template <class Args, class Call>
PJRT_Error* With(Args& args, const Call& original) {
  return original(&args);
}
/**
 * Calls with other values in some fields, and restores them: With(args, original, args.offset, 0) or
 * With(args, original, args.data, data, args.size, size).
 */
template <class Args, class Call, class T, class Value, class... More>
PJRT_Error* With(Args& args, const Call& original, T& field, Value value, More&&... more) {
  const T given = field;
  field = value;
  PJRT_Error* error = With(args, original, more...);
  field = given;
  return error;
}

/**
 * A copy of the base's extension of this type that belongs to the table; null (after calling Missing) if there is
 * none.
 */
PJRT_Extension_Base* ExtensionCopy(PJRT_Extension_Type type);
/** Keeps only the extensions for which `keep` is true. */
void KeepExtensions(const std::function<bool(PJRT_Extension_Type)>& keep);
template <class E>
E* Extension(PJRT_Extension_Type type) {
  return reinterpret_cast<E*>(ExtensionCopy(type));
}
/** Prepends an extension to the chain. */
void AddExtension(PJRT_Extension_Base* extension);

/** Replaces a function of an extension, once, by `body(args, original)`; `original(&args)` calls the base's. */
template <class A>
void ReplaceIn(PJRT_Error* (*&slot)(A*), std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> body) {
  if (slot == nullptr) return Missing("a function of an extension");
  static std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> action;
  static PJRT_Error* (*original)(A*) = nullptr;
  if (original != nullptr) Die("a function of an extension is replaced twice");
  action = std::move(body);
  original = slot;
  slot = [](A* args) -> PJRT_Error* {
    if (args == nullptr) return original(args);
    MarkReached();
    return action(*args, original);
  };
}

/** The result of each call of GetPjrtApi; by default the table. */
void OnGetPjrtApi(std::function<const PJRT_Api*()> give);

/** Waits for an event of the base and drops its error; true if it had none. */
bool Await(PJRT_Event* event);
void DestroyEvent(PJRT_Event* event);
/** The buffer's ready event, awaited. */
bool AwaitBuffer(PJRT_Buffer* buffer);
/** Whether the buffer's ready event is complete, or there is none. */
bool IsReady(PJRT_Buffer* buffer);

void SleepMs(int milliseconds);
/** Runs `body` on a new thread after a pause. */
void Later(int milliseconds, std::function<void()> body);

/** An event made here; callers can use it like any other after OwnEvents was called. One-shot. */
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
/** Makes the table recognise events made here. To be called before functions of events are wrapped. */
void OwnEvents();
/** A new event that is not ready. Never freed: for plugins with faults, which are short-lived. */
OwnEvent* NewEvent();
/** A new event that is ready, without an error. */
PJRT_Event* ReadyEvent();

/** Properties of a buffer of the base. */
struct Shape {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  size_t count() const;
};
Shape ShapeOf(PJRT_Buffer* buffer);
/** Bytes per element on hosts, also for types below a byte. */
size_t ElementBytes(PJRT_Buffer_Type type);
bool IsFloat(PJRT_Buffer_Type type);

/** Device of the buffer, or null. */
PJRT_Device* DeviceOf(PJRT_Buffer* buffer);
int64_t IdOf(PJRT_Device* device);
PJRT_Memory* MemoryOf(PJRT_Buffer* buffer);
/** Number of outputs of an executable. */
size_t OutputsOf(PJRT_LoadedExecutable* loaded);
/** The memory of a buffer as bytes that the host can write, or null (after calling Missing). Waits for the buffer. */
uint8_t* BytesOf(PJRT_Buffer* buffer);
/** Records the clients created from here on; required before changing contents. */
void WatchClients();
/**
 * The elements of a buffer, dense and row-major whatever the device's format. Changes are written back at the end: to
 * its memory or, if the host cannot access that, to another buffer that replaces it in `slot`.
 */
class Contents {
 public:
  explicit Contents(PJRT_Buffer*& slot);
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents();
  /** Null if they are unavailable. */
  uint8_t* bytes() { return memory_ != nullptr ? memory_ : changed_.empty() ? nullptr : changed_.data(); }

 private:
  PJRT_Buffer*& slot_;
  uint8_t* memory_ = nullptr;
  std::vector<uint8_t> before_, changed_;
};
/** Changes the contents of a buffer that has not been returned yet. */
void Change(PJRT_Buffer*& slot, const std::function<void(uint8_t*)>& change);
/** A copy of the elements, dense and row-major; empty if they cannot be read. Waits for the buffer. */
std::vector<uint8_t> ReadBack(PJRT_Buffer* buffer);
/** Creates a buffer with these elements in the memory of another buffer; null on failure. */
PJRT_Buffer* MakeBeside(PJRT_Buffer* other, const std::vector<uint8_t>& elements);

}  // namespace wrapper

#endif
