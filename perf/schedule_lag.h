// How far a load has fallen behind its schedule, and whether it falls further.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tidemark/runtime/parker.h"

namespace tidemark {

// Kept by each partition, and merged after the run. Rows of the warm-up do not count. Never
// allocates.
class ScheduleLag {
 public:
  ScheduleLag() = default;
  // Of a schedule of `rows` rows, counted from row `first_counted` on.
  ScheduleLag(std::uint64_t first_counted, std::uint64_t rows)
      : first_counted_(first_counted), rows_(rows) {}

  // Row `row`, the first of a batch, was handed out `lag` after it was due.
  void note(std::uint64_t row, Clock::duration lag);
  // No more rows come; the next one has been due for `lag`.
  void cut_off(Clock::duration lag);
  // `other` is of the same schedule.
  void merge(const ScheduleLag& other);

  Clock::duration highest() const { return highest_; }
  Clock::duration last() const { return last_; }  // of the last rows

  // By how many rows a second the backlog, rows due and not handed out, grew: the median slope over
  // all pairs of up to 64 points in time (Sen 1968), so that a single stall does not make a trend.
  // Negative while it shrank; 0 with less than two points. `rate` is the schedule's.
  double backlog_growth(std::uint64_t rate) const;

 private:
  static constexpr std::size_t kSlots = 64;
  struct Slot {
    bool used = false;
    std::uint64_t row = 0;  // the one with the highest lag
    Clock::duration lag{};
  };

  std::uint64_t first_counted_ = 0;
  std::uint64_t rows_ = 0;
  Clock::duration highest_{};
  Clock::duration last_{};
  std::array<Slot, kSlots> slots_{};  // equal parts of the schedule
};

}  // namespace tidemark
