#include "tidemark/connectors/csv_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <optional>
#include <variant>

#include "tidemark/connectors/message_text.h"
#include "tidemark/connectors/read_number.h"
#include "tidemark/operators/key_hash.h"

namespace tidemark {

namespace {

// Integers compare exactly, beyond 2^53 too; everything else as doubles. Nothing if `cell` is no
// number.
std::optional<std::partial_ordering> compare_number(
    std::string_view cell, const std::variant<std::int64_t, double, std::string>& literal) {
  std::int64_t integer = 0;
  const std::int64_t* const integer_literal = std::get_if<std::int64_t>(&literal);
  if (integer_literal != nullptr && read_int64(cell, integer) == NumberReading::kRead) {
    return integer <=> *integer_literal;
  }
  double number = 0;
  if (read_double(cell, number) != NumberReading::kRead) return std::nullopt;
  return number <=> (integer_literal != nullptr ? static_cast<double>(*integer_literal)
                                                : std::get<double>(literal));
}

}  // namespace

CsvDecoder::CsvDecoder(const CsvPlan& plan)
    : plan_(plan), time_parser_(plan.time_parser), numbers_(plan.values.size()) {}

bool CsvDecoder::check_shape(const CsvRow& row) {
  if (row.problem == CsvProblem::kNone && row.field_count == plan_.columns.size()) return true;
  if (row.problem == CsvProblem::kUnterminatedQuote) {
    reason_ = "a quote that opens in this row is never closed";
    const auto lines = std::count(row.raw.begin(), row.raw.end(), '\n') - row.raw.ends_with('\n');
    if (lines > 0) reason_ += fmt::format("; the {} lines behind it are taken for its text", lines);
  } else if (row.problem == CsvProblem::kTextAfterQuote) {
    reason_ = "text follows a closing quote; a quote inside a quoted cell must be doubled";
  } else {
    reason_ =
        fmt::format("{} fields where the header has {}", row.field_count, plan_.columns.size());
  }
  return false;
}

inline bool CsvDecoder::read_time(const CsvRow& row, EventTime& time) {
  time = 0;
  if (!plan_.time_column) return true;
  const CsvField& cell = row.fields[*plan_.time_column];
  const std::optional<EventTime> parsed = time_parser_.parse(cell.text);
  if (!parsed) return refuse_time(*plan_.time_column, cell);
  time = *parsed;
  return true;
}

bool CsvDecoder::read_watermark(const CsvRow& row, EventTime& watermark) {
  watermark = kNoWatermark;
  const CsvField& cell = row.fields[*plan_.watermark_column];
  if (cell.text.empty()) return true;
  const std::optional<EventTime> parsed = time_parser_.parse(cell.text);
  if (!parsed) return refuse_time(*plan_.watermark_column, cell);
  watermark = *parsed;
  return true;
}

bool CsvDecoder::refuse_time(std::size_t column, const CsvField& cell) {
  const std::string& name = plan_.columns[column];
  if (cell.text.empty()) {
    reason_ = fmt::format("column {}: no event time", in_quotes(name));
  } else {
    reason_ = fmt::format("column {}: {}", in_quotes(name), time_parser_.explain(cell.text));
  }
  return false;
}

bool CsvDecoder::refuse_gap(const CsvField& cell, const CsvPlan::Value& value) {
  const std::string& column = plan_.columns[*value.column];
  if (cell.text.empty()) {
    reason_ = fmt::format("column {}: no session gap", in_quotes(column));
  } else {
    reason_ = fmt::format(
        "column {}: {} is not a session gap, which is a whole number of milliseconds from 1 to {}",
        in_quotes(column), in_quotes(cell.text), kMaxDurationMs);
  }
  return false;
}

bool CsvDecoder::refuse_number(const CsvField& cell, const CsvPlan::Value& value,
                               bool out_of_range) {
  const std::string& column = plan_.columns[*value.column];
  const bool integer = value.type == ColumnType::kInt64;
  double number = 0;
  const bool is_double = read_double(cell.text, number) == NumberReading::kRead;
  if (out_of_range) {
    reason_ = fmt::format("column {}: {} does not fit {}", in_quotes(column), in_quotes(cell.text),
                          integer ? "a 64-bit integer" : "a double");
  } else {
    reason_ = fmt::format("column {}: {} is not {}", in_quotes(column), in_quotes(cell.text),
                          integer ? "an integer" : "a number");
  }
  if (integer && is_double) {
    reason_ += fmt::format("{}; pass --type {}=double to read it",
                           value.inferred ? ", as the first rows are" : "", column);
  }
  return false;
}

std::int64_t CsvDecoder::read_text(const CsvField& cell, const CsvPlan::Value& value) {
  switch (value.text) {
    case TextUse::kHash:
      return static_cast<std::int64_t>(hash_text(value_of(cell)));
    case TextUse::kIdentity:
    case TextUse::kShown:
      return value.dictionary->number_of(value_of(cell));
    case TextUse::kNone:
    case TextUse::kPresence:
      break;
  }
  return 1;
}

bool CsvDecoder::read_value(const CsvRow& row, const CsvPlan::Value& value, Number& number) {
  number.null = false;
  if (!value.column) {
    number.bits = 1;
  } else {
    const CsvField& cell = row.fields[*value.column];
    NumberReading reading = NumberReading::kRead;
    if (value.text != TextUse::kNone) {
      number.null = cell.is_null();
      if (!number.null) number.bits = read_text(cell, value);
    } else if (cell.text.empty()) {
      number.null = true;
    } else if (value.type == ColumnType::kInt64) {
      reading = read_int64(cell.text, number.bits);
    } else {
      double parsed = 0;
      reading = read_double(cell.text, parsed);
      number.bits = std::bit_cast<std::int64_t>(parsed);
    }
    if (value.is_gap) {
      const bool valid = reading == NumberReading::kRead && !number.null && number.bits > 0 &&
                         number.bits <= kMaxDurationMs;
      return valid || refuse_gap(cell, value);
    }
    if (reading != NumberReading::kRead) {
      return refuse_number(cell, value, reading == NumberReading::kOutOfRange);
    }
  }
  if (!value.filter) return true;
  bool fulfilled = false;
  if (!evaluate(row, *value.filter, fulfilled)) return false;
  number.null = number.null || !fulfilled;
  return true;
}

bool CsvDecoder::evaluate(const CsvRow& row, const CsvPlan::Filter& filter, bool& fulfilled) {
  const CsvField& cell = row.fields[filter.column];
  fulfilled = false;
  if (const std::string* text = std::get_if<std::string>(&filter.literal)) {
    if (!cell.is_null()) fulfilled = holds(filter.op, value_of(cell) <=> std::string_view(*text));
    return true;
  }
  if (cell.text.empty()) return true;
  const std::optional<std::partial_ordering> order = compare_number(cell.text, filter.literal);
  if (!order) {
    reason_ = fmt::format(
        "column {}: {} is not a number, but a condition compares it with one; quote the "
        "condition's value to compare text",
        in_quotes(plan_.columns[filter.column]), in_quotes(cell.text));
    return false;
  }
  fulfilled = holds(filter.op, *order);
  return true;
}

std::string_view CsvDecoder::value_of(const CsvField& cell) {
  if (!cell.escaped) return cell.text;
  unescape_csv(cell.text, unescaped_);
  return unescaped_;
}

inline void CsvDecoder::write_string(const CsvField& cell, Column& column, std::size_t at) {
  if (cell.is_null()) {
    column.set_null(at);
  } else {
    column.set_string(at, value_of(cell));
  }
}

bool CsvDecoder::decode(const CsvRow& row, Batch& batch) {
  EventTime time = 0;
  EventTime watermark = kNoWatermark;
  if (!check_shape(row) || !read_time(row, time)) return false;
  if (plan_.watermark_column && !read_watermark(row, watermark)) return false;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (!read_value(row, plan_.values[i], numbers_[i])) return false;
  }

  const std::size_t at = batch.size();
  batch.times()[at] = time;
  std::size_t column = 0;
  for (const std::size_t key : plan_.keys) {
    write_string(row.fields[key], batch.column(column++), at);
  }
  for (const Number& number : numbers_) {
    Column& cells = batch.column(column++);
    if (number.null) {
      cells.set_null(at);
    } else if (cells.type() == ColumnType::kInt64) {
      cells.int64s()[at] = number.bits;
    } else {
      cells.doubles()[at] = std::bit_cast<double>(number.bits);
    }
  }
  if (plan_.carry_raw) batch.column(column++).set_string(at, row.raw);
  if (plan_.watermark_column) batch.column(column).int64s()[at] = watermark;
  batch.set_size(at + 1);
  return true;
}

}  // namespace tidemark
