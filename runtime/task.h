// A piece of a pipeline that runs on one core and never blocks.
#pragma once

#include <optional>
#include <string>

#include "tidemark/runtime/parker.h"

namespace tidemark {

enum class TaskStatus : std::uint8_t {
  kProgress,  // did something; run again soon
  kWaiting,   // nothing to do until it is unparked or its deadline passes
  kBlocked,   // the same, with work at hand that what comes next in the pipeline has no room for
  kFinished,  // done for good; not run again
};

// The scheduler runs a task on one thread only, so a task needs no locks for its own state.
class Task {
 public:
  virtual ~Task() = default;

  // Does a bounded piece of work, about one batch, and returns. Must not block. An exception ends
  // the whole run and comes out of Scheduler::run().
  virtual TaskStatus run() = 0;

  // While waiting: when it wants to run again even if nothing unparks it.
  virtual std::optional<Clock::time_point> deadline() const { return std::nullopt; }

  // For messages and metrics, such as "window[1]".
  virtual std::string name() const = 0;
};

}  // namespace tidemark
