#include "tidemark/connectors/ordered_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/collecting_sink.h"
#include "support/test_rows.h"

namespace tidemark {
namespace {

using test_support::Cell;
using test_support::CollectingSink;
using test_support::kNull;
using test_support::ResultRow;

WindowQuery query_with(Schema keys) {
  WindowQuery query;
  query.keys = std::move(keys);
  query.windows = {tumbling(std::chrono::milliseconds(10)),
                   tumbling(std::chrono::milliseconds(20))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"}};
  return query;
}

void send(ResultSink& sink, const WindowQuery& query, const std::vector<ResultRow>& rows) {
  for (const ResultRow& row : rows) {
    Batch batch(query.result_schema(), 1);
    batch.header.window = row.window;
    std::vector<Cell> cells{row.start, row.end};
    cells.insert(cells.end(), row.keys.begin(), row.keys.end());
    cells.insert(cells.end(), row.aggregates.begin(), row.aggregates.end());
    test_support::append_row(batch, {row.end - 1, cells});
    sink.accept(batch);
  }
}

Cell integer(std::int64_t value) { return value; }
Cell text(std::string value) { return value; }

std::vector<Cell> first_keys(const CollectingSink& sink) {
  std::vector<Cell> keys;
  for (const ResultRow& row : sink.results()) keys.push_back(row.keys.at(0));
  return keys;
}

TEST(OrderedResultsTest, HoldsAResultUntilTheWatermarkCompletesItsWindow) {
  const WindowQuery query = query_with({});
  CollectingSink sink(query);
  OrderedResults ordered(query, sink);
  send(ordered, query, {{0, 0, 10, {}, {integer(1)}}, {0, 10, 20, {}, {integer(2)}}});
  ordered.on_watermark(8);
  EXPECT_TRUE(sink.results().empty());
  ordered.on_watermark(9);
  EXPECT_EQ(sink.results().size(), 1U);
  EXPECT_EQ(ordered.waiting(), 1U);
  ordered.on_watermark(19);
  EXPECT_EQ(sink.results().size(), 2U);
  ordered.finish();
  EXPECT_EQ(sink.finished(), 1);
  EXPECT_THAT(sink.faults(), testing::IsEmpty());
}

TEST(OrderedResultsTest, OrdersByEndThenStartThenWindowNumberThenKey) {
  const WindowQuery query = query_with({{"k", ColumnType::kInt64}});
  CollectingSink sink(query);
  OrderedResults ordered(query, sink);
  const std::vector<ResultRow> right{
      {0, 0, 10, {integer(-5)}, {integer(1)}},  {0, 0, 10, {integer(7)}, {integer(1)}},
      {1, 0, 20, {integer(1)}, {integer(1)}},   {0, 10, 20, {integer(1)}, {integer(1)}},
      {1, 10, 20, {integer(0)}, {integer(1)}},  {0, 20, 30, {kNull}, {integer(1)}},
      {0, 20, 30, {integer(-1)}, {integer(1)}},
  };
  std::vector<ResultRow> shuffled = right;
  std::mt19937 random(7);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  send(ordered, query, shuffled);
  ordered.on_watermark(kEndOfTime);
  EXPECT_EQ(to_lines(sink.results()), to_lines(right));
}

TEST(OrderedResultsTest, OrdersKeysNullThenIntegersByValueThenBytes) {
  const WindowQuery query = query_with({{"k", ColumnType::kString}});
  const std::vector<Cell> right{
      kNull,           text("-12"),      text("-3"),        text("0"),         text("9"),
      text("10"),      text("100"),      text(""),          text("007"),       text("Zoe"),
      text("a"),       text("aaaaaaaa"), text("aaaaaaaab"), text("aaaaaaaac"), text("b"),
      text("\xc3\xa9")};
  std::vector<ResultRow> rows;
  for (const Cell& key : right) rows.push_back({0, 0, 10, {key}, {integer(1)}});
  std::mt19937 random(3);
  std::shuffle(rows.begin(), rows.end(), random);
  CollectingSink sink(query);
  OrderedResults ordered(query, sink);
  send(ordered, query, rows);
  ordered.on_watermark(9);
  EXPECT_EQ(first_keys(sink), right);
}

TEST(OrderedResultsTest, LaterKeyColumnsBreakTies) {
  const WindowQuery query = query_with({{"a", ColumnType::kString}, {"b", ColumnType::kInt64}});
  const std::vector<ResultRow> right{
      {0, 0, 10, {text("x"), kNull}, {integer(1)}},
      {0, 0, 10, {text("x"), integer(2)}, {integer(1)}},
      {0, 0, 10, {text("x"), integer(10)}, {integer(1)}},
      {0, 0, 10, {text("y"), integer(1)}, {integer(1)}},
  };
  std::vector<ResultRow> rows(right.rbegin(), right.rend());
  CollectingSink sink(query);
  OrderedResults ordered(query, sink);
  send(ordered, query, rows);
  ordered.finish();
  EXPECT_EQ(to_lines(sink.results()), to_lines(right));
}

TEST(OrderedResultsTest, KeepsEveryResultOverManyWindowsAndReusesMemory) {
  const WindowQuery query = query_with({{"k", ColumnType::kInt64}});
  CollectingSink sink(query);
  OrderedResults ordered(query, sink);
  constexpr std::int64_t kWindows = 20;
  constexpr std::int64_t kKeys = 3000;
  std::mt19937_64 random(11);
  std::vector<std::int64_t> keys(kKeys);
  for (std::int64_t i = 0; i < kKeys; ++i) keys[static_cast<std::size_t>(i)] = i;
  for (std::int64_t window = 0; window < kWindows; ++window) {
    std::shuffle(keys.begin(), keys.end(), random);
    Batch batch(query.result_schema());
    for (const std::int64_t key : keys) {
      test_support::append_row(batch, {window * 10 + 9,
                                       {integer(window * 10), integer(window * 10 + 10),
                                        integer(key), integer(window)}});
      if (!batch.full()) continue;
      ordered.accept(batch);
      batch.clear();
    }
    ordered.accept(batch);
    // Every other watermark completes the window before the last one only.
    ordered.on_watermark(window * 10 + (window % 2 == 0 ? 0 : 9));
  }
  ordered.finish();
  ASSERT_EQ(sink.results().size(), static_cast<std::size_t>(kWindows * kKeys));
  for (std::size_t i = 0; i < sink.results().size(); ++i) {
    const ResultRow& row = sink.results()[i];
    const auto index = static_cast<std::int64_t>(i);
    ASSERT_EQ(row.start, index / kKeys * 10);
    ASSERT_EQ(std::get<std::int64_t>(row.keys[0]), index % kKeys);
    ASSERT_EQ(std::get<std::int64_t>(row.aggregates[0]), index / kKeys);
  }
}

}  // namespace
}  // namespace tidemark
