// When each row of an open-loop load is due, whatever the system under load does.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "tidemark/runtime/parker.h"

namespace tidemark {

// Row i is due at the start + i / rate. One schedule is shared by all source partitions, the first
// of which starts it, and by whoever measures against it. It may end before all rows are sent, so
// that a rate that nothing can reach does not run for as long as its rows take.
class LoadSchedule {
 public:
  // `rate` is in rows per second over all partitions, at least 1.
  // Nothing is sent later than `limit` after the start, which is when all rows are due or later.
  explicit LoadSchedule(std::uint64_t rate, Clock::duration limit = Clock::duration::max())
      : rate_(rate), limit_(limit) {}

  // The first call sets the start; later ones change nothing. Any thread.
  void begin(Clock::time_point now) {
    Clock::rep expected = kNotBegun;
    // Relaxed: the start is one word that orders nothing else, and whoever asks for a row's time
    // has got the row, directly or through a channel, from a thread that called begin().
    start_.compare_exchange_strong(expected, now.time_since_epoch().count(),
                                   std::memory_order_relaxed);
  }

  // After begin().
  Clock::time_point start() const {
    return Clock::time_point(Clock::duration(start_.load(std::memory_order_relaxed)));
  }

  // After begin(). To the nanosecond, rounded up, so that due_count(due(i)) is i + 1.
  Clock::time_point due(std::uint64_t row) const {
    const Wide ticks = (Wide{row} * kTicksPerSecond + rate_ - 1) / rate_;
    return start() + Clock::duration(static_cast<Clock::rep>(ticks));
  }

  // After begin(). How many rows are due at `now`: rows 0 to due_count - 1.
  std::uint64_t due_count(Clock::time_point now) const {
    const Clock::rep ticks = (now - start()).count();
    if (ticks < 0) return 0;
    return static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(ticks)} * rate_ /
                                      kTicksPerSecond) +
           1;
  }

  std::uint64_t rate() const { return rate_; }

  // After begin().
  bool is_over(Clock::time_point now) const { return now - start() > limit_; }

  // A partition ends without row `row` and its later ones, because the schedule is over. Any
  // thread.
  void cut_off(std::uint64_t row) {
    // Relaxed: what asks for it does so for results that only the end of this partition completes,
    // and these come to it through a channel, or on the same thread.
    std::uint64_t lowest = first_unsent_.load(std::memory_order_relaxed);
    while (row < lowest &&
           !first_unsent_.compare_exchange_weak(lowest, row, std::memory_order_relaxed)) {
    }
  }

  // The first row that was cut off; beyond all rows if none was.
  std::uint64_t first_unsent() const { return first_unsent_.load(std::memory_order_relaxed); }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kTicksPerSecond = Clock::period::den / Clock::period::num;
  static constexpr Clock::rep kNotBegun = std::numeric_limits<Clock::rep>::min();

  std::uint64_t rate_;
  Clock::duration limit_;
  std::atomic<std::uint64_t> first_unsent_{std::numeric_limits<std::uint64_t>::max()};
  std::atomic<Clock::rep> start_{kNotBegun};
};

}  // namespace tidemark
