// Where batches are cut, so that results do not depend on batch size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/operators/edge_heap.h"
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
    std::set<std::pair<std::int64_t, std::int64_t>> ends;
    for (const WindowSpec& window : windows) {
      if (!has_slices(window.kind)) continue;
      const Slicing slicing(window, clock);
      if (slicing.ends_evenly() &&
          !ends.emplace(slicing.slide(), floor_mod(slicing.origin_end(), slicing.slide())).second) {
        continue;  // always ends together with another
      }
      next_.append({kNoWatermark, static_cast<std::uint32_t>(slicings_.size())});
      slicings_.push_back(slicing);
    }
  }

  // The lowest watermark above `watermark` that completes some window, end - 1 for a window's end,
  // or closes it, end - 1 + lateness. The very first watermark always counts. Asked with watermarks
  // that do not fall. Costs log2(windows) for each window completed or closed since the last time.
  EventTime next_after(EventTime watermark) {
    if (watermark == kNoWatermark) return kNoWatermark + 1;
    if (watermark == kEndOfTime || next_.empty()) return kEndOfTime;
    while (next_.earliest().time <= watermark) {
      next_.go_on_to(next_of(slicings_[next_.earliest().sequence], watermark));
    }
    return next_.earliest().time;
  }

 private:
  EventTime next_of(const Slicing& slicing, EventTime watermark) const {
    const EventTime next = slicing.window_end(slicing.first_open_window(watermark)) - 1;
    if (lateness_ == 0) return next;
    // No window that holds a row ends before the first event time there is.
    const EventTime behind = std::max(saturating_add(watermark, -lateness_), kMinEventTime);
    const EventTime end = slicing.window_end(slicing.first_open_window(behind));
    return std::min(next, saturating_add(end - 1, lateness_));
  }

  std::int64_t lateness_;
  std::vector<Slicing> slicings_;
  EdgeHeap next_;  // by slicing: the next watermark that counts
};

}  // namespace tidemark
