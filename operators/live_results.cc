#include "tidemark/operators/live_results.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

namespace {

// Cells are moved as bits, whatever their type.
void copy_cells(std::byte* to, std::size_t to_stride, const std::byte* from,
                std::size_t from_stride, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(std::uint64_t));
  }
}

constexpr std::size_t kCellBytes = sizeof(std::uint64_t);

}  // namespace

LiveResults::LiveResults(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout),
      columns_(layout.result_columns().size()),
      cells_(&memory),
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
  cells_.assign(size_ * columns_, 0);
  nulls_.assign(size_ * columns_, 0);
  null_count_ = 0;
  overflows_.clear();
}

void LiveResults::append() {
  ++size_;
  cells_.resize(size_ * columns_, 0);
  nulls_.resize(size_ * columns_, 0);
}

void LiveResults::remove(std::size_t position) {
  --size_;
  for (std::size_t i = 0; i < columns_; ++i) {
    const std::size_t last = size_ * columns_ + i;
    cells_[position * columns_ + i] = cells_[last];
    if (null_count_ == 0) continue;
    set_null(position * columns_ + i, nulls_[last] != 0);
    set_null(last, false);
  }
  cells_.resize(size_ * columns_);
  nulls_.resize(size_ * columns_);
  if (overflows_.empty()) return;
  for (std::size_t i = 0; i < columns_; ++i) {
    overflows_.erase({position, i});
    if (overflows_.erase({size_, i}) > 0 && position != size_) overflows_.insert({position, i});
  }
}

void LiveResults::trim() {
  cells_.shrink_to_fit();
  nulls_.shrink_to_fit();
}

void LiveResults::refresh(std::span<const std::uint32_t> positions, const std::byte* const* a,
                          const std::byte* const* b) {
  const std::size_t n = positions.size();
  fresh_.clear();
  fresh_overflows_.clear();
  layout_.lower(a, b, n, fresh_, 0, 0, fresh_overflows_);
  for (std::size_t i = 0; i < columns_; ++i) {
    const Column& fresh = fresh_.column(i);
    const auto* cells = static_cast<const std::byte*>(fresh.cells());
    for (std::size_t row = 0; row < n; ++row) {
      std::memcpy(&cells_[positions[row] * columns_ + i], cells + row * kCellBytes, kCellBytes);
    }
    if (null_count_ == 0 && !fresh.has_nulls()) continue;
    for (std::size_t row = 0; row < n; ++row) {
      set_null(positions[row] * columns_ + i, fresh.is_null(row));
    }
  }
  if (!overflows_.empty() || !fresh_overflows_.empty()) renew_overflows(positions);
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

void LiveResults::copy(std::size_t from, std::size_t n, Batch& out, std::size_t first_column,
                       std::size_t at) const {
  for (std::size_t i = 0; i < columns_; ++i) {
    Column& to = out.column(first_column + i);
    const auto* cells = reinterpret_cast<const std::byte*>(cells_.data() + from * columns_ + i);
    copy_cells(static_cast<std::byte*>(to.cells()) + at * kCellBytes, kCellBytes, cells,
               columns_ * kCellBytes, n);
    if (null_count_ == 0) continue;
    for (std::size_t row = 0; row < n; ++row) {
      if (nulls_[(from + row) * columns_ + i] != 0) to.set_null(at + row);
    }
  }
}

}  // namespace tidemark
