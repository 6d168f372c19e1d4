#include "tidemark/perf/recording_cost.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tidemark {
namespace {

using std::chrono::nanoseconds;

// `calls` calls of ten results each; those that are timed take what `duration` says.
template <typename Duration>
RecordingCost cost_of(int calls, Duration duration) {
  RecordingCost cost;
  int samples = 0;
  for (int i = 0; i < calls; ++i) {
    if (cost.is_sample()) cost.add_sample(duration(samples++));
    cost.count(10);
  }
  return cost;
}

TEST(RecordingCostTest, EveryEighthCallStandsForAll) {
  const RecordingCost cost = cost_of(8'000, [](int) { return nanoseconds(200); });
  EXPECT_EQ(cost.results(), 80'000U);
  EXPECT_NEAR(cost.total_seconds(), 8'000 * 200e-9, 1e-12);
}

TEST(RecordingCostTest, WithoutCallsThereIsNoCost) {
  EXPECT_EQ(RecordingCost().total_seconds(), 0);
}

// One sample in 200 is a time slice of another process.
TEST(RecordingCostTest, TheSlowestHundredthIsLeftOut) {
  const RecordingCost cost = cost_of(8'000, [](int sample) {
    return sample % 200 == 7 ? nanoseconds(4'000'000) : nanoseconds(200);
  });
  EXPECT_NEAR(cost.total_seconds(), 8'000 * 200e-9, 1e-12);
}

TEST(RecordingCostTest, LaterSamplesTakeThePlaceOfTheFirst) {
  const RecordingCost cost =
      cost_of(8 * 10'000, [](int sample) { return nanoseconds(sample < 5'000 ? 1'000 : 100); });
  EXPECT_NEAR(cost.total_seconds(), 80'000 * 100e-9, 1e-9);
}

TEST(RecordingCostTest, MergedCostsAddUp) {
  RecordingCost both = cost_of(800, [](int) { return nanoseconds(100); });
  both.merge(cost_of(800, [](int) { return nanoseconds(300); }));
  EXPECT_EQ(both.results(), 16'000U);
  // The slowest of 200 samples are left out, two of the 300 ns.
  EXPECT_NEAR(both.total_seconds(), 1'600 * 199e-9, 1'600 * 1e-9);
}

}  // namespace
}  // namespace tidemark
