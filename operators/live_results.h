// The result cells of live keys, kept from one window to the next.
#pragma once

#include <bit>
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
// columns, so that whoever reads results in place gets them without a copy. A row that has changed
// is marked, which is a bit, and computed when its neighbours go out: keys change in no order, and
// would each cost a cache line per column. Not thread-safe.
class LiveResults {
 public:
  LiveResults(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  // Starts again with `size` rows of no value yet, all marked.
  void resize(std::size_t size);
  // A new last row, of no value yet, marked.
  void append();
  // The last row takes the place of `position`.
  void remove(std::size_t position);
  // Lets go of all memory that the rows do not need.
  void trim();

  // The row is to be computed before it is read.
  void mark(std::size_t position) { marks_[position / 64] |= std::uint64_t{1} << position % 64; }
  // Calls visit(position) for the marked rows of [from, to), in order.
  template <typename Visit>
  void for_each_marked(std::size_t from, std::size_t to, const Visit& visit) const;

  // Computes the rows at `positions` from their states (see AggregateLayout::lower); at most kRows.
  // They are not marked any more.
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
  bool is_marked(std::size_t position) const {
    return (marks_[position / 64] >> position % 64 & 1U) != 0;
  }
  void unmark(std::size_t position) {
    marks_[position / 64] &= ~(std::uint64_t{1} << position % 64);
  }
  void set_null(std::size_t cell, bool is_null);
  void mark_nulls(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                  std::size_t at) const;
  void renew_nulls(std::span<const std::uint32_t> positions);
  void renew_overflows(std::span<const std::uint32_t> positions);

  const AggregateLayout& layout_;
  std::size_t columns_;
  std::size_t size_ = 0;
  CellBlocks cells_;
  std::pmr::vector<std::uint64_t> marks_;  // a bit per row; none behind the last
  CellBlocks keys_;
  std::size_t keyed_ = 0;  // rows whose keys are kept
  // One flag per cell, row by row; none before there is the first NULL.
  std::pmr::vector<std::uint8_t> nulls_;
  std::size_t null_count_ = 0;
  Batch fresh_;
  std::vector<CellOverflow> fresh_overflows_;
  std::pmr::set<std::pair<std::size_t, std::size_t>> overflows_;
};

template <typename Visit>
void LiveResults::for_each_marked(std::size_t from, std::size_t to, const Visit& visit) const {
  for (std::size_t word = from / 64; word * 64 < to; ++word) {
    std::uint64_t bits = marks_[word];
    if (word * 64 < from) bits &= ~std::uint64_t{0} << (from - word * 64);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t position = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (position >= to) return;
      visit(position);
    }
  }
}

}  // namespace tidemark
