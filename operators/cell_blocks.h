// Columns of 8-byte cells in blocks, which grow and shrink without moving a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tidemark {

// Rows [0, size) of `columns` columns. The cells of one column lie side by side for kRows rows, and
// a block holds that stretch of all columns, so a row's cells are near each other. Not thread-safe.
class CellBlocks {
 public:
  static constexpr std::size_t kRows = 512;

  CellBlocks(std::size_t columns, std::pmr::memory_resource& memory);
  ~CellBlocks();
  CellBlocks(const CellBlocks&) = delete;
  CellBlocks& operator=(const CellBlocks&) = delete;

  // Before there are rows.
  void set_columns(std::size_t columns) { columns_ = columns; }
  std::size_t columns() const { return columns_; }

  // Makes room for `rows`; cells are zero at first. Constant time per block.
  void cover(std::size_t rows);
  // Lets go of blocks that `rows` rows do not need.
  void shrink(std::size_t rows);

  std::uint64_t* cell(std::size_t row, std::size_t column) {
    return blocks_[row / kRows] + column * kRows + row % kRows;
  }
  const std::uint64_t* cell(std::size_t row, std::size_t column) const {
    return blocks_[row / kRows] + column * kRows + row % kRows;
  }
  // Fetches where the columns of the block behind that of `row` begin, which the processor does not
  // foresee.
  void prefetch_next_block(std::size_t row) const {
    const std::size_t next = row / kRows + 1;
    if (next >= blocks_.size()) return;
    for (std::size_t i = 0; i < columns_; ++i) {
      for (std::size_t ahead = 0; ahead < 32; ahead += 8) {
        __builtin_prefetch(blocks_[next] + i * kRows + ahead);
      }
    }
  }
  // All cells of row `from` to row `to`.
  void move(std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < columns_; ++i) *cell(to, i) = *cell(from, i);
  }

 private:
  std::size_t block_bytes() const { return columns_ * kRows * sizeof(std::uint64_t); }

  std::size_t columns_;
  std::pmr::memory_resource& memory_;
  std::pmr::vector<std::uint64_t*> blocks_;
};

}  // namespace tidemark
