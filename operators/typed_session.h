// Sessions of the typed face whose gap comes with each row.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "tidemark/operators/typed_cells.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// See session().
template <typename Function>
struct GapSession {
  Function gap;
};

// Sessions by a gap of the row's own: `gap` is a pointer to a member, or a function of a row, of
// milliseconds as an integer or of a std::chrono duration. Rows whose gap is not positive are
// counted in Report::rows_bad and go no further.
template <typename Function>
requires(!std::convertible_to<Function, std::chrono::milliseconds>)
    GapSession<Function> session(Function gap) {
  return {std::move(gap)};
}

// The gap of a row in ms.
template <typename Function>
struct RowGap {
  template <typename Row>
  std::int64_t operator()(const Row& row) const {
    const auto gap = std::invoke(function, row);
    if constexpr (std::convertible_to<decltype(gap), std::chrono::milliseconds>) {
      return std::chrono::milliseconds(gap).count();
    } else {
      static_assert(std::integral<std::remove_cvref_t<decltype(gap)>>,
                    "a session gap is an integer of ms or a std::chrono duration");
      return static_cast<std::int64_t>(gap);
    }
  }

  Function function;
};

// The event time of a row, or none of the valid ones if its gap is not.
template <typename Time, typename Gap>
struct TimeWithGap {
  template <typename Row>
  std::int64_t operator()(const Row& row) const {
    const std::int64_t length = gap(row);
    if (length <= 0 || length > kMaxDurationMs) return kNoWatermark;
    if constexpr (std::same_as<Time, ClockTime>) {
      return 0;  // any valid one: the source task writes the clock's
    } else {
      return to_event_time(Extracted<Time, Row>(std::invoke(time, row)));
    }
  }

  Time time;
  Gap gap;
};

// Rows bring their watermarks as before.
template <typename Time, typename Gap>
auto with_gap(Time time, Gap gap) {
  return TimeWithGap<Time, Gap>{std::move(time), std::move(gap)};
}
template <typename Time, typename Watermark, typename Gap>
auto with_gap(PunctuatedTime<Time, Watermark> time, Gap gap) {
  using Gapped = TimeWithGap<Time, Gap>;
  return PunctuatedTime<Gapped, Watermark>{{std::move(time.time), std::move(gap)},
                                           std::move(time.watermark)};
}

}  // namespace tidemark
