// Which rows leave a window when it fires, where not all rows since its start count.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tidemark/operators/window_rows.h"

namespace tidemark {

// One object for all windows. A window with an evictor keeps its rows, and its aggregates are
// computed from those that are left at each firing. Evicted rows do not come back. Called from the
// threads of all window stages at once.
class Evictor {
 public:
  virtual ~Evictor() = default;
  // Before and after the aggregates of a firing are computed. `rows` is not empty.
  virtual void evict_before(WindowRows& rows) const { (void)rows; }
  virtual void evict_after(WindowRows& rows) const { (void)rows; }
};

using EvictorPtr = std::shared_ptr<const Evictor>;

enum class EvictionMoment : std::uint8_t { kBefore, kAfter };

// Leaves the last `rows` rows by arrival.
EvictorPtr count_evictor(std::size_t rows, EvictionMoment moment = EvictionMoment::kBefore);
// Leaves rows with an event time in (highest - span, highest].
EvictorPtr time_evictor(std::chrono::milliseconds span,
                        EvictionMoment moment = EvictionMoment::kBefore);
// Leaves rows whose value column `input` is less than `threshold` away from the last row's. Rows
// without a value stay; if the last row has none, all do.
EvictorPtr delta_evictor(std::size_t input, double threshold,
                         EvictionMoment moment = EvictionMoment::kBefore);

}  // namespace tidemark
