// Rendezvous of the devices of a launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "interpreter/interpreter.h"
#include "runtime/remote_participants.h"

namespace reference {

// Where the participants of a launch meet. No participant waits forever: if one of them fails or ends without arriving,
// or if all wait for one another, the waiting ones get an error.
class Rendezvous {
 public:
  // `participants` are the flat logical ids with a device in this process; `remote`, which may be null, has the others.
  Rendezvous(std::set<int64_t> participants, std::shared_ptr<RemoteParticipants> remote)
      : participants_(std::move(participants)), remote_(std::move(remote)) {}

  // As Collectives::Exchange, for participant `me`. The others' contributions are copied, so that no memory is shared
  // afterwards.
  std::vector<Array> Exchange(int64_t me, const std::string& key, const std::vector<int64_t>& group, Array mine);

  // A participant has ended; an error ends the launch.
  void Leave(int64_t me, const Error* error);
  // Whether a participant failed.
  bool failed() const;
  // The error.
  std::optional<Error> error() const;

 private:
  struct Meeting {
    std::map<int64_t, Array> brought;
    size_t copied = 0;
  };
  using Key = std::pair<std::string, std::vector<int64_t>>;

  void CheckGroup(int64_t me, const std::vector<int64_t>& group) const;
  // Why a meeting can never complete; null if it can.
  const Error* Hopeless(const Meeting& meeting, const std::vector<int64_t>& group) const;
  void Fail(Error error);

  const std::set<int64_t> participants_;
  const std::shared_ptr<RemoteParticipants> remote_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Meeting> meetings_;
  std::set<int64_t> left_;
  size_t waiting_ = 0;  // in meetings that are not complete
  std::optional<Error> error_;
};

// One participant's view of the rendezvous.
class ParticipantCollectives final : public Collectives {
 public:
  ParticipantCollectives(Rendezvous& rendezvous, int64_t me) : rendezvous_(rendezvous), me_(me) {}
  std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, Array mine) override {
    return rendezvous_.Exchange(me_, key, group, std::move(mine));
  }

 private:
  Rendezvous& rendezvous_;
  const int64_t me_;
};

}  // namespace reference
