// TCP on the loopback interface, blocking.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace reference {

// A listening socket and its port, which the system chooses. Throws Unavailable.
std::pair<int, uint16_t> ListenOnLoopback();
// Waits for a connection; -1 if the socket was shut down or the system has no more.
int AcceptFrom(int listener);
// Throws Unavailable.
int ConnectToLoopback(uint16_t port);
// False if the connection has ended. Never raises a signal.
bool SendAll(int socket, const void* data, size_t size);
bool ReceiveAll(int socket, void* data, size_t size);
// Wakes any thread blocked in the socket; it still has to be closed.
void ShutdownSocket(int socket);
void CloseSocket(int socket);

}  // namespace reference
