// The cells of a key table: where a hash is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "tidemark/operators/slot_array.h"

namespace tidemark {

// Open addressing with linear probing over 8-byte cells (hash tag, slot), which grows without a
// stop: next to a table that is full enough another of twice the size is cleared and filled, a few
// cells with every key that comes. Until it has all of them, keys are still found in the old one,
// which takes the new keys too; so looking up costs nothing more while the table grows.
//
// Litwin's linear hashing (1980) grows without a stop as well, but every look-up pays for it. Not
// thread-safe.
class KeyCells {
 public:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  explicit KeyCells(std::pmr::memory_resource& memory);
  ~KeyCells();
  KeyCells(const KeyCells&) = delete;
  KeyCells& operator=(const KeyCells&) = delete;

  // A hash is looked for from cell (hash & mask()) on, until a cell is kEmpty.
  const std::uint64_t* data() const { return table_.cells; }
  std::size_t mask() const { return table_.size - 1; }
  // At most about a quarter full, and so small that it mostly stays in the second-level cache.
  bool is_sparse() const { return table_.size <= kSparseCells; }
  static std::uint32_t slot_of(std::uint64_t cell) { return static_cast<std::uint32_t>(cell); }
  static bool same_tag(std::uint64_t cell, std::uint64_t hash) {
    return ((cell ^ hash) >> 32) == 0;
  }

  // Adds the newest of `keys` keys; `hashes` has that of each slot. Clears and moves at most
  // kClearedPerKey and kMovedPerKey cells.
  void add(std::uint32_t slot, const SlotArray<std::uint64_t>& hashes, std::size_t keys);

  // Empties the cells; takes as many as `keys` keys need if there are more than `slack` times as
  // many. Then put() those keys.
  void clear(std::size_t keys, std::size_t slack);
  void put(std::uint32_t slot, std::uint64_t hash) { put(table_, slot, hash); }

  // Cells moved to larger tables so far.
  std::uint64_t moved() const { return moved_in_all_; }

  // Up to this many cells the table is at most a quarter full, so that nearly every key has its
  // home cell. Larger ones are at most half full. While a table grows it takes a sixteenth of its
  // size more.
  static constexpr std::size_t kSparseCells = std::size_t{1} << 16;
  // A table takes a sixteenth of its size in new keys to grow.
  static constexpr std::size_t kClearedPerKey = 64;
  static constexpr std::size_t kMovedPerKey = 32;

 private:
  struct Table {
    std::uint64_t* cells = nullptr;
    std::size_t size = 0;
  };

  static std::size_t put(Table& table, std::uint32_t slot, std::uint64_t hash);
  Table allocate(std::size_t size);
  void release(Table& table);
  void grow_on(const SlotArray<std::uint64_t>& hashes);

  std::pmr::memory_resource& memory_;
  Table table_;
  // While the table grows: the next one, of which so many cells are empty or filled.
  Table next_;
  std::size_t cleared_ = 0;
  // Cells of table_ below this are in next_ too.
  std::size_t moved_ = 0;
  std::uint64_t moved_in_all_ = 0;
};

}  // namespace tidemark
