// The words that window specifications have for calendar units and weekdays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemark/operators/window_spec.h"

namespace tidemark {

inline constexpr std::array<std::string_view, 7> kWeekdayNames = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

// `weekday` from 1, Monday, to 7.
constexpr std::string_view weekday_name(int weekday) {
  return kWeekdayNames[static_cast<std::size_t>(weekday - 1)];
}

constexpr std::string_view unit_name(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kWeek:
      return "week";
    case CalendarUnit::kMonth:
      return "month";
    case CalendarUnit::kYear:
      return "year";
    case CalendarUnit::kNone:
      break;
  }
  return "";
}

// How many of a unit make 10,000 years.
constexpr std::int64_t most_units(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kWeek:
      return 521'775;
    case CalendarUnit::kMonth:
      return 120'000;
    case CalendarUnit::kYear:
    case CalendarUnit::kNone:
      break;
  }
  return 10'000;
}

}  // namespace tidemark
