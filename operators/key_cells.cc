#include "tidemark/operators/key_cells.h"

#include <algorithm>
#include <utility>

namespace tidemark {

namespace {

constexpr std::size_t kInitialCells = 256;
constexpr std::size_t kTableAlignment = 64;

// How many cells a key takes at least, in a table of `cells`.
constexpr std::size_t spread(std::size_t cells) { return cells <= KeyCells::kSparseCells ? 4 : 2; }

constexpr std::uint64_t make_cell(std::uint64_t hash, std::size_t slot) {
  return (hash & 0xffffffff00000000ULL) | slot;
}

}  // namespace

KeyCells::KeyCells(std::pmr::memory_resource& memory)
    : memory_(memory), table_(allocate(kInitialCells)) {
  std::fill_n(table_.cells, table_.size, kEmpty);
}

KeyCells::~KeyCells() {
  release(table_);
  release(next_);
}

KeyCells::Table KeyCells::allocate(std::size_t size) {
  return {
      static_cast<std::uint64_t*>(memory_.allocate(size * sizeof(std::uint64_t), kTableAlignment)),
      size};
}

void KeyCells::release(Table& table) {
  if (table.cells == nullptr) return;
  memory_.deallocate(table.cells, table.size * sizeof(std::uint64_t), kTableAlignment);
  table = {};
}

std::size_t KeyCells::put(Table& table, std::uint32_t slot, std::uint64_t hash) {
  const std::size_t mask = table.size - 1;
  std::size_t place = hash & mask;
  while (table.cells[place] != kEmpty) place = (place + 1) & mask;
  table.cells[place] = make_cell(hash, slot);
  return place;
}

void KeyCells::add(std::uint32_t slot, const SlotArray<std::uint64_t>& hashes, std::size_t keys) {
  const std::size_t place = put(table_, slot, hashes[slot]);
  if (next_.cells == nullptr) {
    if (keys * spread(table_.size) < table_.size) return;
    next_ = allocate(table_.size * 2);
    cleared_ = moved_ = 0;
  }
  // The others come with the cells that are still to be moved.
  if (place < moved_) put(next_, slot, hashes[slot]);
  grow_on(hashes);
}

void KeyCells::grow_on(const SlotArray<std::uint64_t>& hashes) {
  if (cleared_ < next_.size) {
    const std::size_t n = std::min(kClearedPerKey, next_.size - cleared_);
    std::fill_n(next_.cells + cleared_, n, kEmpty);
    cleared_ += n;
    return;
  }
  const std::size_t end = std::min(moved_ + kMovedPerKey, table_.size);
  moved_in_all_ += end - moved_;
  for (; moved_ < end; ++moved_) {
    const std::uint64_t cell = table_.cells[moved_];
    if (cell != kEmpty) put(next_, slot_of(cell), hashes[slot_of(cell)]);
  }
  if (moved_ < table_.size) return;
  std::swap(table_, next_);
  release(next_);
}

void KeyCells::clear(std::size_t keys, std::size_t slack) {
  release(next_);
  std::size_t needed = kInitialCells;
  while (needed < keys * spread(needed)) needed *= 2;
  if (table_.size > slack * needed || table_.size < needed) {
    release(table_);
    table_ = allocate(needed);
  }
  std::fill_n(table_.cells, table_.size, kEmpty);
}

}  // namespace tidemark
