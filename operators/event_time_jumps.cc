#include "tidemark/operators/event_time_jumps.h"

#include <algorithm>

#include "tidemark/operators/event_time_range.h"

namespace tidemark {

void EventTimeJumps::observe(std::span<const EventTime> times, EventTime highest) {
  if (times.empty()) return;
  if (highest == kNoWatermark) highest = times.front();
  // No row lies further above the highest before it than above the row before it. Flags as wide as
  // times make vectors of the loop.
  const EventTime* const time = times.data();
  const std::size_t n = times.size();
  const std::int64_t steepest = std::max(largest_.ms, floor_);
  const EventTime middle = middle_;
  auto tells = static_cast<std::int64_t>(time[0] - highest > steepest) |
               static_cast<std::int64_t>(time[0] < middle);
  for (std::size_t i = 1; i < n; ++i) {
    tells |= static_cast<std::int64_t>(time[i] - time[i - 1] > steepest) |
             static_cast<std::int64_t>(time[i] < middle);
  }
  if (tells != 0) look_at_each(times, highest);
  rows_ += n;
}

void EventTimeJumps::look_at_each(std::span<const EventTime> times, EventTime highest) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    const EventTime time = times[i];
    if (time - highest > std::max(largest_.ms, floor_)) {
      largest_ = {.ms = time - highest, .from = highest, .to = time, .row = rows_ + i + 1};
      middle_ = highest + largest_.ms / 2;
    }
    largest_.rows_behind += static_cast<std::uint64_t>(time < middle_);
    highest = std::max(highest, time);
  }
}

std::span<const MaxAheadGuard::Refusal> MaxAheadGuard::drop_refused(Batch& rows) {
  accepted_.clear();
  refused_.clear();
  if (rows.empty()) return refused_;
  const EventTime highest = highest_of({rows.times(), rows.size()}, highest_);
  if (highest_ != kNoWatermark && highest <= saturating_add(highest_, limit_)) {
    highest_ = highest;
    return refused_;
  }
  for (std::uint16_t row = 0; row < rows.size(); ++row) {
    const EventTime time = rows.times()[row];
    if (accepts(time)) {
      accepted_.push_back(row);
    } else {
      refused_.push_back({row, time, highest_});
    }
  }
  if (!refused_.empty()) rows.keep(accepted_);
  return refused_;
}

}  // namespace tidemark
