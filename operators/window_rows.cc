#include "tidemark/operators/window_rows.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

WindowRows::WindowRows(const Schema& values, std::pmr::memory_resource& memory)
    : values_(values), times_(&memory), cells_(&memory), nulls_(&memory), evicted_(&memory) {}

std::optional<double> WindowRows::number(std::size_t row, std::size_t input) const {
  if ((nulls_[row] >> input & 1U) != 0) return std::nullopt;
  const std::uint64_t cell = cells_[row * values_.size() + input];
  if (values_[input].type != ColumnType::kDouble) {
    return static_cast<double>(static_cast<std::int64_t>(cell));
  }
  double value = 0;
  std::memcpy(&value, &cell, sizeof value);
  return value;
}

void WindowRows::evict(std::size_t row) {
  evicted_.resize(size(), false);
  evicted_[row] = true;
}

void WindowRows::append(const Batch& batch, std::size_t first_value, std::size_t row) {
  times_.push_back(batch.times()[row]);
  std::uint32_t nulls = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Column& column = batch.column(first_value + i);
    if (column.is_null(row)) nulls |= std::uint32_t{1} << i;
    cells_.push_back(static_cast<const std::uint64_t*>(column.cells())[row]);
  }
  nulls_.push_back(nulls);
}

void WindowRows::append(const WindowRows& other) {
  times_.insert(times_.end(), other.times_.begin(), other.times_.end());
  cells_.insert(cells_.end(), other.cells_.begin(), other.cells_.end());
  nulls_.insert(nulls_.end(), other.nulls_.begin(), other.nulls_.end());
}

void WindowRows::drop_evicted() {
  if (evicted_.empty()) return;
  const std::size_t width = values_.size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < size(); ++row) {
    if (evicted_[row]) continue;
    times_[kept] = times_[row];
    nulls_[kept] = nulls_[row];
    std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                cells_.begin() + static_cast<std::ptrdiff_t>(kept * width));
    ++kept;
  }
  times_.resize(kept);
  nulls_.resize(kept);
  cells_.resize(kept * width);
  evicted_.clear();
}

void WindowRows::drop_oldest(std::size_t rows) {
  const auto n = static_cast<std::ptrdiff_t>(rows);
  times_.erase(times_.begin(), times_.begin() + n);
  nulls_.erase(nulls_.begin(), nulls_.begin() + n);
  cells_.erase(cells_.begin(), cells_.begin() + n * static_cast<std::ptrdiff_t>(values_.size()));
}

void WindowRows::clear() {
  times_.clear();
  cells_.clear();
  nulls_.clear();
  evicted_.clear();
}

void WindowRows::fill(Batch& scratch, std::size_t from, std::size_t n) const {
  scratch.clear();
  std::copy_n(times_.begin() + static_cast<std::ptrdiff_t>(from), n, scratch.times());
  for (std::size_t column = 0; column < values_.size(); ++column) {
    auto* cells = static_cast<std::uint64_t*>(scratch.column(column).cells());
    for (std::size_t i = 0; i < n; ++i) {
      cells[i] = cells_[(from + i) * values_.size() + column];
      if ((nulls_[from + i] >> column & 1U) != 0) scratch.column(column).set_null(i);
    }
  }
  scratch.set_size(n);
}

void WindowRows::aggregate(const AggregateLayout& layout, std::byte* entry, Batch& scratch) const {
  std::vector<std::byte*> entries(std::min(size(), scratch.capacity()), entry);
  for (std::size_t from = 0; from < size(); from += scratch.capacity()) {
    const std::size_t n = std::min(size() - from, scratch.capacity());
    fill(scratch, from, n);
    entry_header(entry).valid |= layout.never_null(scratch, 0);
    layout.update(entries.data(), scratch, 0, 0, n);
  }
}

}  // namespace tidemark
