#include "tidemark/operators/event_time_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tidemark {
namespace {

std::vector<EventTime> random_times(std::mt19937& random) {
  std::vector<EventTime> times(random() % 70);
  for (EventTime& time : times) time = static_cast<EventTime>(random() % 100) - 50;
  return times;
}

TEST(EventTimeRange, AllTimesAreWithinItIfEachIs) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<EventTime> times = random_times(random);
    const EventTime first = static_cast<EventTime>(random() % 60) - 60;
    const EventTime end = first + static_cast<EventTime>(random() % 120);
    const bool each = std::all_of(times.begin(), times.end(),
                                  [&](EventTime time) { return time >= first && time < end; });
    EXPECT_EQ(all_within(times, first, end), each);
  }
}

TEST(EventTimeRange, OneTimeOutsideIsFoundWhereverItIs) {
  for (std::size_t n = 1; n < 40; ++n) {
    for (std::size_t outside = 0; outside < n; ++outside) {
      std::vector<EventTime> times(n, 7);
      EXPECT_TRUE(all_within(times, 7, 8));
      times[outside] = 6;
      EXPECT_FALSE(all_within(times, 7, 8));
      times[outside] = 8;
      EXPECT_FALSE(all_within(times, 7, 8));
    }
  }
}

TEST(EventTimeRange, TheHighestIsThatOfAllTimesAndTheOneBefore) {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<EventTime> times = random_times(random);
    const EventTime before =
        random() % 2 == 0 ? kNoWatermark : static_cast<EventTime>(random() % 100) - 50;
    EventTime highest = before;
    for (const EventTime time : times) highest = std::max(highest, time);
    EXPECT_EQ(highest_of(times, before), highest);
  }
}

}  // namespace
}  // namespace tidemark
