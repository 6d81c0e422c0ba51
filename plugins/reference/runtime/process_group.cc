#include "runtime/process_group.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <tuple>

#include "base/fault.h"
#include "runtime/bytes.h"
#include "runtime/socket.h"

namespace reference {
namespace {

constexpr std::chrono::milliseconds kRendezvous(120'000);
constexpr char kMagic[] = "reference-node-1";
// Key prefix of a message that is an error.
constexpr char kFailure[] = "!";

std::string KeyOf(int process) { return "pjrt.reference/node/" + std::to_string(process); }

std::string RandomSecret() {
  std::random_device random;
  std::string secret;
  for (int i = 0; i < 4; i++) {
    const uint32_t word = random();
    secret.append(reinterpret_cast<const char*>(&word), sizeof(word));
  }
  return secret;
}

bool SendFrame(int socket, const std::string& text) {
  const uint64_t size = text.size();
  return SendAll(socket, &size, sizeof(size)) && SendAll(socket, text.data(), text.size());
}

// Limits the frame size of unknown peers.
bool ReceiveFrame(int socket, std::string& text, uint64_t limit) {
  uint64_t size = 0;
  if (!ReceiveAll(socket, &size, sizeof(size)) || size > limit) return false;
  text.resize(size);
  return ReceiveAll(socket, text.data(), size);
}

Error Gone(int process) {
  return Error(Code::kUnavailable, "process " + std::to_string(process) + " of the job is gone");
}

constexpr uint64_t kMaxGreeting = 1024;
constexpr uint64_t kMaxKey = 1 << 20;
constexpr uint64_t kMaxMessage = uint64_t{1} << 40;

bool BeginsWith(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

struct ProcessGroup::Connection {
  std::mutex mutex;  // one message at a time
  int socket = -1;

  void Close() {
    if (socket >= 0) CloseSocket(socket);
    socket = -1;
  }
};

ProcessGroup::ProcessGroup(KeyValueStore& store, int process_index, int num_processes, int num_devices)
    : process_index_(process_index), num_processes_(num_processes) {
  if (process_index < 0 || process_index >= num_processes) {
    throw InvalidArgument("there is no process " + std::to_string(process_index) + " of " +
                          std::to_string(num_processes));
  }
  addresses_.resize(static_cast<size_t>(num_processes));
  std::tie(listener_, port_) = ListenOnLoopback();
  try {
    Meet(store, num_devices);
    // From the beginning, so that the end of any process is noticed.
    for (int process = 0; process < num_processes; process++) {
      outgoing_.push_back(std::make_unique<Connection>());
      if (process != process_index) Connect(process);
    }
  } catch (...) {
    for (const auto& connection : outgoing_) connection->Close();
    CloseSocket(listener_);
    throw;
  }
  acceptor_ = std::thread([this] { Accept(); });
}

void ProcessGroup::Meet(KeyValueStore& store, int num_devices) {
  Address& own = addresses_[static_cast<size_t>(process_index_)];
  own = {port_, RandomSecret()};
  ByteWriter written(kMagic);
  written.Number(static_cast<uint64_t>(num_devices));
  written.Number(own.port);
  written.Text(own.secret);
  store.Put(KeyOf(process_index_), std::move(written).Finish());
  for (int process = 0; process < num_processes_; process++) {
    if (process == process_index_) continue;
    const std::string key = KeyOf(process);
    auto found = store.TryGet(key);
    const std::string value = found.has_value() ? std::move(*found) : store.Get(key, kRendezvous);
    ByteReader node(value, kMagic, "address of a node");
    const uint64_t devices = node.Number();
    if (devices != static_cast<uint64_t>(num_devices)) {
      throw InvalidArgument("node " + std::to_string(process) + " has " + std::to_string(devices) + " devices, node " +
                            std::to_string(process_index_) + " has " + std::to_string(num_devices) +
                            "; all have to have the same number");
    }
    Address& address = addresses_[static_cast<size_t>(process)];
    address.port = static_cast<uint16_t>(node.Number());
    address.secret = std::string(node.Text());
    node.End();
  }
}

void ProcessGroup::Connect(int process) {
  const Address& address = addresses_[static_cast<size_t>(process)];
  const int socket = ConnectToLoopback(address.port);
  outgoing_[static_cast<size_t>(process)]->socket = socket;
  const auto own = static_cast<uint64_t>(process_index_);
  if (!SendFrame(socket, address.secret) || !SendAll(socket, &own, sizeof(own))) throw Gone(process);
}

ProcessGroup::~ProcessGroup() {
  std::vector<std::thread> readers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    for (const int socket : incoming_) ShutdownSocket(socket);
  }
  changed_.notify_all();
  // One of the two wakes the acceptor, depending on the system.
  ShutdownSocket(listener_);
  try {
    CloseSocket(ConnectToLoopback(port_));
  } catch (const Error&) {
  }
  acceptor_.join();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    readers.swap(readers_);
  }
  for (std::thread& reader : readers) reader.join();
  CloseSocket(listener_);
  for (const auto& connection : outgoing_) connection->Close();
  for (int process = 0; process < num_processes_; process++) {
    EndAwaited(process, Error(Code::kCancelled, "the client is gone"));
  }
}

void ProcessGroup::Accept() {
  for (;;) {
    const int socket = AcceptFrom(listener_);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_ || socket < 0) {
      if (socket >= 0) CloseSocket(socket);
      return;
    }
    incoming_.push_back(socket);
    readers_.emplace_back([this, socket] { ReadFrom(socket); });
  }
}

// A connection begins with the secret of this process and the index of the other; then come keys and messages.
void ProcessGroup::ReadFrom(int socket) {
  std::string secret;
  uint64_t process = 0;
  const bool known = ReceiveFrame(socket, secret, kMaxGreeting) &&
                     secret == addresses_[static_cast<size_t>(process_index_)].secret &&
                     ReceiveAll(socket, &process, sizeof(process)) && process < static_cast<uint64_t>(num_processes_);
  if (known) {
    std::string key;
    std::string message;
    while (ReceiveFrame(socket, key, kMaxKey) && ReceiveFrame(socket, message, kMaxMessage)) {
      Deliver(static_cast<int>(process), std::move(key), std::move(message));
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int& incoming : incoming_) {
      if (incoming == socket) incoming = incoming_.back();
    }
    incoming_.pop_back();
  }
  CloseSocket(socket);
  if (known) {
    Lose(static_cast<int>(process));
  }
}

std::string ProcessGroup::NextLaunch(const std::string& program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return program + "#" + std::to_string(launches_[program]++) + "/";
}

void ProcessGroup::Deliver(int process, std::string key, std::string message) {
  if (BeginsWith(key, kFailure)) {
    FailHere(key.substr(sizeof(kFailure) - 1), Error(Code::kAborted, message));
    return;
  }
  OnMessage then;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto awaited = awaited_.find({process, key});
    if (awaited == awaited_.end()) {
      messages_[{process, std::move(key)}].push_back(std::move(message));
    } else {
      then = std::move(awaited->second.front());
      awaited->second.pop_front();
      if (awaited->second.empty()) awaited_.erase(awaited);
    }
  }
  if (then != nullptr) {
    then(nullptr, message);
  } else {
    changed_.notify_all();
  }
}

