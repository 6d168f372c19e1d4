// What is predicted for windows that end key by key holds what runs count, to a tenth.
#include "tidemark/operators/keyed_window_cost.h"

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
  WindowSpec window;
  StreamOfRows stream;
  // Of event time: until peaks are there, and then for counting.
  std::chrono::seconds before;
  std::chrono::seconds counted;
  std::int64_t lateness = 0;
  EarlyFiring early{};
  Strategy strategy = Strategy::kAuto;
  bool bytes = true;
};

WindowQuery query_of(const Case& test) {
  WindowQuery query = counted_query(test.window);
  query.lateness = test.lateness;
  query.delay = test.stream.disorder;
  query.early = test.early;
  query.strategy = test.strategy;
  return query;
}

class KeyedWindowCostTest : public ::testing::TestWithParam<Case> {};

TEST_P(KeyedWindowCostTest, PredictsWhatIsCounted) {
  const Case& test = GetParam();
  const WindowQuery query = query_of(test);
  const WindowPlan plan = plan_query(query, test.stream.shape()).front();
  ASSERT_TRUE(plan.leaves_shared_path);
  ASSERT_TRUE(plan.stream_cost);
  const StreamCost& cost = *plan.stream_cost;

  CountedStream run(query, test.stream, kStart);
  EventTime now = kStart;
  const auto go_on_for = [&](seconds time) {
    const EventTime end = now + milliseconds(time).count();
    while (now < end) run.go_on_to(now += 100);
  };
  go_on_for(test.before);
  run.start();
  go_on_for(test.counted);

  const auto of_counted = [&](std::uint64_t count) {
    const double slide =
        has_slices(test.window.kind) ? 1e-3 * static_cast<double>(test.window.slide) : 1;
    return static_cast<double>(count) * slide / static_cast<double>(test.counted.count());
  };
  const auto rows = static_cast<double>(run.rows());
  expect_predicted(static_cast<double>(run.updates()) / rows, plan.cost.updates_per_row,
                   "updates per row");
  EXPECT_EQ(test.stream.disorder > 0 ? 0 : run.merges(), 0U);
  EXPECT_EQ(cost.merges_per_slide, 0);
  expect_predicted(of_counted(run.rows()), cost.rows_per_slide, "rows");
  if (test.early.kind == EarlyFiring::Kind::kNone) {
    expect_predicted(of_counted(run.results()), cost.results_per_slide, "results");
  }
  expect_predicted(static_cast<double>(run.state().peak_live_entries), cost.live_entries,
                   "live entries");
  if (test.bytes) {
    EXPECT_EQ(plan.not_predicted, "");
    expect_predicted(static_cast<double>(run.peak_window_bytes()), cost.state_bytes(), "bytes");
  } else {
    EXPECT_NE(plan.not_predicted, "");
  }
}

constexpr EarlyFiring kEverySecond{EarlyFiring::Kind::kEventTime, 1000};

INSTANTIATE_TEST_SUITE_P(
    Table, KeyedWindowCostTest,
    ::testing::Values(
        Case{"sessions_of_dense_keys", session(seconds(5)), {5000, 2000}, seconds(20), seconds(50)},
        Case{"sessions_that_never_end",
             session(seconds(30)),
             {2000, 10'000},
             seconds(2),
             seconds(5)},
        Case{"sessions_of_scarce_keys",
             session(seconds(2)),
             {1'000'000, 5000},
             seconds(10),
             seconds(20)},
        Case{"sessions_of_zipf_keys",
             session(seconds(3)),
             {100'000, 5000, {SkewKind::kZipf, 1.1}},
             seconds(30),
             seconds(20)},
        Case{"sessions_behind_disorder",
             session(seconds(4)),
             {50'000, 5000, {}, 2000},
             seconds(20),
             seconds(20)},
        Case{"sessions_with_lateness",
             session(seconds(2)),
             {20'000, 5000},
             seconds(20),
             seconds(20),
             3000,
             {},
             Strategy::kAuto,
             false},
        Case{"sessions_one_by_one",
             session(seconds(2)),
             {14'000, 5000},
             seconds(20),
             seconds(20),
             0,
             {},
             Strategy::kBuckets},
        Case{"count_windows", count_window(20), {5000, 5000}, seconds(50), seconds(50)},
        Case{"count_windows_of_one_row", count_window(2), {5000, 5000}, seconds(50), seconds(20)},
        Case{"count_windows_that_overlap",
             count_window(20, 5),
             {3000, 5000},
             seconds(60),
             seconds(20)},
        Case{"global", global_window(), {5000, 5000}, seconds(10), seconds(10)},
        Case{"sliding_with_early_firings",
             sliding(seconds(10), seconds(2)),
             {2000, 1000},
             seconds(30),
             seconds(20),
             0,
             kEverySecond,
             Strategy::kAuto,
             false},
        Case{"tumbling_with_early_firings_and_lateness",
             tumbling(seconds(4)),
             {500, 1000},
             seconds(40),
             seconds(20),
             8000,
             kEverySecond,
             Strategy::kAuto,
             false}),
    [](const auto& instance) { return instance.param.name; });

struct Unpredicted {
  const char* name;
  WindowSpec window;
  void (*change)(WindowQuery& query);
  const char* says;
};

TEST(KeyedWindowCostText, SaysWhatTheStreamDoesNotTell) {
  WindowSpec own_gaps = session(seconds(0));
  own_gaps.gap_column = "amount";
  own_gaps.gap_input = 0;
  for (const Unpredicted& test : {
           Unpredicted{"gaps", own_gaps, [](WindowQuery&) {},
                       "not predicted: sessions, as each row has a gap of its own"},
           Unpredicted{
               "ttl", tumbling(seconds(1)), [](WindowQuery& query) { query.state_ttl = 1000; },
               "not predicted: windows that the state's time to live ends before their time"},
           Unpredicted{"early", tumbling(seconds(1)),
                       [](WindowQuery& query) { query.early = kEverySecond; },
                       "not predicted: early results, and bytes of what windows have said before"},
       }) {
    SCOPED_TRACE(test.name);
    WindowQuery query = counted_query(test.window);
    test.change(query);
    const std::string text = to_string(plan_query(query, StreamShape{100, 1000}).front());
    EXPECT_NE(text.find(test.says), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tidemark::test_support
