// The participants of a launch in other processes of the job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/error.h"
#include "runtime/process_group.h"

namespace reference {

class RemoteParticipants {
 public:
  // `launch` is from ProcessGroup::NextLaunch; `process_of` has the process of each flat logical id.
  RemoteParticipants(std::shared_ptr<ProcessGroup> processes, std::string launch, std::vector<int> process_of);
  // Unreceived messages are dropped.
  ~RemoteParticipants();

  bool IsRemote(int64_t id) const;
  // Whether one of the group runs elsewhere.
  bool Concerns(const std::vector<int64_t>& group) const;
  // As Collectives::Exchange, for participant `me` of this process. Throws if a process is gone or the launch failed.
  std::vector<Array> Exchange(int64_t me, const std::string& key, const std::vector<int64_t>& group, const Array& mine);
  // Sends an array of participant `id` of this process to the other processes that run one of `with`, once each.
  void Share(int64_t id, const std::string& key, const std::vector<int64_t>& with, const Array& array);
  // An array shared by the process of participant `id`.
  Array Shared(int64_t id, const std::string& key);
  // Ends the launch in all processes.
  void Fail(const Error& error);

 private:
  int ProcessOf(int64_t id) const;

  const std::shared_ptr<ProcessGroup> processes_;
  const std::string launch_;
  const std::vector<int> process_of_;
};

}  // namespace reference
