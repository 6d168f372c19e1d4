#include "tidemark/connectors/event_time_text.h"

// The compiler takes a variable of date's parser for uninitialised, wherever it inlines it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <date/date.h>
#pragma GCC diagnostic pop
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <locale>
#include <sstream>
#include <utility>

#include "tidemark/connectors/digit_words.h"
#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kMsPerMinute = 60 * kMsPerSecond;
constexpr std::int64_t kMsPerHour = 60 * kMsPerMinute;
constexpr std::int64_t kMsPerDay = 24 * kMsPerHour;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// Reads a time text from the front; every step fails for good once one has failed.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }

  bool take(char byte) {
    if (peek() != byte) return false;
    ++at_;
    return true;
  }

  // Exactly `count` digits.
  bool take_number(std::size_t count, int& number) {
    if (text_.size() - at_ < count) return false;
    number = 0;
    for (const std::size_t stop = at_ + count; at_ < stop; ++at_) {
      if (!is_digit(text_[at_])) return false;
      number = number * 10 + (text_[at_] - '0');
    }
    return true;
  }

  // One or more digits behind a decimal point, cut to milliseconds.
  bool take_fraction(int& milliseconds) {
    if (!is_digit(peek())) return false;
    milliseconds = 0;
    for (int weight = 100; is_digit(peek()); weight /= 10, ++at_) {
      milliseconds += (text_[at_] - '0') * weight;
    }
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

struct CivilTime {
  std::int64_t local = 0;  // ms on the wall clock
  bool leap_second = false;
  bool has_offset = false;
  int offset_minutes = 0;
};

bool read_date(TextCursor& cursor, CivilTime& civil) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!cursor.take_number(4, year)) return false;
  const char separator = cursor.peek();
  if (separator != '-' && separator != '/') return false;
  if (!cursor.take(separator) || !cursor.take_number(2, month)) return false;
  if (!cursor.take(separator) || !cursor.take_number(2, day)) return false;
  const date::year_month_day calendar_day{date::year{year},
                                          date::month{static_cast<unsigned>(month)},
                                          date::day{static_cast<unsigned>(day)}};
  if (year == 0 || !calendar_day.ok()) return false;
  civil.local = date::sys_days{calendar_day}.time_since_epoch().count() * kMsPerDay;
  return true;
}

bool read_clock(TextCursor& cursor, CivilTime& civil) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
  if (!cursor.take_number(2, hour) || !cursor.take(':') || !cursor.take_number(2, minute)) {
    return false;
  }
  if (cursor.take(':')) {
    if (!cursor.take_number(2, second)) return false;
    if ((cursor.take('.') || cursor.take(',')) && !cursor.take_fraction(millisecond)) return false;
  }
  if (hour > 23 || minute > 59 || second > 60) return false;
  civil.leap_second = second == 60;
  if (civil.leap_second) {
    second = 59;
    millisecond = 999;
  }
  civil.local += hour * kMsPerHour + minute * kMsPerMinute + second * kMsPerSecond + millisecond;
  return true;
}

bool read_offset(TextCursor& cursor, CivilTime& civil) {
  if (cursor.at_end()) return true;
  civil.has_offset = true;
  if (cursor.take('Z') || cursor.take('z')) return true;
  const bool negative = cursor.take('-');
  if (!negative && !cursor.take('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!cursor.take_number(2, hours)) return false;
  const bool colon = cursor.take(':');
  if ((colon || !cursor.at_end()) && !cursor.take_number(2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  civil.offset_minutes = (negative ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

bool read_civil_time(std::string_view text, CivilTime& civil) {
  TextCursor cursor(text);
  if (!read_date(cursor, civil)) return false;
  if (cursor.at_end()) return true;
  if (!cursor.take('T') && !cursor.take(' ') && !cursor.take('t')) return false;
  return read_clock(cursor, civil) && read_offset(cursor, civil) && cursor.at_end();
}

// Leap seconds are inserted at the end of a UTC day, the last of June or of December.
bool ends_half_year(EventTime time) {
  if (floor_mod(time, kMsPerDay) != kMsPerDay - 1) return false;
  const date::sys_days day{date::days{floor_div(time, kMsPerDay)}};
  const date::year_month_day calendar_day{day};
  return calendar_day.month() == date::December
             ? calendar_day.day() == date::day{31}
             : calendar_day.month() == date::June && calendar_day.day() == date::day{30};
}

// The value of a run of digits, or nothing if it does not fit in an int64.
std::optional<std::int64_t> digits_value(std::string_view digits) {
  constexpr std::size_t kAlwaysFits = 18;
  std::int64_t value = 0;
  if (digits.size() <= kAlwaysFits) {
    for (const char digit : digits) value = value * 10 + (digit - '0');
    return value;
  }
  for (const char digit : digits) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, digit - '0', &value)) {
      return std::nullopt;
    }
  }
  return value;
}

// 8 to 16 digits and nothing else, which is what times since the epoch mostly are. False says only
// that the text is not of that shape.
bool read_common_number(std::string_view text, std::int64_t& value) {
  constexpr std::size_t kEight = 8;
  if constexpr (std::endian::native != std::endian::little) return false;
  if (text.size() < kEight || text.size() > 2 * kEight) return false;
  if (!read_eight_digits(load_eight_bytes(text.data()), value)) return false;
  std::size_t at = kEight;
  std::int64_t low = 0;
  if (text.size() == 2 * kEight) {
    if (!read_eight_digits(load_eight_bytes(text.data() + kEight), low)) return false;
    value = value * 100'000'000 + low;
    return true;
  }
  for (; at < text.size(); ++at) {
    if (!is_digit(text[at])) return false;
    value = value * 10 + (text[at] - '0');
  }
  return true;
}

std::size_t count_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

}  // namespace

std::string_view long_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return "seconds";
    case TimeUnit::kMilliseconds:
      return "milliseconds";
    case TimeUnit::kMicroseconds:
      return "microseconds";
    case TimeUnit::kNanoseconds:
      return "nanoseconds";
    case TimeUnit::kAuto:
    case TimeUnit::kText:
      break;
  }
  return "text";
}

