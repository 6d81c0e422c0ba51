// Buffers that another process of this machine fills: a sender needs a receiver's descriptor, which is valid once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace reference {

// Called exactly once: with the received bytes, or with an error.
using OnReceived = std::function<void(const Error* error, const std::string& bytes)>;

// A new descriptor. The first call opens a port on the loopback interface. Throws Unavailable.
std::string OpenReceiver(OnReceived on_received);
// Ends a receiver of this process with an error; false if it is no longer open.
bool CancelReceiver(const std::string& descriptor, const Error& error);
// Sends and waits until the receiver has the bytes. Throws InvalidArgument for an invalid descriptor, Unavailable if
// there is no receiver.
void SendToReceiver(const std::string& descriptor, std::string_view bytes);

}  // namespace reference
