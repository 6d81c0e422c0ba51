// Data that a caller provides to the custom calls of an execution, by type. Types are registered once per process.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace reference {

// Types of data by name. The registration lasts as long as the process. A zero `id` requests one; another must be the
// one that the name has, or a free one for a new name. With `deleter` the plugin owns the data once added. Throws
// AlreadyExists for a name with another id, or an id of another name.
int64_t RegisterDataType(const std::string& name, int64_t id, void (*deleter)(void*));
// Throws NotFound for an id that is not registered.
void (*DeleterOfDataType(int64_t id))(void*);

class ExecuteContext {
 public:
  ExecuteContext() = default;
  ~ExecuteContext();
  ExecuteContext(const ExecuteContext&) = delete;
  ExecuteContext& operator=(const ExecuteContext&) = delete;

  // Throws NotFound for a type that is not registered, AlreadyExists if there is data of it.
  void Add(int64_t type_id, void* data);
  // Null if there is none.
  void* Find(int64_t type_id) const;

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, void*> data_;
};

}  // namespace reference
