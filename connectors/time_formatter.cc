#include "tidemark/connectors/time_formatter.h"

#include <chrono>
#include <exception>
#include <iterator>
#include <string>

namespace tidemark {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kSecondsPerDay = 86'400;

char* put_digits(char* at, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return at + digits;
}

char* put_year(char* at, int year) {
  if (year >= 0 && year <= 9999) return put_digits(at, static_cast<std::uint32_t>(year), 4);
  *at++ = year < 0 ? '-' : '+';
  const auto magnitude = static_cast<std::uint32_t>(year < 0 ? -year : year);
  return put_digits(at, magnitude, magnitude > 9999 ? 5 : 4);
}

char* put_offset(char* at, std::int64_t offset) {
  *at++ = offset < 0 ? '-' : '+';
  const auto magnitude = static_cast<std::uint32_t>(offset < 0 ? -offset : offset);
  at = put_digits(at, magnitude / 3600, 2);
  *at++ = ':';
  at = put_digits(at, magnitude / 60 % 60, 2);
  if (magnitude % 60 == 0) return at;
  *at++ = ':';
  return put_digits(at, magnitude % 60, 2);
}

}  // namespace

Expected<TimeStyle> parse_time_style(std::string_view text) {
  if (text == "iso") return TimeStyle::kIso;
  if (text == "ms") return TimeStyle::kMs;
  return make_error(fmt::format("times are written as iso or ms, not {:?}", text));
}

Expected<TimeFormatter> TimeFormatter::in_zone(TimeStyle style, std::string_view zone) {
  TimeFormatter formatter(style);
  if (zone == "UTC" || zone == "Etc/UTC" || zone == "Z") return formatter;
  try {
    formatter.zone_ = date::locate_zone(std::string(zone));
  } catch (const std::exception&) {
    return make_error(fmt::format(
        "{:?} is not a time zone that this system knows; write an IANA name such as Asia/Shanghai",
        zone));
  }
  return formatter;
}

void TimeFormatter::find_offset(std::int64_t seconds) {
  const date::sys_info info = zone_->get_info(date::sys_seconds(std::chrono::seconds(seconds)));
  offset_begin_ = info.begin.time_since_epoch().count();
  offset_end_ = info.end.time_since_epoch().count();
  offset_ = info.offset.count();
}

void TimeFormatter::append(EventTime time, fmt::memory_buffer& out) {
  if (!is_bound_in_time(time)) return;
  if (style_ == TimeStyle::kMs) {
    fmt::format_to(std::back_inserter(out), "{}", time);
    return;
  }
  std::int64_t seconds = floor_div(time, kMsPerSecond);
  if (zone_ != nullptr && (seconds < offset_begin_ || seconds >= offset_end_)) find_offset(seconds);
  seconds += offset_;
  const date::days day{static_cast<int>(floor_div(seconds, kSecondsPerDay))};
  const auto second = static_cast<std::uint32_t>(floor_mod(seconds, kSecondsPerDay));
  const date::year_month_day civil{date::sys_days{day}};

  char text[48];
  char* at = put_year(text, static_cast<int>(civil.year()));
  *at++ = '-';
  at = put_digits(at, static_cast<unsigned>(civil.month()), 2);
  *at++ = '-';
  at = put_digits(at, static_cast<unsigned>(civil.day()), 2);
  *at++ = 'T';
  at = put_digits(at, second / 3600, 2);
  *at++ = ':';
  at = put_digits(at, second / 60 % 60, 2);
  *at++ = ':';
  at = put_digits(at, second % 60, 2);
  *at++ = '.';
  at = put_digits(at, static_cast<std::uint32_t>(floor_mod(time, kMsPerSecond)), 3);
  if (zone_ == nullptr) {
    *at++ = 'Z';
  } else {
    at = put_offset(at, offset_);
  }
  out.append(text, at);
}

}  // namespace tidemark
