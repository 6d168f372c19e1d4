#include "tidemark/operators/live_results.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

namespace {

// Cells are moved as bits, whatever their type.
constexpr std::size_t kCellBytes = sizeof(std::uint64_t);

// Copies rows [from, from + n) of all columns to columns [first_column, ...), rows from `at` on.
void copy_cells(const CellBlocks& cells, std::size_t from, std::size_t n, Batch& out,
                std::size_t first_column, std::size_t at) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t run =
        std::min(n - done, CellBlocks::kRows - (from + done) % CellBlocks::kRows);
    for (std::size_t i = 0; i < cells.columns(); ++i) {
      auto* to = static_cast<std::byte*>(out.column(first_column + i).cells());
      std::memcpy(to + (at + done) * kCellBytes, cells.cell(from + done, i), run * kCellBytes);
    }
    done += run;
  }
}

}  // namespace

LiveResults::LiveResults(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout),
      columns_(layout.result_columns().size()),
      cells_(columns_, memory),
      marks_(&memory),
      keys_(0, memory),
      nulls_(&memory),
      fresh_(layout.result_columns(), kRows),
      overflows_(&memory) {}

void LiveResults::set_null(std::size_t cell, bool is_null) {
  null_count_ += static_cast<std::size_t>(is_null);
  null_count_ -= static_cast<std::size_t>(nulls_[cell]);
  nulls_[cell] = static_cast<std::uint8_t>(is_null);
}

void LiveResults::resize(std::size_t size) {
  size_ = size;
  keyed_ = 0;
  cells_.cover(size_);
  marks_.assign((size_ + 63) / 64, ~std::uint64_t{0});
  if (size_ % 64 != 0) marks_.back() >>= 64 - size_ % 64;
  nulls_.clear();
  null_count_ = 0;
  overflows_.clear();
}

void LiveResults::append() {
  cells_.cover(++size_);
  if (size_ % 64 == 1) marks_.push_back(0);
  mark(size_ - 1);
  if (!nulls_.empty()) nulls_.resize(size_ * columns_, 0);
}

void LiveResults::remove(std::size_t position) {
  --size_;
  cells_.move(size_, position);
  if (is_marked(size_)) {
    mark(position);
  } else {
    unmark(position);
  }
  unmark(size_);
  if (size_ % 64 == 0) marks_.pop_back();
  if (size_ < keyed_) {
    keys_.move(size_, position);
    keyed_ = size_;
  } else {
    keyed_ = std::min(keyed_, position);
  }
  if (!nulls_.empty()) {
    for (std::size_t i = 0; i < columns_; ++i) {
      const bool is_null = nulls_[size_ * columns_ + i] != 0;
      set_null(size_ * columns_ + i, false);
      if (position != size_) set_null(position * columns_ + i, is_null);
    }
    nulls_.resize(size_ * columns_);
  }
  if (overflows_.empty()) return;
  for (std::size_t i = 0; i < columns_; ++i) {
    overflows_.erase({position, i});
    if (overflows_.erase({size_, i}) > 0 && position != size_) overflows_.insert({position, i});
  }
}

void LiveResults::trim() {
  cells_.shrink(size_);
  marks_.shrink_to_fit();
  keys_.shrink(size_);
  keyed_ = std::min(keyed_, size_);
  nulls_.shrink_to_fit();
}

void LiveResults::refresh(std::span<const std::uint32_t> positions, const std::byte* const* a,
                          const std::byte* const* b) {
  const std::size_t n = positions.size();
  fresh_.clear();
  fresh_overflows_.clear();
  layout_.lower(a, b, n, fresh_, 0, 0, fresh_overflows_);
  for (std::size_t i = 0; i < columns_; ++i) {
    const auto* cells = static_cast<const std::byte*>(fresh_.column(i).cells());
    for (std::size_t row = 0; row < n; ++row) {
      std::memcpy(cells_.cell(positions[row], i), cells + row * kCellBytes, kCellBytes);
    }
  }
  for (const std::uint32_t position : positions) unmark(position);
  renew_nulls(positions);
  if (!overflows_.empty() || !fresh_overflows_.empty()) renew_overflows(positions);
}

void LiveResults::renew_nulls(std::span<const std::uint32_t> positions) {
  for (std::size_t i = 0; i < columns_; ++i) {
    const Column& fresh = fresh_.column(i);
    if (null_count_ == 0 && !fresh.has_nulls()) continue;
    if (nulls_.empty()) nulls_.resize(size_ * columns_, 0);
    for (std::size_t row = 0; row < positions.size(); ++row) {
      set_null(positions[row] * columns_ + i, fresh.is_null(row));
    }
  }
}

void LiveResults::renew_overflows(std::span<const std::uint32_t> positions) {
  for (const std::uint32_t position : positions) {
    overflows_.erase(overflows_.lower_bound({position, 0}),
                     overflows_.lower_bound({std::size_t{position} + 1, 0}));
  }
  for (const CellOverflow& overflow : fresh_overflows_) {
    overflows_.insert({positions[overflow.row], overflow.aggregate});
  }
}

void LiveResults::keep_keys(const KeyTable& keys, std::span<const std::uint32_t> slots) {
  if (keyed_ == slots.size()) return;
  if (keys_.columns() == 0) keys_.set_columns(keys.column_count());
  keys_.cover(slots.size());
  while (keyed_ < slots.size()) {
    const std::size_t n = std::min(slots.size() - keyed_, run_from(keyed_));
    for (std::size_t i = 0; i < keys_.columns(); ++i) {
      keys.gather(slots.subspan(keyed_, n), i, keys_.cell(keyed_, i));
    }
    keyed_ += n;
  }
}

void LiveResults::mark_nulls(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                             std::size_t at) const {
  if (null_count_ == 0) return;
  for (std::size_t i = 0; i < columns_; ++i) {
    Column& to = out.column(first_column + i);
    for (std::size_t row = 0; row < n; ++row) {
      if (nulls_[(from + row) * columns_ + i] != 0) to.set_null(at + row);
    }
  }
}

void LiveResults::lend(std::size_t from, std::size_t n, Batch& out,
                       std::size_t first_column) const {
  for (std::size_t i = 0; i < columns_; ++i) {
    out.column(first_column + i).borrow(cells_.cell(from, i));
  }
  cells_.prefetch_next_block(from);
  mark_nulls(from, n, out, first_column, 0);
}

void LiveResults::lend_keys(std::size_t from, Batch& out, std::size_t first_column) const {
  for (std::size_t i = 0; i < keys_.columns(); ++i) {
    out.column(first_column + i).borrow(keys_.cell(from, i));
  }
  keys_.prefetch_next_block(from);
}

void LiveResults::copy(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                       std::size_t at) const {
  copy_cells(cells_, from, n, out, first_column, at);
  mark_nulls(from, n, out, first_column, at);
}

void LiveResults::copy_keys(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                            std::size_t at) const {
  copy_cells(keys_, from, n, out, first_column, at);
}

}  // namespace tidemark
