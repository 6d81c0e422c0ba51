// Handles for executables.
#pragma once

#include <memory>

#include "c_api/handles.h"
#include "runtime/executable.h"
#include "runtime/loaded_executable.h"

namespace reference {

std::unique_ptr<PJRT_Executable> MakeExecutable(std::shared_ptr<const Executable> executable);
// Loads it.
std::unique_ptr<PJRT_LoadedExecutable> MakeLoadedExecutable(std::shared_ptr<const Executable> executable,
                                                            std::shared_ptr<Client> client);

}  // namespace reference
