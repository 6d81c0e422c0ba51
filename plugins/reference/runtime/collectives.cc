#include "runtime/collectives.h"

#include <cstring>

namespace reference {

namespace {

Array Copied(const Array& array) {
  Array copy(array.type());
  if (array.bytes() > 0) std::memcpy(copy.mutable_data(), array.data(), array.bytes());
  return copy;
}

std::string Ids(const std::vector<int64_t>& group) {
  std::string text;
  for (const int64_t id : group) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

}  // namespace

void Rendezvous::CheckGroup(int64_t me, const std::vector<int64_t>& group) const {
  std::set<int64_t> members;
  for (const int64_t id : group) {
    if (!members.insert(id).second) {
      throw InvalidArgument("a collective among {" + Ids(group) + "}: " + std::to_string(id) + " is named twice");
    }
    if (participants_.count(id) == 0 && !(remote_ && remote_->IsRemote(id))) {
      throw Unimplemented("a collective among {" + Ids(group) + "}: " + std::to_string(id) +
                          " does not run in this process");
    }
  }
  if (members.count(me) == 0) {
    throw Internal("a collective among {" + Ids(group) + "}, without " + std::to_string(me) + " who came");
  }
}

const Error* Rendezvous::Hopeless(const Meeting& meeting, const std::vector<int64_t>& group) const {
  static const Error gone(Code::kFailedPrecondition, "a collective waits for a participant that has ended without it");
  if (error_) return &*error_;
  for (const int64_t id : group) {
    if (left_.count(id) != 0 && meeting.brought.count(id) == 0) return &gone;
  }
  return nullptr;
}

void Rendezvous::Fail(Error error) {
  if (!error_) error_ = std::move(error);
  changed_.notify_all();
}

std::vector<Array> Rendezvous::Exchange(int64_t me, const std::string& key, const std::vector<int64_t>& group,
                                        Array mine) {
  CheckGroup(me, group);
  if (group.size() == 1) return {std::move(mine)};
  if (remote_ && remote_->Concerns(group)) return remote_->Exchange(me, key, group, mine);
  std::unique_lock<std::mutex> lock(mutex_);
  const Key name(key, group);
  Meeting& meeting = meetings_[name];
  if (!meeting.brought.emplace(me, mine).second) {
    throw Internal("participant " + std::to_string(me) + " came twice to the collective " + key);
  }
  if (meeting.brought.size() == group.size()) {
    waiting_ -= group.size() - 1;
    changed_.notify_all();
  } else {
    waiting_++;
    if (waiting_ == participants_.size() - left_.size()) {
      Fail(FailedPrecondition("all participants of the launch wait for one another, in different collectives"));
    }
    const auto complete = [&] { return meeting.brought.size() == group.size(); };
    changed_.wait(lock, [&] { return complete() || Hopeless(meeting, group) != nullptr; });
    if (!complete()) {
      const Error error = *Hopeless(meeting, group);
      waiting_--;
      // Late participants must not find the meeting half full, as if others were waiting.
      meeting.brought.erase(me);
      Fail(error);
      throw error;
    }
  }
  // From here on the meeting completes whatever happens to the launch: no participant leaves before all have copied the
  // others' contributions, so that no memory is read after its owner has continued.
  std::vector<const Array*> brought;
  for (const int64_t id : group) brought.push_back(&meeting.brought.at(id));
  lock.unlock();
  std::vector<Array> result;
  try {
    for (size_t i = 0; i < group.size(); i++) result.push_back(group[i] == me ? mine : Copied(*brought[i]));
  } catch (...) {
    result.clear();
  }
  lock.lock();
  if (++meeting.copied == group.size()) changed_.notify_all();
  changed_.wait(lock, [&] { return meeting.copied >= group.size(); });
  if (++meeting.copied == 2 * group.size()) meetings_.erase(name);
  if (result.empty()) throw Error(Code::kResourceExhausted, "no memory for what a collective brings");
  return result;
}

void Rendezvous::Leave(int64_t me, const Error* error) {
  if (error != nullptr && remote_) remote_->Fail(*error);
  const std::lock_guard<std::mutex> lock(mutex_);
  left_.insert(me);
  if (error != nullptr) {
    Fail(Error(error->code, "another participant of the launch failed: " + error->message));
  } else if (waiting_ > 0 && waiting_ == participants_.size() - left_.size()) {
    Fail(FailedPrecondition("all participants of the launch that are left wait for one another"));
  } else {
    changed_.notify_all();
  }
}

bool Rendezvous::failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_.has_value();
}

std::optional<Error> Rendezvous::error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

}  // namespace reference
