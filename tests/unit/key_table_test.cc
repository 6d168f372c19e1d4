#include "tidemark/operators/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark {
namespace {

using test_support::append_row;
using test_support::Cell;
using test_support::kNull;
using test_support::row_at;
using test_support::to_text;

using Key = std::vector<Cell>;

const Schema kIntegerKey = {{"key", ColumnType::kInt64}};
const Schema kTwoKeys = {{"number", ColumnType::kInt64}, {"text", ColumnType::kString}};

// The table under test beside a plain map from keys to slots.
class CheckedTable {
 public:
  explicit CheckedTable(Schema schema)
      : schema_(std::move(schema)), table_(schema_, memory_), batch_(schema_, 256) {}

  // Looks keys up, at most 256, and checks that known ones have the slots that they had.
  void find(const std::vector<Key>& keys) {
    batch_.clear();
    for (const Key& key : keys) append_row(batch_, {0, key});
    hash_keys(batch_, schema_.size(), 0, batch_.size());
    std::vector<std::uint32_t> slots(keys.size());
    table_.find_or_insert(batch_, 0, slots);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto [known, is_new] = slots_.try_emplace(keys[i], slots[i]);
      ASSERT_EQ(known->second, slots[i]);
      if (is_new) {
        ASSERT_TRUE(in_use_.insert(slots[i]).second) << "two keys in slot " << slots[i];
      }
      ASSERT_LT(slots[i], table_.slot_count());
    }
    ASSERT_EQ(table_.size(), slots_.size());
  }

  void drop_all_but(const std::set<Key>& kept, bool compact) {
    LiveSlots live(table_.slot_count(), memory_);
    for (const Key& key : kept) live.mark(slots_.at(key));
    std::erase_if(slots_, [&](const auto& entry) { return !kept.contains(entry.first); });
    if (compact) {
      const SlotMap map(live);
      table_.compact(map);
      for (auto& [key, slot] : slots_) slot = map[slot];
      ASSERT_EQ(table_.slot_count(), kept.size());
    } else {
      table_.drop_others(live);
    }
    in_use_.clear();
    for (const auto& [key, slot] : slots_) in_use_.insert(slot);
    ASSERT_EQ(table_.size(), kept.size());
  }

  // All keys can still be read.
  void check_keys() {
    Batch out(schema_, 1);
    for (const auto& [key, slot] : slots_) {
      out.clear();
      const std::uint32_t slots[] = {slot};
      table_.copy_keys(slots, out, 0, 0);
      out.set_size(1);
      ASSERT_EQ(to_text(row_at(out, 0).cells), to_text(key));
    }
  }

  const KeyTable& table() const { return table_; }
  std::size_t bytes() const { return memory_.bytes(); }
  std::set<Key> keys() const {
    std::set<Key> keys;
    for (const auto& [key, slot] : slots_) keys.insert(key);
    return keys;
  }

 private:
  Schema schema_;
  StateMemory memory_;
  KeyTable table_;
  Batch batch_;
  std::map<Key, std::uint32_t> slots_;
  std::set<std::uint32_t> in_use_;
};

std::vector<Key> integers(std::int64_t begin, std::int64_t end) {
  std::vector<Key> keys;
  for (std::int64_t key = begin; key < end; ++key) keys.push_back({Cell(key)});
  return keys;
}

void find_integers(CheckedTable& checked, std::int64_t begin, std::int64_t end) {
  for (std::int64_t key = begin; key < end; key += 256) {
    ASSERT_NO_FATAL_FAILURE(checked.find(integers(key, std::min(key + 256, end))));
  }
}

