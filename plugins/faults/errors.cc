// Errors: codes, messages, payloads, their function table, ownership.
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "calls.h"

namespace {

using namespace faults;

FAULT("error-code-zero") {
  After<SLOT(PJRT_Error_GetCode)>([](auto& args) { args.code = PJRT_Error_Code_OK; });
}
FAULT("error-code-out-of-enum") {
  After<SLOT(PJRT_Error_GetCode)>([](auto& args) { args.code = static_cast<PJRT_Error_Code>(500 + args.code); });
}
FAULT("error-code-changes") {
  static std::atomic<int> calls{0};
  After<SLOT(PJRT_Error_GetCode)>([](auto& args) {
    if (++calls % 2 == 0) args.code = PJRT_Error_Code_UNKNOWN;
  });
}
FAULT("error-code-always-unknown") {
  After<SLOT(PJRT_Error_GetCode)>([](auto& args) { args.code = PJRT_Error_Code_UNKNOWN; });
}
FAULT("error-message-size-counts-nul") {
  // The base's messages end in a NUL in memory; other texts may not.
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    static thread_local std::string kept;
    kept.assign(args.message, args.message_size);
    args.message = kept.c_str();
    args.message_size = kept.size() + 1;
  });
}
FAULT("error-message-empty") {
  After<SLOT(PJRT_Error_Message)>([](auto& args) { args.message_size = 0; });
}
FAULT("error-message-null-with-size") {
  After<SLOT(PJRT_Error_Message)>([](auto& args) { args.message = nullptr; });
}
FAULT("error-message-not-utf8") {
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    static const char text[] = "\xff\xfe failed";
    args.message = text;
    args.message_size = sizeof(text) - 1;
  });
}
FAULT("error-message-is-a-temporary") {
  // Each call builds the text again and invalidates the old one.
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    static std::mutex mutex;
    static std::string rooms[2];
    static int next = 0;
    std::lock_guard<std::mutex> lock(mutex);
    std::string& room = rooms[next ^= 1];
    std::string& other = rooms[next ^ 1];
    room.assign(args.message, args.message_size);
    for (char& c : other) c = '?';
    args.message = room.data();
  });
}
FAULT("error-message-of-last-error") {
  // The text is stored once for the whole process: every error has that of the last one.
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    static std::mutex mutex;
    static std::string last;
    static const void* seen = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (seen == nullptr) last.assign(args.message, args.message_size);
    seen = args.error;
    args.message = last.data();
    args.message_size = last.size();
  });
}
FAULT("error-messages-share-memory") {
  // The C string of the newest error is the one that all can be asked for.
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    static std::mutex mutex;
    static char room[1 << 16];
    std::lock_guard<std::mutex> lock(mutex);
    if (args.message_size >= sizeof(room)) args.message_size = sizeof(room) - 1;
    std::memmove(room, args.message, args.message_size);
    room[args.message_size] = '\0';
    args.message = room;
  });
}
FAULT("error-messages-in-a-ring") {
  // The texts of eight calls are kept, whichever errors they belong to.
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    static std::mutex mutex;
    static char ring[8][4096];
    static size_t next = 0;
    std::lock_guard<std::mutex> lock(mutex);
    char* room = ring[next++ % std::size(ring)];
    args.message_size = std::min(args.message_size, sizeof(ring[0]));
    std::memcpy(room, args.message, args.message_size);
    args.message = room;
  });
}
FAULT("error-message-ends-with-equal-one") {
  // Errors of equal text share it, and the first to go takes it along.
  static std::mutex mutex;
  static std::map<std::string, std::string> texts;
  static std::map<const void*, std::string*> owners;
  Replace<SLOT(PJRT_Error_Message)>([](auto& args, auto& original) {
    original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    const std::string text(args.message, args.message_size);
    std::string& shared = texts.emplace(text, text).first->second;
    owners[args.error] = &shared;
    args.message = shared.data();
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto owner = owners.find(args.error);
    if (owner == owners.end()) return;
    for (char& c : *owner->second) c = '?';
    owners.erase(owner);
  });
}
FAULT("error-payloads-of-newest-error") {
  // Payloads are stored once, by the event that ended last.
  static std::mutex mutex;
  static PJRT_Error* newest = nullptr;
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error != nullptr) newest = error;
    return error;
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (newest == args.error) newest = nullptr;
  });
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return newest == nullptr ? original(&args) : With(args, original, args.error, newest);
  });
}
FAULT("error-destroy-does-nothing") { Table().PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args*) { MarkReached(); }; }
/** Errors whose memory has been reused: reading them gives garbage. */
std::mutex freed_mutex;
std::set<const void*> freed;
void Free(PJRT_Error* error) {
  std::lock_guard<std::mutex> lock(freed_mutex);
  if (error != nullptr) freed.insert(error);
}
bool IsFreed(const void* error) {
  std::lock_guard<std::mutex> lock(freed_mutex);
  return freed.count(error) > 0;
}
void FreedErrorsAreGarbage() {
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    static const char garbage[] = "\x10\xa3\x55\x01";
    if (!IsFreed(args.error)) return;
    args.message = garbage;
    args.message_size = 4;
  });
  After<SLOT(PJRT_Error_GetCode)>([](auto& args) {
    if (IsFreed(args.error)) args.code = static_cast<PJRT_Error_Code>(0x0155a310);
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(freed_mutex);
    freed.erase(args.error);
  });
}
FAULT("error-freed-with-client") {
  // Errors belong to their client.
  FreedErrorsAreGarbage();
  static std::mutex mutex;
  static std::map<PJRT_Client*, std::vector<PJRT_Error*>> given;
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error != nullptr) given[args.client].push_back(error);
    return error;
  });
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error != nullptr) given[args.client].push_back(error);
    return error;
  });
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Error* one : given[args.client]) Free(one);
    given.erase(args.client);
  });
}
FAULT("error-freed-with-buffer") {
  FreedErrorsAreGarbage();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::vector<PJRT_Error*>> given;
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error != nullptr) given[args.src].push_back(error);
    return error;
  });
  After<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Error* one : given[args.buffer]) Free(one);
    given.erase(args.buffer);
  });
}
FAULT("error-payload-visited-twice") {
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& original) -> PJRT_Error* {
    original(&args);
    return original(&args);
  });
}
FAULT("error-payload-invented") {
  After<SLOT(PJRT_Error_ForEachPayload)>([](auto& args) {
    static int calls = 0;
    const std::string key = "call" + std::to_string(++calls);
    if (args.visitor != nullptr) args.visitor(key.data(), key.size(), "x", 1, args.user_arg);
  });
}
FAULT("error-payload-argument-lost") {
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.user_arg, nullptr);
  });
}
FAULT("error-payloads-dropped") { Ignore<SLOT(PJRT_Error_ForEachPayload)>(); }
FAULT("error-payloads-unimplemented") {
  Fail<SLOT(PJRT_Error_ForEachPayload)>(PJRT_Error_Code_UNIMPLEMENTED, "no payloads");
}
FAULT("error-payloads-without-visitor-crash") {
  Before<SLOT(PJRT_Error_ForEachPayload)>([](auto& args) {
    if (args.visitor == nullptr) std::abort();
  });
}
/** An error of the base with another function table. */
FAULT("error-table-null") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && Base().pjrt_api_version.minor_version >= 107) error->vtable = nullptr;
    return error;
  });
  if (Base().pjrt_api_version.minor_version < 107) Missing("a function table of errors");
}
FAULT("error-table-code-differs") {
  if (Base().pjrt_api_version.minor_version < 107) return Missing("a function table of errors");
  static PJRT_Error_FunctionTable table;
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      table = *error->vtable;
      table.get_code = [](const PJRT_Error*) { return PJRT_Error_Code_DATA_LOSS; };
      error->vtable = &table;
    }
    return error;
  });
}
FAULT("error-table-destroy-aborts") {
  if (Base().pjrt_api_version.minor_version < 107) return Missing("a function table of errors");
  static PJRT_Error_FunctionTable table;
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      table = *error->vtable;
      table.destroy = [](PJRT_Error*) { std::abort(); };
      error->vtable = &table;
    }
    return error;
  });
}

