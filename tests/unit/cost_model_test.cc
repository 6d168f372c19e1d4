// Predictions hold what runs count, to a tenth: updates per row, merges per slide, results, live
// entries, bytes.
#include "tidemark/operators/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/window_stage.h"
#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

constexpr double kTolerance = 0.1;

class CountingSink final : public ResultSink {
 public:
  void accept(const Batch& results) override { count_ += results.size(); }
  void on_watermark(EventTime /*watermark*/) override {}
  void finish() override {}
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

WindowQuery query_of(const WindowSpec& window, Strategy strategy) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {window};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  query.strategy = strategy;
  return query;
}

struct Stream {
  std::uint64_t keys;
  std::uint64_t rate;
  Skew skew{};

  StreamShape shape() const { return expected_stream(keys, rate, skew); }
  BenchStreamConfig config() const {
    BenchStreamConfig config;
    config.keys = keys;
    config.event_rate = rate;
    config.skew = skew;
    config.start = 0;
    config.rows = UINT64_C(1) << 40;
    return config;
  }
};

// What a stage counts, slide by slide.
class Measurement {
 public:
  Measurement(const WindowSpec& window, Strategy strategy, const Stream& stream)
      : window_(window),
        stream_(stream.config()),
        query_(query_of(window, strategy)),
        stage_(query_, sink_, KeyCollection::kWhenDue),
        batch_(query_.row_schema()) {}

  void slide(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      // The next end of a window.
      const EventTime end = ++slides_ * window_.slide + window_.size % window_.slide;
      add_rows_before(end);
      const std::uint64_t before = stage_.state().merges;
      stage_.advance(end - 1);
      worst_ = std::max(worst_, stage_.state().merges - before);
    }
  }
  // Forgets what was before; the peaks stay.
  void start() {
    begin_ = stage_.state();
    results_ = sink_.count();
    rows_then_ = rows_;
    slides_then_ = slides_;
    worst_ = 0;
  }

  double updates_per_row() const { return (counted(&StateCounters::updates)) / rows(); }
  double merges_per_slide() const { return counted(&StateCounters::merges) / slides(); }
  double worst_merges() const { return static_cast<double>(worst_); }
  double results_per_slide() const {
    return static_cast<double>(sink_.count() - results_) / slides();
  }
  StateCounters state() const { return stage_.state(); }

 private:
  void add_rows_before(EventTime end) {
    const std::uint64_t through = stream_.first_row_at(end);
    while (rows_ < through) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(through - rows_, batch_.capacity()));
      batch_.clear();
      stream_.fill(rows_, 1, n, batch_.times(), batch_.column(0).int64s(),
                   batch_.column(1).int64s());
      batch_.set_size(n);
      stage_.add(batch_);
      rows_ += n;
    }
  }
  double rows() const { return static_cast<double>(rows_ - rows_then_); }
  double slides() const { return static_cast<double>(slides_ - slides_then_); }
  double counted(std::uint64_t StateCounters::*counter) const {
    return static_cast<double>(stage_.state().*counter - begin_.*counter);
  }

  WindowSpec window_;
  BenchStream stream_;
  WindowQuery query_;
  CountingSink sink_;
  WindowStage stage_;
  Batch batch_;
  std::uint64_t rows_ = 0;
  std::uint64_t rows_then_ = 0;
  std::int64_t slides_ = 0;
  std::int64_t slides_then_ = 0;
  std::uint64_t results_ = 0;
  std::uint64_t worst_ = 0;
  StateCounters begin_;
};

void expect_near(double counted, double predicted, const char* what) {
  EXPECT_NEAR(counted, predicted, kTolerance * std::max(std::abs(counted), 1e-9)) << what;
}

struct Case {
  const char* name;
  WindowSpec window;
  Stream stream;
  std::vector<Strategy> strategies;
};

class CostModel : public ::testing::TestWithParam<Case> {};

TEST_P(CostModel, PredictsWhatIsCounted) {
  const Case& test = GetParam();
  for (const Strategy strategy : test.strategies) {
    SCOPED_TRACE(to_string(strategy));
    Measurement measured(test.window, strategy, test.stream);
    const std::int64_t period = test.window.size / test.window.slide;
    measured.slide(2 * period + 2);
    measured.start();
    measured.slide(std::max<std::int64_t>(2 * period, 200 / period * period));

    const UnitCost unit = unit_cost(test.window, strategy);
    const AggregateLayout layout(BenchStream::values(), query_of(test.window, strategy).aggregates,
                                 strategy == Strategy::kSubtract);
    const StreamCost cost =
        stream_cost(test.window, strategy, state_size(layout), test.stream.shape());
    expect_near(measured.updates_per_row(), unit.updates_per_row, "updates per row");
    expect_near(measured.merges_per_slide(), cost.merges_per_slide, "merges per slide");
    expect_near(measured.results_per_slide(), cost.results_per_slide, "results per slide");
    expect_near(static_cast<double>(measured.state().peak_live_entries), cost.live_entries,
                "live entries");
    if (strategy == Strategy::kTwoStacks && cost.worst_merges > 1000) {
      expect_near(measured.worst_merges(), cost.worst_merges, "worst merges");
    }
  }
}

const std::vector<Strategy> kAll = {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
                                    Strategy::kTwoStacks, Strategy::kWorstCase};
const std::vector<Strategy> kSharing = {Strategy::kRecompute, Strategy::kSubtract,
                                        Strategy::kTwoStacks, Strategy::kWorstCase};

