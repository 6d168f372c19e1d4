#include "tidemark/operators/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark {

namespace {

constexpr std::size_t kInitialCells = 256;
// Up to this many cells the table is at most a quarter full: it fits the second-level cache then,
// and nearly every key has its home cell. Larger ones are at most half full.
constexpr std::size_t kSparseCells = std::size_t{1} << 16;

// Cells beyond this many times the needed ones go back to the allocator.
constexpr std::size_t kSlack = 4;

// How many cells a key takes at least, in a table of `cells`.
constexpr std::size_t spread(std::size_t cells) { return cells <= kSparseCells ? 4 : 2; }

constexpr std::uint64_t make_cell(std::uint64_t hash, std::size_t slot) {
  return (hash & 0xffffffff00000000ULL) | slot;
}
constexpr std::uint32_t slot_of(std::uint64_t cell) { return static_cast<std::uint32_t>(cell); }
constexpr bool same_tag(std::uint64_t cell, std::uint64_t hash) {
  return ((cell ^ hash) >> 32) == 0;
}

}  // namespace

KeyTable::KeyTable(const Schema& keys, std::pmr::memory_resource& memory)
    : cells_(kInitialCells, kEmpty, &memory),
      mask_(kInitialCells - 1),
      hashes_(&memory),
      free_(&memory) {
  columns_.reserve(keys.size());
  for (const Field& key : keys) columns_.emplace_back(key.type, memory);
}

// Most keys lie in their home cell. Those are found without a branch, so that the loads of many
// rows overlap; the rest are looked up one by one.
template <typename Matches>
void KeyTable::probe_rows(const Batch& batch, std::size_t begin, std::span<std::uint32_t> slots,
                          const Matches& matches_key) {
  const std::uint64_t* hashes = batch.hashes() + begin;
  const std::size_t rows = slots.size();
  missed_.resize(rows);
  std::size_t missed = 0;
  if (slot_count_ > 0) {
    const std::uint64_t* const cells = cells_.data();
    const std::size_t mask = mask_;
    std::uint32_t* const found = slots.data();
    std::uint16_t* const missed_rows = missed_.data();
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t cell = cells[hashes[i] & mask];
      const bool same = same_tag(cell, hashes[i]) & (cell != kEmpty);
      const std::uint32_t slot = slot_of(cell) & (0U - static_cast<std::uint32_t>(same));
      found[i] = slot;
      missed_rows[missed] = static_cast<std::uint16_t>(i);
      missed += static_cast<std::size_t>(!(same & matches_key(slot, begin + i)));
    }
  } else {
    for (; missed < rows; ++missed) missed_[missed] = static_cast<std::uint16_t>(missed);
  }
  for (std::size_t i = 0; i < missed; ++i) {
    const std::size_t row = missed_[i];
    slots[row] = find_or_insert_one(batch, begin + row, matches_key);
  }
}

template <typename Matches>
std::uint32_t KeyTable::find_or_insert_one(const Batch& batch, std::size_t row,
                                           const Matches& matches_key) {
  const std::uint64_t hash = batch.hashes()[row];
  for (std::size_t place = hash & mask_;; place = (place + 1) & mask_) {
    const std::uint64_t cell = cells_[place];
    if (cell == kEmpty) return insert(batch, row);
    if (same_tag(cell, hash) && matches_key(slot_of(cell), row)) return slot_of(cell);
  }
}

void KeyTable::find_or_insert(const Batch& batch, std::size_t begin,
                              std::span<std::uint32_t> slots) {
  const bool single_integer = columns_.size() == 1 && columns_[0].type == ColumnType::kInt64 &&
                              !columns_[0].has_nulls && !batch.column(0).has_nulls();
  if (single_integer) {
    const std::int64_t* keys = batch.column(0).int64s();
    const std::int64_t* const* known = &known_integers_;
    probe_rows(batch, begin, slots, [keys, known](std::uint32_t slot, std::size_t row) {
      return (*known)[slot] == keys[row];
    });
  } else {
    probe_rows(batch, begin, slots,
               [&](std::uint32_t slot, std::size_t row) { return matches(slot, batch, row); });
  }
}

bool KeyTable::matches(std::uint32_t slot, const Batch& batch, std::size_t row) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const KeyColumn& column = columns_[i];
    const Column& cells = batch.column(i);
    const bool is_null = cells.is_null(row);
    if (is_null != (column.nulls[slot] != 0)) return false;
    if (is_null) continue;
    if (column.type == ColumnType::kInt64) {
      if (column.int64s[slot] != cells.int64s()[row]) return false;
    } else if (std::string_view(column.strings[slot]) != cells.string(row)) {
      return false;
    }
  }
  return true;
}

std::uint32_t KeyTable::insert(const Batch& batch, std::size_t row) {
  if (cells_.size() < (size() + 1) * spread(cells_.size())) grow();
  if (free_.empty()) add_slot();
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  hashes_[slot] = batch.hashes()[row];
  set_key(slot, batch, row);
  place(slot);
  ++inserted_;
  peak_size_ = std::max(peak_size_, size());
  return slot;
}

