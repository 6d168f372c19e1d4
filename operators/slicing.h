// Cuts the stream once for all overlapping windows of one specification.
#pragma once

#include <cstdint>
#include <memory>

#include "tidemark/operators/window_spec.h"
#include "tidemark/operators/zone_clock.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Slices lie between neighbouring window edges, and are numbered in the order of time; windows are
// numbered in the order of their ends.
//
// - Tumbling and sliding windows ("pairs", Krishnamurthy, Wu and Franklin 2006): one slice per
//   slide if the slide divides the size, else two, however small their gcd is. With slide > size
//   every second slice is a gap that belongs to no window.
// - Cumulate windows: one slice per step. Window k is the one that slice k completes; it begins
//   with the first slice of its period.
// - Windows of months and years: one slice per window. Those of weeks are tumbling windows.
//
// All this is arithmetic on local time, the wall clock of a zone; without one that is UTC. A row is
// in the windows that hold the local time of its instant, so what the clock shows twice (a fold)
// goes to one window, and what it skips (a gap) to none. A window ends at the instant that follows
// the last one which it can hold.
class Slicing {
 public:
  // `spec` is valid and tumbling, sliding or cumulate. `clock` is null for UTC.
  explicit Slicing(const WindowSpec& spec, std::shared_ptr<const ZoneClock> clock = nullptr);

  // A slice and instants [begin, end) that all lie in it: all there are, except that a slice in
  // which the zone's offset changes is given in parts.
  struct Span {
    std::int64_t slice;
    EventTime begin;
    EventTime end;
  };

  std::int64_t slices_per_slide() const { return per_slide_; }
  // Of the longest window.
  std::int64_t slices_per_window() const {
    return remainder_ == 0 ? steps_ * whole_slides_ : 2 * whole_slides_ + 1;
  }

  // The slice that holds `time`, a valid event time.
  Span span_of(EventTime time) const;
  std::int64_t slice_of(EventTime time) const { return span_of(time).slice; }
  bool has_gaps() const { return whole_slides_ == 0; }
  bool is_gap(std::int64_t slice) const { return has_gaps() && floor_mod(slice, 2) == 1; }

  // First and last slice of a window.
  std::int64_t first_slice(std::int64_t window) const {
    return steps_ == 1 ? window * per_slide_ : floor_div(window, steps_) * steps_;
  }
  std::int64_t last_slice(std::int64_t window) const {
    return steps_ == 1 ? window * per_slide_ + slices_per_window() - 1 : window;
  }
  // First and last window that hold a slice which is no gap.
  std::int64_t first_window(std::int64_t slice) const {
    if (steps_ != 1) return slice;
    return last_window(slice) - whole_slides_ +
           static_cast<std::int64_t>(per_slide_ == 1 || floor_mod(slice, 2) == 1);
  }
  std::int64_t last_window(std::int64_t slice) const {
    if (steps_ != 1) return floor_div(slice, steps_) * steps_ + steps_ - 1;
    return per_slide_ == 1 ? slice : floor_div(slice, 2);
  }

  // The first instant that a window can hold, and the one after the last. Windows whose local
  // bounds a gap swallows have start >= end, and hold no row.
  EventTime window_start(std::int64_t window) const;
  EventTime window_end(std::int64_t window) const;
  // Whether a window holds the same instants as the one before it, since their bounds differ only
  // in local times that the clock skips.
  bool repeats_previous(std::int64_t window) const {
    return clock_ != nullptr && window_end(window) == window_end(window - 1) &&
           window_start(window) == window_start(window - 1);
  }

  // The first window that is not complete at `watermark`, which means end - 1 > watermark.
  // kNoWatermark and kEndOfTime give the lowest and highest int64.
  std::int64_t first_open_window(EventTime watermark) const;
  // The same where windows stay open for `lateness` ms more: end - 1 + lateness > watermark.
  std::int64_t first_open_window(EventTime watermark, std::int64_t lateness) const;

  // The same on local time, for a caller that shares it among several slicings.
  std::int64_t local_slice_of(std::int64_t local) const;
  std::int64_t local_slice_start(std::int64_t slice) const;
  std::int64_t local_window_start(std::int64_t window) const {
    return local_slice_start(first_slice(window));
  }
  std::int64_t local_window_end(std::int64_t window) const;
  // `watermark` is a local one, and neither kNoWatermark nor kEndOfTime.
  std::int64_t first_open_locally(std::int64_t watermark) const;

  // Windows whose ends are offset() + size() + n * slide() on local time; nothing else does this.
  bool ends_evenly() const { return months_ == 0; }
  // Whether those windows all have the same length.
  bool slides() const { return months_ == 0 && steps_ == 1; }
  std::int64_t slide() const { return slide_; }
  // Of local time; where the first slice and window number 0 begin, and where that window ends.
  std::int64_t origin() const { return offset_; }
  std::int64_t origin_end() const { return offset_ + size_; }

 private:
  std::int64_t size_;  // cumulate: the step, of windows that tumble and are then joined
  std::int64_t slide_;
  std::int64_t offset_;
  std::int64_t whole_slides_;
  std::int64_t remainder_;
  std::int64_t per_slide_;
  std::int64_t steps_ = 1;   // cumulate: windows in a period
  std::int64_t months_ = 0;  // of a window; 0 if it does not go by months
  std::shared_ptr<const ZoneClock> clock_;
};

}  // namespace tidemark
