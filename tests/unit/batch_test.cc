#include "tidemark/runtime/batch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tidemark {
namespace {

const Schema kSchema{
    {"count", ColumnType::kInt64}, {"price", ColumnType::kDouble}, {"name", ColumnType::kString}};

// Row i of a numbered batch is made from `first + i`; every third row has NULLs.
Batch numbered(std::int64_t first, std::size_t rows, std::size_t capacity = 200) {
  Batch batch(kSchema, capacity);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t n = first + static_cast<std::int64_t>(row);
    batch.times()[row] = n;
    batch.hashes()[row] = static_cast<std::uint64_t>(n) * 3;
    batch.column(0).int64s()[row] = n * 10;
    batch.column(1).doubles()[row] = static_cast<double>(n) / 4;
    batch.column(2).set_string(row, "row " + std::to_string(n));
    if (n % 3 == 0) {
      for (std::size_t i = 0; i < batch.column_count(); ++i) batch.column(i).set_null(row);
    }
  }
  batch.set_size(rows);
  return batch;
}

void expect_row(const Batch& batch, std::size_t row, std::int64_t n) {
  SCOPED_TRACE("row " + std::to_string(row) + " should hold " + std::to_string(n));
  EXPECT_EQ(batch.times()[row], n);
  EXPECT_EQ(batch.hashes()[row], static_cast<std::uint64_t>(n) * 3);
  for (std::size_t i = 0; i < batch.column_count(); ++i) {
    EXPECT_EQ(batch.column(i).is_null(row), n % 3 == 0);
  }
  if (n % 3 == 0) return;
  EXPECT_EQ(batch.column(0).int64s()[row], n * 10);
  EXPECT_EQ(batch.column(1).doubles()[row], static_cast<double>(n) / 4);
  EXPECT_EQ(batch.column(2).string(row), "row " + std::to_string(n));
}

TEST(Batch, CapacityOutsideItsRangeIsRefused) {
  EXPECT_THROW(Batch(kSchema, 0), std::invalid_argument);
  EXPECT_THROW(Batch(kSchema, Batch::kMaxCapacity + 1), std::invalid_argument);
  EXPECT_EQ(Batch({}, Batch::kMaxCapacity).capacity(), Batch::kMaxCapacity);
}

// The place of a string outlives clear(), the string does not.
TEST(Batch, NullStringOfARecycledBatchIsEmptyAndCopiesNothing) {
  Batch recycled(kSchema, 4);
  for (std::size_t row = 0; row < 4; ++row) {
    recycled.column(2).set_string(row, std::string(1000, 'x'));
  }
  recycled.set_size(4);
  recycled.clear();
  for (std::size_t row = 0; row < 4; ++row) recycled.column(2).set_null(row);
  recycled.set_size(4);
  EXPECT_EQ(recycled.column(2).string(3), "");

  Batch ranged(kSchema, 4);
  ranged.append_range(recycled, 1, 4);
  Batch selected(kSchema, 4);
  const std::vector<std::uint16_t> rows{3, 0};
  selected.append_selected(recycled, rows);
  for (const Batch* copy : {&ranged, &selected}) {
    for (std::size_t row = 0; row < copy->size(); ++row) {
      EXPECT_TRUE(copy->column(2).is_null(row));
      EXPECT_EQ(copy->column(2).string(row), "");
    }
  }
}

TEST(Batch, StartsEmptyWithASilentHeader) {
  const Batch batch(kSchema, 3);
  EXPECT_TRUE(batch.empty());
  EXPECT_FALSE(batch.full());
  EXPECT_EQ(batch.column_count(), 3U);
  EXPECT_EQ(batch.header.watermark, kNoWatermark);
  EXPECT_FALSE(batch.header.idle || batch.header.end_of_stream || batch.header.cancelled);
}

TEST(Batch, AppendRangeCopiesRowsBehindThoseThere) {
  Batch batch = numbered(1000, 5);
  const Batch from = numbered(0, 150);
  batch.append_range(from, 60, 140);
  batch.append_range(from, 0, 0);
  batch.append_range(from, 149, 150);
  ASSERT_EQ(batch.size(), 86U);
  for (std::size_t row = 0; row < 5; ++row) {
    expect_row(batch, row, 1000 + static_cast<std::int64_t>(row));
  }
  for (std::size_t row = 5; row < 85; ++row) {
    expect_row(batch, row, 60 + static_cast<std::int64_t>(row) - 5);
  }
  expect_row(batch, 85, 149);
}

