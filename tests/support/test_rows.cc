#include "support/test_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tidemark::test_support {
namespace {

struct CellText {
  std::string operator()(std::monostate) const { return "NULL"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    return std::isnan(value) ? "nan" : fmt::format("{:#}", value);
  }
  std::string operator()(const std::string& value) const {
    std::string text = "'";
    for (const char c : value) {
      const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
      if (plain) {
        text += c;
      } else {
        text += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      }
    }
    text += '\'';
    return text;
  }
};

void set_cell(Column& column, std::size_t row, const Cell& cell) {
  switch (column.type()) {
    case ColumnType::kInt64:
      column.int64s()[row] = 0;
      break;
    case ColumnType::kDouble:
      column.doubles()[row] = 0;
      break;
    case ColumnType::kString:
      column.set_string(row, "");
      break;
  }
  if (std::holds_alternative<std::monostate>(cell)) {
    column.set_null(row);
  } else if (column.type() == ColumnType::kInt64) {
    column.int64s()[row] = std::get<std::int64_t>(cell);
  } else if (column.type() == ColumnType::kDouble) {
    column.doubles()[row] = std::get<double>(cell);
  } else {
    column.set_string(row, std::get<std::string>(cell));
  }
}

}  // namespace

Cell cell_at(const Column& column, std::size_t row) {
  if (column.is_null(row)) return kNull;
  switch (column.type()) {
    case ColumnType::kInt64:
      return column.int64s()[row];
    case ColumnType::kDouble:
      return column.doubles()[row];
    case ColumnType::kString:
      return std::string(column.string(row));
  }
  return kNull;
}

void append_row(Batch& batch, const Row& row) {
  const std::size_t at = batch.size();
  batch.times()[at] = row.time;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    set_cell(batch.column(i), at, row.cells[i]);
  }
  batch.set_size(at + 1);
}

Row row_at(const Batch& batch, std::size_t row) {
  Row result{batch.times()[row], {}};
  for (std::size_t i = 0; i < batch.column_count(); ++i) {
    result.cells.push_back(cell_at(batch.column(i), row));
  }
  return result;
}

std::string to_text(const Cell& cell) { return std::visit(CellText{}, cell); }

std::string to_text(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    if (!text.empty()) text += ' ';
    text += to_text(cell);
  }
  return text;
}

std::string to_text(const Row& row) { return fmt::format("{} | {}", row.time, to_text(row.cells)); }

std::string to_text(const ResultRow& result) {
  return fmt::format("#{} [{}, {}) {} | {}", result.window, result.start, result.end,
                     to_text(result.keys), to_text(result.aggregates));
}

void sort_canonically(std::vector<ResultRow>& results) {
  std::vector<std::tuple<EventTime, EventTime, std::uint32_t, std::string, std::size_t>> order;
  order.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ResultRow& result = results[i];
    order.emplace_back(result.end, result.start, result.window, to_text(result.keys), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<ResultRow> sorted;
  sorted.reserve(results.size());
  for (const auto& place : order) sorted.push_back(std::move(results[std::get<4>(place)]));
  results = std::move(sorted);
}

std::vector<std::string> to_lines(const std::vector<ResultRow>& results) {
  std::vector<std::string> lines;
  lines.reserve(results.size());
  for (const ResultRow& result : results) lines.push_back(to_text(result));
  return lines;
}

std::vector<std::string> to_sorted_lines(const std::vector<Row>& rows) {
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const Row& row : rows) lines.push_back(to_text(row));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace tidemark::test_support
