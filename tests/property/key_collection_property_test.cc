// Dropping keys changes nothing but memory: a stage that collects at every opportunity and one that
// never does give the same results, bit by bit and in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

std::vector<Strategy> strategies_of(const WindowQuery& query) {
  if (query.carries_watermarks()) return {Strategy::kAuto};
  return {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract, Strategy::kTwoStacks,
          Strategy::kWorstCase};
}

using std::chrono::milliseconds;

struct Windows {
  std::string name;
  std::vector<WindowSpec> specs;
  std::int64_t lateness = 0;
  EarlyFiring early{};
  Accumulation accumulation = Accumulation::kAccumulating;
  bool keys_end = true;  // whether windows of a key that does not come again close
};

void PrintTo(const Windows& windows, std::ostream* out) { *out << windows.name; }

struct Stream {
  WindowQuery query;
  std::vector<Row> rows;
  std::vector<std::size_t> batch_ends;  // rows before each watermark
  std::vector<EventTime> watermarks;
};

// Half of the rows have a key of their own, some a key of long ago; one in eight comes out of
// order, up to beyond its windows.
Row random_row(std::mt19937_64& random, EventTime now, std::int64_t& next_key, bool text) {
  Row row;
  row.time = now;
  if (random() % 8 == 0) row.time -= static_cast<EventTime>(random() % 700);
  std::int64_t key = static_cast<std::int64_t>(random() % 30);
  if (random() % 2 == 0) key = next_key++;
  if (random() % 20 == 0) key = static_cast<std::int64_t>(random()) % next_key;
  row.cells = {Cell(key), Cell(static_cast<std::int64_t>(random() % 1000) - 500),
               Cell(static_cast<double>(random() % 100'000) / 7)};
  if (text) row.cells[0] = std::string(random() % 3 == 0 ? 30 : 1, 'k') + std::to_string(key);
  for (Cell& cell : row.cells) {
    if (random() % 30 == 0) cell = kNull;
  }
  return row;
}

Stream random_stream(std::uint64_t seed, const Windows& windows) {
  std::mt19937_64 random(seed);
  const bool text = seed % 2 == 1;
  Stream stream;
  stream.query.keys = {{"key", text ? ColumnType::kString : ColumnType::kInt64}};
  stream.query.values = {{"whole", ColumnType::kInt64}, {"real", ColumnType::kDouble}};
  stream.query.windows = windows.specs;
  stream.query.lateness = windows.lateness;
  stream.query.early = windows.early;
  stream.query.accumulation = windows.accumulation;
  stream.query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                             {AggregateFunction::kSum, 0, "sum"},
                             {AggregateFunction::kSum, 1, "total"},
                             {AggregateFunction::kAvg, 0, "avg"}};
  EventTime now = 1'000'000;
  EventTime highest = now;
  std::int64_t next_key = 30;
  for (int batch = 0; batch < 80; ++batch) {
    const std::size_t rows = 1 + random() % 60;
    for (std::size_t i = 0; i < rows; ++i) {
      now += static_cast<EventTime>(random() % 3);
      stream.rows.push_back(random_row(random, now, next_key, text));
      highest = std::max(highest, now);
    }
    if (random() % 15 == 0) now += 2000;
    stream.batch_ends.push_back(stream.rows.size());
    stream.watermarks.push_back(highest - static_cast<EventTime>(random() % 150));
  }
  return stream;
}

struct Outcome {
  std::vector<std::string> results;
  std::size_t late_rows = 0;
  StateCounters state;
};

// With interruptions, result batches are short and every other request for one is refused.
Outcome run(const Stream& stream, KeyCollection collection, bool interruptions) {
  CollectingSink sink(stream.query);
  WindowStage stage(stream.query, sink, collection, interruptions ? 3 : 1024, interruptions);
  Batch batch(stream.query.row_schema());
  const bool in_time = stream.query.carries_watermarks();
  std::vector<EventTime> watermarks;
  std::size_t row = 0;
  for (std::size_t i = 0; i < stream.batch_ends.size(); ++i) {
    batch.clear();
    const EventTime before = watermarks.empty() ? kNoWatermark : watermarks.back();
    watermarks.clear();
    for (; row < stream.batch_ends[i]; ++row) {
      append_row(batch, stream.rows[row]);
      const EventTime last = watermarks.empty() ? before : watermarks.back();
      watermarks.push_back(std::max(last, stream.rows[row].time - 40));
    }
    if (in_time) {
      stage.add_in_time(batch, watermarks);
      continue;
    }
    stage.add(batch);
    if (i % 3 != 0) stage.advance(stream.watermarks[i]);
  }
  stage.finish();
  // Each specification has an order. How far ahead one of them fires while another waits goes by
  // the keys there are.
  std::vector<ResultRow> results = sink.results();
  std::stable_sort(results.begin(), results.end(),
                   [](const ResultRow& a, const ResultRow& b) { return a.window < b.window; });
  return {to_lines(results), stage.late_rows(), stage.state()};
}

class KeyCollectionProperty : public ::testing::TestWithParam<Windows> {};

TEST_P(KeyCollectionProperty, ResultsAreTheSameWheneverKeysAreDropped) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Stream stream = random_stream(seed, GetParam());
    for (const Strategy strategy : strategies_of(stream.query)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(to_string(strategy)));
      stream.query.strategy = strategy;
      const Outcome never = run(stream, KeyCollection::kNever, false);
      const Outcome always = run(stream, KeyCollection::kAlways, seed % 3 != 0);
      ASSERT_GT(never.results.size(), 200U);
      ASSERT_EQ(always.results, never.results);
      EXPECT_EQ(always.late_rows, never.late_rows);
      EXPECT_EQ(always.state.updates, never.state.updates);
      EXPECT_EQ(always.state.merges, never.state.merges);
      EXPECT_EQ(always.state.peak_live_entries, never.state.peak_live_entries);
      EXPECT_EQ(never.state.keys, never.state.peak_keys);
      EXPECT_EQ(always.state.keys, always.state.live_keys);
      EXPECT_EQ(always.state.live_keys, never.state.live_keys);
      if (!GetParam().keys_end) continue;
      EXPECT_LT(2 * always.state.peak_keys, never.state.peak_keys);
      EXPECT_EQ(never.state.live_keys, 0U);
    }
  }
}

