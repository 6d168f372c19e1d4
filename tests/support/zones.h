// Time zones for tests of wall clocks, and what their clocks show by the date library.
#pragma once

#include <date/tz.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark::test_support {

// Shifts of an hour, half an hour, two hours and a whole day, at midnight and a minute past it, and
// zones that never shift.
inline constexpr std::array kZones = {
    "America/Los_Angeles", "America/New_York",  "America/St_Johns", "America/Sao_Paulo",
    "America/Caracas",     "America/Juneau",    "Europe/London",    "Europe/Rome",
    "Africa/Casablanca",   "Africa/Monrovia",   "Asia/Shanghai",    "Asia/Kathmandu",
    "Asia/Tehran",         "Asia/Manila",       "Asia/Pyongyang",   "Australia/Lord_Howe",
    "Pacific/Apia",        "Pacific/Kwajalein", "Antarctica/Troll", "Etc/GMT-8"};

// What the wall clock shows at an instant, in ms.
inline std::int64_t local_time(const std::string& zone, EventTime instant) {
  const date::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(instant)};
  return date::make_zoned(zone, time).get_local_time().time_since_epoch().count();
}

// The instants at which a zone's clock is shifted, within the years that zone files list.
inline std::vector<EventTime> transitions_of(const std::string& zone) {
  const date::time_zone& rules = *date::locate_zone(zone);
  std::vector<EventTime> transitions;
  date::sys_seconds at = date::sys_days{date::year{1800} / 1 / 1};
  const date::sys_seconds last = date::sys_days{date::year{2050} / 1 / 1};
  while (at < last) {
    at = rules.get_info(at).end;
    if (at < last) transitions.push_back(at.time_since_epoch().count() * 1000);
  }
  return transitions;
}

// An instant of any age, mostly within two days of a shift.
inline EventTime random_instant(const std::vector<EventTime>& transitions,
                                std::mt19937_64& random) {
  constexpr std::int64_t kTwoDays = 172'800'000;
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  if (transitions.empty() || between(0, 9) == 0) return between(kMinEventTime, kMaxEventTime);
  const auto last = static_cast<std::int64_t>(transitions.size()) - 1;
  const EventTime near = transitions[static_cast<std::size_t>(between(0, last))];
  // Half of them on whole quarters of an hour, where edges are.
  if (between(0, 1) == 0) return near + between(-192, 192) * 900'000;
  return near + between(-kTwoDays, kTwoDays);
}

}  // namespace tidemark::test_support
