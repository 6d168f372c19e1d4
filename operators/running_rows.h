// Running state per key: what the live slices of the current window add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/slot_array.h"

namespace tidemark {

// One row per key slot, made of `parts` entries side by side, and the list of live slots: those
// with at least one entry in a live slice. Not thread-safe.
class RunningRows {
 public:
  RunningRows(const AggregateLayout& layout, std::size_t parts, std::pmr::memory_resource& memory);
  ~RunningRows();
  RunningRows(const RunningRows&) = delete;
  RunningRows& operator=(const RunningRows&) = delete;

  // Live slots in no particular order.
  std::span<const std::uint32_t> live() const { return live_; }

  std::byte* part(std::uint32_t slot, std::size_t part) {
    return row_of(slot) + part * entry_size_;
  }

  // Makes rows for slots below `slot_count`. Takes time for the new ones only, but for the first
  // kChunk, which may move.
  void cover(std::size_t slot_count);

  // Fetches what the next call for `slot` will touch.
  void prefetch(std::uint32_t slot) const {
    const std::byte* row = row_of(slot);
    __builtin_prefetch(&keys_[slot], 1);
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + row_size_ - 1, 1);
  }

  // One more live entry for `slot`; true if it is the first: the slot is now last in live().
  bool enter(std::uint32_t slot) {
    if (keys_[slot].entries++ != 0) return false;
    add_live(slot);
    return true;
  }
  // One less. The last one resets the row and tells which position in live() the last slot of that
  // list now has instead.
  std::optional<std::uint32_t> leave(std::uint32_t slot) {
    if (--keys_[slot].entries != 0) return std::nullopt;
    return remove_live(slot);
  }
  std::uint32_t live_entries(std::uint32_t slot) const { return keys_[slot].entries; }
  // Of a live slot: its place in live().
  std::uint32_t position(std::uint32_t slot) const { return keys_[slot].position; }

  // A mark per slot; touch() is true if it was not set.
  bool touch(std::uint32_t slot) {
    const bool fresh = !keys_[slot].touched;
    keys_[slot].touched = true;
    return fresh;
  }
  bool touched(std::uint32_t slot) const { return keys_[slot].touched; }
  void untouch(std::uint32_t slot) { keys_[slot].touched = false; }

  // Sets one part of a slot's row to the state of no rows.
  void reset(std::uint32_t slot, std::size_t part);

  // Moves the rows of live slots to their new places, and makes rows for these alone. Positions in
  // live() stay.
  void renumber(const SlotMap& map);

 private:
  static constexpr std::size_t kChunk = SlotArray<std::byte>::kChunk;

  std::byte* row_of(std::size_t slot) {
    return chunks_[slot / kChunk].data() + slot % kChunk * row_size_;
  }
  const std::byte* row_of(std::size_t slot) const {
    return chunks_[slot / kChunk].data() + slot % kChunk * row_size_;
  }
  void resize_rows(std::size_t slots);
  void add_live(std::uint32_t slot);
  std::uint32_t remove_live(std::uint32_t slot);
  void write_initial(std::uint32_t slot, std::size_t part);

  struct Key {
    std::uint32_t entries = 0;
    std::uint32_t position : 31 = 0;
    bool touched : 1 = false;
  };

  const AggregateLayout& layout_;
  std::size_t entry_size_;
  std::size_t parts_;
  std::size_t row_size_;
  std::pmr::vector<std::pmr::vector<std::byte>> chunks_;  // of the rows of kChunk slots each
  SlotArray<Key> keys_;
  std::pmr::vector<std::uint32_t> live_;
};

}  // namespace tidemark
