// Where a partition's watermarks come from.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tidemark/runtime/time.h"

namespace tidemark {

// Bounded out-of-orderness: after every row the watermark is the highest event time so far - delay
// - 1 ms. Delay 0 is the strategy for rows in order.
class BoundedOutOfOrderness {
 public:
  explicit BoundedOutOfOrderness(std::int64_t delay_ms) : delay_(delay_ms) {}

  void observe(EventTime time) { highest_ = std::max(highest_, time); }
  EventTime highest() const { return highest_; }
  EventTime watermark() const {
    return highest_ == kNoWatermark ? kNoWatermark : highest_ - delay_ - 1;
  }
  // The lowest event time that raises the watermark to at least `watermark`.
  EventTime time_that_reaches(EventTime watermark) const { return watermark + delay_ + 1; }

 private:
  std::int64_t delay_;
  EventTime highest_ = kNoWatermark;
};

}  // namespace tidemark