TEST(Batch, AppendSelectedCopiesInTheOrderNamed) {
  Batch batch = numbered(1000, 2);
  const Batch from = numbered(0, 100);
  const std::vector<std::uint16_t> rows{99, 0, 3, 64, 63, 3, 65};
  batch.append_selected(from, rows);
  batch.append_selected(from, {});
  ASSERT_EQ(batch.size(), 9U);
  expect_row(batch, 1, 1001);
  for (std::size_t i = 0; i < rows.size(); ++i) expect_row(batch, 2 + i, rows[i]);
}

TEST(Batch, AppendSelectedReachesTheLastRowOfTheLargestBatch) {
  Batch from({{"n", ColumnType::kInt64}}, Batch::kMaxCapacity);
  from.set_size(Batch::kMaxCapacity);
  std::iota(from.column(0).int64s(), from.column(0).int64s() + from.size(), 0);
  Batch batch({{"n", ColumnType::kInt64}}, 1);
  batch.append_selected(from, std::vector<std::uint16_t>{Batch::kMaxCapacity - 1});
  EXPECT_EQ(batch.column(0).int64s()[0], 32767);
  EXPECT_TRUE(batch.full());
}

TEST(Batch, AppendLeavesHeadersAlone) {
  Batch from = numbered(0, 3);
  from.header.watermark = 7;
  Batch batch(kSchema, 3);
  batch.append_range(from, 0, 3);
  EXPECT_EQ(batch.header.watermark, kNoWatermark);
}

TEST(Batch, SwapRowsExchangesRowsAndKeepsHeaders) {
  Batch a = numbered(1, 2);
  Batch b = numbered(100, 3);
  a.header.watermark = 1;
  b.header.watermark = 2;
  const EventTime* times_of_b = b.times();
  a.swap_rows(b);
  ASSERT_EQ(a.size(), 3U);
  ASSERT_EQ(b.size(), 2U);
  EXPECT_EQ(a.times(), times_of_b) << "rows are not copied";
  expect_row(a, 2, 102);
  expect_row(b, 1, 2);
  EXPECT_EQ(a.header.watermark, 1);
  EXPECT_EQ(b.header.watermark, 2);
}

TEST(Batch, ClearDropsRowsNullsStringsAndHeader) {
  Batch batch = numbered(0, 100);
  batch.header.watermark = 5;
  batch.header.end_of_stream = true;
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.header.watermark, kNoWatermark);
  EXPECT_FALSE(batch.header.end_of_stream);
  for (std::size_t i = 0; i < batch.column_count(); ++i) {
    EXPECT_FALSE(batch.column(i).has_nulls());
    for (const std::uint64_t word : batch.column(i).null_bits()) EXPECT_EQ(word, 0U);
  }
  batch.append_range(numbered(1, 2), 0, 2);
  expect_row(batch, 0, 1);
  expect_row(batch, 1, 2);
}

TEST(Column, NullBitsCrossWords) {
  Column column(ColumnType::kInt64, 130);
  EXPECT_FALSE(column.has_nulls());
  for (const std::size_t row : {0U, 63U, 64U, 129U}) column.set_null(row);
  EXPECT_TRUE(column.has_nulls());
  ASSERT_EQ(column.null_bits().size(), 3U);
  EXPECT_EQ(column.null_bits()[0], std::uint64_t{1} | std::uint64_t{1} << 63);
  EXPECT_EQ(column.null_bits()[1], 1U);
  EXPECT_EQ(column.null_bits()[2], 2U);
  EXPECT_FALSE(column.is_null(62));
  EXPECT_TRUE(column.is_null(129));
}

