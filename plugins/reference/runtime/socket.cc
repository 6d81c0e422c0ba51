#include "runtime/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace reference {
namespace {

// Missing on some systems.
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

Error SystemError(const char* what) {
  return Error(Code::kUnavailable, std::string(what) + ": " + std::strerror(errno));
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void Prepare(int made) {
  fcntl(made, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
#ifdef SO_NOSIGPIPE
  setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
}

int NewSocket() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0) throw SystemError("no socket can be made");
  Prepare(made);
  return made;
}

}  // namespace

std::pair<int, uint16_t> ListenOnLoopback() {
  const int listener = NewSocket();
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const Error error = SystemError("no port of the loopback interface can be listened on");
    close(listener);
    throw error;
  }
  return {listener, ntohs(address.sin_port)};
}

int AcceptFrom(int listener) {
  int connection = -1;
  do {
    connection = accept(listener, nullptr, nullptr);
  } while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (connection >= 0) Prepare(connection);
  return connection;
}

int ConnectToLoopback(uint16_t port) {
  const int connection = NewSocket();
  const sockaddr_in address = Loopback(port);
  int result = 0;
  do {
    result = connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    const Error error = SystemError("another process of the job cannot be reached");
    close(connection);
    throw error;
  }
  return connection;
}

bool SendAll(int socket, const void* data, size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

bool ReceiveAll(int socket, void* data, size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t received = recv(socket, at, size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    at += received;
    size -= static_cast<size_t>(received);
  }
  return true;
}

void ShutdownSocket(int socket) { shutdown(socket, SHUT_RDWR); }

void CloseSocket(int socket) { close(socket); }

}  // namespace reference
