// Runs a program on its devices, one thread each, without the C API: run_program FILE [REPLICAS PARTITIONS]. Reads one
// line of hexadecimal bytes for each argument of each device in turn, and writes the results likewise.
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "interpreter/interpreter.h"

namespace {

using namespace reference;

class Hall {
 public:
  std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, int64_t device, Array mine) {
    std::unique_lock<std::mutex> lock(mutex_);
    Table& table = tables_[key];
    table.brought[device] = std::move(mine);
    changed_.notify_all();
    changed_.wait(lock, [&] { return failed_ || table.brought.size() == group.size(); });
    if (failed_) throw Error(Code::kAborted, "another device failed");
    std::vector<Array> all;
    for (const int64_t id : group) all.push_back(table.brought.at(id));
    if (++table.left == group.size()) tables_.erase(key);
    return all;
  }
  void Fail() {
    const std::lock_guard<std::mutex> lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  struct Table {
    std::map<int64_t, Array> brought;
    size_t left = 0;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Table> tables_;
  bool failed_ = false;
};

class Participant : public Collectives {
 public:
  Participant(Hall& hall, int64_t device) : hall_(hall), device_(device) {}
  std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, Array mine) override {
    return hall_.Exchange(key, group, device_, std::move(mine));
  }

 private:
  Hall& hall_;
  int64_t device_;
};

Array FromHex(const std::string& line, const ArrayType& type) {
  Array array(type);
  if (line.size() != 2 * array.bytes()) {
    throw InvalidArgument("an argument of " + std::to_string(line.size() / 2) + " bytes for " + type.ToString());
  }
  for (size_t i = 0; i < array.bytes(); ++i) {
    array.mutable_data()[i] = static_cast<std::byte>(std::stoi(line.substr(2 * i, 2), nullptr, 16));
  }
  return array;
}

std::string ToHex(const Array& array) {
  static const char* const digits = "0123456789abcdef";
  std::string line;
  for (size_t i = 0; i < array.bytes(); ++i) {
    const unsigned byte = static_cast<unsigned>(array.data()[i]);
    line += digits[byte >> 4];
    line += digits[byte & 15];
  }
  return line;
}

int RunFile(const char* path, int64_t replicas, int64_t partitions) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Module module = ReadProgram(text);
  const Function& main = module.main();
  CheckSupported(module, Environment());
  const size_t devices = static_cast<size_t>(replicas * partitions);
  std::vector<std::vector<Array>> arguments(devices), results(devices);
  for (std::vector<Array>& own : arguments) {
    for (const Type& type : main.argument_types) {
      std::string line;
      std::getline(std::cin, line);
      own.push_back(FromHex(line, type.array));
    }
  }
  Hall hall;
  std::vector<std::string> failures(devices);
  std::vector<std::thread> threads;
  for (size_t device = 0; device < devices; ++device) {
    threads.emplace_back([&, device] {
      Participant participant(hall, static_cast<int64_t>(device));
      Environment environment;
      environment.replica_id = static_cast<int64_t>(device) / partitions;
      environment.partition_id = static_cast<int64_t>(device) % partitions;
      environment.num_replicas = replicas;
      environment.num_partitions = partitions;
      environment.collectives = &participant;
      try {
        results[device] = Run(module, main, arguments[device], environment);
      } catch (const Error& error) {
        failures[device] = error.message;
        hall.Fail();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty()) throw Internal(failure);
  }
  for (const std::vector<Array>& own : results) {
    for (const Array& array : own) std::cout << ToHex(array) << "\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2 && argc != 4) throw InvalidArgument("run_program FILE [REPLICAS PARTITIONS]");
    return RunFile(argv[1], argc == 4 ? std::stoll(argv[2]) : 1, argc == 4 ? std::stoll(argv[3]) : 1);
  } catch (const Error& error) {
    std::fprintf(stderr, "error %d: %s\n", static_cast<int>(error.code), error.message.c_str());
    return 1;
  }
}
