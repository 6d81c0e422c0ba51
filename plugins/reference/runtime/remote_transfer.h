// Buffers that another process of this machine fills: whoever has a receiver's descriptor can send to it, once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace reference {

// Called exactly once: with bytes that came, or with an error.
using OnReceived = std::function<void(const Error* error, const std::string& bytes)>;

// A descriptor to be sent to. The first call opens a port on the loopback interface. Throws Unavailable.
std::string OpenReceiver(OnReceived on_received);
// Ends a receiver of this process with an error; false where it is not open any more.
bool CancelReceiver(const std::string& descriptor, const Error& error);
// Sends and waits until the receiver has the bytes. Throws InvalidArgument for text that is no descriptor, Unavailable when
// nobody receives there.
void SendToReceiver(const std::string& descriptor, std::string_view bytes);

}  // namespace reference
