// What is predicted for states that grow holds what runs allocate for them, to a tenth.
#include "tidemark/operators/growing_cost.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "support/counted_stream.h"
#include "tidemark/operators/plan.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr EventTime kStart = 1'700'000'000'000;

struct Case {
  const char* name;
  AggregateFunction function;
  WindowSpec window;
  StreamOfRows stream;
  Strategy strategy;
};

WindowQuery query_of(const Case& test) {
  WindowQuery query = counted_query(test.window);
  query.aggregates = {{test.function, 0, "result", 3}};
  query.strategy = test.strategy;
  return query;
}

class GrowingCostTest : public ::testing::TestWithParam<Case> {};

TEST_P(GrowingCostTest, PredictsWhatIsAllocated) {
  const Case& test = GetParam();
  const WindowQuery query = query_of(test);
  const WindowPlan plan = plan_query(query, test.stream.shape()).front();
  ASSERT_TRUE(plan.stream_cost);
  EXPECT_EQ(plan.not_predicted, "");
  CountedStream run(query, test.stream, kStart);
  const EventTime end = kStart + 3 * test.window.size;
  for (EventTime now = kStart; now < end;) run.go_on_to(now += test.window.slide);
  expect_predicted(static_cast<double>(run.peak_window_bytes()), plan.stream_cost->state_bytes(),
                   "bytes");
}

constexpr auto kMedian = AggregateFunction::kMedian;
constexpr auto kCollect = AggregateFunction::kCollect;
constexpr auto kCountDistinct = AggregateFunction::kCountDistinct;
constexpr auto kTopK = AggregateFunction::kTopK;
constexpr auto kApproxDistinct = AggregateFunction::kApproxDistinct;

INSTANTIATE_TEST_SUITE_P(
    Table, GrowingCostTest,
    ::testing::Values(
        Case{"median_tumbling", kMedian, tumbling(seconds(10)), {2000, 200000}, Strategy::kBuckets},
        Case{"median_buckets",
             kMedian,
             sliding(seconds(10), seconds(1)),
             {1000, 20000},
             Strategy::kBuckets},
        Case{"median_recompute",
             kMedian,
             sliding(seconds(20), seconds(1)),
             {1000, 100000},
             Strategy::kRecompute},
        Case{"median_two_stacks",
             kMedian,
             sliding(seconds(20), seconds(1)),
             {1000, 100000},
             Strategy::kTwoStacks},
        Case{"median_worst_case",
             kMedian,
             sliding(seconds(60), seconds(1)),
             {500, 100000},
             Strategy::kWorstCase},
        Case{"median_subtract",
             kMedian,
             sliding(seconds(20), seconds(1)),
             {1000, 100000},
             Strategy::kSubtract},
        Case{"median_zipf",
             kMedian,
             sliding(seconds(20), seconds(1)),
             {100000, 200000, {SkewKind::kZipf, 1.1}},
             Strategy::kWorstCase},
        Case{"collect_tumbling",
             kCollect,
             tumbling(seconds(10)),
             {2000, 200000},
             Strategy::kBuckets},
        Case{"collect_worst_case",
             kCollect,
             sliding(seconds(20), seconds(1)),
             {1000, 100000},
             Strategy::kWorstCase},
        Case{"count_distinct_tumbling",
             kCountDistinct,
             tumbling(seconds(10)),
             {1000, 100000},
             Strategy::kBuckets},
        Case{"count_distinct_subtract",
             kCountDistinct,
             sliding(seconds(20), seconds(1)),
             {1000, 100000},
             Strategy::kSubtract},
        Case{"count_distinct_two_stacks",
             kCountDistinct,
             sliding(seconds(20), seconds(1)),
             {500, 50000},
             Strategy::kTwoStacks},
        Case{"count_distinct_worst_case",
             kCountDistinct,
             sliding(seconds(20), seconds(1)),
             {500, 50000},
             Strategy::kWorstCase},
        Case{"top_k_recompute",
             kTopK,
             sliding(seconds(10), seconds(1)),
             {3000, 60000},
             Strategy::kRecompute},
        Case{"approx_distinct_tumbling",
             kApproxDistinct,
             tumbling(seconds(10)),
             {5000, 200000},
             Strategy::kBuckets}),
    [](const auto& instance) { return instance.param.name; });

TEST(GrowingCostText, SaysWhatTheStreamDoesNotTell) {
  WindowQuery query = counted_query(sliding(seconds(10), seconds(1)));
  query.aggregates = {{kCountDistinct, 0, "result"}};
  const std::string text = to_string(plan_query(query, StreamShape{1000, 10000}).front());
  EXPECT_NE(text.find("not predicted: different values, as it is not known how many there are"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tidemark::test_support
