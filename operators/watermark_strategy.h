// Where a partition's watermarks come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tidemark/operators/query.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Reads the wall clock: ms since 1970-01-01T00:00:00Z.
using WallClock = std::function<EventTime()>;
EventTime system_wall_clock();

// Follows the watermark of one partition, row by row:
// - bounded out-of-orderness: after every row the highest event time so far - delay - 1 ms. Delay 0
//   is the strategy for rows in order (monotonous).
// - punctuated: the highest watermark that rows have brought; the partition has written the one
//   that holds after each row into the batch's watermark column.
// - none: there is no watermark until the input ends.
// - processing time: 1 ms behind the clock, which never goes back here even if the system's does;
//   rows get the clock's time when they are stamped, so none can be late.
//
// The watermark rises after every row that raises it, as if a watermark of its own went after it in
// the stream; whoever cuts batches where that matters makes it exact at the price of one batch per
// cut. Not thread-safe.
class PartitionWatermarks {
 public:
  // Without a `clock` it is the system's; only processing time reads it.
  explicit PartitionWatermarks(const WindowQuery& query, WallClock clock = {});

  // Processing time: takes over the clock's time. Otherwise does nothing.
  void read_clock();

  // Prepares rows [0, size) of a batch that has just been read, before any of them is followed:
  // fills the column of watermarks as of each row's arrival if the query has it, and in processing
  // time the times.
  void stamp(Batch& rows);

  // Follows stamped rows from `begin` on up to and including the first after which the watermark is
  // at least `cut`, and returns the end of what it has followed. Every row is followed once, in
  // order.
  std::size_t follow(const Batch& rows, std::size_t begin, EventTime cut);

  // After the rows followed so far; kNoWatermark: there is none yet.
  EventTime watermark() const;
  // The highest event time of the rows followed so far, or kNoWatermark.
  EventTime highest() const { return highest_; }

 private:
  enum class Kind : std::uint8_t { kBounded, kPunctuated, kNone, kProcessing };

  static Kind kind_of(const WindowQuery& query);
  EventTime behind(EventTime highest) const;
  void stamp_bounded(std::size_t rows, const EventTime* times, EventTime* watermarks) const;
  void stamp_punctuated(std::size_t rows, Column& column);
  std::size_t follow_times(const Batch& rows, std::size_t begin, EventTime cut_time);
  std::size_t follow_punctuation(const Batch& rows, std::size_t begin, EventTime cut);

  Kind kind_;
  std::int64_t delay_;
  // The number of the watermark column, or kNoColumn.
  std::size_t column_;
  WallClock clock_;
  EventTime now_ = kNoWatermark;
  EventTime highest_ = kNoWatermark;
  // Punctuated: after the rows followed, and after all rows stamped.
  EventTime announced_ = kNoWatermark;
  EventTime stamped_ = kNoWatermark;

  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
};

}  // namespace tidemark