void ProcessGroup::Lose(int process) {
  if (FAULT("inside-lost-process-is-fatal")) std::abort();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_.emplace(process, Gone(process));
  }
  changed_.notify_all();
  EndAwaited(process, Gone(process));
}

void ProcessGroup::EndAwaited(int process, const Error& error) {
  std::vector<OnMessage> ended;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = awaited_.begin(); at != awaited_.end();) {
      if (at->first.first != process) {
        ++at;
        continue;
      }
      for (OnMessage& then : at->second) ended.push_back(std::move(then));
      at = awaited_.erase(at);
    }
  }
  for (const OnMessage& then : ended) then(&error, {});
}

void ProcessGroup::ReceiveLater(int process, const std::string& key, OnMessage then) {
  std::string message;
  std::optional<Error> error;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = messages_.find({process, key});
    const auto lost = lost_.find(process);
    if (found != messages_.end()) {
      message = std::move(found->second.front());
      found->second.pop_front();
      if (found->second.empty()) messages_.erase(found);
    } else if (lost != lost_.end()) {
      error = lost->second;
    } else {
      awaited_[{process, key}].push_back(std::move(then));
      return;
    }
  }
  then(error ? &*error : nullptr, message);
}

void ProcessGroup::Send(int process, const std::string& key, const std::string& message) {
  if (process == process_index_) {
    Deliver(process, key, message);
    return;
  }
  Connection& connection = *outgoing_.at(static_cast<size_t>(process));
  const std::lock_guard<std::mutex> lock(connection.mutex);
  if (!SendFrame(connection.socket, key) || !SendFrame(connection.socket, message)) throw Gone(process);
}

