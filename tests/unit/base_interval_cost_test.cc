// What is predicted for windows that share one set of slices holds what runs count, to a tenth.
#include "tidemark/operators/base_interval_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/window_stage.h"
#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/operators/plan.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

constexpr double kTolerance = 0.1;
// Not 0: no other time is a multiple of so many powers of two.
constexpr EventTime kStart = 1'700'000'000'000;

class IgnoringSink final : public ResultSink {
 public:
  void accept(const Batch& /*results*/) override {}
  void on_watermark(EventTime /*watermark*/) override {}
  void finish() override {}
};

struct Stream {
  std::uint64_t keys;
  std::uint64_t rate;
  Skew skew{};
};

struct Case {
  const char* name;
  std::vector<WindowSpec> windows;
  Stream stream;
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

// Lets a stage take in rows, and its watermark rise, 100 ms at a time.
class Counting {
 public:
  explicit Counting(const Case& test)
      : stream_(config_of(test.stream)),
        query_(query_of(test)),
        stage_(query_, sink_, KeyCollection::kWhenDue),
        batch_(query_.row_schema()) {}

  void go_on_to(EventTime end) {
    for (; now_ < end; now_ += kStep) {
      add_rows_before(now_ + kStep);
      stage_.advance(now_ + kStep - 1);
    }
  }
  StateCounters state() const { return stage_.state(); }

 private:
  static constexpr EventTime kStep = 100;

  static BenchStreamConfig config_of(const Stream& stream) {
    BenchStreamConfig config;
    config.keys = stream.keys;
    config.event_rate = stream.rate;
    config.skew = stream.skew;
    config.start = kStart;
    config.rows = UINT64_C(1) << 40;
    return config;
  }

  void add_rows_before(EventTime end) {
    const std::uint64_t through = stream_.first_row_at(end);
    std::vector<std::int64_t> amounts(batch_.capacity());
    while (rows_ < through) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(through - rows_, batch_.capacity()));
      batch_.clear();
      stream_.fill(rows_, 1, n, batch_.times(), batch_.column(0).int64s(), amounts.data());
      for (std::size_t i = 0; i < n; ++i) {
        if (batch_.column(1).type() == ColumnType::kDouble) {
          batch_.column(1).doubles()[i] = static_cast<double>(amounts[i]);
        } else {
          batch_.column(1).int64s()[i] = amounts[i];
        }
      }
      batch_.set_size(n);
      stage_.add(batch_);
      rows_ += n;
    }
  }

  BenchStream stream_;
  WindowQuery query_;
  IgnoringSink sink_;
  WindowStage stage_;
  Batch batch_;
  std::uint64_t rows_ = 0;
  EventTime now_ = kStart;
};

class BaseIntervalCost : public ::testing::TestWithParam<Case> {};

TEST_P(BaseIntervalCost, PredictsWhatIsCounted) {
  const Case& test = GetParam();
  const StreamShape shape = expected_stream(test.stream.keys, test.stream.rate, test.stream.skew);
  const std::vector<WindowPlan> plans = plan_query(query_of(test), shape);
  std::int64_t longest = 0;
  std::int64_t slide = 0;
  for (const WindowSpec& window : test.windows) {
    longest = std::max(longest, window.size);
    slide = std::max(slide, window.slide);
  }
  const EventTime full = kStart + 2 * longest;
  // Peaks depend on how windows lie to powers of two, which takes many to show.
  const EventTime end = full + std::max(test.windows_long * longest, 300 * slide);

  Counting run(test);
  run.go_on_to(full);
  const StateCounters begin = run.state();
  run.go_on_to(end);
  const StateCounters counted = run.state();

  double merges = 0;
  for (const WindowPlan& plan : plans) {
    ASSERT_TRUE(plan.stream_cost);
    const double slides = static_cast<double>(end - full) / static_cast<double>(plan.window.slide);
    merges += plan.stream_cost->merges_per_slide * slides;
    EXPECT_EQ(plan.cost.updates_per_row, 1);
  }
  const auto counted_merges = static_cast<double>(counted.merges - begin.merges);
  EXPECT_NEAR(merges, counted_merges, kTolerance * counted_merges);
  const auto live = static_cast<double>(counted.peak_live_entries);
  EXPECT_NEAR(plans.front().stream_cost->live_entries, live, kTolerance * live);
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
