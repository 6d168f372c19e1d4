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

// The instants at which a watermark changes anything: where windows become complete. Batches are
// cut there, so that every row meets the same open windows as if watermarks went after every row.
class WindowEdges {
 public:
  // `clock` is null for UTC. Windows without edges in time are left out: sessions, for one.
  explicit WindowEdges(std::span<const WindowSpec> windows,
                       const std::shared_ptr<const ZoneClock>& clock = nullptr) {
    for (const WindowSpec& window : windows) {
      if (has_slices(window.kind)) slicings_.emplace_back(window, clock);
    }
  }

  // The lowest watermark above `watermark` that completes some window; end - 1 for a window's end.
  // The very first watermark always counts.
  EventTime next_after(EventTime watermark) const {
    if (watermark == kNoWatermark) return kNoWatermark + 1;
    EventTime next = kEndOfTime;
    if (watermark == kEndOfTime) return next;
    for (const Slicing& slicing : slicings_) {
      next = std::min(next, slicing.window_end(slicing.first_open_window(watermark)) - 1);
    }
    return next;
  }

 private:
  std::vector<Slicing> slicings_;
};

}  // namespace tidemark
