#include "tidemark/operators/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tidemark {
namespace {

using std::chrono::seconds;

WindowQuery query_of(int windows, AggregateFunction function = AggregateFunction::kSum) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"amount", ColumnType::kInt64}};
  for (int i = 1; i <= windows; ++i) {
    query.windows.push_back(sliding(seconds(60 * i + 60), seconds(i)));
  }
  query.aggregates = {{function, 0, "result"}};
  return query;
}

bool all_share(const WindowQuery& query, const std::optional<StreamShape>& stream) {
  const std::vector<WindowPlan> plans = plan_query(query, stream);
  return std::ranges::all_of(
      plans, [](const WindowPlan& plan) { return plan.strategy == Strategy::kBaseIntervals; });
}

TEST(PlanTest, OfAStreamThatIsNotKnownManyWindowsShareTheirSlices) {
  EXPECT_FALSE(all_share(query_of(1), std::nullopt));
  EXPECT_FALSE(all_share(query_of(7), std::nullopt));
  EXPECT_TRUE(all_share(query_of(8), std::nullopt));
}

struct Known {
  const char* name;
  int windows;
  StreamShape stream;
  bool share;
};
class KnownStreamTest : public testing::TestWithParam<Known> {};

TEST_P(KnownStreamTest, WindowsShareTheirSlicesIfThatIsPredictedToBeLessWork) {
  const Known& test = GetParam();
  for (const AggregateFunction function : {AggregateFunction::kSum, AggregateFunction::kMax}) {
    EXPECT_EQ(all_share(query_of(test.windows, function), test.stream), test.share);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, KnownStreamTest,
    testing::Values(Known{"one_window_of_dense_keys", 1, {100, 10'000}, false},
                    Known{"two_windows_of_dense_keys", 2, {100, 10'000}, true},
                    Known{"two_windows_of_keys_in_every_other_slice", 2, {10'000, 10'000}, false},
                    Known{"eight_windows_of_sparse_keys", 8, {1'000'000, 10'000}, false}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(PlanTest, WhatWindowsThatShareTheirSlicesCostIsPredictedForEach) {
  const std::vector<WindowPlan> plans = plan_query(query_of(3), StreamShape{100, 10'000});
  for (const WindowPlan& plan : plans) {
    ASSERT_TRUE(plan.stream_cost);
    EXPECT_GT(plan.stream_cost->merges_per_slide, 100);
    EXPECT_EQ(plan.stream_cost->live_entries, plans[0].stream_cost->live_entries);
  }
  EXPECT_EQ(plans[0].stream_cost->rows_per_slide, 10'000);
  EXPECT_EQ(plans[2].stream_cost->rows_per_slide, 30'000);
}

// A query may mix them with windows that need a state of their own.
TEST(PlanTest, WindowsThatShareNothingHaveAPredictionOfTheirOwn) {
  WindowQuery query = query_of(3);
  query.windows.insert(query.windows.begin() + 1, session(seconds(5)));
  const std::vector<WindowPlan> plans = plan_query(query, StreamShape{100, 10'000});
  EXPECT_EQ(plans[1].stream_cost->live_entries, 100);
  EXPECT_EQ(plans[2].stream_cost->rows_per_slide, 20'000);
  EXPECT_EQ(plans[3].stream_cost->rows_per_slide, 30'000);
}

}  // namespace
}  // namespace tidemark
