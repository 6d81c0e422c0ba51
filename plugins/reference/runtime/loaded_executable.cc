#include "runtime/loaded_executable.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/design.h"
#include "base/fault.h"
#include "runtime/bytes.h"
#include "runtime/launch.h"
#include "runtime/transfers.h"

namespace reference {

namespace {

std::string Number(size_t value) { return std::to_string(value); }

void CheckArgument(const ProgramParameter& parameter, const Buffer& buffer, const Client& client, const Device& device,
                   const std::string& place) {
  if (buffer.client() != &client) throw InvalidArgument(place + " belongs to another client");
  if (buffer.device() != &device) {
    throw InvalidArgument(place + " is on device " + std::to_string(buffer.device()->id()) + ", the program runs on " +
                          std::to_string(device.id()));
  }
  if (buffer.type() != parameter.local) {
    throw InvalidArgument(place + " is " + buffer.type().ToString() + ", the program takes " +
                          parameter.local.ToString());
  }
}

}  // namespace

DeviceAssignment DefaultAssignment(const Client& client, int num_replicas, int num_partitions) {
  if (num_replicas < 1 || num_partitions < 1) {
    throw InvalidArgument("a device assignment for " + std::to_string(num_replicas) + " replicas of " +
                          std::to_string(num_partitions) + " partitions");
  }
  const int64_t count = int64_t{num_replicas} * num_partitions;
  std::vector<Device*> devices = client.addressable_devices();
  if (count > static_cast<int64_t>(devices.size())) {
    devices.clear();
    for (const auto& device : client.devices()) devices.push_back(device.get());
  }
  if (count > static_cast<int64_t>(devices.size())) {
    throw InvalidArgument(std::to_string(num_replicas) + " replicas of " + std::to_string(num_partitions) +
                          " partitions are more than the " + Number(devices.size()) + " devices there are");
  }
  DeviceAssignment assignment;
  assignment.num_replicas = num_replicas;
  assignment.num_partitions = num_partitions;
  for (int64_t i = 0; i < count; i++) assignment.devices.push_back(devices[static_cast<size_t>(i)]->id());
  return assignment;
}

LoadedExecutable::LoadedExecutable(std::shared_ptr<const Executable> executable, std::shared_ptr<Client> client)
    : executable_(std::move(executable)), client_(std::move(client)) {
  const CompileOptions& options = executable_->options();
  if (options.portable) return;
  if (options.assignment) {
    assignment_ = options.assignment;
  } else if (options.device_ordinal > 0 && options.num_replicas * options.num_partitions == 1) {
    assignment_ = DeviceAssignment{1, 1, {options.device_ordinal}};
  } else {
    assignment_ = DefaultAssignment(*client_, options.num_replicas, options.num_partitions);
  }
  std::set<int> seen;
  for (int replica = 0; replica < assignment_->num_replicas; replica++) {
    for (int partition = 0; partition < assignment_->num_partitions; partition++) {
      const int id = assignment_->devices[static_cast<size_t>(replica * assignment_->num_partitions + partition)];
      if (!seen.insert(id).second) {
        throw InvalidArgument("the device assignment names device " + std::to_string(id) + " twice");
      }
      Device* device = client_->LookupDevice(id);
      if (device->addressable()) devices_.push_back({replica, partition, device});
    }
  }
  if (devices_.empty()) throw InvalidArgument("the device assignment names no device of this process");
}

Execution LoadedExecutable::Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options,
                                    Device* device) {
  const auto remote = OtherProcesses();
  try {
    return Execute(arguments, options, device, remote);
  } catch (const Error& error) {
    // The others have begun, or will.
    if (remote != nullptr) remote->Fail(error);
    throw;
  }
}

Execution LoadedExecutable::FailingExecution(size_t num_devices, Device* device, const Error& error) const {
  std::vector<Device*> devices;
  for (const LogicalDevice& logical : devices_) devices.push_back(logical.device);
  if (executable_->options().portable) {
    const bool usable = device != nullptr && device->client() == client_.get() && device->addressable();
    devices = {usable ? device : client_->addressable_devices().at(0)};
  }
  if (num_devices != devices.size()) throw Error(error);
  Execution execution;
  for (const Device* on : devices) {
    execution.outputs.emplace_back();
    for (const ProgramValue& output : executable_->outputs()) {
      execution.outputs.back().push_back(
          FailingBuffer(on->memory(MemoryKindName(output.memory_kind)), output.local, error));
    }
    execution.done.push_back(FailingEvent(*on, error));
  }
  return execution;
}