std::string ProcessGroup::Receive(int process, const std::string& key) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto found = messages_.find({process, key});
    if (found != messages_.end()) {
      std::string message = std::move(found->second.front());
      found->second.pop_front();
      if (found->second.empty()) messages_.erase(found);
      return message;
    }
    for (const auto& [prefix, error] : failed_) {
      if (BeginsWith(key, prefix)) throw Error(error);
    }
    const auto lost = lost_.find(process);
    if (lost != lost_.end()) throw Error(lost->second);
    if (closing_) throw Error(Code::kCancelled, "the client is being destroyed");
    changed_.wait(lock);
  }
}

void ProcessGroup::FailHere(const std::string& key_prefix, const Error& error) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    failed_.emplace(key_prefix, error);
  }
  changed_.notify_all();
}

void ProcessGroup::Fail(const std::string& key_prefix, const Error& error) {
  FailHere(key_prefix, error);
  for (int process = 0; process < num_processes_; process++) {
    if (process == process_index_) continue;
    try {
      Send(process, kFailure + key_prefix, error.message);
    } catch (const Error&) {
      // The peer is gone, and will not wait.
    }
  }
}

void ProcessGroup::Forget(const std::string& key_prefix) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_.erase(key_prefix);
  for (auto at = messages_.begin(); at != messages_.end();) {
    at = BeginsWith(at->first.second, key_prefix) ? messages_.erase(at) : std::next(at);
  }
}

std::string ProcessGroup::Pack(const Array& array) {
  std::string message;
  const auto number = [&](uint64_t value) { message.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  number(static_cast<uint64_t>(array.element_type()));
  number(array.dims().size());
  for (const int64_t dim : array.dims()) number(static_cast<uint64_t>(dim));
  if (array.bytes() > 0) message.append(reinterpret_cast<const char*>(array.data()), array.bytes());
  return message;
}

Array ProcessGroup::Unpack(const std::string& message) {
  size_t at = 0;
  const auto number = [&] {
    uint64_t value = 0;
    if (message.size() - at < sizeof(value)) throw Internal("a message of another process is too short");
    std::memcpy(&value, message.data() + at, sizeof(value));
    at += sizeof(value);
    return value;
  };
  ArrayType type;
  type.type = static_cast<ElementType>(number());
  const uint64_t rank = number();
  for (uint64_t i = 0; i < rank; i++) type.dims.push_back(static_cast<int64_t>(number()));
  Array array(type);
  if (message.size() - at != array.bytes()) throw Internal("a message of another process has another size than its array");
  if (array.bytes() > 0) std::memcpy(array.mutable_data(), message.data() + at, array.bytes());
  return array;
}

}  // namespace reference
