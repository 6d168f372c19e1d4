// Keys live once: a table that gives each key of a window stage a slot number, while it is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "tidemark/operators/key_cells.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/slot_array.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Open addressing over small cells (see KeyCells); the key itself is compared in dense columns by
// slot. Keys that no state names any more are dropped and their slots given to new keys; compact()
// makes slots dense again. New keys make the table grow without a stop. Not thread-safe.
class KeyTable {
 public:
  KeyTable(const Schema& keys, std::pmr::memory_resource& memory);

  // Writes the slot of rows [begin, begin + slots.size()) of `batch`, whose first columns are the
  // keys and whose hashes are filled; new keys get the lowest free slots.
  void find_or_insert(const Batch& batch, std::size_t begin, std::span<std::uint32_t> slots);
  // Keys that would be one too many are not taken in: the slot of their rows is kNoSlot. No limit
  // at first.
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  void limit_to(std::size_t keys) { most_keys_ = keys; }

  // Number of keys held now, at most so far, and ever added (again, if they were dropped).
  std::size_t size() const { return slot_count_ - free_.size(); }
  std::size_t peak_size() const { return peak_size_; }
  std::uint64_t inserted() const { return inserted_; }
  // Cells moved so far because the table grew.
  std::uint64_t cells_moved() const { return cells_.moved(); }
  // Slots are below this. Some may be free.
  std::size_t slot_count() const { return slot_count_; }

  // Forgets all keys, and keeps the memory.
  void clear();
  // Forgets all keys whose slots are not in `live`, which covers slot_count() slots.
  void drop_others(const LiveSlots& live);
  // The same, and gives the rest new slots; lets go of all memory that they do not need.
  void compact(const SlotMap& map);

  // Writes the keys of `slots` into key columns [column, ...) of `out`, rows from `at` on.
  void copy_keys(std::span<const std::uint32_t> slots, Batch& out, std::size_t column,
                 std::size_t at) const;

  // There are keys, all are int64s, and none of them is NULL.
  bool are_plain() const;
  std::size_t column_count() const { return columns_.size(); }
  // Of plain keys: writes one column of those of `slots` to cells[0, ...).
  void gather(std::span<const std::uint32_t> slots, std::size_t column, std::uint64_t* cells) const;

  // For messages: the key columns joined by ',', NULL for none.
  std::string text(std::uint32_t slot) const;

 private:
  struct KeyColumn {
    KeyColumn(ColumnType column_type, std::pmr::memory_resource& memory)
        : type(column_type), int64s(memory), strings(memory), nulls(memory) {}
    ColumnType type;
    SlotArray<std::int64_t> int64s;
    SlotArray<std::pmr::string> strings;
    SlotArray<std::uint8_t> nulls;
    bool has_nulls = false;
  };

  bool matches(std::uint32_t slot, const Batch& batch, std::size_t row) const;
  std::uint32_t insert(const Batch& batch, std::size_t row);
  void set_key(std::uint32_t slot, const Batch& batch, std::size_t row);
  void add_slot();
  // Finds what is in the first cells of its hash; writes the others to missed_ and returns how many
  // they are.
  template <std::size_t kProbes, typename Matches>
  std::size_t probe_first_cells(const std::uint64_t* hashes, std::size_t begin,
                                std::span<std::uint32_t> slots, const Matches& matches_key);
  template <typename Matches>
  std::size_t probe_missed(const std::uint64_t* hashes, std::size_t begin, std::size_t missed,
                           std::size_t place, std::span<std::uint32_t> slots,
                           const Matches& matches_key);
  template <typename Matches>
  void probe_rows(const Batch& batch, std::size_t begin, std::span<std::uint32_t> slots,
                  const Matches& matches_key);
  template <typename Matches>
  std::uint32_t find_or_insert_one(const Batch& batch, std::size_t row, const Matches& matches_key);

  KeyCells cells_;
  std::size_t slot_count_ = 0;
  std::size_t most_keys_ = kNoSlot;
  std::size_t peak_size_ = 0;
  std::uint64_t inserted_ = 0;
  std::vector<KeyColumn> columns_;
  const std::int64_t* known_integers_ = nullptr;  // the first column's first chunk
  SlotArray<std::uint64_t> hashes_;
  std::pmr::vector<std::uint32_t> free_;  // the lowest is the last
  // Of a chunk of rows: whether the key is in its first cells (1 or 0), and those where it is not.
  std::vector<std::uint32_t> matched_;
  std::vector<std::uint16_t> missed_;
};

}  // namespace tidemark
