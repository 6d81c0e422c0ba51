// A compiled program on the devices of a client.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/executable.h"
#include "runtime/execute_context.h"
#include "runtime/remote_participants.h"

namespace reference {

// Callbacks of a host for a running program, by channel.
using SendToHost = std::function<void(const Array& data)>;
using ReceiveFromHost = std::function<Array(const ArrayType& type)>;

struct HostChannels {
  std::map<int64_t, SendToHost> sends;
  std::map<int64_t, ReceiveFromHost> receives;
};

struct ExecuteOptions {
  int32_t launch_id = 0;
  std::set<int64_t> non_donatable;  // arguments that must not be donated, whatever the program says
  std::shared_ptr<const ExecuteContext> context;
  std::shared_ptr<const Dictionary> custom_options;  // for handlers of custom calls; null: none
  std::vector<HostChannels> channels;  // one for each device, or none
};

// A replica and a partition with the device that runs them.
struct LogicalDevice {
  int replica = 0;
  int partition = 0;
  Device* device = nullptr;
};

struct Execution {
  std::vector<std::vector<std::unique_ptr<Buffer>>> outputs;  // of each device
  std::vector<EventPtr> done;                                 // completion of each device's outputs
};

class LoadedExecutable {
 public:
  // If the options leave the devices open, they are those of DefaultAssignment. Throws InvalidArgument for devices that
  // the client does not have.
  LoadedExecutable(std::shared_ptr<const Executable> executable, std::shared_ptr<Client> client);

  const std::shared_ptr<const Executable>& executable() const { return executable_; }
  const std::shared_ptr<Client>& client() const { return client_; }
  // None for a portable executable.
  const std::optional<DeviceAssignment>& assignment() const { return assignment_; }
  // Those of this process, in the order of the argument lists.
  const std::vector<LogicalDevice>& devices() const { return devices_; }

  // Executions that have begun continue.
  void Delete() { deleted_ = true; }
  bool deleted() const { return deleted_; }

  // Begins an execution with a list of arguments for each device. `device` is for a portable executable, or null.
  // Throws if the arguments do not match the program, without side effects.
  Execution Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options, Device* device);
  // The result of an execution that could not begin, with a late error. Throws the error unless there are `num_devices`
  // devices.
  Execution FailingExecution(size_t num_devices, Device* device, const Error& error) const;

 private:
  // For a launch on devices of several processes: the connection with its other parts; else null.
  std::shared_ptr<RemoteParticipants> OtherProcesses() const;
  Execution Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options, Device* device,
                    const std::shared_ptr<RemoteParticipants>& remote);

  const std::shared_ptr<const Executable> executable_;
  const std::shared_ptr<Client> client_;
  std::optional<DeviceAssignment> assignment_;
  std::vector<LogicalDevice> devices_;
  std::atomic<bool> deleted_{false};
};

// Devices of this process if they suffice, else the first of all. Throws InvalidArgument for counts that are not
// positive, or more than there are devices.
DeviceAssignment DefaultAssignment(const Client& client, int num_replicas, int num_partitions);

}  // namespace reference
