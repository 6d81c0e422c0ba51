#include "runtime/remote_participants.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"

namespace reference {

RemoteParticipants::RemoteParticipants(std::shared_ptr<ProcessGroup> processes, std::string launch,
                                       std::vector<int> process_of)
    : processes_(std::move(processes)), launch_(std::move(launch)), process_of_(std::move(process_of)) {}

RemoteParticipants::~RemoteParticipants() { processes_->Forget(launch_); }

int RemoteParticipants::ProcessOf(int64_t id) const {
  if (id < 0 || static_cast<size_t>(id) >= process_of_.size()) {
    throw InvalidArgument("a collective names " + std::to_string(id) + ", which is no participant of the launch");
  }
  return process_of_[static_cast<size_t>(id)];
}

bool RemoteParticipants::IsRemote(int64_t id) const { return ProcessOf(id) != processes_->process_index(); }

bool RemoteParticipants::Concerns(const std::vector<int64_t>& group) const {
  return std::any_of(group.begin(), group.end(), [&](int64_t id) { return IsRemote(id); });
}

std::vector<Array> RemoteParticipants::Exchange(int64_t me, const std::string& key, const std::vector<int64_t>& group,
                                                const Array& mine) {
  const auto name = [&](int64_t from, int64_t to) {
    return launch_ + key + "/" + std::to_string(from) + ">" + std::to_string(to);
  };
  const std::string packed = ProcessGroup::Pack(mine);
  for (const int64_t id : group) {
    if (id != me) processes_->Send(ProcessOf(id), name(me, id), packed);
  }
  std::vector<Array> result;
  for (const int64_t id : group) {
    if (id == me) {
      result.push_back(mine);
      continue;
    }
    Array theirs = ProcessGroup::Unpack(processes_->Receive(ProcessOf(id), name(id, me)));
    // Everyone computes with what it has itself.
    result.push_back(FAULT("inside-collective-of-one-process") ? mine : std::move(theirs));
  }
  return result;
}

void RemoteParticipants::Share(int64_t id, const std::string& key, const std::vector<int64_t>& with,
                               const Array& array) {
  std::set<int> processes;
  for (const int64_t other : with) {
    if (IsRemote(other)) processes.insert(ProcessOf(other));
  }
  if (processes.empty()) return;
  const std::string packed = ProcessGroup::Pack(array);
  for (const int process : processes) processes_->Send(process, launch_ + key + "/" + std::to_string(id), packed);
}

Array RemoteParticipants::Shared(int64_t id, const std::string& key) {
  return ProcessGroup::Unpack(processes_->Receive(ProcessOf(id), launch_ + key + "/" + std::to_string(id)));
}

void RemoteParticipants::Fail(const Error& error) { processes_->Fail(launch_, error); }

}  // namespace reference
