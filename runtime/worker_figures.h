// How a worker spends its time, for other threads to look at while it goes on.
#pragma once

#include <cstdint>

#include "tidemark/runtime/parker.h"
#include "tidemark/runtime/published_value.h"

namespace tidemark {

// The parts of a worker's time so far; they sum to the time since it began.
struct WorkerTime {
  Clock::duration busy{};
  Clock::duration idle{};     // nothing to do
  Clock::duration blocked{};  // something to do, but no room downstream
};

// Written by the worker when it begins, ends, and around each wait, with times that it has read
// anyway; never while it gets on.
class alignas(64) WorkerFigures {
 public:
  void begin(Clock::time_point now);
  void begin_wait(Clock::time_point now, bool blocked);
  void end_wait(Clock::time_point now);
  void end(Clock::time_point now);

  // Any thread. Zero before begin(); final after end(). Parts that are read while the worker goes
  // from one to the next may be off by that one wait.
  WorkerTime time(Clock::time_point now) const;

 private:
  using Ticks = Clock::rep;
  static constexpr Ticks kNever = -1;

  PublishedValue<Ticks> begun_{kNever};
  PublishedValue<Ticks> ended_{kNever};
  PublishedValue<Ticks> waiting_since_{kNever};
  PublishedValue<bool> waiting_blocked_{false};
  PublishedValue<Ticks> idle_{0};
  PublishedValue<Ticks> blocked_{0};
};

}  // namespace tidemark
