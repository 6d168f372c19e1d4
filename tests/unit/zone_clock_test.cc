#include "tidemark/operators/zone_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/case_table.h"
#include "support/zones.h"

namespace tidemark {
namespace {

using test_support::kZones;
using test_support::local_time;
using test_support::parse_case_time;
using test_support::random_instant;
using test_support::transitions_of;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kDay = 1440 * kMinute;

EventTime time_of(const std::string& text) { return parse_case_time(text).value(); }

struct Moment {
  std::string zone;
  std::string local;  // as if it were UTC
  std::string first_instant;
  std::string end_instant;
};

std::vector<Moment> moments() {
  return {
      // An ordinary time.
      {"America/Los_Angeles", "2021-03-14T01:59:59.999Z", "2021-03-14T09:59:59.999Z",
       "2021-03-14T09:59:59.999Z"},
      // The clock goes from 02:00 to 03:00 at 10:00Z.
      {"America/Los_Angeles", "2021-03-14T02:00:00Z", "2021-03-14T10:00:00Z",
       "2021-03-14T10:00:00Z"},
      {"America/Los_Angeles", "2021-03-14T02:30:00Z", "2021-03-14T10:00:00Z",
       "2021-03-14T10:00:00Z"},
      {"America/Los_Angeles", "2021-03-14T02:59:59.999Z", "2021-03-14T10:00:00Z",
       "2021-03-14T10:00:00Z"},
      {"America/Los_Angeles", "2021-03-14T03:00:00Z", "2021-03-14T10:00:00Z",
       "2021-03-14T10:00:00Z"},
      {"America/Los_Angeles", "2021-03-14T03:30:00Z", "2021-03-14T10:30:00Z",
       "2021-03-14T10:30:00Z"},
      // The clock goes back from 02:00 to 01:00 at 09:00Z.
      {"America/Los_Angeles", "2021-11-07T00:59:00Z", "2021-11-07T07:59:00Z",
       "2021-11-07T07:59:00Z"},
      {"America/Los_Angeles", "2021-11-07T01:00:00Z", "2021-11-07T08:00:00Z",
       "2021-11-07T08:00:00Z"},
      {"America/Los_Angeles", "2021-11-07T01:30:00Z", "2021-11-07T08:30:00Z",
       "2021-11-07T09:30:00Z"},
      {"America/Los_Angeles", "2021-11-07T02:00:00Z", "2021-11-07T10:00:00Z",
       "2021-11-07T10:00:00Z"},
      // Half an hour back, at 15:00Z.
      {"Australia/Lord_Howe", "2024-04-07T01:45:00Z", "2024-04-06T14:45:00Z",
       "2024-04-06T15:15:00Z"},
      {"Australia/Lord_Howe", "2024-04-07T02:00:00Z", "2024-04-06T15:30:00Z",
       "2024-04-06T15:30:00Z"},
      // The 30th of December 2011 did not take place.
      {"Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
      {"Pacific/Apia", "2011-12-31T00:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
      // No midnight.
      {"America/Sao_Paulo", "2018-11-04T00:00:00Z", "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z"},
      {"America/Sao_Paulo", "2018-11-05T00:00:00Z", "2018-11-05T02:00:00Z", "2018-11-05T02:00:00Z"},
      {"Asia/Kathmandu", "2024-01-02T00:00:00Z", "2024-01-01T18:15:00Z", "2024-01-01T18:15:00Z"},
      {"Etc/GMT-8", "1970-01-01T08:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
  };
}

TEST(ZoneClock, TurnsLocalTimesIntoInstants) {
  for (const Moment& moment : moments()) {
    SCOPED_TRACE(moment.zone + " " + moment.local);
    const auto clock = zone_clock_of(moment.zone);
    EXPECT_EQ(clock->first_instant(time_of(moment.local)), time_of(moment.first_instant));
    EXPECT_EQ(clock->end_instant(time_of(moment.local)), time_of(moment.end_instant));
  }
}

struct LocalWatermark {
  std::string zone;
  std::string watermark;
  std::string local;  // as if it were UTC
};

// While the clock has yet to show 01:00 to 02:00 again, local time has not passed 01:00.
TEST(ZoneClock, AWatermarkPassesALocalTimeWhenTheClockWillNotShowItAgain) {
  const std::vector<LocalWatermark> examples = {
      {"America/Los_Angeles", "2021-11-07T07:58:59.999Z", "2021-11-07T00:58:59.999Z"},
      {"America/Los_Angeles", "2021-11-07T07:59:59.999Z", "2021-11-07T00:59:59.999Z"},
      {"America/Los_Angeles", "2021-11-07T08:30:00Z", "2021-11-07T00:59:59.999Z"},
      {"America/Los_Angeles", "2021-11-07T08:59:59.999Z", "2021-11-07T00:59:59.999Z"},
      {"America/Los_Angeles", "2021-11-07T09:29:59.999Z", "2021-11-07T01:29:59.999Z"},
      {"America/Los_Angeles", "2021-11-07T09:59:59.999Z", "2021-11-07T01:59:59.999Z"},
      {"America/Los_Angeles", "2021-03-14T09:59:59.998Z", "2021-03-14T01:59:59.998Z"},
      {"America/Los_Angeles", "2021-03-14T09:59:59.999Z", "2021-03-14T02:59:59.999Z"},
      {"Australia/Lord_Howe", "2024-04-06T14:45:00Z", "2024-04-07T01:29:59.999Z"},
      {"Australia/Lord_Howe", "2024-04-06T15:29:59.999Z", "2024-04-07T01:59:59.999Z"},
      {"Pacific/Apia", "2011-12-30T09:59:59.999Z", "2011-12-30T23:59:59.999Z"},
  };
  for (const LocalWatermark& example : examples) {
    SCOPED_TRACE(example.zone + " " + example.watermark);
    EXPECT_EQ(zone_clock_of(example.zone)->local_watermark(time_of(example.watermark)),
              time_of(example.local));
  }
}

// By definition, looking at the clock on a fine grid for three days to either side.
TEST(ZoneClock, AgreesWithAClockThatIsReadInstantByInstant) {
  std::mt19937_64 random(20211107);
  for (const std::string zone : kZones) {
    SCOPED_TRACE(zone);
    const auto clock = zone_clock_of(zone);
    const std::vector<EventTime> transitions = transitions_of(zone);
    for (int i = 0; i < 20; ++i) {
      const EventTime instant = random_instant(transitions, random);
      const std::int64_t local = local_time(zone, instant);
      ASSERT_EQ(instant + clock->period_of(instant).offset, local);

      // A local time near the instant, which the clock may skip.
      const std::int64_t wanted = instant / kMinute * kMinute + clock->period_of(instant).offset;
      const EventTime first = clock->first_instant(wanted);
      const EventTime end = clock->end_instant(wanted);
      ASSERT_GE(local_time(zone, first), wanted);
      ASSERT_LT(local_time(zone, first - 1), wanted);
      ASSERT_LT(local_time(zone, end - 1), wanted);
      ASSERT_GE(local_time(zone, end), wanted);
      for (std::int64_t step = 10 * kMinute; step < 3 * kDay; step += 10 * kMinute) {
        ASSERT_LT(local_time(zone, first - step), wanted) << first << " " << step;
        ASSERT_GE(local_time(zone, end + step), wanted) << end << " " << step;
      }
      for (const EventTime watermark : {end - 2, end - 1, end, first - 1, instant}) {
        ASSERT_EQ(clock->local_watermark(watermark) >= wanted - 1, watermark >= end - 1)
            << watermark;
      }
    }
  }
}

TEST(ZoneClock, LocalWatermarksNeverFall) {
  for (const std::string zone : kZones) {
    const auto clock = zone_clock_of(zone);
    for (const EventTime transition : transitions_of(zone)) {
      std::int64_t before = clock->local_watermark(transition - 2 * kDay);
      for (std::int64_t at = -48; at <= 48; ++at) {
        const std::int64_t now = clock->local_watermark(transition + at * 60 * kMinute);
        ASSERT_LE(before, now) << zone << " " << transition;
        before = now;
      }
    }
  }
}

TEST(ZoneClock, HoldsThroughoutTheLegalTimes) {
  for (const std::string zone : kZones) {
    const auto clock = zone_clock_of(zone);
    for (const EventTime instant : {kMinEventTime - kMaxDurationMs, kMinEventTime, EventTime{0},
                                    kMaxEventTime, kMaxEventTime + kMaxDurationMs}) {
      const std::int64_t local = instant + clock->period_of(instant).offset;
      EXPECT_EQ(clock->first_instant(local), instant) << zone;
      EXPECT_EQ(clock->end_instant(local), instant) << zone;
      EXPECT_EQ(clock->local_watermark(instant), local) << zone;
    }
  }
}

TEST(ZoneClock, ZonesThatAreUtcNeedNone) {
  for (const char* zone : {"", "UTC", "Etc/UTC", "Z", "Etc/GMT"}) {
    EXPECT_EQ(zone_clock_of(zone), nullptr) << zone;
  }
}

TEST(ZoneClock, AnUnknownZoneIsRefusedByName) {
  for (const char* zone : {"Mars/Olympus", "+08:00", "GMT+08:00", "America", "../zone", " "}) {
    const auto clock = ZoneClock::of(zone);
    ASSERT_FALSE(clock) << zone;
    EXPECT_THAT(clock.error().message,
                testing::HasSubstr("unknown time zone '" + std::string(zone) + "'"));
    EXPECT_THROW(zone_clock_of(zone), std::invalid_argument);
  }
}

}  // namespace
}  // namespace tidemark