Expected<TimeUnit> parse_time_unit(std::string_view text) {
  for (const TimeUnit unit : {TimeUnit::kAuto, TimeUnit::kSeconds, TimeUnit::kMilliseconds,
                              TimeUnit::kMicroseconds, TimeUnit::kNanoseconds, TimeUnit::kText}) {
    if (text == to_string(unit)) return unit;
  }
  return make_error(
      fmt::format("{} is no time unit; use auto, s, ms, us, ns or text", in_quotes(text)));
}

std::string_view to_string(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kAuto:
      return "auto";
    case TimeUnit::kSeconds:
      return "s";
    case TimeUnit::kMilliseconds:
      return "ms";
    case TimeUnit::kMicroseconds:
      return "us";
    case TimeUnit::kNanoseconds:
      return "ns";
    case TimeUnit::kText:
      break;
  }
  return "text";
}

Expected<EventTimeParser> EventTimeParser::create(const EventTimeOptions& options) {
  TimeUnit unit = options.unit;
  if (!options.format.empty()) {
    if (unit == TimeUnit::kAuto) unit = TimeUnit::kText;
    if (unit != TimeUnit::kText) {
      return make_error(
          fmt::format("--time-format is for text, but --time-unit says {}; leave one of them out",
                      to_string(unit)));
    }
    if (options.format.find("%Z") != std::string::npos) {
      return make_error(
          "--time-format cannot use %Z, as zone abbreviations are ambiguous; use %z for an offset "
          "or --input-zone for a zone");
    }
  }
  if (unit == TimeUnit::kAuto) {
    return make_error("the time unit is not known yet; pass --time-unit s, ms, us, ns or text");
  }
  Expected<LocalTimeReader> zone = LocalTimeReader::create(options.zone);
  if (!zone) return tl::unexpected(zone.error());
  return EventTimeParser(unit, options.format, *zone);
}

EventTimeParser::EventTimeParser(TimeUnit unit, std::string format, LocalTimeReader zone)
    : unit_(unit), format_(std::move(format)), zone_(zone) {}

std::optional<EventTime> EventTimeParser::parse(std::string_view text) {
  const Reading reading = read(text);
  if (reading.problem != Problem::kNone) return std::nullopt;
  return reading.time;
}

std::optional<EventTime> EventTimeParser::from_number(std::int64_t number) const {
  const Reading reading = number < 0 ? scale(-number, {}, true) : scale(number, {}, false);
  if (reading.problem != Problem::kNone || !is_valid_event_time(reading.time)) return std::nullopt;
  return reading.time;
}

std::string EventTimeParser::explain(std::string_view text) {
  switch (read(text).problem) {
    case Problem::kOutOfRange:
      return fmt::format("time {} read as {} lies outside the years 0001 to 9999", in_quotes(text),
                         long_name(unit_));
    case Problem::kNotATime:
      if (!format_.empty()) {
        return fmt::format("time {} does not fit the format {}", in_quotes(text),
                           in_quotes(format_));
      }
      if (unit_ != TimeUnit::kText) {
        return fmt::format("time {} is not a number of {}", in_quotes(text), long_name(unit_));
      }
      return fmt::format("time {} is not a time such as 2026-03-02T12:00:00.000Z", in_quotes(text));
    case Problem::kNone:
      break;
  }
  return {};
}

EventTimeParser::Reading EventTimeParser::read(std::string_view text) {
  Reading reading;
  if (unit_ != TimeUnit::kText) {
    reading = read_number(text);
  } else {
    reading = format_.empty() ? read_text(text) : read_formatted(text);
  }
  if (reading.problem == Problem::kNone && !is_valid_event_time(reading.time)) {
    reading.problem = Problem::kOutOfRange;
  }
  return reading;
}