WindowSpec sliding_ms(std::int64_t size, std::int64_t slide) {
  return sliding(milliseconds(size), milliseconds(slide));
}

INSTANTIATE_TEST_SUITE_P(
    Table, CostModel,
    ::testing::Values(
        Case{"dense", sliding_ms(20'000, 1000), {50, 2000}, kAll},
        Case{"a_row_or_so_per_key_and_slice", sliding_ms(20'000, 1000), {1000, 1000}, kAll},
        Case{"sparse", sliding_ms(60'000, 1000), {100'000, 500}, kAll},
        Case{"two_slides", sliding_ms(2000, 1000), {300, 2000}, kAll},
        Case{"long_windows", sliding_ms(600'000, 1000), {100, 500}, kSharing},
        Case{"odd_size", sliding_ms(10'000, 3001), {500, 300}, kAll},
        Case{"odd_size_of_many_slides", sliding_ms(60'000, 700), {1000, 2000}, kSharing},
        Case{"zipf", sliding_ms(30'000, 1000), {10'000, 2000, {SkewKind::kZipf, 1.1}}, kAll},
        Case{"flat_zipf", sliding_ms(30'000, 1000), {5000, 1000, {SkewKind::kZipf, 0.5}}, kAll},
        Case{"one_hot_key", sliding_ms(30'000, 1000), {5000, 1000, {SkewKind::kHot, 0.9}}, kAll},
        Case{"a_row_in_every_fourth_slice", sliding_ms(20'000, 250), {5, 1}, kSharing},
        Case{"tumbling", tumbling(milliseconds(5000)), {1000, 500}, kAll},
        Case{"cumulate", cumulate(milliseconds(50'000), milliseconds(1000)), {300, 200}, kAll}),
    [](const auto& instance) { return instance.param.name; });

TEST(CostModelBytes, AreWhatIsAllocatedWhereEntriesAreMany) {
  for (const Strategy strategy :
       {Strategy::kRecompute, Strategy::kSubtract, Strategy::kTwoStacks, Strategy::kWorstCase}) {
    SCOPED_TRACE(to_string(strategy));
    const WindowSpec window = sliding_ms(600'000, 1000);
    const Stream stream{1000, 4000};
    Measurement measured(window, strategy, stream);
    measured.slide(700);
    const AggregateLayout layout(BenchStream::values(), query_of(window, strategy).aggregates,
                                 strategy == Strategy::kSubtract);
    const StreamCost cost = stream_cost(window, strategy, state_size(layout), stream.shape());
    const StateCounters state = measured.state();
    expect_near(static_cast<double>(state.peak_state_bytes - state.peak_key_table_bytes),
                cost.state_bytes(), "bytes");
  }
}

TEST(ExpectedKeys, AreAtMostTheRowsAndAtMostTheKeys) {
  for (const StreamShape& stream :
       {StreamShape{1, 1}, StreamShape{1000, 1}, StreamShape{10'000'000, 1, KeySpread::kZipf, 1.1},
        StreamShape{1000, 1, KeySpread::kHot, 0.5}, StreamShape{1, 1, KeySpread::kHot, 0.5}}) {
    EXPECT_EQ(expected_keys(stream, 0), 0);
    EXPECT_NEAR(expected_keys(stream, 0.1), 0.1, 1e-6);
    EXPECT_NEAR(expected_keys(stream, 1), 1, 1e-6);
    EXPECT_LE(expected_keys(stream, 100), 100);
    EXPECT_NEAR(expected_keys(stream, 1e15), static_cast<double>(stream.keys),
                0.001 * static_cast<double>(stream.keys));
  }
}

struct Choice {
  const char* why;
  WindowSpec window;
  bool invertible;
  std::optional<StreamShape> stream;
  Strategy expected;
};

TEST(StrategyChoice, GoesByWhatIsPredicted) {
  const StreamShape dense{100, 10'000};
  const StreamShape sparse{10'000'000, 10'000};
  for (const Choice& choice : std::vector<Choice>{
           {"no overlap", tumbling(milliseconds(1000)), false, dense, Strategy::kBuckets},
           {"no overlap, with gaps", sliding_ms(1000, 3000), true, {}, Strategy::kBuckets},
           {"growing",
            cumulate(milliseconds(9000), milliseconds(1000)),
            true,
            {},
            Strategy::kTwoStacks},
           {"invertible", sliding_ms(3'600'000, 1000), true, {}, Strategy::kSubtract},
           {"invertible, two windows", sliding_ms(2000, 1000), true, {}, Strategy::kSubtract},
           {"few windows per row, each row a key of its own", sliding_ms(2000, 1000), true, sparse,
            Strategy::kBuckets},
           {"many windows per row, each row a key of its own", sliding_ms(60'000, 1000), true,
            sparse, Strategy::kSubtract},
           {"a flip of a long window",
            sliding_ms(3'600'000, 1000),
            false,
            {},
            Strategy::kWorstCase},
           {"a flip of a long window, dense", sliding_ms(3'600'000, 1000), false, dense,
            Strategy::kWorstCase},
           {"a flip of a short window", sliding_ms(8000, 1000), false, {}, Strategy::kTwoStacks},
           {"a flip of a short window, dense", sliding_ms(8000, 1000), false, dense,
            Strategy::kTwoStacks}}) {
    SCOPED_TRACE(choice.why);
    EXPECT_EQ(choose_strategy(choice.window, choice.invertible, choice.stream).strategy,
              choice.expected);
  }
}

}  // namespace
}  // namespace tidemark::test_support
