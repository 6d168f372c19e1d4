// Cuts the stream once for all overlapping windows of one specification.
#pragma once

#include <cstdint>

#include "tidemark/operators/window_spec.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Slices lie between neighbouring window edges ("pairs", Krishnamurthy, Wu and Franklin 2006): one
// slice per slide if the slide divides the size, else two, however small their gcd is. Slices are
// numbered by ordinals in event-time order, windows by index in order of start (and so of end).
// With slide > size every second slice is a gap that belongs to no window.
class Slicing {
 public:
  explicit Slicing(const WindowSpec& spec)
      : size_(spec.size),
        slide_(spec.slide),
        offset_(spec.offset),
        whole_slides_(spec.size / spec.slide),
        remainder_(spec.size % spec.slide),
        per_slide_(remainder_ == 0 ? 1 : 2) {}

  std::int64_t slices_per_slide() const { return per_slide_; }
  std::int64_t slices_per_window() const {
    return remainder_ == 0 ? whole_slides_ : 2 * whole_slides_ + 1;
  }

  // The slice that holds `time`, a valid event time.
  std::int64_t slice_of(EventTime time) const {
    const std::int64_t slide_index = floor_div(time - offset_, slide_);
    if (per_slide_ == 1) return slide_index;
    const bool second = time - offset_ - slide_index * slide_ >= remainder_;
    return 2 * slide_index + static_cast<std::int64_t>(second);
  }
  EventTime slice_start(std::int64_t slice) const {
    if (per_slide_ == 1) return offset_ + slice * slide_;
    return offset_ + floor_div(slice, 2) * slide_ + floor_mod(slice, 2) * remainder_;
  }
  EventTime slice_end(std::int64_t slice) const { return slice_start(slice + 1); }
  bool is_gap(std::int64_t slice) const { return whole_slides_ == 0 && floor_mod(slice, 2) == 1; }

  // First and last slice of a window.
  std::int64_t first_slice(std::int64_t window) const { return window * per_slide_; }
  std::int64_t last_slice(std::int64_t window) const {
    return window * per_slide_ + slices_per_window() - 1;
  }
  // First and last window that hold a slice which is no gap.
  std::int64_t first_window(std::int64_t slice) const {
    return last_window(slice) - whole_slides_ +
           static_cast<std::int64_t>(per_slide_ == 1 || floor_mod(slice, 2) == 1);
  }
  std::int64_t last_window(std::int64_t slice) const {
    return per_slide_ == 1 ? slice : floor_div(slice, 2);
  }

  EventTime window_start(std::int64_t window) const { return offset_ + window * slide_; }
  EventTime window_end(std::int64_t window) const { return window_start(window) + size_; }

  // The first window that is not complete at `watermark`, which means end - 1 > watermark.
  // kNoWatermark and kEndOfTime give the lowest and highest int64.
  std::int64_t first_open_window(EventTime watermark) const {
    if (watermark == kNoWatermark || watermark == kEndOfTime) return watermark;
    return floor_div(watermark + 1 - size_ - offset_, slide_) + 1;
  }

 private:
  std::int64_t size_;
  std::int64_t slide_;
  std::int64_t offset_;
  std::int64_t whole_slides_;
  std::int64_t remainder_;
  std::int64_t per_slide_;
};

}  // namespace tidemark
