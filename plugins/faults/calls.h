// Changed calls: other arguments, other lists, texts and events in results, or an error.
#ifndef PJRT_FAULTS_CALLS_H_
#define PJRT_FAULTS_CALLS_H_

#include <algorithm>
#include <atomic>
#include <cstring>

#include "faults.h"

namespace faults {

/** The slot returns this error and does nothing. */
template <class S>
void Fail(PJRT_Error_Code code, const char* message) {
  OwnErrors();
  Replace<S>([code, message](auto&, auto&) -> PJRT_Error* { return MakeError(code, message); });
}

/** What a plugin says of a struct of another size than its own. */
inline PJRT_Error* BadSize(const char* what, size_t expected, size_t got) {
  return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, std::string("Unexpected ") + what + " size: expected " +
                                                         std::to_string(expected) + ", got " + std::to_string(got));
}

/** Gives the caller a changed copy of a list. The copy lives forever. */
template <class T>
void ChangeList(T*& list, size_t& count, const std::function<void(std::vector<std::remove_const_t<T>>&)>& change) {
  auto* copy = new std::vector<std::remove_const_t<T>>(list, list + count);
  change(*copy);
  list = copy->data();
  count = copy->size();
}
template <class T>
void ReverseList(T*& list, size_t& count) {
  ChangeList(list, count, [](auto& copy) { std::reverse(copy.begin(), copy.end()); });
}
/** Every second call has the list in reverse order. */
template <class T>
void ReverseEverySecond(T*& list, size_t& count) {
  static std::atomic<int> calls{0};
  ChangeList(list, count, [](auto& copy) {
    if (++calls % 2 == 0) std::reverse(copy.begin(), copy.end());
  });
}

/** Gives the caller a text that the next call overwrites. */
inline void MakeTemporary(const char*& text, size_t size) {
  static std::mutex mutex;
  static std::string rooms[2];
  static int next = 0;
  std::lock_guard<std::mutex> lock(mutex);
  for (char& c : rooms[next]) c = '?';
  std::string& room = rooms[next ^= 1];
  room.assign(text, size);
  text = room.data();
}

inline PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = 1;
  return value;
}

/** Completes an event as one of the base is completed; waits for that. */
inline void Forward(PJRT_Event* real, OwnEvent* own) {
  ARGS(PJRT_Event_Await, wait);
  wait.event = real;
  PJRT_Error* error = Base().PJRT_Event_Await(&wait);
  const int code = CodeOf(error);
  const std::string message = code == 0 ? "" : MessageOf(error);
  Drop(error);
  own->Set(code, message);
}

/** An event that is ready some time after an event of the base, with an error if that has one. */
inline OwnEvent* LateEvent(PJRT_Event* real, int milliseconds) {
  OwnEvent* event = NewEvent();
  Later(milliseconds, [real, event] { Forward(real, event); });
  return event;
}

/** An event that is ready when this one is, and has no error. */
inline PJRT_Event* WithoutError(PJRT_Event* real) {
  OwnEvent* event = NewEvent();
  Later(0, [real, event] {
    Await(real);
    event->Set();
  });
  return event->handle();
}

/** Replaces the ready events of the buffers that match, and those of their copies to the host. */
inline void ReplaceEvents(std::function<bool(PJRT_Buffer*)> matches, std::function<PJRT_Event*(PJRT_Event*)> replace) {
  After<SLOT(PJRT_Buffer_ReadyEvent)>([=](auto& args) {
    if (matches(args.buffer)) args.event = replace(args.event);
  });
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([=](auto& args) {
    if (args.event != nullptr && matches(args.src)) args.event = replace(args.event);
  });
}
inline bool IsComplete(PJRT_Event* event) {
  ARGS(PJRT_Event_IsReady, args);
  args.event = event;
  return Ask(Base().PJRT_Event_IsReady, args) && args.is_ready;
}

}  // namespace faults

#endif