std::shared_ptr<RemoteParticipants> LoadedExecutable::OtherProcesses() const {
  const auto& processes = client_->options().processes;
  if (!assignment_ || assignment_->devices.size() == devices_.size()) return nullptr;
  if (processes == nullptr) {
    throw Error(Code::kUnavailable, "the program runs on devices of another process, which cannot be reached");
  }
  std::vector<int> process_of;
  for (const int id : assignment_->devices) process_of.push_back(client_->LookupDevice(id)->process_index());
  // Not the fingerprint: its options name the process.
  const uint64_t program = Hash(executable_->optimized_program(), Hash(assignment_->Serialize()));
  return std::make_shared<RemoteParticipants>(processes, processes->NextLaunch(std::to_string(program)),
                                              std::move(process_of));
}

Execution LoadedExecutable::Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options,
                                    Device* device, const std::shared_ptr<RemoteParticipants>& remote) {
  if (deleted_) throw InvalidArgument("the executable " + executable_->name() + " is deleted");
  std::vector<LogicalDevice> devices = devices_;
  if (executable_->options().portable) {
    if (arguments.size() != 1) {
      throw InvalidArgument("a portable executable runs on one device, with one list of arguments, not " +
                            Number(arguments.size()));
    }
    if (device == nullptr && !arguments[0].empty()) device = arguments[0][0]->device();
    if (device == nullptr) device = client_->addressable_devices().at(0);
    devices = {{0, 0, device}};
  } else if (device != nullptr) {
    // A replica runs alone, as in PyTorch/XLA; partitions share their arrays.
    const auto place = std::find_if(devices.begin(), devices.end(),
                                    [&](const LogicalDevice& one) { return one.device == device; });
    const bool alone = devices.size() == 1 || executable_->options().num_partitions == 1;
    if (arguments.size() != 1 || place == devices.end() || !alone) {
      throw InvalidArgument("execute_device is device " + std::to_string(device->id()) +
                            ", on which the executable cannot run alone, with one list of arguments");
    }
    devices = {FAULT("inside-replica-by-device-is-first") ? LogicalDevice{0, 0, device} : *place};
  }
  if (device != nullptr && (device->client() != client_.get() || !device->addressable())) {
    throw InvalidArgument("device " + std::to_string(device->id()) + " is none of this process and client");
  }
  if (arguments.size() != devices.size()) {
    throw InvalidArgument("the executable " + executable_->name() + " runs on " + Number(devices.size()) +
                          " devices, there are lists of arguments for " + Number(arguments.size()));
  }
  const auto& parameters = executable_->parameters();
  std::vector<bool> donated(parameters.size());
  for (size_t p = 0; p < parameters.size(); p++) {
    const bool kept = options.non_donatable.count(static_cast<int64_t>(p)) != 0;
    if (kept && parameters[p].must_alias) {
      throw InvalidArgument("argument " + Number(p) + " is to be kept, but the program has to take its place");
    }
    donated[p] = parameters[p].alias_output >= 0 && !kept && !ThisDesign().no_donation;
  }
  for (size_t d = 0; d < devices.size(); d++) {
    const std::string list = devices.size() == 1 ? "" : " for device " + std::to_string(devices[d].device->id());
    if (arguments[d].size() != parameters.size()) {
      throw InvalidArgument("the program takes " + Number(parameters.size()) + " arguments, there are " +
                            Number(arguments[d].size()) + list);
    }
    std::map<const Buffer*, bool> seen;
    for (size_t p = 0; p < parameters.size(); p++) {
      const Buffer& buffer = *arguments[d][p];
      CheckArgument(parameters[p], buffer, *client_, *devices[d].device, "argument " + Number(p) + list);
      const auto [other, first] = seen.emplace(&buffer, donated[p]);
      if (!first && (other->second || donated[p])) {
        throw InvalidArgument("argument " + Number(p) + list + " is donated, and is another argument as well");
      }
    }
  }
  return BeginLaunch(executable_, client_, devices, arguments, donated, options, remote);
}

}  // namespace reference
