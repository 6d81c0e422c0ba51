// Custom calls to external handlers, registered with XLA's typed FFI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interpreter/interpreter.h"
#include "runtime/execute_context.h"
#include "runtime/ffi_abi.h"

namespace reference {

class Device;

// Registers a handler for the rest of the process; a second one for a target must be the same. `platform` is the
// plugin's own or empty. Queries the handler's version, and throws InvalidArgument for an incompatible one.
void RegisterCustomCall(const std::string& target, const std::string& platform, ffi::Handler* handler);
bool HasCustomCall(const std::string& target);

// Context for the handlers of one device's part of a launch.
struct CustomCallLaunch {
  Device* device = nullptr;
  int64_t run_id = 0;
  std::shared_ptr<const ExecuteContext> context;  // null: the launch has none
  std::shared_ptr<const Dictionary> options;      // null: the launch has none
};

// For Environment::find_custom_call: the call of a handler, empty if the target has none. Layouts other than dense
// row-major, and attributes other than scalars, strings, lists of numbers and dictionaries, are Unimplemented.
CustomCall FindCustomCall(const std::string& target, const CustomCallLaunch& launch);

}  // namespace reference
