// Work of a device: one thread that runs tasks in the order in which they became ready.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/event.h"

namespace reference {

// Number of tasks of a set of queues, waiting or running. A task counts until everything that it started is done.
class Activity {
 public:
  void Begin();
  void End();
  void AwaitNone();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  size_t tasks_ = 0;
};

// Delays of a queue's tasks: a constant, and a random one that depends only on the seed.
struct Lateness {
  std::chrono::microseconds each{0};
  std::chrono::microseconds most_more{0};
  uint64_t seed = 0;
};

class WorkQueue {
 public:
  // Gets the error of the first dependency that failed (or of the queue's shutdown), or null. Must not throw.
  using Task = std::function<void(const Error* failed)>;

  // The thread sleeps before each task.
  WorkQueue(const Lateness& lateness, std::shared_ptr<Activity> activity);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // The task enters the queue once all dependencies are complete, successfully or not; it never blocks the thread
  // before that. Tasks without open dependencies enter in the order of the calls.
  void Schedule(const std::vector<EventPtr>& dependencies, Task task);

  // The tasks of one launch on several devices, tasks[i] on queues[i]: they enter together once all dependencies are
  // complete, so that those of two launches are in the same order in every queue and may wait for each other.
  static void ScheduleTogether(const std::vector<WorkQueue*>& queues, const std::vector<EventPtr>& dependencies,
                               std::vector<Task> tasks);

  // Runs what is in the queue and ends the thread. Later tasks (because of a dependency, or by Schedule) run on the
  // thread that adds them, with a Cancelled error. May be called twice, and from a task.
  void Shutdown();

  // Whether the calling thread is that of this queue.
  bool OnThread() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reference
