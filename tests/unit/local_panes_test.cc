// The open slices of a source task by themselves: which rows become partial states, and when those
// are due.
#include "tidemark/operators/local_panes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tidemark/operators/key_hash.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct KeyedRow {
  EventTime time;
  std::int64_t key;
  double value = 1;
};

class LocalPanesTest : public testing::Test {
 protected:
  LocalPanesTest() {
    query_.keys = {{"key", ColumnType::kInt64}};
    query_.values = {{"value", ColumnType::kDouble}};
    query_.windows = {tumbling(milliseconds(10))};
    query_.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "n"}};
  }

  LocalPanes panes(std::size_t entries = 100,
                   LocalAggregation choice = LocalAggregation::kAlways) const {
    return {query_, plan_query(query_).front(), choice, entries};
  }

  // The times of the rows that are left to be sent.
  std::vector<EventTime> take(LocalPanes& panes, const std::vector<KeyedRow>& rows) {
    Batch batch(query_.row_schema(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      batch.times()[i] = rows[i].time;
      batch.column(0).int64s()[i] = rows[i].key;
      batch.column(1).doubles()[i] = rows[i].value;
    }
    batch.set_size(rows.size());
    hash_keys(batch, 1, 0, rows.size());
    std::vector<EventTime> left;
    if (panes.passes_all(batch, 0, rows.size())) {
      for (const KeyedRow& row : rows) left.push_back(row.time);
      return left;
    }
    for (const std::uint16_t row : panes.take(batch, 0, rows.size())) {
      left.push_back(rows[row].time);
    }
    return left;
  }

  // What is due, as "slice key:rows".
  static std::vector<std::string> due(LocalPanes& panes) {
    std::vector<std::string> texts;
    while (const Batch* batch = panes.due()) {
      for (std::size_t i = 0; i < batch->size(); ++i) {
        texts.push_back(std::to_string(batch->times()[i] / 10) + " " +
                        std::to_string(batch->column(0).int64s()[i]) + ":" +
                        std::to_string(entry_header(batch->states(i)).slot));
      }
      panes.sent();
    }
    return texts;
  }

  WindowQuery query_;
};

TEST_F(LocalPanesTest, RowsOfASliceBecomeOneStatePerKeyDueWhenItIsComplete) {
  LocalPanes local = panes();
  EXPECT_THAT(take(local, {{1, 7}, {2, 8}, {3, 7}, {12, 7}, {9, 7}}), IsEmpty());
  local.close(8);
  EXPECT_THAT(due(local), IsEmpty());
  local.close(9);
  EXPECT_THAT(due(local), UnorderedElementsAre("0 7:3", "0 8:1"));
  local.close(kEndOfTime);
  EXPECT_THAT(due(local), ElementsAre("1 7:1"));
  EXPECT_EQ(local.rows_taken(), 5U);
  EXPECT_EQ(local.partials(), 3U);
}

TEST_F(LocalPanesTest, ARowWhoseWindowIsCompleteIsSentToBeJudgedLate) {
  LocalPanes local = panes();
  local.close(19);
  EXPECT_THAT(take(local, {{19, 1}, {20, 1}}), ElementsAre(19));
}

TEST_F(LocalPanesTest, ARowInNoWindowIsSentToBeCounted) {
  query_.windows = {sliding(milliseconds(10), milliseconds(20))};
  LocalPanes local = panes();
  EXPECT_THAT(take(local, {{5, 1}, {15, 1}}), ElementsAre(15));
}

TEST_F(LocalPanesTest, AFullPaneKeepsTheKeysItHasAndTheOthersAreSent) {
  LocalPanes local = panes(2);
  EXPECT_THAT(take(local, {{1, 1}, {2, 2}, {3, 3}, {4, 1}, {5, 3}}), ElementsAre(3, 5));
  local.close(9);
  EXPECT_THAT(due(local), UnorderedElementsAre("0 1:2", "0 2:1"));
}

// A row and 255 more of its slice, so that none of the panes is too young to go.
TEST_F(LocalPanesTest, WhenAllPanesAreInUseTheOldestSliceMakesRoomAndItsLaterRowsAreSent) {
  query_.aggregates = {{AggregateFunction::kSum, 0, "sum"}};
  query_.delay = 1'000'000;
  LocalPanes local = panes();
  for (EventTime slice = 0; slice < 8; ++slice) {
    EXPECT_THAT(take(local, std::vector<KeyedRow>(256, KeyedRow{10 * slice, 1})), IsEmpty());
  }
  EXPECT_THAT(due(local), IsEmpty());
  EXPECT_THAT(take(local, {{80, 1}, {9, 1}, {19, 1}}), ElementsAre(9));
  EXPECT_THAT(due(local), ElementsAre("0 1:256"));
}

