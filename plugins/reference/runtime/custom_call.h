// Custom calls that leave the plugin: handlers of XLA's typed FFI that somebody registered.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interpreter/interpreter.h"
#include "runtime/execute_context.h"
#include "runtime/ffi_abi.h"

namespace reference {

class Device;

// Registers a handler for the rest of the process; a second one for a target has to be the same. `platform` is the
// plugin's own or empty. Asks the handler for its version, and throws InvalidArgument for a version that does not fit.
void RegisterCustomCall(const std::string& target, const std::string& platform, ffi::Handler* handler);
bool HasCustomCall(const std::string& target);

// What the handlers of one device's part of a launch may ask for.
struct CustomCallLaunch {
  Device* device = nullptr;
  int64_t run_id = 0;
  std::shared_ptr<const ExecuteContext> context;  // null: the launch has none
};

// For Environment::find_custom_call: the call to a handler, empty where there is none for the target. What is not row-major
// and dense, and attributes other than scalars, strings, lists of numbers and dictionaries, are Unimplemented.
CustomCall FindCustomCall(const std::string& target, const CustomCallLaunch& launch);

}  // namespace reference
