// The key-value store of PJRT_Client_Create.
#pragma once

#include <memory>

#include "pjrt_c_api.h"
#include "runtime/key_value_store.h"

namespace reference {

// Calls the caller's functions, which are valid for the life of the client. Throws InvalidArgument if they are missing.
std::unique_ptr<KeyValueStore> KeyValueStoreOf(const PJRT_Client_Create_Args* args);

}  // namespace reference
