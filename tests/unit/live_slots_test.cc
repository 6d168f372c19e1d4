#include "tidemark/operators/live_slots.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_kernel.h"

namespace tidemark {
namespace {

std::pmr::memory_resource& memory() { return *std::pmr::new_delete_resource(); }

LiveSlots live_slots(std::size_t slots, const std::set<std::uint32_t>& live) {
  LiveSlots marked(slots, memory());
  for (const std::uint32_t slot : live) marked.mark(slot);
  return marked;
}

TEST(LiveSlots, HoldExactlyWhatIsMarked) {
  const std::set<std::uint32_t> live = {0, 1, 63, 64, 127, 128, 199};
  const LiveSlots marked = live_slots(200, live);
  for (std::uint32_t slot = 0; slot < 200; ++slot) {
    EXPECT_EQ(marked.contains(slot), live.contains(slot)) << slot;
  }
  EXPECT_EQ(marked.count(), live.size());
  EXPECT_EQ(marked.slots(), 200U);
}

TEST(LiveSlots, MarkingTwiceCountsAsOneSlotAndTwoSteps) {
  LiveSlots marked(10, memory());
  marked.mark(7);
  marked.mark(7);
  EXPECT_EQ(marked.count(), 1U);
  EXPECT_EQ(marked.marks(), 2U);
}

TEST(SlotMap, NumbersLiveSlotsInOrderWithoutHoles) {
  std::mt19937_64 random(5);
  for (const std::size_t slots : {1U, 63U, 64U, 65U, 1000U}) {
    for (const double share : {0.0, 0.1, 0.9, 1.0}) {
      std::set<std::uint32_t> live;
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if (std::bernoulli_distribution(share)(random)) live.insert(slot);
      }
      const LiveSlots marked = live_slots(slots, live);
      const SlotMap map(marked);
      EXPECT_EQ(map.new_size(), live.size());
      std::uint32_t number = 0;
      for (const std::uint32_t slot : live) EXPECT_EQ(map[slot], number++);
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        EXPECT_EQ(map.is_live(slot), live.contains(slot));
      }
    }
  }
}

TEST(SlotMap, WalksTheLiveSlotsBelowABound) {
  const LiveSlots marked = live_slots(300, {3, 64, 65, 200, 299});
  const SlotMap map(marked);
  for (const auto& [end, count] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 0}, {3, 0}, {4, 1}, {65, 2}, {200, 3}, {201, 4}, {300, 5}, {1000, 5}}) {
    std::vector<std::uint32_t> seen;
    map.for_each_below(end, [&](std::uint32_t from, std::uint32_t to) {
      EXPECT_EQ(map[from], to);
      seen.push_back(from);
    });
    EXPECT_EQ(seen.size(), count) << end;
  }
}

TEST(SlotMap, RenumbersEntriesWhereverTheyLie) {
  struct Entry {
    EntryHeader header;
    std::uint64_t state;
  };
  std::vector<Entry> entries = {{{9, 1}, 90}, {{2, 1}, 20}, {{70, 1}, 700}, {{2, 0}, 21}};
  auto* bytes = reinterpret_cast<std::byte*>(entries.data());
  LiveSlots marked(100, memory());
  marked.mark_entries(bytes, entries.size(), sizeof(Entry));
  SlotMap(marked).renumber_entries(bytes, entries.size(), sizeof(Entry));
  EXPECT_EQ(entries[0].header.slot, 1U);
  EXPECT_EQ(entries[1].header.slot, 0U);
  EXPECT_EQ(entries[2].header.slot, 2U);
  EXPECT_EQ(entries[3].header.slot, 0U);
  EXPECT_EQ(entries[2].state, 700U);
  EXPECT_EQ(entries[3].header.valid, 0U);
}

}  // namespace
}  // namespace tidemark
