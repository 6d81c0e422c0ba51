#include "runtime/launch.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "base/fault.h"
#include "runtime/collectives.h"
#include "runtime/custom_call.h"
#include "runtime/device_format.h"
#include "runtime/trace.h"
#include "runtime/work_queue.h"

namespace reference {

namespace {

int64_t NextRunId() {
  static std::atomic<int64_t> next{1};
  return next++;
}

Array Copied(const Array& array) {
  Array copy(array.type());
  if (array.bytes() > 0) std::memcpy(copy.mutable_data(), array.data(), array.bytes());
  return copy;
}

struct Output {
  BufferValue value;
  MemorySpace* memory = nullptr;
  // The argument whose memory it reuses if nothing else holds it; -1: it has memory of its own.
  int alias = -1;
};

struct Participant {
  LogicalDevice place;
  std::vector<BufferValue> arguments;
  std::vector<Output> outputs;
  std::vector<EventPtr> ready;  // of the outputs
  EventPtr gate;                // complete when the execution begins on the device, or poisoned before that
  EventPtr done = Event::Pending();
  HostChannels channels;

  // Outputs before the event for everything, unless streams complete them in any order. Poisoners do this too, while the
  // device may be doing it.
  void Complete(const Error* error) const {
    for (const EventPtr& event : ready) place.device->Complete(event, error);
    place.device->Complete(done, FAULT("inside-error-of-launch-lost") ? nullptr : error);
  }
};

class Launch : public std::enable_shared_from_this<Launch> {
 public:
  Launch(std::shared_ptr<const Executable> executable, std::shared_ptr<Client> client, const ExecuteOptions& options,
         std::vector<Participant> participants, std::shared_ptr<RemoteParticipants> remote)
      : executable_(std::move(executable)),
        client_(std::move(client)),
        context_(options.context),
        custom_options_(options.custom_options),
        participants_(std::move(participants)),
        remote_(std::move(remote)),
        rendezvous_(Ids(), remote_),
        assembled_(static_cast<size_t>(executable_->options().num_replicas)) {}

  void Begin(int32_t launch_id) {
    std::vector<WorkQueue*> queues;
    std::vector<WorkQueue::Task> tasks;
    std::vector<EventPtr> dependencies;
    const auto self = shared_from_this();
    for (size_t i = 0; i < participants_.size(); i++) {
      Participant& participant = participants_[i];
      participant.gate = participant.place.device->BeginLaunch(launch_id);
      // A launch that waits for its arguments is poisoned at once, not when they arrive.
      participant.gate->OnReady([self, i](const Error* error) {
        if (error != nullptr) self->participants_[i].Complete(error);
      });
      if (!FAULT("inside-launch-does-not-wait")) {
        for (const BufferValue& argument : participant.arguments) dependencies.push_back(argument.contents->ready);
      }
      queues.push_back(&participant.place.device->queue(Work::kCompute));
      tasks.push_back([self, i](const Error* failed) { self->RunTask(i, failed); });
    }
    if (queues.size() == 1) {
      queues[0]->Schedule(dependencies, std::move(tasks[0]));
    } else {
      WorkQueue::ScheduleTogether(queues, dependencies, std::move(tasks));
    }
  }

 private:
  int64_t IdOf(const Participant& participant) const {
    return int64_t{participant.place.replica} * executable_->options().num_partitions + participant.place.partition;
  }

  std::set<int64_t> Ids() const {
    std::set<int64_t> ids;
    for (const Participant& participant : participants_) ids.insert(IdOf(participant));
    return ids;
  }

  void RunTask(size_t index, const Error* failed) noexcept {
    Participant& participant = participants_[index];
    std::optional<Error> error;
    if (failed != nullptr) {
      error = *failed;
      participant.gate->SetError(*failed);
    } else if (!participant.gate->SetDone()) {
      error = *participant.gate->error();
    } else {
      try {
        Run(participant);
      } catch (const Error& thrown) {
        error = thrown;
      } catch (const std::bad_alloc&) {
        error = Error(Code::kResourceExhausted, "out of memory while running " + executable_->name());
      } catch (const std::exception& thrown) {
        error = Internal(executable_->name() + ": " + thrown.what());
      }
    }
    if (error && error->code == Code::kCancelled) {
      // It stopped because of another participant, which has the original error.
      if (const auto cause = rendezvous_.error()) error = cause;
    }
    rendezvous_.Leave(IdOf(participant), error ? &*error : nullptr);
    participant.arguments.clear();
    participant.outputs.clear();
    participant.channels = {};
    if (++ended_ == participants_.size()) {
      pieces_of_.clear();
      for (Assembled& assembled : assembled_) assembled.arrays.clear();
    }
    participant.Complete(error ? &*error : nullptr);
  }

