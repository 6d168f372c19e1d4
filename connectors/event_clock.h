// The event times of a generated stream.
#pragma once

#include <cstdint>
#include <span>

#include "tidemark/connectors/row_hash.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Row n is due at start + floor(n * 1000 / rate) ms and lies up to `disorder` ms before that,
// uniformly, so a delay of `disorder` makes no row late.
class EventClock {
 public:
  // `rate` is in rows per second of event time, at least 1; `disorder` in ms, not negative.
  EventClock(EventTime start, std::uint64_t rate, std::int64_t disorder)
      : start_(start), rate_(rate), disorder_(static_cast<std::uint64_t>(disorder)) {}

  // ms from the start until row `row` is due.
  std::int64_t due(std::uint64_t row) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(Wide{row} * 1000 / rate_);
  }

  EventTime time(std::uint64_t row, std::uint64_t random) const {
    return start_ + due(row) - static_cast<std::int64_t>(below(random, disorder_ + 1));
  }

  // Times of rows first, first + stride, ..., one for each random number. Without disorder `random`
  // only gives the number of rows.
  void fill(std::uint64_t first, std::uint64_t stride, std::span<const std::uint64_t> random,
            EventTime* times) const;

  bool has_disorder() const { return disorder_ > 0; }

 private:
  EventTime start_;
  std::uint64_t rate_;
  std::uint64_t disorder_;
};

}  // namespace tidemark
