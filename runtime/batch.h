// The unit of flow: up to about a thousand rows as typed columns, with a header that carries
// everything that must keep its place in the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark {

enum class ColumnType : std::uint8_t { kInt64, kDouble, kString };

struct Field {
  std::string name;
  ColumnType type;
};
using Schema = std::vector<Field>;

// A column of fixed capacity. Every cell takes 8 bytes: an int64, a double, or the place of a
// string in the column's own byte store. A cell may be NULL; its value is then
// unspecified, except that a NULL string reads as an empty one.
class Column {
 public:
  Column(ColumnType type, std::size_t capacity);
  Column(Column&&) noexcept = default;
  Column& operator=(Column&&) noexcept = default;

  ColumnType type() const { return type_; }

  // Typed access; the caller names the column's own type.
  std::int64_t* int64s() { return static_cast<std::int64_t*>(cells_); }
  const std::int64_t* int64s() const { return static_cast<const std::int64_t*>(cells_); }
  double* doubles() { return static_cast<double*>(cells_); }
  const double* doubles() const { return static_cast<const double*>(cells_); }
  // Cells as bytes, 8 a row, for copying.
  void* cells() { return cells_; }
  const void* cells() const { return cells_; }
  // Until clear(), the column reads `cells`, which must stay where they are, instead of its own.
  // Nothing may be written to it meanwhile, except that cells can be set NULL. Not for strings.
  void borrow(const void* cells) { cells_ = const_cast<void*>(cells); }

  // The bytes stay valid until the column is cleared or a string is set.
  std::string_view string(std::size_t row) const {
    const StringCell cell = static_cast<const StringCell*>(cells_)[row];
    return {bytes_.data() + cell.offset, cell.length};
  }
  void set_string(std::size_t row, std::string_view value);

  bool has_nulls() const { return has_nulls_; }
  bool is_null(std::size_t row) const { return (null_bits_[row / 64] >> (row % 64) & 1) != 0; }
  void set_null(std::size_t row);
  // One bit per row, set where the cell is NULL.
  std::span<const std::uint64_t> null_bits() const { return null_bits_; }

  void clear();

  // Copies cells [begin, end) of `from` (of the same type) to this column's cells from `at` on.
  void copy_range(std::size_t at, const Column& from, std::size_t begin, std::size_t end);
  // Copies the cells of `from` named by `rows`, in that order, to this column's cells from `at` on.
  void copy_selected(std::size_t at, const Column& from, std::span<const std::uint16_t> rows);
  // Of `size` cells only those named by `rows`, rising, stay, in that order from cell 0 on.
  void keep(std::span<const std::uint16_t> rows, std::size_t size);

 private:
  struct StringCell {
    std::uint32_t offset;
    std::uint32_t length;
  };
  struct CellDeleter {
    void operator()(void* cells) const;
  };

  ColumnType type_;
  bool has_nulls_ = false;
  std::unique_ptr<void, CellDeleter> own_cells_;
  void* cells_;  // its own, or borrowed
  std::vector<std::uint64_t> null_bits_;
  std::vector<char> bytes_;
};

// In-band signals: they hold from the end of this batch's rows on.
struct BatchHeader {
  // The channel's watermark after the rows of this batch; kNoWatermark says nothing new.
  EventTime watermark = kNoWatermark;
  // An idle channel does not hold the watermark back until it is active again.
  bool idle = false;
  // The channel sends nothing after this batch.
  bool end_of_stream = false;
  // With end_of_stream: the input was cut short, so open windows are not complete.
  bool cancelled = false;
  // Which channel of its consumer's inbox the batch came through; set by the channel.
  std::uint32_t channel = 0;
  // In result batches: the number of the window specification, from 0.
  std::uint32_t window = 0;
};

// Rows [0, size) of: event time, key hash (once something has filled it), and the schema's columns.
// Not thread-safe; a batch has one owner at a time, and a channel hands it over.
class Batch {
 public:
  static constexpr std::size_t kDefaultCapacity = 1024;
  static constexpr std::size_t kMaxCapacity = 32768;

  // `capacity` is in rows, from 1 to kMaxCapacity.
  explicit Batch(const Schema& schema, std::size_t capacity = kDefaultCapacity);

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return times_.size(); }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity(); }
  // Sets the number of rows after writing their cells directly; at most capacity().
  void set_size(std::size_t size) { size_ = size; }

  EventTime* times() { return times_.data(); }
  const EventTime* times() const { return times_.data(); }
  std::uint64_t* hashes() { return hashes_.data(); }
  const std::uint64_t* hashes() const { return hashes_.data(); }

  std::size_t column_count() const { return columns_.size(); }
  Column& column(std::size_t index) { return columns_[index]; }
  const Column& column(std::size_t index) const { return columns_[index]; }

  // Drops rows and header, keeps memory.
  void clear();

  // Appends rows [begin, end) of `from`, which has the same columns or the first of them, and the
  // same size of states unless this batch is empty; they must fit. Cells of columns that `from`
  // does not have are unspecified.
  void append_range(const Batch& from, std::size_t begin, std::size_t end);
  // The same for the rows of `from` named by `rows`, in that order.
  void append_selected(const Batch& from, std::span<const std::uint16_t> rows);
  // Drops all rows but those named by `rows`, which rises.
  void keep(std::span<const std::uint16_t> rows);
  // Exchanges the rows, not the headers, with a batch of the same capacity and columns, at no cost
  // per row. Either may have columns behind those of the other, whose cells then stay where they
  // are.
  void swap_rows(Batch& other) noexcept;

  // Rows may stand for many: each then has `bytes` of opaque state beside its cells, a multiple of
  // 8, and all rows of the batch have it or none. Of an empty batch; the first use takes memory.
  void use_states(std::size_t bytes);
  // Bytes of state per row; 0 while rows are just rows, as after clear().
  std::size_t state_size() const { return state_size_; }
  // The states of rows [row, ...), state_size() bytes apart.
  std::byte* states(std::size_t row) { return states_.data() + row * state_size_; }
  const std::byte* states(std::size_t row) const { return states_.data() + row * state_size_; }

  BatchHeader header;

 private:
  std::size_t size_ = 0;
  std::vector<EventTime> times_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Column> columns_;
  std::size_t state_size_ = 0;
  std::vector<std::byte> states_;
};

}  // namespace tidemark
