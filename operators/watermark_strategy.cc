#include "tidemark/operators/watermark_strategy.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidemark/operators/event_time_range.h"

namespace tidemark {

EventTime system_wall_clock() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

PartitionWatermarks::PartitionWatermarks(const WindowQuery& query, WallClock clock)
    : kind_(kind_of(query)),
      delay_(query.delay),
      column_(query.carries_watermarks() ? query.watermark_column() : kNoColumn),
      clock_(clock ? std::move(clock) : system_wall_clock) {}

PartitionWatermarks::Kind PartitionWatermarks::kind_of(const WindowQuery& query) {
  if (query.time_domain == TimeDomain::kProcessing) return Kind::kProcessing;
  switch (query.watermarks) {
    case WatermarkKind::kPunctuated:
      return Kind::kPunctuated;
    case WatermarkKind::kNone:
      return Kind::kNone;
    case WatermarkKind::kBounded:
      break;
  }
  return Kind::kBounded;
}

void PartitionWatermarks::read_clock() {
  if (kind_ == Kind::kProcessing) now_ = std::max(now_, clock_());
}

EventTime PartitionWatermarks::behind(EventTime highest) const {
  return highest == kNoWatermark ? kNoWatermark : highest - delay_ - 1;
}

EventTime PartitionWatermarks::watermark() const {
  switch (kind_) {
    case Kind::kBounded:
      return behind(highest_);
    case Kind::kPunctuated:
      return announced_;
    case Kind::kProcessing:
      return now_ == kNoWatermark ? kNoWatermark : now_ - 1;
    case Kind::kNone:
      break;
  }
  return kNoWatermark;
}

void PartitionWatermarks::stamp(Batch& rows) {
  if (rows.empty()) return;
  if (kind_ == Kind::kProcessing) std::fill_n(rows.times(), rows.size(), now_);
  if (column_ == kNoColumn) return;
  EventTime* const watermarks = rows.column(column_).int64s();
  switch (kind_) {
    case Kind::kBounded:
      stamp_bounded(rows.size(), rows.times(), watermarks);
      break;
    case Kind::kPunctuated:
      stamp_punctuated(rows.size(), rows.column(column_));
      break;
    case Kind::kProcessing:
    case Kind::kNone:
      std::fill_n(watermarks, rows.size(), watermark());
      break;
  }
}

void PartitionWatermarks::stamp_bounded(std::size_t rows, const EventTime* times,
                                        EventTime* watermarks) const {
  EventTime highest = highest_;
  for (std::size_t row = 0; row < rows; ++row) {
    watermarks[row] = behind(highest);
    highest = std::max(highest, times[row]);
  }
}

// The watermark that a row brings holds for those behind it.
void PartitionWatermarks::stamp_punctuated(std::size_t rows, Column& column) {
  EventTime* const watermarks = column.int64s();
  for (std::size_t row = 0; row < rows; ++row) {
    const EventTime brought = std::exchange(watermarks[row], stamped_);
    if (is_valid_event_time(brought) && !column.is_null(row))
      stamped_ = std::max(stamped_, brought);
  }
}

std::size_t PartitionWatermarks::follow(const Batch& rows, std::size_t begin, EventTime cut) {
  switch (kind_) {
    case Kind::kBounded:
      // The lowest event time that raises the watermark to the cut.
      return follow_times(rows, begin, saturating_add(cut, delay_ + 1));
    case Kind::kPunctuated:
      return follow_punctuation(rows, begin, cut);
    case Kind::kProcessing:
    case Kind::kNone:
      break;
  }
  return follow_times(rows, begin, kEndOfTime);
}

std::size_t PartitionWatermarks::follow_times(const Batch& rows, std::size_t begin,
                                              EventTime cut_time) {
  const EventTime* const times = rows.times();
  std::size_t end = rows.size();
  EventTime highest = highest_of({times + begin, times + end}, highest_);
  if (highest >= cut_time && begin < end) {
    end = begin;
    highest = highest_;
    do {
      highest = std::max(highest, times[end++]);
    } while (highest < cut_time);
  }
  highest_ = highest;
  return end;
}

std::size_t PartitionWatermarks::follow_punctuation(const Batch& rows, std::size_t begin,
                                                    EventTime cut) {
  const EventTime* const before = rows.column(column_).int64s();
  for (std::size_t row = begin; row < rows.size(); ++row) {
    highest_ = std::max(highest_, rows.times()[row]);
    announced_ = row + 1 < rows.size() ? before[row + 1] : stamped_;
    if (announced_ >= cut) return row + 1;
  }
  return rows.size();
}

}  // namespace tidemark
