#include "tidemark/operators/fired_windows.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark {
namespace {

// One result for each window start, of windows that are 10 ms long.
Batch results(const std::vector<EventTime>& starts, std::uint32_t specification = 0) {
  Batch batch({{"window_start", ColumnType::kInt64}, {"window_end", ColumnType::kInt64}}, 16);
  for (const EventTime start : starts) {
    batch.column(0).int64s()[batch.size()] = start;
    batch.column(1).int64s()[batch.size()] = start + 10;
    batch.set_size(batch.size() + 1);
  }
  batch.header.window = specification;
  return batch;
}

TEST(FiredWindows, CountEachWindowOnceOverBatchesAndWorkers) {
  FiredWindows fired;
  fired.add(results({0, 0, 0}));
  fired.add(results({0, 5, 5, 10}));
  fired.add(results({-5, 0, 10, 10, 15}));
  EXPECT_EQ(fired.count(), 5U);
}

TEST(FiredWindows, TellWindowsApartThatShareAStart) {
  Batch batch = results({0, 0, 0, 0, 5});
  batch.column(1).int64s()[1] = 20;
  batch.column(1).int64s()[2] = 30;
  FiredWindows fired;
  fired.add(batch);
  EXPECT_EQ(fired.count(), 4U);
}

TEST(FiredWindows, MayComeInAnyOrder) {
  FiredWindows fired;
  fired.add(results({0, 5, 0, 10, 5, 0}));
  EXPECT_EQ(fired.count(), 3U);
}

TEST(FiredWindows, TellSpecificationsApart) {
  FiredWindows fired;
  fired.add(results({0, 10}, 0));
  fired.add(results({0, 10}, 1));
  EXPECT_EQ(fired.count(), 4U);
}

TEST(FiredWindows, AreForgottenOnceNoResultCanCome) {
  FiredWindows fired;
  fired.add(results({0, 10, 20}));
  fired.advance(8);
  EXPECT_EQ(fired.open(), 3U);
  fired.advance(9);
  EXPECT_EQ(fired.open(), 2U);
  fired.add(results({10, 20}));
  fired.advance(kEndOfTime);
  EXPECT_EQ(fired.open(), 0U);
  EXPECT_EQ(fired.count(), 3U);
}

}  // namespace
}  // namespace tidemark
