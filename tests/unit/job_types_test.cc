// Keys, aggregates and event times of the typed face.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/job_lines.h"
#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/connectors/print_sink.h"
#include "tidemark/operators/job.h"

namespace tidemark {
namespace {

using test_support::Cell;
using test_support::kNull;
using test_support::run_to_lines;
using namespace std::chrono_literals;
using Expected = std::vector<std::string>;

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
  EXPECT_EQ(run_to_lines(job, stream),
            (Expected{"0 0 1000 | 'AB' #0 true NULL | 1", "0 0 1000 | 'AB' #1 true '' | 1",
                      "0 0 1000 | 'CD' #0 false 'x' | 1", "0 1000 2000 | 'CD' #0 false 'x' | 1"}));
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

// --- print() ---

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
