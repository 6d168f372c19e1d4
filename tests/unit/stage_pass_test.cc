#include "tidemark/perf/stage_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/state_profile.h"

namespace tidemark {
namespace {

constexpr std::int64_t kSize = 20'000;
constexpr std::int64_t kSlide = 1'000;

BenchStreamConfig small_stream() {
  BenchStreamConfig config;
  config.rows = 9'000;
  config.event_rate = 200;  // 45 s
  config.keys = 37;
  return config;
}

WindowQuery query_of(Strategy strategy, std::int64_t disorder = 0) {
  ProfileOptions options;
  options.size = kSize;
  options.aggregates = profile_aggregates();
  options.stream.disorder = disorder;
  return profile_query(options, kSlide, strategy);
}

StagePass run(const WindowQuery& query, const BenchStreamConfig& config,
              StagePassOptions options = {}) {
  return run_stage_pass(query, plan_query(query), BenchStream(config), options);
}

class EveryStrategy : public testing::TestWithParam<Strategy> {};

TEST_P(EveryStrategy, HasTheResultsOfTheWholeJob) {
  for (const std::int64_t disorder : {0, 1'700}) {
    BenchOptions job;
    job.window = sliding(std::chrono::milliseconds(kSize), std::chrono::milliseconds(kSlide));
    job.aggregates = profile_aggregates();
    job.strategy = GetParam();
    job.stream = small_stream();
    job.stream.disorder = job.delay = disorder;
    const ThroughputRun whole = run_throughput(job, 1, 1, 100);
    const StagePass pass = run(query_of(GetParam(), disorder), job.stream);
    EXPECT_EQ(pass.checksum, whole.checksum) << disorder;
    EXPECT_EQ(pass.report.results, whole.report.results);
    EXPECT_EQ(pass.report.rows_on_time, whole.report.rows_on_time);
    EXPECT_EQ(pass.report.state.updates, whole.report.state.updates);
    EXPECT_EQ(pass.report.state.merges, whole.report.state.merges);
  }
}

TEST_P(EveryStrategy, TakingTheTimeOfPhasesChangesNothing) {
  StagePassOptions options;
  const StagePass plain = run(query_of(GetParam()), small_stream(), options);
  options.in_phases = true;
  options.looks_at_state = true;
  const StagePass in_phases = run(query_of(GetParam()), small_stream(), options);
  EXPECT_EQ(in_phases.checksum, plain.checksum);
  EXPECT_EQ(in_phases.report.state.updates, plain.report.state.updates);
  EXPECT_EQ(in_phases.report.state.merges, plain.report.state.merges);
  EXPECT_EQ(in_phases.report.state.peak_live_entries, plain.report.state.peak_live_entries);
  EXPECT_EQ(in_phases.firings.size(), plain.firings.size());
  EXPECT_EQ(plain.stamps, 0U);
  for (const WorkPhase phase :
       {WorkPhase::kProbe, WorkPhase::kUpdate, WorkPhase::kFire, WorkPhase::kEvict}) {
    EXPECT_GT(in_phases.ticks[static_cast<std::size_t>(phase)], 0U);
  }
}

TEST_P(EveryStrategy, TheEntriesOfAllKeysAreAllLiveEntries) {
  StagePassOptions options;
  options.looks_at_state = true;
  // Rows that lie behind the watermark, and their slices, are sealed when they come.
  for (const std::int64_t disorder : {0, 1'700}) {
    BenchStreamConfig config = small_stream();
    config.disorder = disorder;
    const StagePass pass = run(query_of(GetParam(), 0), config, options);
    const std::uint64_t entries =
        std::accumulate(pass.keys.begin(), pass.keys.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const KeyEntries& key) { return sum + key.entries; });
    EXPECT_EQ(entries, pass.state.live_entries);
    EXPECT_EQ(pass.keys.size(), 37U);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy,
                         testing::Values(Strategy::kBuckets, Strategy::kRecompute,
                                         Strategy::kSubtract, Strategy::kTwoStacks,
                                         Strategy::kWorstCase, Strategy::kBaseIntervals),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::erase(name, '-');
                           return name;
                         });

// Slices, or windows that are open after the last row, in which each key has a row.
std::map<std::string, std::uint64_t> naive_entries(const BenchStreamConfig& config, bool buckets) {
  const BenchStream stream(config);
  std::vector<EventTime> times(config.rows);
  std::vector<std::int64_t> keys(config.rows);
  std::vector<std::int64_t> amounts(config.rows);
  stream.fill(0, 1, config.rows, times.data(), keys.data(), amounts.data());
  std::set<std::pair<std::int64_t, EventTime>> entries;
  // No window that ends by the last row's time is open; every slice behind its start is in one.
  const EventTime last = times.back();
  const EventTime first_end = last - last % kSlide + kSlide;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const EventTime slice = times[i] - times[i] % kSlide;
    if (!buckets) {
      if (slice >= first_end - kSize) entries.emplace(keys[i], slice);
      continue;
    }
    for (EventTime end = std::max(slice + kSlide, first_end); end <= slice + kSize; end += kSlide) {
      entries.emplace(keys[i], end);
    }
  }
  std::map<std::string, std::uint64_t> by_key;
  for (const auto& [key, part] : entries) ++by_key[std::to_string(key)];
  return by_key;
}

TEST(StagePassTest, CountsEntriesByKeyAsANaiveModelDoes) {
  BenchStreamConfig config = small_stream();
  config.keys = 500;
  StagePassOptions options;
  options.looks_at_state = true;
  for (const Strategy strategy : {Strategy::kBuckets, Strategy::kSubtract}) {
    const StagePass pass = run(query_of(strategy), config, options);
    const auto right = naive_entries(config, strategy == Strategy::kBuckets);
    ASSERT_EQ(pass.keys.size(), right.size());
    for (const KeyEntries& key : pass.keys) EXPECT_EQ(key.entries, right.at(key.key)) << key.key;
    for (std::size_t i = 1; i < pass.keys.size(); ++i) {
      EXPECT_GE(pass.keys[i - 1].entries, pass.keys[i].entries);
    }
  }
}

// 45 s of rows, windows of 20 s every second: the window that ends at 20 s is the first that is
// full, and fires with the row at 20 s; then there are 24 more firings, of which 20 make a window.
TEST(StagePassTest, MeasuresWholeWindowsFromTheFirstFullOneOn) {
  const StagePass pass = run(query_of(Strategy::kSubtract), small_stream());
  EXPECT_TRUE(pass.window_filled);
  EXPECT_EQ(pass.begin.rows, 4'001U);
  EXPECT_EQ(pass.end.rows, 8'001U);
  EXPECT_EQ(pass.end.windows_fired - pass.begin.windows_fired, 20U);
  EXPECT_EQ(pass.firings.size(), 20U);
  EXPECT_GT(pass.end.nanoseconds, pass.begin.nanoseconds);
}

TEST(StagePassTest, WithoutAFullWindowTheWholeStreamIsMeasured) {
  BenchStreamConfig config = small_stream();
  config.rows = 2'000;  // 10 s
  const StagePass pass = run(query_of(Strategy::kTwoStacks), config);
  EXPECT_FALSE(pass.window_filled);
  EXPECT_EQ(pass.begin.rows, 0U);
  EXPECT_EQ(pass.end.rows, 2'000U);
  EXPECT_EQ(pass.end.windows_fired, 29U);
  // What the end of the stream fires at once is not the time of one firing.
  EXPECT_EQ(pass.firings.size(), 9U);
}

TEST(StagePassTest, SamplesStateOverEventTime) {
  StagePassOptions options;
  options.looks_at_state = true;
  options.samples = 12;
  const StagePass pass = run(query_of(Strategy::kRecompute), small_stream(), options);
  ASSERT_GE(pass.samples.size(), 10U);
  ASSERT_LE(pass.samples.size(), 13U);
  for (std::size_t i = 1; i < pass.samples.size(); ++i) {
    EXPECT_GT(pass.samples[i].watermark, pass.samples[i - 1].watermark);
  }
  // It grows until the window is full, at 20 s, and stays. The row that fires has come already.
  EXPECT_EQ(pass.samples[1].live_entries, 4U * 37 + 1);
  EXPECT_NEAR(static_cast<double>(pass.samples.back().live_entries), 20 * 37 + 1, 3);
  EXPECT_GT(pass.samples.back().allocated_bytes, pass.samples.back().live_entries * 24);
}

TEST(StagePassTest, StopsWhenItIsCancelled) {
  Cancellation cancellation;
  cancellation.request();
  StagePassOptions options;
  options.cancellation = &cancellation;
  EXPECT_TRUE(run(query_of(Strategy::kBuckets), small_stream(), options).cancelled);
}

}  // namespace
}  // namespace tidemark
