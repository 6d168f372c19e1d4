// The result cells of live keys, kept from one window to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// One row of cells per live key, by position in the list of live keys. From one window to the next
// only keys change that a slice brought in or took out; all others are copied to the results as
// they are. Not thread-safe.
class LiveResults {
 public:
  LiveResults(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  // Starts again with `size` rows of no value yet.
  void resize(std::size_t size);
  // A new last row, of no value yet.
  void append();
  // The last row takes the place of `position`.
  void remove(std::size_t position);
  // Lets go of all memory that the rows do not need.
  void trim();

  // Fetches the row that refresh() is about to write.
  void prefetch(std::size_t position) const { __builtin_prefetch(&cells_[position * columns_], 1); }

  // Computes the rows at `positions` from their states (see AggregateLayout::lower); at most kRows.
  static constexpr std::size_t kRows = 256;
  void refresh(std::span<const std::uint32_t> positions, const std::byte* const* a,
               const std::byte* const* b);

  // Copies rows [from, from + n) to columns [first_column, ...) of `out`, rows from `at` on.
  void copy(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
            std::size_t at) const;

  // Cells that did not fit their column, as (position, aggregate).
  const std::pmr::set<std::pair<std::size_t, std::size_t>>& overflows() const { return overflows_; }

 private:
  void set_null(std::size_t cell, bool is_null);
  void renew_overflows(std::span<const std::uint32_t> positions);

  const AggregateLayout& layout_;
  std::size_t columns_;
  std::size_t size_ = 0;
  // Row by row: the bits of int64s and doubles, and one flag per cell.
  std::pmr::vector<std::uint64_t> cells_;
  std::pmr::vector<std::uint8_t> nulls_;
  std::size_t null_count_ = 0;
  Batch fresh_;
  std::vector<CellOverflow> fresh_overflows_;
  std::pmr::set<std::pair<std::size_t, std::size_t>> overflows_;
};

}  // namespace tidemark
