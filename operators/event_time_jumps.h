// Watches the event times of a partition for times that lie far ahead of the rows before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tidemark/operators/run_report.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Finds the largest step by which a row raised the highest event time of its partition, and counts
// the rows after it that lie nearer to where it began: many of them mean that the time that jumped
// was wrong, not that there was silence. Not thread-safe.
class EventTimeJumps {
 public:
  // Jumps of up to `floor`, in ms, are of no account: a delay of the watermark makes up for them.
  explicit EventTimeJumps(std::int64_t floor = 0) : floor_(floor) {}

  // The next rows, in order; their times are valid. `highest` is the highest time of all rows
  // before them, kNoWatermark if there are none.
  void observe(std::span<const EventTime> times, EventTime highest);

  // ms is 0 if there was none.
  const EventTimeJump& largest() const { return largest_; }

 private:
  void look_at_each(std::span<const EventTime> times, EventTime highest);

  std::int64_t floor_;
  EventTimeJump largest_;
  EventTime middle_ = kNoWatermark;  // of the largest jump
  std::uint64_t rows_ = 0;
};

// Refuses rows whose event time is more than a limit ahead of the highest before them, of the rows
// that it accepted. The first row is always accepted; after a silence longer than the limit every
// row is refused. Not thread-safe.
class MaxAheadGuard {
 public:
  explicit MaxAheadGuard(std::int64_t limit_ms) : limit_(limit_ms) {}

  bool accepts(EventTime time) {
    if (highest_ != kNoWatermark && time > saturating_add(highest_, limit_)) return false;
    if (time > highest_) highest_ = time;
    return true;
  }
  struct Refusal {
    std::uint16_t row;
    EventTime time;
    EventTime highest;  // of the rows accepted before
  };
  // Judges all rows of a batch, the next in order, and keeps those that it accepts. Returns the
  // others, by the numbers that they had; valid until the next call.
  std::span<const Refusal> drop_refused(Batch& rows);

  // Of the rows accepted; kNoWatermark before the first.
  EventTime highest() const { return highest_; }
  std::int64_t limit() const { return limit_; }

 private:
  std::int64_t limit_;
  EventTime highest_ = kNoWatermark;
  std::vector<std::uint16_t> accepted_;
  std::vector<Refusal> refused_;
};

}  // namespace tidemark