TEST(KeyTable, SlotsOfDroppedKeysGoToNewOnesLowestFirst) {
  CheckedTable checked(kIntegerKey);
  find_integers(checked, 0, 100);
  checked.drop_all_but({{Cell(INT64_C(1))}, {Cell(INT64_C(3))}}, false);
  find_integers(checked, 200, 204);
  EXPECT_EQ(checked.table().slot_count(), 100U);
  EXPECT_EQ(checked.table().text(0), "200");
  EXPECT_EQ(checked.table().text(2), "201");
  EXPECT_EQ(checked.table().text(4), "202");
  EXPECT_EQ(checked.table().text(5), "203");
  EXPECT_EQ(checked.table().peak_size(), 100U);
  EXPECT_EQ(checked.table().inserted(), 104U);
}

TEST(KeyTable, ADroppedKeyIsANewKeyWhenItComesAgain) {
  CheckedTable checked(kIntegerKey);
  find_integers(checked, 0, 10);
  checked.drop_all_but({}, false);
  EXPECT_EQ(checked.table().size(), 0U);
  find_integers(checked, 5, 6);
  EXPECT_EQ(checked.table().inserted(), 11U);
}

// Looks one batch of random keys up in a table that holds at most `most`, and checks the slots
// against those of the keys that came first.
void find_within_limit(KeyTable& table, const Schema& schema, std::size_t most,
                       std::mt19937& random, std::map<std::int64_t, std::uint32_t>& known) {
  Batch batch(schema, 256);
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < batch.capacity(); ++i) {
    keys.push_back(static_cast<std::int64_t>(random() % 300));
    Key key = {Cell(keys.back())};
    if (schema.size() > 1) key.emplace_back(std::to_string(keys.back()));
    append_row(batch, {0, key});
  }
  hash_keys(batch, schema.size(), 0, batch.size());
  std::vector<std::uint32_t> slots(keys.size());
  table.find_or_insert(batch, 0, slots);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (known.size() < most) known.try_emplace(keys[i], slots[i]);
    const auto key = known.find(keys[i]);
    ASSERT_EQ(slots[i], key == known.end() ? KeyTable::kNoSlot : key->second) << keys[i];
  }
  ASSERT_EQ(table.size(), known.size());
}

TEST(KeyTable, KeysBeyondALimitHaveNoSlotUntilTheTableIsCleared) {
  constexpr std::size_t kMost = 100;
  for (const Schema& schema : {kIntegerKey, kTwoKeys}) {
    StateMemory memory;
    KeyTable table(schema, memory);
    table.limit_to(kMost);
    std::mt19937 random(1);
    for (int round = 0; round < 5; ++round) {
      std::map<std::int64_t, std::uint32_t> known;
      for (int i = 0; i < 4; ++i) {
        ASSERT_NO_FATAL_FAILURE(find_within_limit(table, schema, kMost, random, known));
      }
      ASSERT_EQ(table.size(), kMost);
      table.clear();
      EXPECT_EQ(table.size(), 0U);
      EXPECT_EQ(table.slot_count(), kMost);
    }
  }
}

