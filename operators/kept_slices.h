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

namespace tidemark {

// Costs nothing per row and, where the log is another's, nothing per entry, until the first late
// row comes. From then on the entries of a key are linked, from new to old, as far as they are not
// yet: one step per entry in its life. Late rows are entries of their own beside those that were
// sealed. Not thread-safe.
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

  struct Found {
    std::int64_t slice;
    const std::byte* entry;
  };
  // What a key has in slices [first, last], oldest first; within a slice what was sealed comes
  // first. Costs a step per slice back from the newest one and a step per entry. Valid until the
  // next call of anything. Slots are below `slot_count`.
  std::span<const Found> find(std::uint32_t slot, std::size_t slot_count, std::int64_t first,
                              std::int64_t last);

  // Lets go of what lies before `slice`.
  void drop_before(std::int64_t slice);

  // Entries held here and not by the log's owner.
  std::size_t entries() const { return own_.size() + late_.size(); }
  // Also those that the log's owner has no other use for, in slices before `slice`.
  std::size_t entries_before(std::int64_t slice) const;

  // Slots of entries in slices before `slice`, and of all late rows.
  void mark_live(std::int64_t slice, LiveSlots& live);
  // The entries of a shared log are left to its owner.
  void renumber(const SlotMap& map);

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  struct Segment {
    std::int64_t slice;
    std::uint64_t begin;
    std::uint64_t end;
  };
  using Name = std::pair<std::uint32_t, std::int64_t>;  // slot and slice
  using Entry = std::pmr::vector<std::byte>;

  void link(std::size_t slot_count);
  void find_sealed(std::uint32_t slot, std::int64_t first, std::int64_t last);
  void find_late(std::uint32_t slot, std::int64_t first, std::int64_t last);
  void forget_links();

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
};

}  // namespace tidemark
