// The state of one open slice or window: compact entries for the keys that touched it, in
// first-touch order, and an index from key slot to entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/recent_peak.h"

namespace tidemark {

// The index is an array over slots while the pane holds a fair share of all keys, and a small hash
// table otherwise. The array needs no clearing: its cells are numbered on from one use of the pane
// to the next, so that those of before are below all that are valid. Panes are recycled with their
// memory. Not thread-safe.
class Pane {
 public:
  Pane(const AggregateLayout& layout, std::pmr::memory_resource& memory);
  ~Pane() { layout_.release(entries_.data(), size_); }
  Pane(const Pane&) = delete;
  Pane& operator=(const Pane&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Entries lie layout.entry_size() bytes apart.
  std::byte* entries() { return entries_.data(); }
  const std::byte* entries() const { return entries_.data(); }

  // Makes room for `rows` more entries of slots below `slot_count`. Entries stay where they are
  // until the next call with another `stamp`, so that pointers last for one chunk of rows.
  void prepare(std::uint64_t stamp, std::size_t rows, std::size_t slot_count);

  // The entry of `slot`, added empty if it is not there. Needs room from prepare().
  std::byte* find_or_add(std::uint32_t slot);
  // The same, and sets `valid` bits; for one slot or many.
  std::byte* find_or_add(std::uint32_t slot, std::uint32_t valid);
  void find_or_add(std::span<const std::uint32_t> slots, std::uint32_t valid, std::byte** entries);

  // Forgets all entries and keeps the memory.
  void clear();

  // Of an empty pane: gives memory back that is far more than this many entries and index cells
  // take.
  void trim(std::size_t entries, std::size_t index_cells);
  // Index cells that what was last in the pane had use for.
  std::size_t index_cells() const { return dense_ ? slot_count_ : 2 * size_; }

  // Nothing more is added before clear(): gives back what is far more than the entries take.
  void pack();
  // Forgets all entries and gives all memory back.
  void release();

  void mark_live(LiveSlots& live) const { live.mark_entries(entries_.data(), size_, entry_size_); }
  // All entries are of live slots. Lets go of memory that is not in use.
  void renumber(const SlotMap& map);

 private:
  std::byte* add(std::uint32_t slot);
  void write_initial_states(std::size_t from, std::size_t to);
  void use_dense(std::size_t slot_count);
  void use_hash(std::size_t entries);
  void fill_index();
  // Of a dense index: no slot has an entry.
  void forget_index();
  void drop_index();
  void shrink_entries(std::size_t entries);
  std::size_t hash_place(std::uint32_t slot) const {
    return (slot * std::size_t{0x9e3779b97f4a7c15ULL}) >> hash_shift_;
  }
  std::byte* find_or_add_hashed(std::uint32_t slot);
  void find_or_add_all_dense(std::span<const std::uint32_t> slots, std::uint32_t valid,
                             std::byte** entries);
  std::byte* find_or_add_dense(std::uint32_t slot);

  const AggregateLayout& layout_;
  std::size_t entry_size_;
  std::size_t size_ = 0;
  std::size_t slot_count_ = 0;
  std::uint64_t stamp_ = 0;
  bool dense_ = true;
  // What entry 0 is in a dense index; cells outside [index_base_, index_base_ + size_) are stale.
  std::uint32_t index_base_ = 1;
  // Valid bits that all entries have.
  std::uint32_t common_valid_ = ~std::uint32_t{0};
  int hash_shift_ = 64;
  std::pmr::vector<std::byte> entries_;
  std::pmr::vector<std::uint32_t> index_;
};

// Owns panes and hands empty ones out again. Memory of free ones is kept as far as panes have
// lately needed it, so that a stream that goes on as before allocates nothing.
class PanePool {
 public:
  PanePool(const AggregateLayout& layout, std::pmr::memory_resource& memory)
      : layout_(layout), memory_(memory) {}

  Pane* take();
  void give_back(Pane* pane);
  // Lets go of the free ones.
  void release_free();

 private:
  // Keeps as many free panes as could soon be in use, of a size that panes lately had.
  void trim();
  // The first `count` of the free ones, which have been free for longest.
  void drop_free(std::size_t count);

  static constexpr std::size_t kRecent = 16;  // panes

  const AggregateLayout& layout_;
  std::pmr::memory_resource& memory_;
  std::vector<std::unique_ptr<Pane>> panes_;
  std::vector<Pane*> free_;  // the last is taken first
  RecentPeak panes_in_use_{kRecent};
  RecentPeak pane_entries_{kRecent};
  RecentPeak pane_index_cells_{kRecent};
};

}  // namespace tidemark
