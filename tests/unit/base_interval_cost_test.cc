// What is predicted for windows that share one set of slices holds what runs count, to a tenth.
#include "tidemark/operators/base_interval_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "support/counted_stream.h"
#include "tidemark/operators/plan.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

// Not 0: no other time is a multiple of so many powers of two.
constexpr EventTime kStart = 1'700'000'000'000;

struct Case {
  const char* name;
  std::vector<WindowSpec> windows;
  StreamOfRows stream;
  // What is counted: of sums of doubles every interval is added up.
  AggregateFunction aggregate = AggregateFunction::kMax;
  // How long is counted, in longest windows.
  std::int64_t windows_long = 2;
};

WindowQuery query_of(const Case& test) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = {{"amount", test.aggregate == AggregateFunction::kSum ? ColumnType::kDouble
                                                                       : ColumnType::kInt64}};
  query.windows = test.windows;
  query.aggregates = {{test.aggregate, 0, "result"}};
  query.strategy = Strategy::kBaseIntervals;
  return query;
}

// The watermark rises 100 ms at a time.
void go_on_to(EventTime end, EventTime& now, CountedStream& run) {
  constexpr EventTime kStep = 100;
  while (now < end) run.go_on_to(now += kStep);
}

class BaseIntervalCost : public ::testing::TestWithParam<Case> {};

TEST_P(BaseIntervalCost, PredictsWhatIsCounted) {
  const Case& test = GetParam();
  const std::vector<WindowPlan> plans = plan_query(query_of(test), test.stream.shape());
  std::int64_t longest = 0;
  std::int64_t slide = 0;
  for (const WindowSpec& window : test.windows) {
    longest = std::max(longest, window.size);
    slide = std::max(slide, window.slide);
  }
  const EventTime full = kStart + 2 * longest;
  // Peaks depend on how windows lie to powers of two, which takes many to show.
  const EventTime end = full + std::max(test.windows_long * longest, 300 * slide);

  CountedStream run(query_of(test), test.stream, kStart);
  EventTime now = kStart;
  go_on_to(full, now, run);
  run.start();
  go_on_to(end, now, run);

  double merges = 0;
  for (const WindowPlan& plan : plans) {
    ASSERT_TRUE(plan.stream_cost);
    const double slides = static_cast<double>(end - full) / static_cast<double>(plan.window.slide);
    merges += plan.stream_cost->merges_per_slide * slides;
    EXPECT_EQ(plan.cost.updates_per_row, 1);
  }
  const auto counted_merges = static_cast<double>(run.merges());
  expect_predicted(counted_merges, merges, "merges");
  const auto live = static_cast<double>(run.state().peak_live_entries);
  expect_predicted(live, plans.front().stream_cost->live_entries, "live entries");
}

WindowSpec sliding_ms(std::int64_t size, std::int64_t slide) {
  return sliding(milliseconds(size), milliseconds(slide));
}

std::vector<WindowSpec> many_windows(int count) {
  std::vector<WindowSpec> windows;
  for (int i = 1; i <= count; ++i) {
    windows.push_back(sliding_ms(5000 + 1700 * i, 1000 + 100 * (i % 7)));
  }
  return windows;
}

INSTANTIATE_TEST_SUITE_P(
    Table, BaseIntervalCost,
    ::testing::Values(
        Case{"dense", {sliding_ms(20'000, 1000)}, {50, 2000}},
        Case{"a_row_or_so_per_key_and_slice", {sliding_ms(20'000, 1000)}, {1000, 1000}},
        Case{"sparse", {sliding_ms(60'000, 1000)}, {100'000, 500}},
        Case{"between", {sliding_ms(64'000, 1000)}, {5000, 500}},
        Case{"two_slides", {sliding_ms(2000, 1000)}, {300, 2000}},
        Case{"thousands_of_slides", {sliding_ms(400'000, 100)}, {100, 500}},
        Case{"odd_size", {sliding_ms(10'000, 3001)}, {500, 300}},
        Case{"zipf", {sliding_ms(30'000, 1000)}, {10'000, 2000, {SkewKind::kZipf, 1.1}}},
        Case{"one_hot_key", {sliding_ms(30'000, 1000)}, {5000, 1000, {SkewKind::kHot, 0.9}}},
        Case{"tumbling", {tumbling(milliseconds(5000))}, {1000, 500}},
        Case{"cumulate",
             {cumulate(milliseconds(50'000), milliseconds(1000))},
             {300, 200},
             AggregateFunction::kMax,
             40},
        Case{"gaps", {sliding_ms(1000, 3000)}, {200, 1000}},
        Case{"every_interval_added_up",
             {sliding_ms(60'000, 1000)},
             {100'000, 500},
             AggregateFunction::kSum},
        Case{"three_windows",
             {sliding_ms(60'000, 1000), sliding_ms(10'000, 700), tumbling(milliseconds(30'000))},
             {500, 1000}},
        Case{"windows_that_end_together",
             {sliding_ms(60'000, 1000), sliding_ms(10'000, 1000), sliding_ms(2000, 1000)},
             {2000, 1000}},
        Case{"less_than_a_row_in_a_slice",
             {sliding_ms(597'200, 3001), tumbling(milliseconds(60'000)),
              cumulate(milliseconds(595'000), milliseconds(7000))},
             {1, 200}},
        Case{"slices_of_one_ms", {sliding_ms(60'001, 1000)}, {3, 20}},
        Case{"forty_windows", many_windows(40), {300, 1000}},
        Case{"forty_windows_of_sparse_keys", many_windows(40), {20'000, 300}}),
    [](const auto& instance) { return instance.param.name; });

TEST(BaseIntervalCostLimits, TooManySlicesAreNotWalked) {
  const StreamShape stream{1000, 100};
  EXPECT_EQ(base_interval_costs({sliding_ms(86'400'000, 1000)}, true, {8, 8}, stream).size(), 1U);
  EXPECT_TRUE(base_interval_costs({sliding_ms(86'400'000, 1)}, true, {8, 8}, stream).empty());
}

}  // namespace
}  // namespace tidemark::test_support
