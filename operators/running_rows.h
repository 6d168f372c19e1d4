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

// One row per key slot, made of an entry's first section and `parts` second ones (see
// AggregateLayout), and the list of live slots: those with at least one entry in a live slice. In a
// row's header is no slot, but a tag, of whatever meaning, that is 0 at first. Not thread-safe.
class RunningRows {
 public:
  RunningRows(const AggregateLayout& layout, std::size_t parts, std::pmr::memory_resource& memory);
  ~RunningRows();
  RunningRows(const RunningRows&) = delete;
  RunningRows& operator=(const RunningRows&) = delete;

  // Live slots in no particular order.
  std::span<const std::uint32_t> live() const { return live_; }

  std::byte* row(std::uint32_t slot) { return row_of(slot); }
  const std::byte* row(std::uint32_t slot) const { return row_of(slot); }
  static std::uint32_t& tag(std::byte* row) { return entry_header(row).slot; }

  // Makes rows for slots below `slot_count`. Takes time for the new ones only, but for the first
  // kChunk, which may move.
  void cover(std::size_t slot_count);

  // Fetches what the next calls for `slot` will touch, or of that the row alone.
  void prefetch(std::uint32_t slot) const {
    __builtin_prefetch(&keys_[slot], 1);
    prefetch_row(slot);
  }
  void prefetch_row(std::uint32_t slot) const {
    const std::byte* row = row_of(slot);
    __builtin_prefetch(row, 1);
    if (row_size_ > sizeof(Line)) __builtin_prefetch(row + row_size_ - 1, 1);
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

  // Sets a slot's row to the state of no rows, and one part of a row; the tag stays.
  void reset(std::uint32_t slot);
  void reset_part(std::byte* row, std::size_t part);
  // One part of a row takes the place of another, and is that of no rows then.
  void move_part(std::byte* row, std::size_t from, std::size_t to);

  // Moves the rows of live slots to their new places, and makes rows for these alone. Positions in
  // live() stay.
  void renumber(const SlotMap& map);

 private:
  static constexpr std::size_t kChunk = SlotArray<std::byte>::kChunk;

  // So that a row of a cache line's size lies in one.
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::byte* row_of(std::size_t slot) {
    return chunks_[slot / kChunk].front().bytes + slot % kChunk * row_size_;
  }
  const std::byte* row_of(std::size_t slot) const {
    return chunks_[slot / kChunk].front().bytes + slot % kChunk * row_size_;
  }
  std::size_t lines(std::size_t rows) const {
    return (rows * row_size_ + sizeof(Line) - 1) / sizeof(Line);
  }
  void resize_rows(std::size_t slots);
  void add_live(std::uint32_t slot);
  std::uint32_t remove_live(std::uint32_t slot);
  void release_parts(std::byte* row) const;

  struct Key {
    std::uint32_t entries = 0;
    std::uint32_t position = 0;
  };

  const AggregateLayout& layout_;
  std::size_t parts_;
  std::size_t row_size_;
  std::vector<std::byte> initial_;                   // a row of no rows
  std::pmr::vector<std::pmr::vector<Line>> chunks_;  // of the rows of kChunk slots each
  SlotArray<Key> keys_;
  std::pmr::vector<std::uint32_t> live_;
};

}  // namespace tidemark
