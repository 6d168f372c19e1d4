#include "property/naive_windows.h"

#include <date/date.h>
#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <tuple>

namespace tidemark::test_support {
namespace {

__extension__ typedef __int128 Wide;
using std::chrono::milliseconds;

constexpr std::int64_t kDayMs = 86'400'000;

Wide floor_quotient(Wide value, Wide divisor) {
  Wide quotient = value / divisor;
  if (quotient * divisor > value) --quotient;
  return quotient;
}

Wide floor_to(Wide value, Wide origin, Wide step) {
  return origin + floor_quotient(value - origin, step) * step;
}

std::vector<NaiveWindow> sliding_windows(const WindowSpec& spec, EventTime time) {
  std::vector<NaiveWindow> windows;
  for (Wide start = floor_to(time, spec.offset, spec.slide); start + spec.size > time;
       start -= spec.slide) {
    windows.push_back({static_cast<EventTime>(start), static_cast<EventTime>(start + spec.size)});
  }
  return windows;
}

std::vector<NaiveWindow> cumulate_windows(const WindowSpec& spec, EventTime time) {
  std::vector<NaiveWindow> windows;
  const Wide start = floor_to(time, spec.offset, spec.size);
  for (Wide end = start + spec.slide; end <= start + spec.size; end += spec.slide) {
    if (end > time) {
      windows.push_back({static_cast<EventTime>(start), static_cast<EventTime>(end)});
    }
  }
  return windows;
}

EventTime midnight_of(int year, unsigned month) {
  const date::sys_days day = date::year(year) / date::month(month) / 1;
  return std::chrono::duration_cast<milliseconds>(day.time_since_epoch()).count();
}

EventTime first_of_month(std::int64_t months_since_year_0) {
  const auto year = static_cast<std::int64_t>(floor_quotient(months_since_year_0, 12));
  return midnight_of(static_cast<int>(year),
                     static_cast<unsigned>(months_since_year_0 - year * 12) + 1);
}

// Groups of weeks are counted from the one that holds 1970-01-01, of months and years from year 0.
NaiveWindow calendar_window(const WindowSpec& spec, EventTime time) {
  const auto day = static_cast<std::int64_t>(floor_quotient(time, kDayMs));
  const date::year_month_day ymd{date::sys_days{date::days{day}}};
  const int year = static_cast<int>(ymd.year());
  switch (spec.unit) {
    case CalendarUnit::kWeek: {
      // The week of 1970-01-01, a Thursday: 4 where Monday is 1.
      const std::int64_t origin = -((4 - spec.first_weekday + 7) % 7) * kDayMs;
      const auto length = spec.size * 7 * kDayMs;
      const auto start = static_cast<EventTime>(floor_to(time, origin, length));
      return {start, start + length};
    }
    case CalendarUnit::kMonth: {
      const std::int64_t month = year * INT64_C(12) + static_cast<unsigned>(ymd.month()) - 1;
      const auto start = static_cast<std::int64_t>(floor_to(month, 0, spec.size));
      return {first_of_month(start), first_of_month(start + spec.size)};
    }
    case CalendarUnit::kYear: {
      const auto start = static_cast<std::int64_t>(floor_to(year, 0, spec.size));
      return {first_of_month(start * 12), first_of_month((start + spec.size) * 12)};
    }
    case CalendarUnit::kNone:
      break;
  }
  throw std::invalid_argument("no calendar window");
}

std::vector<NaiveWindow> utc_windows(const WindowSpec& spec, EventTime time) {
  if (spec.unit != CalendarUnit::kNone) return {calendar_window(spec, time)};
  switch (spec.kind) {
    case WindowKind::kTumbling:
    case WindowKind::kSliding:
      return sliding_windows(spec, time);
    case WindowKind::kCumulate:
      return cumulate_windows(spec, time);
    default:
      throw std::invalid_argument("windows of this kind depend on other rows");
  }
}

// From the first instant whose local time is in `local` to behind the last.
NaiveWindow instants_of(const NaiveWindow& local, const date::time_zone& zone) {
  NaiveWindow instants{kEndOfTime, kNoWatermark};
  date::sys_time<milliseconds> at{milliseconds(local.start - 2 * kDayMs)};
  const date::sys_time<milliseconds> last{milliseconds(local.end + 2 * kDayMs)};
  while (at < last) {
    const date::sys_info info = zone.get_info(at);
    const std::int64_t offset = milliseconds(info.offset).count();
    const std::int64_t from = milliseconds(info.begin.time_since_epoch()).count();
    const std::int64_t to = milliseconds(info.end.time_since_epoch()).count();
    const EventTime start = std::max(from, local.start - offset);
    const EventTime end = std::min(to, local.end - offset);
    if (start < end) {
      instants.start = std::min(instants.start, start);
      instants.end = std::max(instants.end, end);
    }
    at = info.end;
  }
  return instants;
}

}  // namespace

std::vector<NaiveWindow> naive_windows(const WindowSpec& spec, const std::string& zone,
                                       EventTime time) {
  std::vector<NaiveWindow> windows;
  if (zone.empty()) {
    windows = utc_windows(spec, time);
  } else {
    const date::time_zone& rules = *date::locate_zone(zone);
    const date::sys_time<milliseconds> instant{milliseconds(time)};
    const EventTime local =
        date::make_zoned(&rules, instant).get_local_time().time_since_epoch().count();
    for (const NaiveWindow& window : utc_windows(spec, local)) {
      windows.push_back(instants_of(window, rules));
    }
  }
  std::sort(windows.begin(), windows.end(), [](const NaiveWindow& a, const NaiveWindow& b) {
    return std::tie(a.end, a.start) < std::tie(b.end, b.start);
  });
  // Windows that differ in local times which the clock skips are one.
  windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
  return windows;
}

}  // namespace tidemark::test_support
