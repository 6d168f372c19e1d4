// Which values a running row has had, where entries leave it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/running_rows.h"

namespace tidemark {

// The valid bits of a row cannot be subtracted, so entries without a value are counted per slot and
// value column: a row has a value if fewer entries are without one than there are. Costs next to
// nothing while no entry is without one. Not thread-safe.
class AbsentValues {
 public:
  AbsentValues(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count);
  void entered(const std::byte* entries, std::size_t n) { count(entries, n, 1); }
  void left(const std::byte* entries, std::size_t n) { count(entries, n, -1); }
  // After entries of live slots have left: sets the valid bits of their rows.
  void renew(const std::byte* entries, std::size_t n, RunningRows& rows) const;
  void renumber(const SlotMap& map);

 private:
  void count(const std::byte* entries, std::size_t n, int change);
  std::uint32_t* of(std::uint32_t slot) { return counts_.data() + slot * columns_; }
  const std::uint32_t* of(std::uint32_t slot) const { return counts_.data() + slot * columns_; }

  std::size_t entry_size_;
  std::size_t columns_;
  std::uint32_t all_valid_;
  bool any_ = false;
  std::size_t slots_ = 0;
  // None before there is the first entry without a value.
  std::pmr::vector<std::uint32_t> counts_;
};

}  // namespace tidemark
