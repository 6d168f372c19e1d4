// What windows a job has: kind, size, slide and offset.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

enum class WindowKind : std::uint8_t {
  kTumbling,
  kSliding,
  kCumulate,  // windows that share a start and grow by a step until they have the full size
  kSession,   // rows of one key less than or exactly a gap apart
  kGlobal,    // one window for all time
  kCount,     // a number of rows of one key, whatever their times
};

// Whether windows of a kind lie at fixed places in time, so that a Slicing can cut them.
constexpr bool has_slices(WindowKind kind) {
  return kind == WindowKind::kTumbling || kind == WindowKind::kSliding ||
         kind == WindowKind::kCumulate;
}

// Tumbling windows by the calendar: size is then a number of units, not ms.
enum class CalendarUnit : std::uint8_t { kNone, kWeek, kMonth, kYear };

// All durations in ms. Tumbling and sliding windows have starts at offset + n * slide, cumulate
// windows at offset + n * size.
struct WindowSpec {
  WindowKind kind = WindowKind::kTumbling;
  // Cumulate: the size of the longest window. Session: the gap, or 0 if each row has its own.
  // Count: a number of rows.
  std::int64_t size = 0;
  // Equal to size for tumbling windows. Cumulate: the step. Count: rows from firing to firing.
  std::int64_t slide = 0;
  std::int64_t offset = 0;  // |offset| < slide; cumulate: < size
  CalendarUnit unit = CalendarUnit::kNone;
  int first_weekday = 1;  // of calendar weeks: 1 is Monday, 7 Sunday
  // Sessions whose gap comes with each row: the name of the column, and which of the query's value
  // columns (int64, ms) it is.
  std::string gap_column{};
  int gap_input = kFixedGap;

  static constexpr int kFixedGap = -1;

  friend bool operator==(const WindowSpec&, const WindowSpec&) = default;
};

WindowSpec tumbling(std::chrono::milliseconds size,
                    std::chrono::milliseconds offset = std::chrono::milliseconds{0});
WindowSpec sliding(std::chrono::milliseconds size, std::chrono::milliseconds slide,
                   std::chrono::milliseconds offset = std::chrono::milliseconds{0});

// Windows [start, start + n * step) for n from 1 to size / step, starts `size` apart.
WindowSpec cumulate(std::chrono::milliseconds size, std::chrono::milliseconds step,
                    std::chrono::milliseconds offset = std::chrono::milliseconds{0});

// Tumbling windows of n calendar units. Weeks are counted from the one that holds 1970-01-01 and
// begin on `first_weekday` (1 is Monday, 7 Sunday); months and years from the year 0, so that three
// months are a quarter and ten years a decade.
WindowSpec calendar_weeks(std::int64_t n, int first_weekday = 1);
WindowSpec calendar_months(std::int64_t n);
WindowSpec calendar_years(std::int64_t n);

WindowSpec session(std::chrono::milliseconds gap);
WindowSpec global_window();
// Every `size` rows of a key, again after each `slide` rows.
WindowSpec count_window(std::int64_t size);
WindowSpec count_window(std::int64_t size, std::int64_t slide);

// Sizes, slides, steps and gaps positive and at most 10,000 years, offsets smaller than what
// windows repeat after, steps that divide the size; otherwise one sentence that names the value and
// the rule.
Expected<void> validate(const WindowSpec& spec);

// From text; the result is validated. A kind, then parameter=value in any order:
//
//   tumbling size=1d [offset=-8h]
//   tumbling size=1week [first_day=sunday]      also size=3month, size=1year: the calendar's
//   sliding size=1h slide=5m [offset=1m]
//   cumulate size=1d step=6h [offset=8h]
//   session gap=30m                             or gap_column=COL: each row's own gap, in ms
//   global
//   count size=100 [slide=10]                   in rows
//
// `1week` is a week of the calendar; `7d`, as any duration, is counted from the epoch, a Thursday.
Expected<WindowSpec> parse_window_spec(std::string_view text);
// The same spelling back.
std::string to_string(const WindowSpec& spec);

}  // namespace tidemark
