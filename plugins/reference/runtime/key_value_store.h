// The store that a framework lends to the processes of a job.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace reference {

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Waits for the key. All three throw what the store answers.
  virtual std::string Get(const std::string& key, std::chrono::milliseconds timeout) = 0;
  // Nothing when the key is not there.
  virtual std::optional<std::string> TryGet(const std::string& key) = 0;
  virtual void Put(const std::string& key, const std::string& value) = 0;
};

}  // namespace reference
