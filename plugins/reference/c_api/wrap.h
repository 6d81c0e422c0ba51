// From objects of the runtime to the handles of the C API, and back.
#pragma once

#include <memory>

#include "c_api/handles.h"
#include "pjrt_c_api.h"
#include "runtime/buffer.h"
#include "runtime/client.h"

namespace reference {

// For the caller to destroy.
PJRT_Event* MakeEvent(EventPtr event);
PJRT_Buffer* MakeBuffer(std::unique_ptr<Buffer> buffer);

// A client's handles for its devices and memories. The latter throws like RequireMemories.
PJRT_Device* HandleOf(const Device& device);
PJRT_Memory* HandleOf(const MemorySpace& memory);

// The object behind a caller's pointer; throws InvalidArgument naming the field if it is null.
Buffer& BufferOf(PJRT_Buffer* buffer, const char* field = "buffer");
Device& DeviceOf(PJRT_Device* device, const char* field = "device");
MemorySpace& MemoryOf(PJRT_Memory* memory, const char* field = "memory");
Client& ClientOf(PJRT_Client* client);

// Throws InvalidArgument for a device of another process.
MemorySpace& DefaultMemoryOf(const Device& device);

// Throws Unimplemented if the design has no memories.
void RequireMemories();

// Placement of a new buffer: the memory, else the default memory of the device. Throws InvalidArgument with neither,
// for a device of another process, and for memory of another client.
MemorySpace& PlaceOf(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* memory);
// For what can only be created in a memory.
MemorySpace& PlaceOf(PJRT_Client* client, PJRT_Memory* memory);

// The function table of memories; null in versions without.
const PJRT_Memory_FunctionTable* MemoryFunctionTable();

}  // namespace reference
