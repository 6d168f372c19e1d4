#include "tidemark/perf/schedule_lag.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>

namespace tidemark {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kRate = 1'000;  // a row each ms
constexpr std::uint64_t kRows = 10'000;

ScheduleLag lag_of(const std::function<milliseconds(std::uint64_t)>& lag,
                   std::uint64_t first_counted = 0) {
  ScheduleLag lags(first_counted, kRows);
  for (std::uint64_t row = 0; row < kRows; row += 7) lags.note(row, lag(row));
  return lags;
}

TEST(ScheduleLagTest, ASystemThatKeepsUpHasNoTrend) {
  EXPECT_EQ(ScheduleLag().backlog_growth(kRate), 0);
  EXPECT_EQ(lag_of([](auto) { return milliseconds(3); }).backlog_growth(kRate), 0);
}

// At 800 of 1,000 rows a second, row i is sent at i / 800 s: 200 rows more wait with every second.
TEST(ScheduleLagTest, ASystemThatIsTooSlowFallsBehindByWhatItLacks) {
  const ScheduleLag lags =
      lag_of([](std::uint64_t row) { return milliseconds(row * 1'000 / 800 - row); });
  EXPECT_NEAR(lags.backlog_growth(kRate), 200, 4);
  EXPECT_EQ(lags.highest(), lags.last());
}

TEST(ScheduleLagTest, OneStallIsNoTrend) {
  // At row 6,000 it stands still for a second, which takes it two more to make good.
  const ScheduleLag lags = lag_of([](std::uint64_t row) {
    if (row < 6'000 || row >= 8'000) return milliseconds(1);
    return milliseconds((8'000 - row) / 2);
  });
  EXPECT_NEAR(lags.backlog_growth(kRate), 0, 10);
  EXPECT_NEAR(static_cast<double>(lags.highest().count()) / 1e6, 1'000, 5);
}

TEST(ScheduleLagTest, TheWarmUpDoesNotCount) {
  const ScheduleLag lags = lag_of(
      [](std::uint64_t row) { return row < 5'000 ? milliseconds(row) : milliseconds(0); }, 5'000);
  EXPECT_EQ(lags.highest(), Clock::duration::zero());
  EXPECT_EQ(lags.backlog_growth(kRate), 0);
}

TEST(ScheduleLagTest, OfSeveralPartitionsTheWorstCounts) {
  const auto slow = [](std::uint64_t row) { return milliseconds(row * 1'000 / 800 - row); };
  ScheduleLag both;
  both.merge(lag_of([](auto) { return milliseconds(0); }));
  both.merge(lag_of(slow));
  EXPECT_EQ(both.backlog_growth(kRate), lag_of(slow).backlog_growth(kRate));
  EXPECT_EQ(both.highest(), lag_of(slow).highest());
}

}  // namespace
}  // namespace tidemark
