#include "tidemark/perf/hand_over_log.h"

namespace tidemark {

HandOverLog::HandOverLog() : entries_(std::make_unique<Entry[]>(kEntries)) {}

void HandOverLog::note(std::uint64_t end, Clock::time_point now) {
  const std::uint64_t number = count_.load(std::memory_order_relaxed);  // written by this thread
  Entry& entry = entries_[number % kEntries];
  entry.end.store(end, std::memory_order_release);
  entry.at.store(now.time_since_epoch().count(), std::memory_order_release);
  count_.store(number + 1, std::memory_order_release);
}

std::optional<Clock::time_point> HandOverLog::handed_over(std::uint64_t row) const {
  const std::uint64_t count = count_.load(std::memory_order_acquire);
  const std::uint64_t oldest = count < kEntries ? 0 : count - kEntries + 1;
  // The first entry that has `row` behind it.
  std::uint64_t low = oldest;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (entry(middle).end.load(std::memory_order_acquire) > row) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  // What lies before the oldest entry may have gone with an earlier one.
  if (low == count || (low == oldest && oldest > 0)) return std::nullopt;
  const Clock::rep at = entry(low).at.load(std::memory_order_acquire);
  // An entry written over meanwhile, by the one or before, may have misled the search.
  if (count_.load(std::memory_order_acquire) >= oldest + kEntries) return std::nullopt;
  return Clock::time_point(Clock::duration(at));
}

}  // namespace tidemark
