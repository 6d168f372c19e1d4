#include "tidemark/runtime/worker_figures.h"

#include <algorithm>

namespace tidemark {

namespace {
Clock::rep ticks(Clock::time_point time) { return time.time_since_epoch().count(); }
}  // namespace

void WorkerFigures::begin(Clock::time_point now) { begun_.set(ticks(now)); }

void WorkerFigures::begin_wait(Clock::time_point now, bool blocked) {
  waiting_blocked_.set(blocked);
  waiting_since_.set(ticks(now));
}

void WorkerFigures::end_wait(Clock::time_point now) {
  (waiting_blocked_.get() ? blocked_ : idle_).add(ticks(now) - waiting_since_.get());
  waiting_since_.set(kNever);
}

void WorkerFigures::end(Clock::time_point now) { ended_.set(ticks(now)); }

WorkerTime WorkerFigures::time(Clock::time_point now) const {
  const Ticks begun = begun_.get();
  if (begun == kNever) return {};
  const Ticks ended = ended_.get();
  const Ticks until = std::max(ended == kNever ? ticks(now) : ended, begun);
  const Ticks since = waiting_since_.get();
  Ticks idle = idle_.get();
  Ticks blocked = blocked_.get();
  if (ended == kNever && since != kNever) {
    (waiting_blocked_.get() ? blocked : idle) += std::max<Ticks>(until - since, 0);
  }
  const Ticks busy = std::max<Ticks>(until - begun - idle - blocked, 0);
  return {Clock::duration(busy), Clock::duration(idle), Clock::duration(blocked)};
}

}  // namespace tidemark
