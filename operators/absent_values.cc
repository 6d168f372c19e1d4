#include "tidemark/operators/absent_values.h"

#include <algorithm>

namespace tidemark {

AbsentValues::AbsentValues(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : entry_size_(layout.entry_size()),
      columns_(layout.value_columns()),
      all_valid_(static_cast<std::uint32_t>((std::uint64_t{1} << columns_) - 1)),
      counts_(&memory) {}

void AbsentValues::cover(std::size_t slot_count) {
  slots_ = std::max(slots_, slot_count);
  if (any_) counts_.resize(slots_ * columns_, 0);
}

void AbsentValues::count(const std::byte* entries, std::size_t n, int change) {
  for (std::size_t i = 0; i < n; ++i) {
    const EntryHeader& header = entry_header(entries + i * entry_size_);
    if (header.valid == all_valid_) continue;
    if (!any_) {
      any_ = true;
      counts_.resize(slots_ * columns_, 0);
    }
    for (std::size_t column = 0; column < columns_; ++column) {
      if ((header.valid >> column & 1U) == 0) {
        of(header.slot)[column] += static_cast<std::uint32_t>(change);
      }
    }
  }
}

void AbsentValues::renew(const std::byte* entries, std::size_t n, RunningRows& rows) const {
  if (!any_) return;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t slot = entry_header(entries + i * entry_size_).slot;
    if (rows.live_entries(slot) == 0) continue;
    std::uint32_t valid = 0;
    for (std::size_t column = 0; column < columns_; ++column) {
      if (of(slot)[column] < rows.live_entries(slot)) valid |= 1U << column;
    }
    entry_header(rows.row(slot)).valid = valid;
  }
}

void AbsentValues::renumber(const SlotMap& map) {
  std::size_t kept = 0;
  map.for_each_below(slots_, [&](std::uint32_t from, std::uint32_t to) {
    if (any_) std::copy_n(of(from), columns_, of(to));
    kept = std::size_t{to} + 1;
  });
  slots_ = kept;
  if (!any_) return;
  counts_.resize(slots_ * columns_);
  counts_.shrink_to_fit();
}

}  // namespace tidemark