  void Run(Participant& participant) {
    const TraceSpan span(participant.place.device->id(), executable_->name());
    ParticipantCollectives collectives(rendezvous_, IdOf(participant));
    Environment environment;
    environment.replica_id = participant.place.replica;
    environment.partition_id = participant.place.partition;
    environment.num_replicas = executable_->options().num_replicas;
    environment.num_partitions = executable_->options().num_partitions;
    environment.collectives = &collectives;
    environment.cancelled = [this] { return rendezvous_.failed(); };
    SetChannels(environment, participant.channels);
    CustomCallLaunch custom_calls;
    custom_calls.device = participant.place.device;
    custom_calls.run_id = run_id_;
    custom_calls.context = context_;
    custom_calls.options = custom_options_;
    int64_t visits = 0;
    environment.find_custom_call = [&](const std::string& target) -> CustomCall {
      if (!IsBorder(target)) return FindCustomCall(target, custom_calls);
      return [&](const Op& op, const std::vector<Array>& operands) {
        return CrossBorder(executable_->program(), op, operands, environment, visits++);
      };
    };
    std::vector<Array> arguments = Arguments(participant);
    const Module& module = executable_->program().module;
    std::vector<Array> results = reference::Run(module, module.main(), arguments, environment);
    arguments.clear();
    Store(participant, std::move(results));
  }

  static void SetChannels(Environment& environment, const HostChannels& channels) {
    environment.send = [&channels](int64_t channel, const Array& data) {
      const auto send = channels.sends.find(channel);
      if (send == channels.sends.end()) {
        throw FailedPrecondition("the execution has no send callback for channel " + std::to_string(channel));
      }
      send->second(data);
    };
    environment.recv = [&channels](int64_t channel, const ArrayType& type) {
      const auto receive = channels.receives.find(channel);
      if (receive == channels.receives.end()) {
        throw FailedPrecondition("the execution has no receive callback for channel " + std::to_string(channel));
      }
      return receive->second(type);
    };
  }

  // The arguments of the program: the device's own, or whole arrays assembled from all partitions.
  std::vector<Array> Arguments(const Participant& participant) {
    std::vector<Array> arrays;
    if (!executable_->options().spmd) {
      for (const BufferValue& argument : participant.arguments) arrays.push_back(argument.ToArray());
      return arrays;
    }
    Assembled& assembled = assembled_[static_cast<size_t>(participant.place.replica)];
    // The first partition of a replica does it for all of them; until then none of them releases its arguments.
    std::call_once(assembled.once, [&] {
      assembled.arrays.clear();
      for (size_t p = 0; p < participant.arguments.size(); p++) {
        assembled.arrays.push_back(Assemble(participant.place.replica, p));
      }
    });
    for (size_t p = 0; p < participant.arguments.size(); p++) {
      const auto& sharding = executable_->parameters()[p].sharding;
      const bool own = sharding && sharding->kind == Sharding::kManual;
      arrays.push_back(own ? participant.arguments[p].ToArray() : assembled.arrays[p]);
    }
    return arrays;
  }

