// What errors say, and when there are any.
#include <atomic>
#include <string>

#include "../reference/c_api/functions.h"
#include "habits.h"

namespace designs {
namespace {

std::string MessageOfAny(PJRT_Error* error) {
  ARGS(PJRT_Error_Message, args);
  args.error = error;
  Table().PJRT_Error_Message(&args);
  return args.message == nullptr ? std::string() : std::string(args.message, args.message_size);
}

bool HasPayloads(PJRT_Error* error) {
  if (!SLOT(PJRT_Error_ForEachPayload)::present()) return false;
  bool any = false;
  ARGS(PJRT_Error_ForEachPayload, args);
  args.error = error;
  args.visitor = [](const char*, size_t, const char*, size_t, void* found) { *static_cast<bool*>(found) = true; };
  args.user_arg = &any;
  DropAny(Table().PJRT_Error_ForEachPayload(&args));
  return any;
}

/** Whether this function only says what an error is. */
template <class S>
constexpr bool kIsOfErrors = !std::is_same_v<typename S::Result, PJRT_Error*> ||
                             kIsOneOf<S, SLOT(PJRT_Error_GetCode), SLOT(PJRT_Error_ForEachPayload)>;

/**
 * Errors that a call may pass on from someone else (of an error buffer, of an event that the caller sets) stay as they are:
 * "the execution will fail with the given error code and message".
 */
template <class S>
constexpr bool kPassesOn =
    kIsOneOf<S, SLOT(PJRT_Event_Await), SLOT(PJRT_Event_Error), SLOT(PJRT_Event_OnReady), SLOT(PJRT_Event_IsReady),
             SLOT(PJRT_Event_Destroy), SLOT(PJRT_Event_Create), SLOT(PJRT_Event_Set), SLOT(PJRT_Client_Create),
             SLOT(PJRT_LoadedExecutable_Execute), SLOT(PJRT_Buffer_ToHostBuffer), SLOT(PJRT_Buffer_CopyRawToHost),
             SLOT(PJRT_Buffer_CopyToDevice), SLOT(PJRT_Buffer_CopyToMemory), SLOT(PJRT_Buffer_ReadyEvent)>;

using Reword = void (*)(PJRT_Error_Code& code, std::string& message);

template <class S>
void RewordErrorsOf(Reword reword) {
  if constexpr (!kIsOfErrors<S> && !kPassesOn<S>) {
    Replace<S>([reword](auto& args, auto& original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      // What has payloads keeps them.
      if (error == nullptr || HasPayloads(error)) return error;
      PJRT_Error_Code code = CodeOfAny(error);
      std::string message = MessageOfAny(error);
      DropAny(error);
      reword(code, message);
      return MakeError(code, message);
    });
  }
}

void RewordErrors(Reword reword) {
#define REWORD(name) RewordErrorsOf<SLOT(PJRT_##name)>(reword);
  REFERENCE_C_API_FUNCTIONS(REWORD)
#undef REWORD
}

}  // namespace

/**
 * Messages of several kilobytes, in UTF-8 beyond ASCII, of many lines.
 * "Gets the human-readable reason for `error`": nothing is said of its length, of lines or of letters.
 */
void TracedMessages() {
  RewordErrors([](PJRT_Error_Code&, std::string& message) {
    message = "[узел-7/加速器 №3] " + message + "\n\nServer stack (µs since start):\n";
    for (int frame = 0; frame < 64; ++frame) {
      message += "\t#" + std::to_string(frame) + "\t«воркер»::φ<" + std::to_string(frame * 7919) +
                 ">(const Tensor<α, β> &x, \"%s%n\", '\\0', ]]>) — réseau.cc:" + std::to_string(100 + frame) + "\n";
    }
  });
}

/** Other codes. "Codes are based on https://abseil.io/…": the header says of no wrong call which code it has. */
void OtherCodes() {
  RewordErrors([](PJRT_Error_Code& code, std::string&) {
    if (code == PJRT_Error_Code_INVALID_ARGUMENT) code = PJRT_Error_Code_UNKNOWN;
    if (code == PJRT_Error_Code_NOT_FOUND) code = PJRT_Error_Code_OUT_OF_RANGE;
    if (code == PJRT_Error_Code_FAILED_PRECONDITION) code = PJRT_Error_Code_ABORTED;
  });
}

/**
 * Before PJRT_Plugin_Initialize everything but the functions of errors fails.
 * "One-time plugin setup. Must be called before any other functions are called."
 */
void StrictInitialize() {
  static std::atomic<bool> initialized{false};
  After<SLOT(PJRT_Plugin_Initialize)>([](auto&) { initialized = true; });
#define AFTER_INITIALIZE(name)                                                                             \
  if constexpr (!kIsOfErrors<SLOT(PJRT_##name)> && !kIsOneOf<SLOT(PJRT_##name), SLOT(PJRT_Plugin_Initialize)>) { \
    Replace<SLOT(PJRT_##name)>([](auto& args, auto& original) -> PJRT_Error* {                             \
      if (initialized) return original(&args);                                                             \
      return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "PJRT_Plugin_Initialize has not been called");  \
    });                                                                                                    \
  }
  REFERENCE_C_API_FUNCTIONS(AFTER_INITIALIZE)
#undef AFTER_INITIALIZE
}

}  // namespace designs
