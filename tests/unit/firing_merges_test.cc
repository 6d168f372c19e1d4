// How much one firing may cost: merges of single entries, counted window by window.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/test_rows.h"
#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

class NoSink final : public ResultSink {
 public:
  void accept(const Batch& /*results*/) override {}
  void on_watermark(EventTime /*watermark*/) override {}
  void finish() override {}
};

struct Window {
  std::int64_t size;
  std::int64_t slide;
};

WindowQuery query_of(const Window& window, Strategy strategy) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  query.windows = {sliding(milliseconds(window.size), milliseconds(window.slide))};
  query.aggregates = {{AggregateFunction::kMax, 0, "max"}};
  query.strategy = strategy;
  return query;
}

// A stream in which every key has a row in every slice.
class DenseStream {
 public:
  DenseStream(const Window& window, Strategy strategy)
      : window_(window),
        query_(query_of(window, strategy)),
        stage_(query_, sink_, KeyCollection::kNever) {}

  // The merges of each of `count` firings.
  std::vector<std::uint64_t> fire(std::int64_t count) {
    std::vector<std::uint64_t> merges;
    // To ask for the counters walks the whole state.
    std::uint64_t before = stage_.state().merges;
    for (std::int64_t i = 0; i < count; ++i) {
      const EventTime begin = next_;
      next_ += window_.slide;
      add(begin);
      add(begin + window_.size % window_.slide);
      stage_.advance(next_ - 1);
      const std::uint64_t after = stage_.state().merges;
      merges.push_back(after - before);
      before = after;
    }
    return merges;
  }
  StateCounters state() const { return stage_.state(); }

  static constexpr std::int64_t kKeys = 3;

 private:
  void add(EventTime time) {
    Batch batch(query_.row_schema(), kKeys);
    for (std::int64_t key = 0; key < kKeys; ++key)
      append_row(batch, {time, {Cell(key), Cell(time)}});
    stage_.add(batch);
  }

  Window window_;
  WindowQuery query_;
  NoSink sink_;
  WindowStage stage_;
  EventTime next_ = 0;
};

std::uint64_t median(std::vector<std::uint64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double worst_over_median(const std::vector<std::uint64_t>& merges) {
  return static_cast<double>(*std::max_element(merges.begin(), merges.end())) /
         static_cast<double>(median(merges));
}

TEST(FiringMerges, OfWorstCaseAreBoundedWhateverTheWindow) {
  for (const auto& [window, at_most] : std::vector<std::pair<Window, double>>{{{1200, 1}, 1.0},
                                                                              {{1201, 1}, 1.25},
                                                                              {{10'000, 3001}, 3.0},
                                                                              {{60'000, 7000}, 1.5},
                                                                              {{5, 1}, 1.5},
                                                                              {{6, 1}, 1.0},
                                                                              {{4, 1}, 3.0},
                                                                              {{3, 1}, 3.0},
                                                                              {{2, 1}, 3.0}}) {
    SCOPED_TRACE(testing::Message() << window.size << " every " << window.slide);
    DenseStream stream(window, Strategy::kWorstCase);
    stream.fire(2 * window.size / window.slide);  // the window fills
    const auto merges = stream.fire(3 * window.size / window.slide);
    EXPECT_LE(worst_over_median(merges), at_most);
  }
}

TEST(FiringMerges, OfTwoStacksRiseWithTheWindowAtAFlip) {
  DenseStream stream({1200, 1}, Strategy::kTwoStacks);
  stream.fire(2400);
  EXPECT_GT(worst_over_median(stream.fire(2400)), 300);
}

TEST(FiringMerges, InTheMeanAreAsManyAsTheStrategySays) {
  for (const auto& [strategy, per_entry] : std::vector<std::pair<Strategy, double>>{
           {Strategy::kTwoStacks, 3}, {Strategy::kWorstCase, 4}, {Strategy::kRecompute, 100}}) {
    SCOPED_TRACE(to_string(strategy));
    DenseStream stream({100, 1}, strategy);
    stream.fire(200);
    const auto merges = stream.fire(1000);
    const auto total = std::accumulate(merges.begin(), merges.end(), std::uint64_t{0});
    EXPECT_NEAR(static_cast<double>(total) / (1000 * DenseStream::kKeys), per_entry,
                0.05 * per_entry);
  }
}

TEST(Slices, OfOddSizesAreTwoPerSlideHoweverSmallTheDivisor) {
  for (const Strategy strategy :
       {Strategy::kRecompute, Strategy::kTwoStacks, Strategy::kWorstCase}) {
    SCOPED_TRACE(to_string(strategy));
    const Window window{10'000, 3001};
    const std::vector<WindowPlan> plans = plan_query(query_of(window, strategy));
    EXPECT_EQ(plans[0].slices_per_window, 7);
    EXPECT_EQ(plans[0].slices_per_slide, 2);
    DenseStream stream(window, strategy);
    stream.fire(40);
    // One window's slices and, while it is open, the one that comes with the next.
    EXPECT_LE(stream.state().peak_live_entries, 9U * DenseStream::kKeys);
    EXPECT_GE(stream.state().live_entries, 6U * DenseStream::kKeys);
  }
}

}  // namespace
}  // namespace tidemark::test_support