WindowSpec gaps() { return sliding(milliseconds(100), milliseconds(250)); }

INSTANTIATE_TEST_SUITE_P(
    Kinds, KeyCollectionProperty,
    ::testing::Values(Windows{"tumbling", {tumbling(milliseconds(100))}},
                      Windows{"sliding", {sliding(milliseconds(500), milliseconds(100))}},
                      Windows{"sliding_in_pairs", {sliding(milliseconds(350), milliseconds(100))}},
                      Windows{"with_gaps", {gaps()}},
                      Windows{"cumulating", {cumulate(milliseconds(300), milliseconds(100))}},
                      Windows{"sessions", {session(milliseconds(60))}},
                      Windows{"short_sessions", {session(milliseconds(9))}},
                      Windows{"counts", {count_window(3)}, 0, {}, {}, false},
                      Windows{"for_late_rows", {tumbling(milliseconds(100))}, 200},
                      Windows{"sliding_for_late_rows",
                              {sliding(milliseconds(350), milliseconds(100)),
                               cumulate(milliseconds(300), milliseconds(100))},
                              200},
                      Windows{"early_and_retracting",
                              {sliding(milliseconds(300), milliseconds(100))},
                              200,
                              {EarlyFiring::Kind::kRows, 2},
                              Accumulation::kRetracting},
                      Windows{"sessions_retracting",
                              {session(milliseconds(40))},
                              300,
                              {EarlyFiring::Kind::kRows, 2},
                              Accumulation::kRetracting},
                      Windows{"several",
                              {tumbling(milliseconds(70)), gaps(),
                               sliding(milliseconds(300), milliseconds(50))}}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace tidemark::test_support
