#include "tidemark/operators/job.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/job_lines.h"

namespace tidemark {
namespace {

using test_support::ms;
using test_support::run_to_lines;
using test_support::text;
using namespace std::chrono_literals;
using Expected = std::vector<std::string>;

// --- Sources ---

struct Tick {
  std::int64_t ts_ms = 0;
  int key = 0;
  int value = 0;
};

std::vector<Tick> ticks(int n) {
  std::vector<Tick> rows;
  for (int i = 0; i < n; ++i) rows.push_back({i, i % 3, i});
  return rows;
}

template <typename Rows>
auto sum_by_key(Rows rows) {
  return std::move(rows)
      .event_time(&Tick::ts_ms, monotonous())
      .key_by(&Tick::key)
      .window(tumbling(1h))
      .aggregate(count(), sum(&Tick::value));
}

// Of 5000 rows: more than a batch.
const Expected kSums = {"0 0 3600000 | 0 | 1667 4165833", "0 0 3600000 | 1 | 1667 4167500",
                        "0 0 3600000 | 2 | 1666 4164167"};

TEST(JobSource, MayBeAVectorByReference) {
  const std::vector<Tick> rows = ticks(5000);
  Job job;
  EXPECT_EQ(run_to_lines(job, sum_by_key(job.source(rows))), kSums);
}

TEST(JobSource, MayBeARangeThatIsNotContiguous) {
  const std::vector<Tick> rows = ticks(5000);
  Job job;
  EXPECT_EQ(
      run_to_lines(job, sum_by_key(job.source(std::forward_list<Tick>(rows.begin(), rows.end())))),
      kSums);
}

TEST(JobSource, MayBeALazyView) {
  Job job;
  auto rows = std::views::iota(0, 5000) | std::views::transform([](int i) {
                return Tick{i, i % 3, i};
              });
  EXPECT_EQ(run_to_lines(job, sum_by_key(job.source(rows))), kSums);
}

TEST(JobSource, MayBeAGenerator) {
  Job job;
  auto next = [i = 0]() mutable -> std::optional<Tick> {
    if (i == 5000) return std::nullopt;
    const Tick tick{i, i % 3, i};
    ++i;
    return tick;
  };
  EXPECT_EQ(run_to_lines(job, sum_by_key(job.source(next))), kSums);
}

TEST(JobSource, MayHaveSeveralPartitions) {
  std::vector<std::vector<Tick>> shards(4);
  for (const Tick& tick : ticks(5000))
    shards[static_cast<std::size_t>(tick.ts_ms % 4)].push_back(tick);
  for (const std::size_t cores : {1U, 2U, 3U}) {
    Job by_reference;
    EXPECT_EQ(run_to_lines(by_reference, sum_by_key(by_reference.parallel_source(shards)),
                           {.cores = cores}),
              kSums);
  }
  Job moved;
  EXPECT_EQ(run_to_lines(moved, sum_by_key(moved.parallel_source(std::move(shards)))), kSums);
}

TEST(JobSource, IsReadFromItsStartByEveryRun) {
  const std::vector<Tick> rows = ticks(100);
  Job job;
  std::int64_t counted = 0;
  sum_by_key(job.source(rows)).sink([&](const auto& result) {
    counted += result.template value<0>();
  });
  EXPECT_EQ(job.run().rows_read, 100U);
  EXPECT_EQ(job.run({.cores = 2}).rows_read, 100U);
  EXPECT_EQ(counted, 200);
}

// --- Stages ---

TEST(JobStages, MapFilterAndFlatMapRunInTheOrderWritten) {
  // Lines "second word word...": one row for each word of two letters or more.
  const std::vector<std::string> lines = {"0 to be or", "1 not to be", "5 a question", "9"};
  struct Word {
    std::int64_t ts_ms;
    std::string word;
  };
  const auto split = [](const std::string& line) {
    std::istringstream words(line);
    std::int64_t second = 0;
    words >> second;
    std::vector<Word> made;
    for (std::string word; words >> word;) made.push_back({second * 1000, word});
    return made;
  };
  Job job;
  auto stream = job.source(lines)
                    .flat_map(split)
                    .filter([](const Word& word) { return word.word.size() >= 2; })
                    .map([](const Word& word) { return std::pair(word.ts_ms, word.word + "!"); })
                    .event_time(&std::pair<std::int64_t, std::string>::first, monotonous())
                    .key_by(&std::pair<std::int64_t, std::string>::second)
                    .window(tumbling(4s))
                    .aggregate(count());
  EXPECT_EQ(run_to_lines(job, stream),
            (Expected{"0 0 4000 | 'be!' | 2", "0 0 4000 | 'not!' | 1", "0 0 4000 | 'or!' | 1",
                      "0 0 4000 | 'to!' | 2", "0 4000 8000 | 'question!' | 1"}));
}

TEST(JobStages, FlatMapMayMakeMoreRowsThanABatchHolds) {
  Job job;
  auto stream = sum_by_key(job.source(std::vector<int>{0, 1}).flat_map([](int half) {
    return std::views::iota(half * 2500, (half + 1) * 2500) | std::views::transform([](int i) {
             return Tick{i, i % 3, i};
           });
  }));
  EXPECT_EQ(run_to_lines(job, stream, {.batch_rows = 64}), kSums);
}

TEST(JobStages, FiltersThatPassNextToNothingLoseNothing) {
  constexpr int kRows = 300'000;
  Job job;
  auto stream =
      sum_by_key(job.source(std::views::iota(0, kRows))
                     .map([](int i) {
                       return Tick{i, 0, i};
                     })
                     .filter([](const Tick& tick) { return tick.value % (kRows - 1) == 0; }));
  EXPECT_EQ(run_to_lines(job, stream), (Expected{"0 0 3600000 | 0 | 2 299999"}));
}

// --- Windows, sinks, late rows ---

TEST(JobWindows, EachOfSeveralSeesAllRows) {
  Job job;
  auto stream = job.source(std::vector<Tick>{{500, 1, 10}, {1500, 1, 20}})
                    .event_time(&Tick::ts_ms, monotonous())
                    .key_by(&Tick::key)
                    .window(tumbling(1s))
                    .window(sliding(2s, 1s))
                    .aggregate(sum(&Tick::value));
  EXPECT_EQ(run_to_lines(job, stream),
            (Expected{"0 0 1000 | 1 | 10", "0 1000 2000 | 1 | 20", "1 -1000 1000 | 1 | 10",
                      "1 0 2000 | 1 | 30", "1 1000 3000 | 1 | 20"}));
}

TEST(JobWindows, FollowTheWallClockOfAZone) {
  // Midnight of 2021-11-07 in Los Angeles, a day of 25 hours.
  constexpr std::int64_t kMidnight = 1'636'268'400'000;
  constexpr std::int64_t kHour = 3'600'000;
  std::vector<Tick> rows;
  for (int hour = 0; hour < 26; ++hour) rows.push_back({kMidnight + hour * kHour, 1, 1});
  Job job;
  auto stream = job.source(rows)
                    .event_time(&Tick::ts_ms, monotonous())
                    .zone("America/Los_Angeles")
                    .window(tumbling(24h))
                    .window(cumulate(24h, 12h))
                    .window(calendar_months(1))
                    .aggregate(count());
  EXPECT_EQ(
      run_to_lines(job, stream),
      (Expected{"0 1636268400000 1636358400000 | | 25", "0 1636358400000 1636444800000 | | 1",
                "1 1636268400000 1636315200000 | | 13", "1 1636268400000 1636358400000 | | 25",
                "1 1636358400000 1636401600000 | | 1", "1 1636358400000 1636444800000 | | 1",
                "2 1635750000000 1638345600000 | | 26"}));
}

TEST(JobSinks, LateRowsComeWithTheirKeysAndLateness) {
  Job job;
  std::vector<std::string> late;
  job.source(std::vector<Tick>{{100, 1, 1}, {3200, 2, 1}, {900, 7, 1}})
      .event_time(&Tick::ts_ms, bounded_out_of_orderness(200ms))
      .key_by(&Tick::key, [](const Tick&) { return std::uint64_t{1} << 63; })
      .window(tumbling(1s))
      .aggregate(count())
      .late_rows([&](const auto& row) {
        late.push_back(
            fmt::format("{}{} {}", ms(row.event_time), text(row.keys), row.lateness().count()));
      })
      .sink([](const auto&) {});
  const Report report = job.run();
  EXPECT_EQ(report.rows_late, 1U);
  // The watermark is 3200 - 200 - 1.
  EXPECT_EQ(late, (Expected{"900 7 9223372036854775808 2099"}));
}

TEST(JobSinks, EachOfSeveralGetsAllResults) {
  Job job;
  int first = 0;
  int second = 0;
  sum_by_key(job.source(ticks(10)))
      .sink([&](const auto&) { ++first; })
      .sink([&](const auto& result) { second += result.key(); });
  job.run();
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 0 + 1 + 2);
}

TEST(JobSinks, WhatACallbackThrowsComesOutOfRun) {
  Job job;
  sum_by_key(job.source(ticks(10))).sink([](const auto&) {
    throw std::runtime_error("disk full");
  });
  EXPECT_THROW(job.run({.cores = 2}), std::runtime_error);
}

// --- Misuse ---

std::string refusal(Job& job) {
  try {
    job.run();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "ran";
}

TEST(JobMisuse, IsRefusedInASentence) {
  Job empty;
  EXPECT_EQ(refusal(empty), "the job has no source: start it with job.source(rows)");

  Job without_aggregates;
  without_aggregates.source(ticks(1)).event_time(&Tick::ts_ms, monotonous());
  EXPECT_EQ(refusal(without_aggregates),
            "the job computes nothing: go on from its source with event_time(...), window(...) and "
            "aggregate(...)");

  Job without_sink;
  sum_by_key(without_sink.source(ticks(1)));
  EXPECT_EQ(refusal(without_sink),
            "the job has no sink for its results: end it with sink(print()) or sink(function)");

  Job without_window;
  without_window.source(ticks(1))
      .event_time(&Tick::ts_ms, monotonous())
      .aggregate(count())
      .sink([](const auto&) {});
  EXPECT_EQ(refusal(without_window), "a query needs at least one window");

  Job same_names;
  same_names.source(ticks(1))
      .event_time(&Tick::ts_ms, monotonous())
      .window(tumbling(1s))
      .aggregate(count().as("n"), sum(&Tick::value).as("n"))
      .sink([](const auto&) {});
  EXPECT_EQ(refusal(same_names),
            "two columns of the results are called 'n': name one of them differently with as(...)");

  Job nowhere;
  nowhere.source(ticks(1))
      .event_time(&Tick::ts_ms, monotonous())
      .zone("Mars/Olympus")
      .window(tumbling(1s))
      .aggregate(count())
      .sink([](const auto&) {});
  EXPECT_THAT(refusal(nowhere), testing::HasSubstr("unknown time zone 'Mars/Olympus'"));

  Job two_sources;
  two_sources.source(ticks(1));
  EXPECT_THROW(two_sources.source(ticks(1)), std::invalid_argument);
}

}  // namespace
}  // namespace tidemark
