#include "tidemark/operators/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark {

namespace {

// Cells beyond this many times the needed ones go back to the allocator.
constexpr std::size_t kTableSlack = 4;

}  // namespace

KeyTable::KeyTable(const Schema& keys, std::pmr::memory_resource& memory)
    : cells_(memory), hashes_(memory), free_(&memory) {
  columns_.reserve(keys.size());
  for (const Field& key : keys) columns_.emplace_back(key.type, memory);
}

// Most keys lie in their home cell, and in a table that is up to half full most others in the next
// one. Those are found without a branch, so that the loads of many rows overlap; the rest are
// looked up one by one. Cells and keys are read in a loop each: in one loop half as many rows fit
// into what the processor looks ahead.
template <std::size_t kProbes, typename Matches>
std::size_t KeyTable::probe_first_cells(const std::uint64_t* hashes, std::size_t begin,
                                        std::span<std::uint32_t> slots,
                                        const Matches& matches_key) {
  const std::uint64_t* const cells = cells_.data();
  const std::size_t mask = cells_.mask();
  const std::size_t rows = slots.size();
  std::uint32_t* const found = slots.data();
  std::uint32_t* const matched = matched_.data();
  if constexpr (kProbes > 1) {
    for (std::size_t i = 0; i < rows; ++i) __builtin_prefetch(&cells[hashes[i] & mask]);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint64_t cell = cells[hashes[i] & mask];
    if constexpr (kProbes > 1) {
      const std::uint64_t next = cells[(hashes[i] + 1) & mask];
      const bool is_home = KeyCells::same_tag(cell, hashes[i]) & (cell != KeyCells::kEmpty);
      cell = is_home ? cell : next;
    }
    const bool same = KeyCells::same_tag(cell, hashes[i]) & (cell != KeyCells::kEmpty);
    matched[i] = static_cast<std::uint32_t>(same);
    found[i] = KeyCells::slot_of(cell) & (0U - matched[i]);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    matched[i] &= static_cast<std::uint32_t>(matches_key(found[i], begin + i));
  }
  std::uint16_t* const missed_rows = missed_.data();
  std::size_t missed = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    missed_rows[missed] = static_cast<std::uint16_t>(i);
    missed += std::size_t{matched[i] ^ 1U};
  }
  return missed;
}

template <typename Matches>
void KeyTable::probe_rows(const Batch& batch, std::size_t begin, std::span<std::uint32_t> slots,
                          const Matches& matches_key) {
  const std::uint64_t* hashes = batch.hashes() + begin;
  const std::size_t rows = slots.size();
  missed_.resize(rows);
  matched_.resize(rows);
  std::size_t missed = 0;
  const std::size_t probes = cells_.is_sparse() ? 1 : 2;
  if (slot_count_ == 0) {
    for (; missed < rows; ++missed) missed_[missed] = static_cast<std::uint16_t>(missed);
  } else if (probes == 1) {
    missed = probe_first_cells<1>(hashes, begin, slots, matches_key);
  } else {
    missed = probe_first_cells<2>(hashes, begin, slots, matches_key);
  }
  // Two more cells without a branch leave next to none for the loop that has one; unless most keys
  // are new, and that branch is foreseen.
  const bool few_missed = missed < rows / 4;
  for (std::size_t place = probes; few_missed && place < probes + 2; ++place) {
    missed = probe_missed(hashes, begin, missed, place, slots, matches_key);
  }
  for (std::size_t i = 0; i < missed; ++i) {
    const std::size_t row = missed_[i];
    slots[row] = find_or_insert_one(batch, begin + row, matches_key);
  }
}

// Looks for the first `missed` rows of missed_ in one cell each, `place` cells behind their home,
// and keeps those in missed_ whose key is not there.
template <typename Matches>
std::size_t KeyTable::probe_missed(const std::uint64_t* hashes, std::size_t begin,
                                   std::size_t missed, std::size_t place,
                                   std::span<std::uint32_t> slots, const Matches& matches_key) {
  const std::uint64_t* const cells = cells_.data();
  const std::size_t mask = cells_.mask();
  std::uint16_t* const rows = missed_.data();
  std::size_t left = 0;
  for (std::size_t i = 0; i < missed; ++i) {
    const std::size_t row = rows[i];
    const std::uint64_t cell = cells[(hashes[row] + place) & mask];
    const bool same = KeyCells::same_tag(cell, hashes[row]) & (cell != KeyCells::kEmpty);
    const std::uint32_t slot = KeyCells::slot_of(cell) & (0U - static_cast<std::uint32_t>(same));
    slots[row] = slot;
    rows[left] = static_cast<std::uint16_t>(row);
    left += static_cast<std::size_t>(!(same & matches_key(slot, begin + row)));
  }
  return left;
}

