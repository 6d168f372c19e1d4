// Tasks that send numbers through channels and check what arrives, for tests of the handover
// between threads: what must not happen is that a number is lost, doubled, torn or overtaken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/runtime/channel.h"
#include "tidemark/runtime/scheduler.h"
#include "tidemark/runtime/task.h"

namespace tidemark::test_support {

// Sanitizer builds run 5 to 20 times slower: they get a tenth of the work.
std::size_t scaled(std::size_t work);

// Sends the numbers first, first + step, ... below end, each to the output that `route` names, then
// ends every output. The marker may travel with rows or alone.
class NumberSource : public Task {
 public:
  struct Numbers {
    std::int64_t first = 0;
    std::int64_t end = 0;
    std::int64_t step = 1;
  };
  using Route = std::function<std::size_t(std::int64_t)>;

  NumberSource(std::vector<Channel*> outputs, Numbers numbers, Route route);

  TaskStatus run() override;
  std::string name() const override { return "source"; }

 private:
  TaskStatus send_numbers();
  TaskStatus end_outputs();
  bool has_room(std::size_t output);
  void send(std::size_t output);

  std::vector<Channel*> outputs_;
  std::vector<Batch*> pending_;
  Numbers numbers_;
  Route route_;
  std::size_t ended_outputs_ = 0;
};

// Hands every number of its inbox to `on_number`; finishes once all inputs have ended.
class NumberSink : public Task {
 public:
  using OnNumber = std::function<void(std::uint32_t channel, std::int64_t number)>;

  NumberSink(Inbox& inbox, std::vector<Channel*> inputs, OnNumber on_number);

  // Receives nothing before that time.
  void stall_until(Clock::time_point time) { stalled_until_ = time; }

  TaskStatus run() override;
  std::optional<Clock::time_point> deadline() const override { return stalled_until_; }
  std::string name() const override { return "sink"; }

 private:
  Inbox& inbox_;
  std::vector<Channel*> inputs_;
  OnNumber on_number_;
  std::vector<bool> ended_;
  std::size_t ended_count_ = 0;
  std::optional<Clock::time_point> stalled_until_;
};

// Passes the batches of one input on to one output.
class Forwarder : public Task {
 public:
  Forwarder(Inbox& inbox, Channel& input, Channel& output);

  TaskStatus run() override;
  std::string name() const override { return "forwarder"; }

 private:
  Inbox& inbox_;
  Channel& input_;
  Channel& output_;
  Batch* received_ = nullptr;
};

// Owns a scheduler and what runs on it.
class Network {
 public:
  explicit Network(SchedulerOptions options) : scheduler_(std::move(options)) {}

  Scheduler& scheduler() { return scheduler_; }
  std::size_t core_of(std::size_t wish) const { return wish % scheduler_.cores(); }

  Inbox& inbox(std::size_t consumer_core);
  Channel& connect(Inbox& inbox, std::uint32_t index, std::size_t producer_core, std::size_t rows,
                   std::size_t credit);

  template <typename TaskType, typename... Arguments>
  TaskType& add(std::size_t core, Arguments&&... arguments) {
    auto task = std::make_unique<TaskType>(std::forward<Arguments>(arguments)...);
    TaskType& result = *task;
    tasks_.push_back(std::move(task));
    scheduler_.add(core, result);
    return result;
  }

  void run() { scheduler_.run(); }

 private:
  Scheduler scheduler_;
  std::deque<Inbox> inboxes_;
  std::deque<Channel> channels_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace tidemark::test_support
