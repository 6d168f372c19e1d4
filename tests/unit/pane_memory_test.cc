// Panes and logs keep the memory that a stream goes on needing, and give back what it needed once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tidemark/operators/pane.h"
#include "tidemark/operators/pane_log.h"
#include "tidemark/operators/recent_peak.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark {
namespace {

// Counts what is asked of it.
class CountedMemory final : public std::pmr::memory_resource {
 public:
  std::size_t allocations() const { return allocations_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++allocations_;
    return memory_.allocate(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    memory_.deallocate(block, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  StateMemory memory_;
  std::size_t allocations_ = 0;
};

TEST(RecentPeak, LooksBackOverAtLeastItsSpanAndLessThanTwice) {
  for (std::size_t lead = 0; lead < 4; ++lead) {
    RecentPeak peak(4);
    for (std::size_t i = 0; i < lead; ++i) peak.step();
    peak.note(9);
    for (int step = 0; step < 4; ++step) {
      EXPECT_EQ(peak.value(), 9U);
      peak.step();
      peak.note(1);
    }
    for (int step = 0; step < 4; ++step) peak.step();
    EXPECT_EQ(peak.value(), 1U);
  }
}

class PaneMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t kChunk = 256;

  AggregateLayout layout_{{}, {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}}, false};
  CountedMemory memory_;
  std::uint64_t stamp_ = 0;

  void fill(Pane& pane, std::size_t keys, std::size_t slot_count) {
    for (std::size_t slot = 0; slot < keys; ++slot) {
      if (slot % kChunk == 0) pane.prepare(++stamp_, kChunk, slot_count);
      pane.find_or_add(static_cast<std::uint32_t>(slot));
    }
  }
  void use_one(PanePool& pool, std::size_t keys, std::size_t slot_count) {
    Pane* pane = pool.take();
    fill(*pane, keys, slot_count);
    pool.give_back(pane);
  }
};

TEST_F(PaneMemory, PanesOfAboutTheSameSizeAllocateNothing) {
  PanePool pool(layout_, memory_);
  use_one(pool, 10'000, 20'000);
  const std::size_t allocations = memory_.allocations();
  for (std::size_t i = 0; i < 200; ++i) use_one(pool, 5000 + i * 20, 20'000);
  EXPECT_EQ(memory_.allocations(), allocations);
}

TEST_F(PaneMemory, OneLargePaneIsForgottenAfterAWhile) {
  PanePool pool(layout_, memory_);
  use_one(pool, 2000, 2000);
  const std::size_t before = memory_.bytes();
  use_one(pool, 500'000, 500'000);
  EXPECT_GT(memory_.bytes(), 100 * before);
  for (int i = 0; i < 32; ++i) use_one(pool, 2000, 2000);
  EXPECT_LE(memory_.bytes(), 2 * before);
}

TEST_F(PaneMemory, ManyPanesAtOnceAreForgottenAfterAWhile) {
  PanePool pool(layout_, memory_);
  use_one(pool, 2000, 2000);
  const std::size_t before = memory_.bytes();
  std::vector<Pane*> panes;
  for (int i = 0; i < 100; ++i) panes.push_back(pool.take());
  for (Pane* pane : panes) fill(*pane, 2000, 2000);
  EXPECT_EQ(memory_.bytes(), 100 * before);
  for (Pane* pane : panes) pool.give_back(pane);
  for (int i = 0; i < 32; ++i) use_one(pool, 2000, 2000);
  EXPECT_EQ(memory_.bytes(), before);
}

TEST_F(PaneMemory, APackedPaneHasRoomForItsEntriesOnlyAndCanBeUsedAgain) {
  Pane pane(layout_, memory_);
  fill(pane, 100'000, 100'000);
  pane.clear();
  fill(pane, 10, 100'000);
  pane.pack();
  EXPECT_LE(memory_.bytes(), 10 * layout_.entry_size() + 100);
  EXPECT_EQ(pane.size(), 10U);
  for (std::uint32_t slot = 0; slot < 10; ++slot) {
    EXPECT_EQ(entry_header(pane.entries() + slot * layout_.entry_size()).slot, slot);
  }
  pane.clear();
  fill(pane, 3000, 3000);
  EXPECT_EQ(pane.size(), 3000U);
}

// Slots that are found through the index, whichever it is, and those that are new.
TEST_F(PaneMemory, ARenumberedPaneFindsItsEntries) {
  for (const std::size_t slot_count : {4000U, 1'000'000U}) {
    SCOPED_TRACE(slot_count);
    Pane pane(layout_, memory_);
    pane.prepare(++stamp_, kChunk, slot_count);
    for (std::uint32_t slot = 5; slot < 1000; slot += 5) pane.find_or_add(slot);
    LiveSlots live(slot_count, memory_);
    pane.mark_live(live);
    const SlotMap map(live);
    pane.renumber(map);
    ASSERT_EQ(map.new_size(), 199U);
    pane.prepare(++stamp_, kChunk, map.new_size() + 10);
    for (std::uint32_t slot = 0; slot < 199; ++slot) {
      const std::byte* entry = pane.find_or_add(slot);
      EXPECT_EQ(entry, pane.entries() + slot * layout_.entry_size());
      EXPECT_EQ(entry_header(entry).slot, slot);
    }
    EXPECT_EQ(pane.size(), 199U);
    pane.find_or_add(205);
    EXPECT_EQ(pane.size(), 200U);
  }
}

class PaneLogMemory : public ::testing::Test {
 protected:
  // 32 doubles with a sum, a count and a least one each, and the header.
  static constexpr std::size_t kColumns = 32;
  static constexpr std::size_t kEntry = 8 + kColumns * 24;

  static AggregateLayout layout_of_columns() {
    Schema values;
    std::vector<AggregateSpec> aggregates;
    for (std::size_t i = 0; i < kColumns; ++i) {
      values.push_back({"x", ColumnType::kDouble});
      aggregates.push_back({AggregateFunction::kAvg, static_cast<int>(i), "mean"});
      aggregates.push_back({AggregateFunction::kMin, static_cast<int>(i), "least"});
    }
    return AggregateLayout(values, aggregates, false);
  }

  // A slice of so many entries comes, and the oldest of more than `slices` leaves.
  void slide(std::size_t entries, std::size_t slices) {
    const std::vector<std::byte> bytes(entries * kEntry);
    log_.append(bytes.data(), entries);
    ends_.push_back(log_.end());
    while (ends_.size() > slices) {
      log_.drop_before(ends_.front());
      ends_.pop_front();
    }
  }

  CountedMemory memory_;
  AggregateLayout layout_ = layout_of_columns();
  PaneLog log_{layout_, memory_};
  std::deque<std::uint64_t> ends_;
};

TEST_F(PaneLogMemory, AWindowThatSlidesOnAllocatesNothing) {
  for (int i = 0; i < 20; ++i) slide(1000, 10);
  const std::size_t allocations = memory_.allocations();
  for (int i = 0; i < 200; ++i) slide(1000, 10);
  EXPECT_EQ(memory_.allocations(), allocations);
}

TEST_F(PaneLogMemory, OneLargeSliceIsForgottenAfterItsWindow) {
  for (int i = 0; i < 40; ++i) slide(1000, 4);
  const std::size_t before = memory_.bytes();
  slide(100'000, 4);
  EXPECT_GT(memory_.bytes(), 10 * before);
  for (int i = 0; i < 4 + 32; ++i) slide(1000, 4);
  EXPECT_LE(memory_.bytes(), before + 256 * 1024);
}

TEST_F(PaneLogMemory, WithoutEntriesNothingIsKeptOnRequestAndTheLogGoesOn) {
  slide(1000, 4);
  slide(1000, 1);
  log_.drop_before(log_.end());
  ends_.clear();
  log_.release_free();
  EXPECT_EQ(memory_.bytes(), 0U);
  for (std::uint8_t value = 1; value < 4; ++value) {
    const std::vector<std::byte> bytes(300 * kEntry, std::byte{value});
    log_.append(bytes.data(), 300);
  }
  EXPECT_EQ(log_.size(), 900U);
  std::size_t seen = 0;
  log_.visit(log_.begin(), log_.end(), [&](const std::byte* entries, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i, ++seen) {
      ASSERT_EQ(entries[i * kEntry], static_cast<std::byte>(seen / 300 + 1));
    }
  });
  EXPECT_EQ(seen, 900U);
}

}  // namespace
}  // namespace tidemark