TEST_F(LocalPanesTest, ASourceThatHasBeenIdleSendsRows) {
  LocalPanes local = panes();
  EXPECT_THAT(take(local, {{1, 1}}), IsEmpty());
  local.retire();
  EXPECT_THAT(due(local), ElementsAre("0 1:1"));
  EXPECT_THAT(take(local, {{2, 1}, {100, 1}}), ElementsAre(2, 100));
}

// Sixteen rows on, sixteen off, and so on.
TEST_F(LocalPanesTest, WhereOrderMattersASliceThatRowsWereSentOfGetsNoState) {
  query_.aggregates = {{AggregateFunction::kSum, 0, "sum"}};
  query_.windows = {tumbling(milliseconds(100))};
  std::vector<KeyedRow> rows(40, KeyedRow{1, 1});
  rows.back().time = 101;
  LocalPanes local = panes(100, LocalAggregation::kAlternating);
  EXPECT_EQ(take(local, rows).size(), 16U + 7U);
  EXPECT_THAT(due(local), ElementsAre("0 1:16"));
  local.retire();
  EXPECT_THAT(due(local), ElementsAre("10 1:1"));

  query_.aggregates = {{AggregateFunction::kMax, 0, "max"}};
  LocalPanes any_order = panes(100, LocalAggregation::kAlternating);
  EXPECT_EQ(take(any_order, rows).size(), 16U);
}

// Keys as `key_of` says, a row a millisecond in slices of ten seconds; the share of rows taken.
double share_taken(LocalPanes& panes, const WindowQuery& query, std::size_t rows, EventTime start,
                   const std::function<std::int64_t(std::size_t)>& key_of) {
  constexpr std::size_t kBatch = 1000;
  Batch batch(query.row_schema(), kBatch);
  const std::uint64_t before = panes.rows_taken();
  for (std::size_t row = 0; row < rows; row += kBatch) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      batch.times()[i] = start + static_cast<EventTime>(row + i);
      batch.column(0).int64s()[i] = key_of(row + i);
    }
    batch.set_size(kBatch);
    hash_keys(batch, 1, 0, kBatch);
    if (!panes.passes_all(batch, 0, kBatch)) panes.take(batch, 0, kBatch);
    panes.close(start + static_cast<EventTime>(row + kBatch) - 2);
    while (panes.due() != nullptr) panes.sent();
  }
  return static_cast<double>(panes.rows_taken() - before) / static_cast<double>(rows);
}

TEST_F(LocalPanesTest, IsOnForFewKeysOffForManyAndFollowsAStreamThatChanges) {
  query_.windows = {tumbling(std::chrono::seconds(10))};
  LocalPanes local = panes(1000, LocalAggregation::kWhenItPays);
  const auto one_key = [](std::size_t) { return 5; };
  const auto new_keys = [](std::size_t row) { return static_cast<std::int64_t>(row); };
  EXPECT_EQ(share_taken(local, query_, 100'000, 0, one_key), 1);
  // A period of 16,384 rows until that is seen, and trials in vain.
  EXPECT_LT(share_taken(local, query_, 2'000'000, 100'000, new_keys), 0.02);
  // On again after the longest pause, 64 periods, at the latest.
  share_taken(local, query_, 1'100'000, 2'100'000, one_key);
  EXPECT_EQ(share_taken(local, query_, 100'000, 3'200'000, one_key), 1);
}

struct Refusal {
  std::string reason;  // empty: none
  std::function<void(WindowQuery&)> change;
};

TEST_F(LocalPanesTest, RefusesWhatPartialStatesOfOneSliceCannotStandFor) {
  const std::vector<Refusal> refusals{
      {"", [](WindowQuery&) {}},
      {"", [](WindowQuery& query) { query.keys.clear(); }},
      {"",
       [](WindowQuery& query) { query.windows = {sliding(milliseconds(30), milliseconds(7))}; }},
      {"several windows cut the stream at edges of their own",
       [](WindowQuery& query) { query.windows.push_back(tumbling(milliseconds(7))); }},
      {"each window has a state of its own",
       [](WindowQuery& query) {
         query.windows = {sliding(milliseconds(30), milliseconds(10))};
         query.strategy = Strategy::kBuckets;
       }},
      {"slices are cut as their rows come",
       [](WindowQuery& query) { query.strategy = Strategy::kBaseIntervals; }},
      {"the state of an aggregate must not leave its stage",
       [](WindowQuery& query) {
         query.aggregates.push_back({AggregateFunction::kMedian, 0, "median"});
       }},
      {"the edges of sessions are not known before their rows",
       [](WindowQuery& query) { query.windows = {session(milliseconds(30))}; }},
  };
  for (const Refusal& refusal : refusals) {
    WindowQuery query = query_;
    refusal.change(query);
    EXPECT_EQ(refuses_local_aggregation(query, plan_query(query)).value_or(""), refusal.reason);
  }
}

}  // namespace
}  // namespace tidemark