TEST(Column, StringsMayBeEmptyLongOrHoldAnyByte) {
  Column column(ColumnType::kString, 4);
  const std::string zeros("a\0b", 3);
  const std::string long_one(100'000, 'x');
  column.set_string(0, "");
  column.set_string(1, zeros);
  column.set_string(2, long_one);
  column.set_string(3, "Łódź");
  EXPECT_EQ(column.string(0), "");
  EXPECT_EQ(column.string(1), zeros);
  EXPECT_EQ(column.string(2), long_one);
  EXPECT_EQ(column.string(3), "Łódź");
}

TEST(Column, StringSetAgainReplacesTheOld) {
  Column column(ColumnType::kString, 2);
  column.set_string(0, "old");
  column.set_string(1, "other");
  column.set_string(0, "newer");
  EXPECT_EQ(column.string(0), "newer");
  EXPECT_EQ(column.string(1), "other");
}

TEST(Column, CellsNeverSetReadAsNothing) {
  const Column column(ColumnType::kString, 2);
  EXPECT_EQ(column.string(1), "");
}

TEST(Batch, KeepsTheNamedRowsAndNothingOfTheOthers) {
  Batch batch = numbered(0, 130);
  batch.keep(std::vector<std::uint16_t>{1, 3, 64, 66, 129});
  ASSERT_EQ(batch.size(), 5U);
  const std::vector<std::int64_t> left{1, 3, 64, 66, 129};
  for (std::size_t row = 0; row < left.size(); ++row) expect_row(batch, row, left[row]);
  // A row written behind them is not NULL because of a dropped one.
  EXPECT_FALSE(batch.column(0).is_null(6));
  batch.keep({});
  EXPECT_TRUE(batch.empty());
}

// A source hands over what it has read; the column behind is its reader's.
TEST(Batch, WithAColumnMoreTakesTheRowsOfOneWithout) {
  Schema schema = kSchema;
  schema.push_back({"watermark", ColumnType::kInt64});
  Batch wide(schema, 200);
  wide.column(3).int64s()[1] = 77;
  Batch narrow = numbered(1, 2);
  wide.swap_rows(narrow);
  EXPECT_TRUE(narrow.empty());
  ASSERT_EQ(wide.size(), 2U);
  wide.append_range(numbered(3, 2), 0, 2);
  ASSERT_EQ(wide.size(), 4U);
  for (std::size_t row = 0; row < 4; ++row) {
    const auto n = static_cast<std::int64_t>(row) + 1;
    EXPECT_EQ(wide.times()[row], n);
    EXPECT_EQ(wide.column(2).is_null(row), n % 3 == 0);
  }
  EXPECT_EQ(wide.column(3).int64s()[1], 77);
}

TEST(Column, ReadsBorrowedCellsUntilItIsCleared) {
  Column column(ColumnType::kInt64, 4);
  column.int64s()[0] = 7;
  const std::int64_t theirs[] = {1, 2};
  column.borrow(theirs);
  column.set_null(1);
  EXPECT_EQ(column.int64s()[0], 1);
  EXPECT_TRUE(column.is_null(1));
  Column other(ColumnType::kInt64, 4);
  other.copy_range(0, column, 0, 2);
  column.clear();
  EXPECT_EQ(column.int64s()[0], 7);
  EXPECT_FALSE(column.has_nulls());
  EXPECT_EQ(other.int64s()[0], 1);
  EXPECT_EQ(theirs[1], 2);
}

TEST(Batch, StatesGoWithTheirRowsUntilTheBatchIsCleared) {
  Batch from = numbered(0, 10);
  std::vector<std::uint64_t> states(10);
  std::iota(states.begin(), states.end(), 100);
  Batch with_states(kSchema, 10);
  with_states.use_states(sizeof(std::uint64_t));
  with_states.append_range(from, 0, 10);
  std::memcpy(with_states.states(0), states.data(), 10 * sizeof(std::uint64_t));

  Batch to(kSchema, 20);
  EXPECT_EQ(to.state_size(), 0U);
  const std::vector<std::uint16_t> selected{7, 3};
  to.append_selected(with_states, selected);
  to.append_range(with_states, 4, 6);
  ASSERT_EQ(to.state_size(), sizeof(std::uint64_t));
  const std::vector<std::int64_t> rows{7, 3, 4, 5};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect_row(to, i, rows[i]);
    std::uint64_t state = 0;
    std::memcpy(&state, to.states(i), sizeof(state));
    EXPECT_EQ(state, 100 + static_cast<std::uint64_t>(rows[i]));
  }
  to.clear();
  EXPECT_EQ(to.state_size(), 0U);
}

}  // namespace
}  // namespace tidemark
