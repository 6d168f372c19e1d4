// A multiset of 64-bit values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tidemark {

// How often each value is in it, in an open hash table with linear probing. Counts make it
// invertible: a value is gone when its last copy has left. Not thread-safe.
class CountedValues {
 public:
  struct Cell {
    std::uint64_t value;
    std::uint64_t count;  // 0: free
  };

  explicit CountedValues(std::pmr::memory_resource& memory) : cells_(&memory) {}
  CountedValues(const CountedValues& other, std::pmr::memory_resource& memory)
      : size_(other.size_), total_(other.total_), cells_(other.cells_, &memory) {}
  CountedValues(const CountedValues&) = delete;
  CountedValues& operator=(const CountedValues&) = delete;

  // Different values, and all copies of them.
  std::size_t size() const { return size_; }
  std::uint64_t total() const { return total_; }
  // Where it is.
  std::pmr::memory_resource& memory() const { return *cells_.get_allocator().resource(); }

  void add(std::uint64_t value, std::uint64_t copies = 1);
  void merge(const CountedValues& other);
  // All of `other` is in it.
  void subtract(const CountedValues& other);

  // Calls visit(value, count) in no particular order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Cell& cell : cells_) {
      if (cell.count > 0) visit(cell.value, cell.count);
    }
  }
  std::uint64_t count(std::uint64_t value) const;

  std::uint32_t references = 1;

 private:
  std::size_t place_of(std::uint64_t value) const;
  void reserve(std::size_t size);
  void erase(std::size_t place);

  std::size_t size_ = 0;
  std::uint64_t total_ = 0;
  std::pmr::vector<Cell> cells_;  // a power of two of them, or none
};

}  // namespace tidemark