TEST(KeyTable, CompactingLeavesTheMemoryOfTheKeysThatStay) {
  CheckedTable few(kIntegerKey);
  find_integers(few, 0, 1000);
  const std::size_t bytes = few.bytes();
  CheckedTable many(kIntegerKey);
  find_integers(many, 0, 50'000);
  EXPECT_GT(many.bytes(), 20 * bytes);
  const std::vector<Key> kept = integers(40'000, 41'000);
  many.drop_all_but({kept.begin(), kept.end()}, true);
  EXPECT_LE(many.bytes(), bytes);
  find_integers(many, 40'000, 41'000);
  many.check_keys();
}

TEST(KeyTable, LongTextsOfDroppedKeysGoAtOnce) {
  CheckedTable checked({{"text", ColumnType::kString}});
  const std::size_t before = checked.bytes();
  std::vector<Key> keys;
  for (char c = 'a'; c <= 'z'; ++c) keys.push_back({Cell(std::string(100'000, c))});
  checked.find(keys);
  EXPECT_GT(checked.bytes(), before + 2'600'000);
  checked.drop_all_but({keys[5]}, false);
  EXPECT_LT(checked.bytes(), before + 200'000);
  checked.check_keys();
}

// However many keys there are, a call moves no more cells than its new keys pay for, and clears no
// more; and every key is found while the table grows.
TEST(KeyTable, GrowsToFourMillionKeysWithoutAStop) {
  constexpr std::size_t kRows = 256;
  constexpr std::int64_t kKeys = 4'000'000;
  StateMemory memory;
  KeyTable table(kIntegerKey, memory);
  Batch batch(kIntegerKey, kRows);
  batch.set_size(kRows);
  std::vector<std::uint32_t> slots(kRows);
  std::mt19937_64 random(5);
  std::uint64_t most_moved = 0;
  std::uint64_t wrong = 0;
  // Half of the rows are new keys, which get slots in order; the others look for any known one.
  for (std::int64_t known = 0; known < kKeys; known += static_cast<std::int64_t>(kRows) / 2) {
    std::int64_t* keys = batch.column(0).int64s();
    for (std::size_t i = 0; i < kRows / 2; ++i) {
      keys[i] = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(known + 1));
      keys[kRows / 2 + i] = known + static_cast<std::int64_t>(i);
    }
    if (known == 0) std::fill_n(keys, kRows / 2, 0);
    hash_keys(batch, 1, 0, kRows);
    const std::uint64_t before = table.cells_moved();
    table.find_or_insert(batch, 0, slots);
    most_moved = std::max(most_moved, table.cells_moved() - before);
    for (std::size_t i = 0; i < kRows; ++i) {
      wrong += static_cast<std::uint64_t>(slots[i] != static_cast<std::uint64_t>(keys[i]));
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(table.cells_moved(), static_cast<std::uint64_t>(kKeys));
  EXPECT_LE(most_moved, kRows / 2 * KeyCells::kMovedPerKey);
}

// A table that is growing when keys go starts afresh.
TEST(KeyTable, KeysMayGoWhileTheTableGrows) {
  for (const bool compact : {false, true}) {
    for (const std::int64_t count : {64, 66, 70, 78, 80, 17'500}) {
      SCOPED_TRACE(count);
      CheckedTable checked(kIntegerKey);
      find_integers(checked, 0, count);
      const std::vector<Key> kept = integers(0, count / 2);
      checked.drop_all_but({kept.begin(), kept.end()}, compact);
      find_integers(checked, 0, 2 * count);
      find_integers(checked, 0, 2 * count);
      checked.check_keys();
    }
  }
}

// Keys of few values come and go at random, in both ways; NULLs are keys like others.
TEST(KeyTable, AgreesWithAMapThroughAnyDropsAndReturns) {
  for (const bool two_keys : {false, true}) {
    std::mt19937_64 random(11);
    CheckedTable checked(two_keys ? kTwoKeys : kIntegerKey);
    for (int round = 0; round < 60; ++round) {
      std::vector<Key> keys;
      for (int i = 0; i < 200; ++i) {
        const auto number = static_cast<std::int64_t>(random() % 3000);
        Key key = {random() % 500 == 0 ? kNull : Cell(number)};
        if (two_keys) {
          key.push_back(random() % 50 == 0 ? kNull : Cell(std::string(random() % 40, 'x')));
        }
        keys.push_back(std::move(key));
      }
      ASSERT_NO_FATAL_FAILURE(checked.find(keys));
      if (round % 5 != 4) continue;
      std::set<Key> kept = checked.keys();
      std::erase_if(kept, [&](const Key& /*key*/) { return random() % 3 != 0; });
      ASSERT_NO_FATAL_FAILURE(checked.drop_all_but(kept, random() % 2 == 0));
      ASSERT_NO_FATAL_FAILURE(checked.check_keys());
    }
    EXPECT_GT(checked.table().inserted(), 2 * checked.table().peak_size());
  }
}

}  // namespace
}  // namespace tidemark
