#include "runtime/remote_transfer.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "runtime/bytes.h"
#include "runtime/socket.h"

namespace reference {
namespace {

constexpr char kMagic[] = "reference-receiver-1";
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
constexpr size_t kTokenBytes = 16;
constexpr char kReceived = 'R';

// The receivers of this process. Never destroyed: its thread listens until the process ends.
class Receivers {
 public:
  static Receivers& All() {
    static Receivers& all = *new Receivers;
    return all;
  }

  std::string Open(OnReceived on_received) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (port_ == 0) {
      const auto [listener, port] = ListenOnLoopback();
      port_ = port;
      std::thread([this, listener = listener] { Listen(listener); }).detach();
    }
    std::string token = NewToken();
    ByteWriter descriptor(kMagic);
    descriptor.Number(port_);
    descriptor.Text(token);
    open_[std::move(token)] = std::move(on_received);
    return std::move(descriptor).Finish();
  }

  OnReceived Take(const std::string& token) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = open_.find(token);
    if (found == open_.end()) return nullptr;
    OnReceived taken = std::move(found->second);
    open_.erase(found);
    return taken;
  }

 private:
  static std::string NewToken() {
    std::random_device random;
    std::string token;
    while (token.size() < kTokenBytes) {
      const uint32_t word = random();
      token.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    return token;
  }

  void Listen(int listener) {
    for (;;) {
      const int connection = AcceptFrom(listener);
      if (connection < 0) return;
      std::thread([this, connection] {
        Receive(connection);
        CloseSocket(connection);
      }).detach();
    }
  }

  // A token of an open receiver, the number of bytes, the bytes. Nothing is trusted before the token is verified.
  void Receive(int connection) {
    std::string token(kTokenBytes, '\0');
    if (!ReceiveAll(connection, token.data(), token.size())) return;
    const OnReceived on_received = Take(token);
    if (on_received == nullptr) return;
    uint64_t size = 0;
    std::string bytes;
    bool complete = ReceiveAll(connection, &size, sizeof(size)) && size <= kMaxBytes;
    try {
      if (complete) bytes.resize(size);
    } catch (const std::bad_alloc&) {
      complete = false;
    }
    complete = complete && ReceiveAll(connection, bytes.data(), bytes.size());
    if (!complete) {
      const Error error(Code::kUnavailable, "the sender has ended before all was sent");
      on_received(&error, {});
      return;
    }
    on_received(nullptr, bytes);
    SendAll(connection, &kReceived, 1);
  }

  std::mutex mutex_;
  uint16_t port_ = 0;
  std::map<std::string, OnReceived> open_;
};

std::pair<uint16_t, std::string> ReadDescriptor(const std::string& descriptor) {
  ByteReader reader(descriptor, kMagic, "descriptor of a receiver");
  const auto port = static_cast<uint16_t>(reader.Number());
  std::string token(reader.Text());
  reader.End();
  if (token.size() != kTokenBytes) reader.Fail("the token is too short");
  return {port, std::move(token)};
}

}  // namespace

std::string OpenReceiver(OnReceived on_received) { return Receivers::All().Open(std::move(on_received)); }

bool CancelReceiver(const std::string& descriptor, const Error& error) {
  const OnReceived on_received = Receivers::All().Take(ReadDescriptor(descriptor).second);
  if (on_received == nullptr) return false;
  on_received(&error, {});
  return true;
}

void SendToReceiver(const std::string& descriptor, std::string_view bytes) {
  const auto [port, token] = ReadDescriptor(descriptor);
  const int connection = ConnectToLoopback(port);
  const uint64_t size = bytes.size();
  char answer = 0;
  const bool received = SendAll(connection, token.data(), token.size()) && SendAll(connection, &size, sizeof(size)) &&
                        SendAll(connection, bytes.data(), bytes.size()) && ReceiveAll(connection, &answer, 1) &&
                        answer == kReceived;
  CloseSocket(connection);
  if (!received) throw Error(Code::kUnavailable, "nobody receives at this descriptor any more");
}

}  // namespace reference
