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
#include "tidemark/operators/cell_blocks.h"
#include "tidemark/operators/key_table.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// One row of cells per live key, by position in the list of live keys. From one window to the next
// only keys change that a slice brought in or took out; all others go out as they are. Cells lie in
// columns, so that whoever reads results in place gets them without a copy. Not thread-safe.
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
  void prefetch(std::size_t position) const { cells_.prefetch(position); }

  // Computes the rows at `positions` from their states (see AggregateLayout::lower); at most kRows.
  static constexpr std::size_t kRows = 256;
  void refresh(std::span<const std::uint32_t> positions, const std::byte* const* a,
               const std::byte* const* b);

  // Keeps the keys of the rows as well; `slots` has those of all rows. Only for keys.are_plain().
  void keep_keys(const KeyTable& keys, std::span<const std::uint32_t> slots);

  // How many rows from `from` on lie side by side, at most.
  static constexpr std::size_t kRun = CellBlocks::kRows;
  static std::size_t run_from(std::size_t from) { return kRun - from % kRun; }

  // Lets columns [first_column, ...) of `out`, from its first row on, borrow rows [from, from + n),
  // which lie side by side; until the next change to these results.
  void lend(std::size_t from, std::size_t n, Batch& out, std::size_t first_column) const;
  void lend_keys(std::size_t from, Batch& out, std::size_t first_column) const;
  // Copies rows [from, from + n) to columns [first_column, ...) of `out`, rows from `at` on.
  void copy(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
            std::size_t at) const;
  void copy_keys(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                 std::size_t at) const;

  // Cells that did not fit their column, as (position, aggregate).
  const std::pmr::set<std::pair<std::size_t, std::size_t>>& overflows() const { return overflows_; }

 private:
  void set_null(std::size_t cell, bool is_null);
  void mark_nulls(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                  std::size_t at) const;
  void renew_nulls(std::span<const std::uint32_t> positions);
  void renew_overflows(std::span<const std::uint32_t> positions);

  const AggregateLayout& layout_;
  std::size_t columns_;
  std::size_t size_ = 0;
  CellBlocks cells_;
  CellBlocks keys_;
  std::size_t keyed_ = 0;  // rows whose keys are kept
  // One flag per cell, row by row; none before there is the first NULL.
  std::pmr::vector<std::uint8_t> nulls_;
  std::size_t null_count_ = 0;
  Batch fresh_;
  std::vector<CellOverflow> fresh_overflows_;
  std::pmr::set<std::pair<std::size_t, std::size_t>> overflows_;
};

}  // namespace tidemark
