#include "tidemark/connectors/time_unit_detection.h"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {

constexpr std::string_view kHowToSay = "pass --time-unit s, ms, us, ns or text";

// Whole digits in front of a fraction, without sign; nothing if `text` is not a plain number.
std::optional<std::string_view> whole_digits(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  if (count == 0) return std::nullopt;
  if (count < text.size()) {
    const std::string_view fraction = text.substr(count + 1);
    if (text[count] != '.' || fraction.empty()) return std::nullopt;
    if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  }
  return text.substr(0, count);
}

// The unit whose span of years holds the number; a number's digits are its magnitude.
std::optional<TimeUnit> unit_of_magnitude(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  switch (digits.size()) {
    case 9:
    case 10:
      return TimeUnit::kSeconds;
    case 12:
    case 13:
      return TimeUnit::kMilliseconds;
    case 15:
    case 16:
      return TimeUnit::kMicroseconds;
    case 18:
    case 19:
      return TimeUnit::kNanoseconds;
    default:
      return std::nullopt;
  }
}

// 2026030212 or 202603021200: a date in digits that is also a likely number of seconds or
// milliseconds.
bool reads_as_packed_date(std::string_view text) {
  if (text.size() != 10 && text.size() != 12) return false;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const auto number = [text](std::size_t at, std::size_t count) {
    int value = 0;
    for (const char digit : text.substr(at, count)) value = value * 10 + (digit - '0');
    return value;
  };
  const date::year_month_day day{date::year{number(0, 4)},
                                 date::month{static_cast<unsigned>(number(4, 2))},
                                 date::day{static_cast<unsigned>(number(6, 2))}};
  if (number(0, 4) < 1900 || number(0, 4) > 2100 || !day.ok() || number(8, 2) > 23) return false;
  return text.size() == 10 || number(10, 2) < 60;
}

std::string iso_text(EventTime time) {
  const date::sys_time<std::chrono::milliseconds> point{std::chrono::milliseconds{time}};
  return date::format("%FT%TZ", point);
}

struct Sample {
  std::string_view text;
  TimeUnit unit;
};

}  // namespace

Expected<DetectedTimeUnit> detect_time_unit(std::span<const std::string_view> times) {
  EventTimeOptions text_options;
  text_options.unit = TimeUnit::kText;
  EventTimeParser text_parser = EventTimeParser::create(text_options).value();
  std::optional<Sample> first;
  std::string_view not_a_time;
  DetectedTimeUnit detected;
  bool all_packed_dates = true;
  std::size_t looked_at = 0;
  for (const std::string_view text : times) {
    if (text.empty()) continue;
    if (++looked_at > kTimeSampleRows) break;
    std::optional<TimeUnit> unit;
    if (const std::optional<std::string_view> digits = whole_digits(text)) {
      unit = unit_of_magnitude(*digits);
      if (!unit) {
        return make_error(
            fmt::format("time {} could be in more than one unit; {}", in_quotes(text), kHowToSay));
      }
    } else if (text_parser.parse(text)) {
      unit = TimeUnit::kText;
    } else {
      not_a_time = text;
      continue;
    }
    if (first && first->unit != *unit) {
      return make_error(fmt::format("times {} and {} look like two different units ({} and {}); {}",
                                    in_quotes(first->text), in_quotes(text), to_string(first->unit),
                                    to_string(*unit), kHowToSay));
    }
    if (!first) first = Sample{text, *unit};
    all_packed_dates = all_packed_dates && reads_as_packed_date(text);
    ++detected.samples;
  }
  if (!first) {
    if (not_a_time.empty()) return detected;
    return make_error(fmt::format(
        "none of the first {} times is a number or a time such as 2026-03-02T12:00:00Z (one is "
        "{}); pass --time-format",
        std::min(looked_at, kTimeSampleRows), in_quotes(not_a_time)));
  }
  if (all_packed_dates) {
    return make_error(fmt::format(
        "time {} could be a number of {} or a date written in digits; pass --time-unit {} or "
        "--time-format {}",
        in_quotes(first->text), first->unit == TimeUnit::kSeconds ? "seconds" : "milliseconds",
        to_string(first->unit), first->unit == TimeUnit::kSeconds ? "%Y%m%d%H" : "%Y%m%d%H%M"));
  }
  detected.unit = first->unit;
  return detected;
}

std::optional<std::string> doubtful_times_warning(EventTime lowest, EventTime highest,
                                                  EventTime now, TimeUnit unit) {
  constexpr std::int64_t kDay = 86'400'000;
  if (lowest > highest) return std::nullopt;
  if (lowest >= 0 && highest < 31 * kDay) {
    return fmt::format(
        "all times read as {} fall in January 1970 ({} to {}); if that is not meant, the unit is "
        "larger: pass --time-unit",
        to_string(unit), iso_text(lowest), iso_text(highest));
  }
  if (highest > saturating_add(now, 366 * kDay)) {
    return fmt::format(
        "{} times read as {} lie more than a year ahead (up to {}); if that is not meant, the unit "
        "is smaller: pass --time-unit",
        lowest > saturating_add(now, 366 * kDay) ? "all" : "some", to_string(unit),
        iso_text(highest));
  }
  return std::nullopt;
}

}  // namespace tidemark
