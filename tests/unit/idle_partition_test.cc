// What a partition that delivers nothing does to the results of the others.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/collecting_sink.h"
#include "support/stepped_partition.h"
#include "support/test_rows.h"
#include "tidemark/operators/pipeline.h"

namespace tidemark {
namespace {

using test_support::append_row;
using test_support::CaseStep;
using test_support::CollectingLateSink;
using test_support::CollectingSink;
using test_support::FiredStep;
using test_support::Row;
using test_support::SteppedPartition;
using test_support::to_sorted_lines;

class CountingSink : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;

  void accept(const Batch& batch) override {
    CollectingSink::accept(batch);
    count_.store(results().size(), std::memory_order_relaxed);
  }
  // From any thread; relaxed, since only the number counts.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> count_{0};
};

// Says that nothing is there until `is_over`, then hands out its rows and ends.
class SilentPartition : public SourcePartition {
 public:
  SilentPartition(std::function<bool()> is_over, std::vector<Row> rows)
      : is_over_(std::move(is_over)), rows_(std::move(rows)) {}

  PollStatus poll(Batch& batch) override {
    ready_at_.reset();
    if (!is_over_()) {
      ready_at_ = Clock::now() + std::chrono::milliseconds(1);
      return PollStatus::kPending;
    }
    if (rows_.empty()) return PollStatus::kEnd;
    for (const Row& row : rows_) append_row(batch, row);
    rows_.clear();
    return PollStatus::kRows;
  }
  std::optional<Clock::time_point> ready_at() const override { return ready_at_; }

 private:
  std::function<bool()> is_over_;
  std::vector<Row> rows_;
  std::optional<Clock::time_point> ready_at_;
};

// Tells when it has played all its steps.
class LastingPartition : public SteppedPartition {
 public:
  LastingPartition(std::vector<CaseStep> steps, std::function<std::size_t()> results_so_far,
                   std::atomic<bool>& ended)
      : SteppedPartition(std::move(steps), std::move(results_so_far)), ended_(ended) {}

  PollStatus poll(Batch& batch) override {
    const PollStatus status = SteppedPartition::poll(batch);
    // Relaxed: no data goes with it.
    if (status == PollStatus::kEnd) ended_.store(true, std::memory_order_relaxed);
    return status;
  }

 private:
  std::atomic<bool>& ended_;
};

class IdlePartition : public testing::TestWithParam<std::size_t> {
 protected:
  IdlePartition() {
    query_.windows = {tumbling(std::chrono::seconds(10))};
    query_.aggregates = {{AggregateFunction::kCount, -1, "count"}};
  }

  // The first partition plays `steps`; the second is silent until `is_over` and then has `rows`.
  void run(std::vector<CaseStep> steps, std::function<bool()> is_over, std::vector<Row> rows = {}) {
    run(std::move(steps), std::make_unique<SilentPartition>(std::move(is_over), std::move(rows)));
  }
  void run(std::vector<CaseStep> steps, std::unique_ptr<SourcePartition> second) {
    std::vector<std::unique_ptr<SourcePartition>> partitions;
    partitions.push_back(std::make_unique<LastingPartition>(
        std::move(steps), [this] { return sink_.count(); }, ended_));
    partitions.push_back(std::move(second));
    PipelineOptions options = options_;
    options.cores = GetParam();
    ResultSinks sinks;
    sinks.shared = &sink_;
    report_ = run_pipeline(query_, partitions, sinks, &late_, options);
    EXPECT_EQ(sink_.faults(), std::vector<std::string>{});
  }
  bool first_has_ended() const { return ended_.load(std::memory_order_relaxed); }

  WindowQuery query_;
  PipelineOptions options_;
  CountingSink sink_{query_};
  CollectingLateSink late_{query_};
  std::atomic<bool> ended_{false};
  RunReport report_;
};

TEST_P(IdlePartition, HoldsAllResultsToTheEndWithoutATimeoutAndIsNamed) {
  // A clock that runs fast, so that the silence is a long one.
  options_.steady_clock = [start = Clock::now()] { return start + 1000 * (Clock::now() - start); };
  run({Row{1000, {}}, Row{11'000, {}}, FiredStep{0}, Row{65'000, {}}, FiredStep{0}},
      [this] { return first_has_ended(); });
  EXPECT_EQ(sink_.results().size(), 3U);
  EXPECT_EQ(report_.watermark, kEndOfTime);
  EXPECT_EQ(report_.silent_partitions, std::vector<std::size_t>{1});
}

TEST_P(IdlePartition, HoldsNothingOnceItHasBeenSilentForTheTimeout) {
  query_.idle_timeout = 20;
  run({Row{1000, {}}, Row{11'000, {}}, FiredStep{1}, Row{65'000, {}}, FiredStep{2}},
      [this] { return first_has_ended(); });
  EXPECT_EQ(sink_.results().size(), 3U);
  EXPECT_EQ(report_.silent_partitions, std::vector<std::size_t>{});
  EXPECT_GE(report_.idle_transitions, 1U);
}

// Once both are idle the watermark is the higher one's, 30. The first is active again before its
// rows are judged, so those above that are on time.
TEST_P(IdlePartition, ThatComesBackAheadOfTheWatermarkIsOnTime) {
  query_.windows = {tumbling(std::chrono::milliseconds(10))};
  query_.idle_timeout = 20;
  std::vector<CaseStep> steps{Row{5, {}}, Row{15, {}}, Row{25, {}}, Row{31, {}}, FiredStep{1}};
  run({Row{11, {}}, FiredStep{3}, Row{31, {}}, Row{32, {}}},
      std::make_unique<SteppedPartition>(
          std::move(steps), [this] { return static_cast<std::size_t>(first_has_ended()); }));
  ASSERT_EQ(sink_.results().size(), 4U);
  EXPECT_EQ(sink_.results().back().aggregates.at(0), test_support::Cell(std::int64_t{3}));
  EXPECT_EQ(report_.rows_late, 0U);
}

TEST_P(IdlePartition, ThatComesBackBehindTheWatermarkDoesNotReopenAWindow) {
  query_.idle_timeout = 20;
  run({Row{1000, {}}, Row{11'000, {}}, FiredStep{1}}, [this] { return sink_.count() >= 1; },
      {Row{5000, {}}, Row{12'000, {}}});
  EXPECT_EQ(sink_.results().size(), 2U);
  EXPECT_EQ(report_.rows_late, 1U);
  EXPECT_EQ(to_sorted_lines(late_.rows()), to_sorted_lines({Row{5000, {}}}));
}

INSTANTIATE_TEST_SUITE_P(Cores, IdlePartition, testing::Values(1, 2),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace tidemark
