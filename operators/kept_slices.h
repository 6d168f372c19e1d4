// The entries of sealed slices, kept for as long as late rows may come for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
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
// summed up when they are first asked for, so that the next late row steps over them. Late rows are
// entries of their own beside those that were sealed. Not thread-safe.
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
  // What a key has in a range, oldest first; within a slice what was sealed comes first. Costs a
  // step for each entry from the newest one on back to the range's first slice, or, where blocks
  // are summed up, for each block. Valid until the next call of anything. Slots are below
  // `slot_count`.
  std::span<const Found> find(std::uint32_t slot, std::size_t slot_count, const Range& range);

  // Lets go of what lies before `slice`.
  void drop_before(std::int64_t slice);

  // Entries held here and not by the log's owner.
  std::size_t entries() const { return own_.size() + late_.size() + block_count_; }
  std::uint64_t merges() const { return merges_; }
  // Also those that the log's owner has no other use for, in slices before `slice`.
  std::size_t entries_before(std::int64_t slice) const;

  // Slots of entries in slices before `slice`, and of all late rows.
  void mark_live(std::int64_t slice, LiveSlots& live);
  // The entries of a shared log are left to its owner.
  void renumber(const SlotMap& map);

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  // Slices: near the square root of as many as a long window has.
  static constexpr std::int64_t kBlock = 32;

  struct Segment {
    std::int64_t slice;
    std::uint64_t begin;
    std::uint64_t end;
  };
  using Name = std::pair<std::uint32_t, std::int64_t>;  // slot and slice
  using Entry = std::pmr::vector<std::byte>;
  // What a key has in a block, late rows included.
  struct Block {
    std::uint64_t before = kNone;  // the key's newest entry before it
    std::optional<Entry> sum;
  };
  using Blocks = std::pmr::map<std::int64_t, Block>;  // by number

  // A place in the log, moving from new to old.
  class Cursor;

  static std::int64_t block_of(std::int64_t slice) { return floor_div(slice, kBlock); }
  static bool is_common(std::int64_t block, const Range& range) {
    return block * kBlock >= range.common_first && (block + 1) * kBlock - 1 <= range.common_last;
  }
  bool is_sealed(std::int64_t block) const {
    return (block + 1) * kBlock - 1 <= segments_.back().slice;
  }

  void link(std::size_t slot_count);
  void find_sealed(std::uint32_t slot, const Range& range);
  void find_late(std::uint32_t slot, const Range& range);
  // The sum of the block that the cursor stands in.
  Block& block_at(std::uint32_t slot, const Cursor& cursor);
  void sum_up(std::uint32_t slot, std::int64_t number, Cursor cursor, Block& block);
  void forget_links();
  void drop_blocks_before(std::int64_t slice);
  void renumber_blocks(const SlotMap& map);

  const AggregateLayout& layout_;
  PaneLog own_;
  PaneLog& log_;
  std::pmr::deque<Segment> segments_;
  // By position in the log, from linked_from_ on: the entry before it of the same slot.
  std::pmr::deque<std::uint64_t> links_;
  std::uint64_t linked_from_ = 0;
  std::pmr::vector<std::uint64_t> newest_;  // by slot

  std::pmr::map<Name, Entry> late_;
  std::pmr::map<std::int64_t, std::pmr::vector<std::uint32_t>> late_slots_;  // by slice
  std::pmr::vector<Found> found_;

  std::pmr::map<std::uint32_t, Blocks> blocks_;                               // by slot
  std::pmr::map<std::int64_t, std::pmr::vector<std::uint32_t>> block_slots_;  // by number
  std::size_t block_count_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