template <typename Matches>
std::uint32_t KeyTable::find_or_insert_one(const Batch& batch, std::size_t row,
                                           const Matches& matches_key) {
  const std::uint64_t hash = batch.hashes()[row];
  const std::size_t mask = cells_.mask();
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    const std::uint64_t cell = cells_.data()[place];
    if (cell == KeyCells::kEmpty) return size() < most_keys_ ? insert(batch, row) : kNoSlot;
    const std::uint32_t slot = KeyCells::slot_of(cell);
    if (KeyCells::same_tag(cell, hash) && matches_key(slot, row)) return slot;
  }
}

// A single key column without NULLs is compared in the loop; anything else by a call for each row.
void KeyTable::find_or_insert(const Batch& batch, std::size_t begin,
                              std::span<std::uint32_t> slots) {
  const bool is_single =
      columns_.size() == 1 && !columns_[0].has_nulls && !batch.column(0).has_nulls();
  if (!is_single) {
    probe_rows(batch, begin, slots,
               [&](std::uint32_t slot, std::size_t row) { return matches(slot, batch, row); });
  } else if (columns_[0].type == ColumnType::kString) {
    const SlotArray<std::pmr::string>& known = columns_[0].strings;
    const Column& keys = batch.column(0);
    probe_rows(batch, begin, slots, [&known, &keys](std::uint32_t slot, std::size_t row) {
      return std::string_view(known[slot]) == keys.string(row);
    });
  } else if (slot_count_ + slots.size() <= SlotArray<std::int64_t>::kChunk) {
    const std::int64_t* keys = batch.column(0).int64s();
    const std::int64_t* const* known = &known_integers_;
    probe_rows(batch, begin, slots, [keys, known](std::uint32_t slot, std::size_t row) {
      return (*known)[slot] == keys[row];
    });
  } else {
    const std::int64_t* keys = batch.column(0).int64s();
    const SlotArray<std::int64_t>& known = columns_[0].int64s;
    probe_rows(batch, begin, slots, [keys, &known](std::uint32_t slot, std::size_t row) {
      return known[slot] == keys[row];
    });
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
  if (free_.empty()) add_slot();
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  hashes_[slot] = batch.hashes()[row];
  set_key(slot, batch, row);
  cells_.add(slot, hashes_, size());
  ++inserted_;
  peak_size_ = std::max(peak_size_, size());
  return slot;
}

void KeyTable::add_slot() {
  for (KeyColumn& column : columns_) {
    column.nulls.append();
    if (column.type == ColumnType::kInt64) {
      column.int64s.append();
    } else {
      column.strings.append();
    }
  }
  if (!columns_.empty()) known_integers_ = columns_[0].int64s.first_chunk();
  hashes_.append();
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

void KeyTable::clear() { drop_others(LiveSlots(slot_count_, *free_.get_allocator().resource())); }

void KeyTable::drop_others(const LiveSlots& live) {
  cells_.clear(live.count(), kTableSlack);
  live.for_each_below(slot_count_, [&](std::uint32_t slot) { cells_.put(slot, hashes_[slot]); });
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
    cells.cut(map.new_size());
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
  if (!columns_.empty()) known_integers_ = columns_[0].int64s.first_chunk();
  slot_count_ = map.new_size();
  for (KeyColumn& column : columns_) {
    if (!column.has_nulls) continue;
    column.has_nulls = false;
    for (std::size_t slot = 0; slot < slot_count_; ++slot) {
      column.has_nulls |= column.nulls[slot] != 0;
    }
  }
  free_.clear();
  free_.shrink_to_fit();
  cells_.clear(slot_count_, 1);
  for (std::size_t slot = 0; slot < slot_count_; ++slot) {
    cells_.put(static_cast<std::uint32_t>(slot), hashes_[slot]);
  }
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

bool KeyTable::are_plain() const {
  const bool any = !columns_.empty();
  return any && std::all_of(columns_.begin(), columns_.end(), [](const KeyColumn& column) {
           return column.type == ColumnType::kInt64 && !column.has_nulls;
         });
}

void KeyTable::gather(std::span<const std::uint32_t> slots, std::size_t column,
                      std::uint64_t* cells) const {
  const SlotArray<std::int64_t>& keys = columns_[column].int64s;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    cells[i] = static_cast<std::uint64_t>(keys[slots[i]]);
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
