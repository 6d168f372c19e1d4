#include "tidemark/operators/event_time_jumps.h"

#include <algorithm>

namespace tidemark {

void EventTimeJumps::observe(std::span<const EventTime> times) {
  if (times.empty()) return;
  if (highest_ == kNoWatermark) highest_ = times.front();
  EventTime lowest = times.front();
  EventTime highest = times.front();
  // No row lies further above the highest before it than above the row before it.
  std::int64_t steepest = times.front() - highest_;
  for (std::size_t i = 1; i < times.size(); ++i) {
    lowest = std::min(lowest, times[i]);
    highest = std::max(highest, times[i]);
    steepest = std::max(steepest, times[i] - times[i - 1]);
  }
  if (steepest > std::max(largest_.ms, floor_) || lowest < middle_) {
    look_at_each(times);
  } else {
    highest_ = std::max(highest_, highest);
  }
  rows_ += times.size();
}

void EventTimeJumps::look_at_each(std::span<const EventTime> times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    const EventTime time = times[i];
    if (time - highest_ > std::max(largest_.ms, floor_)) {
      largest_ = {.ms = time - highest_, .from = highest_, .to = time, .row = rows_ + i + 1};
      middle_ = highest_ + largest_.ms / 2;
    }
    largest_.rows_behind += static_cast<std::uint64_t>(time < middle_);
    highest_ = std::max(highest_, time);
  }
}

std::span<const MaxAheadGuard::Refusal> MaxAheadGuard::drop_refused(Batch& rows) {
  accepted_.clear();
  refused_.clear();
  if (rows.empty()) return refused_;
  const EventTime highest = *std::max_element(rows.times(), rows.times() + rows.size());
  if (highest_ != kNoWatermark && highest <= saturating_add(highest_, limit_)) {
    highest_ = std::max(highest_, highest);
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