  Array Assemble(int replica, size_t p) const {
    const ProgramParameter& parameter = executable_->parameters()[p];
    const Sharding::Kind kind = parameter.sharding ? parameter.sharding->kind : Sharding::kReplicated;
    // Each has its own, and no whole array is needed.
    if (kind == Sharding::kManual) return {};
    if (kind != Sharding::kTiled) {
      const int holder = kind == Sharding::kMaximal ? static_cast<int>(parameter.sharding->device) : 0;
      for (const Pieces& pieces : pieces_of_) {
        // A replicated array is available everywhere.
        if (pieces.place.replica != replica) continue;
        if (kind == Sharding::kMaximal && pieces.place.partition != holder) continue;
        const Array whole = pieces.arguments[p].ToArray();
        if (kind == Sharding::kMaximal) Share(pieces.place, p, whole);
        return whole;
      }
      return Shared(replica, holder, p);
    }
    Array whole(parameter.whole);
    const auto paste = [&](const Array& piece, int partition) {
      PasteShard(piece, ShardOf(*parameter.sharding, parameter.whole.dims, partition), whole);
    };
    std::set<int> here;
    for (const Pieces& pieces : pieces_of_) {
      if (pieces.place.replica != replica) continue;
      const Array piece = pieces.arguments[p].ToArray();
      Share(pieces.place, p, piece);
      paste(piece, pieces.place.partition);
      here.insert(pieces.place.partition);
    }
    for (int partition = 0; partition < executable_->options().num_partitions; partition++) {
      if (here.count(partition) == 0) paste(Shared(replica, partition, p), partition);
    }
    return whole;
  }

  // Sends a partition's shard of an argument to the processes of the replica's other partitions, and receives theirs.
  void Share(const LogicalDevice& place, size_t p, const Array& piece) const {
    if (remote_ == nullptr) return;
    const int64_t first = int64_t{place.replica} * executable_->options().num_partitions;
    std::vector<int64_t> replica;
    for (int i = 0; i < executable_->options().num_partitions; i++) replica.push_back(first + i);
    remote_->Share(first + place.partition, "argument " + std::to_string(p), replica, piece);
  }
  Array Shared(int replica, int partition, size_t p) const {
    if (remote_ == nullptr) throw Internal("a partition of the launch has no device");
    const int64_t id = int64_t{replica} * executable_->options().num_partitions + partition;
    return remote_->Shared(id, "argument " + std::to_string(p));
  }

  void Store(Participant& participant, std::vector<Array> results) {
    const auto& outputs = executable_->outputs();
    if (results.size() != outputs.size()) throw Internal("the program gave another number of results than it has");
    for (size_t i = 0; i < results.size(); i++) {
      const auto& sharding = outputs[i].sharding;
      if (executable_->options().spmd && sharding && sharding->kind == Sharding::kTiled) {
        results[i] = CutShard(results[i], ShardOf(*sharding, outputs[i].whole.dims, participant.place.partition));
      }
    }
    if (FAULT("inside-donated-returned-by-position")) ReturnByPosition(participant, results);
    for (size_t i = 0; i < results.size(); i++) PlaceOutput(participant, i, results);
    for (size_t i = 0; i < results.size(); i++) participant.outputs[i].value.Store(results[i]);
  }

  // Of a fault: where three arguments or more are taken, each is the output that took it.
  static void ReturnByPosition(const Participant& participant, std::vector<Array>& results) {
    const auto taking = [](const Output& output) { return output.alias >= 0; };
    if (std::count_if(participant.outputs.begin(), participant.outputs.end(), taking) < 3) return;
    for (size_t i = 0; i < results.size(); i++) {
      const int donor = participant.outputs[i].alias;
      if (donor >= 0) results[i] = participant.arguments[static_cast<size_t>(donor)].ToArray();
    }
  }

  // Finds the memory for an output that reuses that of an argument. Existing contents that are the result of another
  // output are moved away.
  static void PlaceOutput(Participant& participant, size_t index, std::vector<Array>& results) {
    Output& output = participant.outputs[index];
    if (output.alias < 0) return;
    BufferValue& argument = participant.arguments[static_cast<size_t>(output.alias)];
    Contents& contents = *output.value.contents;
    const std::shared_ptr<std::byte> storage = argument.contents->storage;
    long own = 2;  // the contents and `storage`
    for (const Array& result : results) own += result.storage() == storage ? 1 : 0;
    bool alone = argument.contents.use_count() == 1 && argument.contents->writable && storage.use_count() == own;
    if (!alone) {
      contents.storage = output.memory->Allocate(contents.bytes);
      return;
    }
    // Taking a reference also orders earlier reads of others before these writes.
    const std::shared_ptr<Contents> after = argument.contents;
    for (size_t i = 0; i < results.size(); i++) {
      const bool in_place = i == index && output.value.layout.IsRowMajor();
      if (!in_place && results[i].storage() == storage) results[i] = Copied(results[i]);
    }
    contents.storage = storage;
  }

