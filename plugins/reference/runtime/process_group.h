// The processes of a job: they rendezvous through a key-value store and communicate over TCP on the loopback interface,
// so all of them are on one machine.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/error.h"
#include "runtime/key_value_store.h"

namespace reference {

class ProcessGroup {
 public:
  // Publishes the number of devices of this process and its address, and waits until all have done the same. Throws the
  // store's error (for example if a process does not arrive within two minutes), and InvalidArgument for a process with
  // another number of devices.
  ProcessGroup(KeyValueStore& store, int process_index, int num_processes, int num_devices);
  // Pending receives get a Cancelled error.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int process_index() const { return process_index_; }
  int num_processes() const { return num_processes_; }

  // A name for the next launch of a program: the same in all processes, which launch the same programs in the same
  // order.
  std::string NextLaunch(const std::string& program);

  // Messages are in order for each pair of processes and key. Those to the own process are delivered directly. Throws
  // Unavailable if the other process is gone.
  void Send(int process, const std::string& key, const std::string& message);
  // Waits for a message and takes it. Throws Unavailable if the other process is gone, and the error of a failed key.
  std::string Receive(int process, const std::string& key);
  // The same without waiting: `then` is called once, on a thread of the group or, for an available message, on this
  // one.
  using OnMessage = std::function<void(const Error* error, const std::string& message)>;
  void ReceiveLater(int process, const std::string& key, OnMessage then);
  // In all processes: current and future receives of keys with this prefix get the error.
  void Fail(const std::string& key_prefix, const Error& error);
  // Drops messages and errors of keys with this prefix.
  void Forget(const std::string& key_prefix);

  // An array as a message.
  static std::string Pack(const Array& array);
  static Array Unpack(const std::string& message);

 private:
  struct Connection;
  struct Address {
    uint16_t port = 0;
    std::string secret;  // authenticates connections of the job
  };

  void Meet(KeyValueStore& store, int num_devices);
  void Connect(int process);
  void Accept();
  void ReadFrom(int socket);
  void Deliver(int process, std::string key, std::string message);
  void Lose(int process);
  void EndAwaited(int process, const Error& error);
  void FailHere(const std::string& key_prefix, const Error& error);

  const int process_index_;
  const int num_processes_;
  std::vector<Address> addresses_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::thread acceptor_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  std::map<std::pair<int, std::string>, std::deque<std::string>> messages_;
  std::map<std::pair<int, std::string>, std::deque<OnMessage>> awaited_;
  std::map<int, Error> lost_;
  std::map<std::string, Error> failed_;
  std::map<std::string, uint64_t> launches_;
  std::vector<std::thread> readers_;
  std::vector<int> incoming_;

  std::vector<std::unique_ptr<Connection>> outgoing_;
};

}  // namespace reference
