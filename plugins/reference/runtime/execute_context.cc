#include "runtime/execute_context.h"

#include "base/error.h"

namespace reference {
namespace {

struct DataType {
  std::string name;
  void (*deleter)(void*);
};

struct DataTypes {
  std::mutex mutex;
  std::map<int64_t, DataType> by_id;
  std::map<std::string, int64_t> ids;
  int64_t next = 1;
};

// Never destroyed: contexts may outlive the end of main.
DataTypes& Types() {
  static DataTypes& types = *new DataTypes;
  return types;
}

}  // namespace

int64_t RegisterDataType(const std::string& name, int64_t id, void (*deleter)(void*)) {
  if (name.empty()) throw InvalidArgument("a type without a name cannot be registered");
  if (id < 0) throw InvalidArgument("a type cannot have the id " + std::to_string(id));
  DataTypes& types = Types();
  const std::lock_guard<std::mutex> lock(types.mutex);
  const auto known = types.ids.find(name);
  if (known != types.ids.end()) {
    if (id == known->second) return id;
    throw Error(Code::kAlreadyExists,
                "the type '" + name + "' is registered already, with the id " + std::to_string(known->second));
  }
  if (id == 0) {
    while (types.by_id.count(types.next) > 0) types.next++;
    id = types.next++;
  } else if (const auto taken = types.by_id.find(id); taken != types.by_id.end()) {
    throw Error(Code::kAlreadyExists,
                "the id " + std::to_string(id) + " is that of the type '" + taken->second.name + "'");
  }
  types.by_id[id] = {name, deleter};
  types.ids[name] = id;
  return id;
}

void (*DeleterOfDataType(int64_t id))(void*) {
  DataTypes& types = Types();
  const std::lock_guard<std::mutex> lock(types.mutex);
  const auto found = types.by_id.find(id);
  if (found == types.by_id.end()) throw NotFound("no type has the id " + std::to_string(id));
  return found->second.deleter;
}

ExecuteContext::~ExecuteContext() {
  for (const auto& [id, data] : data_) {
    if (const auto deleter = DeleterOfDataType(id)) deleter(data);
  }
}

void ExecuteContext::Add(int64_t type_id, void* data) {
  DeleterOfDataType(type_id);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!data_.emplace(type_id, data).second) {
    throw Error(Code::kAlreadyExists, "the context has data of the type " + std::to_string(type_id) + " already");
  }
}

void* ExecuteContext::Find(int64_t type_id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = data_.find(type_id);
  return found == data_.end() ? nullptr : found->second;
}

}  // namespace reference