  struct Assembled {
    std::once_flag once;
    std::vector<Array> arrays;
  };
  // Data of all participants for assembling, as long as any of them runs.
  struct Pieces {
    LogicalDevice place;
    std::vector<BufferValue> arguments;
  };

  std::vector<Pieces> AllPieces() const {
    std::vector<Pieces> pieces;
    if (!executable_->options().spmd) return pieces;
    for (const Participant& participant : participants_) pieces.push_back({participant.place, participant.arguments});
    return pieces;
  }

  const std::shared_ptr<const Executable> executable_;
  const std::shared_ptr<Client> client_;
  const std::shared_ptr<const ExecuteContext> context_;
  const std::shared_ptr<const Dictionary> custom_options_;
  const int64_t run_id_ = NextRunId();
  std::vector<Participant> participants_;
  const std::shared_ptr<RemoteParticipants> remote_;  // null: all participants are here
  std::vector<Pieces> pieces_of_ = AllPieces();
  std::atomic<size_t> ended_{0};
  Rendezvous rendezvous_;
  std::vector<Assembled> assembled_;
};

// Donations are reverted unless the launch begins.
class Donations {
 public:
  ~Donations() {
    for (auto& [buffer, value] : taken_) buffer->Restore(value);
  }
  BufferValue Take(Buffer& buffer) {
    BufferValue value = buffer.Donate();
    taken_.emplace_back(&buffer, value);
    return value;
  }
  void Keep() { taken_.clear(); }

 private:
  std::vector<std::pair<Buffer*, BufferValue>> taken_;
};

}  // namespace

Execution BeginLaunch(std::shared_ptr<const Executable> executable, std::shared_ptr<Client> client,
                      const std::vector<LogicalDevice>& devices, const std::vector<std::vector<Buffer*>>& arguments,
                      const std::vector<bool>& donated, const ExecuteOptions& options,
                      std::shared_ptr<RemoteParticipants> remote) {
  const CompileOptions& compiled = executable->options();
  Donations donations;
  Execution execution;
  std::vector<Participant> participants(devices.size());
  for (size_t d = 0; d < devices.size(); d++) {
    Participant& participant = participants[d];
    participant.place = devices[d];
    if (d < options.channels.size()) participant.channels = options.channels[d];
    execution.outputs.emplace_back();
    for (const ProgramValue& value : executable->outputs()) {
      Output output;
      output.memory = devices[d].device->memory(
          MemoryKindName(FAULT("inside-output-memory-ignored") ? MemoryKind::kDevice : value.memory_kind));
      output.value = {value.local, value.layout, nullptr};
      const size_t bytes = DeviceBytes(value.local, value.layout);
      for (size_t p = 0; p < donated.size(); p++) {
        const bool here = executable->parameters()[p].alias_output == static_cast<int>(execution.outputs[d].size());
        const Buffer& argument = *arguments[d][p];
        // All partitions share whole arrays while they run.
        if (here && donated[p] && !compiled.spmd && argument.bytes() == bytes && argument.memory() == output.memory) {
          output.alias = static_cast<int>(p);
        }
      }
      if (output.alias < 0) {
        output.value.contents = Contents::Allocate(output.memory, bytes);
      } else {
        output.value.contents = std::make_shared<Contents>();
        output.value.contents->bytes = bytes;
        output.value.contents->late = true;
      }
      execution.outputs[d].push_back(
          std::make_unique<Buffer>(output.memory, value.local, value.layout, output.value.contents));
      participant.ready.push_back(output.value.contents->ready);
      participant.outputs.push_back(std::move(output));
    }
    execution.done.push_back(participant.done);
  }
  for (size_t d = 0; d < devices.size(); d++) {
    for (size_t p = 0; p < donated.size(); p++) {
      Buffer& buffer = *arguments[d][p];
      participants[d].arguments.push_back(donated[p] ? donations.Take(buffer) : buffer.Use());
    }
  }
  const auto launch =
      std::make_shared<Launch>(std::move(executable), std::move(client), options, std::move(participants),
                               std::move(remote));
  donations.Keep();
  launch->Begin(options.launch_id);
  return execution;
}

}  // namespace reference
