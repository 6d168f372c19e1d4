#include "tidemark/operators/counted_values.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tidemark {

namespace {

// Finalizer of SplitMix64 (Steele, Lea and Flood 2014): all bits count in the low ones.
std::size_t hash_of(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Three quarters full at most.
std::size_t cells_for(std::size_t size) {
  return std::bit_ceil(std::max<std::size_t>(size + size / 3 + 1, 4));
}

}  // namespace

// Where the value is, or the free cell where it belongs.
std::size_t CountedValues::place_of(std::uint64_t value) const {
  const std::size_t mask = cells_.size() - 1;
  std::size_t place = hash_of(value) & mask;
  while (cells_[place].count > 0 && cells_[place].value != value) place = (place + 1) & mask;
  return place;
}

void CountedValues::reserve(std::size_t size) {
  const std::size_t needed = cells_for(size);
  if (needed <= cells_.size()) return;
  std::pmr::vector<Cell> before(needed, Cell{0, 0}, cells_.get_allocator());
  std::swap(before, cells_);
  for (const Cell& cell : before) {
    if (cell.count > 0) cells_[place_of(cell.value)] = cell;
  }
}

void CountedValues::add(std::uint64_t value, std::uint64_t copies) {
  reserve(size_ + 1);
  Cell& cell = cells_[place_of(value)];
  if (cell.count == 0) ++size_;
  cell.value = value;
  cell.count += copies;
  total_ += copies;
}

// Room is made at once: values come in the order of their hashes, which would crowd a table that
// grows with them.
void CountedValues::merge(const CountedValues& other) {
  reserve(size_ + other.size_);
  other.for_each([this](std::uint64_t value, std::uint64_t copies) { add(value, copies); });
}

void CountedValues::subtract(const CountedValues& other) {
  other.for_each([this](std::uint64_t value, std::uint64_t copies) {
    const std::size_t place = place_of(value);
    total_ -= copies;
    cells_[place].count -= copies;
    if (cells_[place].count == 0) erase(place);
  });
  if (cells_.size() > 16 && cells_for(size_) < cells_.size() / 8) {
    CountedValues smaller(*cells_.get_allocator().resource());
    smaller.merge(*this);
    std::swap(cells_, smaller.cells_);
  }
}

// Cells behind it that would no longer be found move up (Knuth 1973, algorithm R).
void CountedValues::erase(std::size_t place) {
  --size_;
  const std::size_t mask = cells_.size() - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; cells_[next].count > 0; next = (next + 1) & mask) {
    const std::size_t home = hash_of(cells_[next].value) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    cells_[hole] = cells_[next];
    cells_[next].count = 0;
    hole = next;
  }
}

std::uint64_t CountedValues::count(std::uint64_t value) const {
  return cells_.empty() ? 0 : cells_[place_of(value)].count;
}

}  // namespace tidemark
