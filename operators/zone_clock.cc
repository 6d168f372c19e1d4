#include "tidemark/operators/zone_clock.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tidemark {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
// No zone has ever been further than this from UTC; Manila and Juneau once came near 16 hours.
constexpr std::int64_t kLongestOffset = 26 * 3600 * kMsPerSecond;

std::vector<ZoneClock::Period> periods_of(const date::time_zone& zone) {
  using std::chrono::seconds;
  std::vector<ZoneClock::Period> periods;
  date::sys_seconds at{seconds{floor_div(kMinEventTime, kMsPerSecond)}};
  const date::sys_seconds last{seconds{floor_div(kMaxEventTime, kMsPerSecond)}};
  EventTime begin = std::numeric_limits<EventTime>::min();
  while (true) {
    const date::sys_info info = zone.get_info(at);
    const std::int64_t offset = info.offset.count() * kMsPerSecond;
    if (periods.empty() || periods.back().offset != offset) {
      if (!periods.empty()) periods.back().end = begin;
      periods.push_back({begin, std::numeric_limits<EventTime>::max(), offset});
    }
    if (info.end <= at || info.end > last) return periods;
    at = info.end;
    begin = at.time_since_epoch().count() * kMsPerSecond;
  }
}

}  // namespace

Expected<std::shared_ptr<const ZoneClock>> ZoneClock::of(const std::string& zone) {
  const std::shared_ptr<const ZoneClock> utc;
  if (zone.empty() || zone == "UTC" || zone == "Z") return utc;
  const date::time_zone* found = nullptr;
  try {
    found = date::locate_zone(zone);
  } catch (const std::exception&) {
    return make_error(fmt::format(
        "unknown time zone '{}': use an IANA name of the system's zone database, such as "
        "Asia/Shanghai or Etc/GMT-8",
        zone));
  }
  std::vector<Period> periods = periods_of(*found);
  if (periods.size() == 1 && periods.front().offset == 0) return utc;
  return std::make_shared<const ZoneClock>(std::move(periods));
}

std::size_t ZoneClock::index_of(EventTime instant) const {
  const auto after =
      std::upper_bound(periods_.begin(), periods_.end(), instant,
                       [](EventTime time, const Period& period) { return time < period.begin; });
  return static_cast<std::size_t>(after - periods_.begin()) - 1;
}

const ZoneClock::Period& ZoneClock::period_of(EventTime instant) const {
  return periods_[index_of(instant)];
}

EventTime ZoneClock::first_instant(std::int64_t local) const {
  for (std::size_t i = index_of(local - kLongestOffset);; ++i) {
    const EventTime instant = std::max(periods_[i].begin, local - periods_[i].offset);
    if (instant < periods_[i].end) return instant;
  }
}

EventTime ZoneClock::end_instant(std::int64_t local) const {
  for (std::size_t i = index_of(local + kLongestOffset);; --i) {
    const EventTime instant = local - periods_[i].offset;
    if (periods_[i].begin < instant) return std::min(periods_[i].end, instant);
  }
}

std::int64_t ZoneClock::local_watermark(EventTime watermark) const {
  const EventTime next = watermark + 1;
  std::size_t i = index_of(next);
  std::int64_t lowest = next + periods_[i].offset;
  // Later periods may turn the clock back to before that.
  for (++i; i < periods_.size() && periods_[i].begin < next + 2 * kLongestOffset; ++i) {
    lowest = std::min(lowest, periods_[i].begin + periods_[i].offset);
  }
  return lowest - 1;
}

std::shared_ptr<const ZoneClock> zone_clock_of(const std::string& zone) {
  auto clock = ZoneClock::of(zone);
  if (!clock) throw std::invalid_argument(clock.error().message);
  return *std::move(clock);
}

}  // namespace tidemark
