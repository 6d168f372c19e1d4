// The entries of sealed slices, kept for as long as late rows may come for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/pane_log.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Costs nothing per row and, where the log is another's, nothing per entry, until the first late
// row comes. From then on the entries of a key are linked, from new to old, as far as they are not
// yet: one step per entry in its life. For a key that has late rows, whole blocks of slices are
// summed up when they are first asked for, so that the next late row steps over them: that takes an
// entry per block. Late rows are entries of their own beside those that were sealed. Not
// thread-safe.
class KeptSlices {
 public:
  // With a log that holds every sealed slice as it was, and from which nobody else drops, nothing
  // is copied. Null: the log's owner rewrites entries, so there are copies here.
  KeptSlices(const AggregateLayout& layout, PaneLog* shared, std::pmr::memory_resource& memory);

  bool shares_log() const { return &log_ != &own_; }

  // The next slice has been sealed: the last `n` entries of a shared log, or to be copied.
  void seal(std::int64_t slice, const std::byte* entries, std::size_t n);
  // A late row, as an entry.
  void add(std::int64_t slice, const std::byte* entry);

  // Slices [first, last], and those among them that need not be told apart, which have been sealed.
  struct Range {
    std::int64_t first;
    std::int64_t last;
    std::int64_t common_first;
    std::int64_t common_last;
  };
  struct Found {
    std::int64_t slice;  // or one of the common ones
    const std::byte* entry;
  };
  // What a key that has a late row has in a range, oldest first; within a slice what was sealed
  // comes first. Costs a step for each entry from the newest one on back to the range's first
  // slice, or, where blocks are summed up, for each block. Valid until the next call of anything,
  // which is to add the row. Slots are below `slot_count`.
  std::span<const Found> find(std::uint32_t slot, std::size_t slot_count, const Range& range);

  // Lets go of what lies before `slice`.
  void drop_before(std::int64_t slice);

  // Entries held here and not by the log's owner.
  std::size_t entries() const { return own_.size() + late_count_ + block_count_; }
  std::uint64_t merges() const { return merges_; }
  // Also those that the log's owner has no other use for, in slices before `slice`.
  std::size_t entries_before(std::int64_t slice) const;

  // Slots of entries in slices before `slice`, and of all late rows.
  void mark_live(std::int64_t slice, LiveSlots& live);
  // The entries of a shared log are left to its owner.
  void renumber(const SlotMap& map);

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kUnknown = kNone - 1;
  // Slices: near the square root of as many as a long window has.
  static constexpr std::int64_t kBlock = 32;

  struct Segment {
    std::int64_t slice;
    std::uint64_t begin;
    std::uint64_t end;
  };
  using Entry = std::pmr::vector<std::byte>;
  struct Block {
    std::uint64_t before = kUnknown;  // the key's newest entry before it
    std::uint32_t entries = 0;        // that are summed up, late rows included
  };
  // What there is for a key with late rows beside the log.
  struct Key {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit Key(const allocator_type& memory) : late(memory), blocks(memory), sums(memory) {}
    Key(Key&& other, const allocator_type& memory)
        : late(std::move(other.late), memory),
          first(other.first),
          blocks(std::move(other.blocks), memory),
          sums(std::move(other.sums), memory) {}

    std::pmr::map<std::int64_t, Entry> late;  // by slice
    // Neighbouring blocks from number `first` on, and their entries side by side.
    std::int64_t first = 0;
    std::pmr::vector<Block> blocks;
    std::pmr::vector<std::byte> sums;
  };

  // A place in the log, moving from new to old.
  class Cursor;

  static std::int64_t block_of(std::int64_t slice) { return floor_div(slice, kBlock); }
  // The first block that begins with `slice` or later, and the last that ends with it or before.
  static std::int64_t block_from(std::int64_t slice) { return block_of(slice + kBlock - 1); }
  static std::int64_t block_through(std::int64_t slice) { return block_of(slice + 1) - 1; }

  bool blocks_pay(const Key& key, std::int64_t first, std::int64_t last) const;
  void link(std::size_t slot_count);
  // Takes single entries as far as they are of the range, down to those of `slice`.
  void find_single(Cursor& cursor, const Range& range, std::int64_t slice);
  // Steps over blocks [first, last], of which the cursor has come to the end, and takes their sums.
  void find_blocks(Cursor& cursor, Key& key, std::int64_t first, std::int64_t last, bool take);
  void find_late(const Key& key, std::int64_t first, std::int64_t last);
  void cover(Key& key, std::int64_t first, std::int64_t last);
  void sum_up(Key& key, std::int64_t number, Cursor& cursor);
  std::byte* sum_of(Key& key, std::int64_t number) {
    return key.sums.data() + static_cast<std::size_t>(number - key.first) * layout_.entry_size();
  }
  void merge(std::byte* into, const std::byte* from) {
    layout_.merge(&into, from, 1);
    ++merges_;
  }
  void forget_links();

  const AggregateLayout& layout_;
  PaneLog own_;
  PaneLog& log_;
  std::pmr::unsynchronized_pool_resource nodes_;  // of the deques, used again
  std::pmr::deque<Segment> segments_{&nodes_};
  // By position in the log, from linked_from_ on: the entry before it of the same slot.
  std::pmr::deque<std::uint64_t> links_;
  std::uint64_t linked_from_ = 0;
  std::pmr::vector<std::uint64_t> newest_;  // by slot

  std::pmr::unordered_map<std::uint32_t, Key> keys_;                         // by slot
  std::pmr::map<std::int64_t, std::pmr::vector<std::uint32_t>> late_slots_;  // by slice
  std::size_t late_count_ = 0;
  std::size_t block_count_ = 0;
  std::int64_t first_kept_ = kNoWatermark;

  std::pmr::vector<Found> found_;
  Entry exchanged_;
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
