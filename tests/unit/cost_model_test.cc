// Predictions hold what runs count, to a tenth: updates per row, merges per slide, results, live
// entries, bytes.
#include "tidemark/operators/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "support/counted_stream.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

WindowQuery query_of(const WindowSpec& window, Strategy strategy, const StreamLag& lag = {}) {
  WindowQuery query = counted_query(window);
  query.strategy = strategy;
  query.delay = lag.delay;
  query.lateness = lag.lateness;
  return query;
}

// What a stage counts, slide by slide.
class Measurement {
 public:
  Measurement(const WindowSpec& window, const WindowQuery& query, const StreamOfRows& stream)
      : window_(window), delay_(query.delay), run_(query, stream, 0) {
    // The watermark follows the rows from the first one on.
    for (EventTime end = delay_ % window.slide; end <= delay_; end += window.slide) {
      run_.go_on_to(end);
    }
  }

  void slide(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      // The next end of a window.
      const EventTime end = ++slides_ * window_.slide + window_.size % window_.slide;
      const std::uint64_t before = run_.state().merges;
      run_.go_on_to(end + delay_);
      worst_ = std::max(worst_, run_.state().merges - before);
    }
  }
  // Forgets what was before; the peaks stay.
  void start() {
    run_.start();
    slides_then_ = slides_;
    worst_ = 0;
  }

  double updates_per_row() const { return per(run_.updates(), run_.rows()); }
  double merges_per_slide() const { return per(run_.merges(), slides()); }
  double worst_merges() const { return static_cast<double>(worst_); }
  double results_per_slide() const { return per(run_.results(), slides()); }
  StateCounters state() const { return run_.state(); }
  double bytes() const { return static_cast<double>(run_.peak_window_bytes()); }

 private:
  std::uint64_t slides() const { return static_cast<std::uint64_t>(slides_ - slides_then_); }
  static double per(std::uint64_t counted, std::uint64_t of) {
    return static_cast<double>(counted) / static_cast<double>(of);
  }

  WindowSpec window_;
  std::int64_t delay_;
  CountedStream run_;
  std::int64_t slides_ = 0;
  std::int64_t slides_then_ = 0;
  std::uint64_t worst_ = 0;
};

struct Case {
  const char* name;
  WindowSpec window;
  StreamOfRows stream;
  std::vector<Strategy> strategies;
  StreamLag lag{};
};

class CostModel : public ::testing::TestWithParam<Case> {};