EventTimeParser::Reading EventTimeParser::read_number(std::string_view text) const {
  std::int64_t common = 0;
  if (read_common_number(text, common)) return scale(common, {}, false);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, count_digits(text));
  text.remove_prefix(whole.size());
  std::string_view fraction;
  if (!text.empty()) {
    fraction = text.substr(1);
    if (text.front() != '.' || fraction.empty() || count_digits(fraction) != fraction.size()) {
      return {};
    }
  }
  if (whole.empty()) return {};
  const std::optional<std::int64_t> value = digits_value(whole);
  if (!value) return {.problem = Problem::kOutOfRange};
  return scale(*value, fraction, negative);
}

EventTimeParser::Reading EventTimeParser::scale(std::int64_t value, std::string_view fraction,
                                                bool negative) const {
  std::int64_t time = value;
  bool rest = false;  // a part below 1 ms, which moves a negative time down
  if (unit_ == TimeUnit::kSeconds) {
    if (value > kMaxEventTime / kMsPerSecond) return {.problem = Problem::kOutOfRange};
    int milliseconds = 0;
    if (!fraction.empty()) TextCursor(fraction).take_fraction(milliseconds);
    time = value * kMsPerSecond + milliseconds;
    fraction.remove_prefix(std::min<std::size_t>(3, fraction.size()));
  } else if (unit_ == TimeUnit::kMicroseconds) {
    time = value / 1'000;
    rest = value % 1'000 != 0;
  } else if (unit_ == TimeUnit::kNanoseconds) {
    time = value / 1'000'000;
    rest = value % 1'000'000 != 0;
  }
  if (negative) {
    rest = rest || fraction.find_first_not_of('0') != std::string_view::npos;
    time = -time - static_cast<std::int64_t>(rest);
  }
  return {.time = time, .problem = Problem::kNone};
}

// Times in the minute of the last one, with seconds, perhaps milliseconds, and nothing or Z behind.
// False says only that the text is not of that shape.
bool EventTimeParser::read_in_same_minute(std::string_view text, EventTime& time) {
  constexpr std::size_t kMinute = 16;  // bytes up to the minute, and so on
  constexpr std::size_t kSecond = 19;
  constexpr std::size_t kMillisecond = 23;
  if (text.size() < kSecond || text[kMinute] != ':') return false;
  if (std::memcmp(text.data(), minute_text_.data(), kMinute) != 0) return false;
  const bool is_utc = text.back() == 'Z';
  if (is_utc) text.remove_suffix(1);
  if (text.size() < kSecond) return false;
  const auto digit = [text](std::size_t at) { return static_cast<unsigned>(text[at]) - '0'; };
  if (digit(17) > 5 || digit(18) > 9) return false;
  unsigned milliseconds = (digit(17) * 10 + digit(18)) * 1000;
  if (text.size() == kMillisecond) {
    if (text[kSecond] != '.' || digit(20) > 9 || digit(21) > 9 || digit(22) > 9) return false;
    milliseconds += digit(20) * 100 + digit(21) * 10 + digit(22);
  } else if (text.size() != kSecond) {
    return false;
  }
  const std::int64_t local = minute_ + milliseconds;
  time = is_utc ? local : zone_.to_utc(local);
  return true;
}

EventTimeParser::Reading EventTimeParser::read_text(std::string_view text) {
  EventTime same_minute = 0;
  if (read_in_same_minute(text, same_minute)) {
    return {.time = same_minute, .problem = Problem::kNone};
  }
  CivilTime civil;
  if (!read_civil_time(text, civil)) return {};
  if (text.size() > minute_text_.size()) {
    std::copy_n(text.begin(), minute_text_.size(), minute_text_.begin());
    minute_ = civil.local - floor_mod(civil.local, kMsPerMinute);
  }
  const EventTime time = civil.has_offset ? civil.local - civil.offset_minutes * kMsPerMinute
                                          : zone_.to_utc(civil.local);
  if (civil.leap_second && !ends_half_year(time)) return {};
  return {.time = time, .problem = Problem::kNone};
}

EventTimeParser::Reading EventTimeParser::read_formatted(std::string_view text) {
  using std::chrono::minutes;
  using std::chrono::nanoseconds;
  constexpr minutes kNoOffset{1'000'000};
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  // A point in time in nanoseconds would only reach from 1677 to 2262; date and time of day apart
  // have no such limit.
  date::fields<nanoseconds> parsed;
  minutes offset = kNoOffset;
  date::from_stream<char>(stream, format_.c_str(), parsed, static_cast<std::string*>(nullptr),
                          &offset);
  if (stream.fail() || !parsed.ymd.ok() || !parsed.tod.in_conventional_range()) return {};
  if (stream.peek() != std::istringstream::traits_type::eof()) return {};
  const std::int64_t days = date::sys_days{parsed.ymd}.time_since_epoch().count();
  const std::int64_t local =
      days * kMsPerDay + date::floor<std::chrono::milliseconds>(parsed.tod.to_duration()).count();
  const EventTime time =
      offset == kNoOffset ? zone_.to_utc(local) : local - offset.count() * kMsPerMinute;
  return {.time = time, .problem = Problem::kNone};
}

}  // namespace tidemark
