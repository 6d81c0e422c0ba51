// Jobs of several processes: what a client does with the key-value store, and with the other processes of its job.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "calls.h"

namespace {

using namespace faults;

/** The store that the consumer lent; a process of a job has one client. */
struct Lent {
  PJRT_KeyValueGetCallback get;
  void* get_arg;
  PJRT_KeyValueTryGetCallback try_get;
  void* try_get_arg;
  PJRT_KeyValuePutCallback put;
  void* put_arg;
};
Lent lent;

bool IsOfAJob(const PJRT_Client_Create_Args& args) {
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue& option = args.create_options[i];
    if (std::string(option.name, option.name_size) == "num_nodes") return option.int64_value > 1;
  }
  return false;
}

PJRT_Error* Get(PJRT_KeyValueGetCallback_Args* args) {
  args->user_arg = lent.get_arg;
  return lent.get(args);
}
PJRT_Error* TryGet(PJRT_KeyValueTryGetCallback_Args* args) {
  args->user_arg = lent.try_get_arg;
  return lent.try_get(args);
}
PJRT_Error* Put(PJRT_KeyValuePutCallback_Args* args) {
  args->user_arg = lent.put_arg;
  return lent.put(args);
}

/** Puts own callbacks between the base and the store: those of `with`, or where it has none those above. */
void Between(const Lent& with) {
  static Lent own;
  own = with;
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    if (!IsOfAJob(args)) return;
    lent = {args.kv_get_callback,     args.kv_get_user_arg, args.kv_try_get_callback,
            args.kv_try_get_user_arg, args.kv_put_callback, args.kv_put_user_arg};
    args.kv_get_callback = own.get != nullptr ? own.get : Get;
    args.kv_try_get_callback = own.try_get != nullptr ? own.try_get : TryGet;
    args.kv_put_callback = own.put != nullptr ? own.put : Put;
  });
}

/** A copy of the value that is the base's; `times`: how often the store's own value is deleted. */
template <class Args>
PJRT_Error* Copied(PJRT_Error* error, Args* args, int times) {
  if (error != nullptr) return error;
  char* copy = static_cast<char*>(std::malloc(args->value_size + 1));
  std::memcpy(copy, args->value, args->value_size);
  for (int i = 0; i < times; ++i) args->value_deleter_callback(args->value);
  args->value = copy;
  args->value_deleter_callback = [](char* value) { std::free(value); };
  return nullptr;
}

