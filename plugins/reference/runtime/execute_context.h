// What a caller lends to the custom calls of an execution: data by type. Types are registered once in the process.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace reference {

// Types of data by name. The registration lasts as long as the process.
// A zero `id` asks for one; another has to be the one that the name has, or a free one for a name that is new. With
// `deleter` the data are the plugin's, once added. Throws AlreadyExists for a name with another id, an id of another name.
int64_t RegisterDataType(const std::string& name, int64_t id, void (*deleter)(void*));
// Throws NotFound for an id that nobody registered.
void (*DeleterOfDataType(int64_t id))(void*);

class ExecuteContext {
 public:
  ExecuteContext() = default;
  ~ExecuteContext();
  ExecuteContext(const ExecuteContext&) = delete;
  ExecuteContext& operator=(const ExecuteContext&) = delete;

  // Throws NotFound for a type that is not registered, AlreadyExists when there are data of it.
  void Add(int64_t type_id, void* data);
  // Null when there are none.
  void* Find(int64_t type_id) const;

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, void*> data_;
};

}  // namespace reference
