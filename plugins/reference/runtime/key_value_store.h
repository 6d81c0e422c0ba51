// The store that a framework provides to the processes of a job.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace reference {

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Waits for the key. All three throw the store's error.
  virtual std::string Get(const std::string& key, std::chrono::milliseconds timeout) = 0;
  // Nothing if the key does not exist.
  virtual std::optional<std::string> TryGet(const std::string& key) = 0;
  virtual void Put(const std::string& key, const std::string& value) = 0;
};

}  // namespace reference
