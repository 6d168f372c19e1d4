// Running state per key: what the live slices of the current window add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"

namespace tidemark {

// One row per key slot, made of `parts` entries side by side, and the list of live slots: those
// with at least one entry in a live slice. Not thread-safe.
class RunningRows {
 public:
  RunningRows(const AggregateLayout& layout, std::size_t parts, std::pmr::memory_resource& memory);

  // Live slots in no particular order.
  std::span<const std::uint32_t> live() const { return live_; }

  std::byte* part(std::uint32_t slot, std::size_t part) {
    return rows_.data() + slot * row_size_ + part * entry_size_;
  }

  // Makes rows for slots below `slot_count`; moves existing rows.
  void cover(std::size_t slot_count);

  // One more live entry for `slot`.
  void enter(std::uint32_t slot) {
    if (entries_[slot]++ == 0) add_live(slot);
  }
  // One less; the last one resets the row.
  void leave(std::uint32_t slot) {
    if (--entries_[slot] == 0) remove_live(slot);
  }
  std::uint32_t live_entries(std::uint32_t slot) const { return entries_[slot]; }

  // Sets one part of a slot's row to the state of no rows.
  void reset(std::uint32_t slot, std::size_t part);

 private:
  void add_live(std::uint32_t slot);
  void remove_live(std::uint32_t slot);

  const AggregateLayout& layout_;
  std::size_t entry_size_;
  std::size_t parts_;
  std::size_t row_size_;
  std::pmr::vector<std::byte> rows_;
  std::pmr::vector<std::uint32_t> entries_;
  std::pmr::vector<std::uint32_t> live_place_;
  std::pmr::vector<std::uint32_t> live_;
};

}  // namespace tidemark
