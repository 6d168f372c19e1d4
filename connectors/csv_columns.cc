#include "tidemark/connectors/csv_columns.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "tidemark/connectors/digit_words.h"
#include "tidemark/connectors/read_number.h"

namespace tidemark {

namespace {

struct Cell {
  const char* begin;
  const char* end;
};

// The cell without its quotes, which are in order: the index has seen to that.
CsvField field_of(Cell cell) {
  const std::string_view text(cell.begin, static_cast<std::size_t>(cell.end - cell.begin));
  if (!text.starts_with('"')) return {.text = text, .quoted = false, .escaped = false};
  const std::string_view inside = text.substr(1, text.size() - 2);
  return {.text = inside, .quoted = true, .escaped = inside.find('"') != std::string_view::npos};
}

}  // namespace

// The cells of one column in the rows being read.
class CsvColumns::Cells {
 public:
  Cells(const char* text, const std::uint32_t* ends, std::size_t stride, std::size_t column)
      : text_(text), ends_(ends + column), stride_(stride), is_last_(column + 1 == stride) {}

  Cell operator[](std::size_t row) const {
    const std::uint32_t* const ends = ends_ + row * stride_;
    const Cell cell{text_ + (ends[0] + 1U), text_ + ends[1]};
    const bool has_return = is_last_ && cell.end != cell.begin && cell.end[-1] == '\r';
    return {cell.begin, cell.end - (has_return ? 1 : 0)};
  }

  // Whether the short readers may look at the bytes in front of a cell's end.
  bool reaches(Cell cell) const {
    return static_cast<std::size_t>(cell.end - text_) >= kDigitWordsReach;
  }

