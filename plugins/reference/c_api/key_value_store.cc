#include "c_api/key_value_store.h"

#include <utility>

#include "base/fault.h"
#include "c_api/call.h"

namespace reference {
namespace {

// The caller owns a value, so it is returned even on an exception.
template <typename Args>
std::string TakeValue(const Args& args) {
  std::string value;
  if (args.value != nullptr) value.assign(args.value, args.value_size);
  if (args.value_deleter_callback != nullptr && !FAULT("inside-key-value-never-freed")) {
    args.value_deleter_callback(args.value);
  }
  return value;
}

class CallersStore : public KeyValueStore {
 public:
  explicit CallersStore(const PJRT_Client_Create_Args* args)
      : get_(args->kv_get_callback),
        get_arg_(args->kv_get_user_arg),
        put_(args->kv_put_callback),
        put_arg_(args->kv_put_user_arg) {
    if (HAS(args, kv_try_get_user_arg)) {
      try_get_ = args->kv_try_get_callback;
      try_get_arg_ = args->kv_try_get_user_arg;
    }
    if (get_ == nullptr || put_ == nullptr) {
      throw InvalidArgument("a client of several nodes needs a key-value store, and there is none");
    }
  }

  std::string Get(const std::string& key, std::chrono::milliseconds timeout) override {
    PJRT_KeyValueGetCallback_Args args = {};
    args.struct_size = SizeOf<PJRT_KeyValueGetCallback_Args>().current;
    args.key = key.data();
    args.key_size = key.size();
    args.timeout_in_ms = static_cast<int>(timeout.count());
    args.callback_error = &kCallbackError;
    args.user_arg = get_arg_;
    ThrowIfFailed(get_(&args), key);
    return TakeValue(args);
  }

  std::optional<std::string> TryGet(const std::string& key) override {
    if (try_get_ == nullptr) return std::nullopt;
    PJRT_KeyValueTryGetCallback_Args args = {};
    args.struct_size = SizeOf<PJRT_KeyValueTryGetCallback_Args>().current;
    args.key = key.data();
    args.key_size = key.size();
    args.callback_error = &kCallbackError;
    args.user_arg = try_get_arg_;
    if (PJRT_Error* const given = try_get_(&args)) {
      Error error = TakeError(given);
      if (error.code == Code::kNotFound && !FAULT("inside-key-not-found-fails")) return std::nullopt;
      if (FAULT("inside-key-value-error-ignored")) return std::nullopt;
      throw Named(std::move(error), key);
    }
    return TakeValue(args);
  }

  void Put(const std::string& key, const std::string& value) override {
    PJRT_KeyValuePutCallback_Args args = {};
    args.struct_size = SizeOf<PJRT_KeyValuePutCallback_Args>().current;
    args.key = key.data();
    args.key_size = key.size();
    args.value = value.data();
    args.value_size = value.size();
    args.callback_error = &kCallbackError;
    args.user_arg = put_arg_;
    ThrowIfFailed(put_(&args), key);
  }

 private:
  static Error Named(Error error, const std::string& key) {
    error.message = "the key-value store, asked for " + key + ": " + error.message;
    return error;
  }
  static void ThrowIfFailed(PJRT_Error* error, const std::string& key) {
    if (error == nullptr) return;
    Error taken = TakeError(error);
    if (!FAULT("inside-key-value-error-ignored")) throw Named(std::move(taken), key);
  }

  PJRT_KeyValueGetCallback get_;
  void* get_arg_;
  PJRT_KeyValuePutCallback put_;
  void* put_arg_;
  PJRT_KeyValueTryGetCallback try_get_ = nullptr;
  void* try_get_arg_ = nullptr;
};

}  // namespace

std::unique_ptr<KeyValueStore> KeyValueStoreOf(const PJRT_Client_Create_Args* args) {
  return std::make_unique<CallersStore>(args);
}

}  // namespace reference