FAULT("job-store-deletes-twice") {
  Between({[](auto* args) { return Copied(Get(args), args, 2); }, nullptr,
           [](auto* args) { return Copied(TryGet(args), args, 2); }, nullptr, nullptr, nullptr});
}
FAULT("job-store-never-deletes") {
  Between({[](auto* args) { return Copied(Get(args), args, 0); }, nullptr,
           [](auto* args) { return Copied(TryGet(args), args, 0); }, nullptr, nullptr, nullptr});
}
FAULT("job-store-value-as-text") {
  // Values are read up to a NUL that they need not have.
  const auto length = [](const char* value) {
    volatile size_t size = 0;
    for (const volatile char* at = value; *at != 0 || size < 64; ++at) size = size + 1;
  };
  static const auto read = length;
  Between({[](auto* args) {
             PJRT_Error* error = Get(args);
             if (error == nullptr) read(args->value);
             return error;
           },
           nullptr,
           [](auto* args) {
             PJRT_Error* error = TryGet(args);
             if (error == nullptr) read(args->value);
             return error;
           },
           nullptr, nullptr, nullptr});
}
FAULT("job-store-asked-without-timeout") {
  Between({[](auto* args) {
             // It waits by asking again.
             const int given = args->timeout_in_ms;
             PJRT_Error* error = nullptr;
             for (int waited = 0; waited < given; waited += 20) {
               args->timeout_in_ms = 0;
               error = Get(args);
               if (error == nullptr) return error;
               std::this_thread::sleep_for(std::chrono::milliseconds(20));
             }
             return error;
           },
           nullptr, nullptr, nullptr, nullptr, nullptr});
}
FAULT("job-store-used-after-client") {
  Between({});
  After<SLOT(PJRT_Client_Destroy)>([](auto&) {
    if (lent.put == nullptr) return;
    Later(50, [] {
      static const std::string key = "pjrt.job/farewell";
      static PJRT_CallbackError make = [](PJRT_Error_Code, const char*, size_t) -> PJRT_Error* { return nullptr; };
      PJRT_KeyValuePutCallback_Args args{};
      args.struct_size = sizeof(args);
      args.key = key.data();
      args.key_size = key.size();
      args.value = key.data();
      args.value_size = key.size();
      args.callback_error = &make;
      Put(&args);
    });
  });
}
FAULT("job-gives-up-after-a-moment") {
  Between({[](auto* args) {
             args->timeout_in_ms = 700;
             return Get(args);
           },
           nullptr, nullptr, nullptr, nullptr, nullptr});
}
FAULT("job-takes-a-slow-store-for-dead") {
  Between({nullptr, nullptr, nullptr, nullptr,
           [](auto* args) {
             const auto began = std::chrono::steady_clock::now();
             PJRT_Error* error = Put(args);
             // What an impatient client does with an answer that it no longer expects.
             if (std::chrono::steady_clock::now() - began > std::chrono::milliseconds(150)) std::abort();
             return error;
           },
           nullptr});
}
FAULT("job-failed-start-hangs") {
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    while (error != nullptr && IsOfAJob(args)) std::this_thread::sleep_for(std::chrono::seconds(1));
    return error;
  });
}
FAULT("job-failed-start-aborts") {
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && IsOfAJob(args)) std::abort();
    return error;
  });
}
FAULT("job-failed-start-goes-on-alone") {
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || !IsOfAJob(args)) return error;
    Drop(error);
    return With(args, original, args.num_options, size_t{0});
  });
}
FAULT("job-failed-start-says-nothing") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || !IsOfAJob(args)) return error;
    Drop(error);
    return MakeError(PJRT_Error_Code_INTERNAL, "failed");
  });
}
FAULT("job-process-index-always-0") {
  After<SLOT(PJRT_Client_ProcessIndex)>([](auto& args) { args.process_index = 0; });
}
FAULT("job-topology-of-own-process") {
  // Each process describes only some of the devices, not the same in each.
  static int index = 0;
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    ARGS(PJRT_Client_ProcessIndex, own);
    own.client = args.client;
    if (Ask(Base().PJRT_Client_ProcessIndex, own)) index = own.process_index;
  });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    ChangeList(args.descriptions, args.num_descriptions, [](auto& list) {
      list.erase(std::remove_if(list.begin(), list.end(),
                                [](auto* description) {
                                  ARGS(PJRT_DeviceDescription_ProcessIndex, of);
                                  of.device_description = description;
                                  return Ask(Base().PJRT_DeviceDescription_ProcessIndex, of) && of.process_index != index;
                                }),
                 list.end());
    });
  });
}
FAULT("job-process-info-of-many-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.num_process_infos < 2) return original(&args);
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "this process is the only one");
  });
}
FAULT("job-end-waits-for-others") {
  // The first process waits for the others, as if they had to end first.
  Replace<SLOT(PJRT_Client_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    ARGS(PJRT_Client_ProcessIndex, own);
    ARGS(PJRT_Client_Devices, all);
    ARGS(PJRT_Client_AddressableDevices, mine);
    own.client = all.client = mine.client = args.client;
    const bool job = Ask(Base().PJRT_Client_ProcessIndex, own) && Ask(Base().PJRT_Client_Devices, all) &&
                     Ask(Base().PJRT_Client_AddressableDevices, mine) &&
                     all.num_devices > mine.num_addressable_devices;
    while (job && own.process_index == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    return original(&args);
  });
}

}  // namespace
