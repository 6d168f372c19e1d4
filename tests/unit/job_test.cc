#include "tidemark/operators/job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <optional>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/connectors/print_sink.h"

namespace tidemark {
namespace {

using test_support::Cell;
using test_support::kNull;
using namespace std::chrono_literals;

constexpr std::uint64_t kBeyondInt64 = std::uint64_t{1} << 63;

enum class Side : std::uint8_t { kBuy, kSell };

struct Trade {
  std::int64_t ts_ms = 0;
  std::uint64_t account = 0;
  std::string symbol{};
  Side side = Side::kBuy;
  bool open = false;
  std::optional<std::string> note{};
  std::optional<std::int32_t> lots{};
  float price = 0;
};

// Three trades of the first second, one of the second.
std::vector<Trade> trades() {
  return {
      {100, 1, "AB", Side::kBuy, true, std::nullopt, 4, 1.5F},
      {900, 1, "AB", Side::kSell, true, "", std::nullopt, 2.5F},
      {500, kBeyondInt64 + 7, "CD", Side::kBuy, false, "x", 5, 0.25F},
      {1500, kBeyondInt64 + 7, "CD", Side::kBuy, false, "x", std::nullopt, 0.5F},
  };
}

std::int64_t ms(SysTimeMs time) { return time.time_since_epoch().count(); }

std::string text(std::string_view value) { return fmt::format("'{}'", value); }
std::string text(Side side) { return side == Side::kBuy ? "buy" : "sell"; }
template <std::integral T>
std::string text(T value) {
  return fmt::format("{}", value);
}
std::string text(double value) { return fmt::format("{:g}", value); }
template <typename T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "NULL";
}
template <typename... T>
std::string text(const std::tuple<T...>& values) {
  std::string all;
  std::apply([&all](const auto&... value) { ((all += " " + text(value)), ...); }, values);
  return all;
}

// Results as lines `window start end | keys | values`, sorted.
struct Lines {
  std::vector<std::string>* lines;
  template <typename Result>
  void operator()(const Result& result) const {
    lines->push_back(fmt::format("{} {} {} |{} |{}", result.window, ms(result.window_start),
                                 ms(result.window_end), text(result.keys), text(result.values)));
  }
};

template <typename Stream>
std::vector<std::string> run_to_lines(Job& job, Stream stream, const RunOptions& options = {}) {
  std::vector<std::string> lines;
  stream.sink(Lines{&lines});
  job.run(options);
  std::ranges::sort(lines);
  return lines;
}

using Expected = std::vector<std::string>;

// --- Keys ---

TEST(JobKeys, UnsignedKeysBeyondInt64ComeBackAsTheyWere) {
  const std::vector<Trade> rows = trades();
  Job job;
  auto stream = job.source(rows)
                    .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
                    .key_by(&Trade::account)
                    .window(tumbling(1s))
                    .aggregate(count());
  EXPECT_EQ(run_to_lines(job, stream),
            (Expected{"0 0 1000 | 1 | 2", "0 0 1000 | 9223372036854775815 | 1",
                      "0 1000 2000 | 9223372036854775815 | 1"}));
}

TEST(JobKeys, EveryKindOfKeyComesBackInItsOwnType) {
  Job job;
  auto stream = job.source(trades())
                    .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
                    .key_by(&Trade::symbol, &Trade::side, &Trade::open, &Trade::note)
                    .window(tumbling(1s))
                    .aggregate(count());
  // NULL is a key of its own beside ''.
  EXPECT_EQ(
      run_to_lines(job, stream),
      (Expected{"0 0 1000 | 'AB' buy true NULL | 1", "0 0 1000 | 'AB' sell true '' | 1",
                "0 0 1000 | 'CD' buy false 'x' | 1", "0 1000 2000 | 'CD' buy false 'x' | 1"}));
}

TEST(JobKeys, LambdasAndStringViewsAreKeys) {
  Job job;
  auto stream = job.source(trades())
                    .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
                    .key_by([](const Trade& trade) { return std::string_view(trade.symbol); },
                            [](const Trade& trade) { return std::optional<int>(trade.lots); })
                    .window(tumbling(2s))
                    .aggregate(count());
  EXPECT_EQ(run_to_lines(job, stream),
            (Expected{"0 0 2000 | 'AB' 4 | 1", "0 0 2000 | 'AB' NULL | 1", "0 0 2000 | 'CD' 5 | 1",
                      "0 0 2000 | 'CD' NULL | 1"}));
}

TEST(JobKeys, WithoutKeysEachWindowHasOneResult) {
  Job job;
  auto stream = job.source(trades())
                    .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
                    .window(tumbling(1s))
                    .aggregate(count());
  EXPECT_EQ(run_to_lines(job, stream), (Expected{"0 0 1000 | | 3", "0 1000 2000 | | 1"}));
}

// --- Aggregates ---

TEST(JobAggregates, SkipNullAndWidenTheirInputs) {
  Job job;
  auto stream = job.source(trades())
                    .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
                    .key_by(&Trade::symbol)
                    .window(tumbling(1s))
                    .aggregate(count(), count(&Trade::lots), sum(&Trade::lots), min(&Trade::price),
                               max(&Trade::price), avg(&Trade::price), count(&Trade::note));
  EXPECT_EQ(run_to_lines(job, stream), (Expected{
                                           "0 0 1000 | 'AB' | 2 1 4 1.5 2.5 2 1",
                                           "0 0 1000 | 'CD' | 1 1 5 0.25 0.25 0.25 1",
                                           "0 1000 2000 | 'CD' | 1 0 NULL 0.5 0.5 0.5 1",
                                       }));
}

TEST(JobAggregates, AreTypedByTheirInputs) {
  Job job;
  job.source(trades())
      .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
      .window(tumbling(1s))
      .aggregate(count(), sum(&Trade::lots), sum(&Trade::price), avg(&Trade::lots))
      .sink([](const auto& result) {
        static_assert(std::same_as<std::remove_cvref_t<decltype(result.values)>,
                                   std::tuple<std::int64_t, std::optional<std::int64_t>,
                                              std::optional<double>, std::optional<double>>>);
      });
}

TEST(JobAggregates, OverOneMemberShareAColumn) {
  Job job;
  job.source(trades())
      .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
      .window(tumbling(1s))
      .aggregate(sum(&Trade::lots), max(&Trade::price), count(&Trade::lots), avg(&Trade::price));
  const WindowQuery& query = job.query();
  ASSERT_EQ(query.values.size(), 2U);
  EXPECT_EQ(query.aggregates[0].input, query.aggregates[2].input);
  EXPECT_EQ(query.aggregates[1].input, query.aggregates[3].input);
}

TEST(JobAggregates, HaveNamesOfTheirOwn) {
  Job job;
  job.source(trades())
      .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
      .key_by(key(&Trade::account).as("account"), &Trade::symbol, &Trade::side)
      .window(tumbling(1s))
      .aggregate(count(), count(&Trade::lots), sum(&Trade::price).as("turnover"));
  std::vector<std::string> names;
  for (const Field& field : job.query().result_schema()) names.push_back(field.name);
  EXPECT_EQ(names, (Expected{"window_start", "window_end", "account", "key", "key_2", "count",
                             "count_2", "turnover"}));
}

// --- Event times ---

TEST(JobEventTime, RowsOutsideTheValidTimesAreBadAndOthersStay) {
  std::vector<Trade> rows = trades();
  rows.insert(rows.begin() + 1, Trade{.ts_ms = kMaxEventTime + 1, .account = 1});
  rows.insert(rows.begin(), Trade{.ts_ms = kMinEventTime - 1, .account = 1});
  rows.push_back(Trade{.ts_ms = std::numeric_limits<std::int64_t>::min()});
  Job job;
  std::int64_t counted = 0;
  job.source(rows)
      .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
      .key_by(&Trade::account)
      .window(tumbling(1s))
      .aggregate(count())
      .sink([&](const auto& result) { counted += result.template value<0>(); });
  const Report report = job.run();
  EXPECT_EQ(counted, 4);
  EXPECT_EQ(report.rows_bad, 3U);
  EXPECT_EQ(report.rows_read, 7U);
  EXPECT_EQ(report.rows_on_time, 4U);
}

TEST(JobEventTime, TimePointsOfAnyUnitBecomeMilliseconds) {
  using std::chrono::sys_days;
  using std::chrono::sys_time;
  EXPECT_EQ(to_event_time(SysTimeMs(1234ms)), 1234);
  EXPECT_EQ(to_event_time(sys_time<std::chrono::seconds>(7s)), 7000);
  EXPECT_EQ(to_event_time(sys_time<std::chrono::nanoseconds>(-1ns)), -1);
  EXPECT_EQ(to_event_time(sys_days(std::chrono::days(2))), 172'800'000);
  EXPECT_FALSE(is_valid_event_time(to_event_time(sys_time<std::chrono::hours>::max())));
  EXPECT_FALSE(is_valid_event_time(to_event_time(std::numeric_limits<std::uint64_t>::max())));
  EXPECT_FALSE(is_valid_event_time(to_event_time(std::optional<SysTimeMs>())));
}

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

TEST(JobSinks, LateRowsComeWithTheirKeysAndLateness) {
  Job job;
  std::vector<std::string> late;
  job.source(std::vector<Tick>{{100, 1, 1}, {3200, 2, 1}, {900, 7, 1}})
      .event_time(&Tick::ts_ms, bounded_out_of_orderness(200ms))
      .key_by(&Tick::key, [](const Tick&) { return kBeyondInt64; })
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

TEST(JobPrint, OrdersAndPrintsUnsignedKeysByValue) {
  Job job;
  job.source(trades())
      .event_time(&Trade::ts_ms, bounded_out_of_orderness(1s))
      .key_by(key(&Trade::account).as("account"))
      .window(tumbling(2s))
      .aggregate(count())
      .sink(print(ResultFormat::kCsv));
  testing::internal::CaptureStdout();
  job.run({.cores = 2});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "window_start,window_end,account,count\n"
            "1970-01-01T00:00:00.000Z,1970-01-01T00:00:02.000Z,1,2\n"
            "1970-01-01T00:00:00.000Z,1970-01-01T00:00:02.000Z,9223372036854775815,2\n");
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

  Job two_sources;
  two_sources.source(ticks(1));
  EXPECT_THROW(two_sources.source(ticks(1)), std::invalid_argument);
}

// --- The dynamic face ---

TEST(JobEqualsDynamicFace, OnDisorderedRowsWithNulls) {
  struct Event {
    std::int64_t ts_ms;
    std::optional<std::string> user;
    std::int32_t shop;
    std::optional<double> amount;
    std::int64_t units;
  };
  std::vector<Event> events;
  std::vector<test_support::Row> rows;
  for (std::int64_t i = 0; i < 4000; ++i) {
    const std::int64_t mixed = i * 7919 % 1009;
    Event event{i * 40 - mixed * 20, std::nullopt, static_cast<std::int32_t>(mixed % 4 - 2),
                std::nullopt, mixed - 500};
    if (mixed % 11 != 0) event.user = fmt::format("user{}", mixed % 5);
    if (mixed % 7 != 0) event.amount = static_cast<double>(mixed) / 8;
    events.push_back(event);
    rows.push_back({event.ts_ms,
                    {event.user ? Cell(*event.user) : kNull, std::int64_t{event.shop},
                     event.amount ? Cell(*event.amount) : kNull, event.units}});
  }

  WindowQuery query;
  query.keys = {{"user", ColumnType::kString}, {"shop", ColumnType::kInt64}};
  query.values = {{"amount", ColumnType::kDouble}, {"units", ColumnType::kInt64}};
  query.windows = {tumbling(5s), sliding(10s, 3s)};
  query.delay = 500;
  using Function = AggregateFunction;
  query.aggregates = {{Function::kCount, AggregateSpec::kRows, "rows"},
                      {Function::kCount, 0, "amounts"},
                      {Function::kMin, 0, "least"},
                      {Function::kSum, 1, "units"},
                      {Function::kAvg, 0, "mean"}};
  const test_support::RunOutcome dynamic = test_support::run_query(query, {rows}, {});
  ASSERT_GT(dynamic.report.rows_late, 0U);

  for (const std::size_t cores : {1U, 3U}) {
    Job job;
    test_support::CollectingSink sink(query);
    std::size_t late = 0;
    job.source(events)
        .event_time(&Event::ts_ms, bounded_out_of_orderness(500ms))
        .key_by(key(&Event::user).as("user"), key(&Event::shop).as("shop"))
        .window(tumbling(5s))
        .window(sliding(10s, 3s))
        .aggregate(count().as("rows"), count(&Event::amount).as("amounts"),
                   min(&Event::amount).as("least"), sum(&Event::units).as("units"),
                   avg(&Event::amount).as("mean"))
        .late_rows([&late](const auto&) { ++late; })
        .sink(sink);
    const Report report = job.run({.cores = cores, .batch_rows = 100});
    auto results = sink.results();
    test_support::sort_canonically(results);
    EXPECT_EQ(test_support::to_lines(results), test_support::to_lines(dynamic.results));
    EXPECT_TRUE(sink.faults().empty());
    EXPECT_EQ(late, dynamic.report.rows_late);
    EXPECT_EQ(report.rows_on_time, dynamic.report.rows_on_time);
  }
}

}  // namespace
}  // namespace tidemark