TEST_P(CostModel, PredictsWhatIsCounted) {
  const Case& test = GetParam();
  for (const Strategy strategy : test.strategies) {
    SCOPED_TRACE(to_string(strategy));
    const WindowQuery query = query_of(test.window, strategy, test.lag);
    Measurement measured(test.window, query, test.stream);
    const std::int64_t period = test.window.size / test.window.slide;
    measured.slide(2 * period + 2 + (test.lag.lateness + test.lag.delay) / test.window.slide);
    measured.start();
    measured.slide(std::max<std::int64_t>(2 * period, 200 / period * period));

    const UnitCost unit = unit_cost(test.window, strategy);
    const AggregateLayout layout(query.values, query.aggregates, strategy == Strategy::kSubtract);
    const StreamCost cost =
        stream_cost(test.window, strategy, state_size(layout), test.stream.shape(), test.lag);
    expect_predicted(measured.updates_per_row(), unit.updates_per_row, "updates per row");
    expect_predicted(measured.merges_per_slide(), cost.merges_per_slide, "merges per slide");
    expect_predicted(measured.results_per_slide(), cost.results_per_slide, "results per slide");
    expect_predicted(static_cast<double>(measured.state().peak_live_entries), cost.live_entries,
                     "live entries");
    if (strategy == Strategy::kTwoStacks && cost.worst_merges > 1000) {
      expect_predicted(measured.worst_merges(), cost.worst_merges, "worst merges");
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
        Case{"three_slides", sliding_ms(3000, 1000), {1000, 2000}, kAll},
        Case{"four_slides", sliding_ms(4000, 1000), {1000, 2000}, kAll},
        Case{"five_slides", sliding_ms(5000, 1000), {1000, 2000}, kAll},
        Case{"six_slides", sliding_ms(6000, 1000), {1000, 2000}, kAll},
        Case{"seven_slides", sliding_ms(7000, 1000), {1000, 2000}, kAll},
        Case{"eight_slides", sliding_ms(8000, 1000), {1000, 2000}, kAll},
        Case{"nine_slides_and_a_half", sliding_ms(9500, 1000), {1000, 2000}, kAll},
        Case{"one_key", sliding_ms(20'000, 1000), {1, 10}, kAll},
        Case{"one_key_with_a_row_in_every_tenth_slice", sliding_ms(10'000, 100), {1, 1}, kSharing},
        Case{"one_key_tumbling", tumbling(milliseconds(5000)), {1, 10}, {Strategy::kBuckets}},
        Case{"slices_of_one_ms", sliding_ms(600'001, 10'000), {3, 20}, kSharing},
        Case{"slices_of_one_ms_and_less_than_a_row", sliding_ms(60'001, 700), {3, 20}, kSharing},
        Case{"slices_between_rows", sliding_ms(60'020, 1000), {5, 25}, kSharing},
        Case{"offset",
             sliding(milliseconds(60'001), milliseconds(1000), milliseconds(30)),
             {5, 20},
             kSharing},
        Case{"behind_disorder",
             sliding_ms(20'000, 1000),
             {100, 1000, {}, 5000},
             kAll,
             {.delay = 5000}},
        Case{"behind_little_disorder",
             sliding_ms(10'000, 1000),
             {1000, 1000, {}, 300},
             kAll,
             {.delay = 300}},
        Case{"tumbling_behind_disorder",
             tumbling(milliseconds(1000)),
             {100, 200, {}, 2500},
             {Strategy::kBuckets},
             {.delay = 2500}},
        Case{"lateness", sliding_ms(20'000, 1000), {50, 1000}, kAll, {.lateness = 10'000}},
        Case{"little_lateness", sliding_ms(20'000, 1000), {500, 1000}, kAll, {.lateness = 500}},
        Case{"much_lateness", sliding_ms(10'000, 1000), {1000, 500}, kAll, {.lateness = 60'000}},
        Case{"lateness_behind_disorder",
             sliding_ms(10'000, 700),
             {300, 1000, {}, 2000},
             kAll,
             {.delay = 2000, .lateness = 5000}},
        Case{"tumbling_with_lateness",
             tumbling(milliseconds(2000)),
             {100, 500},
             {Strategy::kBuckets},
             {.lateness = 7000}},
        Case{"cumulate_with_lateness",
             cumulate(milliseconds(20'000), milliseconds(1000)),
             {300, 200},
             kAll,
             {.lateness = 6000}},
        Case{
            "cumulate_of_one_key", cumulate(milliseconds(9000), milliseconds(1000)), {1, 10}, kAll},
        Case{"cumulate", cumulate(milliseconds(50'000), milliseconds(1000)), {300, 200}, kAll}),
    [](const auto& instance) { return instance.param.name; });

struct BytesCase {
  const char* name;
  std::int64_t lateness;
};
class CostModelBytes : public ::testing::TestWithParam<BytesCase> {};

TEST_P(CostModelBytes, AreWhatIsAllocatedWhereEntriesAreMany) {
  for (const Strategy strategy :
       {Strategy::kRecompute, Strategy::kSubtract, Strategy::kTwoStacks, Strategy::kWorstCase}) {
    SCOPED_TRACE(to_string(strategy));
    const WindowSpec window = sliding_ms(600'000, 1000);
    const StreamOfRows stream{1000, 4000};
    const StreamLag lag{.lateness = GetParam().lateness};
    const WindowQuery query = query_of(window, strategy, lag);
    Measurement measured(window, query, stream);
    measured.slide(700 + lag.lateness / 1000);
    const AggregateLayout layout(query.values, query.aggregates, strategy == Strategy::kSubtract);
    const StreamCost cost = stream_cost(window, strategy, state_size(layout), stream.shape(), lag);
    expect_predicted(measured.bytes(), cost.state_bytes(), "bytes");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CostModelBytes,
                         ::testing::Values(BytesCase{"without_lateness", 0},
                                           BytesCase{"with_lateness", 200'000}),
                         [](const auto& instance) { return instance.param.name; });

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
           {"a window and a bit per row", sliding_ms(60'000, 59'000), false,
            StreamShape{1000, 1000}, Strategy::kBuckets},
           {"a window and a bit per row, dense slices, invertible", sliding_ms(60'000, 59'000),
            true, StreamShape{1, 1000}, Strategy::kRecompute},
           {"three windows per row, each row a key of its own", sliding_ms(3000, 1000), false,
            sparse, Strategy::kBuckets},
           {"growing, two windows, each row a key of its own",
            cumulate(milliseconds(2000), milliseconds(1000)), true, sparse, Strategy::kBuckets},
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
