#include "tidemark/operators/window_spec.h"

#include <fmt/format.h>

#include "tidemark/operators/window_spec_names.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

WindowSpec tumbling(std::chrono::milliseconds size, std::chrono::milliseconds offset) {
  return {WindowKind::kTumbling, size.count(), size.count(), offset.count()};
}

WindowSpec sliding(std::chrono::milliseconds size, std::chrono::milliseconds slide,
                   std::chrono::milliseconds offset) {
  return {WindowKind::kSliding, size.count(), slide.count(), offset.count()};
}

WindowSpec cumulate(std::chrono::milliseconds size, std::chrono::milliseconds step,
                    std::chrono::milliseconds offset) {
  return {WindowKind::kCumulate, size.count(), step.count(), offset.count()};
}

namespace {

WindowSpec calendar(CalendarUnit unit, std::int64_t n, int first_weekday) {
  return {WindowKind::kTumbling, n, n, 0, unit, first_weekday};
}

}  // namespace

WindowSpec calendar_weeks(std::int64_t n, int first_weekday) {
  return calendar(CalendarUnit::kWeek, n, first_weekday);
}

WindowSpec calendar_months(std::int64_t n) { return calendar(CalendarUnit::kMonth, n, 1); }

WindowSpec calendar_years(std::int64_t n) { return calendar(CalendarUnit::kYear, n, 1); }

WindowSpec session(std::chrono::milliseconds gap) { return {WindowKind::kSession, gap.count()}; }

WindowSpec global_window() { return {WindowKind::kGlobal}; }

WindowSpec count_window(std::int64_t size) { return count_window(size, size); }

WindowSpec count_window(std::int64_t size, std::int64_t slide) {
  return {WindowKind::kCount, size, slide};
}

