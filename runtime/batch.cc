#include "tidemark/runtime/batch.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <stdexcept>

namespace tidemark {

namespace {
constexpr std::size_t kCellBytes = 8;
constexpr std::align_val_t kCellAlignment{64};
constexpr std::size_t kMaxStringBytes = UINT32_MAX;
}  // namespace

void Column::CellDeleter::operator()(void* cells) const {
  ::operator delete(cells, kCellAlignment);
}

Column::Column(ColumnType type, std::size_t capacity)
    : type_(type),
      own_cells_(::operator new(capacity* kCellBytes, kCellAlignment)),
      cells_(own_cells_.get()),
      null_bits_((capacity + 63) / 64, 0) {
  static_assert(sizeof(StringCell) == kCellBytes);
  std::memset(cells_, 0, capacity * kCellBytes);
}

void Column::set_string(std::size_t row, std::string_view value) {
  const std::size_t offset = bytes_.size();
  if (offset + value.size() > kMaxStringBytes) {
    throw std::length_error("a batch column cannot hold more than 4 GiB of string bytes");
  }
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  static_cast<StringCell*>(cells_)[row] = {static_cast<std::uint32_t>(offset),
                                           static_cast<std::uint32_t>(value.size())};
}

void Column::set_null(std::size_t row) {
  if (type_ == ColumnType::kString) static_cast<StringCell*>(cells_)[row] = {0, 0};
  null_bits_[row / 64] |= std::uint64_t{1} << (row % 64);
  has_nulls_ = true;
}

void Column::clear() {
  bytes_.clear();
  cells_ = own_cells_.get();
  if (!has_nulls_) return;
  std::fill(null_bits_.begin(), null_bits_.end(), 0);
  has_nulls_ = false;
}

void Column::copy_range(std::size_t at, const Column& from, std::size_t begin, std::size_t end) {
  assert(type_ == from.type_);
  if (type_ == ColumnType::kString) {
    for (std::size_t row = begin; row < end; ++row) set_string(at + row - begin, from.string(row));
  } else {
    std::memcpy(static_cast<std::byte*>(cells()) + at * kCellBytes,
                static_cast<const std::byte*>(from.cells()) + begin * kCellBytes,
                (end - begin) * kCellBytes);
  }
  if (!from.has_nulls_) return;
  for (std::size_t row = begin; row < end; ++row) {
    if (from.is_null(row)) set_null(at + row - begin);
  }
}

void Column::copy_selected(std::size_t at, const Column& from,
                           std::span<const std::uint16_t> rows) {
  assert(type_ == from.type_);
  if (type_ == ColumnType::kString) {
    for (std::size_t i = 0; i < rows.size(); ++i) set_string(at + i, from.string(rows[i]));
  } else if (type_ == ColumnType::kInt64) {
    std::int64_t* to = int64s() + at;
    const std::int64_t* cells = from.int64s();
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = cells[rows[i]];
  } else {
    double* to = doubles() + at;
    const double* cells = from.doubles();
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = cells[rows[i]];
  }
  if (!from.has_nulls_) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (from.is_null(rows[i])) set_null(at + i);
  }
}

// A kept cell never moves up, so what is still to be moved is never overwritten. The bytes of
// strings stay where they are.
void Column::keep(std::span<const std::uint16_t> rows, std::size_t size) {
  auto* const cells = static_cast<std::byte*>(cells_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memmove(cells + i * kCellBytes, cells + rows[i] * kCellBytes, kCellBytes);
  }
  if (!has_nulls_) return;
  for (std::size_t i = 0; i < size; ++i) {
    const bool null = i < rows.size() && is_null(rows[i]);
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    null_bits_[i / 64] = (null_bits_[i / 64] & ~bit) | (null ? bit : 0);
  }
}

Batch::Batch(const Schema& schema, std::size_t capacity) : times_(capacity), hashes_(capacity) {
  if (capacity == 0 || capacity > kMaxCapacity) {
    throw std::invalid_argument("a batch holds 1 to 32768 rows, got " + std::to_string(capacity));
  }
  columns_.reserve(schema.size());
  for (const Field& field : schema) columns_.emplace_back(field.type, capacity);
}

void Batch::clear() {
  size_ = 0;
  state_size_ = 0;
  header = BatchHeader{};
  for (Column& column : columns_) column.clear();
}

void Batch::use_states(std::size_t bytes) {
  assert(size_ == 0 || bytes == state_size_);
  state_size_ = bytes;
  if (states_.size() < capacity() * bytes) states_.resize(capacity() * bytes);
}

void Batch::append_range(const Batch& from, std::size_t begin, std::size_t end) {
  assert(size_ + (end - begin) <= capacity());
  if (from.state_size_ > 0) {
    use_states(from.state_size_);
    std::memcpy(states(size_), from.states(begin), (end - begin) * state_size_);
  }
  std::memcpy(times() + size_, from.times() + begin, (end - begin) * sizeof(EventTime));
  std::memcpy(hashes() + size_, from.hashes() + begin, (end - begin) * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < std::min(columns_.size(), from.columns_.size()); ++i) {
    columns_[i].copy_range(size_, from.columns_[i], begin, end);
  }
  size_ += end - begin;
}

void Batch::append_selected(const Batch& from, std::span<const std::uint16_t> rows) {
  assert(size_ + rows.size() <= capacity());
  EventTime* to_times = times() + size_;
  std::uint64_t* to_hashes = hashes() + size_;
  for (std::size_t i = 0; i < rows.size(); ++i) to_times[i] = from.times()[rows[i]];
  for (std::size_t i = 0; i < rows.size(); ++i) to_hashes[i] = from.hashes()[rows[i]];
  for (std::size_t i = 0; i < std::min(columns_.size(), from.columns_.size()); ++i) {
    columns_[i].copy_selected(size_, from.columns_[i], rows);
  }
  if (from.state_size_ > 0) {
    use_states(from.state_size_);
    // A few words each: a call to copy them would take longer than the copy.
    const std::size_t words = state_size_ / sizeof(std::uint64_t);
    std::byte* to = states(size_);
    for (const std::uint16_t row : rows) {
      const std::byte* state = from.states(row);
      for (std::size_t word = 0; word < words; ++word, to += sizeof(std::uint64_t)) {
        std::memcpy(to, state + word * sizeof(std::uint64_t), sizeof(std::uint64_t));
      }
    }
  }
  size_ += rows.size();
}

void Batch::keep(std::span<const std::uint16_t> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    times_[i] = times_[rows[i]];
    hashes_[i] = hashes_[rows[i]];
  }
  for (Column& column : columns_) column.keep(rows, size_);
  size_ = rows.size();
}

void Batch::swap_rows(Batch& other) noexcept {
  std::swap(size_, other.size_);
  times_.swap(other.times_);
  hashes_.swap(other.hashes_);
  const std::size_t shared = std::min(columns_.size(), other.columns_.size());
  std::swap_ranges(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(shared),
                   other.columns_.begin());
}

}  // namespace tidemark