 private:
  const char* text_;
  const std::uint32_t* ends_;
  std::size_t stride_;
  bool is_last_;
};

CsvColumns::CsvColumns(const CsvPlan& plan)
    : plan_(plan),
      time_parser_(plan.time_parser),
      numeric_times_(plan.time_parser.unit() != TimeUnit::kText),
      decoder_(plan) {
  row_.fields.resize(plan.columns.size());
}

CsvColumns::Cells CsvColumns::cells_of(std::size_t column) const {
  return {text_, ends_, plan_.columns.size(), column};
}

const std::vector<std::size_t>& CsvColumns::append(std::string_view text, const CsvIndex& index,
                                                   std::size_t first, std::size_t count,
                                                   Batch& batch) {
  text_ = text.data();
  ends_ = index.ends(first);
  count_ = count;
  at_ = batch.size();
  bad_.clear();
  EventTime* const times = batch.times() + at_;
  if (plan_.time_column) {
    read_times(cells_of(*plan_.time_column), times);
  } else {
    std::fill_n(times, count, 0);
  }
  std::size_t column = 0;
  for (const std::size_t key : plan_.keys) read_strings(cells_of(key), batch.column(column++));
  for (std::size_t i = 0; i < plan_.values.size(); ++i) read_value(i, batch.column(column++));
  if (plan_.carry_raw) read_raw(batch.column(column++));
  if (plan_.watermark_column) {
    read_watermarks(cells_of(*plan_.watermark_column), batch.column(column).int64s() + at_);
  }
  batch.set_size(at_ + count);
  if (!bad_.empty()) drop_bad(batch);
  for (std::size_t& row : bad_) row += first;
  return bad_;
}

void CsvColumns::read_times(const Cells& cells, EventTime* times) {
  for (std::size_t row = 0; row < count_; ++row) {
    const Cell cell = cells[row];
    std::int64_t number = 0;
    std::optional<EventTime> time;
    if (numeric_times_ && cells.reaches(cell) && read_short_digits(cell.begin, cell.end, number)) {
      time = time_parser_.from_number(number);
    } else {
      time = time_parser_.parse(field_of(cell).text);
    }
    if (!time) bad_.push_back(row);
    times[row] = time.value_or(0);
  }
}

void CsvColumns::read_watermarks(const Cells& cells, std::int64_t* watermarks) {
  for (std::size_t row = 0; row < count_; ++row) {
    const CsvField field = field_of(cells[row]);
    watermarks[row] = kNoWatermark;
    if (field.text.empty()) continue;
    const std::optional<EventTime> watermark = time_parser_.parse(field.text);
    if (!watermark) bad_.push_back(row);
    watermarks[row] = watermark.value_or(kNoWatermark);
  }
}

void CsvColumns::read_value(std::size_t index, Column& column) {
  const CsvPlan::Value& value = plan_.values[index];
  if (value.filter || value.is_gap || value.text != TextUse::kNone) {
    read_checked(value, column);
  } else if (!value.column) {
    std::fill_n(column.int64s() + at_, count_, 1);
  } else if (value.type == ColumnType::kInt64) {
    read_int64s(cells_of(*value.column), column);
  } else {
    read_doubles(cells_of(*value.column), column);
  }
}

void CsvColumns::read_int64s(const Cells& cells, Column& column) {
  std::int64_t* const values = column.int64s() + at_;
  for (std::size_t row = 0; row < count_; ++row) {
    const Cell cell = cells[row];
    if (cells.reaches(cell) && read_short_integer(cell.begin, cell.end, values[row])) continue;
    const std::string_view text = field_of(cell).text;
    if (text.empty()) {
      column.set_null(at_ + row);
    } else if (read_int64(text, values[row]) != NumberReading::kRead) {
      bad_.push_back(row);
    }
  }
}

void CsvColumns::read_doubles(const Cells& cells, Column& column) {
  double* const values = column.doubles() + at_;
  for (std::size_t row = 0; row < count_; ++row) {
    const Cell cell = cells[row];
    if (cells.reaches(cell) && read_short_decimal(cell.begin, cell.end, values[row])) continue;
    const std::string_view text = field_of(cell).text;
    if (text.empty()) {
      column.set_null(at_ + row);
    } else if (read_double(text, values[row]) != NumberReading::kRead) {
      bad_.push_back(row);
    }
  }
}

// Values with a condition, gaps of sessions, and text.
void CsvColumns::read_checked(const CsvPlan::Value& value, Column& column) {
  const Cells cells = cells_of(value.column.value_or(0));
  const Cells conditions = cells_of(value.filter ? value.filter->column : 0);
  for (std::size_t row = 0; row < count_; ++row) {
    if (value.column) row_.fields[*value.column] = field_of(cells[row]);
    if (value.filter) row_.fields[value.filter->column] = field_of(conditions[row]);
    CsvDecoder::Number number;
    if (!decoder_.read_value(row_, value, number)) {
      bad_.push_back(row);
    } else if (number.null) {
      column.set_null(at_ + row);
    } else if (column.type() == ColumnType::kInt64) {
      column.int64s()[at_ + row] = number.bits;
    } else {
      column.doubles()[at_ + row] = std::bit_cast<double>(number.bits);
    }
  }
}

void CsvColumns::read_strings(const Cells& cells, Column& column) {
  for (std::size_t row = 0; row < count_; ++row) {
    const CsvField field = field_of(cells[row]);
    if (field.is_null()) {
      column.set_null(at_ + row);
    } else if (field.escaped) {
      unescape_csv(field.text, unescaped_);
      column.set_string(at_ + row, unescaped_);
    } else {
      column.set_string(at_ + row, field.text);
    }
  }
}

void CsvColumns::read_raw(Column& column) {
  const Cells first = cells_of(0);
  const Cells last = cells_of(plan_.columns.size() - 1);
  for (std::size_t row = 0; row < count_; ++row) {
    const char* const begin = first[row].begin;
    column.set_string(at_ + row, {begin, static_cast<std::size_t>(last[row].end - begin)});
  }
}

void CsvColumns::drop_bad(Batch& batch) {
  std::sort(bad_.begin(), bad_.end());
  bad_.erase(std::unique(bad_.begin(), bad_.end()), bad_.end());
  good_.clear();
  auto next_bad = bad_.begin();
  for (std::size_t row = 0; row < batch.size(); ++row) {
    if (next_bad != bad_.end() && row == at_ + *next_bad) {
      ++next_bad;
    } else {
      good_.push_back(static_cast<std::uint16_t>(row));
    }
  }
  batch.keep(good_);
}

}  // namespace tidemark
