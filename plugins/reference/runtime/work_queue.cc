#include "runtime/work_queue.h"

#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace reference {

void Activity::Begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  tasks_++;
}

void Activity::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--tasks_ == 0) none_.notify_all();
}

void Activity::AwaitNone() {
  std::unique_lock<std::mutex> lock(mutex_);
  none_.wait(lock, [this] { return tasks_ == 0; });
}

// Shared with the thread and with tasks that wait for dependencies, both of which may outlive the queue.
struct WorkQueue::State {
  Lateness lateness;
  std::minstd_rand random;  // of the thread alone
  std::shared_ptr<Activity> activity;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Task, std::optional<Error>>> tasks;
  bool closed = false;
  std::thread thread;
  std::thread::id thread_id;  // written once, before the queue is shared

  // False, without touching the task, if the queue is closed.
  bool TryPush(Task& task, const Error* failed) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (closed) return false;
    activity->Begin();
    tasks.emplace_back(std::move(task), failed == nullptr ? std::nullopt : std::optional<Error>(*failed));
    changed.notify_one();
    return true;
  }

  // For a task that came too late.
  static void RunCancelled(const Task& task, const Error* failed) {
    const Error gone(Code::kCancelled, "the client has been destroyed");
    task(failed == nullptr ? &gone : failed);
  }

  // Every other task follows without delay, so that some overtake those of other queues.
  std::chrono::microseconds NextDelay() {
    if (lateness.most_more.count() == 0 || random() % 2 == 0) return lateness.each;
    return lateness.each + std::chrono::microseconds(random() % static_cast<uint64_t>(lateness.most_more.count()));
  }

  void Run() {
    for (;;) {
      std::pair<Task, std::optional<Error>> next;
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return closed || !tasks.empty(); });
        if (tasks.empty()) return;
        next = std::move(tasks.front());
        tasks.pop_front();
      }
      const std::chrono::microseconds delay = NextDelay();
      if (delay.count() > 0) std::this_thread::sleep_for(delay);
      next.first(next.second ? &*next.second : nullptr);
      next.first = nullptr;
      activity->End();
    }
  }
};

WorkQueue::WorkQueue(const Lateness& lateness, std::shared_ptr<Activity> activity)
    : state_(std::make_shared<State>()) {
  state_->lateness = lateness;
  state_->random.seed(static_cast<std::minstd_rand::result_type>(lateness.seed));
  state_->activity = std::move(activity);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->thread = std::thread([state = state_] { state->Run(); });
  state_->thread_id = state_->thread.get_id();
}

WorkQueue::~WorkQueue() { Shutdown(); }

void WorkQueue::Schedule(const std::vector<EventPtr>& dependencies, Task task) {
  // The task moves into the queue, which becomes the only owner of its captures.
  const auto waiting = std::make_shared<Task>(std::move(task));
  WhenAll(dependencies, [state = state_, waiting](const Error* failed) {
    Task task = std::move(*waiting);
    if (!state->TryPush(task, failed)) State::RunCancelled(task, failed);
  });
}

void WorkQueue::ScheduleTogether(const std::vector<WorkQueue*>& queues, const std::vector<EventPtr>& dependencies,
                                 std::vector<Task> tasks) {
  std::vector<std::shared_ptr<State>> states;
  for (const WorkQueue* queue : queues) states.push_back(queue->state_);
  const auto waiting = std::make_shared<std::vector<Task>>(std::move(tasks));
  WhenAll(dependencies, [states, waiting](const Error* failed) {
    // One for all clients: a launch holds it briefly, only to enqueue.
    static std::mutex together;
    std::vector<Task> moved = std::move(*waiting);
    std::vector<Task> late;
    {
      const std::lock_guard<std::mutex> lock(together);
      for (size_t i = 0; i < states.size(); i++) {
        if (!states[i]->TryPush(moved[i], failed)) late.push_back(std::move(moved[i]));
      }
    }
    for (const Task& task : late) State::RunCancelled(task, failed);
  });
}

void WorkQueue::Shutdown() {
  std::thread thread;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->closed = true;
    state_->changed.notify_all();
    thread = std::move(state_->thread);
  }
  if (!thread.joinable()) return;
  // A task that releases the last owner of the queue cannot wait for itself.
  if (OnThread()) {
    thread.detach();
  } else {
    thread.join();
  }
}

bool WorkQueue::OnThread() const { return state_->thread_id == std::this_thread::get_id(); }

}  // namespace reference
