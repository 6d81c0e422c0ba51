// One execution of a program, on all of its devices.
#pragma once

#include <memory>
#include <vector>

#include "runtime/loaded_executable.h"
#include "runtime/remote_participants.h"

namespace reference {

// Creates the outputs, takes the arguments and queues the work; the arguments must match the program, donated[p] says
// whether argument p is taken over. Throws if an argument is deleted, cannot be donated, or there is no memory for the
// outputs, and then has taken nothing. `remote`, which may be null, has the participating devices of other processes.
Execution BeginLaunch(std::shared_ptr<const Executable> executable, std::shared_ptr<Client> client,
                      const std::vector<LogicalDevice>& devices, const std::vector<std::vector<Buffer*>>& arguments,
                      const std::vector<bool>& donated, const ExecuteOptions& options,
                      std::shared_ptr<RemoteParticipants> remote);

}  // namespace reference