namespace {

constexpr std::int64_t kMostRows = 1'000'000'000'000;

Expected<void> check_length(std::string_view parameter, std::int64_t value) {
  if (value <= 0) {
    return make_error(fmt::format("window {} must be positive, got {} ms", parameter, value));
  }
  if (value > kMaxDurationMs) {
    return make_error(fmt::format("window {} must be at most {} ms (10,000 years), got {} ms",
                                  parameter, kMaxDurationMs, value));
  }
  return {};
}

// `period` is the name of what the windows repeat after.
Expected<void> check_offset(const WindowSpec& spec, std::string_view period_name,
                            std::int64_t period) {
  if (spec.offset > -period && spec.offset < period) return {};
  return make_error(
      fmt::format("window offset must be smaller than the {} in magnitude, got offset {} and {} {}",
                  period_name, format_duration(spec.offset), period_name, format_duration(period)));
}

Expected<void> check_calendar(const WindowSpec& spec) {
  const std::string_view unit = unit_name(spec.unit);
  if (spec.size <= 0) {
    return make_error(fmt::format("window size must be positive, got {}{}", spec.size, unit));
  }
  if (spec.size > most_units(spec.unit)) {
    return make_error(fmt::format("window size must be at most {}{} (10,000 years), got {}{}",
                                  most_units(spec.unit), unit, spec.size, unit));
  }
  if (spec.slide != spec.size) {
    return make_error(fmt::format("a tumbling window slides by its size, got size {} and slide {}",
                                  spec.size, spec.slide));
  }
  if (spec.offset != 0) {
    return make_error(fmt::format("windows of the calendar have no offset, got {}",
                                  format_duration(spec.offset)));
  }
  if (spec.first_weekday < 1 || spec.first_weekday > 7) {
    return make_error(
        fmt::format("the first day of a week must be from 1 (monday) to 7 (sunday), got {}",
                    spec.first_weekday));
  }
  return {};
}

Expected<void> check_tumbling(const WindowSpec& spec) {
  if (spec.unit != CalendarUnit::kNone) return check_calendar(spec);
  if (auto length = check_length("size", spec.size); !length) return length;
  if (spec.slide != spec.size) {
    return make_error(
        fmt::format("a tumbling window slides by its size, got size {} ms and slide {} ms",
                    spec.size, spec.slide));
  }
  return check_offset(spec, "size", spec.size);
}

Expected<void> check_sliding(const WindowSpec& spec) {
  if (auto length = check_length("size", spec.size); !length) return length;
  if (auto length = check_length("slide", spec.slide); !length) return length;
  return check_offset(spec, "slide", spec.slide);
}

Expected<void> check_cumulate(const WindowSpec& spec) {
  if (auto length = check_length("size", spec.size); !length) return length;
  if (auto length = check_length("step", spec.slide); !length) return length;
  if (spec.size % spec.slide != 0) {
    return make_error(fmt::format("window step must divide the size, got step {} and size {}",
                                  format_duration(spec.slide), format_duration(spec.size)));
  }
  return check_offset(spec, "size", spec.size);
}

Expected<void> check_session(const WindowSpec& spec) {
  if (spec.gap_column.empty() && spec.gap_input == WindowSpec::kFixedGap) {
    return check_length("gap", spec.size);
  }
  if (spec.size != 0) {
    return make_error(
        fmt::format("a session has either one gap or a gap of each row, got gap {} and column '{}'",
                    format_duration(spec.size), spec.gap_column));
  }
  return {};
}

Expected<void> check_rows(std::string_view parameter, std::int64_t value) {
  if (value > 0 && value <= kMostRows) return {};
  return make_error(fmt::format("count window {} must be from 1 to {} rows, got {}", parameter,
                                kMostRows, value));
}

Expected<void> check_count(const WindowSpec& spec) {
  if (auto rows = check_rows("size", spec.size); !rows) return rows;
  return check_rows("slide", spec.slide);
}

std::string calendar_text(const WindowSpec& spec) {
  std::string text = fmt::format("tumbling size={}{}", spec.size, unit_name(spec.unit));
  if (spec.first_weekday != 1) {
    text += fmt::format(" first_day={}", weekday_name(spec.first_weekday));
  }
  return text;
}

std::string count_text(const WindowSpec& spec) {
  std::string text = fmt::format("count size={}", spec.size);
  if (spec.slide != spec.size) text += fmt::format(" slide={}", spec.slide);
  return text;
}

std::string session_text(const WindowSpec& spec) {
  if (!spec.gap_column.empty()) return fmt::format("session gap_column={}", spec.gap_column);
  if (spec.gap_input != WindowSpec::kFixedGap) return "session, each row with its gap";
  return fmt::format("session gap={}", format_duration(spec.size));
}

std::string parameters_text(const WindowSpec& spec) {
  switch (spec.kind) {
    case WindowKind::kTumbling:
      return spec.unit != CalendarUnit::kNone
                 ? calendar_text(spec)
                 : fmt::format("tumbling size={}", format_duration(spec.size));
    case WindowKind::kSliding:
      return fmt::format("sliding size={} slide={}", format_duration(spec.size),
                         format_duration(spec.slide));
    case WindowKind::kCumulate:
      return fmt::format("cumulate size={} step={}", format_duration(spec.size),
                         format_duration(spec.slide));
    case WindowKind::kSession:
      return session_text(spec);
    case WindowKind::kGlobal:
      return "global";
    case WindowKind::kCount:
      return count_text(spec);
  }
  return "unknown";
}

}  // namespace

Expected<void> validate(const WindowSpec& spec) {
  if (spec.unit != CalendarUnit::kNone && spec.kind != WindowKind::kTumbling) {
    return make_error("only tumbling windows go by the calendar's weeks, months or years");
  }
  switch (spec.kind) {
    case WindowKind::kTumbling:
      return check_tumbling(spec);
    case WindowKind::kSliding:
      return check_sliding(spec);
    case WindowKind::kCumulate:
      return check_cumulate(spec);
    case WindowKind::kSession:
      return check_session(spec);
    case WindowKind::kCount:
      return check_count(spec);
    case WindowKind::kGlobal:
      break;
  }
  return {};
}

std::string to_string(const WindowSpec& spec) {
  std::string text = parameters_text(spec);
  if (spec.offset != 0) text += fmt::format(" offset={}", format_duration(spec.offset));
  return text;
}

}  // namespace tidemark