FAULT("error-message-lost-with-payloads") {
  // Reading the payloads takes the status apart.
  static std::mutex mutex;
  static std::set<const void*> read;
  After<SLOT(PJRT_Error_ForEachPayload)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    read.insert(args.error);
  });
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (read.count(args.error) > 0) args.message_size = 0;
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    read.erase(args.error);
  });
}
/** The thread that loaded the plugin. */
std::thread::id first_thread;
FAULT("error-message-lost-on-other-threads") {
  // Messages are kept for the thread that initialized the plugin only.
  first_thread = std::this_thread::get_id();
  OwnErrors();
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || std::this_thread::get_id() == first_thread) return error;
    const int code = CodeOf(error);
    Drop(error);
    return MakeError(static_cast<PJRT_Error_Code>(code), "");
  });
}
FAULT("error-payloads-of-first-error") {
  // There is one table of payloads; the error that is alive first owns it.
  static std::mutex mutex;
  static const void* owner = nullptr;
  Replace<SLOT(PJRT_Error_ForEachPayload)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (owner == nullptr) owner = args.error;
      if (owner != args.error) return nullptr;
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.error == owner) owner = nullptr;
  });
}
FAULT("error-reported-by-another-client") {
  // A failure is kept for the process, and whichever other client looks something up next returns it as well.
  OwnErrors();
  static std::mutex mutex;
  static PJRT_Client* failed = nullptr;
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error != nullptr) {
      failed = args.client;
    } else if (failed != nullptr && failed != args.client) {
      failed = nullptr;
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no such device");
    }
    return error;
  });
}

}  // namespace
