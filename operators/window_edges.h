// Where batches are cut, so that results do not depend on batch size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_spec.h"
#include "tidemark/operators/zone_clock.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// The instants at which a watermark changes anything: where windows become complete, and where
// their allowed lateness ends. Batches are cut there, so that every row meets the same open windows
// as if watermarks went after every row.
class WindowEdges {
 public:
  // `clock` is null for UTC. Windows without edges in time are left out: sessions, for one.
  explicit WindowEdges(std::span<const WindowSpec> windows,
                       const std::shared_ptr<const ZoneClock>& clock = nullptr,
                       std::int64_t lateness = 0)
      : lateness_(lateness) {
    for (const WindowSpec& window : windows) {
      if (has_slices(window.kind)) slicings_.emplace_back(window, clock);
    }
  }

  // The lowest watermark above `watermark` that completes some window, end - 1 for a window's end,
  // or closes it, end - 1 + lateness. The very first watermark always counts.
  EventTime next_after(EventTime watermark) const {
    if (watermark == kNoWatermark) return kNoWatermark + 1;
    EventTime next = kEndOfTime;
    if (watermark == kEndOfTime) return next;
    for (const Slicing& slicing : slicings_) {
      next = std::min(next, slicing.window_end(slicing.first_open_window(watermark)) - 1);
      if (lateness_ == 0) continue;
      // No window that holds a row ends before the first event time there is.
      const EventTime behind = std::max(saturating_add(watermark, -lateness_), kMinEventTime);
      const EventTime end = slicing.window_end(slicing.first_open_window(behind));
      next = std::min(next, saturating_add(end - 1, lateness_));
    }
    return next;
  }

 private:
  std::int64_t lateness_;
  std::vector<Slicing> slicings_;
};

}  // namespace tidemark
