// What many windows over one set of slices cost, in figures that do not depend on the machine.
#include "tidemark/operators/shared_windows.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>

#include "support/window_stage.h"
#include "tidemark/operators/slice_edges.h"
#include "tidemark/operators/window_edges.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

WindowQuery empty_query() {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  query.aggregates = {{AggregateFunction::kMax, 0, "max"}};
  query.strategy = Strategy::kBaseIntervals;
  return query;
}

// Hardly two of them have an edge in common.
WindowQuery many_windows(std::int64_t n) {
  WindowQuery query = empty_query();
  for (std::int64_t i = 0; i < n; ++i) {
    query.windows.push_back(sliding(milliseconds(9001 + 173 * i), milliseconds(3001 + 37 * i)));
  }
  return query;
}

// One row of each of `keys` keys in every 10 ms, and the watermark behind them.
StateCounters run(const WindowQuery& query, EventTime from, EventTime to, std::int64_t keys,
                  std::size_t* results = nullptr) {
  CollectingSink sink(query);
  WindowStage stage(query, sink, KeyCollection::kNever);
  Batch batch(query.row_schema());
  for (EventTime time = from; time < to; time += 10) {
    batch.clear();
    for (std::int64_t key = 0; key < keys; ++key) {
      append_row(batch, {time, {Cell(key), Cell(time)}});
    }
    stage.add(batch);
    stage.advance(time);
  }
  stage.finish();
  stage.flush();
  if (results != nullptr) *results = sink.results().size();
  return stage.state();
}

TEST(SharedWindows, ARowIsOneUpdateForAHundredWindows) {
  const StateCounters counters = run(many_windows(100), 0, 60'000, 3);
  EXPECT_EQ(counters.updates, 3U * 6000U);
}

TEST(SharedWindows, AResultCostsTheLogarithmOfTheSlicesInMerges) {
  const WindowQuery query = many_windows(100);
  std::size_t results = 0;
  const StateCounters counters = run(query, 0, 120'000, 3, &results);
  std::vector<Slicing> slicings;
  std::int64_t longest = 0;
  for (const WindowSpec& window : query.windows) {
    slicings.emplace_back(window);
    longest = std::max(longest, window.size);
  }
  const double slices = SliceEdges(slicings).edges_per_ms() * static_cast<double>(longest);
  EXPECT_GT(slices, 1000);
  EXPECT_LE(static_cast<double>(counters.merges),
            2 * std::log2(slices) * static_cast<double>(results));
}

TEST(SharedWindows, WindowsThatEndTogetherGoOnFromOneAnother) {
  WindowQuery query = empty_query();
  for (std::int64_t i = 1; i <= 100; ++i) {
    query.windows.push_back(sliding(milliseconds(100 * i), milliseconds(100)));
  }
  std::size_t results = 0;
  const StateCounters counters = run(query, 0, 30'000, 3, &results);
  EXPECT_LE(counters.merges, 2 * results);
}

TEST(SharedWindows, TimeWithoutRowsCostsNothing) {
  WindowQuery query = many_windows(100);
  CollectingSink sink(query);
  WindowStage stage(query, sink, KeyCollection::kNever);
  Batch batch(query.row_schema());
  constexpr EventTime kYear = 31'536'000'000;
  for (EventTime time = 0; time < 100 * kYear; time += kYear) {
    batch.clear();
    append_row(batch, {time, {Cell(INT64_C(1)), Cell(INT64_C(1))}});
    stage.add(batch);
    stage.advance(time);
    EXPECT_LE(stage.state().live_entries, 2U);
  }
  EXPECT_EQ(stage.state().merges, sink.results().size());
}

TEST(SliceEdges, FindTheSliceThatAllSpecificationsTogetherCut) {
  const std::vector<Slicing> slicings = {Slicing(sliding(milliseconds(25), milliseconds(10))),
                                         Slicing(tumbling(milliseconds(7)))};
  SliceEdges edges(slicings);
  const auto expect_slice = [&](std::int64_t time, std::int64_t begin, std::int64_t end) {
    const SliceEdges::Slice slice = edges.slice_of(time);
    EXPECT_EQ(slice.begin, begin) << time;
    EXPECT_EQ(slice.end, end) << time;
  };
  expect_slice(0, 0, 5);
  expect_slice(5, 5, 7);
  expect_slice(9, 7, 10);
  expect_slice(1'000'000'001, 1'000'000'001, 1'000'000'005);
  expect_slice(-1, -5, 0);
}

TEST(WindowEdges, AreThoseOfAllWindowsInTheOrderOfTime) {
  const std::vector<WindowSpec> windows = {tumbling(milliseconds(10)), tumbling(milliseconds(7)),
                                           sliding(milliseconds(20), milliseconds(10))};
  WindowEdges edges(windows);
  EventTime at = edges.next_after(0);
  for (const EventTime expected : {6, 9, 13, 19, 20, 27}) {
    EXPECT_EQ(at, expected);
    at = edges.next_after(at);
  }
  EXPECT_EQ(edges.next_after(1'000'000), 1'000'005);
}

}  // namespace
}  // namespace tidemark::test_support