void KeyTable::add_slot() {
  for (KeyColumn& column : columns_) {
    column.nulls.emplace_back();
    if (column.type == ColumnType::kInt64) {
      column.int64s.emplace_back();
    } else {
      column.strings.emplace_back();
    }
  }
  if (!columns_.empty()) known_integers_ = columns_[0].int64s.data();
  hashes_.emplace_back();
  free_.push_back(static_cast<std::uint32_t>(slot_count_++));
}

void KeyTable::set_key(std::uint32_t slot, const Batch& batch, std::size_t row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    KeyColumn& column = columns_[i];
    const Column& cells = batch.column(i);
    const bool is_null = cells.is_null(row);
    column.nulls[slot] = static_cast<std::uint8_t>(is_null);
    column.has_nulls |= is_null;
    if (column.type == ColumnType::kInt64) {
      column.int64s[slot] = is_null ? 0 : cells.int64s()[row];
    } else {
      column.strings[slot] = is_null ? std::string_view{} : cells.string(row);
    }
  }
}

void KeyTable::place(std::uint32_t slot) {
  std::size_t cell = hashes_[slot] & mask_;
  while (cells_[cell] != kEmpty) cell = (cell + 1) & mask_;
  cells_[cell] = make_cell(hashes_[slot], slot);
}

void KeyTable::grow() {
  const std::pmr::vector<std::uint64_t> old = std::exchange(
      cells_, std::pmr::vector<std::uint64_t>(cells_.size() * 2, kEmpty, cells_.get_allocator()));
  mask_ = cells_.size() - 1;
  for (const std::uint64_t cell : old) {
    if (cell != kEmpty) place(slot_of(cell));
  }
}

void KeyTable::clear_cells(std::size_t keys, std::size_t slack) {
  std::size_t needed = kInitialCells;
  while (needed < keys * spread(needed)) needed *= 2;
  if (cells_.size() > slack * needed) {
    cells_ = std::pmr::vector<std::uint64_t>(needed, kEmpty, cells_.get_allocator());
    mask_ = needed - 1;
  } else {
    std::fill(cells_.begin(), cells_.end(), kEmpty);
  }
}

void KeyTable::drop_others(const LiveSlots& live) {
  clear_cells(live.count(), kSlack);
  live.for_each_below(slot_count_, [&](std::uint32_t slot) { place(slot); });
  free_.clear();
  for (std::size_t slot = slot_count_; slot-- > 0;) {
    if (!live.contains(slot)) free_.push_back(static_cast<std::uint32_t>(slot));
  }
  for (KeyColumn& column : columns_) {
    const bool had_nulls = std::exchange(column.has_nulls, false);
    if (had_nulls) {
      live.for_each_below(slot_count_,
                          [&](std::uint32_t slot) { column.has_nulls |= column.nulls[slot] != 0; });
    }
    if (column.type != ColumnType::kString) continue;
    for (const std::uint32_t slot : free_) {
      column.strings[slot].clear();
      column.strings[slot].shrink_to_fit();
    }
  }
}

void KeyTable::compact(const SlotMap& map) {
  const auto keep = [&](auto& cells) {
    map.for_each_below(slot_count_, [&](std::uint32_t from, std::uint32_t to) {
      if (from != to) cells[to] = std::move(cells[from]);
    });
    cells.resize(map.new_size());
    cells.shrink_to_fit();
  };
  for (KeyColumn& column : columns_) {
    keep(column.nulls);
    if (column.type == ColumnType::kInt64) {
      keep(column.int64s);
    } else {
      keep(column.strings);
    }
  }
  keep(hashes_);
  if (!columns_.empty()) known_integers_ = columns_[0].int64s.data();
  slot_count_ = map.new_size();
  free_.clear();
  free_.shrink_to_fit();
  clear_cells(slot_count_, 1);
  for (std::size_t slot = 0; slot < slot_count_; ++slot) place(static_cast<std::uint32_t>(slot));
}

void KeyTable::copy_keys(std::span<const std::uint32_t> slots, Batch& out, std::size_t first_column,
                         std::size_t at) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const KeyColumn& column = columns_[i];
    Column& to = out.column(first_column + i);
    if (column.type == ColumnType::kInt64) {
      std::int64_t* cells = to.int64s() + at;
      for (std::size_t row = 0; row < slots.size(); ++row) cells[row] = column.int64s[slots[row]];
    } else {
      for (std::size_t row = 0; row < slots.size(); ++row) {
        to.set_string(at + row, column.strings[slots[row]]);
      }
    }
    if (!column.has_nulls) continue;
    for (std::size_t row = 0; row < slots.size(); ++row) {
      if (column.nulls[slots[row]] != 0) to.set_null(at + row);
    }
  }
}

std::string KeyTable::text(std::uint32_t slot) const {
  std::string text;
  for (const KeyColumn& column : columns_) {
    if (!text.empty()) text += ',';
    if (column.nulls[slot] != 0) {
      text += "NULL";
    } else if (column.type == ColumnType::kInt64) {
      text += fmt::format("{}", column.int64s[slot]);
    } else {
      text += column.strings[slot];
    }
  }
  return text;
}

}  // namespace tidemark
