#include "tidemark/runtime/watermark_drift.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tidemark {
namespace {

struct TwoSources {
  Parker parkers[2];
  WatermarkDrift drift{100, {&parkers[0], &parkers[1]}};
};

TEST(WatermarkDrift, ASourceMayReadUpToTheLimitAheadOfTheSlowest) {
  TwoSources sources;
  sources.drift.publish(0, 1000);
  sources.drift.publish(1, 900);
  EXPECT_TRUE(sources.drift.may_read(0));
  sources.drift.publish(0, 1001);
  EXPECT_FALSE(sources.drift.may_read(0));
}

TEST(WatermarkDrift, TheSlowestMayAlwaysRead) {
  TwoSources sources;
  sources.drift.publish(0, 1'000'000);
  sources.drift.publish(1, 0);
  EXPECT_TRUE(sources.drift.may_read(1));
}

TEST(WatermarkDrift, ASourceThatHasReadNothingHoldsTheOthersAfterTheirFirstRows) {
  TwoSources sources;
  EXPECT_TRUE(sources.drift.may_read(0));
  sources.drift.publish(0, 5);
  EXPECT_FALSE(sources.drift.may_read(0));
  EXPECT_TRUE(sources.drift.may_read(1));
}

TEST(WatermarkDrift, AnEndedOrIdleSourceHoldsNobodyBack) {
  TwoSources sources;
  sources.drift.publish(0, 1'000'000);
  sources.drift.publish(1, kEndOfTime);
  EXPECT_TRUE(sources.drift.may_read(0));
}

TEST(WatermarkDrift, AnUnlimitedDriftDoesNotOverflow) {
  Parker parkers[2];
  WatermarkDrift drift(INT64_MAX, {&parkers[0], &parkers[1]});
  drift.publish(0, kMaxEventTime);
  drift.publish(1, kMinEventTime);
  EXPECT_TRUE(drift.may_read(0));
}

TEST(WatermarkDrift, AWaitingSourceIsWokenWhenTheSlowestMovesOn) {
  TwoSources sources;
  constexpr EventTime kSteps = 20'000;
  // Each runs one step at a time and parks whenever it may not: without a wake-up this would hang.
  const auto walk = [&](std::size_t self) {
    for (EventTime step = 0; step < kSteps; step += 50) {
      while (!sources.drift.may_read(self)) sources.parkers[self].park();
      sources.drift.publish(self, step);
    }
    sources.drift.publish(self, kEndOfTime);
  };
  std::thread other(walk, 1);
  walk(0);
  other.join();
  EXPECT_TRUE(sources.drift.may_read(0));
}

}  // namespace
}  // namespace tidemark
