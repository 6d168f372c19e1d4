// Finds the slice of each row of a chunk, and what the watermark says about it.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// Rows mostly come in runs of one slice, so the last slice's bounds are kept: a row inside them
// costs two comparisons and no division.
class SliceFinder {
 public:
  explicit SliceFinder(const Slicing& slicing) : slicing_(slicing) {}

  std::int64_t slice_of(EventTime time) {
    if (time < span_.begin || time >= span_.end) span_ = slicing_.span_of(time);
    return span_.slice;
  }

  // The slice of all the rows, if there is just one (and, where the zone's offset changes, they all
  // lie on one side of that).
  std::optional<std::int64_t> uniform_slice(const RowChunk& rows) {
    const std::int64_t slice = slice_of(rows.times()[0]);
    return rows.all_within(span_.begin, span_.end) ? std::optional(slice) : std::nullopt;
  }

  // Outcome of a row in `slice` while windows from `first_open` on are open.
  RowOutcome outcome(std::int64_t slice, std::int64_t first_open) const {
    if (slicing_.is_gap(slice)) return kInNoWindow;
    if (slicing_.last_window(slice) < first_open) return kHadWindow;
    return static_cast<RowOutcome>(kHadWindow | kAccepted);
  }

 private:
  const Slicing& slicing_;
  Slicing::Span span_{0, 0, 0};
};

}  // namespace tidemark
