// PJRT_Client_UpdateGlobalProcessInfo: a framework's report on the processes of its job.
#include <utility>
#include <vector>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"

namespace reference::c_api {
namespace {

// PJRT_ProcessInfo before it got its struct_size.
struct OlderProcessInfo {
  int task_id;
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  int error_code;
  const char* error_message;
  size_t error_message_size;
};
constexpr int kMinorWithSize = 75;

template <typename Info>
ProcessInfo ProcessInfoFrom(const Info& info) {
  ProcessInfo result;
  result.task_id = info.task_id;
  result.incarnation_id = info.incarnation_id;
  result.state = static_cast<int>(info.state);
  if (info.state < PJRT_ProcessState_kUnspecified || info.state > PJRT_ProcessState_kError) {
    throw InvalidArgument(std::to_string(result.state) + " is no state of a process");
  }
  if (info.error_code != PJRT_Error_Code_OK) {
    result.error = CallersError(info.error_code, info.error_message, info.error_message_size);
  }
  return result;
}

}  // namespace

PJRT_Error* Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args* args) {
  return Call("PJRT_Client_UpdateGlobalProcessInfo", args, [&] {
    Client& client = ClientOf(args->client);
    GivenArray(args->process_infos, args->num_process_infos, "process_infos");
    std::vector<ProcessInfo> infos;
    for (size_t i = 0; i < args->num_process_infos; i++) {
      infos.push_back(ApiMinor() < kMinorWithSize
                          ? ProcessInfoFrom(reinterpret_cast<const OlderProcessInfo*>(args->process_infos)[i])
                          : ProcessInfoFrom(args->process_infos[i]));
    }
    client.UpdateProcessInfo(std::move(infos));
  });
}

}  // namespace reference::c_api
