#include "c_api/wrap.h"

#include <string>
#include <utility>

#include "base/design.h"
#include "c_api/call.h"

namespace reference {

PJRT_Event* MakeEvent(EventPtr event) { return new PJRT_Event{std::move(event), false}; }

PJRT_Buffer* MakeBuffer(std::unique_ptr<Buffer> buffer) {
  auto handle = std::make_unique<PJRT_Buffer>();
  for (const std::vector<int64_t>& tile : buffer->layout().tiles) {
    handle->tile_dims.insert(handle->tile_dims.end(), tile.begin(), tile.end());
    handle->tile_dim_sizes.push_back(tile.size());
  }
  handle->buffer = std::move(buffer);
  return handle.release();
}

PJRT_Device* HandleOf(const Device& device) { return static_cast<PJRT_Device*>(device.handle); }

PJRT_Memory* HandleOf(const MemorySpace& memory) {
  RequireMemories();
  return static_cast<PJRT_Memory*>(memory.handle);
}

Buffer& BufferOf(PJRT_Buffer* buffer, const char* field) { return *Given(buffer, field).buffer; }

Device& DeviceOf(PJRT_Device* device, const char* field) { return *Given(device, field).device; }

MemorySpace& MemoryOf(PJRT_Memory* memory, const char* field) {
  RequireMemories();
  return *HandleOf(Given(memory, field)).memory;
}

Client& ClientOf(PJRT_Client* client) { return *Given(client, "client").client; }

MemorySpace& DefaultMemoryOf(const Device& device) {
  if (!device.addressable()) {
    throw InvalidArgument("device " + std::to_string(device.id()) + " belongs to another process");
  }
  return *device.default_memory();
}

void RequireMemories() {
  if (ThisDesign().no_memories) throw Unimplemented("this plugin has no memories");
}

MemorySpace& PlaceOf(PJRT_Client* client, PJRT_Memory* memory) {
  RequireMemories();
  return PlaceOf(client, nullptr, &Given(memory, "memory"));
}

MemorySpace& PlaceOf(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* memory) {
  const Client& owner = ClientOf(client);
  if (memory == nullptr && device == nullptr) throw InvalidArgument("neither a device nor a memory is given");
  MemorySpace& place = memory != nullptr ? MemoryOf(memory) : DefaultMemoryOf(DeviceOf(device));
  if (place.device()->client() != &owner) throw InvalidArgument(place.debug_string() + " belongs to another client");
  return place;
}

}  // namespace reference
