// Where batches are cut, so that results do not depend on batch size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemark/operators/window_spec.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// The instants at which a watermark changes anything: where windows become complete. Batches are
// cut there, so that every row meets the same open windows as if watermarks went after every row.
class WindowEdges {
 public:
  explicit WindowEdges(std::span<const WindowSpec> windows) {
    for (const WindowSpec& window : windows) {
      edges_.push_back({window.slide, floor_mod(window.offset + window.size, window.slide)});
    }
  }

  // The lowest watermark above `watermark` that completes some window; end - 1 for a window's end.
  // The very first watermark always counts.
  EventTime next_after(EventTime watermark) const {
    if (watermark == kNoWatermark) return kNoWatermark + 1;
    EventTime next = kEndOfTime;
    for (const Edge& edge : edges_) {
      const std::int64_t passed = floor_div(watermark + 1 - edge.phase, edge.period);
      next = std::min(next, (passed + 1) * edge.period + edge.phase - 1);
    }
    return next;
  }

 private:
  struct Edge {
    std::int64_t period;
    std::int64_t phase;
  };
  std::vector<Edge> edges_;
};

}  // namespace tidemark
