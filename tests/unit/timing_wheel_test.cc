// A timing wheel gives each timer out once, at the first step that is not before its time, whatever
// the width of its buckets and however often it has been put off.
#include "tidemark/operators/timing_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <random>
#include <vector>

namespace tidemark {
namespace {

class TimingWheelTest : public ::testing::Test {
 protected:
  void add(EventTime time) {
    times_.push_back(time);
    wheel_.add(static_cast<std::uint32_t>(times_.size() - 1), time);
  }
  std::vector<std::uint32_t> take(EventTime now) {
    std::vector<std::uint32_t> taken;
    wheel_.take_due(
        now, [this](std::uint32_t number) { return times_[number]; },
        [&](std::uint32_t number) { taken.push_back(number); }, [](std::uint32_t) {});
    return taken;
  }

  std::vector<EventTime> times_;
  TimingWheel wheel_{100, *std::pmr::get_default_resource()};
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(TimingWheelTest, ATimerComesOutWhenItsTimeHasComeAndNotBefore) {
  add(50);
  EXPECT_EQ(take(0), Numbers{});
  EXPECT_EQ(take(49), Numbers{});
  EXPECT_EQ(take(50), Numbers{0});
  EXPECT_EQ(take(1000), Numbers{});
  EXPECT_EQ(wheel_.size(), 0U);
}

TEST_F(TimingWheelTest, OneThatHasBeenPutOffComesOutAtItsNewTime) {
  take(0);
  add(50);
  times_[0] = 77;
  EXPECT_EQ(take(76), Numbers{});
  EXPECT_EQ(wheel_.put_off(), 1U);
  EXPECT_EQ(take(77), Numbers{0});
}

TEST_F(TimingWheelTest, TimersManyTurnsAheadWaitForTheirTurn) {
  take(0);
  add(1'000'000'000'000);
  add(1'000'000'000'001);
  for (EventTime now = 1; now < 5000; now += 7) ASSERT_EQ(take(now), Numbers{});
  EXPECT_EQ(take(1'000'000'000'000), Numbers{0});
  EXPECT_EQ(take(1'000'000'000'001), Numbers{1});
}

TEST_F(TimingWheelTest, TheEndOfTimeTakesAllOfThem) {
  for (const EventTime last : {kNoWatermark, EventTime{-6000}, EventTime{0}}) {
    SCOPED_TRACE(last);
    times_.clear();
    wheel_ = TimingWheel(1, *std::pmr::get_default_resource());
    EXPECT_EQ(take(last), Numbers{});
    for (EventTime time = last == 0 ? 1 : -5000; time < 5000; time += 10) add(time);
    EXPECT_EQ(take(kEndOfTime).size(), times_.size());
  }
}

TEST_F(TimingWheelTest, StopsOnTheWayTakeTimersInOrderAndEndAtTheTarget) {
  take(0);
  for (EventTime time = 1; time < 5000; time += 3) add(time);
  add(1'000'000'000);
  EventTime last = 0;
  std::size_t most = 0;
  while (wheel_.now() < kEndOfTime) {
    const Numbers taken = take(wheel_.next_stop(kEndOfTime));
    EventTime highest = last;
    for (const std::uint32_t number : taken) {
      ASSERT_GT(times_[number], last);
      highest = std::max(highest, times_[number]);
    }
    last = highest;
    most = std::max(most, taken.size());
  }
  EXPECT_EQ(wheel_.size(), 0U);
  EXPECT_EQ(last, 1'000'000'000);
  EXPECT_LT(most, 1700U);
}

TEST_F(TimingWheelTest, RenamedTimersComeOutUnderTheirNewNumbers) {
  add(10);
  add(2000);
  take(5);
  times_ = {0, 0, 0, 10, 2000};
  wheel_.rename([](std::uint32_t number) { return number + 3; });
  EXPECT_EQ(take(10), Numbers{3});
  EXPECT_EQ(take(2000), Numbers{4});
}

// Distances of 1 ms to years, so that the width of the buckets changes again and again.
TEST_F(TimingWheelTest, EachOfManyComesOutOnceAtTheFirstStepNotBeforeItsTime) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    times_.clear();
    wheel_ = TimingWheel(1 << seed, *std::pmr::get_default_resource());
    EventTime now = -1'000'000;
    std::size_t taken = 0;
    for (int step = 0; step < 3000; ++step) {
      const EventTime scale = EventTime{1} << random() % (step % 1000 < 500 ? 6U : 30U);
      const EventTime before = now;
      now += static_cast<EventTime>(random() % 128) + (random() % 200 == 0 ? scale : 0);
      for (const std::uint32_t number : take(now)) {
        ASSERT_LE(times_[number], now);
        ASSERT_GT(times_[number], before);
        ++taken;
      }
      for (int i = 0; i < 5; ++i) {
        add(now + 1 + static_cast<EventTime>(random() % static_cast<std::uint64_t>(scale)));
      }
      // Only timers that are still in the wheel are put off.
      EventTime& time = times_[random() % times_.size()];
      if (time > now) time += static_cast<EventTime>(random() % 1000);
    }
    taken += take(kEndOfTime).size();
    EXPECT_EQ(taken, times_.size());
  }
}

}  // namespace
}  // namespace tidemark
